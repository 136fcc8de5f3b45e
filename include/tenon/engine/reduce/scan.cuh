// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scans along one axis on a GPU. Many lines are scanned by a thread each, in order, as on the CPU. A block scans a line
// where they are few: its threads have a piece each, whose results are added up in a fixed order.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/reduce/scan.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/reduce/fold.cuh>
#include <tenon/engine/reduce/scan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct ScanWork {
  const T* x;
  T* y;
  Index lines, n, inner;
  bool exclusive, reverse;
};

inline constexpr unsigned kScanThreads = 128;

// The running result over [begin, end) of a line from `sum` on; writes it where `to` is not null.
template <class Operation, class T>
__device__ T ScanPiece(const T* from, T* to, Index begin, Index end, Index step, bool exclusive, T sum) {
  for (Index i = begin; i < end; ++i) {
    const T before = sum;
    sum = Operation::Combine(sum, from[i * step]);
    if (to != nullptr) to[i * step] = exclusive ? before : sum;
  }
  return sum;
}

// Each line by one thread (kByBlock: by one block).
template <class Operation, class T, bool kByBlock>
__global__ void ScanKernel(const __grid_constant__ ScanWork<T> work) {
  __shared__ SharedArray<T, kScanThreads> shared;
  const Index step = work.reverse ? -work.inner : work.inner;
  const Index first = work.reverse ? (work.n - 1) * work.inner : 0;
  const Index stride = kByBlock ? gridDim.x : static_cast<Index>(gridDim.x) * blockDim.x;
  Index line = kByBlock ? blockIdx.x : static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; line < work.lines; line += stride) {
    const Index outer = line / work.inner, at = outer * work.n * work.inner + (line - outer * work.inner) + first;
    const T none = Operation::template Identity<T>();
    if constexpr (!kByBlock) {
      (void)ScanPiece<Operation>(work.x + at, work.y + at, 0, work.n, step, work.exclusive, none);
    } else {
      const Index piece = (work.n + blockDim.x - 1) / blockDim.x;
      const Index begin = piece * threadIdx.x < work.n ? piece * threadIdx.x : work.n;
      const Index end = begin + piece < work.n ? begin + piece : work.n;
      T* const sums = shared.data();
      __syncthreads();
      sums[threadIdx.x] = ScanPiece<Operation, T>(work.x + at, nullptr, begin, end, step, false, none);
      __syncthreads();
      if (threadIdx.x == 0) {
        T sum = none;
        for (unsigned i = 0; i < blockDim.x; ++i) {
          const T own = sums[i];
          sums[i] = sum;
          sum = Operation::Combine(sum, own);
        }
      }
      __syncthreads();
      (void)ScanPiece<Operation>(work.x + at, work.y + at, begin, end, step, work.exclusive, sums[threadIdx.x]);
    }
  }
}

template <class Operation, class T>
Status RunCudaScan(Cuda& device, const void* x, void* y, Index outer, Index n, Index inner, bool exclusive,
                   bool reverse) {
  const ScanWork<T> work{static_cast<const T*>(x), static_cast<T*>(y), outer * inner, n, inner, exclusive, reverse};
  constexpr Index kFewLines = 4096, kLongLine = 512;
  if (work.lines < kFewLines && n >= kLongLine) {
    CudaGrid grid = LinearGrid(device, work.lines * 256);
    grid.threads = kScanThreads;
    return LaunchCuda(device, grid, &ScanKernel<Operation, T, true>, work);
  }
  return LaunchCuda(device, RowGrid(device, work.lines, 1).grid, &ScanKernel<Operation, T, false>, work);
}

}  // namespace detail

// A scan of elements of one dtype on a GPU.
struct CudaScanLoop {
  Status (*run)(Cuda& device, const void* x, void* y, Index outer, Index n, Index inner, bool exclusive,
                bool reverse) = nullptr;
};
// Stands for complex numbers too.
template <class Operation, class T>
CudaScanLoop MakeScanLoop(const Cuda*) {
  return {&detail::RunCudaScan<Operation, detail::GpuElement<T>>};
}
inline Status Scan(Cuda& device, const CudaScanLoop& loop, const void* x, void* y, Index outer, Index n, Index inner,
                   bool exclusive, bool reverse) {
  if (outer == 0 || n == 0 || inner == 0) return OkStatus();
  return loop.run(device, x, y, outer, n, inner, exclusive, reverse);
}

TENON_DETAIL_NAMESPACE_END

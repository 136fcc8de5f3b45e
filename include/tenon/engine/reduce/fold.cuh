// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folding the values of neighbouring threads into one, in a fixed order: of a warp and of a block.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/reduce/fold.cuh> only from files that nvcc compiles."
#endif

#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/device/cuda.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr unsigned kWarp = 32;

// Shared memory for objects whose constructors must not run.
template <class A, int N>
struct SharedArray {
  alignas(16) unsigned char bytes[sizeof(A) * N];

  __device__ A* data() { return reinterpret_cast<A*>(bytes); }
};

// Returns the value of the lane whose number differs in the bits of `with`. A is trivially copyable.
template <class A>
__device__ A ExchangeLanes(const A& value, int with) {
  constexpr int kWords = static_cast<int>((sizeof(A) + 3) / 4);
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(A));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(~0u, words[i], with);
  A other;
  memcpy(&other, words, sizeof(A));
  return other;
}

// Returns Step::Combine of the values of all 32 lanes, to each of them. Combine is commutative.
template <class Step, class A>
__device__ A FoldWarp(A value) {
  for (int with = 16; with > 0; with /= 2) value = Step::Combine(value, ExchangeLanes(value, with));
  return value;
}

// Returns the fold of the values of a group of 1, 32 or all threads of the block (whole warps), to each of its
// threads. `shared` has 32 places; `none` changes nothing.
template <class Step, class A>
__device__ A FoldGroup(A value, const A& none, unsigned group, A* shared) {
  if (group == 1) return value;
  value = FoldWarp<Step>(value);
  if (group == kWarp) return value;
  __syncthreads();  // the places may still be read
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = value;
  __syncthreads();
  const unsigned lane = threadIdx.x % kWarp;
  return FoldWarp<Step>(lane < blockDim.x / kWarp ? shared[lane] : none);
}

// How many threads work on one row or output, and the grid for `rows` of them.
struct RowGrid {
  unsigned group = 1;  // 1, 32, or all threads of a block
  CudaGrid grid{1, 32};

  RowGrid(const Cuda& device, Index rows, Index steps) {
    constexpr unsigned kThreads = 256, kBlocksPerMultiprocessor = 8;
    constexpr Index kThreadSteps = 8, kWarpSteps = 1024;
    group = steps <= kThreadSteps ? 1 : steps <= kWarpSteps ? kWarp : kThreads;
    const Index wanted = rows * static_cast<Index>(group);
    grid.threads =
        wanted >= static_cast<Index>(kThreads) ? kThreads : static_cast<unsigned>((wanted + kWarp - 1) / kWarp) * kWarp;
    if (grid.threads < group) grid.threads = group;
    const Index per_block = grid.threads / group, blocks = (rows + per_block - 1) / per_block;
    const Index most =
        static_cast<Index>(kBlocksPerMultiprocessor) * (device.multiprocessors > 0 ? device.multiprocessors : 1);
    grid.blocks = static_cast<unsigned>(blocks < most ? blocks : most);
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

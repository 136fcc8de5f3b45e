// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over several tensors on a GPU: up to eight are added in one pass, in their order.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/elementwise/add_n.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/elementwise/elementwise.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr int kAddends = 8;

template <class T>
struct SumOfTensors {
  static constexpr int kPack = kPackSize<T, T>;
  const T* addends[kAddends];
  T* out;
  int count;
  Index n, packs;  // the first packs * kPack elements are read in packs

  __device__ static T Add(const T& a, const T& b) { return static_cast<T>(a + b); }
};

template <class T>
__global__ void SumOfTensorsKernel(const __grid_constant__ SumOfTensors<T> work) {
  using Work = SumOfTensors<T>;
  using P = Pack<T, Work::kPack>;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (Index p = first; p < work.packs; p += step) {
    P sum = reinterpret_cast<const P*>(work.addends[0])[p];
    for (int k = 1; k < work.count; ++k) {
      const P more = reinterpret_cast<const P*>(work.addends[k])[p];
#pragma unroll
      for (int i = 0; i < Work::kPack; ++i) sum.values[i] = Work::Add(sum.values[i], more.values[i]);
    }
    reinterpret_cast<P*>(work.out)[p] = sum;
  }
  for (Index i = work.packs * Work::kPack + first; i < work.n; i += step) {
    T sum = work.addends[0][i];
    for (int k = 1; k < work.count; ++k) sum = Work::Add(sum, work.addends[k][i]);
    work.out[i] = sum;
  }
}

// inputs[0] may be `out`; of those behind, only inputs[1].
template <class T>
Status RunSumOfTensors(Cuda& device, Span<const void* const> inputs, void* out, Index n) {
  using Work = SumOfTensors<T>;
  if (n == 0) return OkStatus();
  Work work{};
  work.out = static_cast<T*>(out);
  work.n = n;
  bool packed = Work::kPack > 1 && IsPackAligned<Work::kPack>(work.out);
  for (std::size_t k = 0; k < inputs.size();) {
    work.count = 0;
    if (k > 0) work.addends[work.count++] = work.out;
    for (; k < inputs.size() && work.count < kAddends; ++k) {
      const T* const addend = static_cast<const T*>(inputs[k]);
      packed = packed && IsPackAligned<Work::kPack>(addend);
      work.addends[work.count++] = addend;
    }
    work.packs = packed ? n / Work::kPack : 0;
    TENON_RETURN_IF_ERROR(
        LaunchCuda(device, LinearGrid(device, packed ? work.packs : n), &SumOfTensorsKernel<T>, work));
  }
  return OkStatus();
}

}  // namespace detail

// The sum of tensors of one dtype on a GPU; null: elements of this type are not added.
struct CudaAdder {
  Status (*run)(Cuda& device, Span<const void* const> inputs, void* out, Index n) = nullptr;

  bool has_loops() const { return run != nullptr; }
};
template <std::same_as<Cuda> Device>
CudaAdder FindAdder(const Device&, DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
    case DataType::kUint8: return {&detail::RunSumOfTensors<std::uint8_t>};
    case DataType::kInt16:
    case DataType::kUint16: return {&detail::RunSumOfTensors<std::uint16_t>};
    case DataType::kInt32:
    case DataType::kUint32: return {&detail::RunSumOfTensors<std::uint32_t>};
    case DataType::kInt64:
    case DataType::kUint64: return {&detail::RunSumOfTensors<std::uint64_t>};
    case DataType::kHalf: return {&detail::RunSumOfTensors<half>};
    case DataType::kBfloat16: return {&detail::RunSumOfTensors<bfloat16>};
    case DataType::kFloat: return {&detail::RunSumOfTensors<float>};
    case DataType::kDouble: return {&detail::RunSumOfTensors<double>};
    case DataType::kComplex64: return {&detail::RunSumOfTensors<detail::PlainComplex<float>>};
    case DataType::kComplex128: return {&detail::RunSumOfTensors<detail::PlainComplex<double>>};
    default: return {};
  }
}

// out[i] = inputs[0][i] + inputs[1][i] + ..., each n elements, added from the first to the last. `out` may be inputs[0]
// or inputs[1]. Returns when it is queued.
inline Status Accumulate(Cuda& device, const CudaAdder& add, Span<const void* const> inputs, void* out, Index n) {
  return add.run(device, inputs, out, n);
}

TENON_DETAIL_NAMESPACE_END

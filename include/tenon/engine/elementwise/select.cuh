// SPDX-License-Identifier: Apache-2.0
#pragma once
// Choosing between two tensors element by element on a GPU, with all three operands broadcast against each other. One
// kernel for each size of an element.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/elementwise/select.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/elementwise/select.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr int kMaxCudaSelectRank = 8;

template <class T>
struct CudaSelect {
  static constexpr int kPack = kPackSize<T, T>;
  const bool* condition;
  const T* yes;
  const T* no;
  T* out;
  Index n;
  int rank;      // 0: all operands lie as the output
  bool packed;   // rank 0 only
  Index size[kMaxCudaSelectRank];
  SelectSteps step[kMaxCudaSelectRank];

  __device__ T At(Index i) const {
    Index c = 0, y = 0, z = 0, rest = i;
    for (int d = 0; d < rank; ++d) {
      const Index outer = d + 1 < rank ? rest / size[d] : 0, at = rest - outer * size[d];
      c += at * step[d].condition;
      y += at * step[d].yes;
      z += at * step[d].no;
      rest = outer;
    }
    return condition[c] ? yes[y] : no[z];
  }
};

template <class T>
__global__ void SelectKernel(const __grid_constant__ CudaSelect<T> work) {
  using Work = CudaSelect<T>;
  using P = Pack<T, Work::kPack>;
  using Conditions = Pack<bool, Work::kPack>;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (work.packed) {
    const Index packs = work.n / Work::kPack;
    for (Index p = i; p < packs; p += step) {
      const Conditions conditions = reinterpret_cast<const Conditions*>(work.condition)[p];
      const P yes = reinterpret_cast<const P*>(work.yes)[p], no = reinterpret_cast<const P*>(work.no)[p];
      P out;
#pragma unroll
      for (int k = 0; k < Work::kPack; ++k) out.values[k] = conditions.values[k] ? yes.values[k] : no.values[k];
      reinterpret_cast<P*>(work.out)[p] = out;
    }
    i += packs * Work::kPack;
  }
  for (; i < work.n; i += step) {
    if (work.rank == 0)
      work.out[i] = work.condition[i] ? work.yes[i] : work.no[i];
    else
      work.out[i] = work.At(i);
  }
}

template <class T>
Status RunCudaSelect(Cuda& device, const SelectPlan& plan, const bool* condition, const void* yes, const void* no,
                     void* out, Index n) {
  using Work = CudaSelect<T>;
  Work work{
      condition, static_cast<const T*>(yes), static_cast<const T*>(no), static_cast<T*>(out), n, plan.rank, false, {},
      {}};
  for (int d = 0; d < plan.rank; ++d) {
    work.size[d] = plan.size[d];
    work.step[d] = plan.step[d];
  }
  if (plan.rank == 1 && plan.step[0].condition == 1 && plan.step[0].yes == 1 && plan.step[0].no == 1) {
    work.rank = 0;
    work.packed = Work::kPack > 1 && IsPackAligned<Work::kPack>(work.yes) && IsPackAligned<Work::kPack>(work.no) &&
                  IsPackAligned<Work::kPack>(work.out) && IsPackAligned<Work::kPack>(condition);
  }
  return LaunchCuda(device, LinearGrid(device, work.packed ? n / Work::kPack : n), &SelectKernel<T>, work);
}

}  // namespace detail

// Select of engine/elementwise/select.hpp on a GPU, for plain elements. Unimplemented: more than 8 dimensions after
// joining neighbours. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status Select(Device& device, DataType dtype, const bool* condition, const TensorShape& condition_shape,
              const void* yes, const TensorShape& yes_shape, const void* no, const TensorShape& no_shape, void* out,
              const TensorShape& out_shape) {
  const Index n = out_shape.num_elements();
  if (n == 0) return OkStatus();
  const detail::SelectPlan plan(condition_shape, yes_shape, no_shape, out_shape);
  if (plan.rank > detail::kMaxCudaSelectRank)
    return errors::Unimplemented("Select: shapes ", condition_shape, ", ", yes_shape, " and ", no_shape,
                                 " are not supported on a GPU: at most ", detail::kMaxCudaSelectRank,
                                 " dimensions may remain when neighbours are joined, got ", plan.rank);
  switch (SizeOf(dtype)) {
    case 1: return detail::RunCudaSelect<std::uint8_t>(device, plan, condition, yes, no, out, n);
    case 2: return detail::RunCudaSelect<std::uint16_t>(device, plan, condition, yes, no, out, n);
    case 4: return detail::RunCudaSelect<std::uint32_t>(device, plan, condition, yes, no, out, n);
    case 8: return detail::RunCudaSelect<std::uint64_t>(device, plan, condition, yes, no, out, n);
    default: return detail::RunCudaSelect<detail::SixteenBytes>(device, plan, condition, yes, no, out, n);
  }
}

TENON_DETAIL_NAMESPACE_END

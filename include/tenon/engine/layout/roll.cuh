// SPDX-License-Identifier: Apache-2.0
#pragma once
// Roll on a GPU: each unit of the output is written once.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/layout/roll.cuh> only from files that nvcc compiles."
#endif

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/layout/roll.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A RollPlan as the GPU reads it, in units.
struct CudaRoll {
  static constexpr int kMaxRank = 20;
  int rank = 0;
  FastDivisor size[kMaxRank];
  std::uint32_t shift[kMaxRank] = {};
};

template <class Unit>
__global__ void RollKernel(const __grid_constant__ CudaRoll roll, const Unit* in, Unit* out, std::uint32_t units) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  for (std::uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += step) {
    std::uint32_t rest = u, from = 0, inner = 1;
    for (int d = roll.rank - 1; d >= 0; --d) {
      const std::uint32_t outer = d > 0 ? roll.size[d].Divide(rest) : 0, size = roll.size[d].divisor;
      const std::uint32_t at = rest - outer * size, shift = roll.shift[d];
      from += (at >= shift ? at - shift : at - shift + size) * inner;
      inner *= size;
      rest = outer;
    }
    out[u] = in[from];
  }
}

}  // namespace detail

// As for Cpu, for elements that are plain data. Returns when it is queued. Unimplemented: 2^31 elements or more, or
// more than 20 dimensions that are turned.
inline Status Roll(Cuda& device, const ElementMover& mover, const RollPlan& plan, const void* in, void* out) {
  if (plan.elements == 0) return OkStatus();
  if (plan.elements > detail::kMostCudaUnits || plan.dims.size() > static_cast<std::size_t>(detail::CudaRoll::kMaxRank))
    return errors::Unimplemented("Roll: on a GPU a tensor has at most ", detail::kMostCudaUnits, " elements and ",
                                 detail::CudaRoll::kMaxRank, " dimensions that are turned, got ", plan.elements,
                                 " and ", plan.dims.size());
  const RollPlan::Dim& last = plan.dims.back();
  const Index unit = detail::UnitBytes(detail::AddressBits(in) | detail::AddressBits(out) |
                                       static_cast<std::uint64_t>(last.size * mover.bytes) |
                                       static_cast<std::uint64_t>(last.shift * mover.bytes));
  detail::CudaRoll roll;
  for (const RollPlan::Dim& dim : plan.dims) {
    const bool is_last = &dim == &last;
    roll.size[roll.rank] =
        detail::FastDivisor(static_cast<std::uint32_t>(is_last ? dim.size * mover.bytes / unit : dim.size));
    roll.shift[roll.rank++] = static_cast<std::uint32_t>(is_last ? dim.shift * mover.bytes / unit : dim.shift);
  }
  const Index units = plan.elements * mover.bytes / unit;
  return detail::WithUnit(unit, [&]<class Unit>(Unit) {
    return LaunchCuda(device, LinearGrid(device, units), &detail::RollKernel<Unit>, roll, static_cast<const Unit*>(in),
                      static_cast<Unit*>(out), static_cast<std::uint32_t>(units));
  });
}

TENON_DETAIL_NAMESPACE_END

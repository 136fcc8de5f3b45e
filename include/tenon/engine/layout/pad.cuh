// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pad on a GPU: every unit of the output is written once, from the tensor or from the frame's value.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/layout/pad.cuh> only from files that nvcc compiles."
#endif

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/layout/pad.hpp>
#include <tenon/engine/layout/transpose.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A PadPlan as the GPU reads it, in units.
struct CudaPad {
  static constexpr int kMaxRank = 8;
  int rank = 0;
  FastDivisor whole[kMaxRank];
  std::uint32_t before[kMaxRank] = {}, size[kMaxRank] = {};
  Index step[kMaxRank] = {};  // in the tensor
};

template <class Unit>
__global__ void PadKernel(const __grid_constant__ CudaPad pad, const void* value, Index value_bytes, const Unit* in,
                          Unit* out, std::uint32_t units) {
  const CudaUnit16 pattern = value != nullptr ? RepeatElement(value, value_bytes) : CudaUnit16{0, 0};
  const Unit frame = *reinterpret_cast<const Unit*>(&pattern);
  const std::uint32_t step = gridDim.x * blockDim.x;
  for (std::uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += step) {
    std::uint32_t rest = u;
    Index from = 0;
    bool inside = true;
    for (int d = pad.rank - 1; d >= 0; --d) {
      const std::uint32_t outer = d > 0 ? pad.whole[d].Divide(rest) : 0;
      const std::uint32_t at = rest - outer * pad.whole[d].divisor - pad.before[d];  // wraps around before the tensor
      inside = inside && at < pad.size[d];
      from += at * pad.step[d];
      rest = outer;
    }
    out[u] = inside ? in[from] : frame;
  }
}

template <class Unit>
Status LaunchPad(Cuda& device, const PadPlan& plan, Index joined, const void* value, Index value_bytes, const Unit* in,
                 Unit* out) {
  CudaPad pad;
  Index step = 1, units = 1;
  const int rank = static_cast<int>(plan.dims.size());
  for (int d = rank - 1; d >= 0; --d) {
    const PadPlan::Dim& dim = plan.dims[static_cast<std::size_t>(d)];
    const Index each = d == rank - 1 ? joined : 1;
    pad.whole[d] = FastDivisor(static_cast<std::uint32_t>(dim.whole() / each));
    pad.before[d] = static_cast<std::uint32_t>(dim.before / each);
    pad.size[d] = static_cast<std::uint32_t>(dim.size / each);
    pad.step[d] = step;
    step *= dim.size / each;
    units *= dim.whole() / each;
  }
  pad.rank = rank;
  return LaunchCuda(device, LinearGrid(device, units), &PadKernel<Unit>, pad, value, value_bytes, in, out,
                    static_cast<std::uint32_t>(units));
}

}  // namespace detail

// As for Cpu, for elements that are plain data. Returns when it is queued.
inline Status Pad(Cuda& device, const ElementMover& mover, const PadPlan& plan, const void* value, const void* in,
                  void* out) {
  const Index n = plan.elements();
  if (n == 0) return OkStatus();
  const PadPlan::Dim& last = plan.dims.back();
  const Index unit = detail::UnitBytes(
      detail::AddressBits(in) | detail::AddressBits(out) | static_cast<std::uint64_t>(last.before * mover.bytes) |
      static_cast<std::uint64_t>(last.size * mover.bytes) | static_cast<std::uint64_t>(last.after * mover.bytes));
  if (plan.dims.size() > static_cast<std::size_t>(detail::CudaPad::kMaxRank) || n > detail::kMostCudaUnits ||
      unit < mover.bytes) {
    TENON_RETURN_IF_ERROR(value != nullptr ? Fill(device, mover, value, out, n) : Zero(device, mover, out, n));
    return CopyNd(device, mover, plan.Middle(), in, out);
  }
  return detail::WithUnit(unit, [&]<class Unit>(Unit) {
    return detail::LaunchPad(device, plan, unit / mover.bytes, value, mover.bytes, static_cast<const Unit*>(in),
                             static_cast<Unit*>(out));
  });
}

TENON_DETAIL_NAMESPACE_END

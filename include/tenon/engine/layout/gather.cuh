// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gather on a GPU, by indices that are in host memory, where they are checked. OneHot: every element of the output is
// written once.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/layout/gather.cuh> only from files that nvcc compiles."
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/layout/gather.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Few indices travel with the launch, more by a copy to the GPU's memory.
struct CudaFewIndices {
  static constexpr Index kMost = 896;
  std::int32_t at[kMost];
  __device__ Index At(Index i) const { return at[i]; }
};
struct CudaIndices {
  const void* at;
  int bytes;  // size of one
  __device__ Index At(Index i) const {
    if (bytes == 8) return static_cast<const std::int64_t*>(at)[i];
    if (bytes == 4) return static_cast<const std::int32_t*>(at)[i];
    return static_cast<const std::int16_t*>(at)[i];
  }
};

// Calls use(CudaIndices) -> Status with n indices, copied from host memory to the GPU's for the work that it queues.
template <class Int, class Use>
Status WithUploaded(Cuda& device, const Int* indices, Index n, const Use& use) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(Int);
  const Scratch there(*device.allocator, bytes);
  TENON_RETURN_IF_ERROR(there.status("Indices"));
  {
    // From memory that is not pinned: the call returns when the indices have been read.
    const CudaDeviceScope scope(device.ordinal);
    TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), device.ordinal, "cannot use the GPU"));
    TENON_RETURN_IF_ERROR(
        CudaStatus(cudaMemcpyAsync(there.As<void>(), indices, bytes, cudaMemcpyHostToDevice, device.stream),
                   device.ordinal, "cannot start a copy"));
  }
  return use(CudaIndices{there.As<void>(), static_cast<int>(sizeof(Int))});
}
// Calls use(at) -> Status, where at.At(i) is index i for a kernel: CudaFewIndices or CudaIndices. The indices are below
// 2^31.
template <class Use>
Status WithIndices(Cuda& device, Span<const Index> indices, const Use& use) {
  const auto n = static_cast<Index>(indices.size());
  if (n > CudaFewIndices::kMost) return WithUploaded(device, indices.data(), n, use);
  CudaFewIndices few;
  for (Index i = 0; i < n; ++i) few.at[i] = static_cast<std::int32_t>(indices[static_cast<std::size_t>(i)]);
  return use(few);
}

// A GatherPlan as the GPU reads it; `run` counts units.
template <class Divisor>
struct CudaGather {
  Divisor run, count, outer;
  Index limit;
};
// Number: std::uint32_t where all units of the output can be numbered so.
template <class Unit, class Indices, class Number, class Divisor>
__global__ void GatherKernel(const __grid_constant__ Indices indices, const __grid_constant__ CudaGather<Divisor> plan,
                             const Unit* in, Unit* out, Number units) {
  const Number step = static_cast<Number>(gridDim.x) * blockDim.x;
  for (Number u = static_cast<Number>(blockIdx.x) * blockDim.x + threadIdx.x; u < units; u += step) {
    const Number row = plan.run.Divide(u), block = plan.count.Divide(row), batch = plan.outer.Divide(block);
    const Index index = indices.At(static_cast<Index>(batch * plan.count.divisor + (row - block * plan.count.divisor)));
    const Index from = (static_cast<Index>(block) * plan.limit + index) * static_cast<Index>(plan.run.divisor) +
                       static_cast<Index>(u - row * plan.run.divisor);
    out[u] = index >= 0 ? in[from] : Unit{};
  }
}

template <class Number, class Divisor, class Unit, class Indices>
Status LaunchGather(Cuda& device, const GatherPlan& plan, Index run, const Indices& indices, const Unit* in,
                    Unit* out) {
  const Index units = plan.batch * plan.outer * plan.count * run;
  const auto divisor = [](Index n) {
    Divisor made;
    if constexpr (sizeof(Number) == 4)
      made = Divisor(static_cast<Number>(n));
    else
      made.divisor = static_cast<Number>(n);
    return made;
  };
  return LaunchCuda(device, LinearGrid(device, units), &GatherKernel<Unit, Indices, Number, Divisor>, indices,
                    CudaGather<Divisor>{divisor(run), divisor(plan.count), divisor(plan.outer), plan.limit}, in, out,
                    static_cast<Number>(units));
}

// `indices`: batch * count of them in host memory, each in [-1, limit); -1 gives zeros.
template <class Int>
Status GatherChecked(Cuda& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                     const Int* indices, void* out) {
  const Index n = plan.batch * plan.count, bytes = plan.run * mover.bytes;
  if (n == 0 || plan.outer == 0 || bytes == 0) return OkStatus();
  const Index unit = UnitBytes(AddressBits(in) | AddressBits(out) | static_cast<std::uint64_t>(bytes));
  const Index run = bytes / unit;
  const bool fits = n * plan.outer <= kMostCudaUnits / run;
  if (n <= CudaFewIndices::kMost && fits && plan.limit <= kMostCudaUnits) {
    CudaFewIndices few;
    for (Index i = 0; i < n; ++i) few.at[i] = static_cast<std::int32_t>(indices[i]);
    return WithUnit(unit, [&]<class Unit>(Unit) {
      return LaunchGather<std::uint32_t, FastDivisor>(device, plan, run, few, static_cast<const Unit*>(in),
                                                      static_cast<Unit*>(out));
    });
  }
  return WithUploaded(device, indices, n, [&](const CudaIndices& far) {
    return WithUnit(unit, [&]<class Unit>(Unit) {
      const Unit* const from = static_cast<const Unit*>(in);
      Unit* const to = static_cast<Unit*>(out);
      return fits ? LaunchGather<std::uint32_t, FastDivisor>(device, plan, run, far, from, to)
                  : LaunchGather<std::uint64_t, WideDivisor>(device, plan, run, far, from, to);
    });
  });
}

// `out` is [outer, depth, inner]. Number: std::uint32_t where its elements can be numbered so.
template <class Unit, class Int, class Number, class Divisor>
__global__ void OneHotKernel(const Int* indices, Divisor inner, Divisor depth, const Unit* on, const Unit* off,
                             Unit* out, Number elements) {
  const Unit hot = *on, cold = *off;
  const Number step = static_cast<Number>(gridDim.x) * blockDim.x;
  for (Number u = static_cast<Number>(blockIdx.x) * blockDim.x + threadIdx.x; u < elements; u += step) {
    const Number row = inner.Divide(u), outer = depth.Divide(row);
    const Int index = indices[outer * inner.divisor + (u - row * inner.divisor)];
    out[u] = static_cast<Index>(index) == static_cast<Index>(row - outer * depth.divisor) ? hot : cold;
  }
}

template <class Unit, class Int>
Status LaunchOneHot(Cuda& device, const Tensor& indices, Index inner, Index depth, const void* on, const void* off,
                    void* out) {
  const Index elements = indices.NumElements() * depth;
  if (elements <= kMostCudaUnits)
    return LaunchCuda(device, LinearGrid(device, elements), &OneHotKernel<Unit, Int, std::uint32_t, FastDivisor>,
                      indices.data<Int>(), FastDivisor(static_cast<std::uint32_t>(inner)),
                      FastDivisor(static_cast<std::uint32_t>(depth)), static_cast<const Unit*>(on),
                      static_cast<const Unit*>(off), static_cast<Unit*>(out), static_cast<std::uint32_t>(elements));
  return LaunchCuda(device, LinearGrid(device, elements), &OneHotKernel<Unit, Int, std::uint64_t, WideDivisor>,
                    indices.data<Int>(), WideDivisor{static_cast<std::uint64_t>(inner)},
                    WideDivisor{static_cast<std::uint64_t>(depth)}, static_cast<const Unit*>(on),
                    static_cast<const Unit*>(off), static_cast<Unit*>(out), static_cast<std::uint64_t>(elements));
}

}  // namespace detail

// As for Cpu, for elements that are plain data; the indices are in host memory. Returns when it is queued.
inline Status Gather(Cuda& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                     const Tensor& indices, void* out, Index* bad) {
  const auto run = [&]<class Int>(Int) -> Status {
    const Int* const at = indices.data<Int>();
    *bad = detail::FirstOutside(at, plan.batch * plan.count, plan.limit);
    return *bad >= 0 ? OkStatus() : detail::GatherChecked(device, mover, plan, in, at, out);
  };
  if (indices.dtype() == DataType::kInt16) return run(std::int16_t{});
  if (indices.dtype() == DataType::kInt32) return run(std::int32_t{});
  return run(std::int64_t{});
}
// As for Cpu; so are the places.
inline Status GatherPlaces(Cuda& device, const ElementMover& mover, Span<const Index> places, Index run, const void* in,
                           void* out) {
  GatherPlan plan;
  plan.count = static_cast<Index>(places.size());
  plan.run = run;
  for (const Index place : places)
    if (place >= plan.limit) plan.limit = place + 1;
  return detail::GatherChecked(device, mover, plan, in, places.data(), out);
}

// As for Cpu, for elements that are plain data. Returns when it is queued.
inline Status OneHot(Cuda& device, const ElementMover& mover, const Tensor& indices, Index inner, Index depth,
                     const void* on, const void* off, void* out) {
  if (indices.NumElements() == 0 || depth == 0) return OkStatus();
  return detail::WithUnit(mover.bytes, [&]<class Unit>(Unit) -> Status {
    switch (indices.dtype()) {
      case DataType::kUint8:
        return detail::LaunchOneHot<Unit, std::uint8_t>(device, indices, inner, depth, on, off, out);
      case DataType::kInt8: return detail::LaunchOneHot<Unit, std::int8_t>(device, indices, inner, depth, on, off, out);
      case DataType::kInt32:
        return detail::LaunchOneHot<Unit, std::int32_t>(device, indices, inner, depth, on, off, out);
      default: return detail::LaunchOneHot<Unit, std::int64_t>(device, indices, inner, depth, on, off, out);
    }
  });
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// All and Any: reductions of bools.

#include <cstdint>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/math/reduction.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline void FinishBools(const void* acc, Index, void* out, Index n) {
  for (Index j = 0; j < n; ++j) static_cast<bool*>(out)[j] = static_cast<const std::uint8_t*>(acc)[j] != 0;
}
// Bools as bytes: all are the least of them, any the greatest.
template <class Reducer>
constexpr ReduceLoops BoolLoops() {
  ReduceLoops loops = kReduceLoops<Reducer, std::uint8_t>;
  loops.finish = &FinishBools;
  return loops;
}
template <class Reducer>
inline constexpr ReduceLoops kBoolLoops = BoolLoops<Reducer>();

// The reduction in the form that a GPU runs.
template <class Reducer>
struct BoolReducer : Reducer {
  template <class T, class A>
  TENON_HD static T Finish(const A& sum) {
    return sum != A(0) ? T(1) : T(0);
  }
};

template <class Reducer>
const ReduceLoops& BoolLoopsFor(const Cpu&) {
  return kBoolLoops<Reducer>;
}
template <class Reducer, class Device>
auto BoolLoopsFor(const Device& device) {
  return ReduceLoopsFor<BoolReducer<Reducer>, std::uint8_t>(device);
}

template <class Reducer, class Device>
struct BoolReduction : ReductionAttrs {
  Status operator()(Context<Device>& context, const Tensor& input, HostIndices reduction_indices,
                    Tensor& output) const {
    return RunReduction(context.op(), context.device(), BoolLoopsFor<Reducer>(context.device()), this->keep_dims, input,
                        reduction_indices, &output);
  }
};

}  // namespace detail

// True without elements.
struct ReduceAll {
  static constexpr auto signature = Op("All")
                                        .Input("input: bool")
                                        .Input("reduction_indices: Tidx")
                                        .Output("output: bool")
                                        .Attr("keep_dims: bool = false")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::BoolReduction<MinReducer, Device>;
};

// False without elements.
struct ReduceAny {
  static constexpr auto signature = Op("Any")
                                        .Input("input: bool")
                                        .Input("reduction_indices: Tidx")
                                        .Output("output: bool")
                                        .Attr("keep_dims: bool = false")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::BoolReduction<MaxReducer, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// BroadcastGradientArgs: over which dimensions the gradients of a broadcast operation have to be summed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/array/unique.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status BroadcastGradientArgsShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  c->set_output(0, c->Vector(c->UnknownDim()));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

inline std::string ListOf(const HostIndices& sizes) {
  std::string text;
  for (Index i = 0; i < sizes.size(); ++i) StrAppend(&text, i == 0 ? "" : ",", sizes[i]);
  return StrCat("[", text, "]");
}

}  // namespace detail

// s0, s1: two shapes  ->  r0, r1: the dimensions of the common shape in which each of them was repeated, or has only
// one element like the other. Nothing for equal shapes.
struct BroadcastGradientArgs {
  static constexpr auto signature = Op("BroadcastGradientArgs")
                                        .Input("s0: T")
                                        .Input("s1: T")
                                        .Output("r0: T")
                                        .Output("r1: T")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::BroadcastGradientArgsShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices s0, HostIndices s1, Tensor&, Tensor&) const {
      return Run(context.op(), s0, s1);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const HostIndices& s0, const HostIndices& s1) {
    const HostIndices* const shapes[2] = {&s0, &s1};
    for (int k = 0; k < 2; ++k)
      if (shapes[k]->shape().dims() != 1)
        return errors::InvalidArgument("BroadcastGradientArgs: In[", k, "] must be a vector, got shape ",
                                       shapes[k]->shape());
    const Index rank = std::max(s0.size(), s1.size());
    SlimVector<Index> reduced[2];
    bool equal = s0.size() == s1.size();
    for (Index d = 0; d < rank; ++d) {
      const Index in_0 = d - (rank - s0.size()), in_1 = d - (rank - s1.size());
      const Index a = in_0 < 0 ? 1 : s0[in_0], b = in_1 < 0 ? 1 : s1[in_1];
      equal = equal && a == b;
      if (a != b && a != 1 && b != 1)
        return errors::InvalidArgument("BroadcastGradientArgs: Incompatible shapes: ", detail::ListOf(s0), " vs. ",
                                       detail::ListOf(s1));
      if (a == 1) reduced[0].push_back(d);
      if (b == 1) reduced[1].push_back(d);
    }
    for (int k = 0; k < 2; ++k) {
      if (equal) reduced[k].clear();
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(k, TensorShape({static_cast<Index>(reduced[k].size())}), &out));
      for (std::size_t i = 0; i < reduced[k].size(); ++i) detail::StoreIndex(out, static_cast<Index>(i), reduced[k][i]);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// _FusedAttention: what the optimizer makes of two products with a softmax between them.

#include <cstdint>
#include <span>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/attention_tiles.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/nn/fused_elementwise.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Dimensions of an input as [batch..., rows, columns].
constexpr Status AttentionDims(InferenceContext* c, int input, std::string_view attr,
                               SlimVector<DimensionHandle>* dims) {
  Span<const std::int64_t> axes;
  TENON_RETURN_IF_ERROR(c->GetAttr(attr, &axes));
  const ShapeHandle shape = c->input(input);
  const int rank = c->Rank(shape);
  if (!axes.empty() && axes.size() != ToSize(rank))
    return errors::InvalidArgument(attr, " must have ", rank, " elements, got ", axes.size());
  for (int i = 0; i < rank; ++i) {
    const std::int64_t axis = axes.empty() ? i : axes[ToSize(i)];
    if (axis < 0 || axis >= rank) return errors::InvalidArgument(attr, ": no axis ", axis, " in a rank of ", rank);
    dims->push_back(c->Dim(shape, static_cast<int>(axis)));
  }
  return OkStatus();
}
constexpr ShapeHandle AttentionShapeOf(InferenceContext* c, const SlimVector<DimensionHandle>& batch,
                                       DimensionHandle row, DimensionHandle column) {
  SlimVector<DimensionHandle> dims;
  for (std::size_t i = 0; i + 2 < batch.size(); ++i) dims.push_back(batch[i]);
  dims.push_back(row);
  dims.push_back(column);
  return c->MakeShape(Span<const DimensionHandle>(dims.data(), dims.size()));
}
constexpr Status FusedAttentionShape(InferenceContext* c) {
  bool known = true;
  for (int i = 0; i < c->num_inputs(); ++i) known = known && c->RankKnown(c->input(i));
  if (!known) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  SlimVector<DimensionHandle> q, k, v;
  TENON_RETURN_IF_ERROR(AttentionDims(c, 0, "q_axes", &q));
  TENON_RETURN_IF_ERROR(AttentionDims(c, 1, "k_axes", &k));
  TENON_RETURN_IF_ERROR(AttentionDims(c, 2, "v_axes", &v));
  const std::size_t rank = q.size();
  if (rank < 3 || k.size() != rank || v.size() != rank)
    return errors::InvalidArgument("q, k and v must have one rank of at least 3");
  const DimensionHandle one = c->MakeDim(1);
  ShapeHandle all;
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
      c, AttentionShapeOf(c, q, q[rank - 2], one), AttentionShapeOf(c, k, one, k[rank - 2]), true, &all));
  for (int i = 3; i < c->num_inputs(); ++i)
    TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, all, c->input(i), true, &all));
  if (c->Rank(all) != static_cast<int>(rank))
    return errors::InvalidArgument("operands must not add axes to the scores");
  TENON_RETURN_IF_ERROR(
      shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, all, AttentionShapeOf(c, v, one, one), true, &all));
  Span<const std::int64_t> axes;
  TENON_RETURN_IF_ERROR(c->GetAttr("y_axes", &axes));
  if (!axes.empty() && axes.size() != rank) return errors::InvalidArgument("y_axes must have ", rank, " elements");
  SlimVector<DimensionHandle> y(rank);
  SlimVector<char> seen(rank, char{0});
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes[i];
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(axis)] != 0)
      return errors::InvalidArgument("y_axes must be a permutation");
    seen[static_cast<std::size_t>(axis)] = 1;
    y[static_cast<std::size_t>(axis)] = i + 1 == rank ? v[rank - 1] : c->Dim(all, static_cast<int>(i));
  }
  c->set_output(0, c->MakeShape(Span<const DimensionHandle>(y.data(), y.size())));
  return OkStatus();
}

}  // namespace detail

// y = softmax(mask(steps(q k^T))) v. `q_axes` and the like: axes of the tensors that are [batch..., rows, columns];
// empty: all in order. `steps`: as of _FusedElementwise; value 0 is the scores. `masked`: the score where `mask` is
// false.
struct FusedAttention {
  static constexpr auto signature = Op("_FusedAttention")
                                        .Input("q: T")
                                        .Input("k: T")
                                        .Input("v: T")
                                        .Input("mask: M * bool")
                                        .Input("others: N * T")
                                        .Output("y: T")
                                        .Attr("T: {float, double}")
                                        .Attr("M: int >= 0")
                                        .Attr("N: int >= 0")
                                        .Attr("q_axes: list(int) = []")
                                        .Attr("k_axes: list(int) = []")
                                        .Attr("v_axes: list(int) = []")
                                        .Attr("y_axes: list(int) = []")
                                        .Attr("steps: list(string) = []")
                                        .Attr("operands: list(int) = []")
                                        .Attr("alphas: list(float) = []")
                                        .Attr("masked: float = 0")
                                        .Attr("broadcast: bool = true")
                                        .SetShapeFn(detail::FusedAttentionShape);
  struct Attrs {
    std::span<const std::int64_t> q_axes, k_axes, v_axes, y_axes;
    std::span<const std::string> steps;
    std::span<const std::int64_t> operands;
    std::span<const float> alphas;
    float masked;
    bool broadcast;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status Init(OpKernelConstruction& c) {
      std::int64_t masks = 0, others = 0;
      TENON_RETURN_IF_ERROR(c.GetAttr("M", &masks));
      TENON_RETURN_IF_ERROR(c.GetAttr("N", &others));
      if (masks > 1) return errors::InvalidArgument("_FusedAttention: there may be one mask, got ", masks);
      if (this->steps.empty()) return OkStatus();
      return list.template Read<Device, T>("_FusedAttention", {this->steps, this->operands, this->alphas},
                                           1 + static_cast<int>(others));
    }
    Status operator()(Device& device, In<T> q, In<T> k, In<T> v, InList<bool> mask, InList<T> others, Out<T> y) const {
      AttentionOperands o;
      o.rank = q.shape().dims();
      if (o.rank < 3) return errors::InvalidArgument("_FusedAttention: q must have a rank of at least 3");
      const auto axes = [](std::span<const std::int64_t> given) {
        return Span<const std::int64_t>(given.data(), given.size());
      };
      TENON_RETURN_IF_ERROR(o.q.Make(q.data, q.shape(), axes(this->q_axes), o.rank));
      TENON_RETURN_IF_ERROR(o.k.Make(k.data, k.shape(), axes(this->k_axes), o.rank));
      TENON_RETURN_IF_ERROR(o.v.Make(v.data, v.shape(), axes(this->v_axes), o.rank));
      TENON_RETURN_IF_ERROR(o.y.Make(y.data, y.shape(), axes(this->y_axes), o.rank));
      o.has_mask = mask.size() == 1;
      if (o.has_mask) TENON_RETURN_IF_ERROR(o.mask.Make(mask[0].data, mask[0].shape(), {}, o.rank));
      o.others.resize(ToSize(others.size()));
      for (int i = 0; i < others.size(); ++i)
        TENON_RETURN_IF_ERROR(o.others[ToSize(i)].Make(others[i].data, others[i].shape(), {}, o.rank));
      o.steps = list.steps();
      o.masked = static_cast<double>(this->masked);
      o.broadcast = this->broadcast;
      TENON_RETURN_IF_ERROR(o.Arrange());
      if constexpr (Device::type == "CPU")
        return RunAttention<T>(device, o);
      else
        return RunAttention<T, detail::UnarySteps, detail::BinarySteps>(device, o);
    }

    detail::StepList list;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

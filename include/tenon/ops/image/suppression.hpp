// SPDX-License-Identifier: Apache-2.0
#pragma once
// NonMaxSuppression and its versions V2 to V5: which of overlapping boxes to keep.

#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/non_max_suppression.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// boxes [n, 4], scores [n], `scalars` scalars behind them. Where `padded`, outputs that hold a box each have as many
// elements as the first scalar says; `outputs` of them, and perhaps a count.
inline Status SuppressionShape(InferenceContext* c, int scalars, int outputs, bool has_count) {
  ShapeHandle boxes, scores, unused;
  DimensionHandle merged, size = c->UnknownDim();
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &boxes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &scores));
  for (int i = 0; i < scalars; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(2 + i), 0, &unused));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 0), c->Dim(scores, 0), &merged));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 1), 4, &merged));
  bool padded = false;
  if (has_count) TENON_RETURN_IF_ERROR(c->GetAttr("pad_to_max_output_size", &padded));
  if (padded) TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &size));
  for (int i = 0; i < outputs; ++i) c->set_output(i, c->Vector(size));
  if (has_count) c->set_output(outputs, c->Scalar());
  return OkStatus();
}

inline Status CheckSuppressionScalar(std::string_view op, std::string_view name, const Tensor& value) {
  if (value.dims() == 0) return OkStatus();
  return errors::InvalidArgument(op, ": ", name, " must be 0-D, got shape ", value.shape());
}
inline float FloatOf(const Tensor& scalar) {
  if (scalar.dtype() == DataType::kHalf) return static_cast<float>(*scalar.data<half>());
  return *scalar.data<float>();
}
inline Status CheckOverlapThreshold(std::string_view op, float threshold) {
  if (threshold >= 0 && threshold <= 1) return OkStatus();
  return errors::InvalidArgument(op, ": iou_threshold must be in [0, 1], got ", threshold);
}

// The inputs behind max_output_size (overlap threshold, score threshold, sigma) and the outputs of a version.
struct SuppressionVersion {
  std::string_view op;
  int scalars;  // with max_output_size
  bool has_scores, has_count;
};

// Output 0: numbers; then scores (T) and the count, if there.
template <class T>
Status SuppressInto(OpKernelContext& context, const SuppressionVersion& v, float overlap, bool pad) {
  const Tensor &boxes = context.input(0), &scores = context.input(1);
  const Index most = *context.input(2).data<std::int32_t>();
  SuppressionRule<T> rule{static_cast<T>(overlap), std::numeric_limits<T>::lowest()};
  if (v.scalars > 2) rule.score_threshold = static_cast<T>(FloatOf(context.input(4)));
  if (v.scalars > 3) rule.sigma = static_cast<T>(FloatOf(context.input(5)));
  if (!(rule.sigma >= T(0)))
    return errors::InvalidArgument(v.op, ": soft_nms_sigma_val must be >= 0, got ", static_cast<float>(rule.sigma));
  SlimVector<Index> selected;
  SlimVector<T> selected_scores;
  SuppressBoxes(boxes.data<T>(), scores.data<T>(), boxes.dim_size(0), most, rule, &selected, &selected_scores);
  const auto count = static_cast<Index>(selected.size()), size = pad ? most : count;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape{size}, &out));
  for (Index i = 0; i < size; ++i)
    out->data<std::int32_t>()[i] =
        i < count ? static_cast<std::int32_t>(selected[static_cast<std::size_t>(i)]) : std::int32_t{0};
  if (v.has_scores) {
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape{size}, &out));
    for (Index i = 0; i < size; ++i)
      out->data<T>()[i] = i < count ? selected_scores[static_cast<std::size_t>(i)] : T(0);
  }
  if (v.has_count) {
    TENON_RETURN_IF_ERROR(context.allocate_output(v.has_scores ? 2 : 1, TensorShape(), &out));
    *out->data<std::int32_t>() = static_cast<std::int32_t>(count);
  }
  return OkStatus();
}

// `overlap`: the threshold of versions that do not have it as an input.
inline Status RunSuppression(OpKernelContext& context, const SuppressionVersion& v, float overlap, bool pad) {
  const Tensor &boxes = context.input(0), &scores = context.input(1);
  constexpr std::string_view kNames[] = {"max_output_size", "iou_threshold", "score_threshold", "soft_nms_sigma"};
  for (int i = 0; i < v.scalars; ++i)
    TENON_RETURN_IF_ERROR(CheckSuppressionScalar(v.op, kNames[i], context.input(2 + i)));
  if (v.scalars > 1) overlap = FloatOf(context.input(3));
  TENON_RETURN_IF_ERROR(CheckOverlapThreshold(v.op, overlap));
  if (boxes.dims() != 2)
    return errors::InvalidArgument(v.op, ": boxes must be 2-D", boxes.shape(), " (Shape must be rank 2 but is rank ",
                                   boxes.dims(), ")");
  const Index n = boxes.dim_size(0);
  if (boxes.dim_size(1) != 4)
    return errors::InvalidArgument(v.op, ": boxes must have 4 columns (Dimension must be 4 but is ", boxes.dim_size(1),
                                   ")");
  if (scores.dims() != 1)
    return errors::InvalidArgument(v.op, ": scores must be 1-D", scores.shape(), " (Shape must be rank 1 but is rank ",
                                   scores.dims(), ")");
  if (scores.dim_size(0) != n)
    return errors::InvalidArgument(v.op, ": scores has incompatible shape (Dimensions must be equal, but are ", n,
                                   " and ", scores.dim_size(0), ")");
  if (*context.input(2).data<std::int32_t>() < 0)
    return errors::InvalidArgument(v.op, ": output size must be non-negative, got ",
                                   *context.input(2).data<std::int32_t>());
  return boxes.dtype() == DataType::kHalf ? SuppressInto<half>(context, v, overlap, pad)
                                          : SuppressInto<float>(context, v, overlap, pad);
}

}  // namespace detail

// boxes: [n, 4], scores: [n]  ->  the numbers of the boxes to keep, best first
struct NonMaxSuppression {
  static constexpr auto signature =
      Op("NonMaxSuppression")
          .Input("boxes: float")
          .Input("scores: float")
          .Input("max_output_size: int32")
          .Output("selected_indices: int32")
          .Attr("iou_threshold: float = 0.5")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::SuppressionShape(c, 1, 1, false); });
  struct Attrs {
    float iou_threshold;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSuppression(context.op(), {"NonMaxSuppression", 1, false, false}, this->iou_threshold, false);
    }
  };
};

struct NonMaxSuppressionV2 {
  static constexpr auto signature =
      Op("NonMaxSuppressionV2")
          .Input("boxes: T")
          .Input("scores: T")
          .Input("max_output_size: int32")
          .Input("iou_threshold: T_threshold")
          .Output("selected_indices: int32")
          .Attr("T: {half, float} = DT_FLOAT")
          .Attr("T_threshold: {half, float} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::SuppressionShape(c, 2, 1, false); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&) const {
      return detail::RunSuppression(context.op(), {"NonMaxSuppressionV2", 2, false, false}, 0, false);
    }
  };
};

struct NonMaxSuppressionV3 {
  static constexpr auto signature =
      Op("NonMaxSuppressionV3")
          .Input("boxes: T")
          .Input("scores: T")
          .Input("max_output_size: int32")
          .Input("iou_threshold: T_threshold")
          .Input("score_threshold: T_threshold")
          .Output("selected_indices: int32")
          .Attr("T: {half, float} = DT_FLOAT")
          .Attr("T_threshold: {half, float} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::SuppressionShape(c, 3, 1, false); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return detail::RunSuppression(context.op(), {"NonMaxSuppressionV3", 3, false, false}, 0, false);
    }
  };
};

struct NonMaxSuppressionV4 {
  static constexpr auto signature =
      Op("NonMaxSuppressionV4")
          .Input("boxes: T")
          .Input("scores: T")
          .Input("max_output_size: int32")
          .Input("iou_threshold: T_threshold")
          .Input("score_threshold: T_threshold")
          .Output("selected_indices: int32")
          .Output("valid_outputs: int32")
          .Attr("T: {half, float} = DT_FLOAT")
          .Attr("T_threshold: {half, float} = DT_FLOAT")
          .Attr("pad_to_max_output_size: bool = false")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::SuppressionShape(c, 3, 1, true); });
  struct Attrs {
    bool pad_to_max_output_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&) const {
      return detail::RunSuppression(context.op(), {"NonMaxSuppressionV4", 3, false, true}, 0,
                                    this->pad_to_max_output_size);
    }
  };
};

// With soft_nms_sigma above 0 overlapping boxes lose some of their score and may stay.
struct NonMaxSuppressionV5 {
  static constexpr auto signature =
      Op("NonMaxSuppressionV5")
          .Input("boxes: T")
          .Input("scores: T")
          .Input("max_output_size: int32")
          .Input("iou_threshold: T")
          .Input("score_threshold: T")
          .Input("soft_nms_sigma: T")
          .Output("selected_indices: int32")
          .Output("selected_scores: T")
          .Output("valid_outputs: int32")
          .Attr("T: {half, float} = DT_FLOAT")
          .Attr("pad_to_max_output_size: bool = false")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::SuppressionShape(c, 4, 2, true); });
  struct Attrs {
    bool pad_to_max_output_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunSuppression(context.op(), {"NonMaxSuppressionV5", 4, true, true}, 0,
                                    this->pad_to_max_output_size);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

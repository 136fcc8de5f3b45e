// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of quantized ops: the ranges of their inputs, and the two scalars that tell the range of an output.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/array_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/nn_shape_fns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

namespace internal {

// Inputs first to last are scalars; outputs 1 and 2 are the range of output 0.
constexpr Status ScalarRanges(InferenceContext* c, int first, int last) {
  ShapeHandle unused;
  for (int i = first; i <= last; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}

// The ranges, inputs first and first + 1: scalars, or one number for each index of `axis` of the input.
constexpr Status QuantizeRangeShape(InferenceContext* c, int input, int first, ShapeHandle* ranges) {
  std::int64_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first), axis == -1 ? 0 : 1, ranges));
  TENON_RETURN_IF_ERROR(c->Merge(c->input(first + 1), *ranges, ranges));
  if (axis < -1) return errors::InvalidArgument("axis should be at least -1, got ", axis);
  if (axis == -1) return OkStatus();
  ShapeHandle shape;
  DimensionHandle depth;
  TENON_RETURN_IF_ERROR(c->WithAxis(c->input(input), axis, &shape));
  return c->Merge(c->Dim(*ranges, 0), c->Dim(shape, axis), &depth);
}

// After output 0 of a convolution with `fused_ops`: the ranges of the filter, for each of its channels or one for all.
// Inputs: the image, the filter, a bias and a summand where fused_ops name them, the image's range, the filter's.
constexpr Status FusedRanges(InferenceContext* c) {
  SlimVector<std::string_view> fused;
  TENON_RETURN_IF_ERROR(c->GetAttr("fused_ops", &fused));
  ShapeHandle unused, low, high;
  int next = 2;
  bool requantizes = false;
  for (const std::string_view op : fused) {
    if (op == "BiasAdd") TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
    next += op == "BiasAdd" || op == "Sum" ? 1 : 0;
    requantizes = requantizes || op == "Requantize";
  }
  for (int i = 0; i < 2; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(next + i), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(next + 2), 1, &low));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(next + 3), 1, &high));
  c->set_output(1, requantizes ? c->Scalar() : high);
  c->set_output(2, requantizes ? c->Scalar() : high);
  return OkStatus();
}

}  // namespace internal

constexpr Status QuantizeV2Shape(InferenceContext* c) {
  ShapeHandle ranges;
  TENON_RETURN_IF_ERROR(internal::QuantizeRangeShape(c, 0, 1, &ranges));
  c->set_output(0, c->input(0));
  c->set_output(1, ranges);
  c->set_output(2, ranges);
  return OkStatus();
}

constexpr Status QuantizedConv2DShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(Conv2DShape(c));
  return internal::ScalarRanges(c, 2, 5);
}
constexpr Status QuantizedAvgPoolShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(AvgPoolShape(c));
  return internal::ScalarRanges(c, 1, 2);
}
// The shape function of _FusedQuantizedConv2D; below, of _FusedQuantizedDepthwiseConv2D.
constexpr Status FusedQuantizedConv2DShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(Conv2DShape(c));
  return internal::FusedRanges(c);
}
constexpr Status FusedQuantizedDepthwiseConv2D(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(DepthwiseConv2DNativeShape(c));
  return internal::FusedRanges(c);
}

// num_inputs tensors, the axis, then as many lower and upper ends of ranges.
constexpr Status QuantizedConcatV2Shape(InferenceContext* c, int num_inputs) {
  TENON_RETURN_IF_ERROR(ConcatShapeHelper(c, 0, num_inputs, num_inputs));
  return internal::ScalarRanges(c, num_inputs + 1, c->num_inputs() - 1);
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

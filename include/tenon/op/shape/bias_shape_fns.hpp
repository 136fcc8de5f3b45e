// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of a bias: one number for each channel, which are the last dimension, or the second in NCHW.

#include <string_view>

#include <tenon/base/status.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

namespace internal {
// At least two dimensions, and which of them the channels are.
constexpr Status ReadBiasedInput(InferenceContext* c, ShapeHandle* input, int* channel) {
  std::string_view format = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  const bool channels_first = format == "NCHW";
  *channel = channels_first ? 1 : -1;
  return c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, input);
}
}  // namespace internal

// Adds a bias vector to the channels.
constexpr Status BiasAddShape(InferenceContext* c) {
  ShapeHandle input, bias, out;
  int channel = 0;
  TENON_RETURN_IF_ERROR(internal::ReadBiasedInput(c, &input, &channel));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  if (!c->RankKnown(input)) return UnknownShape(c);
  DimensionHandle merged;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, channel), c->Dim(bias, 0), &merged));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, channel, merged, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status BiasAddGradShape(InferenceContext* c) {
  ShapeHandle input;
  int channel = 0;
  TENON_RETURN_IF_ERROR(internal::ReadBiasedInput(c, &input, &channel));
  c->set_output(0, c->Vector(c->Dim(input, channel)));
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

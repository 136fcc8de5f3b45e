// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of images: convolutions, pools, batch normalisation, in every data format.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/bias_shape_fns.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status list_attr_has_the_wrong_length(std::string_view start, std::size_t got) {
  return errors::InvalidArgument(start, ", but got: ", got);
}
TENON_DETAIL_COLD inline Status channel_block_must_be_4_or_32(std::int64_t n) {
  return errors::InvalidArgument("VECT_C dimension must be 4 or 32, but is ", n);
}
TENON_DETAIL_COLD inline Status channels_must_come_in_fours() {
  return errors::InvalidArgument("_FusedBatchNormEx channel dimension must be divisible by 4.");
}
TENON_DETAIL_COLD inline Status depth_of_filter_must_not_be_zero() {
  return errors::InvalidArgument("Depth of filter must not be 0");
}
TENON_DETAIL_COLD inline Status depth_of_input_must_be_a_multiple_of_the_filters(std::int64_t input,
                                                                                 std::int64_t filter) {
  return errors::InvalidArgument("Depth of input (", input, ") is not a multiple of input depth of filter (", filter,
                                 ")");
}
TENON_DETAIL_COLD inline Status number_of_groups_must_not_be_zero() {
  return errors::InvalidArgument("Number of groups must not be 0");
}
TENON_DETAIL_COLD inline Status depth_of_output_must_be_a_multiple_of_the_groups(std::int64_t output,
                                                                                 std::int64_t groups) {
  return errors::InvalidArgument("Depth of output (", output, ") is not a multiple of the number of groups (", groups,
                                 ")");
}

}  // namespace detail

namespace shape_inference {

namespace internal {
// One of the formats that begin with the batch and have no blocks of columns.
constexpr Status GetDataFormat(InferenceContext* c, TensorFormat* format) {
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  TENON_RETURN_IF_ERROR(ParseTensorFormat(text, format));
  return *format <= TensorFormat::kNCDHW ? OkStatus() : detail::data_format_is_not_allowed(text);
}
constexpr Status GetPadding(InferenceContext* c, int dims, TensorFormat format, Padding* padding,
                            SlimVector<std::int64_t>* paddings) {
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  TENON_RETURN_IF_ERROR(ParsePadding(text, padding));
  if (c->HasAttr("explicit_paddings")) TENON_RETURN_IF_ERROR(c->GetAttr("explicit_paddings", paddings));
  if (c->HasAttr("padding_list")) TENON_RETURN_IF_ERROR(c->GetAttr("padding_list", paddings));
  if (c->HasAttr("padding_list") && !paddings->empty()) *padding = Padding::kExplicit;
  return CheckValidPadding(*padding, *paddings, dims, format);
}
constexpr Status GetListAttr(InferenceContext* c, std::string_view attr, std::size_t size, std::string_view complaint,
                             SlimVector<std::int64_t>* list) {
  list->clear();
  TENON_RETURN_IF_ERROR(c->GetAttr(attr, list));
  return list->size() == size ? OkStatus() : detail::list_attr_has_the_wrong_length(complaint, list->size());
}
constexpr std::int64_t PaddingOf(const SlimVector<std::int64_t>& paddings, int dimension, int after) {
  return paddings.empty() ? 0 : paddings[static_cast<std::size_t>(2 * dimension + after)];
}
}  // namespace internal

constexpr Status GetWindowedOutputSizeFromDimsV2(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                                 std::int64_t dilation, std::int64_t stride, Padding padding,
                                                 std::int64_t before, std::int64_t after, DimensionHandle* out) {
  if (stride <= 0) return detail::stride_must_be_positive(stride);
  if (dilation < 1) return detail::dilation_must_be_positive(dilation);
  if (padding == Padding::kSame) {
    TENON_RETURN_IF_ERROR(c->Add(input, stride - 1, out));
    return c->Divide(*out, stride, false, out);
  }
  if (padding == Padding::kExplicit) {
    TENON_RETURN_IF_ERROR(c->Add(input, before, &input));
    TENON_RETURN_IF_ERROR(c->Add(input, after, &input));
  }
  DimensionHandle window = c->MakeDim(filter);
  if (dilation > 1) {
    TENON_RETURN_IF_ERROR(c->Subtract(window, 1, &window));
    TENON_RETURN_IF_ERROR(c->Multiply(window, dilation, &window));
    TENON_RETURN_IF_ERROR(c->Add(window, 1, &window));
  }
  TENON_RETURN_IF_ERROR(c->Subtract(input, window, out));
  TENON_RETURN_IF_ERROR(c->Add(*out, stride, out));
  return c->Divide(*out, stride, false, out);
}
constexpr Status GetWindowedOutputSizeFromDims(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                               std::int64_t stride, Padding padding, DimensionHandle* out) {
  return GetWindowedOutputSizeFromDimsV2(c, input, filter, 1, stride, padding, 0, 0, out);
}

namespace internal {
// An image's dimensions, in any format.
struct ImageDims {
  DimensionHandle batch, rows, columns, depth;
  std::int64_t channel_block = 0;  // VECT_C format only
};
constexpr Status ReadImage(InferenceContext* c, ShapeHandle image, TensorFormat format, ImageDims* out) {
  const int spatial = SpatialIndex(format);
  out->batch = c->Dim(image, 0);
  out->rows = c->Dim(image, spatial);
  out->columns = c->Dim(image, spatial + 1);
  out->depth = c->Dim(image, ChannelIndex(format, 4));
  if (format != TensorFormat::kNCHW_VECT_C) return OkStatus();
  const DimensionHandle block = c->Dim(image, 4);
  out->channel_block = c->ValueKnown(block) ? c->Value(block) : 4;
  if (out->channel_block != 4 && out->channel_block != 32)
    return detail::channel_block_must_be_4_or_32(out->channel_block);
  return c->Multiply(out->depth, out->channel_block, &out->depth);
}
// ReadImage for the pools' shape functions, which refuse an unknown block of channels.
constexpr Status ReadPooledImage(InferenceContext* c, ShapeHandle image, TensorFormat format, ImageDims* out) {
  if (format == TensorFormat::kNCHW_VECT_C && !c->ValueKnown(c->Dim(image, 4)))
    return detail::channel_block_must_be_4_or_32(-1);
  return ReadImage(c, image, format, out);
}
constexpr Status MakeImage(InferenceContext* c, const ImageDims& image, TensorFormat format, ShapeHandle* out) {
  if (format == TensorFormat::kNHWC) {
    *out = c->MakeShape({image.batch, image.rows, image.columns, image.depth});
  } else if (format == TensorFormat::kNCHW) {
    *out = c->MakeShape({image.batch, image.depth, image.rows, image.columns});
  } else {
    DimensionHandle blocks;
    TENON_RETURN_IF_ERROR(c->Divide(image.depth, image.channel_block, true, &blocks));
    *out = c->MakeShape({image.batch, blocks, image.rows, image.columns, image.channel_block});
  }
  return OkStatus();
}
constexpr int ImageRank(TensorFormat format) { return format == TensorFormat::kNCHW_VECT_C ? 5 : 4; }

// Depths must agree, or the convolution is grouped.
constexpr Status CheckDepths(InferenceContext* c, DimensionHandle input, DimensionHandle filter,
                             DimensionHandle output) {
  if (!c->ValueKnown(input) || !c->ValueKnown(filter)) return OkStatus();
  const std::int64_t in = c->Value(input), per_group = c->Value(filter);
  if (per_group == 0) return detail::depth_of_filter_must_not_be_zero();
  if (in % per_group != 0) return detail::depth_of_input_must_be_a_multiple_of_the_filters(in, per_group);
  const std::int64_t groups = in / per_group;
  if (!c->ValueKnown(output)) return OkStatus();
  if (groups == 0) return detail::number_of_groups_must_not_be_zero();
  if (c->Value(output) % groups != 0)
    return detail::depth_of_output_must_be_a_multiple_of_the_groups(c->Value(output), groups);
  return OkStatus();
}
}  // namespace internal

// input: [n, h, w, c]  filter: [fh, fw, c / groups, out]  ->  [n, h', w', out], in the order of data_format.
constexpr Status Conv2DShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  const int rank = internal::ImageRank(format);
  ShapeHandle input, filter, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
  SlimVector<std::int64_t> dilations, strides, paddings;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "dilations", 4, "Conv2D requires the dilation attribute to contain 4 values", &dilations));
  const std::string_view complaint =
      format == TensorFormat::kNHWC ? "Conv2D on data format NHWC requires the stride attribute to contain 4 values"
      : format == TensorFormat::kNCHW
          ? "Conv2D on data format NCHW requires the stride attribute to contain 4 values"
          : "Conv2D on data format NCHW_VECT_C requires the stride attribute to contain 4 values";
  TENON_RETURN_IF_ERROR(internal::GetListAttr(c, "strides", 4, complaint, &strides));
  internal::ImageDims image;
  TENON_RETURN_IF_ERROR(internal::ReadImage(c, input, format, &image));
  // The filter is [h, w, in, out], or [out, in / 4, h, w, 4] for VECT_C.
  const bool blocked = format == TensorFormat::kNCHW_VECT_C;
  const DimensionHandle filter_rows = c->Dim(filter, blocked ? 2 : 0), filter_columns = c->Dim(filter, blocked ? 3 : 1);
  const DimensionHandle out_depth = c->Dim(filter, blocked ? 0 : 3);
  DimensionHandle filter_depth = c->Dim(filter, blocked ? 1 : 2);
  if (blocked) TENON_RETURN_IF_ERROR(c->Multiply(filter_depth, c->Dim(filter, 4), &filter_depth));
  TENON_RETURN_IF_ERROR(internal::CheckDepths(c, image.depth, filter_depth, out_depth));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(internal::GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1;
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, filter_rows, at(dilations, h), at(strides, h),
                                                        padding, internal::PaddingOf(paddings, h, 0),
                                                        internal::PaddingOf(paddings, h, 1), &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, filter_columns, at(dilations, w),
                                                        at(strides, w), padding, internal::PaddingOf(paddings, w, 0),
                                                        internal::PaddingOf(paddings, w, 1), &image.columns));
  image.depth = out_depth;
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status Conv2DShapeWithExplicitPadding(InferenceContext* c) { return Conv2DShape(c); }

// input: [n, h, w, c]  filter: [fh, fw, c, multiplier]  ->  [n, h', w', c * multiplier], in the order of data_format.
constexpr Status DepthwiseConv2DNativeShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle input, filter, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  SlimVector<std::int64_t> strides, dilations(4, 1), paddings;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "strides", 4, "DepthwiseConv2D requires the stride attribute to contain 4 values", &strides));
  if (c->HasAttr("dilations"))
    TENON_RETURN_IF_ERROR(internal::GetListAttr(
        c, "dilations", 4, "DepthwiseConv2D requires the dilations attribute to contain 4 values", &dilations));
  internal::ImageDims image;
  TENON_RETURN_IF_ERROR(internal::ReadImage(c, input, format, &image));
  TENON_RETURN_IF_ERROR(c->Merge(image.depth, c->Dim(filter, 2), &image.depth));
  TENON_RETURN_IF_ERROR(c->Multiply(image.depth, c->Dim(filter, 3), &image.depth));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(internal::GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1;
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, c->Dim(filter, 0), at(dilations, h),
                                                        at(strides, h), padding, internal::PaddingOf(paddings, h, 0),
                                                        internal::PaddingOf(paddings, h, 1), &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, c->Dim(filter, 1), at(dilations, w),
                                                        at(strides, w), padding, internal::PaddingOf(paddings, w, 0),
                                                        internal::PaddingOf(paddings, w, 1), &image.columns));
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status DepthwiseConv2DNativeShapeWithExplicitPadding(InferenceContext* c) {
  return DepthwiseConv2DNativeShape(c);
}

namespace internal {
constexpr Status Pool(InferenceContext* c, bool pools_depth, std::string_view stride_complaint,
                      std::string_view ksize_complaint) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(GetDataFormat(c, &format));
  ShapeHandle input, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), ImageRank(format), &input));
  SlimVector<std::int64_t> strides, sizes, paddings;
  TENON_RETURN_IF_ERROR(GetListAttr(c, "strides", 4, stride_complaint, &strides));
  TENON_RETURN_IF_ERROR(GetListAttr(c, "ksize", 4, ksize_complaint, &sizes));
  ImageDims image;
  TENON_RETURN_IF_ERROR(ReadPooledImage(c, input, format, &image));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1, d = ChannelIndex(format, 4);
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, at(sizes, h), 1, at(strides, h), padding,
                                                        PaddingOf(paddings, h, 0), PaddingOf(paddings, h, 1),
                                                        &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, at(sizes, w), 1, at(strides, w), padding,
                                                        PaddingOf(paddings, w, 0), PaddingOf(paddings, w, 1),
                                                        &image.columns));
  if (pools_depth)
    TENON_RETURN_IF_ERROR(
        GetWindowedOutputSizeFromDimsV2(c, image.depth, at(sizes, d), 1, at(strides, d), padding, 0, 0, &image.depth));
  TENON_RETURN_IF_ERROR(MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace internal
constexpr Status MaxPoolShape(InferenceContext* c) {
  return internal::Pool(c, true, "MaxPool requires the stride attribute to contain 4 values",
                        "MaxPool requires the ksize attribute to contain 4 values");
}
constexpr Status MaxPoolShapeWithExplicitPadding(InferenceContext* c) { return MaxPoolShape(c); }
// The sizes of the window are input `num_inputs`, its strides the input after it.
constexpr Status MaxPoolV2Shape(InferenceContext* c, int num_inputs) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle input, list, out;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), internal::ImageRank(format), &input));
  SlimVector<std::int64_t> lists[2];
  for (int i = 0; i < 2; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(num_inputs + i), 1, &list));
    TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(list, 0), 4, &unused));
  }
  for (int i = 0; i < 2; ++i) {
    bool known = false;
    TENON_RETURN_IF_ERROR(c->ReadInput(num_inputs + i, &lists[i], &known));
    if (!known || lists[i].size() != 4) return UnknownShape(c);
  }
  internal::ImageDims image;
  TENON_RETURN_IF_ERROR(internal::ReadPooledImage(c, input, format, &image));
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(ParsePadding(text, &padding));
  const int h = SpatialIndex(format), d = ChannelIndex(format, 4);
  DimensionHandle* const dims[] = {&image.rows, &image.columns, &image.depth};
  const int at[] = {h, h + 1, d};
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(at[i]);
    TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDims(c, *dims[i], lists[0][k], lists[1][k], padding, dims[i]));
  }
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status AvgPoolShape(InferenceContext* c) {
  return internal::Pool(c, false, "AvgPool requires the stride attribute to contain 4 values",
                        "AvgPool requires the ksize attribute to contain 4 values");
}

// y as x; batch mean, batch variance and two reserves are vectors over the channels.
constexpr Status FusedBatchNormShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  const int rank = format == TensorFormat::kNDHWC || format == TensorFormat::kNCDHW ? 5 : 4;
  ShapeHandle x, y;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
  bool is_training = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("is_training", &is_training));
  float factor = 1.0f;
  if (c->HasAttr("exponential_avg_factor")) TENON_RETURN_IF_ERROR(c->GetAttr("exponential_avg_factor", &factor));
  const int channel = ChannelIndex(format, rank);
  DimensionHandle depth = c->Dim(x, channel);
  for (int i = 1; i < (is_training && factor == 1.0f ? 3 : 5); ++i) {
    ShapeHandle vector;
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(x, channel, depth, &y));
  c->set_output(0, y);
  for (int i = 1; i < 5; ++i) c->set_output(i, c->Vector(depth));
  return OkStatus();
}
constexpr Status FusedBatchNormV3Shape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(FusedBatchNormShape(c));
  c->set_output(5, c->UnknownShape());
  return OkStatus();
}
// V3 with an activation, of images whose channels the GPU takes in fours.
constexpr Status FusedBatchNormExShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(FusedBatchNormV3Shape(c));
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle x;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
  const DimensionHandle channels = c->Dim(x, ChannelIndex(format, 4));
  if (c->ValueKnown(channels) && c->Value(channels) % 4 != 0) return detail::channels_must_come_in_fours();
  return OkStatus();
}

constexpr Status FusedBatchNormGradShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  const int rank = format == TensorFormat::kNDHWC || format == TensorFormat::kNCDHW ? 5 : 4;
  ShapeHandle dy, x, vector, dx;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &dy));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &x));
  const int channel = ChannelIndex(format, rank);
  DimensionHandle depth = c->Dim(dy, channel);
  TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(x, channel), &depth));
  for (int i = 2; i < 5; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(dy, channel, depth, &dx));
  c->set_output(0, dx);
  c->set_output(1, c->Vector(depth));
  c->set_output(2, c->Vector(depth));
  c->set_output(3, c->Vector(0));
  c->set_output(4, c->Vector(0));
  return OkStatus();
}
// With side inputs, an output of the shape of x follows for the first of them.
constexpr Status FusedBatchNormGradExShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(FusedBatchNormGradShape(c));
  std::int64_t side_inputs = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("num_side_inputs", &side_inputs));
  if (side_inputs == 0) return OkStatus();
  c->set_output(5, c->output(0));
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

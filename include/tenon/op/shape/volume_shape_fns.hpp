// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of convolutions and pools over volumes, and of gradients with respect to a tensor whose shape is an
// input.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/nn_shape_fns.hpp>
#include <tenon/op/shape/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

namespace internal {

// Sizes of windows over the three dimensions of space; `size(i)` is that of the filter along dimension i.
constexpr Status VolumeShape(InferenceContext* c, ShapeHandle input, const DimensionHandle (&filter)[3],
                             const SlimVector<std::int64_t>& strides, const SlimVector<std::int64_t>& dilations,
                             TensorFormat format, DimensionHandle depth) {
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(ParsePadding(text, &padding));
  const int first = SpatialIndex(format);
  DimensionHandle sizes[3];
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(first + i);
    TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, c->Dim(input, first + i), filter[i], dilations[at],
                                                          strides[at], padding, -1, -1, &sizes[i]));
  }
  const DimensionHandle batch = c->Dim(input, 0);
  if (ChannelsFirst(format))
    c->set_output(0, c->MakeShape({batch, depth, sizes[0], sizes[1], sizes[2]}));
  else
    c->set_output(0, c->MakeShape({batch, sizes[0], sizes[1], sizes[2], depth}));
  return OkStatus();
}

}  // namespace internal

constexpr Status Conv3DShape(InferenceContext* c) {
  ShapeHandle input, filter;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 5, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 5, &filter));
  TensorFormat format = TensorFormat::kNDHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  SlimVector<std::int64_t> dilations, strides;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "dilations", 5, "Conv3D requires the dilation attribute to contain 5 values", &dilations));
  TENON_RETURN_IF_ERROR(
      internal::GetListAttr(c, "strides", 5, "Conv3D requires the stride attribute to contain 5 values", &strides));
  // TensorFlow takes the dilation of the rows for the columns and the other way round (2.21: rows 30, filter 2,
  // dilations [1,1,2,3,1] give 27).
  const auto rows = static_cast<std::size_t>(SpatialIndex(format)) + 1;
  std::swap(dilations[rows], dilations[rows + 1]);
  const DimensionHandle depth = c->Dim(input, ChannelIndex(format, 5)), out_depth = c->Dim(filter, 4);
  TENON_RETURN_IF_ERROR(internal::CheckDepths(c, depth, c->Dim(filter, 3), out_depth));
  return internal::VolumeShape(c, input, {c->Dim(filter, 0), c->Dim(filter, 1), c->Dim(filter, 2)}, strides, dilations,
                               format, out_depth);
}

// The op Conv. input: `batch_dims` dimensions, the space of 2 or 3 dimensions and the channels c in the order of
// data_format. filter: [space, c / groups, out]  ->  the input with the places of the window and `out`.
constexpr Status ConvShape(InferenceContext* c) {
  std::string_view layout = "CHANNELS_LAST";
  std::int64_t batch_dims = 1, groups = 1;
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &layout));
  if (layout != "CHANNELS_LAST" && layout != "CHANNELS_FIRST") return detail::data_format_is_not_allowed(layout);
  if (c->HasAttr("batch_dims")) TENON_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (c->HasAttr("groups")) TENON_RETURN_IF_ERROR(c->GetAttr("groups", &groups));
  const ShapeHandle input = c->input(0), filter = c->input(1);
  if (!c->RankKnown(input) || !c->RankKnown(filter)) return UnknownShape(c);
  if (batch_dims < 0) return errors::InvalidArgument("Batch dims must be non-negative, but got: ", batch_dims);
  if (groups <= 0) return errors::InvalidArgument("Groups attribute should be a positive integer, but got: ", groups);
  const std::int64_t rank = c->Rank(input) - batch_dims + 1;  // with one dimension of the batch
  if (rank != 4 && rank != 5)
    return errors::InvalidArgument("Input tensor must be rank 4 or 5, excluding extra batch dimensions, but got: ",
                                   rank);
  if (c->Rank(filter) != rank)
    return errors::InvalidArgument("Input tensor rank must be the same as filter rank. Without extra batch dimensions ",
                                   "they are ", rank, " and ", c->Rank(filter));
  const int dims = static_cast<int>(rank), first = layout == "CHANNELS_LAST" ? 1 : 2, at_batch = c->Rank(input) - dims;
  const TensorFormat format = first == 1  ? dims == 4 ? TensorFormat::kNHWC : TensorFormat::kNDHWC
                              : dims == 4 ? TensorFormat::kNCHW
                                          : TensorFormat::kNCDHW;
  SlimVector<std::int64_t> strides, dilations, paddings;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "strides", static_cast<std::size_t>(dims),
      dims == 4 ? "Stride attribute should contain 4 values" : "Stride attribute should contain 5 values", &strides));
  if (c->HasAttr("dilations")) TENON_RETURN_IF_ERROR(c->GetAttr("dilations", &dilations));
  if (dilations.empty()) dilations = SlimVector<std::int64_t>(static_cast<std::size_t>(dims), 1);
  if (dilations.size() != static_cast<std::size_t>(dims))
    return errors::InvalidArgument("Conv requires the dilation attribute to contain ", dims,
                                   " values, but got: ", dilations.size());
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(internal::GetPadding(c, dims, format, &padding, &paddings));
  if (padding == Padding::kExplicit && dims == 5)
    return errors::InvalidArgument("Explicit padding not supported for 3D Convolution");
  const int channel = first == 1 ? dims - 1 : 1;
  const DimensionHandle depth = c->Dim(input, at_batch + channel), filter_depth = c->Dim(filter, -2);
  const DimensionHandle out_depth = c->Dim(filter, -1);
  if (c->ValueKnown(depth) && c->Value(depth) % groups != 0)
    return errors::InvalidArgument("Number of groups should divide input depth, but got: ", groups, " and ",
                                   c->Value(depth));
  if (c->ValueKnown(out_depth) && c->Value(out_depth) % groups != 0)
    return errors::InvalidArgument("Number of groups should divide output depth, but got: ", groups, " and ",
                                   c->Value(out_depth));
  TENON_RETURN_IF_ERROR(internal::CheckDepths(c, depth, filter_depth, out_depth));
  if (c->ValueKnown(depth) && c->ValueKnown(filter_depth) && c->Value(depth) / c->Value(filter_depth) != groups)
    return errors::InvalidArgument("Input depth divided by filter input depth does not match with groups parameter (",
                                   groups, ")");
  ShapeHandle out = input;
  TENON_RETURN_IF_ERROR(c->ReplaceDim(out, at_batch + channel, out_depth, &out));
  for (int i = 0; i < dims - 2; ++i) {
    const int d = first + i;
    const auto at = static_cast<std::size_t>(d);
    DimensionHandle size;
    TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(
        c, c->Dim(input, at_batch + d), c->Dim(filter, i), dilations[at], strides[at], padding,
        internal::PaddingOf(paddings, d, 0), internal::PaddingOf(paddings, d, 1), &size));
    TENON_RETURN_IF_ERROR(c->ReplaceDim(out, at_batch + d, size, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

constexpr Status Pool3DShape(InferenceContext* c) {
  ShapeHandle input;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 5, &input));
  TensorFormat format = TensorFormat::kNDHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  SlimVector<std::int64_t> strides, sizes;
  TENON_RETURN_IF_ERROR(
      internal::GetListAttr(c, "strides", 5, "Pool3D ops require the stride attribute to contain 5 values", &strides));
  TENON_RETURN_IF_ERROR(
      internal::GetListAttr(c, "ksize", 5, "Pool3D ops require the ksize attribute to contain 5 values", &sizes));
  const auto first = static_cast<std::size_t>(SpatialIndex(format));
  const SlimVector<std::int64_t> dilations(5, 1);
  return internal::VolumeShape(c, input,
                               {c->MakeDim(sizes[first]), c->MakeDim(sizes[first + 1]), c->MakeDim(sizes[first + 2])},
                               strides, dilations, format, c->Dim(input, ChannelIndex(format, 5)));
}

// The shape that the values of input `i` are, of this rank.
constexpr Status ShapeFromInput(InferenceContext* c, int i, int rank) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(i, &shape));
  TENON_RETURN_IF_ERROR(c->WithRank(shape, rank, &shape));
  c->set_output(0, shape);
  return OkStatus();
}

constexpr Status AvgPoolGradShape(InferenceContext* c) { return ShapeFromInput(c, 0, 4); }
constexpr Status AvgPool3DGradShape(InferenceContext* c) { return ShapeFromInput(c, 0, 5); }
constexpr Status Conv2DBackpropFilterShape(InferenceContext* c) { return ShapeFromInput(c, 1, 4); }
// The filter's gradient, and that of the bias: the depth of the gradient, which is input 2.
constexpr Status Conv2DBackpropFilterWithBiasShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle gradient;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &gradient));
  c->set_output(1, c->Vector(c->Dim(gradient, ChannelIndex(format, 4))));
  return ShapeFromInput(c, 1, 4);
}
constexpr Status MaxPoolGradShape(InferenceContext* c) { return UnchangedShapeWithRank(c, 4); }
constexpr Status MaxPool3DGradShape(InferenceContext* c) { return UnchangedShapeWithRank(c, 5); }

constexpr Status Conv2DBackpropInputShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle gradient, filter, sizes, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &gradient));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  const int h = SpatialIndex(format), d = ChannelIndex(format, 4);
  const DimensionHandle batch = c->Dim(gradient, 0);
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(gradient, d), c->Dim(filter, 3), &unused));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &sizes));
  if (!c->RankKnown(sizes)) TENON_RETURN_IF_ERROR(c->WithRank(sizes, 4, &sizes));
  internal::ImageDims image;
  if (c->Rank(sizes) == 4) {
    image = {c->Dim(sizes, 0), c->Dim(sizes, h), c->Dim(sizes, h + 1), c->Dim(sizes, d)};
    TENON_RETURN_IF_ERROR(c->Merge(image.batch, batch, &unused));
    image.batch = batch;  // TensorFlow keeps the gradient's, known or not
  } else if (c->Rank(sizes) == 2) {
    image = {batch, c->Dim(sizes, 0), c->Dim(sizes, 1), c->Dim(filter, 2)};
  } else {
    return errors::InvalidArgument(
        "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: ", c->Rank(sizes));
  }
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

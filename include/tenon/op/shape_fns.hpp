// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common shape functions, under TensorFlow's names: .SetShapeFn(tenon::shape_inference::MatMulShape). All run in
// constant expressions too. Window and stride arithmetic that kernels share with them is here as well.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/window.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

TENON_COLD inline Status list_attr_has_the_wrong_length(std::string_view start, std::size_t got) {
  return errors::InvalidArgument(start, ", but got: ", got);
}
TENON_COLD inline Status channel_block_must_be_4_or_32(std::int64_t n) {
  return errors::InvalidArgument("VECT_C dimension must be 4 or 32, but is ", n);
}
TENON_COLD inline Status depth_of_filter_must_not_be_zero() {
  return errors::InvalidArgument("Depth of filter must not be 0");
}
TENON_COLD inline Status depth_of_input_must_be_a_multiple_of_the_filters(std::int64_t input, std::int64_t filter) {
  return errors::InvalidArgument("Depth of input (", input, ") is not a multiple of input depth of filter (", filter,
                                 ")");
}
TENON_COLD inline Status depth_of_output_must_be_a_multiple_of_the_groups(std::int64_t output, std::int64_t groups) {
  return errors::InvalidArgument("Depth of output (", output, ") is not a multiple of the number of groups (", groups,
                                 ")");
}
TENON_COLD inline Status reduction_dimension_is_out_of_range(std::int64_t d, std::int64_t rank) {
  return errors::InvalidArgument("Invalid reduction dimension ", d, " for input with ", rank, " dimensions.");
}
TENON_COLD inline Status scalars_cannot_be_concatenated() {
  return errors::InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
}
TENON_COLD inline Status axis_is_out_of_range(std::int64_t axis, std::int64_t rank) {
  return errors::InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
}
TENON_COLD inline Status reshape_must_keep_the_number_of_elements(const InferenceContext* c, DimensionHandle in,
                                                                  ShapeHandle out, DimensionHandle out_elements) {
  return errors::InvalidArgument("Cannot reshape a tensor with ", c->DebugString(in), " elements to shape ",
                                 c->DebugString(out), " (", c->DebugString(out_elements), " elements)");
}
TENON_COLD inline Status slice_size_must_not_be_below_minus_one(std::size_t d, std::int64_t length, std::int64_t size) {
  return errors::InvalidArgument("Out of bounds slicing on dimension ", d, " of length ", length,
                                 ": sizes vector cannot be < -1, but was ", size);
}
TENON_COLD inline Status stride_must_not_be_zero(std::size_t d) {
  return errors::InvalidArgument("strides[", d, "] must be non-zero");
}
TENON_COLD inline Status only_one_ellipsis_is_allowed() {
  return errors::InvalidArgument("Multiple ellipses in slice spec not allowed");
}
TENON_COLD inline Status slice_has_more_indices_than_the_input_dimensions(std::size_t d, std::size_t rank) {
  if (rank == 0) return errors::InvalidArgument("Attempting to slice scalar input.");
  return errors::InvalidArgument("Index out of range using input dim ", d, "; input has only ", rank, " dims");
}
TENON_COLD inline Status single_index_needs_a_positive_stride() {
  return errors::InvalidArgument("only stride 1 allowed on non-range indexing.");
}
TENON_COLD inline Status slice_index_is_out_of_bounds(std::int64_t index, std::size_t d) {
  return errors::InvalidArgument("slice index ", index, " of dimension ", d, " out of bounds.");
}
TENON_COLD inline Status slice_bounds_must_be_equally_long_vectors(std::size_t begin, std::size_t end,
                                                                   std::size_t strides) {
  return errors::InvalidArgument("Expected begin, end, and strides to be 1D equal size tensors, but got shapes [",
                                 begin, "], [", end, "], and [", strides, "] instead.");
}

}  // namespace detail

// A strided slice with all masks worked in.
struct StridedSlicePlan {
  SlimVector<std::int64_t> begin, end, strides;   // per input dimension; bounds are within the input
  SlimVector<std::int64_t> processing_shape;      // size of each input dimension after slicing; -1: unknown
  SlimVector<std::int64_t> final_shape;           // with new axes, without shrunk ones
  bool is_identity = true;                         // the output is the input
  bool slice_dim0 = true;                          // only the first dimension is cut, with stride 1
  bool is_simple_slice = true;                     // all strides are 1
};

// What StridedSlice does to an input of these sizes (-1: unknown). `begin` and `end` may be null: not known.
constexpr Status PlanStridedSlice(std::span<const std::int64_t> input, const SlimVector<std::int64_t>* begin,
                                  const SlimVector<std::int64_t>* end, const SlimVector<std::int64_t>& strides,
                                  std::int32_t begin_mask, std::int32_t end_mask, std::int32_t ellipsis_mask,
                                  std::int32_t new_axis_mask, std::int32_t shrink_axis_mask, StridedSlicePlan* plan) {
  constexpr std::int64_t kNewAxis = -2, kShrinkAxis = -1;
  const auto bit = [](std::int64_t mask, std::size_t i) { return i < 32 && (mask >> i & 1) != 0; };
  const std::size_t rank = input.size();
  std::size_t n = strides.size();
  const std::size_t begin_size = begin == nullptr ? n : begin->size(), end_size = end == nullptr ? n : end->size();
  if (begin_size != n || end_size != n || n >= 32)
    return detail::slice_bounds_must_be_equally_long_vectors(begin_size, end_size, n);
  if ((ellipsis_mask & (ellipsis_mask - 1)) != 0) return detail::only_one_ellipsis_is_allowed();

  // One entry per input dimension: the ellipsis (one at the end unless there is one) takes what is left over.
  std::size_t new_axes_after_ellipsis = 0;
  bool ellipsis_seen = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (ellipsis_seen && bit(new_axis_mask, i)) ++new_axes_after_ellipsis;
    ellipsis_seen = ellipsis_seen || bit(ellipsis_mask, i);
  }
  const std::size_t ellipsis_at_end = ellipsis_seen ? n : n++;
  plan->begin.assign(rank, 0);
  plan->end.assign(rank, 0);
  plan->strides.assign(rank, 1);
  plan->processing_shape.clear();
  plan->final_shape.clear();
  plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = true;
  SlimVector<std::int64_t> gather;  // per output dimension: the input dimension, or one of the constants
  SlimVector<std::int64_t> whole_begin(rank, 0), whole_end(rank, 0), shrink(rank, 0);  // flags
  std::size_t d = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == ellipsis_at_end || bit(ellipsis_mask, i)) {
      const std::size_t stop = rank + 1 + new_axes_after_ellipsis + i;  // + n - ... : kept unsigned
      const std::size_t next = stop < n ? 0 : stop - n < rank ? stop - n : rank;
      for (; d < next; ++d) {
        whole_begin[d] = whole_end[d] = 1;
        gather.push_back(static_cast<std::int64_t>(d));
      }
    } else if (bit(new_axis_mask, i)) {
      gather.push_back(kNewAxis);
    } else {
      if (d == rank) return detail::slice_has_more_indices_than_the_input_dimensions(d, rank);
      if (begin != nullptr) plan->begin[d] = (*begin)[i];
      if (end != nullptr) plan->end[d] = (*end)[i];
      plan->strides[d] = strides[i];
      whole_begin[d] = bit(begin_mask, i);
      whole_end[d] = bit(end_mask, i);
      shrink[d] = bit(shrink_axis_mask, i);
      gather.push_back(shrink[d] != 0 ? kShrinkAxis : static_cast<std::int64_t>(d));
      ++d;
    }
  }

  const bool bounds_known = begin != nullptr && end != nullptr;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = input[i], stride = plan->strides[i];
    if (stride == 0) return detail::stride_must_not_be_zero(i);
    if (size == -1) {
      plan->processing_shape.push_back(shrink[i] ? 1 : -1);
      plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = false;
      continue;
    }
    if (shrink[i] && stride <= 0) return detail::single_index_needs_a_positive_stride();
    plan->is_simple_slice = plan->is_simple_slice && stride == 1;
    const bool whole = whole_begin[i] != 0 && whole_end[i] != 0;
    std::int64_t length = 0;
    bool length_known = true, takes_all = stride == 1 && whole;
    if (bounds_known) {
      const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
      const auto clamp = [&](std::int64_t x) {
        if (x < 0) x += size;
        return x < low ? low : x > high ? high : x;
      };
      std::int64_t& b = plan->begin[i];
      std::int64_t& e = plan->end[i];
      if (shrink[i]) {
        if (b < 0) b += size;
        e = b + 1;
        if (b < 0 || b >= size) return detail::slice_index_is_out_of_bounds(b, i);
      } else {
        b = whole_begin[i] ? (stride > 0 ? low : high) : clamp(b);
        e = whole_end[i] ? (stride > 0 ? high : low) : clamp(e);
      }
      takes_all = stride == 1 && b == 0 && e == size;
      length = e - b;
    } else if (shrink[i]) {
      length = 1;
    } else if (whole) {
      length = stride < 0 ? -size : size;
    } else {
      length_known = false;
    }
    plan->is_identity = plan->is_identity && takes_all;
    plan->slice_dim0 = plan->slice_dim0 && ((i == 0 && stride == 1) || takes_all);
    if (!length_known)
      plan->processing_shape.push_back(-1);
    else if (length == 0 || (length < 0) != (stride < 0))
      plan->processing_shape.push_back(0);
    else
      plan->processing_shape.push_back(length / stride + (length % stride != 0 ? 1 : 0));
  }
  for (const std::int64_t g : gather) {
    if (g >= 0)
      plan->final_shape.push_back(plan->processing_shape[static_cast<std::size_t>(g)]);
    else if (g == kNewAxis)
      plan->final_shape.push_back(1);
  }
  return OkStatus();
}

namespace shape_inference {

// ------------------------------------------------------------------------------------------------------------- simple
constexpr Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRank(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtLeast(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtMost(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return OkStatus();
}
constexpr Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return OkStatus();
}
constexpr Status NoOutputs(InferenceContext*) { return OkStatus(); }
constexpr Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}
// The attr `shape`.
constexpr Status ExplicitShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
  c->set_output(0, out);
  return OkStatus();
}
// The value of input 0.
constexpr Status RandomShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// ------------------------------------------------------------------------------------------------------- broadcasting
// Right-aligned; a size of 1 stretches. With incompatible_shape_error = false shapes that do not fit give a scalar.
constexpr Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x, ShapeHandle y,
                                                      bool incompatible_shape_error, ShapeHandle* out) {
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return OkStatus();
  }
  const std::int32_t rank_x = c->Rank(x), rank_y = c->Rank(y), rank = rank_x > rank_y ? rank_x : rank_y;
  SlimVector<DimensionHandle> dims;
  dims.reserve(static_cast<std::size_t>(rank));
  for (std::int32_t i = 0; i < rank; ++i) {
    const std::int32_t i_x = i - (rank - rank_x), i_y = i - (rank - rank_y);
    const DimensionHandle a = i_x < 0 ? c->MakeDim(1) : c->Dim(x, i_x), b = i_y < 0 ? c->MakeDim(1) : c->Dim(y, i_y);
    const std::int64_t size_a = c->Value(a), size_b = c->Value(b);
    if (!c->ValueKnown(a) || !c->ValueKnown(b)) {
      if (size_a > 1 || size_b > 1) {  // a correct program stretches the unknown one, or has it equal
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(size_a > 1 ? a : b);
      } else if (size_a == 1) {
        dims.push_back(b);
      } else if (size_b == 1 || a.SameHandle(b)) {
        dims.push_back(a);
      } else if (!c->ValueKnown(a) && !c->ValueKnown(b)) {
        dims.push_back(c->UnknownDim());
      } else {
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(c->UnknownDim());
      }
    } else if (size_a == 1 || size_b == 1) {
      dims.push_back(size_a == 1 && i_y >= 0 ? b : a);
    } else if (size_a != size_b && !incompatible_shape_error) {
      *out = c->Scalar();
      return OkStatus();
    } else {
      DimensionHandle merged;
      TENON_RETURN_IF_ERROR(c->Merge(a, b, &merged));
      dims.push_back(merged);
    }
  }
  *out = c->MakeShape(dims);
  return OkStatus();
}
constexpr Status BroadcastBinaryOpShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
  c->set_output(0, out);
  return OkStatus();
}

// ----------------------------------------------------------------------------------------------------- linear algebra
constexpr Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return OkStatus();
}
namespace internal {
constexpr Status BatchMatMul(InferenceContext* c, bool broadcast) {
  ShapeHandle a, b, a_batch, b_batch, batch, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  bool adj_x = false, adj_y = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const DimensionHandle rows = c->Dim(a, adj_x ? -1 : -2), columns = c->Dim(b, adj_y ? -2 : -1);
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, adj_x ? -2 : -1), c->Dim(b, adj_y ? -1 : -2), &inner));
  TENON_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &a_batch));
  TENON_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &b_batch));
  if (broadcast) {
    TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, a_batch, b_batch, true, &batch));
  } else {
    TENON_RETURN_IF_ERROR(c->Merge(a_batch, b_batch, &batch));
  }
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, columns), &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace internal
constexpr Status BatchMatMulShape(InferenceContext* c) { return internal::BatchMatMul(c, false); }
constexpr Status BatchMatMulV2Shape(InferenceContext* c) { return internal::BatchMatMul(c, true); }

// ---------------------------------------------------------------------------------------------------- neural networks
namespace internal {
constexpr Status GetDataFormat(InferenceContext* c, TensorFormat* format) {
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  return ParseTensorFormat(text, format);
}
constexpr Status GetPadding(InferenceContext* c, int dims, TensorFormat format, Padding* padding,
                            SlimVector<std::int64_t>* paddings) {
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  TENON_RETURN_IF_ERROR(ParsePadding(text, padding));
  if (c->HasAttr("explicit_paddings")) TENON_RETURN_IF_ERROR(c->GetAttr("explicit_paddings", paddings));
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
  if (padding == Padding::kExplicit) TENON_RETURN_IF_ERROR(c->Add(input, before + after, &input));
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

// Adds a bias vector to the channels.
constexpr Status BiasAddShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  if (text == "NCHW") format = TensorFormat::kNCHW;
  ShapeHandle input, bias, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), ChannelsFirst(format) ? 3 : 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  if (!c->RankKnown(input)) return UnknownShape(c);
  const int channel = ChannelsFirst(format) ? 1 : -1;
  DimensionHandle merged;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, channel), c->Dim(bias, 0), &merged));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, channel, merged, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status BiasAddGradShape(InferenceContext* c) {
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  const bool channels_first = text == "NCHW";
  ShapeHandle input;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, &input));
  c->set_output(0, c->Vector(c->Dim(input, channels_first ? 1 : -1)));
  return OkStatus();
}

namespace internal {
// An image's dimensions, whatever its format.
struct ImageDims {
  DimensionHandle batch, rows, columns, depth;
  std::int64_t channel_block = 0;  // of the VECT_C format
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
  if (groups > 1 && c->ValueKnown(output) && c->Value(output) % groups != 0)
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
  TENON_RETURN_IF_ERROR(ReadImage(c, input, format, &image));
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

// ------------------------------------------------------------------------------------------------- reductions, arrays
// Input 1 says which dimensions are reduced.
constexpr Status ReductionShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle indices_shape;
  if (c->graph_def_version() >= 21) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &indices_shape));
  bool keep_dims = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  SlimVector<std::int64_t> indices;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &indices, &known));
  if (!known || !c->RankKnown(input)) {
    c->set_output(0, keep_dims && c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape());
    return OkStatus();
  }
  const std::int32_t rank = c->Rank(input);
  SlimVector<std::int64_t> reduced(static_cast<std::size_t>(rank), 0);  // flags
  for (const std::int64_t i : indices) {
    if (i < -rank || i >= rank) return detail::reduction_dimension_is_out_of_range(i, rank);
    reduced[static_cast<std::size_t>(i < 0 ? i + rank : i)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i) {
    if (reduced[static_cast<std::size_t>(i)] == 0)
      dims.push_back(c->Dim(input, i));
    else if (keep_dims)
      dims.push_back(c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs [first, last) are joined along the axis that input `axis_input` says.
constexpr Status ConcatShapeHelper(InferenceContext* c, int first, int last, int axis_input) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(axis_input), 0, &unused));
  std::int64_t axis = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(axis_input, &axis, &known));
  if (!known) {
    std::int32_t rank = InferenceContext::kUnknownRank;
    for (int i = first; i < last && rank == InferenceContext::kUnknownRank; ++i) rank = c->Rank(c->input(i));
    if (rank == InferenceContext::kUnknownRank) return UnknownShape(c);
    if (rank == 0) return detail::scalars_cannot_be_concatenated();
    for (int i = first; i < last; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), rank, &unused));
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  const std::int64_t min_rank = axis < 0 ? -axis : axis + 1;
  ShapeHandle before, after;
  DimensionHandle middle;
  for (int i = last - 1; i >= first; --i) {
    ShapeHandle input, input_before, input_after;
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), min_rank, &input));
    TENON_RETURN_IF_ERROR(c->Subshape(input, 0, axis, &input_before));
    if (axis == -1)
      input_after = c->Scalar();
    else
      TENON_RETURN_IF_ERROR(c->Subshape(input, axis + 1, &input_after));
    const DimensionHandle size = c->Dim(input, axis);
    if (i == last - 1) {
      before = input_before;
      after = input_after;
      middle = size;
      continue;
    }
    TENON_RETURN_IF_ERROR(c->Merge(input_before, before, &before));
    TENON_RETURN_IF_ERROR(c->Add(middle, size, &middle));
    TENON_RETURN_IF_ERROR(c->Merge(input_after, after, &after));
  }
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(middle), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status ConcatShape(InferenceContext* c) { return ConcatShapeHelper(c, 1, c->num_inputs(), 0); }
constexpr Status ConcatV2Shape(InferenceContext* c) {
  return ConcatShapeHelper(c, 0, c->num_inputs() - 1, c->num_inputs() - 1);
}

namespace internal {
// The product of the known sizes, and the position of the unknown one: -1 if there is none, -2 if there are several.
constexpr Status KnownElements(InferenceContext* c, ShapeHandle s, DimensionHandle* elements, std::int32_t* unknown) {
  *unknown = -1;
  *elements = c->NumElements(s);
  if (c->ValueKnown(*elements)) return OkStatus();
  *elements = c->MakeDim(1);
  for (std::int32_t i = 0; i < c->Rank(s); ++i) {
    const DimensionHandle dim = c->Dim(s, i);
    if (c->ValueKnown(dim))
      TENON_RETURN_IF_ERROR(c->Multiply(*elements, dim, elements));
    else if (*unknown == -1)
      *unknown = i;
    else
      *unknown = -2;
  }
  return OkStatus();
}
}  // namespace internal

// Input 1 is the new shape; one -1 in it is worked out.
constexpr Status ReshapeShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  if (c->RankKnown(out) && c->RankKnown(in)) {
    DimensionHandle in_elements, out_elements, inferred;
    std::int32_t in_unknown = -1, out_unknown = -1;
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, out, &out_elements, &out_unknown));
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, in, &in_elements, &in_unknown));
    const std::int64_t in_size = c->Value(in_elements), out_size = c->Value(out_elements);
    if (in_unknown == -1 && out_unknown == -1) {
      if (in_size != out_size)
        return detail::reshape_must_keep_the_number_of_elements(c, in_elements, out, out_elements);
    } else if (in_unknown == -1 && out_unknown >= 0 && out_size > 0) {
      TENON_RETURN_IF_ERROR(c->Divide(in_elements, out_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, inferred, &out));
    } else if (in_unknown >= 0 && out_unknown == -1 && in_size != 0) {
      TENON_RETURN_IF_ERROR(c->Divide(out_elements, in_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->Merge(c->Dim(in, in_unknown), inferred, &inferred));
    } else if (in_unknown >= 0 && out_unknown >= 0 && in_size == out_size) {
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, c->Dim(in, in_unknown), &out));
    }
  }
  c->set_output(0, out);
  return OkStatus();
}

// Joins all inputs along a new axis.
constexpr Status PackShape(InferenceContext* c) {
  ShapeHandle all = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    const Status merged = c->Merge(c->input(i), all, &all);
    if (!merged.ok()) return merged.WithAppended(StrCat("\n\tFrom merging shape ", i, " with other shapes."));
  }
  if (!c->RankKnown(all)) return UnknownShape(c);
  const std::int32_t rank = c->Rank(all) + 1;
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -rank || axis >= rank) return detail::axis_is_out_of_range(axis, rank);
  if (axis < 0) axis += rank;
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i)
    dims.push_back(i < axis ? c->Dim(all, i) : i == axis ? c->MakeDim(c->num_inputs()) : c->Dim(all, i - 1));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Input 1 is where the slice begins, input 2 its sizes; -1 takes what is left.
constexpr Status SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), begin_shape, sizes_shape, begin;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, sizes_shape, &begin_shape));
  const DimensionHandle rank = c->Dim(begin_shape, 0);
  if (c->ValueKnown(rank)) TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(rank), &input));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin));  // it may be partly known
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &sizes, &known));
  if (!known) {
    c->set_output(0, c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(begin, static_cast<std::int64_t>(sizes.size()), &begin));
  TENON_RETURN_IF_ERROR(c->WithRank(input, static_cast<std::int64_t>(sizes.size()), &input));
  SlimVector<DimensionHandle> dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const DimensionHandle length = c->Dim(input, static_cast<std::int64_t>(i));
    if (sizes[i] < -1) return detail::slice_size_must_not_be_below_minus_one(i, c->Value(length), sizes[i]);
    DimensionHandle size = c->MakeDim(sizes[i]);
    if (sizes[i] == -1) TENON_RETURN_IF_ERROR(c->Subtract(length, c->Dim(begin, static_cast<std::int64_t>(i)), &size));
    dims.push_back(size);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs: tensor, begin, end, strides.
constexpr Status StridedSliceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle begin_shape, end_shape, strides_shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &end_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &strides_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, end_shape, &begin_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, strides_shape, &begin_shape));
  SlimVector<std::int64_t> begin, end, strides;
  bool begin_known = false, end_known = false, strides_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(3, &strides, &strides_known));
  if (!c->RankKnown(input) || !c->ValueKnown(c->Dim(begin_shape, 0)) || !strides_known) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &begin, &begin_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &end, &end_known));
  std::int32_t masks[5] = {};
  constexpr std::string_view kMasks[5] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                          "shrink_axis_mask"};
  for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(c->GetAttr(kMasks[i], &masks[i]));
  SlimVector<std::int64_t> sizes;
  for (std::int32_t i = 0; i < c->Rank(input); ++i) sizes.push_back(c->Value(c->Dim(input, i)));
  StridedSlicePlan plan;
  TENON_RETURN_IF_ERROR(PlanStridedSlice(sizes, begin_known ? &begin : nullptr, end_known ? &end : nullptr, strides,
                                         masks[0], masks[1], masks[2], masks[3], masks[4], &plan));
  c->set_output(0, c->MakeShape(std::span<const std::int64_t>(plan.final_shape)));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}

}  // namespace shape_inference

TENON_SETUP_CODE_END
TENON_NAMESPACE_END

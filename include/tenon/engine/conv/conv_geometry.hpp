// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2DGeometry: the shapes, strides, dilations and paddings of a two-dimensional convolution, checked.

#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Everything about a convolution but its data. input [batch, rows, columns, depth], filter [rows, columns, depth /
// groups, out_depth], output [batch, out_rows, out_columns, out_depth].
struct Conv2DGeometry {
  Index batch = 0;
  Window rows, columns;
  Index in_depth = 0, out_depth = 0;
  Index groups = 1;
  bool channels_first = false;  // input and output are NCHW; only on a GPU

  Index group_depth() const { return in_depth / groups; }
  TensorShape output_shape() const { return ImageShape(channels_first, batch, rows.output, columns.output, out_depth); }
};

TENON_DETAIL_COLD_CODE_BEGIN
// Makes the geometry of a Conv2D from its shapes and attrs; `strides` and `dilations` have four values, in the order of
// the images. The errors are TensorFlow's.
inline Status MakeConv2DGeometry(const TensorShape& images, const TensorShape& filter, Span<const Index> image_strides,
                                 Span<const Index> image_dilations, Padding padding, Span<const Index> image_paddings,
                                 Conv2DGeometry* geometry, bool channels_first = false) {
  const TensorShape input = ShapeInOrderOfNhwc(channels_first, images);
  const InOrderOfNhwc ordered_strides(channels_first, image_strides),
      ordered_dilations(channels_first, image_dilations), ordered_paddings(channels_first, image_paddings, 2);
  const Span<const Index> strides = ordered_strides, dilations = ordered_dilations,
                          explicit_paddings = ordered_paddings;
  if (dilations.size() != 4) return errors::InvalidArgument("Sliding window dilations field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window strides field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (strides[1] <= 0 || strides[2] <= 0)
    return errors::InvalidArgument("Row and column strides should be larger than 0.");
  if (dilations[0] != 1 || dilations[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  if (dilations[1] <= 0 || dilations[2] <= 0) return errors::InvalidArgument("Dilated rates should be larger than 0.");
  TENON_RETURN_IF_ERROR(CheckValidPadding(padding, explicit_paddings, 4, TensorFormat::kNHWC));
  if (input.dims() != 4)
    return errors::InvalidArgument("convolution input must be 4-dimensional: ", input.DebugString());
  if (filter.dims() != 4)
    return errors::InvalidArgument("convolution filter must be 4-dimensional: ", filter.DebugString());

  Conv2DGeometry g;
  g.channels_first = channels_first;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(3);
  g.out_depth = filter.dim_size(3);
  const Index filter_depth = filter.dim_size(2);
  if (filter_depth <= 0) return errors::InvalidArgument("filter depth must be strictly positive, got ", filter_depth);
  if (g.in_depth % filter_depth != 0) {
    return errors::InvalidArgument("input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ",
                                   filter_depth);
  }
  g.groups = g.in_depth == 0 ? 1 : g.in_depth / filter_depth;
  if (g.out_depth % g.groups != 0) {
    return errors::InvalidArgument("output depth must be evenly divisible by number of groups: ", g.out_depth, " vs ",
                                   g.groups);
  }
  g.rows.input = input.dim_size(1);
  g.rows.size = filter.dim_size(0);
  g.rows.stride = strides[1];
  g.rows.dilation = dilations[1];
  g.columns.input = input.dim_size(2);
  g.columns.size = filter.dim_size(1);
  g.columns.stride = strides[2];
  g.columns.dilation = dilations[2];
  if (padding == Padding::kExplicit) {
    g.rows.pad_before = explicit_paddings[2];
    g.rows.pad_after = explicit_paddings[3];
    g.columns.pad_before = explicit_paddings[4];
    g.columns.pad_after = explicit_paddings[5];
  }
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.rows));
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.columns));
  if (g.rows.size == 1) g.rows.dilation = 1;  // there is nothing between its elements
  if (g.columns.size == 1) g.columns.dilation = 1;
  // Paddings cause a copy of all that the windows cover, paddings included: its bytes must fit an int64.
  constexpr Index kMostBytes = 16;  // most bytes of one element
  const auto covered = [](const Window& w) {  // -1 if an int64 cannot hold it
    const Index before_last = w.output > 0 ? (w.output - 1) * w.stride : 0, extent = w.output > 0 ? w.extent() : 0;
    return extent > std::numeric_limits<Index>::max() - before_last ? Index{-1} : before_last + extent;
  };
  const Index image = MultiplyWithoutOverflow(covered(g.rows), covered(g.columns));
  if (image < 0 || MultiplyWithoutOverflow(MultiplyWithoutOverflow(image, kMostBytes), g.in_depth) < 0)
    return errors::InvalidArgument("the convolution's windows of ", g.rows.extent(), " x ", g.columns.extent(), " x ",
                                   g.in_depth, " elements, ", g.rows.output, " x ", g.columns.output,
                                   " of them, cover more with their paddings than int64 has bytes for");
  *geometry = g;
  TensorShape output;
  TENON_ASSIGN_OR_RETURN(output, TensorShape::Make({g.batch, g.rows.output, g.columns.output, g.out_depth}));
  if (output.num_elements() > 0 && (g.rows.size == 0 || g.columns.size == 0))
    return errors::InvalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  return OkStatus();
}
TENON_DETAIL_COLD_CODE_END

TENON_DETAIL_NAMESPACE_END

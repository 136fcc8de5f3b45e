// expect: axis_is_out_of_range
// SPDX-License-Identifier: Apache-2.0
// Slices, reductions, concatenations and reshapes that cannot be.
#include <cstdint>

#include <tenon/op/shape/array_shape_fns.hpp>

using tenon::InferShape;
using tenon::StaticInput;
namespace fns = tenon::shape_inference;

struct Pack {
  static constexpr auto signature = tenon::Op("Pack")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 1 = 2")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(fns::PackShape);
};
static_assert(InferShape<Pack>({{2}, {2}}, {{"N", 2}, {"axis", 2}}).rank >= -1);
struct Concat {
  static constexpr auto signature = tenon::Op("ConcatV2")
                                        .Input("values: N * T")
                                        .Input("axis: int32")
                                        .Output("output: T")
                                        .Attr("N: int >= 2 = 2")
                                        .Attr("T: type")
                                        .SetShapeFn(fns::ConcatV2Shape);
};
// expect: scalars_cannot_be_concatenated
static_assert(InferShape<Concat>({{}, {}, {}}, {{"N", 2}}).rank >= -1);
struct Sum {
  static constexpr auto signature = tenon::Op("Sum")
                                        .Input("input: T")
                                        .Input("reduction_indices: int32")
                                        .Output("output: T")
                                        .Attr("keep_dims: bool = false")
                                        .Attr("T: type")
                                        .SetShapeFn(fns::ReductionShape);
};
// expect: reduction_dimension_is_out_of_range
static_assert(InferShape<Sum>({{2, 3}, StaticInput::Vector({2})}).rank >= -1);
struct Reshape {
  static constexpr auto signature = tenon::Op("Reshape")
                                        .Input("tensor: T")
                                        .Input("shape: int32")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(fns::ReshapeShape);
};
// expect: reshape_must_keep_the_number_of_elements
static_assert(InferShape<Reshape>({{2, 3}, StaticInput::Vector({7})}).rank >= -1);
struct Slice {
  static constexpr auto signature = tenon::Op("Slice")
                                        .Input("input: T")
                                        .Input("begin: int32")
                                        .Input("size: int32")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(fns::SliceShape);
};
// expect: slice_size_must_not_be_below_minus_one
static_assert(InferShape<Slice>({{5}, StaticInput::Vector({1}), StaticInput::Vector({-2})}).rank >= -1);
struct StridedSlice {
  static constexpr auto signature = tenon::Op("StridedSlice")
                                        .Input("input: T")
                                        .Input("begin: int32")
                                        .Input("end: int32")
                                        .Input("strides: int32")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(fns::StridedSliceShape);
};
using Values = std::initializer_list<std::int64_t>;
constexpr bool Takes(Values input, Values begin, Values end, Values strides, int ellipsis_mask = 0, int shrink = 0) {
  return InferShape<StridedSlice>(
             {input, StaticInput::Vector(begin), StaticInput::Vector(end), StaticInput::Vector(strides)},
             {{"ellipsis_mask", ellipsis_mask}, {"shrink_axis_mask", shrink}})
             .rank >= -1;
}
// expect: only_one_ellipsis_is_allowed
static_assert(Takes({4, 4}, {0, 0}, {1, 1}, {1, 1}, 3));
// expect: single_index_needs_a_positive_stride
static_assert(Takes({4}, {0}, {1}, {-1}, 0, 1));
// expect: slice_has_more_indices_than_the_input_dimensions
static_assert(Takes({4}, {0, 0}, {1, 1}, {1, 1}));
// expect: slice_index_is_out_of_bounds
static_assert(Takes({4}, {4}, {5}, {1}, 0, 1));
// expect: stride_must_not_be_zero
static_assert(Takes({4}, {0}, {1}, {0}));
constexpr bool PlansUnequalBounds() {
  const tenon::SlimVector<std::int64_t> one(1, 1), two(2, 1);
  const std::int64_t sizes[] = {4, 4};
  tenon::StridedSlicePlan plan;
  return PlanStridedSlice(sizes, &one, &two, two, 0, 0, 0, 0, 0, &plan).ok();
}
// expect: slice_bounds_must_be_equally_long_vectors
static_assert(PlansUnequalBounds());

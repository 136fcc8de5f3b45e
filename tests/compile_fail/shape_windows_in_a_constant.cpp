// expect: channel_block_must_be_4_or_32
// SPDX-License-Identifier: Apache-2.0
// Convolutions and windows that cannot be.
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/op/shape/nn_shape_fns.hpp>

using tenon::InferShape;

struct Conv2D {
  static constexpr auto signature = tenon::Op("Conv2D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: string")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: string = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(tenon::shape_inference::Conv2DShape);
};
using List = std::initializer_list<std::int64_t>;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
// Any answer will do: the mistake is what stops the compiler.
constexpr bool Runs(List input, List filter, List strides = {1, 1, 1, 1}, std::string_view padding = "SAME",
                    List paddings = {}, std::string_view format = "NHWC", List dilations = {1, 1, 1, 1}) {
  return InferShape<Conv2D>({input, filter}, {{"strides", strides},
                                              {"padding", padding},
                                              {"explicit_paddings", paddings},
                                              {"data_format", format},
                                              {"dilations", dilations}})
             .rank >= -1;
}
constexpr bool Window(std::int64_t input, std::int64_t filter, std::int64_t dilation, std::int64_t before = 0) {
  std::int64_t output = 0, after = 0;
  return GetWindowedOutputSize(input, filter, dilation, 1, tenon::Padding::kExplicit, &output, &before, &after).ok();
}
struct Norm {
  static constexpr auto signature = tenon::Op("Norm")
                                        .Input("x: float")
                                        .Input("scale: float")
                                        .Input("offset: float")
                                        .Input("mean: float")
                                        .Input("variance: float")
                                        .Output("y: float")
                                        .Output("outputs: N * float")
                                        .Attr("N: int = 5")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(tenon::shape_inference::FusedBatchNormExShape);
};
constexpr bool NormRuns(List x) { return InferShape<Norm>({x, {6}, {6}, {6}, {6}}, {}).rank >= -1; }
constexpr bool FilterFormat(std::string_view text) {
  tenon::FilterTensorFormat format{};
  return ParseFilterTensorFormat(text, &format).ok();
}

static_assert(Runs({1, 1, 5, 5, 8}, {4, 1, 1, 1, 8}, {1, 1, 1, 1}, "SAME", {}, "NCHW_VECT_C"));
// expect: channels_must_come_in_fours
static_assert(NormRuns({1, 5, 5, 6}));
// expect: filter_format_is_not_allowed
static_assert(FilterFormat("HWOI"));
// expect: data_format_is_not_allowed
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "SAME", {}, "NWHC"));
// expect: depth_of_filter_must_not_be_zero
static_assert(Runs({1, 5, 5, 4}, {1, 1, 0, 4}));
// expect: depth_of_input_must_be_a_multiple_of_the_filters
static_assert(Runs({1, 5, 5, 4}, {1, 1, 3, 4}));
// expect: depth_of_output_must_be_a_multiple_of_the_groups
static_assert(Runs({1, 5, 5, 4}, {1, 1, 2, 5}));
// expect: number_of_groups_must_not_be_zero
static_assert(Runs({1, 5, 5, 0}, {1, 1, 2, 5}));
// expect: dilation_must_be_positive
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "SAME", {}, "NHWC", {1, 0, 1, 1}));
// expect: stride_must_be_positive
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 0, 1, 1}));
// expect: list_attr_has_the_wrong_length
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1}));
// expect: padding_is_not_allowed
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "FULL"));
// expect: explicit_paddings_have_the_wrong_length
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "EXPLICIT", {1, 1}));
// expect: explicit_paddings_must_be_empty
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "SAME", {0, 0, 1, 1, 1, 1, 0, 0}));
// expect: explicit_paddings_must_not_be_negative
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "EXPLICIT", {0, 0, -1, 1, 1, 1, 0, 0}));
// expect: explicit_paddings_of_batch_and_depth_must_be_zero
static_assert(Runs({1, 5, 5, 4}, {1, 1, 4, 4}, {1, 1, 1, 1}, "EXPLICIT", {1, 0, 1, 1, 1, 1, 0, 0}));
// expect: padded_input_is_too_large
static_assert(Window(5, 3, 1, kMost));
// expect: window_is_larger_than_the_input
static_assert(Window(2, 5, 1));
// expect: window_is_too_large
static_assert(Window(5, 3, kMost));

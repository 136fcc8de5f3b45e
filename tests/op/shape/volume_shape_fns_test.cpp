// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/volume_shape_fns.hpp>

#include <string>

#include <doctest/doctest.h>

namespace volume_shape_fns_test {
namespace {
using namespace tenon;

struct Volume {
  static constexpr auto signature = Op("Volume")
                                        .Input("input: float")
                                        .Input("filter: float")
                                        .Output("output: float")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::Conv3DShape);
};
static_assert(InferShape<Volume>({{1, 8, 9, 10, 3}, {3, 3, 3, 3, 4}},
                                 {{"strides", {1, 1, 1, 1, 1}}, {"padding", "VALID"}}) == StaticShape{1, 6, 7, 8, 4});
static_assert(InferShape<Volume>({{-1, 3, 8, 9, 10}, {3, 3, 3, 3, 4}},
                                 {{"strides", {1, 1, 2, 2, 2}}, {"padding", "SAME"}, {"data_format", "NCDHW"}}) ==
              StaticShape{-1, 4, 4, 5, 5});
// As TensorFlow 2.21 answers: rows get the dilation of columns.
static_assert(InferShape<Volume>({{2, 20, 30, 40, 3}, {3, 2, 5, 3, 7}}, {{"strides", {1, 1, 1, 1, 1}},
                                                                         {"padding", "VALID"},
                                                                         {"dilations", {1, 1, 2, 3, 1}}}) ==
              StaticShape{2, 18, 27, 32, 7});

// Any number of batch dimensions, a space of two or three; the answers are those of TensorFlow 2.21.
struct AnyConv {
  static constexpr auto signature = Op("AnyConv")
                                        .Input("input: float")
                                        .Input("filter: float")
                                        .Output("output: float")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'} = 'VALID'")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'")
                                        .Attr("dilations: list(int) = []")
                                        .Attr("batch_dims: int = 1")
                                        .Attr("groups: int = 1")
                                        .SetShapeFn(shape_inference::ConvShape);
};
static_assert(InferShape<AnyConv>({{2, 8, 9, 3}, {3, 3, 3, 5}}, {{"strides", {1, 2, 3, 1}}}) ==
              StaticShape{2, 3, 3, 5});
static_assert(InferShape<AnyConv>({{2, 8, 9, 3}, {3, 3, 3, 5}}, {{"strides", {1, 2, 3, 1}}, {"padding", "SAME"}}) ==
              StaticShape{2, 4, 3, 5});
static_assert(InferShape<AnyConv>({{2, 8, 9, 4}, {3, 3, 2, 6}}, {{"strides", {1, 1, 1, 1}}, {"groups", 2}}) ==
              StaticShape{2, 6, 7, 6});
static_assert(InferShape<AnyConv>({{2, 3, 8, 9}, {3, 3, 3, 5}},
                                  {{"strides", {1, 1, 1, 1}}, {"data_format", "CHANNELS_FIRST"}}) ==
              StaticShape{2, 5, 6, 7});
static_assert(InferShape<AnyConv>({{2, 8, 8, 8, 3}, {3, 3, 3, 3, 5}},
                                  {{"strides", {1, 1, 2, 3, 1}}, {"dilations", {1, 1, 2, 2, 1}}}) ==
              StaticShape{2, 6, 2, 2, 5});
static_assert(InferShape<AnyConv>({{7, 2, 8, 8, 3}, {3, 3, 3, 5}}, {{"strides", {1, 1, 2, 1}}, {"batch_dims", 2}}) ==
              StaticShape{7, 2, 6, 3, 5});
static_assert(InferShape<AnyConv>({{8, 8, 3}, {3, 3, 3, 5}}, {{"strides", {1, 1, 1, 1}}, {"batch_dims", 0}}) ==
              StaticShape{6, 6, 5});
static_assert(InferShape<AnyConv>({{2, 8, 8, 3}, StaticShape()}, {{"strides", {1, 1, 1, 1}}}) == StaticShape());
static_assert(InferShape<AnyConv>({{-1, -1, 8, -1}, {3, 3, 3, 5}}, {{"strides", {1, 1, 1, 1}}}) ==
              StaticShape{-1, -1, 6, 5});
static_assert(InferShape<AnyConv>({{2, 8, 8, 3}, {3, 3, 3, 5}}, {{"strides", {1, 1, 1, 1}},
                                                                 {"padding", "EXPLICIT"},
                                                                 {"explicit_paddings", {0, 0, 1, 1, 2, 2, 0, 0}}}) ==
              StaticShape{2, 8, 10, 5});

struct Pool {
  static constexpr auto signature = Op("Pool")
                                        .Input("input: float")
                                        .Output("output: float")
                                        .Attr("ksize: list(int)")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
                                        .SetShapeFn(shape_inference::Pool3DShape);
};
static_assert(InferShape<Pool>({{1, 8, 8, 8, 3}},
                               {{"ksize", {1, 2, 2, 2, 1}}, {"strides", {1, 2, 2, 2, 1}}, {"padding", "VALID"}}) ==
              StaticShape{1, 4, 4, 4, 3});

struct ConvGradient {
  static constexpr auto signature = Op("ConvGradient")
                                        .Input("sizes: int32")
                                        .Input("filter: float")
                                        .Input("gradient: float")
                                        .Output("output: float")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .SetShapeFn(shape_inference::Conv2DBackpropInputShape);
};
static_assert(InferShape<ConvGradient>({StaticInput::Vector({2, 8, 8, 3}), {3, 3, 3, 4}, {2, 8, 8, 4}}) ==
              StaticShape{2, 8, 8, 3});
static_assert(InferShape<ConvGradient>({StaticInput::Vector({8, 8}), {3, 3, 3, 4}, {2, 8, 8, 4}}) ==
              StaticShape{2, 8, 8, 3});

struct FilterGradient {
  static constexpr auto signature = Op("FilterGradient")
                                        .Input("input: float")
                                        .Input("sizes: int32")
                                        .Input("gradient: float")
                                        .Output("filter: float")
                                        .Output("bias: float")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .SetShapeFn(shape_inference::Conv2DBackpropFilterWithBiasShape);
};
static_assert(InferShape<FilterGradient>({{2, 8, 8, 3}, StaticInput::Vector({3, 3, 3, 4}), {2, 8, 8, 4}}) ==
              StaticShape{3, 3, 3, 4});
static_assert(InferShape<FilterGradient>({{2, 8, 8, 3}, StaticInput::Vector({3, 3, 3, 4}), {2, 8, 8, 4}}, {}, 1) ==
              StaticShape{4});

TEST_SUITE("shape functions of volumes and gradients") {
  TEST_CASE("refuse other ranks and counts") {
    constexpr OpView view = ConvGradient::signature.view();
    InferenceContext c(view, {StaticInput::Vector({8, 8, 3}), {3, 3, 3, 4}, {2, 8, 8, 4}});
    CHECK(shape_inference::Conv2DBackpropInputShape(&c).message() ==
          "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: 3");
    constexpr OpView pool = Pool::signature.view();
    InferenceContext flat(pool, {{1, 8, 8, 3}}, {{"ksize", {1, 2, 2, 2, 1}}, {"strides", {1, 1, 1, 1, 1}}});
    CHECK(shape_inference::Pool3DShape(&flat).message() == "Shape must be rank 5 but is rank 4");
    constexpr OpView conv = AnyConv::signature.view();
    const auto refused = [&](StaticInput input, StaticInput filter, std::int64_t groups) {
      InferenceContext any(conv, {input, filter}, {{"strides", {1, 1, 1, 1}}, {"groups", groups}});
      return std::string(shape_inference::ConvShape(&any).message());
    };
    CHECK(refused({2, 2, 1, 1}, {2, 1, 1}, 1).find("Input tensor rank must be the same as filter rank") == 0);
    CHECK(refused({1, 1, 1, 13}, {3, 3, 13, 3}, 3).find("Number of groups should divide input depth") == 0);
    CHECK(refused({3, 3, 3, 3}, {1, 1, 3, 13}, 3).find("Number of groups should divide output depth") == 0);
    CHECK(shape_inference::MaxPool3DGradShape(&flat).code() == Code::kInvalidArgument);
    CHECK(shape_inference::MaxPoolGradShape(&flat).ok());
    CHECK(flat.DebugString(flat.output(0)) == "[1,8,8,3]");
  }
}
}  // namespace
}  // namespace volume_shape_fns_test

// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the functions.
#include <tenon/op/shape/nn_shape_fns.hpp>

#include <string_view>

#include <doctest/doctest.h>

namespace nn_shape_fns_test {
namespace {
using namespace tenon;

struct Convolution {
  static constexpr auto signature = Op("Convolution")
                                        .Input("input: float")
                                        .Input("filter: float")
                                        .Output("output: float")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::Conv2DShape);
};
// Without padding: (28 - 5) / 2 + 1.
static_assert(InferShape<Convolution>({{1, 28, 28, 3}, {5, 5, 3, 8}},
                                      {{"strides", {1, 2, 2, 1}}, {"padding", "VALID"}}) == StaticShape{1, 12, 12, 8});
static_assert(InferShape<Convolution>({{-1, 3, 28, 28}, {5, 5, 3, 8}},
                                      {{"strides", {1, 1, 2, 2}}, {"padding", "SAME"}, {"data_format", "NCHW"}}) ==
              StaticShape{-1, 8, 14, 14});
struct Norm {
  static constexpr auto signature = Op("Norm")
                                        .Input("x: float")
                                        .Input("scale: float")
                                        .Input("offset: float")
                                        .Input("mean: float")
                                        .Input("variance: float")
                                        .Output("y: float")
                                        .Output("more: N * float")
                                        .Attr("N: int = 5")
                                        .Attr("data_format: string = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormExShape);
};
static_assert(InferShape<Norm>({{2, 5, 5, -1}, {8}, {8}, {8}, {8}}) == StaticShape{2, 5, 5, 8});

TEST_SUITE("shape functions of images") {
  TEST_CASE("refuse a filter of another depth") {
    constexpr OpView view = Convolution::signature.view();
    InferenceContext c(view, {{1, 8, 8, 3}, {2, 2, 2, 4}}, {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}});
    CHECK(shape_inference::Conv2DShape(&c).message() ==
          "Depth of input (3) is not a multiple of input depth of filter (2)");
  }
  TEST_CASE("FusedBatchNormEx: four channels at a time, of images") {
    constexpr OpView view = Norm::signature.view();
    InferenceContext six(view, {{2, 5, 5, 6}, {6}, {6}, {6}, {6}});
    CHECK(shape_inference::FusedBatchNormExShape(&six).message() ==
          "_FusedBatchNormEx channel dimension must be divisible by 4.");
    InferenceContext second(view, {{2, 8, 5, 6}, {8}, {8}, {8}, {8}}, {{"data_format", "NCHW"}});
    CHECK(shape_inference::FusedBatchNormExShape(&second).ok());
    InferenceContext volume(view, {{2, 5, 5, 5, 8}, {8}, {8}, {8}, {8}}, {{"data_format", "NDHWC"}});
    CHECK(shape_inference::FusedBatchNormExShape(&volume).message() == "Shape must be rank 4 but is rank 5");
  }
  TEST_CASE("formats that do not begin with the batch are refused") {
    constexpr OpView view = Norm::signature.view();
    for (const std::string_view format : {"HWNC", "HWCN", "NHWC_VECT_W"}) {
      InferenceContext c(view, {{2, 5, 5, 8}, {8}, {8}, {8}, {8}}, {{"data_format", format}});
      CHECK(shape_inference::FusedBatchNormExShape(&c).message() == StrCat("Invalid data format string: ", format));
    }
  }
}
}  // namespace
}  // namespace nn_shape_fns_test

// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the functions.
#include <tenon/op/nn_shape_fns.hpp>

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

TEST_SUITE("shape functions of images") {
  TEST_CASE("refuse a filter of another depth") {
    constexpr OpView view = Convolution::signature.view();
    InferenceContext c(view, {{1, 8, 8, 3}, {2, 2, 2, 4}}, {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}});
    CHECK(shape_inference::Conv2DShape(&c).message() ==
          "Depth of input (3) is not a multiple of input depth of filter (2)");
  }
}
}  // namespace
}  // namespace nn_shape_fns_test

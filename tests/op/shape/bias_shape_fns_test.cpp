// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the functions.
#include <tenon/op/shape/bias_shape_fns.hpp>

#include <doctest/doctest.h>

namespace bias_shape_fns_test {
namespace {
using namespace tenon;

template <ShapeFn Fn>
struct Bias {
  static constexpr auto signature = Op("Bias")
                                        .Input("value: float")
                                        .Input("bias: float")
                                        .Output("output: float")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .SetShapeFn(Fn);
};
using Add = Bias<shape_inference::BiasAddShape>;
using Gradient = Bias<shape_inference::BiasAddGradShape>;
static_assert(InferShape<Add>({{8, -1}, {16}}) == StaticShape{8, 16});
static_assert(InferShape<Add>({{8, -1, 28}, {16}}, {{"data_format", "NCHW"}}) == StaticShape{8, 16, 28});
static_assert(InferShape<Gradient>({{8, 16, 28}, {}}) == StaticShape{28});

}  // namespace

TEST_SUITE("bias_shape_fns.hpp") {
  TEST_CASE("a bias has the size of the channels") {
    static_assert(InferShape<Gradient>({{8, 16, 28}, {}}, {{"data_format", "NCHW"}}) == StaticShape{16});
    CHECK(InferShape<Add>({{8, 16}, {-1}}) == StaticShape{8, 16});
  }
}
}  // namespace bias_shape_fns_test

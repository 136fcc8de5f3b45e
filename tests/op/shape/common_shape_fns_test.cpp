// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the functions.
#include <tenon/op/shape/common_shape_fns.hpp>

#include <doctest/doctest.h>

namespace common_shape_fns_test {
namespace {
using namespace tenon;

struct Sum {
  static constexpr auto signature = Op("Sum")
                                        .Input("x: float")
                                        .Input("y: float")
                                        .Output("z: float")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
};
struct Product {
  static constexpr auto signature = Op("Product")
                                        .Input("a: float")
                                        .Input("b: float")
                                        .Output("product: float")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .SetShapeFn(shape_inference::MatMulShape);
};
static_assert(InferShape<Sum>({{2, 1, 4}, {3, 1}}) == StaticShape{2, 3, 4});
static_assert(InferShape<Sum>({{2, -1}, {2, 1}}) == StaticShape{2, -1});
static_assert(InferShape<Product>({{2, 3}, {5, 3}}, {{"transpose_b", true}}) == StaticShape{2, 5});
constexpr auto kSumAndMore = Op("SumAndMore").Input("a: float").Input("b: float").Output("c: float").Output("d: float");
constexpr OpView kSumAndMoreOp = kSumAndMore.view();

TEST_SUITE("common shape functions") {
  TEST_CASE("refuse shapes that do not fit") {
    constexpr OpView view = Product::signature.view();
    InferenceContext c(view, {{2, 3}, {4, 5}});
    CHECK(shape_inference::MatMulShape(&c).message() == "Dimensions must be equal, but are 3 and 4");
  }
  TEST_CASE("a broadcast shape is that of the output asked for") {
    InferenceContext c(kSumAndMoreOp, {{2, 1}, {3}});
    REQUIRE(shape_inference::BroadcastBinaryOpOutputShapeFn(&c, 1).ok());
    CHECK(c.DebugString(c.output(1)) == "[2,3]");
  }
}
}  // namespace
}  // namespace common_shape_fns_test

// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the functions.
#include <tenon/op/shape/array_shape_fns.hpp>

#include <doctest/doctest.h>

namespace array_shape_fns_test {
namespace {
using namespace tenon;

struct Reshaped {
  static constexpr auto signature = Op("Reshaped")
                                        .Input("tensor: float")
                                        .Input("shape: int32")
                                        .Output("output: float")
                                        .SetShapeFn(shape_inference::ReshapeShape);
};
struct Reduced {
  static constexpr auto signature = Op("Reduced")
                                        .Input("input: float")
                                        .Input("axes: int32")
                                        .Output("output: float")
                                        .Attr("keep_dims: bool = false")
                                        .SetShapeFn(shape_inference::ReductionShape);
};
static_assert(InferShape<Reshaped>({StaticShape{4, 6}, StaticInput::Vector({3, -1})}) == StaticShape{3, 8});
static_assert(InferShape<Reduced>({StaticShape{4, 6, 5}, StaticInput::Vector({-1, 0})}) == StaticShape{6});
static_assert(InferShape<Reduced>({StaticShape{4, 6, 5}, StaticInput::Vector({1})}, {{"keep_dims", true}}) ==
              StaticShape{4, 1, 5});
// The third input has nothing to do with it.
constexpr Status JoinTwo(InferenceContext* c) { return shape_inference::ConcatShape(c, 2); }
struct Joined {
  static constexpr auto signature = Op("Joined")
                                        .Input("axis: int32")
                                        .Input("a: float")
                                        .Input("b: float")
                                        .Input("more: float")
                                        .Output("output: float")
                                        .SetShapeFn(JoinTwo);
};
static_assert(InferShape<Joined>({StaticInput::Scalar(1), StaticShape{2, 3}, StaticShape{2, 4}, StaticShape{9}}) ==
              StaticShape{2, 7});
// All that there are.
struct AllJoined {
  static constexpr auto signature = Op("AllJoined")
                                        .Input("axis: int32")
                                        .Input("a: float")
                                        .Input("b: float")
                                        .Output("output: float")
                                        .SetShapeFn(shape_inference::ConcatShape);
};
static_assert(InferShape<AllJoined>({StaticInput::Scalar(0), StaticShape{2, 3}, StaticShape{4, 3}}) ==
              StaticShape{6, 3});

TEST_SUITE("shape functions that move elements") {
  TEST_CASE("refuse another number of elements") {
    constexpr OpView view = Reshaped::signature.view();
    InferenceContext c(view, {StaticShape{4, 6}, StaticInput::Vector({5, 5})});
    CHECK(shape_inference::ReshapeShape(&c).message().starts_with(
        "Cannot reshape a tensor with 24 elements to shape [5,5] (25 elements)"));
  }
}
}  // namespace
}  // namespace array_shape_fns_test

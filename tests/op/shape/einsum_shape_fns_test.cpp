// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/einsum_shape_fns.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace einsum_shape_fns_test {
namespace {
using namespace tenon;

struct Product {
  static constexpr auto signature = Op("Product")
                                        .Input("a: float")
                                        .Input("b: float")
                                        .Output("output: float")
                                        .Attr("equation: string")
                                        .SetShapeFn(shape_inference::EinsumShape);
};
static_assert(InferShape<Product>({{2, 3}, {3, -1}}, {{"equation", "ij,jk->ki"}}) == StaticShape{-1, 2});
static_assert(InferShape<Product>({{5, 1, 2, 3}, {4, 3, 7}}, {{"equation", "...ij,...jk->...ik"}}) ==
              StaticShape{5, 4, 2, 7});

TEST_SUITE("Einsum's shape function") {
  TEST_CASE("says what does not fit") {
    constexpr OpView view = Product::signature.view();
    const auto refusal = [&](std::string_view equation, std::initializer_list<StaticInput> inputs) {
      InferenceContext c(view, inputs, {{"equation", equation}});
      const Status status = shape_inference::EinsumShape(&c);
      return status.ok() ? c.DebugString(c.output(0)) : std::string(status.message());
    };
    CHECK(refusal("ij,jk->ik", {{2, 3}, {4, 5}}) == "Dimensions must be equal, but are 3 and 4");
    CHECK(refusal("ij->ij", {{2, 3}, {4, 5}}) == "Expected 1 inputs for equation ij->ij but got: 2");
    CHECK(refusal("ij,jk->ix", {{2, 3}, {3, 5}}) ==
          "Einsum output subscripts for equation 'ij,jk->ix' has label 'x' which is not present in the input "
          "subscripts");
    CHECK(refusal("...ij,jk->ik", {{9, 2, 3}, {3, 5}}) ==
          "Shape must be at most rank 0 but is rank 1\n\t for einsum equation '...ij,jk->ik' without ellipsis (...) in "
          "the output subscripts where input(s) have non-empty broadcasting shape");
    CHECK(refusal("ij,jk->ik", {{2, 3, 4}, {3, 5}}) ==
          "Shape must be rank 2 but is rank 3\n\t for 0th input and equation: ij,jk->ik");
    CHECK(refusal("ij,jk->ik", {StaticShape(), {3, 5}}) == "[?,5]");
    CHECK(refusal("...ij,jk->...ik", {StaticShape(), {3, 5}}) == "?");
  }
}
}  // namespace
}  // namespace einsum_shape_fns_test

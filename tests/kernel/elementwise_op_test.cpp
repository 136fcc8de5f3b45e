// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/elementwise_op.hpp>

#include <doctest/doctest.h>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>

#include "run_op.hpp"

namespace elementwise_op_test {
using namespace tenon;

namespace {
struct KtClip {
  static constexpr auto signature = Op("KtClip")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .Attr("limit: float = 1.0")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float limit;
  };
  template <class T>
  TENON_HD static T map(T x, const Attrs& attrs) {
    return x > T(attrs.limit) ? T(attrs.limit) : x;
  }
  template <class Device, class T>
  using kernel = Map1<KtClip, Device, T>;
};
struct KtLess {
  static constexpr auto signature = Op("KtLess")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Output("y: bool")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  template <class T>
  TENON_HD static bool map(T a, T b) {
    return a < b;
  }
  template <class Device, class T>
  using kernel = Map2<KtLess, Device, T>;
};
}  // namespace
TENON_REGISTER(KtClip, KtLess);

TEST_SUITE("Map1 and Map2") {
  TEST_CASE("map may read the op's attrs") {
    const auto out = kernel_test::RunOp("KtClip", {{"limit", 2.0f}}, {MakeTensor<float>({3}, {1, 2, 3})});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<float>()(2) == 2);
  }
  TEST_CASE("operands are broadcast, and the result may have another type") {
    const auto out =
        kernel_test::RunOp("KtLess", {}, {MakeTensor<float>({2, 1}, {1, 3}), MakeTensor<float>({3}, {0, 2, 4})});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].shape() == TensorShape{2, 3});
    CHECK((*out)[0].flat<bool>()(1));
    CHECK(!(*out)[0].flat<bool>()(4));
  }
}
}  // namespace elementwise_op_test

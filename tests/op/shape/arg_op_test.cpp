// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/arg_op.hpp>

#include <doctest/doctest.h>

namespace arg_shape_test {
using namespace tenon;

namespace {
constexpr auto kOp =
    Op("_Arg").Output("output: T").Attr("T: type").Attr("index: int >= 0").SetShapeFn(shape_inference::ArgShape);
constexpr OpView kView = kOp.view();

// What the output of such a node holds; "" for nothing.
std::string Held(const SlimVector<PartialTensorShape>& shapes, const SlimVector<DataType>& types) {
  NodeDef node;
  node.name = "x";
  node.op = "_Arg";
  node.attr.Set("_handle_shapes", AttrValue(shapes));
  node.attr.Set("_handle_dtypes", AttrValue(types));
  InferenceContext c;
  c.Reset(1, &node, &kView);
  CHECK(RunShapeFn(&c, kOp.shape_fn).ok());
  CHECK(c.DebugString(c.output(0)) == "?");
  const auto* const held = c.output_handle_shapes_and_types(0);
  return held == nullptr ? "" : c.DebugString(*held);
}
}  // namespace

TEST_SUITE("ArgShape") {
  TEST_CASE("says what the caller's resource holds") {
    CHECK(Held({PartialTensorShape({2, -1})}, {DataType::kFloat}) == "[[2,?]:float]");
    CHECK(Held({PartialTensorShape(), PartialTensorShape({3})}, {DataType::kHalf, DataType::kInt32}) ==
          "[?:half,[3]:int32]");
  }
  TEST_CASE("says nothing when the lists are empty or do not fit") {
    CHECK(Held({}, {}).empty());
    CHECK(Held({PartialTensorShape({2})}, {}).empty());
    CHECK(Held({PartialTensorShape({2})}, {DataType::kFloat, DataType::kInt32}).empty());
  }
  TEST_CASE("needs no node") {
    InferenceContext c(kView, {});
    CHECK(shape_inference::ArgShape(&c).ok());
    CHECK(c.output_handle_shapes_and_types(0) == nullptr);
  }
}
}  // namespace arg_shape_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/variable_shapes.hpp>

#include <string>

#include <doctest/doctest.h>

namespace state_variable_shapes_test {
using namespace tenon;
namespace shapes = ops::detail;

namespace {

constexpr auto kSignature =
    Op("SvsOp").Input("v: resource").Input("x: dtype").Input("r: Ref(float)").Output("y: dtype").Attr("dtype: type");
constexpr OpView kOp = kSignature.view();

// A node whose input 0 is a handle of a float of shape [2,?], if `known`.
struct Node {
  explicit Node(const StaticShape& x, bool known = true, DataType dtype = DataType::kFloat)
      : c(kOp, {StaticShape{}, x, StaticShape{5}}, {{"dtype", dtype}}) {
    if (!known) return;
    const std::int64_t sizes[] = {2, -1};
    SlimVector<ShapeAndType> held;
    held.push_back({c.MakeShape(std::span<const std::int64_t>(sizes)), DataType::kFloat});
    c.set_input_handle_shapes_and_types(0, held);
  }
  std::string Run(ShapeFn fn) {
    const Status status = RunShapeFn(&c, fn);
    return status.ok() ? "OK" : std::string(status.message().substr(0, status.message().find(" for '")));
  }
  InferenceContext c;
};

}  // namespace

TEST_SUITE("what handles say of variables") {
  TEST_CASE("a read has the variable's shape, unknown where nobody said it") {
    Node known(StaticShape{}), unknown(StaticShape{}, false);
    REQUIRE(known.Run(shapes::ReadVariableShape) == "OK");
    CHECK(known.c.DebugString(known.c.output(0)) == "[2,?]");
    REQUIRE(unknown.Run(shapes::ReadVariableShape) == "OK");
    CHECK(unknown.c.DebugString(unknown.c.output(0)) == "?");
  }
  TEST_CASE("another type is refused where the op has one") {
    Node wrong(StaticShape{}, true, DataType::kInt32);
    CHECK(wrong.Run(shapes::ReadVariableShape) == "Trying to read variable with wrong dtype. Expected float got int32");
    ShapeAndType held;
    CHECK(shapes::HeldByHandle(&wrong.c, 0, "", &held).ok());  // without the name of an attr nothing is compared
    CHECK(held.dtype == DataType::kFloat);
    CHECK(Node(StaticShape{}, false, DataType::kInt32).Run(shapes::ReadVariableShape) == "OK");
    CHECK(!shapes::HeldByHandle(&wrong.c, 0, "no_such_attr", &held).ok());
  }
  TEST_CASE("a value must fit, as far as both are known") {
    CHECK(Node({2, 7}).Run(shapes::AssignVariableShape) == "OK");
    CHECK(Node(StaticShape()).Run(shapes::AssignVariableShape) == "OK");
    CHECK(Node({3, 7})
              .Run(shapes::AssignVariableShape)
              .find("Dimension 0 in both shapes must be equal, but are 2 and 3") == 0);
    CHECK(Node({2}).Run(shapes::AssignVariableShape).find("Shapes must be equal rank, but are 2 and 1") == 0);
    CHECK(Node({3, 7}, false).Run(shapes::AssignVariableShape) == "OK");
  }
  TEST_CASE("by handle, by reference, and of a handle of which nothing is known") {
    Node known(StaticShape{9}), unknown(StaticShape{9}, false);
    CHECK(known.c.DebugString(shapes::VariableShapeOf(&known.c, 0)) == "[2,?]");
    CHECK(known.c.DebugString(shapes::VariableShapeOf(&known.c, 2)) == "[5]");
    CHECK(unknown.c.DebugString(shapes::VariableShapeOf(&unknown.c, 0)) == "?");
    unknown.c.set_input_handle_shapes_and_types(0, {});
    CHECK(unknown.c.DebugString(shapes::VariableShapeOf(&unknown.c, 0)) == "?");
  }
}
}  // namespace state_variable_shapes_test

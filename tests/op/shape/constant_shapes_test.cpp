// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/constant_shapes.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/op/shape/inference_context.hpp>

namespace constant_shapes_test {
namespace {
using namespace tenon;

std::string Text(const ShapeArena& arena, const SlimVector<ShapeHandle>& shapes) {
  std::string text;
  for (const ShapeHandle shape : shapes) text += arena.DebugString(shape);
  return text;
}
std::string Given(const StaticAttr& attr, bool is_list) {
  InferenceContext arena;
  SlimVector<ShapeHandle> shapes;
  return detail::ShapesOf(attr, is_list, &arena, &shapes) ? Text(arena, shapes) : "none";
}
template <class Signature>
std::string Default(const Signature& signature, bool is_list) {
  InferenceContext arena;
  SlimVector<ShapeHandle> shapes;
  return detail::DefaultShapesOf(signature.view().attrs[0], is_list, &arena, &shapes) ? Text(arena, shapes) : "none";
}

constexpr auto kShape = Op("CsShape").Attr("s: shape = { dim { size: 2 } dim { size: -1 } }");
constexpr auto kUnknown = Op("CsUnknown").Attr("s: shape = { unknown_rank: true }");
constexpr auto kList = Op("CsList").Attr("s: list(shape) = [{ dim { size: 3 } }, {}]");
constexpr auto kEmpty = Op("CsEmpty").Attr("s: list(shape) = []");
constexpr auto kNegative = Op("CsNegative").Attr("s: shape = { dim { size: -2 } }");
constexpr auto kNumber = Op("CsNumber").Attr("s: int = 2");

TEST_SUITE("shapes of constants") {
  TEST_CASE("given as a shape, as integers, as a list") {
    CHECK(Given({"s", StaticShape{2, -1}}, false) == "[2,?]");
    CHECK(Given({"s", StaticShape()}, false) == "?");
    CHECK(Given({"s", {7, 8}}, false) == "[7,8]");
    CHECK(Given({"s", {StaticShape{2, -1}, StaticShape(), StaticShape{5}}}, true) == "[2,?]?[5]");
  }
  TEST_CASE("another kind of attr gives none") {
    CHECK(Given({"s", StaticShape{2}}, true) == "none");
    CHECK(Given({"s", {StaticShape{2}}}, false) == "none");
    CHECK(Given({"s", {7, 8}}, true) == "none");
    CHECK(Given({"s", 7}, false) == "none");
  }
  TEST_CASE("as the signature's default") {
    CHECK(Default(kShape, false) == "[2,?]");
    CHECK(Default(kUnknown, false) == "?");
    CHECK(Default(kList, true) == "[3][]");
    CHECK(Default(kEmpty, true).empty());
    CHECK(Default(kShape, true) == "none");
    CHECK(Default(kList, false) == "none");
    CHECK(Default(kNegative, false) == "none");
    CHECK(Default(kNumber, false) == "none");
  }
}
}  // namespace
}  // namespace constant_shapes_test

// SPDX-License-Identifier: Apache-2.0
// The lists of types are TensorFlow's; tests/ops/op_list_test.cpp compares every op made with them with its OpDef.
#include <tenon/ops/math/signatures.hpp>

#include <string>

#include <tenon/op/op_def/to_op_def.hpp>

#include <doctest/doctest.h>

namespace math_signatures_test {
using namespace tenon;

namespace {

constexpr auto kUnary = ops::detail::UnaryOp("SignaturesTestUnary", ops::detail::kSignedTypes);
constexpr auto kUnaryToBool = ops::detail::UnaryOp("SignaturesTestToBool", ops::detail::kRealTypes, "y: bool");
constexpr auto kBinary = ops::detail::BinaryOp("SignaturesTestBinary", ops::detail::kOrderedTypes);

// "float, double": the types of attr T in their order.
std::string TypesOf(const OpDef& def) {
  const OpDef::AttrDef* attr = FindAttr("T", def);
  REQUIRE(attr != nullptr);
  CHECK(attr->type == "type");
  CHECK_FALSE(attr->default_value.has_value());
  std::string text;
  for (const DataType type : attr->allowed_values.list().type) text += StrCat(text.empty() ? "" : ", ", type);
  return text;
}

}  // namespace

TEST_SUITE("signatures") {
  TEST_CASE("a unary op has x and y of one type, or a y of its own") {
    const OpDef def = ToOpDef(kUnary.view()), to_bool = ToOpDef(kUnaryToBool.view());
    REQUIRE(def.input_arg.size() == 1);
    REQUIRE(def.output_arg.size() == 1);
    CHECK(def.input_arg[0].name == "x");
    CHECK(def.input_arg[0].type_attr == "T");
    CHECK(def.output_arg[0].name == "y");
    CHECK(def.output_arg[0].type_attr == "T");
    CHECK(to_bool.output_arg[0].type == DataType::kBool);
    CHECK(to_bool.output_arg[0].type_attr == "");
  }
  TEST_CASE("a binary op has x, y and z of one type, and does not claim to be commutative") {
    const OpDef def = ToOpDef(kBinary.view());
    REQUIRE(def.input_arg.size() == 2);
    CHECK(def.input_arg[0].name == "x");
    CHECK(def.input_arg[1].name == "y");
    CHECK(def.input_arg[1].type_attr == "T");
    CHECK(def.output_arg[0].name == "z");
    CHECK_FALSE(def.is_commutative);
  }
  TEST_CASE("the types keep TensorFlow's order, which is no other order") {
    CHECK(TypesOf(ToOpDef(kUnary.view())) ==  // Neg
          "bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128");
    CHECK(TypesOf(ToOpDef(kUnaryToBool.view())) == "bfloat16, half, float, double");  // IsNan
    CHECK(TypesOf(ToOpDef(kBinary.view())) ==  // Less
          "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64");
  }
}
}  // namespace math_signatures_test

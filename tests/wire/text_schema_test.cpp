// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_schema.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

namespace text_schema_test {
using namespace tenon;
using wire::Field;
using wire::Message;

TEST_CASE("the table of TensorProto agrees with where values of each dtype stand") {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto dtype = static_cast<DataType>(i);
    const wire::detail::TypedField typed = wire::detail::TypedFieldOf(dtype);
    const Field* const field = wire::detail::kTensor.Find(typed.number);
    REQUIRE(field != nullptr);
    CHECK(field->kind == typed.kind);
    CHECK(field->repeated == (typed.number != wire::detail::kFloat8Field));
  }
}
TEST_CASE("messages with functions of their own have a table by name, others are their own") {
  using wire::detail::TableOf;
  CHECK(TableOf(wire::Schema<Tensor>::message, wire::kTensorTextTables) == &wire::detail::kTensor);
  CHECK(TableOf(wire::Schema<PartialTensorShape>::message, wire::kTensorTextTables) == &wire::detail::kShape);
  CHECK(TableOf(wire::Schema<Variant>::message, wire::kTensorTextTables) == &wire::Schema<VariantTensorData>::message);
  CHECK(TableOf(wire::Schema<Tensor>::message, {}) == nullptr);
  CHECK(TableOf(wire::Schema<ResourceHandle>::message, {}) == &wire::Schema<ResourceHandle>::message);
}
TEST_CASE("the role of a field says which message its bytes are") {
  const auto table = [](wire::Role role) {
    return wire::detail::TableOf(wire::detail::WireField(1, "x", wire::Kind::kString, false, nullptr, role),
                                 wire::kTensorTextTables);
  };
  CHECK(table(wire::Role::kPlain) == nullptr);
  CHECK(table(wire::Role::kFullType)->name == "FullTypeDef");
  CHECK(table(wire::Role::kHandleData)->name == "DtypeAndShape");
  CHECK(table(wire::Role::kNodeDebugInfo)->name == "NodeDef.ExperimentalDebugInfo");
  CHECK(table(wire::Role::kGraphDebugInfo)->name == "GraphDebugInfo");
}
TEST_CASE("enum values have names both ways, and dropped fields are unknown to readers of bytes") {
  const Field dtype = wire::detail::WireField(1, "dtype", wire::Kind::kEnum);
  const Field full = wire::detail::WireField(1, "type_id", wire::Kind::kEnum, false, nullptr, wire::Role::kFullType);
  std::int32_t number = -1;
  for (int i = 0; i < kDataTypeCount; ++i) {
    for (const int n : {i, i + kDataTypeRefOffset}) {
      if (n == kDataTypeRefOffset) continue;
      REQUIRE(wire::detail::EnumNumberOf(dtype, wire::detail::EnumNameOf(dtype, n), &number));
      CHECK(number == n);
    }
  }
  CHECK(wire::detail::EnumNameOf(dtype, 77).empty());
  CHECK_FALSE(wire::detail::EnumNumberOf(dtype, "DT_NONE", &number));
  std::int32_t before = -1;
  for (const wire::detail::EnumValue& value : wire::detail::kFullTypeIds) {
    CHECK(value.number > before);
    before = value.number;
    REQUIRE(wire::detail::EnumNumberOf(full, value.name, &number));
    CHECK(number == value.number);
    CHECK(wire::detail::EnumNameOf(full, value.number) == value.name);
  }
  CHECK(wire::detail::EnumNameOf(full, 5).empty());
  CHECK_FALSE(wire::detail::EnumNumberOf(full, "DT_FLOAT", &number));

  static constexpr Field kFields[] = {wire::MakeFieldDropped(3, "old", wire::Kind::kInt32),
                                      wire::MakeFieldDropped(40, "older", wire::Kind::kString)};
  constexpr Message kMessage("M", kFields);
  CHECK(kMessage.Find(3) == nullptr);
  CHECK(kMessage.Find(40) == nullptr);
}
}  // namespace text_schema_test

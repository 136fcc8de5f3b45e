// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/field.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace field_test {
struct Point {
  std::int32_t x = 0;
  std::string name;
};
}  // namespace field_test

namespace tenon::wire {
template <>
struct Schema<field_test::Point> {
  static const Message message;
};
inline constexpr Field kPointFields[] = {
    MakeField<&field_test::Point::x>(1, "x"),
    MakeFieldDropped(2, "old", Kind::kInt32),
    MakeField<&field_test::Point::name>(40, "name"),
};
inline constexpr Message Schema<field_test::Point>::message("Point", kPointFields);
}  // namespace tenon::wire

namespace field_test {
using namespace tenon::wire;

TEST_CASE("a table finds fields by number, and not those that are dropped") {
  const Message& message = Schema<Point>::message;
  REQUIRE(message.Find(1) != nullptr);
  CHECK(message.Find(1)->name == "x");
  CHECK(message.Find(1)->kind == Kind::kInt32);
  CHECK(message.Find(2) == nullptr);
  REQUIRE(message.Find(40) != nullptr);
  CHECK(message.Find(40)->name == "name");
  CHECK(message.Find(41) == nullptr);
}

TEST_CASE("a field reaches its member; a default value counts as none") {
  Point point;
  const Field& x = *Schema<Point>::message.Find(1);
  CHECK(x.values(&point).count == 0);
  *static_cast<std::int32_t*>(x.add(&point)) = 7;
  CHECK(point.x == 7);
  const FieldValues values = x.values(&point);
  CHECK(values.count == 1);
  CHECK(values.first == &point.x);
}
}  // namespace field_test

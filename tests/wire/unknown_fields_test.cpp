// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/unknown_fields.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <tenon/wire/tensor_writer.hpp>

namespace unknown_fields_test {
struct Pair {
  std::int32_t first = 0;
  std::string second;
  std::string unknown_fields;
};
}  // namespace unknown_fields_test

TENON_DETAIL_NAMESPACE_BEGIN
template <>
struct wire::Schema<unknown_fields_test::Pair> {
  static const Message fields, message;
};
inline constexpr wire::Field kPairOfTestFields[] = {
    wire::MakeField<&unknown_fields_test::Pair::first>(1, "first"),
    wire::MakeField<&unknown_fields_test::Pair::second>(2, "second"),
};
inline constexpr wire::Message wire::Schema<unknown_fields_test::Pair>::fields("Pair", kPairOfTestFields);
inline constexpr wire::Message wire::Schema<unknown_fields_test::Pair>::message =
    wire::KeepUnknown<unknown_fields_test::Pair>("Pair");
TENON_DETAIL_NAMESPACE_END

namespace unknown_fields_test {
using namespace tenon;

TEST_CASE("unknown fields of every wire type, and known ones of another type, are kept in their order") {
  const std::string unknown =
      std::string("\x18\x96\x01", 3) + "\x25" + "abcd" + "\x29" + "abcdefgh" + "\x32\x02hi" + "\x12\x01s";
  const std::string wrong_type = "\x10\x07";
  Pair pair;
  REQUIRE(wire::Parse(wire::AsBytes(unknown + "\x08\x05" + wrong_type), &pair).ok());
  CHECK(pair.first == 5);
  CHECK(pair.second == "s");
  CHECK(pair.unknown_fields == unknown.substr(0, unknown.size() - 3) + wrong_type);
  std::string again;
  wire::SerializeTo(pair, &again);
  CHECK(again == "\x08\x05\x12\x01s" + pair.unknown_fields);
}

TEST_CASE("a message that ends within an unknown field is refused") {
  Pair pair;
  const Status status = wire::Parse(wire::AsBytes("\x32\x05hi"), &pair);
  CHECK(errors::IsDataLoss(status));
  CHECK(errors::IsDataLoss(wire::Parse(wire::AsBytes("\x25"
                                                     "ab"),
                                       &pair)));
}
}  // namespace unknown_fields_test

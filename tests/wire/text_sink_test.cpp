// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_sink.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace text_sink_test {
using namespace tenon;
using namespace std::string_view_literals;
using wire::TextSink;

TEST_CASE("numbers and bytes stand in the order of the calls") {
  TextSink sink(0);
  sink.Tag(1, wire::WireType::kVarint);
  sink.Number(wire::WireType::kVarint, 300);
  sink.Tag(2, wire::WireType::kFixed32);
  sink.Number(wire::WireType::kFixed32, 0x04030201);
  sink.Tag(16, wire::WireType::kFixed64);
  sink.Number(wire::WireType::kFixed64, 0x0807060504030201);
  sink.Bytes("");
  sink.Bytes("end");
  CHECK(sink.Take() ==
        "\x08\xac\x02\x15\x01\x02\x03\x04\x81\x01\x01\x02\x03\x04\x05\x06\x07\x08"
        "end"sv);
}
TEST_CASE("lengths of any size are filled in") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{16383},
                                 std::size_t{16384}, std::size_t{3000000}}) {
    TextSink sink(1);
    const std::size_t outer = sink.Open(3);
    const std::size_t inner = sink.Open(4);
    sink.Bytes(std::string(size, 'x'));
    sink.Close(inner);
    sink.Close(outer);
    const std::string bytes = sink.Take();
    wire::Reader reader(wire::AsBytes(bytes));
    wire::Tag tag;
    std::string_view value;
    REQUIRE(reader.ReadField(&tag, &value));
    CHECK(tag.field == 3);
    CHECK(reader.AtEnd());
    wire::Reader within(wire::AsBytes(value));
    REQUIRE(within.ReadField(&tag, &value));
    CHECK(tag.field == 4);
    CHECK(value == std::string(size, 'x'));
    CHECK(within.AtEnd());
  }
}
}  // namespace text_sink_test

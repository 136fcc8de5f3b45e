// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/writer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace writer_test {
using namespace tenon;
using namespace std::string_literals;

TEST_SUITE("wire::Writer") {
  TEST_CASE("what is written later stands before what was written earlier") {
    wire::Writer writer;
    const std::size_t end = writer.size();
    writer.Bytes("hi");
    writer.BytesTag(1, 2);
    writer.BytesTag(7, writer.size() - end);
    std::string out = "before";
    writer.AppendTo(&out);
    CHECK(out == "before\x3a\x04\x0a\x02hi"s);
    CHECK(writer.view() == "\x3a\x04\x0a\x02hi"s);
  }
  TEST_CASE("writes numbers that a reader gives back") {
    for (int bit = 0; bit < 64; ++bit) {
      for (const std::uint64_t value :
           {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1, ~std::uint64_t{0} << bit}) {
        wire::Writer writer;
        writer.Varint(value);
        CHECK(writer.size() == wire::Writer::VarintSize(value));
        wire::Reader reader(wire::AsBytes(writer.view()));
        std::uint64_t read = 0;
        CHECK(reader.ReadVarint(&read));
        CHECK(reader.AtEnd());
        CHECK(read == value);
      }
    }
    CHECK(wire::Writer::VarintSize(0) == 1);
    CHECK(wire::Writer::VarintSize(127) == 1);
    CHECK(wire::Writer::VarintSize(128) == 2);
    CHECK(wire::Writer::VarintSize(~std::uint64_t{0}) == 10);
  }
  TEST_CASE("writes fixed numbers with the lowest byte first") {
    wire::Writer writer;
    writer.Fixed64(0x0807060504030201u);
    writer.Fixed32(0x44434241u);
    writer.FieldTag(1, wire::WireType::kFixed32);
    CHECK(writer.view() ==
          "\x0d"
          "ABCD\x01\x02\x03\x04\x05\x06\x07\x08"s);
  }
  TEST_CASE("grows without losing anything") {
    wire::Writer writer;
    std::string expected;
    for (int i = 0; i < 3000; ++i) {
      const std::string piece(static_cast<std::size_t>(i % 97), static_cast<char>('a' + i % 26));
      writer.Bytes(piece);
      expected = piece + expected;
    }
    CHECK(writer.view() == expected);
    writer.Bytes(std::string(1 << 20, 'z'));
    CHECK(writer.size() == expected.size() + (1 << 20));
    CHECK(writer.view().substr(1 << 20) == expected);
  }
}
}  // namespace writer_test

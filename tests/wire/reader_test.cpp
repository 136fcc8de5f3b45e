// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/reader.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sized_thread.hpp"

namespace reader_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

// Walks over all fields of one message.
Status Walk(const std::string& bytes) {
  wire::Reader reader(wire::AsBytes(bytes));
  for (wire::Tag tag; reader.ReadTag(&tag);) {
    if (!reader.Skip(tag)) break;
  }
  return reader.status("NodeDef");
}

Status WalkFields(const std::string& bytes) {
  wire::Reader reader(wire::AsBytes(bytes));
  std::string_view value;
  for (wire::Tag tag; reader.ReadField(&tag, &value);) {
    if (tag.type != wire::WireType::kBytes && !reader.Skip(tag)) break;
  }
  return reader.status("NodeDef");
}

std::uint64_t Varint(const std::string& bytes) {
  wire::Reader reader(wire::AsBytes(bytes));
  std::uint64_t value = 0;
  CHECK(reader.ReadVarint(&value));
  CHECK(reader.AtEnd());
  return value;
}

}  // namespace

TEST_SUITE("wire::Reader") {
  TEST_CASE("reads numbers of one to ten bytes") {
    CHECK(Varint("\x00"s) == 0);
    CHECK(Varint("\x7f") == 127);
    CHECK(Varint("\x80\x01") == 128);
    CHECK(Varint("\xff\x7f") == 16383);
    CHECK(Varint("\x80\x80\x01") == 16384);
    CHECK(Varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == 0xffffffffffffffffu);
    CHECK(Varint("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01") == static_cast<std::uint64_t>(-2));
    CHECK(Varint("\x80\x80\x80\x00"s) == 0);  // longer than needed is fine
  }
  TEST_CASE("reads tags, fixed numbers and bytes") {
    const std::string all = "\x0d\x01\x02\x03\x04\x11\x01\x00\x00\x00\x00\x00\x00\x80\x1a\x02hi\xa0\x06\x05"s;
    wire::Reader reader(wire::AsBytes(all));
    wire::Tag tag{};
    std::uint32_t narrow = 0;
    std::uint64_t wide = 0;
    std::string_view bytes;
    CHECK(reader.ReadTag(&tag));
    CHECK(tag.field == 1);
    CHECK(tag.type == wire::WireType::kFixed32);
    CHECK(reader.ReadFixed32(&narrow));
    CHECK(narrow == 0x04030201);
    CHECK(reader.ReadTag(&tag));
    CHECK(tag.type == wire::WireType::kFixed64);
    CHECK(reader.ReadFixed64(&wide));
    CHECK(wide == 0x8000000000000001u);
    CHECK(reader.ReadField(&tag, &bytes));
    CHECK(tag.field == 3);
    CHECK(bytes == "hi");
    CHECK(reader.ReadField(&tag, &bytes));
    CHECK(tag.field == 100);
    CHECK(reader.ReadVarint(&wide));
    CHECK(wide == 5);
    CHECK(!reader.ReadTag(&tag));
    CHECK(reader.ok());
    CHECK(reader.offset() == 21);
  }
  TEST_CASE("ReadField takes lengths of one, two and more bytes") {
    for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 16383u, 16384u, 20000u}) {
      std::string bytes = "\x0a";
      for (std::size_t n = size;; n >>= 7) {
        bytes += static_cast<char>(n >= 128 ? (n & 127) | 128 : n);
        if (n < 128) break;
      }
      bytes += std::string(size, 'x');
      wire::Reader reader(wire::AsBytes(bytes));
      wire::Tag tag{};
      std::string_view value;
      CHECK(reader.ReadField(&tag, &value));
      CHECK(value.size() == size);
      CHECK(reader.AtEnd());
      bytes.pop_back();
      CHECK(WalkFields(bytes).code() == Code::kDataLoss);
    }
  }
  TEST_CASE("skips fields of every type") {
    CHECK(Walk("\x08\x96\x01\x11\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x03"
               "abc\x25"
               "abcd"s)
              .ok());
  }
  TEST_CASE("no bytes are an empty message") { CHECK(Walk("").ok()); }
  TEST_CASE("says at which byte a message is cut short") {
    const Status number = Walk("\x08\x80"s);
    CHECK(number.code() == Code::kDataLoss);
    CHECK(
        number.message() ==
        "NodeDef: cannot parse the bytes at offset 1: the message ends inside a number; it is truncated or not a NodeDef");
    CHECK(Walk("\x08").message().find("offset 1: the message ends") != std::string_view::npos);
    CHECK(Walk("\x88").message().find("offset 0: the message ends") != std::string_view::npos);
    CHECK(Walk("\x0d"
               "abc")
              .message()
              .find("offset 1: the message ends") != std::string_view::npos);
    CHECK(Walk("\x09"
               "abcdefg")
              .message()
              .find("offset 1: the message ends") != std::string_view::npos);
    const Status bytes = Walk(
        "\x0a\x02hi\x12\x05"
        "abc"s);
    CHECK(bytes.code() == Code::kDataLoss);
    CHECK(
        bytes.message() ==
        "NodeDef: cannot parse the bytes at offset 5: a field of 5 bytes goes beyond the end of its message; it is truncated or not a NodeDef");
    CHECK(WalkFields("\x0a\x02hi\x12\x05"
                     "abc"s) == bytes);
  }
  TEST_CASE("a length near 2^64 does not wrap around") {
    const Status s = Walk(
        "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
        "abc");
    CHECK(s.message().find("a field of 18446744073709551615 bytes") != std::string_view::npos);
  }
  TEST_CASE("refuses numbers of more than ten bytes") {
    const Status s = Walk("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    CHECK(s.code() == Code::kDataLoss);
    CHECK(s.message() ==
          "NodeDef: cannot parse the bytes at offset 1: a variable-length number has more than 10 bytes");
  }
  TEST_CASE("refuses groups, unknown wire types and field numbers that cannot be") {
    CHECK(Walk("\x0a\x00\x23"s).message() ==
          "NodeDef: cannot parse the bytes at offset 2: field 4 is a group, which no message here has");
    CHECK(Walk("\x24").message().find("field 4 is a group") != std::string_view::npos);
    CHECK(Walk("\x0e").message() == "NodeDef: cannot parse the bytes at offset 0: wire type 6 does not exist");
    CHECK(Walk("\x0f").message().find("wire type 7 does not exist") != std::string_view::npos);
    CHECK(Walk("\x02\x00"s).message() ==
          "NodeDef: cannot parse the bytes at offset 0: field number 0 is not in 1 to 536870911");
    CHECK(Walk("\x82\x80\x80\x80\x10").message().find("field number 536870912 is not") != std::string_view::npos);
  }
  TEST_CASE("sees only the message between Enter and Leave") {
    const std::string all = "\x0a\x03\x08\x05\x10\x10\x07";
    wire::Reader reader(wire::AsBytes(all));
    wire::Tag tag{};
    std::uint64_t value = 0;
    wire::Reader::Outer outer;
    CHECK(reader.ReadTag(&tag));
    CHECK(reader.Enter(&outer));
    CHECK(reader.remaining() == 3);
    CHECK(reader.ReadTag(&tag));
    CHECK(reader.ReadVarint(&value));
    CHECK(reader.ReadTag(&tag));
    SUBCASE("a number must not reach out of it") {
      CHECK(!reader.ReadVarint(&value));
      CHECK(reader.status("X").message().find("offset 5: the message ends inside a number") != std::string_view::npos);
    }
    SUBCASE("what is left of it is passed over") {
      reader.Leave(outer);
      CHECK(reader.rest() == "\x10\x07");
      CHECK(reader.ReadTag(&tag));
      CHECK(tag.field == 2);
    }
  }
  TEST_CASE("stops at a nesting of more than 100 messages") {
    std::string bytes;
    for (int i = 0; i < 101; ++i) {
      std::string length;
      for (std::size_t n = bytes.size();; n >>= 7) {
        length += static_cast<char>(n >= 128 ? (n & 127) | 128 : n);
        if (n < 128) break;
      }
      bytes = "\x0a" + length + bytes;
    }
    wire::Reader reader(wire::AsBytes(bytes));
    wire::Tag tag{};
    wire::Reader::Outer outer;
    int depth = 0;
    while (reader.ReadTag(&tag) && reader.Enter(&outer)) ++depth;
    CHECK(depth == 100);
    CHECK(reader.status("GraphDef").message().find("messages are nested more than 100 deep") != std::string_view::npos);
    sized_thread::OnShortStack([&bytes] {
      wire::Reader short_of_stack(wire::AsBytes(bytes));
      wire::Tag inner{};
      wire::Reader::Outer around;
      int entered = 0;
      while (short_of_stack.ReadTag(&inner) && short_of_stack.Enter(&around)) ++entered;
      CHECK(entered == wire::kDepthOfFiles);
      const Status status = short_of_stack.status("GraphDef");
      CHECK(status.code() == Code::kResourceExhausted);
      CHECK(status.message().find("nested more than 12 deep, and the thread has ") != std::string_view::npos);
    });
  }
  TEST_CASE("after the first mistake nothing is read any more, and the mistake stays") {
    wire::Reader reader(wire::AsBytes("\x0f\x08\x01"));
    wire::Tag tag{};
    std::uint64_t value = 0;
    CHECK(!reader.ReadTag(&tag));
    CHECK(!reader.ReadTag(&tag));
    CHECK(!reader.ReadVarint(&value));
    CHECK(!reader.ok());
    CHECK(reader.status("X").message().find("offset 0: wire type 7") != std::string_view::npos);
  }
}
}  // namespace reader_test

// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/compression/inflate.hpp>

#include <doctest/doctest.h>

namespace deflate_stream_test {
using namespace tenon;

namespace {

// The bytes of a raw stream.
std::string Raw(std::string_view packed, std::size_t size) {
  std::string out(size, '\0');
  const Status s = Inflate({reinterpret_cast<const std::byte*>(packed.data()), packed.size()},
                           {reinterpret_cast<std::byte*>(out.data()), out.size()});
  CHECK_MESSAGE(s.ok(), s.message());
  return out;
}

}  // namespace

TEST_SUITE("DeflateStream") {
  TEST_CASE("a gzip file has one deflate stream, its check sum and its size") {
    DeflateStream stream(InflateFormat::kGzip);
    stream.Add("abcabcabcabc");
    stream.Add("");
    stream.Add("xyz");
    stream.Finish();
    const std::string bytes = stream.out();
    REQUIRE(bytes.size() > 18);
    CHECK(Raw(std::string_view(bytes).substr(10, bytes.size() - 18), 15) == "abcabcabcabcxyz");
    const std::uint32_t sum = Crc32("abcabcabcabcxyz");
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(static_cast<unsigned char>(bytes[bytes.size() - 8 + i]) == (sum >> (8 * i) & 0xff));
      CHECK(static_cast<unsigned char>(bytes[bytes.size() - 4 + i]) == (15u >> (8 * i) & 0xff));
    }
  }
  TEST_CASE("a raw stream has neither a header nor a check sum") {
    DeflateStream stream(InflateFormat::kRaw);
    stream.Add("abcabcabcabc");
    stream.Finish();
    CHECK(Raw(stream.out(), 12) == "abcabcabcabc");
  }
  TEST_CASE("bytes may be taken away between the pieces; Sync makes them whole") {
    DeflateStream stream(InflateFormat::kZlib);
    std::string bytes, before;
    for (const char* piece : {"one", "two", "three"}) {
      stream.Add(piece);
      stream.Sync();
      CHECK(stream.out().substr(stream.out().size() - 4) == std::string("\0\0\xff\xff", 4));
      bytes += stream.out();
      stream.out().clear();
    }
    stream.Finish();
    bytes += stream.out();
    CHECK(Raw(std::string_view(bytes).substr(2, bytes.size() - 6), 11) == "onetwothree");
  }
}
}  // namespace deflate_stream_test

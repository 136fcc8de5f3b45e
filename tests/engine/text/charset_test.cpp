// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/charset.hpp>

#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace charset_test {
using namespace tenon;

namespace {

using Codes = std::vector<std::int32_t>;

Codes Decode(const char* encoding, std::string_view text) {
  TextDecoder decoder;
  Codes codes;
  if (!decoder.Open(encoding)) return {-99};
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character c = decoder.Next(text, at);
    REQUIRE(c.bytes > 0);
    if (c.code != TextDecoder::kNone) codes.push_back(c.code);
    at += static_cast<std::size_t>(c.bytes);
  }
  return codes;
}
Codes Decode(const char* encoding, const char* bytes, std::size_t size) { return Decode(encoding, {bytes, size}); }

}  // namespace

TEST_CASE("UTF-16 and UTF-32, with and without a byte order mark") {
  CHECK(Decode("UTF-16-BE",
               "\xd8\x3d\xde\x00\x00"
               "a",
               6) == Codes{0x1f600, 'a'});
  CHECK(Decode("utf16le", "a\x00\x3d\xd8", 4) == Codes{'a', -1});
  CHECK(Decode("UTF-16BE", "\xd8\x3d\x00\x61\xde\x00\x00", 7) == Codes{-1, 'a', -1, -1});
  CHECK(Decode("UTF-16", "\xff\xfe\x61\x00", 4) == Codes{'a'});
  CHECK(Decode("UTF-16", "\x00\x61", 2) == Codes{'a'});
  CHECK(Decode("UTF-32", "\xff\xfe\x00\x00\x61\x00\x00\x00", 8) == Codes{'a'});
  CHECK(Decode("UTF-32-BE", "\x00\x00\x00\x61\x00\x11\x00\x00\x00\x00\xd8\x00\x00", 13) == Codes{'a', -1, -1, -1});
}
TEST_CASE("encodings of one byte, and names that are none") {
  CHECK(Decode("ISO_8859-1", "a\xe9") == Codes{'a', 0xe9});
  CHECK(Decode("us ascii", "a\xe9") == Codes{'a', -1});
  CHECK(Decode("bogus", "a") == Codes{-99});
  CHECK(Decode("", "a") == Codes{-99});
}
#if defined(__GLIBC__)
TEST_CASE("what the C library converts") {
  CHECK(Decode("SHIFT-JIS", "\x93\xfa\x41\x81") == Codes{0x65e5, 'A', -1});
  CHECK(Decode("KOI8-R", "\xc1") == Codes{0x430});
}
#endif
TEST_CASE("characters to the encodings that ops write") {
  std::string out;
  AppendEncoded(Charset::kUtf16, 0x1f600, &out);
  AppendEncoded(Charset::kUtf16, 'a', &out);
  CHECK(out == std::string("\xd8\x3d\xde\x00\x00\x61", 6));
  out.clear();
  AppendEncoded(Charset::kUtf32, 0x1f600, &out);
  CHECK(out == std::string("\x00\x01\xf6\x00", 4));
  out.clear();
  AppendEncoded(Charset::kUtf8, 0xe9, &out);
  CHECK(out == "\xc3\xa9");
}
}  // namespace charset_test

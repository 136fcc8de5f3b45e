// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/utf8.hpp>

#include <doctest/doctest.h>

#include <string>

namespace utf8_test {
using namespace tenon;

TEST_CASE("AppendUtf8 writes one to four bytes") {
  std::string out;
  for (const std::uint32_t code : {0x41u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xffffu, 0x10000u, 0x10ffffu})
    wire::detail::AppendUtf8(code, &out);
  CHECK(out == "A\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}
TEST_CASE("Utf8Size and Utf8Code read them back") {
  for (const std::uint32_t code :
       {0u, 0x41u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string out;
    wire::detail::AppendUtf8(code, &out);
    REQUIRE(wire::detail::Utf8Size(out + "x") == out.size());
    CHECK(wire::detail::Utf8Code(out) == code);
  }
  for (const char* const wrong : {"\x80", "\xc0\x80", "\xc3", "\xc3(", "\xe0\x80\x80", "\xed\xa0\x80",
                                  "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
    CHECK(wire::detail::Utf8Size(wrong) == 0);
}
TEST_CASE("IsUtf8 and IsAscii look at every character") {
  std::string text;
  for (std::size_t size = 0; size < 40; ++size, text += "x") {
    CHECK(wire::detail::IsUtf8(text));
    CHECK(wire::detail::IsAscii(text));
    for (std::size_t at = 0; at <= size; ++at) {
      std::string good = text, bad = text;
      CHECK(wire::detail::IsUtf8(good.insert(at, "\xe6\x97\xa5")));
      CHECK_FALSE(wire::detail::IsAscii(good));
      CHECK_FALSE(wire::detail::IsUtf8(bad.insert(at, "\xe6\x97")));
    }
  }
}
}  // namespace utf8_test

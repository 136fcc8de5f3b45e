// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/base64.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace base64_test {
using namespace tenon;

namespace {
std::string Encode(std::string_view bytes) {
  std::string out;
  wire::detail::AppendBase64(bytes, &out);
  return out;
}
std::string Decode(std::string_view text) {
  std::string out(wire::detail::Base64Room(text), '\0');
  const char* const end = wire::detail::DecodeBase64(text, out.data());
  return end == nullptr ? "refused" : out.substr(0, static_cast<std::size_t>(end - out.data()));
}
}  // namespace

TEST_CASE("the examples of RFC 4648") {
  const char* const kPairs[][2] = {{"", ""},
                                   {"f", "Zg=="},
                                   {"fo", "Zm8="},
                                   {"foo", "Zm9v"},
                                   {"foob", "Zm9vYg=="},
                                   {"fooba", "Zm9vYmE="},
                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& pair : kPairs) {
    CHECK(Encode(pair[0]) == pair[1]);
    CHECK(Decode(pair[1]) == pair[0]);
    CHECK(Decode(std::string_view(pair[1]).substr(0, std::string_view(pair[1]).find('='))) == pair[0]);
  }
}
TEST_CASE("bytes of any value and number read back") {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    CHECK(Decode(Encode(bytes)) == bytes);
    bytes.push_back(static_cast<char>(i * 37 + i / 256));
  }
}
TEST_CASE("either alphabet, and nothing else") {
  CHECK(Decode("+/+/") == Decode("-_-_"));
  CHECK(Decode("+/+/") == "\xfb\xff\xbf");
  for (const char* const wrong :
       {"a", "abcde", "a!", "ab=", "abc==", "abcd==", "ab=c", "====", "=", "aG Vs", "\xff\xff\xff\xff"})
    CHECK_MESSAGE(Decode(wrong) == "refused", wrong);
}
}  // namespace base64_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/compression/snappy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace snappy_test {
using namespace tenon;
using namespace std::string_literals;

TEST_SUITE("Unsnap") {
  TEST_CASE("literals and copies of every form") {
    CHECK(*Unsnap("\0"s) == "");
    CHECK(*Unsnap("\x03\x08"s + "abc") == "abc");
    // "abcd", then four bytes at distance 4, two ways of saying it, and one that overlaps itself.
    CHECK(*Unsnap("\x08\x0c"s + "abcd" + "\x01\x04"s) == "abcdabcd");
    CHECK(*Unsnap("\x08\x0c"s + "abcd" + "\x0e\x04\x00"s) == "abcdabcd");
    CHECK(*Unsnap("\x08\x0c"s + "abcd" + "\x0f\x04\x00\x00\x00"s) == "abcdabcd");
    CHECK(*Unsnap("\x0b\x00"s + "x" + "\x19\x01"s) == "xxxxxxxxxxx");
    // Long literals: their length in one and in two bytes behind the tag.
    const std::string text(300, 'q');
    CHECK(*Unsnap("\x64\xf0\x63"s + text.substr(0, 100)) == text.substr(0, 100));
    CHECK(*Unsnap("\xac\x02\xf4\x2b\x01"s + text) == text);
  }

  TEST_CASE("what is no block") {
    for (const std::string& bad :
         {""s, "\xff"s, "\xff\xff\xff\xff\xff\x01"s, "\x05\x0c"s + "abcd", "\x03\x0c"s + "abcd", "\x04\x0c"s + "abc",
          "\x08\x0c"s + "abcd" + "\x01"s, "\x08\x0c"s + "abcd" + "\x01\x05"s, "\x08\x0c"s + "abcd" + "\x01\x00"s,
          "\x07\x0c"s + "abcd" + "\x01\x04"s, "\x64\xf0"s, "\xff\xff\xff\xff\x03\x00"s + "a", "\x01"s}) {
      const Status status = Unsnap(bad).status();
      CHECK_MESSAGE(status.code() == Code::kDataLoss, status.ToString());
    }
    CHECK(Unsnap("\x64\xf0\x63"s + std::string(100, 'q'), 99).status().code() == Code::kResourceExhausted);
  }
}

TEST_SUITE("Snap") {
  TEST_CASE("Unsnap gives the bytes back") {
    std::string mixed;
    std::uint32_t state = 1;
    for (int i = 0; i < 200000; ++i) {
      state = state * 1664525u + 1013904223u;
      mixed.push_back(static_cast<char>(i % 5000 < 2500 ? state >> 24 : state >> 31));
    }
    for (const std::string& text : {""s, "a"s, "abcdefg"s, std::string(59, 'q'), std::string(61, 'q'),
                                    "abcdefgh"s + std::string(70, 'z'), std::string(70000, '\0') + "end", mixed}) {
      const std::string block = Snap(text);
      CHECK(*Unsnap(block) == text);
      CHECK(block.size() <= text.size() + text.size() / 32 + 8);
    }
    CHECK(Snap(std::string(70000, 'x')).size() < 4000);
    CHECK(Snap(mixed + mixed.substr(0, 1)).size() < mixed.size());
  }
  TEST_CASE("the form of a literal and of copies") {
    CHECK(Snap("abc") == "\x03\x08"s + "abc");
    CHECK(Snap(std::string(20, 'x')) == "\x14\x00"s + "x" + "\x4a\x01\x00"s);
  }
}
}  // namespace snappy_test

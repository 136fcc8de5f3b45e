// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_runs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace text_runs_test {
using namespace tenon;
using namespace tenon::wire::detail;

namespace {
using Behind = const char* (*)(const char*, const char*);
std::size_t SizeOf(Behind behind, std::string_view text) {
  return static_cast<std::size_t>(behind(text.data(), text.data() + text.size()) - text.data());
}
}  // namespace

TEST_CASE("blanks are passed over, all but the last seven of a text") {
  for (std::size_t blanks = 0; blanks < 20; ++blanks) {
    CAPTURE(blanks);
    const std::string text = std::string(blanks, ' ') + "x       ";
    CHECK(SizeOf(BehindBlanks, text) == blanks);
    CHECK(SizeOf(BehindBlanks, std::string(blanks, ' ')) == blanks / 8 * 8);
    CHECK(SizeOf(BehindBlanks, std::string(blanks, ' ') + "\n       ") == blanks);
  }
}

TEST_CASE("plain characters and words") {
  for (int c = 0; c < 256; ++c) {
    CAPTURE(c);
    const std::string text(1, static_cast<char>(c));
    const bool plain = c >= ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\';
    CHECK(PlainSize(text) == (plain ? 1 : 0));
    const bool in_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    CHECK(SizeOf(BehindWord, text) == (in_word ? 1 : 0));
  }
  CHECK(PlainSize("layer/x:0\"") == 9);
  CHECK(PlainSize("") == 0);
  CHECK(SizeOf(BehindWord, "int64_val: 3") == 9);
}
}  // namespace text_runs_test

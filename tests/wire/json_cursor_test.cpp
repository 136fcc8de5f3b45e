// SPDX-License-Identifier: Apache-2.0
// What is JSON and what is not is tested with the reader (tests/wire/json_reader_test.cpp).
#include <tenon/wire/json_cursor.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace json_cursor_test {
using namespace tenon;
using wire::detail::JsonCursor;

TEST_CASE("tokens one after the other") {
  JsonCursor in("          {\"a\\u00e9\": [ -12.5e3 ,\"plain\"\n\t], b: null}  ");
  std::string_view text;
  CHECK(in.Eat('{'));
  REQUIRE(in.ReadName(&text));
  CHECK(text == "a\xc3\xa9");
  CHECK(in.Eat(':'));
  CHECK(in.Eat('['));
  REQUIRE(in.ReadNumberText(&text));
  CHECK(text == "-12.5e3");
  double value = 0;
  REQUIRE(JsonCursor::ToDouble(text, &value));
  CHECK(value == -12500);
  CHECK(in.EndsItem(']'));
  REQUIRE(in.ReadText(&text));
  CHECK(text == "plain");
  CHECK(in.EndsItem(']'));
  CHECK(in.Eat(']'));
  CHECK(in.EndsItem('}'));
  REQUIRE(in.ReadName(&text));
  CHECK(text == "b");
  CHECK(in.Eat(':'));
  CHECK_FALSE(in.EatWord("true"));
  CHECK(in.EatWord("null"));
  CHECK(in.Eat('}'));
  CHECK(in.Ends());
}
TEST_CASE("the place of a mistake is a line, a column and an offset") {
  JsonCursor in("{\n  \"a\": x");
  std::string_view text;
  CHECK(in.Eat('{'));
  CHECK(in.ReadName(&text));
  CHECK(in.Eat(':'));
  CHECK_FALSE(in.ReadNumberText(&text));
  CHECK(in.mistake().line == 2);
  CHECK(in.mistake().column == 8);
  CHECK(in.mistake().offset == 9);
  CHECK(in.mistake().what == "unexpected character: 'x'");
}
TEST_CASE("numbers too large are infinite, texts that are not numbers none") {
  double value = 0;
  CHECK(JsonCursor::ToDouble("1e400", &value));
  CHECK(value > 1e308);
  CHECK(JsonCursor::ToDouble("1e-400", &value));
  CHECK(value == 0);
  for (const char* const wrong : {"", "1x", " 1", "one"}) CHECK_FALSE(JsonCursor::ToDouble(wrong, &value));
}
}  // namespace json_cursor_test

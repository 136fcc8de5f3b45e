// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/str.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/status.hpp>

using tenon::StrAppend;
using tenon::StrCat;
using tenon::StrJoin;

namespace library {
enum class Colour { kRed, kBlue };
constexpr std::string_view Name(Colour c) { return c == Colour::kRed ? "red" : "blue"; }
struct Shape {
  std::string DebugString() const { return "[2,3]"; }
};
}  // namespace library

TEST_CASE("StrCat joins text of every kind") {
  const std::string s = "string";
  const std::string_view v = "view";
  const char* null = nullptr;
  CHECK(StrCat() == "");
  CHECK(StrCat("literal ", s, ' ', v, std::string(" temporary ") + "sum") == "literal string view temporary sum");
  CHECK(StrCat(null) == "(null)");
  CHECK(StrCat(std::string(1000, 'x'), std::string_view("a\0b", 3)).size() == 1003);
}

TEST_CASE("StrCat prints integers in full and booleans as 0 and 1") {
  CHECK(StrCat(0, " ", -1, " ", 42u, " ", true, false) == "0 -1 42 10");
  CHECK(StrCat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(StrCat(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(StrCat(static_cast<std::int8_t>(-5), static_cast<std::uint8_t>(200)) == "-5200");
}

TEST_CASE("StrCat prints a float shortly where that reads back, else with nine digits") {
  CHECK(StrCat(1.0f, " ", 0.1f, " ", -2.5f) == "1 0.1 -2.5");
  CHECK(StrCat(1.0f / 3) == "0.333333343");
  CHECK(StrCat(1e30f) == "1e+30");
  CHECK(StrCat(std::numeric_limits<float>::infinity()) == "inf");
  CHECK(StrCat(std::numeric_limits<float>::quiet_NaN()) == "nan");
}

TEST_CASE("StrCat prints a double with 15 digits where that reads back, else with 17") {
  CHECK(StrCat(0.1, " ", 1e100) == "0.1 1e+100");
  CHECK(StrCat(1.0 / 3) == "0.33333333333333331");
  CHECK(StrCat(0.1 + 0.2) == "0.30000000000000004");
}

TEST_CASE("StrCat prints what has a Name or a DebugString") {
  CHECK(StrCat(library::Colour::kBlue, " ", library::Shape{}) == "blue [2,3]");
}

TEST_CASE("standard streams print what has a Name, a ToString or a DebugString") {
  std::ostringstream out;
  out << tenon::Code::kNotFound << ", " << tenon::Status(tenon::Code::kInternal, "why") << ", " << tenon::Status();
  CHECK(out.str() == "NOT_FOUND, INTERNAL: why, OK");
  using tenon::operator<<;  // for types of other namespaces
  out << ", " << library::Colour::kBlue << ' ' << library::Shape{};
  CHECK(out.str() == "NOT_FOUND, INTERNAL: why, OK, blue [2,3]");
}
TEST_CASE("StrAppend adds to what is there") {
  std::string text = "a";
  StrAppend(&text, "b", 1, 'c');
  StrAppend(&text);
  CHECK(text == "ab1c");
}

TEST_CASE("StrJoin puts the separator between items only") {
  CHECK(StrJoin(std::vector<int>{}, ", ") == "");
  CHECK(StrJoin(std::vector<int>{7}, ", ") == "7");
  CHECK(StrJoin(std::vector<int>{1, 2, 3}, ", ") == "1, 2, 3");
  const std::vector<std::string> names{"a", "", "c"};
  const auto quote = [](std::string* out, const std::string& name) { StrAppend(out, "'", name, "'"); };
  CHECK(StrJoin(names, " ", quote) == "'a' '' 'c'");
}

TEST_CASE("ParseInt64 takes whole decimal numbers only") {
  std::int64_t value = 0;
  CHECK(tenon::ParseInt64("-9223372036854775808", &value));
  CHECK(value == std::numeric_limits<std::int64_t>::min());
  CHECK(tenon::ParseInt64("+12", &value));
  CHECK(value == 12);
  for (const char* bad : {"", "+", "-", "+-1", " 1", "1 ", "1.0", "0x10", "9223372036854775808", "one"}) {
    CHECK_FALSE(tenon::ParseInt64(bad, &value));
  }
  std::uint8_t small = 0;
  CHECK(tenon::ParseInt("255", &small));
  CHECK(small == 255);
  CHECK_FALSE(tenon::ParseInt("256", &small));
  CHECK_FALSE(tenon::ParseInt("-1", &small));
}

TEST_CASE("ParseDouble takes whole numbers in the forms of strtod") {
  double value = 0;
  CHECK(tenon::ParseDouble("-1.5e3", &value));
  CHECK(value == -1500.0);
  CHECK(tenon::ParseDouble("inf", &value));
  CHECK(value == std::numeric_limits<double>::infinity());
  for (const char* bad : {"", " 1", "1 ", "1,5", "x"}) CHECK_FALSE(tenon::ParseDouble(bad, &value));
}

TEST_CASE("CEscape leaves printable text and escapes the rest") {
  CHECK(tenon::CEscape("plain") == "plain");
  CHECK(tenon::CEscape("a\n\r\t\"'\\b") == "a\\n\\r\\t\\\"\\'\\\\b");
  CHECK(tenon::CEscape(std::string_view("\0\x7f\xff", 3)) == "\\000\\177\\377");
}

TEST_CASE("StartsWith and EndsWith compare the ends") {
  static_assert(tenon::StartsWith("MatMul", "Mat"));
  static_assert(!tenon::StartsWith("Mat", "MatMul"));
  static_assert(tenon::EndsWith("MatMul", "Mul"));
  static_assert(!tenon::EndsWith("Mul", "MatMul"));
  CHECK(tenon::StartsWith("x", ""));
}

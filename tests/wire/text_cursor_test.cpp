// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_cursor.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace text_cursor_test {
using namespace tenon;
using wire::TextCursor;

namespace {
// The text that stands in quotes, or the message of the mistake.
std::string Quoted(std::string_view text) {
  TextCursor in(text);
  wire::TextSink sink(0);
  in.Peek();
  return in.ReadQuoted(&sink) ? sink.Take() : std::string(in.status().message());
}
std::string Signed(std::string_view text, std::uint64_t limit) {
  TextCursor in(text);
  in.Peek();
  std::int64_t value;
  return in.ReadSigned(limit, &value) ? StrCat(value) : std::string(in.status().message());
}
std::string Unsigned(std::string_view text, std::uint64_t limit) {
  TextCursor in(text);
  in.Peek();
  std::uint64_t value;
  return in.ReadUnsigned(limit, &value) ? StrCat(value) : std::string(in.status().message());
}
double Real(std::string_view text) {
  TextCursor in(text);
  in.Peek();
  double value = -77;
  CHECK_MESSAGE(in.ReadDouble(&value), in.status().message());
  return value;
}
std::string RealError(std::string_view text) {
  TextCursor in(text);
  double value;
  return in.ReadDouble(&value) ? "" : std::string(in.status().message());
}
}  // namespace

TEST_CASE("Peek skips blanks and comments, and tells a NUL from the end") {
  TextCursor in(std::string_view(" \t\r\n\v\f# x\n#\n  a#b", 18));
  CHECK(in.Peek() == 'a');
  CHECK(in.Word() == "a");
  CHECK(in.Peek() == '\0');
  CHECK(in.AtEnd());
  TextCursor nul(std::string_view("\0", 1));
  CHECK(nul.Peek() == '\0');
  CHECK_FALSE(nul.AtEnd());
  TextCursor high("\xe9");
  CHECK(high.Peek() == '\xe9');
  TextCursor none{std::string_view()};
  CHECK(none.Peek() == '\0');
  CHECK_FALSE(none.TryEat('\0'));
}
TEST_CASE("quoted text: every escape") {
  CHECK(Quoted("'a\"b'") == "a\"b");
  CHECK(Quoted("\"a'b\"") == "a'b");
  CHECK(Quoted("\"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\"") == "\a\b\f\n\r\t\v\\'\"");
  CHECK(Quoted("'\\?'") == "\\?");
  CHECK(Quoted("'\\1\\12\\123\\3777\\08'") == std::string("\1\12\123\377"
                                                          "7\0"
                                                          "8",
                                                          7));
  CHECK(Quoted("'\\x4\\x41A\\XfFg'") ==
        "\x04"
        "AA\xff"
        "g");
  CHECK(Quoted("'\\u00e9\\u20AC\\U0001F600\\ud83d\\ude00'") == "\u00e9\u20ac\U0001F600\U0001F600");
  CHECK(Quoted("'\xff\t#'") == "\xff\t#");
  for (const std::size_t size : {255u, 256u, 257u, 1000u}) {
    const std::string plain(size, 'p');
    CHECK(Quoted("'" + plain + "'") == plain);
    CHECK(Quoted("'" + plain + "\\U0001F600\\000'") == plain + "\U0001F600" + std::string(1, '\0'));
  }
}
TEST_CASE("quoted text: mistakes, with line and column") {
  CHECK(Quoted("\n 'ab") ==
        "2:2: the text that begins here has no ' at its end; a line break inside of it is written \\n");
  CHECK(Quoted("\"a\nb\"") ==
        "1:1: the text that begins here has no \" at its end; a line break inside of it is written \\n");
  CHECK(Quoted("'a\\q'") == "1:3: the escape '\\q' does not exist; a backslash itself is written \\\\");
  CHECK(Quoted("'a\\") == "1:3: the text ends behind a backslash");
  CHECK(Quoted("'\\400'") == "1:2: an octal escape is a byte: at most \\377");
  CHECK(Quoted("'\\xg'") == "1:2: \\x has one or two hexadecimal digits");
  CHECK(Quoted("'\\u12'") == "1:2: \\u has 4 hexadecimal digits");
  CHECK(Quoted("'\\U1234567'") == "1:2: \\U has 8 hexadecimal digits");
  for (const char* text : {"'\\ud83d'", "'\\ude00'", "'\\ud83d\\u0041'", "'\\U00110000'"})
    CHECK(Quoted(text) == "1:2: there is no such Unicode character");
}
TEST_CASE("integers: decimal, hexadecimal, octal, and their ranges") {
  CHECK(Signed("0", INT32_MAX) == "0");
  CHECK(Signed("- 12", INT32_MAX) == "-12");
  CHECK(Signed("-0x80000000", INT32_MAX) == "-2147483648");
  CHECK(Signed("2147483648", INT32_MAX) == "1:1: '2147483648' is out of range; at most 2147483647");
  CHECK(Signed("-2147483649", INT32_MAX) == "1:2: '2147483649' is out of range; at most 2147483648");
  CHECK(Signed("-9223372036854775808", INT64_MAX) == "-9223372036854775808");
  CHECK(Signed("9223372036854775807", INT64_MAX) == "9223372036854775807");
  CHECK(Signed("0777", INT64_MAX) == "511");
  CHECK(Unsigned("0XfF", UINT32_MAX) == "255");
  CHECK(Unsigned("18446744073709551615", UINT64_MAX) == "18446744073709551615");
  CHECK(Unsigned("18446744073709551616", UINT64_MAX) ==
        "1:1: '18446744073709551616' is out of range; at most 18446744073709551615");
  CHECK(Unsigned("-1", UINT32_MAX) == "1:1: found '-', expected an integer");
  CHECK(Unsigned("089", UINT32_MAX) == "1:1: '089' is not an integer: a 0 in front means octal digits");
  CHECK(Unsigned("0x", UINT32_MAX) == "1:1: '0x' is not an integer");
  CHECK(Unsigned("1.5", UINT32_MAX) == "1:1: '1.5' is not an integer");
  CHECK(Unsigned("12ab", UINT32_MAX) == "1:1: '12ab' is not an integer");
  CHECK(Unsigned("abc", UINT32_MAX) == "1:1: found 'abc', expected an integer");
  CHECK(Unsigned("", UINT32_MAX) == "1:1: found the end of the text, expected an integer");
}
TEST_CASE("floating-point numbers") {
  CHECK(Real("1.5") == 1.5);
  CHECK(Real(".5") == 0.5);
  CHECK(Real("2.") == 2);
  CHECK(Real("-3.5e+2") == -350);
  CHECK(Real("1E3F") == 1000);
  CHECK(Real("12f") == 12);
  CHECK(Real("0.1") == 0.1);
  CHECK(std::signbit(Real("-0.0")));
  CHECK(Real("1e999") == std::numeric_limits<double>::infinity());
  CHECK(Real("1e-999") == 0);
  CHECK(Real("18446744073709551616") == 18446744073709551616.0);
  CHECK(Real("-Infinity") == -std::numeric_limits<double>::infinity());
  CHECK(Real("INF") == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(Real("NaN")));
  CHECK(std::isnan(Real("-nan")));
  CHECK(Real("-inff") == -std::numeric_limits<double>::infinity());
  CHECK(Real("InfinityF") == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(Real("nanf")));
  CHECK(RealError("0x10") ==
        "1:1: '0x10' is not a decimal number; a blank would be right before what follows a number");
  for (const std::string octal : {"017", "01.5", "09.5", "00", "01f", "01e3"})
    CHECK(RealError(octal) == "1:1: '" + octal + "' is octal, and a decimal number is wanted");
  CHECK(Real("0.5") == 0.5);
  CHECK(Real("0e1") == 0);
  CHECK(RealError("inffinity") == "1:1: found 'inffinity', expected a number");
  CHECK(RealError("1e") == "1:1: '1e' has no digits behind its exponent");
  CHECK(RealError(".") == "1:1: found '.', expected a number");
  CHECK(RealError("infinite") == "1:1: found 'infinite', expected a number");
  CHECK(RealError("'1'") == "1:1: found '\\'', expected a number");
  CHECK(RealError("1.5.2").starts_with("1:1: '1.5.2' is not a decimal number"));
}
}  // namespace text_cursor_test

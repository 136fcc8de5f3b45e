// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/printf.hpp>

#include <string>

#include <doctest/doctest.h>

namespace printf_test {
using namespace tenon;

TEST_CASE("formats are those that C would write by hand") {
  CHECK(std::string(PrintfFormat({0, 'f', -1, -1}, "").text) == "%f");
  CHECK(std::string(PrintfFormat({'0', 'd', 12, -1}, "ll").text) == "%012lld");
  CHECK(std::string(PrintfFormat({'-', 'e', kLongestNumber, kLongestNumber}, "").text) == "%-67108864.67108864e");
}
TEST_CASE("numbers are appended, however long") {
  tstring text("x=");
  PrintNumber(PrintfFormat({'+', 'g', -1, 3}, ""), 1234.5, &text);
  CHECK(text == "x=+1.23e+03");
  tstring wide;
  PrintNumber(PrintfFormat({0, 'd', 3000, -1}, "ll"), -7LL, &wide);
  CHECK(wide.size() == 3000);
  CHECK(wide.view().substr(2997) == " -7");
}
}  // namespace printf_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/printf.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
TEST_CASE("numbers with a fixed precision are those of printf, to the last digit") {
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state;
  };
  std::vector<double> values = {0.0,
                                -0.0,
                                0.5,
                                1.5,
                                2.5,
                                -0.5,
                                0.125,
                                0.375,
                                0.9999995,
                                0.99999949999,
                                9.5,
                                99.95,
                                1e15,
                                1e-310,
                                4503599627370495.5,
                                9007199254740991.0,
                                1e-7,
                                5e-7,
                                5.5e-7,
                                0.0000005,
                                0.0000015,
                                0.0000025,
                                1.0 / 3,
                                2.0 / 3,
                                1e-20};
  for (int i = 0; i < 20000; ++i) {
    const double unit = static_cast<double>(next() >> 11) * 0x1p-53;
    values.push_back(std::ldexp(unit - 0.5, static_cast<int>(next() >> 33) % 50));
    values.push_back(static_cast<double>(static_cast<float>(unit * 2000 - 1000)));
    values.push_back(static_cast<double>(next() >> 50) / 1024);  // ties
  }
  int wrong = 0;
  for (const double value : values) {
    for (const int precision : {0, 1, 2, 3, 6, 9, 12, 15}) {
      tstring text("x"), want("x");
      REQUIRE(AppendFixed(value, precision, &text));
      PrintNumber(PrintfFormat({0, 'f', -1, precision}, ""), value, &want);
      wrong += text == want ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  tstring unchanged("x");
  for (const double value :
       {9007199254740992.0, -1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    CHECK(!AppendFixed(value, 6, &unchanged));
  CHECK(!AppendFixed(1.0, 16, &unchanged));
  CHECK(unchanged == "x");
}
TEST_CASE("integers") {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{10}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    tstring text("n");
    AppendInteger(value, &text);
    CHECK(text.view() == "n" + std::to_string(value));
  }
}
}  // namespace printf_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/bitwise.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_bitwise_test {
using namespace tenon;
using namespace tenon::testing;

#define TENON_TEST_SIGNED std::int8_t, std::int16_t, std::int32_t, std::int64_t
#define TENON_TEST_UNSIGNED std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t

TEST_SUITE("Bits") {
  TEST_CASE_TEMPLATE("of integers of either sign", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED) {
    const Tensor x = Make<T>({2}, {12, 7}), y = Make<T>({}, {10});
    CHECK(Numbered<T>(Run<ops::BitwiseAnd>({}, {x, y})) == std::vector<double>{8, 2});
    CHECK(Numbered<T>(Run<ops::BitwiseOr>({}, {x, y})) == std::vector<double>{14, 15});
    CHECK(Numbered<T>(Run<ops::BitwiseXor>({}, {x, y})) == std::vector<double>{6, 13});
    CHECK(Numbered<T>(Run<ops::Invert>({}, {Run<ops::Invert>({}, {x})})) == std::vector<double>{12, 7});
  }
  TEST_CASE_TEMPLATE("are counted, also those of negative numbers", T, TENON_TEST_SIGNED) {
    const Tensor counts = Run<ops::PopulationCount>({}, {Make<T>({4}, {0, 7, -1, -128})});
    REQUIRE(counts.dtype() == DataType::kUint8);
    const double bits = sizeof(T) * 8;
    CHECK(Numbered<std::uint8_t>(counts) == std::vector<double>{0, 3, bits, bits - 7});
  }
  TEST_CASE_TEMPLATE("are shifted by amounts that are clamped", T, TENON_TEST_SIGNED) {
    const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    const Tensor x = Make<T>({4}, {1, 3, -8, -8}), y = Make<T>({4}, {-5, 100, 1, 100});
    CHECK(Numbered<T>(Run<ops::LeftShift>({}, {x, y})) == std::vector<double>{1, lowest, -16, 0});
    CHECK(Numbered<T>(Run<ops::RightShift>({}, {x, y})) == std::vector<double>{1, 0, -4, -1});
  }
  TEST_CASE_TEMPLATE("of unsigned integers are shifted in zeros", T, TENON_TEST_UNSIGNED) {
    const double most = static_cast<double>(std::uint64_t{1} << (sizeof(T) * 8 - 1));
    CHECK(Numbered<T>(Run<ops::RightShift>({}, {Make<T>({2}, {most, most}), Make<T>({2}, {1, 200})})) ==
          std::vector<double>{most / 2, 1});
  }
}

#undef TENON_TEST_SIGNED
#undef TENON_TEST_UNSIGNED

}  // namespace math_bitwise_test

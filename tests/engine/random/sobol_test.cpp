// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/sobol.hpp>

#include <doctest/doctest.h>

namespace engine_random_sobol_test {
using namespace tenon;

TEST_SUITE("Sobol's direction numbers") {
  TEST_CASE("the first dimensions") {
    sobol::DirectionNumbers all;
    const sobol::Directions one = all.Next(), two = all.Next(), three = all.Next(), four = all.Next();
    for (const std::uint32_t m : one) CHECK(m == 1);
    CHECK(two[1] == 3);  // x + 1
    CHECK(two[2] == 5);
    CHECK(two[3] == 15);
    CHECK(three[1] == 3);  // x^2 + x + 1
    CHECK(three[2] == 3);
    CHECK(three[3] == 9);
    CHECK(four[2] == 1);  // x^3 + x + 1
  }
  TEST_CASE("in all dimensions: odd, and below the powers of two") {
    sobol::DirectionNumbers all;
    int wrong = 0;
    for (int d = 0; d < sobol::kMaxDimensions; ++d) {
      const sobol::Directions m = all.Next();
      for (int k = 0; k < sobol::kMaxDigits; ++k) {
        const std::uint32_t own = m[static_cast<std::size_t>(k)];
        wrong += (own & 1U) == 0 || (std::uint64_t{own} >> (k + 1)) != 0 ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
  }
  TEST_CASE("primitive polynomials") {
    CHECK(sobol::detail::IsPrimitive(3, 1));
    CHECK(sobol::detail::IsPrimitive(19, 4));
    CHECK_FALSE(sobol::detail::IsPrimitive(31, 4));  // x^4 + x^3 + x^2 + x + 1 divides x^5 + 1
    CHECK_FALSE(sobol::detail::IsPrimitive(21, 4));  // a square
  }
}
}  // namespace engine_random_sobol_test

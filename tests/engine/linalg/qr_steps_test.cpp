// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/qr_steps.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_qr_steps_test {
using namespace tenon;
using namespace tenon::linalg;

TEST_SUITE("implicit QR steps") {
  TEST_CASE_TEMPLATE("hypotenuse", R, float, double) {
    CHECK(Hypotenuse(R(3), R(-4)) == R(5));
    CHECK(Hypotenuse(R(0), R(0)) == R(0));
    const R large = std::numeric_limits<R>::max() / 4, small = std::numeric_limits<R>::min();
    CHECK(Hypotenuse(large, large) == doctest::Approx(std::sqrt(2.0) * static_cast<double>(large)));
    CHECK(Hypotenuse(R(3) * small, R(4) * small) == R(5) * small);
    R c = 0, s = 0;
    CHECK(MakeRotation(R(3), R(4), &c, &s) == R(5));
    CHECK(c == R(3) / R(5));
    CHECK(s == R(4) / R(5));
    CHECK(MakeRotation(R(0), R(0), &c, &s) == R(0));
    CHECK(c == R(1));
    CHECK(s == R(0));
  }
  TEST_CASE("tridiagonal leaf: the values of -1, 2, -1") {
    const Index n = 9;
    std::vector<double> d(9, 2.0), e(9, -1.0), rows(9 * 11);
    REQUIRE(TridiagonalLeaf(d.data(), e.data(), n, rows.data(), 11));
    for (Index j = 0; j < n; ++j) {
      double product = 0, size = 0;
      for (Index i = 0; i < n; ++i) {
        const double* const row = rows.data() + j * 11;
        product += row[i] * (2 * row[i] - (i > 0 ? row[i - 1] : 0) - (i + 1 < n ? row[i + 1] : 0));
        size += row[i] * row[i];
      }
      CHECK(size == doctest::Approx(1));
      CHECK(product == doctest::Approx(d[static_cast<std::size_t>(j)]));
      bool is_one = false;  // 2 - 2 cos(k pi / 10)
      for (int k = 1; k <= 9; ++k)
        is_one =
            is_one || std::fabs(d[static_cast<std::size_t>(j)] - 2 + 2 * std::cos(k * std::acos(-1.0) / 10)) < 1e-14;
      CHECK(is_one);
    }
  }
  TEST_CASE("bidiagonal leaf of one column more") {
    const Index n = 5, columns = 6;
    const std::vector<double> d = {1, -2, 0, 3, 0.5}, e = {1, 0.25, -1, 2, 4};
    std::vector<double> values = d, beside = e, lefts(36), rights(36);
    REQUIRE(BidiagonalLeaf(values.data(), beside.data(), n, columns, lefts.data(), rights.data(), 6));
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i), row = static_cast<std::size_t>(6 * j);
        const double product = d[at] * rights[row + at] + e[at] * rights[row + at + 1];
        const double want = j < n ? values[static_cast<std::size_t>(j)] * lefts[row + at] : 0;
        CHECK(std::fabs(product - want) < 1e-14);
      }
    for (const double value : values) CHECK(value >= 0);
  }
  TEST_CASE("NaN does not converge") {
    std::vector<double> d = {1, 2, 3}, e = {1, std::nan(""), 0}, rows(9);
    CHECK_FALSE(TridiagonalLeaf(d.data(), e.data(), 3, rows.data(), 3));
  }
}
}  // namespace linalg_qr_steps_test

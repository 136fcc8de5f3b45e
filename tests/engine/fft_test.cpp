// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <vector>

#include <tenon/engine/fft.hpp>

#include <doctest/doctest.h>

namespace fft_test {
using namespace tenon;

namespace {

std::vector<complex128> Sequence(Index n) {
  std::vector<complex128> x;
  for (Index i = 0; i < n; ++i)
    x.emplace_back(std::sin(1.3 * static_cast<double>(i)), std::cos(2.1 * static_cast<double>(i) + 1));
  return x;
}
// By the definition.
std::vector<complex128> Transformed(const std::vector<complex128>& x) {
  const std::size_t n = x.size();
  std::vector<complex128> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      y[k] +=
          x[j] * std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(j * k % n) / static_cast<double>(n));
  return y;
}
double Distance(const std::vector<complex128>& a, const std::vector<complex128>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_SUITE("fft") {
  TEST_CASE("any length, forth and back") {
    for (Index n = 1; n <= 40; ++n) {
      CAPTURE(n);
      const std::vector<complex128> x = Sequence(n);
      std::vector<complex128> y = x;
      const Index sizes[] = {n};
      FftAlong(y.data(), sizes, 0, false);
      CHECK(Distance(y, Transformed(x)) < 1e-11);
      FftAlong(y.data(), sizes, 0, true);
      CHECK(Distance(y, x) < 1e-12);
    }
  }
  TEST_CASE("along the first axis of a matrix") {
    const std::vector<complex128> x = Sequence(15);
    std::vector<complex128> y = x;
    const Index sizes[] = {5, 3};
    FftAlong(y.data(), sizes, 0, false);
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<complex128> column, got;
      for (std::size_t r = 0; r < 5; ++r) {
        column.push_back(x[r * 3 + c]);
        got.push_back(y[r * 3 + c]);
      }
      CHECK(Distance(got, Transformed(column)) < 1e-12);
    }
  }
}
}  // namespace fft_test

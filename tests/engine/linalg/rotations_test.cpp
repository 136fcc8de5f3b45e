// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/rotations.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_rotations_test {
using namespace tenon;
using linalg::Rotations;

TEST_SUITE("rotations of rows") {
  // Chains, single pairs and steps back, more of them than are collected at once.
  TEST_CASE_TEMPLATE("each one as by hand", T, float, double) {
    for (const Index n : {2, 5, 40}) {
      CAPTURE(n);
      const Index row = Rotations<T>::RowSize(n);
      CHECK(row >= n);
      std::vector<T> got(static_cast<std::size_t>(n * row)), want;
      for (std::size_t i = 0; i < got.size(); ++i) got[i] = static_cast<T>(i % 17) - 8;
      want = got;
      Rotations<T> rotations(got.data(), n);
      for (Index i = 0; i < 5000; ++i) {
        const Index first = i % 7 == 6 ? n - 1 : i % (n - 1), second = i % 7 == 6 ? 0 : first + 1;
        const T c = std::cos(static_cast<T>(i)), s = std::sin(static_cast<T>(i));
        rotations.Add(first, second, c, s);
        for (Index j = 0; j < n; ++j) {
          T &x = want[static_cast<std::size_t>(first * row + j)], &y = want[static_cast<std::size_t>(second * row + j)];
          const T a = x, b = y;
          x = c * a + s * b;
          y = c * b - s * a;
        }
      }
      rotations.Apply();
      double most = 0;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          const auto at = static_cast<std::size_t>(i * row + j);
          most = std::fmax(most, std::fabs(static_cast<double>(got[at] - want[at])));
        }
      CHECK(most < (sizeof(T) == 4 ? 1e-3 : 1e-11));
    }
  }
  TEST_CASE("without a matrix they are dropped") {
    Rotations<double> rotations(nullptr, 3);
    for (int i = 0; i < 2000; ++i) rotations.Add(0, 1, 0.0, 1.0);
    rotations.Apply();
    CHECK(Rotations<double>::RowSize(3) > 3);
  }
}
}  // namespace linalg_rotations_test

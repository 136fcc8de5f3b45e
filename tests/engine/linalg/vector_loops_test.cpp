// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/vector_loops.hpp>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_vector_loops_test {
using namespace tenon;
using namespace tenon::linalg;

namespace {

template <class T>
std::vector<T> Numbers(Index n, int seed) {
  std::vector<T> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const auto real = static_cast<Real<T>>((i * 7 + seed) % 11 - 5);
    if constexpr (std::is_floating_point_v<T>)
      out[static_cast<std::size_t>(i)] = real;
    else
      out[static_cast<std::size_t>(i)] = T(real, static_cast<Real<T>>((i * 5 + seed) % 7 - 3));
  }
  return out;
}

}  // namespace

TEST_SUITE("vector loops") {
  // Small integers: all sums are exact.
  TEST_CASE_TEMPLATE("scaled differences and dot products", T, float, double, std::complex<float>,
                     std::complex<double>) {
    for (const Index n : {0, 1, 7, 8, 29}) {
      const std::vector<T> x = Numbers<T>(n, 1), y = Numbers<T>(n, 4);
      std::vector<T> out = y;
      SubtractScaled(x.data(), T(3), out.data(), n);
      T dot = T(0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(out[i] == y[i] - T(3) * x[i]);
        dot += Conj(x[i]) * y[i];
      }
      CHECK(ConjugateDot(x.data(), y.data(), n) == dot);
    }
  }
  TEST_CASE_TEMPLATE("a Hermitian matrix times a vector", T, float, double, std::complex<float>, std::complex<double>) {
    for (const Index n : {1, 2, 4, 5, 11, 12, 13, 30, 37}) {
      const Index row = n + 3;
      std::vector<T> a = Numbers<T>(n * row, 2);  // what lies below the diagonal is not read
      const std::vector<T> x = Numbers<T>(n, 3);
      std::vector<T> y(x.size(), T(9)), plain = y;
      HermitianTimes(a.data(), row, x.data(), y.data(), n);
      HermitianTimesRows(a.data(), row, x.data(), plain.data(), n);
      for (Index i = 0; i < n; ++i) {
        T sum = T(0);
        for (Index j = 0; j < n; ++j) {
          const T element = j > i   ? a[static_cast<std::size_t>(i * row + j)]
                            : j < i ? Conj(a[static_cast<std::size_t>(j * row + i)])
                                    : T(RealPart(a[static_cast<std::size_t>(i * row + i)]));
          sum += element * x[static_cast<std::size_t>(j)];
        }
        CHECK(y[static_cast<std::size_t>(i)] == sum);
        CHECK(plain[static_cast<std::size_t>(i)] == sum);
      }
    }
  }
}
}  // namespace linalg_vector_loops_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/fft.hpp>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace linalg_fft_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The definition, along the last dimension, in float64: y_k = sum of x_j exp(-+2 pi i jk/n), the inverse divided by n.
std::vector<Wide> Dft(const std::vector<Wide>& x, Index n, bool inverse) {
  std::vector<Wide> y(x.size());
  for (std::size_t begin = 0; begin < x.size(); begin += static_cast<std::size_t>(n))
    for (Index k = 0; k < n; ++k) {
      Wide sum;
      for (Index j = 0; j < n; ++j) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
        sum += x[begin + static_cast<std::size_t>(j)] * std::polar(1.0, inverse ? angle : -angle);
      }
      y[begin + static_cast<std::size_t>(k)] = inverse ? sum / static_cast<double>(n) : sum;
    }
  return y;
}
// [rows, columns] -> [columns, rows]
std::vector<Wide> Turned(const std::vector<Wide>& x, std::size_t rows, std::size_t columns) {
  std::vector<Wide> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i % columns * rows + i / columns] = x[i];
  return y;
}
std::string FirstFarOf(const std::vector<Wide>& got, const std::vector<Wide>& want, double allowed) {
  return FirstFar(got, want, std::vector<double>(want.size(), allowed));
}

constexpr Index kLengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 30, 64};

}  // namespace

TEST_SUITE("Fourier transforms against their definition") {
  TEST_CASE_TEMPLATE("complex, and back", T, complex64, complex128) {
    const double unit = 64 * RoundingUnit<T>();
    for (const Index n : kLengths) {
      CAPTURE(n);
      const Tensor x = Random<T>({2, n}, 7);
      const double allowed = unit * static_cast<double>(n);
      const Tensor y = Run<ops::FFT>({}, {x});
      CHECK(FirstFarOf(Widened<T>(y), Dft(Widened<T>(x), n, false), allowed) == "");
      CHECK(FirstFarOf(Widened<T>(Run<ops::IFFT>({}, {x})), Dft(Widened<T>(x), n, true), allowed) == "");
      CHECK(FirstFarOf(Widened<T>(Run<ops::IFFT>({}, {y})), Widened<T>(x), allowed) == "");
    }
  }
  TEST_CASE("real, and back") {
    for (const Index n : kLengths) {
      CAPTURE(n);
      const Tensor x = Random<float>({2, n}, 7), length = Ints({static_cast<std::int32_t>(n)});
      const double allowed = 1e-5 * static_cast<double>(n);
      const Tensor y = Run<ops::RFFT>({}, {x, length});
      REQUIRE(y.shape() == TensorShape({2, n / 2 + 1}));
      const std::vector<Wide> all = Dft(Widened<float>(x), n, false);
      std::vector<Wide> half;
      for (Index i = 0; i < 2; ++i)
        for (Index k = 0; k <= n / 2; ++k) half.push_back(all[static_cast<std::size_t>(i * n + k)]);
      CHECK(FirstFarOf(Widened<complex64>(y), half, allowed) == "");
      CHECK(FirstFarOf(Widened<float>(Run<ops::IRFFT>({}, {y, length})), Widened<float>(x), allowed) == "");
    }
  }
  TEST_CASE("two dimensions, and three there and back") {
    const Tensor x = Random<complex128>({3, 5}, 1);
    const std::vector<Wide> rows = Dft(Widened<complex128>(x), 5, false);
    const std::vector<Wide> want = Turned(Dft(Turned(rows, 3, 5), 3, false), 5, 3);
    CHECK(FirstFarOf(Widened<complex128>(Run<ops::FFT2D>({}, {x})), want, 1e-13) == "");
    const Tensor z = Random<complex128>({2, 3, 4, 5}, 2);
    const Tensor there = Run<ops::FFT3D>({}, {z});
    CHECK(FirstFarOf(Widened<complex128>(Run<ops::IFFT3D>({}, {there})), Widened<complex128>(z), 1e-13) == "");
    const Tensor real = Random<double>({2, 3, 4, 5}, 3);
    const Tensor length = Ints({3, 4, 5});
    const Tensor half = Run<ops::RFFT3D>({{"Tcomplex", DataType::kComplex128}}, {real, length});
    REQUIRE(half.shape() == TensorShape({2, 3, 4, 3}));
    CHECK(FirstFarOf(Widened<double>(Run<ops::IRFFT3D>({{"Treal", DataType::kDouble}}, {half, length})),
                     Widened<double>(real), 1e-13) == "");
  }
  TEST_CASE("a shorter length uses the beginning; nothing of nothing") {
    const Tensor x = Make<float>({6}, {1, 2, 3, 4, 5, 6}), four = Make<float>({4}, {1, 2, 3, 4});
    CHECK(SameTensor(Run<ops::RFFT>({}, {x, Ints({4})}), Run<ops::RFFT>({}, {four, Ints({4})})));
    CHECK(Run<ops::RFFT>({}, {x, Ints({0})}).NumElements() == 0);
    CHECK(Run<ops::FFT>({}, {Make<complex64>({0, 3}, {0})}).shape() == TensorShape({0, 3}));
  }
  TEST_CASE("refuses other lengths") {
    const Tensor x = Make<float>({6}, {1});
    CHECK(ErrorOf<ops::RFFT>({}, {x, Ints({-1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::RFFT>({}, {x, Ints({4, 4})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::FFT2D>({}, {Make<complex64>({6}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::IRFFT>({}, {Make<complex64>({6}, {1}), Ints({12})})
              .find("Input dimension 0 must have length of at least 7 but got: 6") != std::string::npos);
  }
}
}  // namespace linalg_fft_test

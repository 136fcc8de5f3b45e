// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/eig.hpp>

#include <complex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace linalg_eig_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Eig and MatrixSquareRoot") {
  const AttrArgs to_complex{{"Tout", DataType::kComplex64}};

  TEST_CASE("eigenvalues by size, imaginary ones included") {
    const Tensor e = Run<ops::Eig>(to_complex, {Make<float>({2, 2}, {0, -2, 2, 0})});
    CHECK(e.data<complex64>()[0].imag() == doctest::Approx(2));  // of a pair, as TensorFlow
    CHECK(e.data<complex64>()[1].imag() == doctest::Approx(-2));
    const Tensor sizes = Run<ops::Eig>(to_complex, {Make<complex64>({3, 3}, {-5, 1, 2, 0, 1, 4, 0, 0, 3})});
    CHECK(sizes.data<complex64>()[0].real() == doctest::Approx(1));
    CHECK(sizes.data<complex64>()[1].real() == doctest::Approx(3));
    CHECK(sizes.data<complex64>()[2].real() == doctest::Approx(-5));
  }
  TEST_CASE("refuses NaN and another Tout") {
    CHECK(ErrorOf<ops::Eig>(to_complex, {Make<float>({2, 2}, {1, kNaN, 0, 1})}).find("was not successful") !=
          std::string::npos);
    CHECK(ErrorOf<ops::Eig>({{"Tout", DataType::kComplex128}}, {Make<float>({1, 1}, {1})}).find("Tout must be") !=
          std::string::npos);
  }
  TEST_CASE("square roots") {
    const std::vector<double> root =
        Numbered<double>(Run<ops::MatrixSquareRoot>({}, {Make<double>({2, 2}, {7, 10, 15, 22})}));
    CHECK(root[0] == doctest::Approx(1.5666989));
    CHECK(root[2] * root[0] + root[3] * root[2] == doctest::Approx(15));
    CHECK(root[0] * root[0] + root[1] * root[2] == doctest::Approx(7));
    const double none = Numbered<double>(Run<ops::MatrixSquareRoot>({}, {Make<double>({1, 1}, {-4})}))[0];
    CHECK(none != none);
  }
}
}  // namespace linalg_eig_test

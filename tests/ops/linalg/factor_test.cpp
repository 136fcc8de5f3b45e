// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/factor.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace linalg_factor_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Matrix = std::vector<Wide>;  // n * n, by rows

Matrix Product(const Matrix& a, const Matrix& b, std::size_t n) {
  Matrix c(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}
Matrix Adjoint(const Matrix& a, std::size_t n) {
  Matrix t(n * n);
  for (std::size_t i = 0; i < n * n; ++i) t[i % n * n + i / n] = std::conj(a[i]);
  return t;
}
Matrix Identity(std::size_t n) {
  Matrix a(n * n);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 1;
  return a;
}
// The largest difference of two matrices.
double Farthest(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}
// x x^H + n I: positive definite.
template <class T>
Tensor Definite(Index n, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(n);
  const Matrix x = Widened<T>(Random<T>({n, n}, seed, -1, 1));
  const Matrix a = Product(x, Adjoint(x, size), size);
  Tensor t(dtype_of_v<T>, {n, n});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Wide v = a[i] + (i / size == i % size ? static_cast<double>(n) : 0.0);
    if constexpr (kIsComplex<T>)
      t.data<T>()[i] = T(v);
    else
      t.data<T>()[i] = static_cast<T>(v.real());
  }
  return t;
}

}  // namespace

TEST_SUITE("factors of matrices") {
  TEST_CASE_TEMPLATE("Cholesky: lower triangular, l l^H is the input", T, float, double, complex128) {
    for (const Index n : {1, 2, 5, 17}) {
      const Tensor a = Definite<T>(n, 3);
      const Matrix l = Widened<T>(Run<ops::Cholesky>({}, {a}));
      const auto size = static_cast<std::size_t>(n);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = i + 1; j < size; ++j) CHECK(l[i * size + j] == Wide());
      CHECK(Farthest(Product(l, Adjoint(l, size), size), Widened<T>(a)) <= 64 * RoundingUnit<T>() * 2 * double(n));
    }
    // TensorFlow: NaN of what is not positive definite.
    CHECK(std::isnan(Widened<T>(Run<ops::Cholesky>({}, {Make<T>({2, 2}, {1, 2, 2, 1})}))[0].real()));
  }
  TEST_CASE_TEMPLATE("MatrixInverse: times the input it is 1, adjoint too", T, float, double, complex128) {
    for (const Index n : {1, 2, 5, 17}) {
      Tensor a = Definite<T>(n, 5);
      for (Index i = 0; i + 1 < n * n; i += 2) a.data<T>()[i] += T(.25);  // not symmetric
      const auto size = static_cast<std::size_t>(n);
      const double allowed = 256 * RoundingUnit<T>() * double(n);
      const Matrix x = Widened<T>(Run<ops::MatrixInverse>({}, {a}));
      CHECK(Farthest(Product(x, Widened<T>(a), size), Identity(size)) <= allowed);
      const Matrix y = Widened<T>(Run<ops::MatrixInverse>({{"adjoint", true}}, {a}));
      CHECK(Farthest(Product(y, Adjoint(Widened<T>(a), size), size), Identity(size)) <= allowed);
    }
    CHECK(ErrorOf<ops::MatrixInverse>({}, {Make<T>({2, 2}, {1, 2, 2, 4})}).find("Input is not invertible") !=
          std::string::npos);
  }
  TEST_CASE_TEMPLATE("Lu: the rows in their order are the product", T, float, complex128) {
    const Tensor a = Random<T>({5, 5}, 11);
    const auto out = Call<ops::Lu>({}, {a});
    REQUIRE(out.ok());
    const Matrix lu = Widened<T>((*out)[0]);
    Matrix l = Identity(5), u(25), rows(25);
    for (std::size_t i = 0; i < 25; ++i) (i / 5 > i % 5 ? l : u)[i] = lu[i];
    for (std::size_t i = 0; i < 25; ++i)
      rows[i] = Widened<T>(a)[static_cast<std::size_t>((*out)[1].data<std::int32_t>()[i / 5]) * 5 + i % 5];
    CHECK(Farthest(Product(l, u, 5), rows) <= 256 * RoundingUnit<T>());
    for (std::size_t i = 0; i < 25; ++i) CHECK(std::abs(l[i]) <= 1 + 4 * RoundingUnit<T>());  // pivots are largest
  }
  TEST_CASE("determinants of a batch of known matrices") {
    const Tensor a = Make<double>({4, 3, 3}, {2, 0, 0, 0, 3, 0, 0, 0, 4,  0, 1, 0, 1, 0, 0, 0, 0, 1,
                                              1, 2, 3, 4, 5, 6, 7, 8, 10, 1, 2, 3, 2, 4, 6, 1, 1, 1});
    const std::vector<double> want = {24, -1, -3, 0};
    const auto got = Numbered<double>(Run<ops::MatrixDeterminant>({}, {a}));
    const auto logs = Call<ops::LogMatrixDeterminant>({}, {a});
    REQUIRE(got.size() == 4);
    REQUIRE(logs.ok());
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-12));
      const double sign = (*logs)[0].data<double>()[i], log = (*logs)[1].data<double>()[i];
      CHECK(sign * std::exp(log) == doctest::Approx(want[i]).epsilon(1e-12));
    }
    CHECK(Numbered<float>(Run<ops::MatrixDeterminant>({}, {Make<float>({2, 0, 0}, {0})})) == std::vector<double>{1, 1});
    const Wide unit = Widened<complex64>(
        Run<ops::MatrixDeterminant>({}, {MakeTensor<complex64>({2, 2}, {{0, 1}, {0, 0}, {5, 5}, {0, 1}})}))[0];
    CHECK(std::abs(unit - Wide(-1, 0)) < 1e-6);
  }
  TEST_CASE("CholeskyGrad against differences") {
    // The loss is the sum of w * Cholesky(a); a moves along the symmetric direction e_ij + e_ji.
    const Tensor a = Definite<double>(3, 9), w = Random<double>({3, 3}, 4);
    const auto loss = [&](const Tensor& at) {
      const Tensor l = Run<ops::Cholesky>({}, {at});
      double sum = 0;
      for (int i = 0; i < 9; ++i) sum += l.data<double>()[i] * w.data<double>()[i];
      return sum;
    };
    const Tensor gradient = Run<ops::CholeskyGrad>({}, {Run<ops::Cholesky>({}, {a}), w});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        Tensor up = a.DeepCopy(), down = a.DeepCopy();
        for (const int at : {3 * i + j, 3 * j + i}) {
          up.data<double>()[at] = a.data<double>()[at] + 1e-5;
          down.data<double>()[at] = a.data<double>()[at] - 1e-5;
        }
        const double along = gradient.data<double>()[3 * i + j] * (i == j ? 1 : 2);
        CHECK((loss(up) - loss(down)) / 2e-5 == doctest::Approx(along).epsilon(1e-6));
      }
  }
  TEST_CASE("refuses what is no square matrix") {
    CHECK(ErrorOf<ops::Cholesky>({}, {Make<float>({2, 3}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::MatrixInverse>({}, {Make<float>({3}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::Lu>({}, {Make<float>({2, 2}, {1, 2, 2, 4})}).find("Input is not invertible") !=
          std::string::npos);
    CHECK(
        ErrorOf<ops::CholeskyGrad>({}, {Make<float>({2, 2}, {1}), Make<float>({3, 3}, {1})}).find("INVALID_ARGUMENT") ==
        0);
  }
}
}  // namespace linalg_factor_test

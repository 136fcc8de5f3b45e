// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/special.hpp>

#include <cmath>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_special_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Op, class T>
std::vector<double> Of(std::initializer_list<double> x) {
  return Numbered<T>(Run<Op>({}, {Make<T>({static_cast<Index>(x.size())}, x)}));
}
// Compares with the function in double; `roundings` of T are allowed, and of 1 near zeros.
template <class T>
void CheckNear(const Tensor& x, const Tensor& y, double (*want)(double), double roundings) {
  REQUIRE(y.shape() == x.shape());
  for (Index i = 0; i < x.NumElements(); ++i) {
    const double w = want(ToDouble(x.data<T>()[i])), got = ToDouble(y.data<T>()[i]);
    CHECK_MESSAGE(std::abs(got - w) <= roundings * RoundingUnit<T>() * (std::abs(w) + 1), ToDouble(x.data<T>()[i]),
                  " gives ", got, " instead of ", w);
  }
}

}  // namespace

TEST_SUITE("Erf, Erfc and their inverses") {
  TEST_CASE_TEMPLATE("agree with float64", T, float, double, half, bfloat16) {
    const Tensor x = Random<T>({70}, 1, -4, 4);
    CheckNear<T>(x, Run<ops::Erf>({}, {x}), [](double v) { return std::erf(v); }, 8);
    CheckNear<T>(x, Run<ops::Erfc>({}, {x}), [](double v) { return std::erfc(v); }, 8);
  }
  TEST_CASE("Erfc is exact where 1 - Erf is nothing") {
    CHECK(Of<ops::Erfc, double>({10})[0] == doctest::Approx(2.0884875837625449e-45).epsilon(1e-13));
    CHECK(Of<ops::Erfc, float>({9})[0] == doctest::Approx(4.1370317465138102e-37).epsilon(1e-5));
    CHECK(Of<ops::Erf, float>({kInfinity, -kInfinity, 0}) == std::vector<double>{1, -1, 0});
    CHECK(Of<ops::Erf, double>({kInfinity, -kInfinity, 1e300}) == std::vector<double>{1, -1, 1});  // TensorFlow: NaN
    CHECK(std::isnan(Of<ops::Erfc, float>({kNaN})[0]));
  }
  TEST_CASE_TEMPLATE("the inverses undo them", T, float, double) {
    const Tensor p = Random<T>({70}, 2, -0.99, 0.99), q = Random<T>({70}, 3, 0.01, 0.99);
    CheckNear<T>(Run<ops::Erfinv>({}, {p}), p, [](double v) { return std::erf(v); }, 16);
    CheckNear<T>(Run<ops::Ndtri>({}, {q}), q, [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }, 16);
    CHECK(Of<ops::Erfinv, T>({1, -1, 0}) == std::vector<double>{kInfinity, -kInfinity, 0});
    CHECK(Of<ops::Ndtri, T>({1, 0, 0.5}) == std::vector<double>{kInfinity, -kInfinity, 0});
    for (const double y : Of<ops::Erfinv, T>({1.5, -2, kNaN})) CHECK(std::isnan(y));
    for (const double y : Of<ops::Ndtri, T>({-0.5, 2, kNaN})) CHECK(std::isnan(y));
  }
}

TEST_SUITE("Lgamma and Digamma") {
  TEST_CASE_TEMPLATE("of whole numbers are sums", T, float, double) {
    Tensor n(dtype_of_v<T>, {30});
    for (Index i = 0; i < 30; ++i) n.data<T>()[i] = static_cast<T>(i + 1);
    const std::vector<double> log_gamma = Numbered<T>(Run<ops::Lgamma>({}, {n})),
                              digamma = Numbered<T>(Run<ops::Digamma>({}, {n}));
    double log_factorial = 0, harmonic = -0.57721566490153286;  // minus Euler's constant
    for (std::size_t i = 0; i < 30; ++i) {
      const double unit = 8 * RoundingUnit<T>();
      CHECK(std::abs(log_gamma[i] - log_factorial) <= unit * (log_factorial + 1));
      CHECK(std::abs(digamma[i] - harmonic) <= unit * (std::abs(harmonic) + 1));
      log_factorial += std::log(static_cast<double>(i + 1));
      harmonic += 1 / static_cast<double>(i + 1);
    }
  }
  TEST_CASE_TEMPLATE("Digamma(x + 1) is Digamma(x) + 1 / x, also below zero", T, float, double) {
    const std::vector<double> y = Of<ops::Digamma, T>({-1.5, -0.5, 0.5, 1.5});
    for (int i = 0; i < 3; ++i)
      CHECK(y[static_cast<std::size_t>(i) + 1] ==
            doctest::Approx(y[static_cast<std::size_t>(i)] + 1 / (i - 1.5)).epsilon(64 * RoundingUnit<T>()));
  }
  TEST_CASE_TEMPLATE("have poles at zero and below", T, float, double, half) {
    CHECK(Of<ops::Lgamma, T>({0, -1, -7, kInfinity}) == std::vector<double>(4, kInfinity));
    CHECK(Of<ops::Lgamma, T>({1, 2}) == std::vector<double>{0, 0});
    for (const double y : Of<ops::Digamma, T>({-1, -7, kNaN})) CHECK(std::isnan(y));
    CHECK(std::isnan(Of<ops::Lgamma, T>({kNaN})[0]));
  }
  TEST_CASE("no elements; no bfloat16, as in TensorFlow") {
    CHECK(Run<ops::Lgamma>({}, {Tensor(DataType::kFloat, {3, 0})}).shape() == TensorShape({3, 0}));
    CHECK(ErrorOf<ops::Digamma>({}, {Make<bfloat16>({1}, {1})}).find("no kernel for op 'Digamma'") !=
          std::string::npos);
  }
}
}  // namespace math_special_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/special_higher.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_special_higher_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr double kPi = 3.14159265358979323846, kEuler = 0.57721566490153286061;

// Each by another way than the kernels': the power series, which are exact enough where the arguments are small.
double SeriesI(int order, double x) {  // DLMF 10.25.2
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 60; ++k) sum += term *= x * x / 4 / (k * (k + order));
  return sum;
}
double SeriesDawson(double x) {  // DLMF 7.6.2: x sum (-2 x^2)^k / (2 k + 1)!!
  double term = x, sum = x;
  for (int k = 1; k < 60; ++k) sum += term *= -2 * x * x / (2 * k + 1);
  return sum;
}
double SeriesEi(double x) {  // DLMF 6.6.2
  double term = 1, sum = kEuler + std::log(x);
  for (int k = 1; k < 60; ++k) sum += (term *= x / k) / k;
  return sum;
}
double LowerGamma(int a, double x) {  // DLMF 8.4.9: of whole a
  double term = std::exp(-x), sum = term;
  for (int k = 1; k < a; ++k) sum += term *= x / k;
  return 1 - sum;
}
double Beta(int a, int b, double x) {  // DLMF 8.17.5: of whole a and b
  double sum = 0;
  for (int j = a; j < a + b; ++j) {
    double term = 1;
    for (int i = 1; i <= j; ++i) term *= static_cast<double>(a + b - i) / i;  // (a + b - 1 over j)
    sum += term * std::pow(x, j) * std::pow(1 - x, a + b - 1 - j);
  }
  return sum;
}
template <class Op, class T>
double At(std::initializer_list<double> args) {
  std::vector<Tensor> inputs;
  for (const double x : args) inputs.push_back(Tensor::Scalar(FromDouble<T>(x)));
  return ToDouble(*Run<Op>({}, inputs).template data<T>());
}
// Whether the op is near at all of these, within so many roundings (of its own size, or of 1 where that is larger).
template <class Op, class T, class Want>
std::string Far(std::initializer_list<double> xs, const Want& want, double roundings) {
  for (const double x : xs) {
    const double exact = want(x), got = At<Op, T>({x});
    if (!(std::abs(got - exact) <= roundings * RoundingUnit<T>() * std::max(1.0, std::abs(exact))))
      return StrCat("at ", x, " ", got, " instead of ", exact);
  }
  return "";
}

}  // namespace

TEST_SUITE("higher special functions") {
  TEST_CASE_TEMPLATE("of one argument are the sums of their series", T, float, double) {
    const auto xs = {.0625, .5, 1.0, 2.0, 3.5};
    const auto i0 = [](double x) { return SeriesI(0, x); };
    const auto i1 = [](double x) { return SeriesI(1, x); };
    CHECK(Far<ops::BesselI0, T>(xs, i0, 16) == "");
    CHECK(Far<ops::BesselI1, T>(xs, i1, 16) == "");
    CHECK(Far<ops::BesselI0e, T>(xs, [&](double x) { return std::exp(-x) * i0(x); }, 16) == "");
    CHECK(Far<ops::BesselI1e, T>(xs, [&](double x) { return std::exp(-x) * i1(x); }, 16) == "");
    CHECK(Far<ops::Dawsn, T>({.0625, .5, 1.0, 1.5}, SeriesDawson, 16) == "");
    CHECK(Far<ops::Expint, T>(xs, SeriesEi, 32) == "");
    CHECK(At<ops::BesselI1, T>({-1}) == -At<ops::BesselI1, T>({1}));
    CHECK(At<ops::Dawsn, T>({-1}) == -At<ops::Dawsn, T>({1}));
  }
  TEST_CASE_TEMPLATE("of whole parameters the incomplete ones are finite sums", T, float, double) {
    const double unit = 64 * RoundingUnit<T>();
    for (const int a : {1, 2, 5, 12})
      for (const double x : {.25, 1.0, 4.0, 11.0, 20.0}) {
        CHECK(std::abs(At<ops::Igamma, T>({static_cast<double>(a), x}) - LowerGamma(a, x)) <= unit);
        CHECK(std::abs(At<ops::Igammac, T>({static_cast<double>(a), x}) - (1 - LowerGamma(a, x))) <= unit);
      }
    for (const int a : {1, 2, 7})
      for (const int b : {1, 3, 8})
        for (const double x : {0.0, .125, .5, .875, 1.0})
          CHECK(std::abs(At<ops::Betainc, T>({static_cast<double>(a), static_cast<double>(b), x}) - Beta(a, b, x)) <=
                unit);
  }
  TEST_CASE_TEMPLATE("sums of powers that are known", T, float, double) {
    const double unit = 8 * RoundingUnit<T>();
    CHECK(std::abs(At<ops::Zeta, T>({2, 1}) - kPi * kPi / 6) <= unit);
    CHECK(std::abs(At<ops::Zeta, T>({4, 1}) - std::pow(kPi, 4) / 90) <= unit);
    CHECK(std::abs(At<ops::Zeta, T>({4, 2}) - (std::pow(kPi, 4) / 90 - 1)) <= unit);
    CHECK(std::abs(At<ops::Zeta, T>({2, .5}) - kPi * kPi / 2) <= 4 * unit);
    CHECK(std::abs(At<ops::Polygamma, T>({1, 1}) - kPi * kPi / 6) <= unit);
    CHECK(std::abs(At<ops::Polygamma, T>({0, 1}) + kEuler) <= unit);
    CHECK(std::abs(At<ops::Polygamma, T>({3, 1}) - std::pow(kPi, 4) / 15) <= 16 * unit);
  }
  TEST_CASE_TEMPLATE("where there is no value it is NaN, at poles infinity, at ends what TensorFlow says", T, float,
                     double) {
    CHECK(At<ops::BesselI0, T>({0}) == 1);
    CHECK(At<ops::BesselI0, T>({1000}) == kInfinity);
    CHECK(At<ops::BesselI0e, T>({kInfinity}) == 0);
    CHECK(At<ops::Expint, T>({0}) == -kInfinity);
    CHECK(std::isnan(At<ops::Expint, T>({-1})));
    CHECK(At<ops::Dawsn, T>({-kInfinity}) == 0);
    CHECK(At<ops::Igamma, T>({1, 0}) == 0);
    CHECK(At<ops::Igamma, T>({1, kInfinity}) == 1);
    CHECK(At<ops::Igammac, T>({1, kInfinity}) == 0);
    CHECK(std::isnan(At<ops::Igamma, T>({0, 1})));
    CHECK(std::isnan(At<ops::Igamma, T>({1, -1})));
    CHECK(At<ops::Zeta, T>({1, 2}) == kInfinity);
    CHECK(At<ops::Zeta, T>({2, -1}) == kInfinity);
    CHECK(std::isnan(At<ops::Zeta, T>({.5, 2})));
    CHECK(std::isnan(At<ops::Zeta, T>({2.5, -.5})));
    CHECK(std::isnan(At<ops::Polygamma, T>({.5, 1})));
    CHECK(At<ops::Polygamma, T>({1, 0}) == kInfinity);
    CHECK(std::isnan(At<ops::Betainc, T>({0, 1, .5})));
    CHECK(std::isnan(At<ops::Betainc, T>({1, 1, 2})));
    for (const double nan : {At<ops::BesselI1, T>({kNaN}), At<ops::Dawsn, T>({kNaN}), At<ops::Igamma, T>({kNaN, 1}),
                             At<ops::Zeta, T>({2, kNaN}), At<ops::Betainc, T>({kNaN, 1, .5})})
      CHECK(std::isnan(nan));
  }
  TEST_CASE("Betainc takes one shape and scalars") {
    const Tensor one = Tensor::Scalar(1.f), x = Make<float>({2, 2}, {0, .25, .5, 1}), two = Make<float>({2}, {1});
    CHECK(Numbered<float>(Run<ops::Betainc>({}, {one, one, x})) == std::vector<double>{0, .25, .5, 1});
    CHECK(Run<ops::Betainc>({}, {x, one, Tensor::Scalar(.5f)}).shape() == TensorShape({2, 2}));
    CHECK(Run<ops::Betainc>({}, {Tensor(DataType::kFloat, {0, 3}), one, one}).shape() == TensorShape({0, 3}));
    CHECK(ErrorOf<ops::Betainc>({}, {two, one, x}) ==
          "INVALID_ARGUMENT: Betainc: Shapes of a, b and x are inconsistent: [2], [] and [2,2]; they must be the same, "
          "or scalars");
    CHECK(InferredShape<ops::Betainc>({{}, {2, -1}, {-1, 3}}) == "[2,3]");
    CHECK(InferredShape<ops::Betainc>({{}, {}, {}}) == "[]");
    CHECK(InferredShape<ops::Betainc>({{}, StaticShape(), {}}) == "?");
    CHECK(InferredShape<ops::Betainc>({{3}, StaticShape(), {}}) == "[3]");
    CHECK(InferredShape<ops::Betainc>({{3}, {2}, {}}).find("must be equal, but are 3 and 2") != std::string::npos);
  }
}
}  // namespace math_special_higher_test

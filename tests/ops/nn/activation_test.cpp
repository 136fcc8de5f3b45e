// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/activation.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_activation_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

double Elu(double x) { return x < 0 ? std::expm1(x) : x; }
double Selu(double x) { return 1.0507009873554804935 * (x < 0 ? 1.6732632423543772848 * std::expm1(x) : x); }
double Softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
double Softsign(double x) { return x / (1 + std::fabs(x)); }

// Everywhere within 4 units in the last place of T.
template <class Op, class T>
void CheckAgainst(double (*wanted)(double), const TensorShape& shape = {33, 65}) {
  const Tensor x = Random<T>(shape, 5, -9, 9);
  std::vector<Wide> want;
  std::vector<double> allowed;
  for (const Wide number : Widened<T>(x)) {
    want.push_back(wanted(number.real()));
    allowed.push_back(4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::abs(want.back()));
  }
  CHECK(FirstFar(Widened<T>(Run<Op>({}, {x})), want, allowed).empty());
}

template <class Op>
std::vector<double> Of(std::initializer_list<float> numbers) {
  return Numbered<float>(Run<Op>({}, {MakeTensor<float>({static_cast<Index>(numbers.size())}, numbers)}));
}

}  // namespace

TEST_SUITE("Activations") {
  TEST_CASE_TEMPLATE("each is its formula", T, float, double) {
    CheckAgainst<ops::Elu, T>(&Elu);
    CheckAgainst<ops::Selu, T>(&Selu);
    CheckAgainst<ops::Softplus, T>(&Softplus);
    CheckAgainst<ops::Softsign, T>(&Softsign);
  }
  TEST_CASE("a scalar, nothing") {
    CheckAgainst<ops::Selu, float>(&Selu, {});
    CHECK(Run<ops::Elu>({}, {Tensor(DataType::kFloat, TensorShape({3, 0}))}).shape() == TensorShape({3, 0}));
  }
  TEST_CASE("far out they are what they tend to, and NaN stays") {
    const float most = std::numeric_limits<float>::infinity();
    CHECK(Of<ops::Elu>({-most, most, -100}) == std::vector<double>{-1, kInfinity, -1});
    CHECK(Of<ops::Selu>({most, -200}) == std::vector<double>{kInfinity, static_cast<float>(-1.7580993408473768)});
    CHECK(Of<ops::Softplus>({-most, 200, most}) == std::vector<double>{0, 200, kInfinity});
    CHECK(Of<ops::Softsign>({1e30f, -1e30f}) == std::vector<double>{1, -1});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const double y :
         {Of<ops::Elu>({nan})[0], Of<ops::Selu>({nan})[0], Of<ops::Softplus>({nan})[0], Of<ops::Softsign>({nan})[0]})
      CHECK(std::isnan(y));
  }
  TEST_CASE("near 0 nothing is lost") {
    CHECK(Of<ops::Elu>({-1e-30f})[0] == static_cast<double>(-1e-30f));
    CHECK(Of<ops::Softplus>({-80})[0] == doctest::Approx(std::exp(-80.0)).epsilon(1e-6));
  }
  TEST_CASE("an input that nobody else reads is overwritten") {
    bool took_over = false;
    const Tensor x = Random<float>({4, 6}, 1);
    CHECK(SameTensor(RunOnOwnInputs<ops::Softplus, float>({}, {x}, &took_over), Run<ops::Softplus>({}, {x})));
    CHECK(took_over);
  }
}
}  // namespace nn_activation_test

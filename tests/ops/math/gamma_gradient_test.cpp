// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/gamma_gradient.hpp>

#include <cmath>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_gamma_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of gamma functions") {
  TEST_CASE("inputs are broadcast") {
    const Tensor a = Make<double>({2, 1}, {1, 2}), x = Make<double>({3}, {0, 1, 2});
    CHECK(Run<ops::IgammaGradA>({}, {a, x}).shape() == TensorShape{2, 3});
    CHECK(Numbered<double>(Run<ops::RandomGammaGrad>({}, {a, x}))[3] == 0);
  }
  TEST_CASE("values") {
    const Tensor a = Make<double>({1}, {1}), x = Make<double>({1}, {1});
    CHECK(Numbered<double>(Run<ops::IgammaGradA>({}, {a, x}))[0] == doctest::Approx(-0.4317297));
    CHECK(Numbered<double>(Run<ops::RandomGammaGrad>({}, {a, x}))[0] == doctest::Approx(0.4317297 * std::exp(1.0)));
  }
}
}  // namespace math_gamma_gradient_test

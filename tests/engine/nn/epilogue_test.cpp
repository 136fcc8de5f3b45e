// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/epilogue.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace fused_output_test {
using namespace tenon;

namespace {

std::vector<double> Finish(FusedActivation activation, bool normalises) {
  Cpu device;
  const double offset[] = {0, 1}, mean[] = {1, 2}, factor[] = {2, 3};
  FusedOutput<double> f{.offset = offset, .activation = activation, .leaky_alpha = 0.1};
  if (normalises) {
    f.mean = mean;
    f.factor = factor;
  }
  std::vector<double> x = {-2, -1.5, 7, 0.5};
  CHECK(FinishFused(device, f, 2, 2, x.data()).ok());
  return x;
}

}  // namespace

TEST_SUITE("fused outputs") {
  TEST_CASE("biases, normalisation, activations") {
    CHECK(Finish(FusedActivation::kNone, false) == std::vector<double>{-2, -.5, 7, 1.5});
    CHECK(Finish(FusedActivation::kNone, true) == std::vector<double>{-6, -9.5, 12, -3.5});
    CHECK(Finish(FusedActivation::kRelu, false) == std::vector<double>{0, 0, 7, 1.5});
    CHECK(Finish(FusedActivation::kRelu6, false) == std::vector<double>{0, 0, 6, 1.5});
    CHECK(Finish(FusedActivation::kLeakyRelu, false) == std::vector<double>{-2 * 0.1, -.5 * 0.1, 7, 1.5});
    CHECK(Finish(FusedActivation::kElu, false)[1] == doctest::Approx(std::exp(-.5) - 1));
    CHECK(Finish(FusedActivation::kTanh, false)[3] == doctest::Approx(std::tanh(1.5)));
    CHECK(Finish(FusedActivation::kSigmoid, false)[0] == doctest::Approx(1 / (1 + std::exp(2.))));
  }
  TEST_CASE("NaN stays NaN") {
    Cpu device;
    const float zero = 0;
    for (const FusedActivation a :
         {FusedActivation::kRelu, FusedActivation::kRelu6, FusedActivation::kElu, FusedActivation::kLeakyRelu}) {
      float x = std::numeric_limits<float>::quiet_NaN();
      CHECK(FinishFused<float>(device, {.offset = &zero, .activation = a}, 1, 1, &x).ok());
      CHECK(std::isnan(x));
    }
  }
}
}  // namespace fused_output_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/activation_gradient.hpp>

#include <cmath>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_activation_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr double kScale = 1.0507009873554804934, kScaleAlpha = 1.7580993408473768599;

// The activation in double; its gradient takes the activation's input or its output.
struct Activation {
  const char* gradient;
  double (*function)(double);
  bool from_output;
};
constexpr Activation kActivations[] = {
    {"ReluGrad", [](double x) { return std::fmax(x, 0); }, false},
    {"Relu6Grad", [](double x) { return std::fmin(std::fmax(x, 0), 6); }, false},
    {"LeakyReluGrad", [](double x) { return x > 0 ? x : static_cast<double>(0.2f) * x; }, false},
    {"EluGrad", [](double x) { return x < 0 ? std::expm1(x) : x; }, true},
    {"SeluGrad", [](double x) { return x < 0 ? kScaleAlpha * std::expm1(x) : kScale * x; }, true},
    {"SoftplusGrad", [](double x) { return std::log1p(std::exp(x)); }, false},
    {"SoftsignGrad", [](double x) { return x / (1 + std::abs(x)); }, false},
};

}  // namespace

TEST_SUITE("Gradients of activations") {
  TEST_CASE_TEMPLATE("are the slopes of the activations", T, float, double, half, bfloat16) {
    for (const Activation& a : kActivations) {
      CAPTURE(std::string_view(a.gradient));
      for (const Index n : {0, 1, 7, 70}) {
        const Tensor gradient = Random<T>({n}, 1), x = Random<T>({n}, 2, -8, 8);
        Tensor fed = x.DeepCopy();
        for (Index i = 0; i < n && a.from_output; ++i)
          fed.data<T>()[i] = FromDouble<T>(a.function(ToDouble(x.data<T>()[i])));
        const Tensor back = RunAll(a.gradient, {}, {gradient, fed}, 1)[0];
        REQUIRE(back.shape() == x.shape());
        for (Index i = 0; i < n; ++i) {
          constexpr double kStep = 0x1p-20;
          const double at = ToDouble(x.data<T>()[i]),
                       slope = (a.function(at + kStep) - a.function(at - kStep)) / (2 * kStep);
          const double want = slope * ToDouble(gradient.data<T>()[i]);
          // The output that is fed is rounded, which the slope of Elu and Selu feels.
          CHECK_MESSAGE(std::abs(ToDouble(back.data<T>()[i]) - want) <= 24 * RoundingUnit<T>() + 1e-9, at, ": ",
                        ToDouble(back.data<T>()[i]), " instead of ", want);
        }
      }
    }
  }
  TEST_CASE("at the kinks") {
    const Tensor one = Make<float>({4}, {1}), x = Make<float>({4}, {0.0, -0.0, 6, 5.5});
    CHECK(Numbered<float>(Run<ops::ReluGrad>({}, {one, x})) == std::vector<double>{0, 0, 1, 1});
    CHECK(Numbered<float>(Run<ops::Relu6Grad>({}, {one, x})) == std::vector<double>{0, 0, 0, 1});
    CHECK(Numbered<float>(Run<ops::LeakyReluGrad>({{"alpha", 0.5f}}, {one, x})) == std::vector<double>{0.5, 0.5, 1, 1});
    CHECK(Numbered<float>(Run<ops::EluGrad>({}, {one, x})) == std::vector<double>{1, 1, 1, 1});
  }
  TEST_CASE("integers keep every gradient, the least too") {
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    const Tensor gradient = Ints({kLeast, kLeast, 7, 7}), x = Ints({1, -1, 6, kLeast});
    CHECK(Numbered<std::int32_t>(Run<ops::ReluGrad>({}, {gradient, x})) == std::vector<double>{-2147483648.0, 0, 7, 0});
    CHECK(Numbered<std::int32_t>(Run<ops::Relu6Grad>({}, {gradient, x})) ==
          std::vector<double>{-2147483648.0, 0, 0, 0});
  }
  TEST_CASE("softplus's slope does not run over") {
    const Tensor one = Make<float>({4}, {1}), x = Make<float>({4}, {-200, 200, -kInfinity, kInfinity});
    CHECK(Numbered<float>(Run<ops::SoftplusGrad>({}, {one, x})) == std::vector<double>{0, 1, 0, 1});
  }
  TEST_CASE("one buffer as both inputs is not written to; an own input is taken over") {
    const Tensor x = Random<float>({70}, 4);
    const std::vector<double> both = Numbered<float>(Run<ops::ReluGrad>({}, {x, x}));
    for (Index i = 0; i < 70; ++i) CHECK(both[static_cast<std::size_t>(i)] == std::fmax(x.data<float>()[i], 0));
    bool took_over = false;
    CHECK(SameTensor(RunOnOwnInputs<ops::SoftsignGrad, float>({}, {x, x}, &took_over),
                     Run<ops::SoftsignGrad>({}, {x, x})));
    CHECK(took_over);
  }
  TEST_CASE("both inputs have one shape") {
    CHECK(ErrorOf<ops::ReluGrad>({}, {Make<float>({2}, {1}), Make<float>({3}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::ReluGrad>({}, {Make<float>({2}, {1}), Make<float>({1}, {1})}).find("INVALID_ARGUMENT") == 0);
    CHECK(Run<ops::EluGrad>({}, {Tensor(DataType::kFloat, {0}), Tensor(DataType::kFloat, {0})}).NumElements() == 0);
  }
}
}  // namespace nn_activation_gradient_test

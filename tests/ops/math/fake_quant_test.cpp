// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/fake_quant.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace math_fake_quant_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::vector<Tensor> Gradients(std::string_view op, const std::vector<Tensor>& inputs) {
  return RunAll(op, {}, inputs, 3);
}

}  // namespace

TEST_SUITE("FakeQuant") {
  TEST_CASE("what is rounded lies within half a step of the numbers inside, for every number of bits") {
    for (const std::int64_t bits : {std::int64_t{2}, std::int64_t{8}, std::int64_t{16}}) {
      const Tensor x = Random<float>({500}, 5, -8, 8);
      const Tensor y = Run<ops::FakeQuantWithMinMaxArgs>({{"num_bits", bits}}, {x});
      const double step = 12 / (std::pow(2, static_cast<double>(bits)) - 1);
      for (Index i = 0; i < 500; ++i) {
        const double from = std::min(std::max(static_cast<double>(x.data<float>()[i]), -6.0), 6.0);
        CHECK(std::abs(static_cast<double>(y.data<float>()[i]) - from) <= step + 1e-5);
        const double steps = static_cast<double>(y.data<float>()[i]) / step;
        CHECK(std::abs(steps - std::round(steps)) < 1e-2);
      }
    }
  }
  TEST_CASE("gradients pass inside; those outside add up at the end they are beyond") {
    const Tensor x = Make<float>({2, 3}, {-9, 0, 9, -8, 1, 7}), g = Make<float>({2, 3}, {1, 2, 4, 8, 16, 32});
    const Tensor low = Tensor::Scalar(-6.f), high = Tensor::Scalar(6.f);
    const std::vector<Tensor> all = Gradients("FakeQuantWithMinMaxVarsGradient", {g, x, low, high});
    CHECK(Numbered<float>(all[0]) == std::vector<double>{0, 2, 0, 0, 16, 0});
    CHECK(*all[1].data<float>() == 9);
    CHECK(*all[2].data<float>() == 36);
    const Tensor lows = Make<float>({3}, {-6, 0, -6}), highs = Make<float>({3}, {6, 0, 8});
    const std::vector<Tensor> each = Gradients("FakeQuantWithMinMaxVarsPerChannelGradient", {g, x, lows, highs});
    CHECK(Numbered<float>(each[0]) == std::vector<double>{0, 2, 0, 0, 16, 32});
    CHECK(Numbered<float>(each[1]) == std::vector<double>{9, 0, 0});
    CHECK(Numbered<float>(each[2]) == std::vector<double>{0, 0, 4});
  }
  TEST_CASE("each channel has its own range") {
    const Tensor x = Make<float>({2, 2}, {.4, .4, 9, 9});
    const Tensor y = Run<ops::FakeQuantWithMinMaxVarsPerChannel>(
        {{"num_bits", std::int64_t{2}}}, {x, Make<float>({2}, {0, 0}), Make<float>({2}, {3, 6})});
    CHECK(Numbered<float>(y) == std::vector<double>{0, 0, 3, 6});
    CHECK(Run<ops::FakeQuantWithMinMaxVarsPerChannel>(
              {}, {Tensor(DataType::kFloat, {3, 0}), Make<float>({0}, {0}), Make<float>({0}, {0})})
              .shape() == TensorShape({3, 0}));
  }
  TEST_CASE("says what is out of range, and which shape does not fit") {
    const Tensor x = Make<float>({2, 3}, {1}), two = Make<float>({2}, {1});
    CHECK(ErrorOf<ops::FakeQuantWithMinMaxArgs>({{"num_bits", std::int64_t{17}}}, {x}) ==
          "INVALID_ARGUMENT: FakeQuantWithMinMaxArgs: num_bits must be between 2 and 16, inclusive, got 17");
    CHECK(ErrorOf<ops::FakeQuantWithMinMaxArgs>({{"min", 2.f}, {"max", 1.f}}, {x}) ==
          "INVALID_ARGUMENT: FakeQuantWithMinMaxArgs: min has to be smaller than max, was: 2 >= 1");
    using ops::detail::CheckFakeQuant;
    CHECK(CheckFakeQuant("Op", {2, 3}, {}, {}, false).ok());
    CHECK(CheckFakeQuant("Op", {2, 3}, {2}, {}, false).message() == "Op: `min` must be rank 0 but is rank 1");
    CHECK(CheckFakeQuant("Op", {2, 3}, {3}, {}, true).message() == "Op: `max` must be rank 1 but is rank 0");
    CHECK(CheckFakeQuant("Op", {2, 3}, {3}, {2}, true).message() == "Op: max has incorrect size, expected 3 was 2");
    CHECK(CheckFakeQuant("Op", {}, {1}, {1}, true).message() == "Op: inputs must be at least rank 1 but are rank 0");
    CHECK(InferredShape<ops::FakeQuantWithMinMaxVarsPerChannel>({{2, -1}, {3}, {3}}) == "[2,?]");
    CHECK(InferredShape<ops::FakeQuantWithMinMaxVarsPerChannel>({{2, 3}, {3}, {2}}) ==
          "Dimensions must be equal, but are 3 and 2");
    CHECK(InferredShape<ops::FakeQuantWithMinMaxVarsPerChannelGradient>({{2, 3}, {2, -1}, {3}, {-1}}, {}, 2) == "[3]");
    CHECK(ErrorOf<ops::FakeQuantWithMinMaxArgsGradient>({}, {two, x}) ==
          "INVALID_ARGUMENT: FakeQuantWithMinMaxArgsGradient: gradient and input must be the same size, got [2] and "
          "[2,3]");
  }
}
}  // namespace math_fake_quant_test

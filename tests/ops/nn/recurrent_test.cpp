// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/recurrent.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_recurrent_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Weights() {
  Tensor w = Make<float>({3, 8}, {0});
  for (int i = 0; i < 24; ++i) w.data<float>()[i] = static_cast<float>(i - 10) / 20;
  return w;
}
std::vector<Tensor> Inputs(std::int64_t length) {
  const Tensor p = Make<float>({2}, {.5, -.5}), state = Make<float>({2, 2}, {.1, -.2, .3, .4});
  return {Tensor::Scalar<std::int64_t>(length),
          Make<float>({3, 2, 1}, {.5, -1, 1, -2, .5, -1}),
          state,
          state,
          Weights(),
          p,
          p,
          p,
          Make<float>({8}, {0, .1, .2, .3, .4, .5, .6, .7})};
}
template <class Op>
void CheckSequence(const std::vector<double>& want) {
  const Result<std::vector<Tensor>> y = Call<Op>({}, Inputs(2));
  REQUIRE_MESSAGE(y.ok(), y.status().message());
  const std::vector<double> h = Numbered<float>((*y)[6]);
  REQUIRE(h.size() == 12);
  for (std::size_t i = 0; i < h.size(); ++i) CHECK(h[i] == doctest::Approx(i < 8 ? want[i] : 0).epsilon(1e-5));
}
}  // namespace

TEST_SUITE("recurrent ops") {
  TEST_CASE("sequences, TensorFlow's numbers; zeros behind seq_len_max") {
    CheckSequence<ops::BlockLSTM>(
        {0.025459297, -0.0863044262, 0.441063464, 0.51243335, -0.0315857828, -0.0878281072, 0.677875698, 0.713481426});
    CheckSequence<ops::BlockLSTMV2>(
        {0.0683939233, 0.0130759208, 0.441074967, 0.503624201, 0.0568019971, 0.0753571913, 0.658759236, 0.691266});
  }
  TEST_CASE("refuses what does not fit") {
    CHECK(ErrorOf<ops::BlockLSTM>({}, Inputs(4)) ==
          "INVALID_ARGUMENT: BlockLSTM: seq_len_max must be in [0, 3], got 4");
    CHECK(ErrorOf<ops::BlockLSTM>({}, Inputs(-1)).starts_with("INVALID_ARGUMENT"));
    std::vector<Tensor> inputs = Inputs(2);
    inputs[5] = Make<float>({3}, {1});
    CHECK(ErrorOf<ops::BlockLSTM>({}, inputs) == "INVALID_ARGUMENT: BlockLSTM: wci != cell_size: 3 vs. 2");
    inputs = Inputs(2);
    inputs[8] = Make<float>({7}, {1});
    CHECK(ErrorOf<ops::BlockLSTM>({}, inputs) ==
          "INVALID_ARGUMENT: BlockLSTM: b.dim_size(0) != cell_size * 4: 7 vs. 8");
    const Tensor x = Make<float>({2, 3}, {1}), h = Make<float>({1, 4}, {1});
    CHECK(ErrorOf<ops::GRUBlockCell>({}, {x, h, Make<float>({7, 8}, {1}), Make<float>({7, 4}, {1}),
                                          Make<float>({8}, {1}), Make<float>({4}, {1})}) ==
          "INVALID_ARGUMENT: GRUBlockCell: h_prev.dims(0) != batch_size: 1 vs. 2");
  }
  TEST_CASE_TEMPLATE("one step", T, float, half) {
    const Tensor zero = Make<T>({1, 1}, {0}), p = Make<T>({1}, {0});
    const Result<std::vector<Tensor>> y = Call<ops::LSTMBlockCell>(
        {{"forget_bias", 0.f}}, {zero, Make<T>({1, 1}, {2}), zero, Make<T>({2, 4}, {0}), p, p, p, Make<T>({4}, {0})});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK(Numbered<T>((*y)[0]) == std::vector<double>{.5});
    CHECK(Numbered<T>((*y)[1]) == std::vector<double>{1});
    CHECK(Numbered<T>((*y)[6])[0] == doctest::Approx(.5 * std::tanh(1.)).epsilon(1e-3));
  }
}
}  // namespace nn_recurrent_test

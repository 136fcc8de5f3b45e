// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/recurrent_cell_gradient.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace nn_recurrent_cell_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::vector<Tensor> LstmInputs() {
  const Tensor state = Make<float>({1, 1}, {0.5}), one = Make<float>({1}, {0.5});
  std::vector<Tensor> inputs = {state, state, state, Make<float>({2, 4}, {1}), one, one, one, Make<float>({4}, {0})};
  for (int i = 8; i < 16; ++i) inputs.push_back(state);
  return inputs;
}

}  // namespace

// Values are compared with TensorFlow's in tests/golden/ops/old_ops.pb.
TEST_SUITE("gradients of cells") {
  TEST_CASE("LSTMBlockCellGrad") {
    // do = 0.0625, dcs = 0.6875 + 0.03125, di = df = dcs / 16 * 2 ...
    CHECK(OutputsOf<ops::LSTMBlockCellGrad>({{"use_peephole", false}}, LstmInputs()) ==
          "[0.34375] | [0.0859375 0.2578125 0.0859375 0.0625] | 0 | 0 | 0");
    std::vector<Tensor> no_cells(16, Tensor(DataType::kFloat, {Index{1} << 50, 0}));
    no_cells[3] = Tensor(DataType::kFloat, {0, 0});
    for (int i = 4; i < 8; ++i) no_cells[static_cast<std::size_t>(i)] = Tensor(DataType::kFloat, {0});
    CHECK(OutputsOf<ops::LSTMBlockCellGrad>({{"use_peephole", false}}, no_cells) == " |  |  |  | ");  // at once
    std::vector<Tensor> wrong = LstmInputs();
    wrong[9] = Make<float>({1, 2}, {0});
    CHECK(ErrorOf<ops::LSTMBlockCellGrad>({{"use_peephole", true}}, wrong).find("INVALID_ARGUMENT") == 0);
  }
  TEST_CASE("GRUBlockCellGrad") {
    const Tensor state = Make<float>({1, 1}, {0.5});
    std::vector<Tensor> inputs = {
        state, state, Make<float>({2, 2}, {0}), Make<float>({2, 1}, {1}), Make<float>({2}, {0}), Make<float>({1}, {0})};
    for (int i = 6; i < 10; ++i) inputs.push_back(state);
    CHECK(OutputsOf<ops::GRUBlockCellGrad>({}, inputs) == "[0.1875] | [0.34375] | [0.1875] | [0.0234375 0]");
    inputs[9] = Make<float>({1, 2}, {0});
    CHECK(ErrorOf<ops::GRUBlockCellGrad>({}, inputs).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace nn_recurrent_cell_gradient_test

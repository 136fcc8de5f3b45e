// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/recurrent_gradient.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_recurrent_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of recurrent cells") {
  // One step of one cell with one input: all gates are 1/2, new values and states 0.
  std::vector<Tensor> Inputs(double limit) {
    const Tensor state = Make<float>({1, 1}, {0}), weights = Make<float>({1}, {0}), none = Make<float>({1, 1, 1}, {0}),
                 half = Make<float>({1, 1, 1}, {0.5}), one = Make<float>({1, 1, 1}, {1});
    return {Make<std::int64_t>({}, {limit}),
            one,
            state,
            state,
            Make<float>({2, 4}, {1, 2, 3, 4}),
            weights,
            weights,
            weights,
            Make<float>({4}, {0}),
            half,
            none,
            half,
            half,
            none,
            none,
            none,
            one,
            one};
  }
  TEST_CASE("the state's gradient passes the forget gate") {
    const AttrArgs attrs{{"use_peephole", false}};
    // dcs = 1 + o (1 - co^2) = 1.5, so that d ci = 1.5 / 2 alone is not 0; x is multiplied by its weight.
    CHECK(Numbered<float>(Run<ops::BlockLSTMGrad>(attrs, Inputs(1))) == std::vector<double>{2 * 0.75});
    CHECK(Numbered<float>(Run<ops::BlockLSTMGradV2>(attrs, Inputs(1))) == std::vector<double>{3 * 0.75});
    CHECK(Numbered<float>(Run<ops::BlockLSTMGrad>(attrs, Inputs(0))) == std::vector<double>{0});
  }
  TEST_CASE("refuses a length outside of the sequence") {
    CHECK(ErrorOf<ops::BlockLSTMGrad>({{"use_peephole", false}}, Inputs(2)).find("seq_len_max must be in [0, 1]") !=
          std::string::npos);
  }
}
}  // namespace nn_recurrent_gradient_test

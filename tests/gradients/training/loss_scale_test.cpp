// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/loss_scale.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "gradients/training/trained.hpp"

namespace loss_scale_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("LossScale") {
  TEST_CASE("a fixed factor changes no result") {
    Trained plain(Sgd{.learning_rate = 0.125}), scaled(Chain{LossScale{1024}, Sgd{.learning_rate = 0.125}});
    plain.Steps(3);
    scaled.Steps(3);
    CHECK(plain.Variable("w") == scaled.Variable("w"));
  }
  TEST_CASE("a factor keeps small gradients in half") {
    const float small = 1e-8f;  // 0 in half
    Trained plain(Sgd{.learning_rate = 1}, TrainedModel(DataType::kHalf));
    CHECK(plain.Step(6e-8f).ok());
    const auto lost = plain.Variable("w");
    Trained scaled(Chain{LossScale{32768}, Sgd{.learning_rate = 1e6}}, TrainedModel(DataType::kHalf));
    CHECK(scaled.Step(6e-8f).ok());
    CHECK(scaled.Variable("w")[0] > 1.1);
    CHECK(lost[0] < 1.1 + static_cast<double>(small));
  }
  // Numbers of tools/training_numbers.py loss_scale.
  TEST_CASE("a dynamic factor follows Keras, and leaves out steps that are not finite") {
    Trained model(Chain{DynamicLossScale{.initial = 8, .growth_steps = 2}, Sgd{.learning_rate = 0.1}});
    const double want[6][4] = {{1.39999998, -1.54999995, 8, 1},   {1.72000003, -1.18999994, 16, 0},
                               {1.72000003, -1.18999994, 8, 0},   {1.97600007, -0.90199995, 8, 1},
                               {2.18079996, -0.671599984, 16, 0}, {2.34464002, -0.487279981, 16, 1}};
    for (int step = 0; step < 6; ++step) {
      const Status status = model.Step(step == 2 ? std::numeric_limits<float>::infinity() : 1);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CheckNear(model.Variable("w"), {want[step][0], want[step][1], 0.5});
      CheckNear(model.Variable("dynamic_scale"), {want[step][2]}, 0);
      CheckNear(model.Variable("step_counter"), {want[step][3]}, 0);
    }
  }
  TEST_CASE("a step that is left out does not count for Adam") {
    Trained with(Chain{DynamicLossScale{.initial = 8}, AdamW{.learning_rate = 0.1}}),
        without(AdamW{.learning_rate = 0.1});
    CHECK(with.Step(std::numeric_limits<float>::quiet_NaN()).ok());
    with.Steps(2);
    without.Steps(2);
    CHECK(with.Variable("iteration") == without.Variable("iteration"));
    CHECK(with.Variable("w") == without.Variable("w"));
  }
}

}  // namespace loss_scale_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/learning_rate.hpp>

#include <doctest/doctest.h>

#include "gradients/training/trained.hpp"

namespace learning_rate_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("LearningRate") {
  TEST_CASE("is a number or a schedule") {
    const LearningRate number = 0.5, schedule = ExponentialDecay{};
    CHECK(number.is_number());
    CHECK(number.value() == 0.5);
    CHECK_FALSE(schedule.is_number());
    CHECK(schedule.schedule() != nullptr);
    CHECK(LearningRate(schedule).schedule() == schedule.schedule());
  }
  TEST_CASE("a schedule counts steps from 0") {
    Trained model(Sgd{.learning_rate = PiecewiseConstant{.boundaries = {0}, .values = {0.25, 0}}});
    model.Steps(3);
    CheckNear(model.Variable("w"), {2, -0.875, 0.5});
    CheckNear(model.Variable("iteration"), {3}, 0);
  }
}

}  // namespace learning_rate_test

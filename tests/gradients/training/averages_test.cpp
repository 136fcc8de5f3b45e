// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/averages.hpp>

#include <doctest/doctest.h>

#include "gradients/training/trained.hpp"

namespace averages_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("MovingAverage") {
  // Numbers of tools/training_numbers.py averages.
  TEST_CASE("averages are those of tf.train.ExponentialMovingAverage") {
    Trained value(Chain{Sgd{.learning_rate = 0.1}, MovingAverage{.decay = 0.8}});
    value.Steps(5);
    CheckNear(value.Variable("ExponentialMovingAverage"), {1.68928003, -1.22456002, 0.5});
    Trained ramp(Chain{Sgd{.learning_rate = 0.1}, MovingAverage{.decay = 0.8, .ramp = true}});
    ramp.Steps(5);
    CheckNear(ramp.Variable("ExponentialMovingAverage"), {2.25478911, -0.588362277, 0.5});
    Trained zero(Chain{Sgd{.learning_rate = 0.1}, MovingAverage{.decay = 0.8, .start = AverageStart::kZero}});
    zero.Steps(5);
    CheckNear(zero.Variable("ExponentialMovingAverage"), {2.02522588, -0.846620619, 0.5});
  }
  TEST_CASE("averages are those of Keras' use_ema") {
    Trained keras(Chain{Sgd{.learning_rate = 0.1}, MovingAverage{.decay = 0.8, .start = AverageStart::kFirstStep}});
    keras.Steps(5);
    CheckNear(keras.Variable("w"), {2.34464002, -0.487279981, 0.5});
    CheckNear(keras.Variable("ExponentialMovingAverage"), {1.82035208, -1.07710409, 0.5});
    Trained over(Chain{Sgd{.learning_rate = 0.1},
                       MovingAverage{.decay = 0.8, .start = AverageStart::kFirstStep, .overwrite_every = 2}});
    over.Steps(5);
    CheckNear(over.Variable("w"), {1.89899516, -0.988630414, 0.5});
    CheckNear(over.Variable("ExponentialMovingAverage"), {1.67879426, -1.2363565, 0.5});
  }
}

}  // namespace averages_test

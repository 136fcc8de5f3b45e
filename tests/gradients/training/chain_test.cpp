// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/chain.hpp>

#include <doctest/doctest.h>

#include "gradients/training/trained.hpp"

namespace chain_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Chain") {
  TEST_CASE("parts work in their order") {
    Trained first(Chain{ClipByValue{-1, 1}, LossScale{4}, Sgd{.learning_rate = 0.25}});
    first.Steps(1);
    // The gradient of the scaled loss is {-16, -18, 0}: clipped to -1, then divided by 4.
    CheckNear(first.Variable("w"), {1 + 0.0625, -2 + 0.0625, 0.5});
    Trained second(Chain{LossScale{4}, ClipByValue{-1, 1}, Sgd{.learning_rate = 0.25}});
    second.Steps(1);
    CheckNear(second.Variable("w"), {1.25, -1.75, 0.5});
  }
  TEST_CASE("an update sees those of the parts before it") {
    Trained model(Chain{Sgd{.learning_rate = 0.5}, MovingAverage{.decay = 0}});
    model.Steps(1);
    CheckNear(model.Variable("w"), {3, 0.25, 0.5});
    CheckNear(model.Variable("ExponentialMovingAverage"), {3, 0.25, 0.5});
  }
}

}  // namespace chain_test

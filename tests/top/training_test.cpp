// SPDX-License-Identifier: Apache-2.0
#include <tenon/training.hpp>

#include <doctest/doctest.h>

TEST_SUITE("training.hpp") {
  TEST_CASE("brings optimizers with TensorFlow's parameters") {
    CHECK(tenon::Adam().beta2 == 0.999);
    CHECK(tenon::Ftrl().learning_rate_power == -0.5);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/cnn.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "top/op_lists.hpp"

TEST_CASE("ops::Cnn for float and int32 is all that a frozen convolutional network needs") {
  const tenon::Tensor probabilities = op_lists::CheckRuns<tenon::ops::Cnn, tenon::Types<float, std::int32_t>>(
      TENON_TEST_DATA "/models/cnn_digits/graph.pb", "image", {2, 28, 28, 1});
  CHECK(probabilities.shape() == tenon::TensorShape{2, 10});
}

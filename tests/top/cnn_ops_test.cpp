// SPDX-License-Identifier: Apache-2.0
#include <tenon/cnn_ops.hpp>

#include <doctest/doctest.h>

#include "top/op_lists.hpp"

TEST_CASE("ops::Cnn is what a frozen convolutional network needs") {
  op_lists::CheckCovers<tenon::ops::Cnn>(TENON_TEST_DATA "/models/cnn_digits/graph.pb");
}

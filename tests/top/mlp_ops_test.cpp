// SPDX-License-Identifier: Apache-2.0
#include <tenon/mlp_ops.hpp>

#include <doctest/doctest.h>

#include "top/op_lists.hpp"

TEST_CASE("ops::Mlp is what a frozen multilayer perceptron needs") {
  op_lists::CheckCovers<tenon::ops::Mlp>(TENON_TEST_DATA "/models/mlp_digits/graph.pb");
}

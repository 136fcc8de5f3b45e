// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>

#include <doctest/doctest.h>

TEST_SUITE("gradients.hpp") {
  TEST_CASE("brings the gradients of the standard ops") {
    const tenon::GradientIndex functions;
    CHECK(functions.size() > 400);
    for (const char* op : {"MatMul", "Conv2D", "While", "Cholesky", "TensorListStack", "Shape"})
      CHECK(functions.Find(op) != nullptr);
    CHECK(functions.Find("Lu") == nullptr);
  }
}

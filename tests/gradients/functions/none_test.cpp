// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/none.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace none_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ops without gradients") {
  TEST_CASE("leave x unconnected and are not refused") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    b.Add("Floor", "y", {x});
    for (const bool zero : {false, true}) {
      GraphDef graph = b.graph_def();
      GradientOptions options;
      options.zero_if_unconnected = zero;
      const std::vector<std::string> ys{"y"}, xs{"x"};
      const auto names = AddGradients(&graph, ys, xs, options);
      REQUIRE_MESSAGE(names.ok(), names.status().ToString());
      CHECK((*names)[0].connected() == zero);
    }
  }
}

}  // namespace none_gradient_test

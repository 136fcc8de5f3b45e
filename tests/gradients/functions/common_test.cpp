// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/common.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>

#include "gradients/central_differences.hpp"

namespace common_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("helpers of gradient functions") {
  TEST_CASE("known integers are those of constants") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {4, 2});
    b.Add("Sum", "y", {x, b.Const("axes", Tensor::From<std::int32_t>({0, -1}, {2}))});
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    const GradientIndex functions;
    const TensorGradient none[1] = {};
    GradientBuilder g(&edited.editor(), &functions, edited.graph().Find("y")->id, none);
    SlimVector<Index> values;
    CHECK(detail::gradients::KnownIntegers(g, g.input(1), &values));
    CHECK(values.size() == 2);
    CHECK(values[1] == -1);
    CHECK_FALSE(detail::gradients::KnownIntegers(g, g.input(0), &values));
  }
}

}  // namespace common_gradient_test

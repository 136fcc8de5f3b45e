// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/training_nodes.hpp>

#include <doctest/doctest.h>

#include <tenon/gradients/edited_graph.hpp>

#include "gradients/training/trained.hpp"

namespace training_nodes_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("TrainingNodes") {
  TEST_CASE("scalars are shared by name and type, schedules by type") {
    GraphDef def = TrainedModel();
    EditedGraph edited(&def, Registry::Global().ops());
    REQUIRE(edited.Open(false).ok());
    TrainingNodes nodes;
    nodes.editor = &edited.editor();
    bool made = false;
    const Symbol one = nodes.Scalar("power", DataType::kFloat, 0.5, &made).handle;
    CHECK(made);
    CHECK(nodes.Scalar("power", DataType::kFloat, 0.5, &made).handle == one);
    CHECK_FALSE(made);
    CHECK_FALSE(nodes.Scalar("power", DataType::kDouble, 0.5, &made).handle == one);
    CHECK(made);
    const LearningRate rate = ExponentialDecay{}, copy = rate;
    const Symbol value = nodes.RateOf(rate, DataType::kFloat);
    CHECK(value.dtype() == DataType::kFloat);
    CHECK(nodes.RateOf(copy, DataType::kFloat) == value);
    CHECK(nodes.RateOf(copy, DataType::kDouble).dtype() == DataType::kDouble);
    CHECK(nodes.Iteration() == nodes.Iteration());
    CHECK(nodes.last.size() == 1);
    CHECK(nodes.initializers.size() == 3);
    CHECK_MESSAGE(edited.editor().status().ok(), edited.editor().status().ToString());
  }
}

}  // namespace training_nodes_test

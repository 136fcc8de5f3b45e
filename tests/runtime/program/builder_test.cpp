// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/builder.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "runtime/built_program.hpp"
#include "runtime/graphs.hpp"

namespace program_builder_test {
using namespace tenon;
using namespace runtime_test;
using namespace built_program;

TEST_SUITE("ProgramBuilder") {
  TEST_CASE("holds only what the fetch needs") {
    const auto b = Build(SmallGraph(), "x", "y");
    CHECK(b->program->nodes.size() == 1);
    CHECK(b->program->nodes[0].node->name() == "y");
    CHECK(b->program->constants.size() == 1);
  }
  TEST_CASE("evaluates nodes whose inputs never change") {
    GraphBuilder g;
    const Output two = g.Const("two", Tensor::Scalar(2.0f));
    const Output four = g.Add("Mul", "four", {two, two});
    const Output x = g.Placeholder("x", DataType::kFloat);
    g.Add("AddV2", "y", {g.Add("AddV2", "eight", {four, four}), x});
    const auto folded = Build(g, "x", "y");
    REQUIRE(folded->program->nodes.size() == 1);
    CHECK(folded->program->constants[0].second.scalar<float>()[0] == 8);
    CHECK(Build(g, "x", "y", false)->program->nodes.size() == 3);
  }
  TEST_CASE("a constant that waits for something is not known before") {
    GraphBuilder g;
    const Output x = g.Placeholder("x", DataType::kFloat);
    const Output side = g.Add("Neg", "side", {x});
    const Output all = g.Add("NoOp", "all"), nothing = g.Add("NoOp", "nothing");
    g.AddControlInput(all, side);
    g.AddControlInput(g.Const("late", Tensor::Scalar(2.0f)), all);
    g.AddControlInput(g.Const("early", Tensor::Scalar(2.0f)), nothing);
    const auto late = Build(g, "x", "late"), early = Build(g, "x", "early");
    REQUIRE(late->program->nodes.size() >= 2);
    CHECK(late->program->nodes.front().node->name() == "side");
    CHECK(late->program->nodes.back().node->name() == "late");
    CHECK(late->program->constants.empty());
    CHECK(early->program->nodes.empty());
    CHECK(early->program->constants.size() == 1);
  }
}
}  // namespace program_builder_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/frame_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include <tenon/graph/import.hpp>

#include "runtime/flow_program.hpp"

namespace frame_plan_test {
using namespace tenon;
using namespace runtime_test;
using detail::FlowEdge;
using detail::FlowKind;

namespace {
const detail::FlowNode* Find(const detail::FlowFrame& frame, FlowKind kind) {
  const auto it = std::find_if(frame.nodes.begin(), frame.nodes.end(), [&](const auto& n) { return n.kind == kind; });
  return it == frame.nodes.end() ? nullptr : it;
}
}  // namespace

TEST_SUITE("FramePlan") {
  TEST_CASE("has a frame for each loop, with its own nodes and slots") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Count("", "n", 7);
    const auto built = BuildFlow(g, {"n"}, {"exit"});
    const detail::FramePlan plan = detail::MakeFramePlan(*built->program);
    REQUIRE(plan.frames.size() == 2);
    const detail::FlowFrame& root = plan.frames[0];
    const detail::FlowFrame& loop = plan.frames[1];
    CHECK(root.num_children == 1);
    CHECK(root.num_slots == built->program->num_values);
    CHECK(root.starts.size() == 2);  // both Enters
    CHECK(loop.parent == 0);
    CHECK(loop.parallel_iterations == 7);
    CHECK(loop.num_enters == 2);
    CHECK(loop.num_exits == 1);
    CHECK(loop.num_invariants == 1);
    REQUIRE(Find(loop, FlowKind::kMerge) != nullptr);
    const auto merge = Find(loop, FlowKind::kMerge) - loop.nodes.begin();
    CHECK(loop.counts[static_cast<std::size_t>(merge)].pending == 1);
    const auto* next = Find(loop, FlowKind::kNextIteration);
    REQUIRE(next != nullptr);
    REQUIRE(next->num_edges == 1);
    const FlowEdge& back = loop.edges[static_cast<std::size_t>(next->first_edge)];
    CHECK(back.node == merge);
    CHECK(back.target == FlowEdge::kMerge);
    CHECK(back.input == 1);
    const auto* enter = Find(root, FlowKind::kEnter);
    REQUIRE(enter != nullptr);
    CHECK(root.edges[static_cast<std::size_t>(enter->first_edge)].from_enter);
    const auto* constant = Find(root, FlowKind::kEnterConstant);
    REQUIRE(constant != nullptr);
    CHECK(constant->first_output == 0);  // the loop's first invariant
    CHECK(Find(loop, FlowKind::kConstant) != nullptr);  // waits for its turn, but is no kernel's work
  }
  TEST_CASE("lets a Merge begin with what is fed") {
    FlowGraph g;
    g.Feed("x").Merge("m", {"x", "x"});
    const auto built = BuildFlow(g, {"x"}, {"m"});
    const detail::FramePlan plan = detail::MakeFramePlan(*built->program);
    REQUIRE(plan.frames[0].nodes.size() == 1);
    CHECK(plan.frames[0].counts[0].pending == 0);
    CHECK(plan.frames[0].counts[0].dead == 0);  // its input 0
    CHECK(plan.frames[0].starts.size() == 1);
  }
  TEST_CASE("takes a NextIteration outside of loops as an Identity") {
    FlowGraph g;
    g.Feed("x").Node("n", "NextIteration", {"x"}).Merge("m", {"n"});
    const auto built = BuildFlow(g, {"x"}, {"m"});
    CHECK(Find(detail::MakeFramePlan(*built->program).frames[0], FlowKind::kForward) != nullptr);
  }
}
}  // namespace frame_plan_test

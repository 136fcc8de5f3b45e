// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/frame_state.hpp>

#include <doctest/doctest.h>

#include "runtime/flow_program.hpp"

namespace frame_state_test {
using namespace tenon;
using namespace runtime_test;
using detail::FrameStates;
using detail::IterationState;
using detail::LoopState;

TEST_SUITE("FrameStates") {
  TEST_CASE("keep loops and iterations for the next time") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Count("", "n");
    const auto built = BuildFlow(g, {"n"}, {"exit"});
    Step step(*built->program);
    FrameStates states(*built->program, &step, false);
    states.BeginRoot();
    CHECK(states.root()->values == &step.value(0));
    LoopState* loop = states.Open(1, states.root());
    CHECK(states.root()->open_children == 1);
    CHECK(loop->pending_enters == 2);
    IterationState* first = states.Begin(loop);
    IterationState* second = states.Begin(loop);
    CHECK(first->next == second);
    CHECK(loop->running == 2);
    first->values[0] = Tensor::Scalar(1);
    ++first->live;
    states.End(loop);
    CHECK(first->values[0].dtype() == DataType::kInvalid);
    CHECK(loop->oldest == second);
    CHECK(states.Begin(loop) == first);
    CHECK(second->next == first);
    states.End(loop);
    states.End(loop);
    CHECK(loop->oldest == nullptr);
    CHECK(loop->newest == nullptr);
    states.Close(loop);
    CHECK(states.root()->open_children == 0);
    CHECK(states.Open(1, states.root()) == loop);
  }
  TEST_CASE("drop a value after its last reader") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Count("", "n");
    const auto built = BuildFlow(g, {"n"}, {"exit"});
    Step step(*built->program);
    FrameStates states(*built->program, &step, false);
    states.BeginRoot();
    LoopState* loop = states.Open(1, states.root());
    IterationState* it = states.Begin(loop);
    int slot = 0;
    while (it->readers[static_cast<std::size_t>(slot)] != 2) ++slot;  // read by two nodes
    it->values[slot] = Tensor::Scalar(1);
    ++it->live;
    it->Drop(slot);
    CHECK(it->values[slot].dtype() == DataType::kInt32);
    it->Drop(slot);
    CHECK(it->values[slot].dtype() == DataType::kInvalid);
    CHECK(it->live == 0);
    it->readers[0] = 1;
    it->Drop(0);  // dead: there is nothing
    CHECK(it->live == 0);
  }
  TEST_CASE("forget all loops when a run ends early") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Count("", "n");
    const auto built = BuildFlow(g, {"n"}, {"exit"});
    Step step(*built->program);
    FrameStates states(*built->program, &step, false);
    states.BeginRoot();
    LoopState* loop = states.Open(1, states.root());
    IterationState* it = states.Begin(loop);
    it->outstanding = 3;
    it->values[0] = Tensor::Scalar(1);
    ++it->live;
    loop->invariants[0] = Tensor::Scalar(1);
    states.EndRoot();
    CHECK(it->values[0].dtype() == DataType::kInvalid);
    CHECK(loop->invariants[0].dtype() == DataType::kInvalid);
    states.BeginRoot();
    CHECK(states.Open(1, states.root()) == loop);
    CHECK(states.Begin(loop) == it);
    CHECK(it->outstanding == 0);
  }
}

TEST_SUITE("FlowQueue") {
  TEST_CASE("is first in, first out, also while it grows") {
    tenon::detail::FlowQueue queue;
    int pushed = 0, popped = 0;
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 7; ++i) queue.Push({nullptr, pushed++, false});
      for (int i = 0; i < 5; ++i) CHECK(queue.Pop().node == popped++);
    }
    while (!queue.empty()) CHECK(queue.Pop().node == popped++);
    CHECK(popped == pushed);
  }
}
}  // namespace frame_state_test

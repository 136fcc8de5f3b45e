// SPDX-License-Identifier: Apache-2.0
// What an iteration costs: i = 0; while (i < limit) i = i + 1, as TensorFlow 1 writes it (seven nodes an iteration:
// Merge, Less, LoopCond, Switch, Identity, AddV2, NextIteration) and as a While whose condition and body are functions.
// Wanted: at most 250 ns and 120 ns an iteration. And such a While with a TensorList.
#include <cstdint>
#include <utility>

#include <tenon/graph/lower_functional.hpp>

#include "graph_case.hpp"
#include "executor/loop_graphs.hpp"

namespace tenon::bench {
namespace {

using loop_graphs::FrameLoop;
using loop_graphs::ListLoop;
using loop_graphs::WhileLoop;
constexpr std::int32_t kIterations = 1000;

void TimeLoop(State& state, PeerGraph graph, const SessionOptions& options = {}, bool single_threaded = true) {
  state.SetItems(kIterations, "iteration");
  TimeGraph(state, {.graph = std::move(graph), .session = options, .single_threaded = single_threaded});
}

}  // namespace

// TensorFlow's single-threaded executor has no such loops.
TENON_BENCH(loop_frames) { TimeLoop(state, FrameLoop(kIterations), {}, false); }
TENON_BENCH(loop_while) { TimeLoop(state, WhileLoop(kIterations)); }
TENON_BENCH(loop_list) { TimeLoop(state, ListLoop(kIterations)); }
TENON_BENCH(loop_list_without_plan) { TimeLoop(state, ListLoop(kIterations), {.plan_after_runs = 0}); }
TENON_BENCH(loop_lowered) { TimeLoop(state, WhileLoop(kIterations), {.lower_control_flow = LowerAllFunctionalOps}); }

}  // namespace tenon::bench

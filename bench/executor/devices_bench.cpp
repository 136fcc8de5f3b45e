// SPDX-License-Identifier: Apache-2.0
// What it costs to hand a value to another device: a chain of sums whose nodes are on two CPU devices in turns, and a
// loop whose body is on the other device than its condition. Run by the session's pool and by the caller's thread.
// Wanted: at most 300 ns a transfer.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/graph/builder.hpp>

#include "executor/loop_graphs.hpp"
#include "harness.hpp"

namespace tenon::bench {
namespace {

Status TimeChain(State& state, ExecutorKind executor) {
  constexpr int kNodes = 20;
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  Output sum = x;
  for (int i = 0; i < kNodes; ++i) {
    sum = b.Add("AddV2", "", {sum, x});
    b.SetDevice(sum, i % 2 == 0 ? "/device:CPU:0" : "/device:CPU:1");
  }
  const SessionOptions options{.intra_op_threads = 1, .devices = {"CPU:0", "CPU:1"}, .executor = executor};
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, options));
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable({.feeds = {"x"}, .fetches = {b.Name(sum)}}));
  const Tensor feed = Tensor::Scalar(1.5f);
  Tensor fetch;
  state.SetItems(kNodes, "node");
  for (auto _ : state) TENON_RETURN_IF_ERROR(callable.Run({&feed, 1}, {&fetch, 1}));
  return OkStatus();
}

// i = 0; while (i < limit) i = i + 1, as TensorFlow 1 writes it: two values cross devices in an iteration.
Status TimeLoop(State& state, ExecutorKind executor) {
  constexpr std::int32_t kIterations = 1000;
  const PeerGraph loop = loop_graphs::FrameLoop(kIterations);
  TENON_ASSIGN_OR_RETURN(GraphDef graph, ParseGraphDef(std::as_bytes(std::span(loop.graph_def))));
  for (NodeDef& node : graph.node)
    if (node.name == "one" || node.name == "add") node.device = "/device:CPU:1";
  const SessionOptions options{.intra_op_threads = 1, .devices = {"CPU:0", "CPU:1"}, .executor = executor};
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, options));
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable({.feeds = {"limit"}, .fetches = {"result"}}));
  const Tensor feed = Tensor::Scalar(kIterations);
  Tensor fetch;
  state.SetItems(kIterations, "iteration");
  for (auto _ : state) TENON_RETURN_IF_ERROR(callable.Run({&feed, 1}, {&fetch, 1}));
  return OkStatus();
}

}  // namespace

TENON_BENCH(devices_2_chain) { state.Check(TimeChain(state, ExecutorKind::kAuto)); }
TENON_BENCH(devices_2_chain_in_order) { state.Check(TimeChain(state, ExecutorKind::kSequential)); }
TENON_BENCH(devices_2_loop) { state.Check(TimeLoop(state, ExecutorKind::kAuto)); }
TENON_BENCH(devices_2_loop_in_order) { state.Check(TimeLoop(state, ExecutorKind::kSequential)); }

}  // namespace tenon::bench

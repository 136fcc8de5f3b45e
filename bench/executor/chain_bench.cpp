// SPDX-License-Identifier: Apache-2.0
// What one node costs: graphs of many nodes that do next to nothing. Nothing can be folded, merged or left out: the
// values come from placeholders, and every node waits for the one before.
#include <string>
#include <vector>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

constexpr int kNodes = 1000;
const SessionOptions kTwoThreads{.inter_op_threads = 2, .executor = ExecutorKind::kDataflow};

std::vector<NamedTensor> Feeds() { return {{"x:0", Tensor::Scalar(1.5f)}, {"y:0", Tensor::Scalar(0.25f)}}; }

// `chains` chains side by side of x = x + y, kNodes nodes together.
PeerGraph Adds(int chains) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  const Output y = b.Placeholder("y", DataType::kFloat, TensorShape{});
  std::vector<std::string> fetches;
  for (int chain = 0; chain < chains; ++chain) {
    Output sum = x;
    for (int i = 0; i < kNodes / chains; ++i) sum = b.Add("AddV2", "", {sum, y});
    fetches.push_back(StrCat(b.Name(sum), ":0"));
  }
  return Describe(b, Feeds(), std::move(fetches));
}

PeerGraph Identities() {
  GraphBuilder b;
  Output value = b.Placeholder("x", DataType::kFloat, TensorShape{});
  for (int i = 0; i < kNodes; ++i) value = b.Add("Identity", "", {value});
  return Describe(b, {Feeds()[0]}, {StrCat(b.Name(value), ":0")});
}

// Two inputs, one output, two attrs, and next to no work: what a node of a planned run costs. Nobody else has the op.
Status TimeAxpys(State& state) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  const Output y = b.Placeholder("y", DataType::kFloat, TensorShape{});
  Output value = x;
  for (int i = 0; i < kNodes; ++i) value = b.Add("BenchAxpy", "", {value, y});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  TENON_ASSIGN_OR_RETURN(const Callable callable,
                         session.MakeCallable({.feeds = {"x", "y"}, .fetches = {b.Name(value)}}));
  const Tensor feeds[] = {Tensor::Scalar(1.5f), Tensor::Scalar(0.25f)};
  Tensor fetch;
  for (auto _ : state) TENON_RETURN_IF_ERROR(callable.Run(feeds, {&fetch, 1}));
  return OkStatus();
}

PeerGraph NoOps() {
  GraphBuilder b;
  Output last;
  for (int i = 0; i < kNodes; ++i) {
    const Output node = b.Add("NoOp", "");
    if (i > 0) b.AddControlInput(node, last);
    last = node;
  }
  return Describe(b, {}, {}, {b.Name(last)});
}

void TimeNodes(State& state, const GraphCase& c) {
  state.SetItems(kNodes, "node");
  TimeGraph(state, c);
}

}  // namespace

TENON_BENCH(chain_add) {
  state.Goal(0.6, "TensorFlow");
  TimeNodes(state, {.graph = Adds(1)});
}
TENON_BENCH(chain_identity) { TimeNodes(state, {.graph = Identities()}); }
TENON_BENCH(chain_axpy) {
  state.SetItems(kNodes, "node");
  state.Check(TimeAxpys(state));
}
TENON_BENCH(chain_no_op) {
  state.Goal(0.5, "TensorFlow");
  TimeNodes(state, {.graph = NoOps()});
}
TENON_BENCH(chain_add_dataflow_2_threads) {
  TimeNodes(state, {.graph = Adds(1), .session = kTwoThreads, .pool_threads = 2});
}
TENON_BENCH(chain_identity_dataflow_2_threads) {
  TimeNodes(state, {.graph = Identities(), .session = kTwoThreads, .pool_threads = 2});
}
TENON_BENCH(chain_no_op_dataflow_2_threads) {
  TimeNodes(state, {.graph = NoOps(), .session = kTwoThreads, .pool_threads = 2});
}
TENON_BENCH(chains_8_add) { TimeNodes(state, {.graph = Adds(8)}); }
TENON_BENCH(chains_8_add_dataflow_2_threads) {
  TimeNodes(state, {.graph = Adds(8), .session = kTwoThreads, .pool_threads = 2});
}

}  // namespace tenon::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A graph as a benchmark: timed in Tenon's session, and in its peers who read the bytes of the same GraphDef.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/graph/builder.hpp>

#include "harness.hpp"
#include "peers/peer.hpp"

namespace tenon::bench {

struct GraphCase {
  PeerGraph graph = {};
  SessionOptions session = {};  // for Tenon
  bool by_name = false;     // Session::Run with the names, which are looked up every time; else a Callable
  bool tensorflow = true;   // takes part
  bool optimize = false;    // TensorFlow's graph optimizations
  bool single_threaded = true;  // TensorFlow's single-threaded executor, too
  double relative_error = 1e-4;  // of a peer's floats
  int compared = -1;        // so many fetches are compared with a peer's; -1: all
  int pool_threads = 0;     // TensorFlow on a pool of so many threads instead of in the calling thread
  std::vector<std::pair<std::string, MakePeer>> others = {};  // further peers
};

inline PeerGraph Describe(const GraphBuilder& builder, std::vector<NamedTensor> feeds, std::vector<std::string> fetches,
                          std::vector<std::string> targets = {}) {
  return {SerializeGraphDef(builder.graph_def()), {}, std::move(feeds), std::move(fetches), std::move(targets), {}};
}

inline Status TimeGraphOrFail(State& state, const GraphCase& c) {
  SessionOptions options = c.session;
  options.intra_op_threads = state.options().threads;
  const PeerGraph& graph = c.graph;
  TENON_ASSIGN_OR_RETURN(const Session session,
                         Session::FromGraphDef(std::as_bytes(std::span<const char>(graph.graph_def)), options));
  for (const PeerStep& step : graph.before) TENON_RETURN_IF_ERROR(session.Run(step.feeds, {}, step.targets).status());

  std::vector<Tensor> feeds, fetches(graph.fetches.size());
  CallableOptions signature{{}, graph.fetches, graph.targets};
  for (const NamedTensor& feed : graph.feeds) {
    feeds.push_back(feed.tensor);
    signature.feeds.push_back(feed.name);
  }
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable(signature));
  TENON_RETURN_IF_ERROR(callable.Run(feeds, fetches));

  if (c.tensorflow && c.pool_threads == 0) {
    AddTensorFlowInCaller(state, graph, c.optimize, c.single_threaded, fetches, c.relative_error);
  } else if (c.tensorflow) {
    const TensorFlowOptions pool{TensorFlowOptions::Executor::kPool, c.pool_threads, state.options().threads,
                                 c.optimize};
    AddPeer(
        state, StrCat("TensorFlow, pool of ", c.pool_threads), [&] { return MakeTensorFlow(graph, pool); }, fetches,
        c.relative_error);
  }
  if (!graph.onnx_file.empty())
    AddPeer(
        state, "ONNX Runtime", [&] { return MakeOnnxRuntime(graph, state.options().threads, c.optimize); }, fetches,
        c.relative_error);
  const std::span<const Tensor> wanted = fetches;
  for (const auto& [name, make] : c.others)
    AddPeer(state, name, make, c.compared < 0 ? wanted : wanted.first(static_cast<std::size_t>(c.compared)),
            c.relative_error);

  if (c.by_name) {
    for (auto _ : state) state.Check(session.Run(graph.feeds, graph.fetches, graph.targets).status());
  } else {
    for (auto _ : state) state.Check(callable.Run(feeds, fetches));
  }
  return OkStatus();
}

inline void TimeGraph(State& state, const GraphCase& c) { state.Check(TimeGraphOrFail(state, c)); }

}  // namespace tenon::bench

// SPDX-License-Identifier: Apache-2.0
// How soon a run stops: each case runs into its deadline after 1 ms, so that what is above that is the time to stop.
// Wanted: at most 10 ms.
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>

#include "executor/loop_graphs.hpp"
#include "graph_case.hpp"

namespace tenon::bench {
namespace {

constexpr std::int32_t kForever = std::numeric_limits<std::int32_t>::max();
const SessionOptions kTwoThreads{.inter_op_threads = 2, .executor = ExecutorKind::kDataflow};

Status TimeStop(State& state, const PeerGraph& graph, SessionOptions options) {
  options.intra_op_threads = 1;
  TENON_ASSIGN_OR_RETURN(const Session session,
                         Session::FromGraphDef(std::as_bytes(std::span<const char>(graph.graph_def)), options));
  TENON_ASSIGN_OR_RETURN(const Callable callable,
                         session.MakeCallable({.feeds = {graph.feeds[0].name}, .fetches = graph.fetches}));
  state.Peer("1 ms of sleep", [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  state.Goal(11, "1 ms of sleep");
  Tensor fetch;
  for (auto _ : state) {
    const Status status = callable.Run({&graph.feeds[0].tensor, 1}, {&fetch, 1}, {.timeout_in_ms = 1});
    if (status.code() != Code::kDeadlineExceeded) return status.ok() ? errors::Internal("it came to its end") : status;
  }
  return OkStatus();
}
// Sums one after the other, which take some milliseconds.
PeerGraph Chain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  Output value = x;
  for (int i = 0; i < 200000; ++i) value = b.Add("AddV2", "", {value, x});
  return Describe(b, {{"x:0", Tensor::Scalar(1.0f)}}, {b.Name(value)});
}

}  // namespace

TENON_BENCH(stop_while) { state.Check(TimeStop(state, loop_graphs::WhileLoop(kForever), {})); }
TENON_BENCH(stop_frames) { state.Check(TimeStop(state, loop_graphs::FrameLoop(kForever), {})); }
TENON_BENCH(stop_frames_2_threads) { state.Check(TimeStop(state, loop_graphs::FrameLoop(kForever), kTwoThreads)); }
TENON_BENCH(stop_chain) { state.Check(TimeStop(state, Chain(), {.plan_after_runs = 0})); }
TENON_BENCH(stop_chain_2_threads) { state.Check(TimeStop(state, Chain(), kTwoThreads)); }

}  // namespace tenon::bench

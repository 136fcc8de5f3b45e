// SPDX-License-Identifier: Apache-2.0
// Runs of one session by two threads at once: the same number of runs by one thread is the peer. Wanted: two threads
// need at most 1 / 1.8 of its time.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

Status RunOften(const Callable& callable, std::int64_t times) {
  const Tensor x = Tensor::Scalar(1.5f);
  Tensor fetch;
  for (; times > 0; --times) TENON_RETURN_IF_ERROR(callable.Run({&x, 1}, {&fetch, 1}));
  return OkStatus();
}

Status TimeThreads(State& state) {
  constexpr int kRuns = 500000,
                kNodes = 100;  // seconds: a new thread may share its processor with another for some milliseconds
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  Output value = x;
  for (int i = 0; i < kNodes; ++i) value = b.Add("AddV2", "", {value, x});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, {.intra_op_threads = 1}));
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable({.feeds = {"x"}, .fetches = {b.Name(value)}}));
  state.Peer("one thread", [&] { state.Check(RunOften(callable, kRuns)); });
  state.SetItems(kRuns, "run");
  state.Goal(1 / 1.8, "one thread");
  for (auto _ : state) {
    Status other;
    std::thread thread([&] { other = RunOften(callable, kRuns / 2); });
    const Status own = RunOften(callable, kRuns / 2);
    thread.join();
    TENON_RETURN_IF_ERROR(own);
    TENON_RETURN_IF_ERROR(other);
  }
  return OkStatus();
}

}  // namespace

TENON_BENCH(concurrent_runs_2_threads) { state.Check(TimeThreads(state)); }

}  // namespace tenon::bench

// SPDX-License-Identifier: Apache-2.0
// What the order of nodes costs: chains, wide graphs and random graphs of nodes that do nothing, of 100 to 1,000,000
// nodes. Wanted: at most 5 ns a node on one thread and 60 ns on two, whatever the size.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_case.hpp"
#include "peers.hpp"

namespace tenon::bench {
namespace {

TaskGraph Chain(int nodes) {
  TaskGraph graph{nodes, {}};
  for (int i = 1; i < nodes; ++i) graph.edges.push_back({i - 1, i});
  return graph;
}
// All between the first and the last side by side.
TaskGraph Wide(int nodes) {
  TaskGraph graph{nodes, {}};
  for (int i = 1; i < nodes - 1; ++i) {
    graph.edges.push_back({0, i});
    graph.edges.push_back({i, nodes - 1});
  }
  return graph;
}
// Every node waits for up to two of the 100 nodes before it; those that nobody waits for are before the last.
TaskGraph Random(int nodes) {
  TaskGraph graph{nodes, {}};
  std::mt19937 random(1);
  std::vector<char> awaited(static_cast<std::size_t>(nodes), 0);
  for (int i = 1; i < nodes - 1; ++i) {
    const auto pick = [&] { return i - 1 - static_cast<int>(random() % static_cast<unsigned>(std::min(i, 100))); };
    const int first = pick(), second = pick();
    for (const int before : {first, second}) awaited[static_cast<std::size_t>(before)] = 1;
    graph.edges.push_back({first, i});
    if (second != first) graph.edges.push_back({second, i});
  }
  for (int i = 0; i < nodes - 1; ++i)
    if (awaited[static_cast<std::size_t>(i)] == 0) graph.edges.push_back({i, nodes - 1});
  return graph;
}

// Control edges only; the last node is the target.
GraphDef NoOps(const TaskGraph& tasks) {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  for (int i = 0; i < tasks.nodes; ++i) {
    NodeDef& node = graph.node.emplace_back();
    node.name = StrCat("n", i);
    node.op = "NoOp";
  }
  for (const auto& [from, to] : tasks.edges)
    graph.node[static_cast<std::size_t>(to)].input.push_back(StrCat("^n", from));
  return graph;
}

Status Time(State& state, const TaskGraph& tasks, int threads) {
  SessionOptions options{.intra_op_threads = 1};
  if (threads > 1) {
    options.inter_op_threads = threads;
    options.executor = ExecutorKind::kDataflow;
  }
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(NoOps(tasks), options));
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable({.targets = {StrCat("n", tasks.nodes - 1)}}));
  TENON_RETURN_IF_ERROR(callable.Run({}, {}));
  AddOneTbb(state, tasks, threads);
  state.SetItems(tasks.nodes, "node");
  state.Goal(threads == 1 ? 1 / 3.0 : 1 / 1.3, "oneTBB");
  for (auto _ : state) TENON_RETURN_IF_ERROR(callable.Run({}, {}));
  return OkStatus();
}

}  // namespace

TENON_BENCH(no_ops_chain, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Chain(static_cast<int>(state.arg())), 1));
}
TENON_BENCH(no_ops_wide, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Wide(static_cast<int>(state.arg())), 1));
}
TENON_BENCH(no_ops_random, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Random(static_cast<int>(state.arg())), 1));
}
TENON_BENCH(no_ops_chain_dataflow_2_threads, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Chain(static_cast<int>(state.arg())), 2));
}
TENON_BENCH(no_ops_wide_dataflow_2_threads, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Wide(static_cast<int>(state.arg())), 2));
}
TENON_BENCH(no_ops_random_dataflow_2_threads, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(Time(state, Random(static_cast<int>(state.arg())), 2));
}

}  // namespace tenon::bench

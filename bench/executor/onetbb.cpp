// SPDX-License-Identifier: Apache-2.0
// oneTBB as a peer: its flow graph of continue_nodes, which send each other messages without content.
#include "peers.hpp"

#if defined(TENON_BENCH_ONETBB)

#include <deque>
#include <memory>

#include <tenon/base/errors.hpp>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>

namespace tenon::bench {
namespace {

namespace flow = oneapi::tbb::flow;
using Node = flow::continue_node<flow::continue_msg>;

// Made in its arena, which it then runs in.
class FlowGraph {
 public:
  FlowGraph(const TaskGraph& tasks, int threads) : arena_(threads) {
    arena_.execute([&] {
      graph_ = std::make_unique<flow::graph>();
      for (int i = 0; i < tasks.nodes; ++i)
        nodes_.emplace_back(*graph_, [this, last = i == tasks.nodes - 1](const flow::continue_msg&) {
          if (last) ++ran_;
        });
      for (const auto& [from, to] : tasks.edges)
        flow::make_edge(nodes_[static_cast<std::size_t>(from)], nodes_[static_cast<std::size_t>(to)]);
    });
  }
  void Run() {
    arena_.execute([this] {
      nodes_.front().try_put(flow::continue_msg());
      graph_->wait_for_all();
    });
  }
  int ran() const { return ran_; }

 private:
  oneapi::tbb::task_arena arena_;
  std::unique_ptr<flow::graph> graph_;
  std::deque<Node> nodes_;
  int ran_ = 0;  // how often the last node ran
};

}  // namespace

void AddOneTbb(State& state, const TaskGraph& tasks, int threads) {
  if (!state.options().peers) return;
  auto graph = std::make_shared<FlowGraph>(tasks, threads);
  graph->Run();
  if (graph->ran() != 1) return state.Fail(errors::Internal("oneTBB ran the last node ", graph->ran(), " times"));
  state.Peer(StrCat("oneTBB, ", threads, threads == 1 ? " thread" : " threads"), [graph] { graph->Run(); });
}

}  // namespace tenon::bench

#else

namespace tenon::bench {
void AddOneTbb(State& state, const TaskGraph&, int) { state.Absent("oneTBB", "libtbb-dev was not there"); }
}  // namespace tenon::bench

#endif

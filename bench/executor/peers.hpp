// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who else runs graphs of tasks. A peer whose library was not there when this was built is reported as absent.

#include <utility>
#include <vector>

#include "harness.hpp"

namespace tenon::bench {

// Nodes that do nothing, numbered so that every edge goes from a lower number to a higher one. Node 0 is before all
// others.
struct TaskGraph {
  int nodes = 0;
  std::vector<std::pair<int, int>> edges;
};

// oneTBB's flow graph: a continue_node per node, on so many threads, the caller's among them. `graph` is copied.
void AddOneTbb(State& state, const TaskGraph& graph, int threads);

}  // namespace tenon::bench

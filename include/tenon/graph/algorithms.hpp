// SPDX-License-Identifier: Apache-2.0
#pragma once
// Orders, reachability and cycles of a graph. Nothing here recurses: a chain of a million nodes is fine.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sort.hpp>
#include <tenon/base/span.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A heap of numbers, the smallest on top: std::priority_queue costs the compiler thirty functions.
class SmallestFirst {
 public:
  bool empty() const { return items_.empty(); }
  void Push(int item) {
    items_.push_back(item);
    std::size_t i = items_.size() - 1;
    for (; i > 0 && items_[(i - 1) / 2] > item; i = (i - 1) / 2) items_[i] = items_[(i - 1) / 2];
    items_[i] = item;
  }
  // The smallest one, which goes. There is one.
  int Pop() {
    const int top = items_.front(), item = items_.back();
    items_.pop_back();
    const std::size_t count = items_.size();
    if (count == 0) return top;
    std::size_t i = 0;
    for (std::size_t child = 1; child < count; child = 2 * i + 1) {
      if (child + 1 < count && items_[child + 1] < items_[child]) ++child;
      if (items_[child] >= item) break;
      items_[i] = items_[child];
      i = child;
    }
    items_[i] = item;
    return top;
  }

 private:
  SlimVector<int> items_;
};

}  // namespace detail

// The numbers 0 .. count-1 so that each comes after its predecessors, the smallest possible one first. `pending[n]` is
// the number of predecessors of n that are waited for; `for_each_successor(n, visit)` calls visit(m) once for each of
// them. The result is shorter than `count` when there is a cycle: what is missing is in one or behind one.
template <class ForEachSuccessor>
SlimVector<int> OrderByDependencies(SlimVector<int> pending, ForEachSuccessor&& for_each_successor) {
  SlimVector<int> order;
  order.reserve(pending.size());
  detail::SmallestFirst ready;
  for (std::size_t n = 0; n < pending.size(); ++n) {
    if (pending[n] == 0) ready.Push(static_cast<int>(n));
  }
  while (!ready.empty()) {
    const int n = ready.Pop();
    order.push_back(n);
    for_each_successor(n, [&](int m) {
      if (--pending[static_cast<std::size_t>(m)] == 0) ready.Push(m);
    });
  }
  return order;
}

// Some cycle among the numbers 0 .. count-1, each entry a predecessor of the next and the last one of the first; empty
// when there is none. `predecessors(n)` is a range of int.
template <class Predecessors>
SlimVector<int> FindCycle(int count, Predecessors&& predecessors) {
  enum : char { kNew, kOnPath, kDone };
  SlimVector<char> state(static_cast<std::size_t>(count), kNew);
  struct Frame {
    int node;
    SlimVector<int> todo;
  };
  SlimVector<Frame> path;
  const auto enter = [&](int n) {
    state[static_cast<std::size_t>(n)] = kOnPath;
    Frame frame{n, {}};
    for (const int p : predecessors(n)) frame.todo.push_back(p);
    std::reverse(frame.todo.begin(), frame.todo.end());
    path.push_back(std::move(frame));
  };
  for (int root = 0; root < count; ++root) {
    if (state[static_cast<std::size_t>(root)] != kNew) continue;
    enter(root);
    while (!path.empty()) {
      if (path.back().todo.empty()) {
        state[static_cast<std::size_t>(path.back().node)] = kDone;
        path.pop_back();
        continue;
      }
      const int p = path.back().todo.back();
      path.back().todo.pop_back();
      if (state[static_cast<std::size_t>(p)] == kNew) {
        enter(p);
      } else if (state[static_cast<std::size_t>(p)] == kOnPath) {
        SlimVector<int> cycle;  // the path runs from successor to predecessor: walk it backwards
        for (std::size_t i = path.size(); i-- > 0;) {
          cycle.push_back(path[i].node);
          if (path[i].node == p) break;
        }
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        return cycle;
      }
    }
  }
  return {};
}

// "'a' -> 'b' -> 'a'"; long cycles lose their middle.
template <class NameOf>
std::string CycleToString(Span<const int> cycle, NameOf&& name_of) {
  constexpr std::size_t kEnds = 5;
  std::string out;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > 2 * kEnds + 1 && i == kEnds) {
      StrAppend(&out, "... (", cycle.size() - 2 * kEnds, " more) -> ");
      i = cycle.size() - kEnds;
    }
    StrAppend(&out, "'", name_of(cycle[i]), "' -> ");
  }
  if (!cycle.empty()) StrAppend(&out, "'", name_of(cycle.front()), "'");
  return out;
}
inline std::string CycleToString(const Graph& graph, Span<const int> cycle) {
  return CycleToString(cycle, [&graph](int id) -> const std::string& { return graph.node(id).name(); });
}

// True for the edge that closes a while loop: it may point backwards in every order.
inline bool IsBackEdge(const Node& src, const Node& dst) {
  return dst.node_class == NodeClass::kMerge && src.node_class == NodeClass::kNextIteration;
}

namespace detail {
// Calls visit(id) for every producer of the node: data inputs in slot order, then control inputs.
template <class Visit>
void ForEachInput(const Node& node, Visit&& visit) {
  for (const InEdge& edge : node.inputs) {
    if (edge.node >= 0) visit(edge.node);
  }
  for (const int control : node.control_inputs) visit(control);
}
}  // namespace detail

// A cycle that no while loop explains, or an empty list.
inline SlimVector<int> FindCycle(const Graph& graph) {
  return FindCycle(graph.num_nodes(), [&graph](int id) {
    SlimVector<int> out;
    detail::ForEachInput(graph.node(id), [&](int src) {
      if (!IsBackEdge(graph.node(src), graph.node(id))) out.push_back(src);
    });
    return out;
  });
}

// Every node after its inputs, ties in the order of the ids; back edges of while loops are not counted.
// InvalidArgument, with the nodes of one cycle, when there is no such order.
inline Result<SlimVector<int>> TopologicalOrder(const Graph& graph) {
  SlimVector<int> pending(static_cast<std::size_t>(graph.num_nodes()), 0);
  for (const Node& node : graph.nodes()) {
    detail::ForEachInput(node, [&](int src) {
      if (!IsBackEdge(graph.node(src), node)) ++pending[static_cast<std::size_t>(node.id)];
    });
  }
  SlimVector<int> order = OrderByDependencies(std::move(pending), [&graph](int id, auto&& visit) {
    for (const OutEdge& edge : graph.node(id).outputs) {
      if (!IsBackEdge(graph.node(id), graph.node(edge.node))) visit(edge.node);
    }
  });
  if (order.size() == static_cast<std::size_t>(graph.num_nodes())) return order;
  const SlimVector<int> cycle = FindCycle(graph);
  return errors::InvalidArgument("Graph is invalid, contains a cycle with ", cycle.size(),
                                 " nodes, including: ", CycleToString(graph, cycle));
}

namespace detail {
// `for_each_next(node, visit)` calls visit(id) for what a node leads to.
template <class ForEachNext, class Enter, class Leave>
void DepthFirst(const Graph& graph, Span<const int> roots, const ForEachNext& for_each_next, Enter&& enter,
                Leave&& leave) {
  SlimVector<char> seen(static_cast<std::size_t>(graph.num_nodes()), 0);
  struct Item {
    int node;
    bool done;
  };
  SlimVector<Item> stack;
  for (std::size_t i = roots.size(); i-- > 0;) stack.push_back({roots[i], false});
  SlimVector<int> next;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    const Node& node = graph.node(item.node);
    if (item.done) {
      leave(node);
      continue;
    }
    if (std::exchange(seen[static_cast<std::size_t>(item.node)], char{1}) != 0) continue;
    stack.push_back({item.node, true});
    if (!enter(node)) continue;
    next.clear();
    for_each_next(node, [&](int id) { next.push_back(id); });
    for (std::size_t i = next.size(); i-- > 0;) {
      if (seen[static_cast<std::size_t>(next[i])] == 0) stack.push_back({next[i], false});
    }
  }
}
}  // namespace detail

// Walks from `roots` against the edges, depth first. enter(node) is called once per node and says whether its inputs
// are to be visited, leave(node) after all of them were.
template <class Enter, class Leave>
void ReverseDepthFirst(const Graph& graph, Span<const int> roots, Enter&& enter, Leave&& leave) {
  const auto inputs = [](const Node& node, auto&& visit) { detail::ForEachInput(node, visit); };
  detail::DepthFirst(graph, roots, inputs, enter, leave);
}
// Walks from `roots` along the edges, to the nodes that read a node or wait for it, in the order of their ids.
template <class Enter, class Leave>
void DepthFirst(const Graph& graph, Span<const int> roots, Enter&& enter, Leave&& leave) {
  SlimVector<int> readers;
  const auto outputs = [&readers](const Node& node, auto&& visit) {
    readers.clear();
    for (const OutEdge& edge : node.outputs) readers.push_back(edge.node);
    detail::SortItems(readers.data(), readers.size());
    for (const int id : readers) visit(id);
  };
  detail::DepthFirst(graph, roots, outputs, enter, leave);
}

// All nodes, each after the nodes that read it or wait for it, but for the edges that close a cycle: the reverse is an
// order to visit inputs first. TensorFlow's GetPostOrder.
inline SlimVector<int> PostOrder(const Graph& graph) {
  SlimVector<int> roots, order;  // what has no input first, then what only cycles lead to
  for (const bool has_inputs : {false, true})
    for (const Node& node : graph.nodes())
      if ((node.inputs.empty() && node.control_inputs.empty()) != has_inputs) roots.push_back(node.id);
  order.reserve(roots.size());
  DepthFirst(graph, roots, [](const Node&) { return true; }, [&order](const Node& node) { order.push_back(node.id); });
  return order;
}

// The outputs that a run is fed. immutable.
class FedOutputs {
 public:
  FedOutputs(int num_nodes, Span<const InEdge> fed)
      : has_feed_(static_cast<std::size_t>(num_nodes), 0), sorted_(fed.begin(), fed.end()) {
    for (const InEdge& edge : fed) has_feed_[static_cast<std::size_t>(edge.node)] = 1;
    detail::SortItems<InEdge, &Less>(sorted_.data(), sorted_.size());
  }
  // Whether some output of the node is fed.
  bool HasNode(int id) const { return has_feed_[static_cast<std::size_t>(id)] != 0; }
  bool Has(const InEdge& edge) const {
    return HasNode(edge.node) && std::binary_search(sorted_.begin(), sorted_.end(), edge, &Less);
  }

 private:
  static bool Less(const InEdge& a, const InEdge& b) {
    return a.node != b.node ? a.node < b.node : a.output < b.output;
  }

  SlimVector<char> has_feed_;  // per node
  SlimVector<InEdge> sorted_;
};

namespace detail {
// Whether `cancellation`, which may be null, says to stop: asked for each node, it looks at every 1,024th.
inline bool StopsAt(const CancellationManager* cancellation, int id) {
  return cancellation != nullptr && (id & 1023) == 0 && cancellation->IsCancelled();
}
TENON_DETAIL_COLD inline Status PreparingCancelled() { return errors::Cancelled("Preparing the run was cancelled"); }
// Calls visit(id) for each node that `node` waits for in a run that is fed `feeds`: see NodesToRun.
template <class Visit>
void ForEachNeeded(const Graph& graph, const FedOutputs& feeds, const Node& node, Visit&& visit) {
  for (const InEdge& edge : node.inputs) {
    if (edge.node >= 0 && !feeds.Has(edge)) visit(edge.node);
  }
  for (const int control : node.control_inputs) {
    const NodeClass c = graph.node(control).node_class;
    if (!feeds.HasNode(control) || (c != NodeClass::kPlaceholder && c != NodeClass::kArg)) visit(control);
  }
}
}  // namespace detail

// The nodes that a run must visit, as a mask over the ids, when `roots` (nodes fetched from, and targets) are wanted
// and the outputs `fed` come from outside. As in TensorFlow a fed node still runs when another of its outputs is used
// or when something waits for it; only a fed placeholder, or a function's argument, takes its control edges along and
// never runs. A root that is fed itself must not be listed. Less than the mask when `cancellation` is cancelled.
inline SlimVector<char> NodesToRun(const Graph& graph, Span<const int> roots, Span<const InEdge> fed,
                                   const CancellationManager* cancellation = nullptr) {
  const auto slot = [](int i) { return static_cast<std::size_t>(i); };
  const FedOutputs feeds(graph.num_nodes(), fed);
  SlimVector<char> run(slot(graph.num_nodes()), 0);
  for (const int root : roots) run[slot(root)] = 1;
  // From the last node to the first, as they lie in memory: most read what comes before them. What comes after them
  // waits on the stack.
  SlimVector<int> stack;
  for (int at = graph.num_nodes(); at-- > 0;) {
    if (detail::StopsAt(cancellation, at)) return run;
    if (run[slot(at)] == 0) continue;
    const auto want = [&](int id) {
      if (std::exchange(run[slot(id)], char{1}) == 0 && id > at) stack.push_back(id);
    };
    for (stack.push_back(at); !stack.empty();) {
      const Node& node = graph.node(stack.back());
      stack.pop_back();
      detail::ForEachNeeded(graph, feeds, node, want);
    }
  }
  return run;
}

// The nodes of a mask that NodesToRun made, each after those that it waits for; back edges of while loops, and what is
// fed, are not waited for. InvalidArgument when there is no such order. Less of it when `cancellation` is cancelled.
inline Result<SlimVector<int>> OrderToRun(const Graph& graph, Span<const char> run, Span<const InEdge> fed,
                                          const CancellationManager* cancellation = nullptr) {
  const FedOutputs feeds(graph.num_nodes(), fed);
  const auto runs = [run](int id) { return run[static_cast<std::size_t>(id)] != 0; };
  const auto for_each_input = [&](const Node& node, auto&& visit) {
    for (const InEdge& edge : node.inputs)
      if (edge.node >= 0 && runs(edge.node) && !feeds.Has(edge) && !IsBackEdge(graph.node(edge.node), node))
        visit(edge.node);
    for (const int control : node.control_inputs)
      if (runs(control)) visit(control);
  };
  SlimVector<int> order;
  bool in_order = true;  // the usual graph has every node behind its inputs: then the numbers are the order
  for (const Node& node : graph.nodes()) {
    if (detail::StopsAt(cancellation, node.id)) return order;
    if (!runs(node.id)) continue;
    order.push_back(node.id);
    for_each_input(node, [&](int src) { in_order = in_order && src < node.id; });
  }
  if (in_order) return order;
  const std::size_t count = order.size();
  SlimVector<int> pending(static_cast<std::size_t>(graph.num_nodes()), 0);
  SlimVector<SlimVector<int>> successors(static_cast<std::size_t>(graph.num_nodes()));
  for (const int id : order) {
    if (detail::StopsAt(cancellation, id)) return order;
    for_each_input(graph.node(id), [&](int src) {
      ++pending[static_cast<std::size_t>(id)];
      successors[static_cast<std::size_t>(src)].push_back(id);
    });
  }
  const SlimVector<int> all = OrderByDependencies(std::move(pending), [&](int id, auto&& visit) {
    for (const int next : successors[static_cast<std::size_t>(id)]) visit(next);
  });
  order.clear();
  for (const int id : all)
    if (runs(id)) order.push_back(id);
  if (order.size() == count) return order;
  return errors::InvalidArgument("Graph is invalid, contains a cycle with nodes that this run needs");
}

namespace detail {
// Per node: whether assignments to variables alone read its outputs, through other such nodes or not. It is computed
// once, as a rule, and its value would lie beside the variable's. `order` has readers after what they read.
template <class NodeOf>
SlimVector<char> AssignedOnly(Span<const int> order, int num_nodes, const NodeOf& node_of) {
  enum : char { kAssigned = 1, kOther = 2 };
  SlimVector<char> readers(static_cast<std::size_t>(num_nodes), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    const Node& node = node_of(order[i]);
    const bool assigns = readers[static_cast<std::size_t>(node.id)] == kAssigned ||
                         node.op_name() == "AssignVariableOp" || node.op_name() == "Assign";
    for (const InEdge& edge : node.inputs)
      if (edge.node >= 0) readers[static_cast<std::size_t>(edge.node)] |= assigns ? kAssigned : kOther;
  }
  for (char& r : readers) r = r == kAssigned;
  return readers;
}
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// DataflowTables: the counts of one dataflow run, behind it in its block of memory. Thousands of runs may wait, each
// with its own.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Arrays per node and per value of a program, behind a Run, which derives from this and is made by new (program). The
// atomic counts are for all threads, the rest for the thread that has the node.
template <class Run>
class DataflowTables {
 public:
  // The fields of a node that counting down needs: in large graphs the nodes themselves are far apart. The consumers of
  // one node lie before those of the next.
  struct Counts {
    int first_consumer = 0;
    unsigned waits_for : 31 = 0;  // edges
    unsigned does_nothing : 1 = 0;
    std::atomic<int> pending{0};  // edges, in this run
    int number = 0;  // the node's
  };
  static constexpr int kStays = -1;  // constants and fetched values

  // The run calls FillTables before all other functions: the arrays are behind it, and it is not there yet.
  explicit DataflowTables(const Program& program)
      : num_nodes_(static_cast<int>(program.nodes.size())), num_values_(program.num_values) {}
  // Returns costs().
  std::int32_t* FillTables(const Program& program) {
    const std::size_t num_nodes = ToSize(num_nodes_), num_values = ToSize(num_values_);
    auto* free = reinterpret_cast<std::byte*>(this->nodes());
    Counts* const nodes = TakeItems<Counts>(&free, num_nodes + 1);
    (void)TakeItems<int>(&free, num_nodes);
    int* const first = TakeItems<int>(&free, num_values);
    auto* const readers = TakeItems<std::atomic<int>>(&free, num_values);
    (void)TakeItems<std::int32_t>(&free, num_nodes);
    (void)TakeItems<int>(&free, QueueLength(program));
    for (std::size_t n = 0; n < num_nodes; ++n) {
      const ProgramNode& node = program.nodes[n];
      nodes[n].first_consumer = node.first_consumer;
      nodes[n].waits_for = static_cast<unsigned>(node.pending) & 0x7FFFFFFFu;
      nodes[n].does_nothing = node.kind == ProgramNode::Kind::kNothing;
      nodes[n].pending.store(node.pending, std::memory_order_relaxed);
      nodes[n].number = static_cast<int>(n);
    }
    nodes[num_nodes].first_consumer = static_cast<int>(program.consumers.size());
    for (std::size_t v = 0; v < num_values; ++v) {
      first[v] = program.escapes[v] != 0 ? kStays : program.readers[v];
      readers[v].store(first[v], std::memory_order_relaxed);
    }
    for (const auto& [value, tensor] : program.constants) first[ToSize(value)] = kStays;
    return costs();
  }

  DataflowTables(const DataflowTables&) = delete;
  DataflowTables& operator=(const DataflowTables&) = delete;

  static void* operator new(std::size_t bytes, const Program& program) {
    return AllocateItems(bytes + BytesFor(program), 1, 1);
  }
  static void operator delete(void* run) { FreeItems(run, 1); }
  static void operator delete(void* run, const Program&) { FreeItems(run, 1); }

  // Counts of all nodes, and one item more behind the last.
  Counts* nodes() const {
    static_assert(std::is_final_v<Run> && sizeof(Run) % alignof(Counts) == 0);
    auto* const run = reinterpret_cast<std::byte*>(static_cast<Run*>(const_cast<DataflowTables*>(this)));
    return reinterpret_cast<Counts*>(run + sizeof(Run));
  }
  Counts& CountsOf(int node) const { return nodes()[ToSize(node)]; }
  // The run that the counts of a node belong to.
  static Run* RunOf(const Counts* node) {
    auto* const nodes = reinterpret_cast<std::byte*>(const_cast<Counts*>(node) - node->number);
    return reinterpret_cast<Run*>(nodes - sizeof(Run));
  }
  // Per node: the next one in a list.
  int& After(int node) const { return lists()[ToSize(node)]; }
  // Per value: its reads in a run; or kStays.
  int* first_readers() const { return lists() + num_nodes_; }
  // Per value: reads that are still to come.
  std::atomic<int>& Readers(int value) const {
    return reinterpret_cast<std::atomic<int>*>(first_readers() + num_values_)[ToSize(value)];
  }
  // Per node: room for NodeCosts.
  std::int32_t* costs() const { return first_readers() + 2 * std::ptrdiff_t{num_values_}; }
  // Room for all nodes that do nothing, and one more if there are any; for a thread that is alone.
  int* queue() const { return costs() + num_nodes_; }

 private:
  static std::size_t QueueLength(const Program& program) {
    std::size_t count = 0;
    for (const ProgramNode& node : program.nodes) count += node.kind == ProgramNode::Kind::kNothing ? 1 : 0;
    return count == 0 ? 0 : count + 1;
  }
  static std::size_t BytesFor(const Program& program) {
    const std::size_t num_nodes = program.nodes.size(), num_values = ToSize(program.num_values);
    return num_nodes * (sizeof(Counts) + 2 * sizeof(int)) + sizeof(Counts) +
           (QueueLength(program) + 2 * num_values) * sizeof(int);
  }
  int* lists() const { return reinterpret_cast<int*>(nodes() + num_nodes_ + 1); }

  const int num_nodes_, num_values_;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

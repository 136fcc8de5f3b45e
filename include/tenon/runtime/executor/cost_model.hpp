// SPDX-License-Identifier: Apache-2.0
#pragma once
// NodeCosts: which nodes of a program are worth a thread of their own. TensorFlow's cost model in nanoseconds: a kernel
// that is not marked cheap (OpKernel::IsExpensive) counts as expensive until it has been measured.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/clock.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Measured costs of nodes, for all runs of one executor. A node's cost belongs to the thread that runs the node. A
// thread that asks for it has made the node ready, or has run before.
class NodeCosts {
 public:
  // TensorFlow's 8,000 cycles: about the time to hand a node to another thread and have it back.
  static constexpr std::int64_t kExpensiveNs = 2500;

  NodeCosts() = default;
  // `room`: for one number a node; outlives this.
  NodeCosts(const Program& program, std::int32_t* room) : ns_(room) {
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const ProgramNode& node = program.nodes[n];
      ns_[n] = node.async != nullptr                                   ? kAlways
               : node.kernel != nullptr && !node.kernel->IsExpensive() ? kNever
                                                                       : kUnknown;
    }
  }
  void BeginRun() { ++run_; }
  // A node that takes less time than measuring it.
  void SetCheap(int node) { ns_[ToSize(node)] = kNever; }
  bool IsExpensive(int node) const { return ns_[ToSize(node)] > kExpensiveNs; }

  // Measures the node while it lives: an expensive one in each run, a cheap one in one of 16.
  class Measured {
   public:
    Measured(NodeCosts* costs, int node) : costs_(costs->Wants(node) ? costs : nullptr), node_(node) {
      if (costs_ != nullptr) begin_ = SteadyNanoseconds();
    }
    Measured(const Measured&) = delete;
    Measured& operator=(const Measured&) = delete;
    ~Measured() {
      if (costs_ != nullptr) costs_->Add(node_, SteadyNanoseconds() - begin_);
    }

   private:
    NodeCosts* costs_;
    int node_;
    std::int64_t begin_ = 0;
  };

  // True if this run of the node is to be measured. Wants and Add are for callers that have no scope to measure.
  bool Wants(int node) const {
    const std::int32_t ns = ns_[ToSize(node)];
    if (ns == kNever || ns == kAlways) return false;
    return ns > kExpensiveNs || ((run_ + static_cast<unsigned>(node)) & 15) == 0;
  }
  // The first run is often slow: from it one cannot tell. Later ones count one eighth.
  void Add(int node, std::int64_t ns) {
    std::int32_t& known = ns_[ToSize(node)];
    const auto now = static_cast<std::int32_t>(std::clamp<std::int64_t>(ns, 1, kMost));
    known = known > kMost    ? known - 1
            : known == kMost ? now
                             : static_cast<std::int32_t>((7 * std::int64_t{known} + now) / 8);
  }

 private:
  static constexpr std::int32_t kNever = 0, kMost = 1'000'000'000, kUnknown = kMost + 1, kAlways = kMost + 2;

  std::int32_t* ns_ = nullptr;  // per node
  std::uint8_t run_ = 0;  // the last bits of its number
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

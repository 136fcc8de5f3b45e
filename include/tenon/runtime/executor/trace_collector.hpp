// SPDX-License-Identifier: Apache-2.0
#pragma once
// TraceCollector: fills in the RunTrace of one run, at most SessionOptions::max_trace_events executions of it in full.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/env.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/memory_record.hpp>
#include <tenon/kernel/step_environment.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/executor/thread_ids.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// SessionOptions::max_trace_events where it is positive, else TENON_TRACE_EVENTS, read once, else 8192.
TENON_DETAIL_COLD inline int TraceEventLimit(int option) {
  static const int usual = [] {
    constexpr std::int64_t kUsual = 1 << 13;
    std::int64_t events = kUsual;
    const Status status = GetEnvInt64("TENON_TRACE_EVENTS", kUsual, &events);
    if (!status.ok()) TENON_LOG(kError, status.message());
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    return static_cast<int>(events < 1 ? kUsual : std::min(events, kMost));
  }();
  return option > 0 ? option : usual;
}

class TraceCollector;

// The nodes that have run in one run, each with the sums of the executions that are not kept. A node is known by where
// its strings are. externally synchronised.
class TracedNodes {
 public:
  struct Item {
    NodeTotal folded;
    std::int64_t kept = 0;  // executions
  };
  // Adds the node when it is new. Null: there are `max_items` other nodes.
  Item* Find(const NodeTiming& timing, std::size_t max_items) {
    if (2 * items_.size() >= slots_.size()) Grow();
    std::uint32_t* slot = FindSlot(timing);
    if (*slot == 0) {
      if (items_.size() >= max_items) return nullptr;
      NodeTotal& folded = items_.emplace_back().folded;
      folded.name = timing.name;
      folded.op = timing.op;
      folded.device = timing.device;
      folded.node = timing.node;
      folded.body_node = timing.body_node;
      folded.body = timing.body;
      *slot = static_cast<std::uint32_t>(items_.size());
    }
    return &items_[*slot - 1];
  }
  const SlimVector<Item>& items() const { return items_; }

 private:
  // The slot of a node, or the free one that it would take. There is always a free one.
  template <class Names>
  std::uint32_t* FindSlot(const Names& names) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = HashOf(names) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == 0) return &slots_[i];
      const NodeTotal& known = items_[slots_[i] - 1].folded;
      if (known.name.data() == names.name.data() && known.op.data() == names.op.data() &&
          known.device.data() == names.device.data())
        return &slots_[i];
    }
  }
  template <class Names>
  static std::size_t HashOf(const Names& names) {
    std::uint64_t hash = 0;
    for (const char* const text : {names.name.data(), names.op.data(), names.device.data()})
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(text)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(hash >> 32);
  }
  TENON_DETAIL_COLD void Grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < items_.size(); ++i) *FindSlot(items_[i].folded) = static_cast<std::uint32_t>(i + 1);
  }

  SlimVector<Item> items_;  // by first execution
  SlimVector<std::uint32_t> slots_;  // 1 + index of an item; 0: free. A power of two, twice as many as items
};

// The outputs of one execution, for its NodeTiming. one thread.
struct TracedOutputs {
  std::int64_t bytes = 0;  // all outputs together
  DataType dtype = DataType::kInvalid;  // output 0's
  TensorShape shape;  // output 0's

  // `count` > 0
  void Describe(const Tensor* tensors, int count) {
    bytes = 0;
    for (int i = 0; i < count; ++i) bytes += static_cast<std::int64_t>(tensors[i].TotalBytes());
    dtype = tensors[0].dtype();
    shape = tensors[0].shape();
  }
};

// A call of an asynchronous kernel in a run with a trace. It tells an end within the call from one after it: the kernel
// has waited. one thread.
class TracedCall {
 public:
  // `trace`: null: does nothing. `state`: known to the kernel's done callback.
  TracedCall(const TraceCollector* trace, const void* state) : traced_(trace != nullptr) {
    if (traced_) [[unlikely]]
      outer_ = std::exchange(Current(), state);
  }
  ~TracedCall() {
    if (traced_) [[unlikely]]
      Current() = outer_;
  }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;
  // True where this thread is in the call with this state.
  static bool IsCalling(const void* state) { return Current() == state; }

 private:
  static const void*& Current() {
    static thread_local const void* state = nullptr;
    return state;
  }
  const bool traced_;
  const void* outer_ = nullptr;
};

// Collects the timings of one run, also those of the functions that it calls, in bounded memory: a node's first
// executions in full, later ones as sums. thread-safe.
class TraceCollector final : public StepStatsCollector {
 public:
  // `graph`: the session's. `max_events`: of TraceEventLimit.
  TraceCollector(const Graph* graph, int max_events)
      : graph_(graph),
        start_(SteadyNanoseconds()),
        max_events_(static_cast<std::size_t>(max_events > 1 ? max_events : 1)),
        max_of_node_(static_cast<std::int64_t>(max_events > 64 ? max_events / 64 : 1)) {}
  std::int64_t Now() const override { return SteadyNanoseconds() - start_; }
  // Adds a node that has ended just now. `memory`: memory that it took beside its outputs; null: not known.
  // `wait_ns`, `ready_ns`: as in NodeTiming.
  void Add(const Program& program, const ProgramNode& node, Step* step, std::int64_t begin, std::int64_t wait_ns,
           const MemoryRecord* memory = nullptr, std::int64_t ready_ns = -1) {
    const std::int64_t end = Now();
    TracedOutputs outputs;
    if (node.num_outputs > 0) outputs.Describe(&step->value(node.first_output), node.num_outputs);
    AddNode(program, node, outputs, begin, end, wait_ns, memory, ready_ns);
  }
  void AddNode(const Program& program, const ProgramNode& node, const TracedOutputs& outputs, std::int64_t begin,
               std::int64_t end, std::int64_t wait_ns, const MemoryRecord* memory = nullptr,
               std::int64_t ready_ns = -1) {
    NodeTiming timing;
    if (memory != nullptr) {
      timing.temp_bytes = memory->temp_bytes();
      timing.persistent_bytes = memory->persistent_bytes();
    }
    timing.name = node.node->name();
    timing.op = OpOf(node);
    if (program.graph == graph_) {
      timing.node = node.node;
    } else {
      timing.body_node = node.node;
      timing.body = program.graph;
    }
    timing.device = node.on_host ? program.host->name() : program.device->name();
    timing.start_ns = begin;
    timing.end_ns = end;
    timing.output_bytes = outputs.bytes;
    timing.dtype = outputs.dtype;
    timing.shape = outputs.shape;
    timing.wait_ns = std::min(wait_ns, end - begin);
    timing.ready_ns = ready_ns;
    Keep(timing);
  }
  void AddEvent(const OpKernelContext& context, std::string_view what, std::int64_t begin_ns,
                std::int64_t end_ns) override {
    NodeTiming timing;
    timing.name = context.op_kernel().name();
    timing.op = what;
    timing.device = context.device_name();
    timing.start_ns = begin_ns;
    timing.end_ns = end_ns;
    Keep(timing);
  }
  void Finish(RunTrace* trace) {
    trace->start_ns = start_;
    trace->total_ns = Now();
    trace->thread = TracedThreads::NumberOfThis();
    const MutexLock lock(mutex_);
    trace->nodes = std::move(timings_);
    trace->num_dropped = num_dropped_;
    trace->dropped_ns = dropped_ns_;
    for (const TracedNodes::Item& item : nodes_.items())
      if (item.folded.count > 0) trace->folded.push_back(item.folded);
  }

 private:
  static std::string_view OpOf(const ProgramNode& node) {
    switch (node.kind) {
      case ProgramNode::Kind::kToHost: return "CopyToHost";
      case ProgramNode::Kind::kToDevice: return "CopyToDevice";
      case ProgramNode::Kind::kFetch: return "Fetch";
      default: return node.node->op_name();
    }
  }
  void Keep(NodeTiming& timing) {
    timing.thread = TracedThreads::NumberOfThis();
    const MutexLock lock(mutex_);
    TracedNodes::Item* const item = nodes_.Find(timing, max_events_);
    if (item == nullptr) {
      ++num_dropped_;
      dropped_ns_ += timing.end_ns - timing.start_ns;
    } else if (item->kept < max_of_node_ && timings_.size() < max_events_) {
      ++item->kept;
      timings_.push_back(std::move(timing));
    } else {
      Fold(timing, &item->folded);
    }
  }
  static void Fold(const NodeTiming& timing, NodeTotal* total) {
    const std::int64_t ns = timing.end_ns - timing.start_ns;
    const bool first = total->count == 0;
    ++total->count;
    total->total_ns += ns;
    total->min_ns = first ? ns : std::min(total->min_ns, ns);
    total->max_ns = std::max(total->max_ns, ns);
    total->start_ns = first ? timing.start_ns : std::min(total->start_ns, timing.start_ns);
    total->end_ns = std::max(total->end_ns, timing.end_ns);
    total->output_bytes += timing.output_bytes;
    total->wait_ns += timing.wait_ns;
  }

  const Graph* const graph_;
  const std::int64_t start_;
  const std::size_t max_events_;
  const std::int64_t max_of_node_;
  Mutex mutex_;  // guards the members below
  std::vector<NodeTiming> timings_;
  TracedNodes nodes_;
  std::int64_t num_dropped_ = 0, dropped_ns_ = 0;
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

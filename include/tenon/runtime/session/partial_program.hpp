// SPDX-License-Identifier: Apache-2.0
#pragma once
// PartialProgram: the program of a partial run. Feeds come while it runs, from nodes that wait for them; fetches go to
// nodes that deliver them, dead ones too.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Interface that the feed and fetch nodes of a partial run call. thread-safe.
class PartialEnds {
 public:
  virtual void AskFor(std::size_t feed, OpKernelContext* context, AsyncOpKernel::DoneCallback done) = 0;
  virtual void Deliver(std::size_t fetch, const Tensor& value) = 0;
  virtual void Settle(std::size_t fetch) = 0;  // after Deliver, or instead of it when the value is dead

 protected:
  ~PartialEnds() = default;
};

class PartialFeedKernel final : public AsyncOpKernel {
 public:
  PartialFeedKernel(OpKernelConstruction* c, PartialEnds* ends, std::size_t feed)
      : AsyncOpKernel(c), ends_(ends), feed_(feed) {}
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override { ends_->AskFor(feed_, context, done); }

 private:
  PartialEnds* ends_;
  std::size_t feed_;
};
class PartialFetchKernel final : public OpKernel {
 public:
  PartialFetchKernel(OpKernelConstruction* c, PartialEnds* ends, std::size_t fetch)
      : OpKernel(c), ends_(ends), fetch_(fetch) {}
  void Compute(OpKernelContext* context) override { ends_->Deliver(fetch_, context->input(0)); }

 private:
  PartialEnds* ends_;
  std::size_t fetch_;
};
class PartialSettleKernel final : public OpKernel {
 public:
  PartialSettleKernel(OpKernelConstruction* c, PartialEnds* ends, std::size_t fetch)
      : OpKernel(c), ends_(ends), fetch_(fetch) {}
  void Compute(OpKernelContext*) override { ends_->Settle(fetch_); }

 private:
  PartialEnds* ends_;
  std::size_t fetch_;
};

inline Status CheckLeavesLoops(const Program& program) {
  for (const ProgramNode& node : program.nodes)
    if (node.kind == ProgramNode::Kind::kFetch)
      return errors::Unimplemented("PRunSetup: '", node.node->name(),
                                   "' is in a loop; a partial run can fetch only what leaves the loop");
  return OkStatus();
}

// Program of one partial run; `ends` outlives it. immutable but for the program, which goes to the code that runs it.
class PartialProgram {
 public:
  // Feed `feeds[i]` of `ends` is the program's feed i, and so with fetches; empty: the numbers are equal.
  PartialProgram(Owned<Program> program, PartialEnds* ends, SlimVector<int> feeds = {}, SlimVector<int> fetches = {})
      : program_(std::move(program)), ends_(ends), feed_numbers_(std::move(feeds)), fetch_numbers_(std::move(fetches)) {
    Program& p = *program_;
    first_old_ = static_cast<int>(p.feeds.size());
    SlimVector<ProgramNode> old;
    old.swap(p.nodes);
    SlimVector<int> old_frames;
    old_frames.swap(p.node_frames);
    for (std::size_t i = 0; i < p.feeds.size(); ++i) AddFeed(i);
    for (std::size_t n = 0; n < old.size(); ++n) {
      for (int c = old[n].first_consumer; c < old[n].first_consumer + old[n].num_consumers; ++c)
        edges_.emplace_back(static_cast<int>(n) + first_old_, p.consumers[ToSize(c)] + first_old_);
      p.nodes.push_back(old[n]);
      if (p.has_control_flow()) p.node_frames.push_back(old_frames[n]);
    }
    for (auto& [from, to] : p.control_edges) {
      from += first_old_;
      to += first_old_;
    }
    FindProducers();
    ReadFeeds();
    for (ProgramNode& node : p.nodes) node.ends_later = false;  // fetches are delivered while the program runs
    for (std::size_t i = 0; i < p.fetches.size(); ++i) AddFetch(i);
    p.feeds.clear();
    p.fetches.clear();
    p.has_async = true;
    Finish();
  }
  PartialProgram(const PartialProgram&) = delete;
  PartialProgram& operator=(const PartialProgram&) = delete;

  Owned<Program> TakeProgram() { return std::move(program_); }

  // -- for partial runs on several devices
  int feed_number(int node) const { return Number(feed_numbers_, ToSize(node)); }  // `node`: one of the first nodes
  int num_feeds() const { return first_old_; }
  int fetch_node(std::size_t fetch) const { return fetch_nodes_[fetch]; }
  const SlimVector<int>& before(int node) const { return before_[ToSize(node)]; }

  // A feed that `fetch` depends on and that is not marked in `fed`, or -1.
  int MissingFeed(std::size_t fetch, Span<const char> fed) const {
    SlimVector<char> seen(before_.size(), 0);
    SlimVector<int> todo{fetch_nodes_[fetch]};
    while (!todo.empty()) {
      const int node = todo.back();
      todo.pop_back();
      if (std::exchange(seen[ToSize(node)], char{1}) != 0) continue;
      if (node < first_old_ && fed[ToSize(node)] == 0) return node;
      for (const int before : before_[ToSize(node)]) todo.push_back(before);
    }
    return -1;
  }

 private:
  static int Number(const SlimVector<int>& numbers, std::size_t i) {
    return numbers.empty() ? static_cast<int>(i) : numbers[i];
  }

  // A node of no graph, with a kernel of its own.
  struct End {
    Node node;
    OpView op;
    Owned<OpKernel> kernel;
  };
  template <class Kernel>
  Kernel* MakeEnd(std::string_view op, std::string name, std::string input, DataType in, DataType out, int number) {
    ends_made_.push_back(MakeOwned<End>());
    End& end = *ends_made_.back();
    end.op.name = op;
    end.node.op = &end.op;
    end.node.def.name = std::move(name);
    end.node.def.op = op;
    if (!input.empty()) end.node.def.input.push_back(std::move(input));
    if (in != DataType::kInvalid) end.node.input_types.push_back(in);
    if (out != DataType::kInvalid) end.node.output_types.push_back(out);
    OpKernelConstruction construction(&end.node.def, &end.op, program_->host->type(),
                                      std::span(end.node.input_types.data(), end.node.input_types.size()),
                                      std::span(end.node.output_types.data(), end.node.output_types.size()),
                                      program_->host->allocator());
    auto* kernel = new Kernel(&construction, ends_, ToSize(number));
    end.kernel = Owned<OpKernel>(kernel);
    return kernel;
  }
  static std::string EndName(std::string_view prefix, std::string_view endpoint) {
    const TensorName name = ParseTensorName(endpoint);
    return StrCat(prefix, name.node, "_", name.output);
  }
  int AddNode(ProgramNode item, const OpKernel* kernel) {
    item.kernel = kernel;
    item.node = &ends_made_.back()->node;
    program_->nodes.push_back(item);
    if (program_->has_control_flow()) program_->node_frames.push_back(0);
    return static_cast<int>(program_->nodes.size()) - 1;
  }

  void AddFeed(std::size_t i) {
    const Program::Feed& feed = program_->feeds[i];
    auto* kernel = MakeEnd<PartialFeedKernel>("_Recv", EndName("_recv_", feed.name), "", DataType::kInvalid, feed.dtype,
                                              Number(feed_numbers_, i));
    ProgramNode item;
    item.async = kernel;
    item.first_output = feed.value;
    item.num_outputs = 1;
    AddNode(item, kernel);
  }
  void AddFetch(std::size_t i) {
    Program& p = *program_;
    const int value = p.fetches[i].value;
    const TensorName name = ParseTensorName(p.fetches[i].name);
    const DataType type = p.graph->Find(name.node)->output_type(name.output);
    const int fetch = Number(fetch_numbers_, i);
    auto* deliver = MakeEnd<PartialFetchKernel>("_Send", EndName("_send_", p.fetches[i].name), p.fetches[i].name,
                                                BaseType(type), DataType::kInvalid, fetch);
    ProgramNode item;
    item.reads_references = IsRefType(type);
    item.first_input = static_cast<int>(p.inputs.size());
    item.num_inputs = 1;
    p.inputs.push_back(value);
    p.last_use.push_back(0);
    p.only_use.push_back(0);
    const int number = AddNode(item, deliver);
    fetch_nodes_.push_back(number);
    if (producers_[ToSize(value)] >= 0) edges_.emplace_back(producers_[ToSize(value)], number);
    // Runs when the fetch did, live or dead: a ControlTrigger is never dead, nor what waits for it alone.
    int before = number;
    if (p.has_control_flow()) {
      const auto* unused = MakeEnd<PartialSettleKernel>("ControlTrigger", EndName("_trigger_", p.fetches[i].name), "",
                                                        DataType::kInvalid, DataType::kInvalid, fetch);
      ends_made_.back()->node.node_class = NodeClass::kControlTrigger;
      before = AddNode(ProgramNode(), unused);
      AddControlEdge(number, before);
    }
    const auto* settle = MakeEnd<PartialSettleKernel>("_Send", EndName("_sent_", p.fetches[i].name), "",
                                                      DataType::kInvalid, DataType::kInvalid, fetch);
    AddControlEdge(before, AddNode(ProgramNode(), settle));
  }
  void AddControlEdge(int from, int to) {
    edges_.emplace_back(from, to);
    if (program_->has_control_flow()) program_->control_edges.emplace_back(from, to);
  }

  void FindProducers() {
    producers_.assign(ToSize(program_->num_values), -1);
    for (std::size_t n = 0; n < program_->nodes.size(); ++n)
      for (int i = 0; i < program_->nodes[n].num_outputs; ++i)
        producers_[ToSize(program_->nodes[n].first_output + i)] = static_cast<int>(n);
  }
  // The nodes that read a feed wait for it now; so do those that wait for a fed placeholder.
  void ReadFeeds() {
    Program& p = *program_;
    for (int n = first_old_; n < static_cast<int>(p.nodes.size()); ++n) {
      const ProgramNode item = p.nodes[ToSize(n)];
      for (int i = 0; i < item.num_inputs; ++i)
        if (const int feed = producers_[ToSize(p.inputs[ToSize(item.first_input + i)])]; feed >= 0 && feed < first_old_)
          edges_.emplace_back(feed, n);
      if (item.kind != ProgramNode::Kind::kKernel && item.kind != ProgramNode::Kind::kNothing) continue;
      for (const int control : item.node->control_inputs)
        for (int feed = 0; feed < first_old_; ++feed) {
          const Node* fed = p.graph->Find(ParseTensorName(p.feeds[ToSize(feed)].name).node);
          if (fed->id == control && fed->node_class == NodeClass::kPlaceholder) AddControlEdge(feed, n);
        }
    }
  }

  // Counts and flat arrays, from the edges.
  void Finish() {
    Program& p = *program_;
    before_.resize(p.nodes.size());
    SlimVector<int> begin(p.nodes.size() + 1, 0);
    for (ProgramNode& node : p.nodes) node.pending = 0;
    for (const auto& [from, to] : edges_) {
      ++begin[ToSize(from) + 1];
      ++p.nodes[ToSize(to)].pending;
      before_[ToSize(to)].push_back(from);
    }
    for (std::size_t n = 0; n < p.nodes.size(); ++n) begin[n + 1] += begin[n];
    p.consumers.resize(edges_.size());
    SlimVector<int> next(begin);
    for (const auto& [from, to] : edges_) p.consumers[ToSize(next[ToSize(from)]++)] = to;
    p.roots.clear();
    for (std::size_t n = 0; n < p.nodes.size(); ++n) {
      ProgramNode& node = p.nodes[n];
      node.first_consumer = begin[n];
      node.num_consumers = begin[n + 1] - begin[n];
      if (node.pending == 0) p.roots.push_back(static_cast<int>(n));
      // The back edges of loops are no edges of the program, but what comes along them is needed.
      for (int i = 0; i < node.num_inputs; ++i)
        if (const int from = producers_[ToSize(p.inputs[ToSize(node.first_input + i)])]; from >= 0)
          before_[n].push_back(from);
    }
  }

  Owned<Program> program_;
  PartialEnds* ends_;
  SlimVector<int> feed_numbers_, fetch_numbers_;
  int first_old_ = 0;  // program node; the feeds' nodes come before it
  SlimVector<Owned<End>> ends_made_;
  SlimVector<int> producers_;  // per value: program node, -1: a constant
  SlimVector<int> fetch_nodes_;
  SlimVector<std::pair<int, int>> edges_;  // program nodes, from and to
  SlimVector<SlimVector<int>> before_;  // per program node: nodes that it waits for
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

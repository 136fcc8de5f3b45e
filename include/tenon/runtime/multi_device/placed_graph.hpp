// SPDX-License-Identifier: Apache-2.0
#pragma once
// A session's graph on several devices: placed, cut into partitions, and the signatures that run on them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/graph/placer.hpp>
#include <tenon/runtime/session/make_run_metadata.hpp>
#include <tenon/runtime/multi_device/device_kernels.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>
#include <tenon/runtime/multi_device/senders.hpp>
#include <tenon/runtime/session/partial_program.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Members of a session that its graphs use, one after the other. All of them outlive the graphs.
struct SessionServices {
  const DeviceMgr* devices = nullptr;
  const SessionDevices* session = nullptr;
  const SessionOptions* options = nullptr;
  const Registry* registry = nullptr;
  // With threads of its own: the one that a run brings if it is such a one, or else the session's.
  ThreadPoolInterface* (*pool_for)(const SessionDevices* session, ThreadPoolInterface* given) = nullptr;
};

// One signature, as a PlacedProgram or a class derived from it. thread-safe; goes before its graph.
template <class Base>
class PlacedProgramImpl : public Base {
 public:
  // `whole`: the graph that was cut.
  PlacedProgramImpl(const SessionServices& owner, const Graph& whole, Ref<PartitionedCallable> callable)
      : owner_(owner), whole_(whole), callable_(std::move(callable)) {}

  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& given) override {
    RunArgs settings = given;
    settings.pool = given.dataflow ? owner_.pool_for(owner_.session, given.pool) : nullptr;
    const Status status = callable_->RunChecked(owner_.devices, settings, feeds, fetches);
    if (settings.trace != nullptr) [[unlikely]]
      NameNodes(settings.trace);
    if (settings.counts != nullptr) settings.counts->Count(false);
    return status;
  }
  void ForIdleSteps(void (*visit)(const void* state, Step* step), const void* state) override {
    callable_->ForIdleSteps([&](Step* step) { visit(state, step); });
  }
  bool IsInUse() override { return callable_->IsInUse(); }
  SlimVector<GraphDef> MakePartitionGraphs() const override {
    SlimVector<GraphDef> graphs;
    callable_->ForPrograms([&](const Program& program, SlimVector<int> feeds, SlimVector<int> fetches) {
      const RunDescriber::PartOf part{std::move(feeds), std::move(fetches)};
      for (GraphDef& graph : RunDescriber(program, {}, &part).MakePartitionGraphs()) graphs.push_back(std::move(graph));
    });
    return graphs;
  }
  int num_devices() const override { return static_cast<int>(callable_->num_running_parts()); }

  // Writes the feeds, fetches and nodes that run into *front, as those of the whole graph.
  // `cancellation` gives it up: Cancelled; may be null.
  Status Describe(const ProgramEnds& ends, Device* host, const CancellationManager* cancellation,
                  Program* front) const {
    front->device = front->host = host;
    front->graph = &whole_;
    front->graph_def_version = whole_.versions().producer;
    for (const InEdge& feed : ends.feeds) {
      const Node& node = whole_.node(feed.node);
      PartialTensorShape shape;
      if (node.node_class == NodeClass::kPlaceholder) shape = node.output_shape(feed.output);
      front->feeds.push_back(
          {StrCat(node.name(), ":", feed.output), front->num_values++, BaseType(node.output_type(feed.output)), shape});
    }
    for (const InEdge& fetch : ends.fetches)
      front->fetches.push_back({StrCat(whole_.node(fetch.node).name(), ":", fetch.output), front->num_values++, false});
    const auto is_cancelled = [&] { return cancellation != nullptr && cancellation->IsCancelled(); };
    callable_->ForPrograms([&](const Program& program, const SlimVector<int>&, const SlimVector<int>&) {
      front->has_references = front->has_references || program.has_references;
      for (const ProgramNode& node : program.nodes) {
        if (is_cancelled()) return;
        if (node.kind != ProgramNode::Kind::kKernel && node.kind != ProgramNode::Kind::kNothing) continue;
        const Node* const of_whole = whole_.Find(node.node->name());
        if (of_whole == nullptr) continue;
        ProgramNode& item = front->nodes.emplace_back();
        item.kind = node.kind;
        item.node = of_whole;
      }
    });
    return is_cancelled() ? PreparingCancelled() : OkStatus();
  }

 private:
  // Replaces the partitions' nodes in the trace by those of the whole graph, or by null.
  TENON_DETAIL_COLD void NameNodes(RunTrace* trace) const {
    for (NodeTiming& timing : trace->nodes)
      if (timing.node != nullptr) timing.node = whole_.Find(timing.node->name());
    for (NodeTotal& total : trace->folded)
      if (total.node != nullptr) total.node = whole_.Find(total.node->name());
  }

  const SessionServices& owner_;
  const Graph& whole_;

 protected:
  Ref<PartitionedCallable> callable_;
};

// One partial run. thread-safe.
class PlacedPartialProgramImpl final : public PlacedProgramImpl<PlacedPartialProgram> {
 public:
  using PlacedProgramImpl::PlacedProgramImpl;

  // After Describe.
  Status MakePartial(PartialEnds* ends) {
    Status status;
    callable_->ForPrograms([&](const Program& program, const SlimVector<int>&, const SlimVector<int>&) {
      status.Update(CheckLeavesLoops(program));
    });
    TENON_RETURN_IF_ERROR(status);
    callable_->ChangePrograms([&](Owned<Program> program, SlimVector<int> feeds, SlimVector<int> fetches) {
      const int part = static_cast<int>(parts_.size());
      for (std::size_t i = 0; i < fetches.size(); ++i) {
        const std::size_t fetch = ToSize(fetches[i]);
        if (fetch >= fetches_.size()) fetches_.resize(fetch + 1);
        fetches_[fetch] = {part, static_cast<int>(i)};
      }
      parts_.push_back(MakeOwned<PartialProgram>(std::move(program), ends, std::move(feeds), std::move(fetches)));
      return parts_.back()->TakeProgram();
    });
    FindSenders();
    return OkStatus();
  }

  int MissingFeed(std::size_t fetch, Span<const char> fed) const override {
    SlimVector<SlimVector<char>> seen;
    for (const SlimVector<PartitionNode>& nodes : senders_) seen.push_back(SlimVector<char>(nodes.size(), 0));
    const Fetch& wanted = fetches_[fetch];
    SlimVector<PartitionNode> todo{{wanted.part, part(wanted.part).fetch_node(ToSize(wanted.number))}};
    while (!todo.empty()) {
      const PartitionNode at = todo.back();
      todo.pop_back();
      if (std::exchange(seen[ToSize(at.part)][ToSize(at.node)], char{1}) != 0) continue;
      const PartialProgram& program = part(at.part);
      if (at.node < program.num_feeds()) {
        if (const int feed = program.feed_number(at.node); fed[ToSize(feed)] == 0) return feed;
      }
      for (const int before : program.before(at.node)) todo.push_back({at.part, before});
      const PartitionNode& sender = senders_[ToSize(at.part)][ToSize(at.node)];
      if (sender.part >= 0) todo.push_back(sender);
    }
    return -1;
  }

 private:
  struct Fetch {
    int part = -1;
    int number = -1;  // among the partition's fetches
  };
  const PartialProgram& part(int number) const { return *parts_[ToSize(number)]; }

  void FindSenders() {
    SlimVector<const Program*> programs;
    callable_->ForPrograms(
        [&](const Program& program, const SlimVector<int>&, const SlimVector<int>&) { programs.push_back(&program); });
    Senders all;
    for (std::size_t p = 0; p < programs.size(); ++p)
      for (std::size_t n = 0; n < programs[p]->nodes.size(); ++n)
        all.Add(*programs[p]->nodes[n].node, {static_cast<int>(p), static_cast<int>(n)});
    for (const Program* program : programs) {
      SlimVector<PartitionNode>& senders = senders_.emplace_back(SlimVector<PartitionNode>(program->nodes.size()));
      for (std::size_t n = 0; n < senders.size(); ++n)
        if (const Node& node = *program->nodes[n].node; node.node_class == NodeClass::kRecv)
          senders[n] = all.Find(node.def);
    }
  }

  SlimVector<Owned<PartialProgram>> parts_;  // the kernels of the programs' ends
  SlimVector<SlimVector<PartitionNode>> senders_;  // per partition and program node; part -1: it receives nothing
  SlimVector<Fetch> fetches_;
};

// thread-safe.
class PlacedGraphImpl final : public PlacedGraph {
 public:
  // Gives every node of `graph` a device, and cuts it. `older`: the state that `graph` extends, or null; nodes of
  // `older` with state keep their device. InvalidArgument, with all reasons: no such placement. All arguments outlive
  // the result.
  static Result<Owned<PlacedGraphImpl>> Create(const SessionServices& owner, Graph* graph, const GraphState* older) {
    auto placed = MakeOwned<PlacedGraphImpl>(owner, *graph);
    if (older != nullptr) TENON_RETURN_IF_ERROR(StayWithState(older->graph, graph));
    TENON_RETURN_IF_ERROR(placed->Load(graph, older));
    return placed;
  }
  PlacedGraphImpl(const SessionServices& owner, const Graph& graph) : owner_(owner), graph_(graph) {}

  Status Prepare(Span<const std::string> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                 const ProgramEnds& ends, const EndPlaces* places, const CancellationManager* cancellation,
                 Program* front, Owned<PlacedProgram>* program) override {
    const OptimizerOptions& optimizer = owner_.options->optimizer;
    TENON_ASSIGN_OR_RETURN(Ref<PartitionedCallable> callable,
                           parts_->Prepare(FeedNames(feeds, ends), fetches, targets, places, cancellation,
                                           optimizer.level == OptimizerLevel::kOff ? nullptr : &optimizer));
    auto made = MakeOwned<PlacedProgramImpl<PlacedProgram>>(owner_, graph_, std::move(callable));
    TENON_RETURN_IF_ERROR(made->Describe(ends, owner_.session->host(), cancellation, front));
    *program = Owned<PlacedProgram>(made.release());
    return OkStatus();
  }
  Result<Owned<PlacedPartialProgram>> PreparePartial(Span<const std::string> feeds, Span<const std::string> fetches,
                                                     Span<const std::string> targets, const ProgramEnds& ends,
                                                     PartialEnds* partial, Program* front) override {
    TENON_ASSIGN_OR_RETURN(Ref<PartitionedCallable> callable,
                           parts_->Prepare(FeedNames(feeds, ends), fetches, targets));
    auto program = MakeOwned<PlacedPartialProgramImpl>(owner_, graph_, std::move(callable));
    TENON_RETURN_IF_ERROR(program->Describe(ends, owner_.session->host(), nullptr, front));
    TENON_RETURN_IF_ERROR(program->MakePartial(partial));
    return Owned<PlacedPartialProgram>(program.release());
  }

  const PlacementReport& report() const { return report_; }
  const SlimVector<GraphPartition>& partitions() const { return partitions_; }

 private:
  // Names of the feeds as they were found: a value fed for a lowered node goes to its readers.
  SlimVector<std::string> FeedNames(Span<const std::string> given, const ProgramEnds& ends) const {
    SlimVector<std::string> names;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const InEdge edge = ends.feeds[i];
      const std::string& node = graph_.node(edge.node).name();
      names.push_back(ParseTensorName(given[i]).node == node ? given[i] : StrCat(node, ":", edge.output));
    }
    return names;
  }
  static Status StayWithState(const Graph& older, Graph* graph) {
    for (int id = 0; id < graph->num_nodes(); ++id) {
      const Node& node = graph->node(id);
      const Node* const before = node.op->flags.is_stateful ? older.Find(node.name()) : nullptr;
      if (before != nullptr && before->op == node.op)
        TENON_RETURN_IF_ERROR(graph->AssignDevice(id, std::string(older.assigned_device_name(before->id))));
    }
    return OkStatus();
  }

  Status Load(Graph* graph, const GraphState* older) {
    const SessionOptions& options = *owner_.options;
    const Device* const host = owner_.session->host();
    PlacementDevices places;
    TENON_RETURN_IF_ERROR(places.Add(host->name(), kCpuPriority));
    for (const Device* device : owner_.session->list())
      if (device != host) TENON_RETURN_IF_ERROR(places.Add(device->name(), DeviceTypePriority(device->type())));
    const DeviceKernels kernels(*graph, *owner_.registry, *owner_.devices);
    TENON_RETURN_IF_ERROR(
        PlaceGraph(graph, places, kernels, {.allow_soft_placement = options.allow_soft_placement}, &report_));
    if (options.log_device_placement) TENON_LOG(kInfo, "Device placement:\n", report_.ToString());
    TENON_ASSIGN_OR_RETURN(partitions_, PartitionGraph(*graph, kernels));
    SlimVector<DeviceGraph> parts;
    for (const GraphPartition& partition : partitions_) parts.push_back({partition.device, partition.graph});
    if (parts.size() > 1) TENON_RETURN_IF_ERROR(CheckTransfers());
    GraphServices session;
    session.devices = owner_.devices;
    session.resources = owner_.session;
    session.whole = graph;
    session.older = older == nullptr ? nullptr : static_cast<const PlacedGraphImpl*>(older->placed.get())->parts_.get();
    session.packed_weights_bytes = options.packed_weights_bytes;
    session.lower_functions = options.lower_control_flow;
    PartitionedGraphOptions part_options;
    part_options.registry = owner_.registry;
    part_options.constant_folding = options.constant_folding;
    part_options.flush_denormals = options.flush_denormals;
    part_options.import_limits = ImportLimits::OfCheckedGraph();
    TENON_ASSIGN_OR_RETURN(parts_, PartitionedGraph::CreateFor(session, std::move(parts), part_options));
    return OkStatus();
  }
  // Checks that each transfer has a kernel on its own device: nodes at the cuts cannot run on the host instead.
  Status CheckTransfers() const {
    for (const GraphPartition& partition : partitions_) {
      TENON_ASSIGN_OR_RETURN(const Device* const device, owner_.devices->LookupDevice(partition.device));
      for (const NodeDef& node : partition.graph.node) {
        if (node.op != "_Send" && node.op != "_Recv" && node.op != "_HostSend" && node.op != "_HostRecv") continue;
        if (owner_.registry->FindForNode(node, device->type()).ok()) continue;
        return errors::NotFound("No '", node.op, "' is registered for ", device->type(),
                                " devices: a graph on several devices needs TENON_REGISTER(tenon::ops::Send, "
                                "tenon::ops::Recv, tenon::ops::HostSend, tenon::ops::HostRecv), which "
                                "<tenon/devices.hpp> has for the CPU, or in a .cu file for GPUs");
      }
    }
    return OkStatus();
  }

  const SessionServices owner_;
  const Graph& graph_;
  PlacementReport report_;
  SlimVector<GraphPartition> partitions_;
  Ref<PartitionedGraph> parts_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

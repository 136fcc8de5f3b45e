// SPDX-License-Identifier: Apache-2.0
#pragma once
// PartitionedGraph: a graph that was cut into partitions, one per device, with _Send and _Recv at the cuts. The
// partitions run side by side, each as its own program, and meet in the run's rendezvous.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/runtime/function/session_functions.hpp>
#include <tenon/runtime/multi_device/loaded_partition.hpp>
#include <tenon/runtime/multi_device/partitioned_run.hpp>
#include <tenon/runtime/multi_device/senders.hpp>
#include <tenon/runtime/multi_device/step_of_peers.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/session/extensions.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct PartitionedGraphOptions {
  const Registry* registry = nullptr;  // null: everything registered in the process
  ThreadPoolInterface* pool = nullptr;  // with threads of its own; null: one for each graph
  bool constant_folding = true;
  bool flush_denormals = true;
  ImportLimits import_limits = {};  // for each partition
  // A _Recv may have its _Send in another task, the one that send_device names. Runs then need a StepOfPeers. Names of
  // jobs and tasks are those of the devices.
  bool has_peers = false;
};

// thread-safe after Create. Copies share the graph; a callable keeps it alive.
//
//   TENON_ASSIGN_OR_RETURN(auto graph, PartitionedGraph::Create(std::move(parts), std::move(devices)));
//   TENON_ASSIGN_OR_RETURN(auto callable, graph->MakeCallable({.feeds = {"x"}, .fetches = {"y"}}));
//   TENON_RETURN_IF_ERROR(callable.Run(feeds, fetches));
class PartitionedGraph : public RefCounted {
 public:
  // A signature of a graph. thread-safe.
  class Callable {
   public:
    Callable() = default;
    // Returns the first error of any partition, after which the other ones are stopped. The lengths are those of the
    // options that the callable was made with.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) const {
      return detail::CatchAll("PartitionedGraph::Callable::Run", [&] { return RunUnder(nullptr, feeds, fetches); });
    }
    // Runs until a deadline or a CancellationManager ends the run. Reads only timeout_in_ms and cancellation of
    // `options`; the rest is for sessions on one device. DeadlineExceeded, Cancelled. InvalidArgument: timeout < 0.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options) const {
      return detail::CatchAll("PartitionedGraph::Callable::Run", [&] {
        return detail::RunBounded(nullptr, options.timeout_in_ms, options.cancellation,
                                  [&](CancellationManager* control) { return RunUnder(control, feeds, fetches); });
      });
    }
    // Runs the part of a step that belongs to this task. A _Send to another task runs if it is a target. Otherwise as
    // the other forms.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options,
               const StepOfPeers& step) const {
      return detail::CatchAll("PartitionedGraph::Callable::Run", [&] {
        return detail::RunBounded(
            nullptr, options.timeout_in_ms, options.cancellation,
            [&](CancellationManager* control) { return RunUnder(control, feeds, fetches, &step); });
      });
    }
    // The number of devices that take part.
    std::size_t num_running_parts() const { return callable_->num_running_parts(); }

   private:
    friend class PartitionedGraph;
    Status RunUnder(CancellationManager* control, Span<const Tensor> feeds, Span<Tensor> fetches,
                    const StepOfPeers* step = nullptr) const {
      detail::RunArgs settings;
      settings.pool = graph_->pool_;
      settings.flush_denormals = graph_->options_.flush_denormals;
      settings.cancellation = control;
      settings.peers = step;
      return callable_->Run(graph_->devices_, settings, feeds, fetches);
    }
    Ref<PartitionedGraph> graph_;
    Ref<detail::PartitionedCallable> callable_;
  };

  // InvalidArgument: a partition's device is not in `devices`, or these have no CPU; otherwise as for any graph.
  static Result<Ref<PartitionedGraph>> Create(SlimVector<DeviceGraph> parts, Owned<DeviceMgr> devices,
                                              const PartitionedGraphOptions& options = {}) {
    return detail::CatchAll("PartitionedGraph::Create", [&]() -> Result<Ref<PartitionedGraph>> {
      auto graph = Ref<PartitionedGraph>::Adopt(new PartitionedGraph);
      graph->options_ = options;
      graph->own_devices_ = std::move(devices);
      graph->kept_devices_ = graph->own_devices_->Share();
      graph->devices_ = graph->kept_devices_.get();
      TENON_RETURN_IF_ERROR(graph->Load(std::move(parts), {}));
      if (options.pool == nullptr) {
        graph->own_pool_ = MakeOwned<ThreadPool>(detail::CpuCount() + 1, "tenon-parts");
        graph->pool_ = graph->own_pool_.get();
      }
      graph->own_devices_->set_clear_containers(
          [graph = graph.get()](Device* device, Span<const std::string> containers) {
            return graph->ClearOn(device, containers);
          });
      return graph;
    });
  }
  // A graph of a session, which runs its signatures (Prepare) with a pool of its own.
  static Result<Ref<PartitionedGraph>> CreateFor(const detail::GraphServices& session, SlimVector<DeviceGraph> parts,
                                                 const PartitionedGraphOptions& options) {
    auto graph = Ref<PartitionedGraph>::Adopt(new PartitionedGraph);
    graph->options_ = options;
    graph->devices_ = session.devices;
    TENON_RETURN_IF_ERROR(graph->Load(std::move(parts), session));
    return graph;
  }

  // InvalidArgument: names that are not in any partition, a _Recv without its _Send.
  Result<Callable> MakeCallable(const CallableOptions& options) {
    if (options.fetches.empty() && options.targets.empty())
      return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
    return detail::CatchAll("PartitionedGraph::MakeCallable", [&]() -> Result<Callable> {
      Callable made;
      made.graph_ = Ref<PartitionedGraph>::Share(this);
      TENON_ASSIGN_OR_RETURN(made.callable_, Prepare(options.feeds, options.fetches, options.targets));
      return made;
    });
  }
  // Prepares a signature, for MakeCallable. The result runs with this graph's devices, while the graph lives.
  // `places` is null if all feeds and fetches are in host memory. `cancellation` gives it up: Cancelled; may be null.
  // `optimizer`: rewrites each partition's part of the signature; null: it stays as it is.
  Result<Ref<detail::PartitionedCallable>> Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                                                   Span<const std::string> targets,
                                                   const detail::EndPlaces* places = nullptr,
                                                   const CancellationManager* cancellation = nullptr,
                                                   const OptimizerOptions* optimizer = nullptr) {
    SlimVector<Wanted> wanted(parts_.size());
    auto callable = Ref<detail::PartitionedCallable>::Adopt(new detail::PartitionedCallable);
    TENON_RETURN_IF_ERROR(FindAll(feeds, fetches, targets, places, cancellation, &wanted, callable.get()));
    TENON_RETURN_IF_ERROR(FollowReceives(&wanted, cancellation));
    TENON_RETURN_IF_ERROR(Build(wanted, cancellation, optimizer, callable.get()));
    callable->plan_.Make(callable->programs_);
    return callable;
  }

  // Its devices' resources in these containers go; no names mean the default container.
  Status ClearContainers(Span<const std::string> containers) const { return devices().ClearContainers(containers); }
  const DeviceMgr& devices() const { return own_devices_ != nullptr ? *own_devices_ : *devices_; }
  // A device's variables, queues and tables; null: the device has no partition.
  ResourceMgr* resources(std::string_view device) const {
    for (const Owned<detail::LoadedPartition>& part : parts_)
      if (part->device->name() == device || part->device->short_name() == device) return part->resources;
    return nullptr;
  }

 private:
  // Endpoints of a signature that belong to one partition.
  struct Wanted {
    SlimVector<InEdge> feeds, fetches;
    SlimVector<std::uint8_t> feeds_on_device, fetches_on_device;  // as in ProgramOptions
    SlimVector<int> targets;
    bool IsIdle() const { return fetches.empty() && targets.empty() && feeds.empty(); }
  };

  Status Load(SlimVector<DeviceGraph> parts, const detail::GraphServices& session) {
    registry_ = options_.registry != nullptr ? options_.registry : &Registry::Global();
    packed_weights_bytes_ = session.packed_weights_bytes;
    TENON_RETURN_IF_ERROR(registry_->status());
    host_ = devices_->HostCPU();
    if (host_ == nullptr) return errors::InvalidArgument("PartitionedGraph: there must be a CPU among the devices");
    pool_ = options_.pool;
    functions_ = session.older != nullptr
                     ? session.older->functions_
                     : Ref<detail::DeviceFunctions>::Adopt(new detail::DeviceFunctions(
                           registry_, devices_, host_, session.resources,
                           ProgramOptions{.constant_folding = options_.constant_folding}, session.lower_functions));
    for (DeviceGraph& from : parts) {
      Owned<detail::LoadedPartition>& part = parts_.emplace_back(MakeOwned<detail::LoadedPartition>());
      TENON_ASSIGN_OR_RETURN(part->device, FindDevice(from.device));
      ImportOptions as_part;
      as_part.allow_internal_ops = true;
      as_part.ignore_shape_errors = session.devices != nullptr;  // the whole graph's were looked at; here less is known
      as_part.limits = options_.import_limits;
      TENON_ASSIGN_OR_RETURN(part->graph, ImportGraphDef(std::move(from.graph), registry_->ops(), as_part));
      const detail::LoadedPartition* const older =
          session.older == nullptr ? nullptr : session.older->FindPart(part->device);
      part->functions = functions_->OnDevice(part->device);
      part->resources = part->functions->resources();
      part->kernels = MakeOwned<detail::KernelCache>(&part->graph, registry_, part->device, host_, part->functions,
                                                     older == nullptr ? nullptr : older->kernels.get(),
                                                     session.packed_weights_bytes);
    }
    FindSenders();
    // From here on nothing fails.
    functions_->SetDevices(devices_);
    functions_->SetGraph(nullptr, session.whole != nullptr ? session.whole
                                  : parts_.empty()         ? nullptr
                                                           : &parts_.front()->graph);
    for (const Owned<detail::LoadedPartition>& part : parts_)
      if (session.whole == nullptr) functions_->SetGraph(part->device, &part->graph);
    return OkStatus();
  }
  void FindSenders() {
    detail::Senders senders;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const Node& node : parts_[p]->graph.nodes()) senders.Add(node, {static_cast<int>(p), node.id});
    for (const Owned<detail::LoadedPartition>& part : parts_) {
      part->senders.resize(ToSize(part->graph.num_nodes()));
      for (const Node& node : part->graph.nodes())
        if (node.node_class == NodeClass::kRecv) part->senders[ToSize(node.id)] = senders.Find(node.def);
    }
  }
  const detail::LoadedPartition* FindPart(const Device* device) const {
    for (const Owned<detail::LoadedPartition>& part : parts_)
      if (part->device == device) return part.get();
    return nullptr;
  }
  Status ClearOn(const Device* device, Span<const std::string> containers) const {
    Status status;
    if (ResourceMgr* const resources = functions_->FindResources(device))
      for (const std::string& container : containers) status.Update(resources->Cleanup(container));
    return status;
  }
  Result<Device*> FindDevice(const std::string& name) const {
    if (Result<Device*> device = devices_->LookupDevice(name); device.ok()) return device;
    return errors::InvalidArgument(
        "Creating a partition for ", name, " which doesn't exist in the list of available devices. Available devices: ",
        StrJoin(devices_->ListDevices(), ",",
                [](std::string* text, const Device* device) { StrAppend(text, device->name()); }));
  }

  // The partition that has a node, or -1.
  int Find(std::string_view name, int* id) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Node* node = parts_[p]->graph.Find(name);
      if (node == nullptr) continue;
      *id = node->id;
      return static_cast<int>(p);
    }
    return -1;
  }
  std::string DidYouMean(std::string_view name) const {
    detail::NodeNames names;
    for (const Owned<detail::LoadedPartition>& part : parts_) part->graph.OfferNames(&names);
    return names.Suggest(name);
  }
  Result<InEdge> FindEndpoint(std::string_view text, std::string_view what, int* part) const {
    const TensorName name = ParseTensorName(text);
    InEdge edge{-1, name.output};
    *part = name.output == kControlSlot ? -1 : Find(name.node, &edge.node);
    if (*part < 0) return detail::NoSuchEndpoint(name, text, what, DidYouMean(name.node));
    return detail::OutputOf(parts_[ToSize(*part)]->graph.node(edge.node), name, text, what);
  }
  // Notes where an endpoint of the signature is. `place`: as in EndPlaces.
  void AddEnd(int part, const InEdge& edge, Device* place, SlimVector<InEdge>* edges,
              SlimVector<std::uint8_t>* on_device, SlimVector<detail::PartitionedCallable::Endpoint>* ends) const {
    const bool is_here = place != nullptr && place == parts_[ToSize(part)]->device;
    ends->push_back({part, static_cast<int>(edges->size()), is_here ? nullptr : place});
    edges->push_back(edge);
    on_device->push_back(is_here);
  }
  // As in a session, names are compared as they are written.
  Status FindAll(Span<const std::string> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                 const detail::EndPlaces* places, const CancellationManager* cancellation, SlimVector<Wanted>* wanted,
                 detail::PartitionedCallable* callable) const {
    const auto stops = [cancellation](std::size_t i) { return detail::StopsAt(cancellation, static_cast<int>(i)); };
    int part = 0;
    detail::NameIndex fed;
    const auto name_of = [feeds](int i) -> std::string_view { return feeds[ToSize(i)]; };
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      if (stops(i)) return detail::PreparingCancelled();
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(feeds[i], "feed", &part));
      if (fed.Insert(feeds[i], static_cast<int>(i), name_of) >= 0)
        return errors::InvalidArgument("Endpoint \"", feeds[i], "\" fed more than once.");
      Wanted& of_part = (*wanted)[ToSize(part)];
      AddEnd(part, edge, places == nullptr ? nullptr : places->feeds[i], &of_part.feeds, &of_part.feeds_on_device,
             &callable->feeds_);
    }
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      if (stops(i)) return detail::PreparingCancelled();
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(fetches[i], "fetch", &part));
      if (fed.Find(fetches[i], name_of) >= 0) return errors::InvalidArgument(fetches[i], " is both fed and fetched.");
      Wanted& of_part = (*wanted)[ToSize(part)];
      AddEnd(part, edge, places == nullptr ? nullptr : places->fetches[i], &of_part.fetches, &of_part.fetches_on_device,
             &callable->fetches_);
      callable->fetch_names_.push_back(StrCat(ParseTensorName(fetches[i]).node, ":", edge.output));
    }
    std::string missing, hints;
    for (const std::string& target : targets) {
      if (stops(static_cast<std::size_t>(&target - targets.data()))) return detail::PreparingCancelled();
      int id = 0;
      const std::string_view name = ParseTensorName(target).node;
      part = Find(name, &id);
      if (part < 0)
        detail::NameMissing(name, DidYouMean(name), &missing, &hints);
      else
        (*wanted)[ToSize(part)].targets.push_back(id);
    }
    if (missing.empty()) return OkStatus();
    return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing, hints);
  }

  // The nodes of one partition that a signature runs.
  struct Reach {
    Reach(int num_nodes, const Wanted& wanted)
        : feeds(num_nodes, wanted.feeds), runs(ToSize(num_nodes), 0), is_target(ToSize(num_nodes), 0) {
      for (const int target : wanted.targets) is_target[ToSize(target)] = 1;
    }
    FedOutputs feeds;
    SlimVector<char> runs, is_target;  // per node
  };
  // Adds to *wanted the senders of all values that are received. Visits each node that runs once.
  Status FollowReceives(SlimVector<Wanted>* wanted, const CancellationManager* cancellation) const {
    SlimVector<Reach> reach;
    SlimVector<detail::PartitionNode> todo;
    const auto want = [&](int part, int node) {
      if (std::exchange(reach[ToSize(part)].runs[ToSize(node)], char{1}) == 0) todo.push_back({part, node});
    };
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Wanted& of_part = (*wanted)[p];
      reach.push_back(Reach(parts_[p]->graph.num_nodes(), of_part));
      for (const int target : of_part.targets) want(static_cast<int>(p), target);
      for (const InEdge& fetch : of_part.fetches)
        if (!reach[p].feeds.Has(fetch)) want(static_cast<int>(p), fetch.node);
    }
    while (!todo.empty()) {
      if (cancellation != nullptr && cancellation->IsCancelled()) return detail::PreparingCancelled();
      const detail::PartitionNode at = todo.back();
      todo.pop_back();
      const detail::LoadedPartition& part = *parts_[ToSize(at.part)];
      const Node& node = part.graph.node(at.node);
      detail::ForEachNeeded(part.graph, reach[ToSize(at.part)].feeds, node, [&](int id) { want(at.part, id); });
      if (node.node_class != NodeClass::kRecv) continue;
      const detail::PartitionNode sender = part.senders[ToSize(at.node)];
      if (sender.part < 0) {
        if (IsFromPeer(node)) continue;
        return NothingSends(node);
      }
      if (std::exchange(reach[ToSize(sender.part)].is_target[ToSize(sender.node)], char{1}) != 0) continue;
      (*wanted)[ToSize(sender.part)].targets.push_back(sender.node);
      want(sender.part, sender.node);
    }
    return OkStatus();
  }
  // Whether a _Recv waits for a device of another task.
  TENON_DETAIL_COLD bool IsFromPeer(const Node& receiver) const {
    std::string_view from;
    DeviceName sender, here;
    return options_.has_peers && TryGetNodeAttr(receiver.def, "send_device", &from) &&
           DeviceName::Parse(from, &sender) && DeviceName::Parse(host_->name(), &here) &&
           !IsSameAddressSpace(sender, here);
  }
  TENON_DETAIL_COLD static Status NothingSends(const Node& receiver) {
    return errors::InvalidArgument("Node '", receiver.name(), "' (type: '", receiver.op_name(),
                                   "') waits for a tensor that no part of the graph sends");
  }

  // Partitions that have nothing to do are left out.
  Status Build(const SlimVector<Wanted>& wanted, const CancellationManager* cancellation,
               const OptimizerOptions* optimizer, detail::PartitionedCallable* callable) {
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    ProgramOptions options{
        .constant_folding = options_.constant_folding, .cancellation = cancellation, .dead_values = HasControlFlow()};
    options.ends_with_device = true;
    SlimVector<int> number(parts_.size(), -1);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (wanted[p].IsIdle()) continue;
      detail::LoadedPartition& part = *parts_[p];
      options.feeds_on_device = wanted[p].feeds_on_device;
      options.fetches_on_device = wanted[p].fetches_on_device;
      detail::ProgramBuilder builder(part.graph, part.kernels.get(), part.device, host_, options, part.functions);
      TENON_ASSIGN_OR_RETURN(Owned<Program> program,
                             builder.Build(wanted[p].feeds, wanted[p].fetches, wanted[p].targets));
      // Passes know no dead values that come from other partitions.
      if (optimizer != nullptr && !options.dead_values)
        TENON_RETURN_IF_ERROR(Optimize(&part, wanted[p], options, *optimizer, &program));
      TENON_RETURN_IF_ERROR(part.device->Synchronize());  // constants were copied there
      number[p] = static_cast<int>(callable->programs_.size());
      callable->programs_.push_back(std::move(program));
      callable->resources_.push_back(part.resources);
    }
    for (auto* endpoints : {&callable->feeds_, &callable->fetches_})
      for (detail::PartitionedCallable::Endpoint& endpoint : *endpoints) endpoint.part = number[ToSize(endpoint.part)];
    return OkStatus();
  }

  TENON_DETAIL_COLD Status Optimize(detail::LoadedPartition* part, const Wanted& wanted, const ProgramOptions& options,
                                    const OptimizerOptions& optimizer, Owned<Program>* program) {
    const detail::OptimizedBuild build{part->graph,     part->kernels.get(),  registry_,      part->device,   host_,
                                       part->functions, wanted.feeds,         wanted.fetches, wanted.targets, options,
                                       optimizer,       packed_weights_bytes_};
    return detail::extensions.optimizer.load(std::memory_order_acquire)->replace(build, program);
  }

  // Then any partition may receive dead values.
  bool HasControlFlow() const {
    for (const Owned<detail::LoadedPartition>& part : parts_)
      for (const Node& node : part->graph.nodes())
        if (NeedsFrames(node.node_class)) return true;
    return false;
  }

  PartitionedGraphOptions options_;
  const Registry* registry_ = nullptr;
  Owned<DeviceMgr> own_devices_;
  Owned<StaticDeviceMgr> kept_devices_;  // shares the devices of own_devices_: removed ones stay, for the partitions
  const DeviceMgr* devices_ = nullptr;
  Device* host_ = nullptr;
  Owned<ThreadPool> own_pool_;
  ThreadPoolInterface* pool_ = nullptr;
  Ref<detail::DeviceFunctions> functions_;
  SlimVector<Owned<detail::LoadedPartition>> parts_;
  std::int64_t packed_weights_bytes_ = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

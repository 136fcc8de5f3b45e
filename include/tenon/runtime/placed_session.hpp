// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlacedSession: one graph on several devices. Lowers its control flow, gives every node a device, cuts the graph by
// device and runs the parts side by side.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/graph/placer.hpp>
#include <tenon/graph/shapes.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/runtime/multi_device.hpp>
#include <tenon/runtime/registry_kernels.hpp>
#include <tenon/runtime/session_options.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

struct PlacedSessionOptions {
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  bool allow_soft_placement = false;  // a device that cannot run the node gives way to one that can
  bool log_device_placement = false;  // logs the placement report
  // Before the placement, so that the nodes of branches and bodies have devices of their own; null: If, Case, While
  // and For run whole on their node's device. LowerAllFunctionalOps also takes calls apart.
  GraphPass lower_control_flow = &LowerFunctionalOps;
  ThreadPoolInterface* pool = nullptr;  // as in PartitionedGraphOptions
  bool constant_folding = true;
  bool flush_denormals = true;
  int max_cached_signatures = 64;  // of Run: the least recently used go
};

namespace detail {

// What placement and partition ask of a registry's kernels and the devices that run them. Where the memory of a device
// is no host memory, a kernel of each node is made to see which of its tensors stay in host memory. one thread.
class DeviceKernels final : public KernelCatalog, public PartitionEnvironment {
 public:
  // All arguments outlive this.
  DeviceKernels(const Graph& graph, const Registry& registry, const DeviceMgr& devices)
      : graph_(graph), registry_(registry), devices_(devices), kernels_(registry), ops_(registry.ops()) {}

  bool Supports(const NodeDef& node, std::string_view type, int* priority) const override {
    if (!kernels_.Supports(node, type, priority)) return false;
    const Device* device = AnyDevice(type);
    return device == nullptr || device->uses_host_memory() || MemoryOf(node, *device).fits_device;
  }
  std::string ListKernels(std::string_view op) const override { return kernels_.ListKernels(op); }

  bool InputOnHost(const NodeDef& node, std::string_view device, int input) const override {
    return !UsesHostMemory(device) && OnHost(node, device).inputs[Slot(input)] != 0;
  }
  bool OutputOnHost(const NodeDef& node, std::string_view device, int output) const override {
    return !UsesHostMemory(device) && OnHost(node, device).outputs[Slot(output)] != 0;
  }
  bool UsesHostMemory(std::string_view device) const override { return Find(device)->uses_host_memory(); }
  std::uint64_t Incarnation(std::string_view device) const override { return devices_.IncarnationOf(Find(device)); }

 private:
  // Of one node on devices of one type.
  struct Memory {
    SlimVector<char> inputs, outputs;  // in host memory
    bool fits_device = true;  // what is not in host memory is plain data
  };
  struct MemoryOfType {
    std::string_view type;
    SlimVector<Owned<Memory>> nodes;  // by id; null: not asked for yet
    Memory added;  // of the last node that is not the graph's
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  // Nodes are on devices of the manager only.
  const Device* Find(std::string_view name) const { return *devices_.LookupDevice(name); }
  const Device* AnyDevice(std::string_view type) const {
    for (const Device* device : devices_.ListDevices())
      if (device->type() == type) return device;
    return nullptr;
  }
  const Memory& OnHost(const NodeDef& node, std::string_view device) const { return MemoryOf(node, *Find(device)); }

  const Memory& MemoryOf(const NodeDef& def, const Device& device) const {
    MemoryOfType& of_type = MemoryOfDevice(device.type());
    const Node* node = graph_.Find(def.name);
    if (node != nullptr) {
      Owned<Memory>& known = of_type.nodes[Slot(node->id)];
      if (known == nullptr) known = MakeOwned<Memory>(Ask(def, node->input_types, node->output_types, device));
      return *known;
    }
    OpInfo::Types inputs, outputs;  // of a node that the partition made for a loop
    if (const OpInfo* info = ops_.Find(def.op); info != nullptr)
      static_cast<void>(info->Resolve(def, &inputs, &outputs));
    return of_type.added = Ask(def, inputs, outputs, device);
  }
  MemoryOfType& MemoryOfDevice(std::string_view type) const {
    for (MemoryOfType& of_type : memory_)
      if (of_type.type == type) return of_type;
    memory_.push_back({type, SlimVector<Owned<Memory>>(Slot(graph_.num_nodes())), {}});
    return memory_.back();
  }
  // A node without a kernel there is a call, which runs on the host. What is wrong with a node is said when its program
  // is built.
  template <class Types>
  Memory Ask(const NodeDef& def, const Types& inputs, const Types& outputs, const Device& device) const {
    Memory memory{SlimVector<char>(inputs.size(), 1), SlimVector<char>(outputs.size(), 1)};
    const Result<KernelDef> row = registry_.FindForNode(def, device.type());
    if (!row.ok()) return memory;
    OpKernelConstruction construction(
        &def, registry_.FindOp(def.op), device.type(), std::span(inputs.data(), inputs.size()),
        std::span(outputs.data(), outputs.size()), devices_.HostCPU()->allocator(), nullptr, device.name());
    const Result<Owned<OpKernel>> kernel = CreateKernel(*row->row, &construction);
    const auto note = [&memory](bool on_host, DataType type, char* to) {
      *to = on_host ? 1 : 0;
      if (!on_host && type == DataType::kVariant) memory.fits_device = false;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
      note(kernel.ok() && (*kernel)->input_memory_type(static_cast<int>(i)) == MemoryType::kHost, inputs[i],
           &memory.inputs[i]);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      note(kernel.ok() && (*kernel)->output_memory_type(static_cast<int>(i)) == MemoryType::kHost, outputs[i],
           &memory.outputs[i]);
    return memory;
  }

  const Graph& graph_;
  const Registry& registry_;
  const DeviceMgr& devices_;
  RegistryKernels kernels_;
  mutable OpInfoCache ops_;
  mutable SlimVector<MemoryOfType> memory_;
};

}  // namespace detail

// thread-safe after Create.
//
//   TENON_ASSIGN_OR_RETURN(auto devices, MakeDevices({"CPU:0", "SIM:0"}, {CpuAllocator(), nullptr}));
//   TENON_ASSIGN_OR_RETURN(auto manager, StaticDeviceMgr::Create(std::move(devices)));
//   TENON_ASSIGN_OR_RETURN(auto session, PlacedSession::Create(std::move(graph_def), std::move(manager)));
//   TENON_ASSIGN_OR_RETURN(std::vector<Tensor> out, session->Run({{"x", x}}, {"y"}));
class PlacedSession : public RefCounted {
 public:
  using Callable = PartitionedGraph::Callable;

  // Nodes name devices as "/device:GPU:0" or by a part of such a name; those without one go where TensorFlow's rules
  // put them. InvalidArgument, with all reasons: no such placement, no CPU among the devices, or any fault of the
  // graph. NotFound: an op that is not registered.
  static Result<Ref<PlacedSession>> Create(GraphDef graph, Owned<DeviceMgr> devices,
                                           const PlacedSessionOptions& options = {}) {
    const Registry& registry = RegistryOf(options);
    TENON_RETURN_IF_ERROR(registry.status());
    TENON_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(std::move(graph), registry.ops()));
    return Create(std::move(imported), std::move(devices), options);
  }
  // Nodes that have been assigned to a device stay there.
  static Result<Ref<PlacedSession>> Create(Graph graph, Owned<DeviceMgr> devices,
                                           const PlacedSessionOptions& options = {}) {
    auto session = Ref<PlacedSession>::Adopt(new PlacedSession(options));
    TENON_RETURN_IF_ERROR(session->Load(std::move(graph), std::move(devices)));
    return session;
  }

  // As Session::Run: what the fetches and targets do not need, no device does. InvalidArgument, NotFound, OutOfRange:
  // names; otherwise the first error of any device.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets = {}) {
    return Run(feeds, fetches, targets, RunOptions());
  }
  // As PartitionedGraph::Callable::Run with options. DeadlineExceeded, Cancelled: as they say.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets, const RunOptions& options) {
    SlimVector<Tensor> values;
    for (const NamedTensor& feed : feeds) values.push_back(feed.tensor);
    TENON_ASSIGN_OR_RETURN(const Callable callable, Prepare(feeds, fetches, targets));
    std::vector<Tensor> results(fetches.size());
    const Span<const Tensor> fed(values.data(), values.size());
    const bool bounded = options.timeout_in_ms != 0 || options.cancellation != nullptr;
    TENON_RETURN_IF_ERROR(bounded ? callable.Run(fed, results, options) : callable.Run(fed, results));
    return results;
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) {
    return Run(Span<const NamedTensor>(feeds.begin(), feeds.size()),
               Span<const std::string>(fetches.begin(), fetches.size()),
               Span<const std::string>(targets.begin(), targets.size()));
  }
  Result<Callable> MakeCallable(const CallableOptions& options) { return parts_->MakeCallable(options); }

  // Where every node of the lowered graph is and why, and what was asked for and not done.
  const PlacementReport& placement_report() const { return report_; }
  // One graph a device, with the _Send and _Recv nodes between them.
  Span<const GraphPartition> partition_graphs() const { return partitions_; }
  const DeviceMgr& devices() const { return parts_->devices(); }
  // A device's variables, queues and tables; null: no node is there.
  ResourceMgr* resources(std::string_view device) const { return parts_->resources(device); }
  std::size_t num_cached_signatures() const {
    const MutexLock lock(mutex_);
    return signatures_.size();
  }

 private:
  struct Signature {
    std::uint64_t hash, last_use;
    std::string key;
    Callable callable;
  };

  explicit PlacedSession(const PlacedSessionOptions& options) : options_(options) {}
  static const Registry& RegistryOf(const PlacedSessionOptions& options) {
    return options.registry != nullptr ? *options.registry : Registry::Global();
  }

  Status Load(Graph graph, Owned<DeviceMgr> devices) {
    const Registry& registry = RegistryOf(options_);
    TENON_RETURN_IF_ERROR(registry.status());
    const Device* host = devices->HostCPU();
    if (host == nullptr) return errors::InvalidArgument("PlacedSession: there must be a CPU among the devices");
    if (const GraphPass lower = options_.lower_control_flow; lower != nullptr)
      TENON_RETURN_IF_ERROR(lower(&graph, graph.library(), registry.ops()));
    PlacementDevices places;
    TENON_RETURN_IF_ERROR(places.Add(host->name(), kCpuPriority));
    for (const Device* device : devices->ListDevices())
      if (device != host) TENON_RETURN_IF_ERROR(places.Add(device->name(), DeviceTypePriority(device->type())));
    const detail::DeviceKernels kernels(graph, registry, *devices);
    TENON_RETURN_IF_ERROR(
        PlaceGraph(&graph, places, kernels, {.allow_soft_placement = options_.allow_soft_placement}, &report_));
    if (options_.log_device_placement) TENON_LOG(kInfo, "Device placement:\n", report_.ToString());
    TENON_ASSIGN_OR_RETURN(partitions_, PartitionGraph(graph, kernels));
    SlimVector<GraphPart> parts;
    for (const GraphPartition& partition : partitions_) parts.push_back({partition.device, partition.graph});
    PartitionedGraphOptions options;
    options.registry = &registry;
    options.pool = options_.pool;
    options.constant_folding = options_.constant_folding;
    options.flush_denormals = options_.flush_denormals;
    TENON_ASSIGN_OR_RETURN(parts_, PartitionedGraph::Create(std::move(parts), std::move(devices), options));
    return OkStatus();
  }

  // The callable of a signature: the one made before, or a new one.
  Result<Callable> Prepare(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                           Span<const std::string> targets) {
    std::string key;
    for (const NamedTensor& feed : feeds) key.append(feed.name).push_back('\n');
    for (const auto& names : {fetches, targets}) {
      key.push_back('\t');
      for (const std::string& name : names) key.append(name).push_back('\n');
    }
    const std::uint64_t hash = Hash64(key);
    {
      const MutexLock lock(mutex_);
      if (Signature* known = Find(hash, key)) return known->callable;
    }
    CallableOptions wanted;
    for (const NamedTensor& feed : feeds) wanted.feeds.push_back(feed.name);
    wanted.fetches.assign(fetches.begin(), fetches.end());
    wanted.targets.assign(targets.begin(), targets.end());
    TENON_ASSIGN_OR_RETURN(Callable made, parts_->MakeCallable(wanted));
    const MutexLock lock(mutex_);
    if (Signature* known = Find(hash, key)) return known->callable;  // another thread was faster
    if (signatures_.size() >= static_cast<std::size_t>(std::max(1, options_.max_cached_signatures))) DropOldest();
    signatures_.push_back({hash, ++uses_, std::move(key), made});
    return made;
  }
  Signature* Find(std::uint64_t hash, std::string_view key) {
    for (Signature& signature : signatures_) {
      if (signature.hash != hash || signature.key != key) continue;
      signature.last_use = ++uses_;
      return &signature;
    }
    return nullptr;
  }
  void DropOldest() {
    std::size_t oldest = 0;
    for (std::size_t i = 1; i < signatures_.size(); ++i)
      if (signatures_[i].last_use < signatures_[oldest].last_use) oldest = i;
    signatures_.erase(signatures_.begin() + oldest);
  }

  const PlacedSessionOptions options_;
  PlacementReport report_;
  SlimVector<GraphPartition> partitions_;
  Ref<PartitionedGraph> parts_;
  mutable Mutex mutex_;
  SlimVector<Signature> signatures_;
  std::uint64_t uses_ = 0;  // of signatures, until now
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// One partition of a graph, as it stays between signatures: nodes, kernels, functions, resources.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/function/session_functions.hpp>
#include <tenon/runtime/multi_device/senders.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/api/session_options.hpp>
#include <tenon/runtime/session/extensions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A partition: its nodes run on `device`, or on the first CPU if that device has no kernel for them.
struct DeviceGraph {
  std::string device;
  GraphDef graph;
};

class PartitionedGraph;

namespace detail {

// The functions of a graph on its devices, made when a partition or a call needs them there. The graphs of a session
// use them one after the other. thread-safe.
class DeviceFunctions final : public RefCounted, public FunctionsOnDevices {
 public:
  // All outlive this. `resources`: null where each device has resources of this object.
  DeviceFunctions(const Registry* registry, const DeviceMgr* devices, Device* host, const SessionDevices* resources,
                  const ProgramOptions& options, GraphPass lower)
      : registry_(registry), host_(host), resources_(resources), options_(options), lower_(lower), devices_(devices) {}

  Result<FunctionRuntime*> On(std::string_view name) override {
    const Result<Device*> device = devices()->LookupDevice(name);
    if (!device.ok()) return NoDevice(name);
    return static_cast<FunctionRuntime*>(OnDevice(*device));
  }
  SessionFunctions* OnDevice(Device* device) {
    const MutexLock lock(mutex_);
    return &Find(device)->functions;
  }
  // Null: nothing has been needed there.
  ResourceMgr* FindResources(const Device* device) {
    const MutexLock lock(mutex_);
    for (const Owned<Entry>& entry : entries_)
      if (entry->device == device) return entry->functions.resources();
    return nullptr;
  }
  // The devices from now on; with the devices of before.
  void SetDevices(const DeviceMgr* devices) {
    const MutexLock lock(mutex_);
    devices_ = devices;
  }
  // The graph of a device, or, with null, of all.
  void SetGraph(const Device* device, const Graph* graph) {
    const MutexLock lock(mutex_);
    if (device == nullptr) graph_ = graph;
    for (const Owned<Entry>& entry : entries_)
      if (device == nullptr || entry->device == device) entry->functions.SetGraph(graph);
  }

 private:
  struct Entry {
    Entry(const DeviceFunctions& of, Device* on)
        : device(on), functions(of.graph_, of.registry_, on, of.host_, of.options_, of.lower_) {}
    Device* device;
    ResourceMgr own_resources;
    SessionFunctions functions;
  };
  const DeviceMgr* devices() {
    const MutexLock lock(mutex_);
    return devices_;
  }
  Entry* Find(Device* device) {
    for (const Owned<Entry>& entry : entries_)
      if (entry->device == device) return entry.get();
    Entry* const entry = entries_.emplace_back(MakeOwned<Entry>(*this, device)).get();
    entry->functions.set_resources(resources_ != nullptr ? resources_->resources(device) : &entry->own_resources);
    entry->functions.set_devices(this);
    return entry;
  }

  const Registry* registry_;
  Device* host_;
  const SessionDevices* resources_;
  ProgramOptions options_;
  GraphPass lower_;
  Mutex mutex_;
  const DeviceMgr* devices_;
  const Graph* graph_ = nullptr;
  SlimVector<Owned<Entry>> entries_;
};

// One partition as it stays between signatures: its graph, kernels, functions and resources.
struct LoadedPartition {
  Device* device = nullptr;
  Graph graph;
  ResourceMgr* resources = nullptr;
  SessionFunctions* functions = nullptr;
  Owned<KernelCache> kernels;
  SlimVector<PartitionNode> senders;  // per node: the _Send of a _Recv
};

// Objects that a session lends to the graphs that it cuts into partitions. All of them outlive the graphs.
struct GraphServices {
  const DeviceMgr* devices = nullptr;
  const SessionDevices* resources = nullptr;
  const Graph* whole = nullptr;  // the graph that was cut
  const PartitionedGraph* older = nullptr;  // the graph that this one extends: nodes keep their state. May be null
  std::int64_t packed_weights_bytes = kUsualPackedWeightsBytes;  // as in SessionOptions
  GraphPass lower_functions = nullptr;  // may be null
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

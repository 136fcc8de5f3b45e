// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several devices behind Session (SessionOptions::devices, device_mgr), and the placement report. An extension:
// <tenon/devices.hpp> includes it.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/device_resources.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/multi_device/placed_graph.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// SessionOptions::lower_control_flow for several devices: If, Case, While, For and calls run whole, each on its node's
// device.
inline Status KeepFunctionalOps(Graph*, const FunctionDefLibrary&, const OpRegistry&) { return OkStatus(); }

namespace detail {

// thread-safe.
class SessionDevicesImpl final : public SessionDevices {
 public:
  static Status Create(const SessionOptions& options, ThreadPoolInterface* intra_op_pool, ResourceMgr* host_resources,
                       Owned<SessionDevices>* devices) {
    TENON_RETURN_IF_ERROR(CheckOptions(options));
    auto made = MakeOwned<SessionDevicesImpl>(options);
    TENON_RETURN_IF_ERROR(made->Load(intra_op_pool, host_resources));
    *devices = Owned<SessionDevices>(made.release());
    return OkStatus();
  }
  // `options` outlives this.
  explicit SessionDevicesImpl(const SessionOptions& options) {
    owner_.session = this;
    owner_.options = &options;
    owner_.registry = options.registry != nullptr ? options.registry : &Registry::Global();
    owner_.pool_for = &PoolFor;
  }

  Span<Device* const> list() const override { return now().list; }
  Device* host() const override { return host_; }
  ResourceMgr* resources(const Device* device) const override {
    const Devices& devices = now();
    for (std::size_t i = 0; i < devices.list.size(); ++i)
      if (devices.list[i] == device) return devices.resources[i];
    return nullptr;
  }
  GraphPass default_lowering() const override { return &LowerForDevices; }
  Status Place(Graph* graph, const GraphState* older, Owned<PlacedGraph>* placed) override {
    TakeNewDevices();
    SessionServices owner = owner_;
    owner.devices = now().manager.get();
    TENON_ASSIGN_OR_RETURN(Owned<PlacedGraphImpl> made, PlacedGraphImpl::Create(owner, graph, older));
    *placed = Owned<PlacedGraph>(made.release());
    return OkStatus();
  }
  std::int64_t num_wakeups() const override {
    const ThreadPool* const pool = pool_.load(std::memory_order_acquire);
    return pool == nullptr ? 0 : pool->num_wakeups();
  }

 private:
  static Status CheckOptions(const SessionOptions& options) {
    if (options.device != nullptr)
      return errors::InvalidArgument(
          "SessionOptions: `device` is for sessions on one device; give a device_mgr that has ", options.device->name(),
          " and the others");
    if (options.device_resources != nullptr && options.device_mgr == nullptr)
      return errors::InvalidArgument("SessionOptions: device_resources are for sessions that share a device_mgr, too");
    if (options.device_mgr != nullptr && !options.devices.empty())
      return errors::InvalidArgument("SessionOptions: either `devices` or a device_mgr, which has all of its devices");
    return OkStatus();
  }
  Status Load(ThreadPoolInterface* intra_op_pool, ResourceMgr* host_resources) {
    const SessionOptions& options = *owner_.options;
    auto devices = MakeOwned<Devices>();
    if (options.device_mgr != nullptr) {
      devices->manager = options.device_mgr->Share();
    } else {
      const SlimVector<std::string> names(options.devices.begin(), options.devices.end());
      TENON_ASSIGN_OR_RETURN(SlimVector<Owned<Device>> made, MakeDevices(names, {options.allocator, intra_op_pool}));
      TENON_ASSIGN_OR_RETURN(devices->manager, StaticDeviceMgr::Create(std::move(made)));
    }
    host_ = devices->manager->HostCPU();
    if (host_ == nullptr) return errors::InvalidArgument("SessionOptions: there must be a CPU among the devices");
    devices->list.push_back(host_);
    devices->resources.push_back(host_resources);
    Use(std::move(devices));
    return OkStatus();
  }
  // The devices of one time. immutable.
  struct Devices {
    Owned<StaticDeviceMgr> manager;  // the present ones of a caller's manager
    SlimVector<Device*> list;
    SlimVector<ResourceMgr*> resources;  // one a device
  };
  const Devices& now() const { return *now_.load(std::memory_order_acquire); }
  // A graph sees the devices that its caller's manager has when it is placed, and those that the session had before.
  void TakeNewDevices() {
    const DeviceMgr* const given = owner_.options->device_mgr;
    if (given == nullptr) return;
    const MutexLock lock(mutex_);
    auto devices = MakeOwned<Devices>();
    devices->manager = now().manager->ShareWith(*given);
    if (devices->manager == nullptr) return;
    devices->list = now().list;
    devices->resources = now().resources;
    Use(std::move(devices));
  }
  // Completes the lists.
  void Use(Owned<Devices> devices) {
    DeviceResources* const given = owner_.options->device_resources;
    for (Device* const device : devices->manager->ListDevices()) {
      if (std::find(devices->list.begin(), devices->list.end(), device) != devices->list.end()) continue;
      devices->list.push_back(device);
      devices->resources.push_back(given != nullptr ? given->Of(device, devices->manager->Keep(device))
                                                    : own_resources_.emplace_back(MakeOwned<ResourceMgr>()).get());
    }
    now_.store(all_.emplace_back(std::move(devices)).get(), std::memory_order_release);
  }

  // A part that waits for another one's value must not keep that from running on the caller's thread.
  static ThreadPoolInterface* PoolFor(const SessionDevices* session, ThreadPoolInterface* given) {
    if (given != nullptr && given->NumThreads() > 1) return given;
    const auto* devices = static_cast<const SessionDevicesImpl*>(session);
    ThreadPool* const pool = devices->pool_.load(std::memory_order_acquire);
    return pool != nullptr ? pool : devices->MakePool();
  }
  TENON_DETAIL_COLD ThreadPool* MakePool() const {
    const MutexLock lock(mutex_);
    if (own_pool_ == nullptr) own_pool_ = MakeOwned<ThreadPool>(CpuCount() + 1, "tenon-parts");
    pool_.store(own_pool_.get(), std::memory_order_release);
    return own_pool_.get();
  }

  SessionServices owner_;
  Device* host_ = nullptr;
  SlimVector<Owned<Devices>> all_;  // the last one is now()
  SlimVector<Owned<ResourceMgr>> own_resources_;  // go first: they lie in the devices' memory
  std::atomic<const Devices*> now_{nullptr};
  mutable Mutex mutex_;
  mutable Owned<ThreadPool> own_pool_;  // made by the first run that needs it
  mutable std::atomic<ThreadPool*> pool_{nullptr};
};

// The device that `given` names for an endpoint; null: none, or one in host memory.
inline Result<Device*> FindPlace(Span<Device* const> devices, const TensorDevice& given) {
  DeviceName name;
  std::string full;
  if (Result<std::string> canonical = CanonicalizeDeviceName(given.device, devices[0]->name()); canonical.ok())
    full = *std::move(canonical);
  else
    return errors::InvalidArgument("Invalid device name ('", given.device, "') provided for the tensor '", given.tensor,
                                   "' in CallableOptions");
  for (Device* device : devices)
    if (device->name() == full) return device->uses_host_memory() ? nullptr : device;
  return errors::InvalidArgument("Device '", given.device, "' specified for tensor '", given.tensor,
                                 "' in CallableOptions does not exist; the session has ",
                                 StrJoin(devices, ", ", [](std::string* text, const Device* device) {
                                   StrAppend(text, "'", device->name(), "'");
                                 }));
}
inline Status FindPlaces(Span<Device* const> devices, const Graph& graph, Span<const std::string> names,
                         Span<const InEdge> edges, Span<const TensorDevice> given, std::string_view option,
                         SlimVector<Device*>* places) {
  places->assign(names.size(), nullptr);
  for (const TensorDevice& item : given) {
    TENON_ASSIGN_OR_RETURN(Device* const device, FindPlace(devices, item));
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != item.tensor) continue;
      found = true;
      (*places)[i] = device;
      const DataType type = BaseType(graph.node(edges[i].node).output_type(edges[i].output));
      if (device != nullptr && SizeOf(type) == 0)
        return errors::Unimplemented("Cannot feed or fetch tensor '", item.tensor, "' from device ", device->name(),
                                     ": ", type, " tensors are in host memory only");
    }
    if (!found)
      return errors::InvalidArgument("CallableOptions: ", option, "_devices has '", item.tensor,
                                     "', which is none of the ", option, option == "feed" ? "s" : "es");
  }
  return OkStatus();
}
// A fetch may share its memory with a variable by reference: only in host memory it is detached from that.
inline Status CheckNoReferences(const Graph& graph, Span<const TensorDevice> fetch_devices) {
  if (fetch_devices.empty()) return OkStatus();
  for (const Node& node : graph.nodes())
    for (const DataType type : node.output_types)
      if (IsRefType(type))
        return errors::Unimplemented("CallableOptions: fetch_devices, in a graph with variables by reference such as '",
                                     node.name(), "'; use resource variables");
  return OkStatus();
}
inline Result<Ref<PreparedSignature>> PrepareWithPlaces(SessionImpl* session, const CallableOptions& options) {
  ProgramEnds ends;
  EndPlaces places;
  Ref<GraphUse> use;
  TENON_RETURN_IF_ERROR(
      session->FindGraph(options.feeds, options.fetches, options.targets, "MakeCallable", &ends, &use));
  GraphState* const state = use->state.get();
  const Graph& graph = state->graph;
  const SlimVector<Device*> devices = session->devices();
  TENON_RETURN_IF_ERROR(
      FindPlaces(devices, graph, options.feeds, ends.feeds, options.feed_devices, "feed", &places.feeds));
  TENON_RETURN_IF_ERROR(
      FindPlaces(devices, graph, options.fetches, ends.fetches, options.fetch_devices, "fetch", &places.fetches));
  TENON_RETURN_IF_ERROR(CheckNoReferences(graph, options.fetch_devices));
  if (state->placed != nullptr) {
    auto front = MakeOwned<Program>();
    Owned<PlacedProgram> placed;
    TENON_RETURN_IF_ERROR(state->placed->Prepare(options.feeds, options.fetches, options.targets, ends, &places,
                                                 nullptr, front.get(), &placed));
    return session->MakePrepared(std::move(front), std::move(placed));
  }
  SlimVector<std::uint8_t> feeds_on_device, fetches_on_device;
  for (const Device* place : places.feeds) feeds_on_device.push_back(place != nullptr);
  for (const Device* place : places.fetches) fetches_on_device.push_back(place != nullptr);
  TENON_ASSIGN_OR_RETURN(Owned<Program> program, session->Build(use, ends, feeds_on_device, fetches_on_device));
  return session->MakePrepared(std::move(program), nullptr);
}

inline constexpr SeveralDevices kSeveralDevices{&SessionDevicesImpl::Create, &PrepareWithPlaces};
inline const bool fills_several_devices = FillExtension(&extensions.several_devices, &kSeveralDevices);

// The graph of now on its devices; null: the session has one device, or no graph.
inline const PlacedGraphImpl* PlacedGraphOf(const SessionImpl* session) {
  const Ref<GraphUse> use = session == nullptr ? Ref<GraphUse>() : session->current();
  return !use ? nullptr : static_cast<const PlacedGraphImpl*>(use->state->placed.get());
}

}  // namespace detail

// Where every node of a session's graph is, with its control flow lowered, and why; what was asked for and not done.
// Null: the session has one device, or no graph. Lives as long as the session; Extend makes another one.
inline const PlacementReport* FindPlacementReport(const Session& session) {
  const detail::PlacedGraphImpl* const placed =
      detail::PlacedGraphOf(static_cast<const detail::SessionImpl*>(detail::SessionAccess::Impl(session)));
  return placed == nullptr ? nullptr : &placed->report();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlacedSession: a session that owns its several devices and shows its placement and its partitions. Session itself
// does the work (SessionOptions::device_mgr).

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
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
#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/runtime/session/cancellable_run.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/multi_device/placed_graph.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct PlacedSessionOptions {
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  bool allow_soft_placement = false;  // a device that cannot run the node gives way to one that can
  bool log_device_placement = false;  // logs the placement report
  // Before the placement, so that the nodes of branches, bodies and called functions have devices of their own; null:
  // If, Case, While, For and calls run whole on their node's device. With LowerFunctionalOps calls do.
  GraphPass lower_control_flow = &LowerForDevices;
  ThreadPoolInterface* pool = nullptr;  // as in PartitionedGraphOptions
  bool constant_folding = true;
  bool flush_denormals = true;
  int max_cached_signatures = 64;  // of Run: the least recently used go
};

// thread-safe after Create.
//
//   TENON_ASSIGN_OR_RETURN(auto devices, MakeDevices({"CPU:0", "SIM:0"}, {CpuAllocator(), nullptr}));
//   TENON_ASSIGN_OR_RETURN(auto manager, StaticDeviceMgr::Create(std::move(devices)));
//   TENON_ASSIGN_OR_RETURN(auto session, PlacedSession::Create(std::move(graph_def), std::move(manager)));
//   TENON_ASSIGN_OR_RETURN(std::vector<Tensor> out, session->Run({{"x", x}}, {"y"}));
class PlacedSession : public RefCounted {
 public:
  // A signature of the session, which it keeps alive. thread-safe.
  class Callable {
   public:
    Callable() = default;
    // Returns the first error of any partition, after which the other ones are stopped. The lengths are those of the
    // options that the callable was made with.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) const { return Run(feeds, fetches, RunOptions()); }
    // As PartitionedGraph::Callable::Run with options, and the same errors: DeadlineExceeded, Cancelled.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options) const {
      return detail::CatchAll("PlacedSession::Callable::Run",
                              [&] { return session_->RunPrepared(prepared_.get(), feeds, fetches, options); });
    }
    // The number of devices that take part.
    std::size_t num_running_parts() const { return static_cast<std::size_t>(prepared_->placed()->num_devices()); }

   private:
    friend class PlacedSession;
    Ref<PlacedSession> session_;
    Ref<detail::PreparedSignature> prepared_;
  };

  // Nodes name devices as "/device:GPU:0" or by a part of such a name; those without one go where TensorFlow's rules
  // put them. InvalidArgument, with all reasons: no such placement, no CPU among the devices, or any fault of the
  // graph. NotFound: an op that is not registered.
  static Result<Ref<PlacedSession>> Create(GraphDef graph, Owned<DeviceMgr> devices,
                                           const PlacedSessionOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(Ref<PlacedSession> session, CreateEmpty(std::move(devices), options));
    TENON_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(std::move(graph), session->impl_->registry().ops()));
    TENON_RETURN_IF_ERROR(session->impl_->SetGraph(std::move(imported)));
    return session;
  }
  // Nodes that have been assigned to a device stay there.
  static Result<Ref<PlacedSession>> Create(Graph graph, Owned<DeviceMgr> devices,
                                           const PlacedSessionOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(Ref<PlacedSession> session, CreateEmpty(std::move(devices), options));
    TENON_RETURN_IF_ERROR(session->impl_->SetGraph(std::move(graph)));
    return session;
  }

  // As Session::Run: no device runs nodes that the fetches and targets do not need. InvalidArgument, NotFound,
  // OutOfRange: names; otherwise the first error of any device.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets = {}) {
    return Run(feeds, fetches, targets, RunOptions());
  }
  // Runs with timeout_in_ms and cancellation of `options`. DeadlineExceeded, Cancelled: caused by these.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets, const RunOptions& options) {
    return detail::CatchAll("PlacedSession::Run", [&]() -> Result<std::vector<Tensor>> {
      detail::NamedFeeds in(feeds);
      TENON_ASSIGN_OR_RETURN(const Ref<detail::PreparedSignature> prepared, impl_->Prepare(in.names, fetches, targets));
      TENON_RETURN_IF_ERROR(in.ReadHandles(impl_->resources()));
      std::vector<Tensor> results(fetches.size());
      TENON_RETURN_IF_ERROR(RunPrepared(prepared.get(), in.values, results, options));
      return results;
    });
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) {
    return Run(Span<const NamedTensor>(feeds.begin(), feeds.size()),
               Span<const std::string>(fetches.begin(), fetches.size()),
               Span<const std::string>(targets.begin(), targets.size()));
  }
  Result<Callable> MakeCallable(const CallableOptions& options) {
    const bool has_places = !options.feed_devices.empty() || !options.fetch_devices.empty();
    Callable callable;
    TENON_ASSIGN_OR_RETURN(callable.prepared_, has_places ? impl_->PrepareWithPlaces(options)
                                                          : impl_->Prepare(options.feeds, options.fetches,
                                                                           options.targets, "MakeCallable"));
    callable.session_ = Ref<PlacedSession>::Share(this);
    return callable;
  }

  // Tells where every node of the lowered graph is and why, and which requests were not met.
  const PlacementReport& placement_report() const { return placed().report(); }
  // One graph a device, with the _Send and _Recv nodes between them.
  Span<const GraphPartition> partition_graphs() const { return placed().partitions(); }
  const DeviceMgr& devices() const { return *devices_; }
  // A device's variables, queues and tables; null: the session does not have the device.
  ResourceMgr* resources(std::string_view device) const {
    const Result<Device*> found = devices_->LookupDevice(device);
    return found.ok() ? impl_->resources_of(*found) : nullptr;
  }
  std::size_t num_cached_signatures() const { return impl_->signatures().size(); }

 private:
  explicit PlacedSession(Owned<DeviceMgr> devices) : devices_(std::move(devices)) {}

  static Result<Ref<PlacedSession>> CreateEmpty(Owned<DeviceMgr> devices, const PlacedSessionOptions& options) {
    auto session = Ref<PlacedSession>::Adopt(new PlacedSession(std::move(devices)));
    SessionOptions of_session;
    of_session.device_mgr = session->devices_.get();
    of_session.allow_soft_placement = options.allow_soft_placement;
    of_session.log_device_placement = options.log_device_placement;
    of_session.inter_op_pool = options.pool;
    of_session.registry = options.registry;
    of_session.constant_folding = options.constant_folding;
    of_session.flush_denormals = options.flush_denormals;
    of_session.max_cached_signatures = options.max_cached_signatures;
    const GraphPass usual = &LowerForDevices;  // what sessions do unasked
    if (options.lower_control_flow == nullptr)
      of_session.lower_control_flow = &KeepFunctionalOps;
    else if (options.lower_control_flow != usual)
      of_session.lower_control_flow = options.lower_control_flow;
    TENON_ASSIGN_OR_RETURN(session->impl_, detail::SessionImpl::Create(std::move(of_session)));
    session->devices_->set_clear_containers(
        [impl = session->impl_.get()](Device* device, Span<const std::string> containers) {
          Status status;
          ResourceMgr* const resources = impl->resources_of(device);  // null: the device came later
          for (const std::string& container : containers)
            if (resources != nullptr) status.Update(resources->Cleanup(container));
          return status;
        });
    return session;
  }

  Status RunPrepared(detail::PreparedSignature* prepared, Span<const Tensor> feeds, Span<Tensor> fetches,
                     const RunOptions& options) const {
    if (options.timeout_in_ms == 0 && options.cancellation == nullptr)
      return impl_->Run(prepared, feeds, fetches, nullptr);
    detail::RunArgs settings = impl_->SettingsFor(*prepared);
    return detail::RunBounded(settings.cancellation, options.timeout_in_ms, options.cancellation,
                              [&](CancellationManager* control) {
                                settings.cancellation = control;
                                return impl_->Run(prepared, feeds, fetches, settings);
                              });
  }
  const detail::PlacedGraphImpl& placed() const { return *detail::PlacedGraphOf(impl_.get()); }

  Owned<DeviceMgr> devices_;
  Ref<detail::SessionImpl> impl_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

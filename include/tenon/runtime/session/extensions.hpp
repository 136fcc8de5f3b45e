// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interfaces of the extensions of sessions (base/extensions.hpp): runs with options, trace sinks, several devices.

#include <cstdint>
#include <string>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/session/prepared_signature.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Runs with options, of <tenon/runtime/session/run_with_options.hpp>.
struct SessionExtras {
  // Looks at the options that the plain runtime has no code for.
  Status (*create)(class SessionImpl* session, Ref<RefCounted>* state);
  // A run that may have to be stopped, under SessionOptions::operation_timeout_in_ms.
  Status (*run_bounded)(class SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds,
                        Span<Tensor> fetches, const RunArgs& settings);
  // SessionImpl::Prepare under the same time limit.
  Result<Ref<PreparedSignature>> (*prepare_bounded)(class SessionImpl* session, Span<const std::string> feeds,
                                                    Span<const std::string> fetches, Span<const std::string> targets);
};
// Runs of watched sessions, of <tenon/runtime/trace/sink.hpp>.
struct SessionWatch {
  // The session's number in the process, from 1; 0: it is not watched.
  int (*number_of)(const SessionOptions& options);
  Status (*run)(class SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds, Span<Tensor> fetches,
                RunArgs settings);
};

// A session's graph on its devices. thread-safe.
class PlacedGraph {
 public:
  virtual ~PlacedGraph() = default;
  // Prepares endpoints and targets that the graph has. `front`, which is empty, becomes the description of the run.
  // `places`: null, all feeds and fetches are in host memory. `cancellation` gives it up: Cancelled; may be null.
  virtual Status Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                         Span<const std::string> targets, const ProgramEnds& ends, const EndPlaces* places,
                         const CancellationManager* cancellation, Program* front, Owned<PlacedProgram>* program) = 0;
  // Prepares one partial run; `partial` outlives the result.
  virtual Result<Owned<PlacedPartialProgram>> PreparePartial(Span<const std::string> feeds,
                                                             Span<const std::string> fetches,
                                                             Span<const std::string> targets, const ProgramEnds& ends,
                                                             PartialEnds* partial, Program* front) = 0;
};
// The devices of a session that has several, with their resources. thread-safe.
class SessionDevices {
 public:
  virtual ~SessionDevices() = default;
  virtual Span<Device* const> list() const = 0;
  virtual Device* host() const = 0;  // the first CPU, whose resources are the session's
  // Null: not a device of the session.
  virtual ResourceMgr* resources(const Device* device) const = 0;
  virtual GraphPass default_lowering() const = 0;
  // Gives every node of `graph`, which outlives the result, a device. `older`, the graph that it extends, stays, and
  // may be null.
  virtual Status Place(Graph* graph, const struct GraphState* older, Owned<PlacedGraph>* placed) = 0;
  virtual std::int64_t num_wakeups() const = 0;  // by threads of its own
};
// Several devices, of <tenon/devices.hpp>.
struct SeveralDevices {
  // `host_resources`: resources of the first CPU.
  Status (*create)(const SessionOptions& options, ThreadPoolInterface* intra_op_pool, ResourceMgr* host_resources,
                   Owned<SessionDevices>* devices);
  // As SessionImpl::Prepare, on any session, with feeds and fetches in the memory of devices. Not cached.
  Result<Ref<PreparedSignature>> (*prepare)(class SessionImpl* session, const CallableOptions& options);
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// StepEnvironment: the device, the memory and the services of session and run that a run gives all of its kernels,
// and the collector of their measurements. An OpKernelContext hands it out.

#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class CancellationManager;
class DeferredOps;
class FunctionRuntime;
class OpKernelContext;
class Rendezvous;
class ResourceMgr;
class Device;
class StepContainer;
class Tensor;
class ThreadPoolInterface;
struct StepServices;

// Collects the measurements of kernels themselves; a run with a trace has one. thread-safe.
class StepStatsCollector {
 public:
  // Nanoseconds since the start of the run.
  virtual std::int64_t Now() const = 0;
  // `what` outlives the session: a literal. Appears as an op of its own under the node's name.
  virtual void AddEvent(const OpKernelContext& context, std::string_view what, std::int64_t begin_ns,
                        std::int64_t end_ns) = 0;

 protected:
  ~StepStatsCollector() = default;
};
// Makes the rendezvous of a run whose devices need none, for kernels that ask for it. thread-safe.
class RunRendezvous {
 public:
  virtual ~RunRendezvous() = default;
  virtual Rendezvous* Get() = 0;  // null: the binary is built without runtime/executor/local_rendezvous.hpp
};

// Services that one run and all functions that it calls share. Pointers to missing services are null.
struct RunServices {
  ResourceMgr* resources = nullptr;  // the session's
  StepContainer* step_container = nullptr;  // resources that go with the run
  CancellationManager* cancellation = nullptr;  // the run's
  Rendezvous* rendezvous = nullptr;  // between the run's devices; null where there is one device only
  DeferredOps* deferred = nullptr;  // work of kernels that goes on after their end
  ThreadPoolInterface* pool = nullptr;  // runs the nodes
  const StepServices* more = nullptr;  // services for a few kernels (kernel/step_services.hpp)
  StepStatsCollector* stats = nullptr;  // in a run with a trace: a detail::TraceCollector
  RunRendezvous* own_rendezvous = nullptr;  // where `rendezvous` is null
};

// Values that are the same for all steps of a program on one device, of which thousands may wait.
struct StepConstants {
  std::string_view device_name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string_view other_device_name;  // the program's second device; handles of either are good
  Device* memory_device = nullptr;  // the one of the two whose memory the host cannot read; null: there is none
  bool host_memory = true;  // the device reads and writes ordinary host memory
  FunctionRuntime* functions = nullptr;  // the graph's library; null while constants are folded
};
inline constexpr StepConstants kNoStepConstants{};

// Values that all nodes of one run on one device share.
struct StepEnvironment {
  void* device = nullptr;  // the Cpu or Cuda that kernels get
  const StepConstants* constants = &kNoStepConstants;
  Allocator* step_allocator = nullptr;  // memory that lives no longer than the step, as a rule
  Allocator* result_allocator = nullptr;  // memory of fetched tensors
  Allocator* host_allocator = nullptr;  // host memory, when the device has another one
  std::int64_t step_id = 0;
  int graph_def_version = 0;
  int call_depth = 0;  // function calls around the step
  const RunServices* services = nullptr;  // null while constants are folded
  std::uint64_t frame_id = 0;  // the loop that the node is in, and its iteration (FrameAndIteration)
  std::int64_t iteration = 0;
};

// The loop that a node is in, and its iteration.
struct FrameAndIter {
  std::uint64_t frame_id = 0;
  std::int64_t iter_id = 0;

  friend bool operator==(const FrameAndIter&, const FrameAndIter&) = default;
};

// Hears of the memory that a node takes beside its outputs (kernel/memory_record.hpp). one thread.
class MemoryListener {
 public:
  virtual void AddTemp(std::int64_t bytes, const Tensor& tensor) = 0;
  virtual void RemoveTemp(const Tensor& tensor) = 0;  // it was given away as an output

 protected:
  ~MemoryListener() = default;
};

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Services of a run for the few kernels that ask: threads for closures, names of the session, and services that other
// headers define. Kernels reach them through OpKernelContext.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Describes a session that serves a model: TensorFlow's SessionMetadata.
struct SessionMetadata {
  std::string name;
  std::int64_t version = 0;
};

// immutable while a run uses it; outlives the run. The caller of a run fills in its services
// (SessionOptions::services, RunOptions::services); the rest is null. The session fills in its handle ("direct") and,
// for runs with RunOptions, deadline_us, executor_type and run_all_kernels_inline.
struct StepServices {
  CallFrame* call_frame = nullptr;  // arguments and results of a function whose body is run node by node
  TensorSliceReaderCache* slice_reader_cache = nullptr;  // open checkpoint files
  CollectiveExecutor* collective_executor = nullptr;
  GraphCollector* graph_collector = nullptr;
  StepStatsCollector* stats_collector = nullptr;  // for runs without a trace; a run with a trace has its own
  const SessionMetadata* session_metadata = nullptr;
  std::string_view session_handle;
  std::string_view executor_type;
  std::int64_t deadline_us = 0;  // microseconds since the epoch; 0: none
  bool run_all_kernels_inline = false;
  bool map_checkpoints = false;  // RestoreV2 gives views of mapped files: these must not be written to in place

  friend bool operator==(const StepServices&, const StepServices&) = default;
};

// Runs closures on the run's pool; where there is none, at once. A closure outlives the kernel, not its run, unless the
// kernel is deferred. thread-safe.
class Runner {
 public:
  explicit Runner(ThreadPoolInterface* pool) : pool_(pool) {}
  void operator()(Function<void()> closure) const {
    if (pool_ == nullptr) return closure();
    const auto call = [](void* argument) {
      const Owned<Function<void()>> held(static_cast<Function<void()>*>(argument));
      detail::CallAndLog("a closure that a kernel gave to its runner", *held);
    };
    pool_->Schedule(call, new Function<void()>(std::move(closure)));
  }
  const Runner& operator*() const { return *this; }  // TensorFlow's runner is a pointer

 private:
  ThreadPoolInterface* pool_;
};

// Gives a kernel a service that it cannot do without: FailedPrecondition, which names the op and the service, when
// there is none. `what` is a noun: "call frame".
//
//   CallFrame* frame = nullptr;
//   TENON_RETURN_IF_ERROR(RequireService(context, "call frame", &StepServices::call_frame, &frame));
template <class Service>
Status RequireService(const OpKernelContext& context, std::string_view what, Service* StepServices::* member,
                      Service** service) {
  const StepServices* const all = context.step_services();
  *service = all == nullptr ? nullptr : all->*member;
  if (*service != nullptr) return OkStatus();
  return errors::FailedPrecondition(context.op_kernel().type_string(), ": the run has no ", what, " for node '",
                                    context.op_kernel().name(), "'");
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines Session::Run and Callable::Run with RunOptions, SessionOptions::operation_timeout_in_ms and inter_op_pools.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/span.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/runtime/session/cancellable_run.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>
#include <tenon/runtime/session/make_run_metadata.hpp>
#include <tenon/runtime/session/inter_op_pools.hpp>
#include <tenon/runtime/session/run_metadata.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline Status RunBounded(SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds,
                         Span<Tensor> fetches, RunArgs settings, std::int64_t timeout_in_ms,
                         CancellationManager* users) {
  return RunBounded(
      settings.cancellation, timeout_in_ms, users,
      [&](CancellationManager* control) {
        settings.cancellation = control;
        return session->Run(prepared, feeds, fetches, settings);
      },
      settings.since_ns);
}
// As SessionImpl::Prepare; a signature that is not kept is prepared as a run that may be given up. `since_ns`: as of
// RunBounded.
inline Result<Ref<PreparedSignature>> PrepareBounded(SessionImpl* session, Span<const std::string> feeds,
                                                     Span<const std::string> fetches, Span<const std::string> targets,
                                                     std::int64_t timeout_in_ms, CancellationManager* users,
                                                     std::int64_t since_ns = 0) {
  if (session->IsClosed()) return session->Closed();
  if (timeout_in_ms == 0 && users == nullptr) return session->Prepare(feeds, fetches, targets);
  if (Ref<PreparedSignature> known = session->FindPrepared(feeds, fetches, targets)) return known;
  Ref<PreparedSignature> prepared;
  TENON_RETURN_IF_ERROR(RunBounded(
      session->cancellation(), timeout_in_ms, users,
      [&](CancellationManager* control) -> Status {
        TENON_ASSIGN_OR_RETURN(prepared, session->Prepare(feeds, fetches, targets, "Run", control));
        return OkStatus();
      },
      since_ns));
  return prepared;
}

// One run under RunOptions. one thread.
class RunOfOptions {
 public:
  // `since_ns`: as in RunArgs.
  RunOfOptions(SessionImpl* session, PreparedSignature* prepared, const RunOptions& options, RunMetadata* metadata,
               std::int64_t since_ns = 0)
      : session_(session), prepared_(prepared), options_(options), metadata_(metadata), since_ns_(since_ns) {}

  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) {
    RunArgs settings;
    StepServices services;
    std::int64_t timeout = 0;
    TENON_RETURN_IF_ERROR(MakeSettings(&settings, &services, &timeout));
    RunTrace trace;
    const bool traced = options_.trace_level != TraceLevel::kNone && metadata_ != nullptr;
    if (traced) settings.trace = &trace;
    const std::int64_t now_us = SystemNanoseconds() / 1000;
    const Status status =
        timeout == 0 && options_.cancellation == nullptr
            ? session_->Run(prepared_, feeds, fetches, settings)
            : RunBounded(session_, prepared_, feeds, fetches, settings, timeout, options_.cancellation);
    if (metadata_ != nullptr) Describe(traced ? &trace : nullptr, now_us);
    return status;
  }
  // Everything but the trace. *timeout_in_ms: 0, none. *settings refers to *services.
  Status MakeSettings(RunArgs* settings, StepServices* services, std::int64_t* timeout_in_ms) const {
    *settings = session_->SettingsFor(*prepared_);
    settings->since_ns = since_ns_;
    TENON_RETURN_IF_ERROR(ChooseEngine(settings));
    if (options_.report_tensor_allocations_upon_oom) settings->on_error = &ReportMemory;
    if (options_.timeout_in_ms < 0)
      return errors::InvalidArgument("RunOptions: timeout_in_ms must not be negative, got ", options_.timeout_in_ms);
    *timeout_in_ms = options_.timeout_in_ms > 0 ? options_.timeout_in_ms : session_->options().operation_timeout_in_ms;
    *services = ServicesFor(*settings, *timeout_in_ms, SystemNanoseconds() / 1000);
    settings->services = services;
    return OkStatus();
  }
  // `services` with what every run under RunOptions has.
  static StepServices CommonServices(StepServices services, bool dataflow) {
    if (services.executor_type.empty()) services.executor_type = dataflow ? "DEFAULT" : "SINGLE_THREADED_EXECUTOR";
    return services;
  }
  // RunArgs::on_error of runs that report the live tensors.
  static void ReportMemory(void*, const Program& program, Step* step, Status* status) {
    if (status->code() == Code::kResourceExhausted) *status = status->WithAppended(ListLiveTensors(program, step));
  }

 private:
  // The run's own or the session's, with what the options decide.
  StepServices ServicesFor(const RunArgs& settings, std::int64_t timeout_in_ms, std::int64_t now_us) const {
    StepServices services =
        CommonServices(options_.services != nullptr ? *options_.services : *settings.services, settings.dataflow);
    if (services.session_handle.empty()) services.session_handle = settings.services->session_handle;
    if (services.deadline_us == 0 && timeout_in_ms > 0)
      services.deadline_us = now_us + LimitMilliseconds(timeout_in_ms) * 1000;
    if (options_.inter_op_thread_pool < 0 && prepared_->placed() == nullptr) services.run_all_kernels_inline = true;
    return services;
  }
  Status ChooseEngine(RunArgs* settings) const {
    const auto* pools = static_cast<const InterOpPools*>(session_->extras());
    const int own = pools == nullptr ? 0 : pools->size();
    const int count = own > 0 ? own : 1;
    const int number = options_.inter_op_thread_pool;
    if (number < -1 || number >= count)
      return errors::InvalidArgument("Invalid inter_op_thread_pool: ", number, "; the session has ", count,
                                     " (0 is the first), and -1 is the caller's thread");
    const bool placed = prepared_->placed() != nullptr;
    if (options_.inter_op_pool != nullptr)
      settings->pool = options_.inter_op_pool;
    else if (number < 0 && !placed)
      settings->pool = CallersThreadPool();
    else if (own > 0)
      settings->pool = (*pools)[number < 0 ? 0 : number];
    if (placed) {
      if (options_.executor != ExecutorKind::kAuto) settings->dataflow = options_.executor == ExecutorKind::kDataflow;
      return OkStatus();
    }
    const Program& program = prepared_->program();
    switch (options_.executor) {
      case ExecutorKind::kSequential: settings->dataflow = false; break;
      case ExecutorKind::kDataflow:
        settings->dataflow = true;
        if (settings->pool == nullptr) settings->pool = CallersThreadPool();
        break;
      case ExecutorKind::kAuto:
        if (options_.inter_op_pool != nullptr && program.width > 1) settings->dataflow = true;
        break;
    }
    return OkStatus();
  }

  void Describe(const RunTrace* trace, std::int64_t start_us) const {
    *metadata_ = RunMetadata();
    const SlimVector<Device*> devices = session_->devices();
    const RunDescriber describer(prepared_->program(), devices);
    if (trace != nullptr) {
      metadata_->step_stats = describer.MakeStepStats(*trace, start_us);
      metadata_->cost_graph = describer.MakeCostGraph(*trace);
    }
    const PlacedProgram* const placed = prepared_->placed();
    if (options_.output_partition_graphs) {
      metadata_->partition_graphs = placed != nullptr ? placed->MakePartitionGraphs() : describer.MakePartitionGraphs();
      metadata_->function_graphs = describer.MakeFunctionGraphs(session_->registry().ops());
    }
  }

  SessionImpl* session_;
  PreparedSignature* prepared_;
  const RunOptions& options_;
  RunMetadata* metadata_;
  std::int64_t since_ns_;
};

inline Status CreateExtras(SessionImpl* session, Ref<RefCounted>* state) {
  auto pools = Ref<InterOpPools>::Adopt(new InterOpPools);
  const SessionOptions& options = session->options();
  if (options.operation_timeout_in_ms < 0)
    return errors::InvalidArgument("SessionOptions: operation_timeout_in_ms must not be negative, got ",
                                   options.operation_timeout_in_ms);
  const AsyncLimits& limits = options.async_limits;
  if (limits.max_concurrent_runs < 0 || limits.max_queued_runs < 0 || limits.max_queued_bytes < 0)
    return errors::InvalidArgument(
        "SessionOptions: async_limits must not be negative, got max_concurrent_runs = ", limits.max_concurrent_runs,
        ", max_queued_runs = ", limits.max_queued_runs, " and max_queued_bytes = ", limits.max_queued_bytes);
  for (const InterOpPool& pool : options.inter_op_pools) TENON_RETURN_IF_ERROR(pools->Add(pool));
  if (pools->size() > 0 && options.inter_op_pool == nullptr) session->set_inter_op_pool((*pools)[0]);
  *state = std::move(pools);
  return OkStatus();
}
inline Status RunWithinSessionsTime(SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds,
                                    Span<Tensor> fetches, const RunArgs& settings) {
  return RunBounded(session, prepared, feeds, fetches, settings, session->options().operation_timeout_in_ms, nullptr);
}
inline Result<Ref<PreparedSignature>> PrepareWithinSessionsTime(SessionImpl* session, Span<const std::string> feeds,
                                                                Span<const std::string> fetches,
                                                                Span<const std::string> targets) {
  return PrepareBounded(session, feeds, fetches, targets, session->options().operation_timeout_in_ms, nullptr);
}
inline constexpr SessionExtras kSessionExtras{&CreateExtras, &RunWithinSessionsTime, &PrepareWithinSessionsTime};
inline const bool fills_session_extras = FillExtension(&extensions.session_extras, &kSessionExtras);

template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Run(
    const Session& session, Span<const NamedTensor> feeds, Span<const std::string> fetches,
    Span<const std::string> targets, const RunOptions& options, RunMetadata* metadata) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  return CatchAll("Session::Run", [&]() -> Result<std::vector<Tensor>> {
    const std::int64_t since_ns = SteadyNanoseconds();
    NamedFeeds in(feeds);
    const std::int64_t timeout =
        options.timeout_in_ms != 0 ? options.timeout_in_ms : impl->options().operation_timeout_in_ms;
    TENON_ASSIGN_OR_RETURN(const Ref<PreparedSignature> prepared,
                           PrepareBounded(impl, in.names, fetches, targets, timeout, options.cancellation, since_ns));
    TENON_RETURN_IF_ERROR(in.ReadHandles(impl->resources()));
    std::vector<Tensor> outputs(fetches.size());
    TENON_RETURN_IF_ERROR(RunOfOptions(impl, prepared.get(), options, metadata, since_ns).Run(in.values, outputs));
    return outputs;
  });
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::RunCallable(
    const RefCounted* callable, Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options,
    RunMetadata* metadata) {
  if (callable == nullptr) return NoCallable();
  return CatchAll("Callable::Run", [&]() -> Status {
    const auto* impl = static_cast<const CallableImpl*>(callable);
    TENON_RETURN_IF_ERROR(impl->CheckNotReleased());
    return RunOfOptions(impl->session(), impl->prepared(), options, metadata).Run(feeds, fetches);
  });
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

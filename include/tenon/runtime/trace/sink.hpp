// SPDX-License-Identifier: Apache-2.0
#pragma once
// TraceSink: sees the runs of a session (SessionOptions::trace_sink). An extension (base/extensions.hpp);
// <tenon/runtime.hpp> includes it.

#include <atomic>
#include <cstddef>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/executor/thread_ids.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A run that has ended, well or not. The names in the trace live as long as the session, the rest as long as the call.
struct TracedRun {
  int session = 0;  // its number in the process, from 1
  const RunTrace& trace;  // empty of a run whose feeds were refused
  const Status& status;
  const SessionCounters& counters;  // after the run
};

// thread-safe: OnRun is called on each thread that runs something, after the run and before the caller has its outputs;
// several at a time. It must not run the session that it is told of.
//
//   struct Slowest final : tenon::TraceSink {
//     void OnRun(const tenon::TracedRun& run) override { worst.Update(run.trace.total_ns); }
//     AtomicMaximum worst;
//   } slowest;
//   auto session = tenon::Session::FromGraphFile("model.pb", {.trace_sink = &slowest});
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void OnRun(const TracedRun& run) = 0;  // an exception is logged; it fails no run
};

namespace detail {

// The sink of all sessions; null: there is none.
inline TraceSink* EnvironmentTraceSink() {
  const FindTraceSink find = extensions.environment_trace_sink.load(std::memory_order_acquire);
  return find == nullptr ? nullptr : find();
}

inline int NumberOfWatchedSession(const SessionOptions& options) {
  static std::atomic<int> last{0};
  return options.trace_sink == nullptr && EnvironmentTraceSink() == nullptr ? 0 : last.fetch_add(1) + 1;
}
inline Status RunForSinks(SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds,
                          Span<Tensor> fetches, RunArgs settings) {
  RunTrace own;
  if (settings.trace == nullptr) settings.trace = &own;
  *settings.trace = RunTrace();
  settings.trace->start_ns = SteadyNanoseconds();
  settings.trace->thread = TracedThreads::NumberOfThis();
  const Status status = prepared->Run(feeds, fetches, settings);
  const SessionCounters counters = CountersOf(session);
  const TracedRun run{session->watched_number(), *settings.trace, status, counters};
  for (TraceSink* const sink : {session->options().trace_sink, EnvironmentTraceSink()})
    if (sink != nullptr) CallAndLog("a TraceSink", [&] { sink->OnRun(run); });
  return status;
}

inline constexpr SessionWatch kSinksWatch{&NumberOfWatchedSession, &RunForSinks};
inline const bool fills_session_watch = FillExtension(&extensions.session_watch, &kSinksWatch);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

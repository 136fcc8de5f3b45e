// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionCounters: what a session has done and what it holds. Defines Session::GetCounters; <tenon/runtime.hpp>
// includes this.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/memory/stats.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/base/str.hpp>
#include <tenon/runtime/session/async_run.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// The memory of a device, as far as its allocator keeps statistics (EnableCpuAllocatorStats for the processor's).
struct AllocatorCounters {
  std::string device, allocator;  // names
  std::int64_t bytes_in_use = 0, peak_bytes_in_use = 0, num_allocs = 0;
};

// Counts of a session since it was made, and its memory now. See Session::GetCounters.
//
//   tenon::SessionCounters counters;
//   if (session.GetCounters(&counters)) Report(counters.planned_runs, counters.runs);
struct SessionCounters {
  std::int64_t runs = 0;  // runs that have ended, whether well or not
  std::int64_t planned_runs = 0;  // runs among them that found a plan for the shapes of their feeds
  std::int64_t programs = 0;  // prepared (feeds, fetches, targets) that are kept
  std::int64_t programs_evicted = 0;  // programs that had to make room (SessionOptions::max_cached_signatures)
  // The next three count steps of programs that are kept, except steps that a run uses just now.
  std::int64_t steps = 0;
  std::int64_t plan_arena_bytes = 0;  // arena of the plan used last, summed over the steps
  std::int64_t step_bytes = 0;  // blocks that they keep for the next run
  // How often a thread of the session's pools has slept and was woken; a pool that sessions share counts for all. (A
  // pool has one queue: threads do not steal.)
  std::int64_t inter_op_wakeups = 0, intra_op_wakeups = 0;
  std::vector<AllocatorCounters> allocators;  // one per device
  // Runs of RunAsync: queued and begun now, with the bytes of the feeds of the queued ones; refused since the start.
  std::int64_t async_queued = 0, async_queued_bytes = 0, async_begun = 0, async_refused = 0;
};

// Writes the counters in Prometheus' text format. `labels` stand in each line: `model="digits"`; empty: none.
std::string CountersText(const SessionCounters& counters, std::string_view labels = {});

namespace detail {

inline void CountStep(Step* step, const RunPlans* plans, SessionCounters* counters) {
  ++counters->steps;
  if (!step->IsLean()) counters->step_bytes += step->cache()->held_bytes();
  PlanReport report;
  if (plans != nullptr && plans->GetReport(&report))
    counters->plan_arena_bytes += static_cast<std::int64_t>(report.arena_bytes);
}

inline void AddAllocator(const Device& device, SessionCounters* counters) {
  const auto stats = device.allocator()->GetStats();
  if (!stats.has_value()) return;
  counters->allocators.push_back({device.name(), std::string(device.allocator()->Name()), stats->bytes_in_use,
                                  stats->peak_bytes_in_use, stats->num_allocs});
}

inline SessionCounters CountersOf(SessionImpl* session_impl) {
  const SessionImpl& session = *session_impl;
  SessionCounters counters;
  counters.planned_runs = session.counts().planned();
  counters.runs = counters.planned_runs + session.counts().others();
  counters.programs_evicted = session.signatures().ForEach([&](PreparedSignature* prepared) {
    ++counters.programs;
    if (const auto& shared = prepared->program().lean_steps; shared != nullptr)
      counters.step_bytes += shared->cache->held_bytes();
    prepared->ForIdleSteps([&](Step* step, const RunPlans* plans) { CountStep(step, plans, &counters); });
  });
  if (const ThreadPool* pool = session.own_pool(true)) counters.inter_op_wakeups = pool->num_wakeups();
  if (const SessionDevices* several = session.session_devices()) counters.inter_op_wakeups += several->num_wakeups();
  const ThreadPool* intra = session.own_pool(false);
  const SessionOptions& options = session.options();
  if (options.intra_op_pool == nullptr && options.intra_op_threads == 0 && CpuCount() > 1) intra = SharedIntraOpPool();
  if (intra != nullptr) counters.intra_op_wakeups = intra->num_wakeups();
  for (const Device* device : session.devices()) AddAllocator(*device, &counters);
  const AsyncRuns::Counts async = AsyncRuns::Of(session_impl)->counts();
  counters.async_queued = async.queued;
  counters.async_queued_bytes = async.queued_bytes;
  counters.async_begun = async.begun;
  counters.async_refused = async.refused;
  return counters;
}

template <class U>
bool undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::GetCounters(
    const Session& session, SessionCounters* counters) {
  auto* const impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return false;
  *counters = CountersOf(impl);
  return true;
}

// Lines of one metric of CountersText.
class MetricWriter {
 public:
  MetricWriter(std::string* text, std::string_view labels) : text_(text), labels_(labels) {}
  void Begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    StrAppend(text_, "# HELP tenon_", name, " ", help, "\n# TYPE tenon_", name, " ", type, "\n");
  }
  void Add(std::int64_t value, std::string_view label = {}) {
    const bool both = !labels_.empty() && !label.empty(), any = !labels_.empty() || !label.empty();
    StrAppend(text_, "tenon_", name_, any ? "{" : "", labels_, both ? "," : "", label, any ? "} " : " ", value, "\n");
  }
  void Write(std::string_view name, std::string_view type, std::string_view help, std::int64_t value) {
    Begin(name, type, help);
    Add(value);
  }

 private:
  std::string* const text_;
  const std::string_view labels_;
  std::string_view name_;
};

}  // namespace detail

inline std::string CountersText(const SessionCounters& c, std::string_view labels) {
  std::string text;
  detail::MetricWriter out(&text, labels);
  out.Write("runs_total", "counter", "Runs that have ended.", c.runs);
  out.Write("planned_runs_total", "counter", "Runs with a memory plan.", c.planned_runs);
  out.Write("programs", "gauge", "Prepared signatures that are kept.", c.programs);
  out.Write("programs_evicted_total", "counter", "Prepared signatures that had to make room.", c.programs_evicted);
  out.Write("step_bytes", "gauge", "Bytes that idle steps keep for the next run.", c.step_bytes);
  out.Write("plan_arena_bytes", "gauge", "Bytes of the arenas of memory plans.", c.plan_arena_bytes);
  out.Write("inter_op_wakeups_total", "counter", "Wake-ups of inter-op threads.", c.inter_op_wakeups);
  out.Write("intra_op_wakeups_total", "counter", "Wake-ups of intra-op threads.", c.intra_op_wakeups);
  out.Write("async_queued", "gauge", "Asynchronous runs that are queued.", c.async_queued);
  out.Write("async_queued_bytes", "gauge", "Bytes of the feeds of queued runs.", c.async_queued_bytes);
  out.Write("async_begun", "gauge", "Asynchronous runs that have begun.", c.async_begun);
  out.Write("async_refused_total", "counter", "Asynchronous runs that were refused.", c.async_refused);
  if (c.allocators.empty()) return text;
  out.Begin("allocator_bytes", "gauge", "Bytes in use of a device's allocator.");
  for (const AllocatorCounters& a : c.allocators) out.Add(a.bytes_in_use, StrCat("device=\"", a.device, "\""));
  out.Begin("allocator_peak_bytes", "gauge", "Most bytes in use of a device's allocator.");
  for (const AllocatorCounters& a : c.allocators) out.Add(a.peak_bytes_in_use, StrCat("device=\"", a.device, "\""));
  return text;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

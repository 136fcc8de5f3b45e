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
};

namespace detail {

inline void CountStep(Step* step, const RunPlans* plans, SessionCounters* counters) {
  ++counters->steps;
  counters->step_bytes += step->cache()->held_bytes();
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

inline SessionCounters CountersOf(const SessionImpl& session) {
  SessionCounters counters;
  counters.planned_runs = session.counts().planned();
  counters.runs = counters.planned_runs + session.counts().others();
  counters.programs_evicted = session.signatures().ForEach([&](PreparedSignature* prepared) {
    ++counters.programs;
    prepared->ForIdleSteps([&](Step* step, const RunPlans* plans) { CountStep(step, plans, &counters); });
  });
  if (const ThreadPool* pool = session.own_pool(true)) counters.inter_op_wakeups = pool->num_wakeups();
  if (const SessionDevices* several = session.session_devices()) counters.inter_op_wakeups += several->num_wakeups();
  const ThreadPool* intra = session.own_pool(false);
  const SessionOptions& options = session.options();
  if (options.intra_op_pool == nullptr && options.intra_op_threads == 0 && CpuCount() > 1) intra = SharedIntraOpPool();
  if (intra != nullptr) counters.intra_op_wakeups = intra->num_wakeups();
  for (const Device* device : session.devices()) AddAllocator(*device, &counters);
  return counters;
}

template <class U>
bool undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::GetCounters(
    const Session& session, SessionCounters* counters) {
  const auto* impl = static_cast<const SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return false;
  *counters = CountersOf(*impl);
  return true;
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

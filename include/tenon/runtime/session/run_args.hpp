// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments of one run other than its feeds: a pool, resources, cancellation, counters, trace.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

struct StepOfPeers;

namespace detail {

inline int CpuCount() { return Thread::HardwareThreads(); }

// The pool that sessions share unless they ask for another number of threads. Never destroyed.
inline ThreadPool* SharedIntraOpPool() {
  static ThreadPool* pool = new ThreadPool(CpuCount(), "tenon");
  return pool;
}
inline std::atomic<std::int64_t>& NextStepId() {
  static std::atomic<std::int64_t> next{1};
  return next;
}

// How many runs of a session have ended. thread-safe; threads that run at once count in different cache lines.
class RunCounts {
 public:
  void Count(bool planned) {
    Place& mine = Mine();
    (planned ? mine.planned : mine.others).fetch_add(1, std::memory_order_relaxed);
  }
  std::int64_t planned() const { return Sum(&Place::planned); }
  std::int64_t others() const { return Sum(&Place::others); }

 private:
  static constexpr std::size_t kPlaces = 8;
  struct alignas(64) Place {
    std::atomic<std::int64_t> planned{0}, others{0};
  };
  Place& Mine() {
    const std::uint64_t thread = reinterpret_cast<std::uintptr_t>(&this_thread_mark);
    return places_[(thread * 0x9E3779B97F4A7C15u) >> 61];
  }
  std::int64_t Sum(std::atomic<std::int64_t> Place::* count) const {
    std::int64_t sum = 0;
    for (const Place& place : places_) sum += (place.*count).load(std::memory_order_relaxed);
    return sum;
  }
  Place places_[kPlaces];
};

// Arguments of one run other than its feeds. The pool is for executors that share work out; null: the caller's thread
// only.
struct RunArgs {
  ThreadPoolInterface* pool = nullptr;
  bool dataflow = false;  // on several devices: the pool runs the parts, not the caller's thread
  bool flush_denormals = true;
  ResourceMgr* resources = nullptr;
  CancellationManager* cancellation = nullptr;  // gives the run up; may be null
  const StepServices* services = nullptr;  // for the kernels that ask for more; may be null
  std::int64_t since_ns = 0;  // from when on the time of a run with a deadline counts; 0: its start
  RunTrace* trace = nullptr;
  int max_trace_events = 0;  // SessionOptions::max_trace_events
  RunCounts* counts = nullptr;  // null: not counted
  const StepOfPeers* peers = nullptr;  // on several devices: the step that other tasks run, too; may be null
  // Sees the values of a run that failed before they go; may be null.
  void (*on_error)(void* state, const Program& program, Step* step, Status* status) = nullptr;
  void* on_error_state = nullptr;
};

// TensorFlow's hint, for runs that did not ask for the list.
TENON_DETAIL_COLD inline void AddMemoryHint(Status* status) {
  if (status->code() == Code::kResourceExhausted)
    *status = status->WithAppended(
        "\nHint: If you want to see a list of allocated tensors when OOM happens, add "
        "report_tensor_allocations_upon_oom to RunOptions for current allocation info.\n");
}

// The rendezvous of one run, made when a kernel asks; whoever owns *made deletes it. Null: as RunRendezvous::Get.
inline Rendezvous* MadeRendezvous(CancellationManager* cancellation, std::atomic<RunRendezvous*>* made) {
  RunRendezvous* there = made->load(std::memory_order_acquire);
  if (there != nullptr) return there->Get();
  const MakeRunRendezvous make = extensions.rendezvous.load(std::memory_order_acquire);
  if (make == nullptr) return nullptr;
  Owned<RunRendezvous> mine = make(cancellation);
  if (made->compare_exchange_strong(there, mine.get(), std::memory_order_acq_rel)) there = mine.release();
  return there->Get();
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END

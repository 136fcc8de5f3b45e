// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cpu: the device that a CPU kernel gets: a pool of threads and an allocator. ForEach: one body for every index.

#include <atomic>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Allocator;
struct CpuEpilogue;

// A pool of threads: Tenon's ThreadPool, or the caller's own threads behind these three functions. thread-safe.
class ThreadPoolInterface {
 public:
  virtual ~ThreadPoolInterface() = default;
  // Runs fn(arg) once on some thread of the pool, later or now. Tenon's pools log an exception that fn throws.
  virtual void Schedule(void (*fn)(void*), void* arg) = 0;
  // Threads that may run at once, the caller of ParallelFor included.
  virtual int NumThreads() const = 0;
  // Calls fn(arg, begin, end) for ranges that together are [0, total), each at least `grain` long but the last; returns
  // when all are done. The caller takes part. May be called from inside a task of the same pool. Tenon's pools throw
  // the first exception of fn on the calling thread, after all threads have left the loop. A pool of the caller's own
  // needs no such care: loops that start in ParallelFor(Cpu&, ...) give it functions that throw nothing.
  virtual void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) = 0;
  // Whether the pool works in the child of a fork(), although its threads are the parent's. Without it, sessions that
  // have the pool refuse to run there.
  virtual bool WorksAfterFork() const { return false; }
  // Returns whether to split a loop that takes one thread about `ns`, too little to wake another for: true where a
  // thread is awake and waits for work.
  virtual bool SplitsShortLoop(double ns) {
    static_cast<void>(ns);
    return false;
  }
};

// The CPU as a kernel sees it. Borrowed from the runtime for one call; null members mean "the caller's thread" and
// "DefaultAllocator()".
struct Cpu {
  static constexpr std::string_view type = "CPU";
  ThreadPoolInterface* pool = nullptr;
  Allocator* allocator = nullptr;
  CpuEpilogue* epilogue = nullptr;  // steps for the kernel's result (engine/core/result_epilogue.hpp); null: none
};

namespace detail {
// A loop's function whose exceptions stay off the pool's threads: the loop's caller throws the first one when the loop
// is over. After an exception no further range begins. thread-safe, but Rethrow, which is for the caller.
class CatchingLoop {
 public:
  CatchingLoop(void (*fn)(void*, Index, Index), void* arg) : fn_(fn), arg_(arg) {}

  static void Run(void* loop, Index begin, Index end) {
    auto* const self = static_cast<CatchingLoop*>(loop);
    if (self->failed_.load(std::memory_order_relaxed)) [[unlikely]]
      return;
#if defined(__cpp_exceptions)
    try {
      self->fn_(self->arg_, begin, end);
    } catch (...) {
      self->Keep();
    }
#else
    self->fn_(self->arg_, begin, end);
#endif
  }
  void Rethrow() {
    if (failed_.load(std::memory_order_relaxed)) [[unlikely]]
      std::rethrow_exception(std::move(error_));
  }

 private:
  TENON_DETAIL_COLD void Keep() {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }

  void (*const fn_)(void*, Index, Index);
  void* const arg_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by the thread that set failed_
};

// pool->ParallelFor for any pool and a function that may throw.
inline void SplitLoop(ThreadPoolInterface* pool, Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) {
  CatchingLoop loop(fn, arg);
  pool->ParallelFor(total, grain, &CatchingLoop::Run, &loop);
  loop.Rethrow();
}

template <class Body>
void RunRange(void* body, Index begin, Index end) {
  const Body& call = *static_cast<const Body*>(body);
  call(begin, end);
}

// The least time that a thread's share of so much work should take; 0 where all of it is for the caller's thread.
// Waking a thread takes about 15 us. Handing work to an awake one takes less than 1 us, but estimates of the work are
// for slow processors and distant operands.
inline double LeastPartNs(const Cpu& device, double ns) {
  constexpr double kToWake = 15000, kToHandOver = 7500;
  if (device.pool == nullptr || ns < 2 * kToHandOver) return 0;
  if (ns >= 2 * kToWake) return kToWake;
  return device.pool->SplitsShortLoop(ns) ? kToHandOver : 0;
}
// Returns the number of units that make that much work; `total` where it is not split.
inline Index LeastPart(const Cpu& device, Index total, double ns_per_unit) {
  const double ns = total > 1 ? LeastPartNs(device, static_cast<double>(total) * ns_per_unit) : 0;
  return ns > 0 ? static_cast<Index>(ns / ns_per_unit) + 1 : total;
}
}  // namespace detail

// Splits [0, total) over the device's threads: body(begin, end) on each share. `ns_per_unit` estimates the work of
// one unit. Work that is not worth a second thread stays on the caller's. Throws the first exception of `body`, on the
// calling thread and after all threads have left the loop; in a kernel it becomes the node's Status.
template <class Body>
void ParallelFor(Cpu& device, Index total, double ns_per_unit, const Body& body) {
  if (total <= 0) return;
  const Index part = detail::LeastPart(device, total, ns_per_unit);
  if (part >= total) return body(Index{0}, total);
  detail::SplitLoop(device.pool, total, part, &detail::RunRange<Body>,
                    const_cast<void*>(static_cast<const void*>(&body)));
}

namespace detail {
template <class Body>
struct EachIndex {
  const Body* body;
  void operator()(Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*body)(i);
  }
};
}  // namespace detail

// body(i) for every i in [0, n), in any order and perhaps on several threads. `body` is a functor that a GPU could run
// as well: trivially copyable, TENON_HD call operator (device/cuda.cuh has the same function for Cuda).
template <class Body>
Status ForEach(Cpu& device, Index n, const Body& body) {
  ParallelFor(device, n, 1.0, detail::EachIndex<Body>{&body});
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cpu: what a kernel gets to run on - a pool of threads and an allocator. ForEach: one body for every index.

#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>

TENON_NAMESPACE_BEGIN

class Allocator;

// Threads that somebody owns: Tenon's ThreadPool, or the caller's own behind these three functions. thread-safe.
class ThreadPoolInterface {
 public:
  virtual ~ThreadPoolInterface() = default;
  // Runs fn(arg) once on some thread of the pool, later or now.
  virtual void Schedule(void (*fn)(void*), void* arg) = 0;
  // Threads that may run at once, the caller of ParallelFor included.
  virtual int NumThreads() const = 0;
  // Calls fn(arg, begin, end) for ranges that together are [0, total), each at least `grain` long but the last; returns
  // when all are done. The caller takes part. May be called from inside a task of the same pool.
  virtual void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) = 0;
};

// The CPU as a kernel sees it. Borrowed from the runtime for one call; null members mean "the caller's thread" and
// "DefaultAllocator()".
struct Cpu {
  static constexpr std::string_view type = "CPU";
  ThreadPoolInterface* pool = nullptr;
  Allocator* allocator = nullptr;
};

namespace detail {
template <class Body>
void RunRange(void* body, Index begin, Index end) {
  const Body& call = *static_cast<const Body*>(body);
  call(begin, end);
}
}  // namespace detail

// Splits [0, total) over the device's threads: body(begin, end) on each part. `ns_per_unit` estimates the work of one
// unit; less than about 15 us a thread is not worth waking one, and stays on the caller's.
template <class Body>
void ParallelFor(Cpu& device, Index total, double ns_per_unit, const Body& body) {
  constexpr double kWorthAThreadNs = 15000;
  if (total <= 0) return;
  if (device.pool == nullptr || static_cast<double>(total) * ns_per_unit < 2 * kWorthAThreadNs)
    return body(Index{0}, total);
  const Index grain = static_cast<Index>(kWorthAThreadNs / (ns_per_unit > 0 ? ns_per_unit : 1)) + 1;
  device.pool->ParallelFor(total, grain, &detail::RunRange<Body>, const_cast<void*>(static_cast<const void*>(&body)));
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

TENON_NAMESPACE_END

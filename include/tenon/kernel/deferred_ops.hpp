// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeferredOps: keeps a run alive while kernels go on working after their end.

#include <atomic>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Counts the work that kernels still do after they have ended; the run waits for it. thread-safe.
class DeferredOps {
 public:
  void Inc() { count_.fetch_add(1, std::memory_order_relaxed); }
  void Dec() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) count_.notify_all();
  }
  ~DeferredOps() { Wait(); }
  void Wait() const {
    for (int count = count_.load(std::memory_order_acquire); count != 0; count = count_.load(std::memory_order_acquire))
      count_.wait(count, std::memory_order_acquire);
  }

 private:
  std::atomic<int> count_{0};
};

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The thread pools of SessionOptions::inter_op_pools: a session's own, or shared by name.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// A pool that doubles as one "for the caller's thread only": what is scheduled runs at once. thread-safe.
inline ThreadPool* CallersThreadPool() {
  static ThreadPool* const pool = new ThreadPool(1, "tenon-caller");
  return pool;
}

// The pools with a name: one of each in the process, never destroyed. thread-safe.
class NamedPools {
 public:
  // InvalidArgument when there is one of that name with another number of threads.
  static Result<ThreadPool*> Get(const InterOpPool& options, int threads) {
    static NamedPools* const pools = new NamedPools();
    const MutexLock lock(pools->mutex_);
    for (const Item& item : pools->items_) {
      if (item.name != options.global_name) continue;
      if (item.asked == options.num_threads) return item.pool;
      return errors::InvalidArgument("Pool ", options.global_name,
                                     " configured previously with num_threads=", item.asked,
                                     "; cannot re-configure with num_threads=", options.num_threads);
    }
    auto* pool = new ThreadPool(threads, options.global_name);
    pools->items_.push_back({options.global_name, options.num_threads, pool});
    return pool;
  }

 private:
  struct Item {
    std::string name;
    int asked;
    ThreadPool* pool;
  };
  Mutex mutex_;
  SlimVector<Item> items_;
};

// immutable once made.
class InterOpPools : public RefCounted {
 public:
  Status Add(const InterOpPool& options) {
    if (options.num_threads < 0)
      return errors::InvalidArgument("SessionOptions::inter_op_pools: num_threads must not be negative, got ",
                                     options.num_threads);
    const int threads = options.num_threads > 0 ? options.num_threads : Thread::HardwareThreads();
    if (!options.global_name.empty()) {
      TENON_ASSIGN_OR_RETURN(ThreadPool * pool, NamedPools::Get(options, threads));
      pools_.push_back(pool);
      return OkStatus();
    }
    own_.push_back(MakeOwned<ThreadPool>(threads, StrCat("tenon-op", pools_.size())));
    pools_.push_back(own_.back().get());
    return OkStatus();
  }
  int size() const { return static_cast<int>(pools_.size()); }
  ThreadPool* operator[](int i) const { return pools_[static_cast<std::size_t>(i)]; }

 private:
  SlimVector<Owned<ThreadPool>> own_;
  SlimVector<ThreadPool*> pools_;
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

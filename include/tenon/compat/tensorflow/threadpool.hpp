// SPDX-License-Identifier: Apache-2.0
#pragma once
// thread::ThreadPool over Tenon's pools, Shard, and Eigen's device on such a pool.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/device/cpu.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/compat/tensorflow/base/eigen.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>
#include <tenon/compat/tensorflow/base/pointer_table.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

#include <unsupported/Eigen/CXX11/ThreadPool>

namespace tensorflow {

class Env;
namespace internal {
// The address of Env::Default(), without env.hpp: an Env has no members.
inline Env* DefaultEnv() {
  static unsigned char place = 0;
  return reinterpret_cast<Env*>(&place);
}
}  // namespace internal
struct ThreadOptions {
  std::size_t stack_size = 0;
  std::size_t guard_size = 0;
  int numa_node = -1;
};

namespace thread {

// A pool of the program.
class ThreadPoolInterface : public Eigen::ThreadPoolInterface {};
struct ThreadPoolOptions {
  ThreadPoolInterface* inter_op_threadpool = nullptr;
  ThreadPoolInterface* intra_op_threadpool = nullptr;
};

// A pool of its own, or a view of another's. A null pool runs all on the caller's thread.
class ThreadPool {
 public:
  enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };
  class SchedulingParams {
   public:
    explicit SchedulingParams(SchedulingStrategy strategy, std::optional<int64_t> cost_per_unit,
                              std::optional<int64_t> block_size)
        : strategy_(strategy), cost_per_unit_(cost_per_unit), block_size_(block_size) {}
    static SchedulingParams Fixed(int64_t block_size) {
      return SchedulingParams(SchedulingStrategy::kFixedBlockSize, std::nullopt, block_size);
    }
    static SchedulingParams Adaptive(int64_t cost_per_unit) {
      return SchedulingParams(SchedulingStrategy::kAdaptive, cost_per_unit, std::nullopt);
    }
    SchedulingStrategy strategy() const { return strategy_; }
    std::optional<int64_t> cost_per_unit() const { return cost_per_unit_; }
    std::optional<int64_t> block_size() const { return block_size_; }

   private:
    SchedulingStrategy strategy_;
    std::optional<int64_t> cost_per_unit_, block_size_;
  };
  using Range = std::function<void(int64_t, int64_t)>;

  explicit ThreadPool(tenon::ThreadPoolInterface* pool = nullptr) : pool_(pool) {}
  ThreadPool(Env*, const std::string& name, int threads)
      : own_(std::make_shared<tenon::ThreadPool>(threads + 1, name)), pool_(own_.get()), threads_(threads) {}
  ThreadPool(Env* env, const ThreadOptions&, const std::string& name, int threads, bool = true, void* = nullptr)
      : ThreadPool(env, name, threads) {}

  int NumThreads() const { return threads_ > 0 ? threads_ : pool_ == nullptr ? 1 : pool_->NumThreads(); }
  int CurrentThreadId() const { return -1; }
  tenon::ThreadPoolInterface* pool() const { return pool_; }
  // The pool for Eigen's devices; lives as long as the process.
  Eigen::ThreadPoolInterface* AsEigenThreadPool() const;

  void Schedule(std::function<void()> call) {
    if (pool_ == nullptr) return call();
    pool_->Schedule(
        [](void* held) {
          const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(held));
          (*owned)();
        },
        new std::function<void()>(std::move(call)));
  }
  void ScheduleWithHint(std::function<void()> call, int, int) { Schedule(std::move(call)); }
  // `cost_per_unit` in processor cycles.
  void ParallelFor(int64_t total, int64_t cost_per_unit, const Range& call) {
    constexpr double kNsPerCycle = 1.0 / 3;
    tenon::Cpu cpu{pool_, nullptr};
    tenon::ParallelFor(cpu, total, static_cast<double>(cost_per_unit) * kNsPerCycle, call);
  }
  void ParallelFor(int64_t total, const SchedulingParams& params, const Range& call) {
    if (params.strategy() == SchedulingStrategy::kFixedBlockSize && params.block_size())
      return ParallelForFixedBlockSizeScheduling(total, *params.block_size(), call);
    ParallelFor(total, params.cost_per_unit().value_or(1000), call);
  }
  // Ids are those of 0 to NumThreads() - 1; calls with one id follow each other.
  using RangeOfWorker = std::function<void(int64_t, int64_t, int)>;
  void ParallelForWithWorkerId(int64_t total, int64_t cost_per_unit, const RangeOfWorker& call) {
    const int64_t threads = NumThreads();
    ForWorkers(total, total / threads + (total % threads != 0 ? 1 : 0), cost_per_unit, call);
  }
  void ParallelForWithWorkerId(int64_t total, const SchedulingParams& params, const RangeOfWorker& call) {
    if (params.strategy() == SchedulingStrategy::kFixedBlockSize && params.block_size())
      return ForWorkers(total, *params.block_size(), 1000000, call);
    ParallelForWithWorkerId(total, params.cost_per_unit().value_or(1000), call);
  }
  void TransformRangeConcurrently(int64_t block_size, int64_t total, const Range& call) {
    ParallelForFixedBlockSizeScheduling(total, block_size, call);
  }
  int NumShardsUsedByFixedBlockSizeScheduling(int64_t total, int64_t block_size) {
    if (block_size <= 0 || total <= 1 || total <= block_size || NumThreads() == 1) return 1;
    return static_cast<int>((total + block_size - 1) / block_size);
  }
  int NumShardsUsedByTransformRangeConcurrently(int64_t block_size, int64_t total) {
    return NumShardsUsedByFixedBlockSizeScheduling(total, block_size);
  }

 private:
  void ParallelForFixedBlockSizeScheduling(int64_t total, int64_t block_size, const Range& call) {
    if (total <= 0) return;
    const int64_t blocks = NumShardsUsedByFixedBlockSizeScheduling(total, block_size);
    if (blocks == 1) return call(0, total);
    const auto run = [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) call(b * block_size, std::min(total, (b + 1) * block_size));
    };
    tenon::Cpu cpu{pool_, nullptr};
    tenon::ParallelFor(cpu, blocks, 1e5, run);
  }

  // Each worker has a run of blocks.
  void ForWorkers(int64_t total, int64_t block_size, int64_t cost_per_unit, const RangeOfWorker& call) {
    if (total <= 0) return;
    block_size = std::clamp<int64_t>(block_size, 1, total);
    const int64_t blocks = total / block_size + (total % block_size != 0 ? 1 : 0);
    const int64_t workers = std::min<int64_t>(blocks, NumThreads()), share = (blocks + workers - 1) / workers;
    const auto run = [&](int64_t first, int64_t last) {
      for (int64_t worker = first; worker < last; ++worker)
        for (int64_t b = worker * share; b < std::min(blocks, (worker + 1) * share); ++b)
          call(b * block_size, b + 1 < blocks ? (b + 1) * block_size : total, static_cast<int>(worker));
    };
    tenon::Cpu cpu{pool_, nullptr};
    tenon::ParallelFor(
        cpu, workers,
        static_cast<double>(share) * static_cast<double>(block_size) * static_cast<double>(cost_per_unit) / 3, run);
  }

  std::shared_ptr<tenon::ThreadPool> own_;
  tenon::ThreadPoolInterface* pool_;
  int threads_ = 0;
};

}  // namespace thread

// Calls of Shard on this thread use at most so many threads.
inline int& PerThreadMaxParallelism() {
  thread_local int most = 1000000;
  return most;
}
inline void SetPerThreadMaxParallelism(int most) { PerThreadMaxParallelism() = std::max(most, 1); }
inline int GetPerThreadMaxParallelism() { return PerThreadMaxParallelism(); }
class ScopedPerThreadMaxParallelism {
 public:
  explicit ScopedPerThreadMaxParallelism(int most) : before_(GetPerThreadMaxParallelism()) {
    SetPerThreadMaxParallelism(most);
  }
  ~ScopedPerThreadMaxParallelism() { SetPerThreadMaxParallelism(before_); }

 private:
  int before_;
};
// Calls work(begin, end) for parts of [0, total) on at most `max_parallelism` threads.
inline void Shard(int max_parallelism, thread::ThreadPool* workers, int64_t total, int64_t cost_per_unit,
                  const std::function<void(int64_t, int64_t)>& work) {
  if (total <= 0) return;
  max_parallelism = std::min(max_parallelism, GetPerThreadMaxParallelism());
  if (max_parallelism <= 1 || workers == nullptr) return work(0, total);
  if (max_parallelism >= workers->NumThreads()) return workers->ParallelFor(total, cost_per_unit, work);
  const int64_t part = std::max<int64_t>((total + max_parallelism - 1) / max_parallelism, 1);
  workers->TransformRangeConcurrently(part, total, work);
}
// Runs each call on a thread of its own; waits for all of them when it goes.
class UnboundedWorkQueue {
 public:
  using WorkFunction = std::function<void()>;
  template <int = 0>
  UnboundedWorkQueue(Env*, const std::string&, const ThreadOptions& = {}) : state_(std::make_shared<State>()) {}
  UnboundedWorkQueue(const UnboundedWorkQueue&) = delete;
  UnboundedWorkQueue& operator=(const UnboundedWorkQueue&) = delete;
  ~UnboundedWorkQueue() {
    mutex_lock lock(state_->mu);
    while (state_->running > 0) state_->ended.wait(lock);
  }
  template <int = 0>
  void Schedule(WorkFunction call) {
    {
      mutex_lock lock(state_->mu);
      ++state_->running;
    }
    std::thread([state = state_, call = std::move(call)] {
      call();
      mutex_lock lock(state->mu);
      if (--state->running == 0) state->ended.notify_all();
    }).detach();
  }

 private:
  struct State {
    mutex mu;
    condition_variable ended;
    int running = 0;
  };
  std::shared_ptr<State> state_;
};
class Sharder {
 public:
  using Work = std::function<void(int64_t, int64_t)>;
  using Closure = std::function<void()>;
  using Runner = std::function<void(Closure)>;
  static void Do(int64_t total, int64_t, const Work& work, const Runner&, int) {
    if (total > 0) work(0, total);
  }
};

// Eigen's tasks on a pool of the program.
class EigenThreadPoolWrapper : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenThreadPoolWrapper(thread::ThreadPool* pool) : pool_(pool) {}
  void Schedule(std::function<void()> call) override { pool_->Schedule(std::move(call)); }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->CurrentThreadId(); }

 private:
  thread::ThreadPool* pool_;
};

// Eigen's tasks on one of Tenon's pools.
class EigenPool : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenPool(tenon::ThreadPoolInterface* pool) : pool_(pool) {}
  static void* Make(void* pool) { return new EigenPool(static_cast<tenon::ThreadPoolInterface*>(pool)); }
  void set_threads(int threads) { threads_.store(threads, std::memory_order_relaxed); }
  void Schedule(std::function<void()> call) override { pool_.Schedule(std::move(call)); }
  int NumThreads() const override {
    const int threads = threads_.load(std::memory_order_relaxed);
    return threads > 0 ? threads : pool_.NumThreads();
  }
  int CurrentThreadId() const override { return -1; }

 private:
  thread::ThreadPool pool_;
  std::atomic<int> threads_ = 0;
};
namespace thread {
inline Eigen::ThreadPoolInterface* ThreadPool::AsEigenThreadPool() const {
  static auto* const all = new internal::PointerTable();
  auto* const made = static_cast<EigenPool*>(all->Get(pool_, &EigenPool::Make));
  made->set_threads(threads_);
  return made;
}
}  // namespace thread

#if TENON_COMPAT_EIGEN_THREADS
// The device of a pool; this thread's, and good until the next call on it with another pool.
inline const Eigen::ThreadPoolDevice& EigenDeviceOf(tenon::ThreadPoolInterface* pool) {
  struct Held {
    explicit Held(tenon::ThreadPoolInterface* p) : of(p), adapter(p), device(&adapter, adapter.NumThreads()) {}
    tenon::ThreadPoolInterface* of;
    EigenPool adapter;
    Eigen::ThreadPoolDevice device;
  };
  thread_local std::vector<std::unique_ptr<Held>> all;
  for (const std::unique_ptr<Held>& held : all)
    if (held->of == pool && held->adapter.NumThreads() == EigenPool(pool).NumThreads()) return held->device;
  all.push_back(std::make_unique<Held>(pool));
  return all.back()->device;
}
// The device, or one with fewer threads on its pool; this thread's.
inline const Eigen::ThreadPoolDevice& EigenDeviceAtMost(const Eigen::ThreadPoolDevice& whole) {
  const int most = GetPerThreadMaxParallelism();
  if (most >= whole.numThreads()) return whole;
  thread_local std::vector<std::unique_ptr<Eigen::ThreadPoolDevice>> all;
  for (const auto& held : all)
    if (held->getPool() == whole.getPool() && held->numThreads() == most) return *held;
  all.push_back(std::make_unique<Eigen::ThreadPoolDevice>(whole.getPool(), most));
  return *all.back();
}
#endif

}  // namespace tensorflow

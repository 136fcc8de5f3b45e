// SPDX-License-Identifier: Apache-2.0
#pragma once
// ExecutorPool: threads of another library (an executor, a task arena, Eigen's pool) as the pool of a session. Their
// owner only has to call a small function object once, some time, on some thread.

#include <atomic>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/thread_pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A task for an executor, to be called once. Two pointers, trivially copyable: a std::function of it allocates
// nothing. Throws nothing: an exception of the task is logged.
struct PoolTask {
  void (*fn)(void*) = nullptr;
  void* arg = nullptr;
  void operator()() const {
    detail::CallAndLog("a task of an ExecutorPool", [this] { fn(arg); });
  }
};

// thread-safe. Any thread calls `Execute` as execute(PoolTask), several at once; it may call the task at once. When
// it throws, it has not taken the task: the exception is logged, and the caller's thread runs the task. The threads
// outlive the tasks: end them only when no session runs any more. In the child of a fork() the threads do not exist:
// tasks and loops run on the calling thread.
//
//   boost::asio::thread_pool threads(8);
//   ExecutorPool pool(8, [&](PoolTask task) { boost::asio::post(threads, task); });
//
//   Eigen::ThreadPool threads(8);
//   ExecutorPool pool(8, [&](PoolTask task) { threads.Schedule(task); });
//
//   auto session = Session::FromGraphFile("mlp.pb", {.intra_op_pool = &pool});
template <class Execute>
class ExecutorPool final : public ThreadPoolInterface {
 public:
  // `threads`: the number of shares of a loop that run at once, its caller's included.
  ExecutorPool(int threads, Execute execute) : execute_(std::move(execute)), threads_(threads > 1 ? threads : 1) {}

  void Schedule(void (*fn)(void*), void* arg) override {
    if (fork_.IsRepaired()) [[likely]]
      Give({fn, arg});
    else
      alone_.Schedule(fn, arg);
  }
  bool WorksAfterFork() const override { return true; }
  int NumThreads() const override { return threads_; }

  // A task that comes when the loop is over finds nothing to do. So the caller waits only for shares under way, and a
  // loop within a task ends even when all threads of the pool are busy.
  void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) override {
    if (total <= 0) return;
    const Index most = total / (grain > 0 ? grain : 1);
    if (threads_ == 1 || most < 2 || !fork_.IsRepaired()) return fn(arg, 0, total);
    const Index parts = most < kPartsPerThread * threads_ ? most : kPartsPerThread * threads_;
    detail::CatchingLoop body(fn, arg);
    const auto loop = Ref<Loop>::Adopt(new Loop);
    loop->fn = &detail::CatchingLoop::Run;
    loop->arg = &body;
    loop->total = total;
    loop->part = (total + parts - 1) / parts;
    loop->flush_denormals = FlushesDenormals();
    const Index helpers = parts - 1 < threads_ - 1 ? parts - 1 : threads_ - 1;
    for (Index i = 0; i < helpers; ++i) Give({&Loop::Help, Ref<Loop>(loop).release()});
    loop->RunParts();
    loop->Close();
    body.Rethrow();
  }

 private:
  static constexpr Index kPartsPerThread = 4;  // so that a thread that comes late takes less

  // A ParallelFor; held by its caller and each task.
  struct Loop : RefCounted {
    static void Help(void* held) {
      const Ref<Loop> loop = Ref<Loop>::Adopt(static_cast<Loop*>(held));
      {
        const MutexLock lock(loop->mutex);
        if (loop->closed) return;
        ++loop->helpers;
      }
      {
        const ScopedFlushDenormals mode(loop->flush_denormals);
        loop->RunParts();
      }
      const MutexLock lock(loop->mutex);
      if (--loop->helpers == 0) loop->none_left.notify_all();
    }
    void RunParts() {
      for (;;) {
        const Index begin = next.fetch_add(part, std::memory_order_relaxed);
        if (begin >= total) return;
        fn(arg, begin, total - begin < part ? total : begin + part);
      }
    }
    void Close() {
      MutexLock lock(mutex);
      closed = true;
      while (helpers != 0) none_left.wait(lock);
    }

    void (*fn)(void*, Index, Index) = nullptr;
    void* arg = nullptr;
    Index total = 0, part = 0;
    bool flush_denormals = false;  // the caller's mode
    std::atomic<Index> next{0};  // the first index that no thread has taken
    Mutex mutex;  // guards the members below
    ConditionVariable none_left;
    int helpers = 0;  // tasks at work
    bool closed = false;
  };

  void Give(PoolTask task) {
    bool given = false;
    detail::CallAndLog("an ExecutorPool's executor", [&] {
      execute_(task);
      given = true;
    });
    if (!given) task();
  }

  Execute execute_;
  const int threads_;
  const ForkGuard fork_;
  ThreadPool alone_{1, "alone"};
};

TENON_DETAIL_NAMESPACE_END

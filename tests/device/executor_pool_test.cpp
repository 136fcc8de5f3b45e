// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/executor_pool.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/ThreadPool>

#include <doctest/doctest.h>

#include "in_child.hpp"

namespace executor_pool_test {
using namespace tenon;

namespace {

struct Count {
  std::atomic<int>* calls;
  static void One(void* self) { ++*static_cast<std::atomic<int>*>(self); }
};
// Marks each index once.
struct Marks {
  explicit Marks(Index n) : marks(static_cast<std::size_t>(n)) {}
  static void Part(void* self, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) ++static_cast<Marks*>(self)->marks[static_cast<std::size_t>(i)];
  }
  bool Once() const {
    for (const auto& mark : marks)
      if (mark != 1) return false;
    return true;
  }
  std::vector<std::atomic<int>> marks;
};

}  // namespace

TEST_SUITE("ExecutorPool") {
  TEST_CASE("Eigen's pool runs tasks and loops") {
    Eigen::ThreadPool threads(3);
    ExecutorPool pool(4, [&](PoolTask task) { threads.Schedule(task); });
    CHECK(pool.NumThreads() == 4);
    for (const Index n : {0, 1, 2, 7, 1000}) {
      Marks marks(n);
      pool.ParallelFor(n, 1, &Marks::Part, &marks);
      CHECK(marks.Once());
    }
    std::atomic<int> calls{0};
    for (int i = 0; i < 100; ++i) pool.Schedule(&Count::One, &calls);
    while (calls != 100) std::this_thread::yield();
  }
  TEST_CASE("a std::function of a task needs no memory of its own, and may run at once") {
    int tasks = 0;
    ExecutorPool pool(3, [&tasks](std::function<void()> task) {
      ++tasks;
      task();
    });
    Marks marks(100);
    pool.ParallelFor(100, 10, &Marks::Part, &marks);
    CHECK(marks.Once());
    CHECK(tasks == 2);
  }
  TEST_CASE("tasks that come late, after their loop, do nothing") {
    std::vector<PoolTask> kept;
    ExecutorPool pool(4, [&kept](PoolTask task) { kept.push_back(task); });
    {
      Marks marks(50);
      pool.ParallelFor(50, 1, &Marks::Part, &marks);
      CHECK(marks.Once());
    }
    REQUIRE(kept.size() == 3);
    for (const PoolTask task : kept) task();
  }
  TEST_CASE("loops within tasks of a pool whose threads are all busy") {
    Eigen::ThreadPool threads(2);
    ExecutorPool pool(3, [&](PoolTask task) { threads.Schedule(task); });
    struct Nested {
      ThreadPoolInterface* pool = nullptr;
      std::atomic<int> wrong{0}, done{0};
      static void Run(void* self) {
        auto* nested = static_cast<Nested*>(self);
        Marks marks(64);
        nested->pool->ParallelFor(64, 1, &Marks::Part, &marks);
        if (!marks.Once()) ++nested->wrong;
        ++nested->done;
      }
    } nested;
    nested.pool = &pool;
    for (int i = 0; i < 20; ++i) pool.Schedule(&Nested::Run, &nested);
    while (nested.done != 20) std::this_thread::yield();
    CHECK(nested.wrong == 0);
  }
  TEST_CASE("one thread, or little work, stays with the caller") {
    int tasks = 0;
    ExecutorPool alone(0, [&tasks](PoolTask) { ++tasks; });
    CHECK(alone.NumThreads() == 1);
    ExecutorPool pool(4, [&tasks](PoolTask) { ++tasks; });
    Marks marks(100);
    pool.ParallelFor(100, 100, &Marks::Part, &marks);
    CHECK(marks.Once());
    CHECK(tasks == 0);
  }
#if defined(__cpp_exceptions)
  TEST_CASE("an executor that throws: the caller does the work") {
    ExecutorPool pool(4, [](PoolTask) { throw std::runtime_error("closed"); });
    Marks marks(100);
    pool.ParallelFor(100, 1, &Marks::Part, &marks);
    CHECK(marks.Once());
    std::atomic<int> calls{0};
    pool.Schedule(&Count::One, &calls);
    CHECK(calls == 1);
  }
  TEST_CASE("a loop whose body throws, on the caller's thread and on others") {
    Eigen::ThreadPool threads(3);
    ExecutorPool pool(4, [&](PoolTask task) { threads.Schedule(task); });
    struct Thrower {
      bool caller_throws;
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<int> others{0}, callers{0};
      static void Part(void* arg, Index, Index) {
        auto* self = static_cast<Thrower*>(arg);
        const bool is_caller = std::this_thread::get_id() == self->caller;
        ++(is_caller ? self->callers : self->others);
        while (self->others == 0 || self->callers == 0) std::this_thread::yield();
        if (is_caller == self->caller_throws) throw std::runtime_error("thrown in a part");
      }
    };
    for (int i = 0; i < 100; ++i) {
      Thrower thrower{i % 2 == 0};
      CHECK_THROWS_WITH(pool.ParallelFor(1000, 1, &Thrower::Part, &thrower), "thrown in a part");
      Marks marks(100);
      pool.ParallelFor(100, 1, &Marks::Part, &marks);
      CHECK(marks.Once());
    }
  }
  TEST_CASE("a task that throws on an executor that runs it at once runs once") {
    ExecutorPool pool(2, [](PoolTask task) { task(); });
    std::atomic<int> calls{0};
    pool.Schedule(
        [](void* arg) {
          ++*static_cast<std::atomic<int>*>(arg);
          throw std::runtime_error("a task's");
        },
        &calls);
    CHECK(calls == 1);
  }
#endif
#if TENON_TEST_FORKS
  TEST_CASE("in the child of a fork the caller's thread does all") {
    Eigen::ThreadPool threads(3);
    ExecutorPool pool(4, [&](PoolTask task) { threads.Schedule(task); });
    CHECK(pool.WorksAfterFork());
    CHECK(test::InChild([&] {
            Marks marks(1000);
            pool.ParallelFor(1000, 1, &Marks::Part, &marks);
            std::atomic<int> calls{0};
            for (int i = 0; i < 100; ++i) pool.Schedule(&Count::One, &calls);
            return marks.Once() && calls == 100 ? 0 : 1;
          }) == 0);
  }
#endif
}
}  // namespace executor_pool_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/log.hpp>

#include "in_child.hpp"

namespace thread_pool_test {
using namespace tenon;

namespace {

// Counts down and tells when it is done.
struct Countdown {
  std::atomic<int> left;
  void Wait() {
    for (int n = left.load(); n != 0; n = left.load()) left.wait(n);
  }
  static void Done(void* arg) {
    auto* self = static_cast<Countdown*>(arg);
    if (self->left.fetch_sub(1) == 1) self->left.notify_all();
  }
};

struct Marks {
  std::vector<std::atomic<int>> seen;
  explicit Marks(Index n) : seen(static_cast<std::size_t>(n)) {}
  static void Mark(void* arg, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) static_cast<Marks*>(arg)->seen[static_cast<std::size_t>(i)].fetch_add(1);
  }
  bool EachOnce() const {
    for (const auto& n : seen) {
      if (n.load() != 1) return false;
    }
    return true;
  }
};

}  // namespace

TEST_SUITE("ThreadPool") {
  TEST_CASE("tasks that wait for tasks behind them get a thread for those") {
    for (const int threads : {2, 3}) {
      struct Shared {
        std::atomic<int> released{0};
        std::atomic<int> waited{0};
      } shared;
      {
        ThreadPool pool(threads, "test");
        for (int i = 0; i < 5; ++i)
          pool.Schedule(
              [](void* arg) {
                auto* s = static_cast<Shared*>(arg);
                const ThreadPool::Waiting waiting;
                for (int n = s->released.load(); n < 5; n = s->released.load()) s->released.wait(n);
                s->waited.fetch_add(1);
              },
              &shared);
        for (int i = 0; i < 5; ++i)
          pool.Schedule(
              [](void* arg) {
                auto* s = static_cast<Shared*>(arg);
                s->released.fetch_add(1);
                s->released.notify_all();
              },
              &shared);
        CHECK(pool.NumThreads() == threads);
      }
      CHECK(shared.waited.load() == 5);
    }
  }
  TEST_CASE("runs every task once, before it is destroyed") {
    for (const int threads : {1, 2, 4}) {
      std::atomic<int> runs{0};
      {
        ThreadPool pool(threads, "test");
        for (int i = 0; i < 1000; ++i)
          pool.Schedule([](void* arg) { static_cast<std::atomic<int>*>(arg)->fetch_add(1); }, &runs);
      }
      CHECK(runs.load() == 1000);
    }
  }

  TEST_CASE("runs tasks that tasks schedule, also while it is destroyed") {
    struct Tree {
      ThreadPool* pool;
      std::atomic<int> runs{0};
      static void Grow(void* arg) {
        auto* tree = static_cast<Tree*>(arg);
        if (tree->runs.fetch_add(1) < 500) {
          tree->pool->Schedule(&Grow, tree);
          tree->pool->Schedule(&Grow, tree);
        }
      }
    };
    for (const int threads : {1, 3}) {
      Tree tree{};
      {
        ThreadPool pool(threads, "test");
        tree.pool = &pool;
        pool.Schedule(&Tree::Grow, &tree);
      }
      CHECK(tree.runs.load() == 1001);
    }
  }

  TEST_CASE("a long chain of tasks needs no deep stack in a pool of one thread") {
    struct Chain {
      ThreadPool pool{1, "test"};
      int left = 1000000;
      static void Next(void* arg) {
        auto* chain = static_cast<Chain*>(arg);
        if (--chain->left > 0) chain->pool.Schedule(&Next, chain);
      }
    } chain;
    chain.pool.Schedule(&Chain::Next, &chain);
    CHECK(chain.left == 0);
  }

  TEST_CASE("counts the caller among its threads") {
    CHECK(ThreadPool(1, "one").NumThreads() == 1);
    CHECK(ThreadPool(3, "three").NumThreads() == 3);
    CHECK(ThreadPool(0, "none").NumThreads() == 1);
  }

  TEST_CASE("gives every index of a loop to exactly one part") {
    for (const int threads : {1, 2, 5}) {
      ThreadPool pool(threads, "test");
      for (const Index total : {Index{1}, Index{2}, Index{7}, Index{100}, Index{4097}}) {
        for (const Index grain : {Index{0}, Index{1}, Index{3}, Index{5000}}) {
          Marks marks(total);
          pool.ParallelFor(total, grain, &Marks::Mark, &marks);
          CHECK(marks.EachOnce());
        }
      }
      pool.ParallelFor(0, 1, [](void*, Index, Index) { FAIL("called for nothing"); }, nullptr);
    }
  }

  TEST_CASE("parts are at least as long as the grain, but for the last") {
    ThreadPool pool(4, "test");
    struct Lengths {
      std::atomic<int> short_parts{0};
      static void Look(void* arg, Index begin, Index end) {
        if (end - begin < 30 && end != 1000) static_cast<Lengths*>(arg)->short_parts.fetch_add(1);
      }
    } lengths;
    pool.ParallelFor(1000, 30, &Lengths::Look, &lengths);
    CHECK(lengths.short_parts.load() == 0);
  }

  TEST_CASE("loops nest in loops and in tasks") {
    ThreadPool pool(3, "test");
    struct Outer {
      ThreadPool* pool;
      std::atomic<Index> sum{0};
      static void Inner(void* arg, Index begin, Index end) {
        for (Index i = begin; i < end; ++i) static_cast<Outer*>(arg)->sum.fetch_add(i);
      }
      static void Run(void* arg, Index begin, Index end) {
        for (Index i = begin; i < end; ++i) static_cast<Outer*>(arg)->pool->ParallelFor(100, 1, &Inner, arg);
      }
    } outer{&pool};
    for (int round = 0; round < 20; ++round) {
      outer.sum = 0;
      pool.ParallelFor(50, 1, &Outer::Run, &outer);
      CHECK(outer.sum.load() == 50 * 4950);
    }

    struct Job {
      Outer outer;
      Countdown done{40};
      static void Run(void* arg) {
        auto* job = static_cast<Job*>(arg);
        Outer::Run(&job->outer, 0, 5);
        Countdown::Done(&job->done);
      }
    } job{{&pool}};
    for (int i = 0; i < 40; ++i) pool.Schedule(&Job::Run, &job);
    job.done.Wait();
    CHECK(job.outer.sum.load() == 40 * 5 * 4950);
  }

  TEST_CASE("several threads may use one pool at once") {
    ThreadPool pool(2, "shared");
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 3; ++t) {
      callers.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
          Marks marks(64);
          pool.ParallelFor(64, 1, &Marks::Mark, &marks);
          if (!marks.EachOnce()) wrong.fetch_add(1);
          Countdown done{3};
          for (int i = 0; i < 3; ++i) pool.Schedule(&Countdown::Done, &done);
          done.Wait();
        }
      });
    }
    for (auto& caller : callers) caller.join();
    CHECK(wrong.load() == 0);
  }

  TEST_CASE("wakes threads that have gone to sleep") {
    ThreadPool pool(3, "sleepy");
    // On a busy machine a thread takes long to fall asleep: the rounds get longer.
    for (int round = 0; round < 5 || (round < 100 && pool.num_wakeups() == 0); ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + 2 * round));
      Countdown done{2};
      pool.Schedule(&Countdown::Done, &done);
      pool.Schedule(&Countdown::Done, &done);
      done.Wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + 2 * round));
      Marks marks(1000);
      pool.ParallelFor(1000, 1, &Marks::Mark, &marks);
      CHECK(marks.EachOnce());
    }
    CHECK(pool.num_wakeups() > 0);
  }

#if defined(__linux__)
  // What the pool's thread may run on while it works: all that the test may, or all but the caller's processor.
  TEST_CASE("a thread that slept stays off the processor of a loop's caller, and not off that of a task's") {
    struct Seen {
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<bool> done{false};
      cpu_set_t allowed{};
      static void Part(void* arg, Index, Index) { Task(arg); }
      static void Task(void* arg) {
        auto* self = static_cast<Seen*>(arg);
        if (std::this_thread::get_id() == self->caller || self->done.load()) return;
        sched_getaffinity(0, sizeof self->allowed, &self->allowed);
        self->done.store(true);
      }
    };
    cpu_set_t all{};
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    ThreadPool pool(2, "test");
    const int here = sched_getcpu();
    cpu_set_t one{};
    CPU_SET(here, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    bool off = CPU_COUNT(&all) == 1;
    for (int i = 0; i < 600 && !off; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + i / 10));  // longer on a busy machine
      Seen seen;
      while (!seen.done.load()) pool.ParallelFor(2, 1, &Seen::Part, &seen);
      off = CPU_COUNT(&seen.allowed) == CPU_COUNT(&all) - 1 && !CPU_ISSET(here, &seen.allowed);
    }
    CHECK(off);
    Seen seen;
    pool.Schedule(&Seen::Task, &seen);
    while (!seen.done.load()) std::this_thread::yield();
    CHECK(CPU_EQUAL(&seen.allowed, &all));
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
  }
#endif

  TEST_CASE("every index once where there are more threads than ranges of a loop") {
    for (const int threads : {9, 20, 140}) {
      ThreadPool pool(threads, "many");
      for (const Index total : {Index{3}, Index{17}, Index{1000}, Index{20000}}) {
        Marks marks(total);
        pool.ParallelFor(total, 1, &Marks::Mark, &marks);
        CHECK(marks.EachOnce());
      }
    }
  }

  TEST_CASE("short loops are split where a thread is awake, and wake one when many have come") {
    ThreadPool alone(1, "alone");
    for (int i = 0; i < 1000; ++i) CHECK(!alone.SplitsShortLoop(1e6));

    ThreadPool pool(2, "short");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // asleep by now, unless the machine is busy
    const auto loops_until_split = [&] {
      int loops = 1;
      while (!pool.SplitsShortLoop(10000) && loops < 100000) ++loops;
      return loops;
    };
    CHECK(loops_until_split() <= 20);  // 200 us of work
    CHECK(loops_until_split() <= 40);  // nobody was woken: twice as patient
    CHECK(loops_until_split() <= 80);
    for (int round = 0; round < 100; ++round) {
      Marks marks(64);
      pool.ParallelFor(64, 32, &Marks::Mark, &marks);
      CHECK(marks.EachOnce());
      (void)pool.SplitsShortLoop(10000);
    }
  }

  TEST_CASE("threads that help with a loop flush denormals if its caller does") {
    ThreadPool pool(4, "test");
    struct Modes {
      std::atomic<int> flushing{0}, all{0};
      static void Look(void* arg, Index begin, Index end) {
        auto* self = static_cast<Modes*>(arg);
        self->all.fetch_add(static_cast<int>(end - begin));
        if (FlushesDenormals()) self->flushing.fetch_add(static_cast<int>(end - begin));
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    };
    for (const bool flush : {true, false}) {
      ScopedFlushDenormals mode(flush);
      const bool known = FlushesDenormals() == flush;
      Modes modes;
      pool.ParallelFor(64, 1, &Modes::Look, &modes);
      CHECK(modes.all.load() == 64);
      CHECK((!known || modes.flushing.load() == (flush ? 64 : 0)));
    }
  }

#if defined(__cpp_exceptions)
  enum Throws { kCaller, kHelper, kBoth };
  struct Thrower {
    Throws who;
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> caller_entered{0}, helper_entered{0}, inside{0};
    // Each side waits for the other, so that both are in the loop.
    static void Part(void* arg, Index, Index) {
      auto* self = static_cast<Thrower*>(arg);
      const bool is_caller = std::this_thread::get_id() == self->caller;
      struct Inside {
        std::atomic<int>* count;
        explicit Inside(std::atomic<int>* c) : count(c) { ++*count; }
        ~Inside() { --*count; }
      } inside(&self->inside);
      ++(is_caller ? self->caller_entered : self->helper_entered);
      while (self->caller_entered == 0 || self->helper_entered == 0) std::this_thread::yield();
      if (self->who == kBoth || is_caller == (self->who == kCaller)) throw std::runtime_error("thrown in a part");
    }
  };
  TEST_CASE("a loop whose body throws: the caller gets it when all have left, and the pool goes on") {
    for (const int threads : {2, 4}) {
      ThreadPool pool(threads, "throws");
      for (const Throws who : {kCaller, kHelper, kBoth}) {
        for (int round = 0; round < 50; ++round) {
          Thrower thrower{who};
          std::string caught;
          try {
            pool.ParallelFor(1'000'000, 1, &Thrower::Part, &thrower);
          } catch (const std::runtime_error& e) {
            caught = e.what();
          }
          CHECK(caught == "thrown in a part");
          CHECK(thrower.inside == 0);
          Marks marks(1000);
          pool.ParallelFor(1000, 1, &Marks::Mark, &marks);
          CHECK(marks.EachOnce());
        }
      }
    }
  }
  TEST_CASE("no part begins after an exception") {
    ThreadPool pool(2, "throws");
    struct Slow {
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<int> helpers{0};
      static void Part(void* arg, Index, Index) {
        auto* self = static_cast<Slow*>(arg);
        while (self->helpers == 0 && std::this_thread::get_id() == self->caller) std::this_thread::yield();
        if (std::this_thread::get_id() == self->caller) throw 7;
        ++self->helpers;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    } slow;
    CHECK_THROWS_AS(pool.ParallelFor(8, 1, &Slow::Part, &slow), int);
    CHECK(slow.helpers < 7);  // of 8 parts
  }
  TEST_CASE("exceptions leave loops within loops, on one thread and on several") {
    for (const int threads : {1, 4}) {
      ThreadPool pool(threads, "throws");
      struct Nested {
        ThreadPool* pool;
        static void Inner(void*, Index begin, Index) {
          if (begin >= 50) throw 7;
        }
        static void Outer(void* arg, Index, Index) {
          static_cast<Nested*>(arg)->pool->ParallelFor(100, 1, &Inner, arg);
        }
      } nested{&pool};
      for (int round = 0; round < 50; ++round) {
        int caught = 0;
        try {
          pool.ParallelFor(threads == 1 ? 60 : 100, 1, &Nested::Outer, &nested);
        } catch (const int number) {
          caught = number;
        }
        CHECK(caught == (threads == 1 ? 0 : 7));  // without threads a loop is one part, from 0
        Marks marks(100);
        pool.ParallelFor(100, 1, &Marks::Mark, &marks);
        CHECK(marks.EachOnce());
      }
    }
  }
  TEST_CASE("what a task throws is logged, and the thread goes on") {
    struct Lines : LogSink {
      std::atomic<int> count{0};
      void Send(const LogEntry& entry) override {
        if (entry.text.find("a task of a thread pool threw") != entry.text.npos &&
            entry.text.find("a task's") != entry.text.npos)
          ++count;
      }
    } lines;
    LogSink* const before = SetLogSink(&lines);
    for (const int threads : {1, 2}) {
      lines.count = 0;
      std::atomic<int> runs{0};
      {
        ThreadPool pool(threads, "throws");
        for (int i = 0; i < 20; ++i) {
          pool.Schedule([](void*) { throw std::runtime_error("a task's"); }, nullptr);
          pool.Schedule([](void* arg) { ++*static_cast<std::atomic<int>*>(arg); }, &runs);
        }
      }
      CHECK(runs == 20);
      CHECK(lines.count == 20);
    }
    SetLogSink(before);
  }
#endif

#if TENON_TEST_FORKS
  TEST_CASE("works in the child of a fork, whatever its threads were doing") {
    struct Busy {
      ThreadPool pool{3, "forked"};
      std::atomic<bool> stop{false};
      std::vector<std::thread> users;
      void Use() {
        while (!stop) {
          Marks marks(64);
          pool.ParallelFor(64, 1, &Marks::Mark, &marks);
          Countdown done{1};
          pool.Schedule(&Countdown::Done, &done);
          done.Wait();
        }
      }
    } busy;
    const auto use = [&] {
      std::vector<std::thread> callers;
      std::atomic<int> wrong{0};
      for (int t = 0; t < 3; ++t)
        callers.emplace_back([&] {
          for (int round = 0; round < 20; ++round) {
            Marks marks(1000);
            busy.pool.ParallelFor(1000, 1, &Marks::Mark, &marks);
            if (!marks.EachOnce()) ++wrong;
            Countdown done{3};
            for (int i = 0; i < 3; ++i) busy.pool.Schedule(&Countdown::Done, &done);
            done.Wait();
          }
        });
      for (std::thread& caller : callers) caller.join();
      return wrong == 0 ? 0 : 1;
    };
    for (const bool in_use : {false, true}) {
      if (in_use)
        for (int t = 0; t < 2; ++t) busy.users.emplace_back([&] { busy.Use(); });
      for (int i = 0; i < 30; ++i) {
        CHECK(test::InChild(use) == 0);
        std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
      }
    }
    busy.stop = true;
    for (std::thread& user : busy.users) user.join();
    CHECK(use() == 0);
  }
  TEST_CASE("is destroyed in the child of a fork without waiting for the parent's threads") {
    for (int i = 0; i < 20; ++i) {
      auto* pool = new ThreadPool(3, "forked");
      std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
      CHECK(test::InChild([&] {
              delete pool;
              return 0;
            }) == 0);
      delete pool;
    }
  }
#endif
}
}  // namespace thread_pool_test

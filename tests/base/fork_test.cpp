// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/fork.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <tenon/base/thread.hpp>

#include "in_child.hpp"

namespace fork_test {
using namespace tenon;

namespace {
struct Worker {
  std::atomic<bool> stop{false};
  void Main() {
    while (!stop) Thread::YieldNow();
  }
};
}  // namespace

TEST_SUITE("ForkGuard") {
  TEST_CASE("nothing is to be repaired where no fork was") {
    ForkGuard guard;
    CHECK(guard.IsRepaired());
    int calls = 0;
    guard.Repair([&] { ++calls; });
    CHECK(calls == 0);
  }
#if TENON_TEST_FORKS
  TEST_CASE("a child repairs once, whatever number of threads asks") {
    detail::WatchForks();
    ForkGuard guard;
    const std::uint32_t before = ForkCount();
    CHECK(test::InChild([&] {
            if (ForkCount() != before + 1 || guard.IsRepaired()) return 1;
            std::atomic<int> calls{0}, early{0};
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i)
              threads.emplace_back([&] {
                guard.Repair([&] {
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  ++calls;
                });
                if (calls != 1) ++early;
              });
            for (std::thread& thread : threads) thread.join();
            if (calls != 1 || early != 0 || !guard.IsRepaired()) return 2;
            return test::InChild([&] { return guard.IsRepaired() ? 3 : 0; });  // a child of the child
          }) == 0);
    CHECK(guard.IsRepaired());
  }
  TEST_CASE("a thread of the parent is not joinable in the child") {
    Worker worker;
    Thread thread;
    REQUIRE(thread.Start<&Worker::Main>(&worker));
    CHECK(test::InChild([&] {
            if (thread.joinable()) return 1;
            Worker other;
            other.stop = true;
            if (!thread.Start<&Worker::Main>(&other) || !thread.joinable()) return 2;
            thread.Join();
            return 0;
          }) == 0);
    worker.stop = true;
    CHECK(thread.joinable());
    thread.Join();
  }
#endif
}
}  // namespace fork_test

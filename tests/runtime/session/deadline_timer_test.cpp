// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/deadline_timer.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/notification.hpp>

#include "in_child.hpp"

namespace deadline_timer_test {
using namespace tenon;
using namespace std::chrono_literals;

constexpr std::int64_t ms = 1'000'000;

TEST_SUITE("DeadlineTimer") {
  TEST_CASE("calls what is due, in the order of the deadlines, and not before") {
    DeadlineTimer& timer = DeadlineTimer::Global();
    const auto now = SteadyNanoseconds();
    Notification done;
    std::vector<int> order;
    std::int64_t second_came = 0;
    timer.Add(now + 300 * ms, [&] {
      order.push_back(2);
      second_came = SteadyNanoseconds();
      done.Notify();
    });
    timer.Add(now + 100 * ms, [&] { order.push_back(1); });
    done.WaitForNotification();
    CHECK(order == std::vector<int>{1, 2});
    CHECK(second_came >= now + 300 * ms);
  }
  TEST_CASE("what is removed in time is never called; otherwise its call has ended") {
    DeadlineTimer& timer = DeadlineTimer::Global();
    std::atomic<int> called{0};
    CHECK(timer.Remove(timer.Add(SteadyNanoseconds() + 3'600'000 * ms, [&] { ++called; })));
    int removed = 0;
    for (int i = 0; i < 100; ++i) {
      std::atomic<bool> running{false}, ended{false};
      const auto entry = timer.Add(SteadyNanoseconds() + i * ms / 100, [&] {
        running = true;
        std::this_thread::sleep_for(10us);
        ended = true;
      });
      if (i % 2 == 0) std::this_thread::sleep_for(i * 10us);
      while (i % 10 == 5 && !running) std::this_thread::yield();  // certain, however late the timer's thread wakes
      if (timer.Remove(entry)) {
        ++removed;
        CHECK_FALSE(running);
      } else {
        CHECK(ended);
      }
    }
    CHECK(removed <= 90);
    CHECK(called == 0);
    CHECK_FALSE(timer.Remove(123456789));
  }
#if TENON_TEST_FORKS
  TEST_CASE("calls in the child of a fork, too, but nothing of the parent") {
    DeadlineTimer& timer = DeadlineTimer::Global();
    std::atomic<bool> stop{false};
    std::thread busy([&] {
      while (!stop) (void)timer.Remove(timer.Add(SteadyNanoseconds() + 5 * ms, [] {}));
    });
    for (int i = 0; i < 30; ++i) {
      std::atomic<int> parents{0};
      const auto entry = timer.Add(SteadyNanoseconds() + 20 * ms, [&] { ++parents; });
      CHECK(test::InChild([&] {
              Notification done;
              const auto late = timer.Add(SteadyNanoseconds() + 3'600'000 * ms, [] {});
              timer.Add(SteadyNanoseconds() + 30 * ms, [&] { done.Notify(); });
              done.WaitForNotification();
              if (timer.Remove(entry)) return 1;
              return timer.Remove(late) && parents == 0 ? 0 : 2;
            }) == 0);
      (void)timer.Remove(entry);
      std::this_thread::sleep_for(i * 10us);
    }
    stop = true;
    busy.join();
  }
#endif
}
}  // namespace deadline_timer_test

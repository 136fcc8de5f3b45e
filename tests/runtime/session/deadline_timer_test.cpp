// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/deadline_timer.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/notification.hpp>

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
      if (timer.Remove(entry)) {
        ++removed;
        CHECK_FALSE(running);
      } else {
        CHECK(ended);
      }
    }
    CHECK(removed < 100);
    CHECK(called == 0);
    CHECK_FALSE(timer.Remove(123456789));
  }
}
}  // namespace deadline_timer_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

namespace clock_test {
TEST_CASE("the steady clock is std's") {
  const auto read = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const std::int64_t before = read();
  const std::int64_t now = tenon::SteadyNanoseconds();
  CHECK(before <= now);
  CHECK(now <= read());
}

TEST_CASE("the system clock is std's") {
  const auto read = [] {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  };
  const std::int64_t before = read();
  const std::int64_t now = tenon::SystemNanoseconds();
  CHECK(now - before < 10'000'000'000);  // it may be set at any time
  CHECK(before - now < 10'000'000'000);
}

TEST_CASE("a deadline lies so many units ahead and never overflows") {
  const std::int64_t before = tenon::SteadyNanoseconds();
  const std::int64_t deadline = tenon::DeadlineIn(5, 1'000'000);
  CHECK(deadline >= before + 5'000'000);
  CHECK(deadline <= tenon::SteadyNanoseconds() + 5'000'000);
  CHECK(tenon::DeadlineIn(INT64_MAX, 1'000'000) == INT64_MAX);
  CHECK(tenon::DeadlineIn(INT64_MAX, 1) == INT64_MAX);
  const std::int64_t past = tenon::DeadlineIn(-5, 1'000'000);
  CHECK(past >= deadline - 5'000'000);
  CHECK(past <= tenon::SteadyNanoseconds());
}
}  // namespace clock_test

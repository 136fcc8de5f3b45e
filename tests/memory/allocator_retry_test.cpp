// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/allocator_retry.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace allocator_retry_test {
using tenon::AllocatorRetry;

namespace {

// So many units of memory, behind a lock as in an allocator.
struct Units {
  void* Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (left == 0) return nullptr;
    --left;
    return this;
  }
  void Give() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++left;
    }
    retry.NotifyDealloc();
  }

  std::mutex mutex;
  int left = 0;
  AllocatorRetry retry;
};

std::int64_t MillisecondsOf(std::chrono::steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace

TEST_CASE("what succeeds is tried once") {
  Units units;
  units.left = 1;
  int tries = 0;
  CHECK(units.retry.AllocateRaw(
            [&](bool is_last) {
              CHECK_FALSE(is_last);
              ++tries;
              return units.Take();
            },
            10000) == &units);
  CHECK(tries == 1);
}

TEST_CASE("when the time is over there is one last try") {
  Units units;
  int tries = 0, last_tries = 0;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(units.retry.AllocateRaw(
            [&](bool is_last) {
              ++tries;
              if (is_last) ++last_tries;
              return units.Take();
            },
            30) == nullptr);
  CHECK(MillisecondsOf(std::chrono::steady_clock::now() - begin) >= 30);
  CHECK(tries == 2);
  CHECK(last_tries == 1);
}

TEST_CASE("memory that another thread gives back wakes the one that waits") {
  Units units;
  std::atomic<bool> tried{false};
  std::thread giver([&] {
    while (!tried.load()) std::this_thread::yield();
    units.Give();
  });
  const auto begin = std::chrono::steady_clock::now();
  void* const ptr = units.retry.AllocateRaw(
      [&](bool) {
        void* const got = units.Take();
        tried = true;
        return got;
      },
      60000);
  giver.join();
  CHECK(ptr == &units);
  CHECK(MillisecondsOf(std::chrono::steady_clock::now() - begin) < 30000);
}

TEST_CASE("many threads share one unit and none is forgotten") {
  Units units;
  units.left = 1;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        if (units.retry.AllocateRaw([&](bool) { return units.Take(); }, 60000) == nullptr) {
          ++failures;
        } else {
          units.Give();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(units.left == 1);
}
}  // namespace allocator_retry_test

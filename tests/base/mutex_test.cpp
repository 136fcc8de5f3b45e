// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/mutex.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>

namespace mutex_test {
using tenon::ConditionVariable;
using tenon::Mutex;
using tenon::MutexLock;
using tenon::SteadyNanoseconds;

namespace {

// Four threads increment a plain counter under the lock.
int CountTogether() {
  Mutex lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        MutexLock hold(lock);
        ++count;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  return count;
}

}  // namespace

TEST_CASE("a mutex lets one thread in at a time") { CHECK(CountTogether() == 20000); }

TEST_CASE("a mutex that is held cannot be taken again") {
  Mutex mutex;
  CHECK(mutex.try_lock());
  bool taken = true;
  std::thread([&] { taken = mutex.try_lock(); }).join();
  CHECK_FALSE(taken);
  mutex.unlock();
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("a lock moves, and may be let go and taken again") {
  Mutex mutex;
  MutexLock none;
  CHECK_FALSE(none.owns_lock());
  MutexLock lock(mutex);
  CHECK(lock.owns_lock());
  CHECK(lock.mutex() == &mutex);
  lock.unlock();
  CHECK_FALSE(lock.owns_lock());
  CHECK(mutex.try_lock());
  mutex.unlock();
  lock.lock();
  MutexLock moved(std::move(lock));
  CHECK_FALSE(lock.owns_lock());
  CHECK(moved.owns_lock());
  Mutex other;
  moved = MutexLock(other);  // lets go of the first
  CHECK(mutex.try_lock());
  mutex.unlock();
  CHECK(moved.mutex() == &other);
  none = std::move(moved);
  CHECK(none.owns_lock());
  CHECK_FALSE(moved.owns_lock());
}

TEST_CASE("a condition variable wakes one who waits, or all") {
  for (const bool all : {false, true}) {
    Mutex mutex;
    ConditionVariable changed;
    int ready = 0, woken = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        MutexLock lock(mutex);
        while (ready == 0) changed.wait(lock);
        --ready;
        ++woken;
      });
    }
    {
      const MutexLock lock(mutex);
      if (all) ready = 3;
    }
    changed.notify_all();
    for (int t = 0; t < 3 && !all; ++t) {
      const MutexLock lock(mutex);
      ++ready;
      changed.notify_one();
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(woken == 3);
    CHECK(ready == 0);
  }
}

TEST_CASE("a wait ends at its deadline, at once where that is past") {
  Mutex mutex;
  ConditionVariable never;
  MutexLock lock(mutex);
  for (const std::int64_t milliseconds : {20, 0, -1000}) {
    const std::int64_t deadline = SteadyNanoseconds() + milliseconds * 1'000'000;
    while (never.wait_until(lock, deadline)) {
    }
    CHECK(SteadyNanoseconds() >= deadline);
    CHECK(lock.owns_lock());
  }
  while (never.wait_until(lock, INT64_MIN)) {
  }
}

TEST_CASE("a wait with a far deadline ends when it is woken") {
  Mutex mutex;
  ConditionVariable changed;
  bool ready = false, in_time = true;
  std::thread waiter([&] {
    MutexLock lock(mutex);
    while (!ready && in_time) in_time = changed.wait_until(lock, INT64_MAX);
  });
  {
    const MutexLock lock(mutex);
    ready = true;
    changed.notify_one();
  }
  waiter.join();
  CHECK(in_time);
}
}  // namespace mutex_test

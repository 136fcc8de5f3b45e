// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/spin_lock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace spin_lock_test {
using tenon::SpinLock;
using tenon::SpinLockHolder;

namespace {

// Four threads increment a plain counter under the lock.
int CountTogether() {
  SpinLock lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        SpinLockHolder hold(lock);
        ++count;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  return count;
}

}  // namespace

TEST_CASE("a spin lock lets one thread in at a time") { CHECK(CountTogether() == 20000); }

TEST_CASE("a spin lock that is held cannot be taken again") {
  SpinLock lock;
  CHECK(lock.try_lock());
  CHECK_FALSE(lock.try_lock());
  lock.unlock();
  CHECK(lock.try_lock());
  lock.unlock();
}

TEST_CASE("the next holder of a spin lock may destroy it") {
  for (int i = 0; i < 200; ++i) {
    auto lock = std::make_unique<SpinLock>();
    lock->lock();
    std::thread first([raw = lock.get()] { raw->unlock(); });
    lock->lock();
    lock->unlock();
    lock.reset();
    first.join();
  }
}

TEST_CASE("a spin lock that is held for long is waited for") {
  SpinLock lock;
  lock.lock();
  bool was_held = false;
  std::thread waiter([&] {
    was_held = !lock.try_lock();
    if (was_held) lock.lock();
    lock.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // past the rounds and into the naps
  lock.unlock();
  waiter.join();
  CHECK(was_held);
  CHECK(lock.try_lock());
  lock.unlock();
}
}  // namespace spin_lock_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/mutex.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using tenon::Mutex;
using tenon::MutexLock;

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

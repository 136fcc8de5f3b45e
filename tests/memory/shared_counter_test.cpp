// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/shared_counter.hpp>

#include <doctest/doctest.h>

#include <thread>

namespace shared_counter_test {
using namespace tenon;

TEST_SUITE("SharedCounter") {
  TEST_CASE("ticks once for each event, from any thread") {
    SharedCounter counter;
    CHECK(counter.get() == 0);
    CHECK(counter.next() == 1);
    CHECK(counter.get() == 1);
    std::thread other([&] {
      for (int i = 0; i < 1000; ++i) counter.next();
    });
    for (int i = 0; i < 1000; ++i) counter.next();
    other.join();
    CHECK(counter.get() == 2001);
  }
}
}  // namespace shared_counter_test

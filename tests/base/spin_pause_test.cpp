// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/spin_pause.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace spin_pause_test {
TEST_CASE("a waiting loop sees what another thread writes") {
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      while (turn.load() != 2 * i + 1) tenon::detail::SpinPause();
      turn.store(2 * i + 2);
    }
  });
  for (int i = 0; i < 100; ++i) {
    turn.store(2 * i + 1);
    while (turn.load() != 2 * i + 2) tenon::detail::SpinPause();
  }
  other.join();
  CHECK(turn.load() == 200);
}
}  // namespace spin_pause_test

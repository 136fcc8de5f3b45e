// SPDX-License-Identifier: Apache-2.0
#pragma once
// Growth: how much longer something takes that is four times as large. About 4 where the time is linear, 16 where it is
// quadratic.

#include <algorithm>
#include <ctime>

namespace growth_test {

inline constexpr double kLinear = 8;  // more is not linear

// Calls run(size) for `size` and 4 * `size`, by turns, and returns the ratio of the shortest processor times. Goes on,
// for a few turns, while the ratio is not linear: another program may have emptied the caches.
template <class Run>
double Growth(int size, const Run& run) {
  const auto time = [&run](int n) {
    const std::clock_t start = std::clock();
    run(n);
    return std::clock() - start;
  };
  std::clock_t small = time(size), large = time(4 * size);
  const auto ratio = [&] { return static_cast<double>(large) / static_cast<double>(std::max<std::clock_t>(small, 1)); };
  for (int turn = 0; turn < 2 || (turn < 12 && ratio() >= kLinear); ++turn) {
    small = std::min(small, time(size));
    large = std::min(large, time(4 * size));
  }
  return ratio();
}

}  // namespace growth_test

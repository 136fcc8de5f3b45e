// SPDX-License-Identifier: Apache-2.0
#pragma once
// Growth: how much longer something takes that is four times as large. About 4 where the time is linear, 16 where it is
// quadratic.

#include <algorithm>
#include <ctime>

namespace growth_test {

inline constexpr double kLinear = 8;  // more is not linear

// run(size) for `size` and 4 * `size`, by turns: the ratio of the shortest times that the process computed.
template <class Run>
double Growth(int size, const Run& run) {
  const auto time = [&run](int n) {
    const std::clock_t start = std::clock();
    run(n);
    return std::clock() - start;
  };
  std::clock_t small = time(size), large = time(4 * size);
  for (int i = 0; i < 2; ++i) {
    small = std::min(small, time(size));
    large = std::min(large, time(4 * size));
  }
  return static_cast<double>(large) / static_cast<double>(std::max<std::clock_t>(small, 1));
}

}  // namespace growth_test

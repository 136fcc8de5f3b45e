// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/engine/reduce/scan.hpp>

#include <doctest/doctest.h>

namespace scan_test {
using namespace tenon;

TEST_SUITE("Scan") {
  TEST_CASE("along the middle axis, each way") {
    constexpr Index outer = 2, n = 4, inner = 3;
    std::vector<std::uint32_t> x, y(outer * n * inner);
    for (Index i = 0; i < outer * n * inner; ++i) x.push_back(static_cast<std::uint32_t>(i * i % 11));
    Cpu device;
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        CHECK(Scan(device, detail::MakeScanLoop<ScanSum, std::uint32_t>(), x.data(), y.data(), outer, n, inner,
                   exclusive, reverse)
                  .ok());
        for (Index o = 0; o < outer; ++o)
          for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < inner; ++j) {
              std::uint32_t sum = 0;
              for (Index p = 0; p < n; ++p) {
                const bool before = reverse ? p > i : p < i;
                if (before || (p == i && !exclusive)) sum += x[static_cast<std::size_t>((o * n + p) * inner + j)];
              }
              CHECK(y[static_cast<std::size_t>((o * n + i) * inner + j)] == sum);
            }
      }
  }
  TEST_CASE("half is rounded at every step") {
    const std::vector<half> x = {half(2048.0f), half(1.0f), half(1.0f)};
    std::vector<half> y(3);
    Cpu device;
    CHECK(Scan(device, detail::MakeScanLoop<ScanSum, half>(), x.data(), y.data(), 1, 3, 1, false, false).ok());
    CHECK(static_cast<float>(y[2]) == 2048.0f);
  }
  TEST_CASE("log of the sum of exponentials") {  // TensorFlow 2.21's answers
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x = {1, nan, 2};
    std::vector<float> y(3);
    Cpu device;
    const ScanLoop loop = detail::MakeScanLoop<ScanLogSumExp, float>();
    CHECK(Scan(device, loop, x.data(), y.data(), 1, 3, 1, false, false).ok());
    CHECK(y[0] == 1.0f);
    CHECK(y[1] == doctest::Approx(1.6931472));
    CHECK(y[2] == doctest::Approx(2.5514448));
    CHECK(Scan(device, loop, x.data(), y.data(), 1, 3, 1, true, false).ok());
    CHECK(y[0] == -std::numeric_limits<float>::infinity());
  }
}
}  // namespace scan_test

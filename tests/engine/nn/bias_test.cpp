// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/bias.hpp>

#include <complex>
#include <cstdint>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace bias_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("biases") {
  TEST_CASE_TEMPLATE("are added and summed up per channel", T, float, double, half, bfloat16, std::int8_t,
                     std::uint16_t, std::int32_t, std::int64_t, std::complex<float>) {
    ThreadPool pool(3, "test");
    for (ThreadPoolInterface* threads :
         {static_cast<ThreadPoolInterface*>(nullptr), static_cast<ThreadPoolInterface*>(&pool)}) {
      Cpu device{.pool = threads};
      constexpr Index kOuter = 5, kChannels = 3, kInner = 4;
      const std::vector<T> x = RandomVector<T>(kOuter * kChannels * kInner, 1, std::is_unsigned_v<T> ? 0 : -2, 2),
                           bias = RandomVector<T>(kChannels, 2);
      std::vector<T> sums(kChannels), y(x.size());
      REQUIRE(SumChannels(device, dtype_of_v<T>, x.data(), kOuter, kChannels, kInner, sums.data()).ok());
      AddBias(device, dtype_of_v<T>, x.data(), bias.data(), kOuter * kInner, kChannels, y.data());
      for (std::size_t c = 0; c < kChannels; ++c) {
        double want = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
          if (i / kInner % kChannels == c) want += ToDouble(x[i]);
        CHECK(std::abs(ToDouble(sums[c]) - want) <= 40 * RoundingUnit<T>());
      }
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(std::abs(ToDouble(y[i]) - (ToDouble(x[i]) + ToDouble(bias[i % kChannels]))) <= 6 * RoundingUnit<T>());
    }
  }
  TEST_CASE("integers wrap around; no rows give zeros") {
    Cpu device;
    const std::int8_t x[] = {100, 100};
    std::int8_t sum = 0;
    REQUIRE(SumChannels(device, DataType::kInt8, x, 2, 1, 1, &sum).ok());
    CHECK(sum == -56);
    REQUIRE(SumChannels(device, DataType::kInt8, nullptr, 0, 1, 1, &sum).ok());
    CHECK(sum == 0);
  }
}
}  // namespace bias_test

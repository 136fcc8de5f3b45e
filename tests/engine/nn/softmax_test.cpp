// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/softmax.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace softmax_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

// Compares with double: a few roundings of the type it is computed in, one of the result.
template <class T>
bool SoftmaxIsRight(Cpu device, Index rows, Index columns, double range, bool in_place = false) {
  const std::vector<T> x = RandomVector<T>(rows * columns, 4, -range, range);
  std::vector<T> y = in_place ? x : std::vector<T>(x.size(), testing::FromDouble<T>(9));
  if (!Softmax<T>(device, in_place ? y.data() : x.data(), y.data(), rows, columns).ok()) return false;
  constexpr double kUnit = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
  for (Index r = 0; r < rows; ++r) {
    double most = -INFINITY, sum = 0;
    for (Index c = 0; c < columns; ++c)
      most = std::fmax(most, testing::ToDouble(x[static_cast<std::size_t>(r * columns + c)]));
    for (Index c = 0; c < columns; ++c)
      sum += std::exp(testing::ToDouble(x[static_cast<std::size_t>(r * columns + c)]) - most);
    for (Index c = 0; c < columns; ++c) {
      const double shifted = testing::ToDouble(x[static_cast<std::size_t>(r * columns + c)]) - most;
      const double want = std::exp(shifted) / sum;
      const double got = testing::ToDouble(y[static_cast<std::size_t>(r * columns + c)]);
      // The difference to the largest is rounded as well; the sum is that of many.
      const double allowed = want * (kUnit * (12 + std::abs(shifted) + 0.02 * static_cast<double>(columns)) +
                                     1.001 * testing::RoundingUnit<T>());
      const double smallest = std::is_same_v<T, half> ? 0x1p-25 : 1.2e-38;
      if (!(std::abs(got - want) <= allowed + smallest)) return false;
    }
  }
  return true;
}

std::vector<float> Row(std::vector<float> x) {
  Cpu device;
  REQUIRE(Softmax<float>(device, x.data(), x.data(), 1, static_cast<Index>(x.size())).ok());
  return x;
}

}  // namespace

TEST_SUITE("Softmax") {
  TEST_CASE_TEMPLATE("agrees with the formula, for rows of any length", T, float, double, half, bfloat16) {
    for (const Index columns : {1, 2, 3, 4, 7, 10, 16, 17, 33, 100, 1001}) {
      CAPTURE(columns);
      CHECK(SoftmaxIsRight<T>(Cpu{}, 3, columns, 5));
      CHECK(SoftmaxIsRight<T>(Cpu{}, 3, columns, 60));
      CHECK(SoftmaxIsRight<T>(Cpu{}, 2, columns, 5, true));
    }
  }

  TEST_CASE_TEMPLATE("several threads give the same", T, float, half) {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    CHECK(SoftmaxIsRight<T>(device, 500, 300, 8));
  }

  TEST_CASE("large values do not overflow") {
    CHECK(Row({1000, 0}) == std::vector<float>{1, 0});
    CHECK(Row({3e38f, 3e38f}) == std::vector<float>{0.5f, 0.5f});
    CHECK(Row({-3e38f}) == std::vector<float>{1});
    const float lowest = -std::numeric_limits<float>::infinity();
    CHECK(Row({lowest, 1}) == std::vector<float>{0, 1});
  }

  TEST_CASE("NaN, infinity and nothing but minus infinity make the whole row NaN") {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const Index n : {Index{2}, Index{40}}) {
      for (const auto& [first, rest] :
           {std::pair{infinity, 1.f}, std::pair{nan, 1.f}, std::pair{1.f, nan}, std::pair{-infinity, -infinity}}) {
        std::vector<float> x(static_cast<std::size_t>(n), rest);
        x[0] = first;
        for (const float y : Row(x)) CHECK(std::isnan(y));
      }
    }
  }

  TEST_CASE("nothing in, nothing out") {
    Cpu device;
    CHECK(Softmax<float>(device, nullptr, nullptr, 0, 5).ok());
    CHECK(Softmax<half>(device, nullptr, nullptr, 2, 0).ok());
  }

  TEST_CASE("says so when there is no scratch memory") {
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    std::vector<half> x(10);
    CHECK(Softmax<half>(device, x.data(), x.data(), 2, 5).ok());
    CHECK(allocator.bytes_in_use() == 0);
    allocator.FailAllocations(1);
    CHECK(Softmax<half>(device, x.data(), x.data(), 2, 5).code() == Code::kResourceExhausted);
  }
}
}  // namespace softmax_test

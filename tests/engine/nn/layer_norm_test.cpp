// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/layer_norm.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace layer_norm_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

struct Options {
  double middle = 0;  // of the numbers
  bool scales = true, shifts = true, in_place = false;
};

// Compares with double. Guard elements stand behind the operands.
template <class T>
bool LayerNormIsRight(Cpu device, Index rows, Index columns, const Options& options = {}) {
  using R = detail::RowType<T>;
  constexpr double kEpsilon = 1e-3;
  const Index n = rows * columns;
  const std::vector<T> x = RandomVector<T>(n, 4, options.middle - 2, options.middle + 2);
  std::vector<T> y = options.in_place ? x : std::vector<T>(x.size());
  y.push_back(testing::FromDouble<T>(77));
  const std::vector<R> scale = RandomVector<R>(columns, 5), shift = RandomVector<R>(columns, 6);
  if (!LayerNorm<T>(device, options.in_place ? y.data() : x.data(), options.scales ? scale.data() : nullptr,
                    options.shifts ? shift.data() : nullptr, R(kEpsilon), y.data(), rows, columns)
           .ok())
    return false;
  constexpr double kUnit = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
  for (Index r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    const auto at = [&](Index c) { return testing::ToDouble(x[At(r * columns + c)]); };
    for (Index c = 0; c < columns; ++c) mean += at(c) / static_cast<double>(columns);
    for (Index c = 0; c < columns; ++c) variance += (at(c) - mean) * (at(c) - mean) / static_cast<double>(columns);
    const double factor = 1 / std::sqrt(variance + kEpsilon);
    for (Index c = 0; c < columns; ++c) {
      const double by = options.scales ? static_cast<double>(scale[At(c)]) : 1;
      const double plus = options.shifts ? static_cast<double>(shift[At(c)]) : 0;
      const double want = (at(c) - mean) * factor * by + plus;
      // The mean's error, a rounding for each 64 columns and a few, counts `factor` times.
      const double of_mean = (std::abs(options.middle) + 2) * (8 + static_cast<double>(columns) / 64) * factor;
      const double allowed =
          kUnit * (1 + std::abs(by)) * (of_mean + 20) + 1.001 * testing::RoundingUnit<T>() * std::abs(want);
      if (!(std::abs(testing::ToDouble(y[At(r * columns + c)]) - want) <= allowed)) return false;
    }
  }
  return testing::ToDouble(y[At(n)]) == 77;
}

}  // namespace

TEST_SUITE("LayerNorm") {
  TEST_CASE_TEMPLATE("agrees with the formula, for rows of any length", T, float, double, half, bfloat16) {
    for (Index columns = 1; columns <= 70; ++columns) {
      CAPTURE(columns);
      CHECK(LayerNormIsRight<T>({}, 3, columns));
    }
    for (const Index columns : {127, 128, 129, 768, 1000}) {
      CAPTURE(columns);
      CHECK(LayerNormIsRight<T>({}, 2, columns));
      CHECK(LayerNormIsRight<T>({}, 2, columns, {.in_place = true}));
      CHECK(LayerNormIsRight<T>({}, 2, columns, {.scales = false}));
      CHECK(LayerNormIsRight<T>({}, 2, columns, {.scales = false, .shifts = false}));
      CHECK(LayerNormIsRight<T>({}, 2, columns, {.shifts = false}));
    }
  }

  TEST_CASE_TEMPLATE("a mean far from zero does not swallow the variance", T, float, double) {
    CHECK(LayerNormIsRight<T>({}, 2, 768, {.middle = 1000}));
    CHECK(LayerNormIsRight<T>({}, 2, 33, {.middle = -1000}));
  }

  TEST_CASE_TEMPLATE("several threads give the same", T, float, half) {
    ThreadPool pool(3, "test");
    CHECK(LayerNormIsRight<T>({.pool = &pool}, 500, 300));
  }

  TEST_CASE("a constant row becomes the shift; NaN and infinity make NaNs of their row") {
    std::vector<float> x(60, 3.f), y(60);
    const std::vector<float> shift(20, 7.f);
    x[25] = std::numeric_limits<float>::quiet_NaN();
    x[59] = std::numeric_limits<float>::infinity();
    Cpu device;
    REQUIRE(LayerNorm<float>(device, x.data(), nullptr, shift.data(), 1e-3f, y.data(), 3, 20).ok());
    for (std::size_t i = 0; i < 20; ++i) CHECK(y[i] == 7);
    for (std::size_t i = 20; i < 60; ++i) CHECK(std::isnan(y[i]));
  }

  TEST_CASE("nothing in, nothing out; says so when there is no scratch memory") {
    Cpu device;
    CHECK(LayerNorm<float>(device, nullptr, nullptr, nullptr, 1e-3f, nullptr, 0, 5).ok());
    CHECK(LayerNorm<half>(device, nullptr, nullptr, nullptr, 1e-3f, nullptr, 2, 0).ok());
    TrackingAllocator allocator(CpuAllocator());
    device.allocator = &allocator;
    std::vector<half> x(10);
    allocator.FailAllocations(1);
    CHECK(LayerNorm<half>(device, x.data(), nullptr, nullptr, 1e-3f, x.data(), 2, 5).code() ==
          Code::kResourceExhausted);
    CHECK(allocator.bytes_in_use() == 0);
  }
}
}  // namespace layer_norm_test

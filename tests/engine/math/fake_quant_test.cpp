// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/fake_quant.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace engine_fake_quant_test {
using namespace tenon;

TEST_SUITE("FakeQuantRange") {
  TEST_CASE("many elements at a time have the bits of one alone") {
    const float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> x{kInfinity, -kInfinity, 0.0f, -0.0f, 1e30f, -1e-30f};
    for (int i = -2000; i < 2000; ++i) x.push_back(static_cast<float>(i) * 0.0043f);
    std::vector<float> y(x.size());
    for (const bool divides : {false, true})
      for (const std::int64_t bits : {2, 8, 16})
        for (const float high : {0.0f, 0.7f, 6.0f}) {
          const FakeQuantRange range(high > 1 ? 0.0f : -high, high, bits, true, divides);
          detail::FakeQuantPart(range, x.data(), y.data(), static_cast<Index>(x.size()));
          Index other = 0;
          for (std::size_t i = 0; i < x.size(); ++i)
            if (std::signbit(y[i]) != std::signbit(range(x[i])) || y[i] != range(x[i])) ++other;
          CHECK(other == 0);
        }
    std::fill(x.begin(), x.end(), std::nanf(""));
    detail::FakeQuantPart(FakeQuantRange(0, 6, 8, false, true), x.data(), y.data(), static_cast<Index>(x.size()));
    CHECK(std::isnan(y[0]));
    CHECK(std::isnan(y[9]));
  }
  TEST_CASE("a range is moved until 0 is one of its steps") {
    // [-1, 2] in 15 steps of .2: 0 is the fifth.
    const FakeQuantRange even(-1, 2, 4, false, true);
    CHECK(std::abs(even.scale - .2f) < 1e-7f);
    CHECK(even.zero == 5);
    CHECK(even(0) == 0);
    CHECK(std::abs(even(.29f) - .2f) < 1e-6f);
    CHECK(std::abs(even(.31f) - .4f) < 1e-6f);
    CHECK(even(100) == even.high);
    CHECK(even(-100) == even.low);
    // [-.1, 1.4] of 15 steps of .1, narrow 14: the point 1 + .1 / .107 is rounded to 2.
    const FakeQuantRange narrow(-.1f, 1.4f, 4, true, true);
    CHECK(std::abs(narrow.scale - 1.5f / 14) < 1e-7f);
    CHECK(std::abs(narrow.low + 1.5f / 14) < 1e-7f);
    // A range above 0 begins there, one below ends there.
    const FakeQuantRange above(1, 4, 2, false, false), below(-4, -1, 2, false, false);
    CHECK(above.low == 0);
    CHECK(above.high == 3);
    CHECK(below.low == -3);
    CHECK(below.high == 0);
  }
  TEST_CASE("everything in a range of nothing is 0, and NaN stays itself in another") {
    const FakeQuantRange zero(0, 0, 8, false, true);
    CHECK(zero(17) == 0);
    CHECK(zero(std::nanf("")) == 0);
    CHECK(std::isnan(FakeQuantRange(-1, 1, 8, false, true)(std::nanf(""))));
  }
  TEST_CASE("several threads give the numbers of one") {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    const FakeQuantRange range(-1, 2, 8, false, false);
    std::vector<float> x(100'000), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 5e-5f - 2;
    FakeQuantRun(device, range, x.data(), y.data(), static_cast<Index>(x.size()));
    Index other = 0;
    for (std::size_t i = 0; i < x.size(); ++i) other += y[i] == range(x[i]) ? 0 : 1;
    CHECK(other == 0);
  }
}
}  // namespace engine_fake_quant_test

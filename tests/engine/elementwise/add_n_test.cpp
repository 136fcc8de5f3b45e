// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/add_n.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/guarded.hpp"
#include "engine/support.hpp"

namespace accumulate_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Plus {
  template <class T>
  TENON_HD static T map(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
};

// The sum of `count` runs of n elements each, all at odd addresses; in_place: into the first.
template <class T>
bool SumIsRight(Cpu device, std::size_t count, Index n, bool in_place) {
  std::vector<Guarded> runs(count, Guarded(n, sizeof(T), 1));
  std::vector<T> want;
  std::vector<const void*> inputs;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<T> numbers = RandomVector<T>(n, k + 1);
    std::copy(numbers.begin(), numbers.end(), runs[k].template as<T>());
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (k == 0)
        want.push_back(numbers[at]);
      else
        want[at] = Plus::map(want[at], numbers[at]);
    }
    inputs.push_back(runs[k].data());
  }
  Guarded other(n, sizeof(T), 3);
  Guarded& out = in_place ? runs[0] : other;
  if (!Accumulate(device, kBinaryLoops<Plus, T>, nullptr, inputs, out.data(), n).ok()) return false;
  for (const Guarded& run : runs)
    if (!run.IsIntact()) return false;
  return other.IsIntact() && std::equal(want.begin(), want.end(), out.template as<T>());
}

}  // namespace

TEST_SUITE("Accumulate") {
  TEST_CASE_TEMPLATE("adds from the first to the last, into another place or the first", T, float, double,
                     std::int32_t) {
    for (const std::size_t count : {1u, 2u, 3u, 7u})
      for (Index n = 0; n <= 70; ++n)
        CHECK_UNARY((SumIsRight<T>({}, count, n, false) && SumIsRight<T>({}, count, n, true)));
    for (const Index n : {4095, 4096, 4097, 40000}) CHECK_UNARY(SumIsRight<T>({}, 4, n, true));
  }
  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    CHECK_UNARY(SumIsRight<float>({.pool = &pool}, 5, 300001, false));
    CHECK_UNARY(SumIsRight<float>({.pool = &pool}, 5, 300001, true));
  }
  TEST_CASE("one memory several times counts as often") {
    for (const std::size_t count : {2u, 3u, 5u}) {
      std::vector<std::int32_t> x = {1, std::numeric_limits<std::int32_t>::min(), 7}, out(3);
      const std::vector<const void*> inputs(count, x.data());
      Cpu device;
      REQUIRE(Accumulate(device, kBinaryLoops<Plus, std::int32_t>, nullptr, inputs, out.data(), 3).ok());
      const auto times = static_cast<std::int32_t>(count);
      CHECK(out == std::vector<std::int32_t>{times, count % 2 == 0 ? 0 : x[1], 7 * times});
    }
  }
}

TEST_SUITE("SumOfSquares") {
  TEST_CASE_TEMPLATE("agrees with a plain sum in double", T, float, double, half, bfloat16) {
    for (Index n = 0; n <= 70; ++n) {
      const std::vector<T> x = RandomVector<T>(n, 5);
      double want = 0;
      for (const T& v : x) want += ToDouble(v) * ToDouble(v);
      CHECK(SumOfSquares(x.data(), n) == doctest::Approx(want).epsilon(1e-13));
    }
  }
  TEST_CASE("squares of large floats do not run over; NaN spreads") {
    const float large[2] = {3e38f, 3e38f}, odd[9] = {1, 2, 3, 4, 5, 6, 7, 8, NAN};
    CHECK(SumOfSquares(large, 2) == doctest::Approx(1.8e77));
    CHECK(std::isnan(SumOfSquares(odd, 9)));
    CHECK(SumOfSquares(odd, 8) == 204);
  }
}
}  // namespace accumulate_test

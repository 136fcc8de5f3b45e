// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/cumulative.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/support.hpp"

namespace math_cumulative_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Flags(bool exclusive, bool reverse) { return {{"exclusive", exclusive}, {"reverse", reverse}}; }
// The running results of step(result so far, next) along the middle of [outer, n, inner].
template <class Step>
std::vector<double> Looped(const std::vector<double>& x, std::size_t outer, std::size_t n, std::size_t inner,
                           bool exclusive, bool reverse, double first, const Step& step) {
  std::vector<double> out(x.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      double sum = first;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t at = (o * n + (reverse ? n - 1 - k : k)) * inner + i;
        if (exclusive) out[at] = sum;
        sum = step(sum, x[at]);
        if (!exclusive) out[at] = sum;
      }
    }
  return out;
}

}  // namespace

TEST_SUITE("running sums and products") {
  TEST_CASE_TEMPLATE("are what a loop finds, from either end, with or without the element itself", T, float, double,
                     std::int32_t, std::uint8_t) {
    const Tensor x = Random<T>({2, 9, 3}, 1, 0, 3);
    const std::vector<double> numbers = Numbered<T>(x);
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const std::vector<double> sums = Numbered<T>(Run<ops::Cumsum>(Flags(exclusive, reverse), {x, Int(1)}));
        const std::vector<double> want = Looped(numbers, 2, 9, 3, exclusive, reverse, 0, std::plus<double>());
        for (std::size_t i = 0; i < want.size(); ++i)
          CHECK(std::abs(sums[i] - want[i]) <= 9 * 27 * (std::is_integral_v<T> ? 0 : 0x1p-24));
        const std::vector<double> products = Numbered<T>(Run<ops::Cumprod>(Flags(exclusive, reverse), {x, Int(-2)}));
        const auto times = [](double a, double b) {
          return std::is_same_v<T, std::uint8_t> ? std::fmod(a * b, 256) : a * b;
        };
        const std::vector<double> of = Looped(numbers, 2, 9, 3, exclusive, reverse, 1, times);
        for (std::size_t i = 0; i < of.size(); ++i)
          CHECK(std::abs(products[i] - of[i]) <= 9 * (std::is_integral_v<T> ? 0 : 0x1p-24) * std::abs(of[i]));
      }
  }
  TEST_CASE("the log of running sums of exp is what double finds, where exp itself overflows, too") {
    const Tensor x = Make<float>({6}, {1000, -2000, 1000.5, 3, -kInfinity, 1001});
    const auto step = [](double sum, double v) {
      const double most = std::max(sum, v);
      return most == -kInfinity ? most : most + std::log(std::exp(sum - most) + std::exp(v - most));
    };
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const std::vector<double> got =
            Numbered<float>(Run<ops::CumulativeLogsumexp>(Flags(exclusive, reverse), {x, Int(0)}));
        const std::vector<double> want = Looped(Numbered<float>(x), 1, 6, 1, exclusive, reverse, -kInfinity, step);
        for (std::size_t i = 0; i < 6; ++i)
          CHECK((got[i] == want[i] || std::abs(got[i] - want[i]) <= 4 * 1001 * 0x1p-24));
        if (exclusive) CHECK(got[reverse ? 5 : 0] == -kInfinity);
      }
  }
  TEST_CASE("integers wrap, and NaN stays") {
    const Tensor x = MakeTensor<std::int8_t>({3}, {100, 100, 100});
    CHECK(Numbered<std::int8_t>(Run<ops::Cumsum>({}, {x, Int(0)})) == std::vector<double>{100, -56, 44});
    CHECK(Numbered<std::int8_t>(Run<ops::Cumprod>({}, {x, Int(0)})) == std::vector<double>{100, 16, 64});
    const std::vector<double> y = Numbered<float>(Run<ops::Cumsum>({}, {Make<float>({3}, {1, kNaN, 2}), Int(0)}));
    CHECK(y[0] == 1);
    CHECK((std::isnan(y[1]) && std::isnan(y[2])));
  }
  TEST_CASE("long rows on two threads are what one thread makes of them") {
    const Tensor x = Random<double>({300, 1000}, 2);
    const Tensor one = Run<ops::Cumsum>({}, {x, Int(1)}, {.intra_op_threads = 1});
    CHECK_UNARY(SameTensor(one, Run<ops::Cumsum>({}, {x, Int(1)}, {.intra_op_threads = 2})));
    const Tensor down = Run<ops::Cumsum>({}, {x, Int(0)}, {.intra_op_threads = 1});
    CHECK_UNARY(SameTensor(down, Run<ops::Cumsum>({}, {x, Int(0)}, {.intra_op_threads = 2})));
  }
  TEST_CASE("nothing, and axes that there are not") {
    CHECK(Run<ops::Cumprod>({}, {Tensor(DataType::kFloat, {0, 3}), Int(0)}).shape() == TensorShape({0, 3}));
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::Cumsum>({}, {x, Int(2)}) ==
          "INVALID_ARGUMENT: Cumsum: ScanOp: Expected scan axis in the range [-2, 2), but got 2");
    CHECK(ErrorOf<ops::CumulativeLogsumexp>({}, {x, Int(-3)}) ==
          "INVALID_ARGUMENT: CumulativeLogsumexp: ScanOp: Expected scan axis in the range [-2, 2), but got -3");
    CHECK(ErrorOf<ops::Cumprod>({}, {x, Ints({0})}) ==
          "INVALID_ARGUMENT: Cumprod: ScanOp: axis must be a scalar, not [1]");
  }
}
}  // namespace math_cumulative_test

// SPDX-License-Identifier: Apache-2.0
// Against sums of long double.
#include <tenon/engine/reduce/log_sum_exp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/axes.hpp"
#include "engine/support.hpp"

namespace log_sum_exp_test {
using namespace tenon;
using tenon::testing::Axes;
using tenon::testing::RandomVector;

namespace {

// One number for each output, of [rows, n, columns] over the middle.
template <class T>
std::vector<T> Wanted(const std::vector<T>& x, Index rows, Index n, Index columns) {
  std::vector<T> wanted;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const auto at = [&](Index i) { return x[static_cast<std::size_t>((r * n + i) * columns + c)]; };
      long double most = -std::numeric_limits<long double>::infinity(), sum = 0;
      for (Index i = 0; i < n; ++i) most = std::max(most, static_cast<long double>(at(i)));
      for (Index i = 0; i < n; ++i) sum += std::exp(static_cast<long double>(at(i)) - most);
      wanted.push_back(static_cast<T>(std::log(sum) + most));
    }
  }
  return wanted;
}
template <class T>
bool IsNear(const std::vector<T>& got, const std::vector<T>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!(std::abs(got[i] - wanted[i]) <= 16 * std::numeric_limits<T>::epsilon() * std::max(T(1), std::abs(wanted[i]))))
      return false;
  return got.size() == wanted.size();
}
template <class T>
T Of(std::vector<T> x) {
  T out = T(-77);
  Cpu device;
  REQUIRE(LogSumExp(device, x.data(), TensorShape({static_cast<Index>(x.size())}), Axes({0}), &out).ok());
  return out;
}

}  // namespace

TEST_SUITE("LogSumExp") {
  TEST_CASE_TEMPLATE("over the middle, the ends, all and none, on any number of threads", T, float, double) {
    ThreadPool pool(3, "sums");
    for (const auto& [rows, n, columns] :
         {std::array<Index, 3>{1, 1, 1}, {3, 7, 5}, {64, 70, 1}, {1, 1000, 33}, {40, 300, 9}, {2, 20000, 3}}) {
      const std::vector<T> x = RandomVector<T>(rows * n * columns, 1);
      const TensorShape shape({rows, n, columns});
      std::vector<T> out(static_cast<std::size_t>(rows * columns)), again = out;
      Cpu one, many{.pool = &pool};
      REQUIRE(LogSumExp(one, x.data(), shape, Axes({1}), out.data()).ok());
      CHECK(IsNear(out, Wanted(x, rows, n, columns)));
      REQUIRE(LogSumExp(many, x.data(), shape, Axes({1}), again.data()).ok());
      CHECK(out == again);
      T all = 0;
      REQUIRE(LogSumExp(many, x.data(), shape, Axes({0, 1, 2}), &all).ok());
      CHECK(IsNear({all}, Wanted(x, 1, rows * n * columns, 1)));
      std::vector<T> each(x.size());
      REQUIRE(LogSumExp(one, x.data(), shape, AxisSet(), each.data()).ok());
      CHECK(IsNear(each, x));
    }
  }
  TEST_CASE_TEMPLATE("nothing overflows, and nothing is lost far below 0", T, float, double) {
    const T large = std::numeric_limits<T>::max() / 4;
    CHECK(Of<T>({large, large}) == large);
    CHECK(Of<T>({1000, 1000}) == doctest::Approx(1000 + std::log(2.0)));
    CHECK(Of<T>({-2000, -2000, -9000}) == doctest::Approx(-2000 + std::log(2.0)));
  }
  TEST_CASE_TEMPLATE("infinities, NaN, nothing", T, float, double) {
    const T infinity = std::numeric_limits<T>::infinity();
    CHECK(Of<T>({1, infinity}) == infinity);
    CHECK(Of<T>({infinity, infinity}) == infinity);
    CHECK(Of<T>({-infinity, -infinity}) == -infinity);
    CHECK(Of<T>({-infinity, 3}) == 3);
    CHECK(std::isnan(Of<T>({1, std::numeric_limits<T>::quiet_NaN(), infinity})));
    CHECK(Of<T>({}) == -infinity);
    Cpu device;
    CHECK(LogSumExp<T>(device, nullptr, TensorShape({0, 3}), Axes({1}), nullptr).ok());
  }
}
}  // namespace log_sum_exp_test

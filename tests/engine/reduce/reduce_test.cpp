// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/types/complex.hpp>

#include <doctest/doctest.h>

#include "engine/axes.hpp"
#include "engine/support.hpp"

namespace reduce_test {
using namespace tenon;
using tenon::testing::Axes;
using tenon::testing::RandomVector;
using tenon::testing::RoundingUnit;

namespace {

// For each input element, the number of the output it goes into.
std::vector<std::size_t> Targets(const TensorShape& shape, const AxisSet& axes, std::size_t* outputs) {
  std::vector<std::size_t> targets;
  *outputs = 1;
  for (int d = 0; d < shape.dims(); ++d)
    if (!axes.contains(d)) *outputs *= static_cast<std::size_t>(shape.dim_size(d));
  for (Index i = 0; i < shape.num_elements(); ++i) {
    Index rest = i, step = 1, target = 0;
    for (int d = shape.dims() - 1; d >= 0; --d) {
      if (!axes.contains(d)) {
        target += rest % shape.dim_size(d) * step;
        step *= shape.dim_size(d);
      }
      rest /= shape.dim_size(d);
    }
    targets.push_back(static_cast<std::size_t>(target));
  }
  return targets;
}

template <class Reducer, class T>
std::vector<T> Reduced(Cpu device, const std::vector<T>& x, const TensorShape& shape, const AxisSet& axes) {
  std::size_t outputs = 0;
  Targets(shape, axes, &outputs);
  std::vector<T> out(outputs);
  REQUIRE(Reduce(device, kReduceLoops<Reducer, T>, x.data(), shape, axes, out.data()).ok());
  return out;
}

template <class T>
using Wide = std::conditional_t<testing::kIsComplex<T>, complex128,
                                std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>>;
template <class T>
Wide<T> Widened(const T& x) {
  if constexpr (testing::kIsComplex<T>)
    return Wide<T>(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint64_t>(x);
  else
    return testing::ToDouble(x);
}
// `error` in rounding units of T.
template <class T>
bool Near(const T& got, const Wide<T>& want, double error) {
  if constexpr (std::is_integral_v<T>)
    return got == static_cast<T>(want);
  else
    return std::abs(Widened(got) - want) <= error * RoundingUnit<T>();
}

// Compares all five reductions with the obvious loop over all elements in double (integers: modulo 2^64).
template <class T>
bool AllAreRight(Cpu device, const TensorShape& shape, const AxisSet& axes, std::uint64_t seed) {
  const std::vector<T> x = RandomVector<T>(shape.num_elements(), seed);
  std::size_t outputs = 0;
  const std::vector<std::size_t> target = Targets(shape, axes, &outputs);
  std::vector<Wide<T>> sum(outputs, 0), prod(outputs, 1);
  std::vector<double> magnitude(outputs, 0);
  std::vector<std::int64_t> exact(outputs, 0);
  const std::size_t terms = outputs == 0 ? 0 : x.size() / outputs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[target[i]] += Widened(x[i]);
    prod[target[i]] *= Widened(x[i]);
    if constexpr (std::is_integral_v<T>)
      exact[target[i]] += static_cast<std::int64_t>(x[i]);
    else
      magnitude[target[i]] += std::abs(Widened(x[i]));
  }
  const std::vector<T> got_sum = Reduced<SumReducer>(device, x, shape, axes),
                       got_prod = Reduced<ProdReducer>(device, x, shape, axes);
  const std::vector<T> got_mean = Reduced<MeanReducer>(device, x, shape, axes);
  bool right = true;
  for (std::size_t o = 0; o < outputs; ++o) {
    // Few roundings: those of the result and of sums over some hundred partial sums.
    right = right && Near(got_sum[o], sum[o], 4 + 2 * magnitude[o]);
    if constexpr (std::is_integral_v<T>) {
      right = right && got_prod[o] == static_cast<T>(prod[o]);
      right = right && got_mean[o] == (terms == 0 ? T(0) : static_cast<T>(exact[o] / static_cast<std::int64_t>(terms)));
    } else {
      if (std::abs(prod[o]) < 1e4 && terms <= 50)
        right = right && Near(got_prod[o], prod[o], 4 + 4 * static_cast<double>(terms) * std::abs(prod[o]));
      if (terms > 0)
        right = right && Near(got_mean[o], sum[o] / static_cast<double>(terms),
                              4 + 2 * magnitude[o] / static_cast<double>(terms));
    }
  }
  if constexpr (!testing::kIsComplex<T>) {
    std::vector<T> largest(outputs, detail::MaxStep::Identity<T>()), smallest(outputs, detail::MinStep::Identity<T>());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] > largest[target[i]]) largest[target[i]] = x[i];
      if (x[i] < smallest[target[i]]) smallest[target[i]] = x[i];
    }
    right = right && Reduced<MaxReducer>(device, x, shape, axes) == largest &&
            Reduced<MinReducer>(device, x, shape, axes) == smallest;
  }
  return right;
}

}  // namespace

TEST_SUITE("reduce") {
  TEST_CASE_TEMPLATE("the largest and smallest of a run, NaN wherever it stands", T, float, double) {
    for (const Index n : {1, 3, 4, 8, 13, 33, 64, 130, 300}) {
      const std::vector<T> run = RandomVector<T>(n, 5);
      const T largest = *std::max_element(run.begin(), run.end()), least = *std::min_element(run.begin(), run.end());
      for (Index count = 1; count <= 6; ++count) {
        std::vector<T> x;
        for (Index k = 0; k < count; ++k) x.insert(x.end(), run.begin(), run.end());
        const std::vector<T> same(static_cast<std::size_t>(count), largest);
        CHECK(Reduced<MaxReducer, T>(Cpu{}, x, {count, n}, Axes({1})) == same);
        CHECK(Reduced<MinReducer, T>(Cpu{}, x, {count, n}, Axes({1}))[0] == least);
        for (Index i = 0; i < n; ++i) {
          x[static_cast<std::size_t>((count - 1) * n + i)] = std::numeric_limits<T>::quiet_NaN();
          CHECK(std::isnan(Reduced<MaxReducer, T>(Cpu{}, x, {count, n}, Axes({1})).back()));
          CHECK(std::isnan(Reduced<MinReducer, T>(Cpu{}, x, {count, n}, Axes({1})).back()));
          x[static_cast<std::size_t>((count - 1) * n + i)] = run[static_cast<std::size_t>(i)];
        }
      }
    }
  }
  TEST_CASE_TEMPLATE("what a run comes to does not depend on where it stands", T, float, double, half, std::int32_t) {
    for (const Index n : {1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 33, 64, 100, 127, 128, 300}) {
      const std::vector<T> run = RandomVector<T>(n, static_cast<std::uint64_t>(n));
      for (Index count = 1; count <= 9; ++count) {
        CAPTURE(n);
        CAPTURE(count);
        std::vector<T> x;
        for (Index k = 0; k < count; ++k) x.insert(x.end(), run.begin(), run.end());
        const std::vector<T> sums = Reduced<SumReducer, T>(Cpu{}, x, {count, n}, Axes({1}));
        const T one = Reduced<SumReducer, T>(Cpu{}, run, {1, n}, Axes({1}))[0];
        CHECK(sums == std::vector<T>(static_cast<std::size_t>(count), one));
      }
    }
  }
  TEST_CASE_TEMPLATE("any set of dimensions, in every type", T, float, double, half, bfloat16, std::int8_t,
                     std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                     std::uint64_t, complex64, complex128) {
    struct Case {
      TensorShape shape;
      AxisSet axes;
    };
    const Case cases[] = {
        {{}, {}},
        {{1}, Axes({0})},
        {{7}, Axes({0})},
        {{7}, {}},
        {{100}, Axes({0})},
        {{1023}, Axes({0})},
        {{3, 5}, Axes({0})},
        {{3, 5}, Axes({1})},
        {{3, 5}, Axes({0, 1})},
        {{2, 3, 4}, Axes({0, 2})},
        {{2, 3, 4}, Axes({1})},
        {{5, 1, 4}, Axes({1})},
        {{5, 1, 4}, Axes({0, 1})},
        {{4, 3, 1}, Axes({1})},
        {{1, 4, 1, 3, 1}, Axes({0, 2, 3})},
        {{500, 3}, Axes({0})},
        {{500, 3}, Axes({1})},
        {{70, 33}, Axes({0})},
        {{33, 70}, Axes({1})},
        {{3, 600}, Axes({0})},
        {{2, 150, 5}, Axes({1})},
        {{2, 3, 2, 5}, Axes({1, 3})},
        {{2, 3, 2, 5}, Axes({0, 2})},
        {{2, 2, 3, 2, 2, 3}, Axes({1, 3, 5})},
        {{2, 3, 2, 2, 3, 2, 2, 2}, Axes({0, 2, 4, 6})},
        {{6, 7, 7, 9}, Axes({0, 1, 2})},
        {{3, 5, 200}, Axes({0, 2})},
        {{0}, Axes({0})},
        {{0, 3}, Axes({0})},
        {{0, 3}, Axes({1})},
        {{2, 0, 3}, Axes({1})},
        {{2, 0, 3}, Axes({0, 1, 2})},
        {{300, 2, 3}, Axes({0, 2})},
    };
    std::uint64_t seed = 1;
    for (const Case& c : cases) {
      CAPTURE(seed);
      CHECK(AllAreRight<T>({}, c.shape, c.axes, seed++));
    }
    for (Index n = 1; n < 40; ++n) CHECK(AllAreRight<T>({}, {n, 300 / n}, Axes({static_cast<int>(n % 2)}), seed++));
  }

  TEST_CASE("long sums stay accurate") {
    // All roundings go the same way here: the worst case.
    const std::vector<float> x(3'000'000, 0.1f);
    const double want = 3e6 * static_cast<double>(0.1f);
    CHECK(std::abs(static_cast<double>(Reduced<SumReducer>({}, x, {3'000'000}, Axes({0}))[0]) / want - 1) < 1e-6);
    CHECK(std::abs(static_cast<double>(Reduced<SumReducer>({}, x, {1'000'000, 3}, Axes({0}))[2]) / want * 3 - 1) <
          1e-6);
    CHECK(std::abs(static_cast<double>(Reduced<SumReducer>({}, x, {30'000, 100}, Axes({0}))[9]) / want * 100 - 1) <
          1e-6);
    CHECK(static_cast<float>(Reduced<SumReducer>({}, std::vector<half>(60'000, half(1.f)), {60'000}, Axes({0}))[0]) ==
          60'000.f);
    CHECK(static_cast<float>(
              Reduced<MeanReducer>({}, std::vector<bfloat16>(100'000, bfloat16(3.f)), {100'000}, Axes({0}))[0]) == 3.f);
  }

  TEST_CASE("the number of threads does not change a bit") {
    ThreadPool four(4, "test"), three(3, "test");
    const std::vector<float> x = RandomVector<float>(600'000, 17);
    struct Case {
      TensorShape shape;
      AxisSet axes;
    };
    const Case cases[] = {
        {{600'000}, Axes({0})},          {{2, 300'000}, Axes({1})},     {{200'000, 3}, Axes({0})},
        {{200'000, 3}, Axes({1})},       {{600, 1000}, Axes({0})},      {{600, 1000}, Axes({1})},
        {{20'000, 30}, Axes({0})},       {{5, 40'000, 3}, Axes({1})},   {{4, 3, 50'000}, Axes({0, 2})},
        {{2, 3, 100'000}, Axes({0, 2})}, {{50, 40, 300}, Axes({0, 2})}, {{6, 100, 10, 100}, Axes({1, 3})},
    };
    for (const Case& c : cases) {
      const std::vector<float> want = Reduced<SumReducer>({}, x, c.shape, c.axes);
      CHECK(Reduced<SumReducer>({.pool = &four}, x, c.shape, c.axes) == want);
      CHECK(Reduced<SumReducer>({.pool = &three}, x, c.shape, c.axes) == want);
      CHECK(AllAreRight<float>({.pool = &four}, c.shape, c.axes, 5));
      CHECK(AllAreRight<std::int8_t>({.pool = &four}, c.shape, c.axes, 6));
    }
  }

  TEST_CASE("integers wrap, and the mean of integers is cut towards zero after an exact sum") {
    CHECK(Reduced<SumReducer, std::int8_t>({}, {127, 1}, {2}, Axes({0}))[0] == -128);
    CHECK(Reduced<ProdReducer, std::int16_t>({}, {300, 300}, {2}, Axes({0}))[0] == static_cast<std::int16_t>(90000));
    CHECK(Reduced<ProdReducer, std::uint16_t>({}, {65535, 65535}, {2}, Axes({0}))[0] == 1);
    CHECK(Reduced<SumReducer, std::int64_t>({}, {std::numeric_limits<std::int64_t>::max(), 1}, {2}, Axes({0}))[0] ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(Reduced<MeanReducer, std::int8_t>({}, {127, 126, 127, 7}, {4}, Axes({0}))[0] == 96);
    CHECK(Reduced<MeanReducer, std::int32_t>({}, {-3, -4}, {2}, Axes({0}))[0] == -3);
    CHECK(Reduced<MeanReducer, std::uint64_t>({}, {~std::uint64_t{0}, 1, 1}, {3}, Axes({0}))[0] == 0);
  }

  TEST_CASE_TEMPLATE("NaN and infinities", T, float, double, half, bfloat16) {
    const T nan(std::numeric_limits<float>::quiet_NaN()), inf(std::numeric_limits<float>::infinity());
    for (const Index n : {3, 9, 20, 100, 1000}) {
      for (const Index at : {Index{0}, n / 2, n - 1}) {
        std::vector<T> x(static_cast<std::size_t>(2 * n), T(1.f));
        x[static_cast<std::size_t>(at)] = nan;
        x[static_cast<std::size_t>(n + at)] = inf;
        // As two rows of n, and as n rows of two (the transpose).
        std::vector<T> y;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
          y.insert(y.end(), {x[i], x[i + static_cast<std::size_t>(n)]});
        for (const auto& out :
             {Reduced<MaxReducer>({}, x, {2, n}, Axes({1})), Reduced<MaxReducer>({}, y, {n, 2}, Axes({0}))}) {
          CHECK(out[0] != out[0]);
          CHECK(out[1] == inf);
        }
        for (const auto& out :
             {Reduced<MinReducer>({}, x, {2, n}, Axes({1})), Reduced<MinReducer>({}, y, {n, 2}, Axes({0}))}) {
          CHECK(out[0] != out[0]);
          CHECK(out[1] == T(1.f));
        }
        const std::vector<T> sum = Reduced<SumReducer>({}, x, {2, n}, Axes({1}));
        CHECK(sum[0] != sum[0]);
        CHECK(sum[1] == inf);
      }
    }
  }

  TEST_CASE("reducing nothing") {
    CHECK(Reduced<SumReducer, float>({}, {}, {2, 0}, Axes({1})) == std::vector<float>{0, 0});
    CHECK(Reduced<ProdReducer, float>({}, {}, {0, 2}, Axes({0})) == std::vector<float>{1, 1});
    CHECK(Reduced<MaxReducer, float>({}, {}, {0}, Axes({0}))[0] == -std::numeric_limits<float>::infinity());
    CHECK(Reduced<MinReducer, half>({}, {}, {0}, Axes({0}))[0] == std::numeric_limits<half>::infinity());
    CHECK(Reduced<MaxReducer, std::int8_t>({}, {}, {0}, Axes({0}))[0] == -128);
    CHECK(Reduced<MinReducer, std::uint16_t>({}, {}, {0}, Axes({0}))[0] == 65535);
    CHECK(Reduced<MeanReducer, std::int32_t>({}, {}, {0}, Axes({0}))[0] == 0);
    CHECK(std::isnan(Reduced<MeanReducer, double>({}, {}, {0}, Axes({0}))[0]));
    CHECK(std::isnan(Reduced<MeanReducer, complex64>({}, {}, {0}, Axes({0}))[0].real()));
    CHECK(Reduced<SumReducer, float>({}, {}, {0, 3}, Axes({1})).empty());
  }
}
}  // namespace reduce_test

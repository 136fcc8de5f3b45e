// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <tenon/engine/reduce/arg_reduce.hpp>
#include <tenon/types/dtype_of.hpp>

#include <doctest/doctest.h>

namespace arg_reduce_test {
using namespace tenon;

namespace {

std::int64_t Place(bool max, std::vector<float> x) {
  Cpu device;
  std::int64_t at = -1;
  CHECK(ArgReduce(device, max, DataType::kFloat, x.data(), 1, static_cast<Index>(x.size()), 1, DataType::kInt64, &at)
            .ok());
  return at;
}

}  // namespace

TEST_SUITE("ArgReduce") {
  TEST_CASE("the first of equal ones; NaN is passed over") {  // TensorFlow 2.21's answers
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    CHECK(Place(true, {3, 1, 3, 1}) == 0);
    CHECK(Place(false, {3, 1, 3, 1}) == 1);
    CHECK(Place(true, {1, nan, 3, nan}) == 2);
    CHECK(Place(true, {nan, 5, 1}) == 1);
    CHECK(Place(false, {nan, 5, 1}) == 2);
    CHECK(Place(true, {nan, nan}) == 0);
    CHECK(Place(true, {-inf, -inf}) == 0);
  }
  TEST_CASE_TEMPLATE("long rows, equal elements and NaN among them", T, float, double, std::int32_t, std::uint8_t) {
    for (const Index n : {1, 63, 64, 65, 127, 500, 512, 513, 577, 1100, 5000}) {
      for (const Index step : {1, 7, 1000}) {  // how soon an element comes again
        std::vector<T> x;
        for (Index i = 0; i < n; ++i) x.push_back(static_cast<T>((i / step * 37 + 11) % 101));
        if constexpr (std::is_floating_point_v<T>) {
          for (Index i = 0; i < n; i += 3) x[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
        }
        for (const bool max : {false, true}) {
          std::int64_t wanted = 0;
          T best = max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
          for (Index i = 0; i < n; ++i) {
            const T value = x[static_cast<std::size_t>(i)];
            if (!(max ? value > best : value < best)) continue;
            best = value;
            wanted = i;
          }
          Cpu device;
          std::int64_t at = -1;
          CHECK(ArgReduce(device, max, dtype_of_v<T>, x.data(), 1, n, 1, DataType::kInt64, &at).ok());
          CHECK(at == wanted);
        }
      }
    }
  }
  TEST_CASE("along the middle axis, more columns than a block") {
    constexpr Index outer = 2, n = 3, inner = 300;
    std::vector<std::int8_t> x;
    for (Index i = 0; i < outer * n * inner; ++i) x.push_back(static_cast<std::int8_t>(i * 37 % 251 - 125));
    std::vector<std::int32_t> at(outer * inner);
    Cpu device;
    CHECK(ArgReduce(device, false, DataType::kInt8, x.data(), outer, n, inner, DataType::kInt32, at.data()).ok());
    for (Index o = 0; o < outer; ++o)
      for (Index j = 0; j < inner; ++j) {
        std::int32_t best = 0;
        for (Index i = 1; i < n; ++i)
          if (x[static_cast<std::size_t>((o * n + i) * inner + j)] <
              x[static_cast<std::size_t>((o * n + best) * inner + j)])
            best = static_cast<std::int32_t>(i);
        CHECK(at[static_cast<std::size_t>(o * inner + j)] == best);
      }
  }
}
}  // namespace arg_reduce_test

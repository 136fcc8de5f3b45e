// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

#include <tenon/engine/reduce/top_k.hpp>

#include <doctest/doctest.h>

namespace top_k_test {
using namespace tenon;

namespace {

template <class T>
std::vector<std::int32_t> Places(std::vector<T> row, Index k, bool sorted, std::vector<T>* values = nullptr) {
  const auto n = static_cast<Index>(row.size());
  std::vector<std::uint64_t> scratch(TopKScratchBytes(n) / 8 + 1);
  std::vector<T> best(static_cast<std::size_t>(k));
  const std::int32_t* at = TopK(WideTypeOf(dtype_of_v<T>), row.data(), n, k, sorted, scratch.data(), best.data());
  for (std::size_t i = 0; i < best.size(); ++i) CHECK(best[i] == row[static_cast<std::size_t>(at[i])]);
  if (values != nullptr) *values = best;
  return {at, at + k};
}
using Is = std::vector<std::int32_t>;

}  // namespace

// What TensorFlow 2.21 answers.
TEST_SUITE("TopK") {
  TEST_CASE_TEMPLATE("the first of equal ones comes first", T, float, double, std::int32_t, std::uint64_t) {
    CHECK(Places<T>({3, 1, 3, 1, 2, 3}, 4, true) == Is{0, 2, 5, 4});
    CHECK(Places<T>({3, 1, 2}, 1, true) == Is{0});
    CHECK(Places<T>({1, 2, 3}, 3, true) == Is{2, 1, 0});
  }
  TEST_CASE("unsorted: the order of the heap") {
    CHECK(Places<float>({3, 1, 3, 1, 2, 3}, 4, false) == Is{4, 5, 2, 0});
    CHECK(Places<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, false) == Is{7, 8});
    CHECK(Places<float>({1, 2, 3}, 3, false) == Is{2, 1, 0});
  }
  TEST_CASE("a whole row of many elements is sorted") {
    std::vector<float> row, values;
    for (int i = 0; i < 100; ++i) row.push_back(static_cast<float>(i * 37 % 101));
    (void)Places<float>(row, 100, true, &values);
    CHECK(std::is_sorted(values.rbegin(), values.rend()));
  }
  TEST_CASE_TEMPLATE("many elements: sorted by bytes, as by comparison", T, float, double, std::int8_t, std::int64_t,
                     std::uint64_t) {
    for (const std::size_t n : {std::size_t{128}, std::size_t{1000}, std::size_t{5000}})
      for (const std::uint64_t values : {std::uint64_t{1}, std::uint64_t{10}, ~std::uint64_t{0}}) {
        std::vector<T> row;
        std::uint64_t state = n;
        for (std::size_t i = 0; i < n; ++i) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          const auto wide = static_cast<std::int64_t>((state >> 1) % values);
          row.push_back(static_cast<T>(i % 2 == 0 || std::is_unsigned_v<T> ? wide : -wide));
        }
        Is wanted(n);
        for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<std::int32_t>(i);
        std::sort(wanted.begin(), wanted.end(), [&](std::int32_t a, std::int32_t b) {
          const T x = row[static_cast<std::size_t>(a)], y = row[static_cast<std::size_t>(b)];
          return x != y ? y < x : a < b;
        });
        for (const std::size_t k : {n, n / 2, n / 16, std::size_t{3}})
          CHECK(Places<T>(row, static_cast<Index>(k), true) ==
                Is(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(k)));
        CHECK(Places<T>(row, static_cast<Index>(n), false) == wanted);
      }
  }
  TEST_CASE("zeros of two signs are equal, and infinities sorted; with NaN the heap decides") {
    std::vector<float> row(200, 0.0f);
    for (std::size_t i = 0; i < 200; i += 2) row[i] = -0.0f;
    row[150] = std::numeric_limits<float>::infinity();
    row[10] = -row[150];
    const Is places = Places<float>(row, 200, true);
    CHECK(places[0] == 150);
    CHECK(places[1] == 0);
    CHECK(places[2] == 1);
    CHECK(places[199] == 10);
    row[3] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::uint64_t> scratch(TopKScratchBytes(200) / 8 + 1);
    std::vector<float> best(200);
    const std::int32_t* at =
        TopK(WideTypeOf(DataType::kFloat), row.data(), 200, 200, true, scratch.data(), best.data());
    Is sorted(at, at + 200);
    std::sort(sorted.begin(), sorted.end());
    for (std::int32_t i = 0; i < 200; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  }
  TEST_CASE("nth element") {
    const std::int16_t row[16] = {5, -3, 9, 0};  // the rest is not looked at
    std::uint64_t scratch[4];
    std::int16_t value[4] = {};  // room for a wide element
    const WideType type = WideTypeOf(DataType::kInt16);
    NthElement(type, row, 4, 1, false, scratch, value);
    CHECK(value[0] == 0);
    NthElement(type, row, 4, 1, true, scratch, value);
    CHECK(value[0] == 5);
  }
}
}  // namespace top_k_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/array.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace array_test {
using tenon::Array;

TEST_CASE("an array is an aggregate whose missing items are zero") {
  constexpr Array<int, 3> a{1, 2};
  static_assert(a[0] == 1 && a[1] == 2 && a[2] == 0);
  static_assert(a.size() == 3 && !a.empty());
  static_assert(std::is_trivially_copyable_v<Array<int, 3>> && std::is_aggregate_v<Array<int, 3>>);
  static_assert(sizeof(Array<int, 3>) == 3 * sizeof(int));
}

TEST_CASE("the type of an array follows from its items") {
  constexpr Array a{1.5f, 2.5f};
  static_assert(std::is_same_v<decltype(a), const Array<float, 2>>);
}

TEST_CASE("an array is walked, filled and compared") {
  Array<long, 4> a{1, 2, 3, 4};
  long sum = 0;
  for (const long x : a) sum += x;
  CHECK(sum == 10);
  CHECK(a.front() == 1);
  CHECK(a.back() == 4);
  a[1] = 20;
  CHECK(a.data()[1] == 20);
  const Array<long, 4> b = a;
  CHECK(a == b);
  a.fill(7);
  CHECK(a == Array<long, 4>{7, 7, 7, 7});
  CHECK_FALSE(a == b);
}

TEST_CASE("an array without items has no begin") {
  constexpr Array<int, 0> none{};
  static_assert(none.size() == 0 && none.empty() && none == none);
  CHECK(none.begin() == none.end());
  for (const int x : none) CHECK(x == 0);
}
}  // namespace array_test

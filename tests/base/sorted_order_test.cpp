// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/sorted_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sorted_order_test {
using tenon::SlimVector;
using tenon::SortedOrder;

TEST_CASE("numbers come in the order of the items they stand for") {
  const std::vector<std::string> items{"c", "a", "b"};
  CHECK(SortedOrder(items.size(), [&](std::size_t a, std::size_t b) { return items[a] < items[b]; }) ==
        std::vector<std::size_t>{1, 2, 0});
  CHECK(SortedOrder(0, [](std::size_t, std::size_t) { return true; }).empty());
}

TEST_CASE("equal items stay in their order, whatever their number") {
  std::uint32_t state = 7;
  for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 1000u}) {
    std::vector<int> keys(count);
    for (int& key : keys) key = static_cast<int>((state = state * 1664525u + 1013904223u) >> 28);
    std::vector<std::size_t> want(count);
    for (std::size_t i = 0; i < count; ++i) want[i] = i;
    std::sort(want.begin(), want.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    CHECK(SortedOrder(count, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; }) == want);
  }
}

TEST_CASE("names are ordered by their bytes, whatever they begin with, and equal ones stay") {
  std::vector<std::string> names{"b", "a", "", "ab", "aa", std::string("a\0", 2), "a", "\xff", "prefix_of_eight_2"};
  for (int i = 0; i < 300; ++i) names.push_back("a/long/common/prefix_" + std::to_string(i * 7 % 300));
  names.push_back("a/long/common/prefix_10");
  for (const std::size_t skipped : {std::size_t{0}, std::size_t{9}, names.size() - 1, names.size()}) {  // the others
    const std::vector<std::string> some(names.begin() + static_cast<std::ptrdiff_t>(skipped), names.end());
    std::vector<std::size_t> want(some.size());
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = i;
    std::sort(want.begin(), want.end(),
              [&](std::size_t a, std::size_t b) { return some[a] != some[b] ? some[a] < some[b] : a < b; });
    const auto name_of = [&some](std::size_t i) -> std::string_view { return some[i]; };
    CHECK(tenon::NameOrder(some.size(), name_of) == want);
  }
}
}  // namespace sorted_order_test

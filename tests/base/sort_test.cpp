// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sort_test {
using namespace tenon;

namespace {

struct Item {
  int key, number;
};
bool HasHigherKey(const Item& a, const Item& b) { return a.key > b.key; }

}  // namespace

TEST_SUITE("SortItems") {
  TEST_CASE("numbers come out as std::sort puts them") {
    std::mt19937 random(7);
    for (std::size_t count = 0; count < 200; ++count) {
      std::vector<std::uint64_t> items(count);
      for (std::uint64_t& item : items) item = random() % (count + 1) << (random() % 60);
      std::vector<std::uint64_t> wanted = items;
      std::sort(wanted.begin(), wanted.end());
      detail::SortItems(items.data(), items.size());
      CHECK(items == wanted);
    }
    detail::SortItems<int>(nullptr, 0);
  }
  TEST_CASE("another order, and the items stay whole") {
    std::vector<Item> items;
    for (int i = 0; i < 1000; ++i) items.push_back({i * 37 % 101, i});
    detail::SortItems<Item, &HasHigherKey>(items.data(), items.size());
    std::array<bool, 1000> seen{};
    for (std::size_t i = 0; i < items.size(); ++i) {
      CHECK((i == 0 || items[i - 1].key >= items[i].key));
      CHECK(items[i].key == items[i].number * 37 % 101);
      seen[static_cast<std::size_t>(items[i].number)] = true;
    }
    CHECK(std::count(seen.begin(), seen.end(), true) == 1000);
  }
}

}  // namespace sort_test

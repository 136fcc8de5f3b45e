// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/has_item.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/slim_vector.hpp>

namespace has_item_test {
using namespace tenon;

static_assert(HasItem(std::string_view("abc"), 'c') && !HasItem(std::string_view(), 'c'));
static_assert(AnyItem(std::array<int, 3>{1, 2, 3}, [](int x) { return x > 2; }));

TEST_SUITE("HasItem") {
  TEST_CASE("the first, the last and none, in whatever has data() and size()") {
    const std::vector<int> list = {4, 5, 6};
    for (const int x : list) CHECK(HasItem(list, x));
    CHECK_FALSE(HasItem(list, 7));
    CHECK_FALSE(HasItem(std::span<const int>(), 0));
    CHECK(HasItem(SlimVector<std::string>{"a", "b"}, std::string_view("b")));
  }
  TEST_CASE("AnyItem asks until a condition holds") {
    int asked = 0;
    const auto is_five = [&](int x) { return ++asked, x == 5; };
    CHECK(AnyItem(std::vector<int>{4, 5, 6}, is_five));
    CHECK(asked == 2);
    CHECK_FALSE(AnyItem(std::vector<int>{4, 6}, is_five));
    CHECK(asked == 4);
    CHECK_FALSE(AnyItem(std::vector<int>{}, is_five));
  }
}
}  // namespace has_item_test

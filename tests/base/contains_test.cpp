// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/contains.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/slim_vector.hpp>

using namespace tenon;

static_assert(Contains(std::string_view("abc"), 'c') && !Contains(std::string_view(), 'c'));
static_assert(AnyOf(std::array<int, 3>{1, 2, 3}, [](int x) { return x > 2; }));

TEST_SUITE("Contains") {
  TEST_CASE("the first, the last and none, in whatever has data() and size()") {
    const std::vector<int> list = {4, 5, 6};
    for (const int x : list) CHECK(Contains(list, x));
    CHECK_FALSE(Contains(list, 7));
    CHECK_FALSE(Contains(std::span<const int>(), 0));
    CHECK(Contains(SlimVector<std::string>{"a", "b"}, std::string_view("b")));
  }
  TEST_CASE("AnyOf asks until a condition holds") {
    int asked = 0;
    const auto is_five = [&](int x) { return ++asked, x == 5; };
    CHECK(AnyOf(std::vector<int>{4, 5, 6}, is_five));
    CHECK(asked == 2);
    CHECK_FALSE(AnyOf(std::vector<int>{4, 6}, is_five));
    CHECK(asked == 4);
    CHECK_FALSE(AnyOf(std::vector<int>{}, is_five));
  }
}

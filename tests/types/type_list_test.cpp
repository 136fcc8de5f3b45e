// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/type_list.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace type_list_test {
using namespace tenon;

TEST_SUITE("TypeList") {
  using Three = TypeList<int, float, char>;
  TEST_CASE("knows its size, its types and their positions") {
    CHECK(Three::size == 3);
    CHECK(TypeList<>::size == 0);
    CHECK(Three::contains<float>);
    CHECK_FALSE(Three::contains<double>);
    CHECK(Three::index_of<int> == 0);
    CHECK(Three::index_of<char> == 2);
    CHECK(Three::index_of<double> == 3);
    CHECK(TypeList<>::index_of<int> == 0);
    CHECK(std::is_same_v<nth<Three, 0>, int>);
    CHECK(std::is_same_v<nth<Three, 2>, char>);
    CHECK(std::is_same_v<nth<TypeList<int, int>, 1>, int>);
  }
  TEST_CASE("is put together from others") {
    CHECK(std::is_same_v<concat<>, TypeList<>>);
    CHECK(std::is_same_v<concat<TypeList<int>, TypeList<>, TypeList<float, char>>, Three>);
  }
  TEST_CASE("calls a visitor with every type in order") {
    std::string sizes;
    ForEachType(TypeList<char, double, short>{}, [&]<class T>() { sizes += static_cast<char>('0' + sizeof(T)); });
    CHECK(sizes == "182");
  }
}
}  // namespace type_list_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/attr/attr_types.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/op/attr/attr_value.hpp>

namespace attr_types_test {
using namespace tenon;

TEST_SUITE("AttrMap") {
  TEST_CASE("stays sorted by name, however it is filled") {
    AttrMap map{{"c", 3}, {"a", 1}};
    map.Set("b", 2);
    map.Set("a", 10);
    CHECK(!map.Insert("c", 30));
    CHECK(map.Insert("d", 4));
    map["e"] = "five";
    std::string names;
    for (const auto& [name, value] : map) names += name;
    CHECK(names == "abcde");
    CHECK(map.size() == 5);
    CHECK(map.Find("a")->i() == 10);
    CHECK(map.Find("c")->i() == 3);
    CHECK(map.Find("e")->s() == "five");
    CHECK(map.Find("x") == nullptr);
    CHECK(map.Find("") == nullptr);
    CHECK(map.contains("b"));
    CHECK(map.erase("b"));
    CHECK(!map.erase("b"));
    CHECK(map.size() == 4);
    CHECK(map == AttrMap{{"e", "five"}, {"d", 4}, {"c", 3}, {"a", 10}});
    CHECK(!(map == AttrMap()));
    map.clear();
    CHECK(map.empty());
  }
  TEST_CASE("sorts what was appended, and keeps the last of equal names") {
    AttrMap map;
    map.SortAppended();
    for (const auto& [name, number] :
         {std::pair{"b", 1}, std::pair{"a", 2}, std::pair{"b", 3}, std::pair{"c", 4}, std::pair{"a", 5}}) {
      AttrMap::value_type* item = map.AppendUnsorted();
      item->first = name;
      item->second = number;
    }
    map.SortAppended();
    CHECK(map == AttrMap{{"a", 5}, {"b", 3}, {"c", 4}});
  }
}
}  // namespace attr_types_test

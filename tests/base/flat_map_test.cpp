// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/flat_map.hpp>

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace flat_map_test {
using tenon::FlatMap;

namespace {

using Map = FlatMap<std::string, int>;

struct Tree {  // a map of itself
  FlatMap<std::string, Tree> children;
};

std::string Print(const Map& map) {
  std::string text;
  for (const auto& [key, value] : map) text += key + "=" + std::to_string(value) + " ";
  return text;
}

}  // namespace

TEST_CASE("items are walked in the order of their keys") {
  const Map map{{"c", 3}, {"a", 1}, {"b", 2}, {"a", 9}};
  CHECK(Print(map) == "a=1 b=2 c=3 ");
  CHECK(map.size() == 3);
  CHECK_FALSE(map.empty());
  CHECK(Map().empty());
}

TEST_CASE("a key is found by whatever compares with it") {
  Map map{{"b", 2}, {"d", 4}};
  CHECK(map.find("b")->second == 2);
  CHECK(map.find(std::string_view("d"))->second == 4);
  CHECK(map.find(std::string("c")) == map.end());
  CHECK(map.contains("d"));
  CHECK_FALSE(map.contains("e"));
  CHECK_FALSE(map.contains(""));
  *map.FindValue("b") = 20;
  CHECK(*std::as_const(map).FindValue("b") == 20);
  CHECK(map.FindValue("x") == nullptr);
  CHECK(map.lower_bound("c")->first == "d");
}

TEST_CASE("insert and try_emplace keep what is there, insert_or_assign replaces it") {
  Map map;
  CHECK(map.insert({"a", 1}).second);
  CHECK_FALSE(map.insert({"a", 2}).second);
  CHECK(map.insert({"a", 2}).first->second == 1);
  CHECK(map.try_emplace("b", 3).second);
  CHECK_FALSE(map.try_emplace(std::string_view("b"), 4).second);
  CHECK_FALSE(map.insert_or_assign("a", 5).second);
  CHECK(map.insert_or_assign(std::string_view("0"), 0).second);
  CHECK(Print(map) == "0=0 a=5 b=3 ");
}

TEST_CASE("operator[] makes what is missing") {
  Map map;
  ++map["x"];
  ++map["x"];
  map[std::string("w")] = 7;
  CHECK(Print(map) == "w=7 x=2 ");
}

TEST_CASE("erase takes a key or a place") {
  Map map{{"a", 1}, {"b", 2}, {"c", 3}};
  CHECK(map.erase("b") == 1);
  CHECK(map.erase("b") == 0);
  CHECK(map.erase(map.find("a"))->first == "c");
  CHECK(Print(map) == "c=3 ");
  map.clear();
  CHECK(map.empty());
}

TEST_CASE("maps are equal when their items are") {
  CHECK(Map{{"a", 1}, {"b", 2}} == Map{{"b", 2}, {"a", 1}});
  CHECK(Map{{"a", 1}} != Map{{"a", 2}});
  CHECK(Map{{"a", 1}} != Map{{"b", 1}});
}

TEST_CASE("a value may hold a map of its own type, or be moved only") {
  Tree root;
  root.children["left"].children["leaf"];
  CHECK(root.children.find("left")->second.children.contains("leaf"));
  FlatMap<int, std::unique_ptr<int>> owners;
  owners.try_emplace(2, std::make_unique<int>(20));
  owners.insert({1, std::make_unique<int>(10)});
  CHECK(**owners.FindValue(1) == 10);
  CHECK(owners.erase(2) == 1);
}

TEST_CASE("random edits give what std::map gives") {
  FlatMap<unsigned, unsigned> mine;
  std::map<unsigned, unsigned> reference;
  unsigned state = 7;
  for (unsigned step = 0; step < 4000; ++step) {
    state = state * 1664525u + 1013904223u;
    const unsigned key = (state >> 10) % 97;
    if ((state >> 20) % 3 == 0) {
      REQUIRE(mine.erase(key) == reference.erase(key));
    } else {
      REQUIRE(mine.insert_or_assign(key, step).second == reference.insert_or_assign(key, step).second);
    }
  }
  REQUIRE(mine.size() == reference.size());
  auto expected = reference.begin();
  for (const auto& [key, value] : mine) {
    CHECK(key == expected->first);
    CHECK(value == (expected++)->second);
  }
}
}  // namespace flat_map_test

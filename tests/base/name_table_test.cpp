// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/name_table.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace name_table_test {
using namespace tenon;

namespace {
// Names of all lengths around the eight bytes of a step, many of them with a common beginning.
std::vector<std::string> ManyNames() {
  std::vector<std::string> names{"", "a", std::string("a\0", 2), std::string(1, '\0')};
  for (int i = 0; i < 1000; ++i)
    names.push_back(std::string(static_cast<std::size_t>(i % 20), 'x') + std::to_string(i));
  return names;
}
}  // namespace

TEST_SUITE("NameTable") {
  TEST_CASE("finds nothing in an empty table") {
    const NameTable<int> table;
    CHECK(table.Find("") == nullptr);
    CHECK(table.Find("a") == nullptr);
    CHECK(table.newest() == nullptr);
  }
  TEST_CASE("finds what was inserted, where it was inserted") {
    const std::vector<std::string> names = ManyNames();
    NameTable<int> table;
    std::map<std::string, int*> wanted;
    for (std::size_t i = 0; i < names.size(); ++i) wanted[names[i]] = table.Insert(names[i], static_cast<int>(i));
    for (std::size_t i = 0; i < names.size(); ++i) {
      REQUIRE(table.Find(names[i]) == wanted[names[i]]);
      CHECK(*table.Find(names[i]) == static_cast<int>(i));
    }
    CHECK(table.Find("y") == nullptr);
    CHECK(table.Find("xxxxxxxxxxxxxxxxxxxxxxxxxx") == nullptr);
    std::size_t count = 0;
    for (const auto* entry = table.newest(); entry != nullptr; entry = entry->older()) ++count;
    CHECK(count == names.size());
  }
  TEST_CASE("SameText is ==") {
    std::vector<std::string> texts{"", std::string("a\0", 2), std::string("\0a", 2), std::string(1, '\0')};
    for (std::size_t size = 1; size < 27; ++size) {
      const std::string text(size, 'x');
      texts.push_back(text);
      for (std::size_t at = 0; at < size; ++at) {
        texts.push_back(text);
        texts.back()[at] = 'y';
      }
    }
    for (const std::string& a : texts)
      for (const std::string& b : texts)
        if (SameText(a, b) != (a == b)) FAIL_CHECK("'" << a << "' and '" << b << "'");
  }
  TEST_CASE("the first value of a name stays") {
    NameTable<int> table;
    int* const one = table.Insert("a", 1);
    CHECK(table.Insert("a", 2) == one);
    CHECK(*one == 1);
  }
  TEST_CASE("moves as a whole") {
    NameTable<int> table;
    int* const one = table.Insert("a", 1);
    const NameTable<int> other = std::move(table);
    CHECK(other.Find("a") == one);
    CHECK(table.Find("a") == nullptr);
  }
}
}  // namespace name_table_test

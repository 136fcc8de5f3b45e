// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/attempt_list.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace ops_attempt_list_test {
using namespace tenon;

namespace {

struct Item : ops::detail::AttemptList<Item>::Link {
  explicit Item(char n) : name(n) {}
  char name;
};
using List = ops::detail::AttemptList<Item>;

void Fill(List* list, const std::string& names) {
  for (const char name : names) list->Add(MakeOwned<Item>(name));
}
std::string Names(const List& list) {
  std::string names;
  for (const Item* item = list.first(); item != nullptr; item = List::Next(item)) names += item->name;
  return names;
}

}  // namespace

TEST_SUITE("AttemptList") {
  TEST_CASE("keeps the order, and knows its last") {
    List list;
    CHECK(list.first() == nullptr);
    CHECK(list.last() == nullptr);
    Fill(&list, "abc");
    CHECK(Names(list) == "abc");
    CHECK(list.last()->name == 'c');
    CHECK(list.TakeFirst()->name == 'a');
    CHECK(list.TakeBehind(list.first())->name == 'c');  // the last
    CHECK(list.last()->name == 'b');
    Fill(&list, "d");
    CHECK(Names(list) == "bd");
    CHECK(list.TakeFirst()->name == 'b');
    CHECK(list.TakeFirst()->name == 'd');
    CHECK(list.last() == nullptr);
    Fill(&list, "e");
    CHECK(Names(list) == "e");
  }
  TEST_CASE("takes the first that fits, and moves it to another list") {
    List list, other;
    Fill(&list, "abc");
    const auto is_b = [](const Item& item) { return item.name == 'b'; };
    other.Add(list.TakeIf(is_b));
    CHECK(list.TakeIf(is_b) == nullptr);
    CHECK(Names(list) == "ac");
    CHECK(Names(other) == "b");
  }
  TEST_CASE("a long list goes without a deep stack") {
    List list;
    for (int i = 0; i < 1'000'000; ++i) list.Add(MakeOwned<Item>('x'));
    CHECK(list.first() != list.last());
  }
}

}  // namespace ops_attempt_list_test

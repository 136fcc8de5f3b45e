// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/owned.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

namespace owned_test {
using tenon::MakeOwned;
using tenon::Owned;

namespace {

struct Base {
  explicit Base(int* count) : alive(count) { ++*alive; }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  virtual ~Base() { --*alive; }
  int* alive;
};
struct Derived : Base {
  Derived(int* count, int number) : Base(count), value(number) {}
  int value;
};

int handed_back = 0;
struct HandBack {
  void operator()(int*) const { ++handed_back; }
};

static_assert(!std::is_copy_constructible_v<Owned<int>> && !std::is_copy_assignable_v<Owned<int>>);
static_assert(std::is_nothrow_move_constructible_v<Owned<int>> && sizeof(Owned<int>) == sizeof(int*));
static_assert(!std::is_convertible_v<int*, Owned<int>>);

}  // namespace

TEST_CASE("an object ends with its owner, once") {
  int alive = 0;
  {
    const Owned<Derived> one = MakeOwned<Derived>(&alive, 7);
    CHECK(alive == 1);
    CHECK(one->value == 7);
    CHECK((*one).value == 7);
    CHECK(one.get() != nullptr);
    CHECK(static_cast<bool>(one));
  }
  CHECK(alive == 0);
}

TEST_CASE("ownership moves, also to an owner of the base") {
  int alive = 0;
  Owned<Derived> from = MakeOwned<Derived>(&alive, 1);
  const Derived* const object = from.get();
  Owned<Base> to = std::move(from);
  CHECK(from == nullptr);
  CHECK(to.get() == object);
  to = MakeOwned<Derived>(&alive, 2);
  CHECK(alive == 1);
  Owned<Base>& self = to;
  to = std::move(self);  // must not end what it holds
  CHECK(alive == 1);
  CHECK(to != nullptr);
  to = nullptr;
  CHECK(alive == 0);
}

TEST_CASE("release gives the object away, reset ends or replaces it") {
  int alive = 0;
  Owned<Derived> owner = MakeOwned<Derived>(&alive, 1);
  Derived* const object = owner.release();
  CHECK(owner == nullptr);
  CHECK(alive == 1);
  owner.reset(object);
  owner.reset(new Derived(&alive, 2));
  CHECK(alive == 1);
  CHECK(owner->value == 2);
  owner.reset();
  CHECK(alive == 0);
  CHECK_FALSE(static_cast<bool>(owner));
}

TEST_CASE("a deleter of one's own is called instead of delete") {
  int number = 0;
  handed_back = 0;
  {
    Owned<int, HandBack> first(&number);
    const Owned<int, HandBack> second = std::move(first);
    const Owned<int, HandBack> none;
    CHECK(handed_back == 0);
  }
  CHECK(handed_back == 1);
}

TEST_CASE("arrays start with zeros and end as arrays") {
  const Owned<int[]> numbers(3);
  CHECK(numbers[0] == 0);
  CHECK(numbers[2] == 0);
  numbers[1] = 5;
  CHECK(numbers[1] == 5);
}
}  // namespace owned_test

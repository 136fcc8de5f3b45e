// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/slim_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sanitizers.hpp"

namespace slim_vector_test {
using tenon::GrowableListOf;
using tenon::SlimVector;

namespace {

using Ints = SlimVector<int>;
using Strings = SlimVector<std::string>;

std::string Long(int i) { return std::string(40, 'x') + std::to_string(i); }

template <class T>
T Item(int i) {
  if constexpr (std::is_same_v<T, int>)
    return i;
  else
    return Long(i);
}

std::uint32_t NextRandom(std::uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// Counts itself. Knows its place: bytes that were never made an object, or no longer are one, count as wrong.
struct Tracked {
  Tracked() : Tracked(0) {}
  Tracked(int v) : value(v) { ++alive; }
  Tracked(const Tracked& other) : value(other.Value()) { ++alive; }
  Tracked(Tracked&& other) noexcept : value(other.Value()) {
    other.value = -1;
    ++alive;
  }
  Tracked& operator=(const Tracked& other) {
    wrong += self != this;
    value = other.Value();
    return *this;
  }
  Tracked& operator=(Tracked&& other) noexcept {
    wrong += self != this || &other == this;
    value = other.Value();
    other.value = -1;
    return *this;
  }
  ~Tracked() {
    wrong += self != this;
    self = nullptr;
    --alive;
  }

  int Value() const {
    wrong += self != this;
    return value;
  }
  friend bool operator==(const Tracked& a, const Tracked& b) { return a.Value() == b.Value(); }

  static inline int alive = 0, wrong = 0;
  const Tracked* self = this;
  int value;
};

// Checks at its end that everything made since was destroyed once.
struct NothingIsLeft {
  NothingIsLeft() { Tracked::alive = Tracked::wrong = 0; }
  ~NothingIsLeft() {
    CHECK(Tracked::alive == 0);
    CHECK(Tracked::wrong == 0);
  }
};

struct Tree {
  int value;
  SlimVector<Tree> children;
  friend bool operator==(const Tree&, const Tree&) = default;
};

}  // namespace

TEST_CASE("a slim vector is made empty, of a size, from items and from a range") {
  CHECK(Ints().empty());
  CHECK(Ints().data() == nullptr);
  CHECK(Ints(0).capacity() == 0);
  CHECK(Ints(3) == Ints{0, 0, 0});
  CHECK(Ints(2, 7) == Ints{7, 7});
  CHECK(Strings(2) == Strings{"", ""});
  const std::list<int> list{1, 2, 3, 4, 5, 6};
  CHECK(Ints(list.begin(), list.end()) == Ints{1, 2, 3, 4, 5, 6});
  const char* const texts[] = {"a", "b"};
  CHECK(Strings(texts, texts + 2) == Strings{"a", "b"});
  const Ints none(list.begin(), list.begin());
  CHECK(none.empty());
  CHECK(none.begin() == none.end());
}

TEST_CASE("a slim vector converts from what holds its items in a row, and to a span") {
  const std::vector<int> vector{1, 2, 3};
  const std::array<int, 3> array{1, 2, 3};
  const Ints from_vector = vector, from_array = array, from_span = std::span<const int>(vector);
  CHECK(from_vector == Ints{1, 2, 3});
  CHECK(from_array == Ints{1, 2, 3});
  CHECK(from_span == Ints{1, 2, 3});
  static_assert(!std::is_convertible_v<std::vector<long>, Ints>);
  static_assert(!std::is_convertible_v<std::list<int>, Ints>);
  static_assert(!std::is_convertible_v<int, Ints>);
  Ints v{3, 1, 2};
  std::sort(v.begin(), v.end());
  const std::span<const int> read = v;
  const std::span<int> written = v;
  written[0] = 9;
  CHECK(read.size() == 3);
  CHECK(read[0] == 9);
}

TEST_CASE("a slim vector equals every row of the same items") {
  const Ints v{1, 2, 3};
  const std::vector<int> same{1, 2, 3}, other{1, 2, 4}, shorter{1, 2};
  CHECK(v == same);
  CHECK(same == v);
  CHECK(v == std::array<int, 3>{1, 2, 3});
  CHECK(v == std::span<const int>(same));
  CHECK(v != other);
  CHECK(other != v);
  CHECK(v != shorter);
  CHECK(v != Ints{});
  CHECK(Ints{} == Ints{});
  CHECK(Ints{1, 2} != Ints{1, 2, 3});
}

TEST_CASE("copies of a slim vector are independent") {
  for (const int count : {0, 1, 5}) {
    Strings a;
    for (int i = 0; i < count; ++i) a.push_back(Long(i));
    Strings b = a;
    CHECK(b == a);
    b.push_back("more");
    CHECK(a.size() == static_cast<std::size_t>(count));
    Strings c{"old", "items"};
    c = a;
    CHECK(c == a);
    Strings& alias = c;
    c = alias;
    CHECK(c == a);
  }
}

TEST_CASE("a move takes the memory and leaves the source empty and usable") {
  static_assert(std::is_nothrow_move_constructible_v<Strings> && std::is_nothrow_move_assignable_v<Strings>);
  Strings a{Long(0), Long(1)};
  const Strings copy = a;
  const std::string* const items = a.data();
  Strings b = std::move(a);
  CHECK(b == copy);
  CHECK(b.data() == items);
  CHECK(a.empty());
  CHECK(a.capacity() == 0);
  a.push_back("again");
  CHECK(a[0] == "again");
  a = std::move(b);
  CHECK(a == copy);
  CHECK(a.data() == items);
  CHECK(b.empty());
  Strings& alias = a;
  a = std::move(alias);
  CHECK(a == copy);
}

TEST_CASE("swap exchanges the memory of two slim vectors") {
  Strings a{Long(1)}, b{Long(2), Long(3)};
  const std::string* const items = a.data();
  a.swap(b);
  CHECK(a == Strings{Long(2), Long(3)});
  CHECK(b == Strings{Long(1)});
  CHECK(b.data() == items);
  a.swap(a);
  CHECK(a.size() == 2);
}

TEST_CASE("a slim vector grows by factors and keeps its items") {
  Ints v;
  int moves = 0;
  for (int i = 0; i < 1000; ++i) {
    const int* const before = v.data();
    v.push_back(i);
    moves += v.data() != before;
  }
  CHECK(moves <= 10);
  CHECK(v.capacity() >= v.size());
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) wrong += v[static_cast<std::size_t>(i)] != i;
  CHECK(wrong == 0);
  CHECK(v.front() == 0);
  CHECK(v.back() == 999);
}

// A sanitizer's operator new ends the process where a request is too large.
#if defined(__cpp_exceptions) && !TENON_TEST_ASAN && !TENON_TEST_TSAN
TEST_CASE_TEMPLATE("a slim vector is what it was when there is no memory to grow", T, int, std::string) {
  SlimVector<T> v;
  for (int i = 0; i < 4; ++i) v.push_back(Item<T>(i));
  const std::size_t capacity = v.capacity();
  CHECK_THROWS_AS(v.reserve(SIZE_MAX / sizeof(T)), std::bad_alloc);
  CHECK_THROWS_AS(v.resize(SIZE_MAX), std::bad_alloc);
  CHECK(v.capacity() == capacity);
  for (int i = 4; i < 100; ++i) v.push_back(Item<T>(i));
  for (int i = 0; i < 100; ++i) CHECK(v[static_cast<std::size_t>(i)] == Item<T>(i));
}
#endif
TEST_CASE("nothing moves while there is reserved room") {
  Strings v;
  v.reserve(20);
  CHECK(v.capacity() >= 20);
  CHECK(v.empty());
  const std::size_t capacity = v.capacity();
  const std::string* const items = v.data();
  for (int i = 0; i < 20; ++i) v.push_back(Long(i));
  v.reserve(3);
  v.clear();
  v.assign(2, "x");
  v.resize(20);
  CHECK(v.capacity() == capacity);
  CHECK(v.data() == items);
}

TEST_CASE_TEMPLATE("an item of the slim vector may be added to it while it grows", T, int, std::string) {
  const auto full = [] {
    SlimVector<T> v{Item<T>(1), Item<T>(2)};
    while (v.size() < v.capacity()) v.push_back(Item<T>(3));
    return v;
  };
  SlimVector<T> v = full();
  REQUIRE(v.size() == v.capacity());
  v.push_back(v[0]);
  CHECK(v.back() == Item<T>(1));
  CHECK(v.front() == Item<T>(1));

  v = full();
  v.emplace_back(v[1]);
  CHECK(v.back() == Item<T>(2));
  CHECK(v[1] == Item<T>(2));

  v = full();
  v.push_back(std::move(v[1]));
  CHECK(v.back() == Item<T>(2));

  v = full();
  std::size_t size = v.size();
  v.resize(4 * v.capacity(), v[0]);
  CHECK(v[size] == Item<T>(1));
  CHECK(v.back() == Item<T>(1));

  v = full();
  size = v.size();
  CHECK(*v.insert(v.begin(), v[1]) == Item<T>(2));
  CHECK(v[2] == Item<T>(2));
  CHECK(v.size() == size + 1);
}

TEST_CASE("emplace_back makes the item from its arguments and returns it") {
  SlimVector<std::pair<int, std::string>> v;
  for (int i = 0; i < 6; ++i) v.emplace_back(i, "text").first += 10;
  CHECK(v[0] == std::pair(10, std::string("text")));
  CHECK(v[5].first == 15);
}

TEST_CASE("items that can only be moved are held by a slim vector") {
  SlimVector<std::unique_ptr<int>> v;
  for (int i = 0; i < 6; ++i) v.push_back(std::make_unique<int>(i));
  v.insert(v.begin(), std::make_unique<int>(-1));
  CHECK(*v[0] == -1);
  v.erase(v.begin(), v.begin() + 2);
  CHECK(*v[0] == 1);
  v.resize(7);
  CHECK(v[6] == nullptr);
  const auto w = std::move(v);
  CHECK(w.size() == 7);
  CHECK(*w[4] == 5);
}

TEST_CASE("resize of a slim vector adds empty items or drops the last ones") {
  Ints v{1, 2};
  v.resize(6);
  CHECK(v == Ints{1, 2, 0, 0, 0, 0});
  v.resize(1);
  CHECK(v == Ints{1});
  v.resize(3, 8);
  CHECK(v == Ints{1, 8, 8});
  v.resize(2, 9);
  CHECK(v == Ints{1, 8});
  v.pop_back();
  CHECK(v == Ints{1});
  v.resize(0);
  CHECK(v.empty());
}

TEST_CASE("assign replaces all items of a slim vector") {
  Strings v{Long(1), Long(2), Long(3)};
  v.assign(2, "x");
  CHECK(v == Strings{"x", "x"});
  const std::list<std::string> more{"a", "b", "c", "d"};
  v.assign(more.begin(), more.end());
  CHECK(v == Strings{"a", "b", "c", "d"});
  v = {"q"};
  CHECK(v == Strings{"q"});
  v = std::vector<std::string>{"r", "s"};
  CHECK(v == Strings{"r", "s"});
}

TEST_CASE("append adds a range behind the others") {
  Strings v;
  const std::vector<std::string> two{"a", "b"};
  const std::list<std::string> list{"c"};
  v.append(two.begin(), two.begin());
  CHECK(v.empty());
  v.append(two.begin(), two.end());
  v.append(list.begin(), list.end());
  const char* const texts[] = {"d", "e"};
  v.append(texts, texts + 2);
  CHECK(v == Strings{"a", "b", "c", "d", "e"});
  for (int i = 0; i < 50; ++i) v.append(two.begin(), two.end());
  CHECK(v.size() == 105);
  CHECK(v.back() == "b");
}

TEST_CASE("insert and erase keep the order of a slim vector") {
  Ints v;
  CHECK(*v.insert(v.end(), 4) == 4);
  CHECK(*v.insert(v.begin(), 1) == 1);
  CHECK(*v.insert(v.begin() + 1, 3) == 3);
  CHECK(*v.insert(v.begin() + 1, 2) == 2);
  const int* const last = v.insert(v.end(), 5);
  CHECK(last == v.end() - 1);
  CHECK(v == Ints{1, 2, 3, 4, 5});
  CHECK(*v.erase(v.begin() + 1) == 3);
  CHECK(v == Ints{1, 3, 4, 5});
  CHECK(*v.erase(v.begin(), v.begin() + 2) == 4);
  CHECK(v == Ints{4, 5});
  CHECK(v.erase(v.begin(), v.begin()) == v.begin());
  const int* const after_last = v.erase(v.begin() + 1);
  CHECK(after_last == v.end());
  v.erase(v.begin(), v.end());
  CHECK(v.empty());
}

TEST_CASE("a slim vector of an incomplete type may be a member") {
  const Tree tree{1, {Tree{2, {}}, Tree{3, {Tree{4, {}}}}}};
  Tree copy = tree;
  CHECK(copy == tree);
  copy.children[1].children[0].value = 5;
  CHECK(copy != tree);
  for (int i = 0; i < 9; ++i) copy.children.push_back(tree);
  CHECK(copy.children[10].children[1].children[0].value == 4);
  copy.children.erase(copy.children.begin() + 1, copy.children.end());
  CHECK(copy.children == SlimVector<Tree>{Tree{2, {}}});
}

TEST_CASE("items of a slim vector are aligned") {
  struct alignas(128) Wide {
    int x = 0;
  };
  SlimVector<Wide> v;
  for (int i = 0; i < 20; ++i) {
    v.emplace_back().x = i;
    REQUIRE(reinterpret_cast<std::uintptr_t>(v.data()) % 128 == 0);
  }
  const SlimVector<Wide> copy = v;
  CHECK(reinterpret_cast<std::uintptr_t>(copy.data()) % 128 == 0);
  CHECK(copy[19].x == 19);
  v.insert(v.begin(), Wide());
  v.reserve(1000);
  CHECK(v[20].x == 19);
  CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 128 == 0);
}

namespace {

constexpr int SumWhileCompiling() {
  SlimVector<int> v{3, 1};
  for (int i = 0; i < 10; ++i) v.push_back(i);
  v.insert(v.begin(), 5);
  v.erase(v.begin() + 1);
  v.resize(4);  // 5 1 0 1
  v.resize(6, v[0]);
  SlimVector<int> copy = v;
  copy.reserve(50);
  v = std::move(copy);
  v.swap(copy);
  int sum = 0;
  for (const int i : copy) sum += i;
  return v.empty() && copy == SlimVector<int>{5, 1, 0, 1, 5, 5} ? sum : -1;
}

// Not trivial, so that construction and destruction happen.
struct Scope {
  using in_constant_expressions = void;
  constexpr explicit Scope(int* count) : open(count) { ++*open; }
  constexpr Scope(const Scope& other) : open(other.open) { ++*open; }
  constexpr Scope& operator=(const Scope&) = default;
  constexpr ~Scope() { --*open; }
  int* open;
};
constexpr bool DestroysWhileCompiling() {
  int open = 0;
  bool right = true;
  {
    SlimVector<Scope> v;
    for (int i = 0; i < 9; ++i) v.emplace_back(&open);
    right = right && open == 9;
    v.erase(v.begin() + 2, v.begin() + 4);
    v.pop_back();
    v.push_back(v[0]);
    right = right && open == 7;
  }
  return right && open == 0;
}

static_assert(SumWhileCompiling() == 17);
static_assert(DestroysWhileCompiling());

static_assert(GrowableListOf<std::vector<int>, int>);
static_assert(GrowableListOf<SlimVector<int>, int>);
static_assert(GrowableListOf<Strings, std::string>);
static_assert(!GrowableListOf<std::vector<long>, int>);
static_assert(!GrowableListOf<std::list<int>, int>);       // cannot reserve
static_assert(!GrowableListOf<std::span<int>, int>);       // cannot grow
static_assert(!GrowableListOf<std::array<int, 3>, int>);
static_assert(!GrowableListOf<int, int>);
static_assert(std::contiguous_iterator<SlimVector<int>::iterator>);

}  // namespace

TEST_CASE("a slim vector does while running what it does while compiling") {
  CHECK(SumWhileCompiling() == 17);
  CHECK(DestroysWhileCompiling());
}

TEST_CASE("every item of a slim vector is destroyed once") {
  const NothingIsLeft check;
  SlimVector<Tracked> v{1, 2, 3};
  CHECK(Tracked::alive == 3);
  v.push_back(v[1]);
  v.push_back(v[1]);
  v.emplace_back(9);
  CHECK(Tracked::alive == 6);
  v.resize(10);
  v.resize(4, 7);
  CHECK(Tracked::alive == 4);
  v.insert(v.begin() + 1, 8);
  CHECK(v == SlimVector<Tracked>{1, 8, 2, 3, 2});
  v.erase(v.begin());
  CHECK(v == SlimVector<Tracked>{8, 2, 3, 2});
  SlimVector<Tracked> w = v;
  CHECK(Tracked::alive == 8);
  w = std::move(v);
  CHECK(Tracked::alive == 4);
  v = w;
  v.swap(w);
  v = {5};
  CHECK(Tracked::alive == 5);
  v.clear();
  CHECK(Tracked::alive == 4);
  SlimVector<Tracked> taken;
  taken = std::move(w);
  taken.clear();
  CHECK(Tracked::alive == 0);
  v.assign(3, 1);
  CHECK(Tracked::alive == 3);
}

TEST_CASE("random edits of a slim vector give what std::vector gives") {
  const NothingIsLeft check;
  std::uint32_t state = 1;
  SlimVector<Tracked> mine;
  std::vector<int> reference;
  for (int step = 0; step < 5000; ++step) {
    const std::size_t at = reference.empty() ? 0 : NextRandom(&state) % reference.size();
    const auto offset = static_cast<std::ptrdiff_t>(at);
    const bool empty = reference.empty();
    switch (NextRandom(&state) % 14) {
      case 0:
      case 1:
        mine.push_back(step);
        reference.push_back(step);
        break;
      case 2:
        if (empty) break;
        mine.push_back(mine[at]);
        reference.push_back(reference[at]);
        break;
      case 3:
      case 4:
        mine.insert(mine.begin() + offset, step);
        reference.insert(reference.begin() + offset, step);
        break;
      case 5:
        if (empty) break;
        mine.erase(mine.begin() + offset);
        reference.erase(reference.begin() + offset);
        break;
      case 6:
        mine.erase(mine.begin() + offset / 2, mine.begin() + offset);
        reference.erase(reference.begin() + offset / 2, reference.begin() + offset);
        break;
      case 7:
      case 8: {
        const std::array<int, 3> more{step, -step, 7};
        mine.append(more.begin(), more.end());
        reference.insert(reference.end(), more.begin(), more.end());
        break;
      }
      case 9: {
        const std::size_t size = NextRandom(&state) % 30;
        mine.resize(size, step);
        reference.resize(size, step);
        break;
      }
      case 10: {
        SlimVector<Tracked> other = std::move(mine);
        mine = other;
        break;
      }
      case 11: {
        SlimVector<Tracked> other{1, 2};
        other.swap(mine);
        mine = std::move(other);
        break;
      }
      case 12: mine.reserve(mine.size() + 5); break;
      default:
        if (empty) break;
        mine.pop_back();
        reference.pop_back();
        break;
    }
    const auto same = [](const Tracked& a, int b) { return a.Value() == b; };
    REQUIRE(std::equal(mine.begin(), mine.end(), reference.begin(), reference.end(), same));
    REQUIRE(Tracked::alive == static_cast<int>(mine.size()));
    REQUIRE(mine.capacity() >= mine.size());
  }
}

// Under the address sanitizer: memory for more items goes when the item cannot be made.
TEST_CASE("an item that throws leaves the vector as it was") {
  struct Refuses {
    explicit Refuses(int number) : value(Long(number)) {
      if (number < 0) throw std::bad_alloc();
    }
    std::string value;
  };
  SlimVector<Refuses> items;
  for (int i = 0; i < 9; ++i) {
    CHECK_THROWS_AS(items.emplace_back(-1), std::bad_alloc);
    REQUIRE(items.size() == static_cast<std::size_t>(i));
    items.emplace_back(i);
    REQUIRE(items.back().value == Long(i));
  }
}
}  // namespace slim_vector_test

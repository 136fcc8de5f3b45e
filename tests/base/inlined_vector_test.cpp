// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/inlined_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace inlined_vector_test {
using tenon::InlinedVector;

namespace {

using Ints = InlinedVector<int, 4>;
using Strings = InlinedVector<std::string, 2>;

std::string Long(int i) { return std::string(40, 'x') + std::to_string(i); }

template <class V>
bool IsInside(const V& v) {
  const auto* const first = reinterpret_cast<const unsigned char*>(&v);
  const auto* const data = reinterpret_cast<const unsigned char*>(v.data());
  return data >= first && data < first + sizeof v;
}

std::uint32_t NextRandom(std::uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

}  // namespace

TEST_CASE("a vector is made empty, of a size, from items and from a range") {
  CHECK(Ints().empty());
  CHECK(Ints(3) == Ints{0, 0, 0});
  CHECK(Ints(2, 7) == Ints{7, 7});
  const std::list<int> list{1, 2, 3, 4, 5, 6};
  CHECK(Ints(list.begin(), list.end()) == Ints{1, 2, 3, 4, 5, 6});
  const int items[] = {4, 5};
  CHECK(Ints(items, items + 2) == Ints{4, 5});
  CHECK(Ints{1, 2} != Ints{1, 2, 3});
  CHECK(Ints{1, 2} != Ints{1, 3});
}

TEST_CASE("items stay inside up to N and go to the heap beyond") {
  Ints v;
  CHECK(v.capacity() == 4);
  for (int i = 0; i < 4; ++i) v.push_back(i);
  CHECK(IsInside(v));
  v.push_back(4);
  CHECK_FALSE(IsInside(v));
  CHECK(v.size() == 5);
  CHECK(v.front() == 0);
  CHECK(v.back() == 4);
  CHECK(v[3] == 3);
}

TEST_CASE("copies are independent") {
  for (const int count : {1, 2, 5}) {
    Strings a;
    for (int i = 0; i < count; ++i) a.push_back(Long(i));
    Strings b = a;
    CHECK(a == b);
    b[0] = "changed";
    CHECK(a[0] == Long(0));
    Strings c{"old"};
    c = a;
    CHECK(c == a);
    Strings& alias = c;
    c = alias;
    CHECK(c == a);
  }
}

TEST_CASE("a move leaves the source empty and usable") {
  for (const int count : {1, 2, 5}) {
    Strings a;
    for (int i = 0; i < count; ++i) a.push_back(Long(i));
    const Strings copy = a;
    Strings b = std::move(a);
    CHECK(b == copy);
    CHECK(a.empty());
    a.push_back("again");
    CHECK(a[0] == "again");
    a = std::move(b);
    CHECK(a == copy);
    CHECK(b.empty());
    CHECK(b.capacity() == 2);
    Strings& alias = a;
    a = std::move(alias);
    CHECK(a == copy);
  }
}

TEST_CASE("swap exchanges inside and heap storage") {
  Strings a{Long(1)};
  Strings b{Long(2), Long(3), Long(4)};
  a.swap(b);
  CHECK(a == Strings{Long(2), Long(3), Long(4)});
  CHECK(b == Strings{Long(1)});
}

TEST_CASE("an item of the vector may be pushed while it grows") {
  Strings v{Long(1), Long(2)};
  v.push_back(v[0]);
  CHECK(v.back() == Long(1));
  v.emplace_back(v[1]);
  v.resize(20, v[1]);
  CHECK(v[19] == Long(2));
}

TEST_CASE("items that can only be moved are held") {
  InlinedVector<std::unique_ptr<int>, 1> v;
  for (int i = 0; i < 5; ++i) v.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 5; ++i) CHECK(*v[static_cast<std::size_t>(i)] == i);
  v.erase(v.begin());
  CHECK(*v[0] == 1);
  const auto w = std::move(v);
  CHECK(w.size() == 4);
}

TEST_CASE("resize adds empty items or drops the last ones") {
  Ints v{1, 2};
  v.resize(6);
  CHECK(v == Ints{1, 2, 0, 0, 0, 0});
  v.resize(1);
  CHECK(v == Ints{1});
  v.clear();
  CHECK(v.empty());
  CHECK(v.capacity() >= 6);
  v.reserve(100);
  CHECK(v.capacity() == 100);
  v.pop_back();
}

TEST_CASE("assign replaces everything") {
  Strings v{Long(1), Long(2), Long(3)};
  v.assign(2, "x");
  CHECK(v == Strings{"x", "x"});
  const std::vector<std::string> more{"a", "b", "c", "d"};
  v.assign(more.begin(), more.end());
  CHECK(v == Strings{"a", "b", "c", "d"});
  v = {"q"};
  CHECK(v == Strings{"q"});
}

TEST_CASE("insert and erase keep the order") {
  Ints v{1, 4};
  CHECK(*v.insert(v.begin() + 1, 2) == 2);
  const int more[] = {10, 11, 12};
  CHECK(*v.insert(v.begin() + 2, more, more + 3) == 10);
  CHECK(v == Ints{1, 2, 10, 11, 12, 4});
  CHECK(*v.erase(v.begin() + 2, v.begin() + 5) == 4);
  CHECK(v == Ints{1, 2, 4});
  const int* const after_last = v.erase(v.begin() + 2);
  CHECK(after_last == v.end());
  CHECK(v == Ints{1, 2});
  const int* const added = v.insert(v.end(), 9);
  CHECK(added == v.end() - 1);
  CHECK(v.erase(v.begin(), v.begin()) == v.begin());
  CHECK(v == Ints{1, 2, 9});
}

TEST_CASE("a vector converts to a span and is sorted") {
  Ints v{3, 1, 2, 5, 4};
  std::sort(v.begin(), v.end());
  const std::span<const int> span = v;
  CHECK(span.size() == 5);
  CHECK(span[4] == 5);
}

TEST_CASE("items are aligned inside and on the heap") {
  struct alignas(64) Wide {
    int x = 0;
  };
  InlinedVector<Wide, 1> v;
  for (int i = 0; i < 3; ++i) {
    v.emplace_back();
    CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 64 == 0);
  }
}

TEST_CASE("random edits give what std::vector gives") {
  std::uint32_t state = 1;
  Strings mine;
  std::vector<std::string> reference;
  for (int step = 0; step < 3000; ++step) {
    const std::size_t at = reference.empty() ? 0 : NextRandom(&state) % reference.size();
    const auto offset = static_cast<std::ptrdiff_t>(at);
    switch (NextRandom(&state) % 7) {
      case 0:
      case 1:
        mine.push_back(Long(step));
        reference.push_back(Long(step));
        break;
      case 2:
        mine.insert(mine.begin() + offset, Long(step));
        reference.insert(reference.begin() + offset, Long(step));
        break;
      case 3:
        if (reference.empty()) break;
        mine.erase(mine.begin() + offset);
        reference.erase(reference.begin() + offset);
        break;
      case 4:
        mine.erase(mine.begin() + offset, mine.end());
        reference.erase(reference.begin() + offset, reference.end());
        break;
      case 5: {
        const std::vector<std::string> more{Long(1), "b", Long(3)};
        mine.insert(mine.begin() + offset, more.begin(), more.end());
        reference.insert(reference.begin() + offset, more.begin(), more.end());
        break;
      }
      default: {
        Strings other = std::move(mine);
        mine = other;
        break;
      }
    }
    REQUIRE(std::equal(mine.begin(), mine.end(), reference.begin(), reference.end()));
  }
}
}  // namespace inlined_vector_test

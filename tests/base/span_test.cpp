// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/span.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <tenon/base/slim_vector.hpp>

namespace span_test {
using tenon::Span;

namespace {

int Sum(Span<const int> items) {
  int sum = 0;
  for (const int item : items) sum += item;
  return sum;
}
int StdSum(std::span<const int> items) { return Sum(items); }

struct Base {};
struct Derived : Base {};

// What std::span refuses.
static_assert(!std::is_convertible_v<const std::vector<int>&, Span<int>>);           // items that may not be written
static_assert(!std::is_convertible_v<std::vector<int>, Span<int>>);  // to be written, but gone at once
static_assert(!std::is_convertible_v<std::vector<int>&, Span<const std::int64_t>>);  // other items
static_assert(!std::is_convertible_v<std::vector<Derived>&, Span<Base>>);  // of another size
static_assert(!std::is_convertible_v<int, Span<int>>);
static_assert(!std::is_convertible_v<Span<const int>, Span<int>>);
static_assert(std::is_convertible_v<std::vector<int>, Span<const int>>);
static_assert(std::is_convertible_v<Span<int>, Span<const int>>);
static_assert(std::is_trivially_copyable_v<Span<int>> && sizeof(Span<int>) == sizeof(std::span<int>));

}  // namespace

TEST_CASE("a Span is made of all that holds its items in one piece") {
  std::vector<int> vector = {1, 2, 3};
  const std::array<int, 2> array = {4, 5};
  tenon::SlimVector<int> slim = {6};
  int plain[] = {7, 8};
  CHECK(Sum(vector) == 6);
  CHECK(Sum(array) == 9);
  CHECK(Sum(slim) == 6);
  CHECK(Sum(plain) == 15);
  CHECK(Sum(std::span(vector)) == 6);
  CHECK(Sum(std::vector<int>{1, 1}) == 2);
  CHECK(Sum({vector.data() + 1, 2}) == 5);
  CHECK(Sum({}) == 0);
  std::string string = "ab";
  const Span<char> text = string;
  text[0] = 'x';
  CHECK(text.size() == 2);
  CHECK(string == "xb");
}

TEST_CASE("a Span becomes a std::span, also where it is temporary") {
  std::vector<int> vector = {1, 2, 3};
  const Span<int> span = vector;
  CHECK(StdSum(span) == 6);
  CHECK(StdSum(Span<const int>(vector)) == 6);
  const std::span<int> back = Span<int>(vector);
  CHECK(back.data() == vector.data());
  CHECK(back.size() == 3);
  const Span<int> again = std::span<int>(vector);  // whose items are not its own
  CHECK(again.data() == vector.data());
}

TEST_CASE("parts of a Span") {
  const int items[] = {1, 2, 3, 4, 5};
  const Span<const int> span = items;
  CHECK(span.size() == 5);
  CHECK(span.size_bytes() == 5 * sizeof(int));
  CHECK_FALSE(span.empty());
  CHECK(Span<int>().empty());
  CHECK(Span<int>().data() == nullptr);
  CHECK(span.front() == 1);
  CHECK(span.back() == 5);
  CHECK(span[2] == 3);
  CHECK(Sum(span.first(2)) == 3);
  CHECK(Sum(span.last(2)) == 9);
  CHECK(Sum(span.subspan(3)) == 9);
  CHECK(Sum(span.subspan(1, 2)) == 5);
  CHECK(span.subspan(5).empty());
}

TEST_CASE("a Span in a constant expression") {
  constexpr auto sum = [] {
    const int items[] = {1, 2, 3};
    int result = 0;
    for (const int item : Span<const int>(items)) result += item;
    return result;
  }();
  static_assert(sum == 6);
}
}  // namespace span_test

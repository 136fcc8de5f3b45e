// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/fixed_string.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

namespace fixed_string_test {
using tenon::FixedString;

namespace {

template <FixedString Name>
struct Tagged {
  static constexpr std::string_view name = Name.view();
};

}  // namespace

TEST_CASE("a literal is a template argument") {
  static_assert(Tagged<"MatMul">::name == "MatMul");
  static_assert(!std::is_same_v<Tagged<"a">, Tagged<"b">>);
  static_assert(std::is_same_v<Tagged<"a">, Tagged<"a">>);
}

TEST_CASE("a fixed string has the length of its literal without the zero") {
  constexpr FixedString text("abc");
  static_assert(text.size() == 3);
  static_assert(text.view() == "abc");
  static_assert(std::string_view(text) == "abc");
  CHECK(text.text[3] == '\0');
}

TEST_CASE("a fixed string is made from a view, cut or filled up") {
  constexpr std::string_view source = "Softmax";
  constexpr FixedString<source.size()> whole(source);
  static_assert(whole.view() == "Softmax");
  constexpr FixedString<4> cut(source);
  static_assert(cut.view() == "Soft");
  constexpr FixedString<9> longer(source);
  CHECK(longer.view() == std::string_view("Softmax\0\0", 9));
}

TEST_CASE("fixed strings are concatenated and compared while compiling") {
  constexpr auto sum = FixedString("op ") + FixedString("Add");
  static_assert(sum.size() == 6);
  static_assert(sum.view() == "op Add");
  static_assert(FixedString("a") == FixedString("a"));
  static_assert(!(FixedString("a") == FixedString("ab")));
  CHECK(sum == FixedString("op Add"));
}
}  // namespace fixed_string_test

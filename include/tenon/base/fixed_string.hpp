// SPDX-License-Identifier: Apache-2.0
#pragma once
// FixedString: a string as a template argument, so that a compiler prints it in an error. For diagnostics only: the
// type of a kernel never contains one (nvcc rejects strings in the template arguments of kernels that it launches).

#include <cstddef>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// N characters and a zero at the end. immutable once made; public members make it a structural type.
template <std::size_t N>
struct FixedString {
  constexpr FixedString() = default;
  constexpr FixedString(const char (&literal)[N + 1]) : FixedString(std::string_view(literal, N)) {}
  // The first N characters of `s`; missing ones stay zero.
  constexpr explicit FixedString(std::string_view s) {
    for (std::size_t i = 0; i != N && i < s.size(); ++i) text[i] = s[i];
  }

  static constexpr std::size_t size() { return N; }
  constexpr std::string_view view() const { return {text, N}; }
  constexpr operator std::string_view() const { return view(); }

  template <std::size_t M>
  friend constexpr FixedString<N + M> operator+(const FixedString& a, const FixedString<M>& b) {
    FixedString<N + M> sum;
    for (std::size_t i = 0; i < N; ++i) sum.text[i] = a.text[i];
    for (std::size_t i = 0; i < M; ++i) sum.text[N + i] = b.text[i];
    return sum;
  }
  template <std::size_t M>
  friend constexpr bool operator==(const FixedString& a, const FixedString<M>& b) {
    return a.view() == b.view();
  }

  char text[N + 1] = {};
};

template <std::size_t Size>
FixedString(const char (&)[Size]) -> FixedString<Size - 1>;

TENON_DETAIL_NAMESPACE_END

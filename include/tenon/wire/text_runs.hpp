// SPDX-License-Identifier: Apache-2.0
#pragma once
// BehindBlanks and BehindPlain: runs of characters that readers of texts pass over as a whole.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire::detail {

// The first character from `at` on that is not a blank, by eight characters at a time. Up to seven blanks before `end`
// may stay.
inline const char* BehindBlanks(const char* at, const char* end) {
  for (std::uint64_t eight; end - at >= 8; at += 8) {
    std::memcpy(&eight, at, sizeof eight);
    eight ^= 0x2020202020202020u;
    if (eight != 0) return at + std::countr_zero(eight) / 8;
  }
  return at;
}

// Characters that stand for themselves in a text in quotes: printable ASCII without quotes and backslash.
inline constexpr std::array<bool, 256> kPlainInQuotes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = ' '; c < 0x7f; ++c) plain[c] = c != '"' && c != '\'' && c != '\\';
  return plain;
}();

// The first character from `at` on that is not plain in quotes.
inline const char* BehindPlain(const char* at, const char* end) {
  while (at != end && kPlainInQuotes[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

// Letters, digits and '_'.
inline constexpr std::array<bool, 256> kInWord = [] {
  std::array<bool, 256> in_word{};
  for (std::size_t c = 0; c < 128; ++c)
    in_word[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return in_word;
}();
inline const char* BehindWord(const char* at, const char* end) {
  while (at != end && kInWord[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

// The first byte of U+FEFF in UTF-8, which some editors put in front of a text.
inline constexpr char kByteOrderMark = '\xef';

// The number of plain characters in front.
inline std::size_t PlainSize(std::string_view text) {
  const char* const begin = text.data();
  return static_cast<std::size_t>(BehindPlain(begin, begin + text.size()) - begin);
}

}  // namespace wire::detail

TENON_DETAIL_NAMESPACE_END

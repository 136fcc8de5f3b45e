// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lower and upper case of UTF-8 texts, for all of Unicode and no particular language. A letter may become several; a
// sigma that ends a word has its own lower case. Bytes that are no UTF-8 become U+FFFD. As in TensorFlow, a text ends
// where its first zero byte is.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/tensor/string_tensor.hpp>
#include <tenon/engine/text/case_tables.hpp>
#include <tenon/engine/text/strings.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The entry of an ascending table whose [first, last] has `code`, or null.
template <class Range>
constexpr const Range* FindRange(const Range* ranges, std::size_t count, std::int32_t code) {
  std::size_t low = 0, high = count;  // the last that begins at or before `code` is in front of `high`
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (ranges[middle].first <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && ranges[low - 1].last >= code ? ranges + low - 1 : nullptr;
}
template <class Range, std::size_t N>
constexpr const Range* FindRange(const Range (&ranges)[N], std::int32_t code) {
  return FindRange(ranges, N, code);
}
template <std::size_t N>
constexpr std::int32_t SimpleCase(const CaseRange (&ranges)[N], std::int32_t code) {
  const CaseRange* range = FindRange(ranges, code);
  if (range == nullptr || (code - range->first) % range->step != 0) return code;
  return code + range->delta;
}

// The character at text[*at], which moves on; what is no UTF-8 is U+FFFD.
constexpr std::int32_t NextCharacter(std::string_view text, std::size_t* at) {
  const Utf8Character c = ReadUtf8(text.substr(*at));
  *at += static_cast<std::size_t>(c.bytes);
  return c.code < 0 ? kReplacementCharacter : c.code;
}
// Is there a letter with case behind text[at], past what is ignored?
constexpr bool CasedFollows(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::int32_t code = NextCharacter(text, &at);
    if (FindRange(kCaseIgnorable, code) == nullptr) return FindRange(kCased, code) != nullptr;
  }
  return false;
}

}  // namespace detail

inline void LowerUtf8(std::string_view in, tstring* out) {
  constexpr std::int32_t kDottedI = 0x130, kSigma = 0x3a3, kFinalSigma = 0x3c2;
  in = in.substr(0, in.find('\0'));
  std::string text;
  text.reserve(in.size());
  bool after_cased = false;  // a letter with case is in front, past what is ignored
  for (std::size_t at = 0; at < in.size();) {
    const std::int32_t code = detail::NextCharacter(in, &at);
    if (code == kDottedI) {
      AppendUtf8('i', &text);
      AppendUtf8(0x307, &text);
    } else if (code == kSigma && after_cased && !detail::CasedFollows(in, at)) {
      AppendUtf8(kFinalSigma, &text);
    } else {
      AppendUtf8(detail::SimpleCase(detail::kLowerRanges, code), &text);
    }
    if (detail::FindRange(detail::kCaseIgnorable, code) == nullptr)
      after_cased = detail::FindRange(detail::kCased, code) != nullptr;
  }
  out->assign(text);
}

inline void UpperUtf8(std::string_view in, tstring* out) {
  in = in.substr(0, in.find('\0'));
  std::string text;
  text.reserve(in.size());
  for (std::size_t at = 0; at < in.size();) {
    const std::int32_t code = detail::NextCharacter(in, &at);
    const detail::LongCase* found = detail::FindRange(detail::kLongUpper, code);
    if (found == nullptr) {
      AppendUtf8(detail::SimpleCase(detail::kUpperRanges, code), &text);
      continue;
    }
    for (const std::int32_t part : found->to)
      if (part != 0) AppendUtf8(part, &text);
  }
  out->assign(text);
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// UTF-8: a character from and to its number, for readers and writers of text with escapes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {
namespace detail {

// Appends the bytes of character `code`, at most 0x10ffff, to *out.
inline void AppendUtf8(std::uint32_t code, std::string* out) {
  const auto push = [out](std::uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    push(0xe0 | code >> 12);
    push(0x80 | (code >> 6 & 0x3f));
  } else {
    push(0xf0 | code >> 18);
    push(0x80 | (code >> 12 & 0x3f));
    push(0x80 | (code >> 6 & 0x3f));
  }
  push(0x80 | (code & 0x3f));
}

// Returns how many bytes the UTF-8 character has that `text` begins with; 0: it does not begin with one.
inline std::size_t Utf8Size(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at(0) < 0x80) return 1;
  const std::size_t size = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool too_long = (at(0) == 0xe0 && at(1) < 0xa0) || (at(0) == 0xf0 && at(1) < 0x90);
  const bool no_character = (at(0) == 0xed && at(1) >= 0xa0) || (at(0) == 0xf4 && at(1) >= 0x90);
  return too_long || no_character ? 0 : size;
}
// Is all of the text ASCII? Most are. Loads of eight and four bytes may overlap.
inline bool IsAscii(std::string_view text) {
  const char* const p = text.data();
  const std::size_t n = text.size();
  std::uint64_t all = 0, eight;
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8) {
      std::memcpy(&eight, p + i, 8);
      all |= eight;
    }
    std::memcpy(&eight, p + n - 8, 8);
    all |= eight;
  } else if (n >= 4) {
    std::uint32_t first, last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + n - 4, 4);
    all = first | last;
  } else {
    for (const char c : text) all |= static_cast<unsigned char>(c);
  }
  return (all & 0x8080808080808080u) == 0;
}
// Is all of the text UTF-8?
inline bool IsUtf8(std::string_view text) {
  if (IsAscii(text)) [[likely]]
    return true;
  for (std::size_t at = 0, size = 0; at < text.size(); at += size) {
    size = Utf8Size(text.substr(at));
    if (size == 0) return false;
  }
  return true;
}
// Returns the number of a character of Utf8Size bytes.
inline std::uint32_t Utf8Code(std::string_view bytes) {
  std::uint32_t code = static_cast<unsigned char>(bytes[0]) & (bytes.size() == 1 ? 0x7fu : 0xffu >> (bytes.size() + 1));
  for (std::size_t i = 1; i < bytes.size(); ++i) code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3fu);
  return code;
}

}  // namespace detail
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

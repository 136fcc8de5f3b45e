// SPDX-License-Identifier: Apache-2.0
#pragma once
// AppendUtf8: a character by its number, for readers of text with escapes.

#include <cstdint>
#include <string>

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

}  // namespace detail
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

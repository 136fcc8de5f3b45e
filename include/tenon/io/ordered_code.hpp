// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keys of checkpoints: numbers and strings as bytes that sort in the order of their values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/tensor/slice.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ordered_code {

// Appends the number of bytes that follow, then these bytes without leading zeros, highest first.
inline void AppendUnsigned(std::string* out, std::uint64_t value) {
  char bytes[9];
  int used = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<char>(value >> shift);
    if (used > 0 || byte != 0) bytes[++used] = byte;
  }
  bytes[0] = static_cast<char>(used);
  out->append(bytes, static_cast<std::size_t>(used) + 1);
}

// Zero bytes and 0xff become two bytes; the end is 0, 1.
inline void AppendText(std::string* out, std::string_view text) {
  for (const char c : text) {
    if (c == '\0') {
      out->append("\0\xff", 2);
    } else if (c == '\xff') {
      out->append("\xff\0", 2);
    } else {
      out->push_back(c);
    }
  }
  out->append("\0\1", 2);
}

// n bytes hold 7 n - 1 bits and the sign: as many leading ones as bytes (the sign turned over), a zero, the number.
inline void AppendSigned(std::string* out, std::int64_t value) {
  const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t bits = static_cast<std::uint64_t>(value) ^ sign;
  int bytes = 1;
  while (bytes < 10 && bits >> (7 * bytes - 1) != 0) ++bytes;
  char code[10];
  for (int i = 0; i < 10; ++i) {  // the number, its sign in front of it, highest byte first
    const int shift = 8 * (9 - i);
    code[i] = static_cast<char>(shift >= 64 ? sign : static_cast<std::uint64_t>(value) >> shift);
  }
  char* const first = code + 10 - bytes;
  const unsigned ones = bytes >= 8 ? 0xffu : 0xffu << (8 - bytes) & 0xffu;
  first[0] = static_cast<char>(static_cast<unsigned char>(first[0]) ^ ones);
  if (bytes > 8) {
    const unsigned more = bytes == 9 ? 0x80u : 0xc0u;
    first[1] = static_cast<char>(static_cast<unsigned char>(first[1]) ^ more);
  }
  out->append(first, static_cast<std::size_t>(bytes));
}

// The key under which a slice of the tensor is stored. No name of a tensor is such a key: it begins with a zero.
inline std::string SliceKey(std::string_view tensor, const TensorSlice& slice) {
  std::string key;
  AppendUnsigned(&key, 0);
  AppendText(&key, tensor);
  AppendUnsigned(&key, static_cast<std::uint64_t>(slice.dims()));
  for (int d = 0; d < slice.dims(); ++d) {
    AppendSigned(&key, slice.start(d));
    AppendSigned(&key, slice.length(d));
  }
  return key;
}

}  // namespace ordered_code

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

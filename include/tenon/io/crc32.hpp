// SPDX-License-Identifier: Apache-2.0
#pragma once
// Crc32: the check sum of zip, gzip and PNG files (polynomial 0xedb88320).

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

// rows[k][b]: what byte b does to the sum when k more bytes follow it in a group of eight. Made once, when first used.
struct Crc32Table {
  std::uint32_t rows[8][256];

  Crc32Table() {
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t sum = b;
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320u : 0u);
      rows[0][b] = sum;
    }
    for (int k = 1; k < 8; ++k) {
      for (int b = 0; b < 256; ++b) rows[k][b] = (rows[k - 1][b] >> 8) ^ rows[0][rows[k - 1][b] & 0xff];
    }
  }
};

}  // namespace detail

// The sum of `bytes` after those that `before` is the sum of: Crc32(b, Crc32(a)) is that of a and b together.
inline std::uint32_t Crc32(std::string_view bytes, std::uint32_t before = 0) {
  static const detail::Crc32Table table;
  const auto& rows = table.rows;
  std::uint32_t sum = ~before;
  const char* at = bytes.data();
  std::size_t count = bytes.size();
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  for (; count >= 8; count -= 8, at += 8) {
    sum ^= byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    sum = rows[7][sum & 0xff] ^ rows[6][(sum >> 8) & 0xff] ^ rows[5][(sum >> 16) & 0xff] ^ rows[4][sum >> 24] ^
          rows[3][byte(4)] ^ rows[2][byte(5)] ^ rows[1][byte(6)] ^ rows[0][byte(7)];
  }
  for (; count > 0; --count, ++at) sum = (sum >> 8) ^ rows[0][(sum ^ byte(0)) & 0xff];
  return ~sum;
}

TENON_NAMESPACE_END

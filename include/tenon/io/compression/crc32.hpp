// SPDX-License-Identifier: Apache-2.0
#pragma once
// Crc32: the check sum of zip, gzip and PNG files (polynomial 0xedb88320). Crc32c: the check sum of checkpoints,
// tables and TFRecord files (polynomial 0x82f63b78), which store it masked.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/engine/core/crc32c.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// rows[k][b]: effect of byte b on the sum when k more bytes follow in a group of eight. Made once, when first used.
template <std::uint32_t kPolynomial>
struct CrcTable {
  std::uint32_t rows[8][256];

  CrcTable() {
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t sum = b;
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0u);
      rows[0][b] = sum;
    }
    for (int k = 1; k < 8; ++k) {
      for (int b = 0; b < 256; ++b) rows[k][b] = (rows[k - 1][b] >> 8) ^ rows[0][rows[k - 1][b] & 0xff];
    }
  }
};

template <std::uint32_t kPolynomial>
std::uint32_t Crc(std::string_view bytes, std::uint32_t before) {
  static const CrcTable<kPolynomial> table;
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

}  // namespace detail

// Continues the sum `before` with `bytes`: Crc32(b, Crc32(a)) is the sum of a and b together.
inline std::uint32_t Crc32(std::string_view bytes, std::uint32_t before = 0) {
  return detail::Crc<0xedb88320u>(bytes, before);
}
inline std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0) {
  if (detail::HasCrc32cInstruction()) return detail::Crc32cByProcessor(bytes.data(), bytes.size(), before);
  return detail::Crc<0x82f63b78u>(bytes, before);
}
// Joins sums: of a and b, Crc32cOfBoth(Crc32c(a), Crc32c(b), b.size()) is the sum of a and b together.
constexpr std::uint32_t Crc32cOfBoth(std::uint32_t first, std::uint32_t second, std::size_t second_bytes) {
  return detail::Crc32cProduct(detail::Crc32cPower(second_bytes), first) ^ second;
}
// Masks a sum to store it beside its bytes: the sum of bytes that hold their own sum says little.
constexpr std::uint32_t MaskCrc(std::uint32_t sum) { return ((sum >> 15) | (sum << 17)) + 0xa282ead8u; }
constexpr std::uint32_t UnmaskCrc(std::uint32_t masked) {
  const std::uint32_t turned = masked - 0xa282ead8u;
  return (turned >> 17) | (turned << 15);
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Divisions by a number that stays the same, for kernels on a GPU, where a division takes dozens of instructions.

#include <cstdint>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// n / divisor for 0 <= n < 2^31 by a multiplication; divisor >= 1 below 2^31.
struct FastDivisor {
  std::uint32_t divisor = 1, multiplier = 1, shift = 0;

  FastDivisor() = default;
  explicit constexpr FastDivisor(std::uint32_t d) : divisor(d) {
    while (shift < 31 && (std::uint32_t{1} << shift) < d) ++shift;
    multiplier = static_cast<std::uint32_t>((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - d) / d + 1);
  }
  TENON_HD constexpr std::uint32_t Divide(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * multiplier >> 32);
    return (high + n) >> shift;
  }
};

// As FastDivisor, for any numbers; divides.
struct WideDivisor {
  std::uint64_t divisor = 1;
  TENON_HD constexpr std::uint64_t Divide(std::uint64_t n) const { return n / divisor; }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

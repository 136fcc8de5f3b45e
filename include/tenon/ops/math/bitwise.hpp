// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bits of integers.

#include <cstdint>
#include <type_traits>

#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Invert {
  static constexpr auto signature = detail::UnaryOp("Invert", detail::kIntegerTypes);
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    return static_cast<T>(~x);
  }

  template <class Device, class T>
  using kernel = Map1<Invert, Device, T>;
};

// The number of bits that are 1.
struct PopulationCount {
  static constexpr auto signature = detail::UnaryOp("PopulationCount", detail::kIntegerTypes, "y: uint8");
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static std::uint8_t map(const T& x) {
    return Count(static_cast<std::make_unsigned_t<T>>(x));
  }

  template <class Device, class T>
  using kernel = Map1<PopulationCount, Device, T>;

 private:
  // Sums of neighbouring bits, then of pairs, of fours, and of bytes. H. S. Warren, "Hacker's Delight", chapter 5.
  TENON_HD static std::uint8_t Count(std::uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<std::uint8_t>(x * 0x0101010101010101u >> 56);
  }
};

struct BitwiseAnd {
  static constexpr auto signature = detail::BinaryOp("BitwiseAnd", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x & y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseAnd, Device, T>;
};

struct BitwiseOr {
  static constexpr auto signature = detail::BinaryOp("BitwiseOr", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x | y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseOr, Device, T>;
};

struct BitwiseXor {
  static constexpr auto signature = detail::BinaryOp("BitwiseXor", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x ^ y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseXor, Device, T>;
};

namespace detail {
// A shift amount, clamped to 0 ... bits - 1.
template <class T>
TENON_HD int ShiftAmount(T y) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  return y < T(0) ? 0 : y > T(kMost) ? kMost : static_cast<int>(y);
}
}  // namespace detail

// Amounts are clamped to what the type has bits for; bits that leave it are lost.
struct LeftShift {
  static constexpr auto signature = detail::BinaryOp("LeftShift", detail::kIntegerTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << detail::ShiftAmount(y));
  }

  template <class Device, class T>
  using kernel = Map2<LeftShift, Device, T>;
};

// Signed integers keep their sign.
struct RightShift {
  static constexpr auto signature = detail::BinaryOp("RightShift", detail::kIntegerTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x >> detail::ShiftAmount(y));
  }

  template <class Device, class T>
  using kernel = Map2<RightShift, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// std::hash of the element types of numeric.hpp: equal numbers have equal hashes, so 0 and -0 share one.

#include <cstddef>
#include <cstdint>
#include <string_view>  // declares std::hash

#include <tenon/base/config.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/types/numeric.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// The hash of a type that stores a pattern (`bits`) or an integer (`value`).
template <class T>
struct ElementHash {
  std::size_t operator()(T x) const {
    if constexpr (requires { x.value; }) {
      return static_cast<std::size_t>(HashCombine(kHash64Seed, static_cast<std::uint64_t>(x.value)));
    } else {
      return static_cast<std::size_t>(HashCombine(kHash64Seed, x == T::FromBits(0) ? 0 : x.bits));
    }
  }
};

}  // namespace detail
TENON_DETAIL_NAMESPACE_END

// clang-format off
template <> struct std::hash<tenon::half> : tenon::detail::ElementHash<tenon::half> {};
template <> struct std::hash<tenon::bfloat16> : tenon::detail::ElementHash<tenon::bfloat16> {};
template <> struct std::hash<tenon::float8_e5m2> : tenon::detail::ElementHash<tenon::float8_e5m2> {};
template <> struct std::hash<tenon::float8_e4m3fn> : tenon::detail::ElementHash<tenon::float8_e4m3fn> {};
template <> struct std::hash<tenon::float8_e4m3fnuz> : tenon::detail::ElementHash<tenon::float8_e4m3fnuz> {};
template <> struct std::hash<tenon::float8_e4m3b11fnuz> : tenon::detail::ElementHash<tenon::float8_e4m3b11fnuz> {};
template <> struct std::hash<tenon::float8_e5m2fnuz> : tenon::detail::ElementHash<tenon::float8_e5m2fnuz> {};
template <> struct std::hash<tenon::float4_e2m1fn> : tenon::detail::ElementHash<tenon::float4_e2m1fn> {};
template <> struct std::hash<tenon::qint8> : tenon::detail::ElementHash<tenon::qint8> {};
template <> struct std::hash<tenon::quint8> : tenon::detail::ElementHash<tenon::quint8> {};
template <> struct std::hash<tenon::qint16> : tenon::detail::ElementHash<tenon::qint16> {};
template <> struct std::hash<tenon::quint16> : tenon::detail::ElementHash<tenon::quint16> {};
template <> struct std::hash<tenon::qint32> : tenon::detail::ElementHash<tenon::qint32> {};
template <> struct std::hash<tenon::int4> : tenon::detail::ElementHash<tenon::int4> {};
template <> struct std::hash<tenon::uint4> : tenon::detail::ElementHash<tenon::uint4> {};
template <> struct std::hash<tenon::int2> : tenon::detail::ElementHash<tenon::int2> {};
template <> struct std::hash<tenon::uint2> : tenon::detail::ElementHash<tenon::uint2> {};
// clang-format on

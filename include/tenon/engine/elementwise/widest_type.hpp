// SPDX-License-Identifier: Apache-2.0
#pragma once
// Real numbers of any type as the widest of their kind - int64, uint64 or double, which hold each of them exactly. For
// loops that are not worth compiling for every type: sorting, searching.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/elementwise/cast.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Loops that make elements of one type wide, and wide ones elements again. kind is kNone for types that are not real
// numbers. immutable.
struct WideType {
  detail::CastKind kind = detail::CastKind::kNone;
  Index bytes = 0;  // size of one narrow element
  detail::CastLoop widen_loop = nullptr, narrow_loop = nullptr;  // null: the elements are wide already

  // n elements of 8 bytes each.
  void Widen(const void* from, void* to, Index n) const { Convert(widen_loop, from, to, n); }
  void Narrow(const void* from, void* to, Index n) const { Convert(narrow_loop, from, to, n); }

 private:
  static void Convert(detail::CastLoop loop, const void* from, void* to, Index n) {
    if (n <= 0) return;
    if (loop != nullptr) return loop(from, to, n);
    std::memcpy(to, from, static_cast<std::size_t>(n) * 8);
  }
};

namespace detail {
template <class T, class W>
WideType WideOf(CastKind kind) {
  return {kind, static_cast<Index>(sizeof(T)), &RunCast<T, W>, &RunCast<W, T>};
}
}  // namespace detail

// Returns the loops of bool, the integers of 8 to 64 bits, half, bfloat16, float or double.
inline WideType WideTypeOf(DataType type) {
  using detail::CastKind;
  switch (type) {
    case DataType::kBool: return detail::WideOf<bool, std::int64_t>(CastKind::kSigned);
    case DataType::kInt8: return detail::WideOf<std::int8_t, std::int64_t>(CastKind::kSigned);
    case DataType::kUint8: return detail::WideOf<std::uint8_t, std::int64_t>(CastKind::kSigned);
    case DataType::kInt16: return detail::WideOf<std::int16_t, std::int64_t>(CastKind::kSigned);
    case DataType::kUint16: return detail::WideOf<std::uint16_t, std::int64_t>(CastKind::kSigned);
    case DataType::kInt32: return detail::WideOf<std::int32_t, std::int64_t>(CastKind::kSigned);
    case DataType::kUint32: return detail::WideOf<std::uint32_t, std::int64_t>(CastKind::kSigned);
    case DataType::kInt64: return {CastKind::kSigned, 8};
    case DataType::kUint64: return {CastKind::kUnsigned, 8};
    case DataType::kHalf: return detail::WideOf<half, double>(CastKind::kFloat);
    case DataType::kBfloat16: return detail::WideOf<bfloat16, double>(CastKind::kFloat);
    case DataType::kFloat: return detail::WideOf<float, double>(CastKind::kFloat);
    case DataType::kDouble: return {CastKind::kFloat, 8};
    default: return {};
  }
}

// visitor.template operator()<W>() with int64, uint64 or double.
template <class Visitor>
auto VisitWide(detail::CastKind kind, const Visitor& visitor) {
  if (kind == detail::CastKind::kSigned) return visitor.template operator()<std::int64_t>();
  if (kind == detail::CastKind::kUnsigned) return visitor.template operator()<std::uint64_t>();
  return visitor.template operator()<double>();
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sparse tensors in coordinates: rows of an index matrix, in row-major order or not. And sums, products, quotients and
// maxima of elements of any number type, chosen while running.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// *sum = a + b and *difference = a - b; false where 64 bits do not hold them. Sizes and indices may be any numbers.
inline bool AddFits(std::int64_t a, std::int64_t b, std::int64_t* sum) { return !__builtin_add_overflow(a, b, sum); }
inline bool SubtractFits(std::int64_t a, std::int64_t b, std::int64_t* difference) {
  return !__builtin_sub_overflow(a, b, difference);
}

// The rows of a matrix [n, rank], each the position of one stored element. Borrowed.
struct SparseRows {
  const std::int64_t* data;
  Index n;
  Index rank;

  const std::int64_t* Row(Index i) const { return data + i * rank; }
};

// Which of two rows comes first in row-major order: negative, 0 or positive.
inline int CompareRows(const std::int64_t* a, const std::int64_t* b, Index rank) {
  for (Index d = 0; d < rank; ++d)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

// Whether the rows are in row-major order; equal ones may follow each other.
inline bool InOrder(const SparseRows& rows) {
  for (Index i = 1; i < rows.n; ++i)
    if (CompareRows(rows.Row(i - 1), rows.Row(i), rows.rank) > 0) return false;
  return true;
}
// Numbers of the rows in row-major order of the columns listed; equal ones stay in their order. Rows that are in order
// already cost one look.
inline SlimVector<std::size_t> RowOrder(const SparseRows& rows, const SlimVector<Index>& columns) {
  const auto less = [&](std::size_t a, std::size_t b) {
    const std::int64_t *x = rows.Row(static_cast<Index>(a)), *y = rows.Row(static_cast<Index>(b));
    for (const Index d : columns)
      if (x[d] != y[d]) return x[d] < y[d];
    return false;
  };
  const auto n = static_cast<std::size_t>(rows.n);
  bool sorted = true;
  for (std::size_t i = 1; i < n && sorted; ++i) sorted = !less(i, i - 1);
  if (!sorted) return SortedOrder(n, less);
  SlimVector<std::size_t> order;
  order.reserve(n);
  for (std::size_t i = 0; i < n; ++i) order.push_back(i);
  return order;
}
inline SlimVector<Index> AllColumns(Index rank) {
  SlimVector<Index> columns;
  for (Index d = 0; d < rank; ++d) columns.push_back(d);
  return columns;
}

// Loops over n elements of one type. Integers wrap around; half and bfloat16 are rounded after each operation.
struct ElementMath {
  using Loop = void (*)(const void* a, const void* b, void* out, Index n);
  Loop add, multiply;
  Loop divide;   // integers toward zero, never by zero (the caller looks first); null for complex numbers
  Loop largest;  // NaN where either is; null for complex numbers
  Loop smallest;
  bool (*has_zero)(const void* a, Index n);
  // Sum and largest of the elements whose numbers are given, n > 0. Small floats are summed in float.
  void (*sum_of)(const void* a, const std::size_t* which, Index n, void* out);
  void (*largest_of)(const void* a, const std::size_t* which, Index n, void* out);  // null for complex numbers
};

namespace detail {

template <class T>
inline constexpr bool kComplexElement = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
// Sums and products of integers without the undefined overflow: small ones are computed as int, which is wider.
template <class T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

template <class T>
struct ElementLoops {
  using W = Wrapping<T>;
  static const T* In(const void* a) { return static_cast<const T*>(a); }
  static void Add(const void* a, const void* b, void* out, Index n) {
    for (Index i = 0; i < n; ++i)
      static_cast<T*>(out)[i] = static_cast<T>(static_cast<W>(In(a)[i]) + static_cast<W>(In(b)[i]));
  }
  static void Multiply(const void* a, const void* b, void* out, Index n) {
    for (Index i = 0; i < n; ++i)
      static_cast<T*>(out)[i] = static_cast<T>(static_cast<W>(In(a)[i]) * static_cast<W>(In(b)[i]));
  }
  static void Divide(const void* a, const void* b, void* out, Index n) {
    for (Index i = 0; i < n; ++i) {
      const T x = In(a)[i], y = In(b)[i];
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        static_cast<T*>(out)[i] = y == T(-1) ? static_cast<T>(W{0} - static_cast<W>(x)) : static_cast<T>(x / y);
      else
        static_cast<T*>(out)[i] = static_cast<T>(x / y);
    }
  }
  static void Largest(const void* a, const void* b, void* out, Index n) {
    for (Index i = 0; i < n; ++i)
      static_cast<T*>(out)[i] = In(a)[i] < In(b)[i] || In(b)[i] != In(b)[i] ? In(b)[i] : In(a)[i];
  }
  static void Smallest(const void* a, const void* b, void* out, Index n) {
    for (Index i = 0; i < n; ++i)
      static_cast<T*>(out)[i] = In(b)[i] < In(a)[i] || In(b)[i] != In(b)[i] ? In(b)[i] : In(a)[i];
  }
  static bool HasZero(const void* a, Index n) {
    for (Index i = 0; i < n; ++i)
      if (In(a)[i] == T(0)) return true;
    return false;
  }
  static void SumOf(const void* a, const std::size_t* which, Index n, void* out) {
    using Sum = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, W>;
    Sum sum = static_cast<Sum>(In(a)[which[0]]);
    for (Index i = 1; i < n; ++i) sum = sum + static_cast<Sum>(In(a)[which[i]]);
    *static_cast<T*>(out) = static_cast<T>(sum);
  }
  // Beginning with the lowest number.
  static void LargestOf(const void* a, const std::size_t* which, Index n, void* out) {
    T most = std::numeric_limits<T>::has_infinity ? static_cast<T>(-std::numeric_limits<T>::infinity())
                                                  : std::numeric_limits<T>::lowest();
    for (Index i = 0; i < n; ++i)
      if (!(most > In(a)[which[i]])) most = In(a)[which[i]];  // a NaN stays if it is the last one, as in TensorFlow
    *static_cast<T*>(out) = most;
  }
};
template <class T>
constexpr ElementMath MakeElementMath() {
  using L = ElementLoops<T>;
  if constexpr (kComplexElement<T>)
    return {&L::Add, &L::Multiply, nullptr, nullptr, nullptr, &L::HasZero, &L::SumOf, nullptr};
  else
    return {&L::Add, &L::Multiply, &L::Divide, &L::Largest, &L::Smallest, &L::HasZero, &L::SumOf, &L::LargestOf};
}
template <class T>
inline constexpr ElementMath kElementMath = MakeElementMath<T>();

}  // namespace detail

// Null for types that are not numbers, or are quantised.
inline const ElementMath* ElementMathOf(DataType dtype) {
  using detail::kElementMath;
  switch (dtype) {
    case DataType::kInt8: return &kElementMath<std::int8_t>;
    case DataType::kUint8: return &kElementMath<std::uint8_t>;
    case DataType::kInt16: return &kElementMath<std::int16_t>;
    case DataType::kUint16: return &kElementMath<std::uint16_t>;
    case DataType::kInt32: return &kElementMath<std::int32_t>;
    case DataType::kUint32: return &kElementMath<std::uint32_t>;
    case DataType::kInt64: return &kElementMath<std::int64_t>;
    case DataType::kUint64: return &kElementMath<std::uint64_t>;
    case DataType::kHalf: return &kElementMath<half>;
    case DataType::kBfloat16: return &kElementMath<bfloat16>;
    case DataType::kFloat: return &kElementMath<float>;
    case DataType::kDouble: return &kElementMath<double>;
    case DataType::kComplex64: return &kElementMath<complex64>;
    case DataType::kComplex128: return &kElementMath<complex128>;
    default: return nullptr;
  }
}

TENON_DETAIL_NAMESPACE_END

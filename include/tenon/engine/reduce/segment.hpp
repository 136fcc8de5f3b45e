// SPDX-License-Identifier: Apache-2.0
#pragma once
// Segments: rows of a matrix folded into the output row that an id names. The loops work on rows of elements; columns
// are split over the threads, so that every output element is folded in the order of the rows.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The segment of the rows folded last, whose next rows may follow.
struct OpenSegment {
  Index id = -1, rows = 0;
};

// How rows of one type are folded.
struct SegmentLoops {
  void (*fold)(const void* row, void* out, Index n) = nullptr;          // out[j] = out[j] op row[j]
  // Rows of one element; null for rare types. out[ids[i]] = out[ids[i]] op row[i]; negative ids are left out.
  void (*fold_each)(const void* row, const Index* ids, void* out, Index n) = nullptr;
  // Does so for ids that ascend; the first row of a segment is copied. Means divide a segment when the next one begins:
  // the last one is left to `divide`.
  void (*fold_ascending)(const void* row, const Index* ids, OpenSegment* open, void* out, Index n) = nullptr;
  void (*divide)(void* out, Index count, Index n) = nullptr;  // for means
  Index bytes = 0;  // size of one element
  alignas(16) unsigned char start[16] = {};  // the element that changes nothing, or the lowest (highest) finite number
};

// ---- the operations

struct SegmentSumStep {
  static constexpr bool kInAnyOrder = true;  // rows may be folded in several chains
  template <class T>
  static T Start() {
    return T(0);
  }
  template <class T>
  static T Combine(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a + b);
  }
};
struct SegmentProdStep {
  static constexpr bool kInAnyOrder = true;
  template <class T>
  static T Start() {
    return T(1);
  }
  template <class T>
  static T Combine(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a * b);
  }
};
namespace detail {
// The greatest finite value of T.
template <class T>
T HighestFinite() {
  if constexpr (std::is_same_v<T, half>)
    return static_cast<half>(65504.0f);
  else if constexpr (std::is_same_v<T, bfloat16>)
    return static_cast<bfloat16>(3.3895313892515355e38f);
  else
    return std::numeric_limits<T>::max();
}
template <class T>
T LowestFinite() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::lowest();
  else
    return static_cast<T>(-HighestFinite<T>());
}
}  // namespace detail
// The row's element where the two cannot be compared, as in TensorFlow.
struct SegmentMaxStep {
  static constexpr bool kInAnyOrder = false;  // NaN
  template <class T>
  static T Start() {
    return detail::LowestFinite<T>();
  }
  template <class T>
  static T Combine(const T& a, const T& b) {
    return b < a ? a : b;
  }
};
struct SegmentMinStep {
  static constexpr bool kInAnyOrder = false;
  template <class T>
  static T Start() {
    return detail::HighestFinite<T>();
  }
  template <class T>
  static T Combine(const T& a, const T& b) {
    return a < b ? a : b;
  }
};

namespace detail {

template <class Step, class T>
void FoldRow(const void* prow, void* pout, Index n) {
  const T* row = static_cast<const T*>(prow);
  T* out = static_cast<T*>(pout);
  for (Index j = 0; j < n; ++j) out[j] = Step::Combine(out[j], row[j]);
}
template <class Step, class T>
void FoldEach(const void* prow, const Index* ids, void* pout, Index n) {
  const T* row = static_cast<const T*>(prow);
  T* out = static_cast<T*>(pout);
  for (Index i = 0; i < n; ++i)
    if (ids[i] >= 0) out[ids[i]] = Step::Combine(out[ids[i]], row[i]);
}
template <class T>
void DivideRow(void* pout, Index count, Index n) {
  T* out = static_cast<T*>(pout);
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    const auto by = static_cast<typename T::value_type>(count);
    for (Index j = 0; j < n; ++j) out[j] /= by;
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    const float by = static_cast<float>(static_cast<T>(static_cast<float>(count)));
    for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(static_cast<float>(out[j]) / by);
  } else if constexpr (std::is_integral_v<T>) {  // a count that T cannot hold wraps around; 0 would be a trap
    const T by = static_cast<T>(count) == 0 ? T(1) : static_cast<T>(count);
    for (Index j = 0; j < n; ++j) {
      const bool overflows = std::is_signed_v<T> && by == static_cast<T>(-1);
      out[j] = overflows ? static_cast<T>(-static_cast<std::uint64_t>(out[j])) : static_cast<T>(out[j] / by);
    }
  } else {
    for (Index j = 0; j < n; ++j) out[j] /= static_cast<T>(count);
  }
}
// folded op n rows of one element. The additions of one chain wait for each other.
inline constexpr Index kSegmentChains = 8;
template <class Step, class T>
T FoldElementRows(T folded, const T* row, Index n) {
  Index i = 0;
  if constexpr (Step::kInAnyOrder && !std::is_integral_v<T>) {  // decision 0121
    if (n >= 2 * kSegmentChains) {
      T parts[kSegmentChains];
      for (Index k = 0; k < kSegmentChains; ++k) parts[k] = row[k];
      for (i = kSegmentChains; i + kSegmentChains <= n; i += kSegmentChains)
        for (Index k = 0; k < kSegmentChains; ++k) parts[k] = Step::Combine(parts[k], row[i + k]);
      for (Index k = 0; k < kSegmentChains; ++k) folded = Step::Combine(folded, parts[k]);
    }
  }
  for (; i < n; ++i) folded = Step::Combine(folded, row[i]);
  return folded;
}
template <class Step, class T, bool is_mean>
void FoldAscending(const void* prow, const Index* ids, OpenSegment* open, void* pout, Index n) {
  const T* row = static_cast<const T*>(prow);
  T* out = static_cast<T*>(pout);
  for (Index i = 0; i < n;) {
    const Index id = ids[i], first = i++;
    T folded = row[first];
    if (id == open->id) {
      folded = Step::Combine(out[id], folded);
    } else {
      if (is_mean && open->id >= 0) DivideRow<T>(out + open->id, open->rows, 1);
      *open = {id, 0};
    }
    constexpr Index kFar = 2 * kSegmentChains;
    if (first + kFar < n && ids[first + kFar] == id) {  // and so are all between
      for (i = first + kFar + 1; i + kFar <= n && ids[i + kFar - 1] == id;) i += kFar;
      while (i < n && ids[i] == id) ++i;
      folded = FoldElementRows<Step>(folded, row + first + 1, i - first - 1);
    } else {
      for (; i < n && ids[i] == id; ++i) folded = Step::Combine(folded, row[i]);
    }
    open->rows += i - first;
    out[id] = folded;
  }
}
template <class T>
inline constexpr bool kHasElementLoops =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t>;
template <class Step, class T>
SegmentLoops MakeSegmentLoops() {
  SegmentLoops loops;
  loops.fold = &FoldRow<Step, T>;
  // For the usual types: a program has these loops for each op.
  if constexpr (kHasElementLoops<T>) {
    loops.fold_each = &FoldEach<Step, T>;
    loops.fold_ascending = &FoldAscending<Step, T, false>;
  }
  loops.bytes = static_cast<Index>(sizeof(T));
  const T start = Step::template Start<T>();
  std::memcpy(loops.start, &start, sizeof start);
  return loops;
}

}  // namespace detail

// Sums or products of any number type; no loops for other types.
template <class Step>
SegmentLoops ArithmeticSegmentLoops(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8: return detail::MakeSegmentLoops<Step, std::uint8_t>();
    case DataType::kInt16:
    case DataType::kUint16: return detail::MakeSegmentLoops<Step, std::uint16_t>();
    case DataType::kInt32:
    case DataType::kUint32: return detail::MakeSegmentLoops<Step, std::uint32_t>();
    case DataType::kInt64:
    case DataType::kUint64: return detail::MakeSegmentLoops<Step, std::uint64_t>();
    case DataType::kHalf: return detail::MakeSegmentLoops<Step, half>();
    case DataType::kBfloat16: return detail::MakeSegmentLoops<Step, bfloat16>();
    case DataType::kFloat: return detail::MakeSegmentLoops<Step, float>();
    case DataType::kDouble: return detail::MakeSegmentLoops<Step, double>();
    case DataType::kComplex64: return detail::MakeSegmentLoops<Step, complex64>();
    case DataType::kComplex128: return detail::MakeSegmentLoops<Step, complex128>();
    default: return {};
  }
}
// The greatest or the least of any real type.
template <class Step>
SegmentLoops OrderSegmentLoops(DataType type) {
  switch (type) {
    case DataType::kInt8: return detail::MakeSegmentLoops<Step, std::int8_t>();
    case DataType::kUint8: return detail::MakeSegmentLoops<Step, std::uint8_t>();
    case DataType::kInt16: return detail::MakeSegmentLoops<Step, std::int16_t>();
    case DataType::kUint16: return detail::MakeSegmentLoops<Step, std::uint16_t>();
    case DataType::kInt32: return detail::MakeSegmentLoops<Step, std::int32_t>();
    case DataType::kUint32: return detail::MakeSegmentLoops<Step, std::uint32_t>();
    case DataType::kInt64: return detail::MakeSegmentLoops<Step, std::int64_t>();
    case DataType::kUint64: return detail::MakeSegmentLoops<Step, std::uint64_t>();
    case DataType::kHalf: return detail::MakeSegmentLoops<Step, half>();
    case DataType::kBfloat16: return detail::MakeSegmentLoops<Step, bfloat16>();
    case DataType::kFloat: return detail::MakeSegmentLoops<Step, float>();
    case DataType::kDouble: return detail::MakeSegmentLoops<Step, double>();
    default: return {};
  }
}
// Sums, and their division by the number of rows.
inline SegmentLoops MeanSegmentLoops(DataType type) {
  SegmentLoops loops = ArithmeticSegmentLoops<SegmentSumStep>(type);
  switch (type) {
    case DataType::kInt8: loops.divide = &detail::DivideRow<std::int8_t>; break;
    case DataType::kUint8: loops.divide = &detail::DivideRow<std::uint8_t>; break;
    case DataType::kInt16: loops.divide = &detail::DivideRow<std::int16_t>; break;
    case DataType::kUint16: loops.divide = &detail::DivideRow<std::uint16_t>; break;
    case DataType::kInt32:
      loops.divide = &detail::DivideRow<std::int32_t>;
      loops.fold_ascending = &detail::FoldAscending<SegmentSumStep, std::int32_t, true>;
      break;
    case DataType::kUint32: loops.divide = &detail::DivideRow<std::uint32_t>; break;
    case DataType::kInt64: loops.divide = &detail::DivideRow<std::int64_t>; break;
    case DataType::kUint64: loops.divide = &detail::DivideRow<std::uint64_t>; break;
    case DataType::kHalf: loops.divide = &detail::DivideRow<half>; break;
    case DataType::kBfloat16: loops.divide = &detail::DivideRow<bfloat16>; break;
    case DataType::kFloat:
      loops.divide = &detail::DivideRow<float>;
      loops.fold_ascending = &detail::FoldAscending<SegmentSumStep, float, true>;
      break;
    case DataType::kDouble:
      loops.divide = &detail::DivideRow<double>;
      loops.fold_ascending = &detail::FoldAscending<SegmentSumStep, double, true>;
      break;
    case DataType::kComplex64: loops.divide = &detail::DivideRow<complex64>; break;
    case DataType::kComplex128: loops.divide = &detail::DivideRow<complex128>; break;
    default: break;
  }
  return loops;
}

// Sums of rows picked from a table, in float for the small types: acc[j] += scale * row[j], out[j] = acc[j] / by.
struct PickedSumLoops {
  void (*add)(const void* row, double scale, void* acc, Index n) = nullptr;
  void (*finish)(const void* acc, double by, void* out, Index n) = nullptr;
  Index bytes = 0, acc_bytes = 0;  // sizes of one element
};

namespace detail {
template <class T, class A>
void AddPicked(const void* prow, double scale, void* pacc, Index n) {
  const T* row = static_cast<const T*>(prow);
  A* acc = static_cast<A*>(pacc);
  if constexpr (std::is_integral_v<T>) {
    for (Index j = 0; j < n; ++j) acc[j] = static_cast<A>(static_cast<std::uint64_t>(acc[j]) + row[j]);
  } else {
    const A by = static_cast<A>(scale);
    if (scale == 1)
      for (Index j = 0; j < n; ++j) acc[j] += static_cast<A>(row[j]);
    else
      for (Index j = 0; j < n; ++j) acc[j] += by * static_cast<A>(row[j]);
  }
}
template <class T, class A>
void FinishPicked(const void* pacc, double by, void* pout, Index n) {
  const A* acc = static_cast<const A*>(pacc);
  T* out = static_cast<T*>(pout);
  if (std::is_integral_v<T> || by == 1)
    for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(acc[j]);
  else
    for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(acc[j] / static_cast<A>(by));
}
template <class T, class A>
PickedSumLoops MakePickedSumLoops() {
  return {&AddPicked<T, A>, &FinishPicked<T, A>, static_cast<Index>(sizeof(T)), static_cast<Index>(sizeof(A))};
}
}  // namespace detail

inline PickedSumLoops PickedSumLoopsFor(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8: return detail::MakePickedSumLoops<std::uint8_t, std::uint8_t>();
    case DataType::kInt16:
    case DataType::kUint16: return detail::MakePickedSumLoops<std::uint16_t, std::uint16_t>();
    case DataType::kInt32:
    case DataType::kUint32: return detail::MakePickedSumLoops<std::uint32_t, std::uint32_t>();
    case DataType::kInt64:
    case DataType::kUint64: return detail::MakePickedSumLoops<std::uint64_t, std::uint64_t>();
    case DataType::kHalf: return detail::MakePickedSumLoops<half, float>();
    case DataType::kBfloat16: return detail::MakePickedSumLoops<bfloat16, float>();
    case DataType::kFloat: return detail::MakePickedSumLoops<float, float>();
    case DataType::kDouble: return detail::MakePickedSumLoops<double, double>();
    default: return {};
  }
}

// body(begin, end) for ranges of columns that together are [0, columns); one thread works on each. `rows`: how many
// rows are read.
template <class Body>
void ForEachColumnRange(Cpu& device, Index rows, Index columns, const Body& body) {
  constexpr Index kTogether = 64;  // columns that share cache lines
  ParallelFor(
      device, (columns + kTogether - 1) / kTogether, 0.3 * static_cast<double>(rows) * kTogether,
      [&](Index begin, Index end) { body(begin * kTogether, end * kTogether < columns ? end * kTogether : columns); });
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// CpuEpilogue: steps that a product or a convolution applies to parts of its result while they still lie in a cache.

#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A kernel that finds one in its Cpu may apply it to its result, a matrix whose rows lie along the last axis, and says
// so. `run` changes the elements; Clamp makes them y = x + offset[column] + added[element], between `low` and `high`.
// Gate makes them y * (clamp(y + *shift) * *factor), or / *divisor: a hard swish. NaN stays. What pointers point to has
// the result's type. `run` is thread-safe.
struct CpuEpilogue {
  // Rows [row, row + rows) and columns [column, column + columns) of a matrix whose rows have `width` elements.
  struct Block {
    void* result;
    Index width, row, rows, column, columns;
  };

  const void* offset = nullptr;  // null: nothing is added
  const void* added = nullptr;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  const void* shift = nullptr;
  const void *factor = nullptr, *divisor = nullptr;  // one of them, for Gate
  bool done = false;
  bool whole_rows = false;  // `run` takes blocks of all columns only
  void (*run)(const CpuEpilogue& epilogue, const Block& block) = nullptr;
  const void* steps = nullptr;  // for `run`

  bool clamps_below() const { return low != -std::numeric_limits<float>::infinity(); }
  template <class T>
  static void Clamp(const CpuEpilogue& epilogue, const Block& block);
  template <class T>
  static void Gate(const CpuEpilogue& epilogue, const Block& block);
};

namespace detail {

// The device's epilogue, which is done then; null where there is none, or where it needs whole rows and gets parts.
inline const CpuEpilogue* TakeEpilogue(const Cpu& device, bool whole_rows = true) {
  if (device.epilogue == nullptr || (device.epilogue->whole_rows && !whole_rows)) return nullptr;
  device.epilogue->done = true;
  return device.epilogue;
}

template <class T>
struct ClampBody {
#if TENON_DETAIL_LANES
  // Elements from *i on, as many as fill vectors.
  template <int bytes>
  TENON_HD static void Vectors(const T* offset, const T* added, T low, T high, T* x, Index n, Index* i) {
    using L = simd::Lanes<T, bytes>;
    const L least = L::Repeat(low), most = L::Repeat(high);
    for (; *i + L::size <= n; *i += L::size) {
      L y = L::Load(x + *i);
      if (offset != nullptr) y = y + L::Load(offset + *i);
      if (added != nullptr) y = y + L::Load(added + *i);
      simd::Lesser(most, simd::Greater(least, y)).Store(x + *i);
    }
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const CpuEpilogue& e, const CpuEpilogue::Block& b) {
    const T low = e.clamps_below() ? static_cast<T>(e.low) : -std::numeric_limits<T>::infinity();
    const T high = static_cast<T>(e.high);
    const T* const offset = e.offset == nullptr ? nullptr : static_cast<const T*>(e.offset) + b.column;
    for (Index row = b.row; row < b.row + b.rows; ++row) {
      const Index first = row * b.width + b.column;
      T* const x = static_cast<T*>(b.result) + first;
      const T* const added = e.added == nullptr ? nullptr : static_cast<const T*>(e.added) + first;
      Index i = 0;
#if TENON_DETAIL_LANES
      Vectors<bytes>(offset, added, low, high, x, b.columns, &i);
      if constexpr (bytes > 16) Vectors<16>(offset, added, low, high, x, b.columns, &i);
#endif
      for (; i < b.columns; ++i) {
        T y = x[i];
        if (offset != nullptr) y += offset[i];
        if (added != nullptr) y += added[i];
        x[i] = y < low ? low : y > high ? high : y;
      }
    }
  }
};

template <class T>
struct GateBody {
#if TENON_DETAIL_LANES
  template <int bytes>
  TENON_HD static void Vectors(const CpuEpilogue& e, const T* offset, const T* added, T* x, Index n, Index* i) {
    using L = simd::Lanes<T, bytes>;
    const bool divides = e.divisor != nullptr;
    const L least = L::Repeat(static_cast<T>(e.low)), most = L::Repeat(static_cast<T>(e.high)),
            shift = L::Repeat(*static_cast<const T*>(e.shift)),
            by = L::Repeat(*static_cast<const T*>(divides ? e.divisor : e.factor));
    for (; *i + L::size <= n; *i += L::size) {
      L y = L::Load(x + *i);
      if (offset != nullptr) y = y + L::Load(offset + *i);
      if (added != nullptr) y = y + L::Load(added + *i);
      const L gate = simd::Lesser(most, simd::Greater(least, y + shift));
      (y * (divides ? gate / by : gate * by)).Store(x + *i);
    }
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const CpuEpilogue& e, const CpuEpilogue::Block& b) {
    const T low = static_cast<T>(e.low), high = static_cast<T>(e.high), shift = *static_cast<const T*>(e.shift);
    const T* const offset = e.offset == nullptr ? nullptr : static_cast<const T*>(e.offset) + b.column;
    for (Index row = b.row; row < b.row + b.rows; ++row) {
      const Index first = row * b.width + b.column;
      T* const x = static_cast<T*>(b.result) + first;
      const T* const added = e.added == nullptr ? nullptr : static_cast<const T*>(e.added) + first;
      Index i = 0;
#if TENON_DETAIL_LANES
      Vectors<bytes>(e, offset, added, x, b.columns, &i);
      if constexpr (bytes > 16) Vectors<16>(e, offset, added, x, b.columns, &i);
#endif
      for (; i < b.columns; ++i) {
        T y = x[i];
        if (offset != nullptr) y += offset[i];
        if (added != nullptr) y += added[i];
        const T moved = y + shift, gate = moved < low ? low : moved > high ? high : moved;
        x[i] = y * (e.divisor != nullptr ? gate / *static_cast<const T*>(e.divisor)
                                         : gate * *static_cast<const T*>(e.factor));
      }
    }
  }
};

}  // namespace detail

template <class T>
void CpuEpilogue::Gate(const CpuEpilogue& epilogue, const Block& block) {
#if TENON_DETAIL_LANES
  using Levels = simd::detail::ForLevels<detail::GateBody<T>, simd::Compiled, const CpuEpilogue&, const Block&>;
  Levels::Best()(epilogue, block);
#else
  detail::GateBody<T>::template Run<16>(epilogue, block);
#endif
}
template <class T>
void CpuEpilogue::Clamp(const CpuEpilogue& epilogue, const Block& block) {
#if TENON_DETAIL_LANES
  using Levels = simd::detail::ForLevels<detail::ClampBody<T>, simd::Compiled, const CpuEpilogue&, const Block&>;
  Levels::Best()(epilogue, block);
#else
  detail::ClampBody<T>::template Run<16>(epilogue, block);
#endif
}

TENON_DETAIL_NAMESPACE_END

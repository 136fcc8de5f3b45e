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

// The steps behind the sums, as Clamp and Gate describe them. L is a vector, or one element.
template <class T>
struct ClampSteps {
  T low, high;

  TENON_HD explicit ClampSteps(const CpuEpilogue& e)
      : low(e.clamps_below() ? static_cast<T>(e.low) : -std::numeric_limits<T>::infinity()),
        high(static_cast<T>(e.high)) {}
  TENON_HD T Element(T y) const { return y < low ? low : y > high ? high : y; }
#if TENON_DETAIL_LANES
  template <class L>
  struct On {
    L least, most;
    TENON_HD explicit On(const ClampSteps& s) : least(L::Repeat(s.low)), most(L::Repeat(s.high)) {}
    TENON_HD L operator()(const L& y) const { return simd::Lesser(most, simd::Greater(least, y)); }
  };
#endif
};
template <class T>
struct GateSteps {
  T low, high, shift, by;
  bool divides;

  TENON_HD explicit GateSteps(const CpuEpilogue& e)
      : low(static_cast<T>(e.low)),
        high(static_cast<T>(e.high)),
        shift(*static_cast<const T*>(e.shift)),
        by(*static_cast<const T*>(e.divisor != nullptr ? e.divisor : e.factor)),
        divides(e.divisor != nullptr) {}
  TENON_HD T Element(T y) const {
    const T moved = y + shift, gate = moved < low ? low : moved > high ? high : moved;
    return y * (divides ? gate / by : gate * by);
  }
#if TENON_DETAIL_LANES
  template <class L>
  struct On {
    L least, most, shift, by;
    bool divides;
    TENON_HD explicit On(const GateSteps& s)
        : least(L::Repeat(s.low)),
          most(L::Repeat(s.high)),
          shift(L::Repeat(s.shift)),
          by(L::Repeat(s.by)),
          divides(s.divides) {}
    TENON_HD L operator()(const L& y) const {
      const L gate = simd::Lesser(most, simd::Greater(least, y + shift));
      return y * (divides ? gate / by : gate * by);
    }
  };
#endif
};

template <class T, class Steps>
struct EpilogueBody {
#if TENON_DETAIL_LANES
  // Columns of the block from *column on, as many as fill vectors, all rows of one vector after the other's: rows may
  // be short. `x` and `added` are the first element's.
  template <class L>
  TENON_HD static void Vectors(const CpuEpilogue::Block& b, const Steps& steps, const T* offset, const T* added, T* x,
                               Index* column) {
    const typename Steps::template On<L> on(steps);
    const Index rows = b.rows, width = b.width, last = b.columns - L::size;
    Index c = *column;
    for (; c <= last; c += L::size) {
      const L sum = offset == nullptr ? L::Zero() : L::Load(offset + c);
      for (Index at = c, end = c + rows * width; at != end; at += width) {
        L y = L::Load(x + at);
        if (offset != nullptr) y = y + sum;
        if (added != nullptr) y = y + L::Load(added + at);
        on(y).Store(x + at);
      }
    }
    *column = c;
  }
#endif
  template <int bytes>
  TENON_HD static void Block(const CpuEpilogue& e, const CpuEpilogue::Block& b, const Steps& steps) {
    const Index first = b.row * b.width + b.column;
    const T* const offset = e.offset == nullptr ? nullptr : static_cast<const T*>(e.offset) + b.column;
    const T* const added = e.added == nullptr ? nullptr : static_cast<const T*>(e.added) + first;
    T* const x = static_cast<T*>(b.result) + first;
    Index column = 0;
#if TENON_DETAIL_LANES
    Vectors<simd::Lanes<T, bytes>>(b, steps, offset, added, x, &column);
    if constexpr (bytes > 16) Vectors<simd::Lanes<T, 16>>(b, steps, offset, added, x, &column);
#endif
    for (; column < b.columns; ++column) {
      for (Index row = 0; row < b.rows; ++row) {
        const Index at = row * b.width + column;
        T y = x[at];
        if (offset != nullptr) y += offset[column];
        if (added != nullptr) y += added[at];
        x[at] = steps.Element(y);
      }
    }
  }
  template <int bytes>
  TENON_HD static void Run(const CpuEpilogue& e, const CpuEpilogue::Block& b) {
    constexpr Index kLong = 512 / static_cast<Index>(sizeof(T)), kFewRows = 4;  // a cache holds few long rows
    const Steps steps(e);
    const Index rows = b.columns > kLong ? kFewRows : b.rows, end = b.row + b.rows;
    CpuEpilogue::Block part = b;
    for (; part.row < end; part.row += rows) {
      part.rows = end - part.row < rows ? end - part.row : rows;
      Block<bytes>(e, part, steps);
    }
  }
};

}  // namespace detail

template <class T>
void CpuEpilogue::Gate(const CpuEpilogue& epilogue, const Block& block) {
#if TENON_DETAIL_LANES
  using Levels = simd::detail::ForLevels<detail::EpilogueBody<T, detail::GateSteps<T>>, simd::Compiled,
                                         const CpuEpilogue&, const Block&>;
  Levels::Best()(epilogue, block);
#else
  detail::EpilogueBody<T, detail::GateSteps<T>>::template Run<16>(epilogue, block);
#endif
}
template <class T>
void CpuEpilogue::Clamp(const CpuEpilogue& epilogue, const Block& block) {
#if TENON_DETAIL_LANES
  using Levels = simd::detail::ForLevels<detail::EpilogueBody<T, detail::ClampSteps<T>>, simd::Compiled,
                                         const CpuEpilogue&, const Block&>;
  Levels::Best()(epilogue, block);
#else
  detail::EpilogueBody<T, detail::ClampSteps<T>>::template Run<16>(epilogue, block);
#endif
}

TENON_DETAIL_NAMESPACE_END

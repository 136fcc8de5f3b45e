// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fourier transforms of lines of complex numbers by a plan: one line by itself, several at once, and neighbouring
// columns of a matrix, which lie in memory as lanes want them.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/fft/passes.hpp>
#include <tenon/engine/fft/plan.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/layout/transpose.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct FftNumber {
  T re, im;
};
// to[r * to_step + c] = from[r + c * from_step]; steps in complex numbers.
template <class T>
void TransposeFftNumbers(const T* from, Index from_step, T* to, Index to_step, Index rows, Index columns) {
  TransposeUnits(reinterpret_cast<const FftNumber<T>*>(from), from_step, reinterpret_cast<FftNumber<T>*>(to), to_step,
                 rows, columns);
}

// Forward, or inverse without a factor, and every result multiplied by `scale`.
template <class T>
struct FftDirection {
  bool inverse;
  T scale;

  void Set(FftStep<T>* step) const {
    step->in_sign = inverse ? T(-1) : T(1);
    step->re_scale = scale;
    step->im_scale = inverse ? -scale : scale;
  }
};

// Memory for work is given in numbers of type T, aligned to Allocator::kAlignment.
template <class T>
class FftLines {
 public:
  FftLines(const FftPlan<T>& plan, const FftKernels<T>& kernels)
      : plan_(plan), kernels_(kernels), width_(static_cast<Index>(kernels.width)) {}

  // Work memory of Line by `parts` threads.
  Index LineWork(Index parts = 1) const {
    switch (plan_.method) {
      case FftPlan<T>::Method::kLanes: return TogetherWork();
      case FftPlan<T>::Method::kSplit: return plan_.n2 * plan_.turned_step() + parts * SplitWork();
      case FftPlan<T>::Method::kConvolution: return PaddedSize() + FftLines(*plan_.padded, kernels_).LineWork(parts);
    }
    return 0;
  }
  // Work memory of Together and of Columns.
  Index TogetherWork() const { return plan_.has_lanes ? plan_.n * 2 * width_ + Tiles(plan_.n) : 0; }
  Index ColumnsWork() const { return ColumnsInLanes() ? TogetherWork() : RowsOfColumns() + LineWork(); }

  // One line, by `parts` threads of the device, which may be null for one. `to` may be `from`.
  void Line(const T* from, T* to, FftDirection<T> direction, T* work, Cpu* device = nullptr, Index parts = 1) const {
    switch (plan_.method) {
      case FftPlan<T>::Method::kLanes: return Together(from, 2 * plan_.n, to, 2 * plan_.n, 1, direction, work);
      case FftPlan<T>::Method::kSplit: return Split(from, to, direction, work, device, parts);
      case FftPlan<T>::Method::kConvolution: return Convolve(from, to, direction, work, device, parts);
    }
  }
  // Whether it takes less time to transform `count` lines at once.
  bool IsBetterTogether(Index count) const {
    return plan_.has_lanes && count > 1 &&
           plan_.lanes_cost + 16 * static_cast<double>(plan_.n) <
               plan_.line_cost * static_cast<double>(count < width_ ? count : width_);
  }
  // Lines at distances of so many numbers of type T, at most as many as there are lanes.
  void Together(const T* from, Index from_step, T* to, Index to_step, Index count, FftDirection<T> direction,
                T* work) const {
    T* const tiles = work + plan_.n * 2 * width_;
    FftStep<T> step;
    direction.Set(&step);
    step.from = from;
    step.from_step = from_step;
    step.to = work;
    step.m = count;
    step.s = plan_.n;
    kernels_.gather(&step);
    FftStep<T> ends;
    ends.from = work;
    ends.from_step = 2 * width_;
    ends.from_plane = width_;
    step.from = RunPasses(plan_.lanes, ends, kernels_.middle, kernels_.middle, nullptr, tiles);
    step.m = count;
    step.s = plan_.n;
    step.to = to;
    step.to_step = to_step;
    kernels_.scatter(&step);
  }
  // Lines whose elements are `step` complex numbers apart, and that begin beside each other, in place; at most as many
  // as there are lanes.
  void Columns(T* x, Index step, Index count, FftDirection<T> direction, T* work) const {
    const Index n = plan_.n;
    if (!ColumnsInLanes()) {
      TransposeFftNumbers(x, step, work, n, count, n);
      for (Index i = 0; i < count; ++i) Line(work + 2 * i * n, work + 2 * i * n, direction, work + RowsOfColumns());
      TransposeFftNumbers(work, n, x, step, n, count);
    } else if (count == width_) {
      InLanes(plan_.lanes, x, 2 * step, x, 2 * step, direction, work);
    } else {
      T* const staged = work;
      std::memset(staged, 0, static_cast<std::size_t>(n * 2 * width_) * sizeof(T));
      CopyRows(x, step, staged, width_, n, count);
      InLanes(plan_.lanes, staged, 2 * width_, staged, 2 * width_, direction, work + n * 2 * width_);
      CopyRows(staged, width_, x, step, n, count);
    }
  }
  // Costs in operations of vectors.
  double LineCost() const { return plan_.line_cost; }
  double ColumnsCost() const {
    const double width = static_cast<double>(width_);
    return ColumnsInLanes() ? plan_.lanes_cost : width * (plan_.line_cost + 6 * static_cast<double>(plan_.n));
  }
  Index width() const { return width_; }

 private:
  // Two copies of a line in each lane, alternately the source and the target of a pass.
  Index Tiles(Index n) const { return 2 * TileSize(n); }
  // Not a power of two. Processors that compare the last bits of addresses would otherwise confuse an offset in one
  // copy with the same offset in the other, which has just been written.
  Index TileSize(Index n) const { return 2 * width_ * (FftRoundUp(n, width_) + 2); }
  Index SplitWork() const { return Tiles(std::max(plan_.n1, plan_.n2)) + 2 * width_ * std::max(plan_.n1, plan_.n2); }
  Index PaddedSize() const { return FftRoundUp(2 * plan_.padded->n, 16); }
  Index RowsOfColumns() const { return FftRoundUp(2 * plan_.n * width_, 16); }
  // Not where the lines in all lanes are too much for the cache.
  bool ColumnsInLanes() const {
    constexpr Index kMostBytes = Index{1} << 19;
    return plan_.has_lanes &&
           (Tiles(plan_.n) * static_cast<Index>(sizeof(T)) <= kMostBytes || plan_.method == FftPlan<T>::Method::kLanes);
  }
  static void CopyRows(const T* from, Index from_step, T* to, Index to_step, Index rows, Index count) {
    for (Index i = 0; i < rows; ++i)
      std::memcpy(to + 2 * i * to_step, from + 2 * i * from_step, static_cast<std::size_t>(2 * count) * sizeof(T));
  }

  // From memory into memory, steps in numbers of type T.
  void InLanes(const FftLanesPlan<T>& lanes, const T* from, Index from_step, T* to, Index to_step,
               FftDirection<T> direction, T* tiles) const {
    FftStep<T> step;
    step.from = from;
    step.from_step = from_step;
    step.to = to;
    step.to_step = to_step;
    direction.Set(&step);
    RunPasses(lanes, step, kernels_.first, kernels_.last, nullptr, tiles);
  }
  // From ends.from to ends.to or, where that is null, to some place among the tiles, which is returned. `twist` is what
  // kTwist multiplies by.
  T* RunPasses(const FftLanesPlan<T>& lanes, const FftStep<T>& ends, const FftStepFn<T> (&first)[kFftRadices],
               const FftStepFn<T> (&last)[kFftRadices], const T* twist, T* tiles) const {
    FftStep<T> step = ends;
    T* tile = tiles;
    T* other = tiles + TileSize(lanes.n);
    const std::size_t passes = lanes.passes.size();
    for (std::size_t i = 0; i < passes; ++i) {
      const auto& pass = lanes.passes[i];
      const bool is_first = i == 0, is_last = i + 1 == passes;
      step.radix = pass.radix;
      step.m = pass.m;
      step.s = pass.s;
      step.twiddles = is_last && twist != nullptr ? twist : lanes.table.data() + pass.twiddles;
      step.roots = lanes.table.data() + pass.roots;
      if (is_last && ends.to != nullptr) {
        step.to = ends.to;
        step.to_step = ends.to_step;
      } else {
        step.to = tile;
        step.to_step = 2 * width_;
        step.to_plane = width_;
        std::swap(tile, other);
      }
      (is_first ? first : is_last ? last : kernels_.middle)[FftRadixCode(pass.radix)](&step);
      step.from = step.to;
      step.from_step = 2 * width_;
      step.from_plane = width_;
    }
    return step.to;
  }

  // The line is [n1, n2]: its columns are transformed, multiplied and written as rows of [n2, n1]; so are then the
  // columns of that, into [n2, n1].
  void Split(const T* from, T* to, FftDirection<T> direction, T* work, Cpu* device, Index parts) const {
    T* const turned = work;
    T* const rest = work + plan_.n2 * plan_.turned_step();
    const auto columns = [&](Index part) {
      const Index groups = (plan_.n2 + width_ - 1) / width_, end = PartBegin(groups, parts, 1, part + 1);
      T* const tiles = rest + part * SplitWork();
      PadTiles(tiles);
      for (Index i = PartBegin(groups, parts, 1, part); i < end; ++i) SplitColumns(from, direction, i, turned, tiles);
    };
    const auto rows = [&](Index part) {
      const Index groups = (plan_.n1 + width_ - 1) / width_, end = PartBegin(groups, parts, 1, part + 1);
      T* const tiles = rest + part * SplitWork();
      for (Index i = PartBegin(groups, parts, 1, part); i < end; ++i) SplitRows(turned, direction, i, to, tiles);
    };
    if (parts == 1 || device == nullptr) {
      columns(0);
      rows(0);
    } else {
      RunParts(*device, parts, columns);
      RunParts(*device, parts, rows);
    }
  }
  // Zeroes the elements behind the last row, which are transposed but not used.
  void PadTiles(T* tiles) const {
    const Index n1 = plan_.n1, padding = 2 * width_ * (FftRoundUp(n1, width_) - n1);
    if (padding == 0) return;
    for (T* tile : {tiles, tiles + TileSize(n1)})
      std::memset(tile + 2 * width_ * n1, 0, static_cast<std::size_t>(padding) * sizeof(T));
  }
  void SplitColumns(const T* from, FftDirection<T> direction, Index group, T* turned, T* tiles) const {
    const Index n1 = plan_.n1, n2 = plan_.n2, first = plan_.FirstColumn(group);
    FftStep<T> ends;
    direction.Set(&ends);
    ends.from = from + 2 * first;
    ends.from_step = 2 * n2;
    if (n2 < width_) {  // vectors reach into the next row, and behind the last one
      T* const staged = tiles + Tiles(std::max(n1, n2));
      std::memcpy(staged, from, static_cast<std::size_t>(2 * n1 * n2) * sizeof(T));
      std::memset(staged + 2 * n1 * n2, 0, static_cast<std::size_t>(2 * (width_ - n2)) * sizeof(T));
      ends.from = staged;
    }
    FftStep<T> turn;
    turn.from = RunPasses(plan_.columns, ends, kernels_.first, kernels_.twist,
                          plan_.twist.data() + group * n1 * 2 * width_, tiles);
    turn.to = turned + first * plan_.turned_step();
    turn.to_step = plan_.turned_step();
    turn.to_plane = FftRoundUp(n1, width_);
    turn.s = n1;
    turn.first = group * width_ - first;  // skips those that the group before has transposed
    turn.m = n2;
    kernels_.turn(&turn);
  }
  void SplitRows(const T* turned, FftDirection<T> direction, Index group, T* to, T* tiles) const {
    const Index n1 = plan_.n1, n2 = plan_.n2, first = group * width_;
    const bool is_part = first + width_ > n1;
    T* const staged = tiles + Tiles(std::max(n1, n2));
    FftStep<T> ends;
    direction.Set(&ends);
    ends.from = turned + first;
    ends.from_step = plan_.turned_step();
    ends.from_plane = FftRoundUp(n1, width_);
    ends.to = is_part ? staged : to + 2 * first;
    ends.to_step = is_part ? 2 * width_ : 2 * n1;
    RunPasses(plan_.rows, ends, kernels_.middle, kernels_.last, nullptr, tiles);
    if (is_part) CopyRows(staged, width_, to + 2 * first, n1, n2, n1 - first);
  }

  void Convolve(const T* from, T* to, FftDirection<T> direction, T* work, Cpu* device, Index parts) const {
    const FftLines padded(*plan_.padded, kernels_);
    const Index n = plan_.n, length = plan_.padded->n;
    T *const y = work, *const rest = work + PaddedSize();
    FftStep<T> step;
    direction.Set(&step);
    step.re_scale = step.im_scale = 1;
    step.from = from;
    step.to = y;
    step.twiddles = plan_.chirp.data();
    step.m = n;
    kernels_.products(&step);
    std::memset(y + 2 * n, 0, static_cast<std::size_t>(2 * (length - n)) * sizeof(T));
    padded.Line(y, y, {false, 1}, rest, device, parts);
    step.in_sign = 1;
    step.from = y;
    step.twiddles = plan_.kernel.data();
    step.m = length;
    kernels_.products(&step);
    padded.Line(y, y, {true, 1}, rest, device, parts);
    direction.Set(&step);
    step.in_sign = 1;
    step.to = to;
    step.twiddles = plan_.chirp.data();
    step.m = n;
    kernels_.products(&step);
  }

  const FftPlan<T>& plan_;
  const FftKernels<T>& kernels_;
  Index width_;
};

template <class T>
bool TransformFftKernel(const FftPlan<T>& plan, const FftKernels<T>& kernels, T* kernel) {
  const FftLines<T> lines(plan, kernels);
  FftTable<T> work(lines.LineWork());
  if (!work.ok()) return false;
  lines.Line(kernel, kernel, {false, 1}, work.data());
  return true;
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

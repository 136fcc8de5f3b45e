// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops around the tiles of amx.hpp: b is packed whole, by all threads; then each thread multiplies blocks of rows
// that stay in the second cache, copied before if they do not lie right, by panels of b, in blocks of k whose tiles of
// b stay in the first cache. Sums of several blocks of k meet in a buffer, and leave it when the last is added.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/amx.hpp>
#include <tenon/engine/simd/amx.hpp>

#if TENON_DETAIL_AMX

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Whether to multiply numbers of `size` bytes by tiles: there are enough products to make up for the configuration, and
// copies that fill tiles with zeros stay small.
inline bool FavoursAmx(Index m, Index n, Index k, Index size) {
  constexpr double kFewest = 8192;
  return k * size >= 16 && k < (1 << 22) &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >= kFewest && simd::HasAmx();
}

// One product. Shared by the threads that work on it; a derived class says where a comes from and where sums go.
class AmxProduct {
 public:
  AmxProduct(const AmxKernel (&kernels)[2][2], Index m, const AmxMatrix& b, const CacheSizes& caches = Caches())
      : kernels_(kernels),
        b_(b),
        m_(m),
        steps_(b.steps()),
        panels_(Parts(b.lines, kAmxLines)),
        depth_(Parts(steps_, Parts(steps_, kDeepest))) {
    const Index most = caches.second / 2 / (steps_ * kAmxTile) / 2 * 2;
    tall_ = most < 2 ? 2 : most > kTallest ? kTallest : most;
    wide_ = steps_ == depth_ ? panels_ : kWidest;
  }

  std::size_t packed_bytes() const { return static_cast<std::size_t>(panels_ * steps_ * kAmxTile); }
  void PackPanels(Index panel, Index end, char* to) const {
    const Index together = AmxCopies::PanelsTogether(b_);
    const auto pack = [&](Index j, Index step) {
      AmxCopies::Groups(b_, j * kAmxLines, step * b_.in_step(), Least(together, end - j),
                        to + (j * steps_ + step) * kAmxTile, steps_ * kAmxTile);
    };
    if (together == 1) {
      for (Index j = panel; j < end; ++j)
        for (Index step = 0; step < steps_; ++step) pack(j, step);
    } else {  // front to back, as b is stored by k
      for (Index step = 0; step < steps_; ++step)
        for (Index j = panel; j < end; j += together) pack(j, step);
    }
  }
  // All of b, by all threads. Returns `to`.
  const char* PackAll(Cpu& device, char* to) const {
    const double ns = 40 * static_cast<double>(steps_);
    const Index together = AmxCopies::PanelsTogether(b_);
    ParallelFor(device, Parts(panels_, together), ns * static_cast<double>(together),
                [&](Index begin, Index end) { PackPanels(begin * together, Least(end * together, panels_), to); });
    return to;
  }
  Index panels() const { return panels_; }
  Index rows() const { return m_; }

  // c = a b; `packed`: b, from PackPanels. ResourceExhausted without scratch memory.
  Status Run(Cpu& device, const char* packed, const char* who) {
    packed_ = packed;
    const double ns = static_cast<double>(row_tiles() * panels_ * steps_) * 10;
    const Index parts = WorthwhileParts(device, ns);
    const Index pairs = Parts(row_tiles(), 2), by_rows = pairs < parts ? pairs : parts;
    Index by_columns = by_rows < parts && 4 * by_rows <= 3 * parts ? parts / by_rows : 1;
    if (by_columns > Parts(panels_, 2)) by_columns = Parts(panels_, 2);
    const Index rows = Parts(pairs, by_rows) * 2;  // rows that the largest part has
    if (tall_ > rows) tall_ = row_tiles() == 1 ? 1 : rows;
    if (wide_ > panels_) wide_ = panels_;
    const std::size_t a_bytes = static_cast<std::size_t>(tall_ * steps_ * kAmxTile),
                      c_bytes = steps_ == depth_ ? 0 : static_cast<std::size_t>((tall_ + 1) * (wide_ + 1) * kAmxTile);
    Scratch scratch(device, static_cast<std::size_t>(by_rows * by_columns) * (a_bytes + c_bytes));
    TENON_RETURN_IF_ERROR(scratch.status(who));
    RunParts(device, by_rows * by_columns, [&](Index part) {
      const Index i = part / by_columns, j = part % by_columns;
      char* const mine = scratch.As<char>(static_cast<std::size_t>(part) * (a_bytes + c_bytes));
      const simd::AmxTiles tiles;
      RunPart(PartBegin(row_tiles(), by_rows, 2, i), PartBegin(row_tiles(), by_rows, 2, i + 1),
              PartBegin(panels_, by_columns, 2, j), PartBegin(panels_, by_columns, 2, j + 1), mine, mine + a_bytes);
    });
    return OkStatus();
  }

 protected:
  ~AmxProduct() = default;
  static Index Parts(Index a, Index size) { return (a + size - 1) / size; }

  // 16 rows of a, from row `i` on: where they lie, or copied to `copy`, which has room for all steps.
  struct Rows {
    const char* data;
    Index line, step;  // in bytes
    const char* tail;  // the last step, if it lies apart
  };
  virtual Rows FindRows(Index i, char* copy) const = 0;
  // Takes the sums of c from row i and column j on: up to 32 of each. Rows of sums have room for 32.
  virtual void Store(Index i, Index j, Index rows, Index columns, const char* sums, Index sums_row) const = 0;
  // Where tiles may be stored without Store(), or null.
  virtual char* Place(Index, Index, Index*) const { return nullptr; }

  const AmxKernel (&kernels_)[2][2];
  const AmxMatrix b_;
  const Index m_, steps_, panels_;

 private:
  static constexpr Index kDeepest = 32, kTallest = 16, kWidest = 8;

  Index row_tiles() const { return Parts(m_, kAmxLines); }
  static Index Least(Index a, Index b) { return a < b ? a : b; }

  void RunPart(Index row, Index row_end, Index panel, Index panel_end, char* copies, char* sums) const {
    Rows rows[kTallest];
    for (; row < row_end; row += tall_) {
      const Index count = Least(tall_, row_end - row);
      for (Index i = 0; i < count; ++i) rows[i] = FindRows((row + i) * kAmxLines, copies + i * steps_ * kAmxTile);
      for (Index first = panel; first < panel_end; first += wide_) {
        const Index last = Least(first + wide_, panel_end);
        for (Index step = 0; step < steps_; step += depth_) {
          for (Index j = first; j < last; j += 2) {
            for (Index i = 0; i < count; i += 2) {
              RunBlock(rows + i, row + i, Least(2, count - i), j, Least(2, last - j), step,
                       sums + ((j - first) * Parts(tall_, 2) * 2 + 2 * i) * kAmxTile);
            }
          }
        }
      }
    }
  }

  // Up to 2 x 2 tiles of c in one block of k; `sums` keeps them from block to block.
  void RunBlock(const Rows* rows, Index row_tile, Index row_tiles, Index panel, Index panels, Index step,
                char* sums) const {
    const Index end = Least(step + depth_, steps_);
    const bool all = steps_ == depth_, is_last = end == steps_;
    AmxBlock t{};
    t.steps = end - step;
    for (Index i = 0; i < row_tiles; ++i) {
      t.a[i] = rows[i].data + step * rows[i].step;
      t.a_line[i] = rows[i].line;
      t.a_step[i] = rows[i].step;
      t.tail[i] = is_last ? rows[i].tail : nullptr;
    }
    if (t.tail[0] != nullptr) --t.steps;
    for (Index j = 0; j < panels; ++j) t.b[j] = packed_ + ((panel + j) * steps_ + step) * kAmxTile;
    const Index i = row_tile * kAmxLines, j = panel * kAmxLines, height = Least(row_tiles * kAmxLines, m_ - i),
                width = Least(panels * kAmxLines, b_.lines - j);
    alignas(64) char here[4 * kAmxTile];
    t.c = all ? here : sums;
    t.c_row = 2 * kAmxStep;
    t.add = step > 0;
    const bool whole = height == row_tiles * kAmxLines && width == panels * kAmxLines;
    if (all && whole) {
      if (char* const place = Place(i, j, &t.c_row); place != nullptr) t.c = place;
    }
    kernels_[row_tiles - 1][panels - 1](t);
    if (is_last && (t.c == here || t.c == sums)) Store(i, j, height, width, t.c, t.c_row);
  }

  Index depth_;  // steps of a block of k
  Index tall_;  // tiles of rows that stay in the second cache
  Index wide_;  // panels whose sums are kept, where there are several blocks of k
  const char* packed_ = nullptr;
};

// A product with b packed here, or in `weights` if they are of b, which lies at `data`, and not null.
inline Status RunAmxWithWeights(Cpu& device, AmxProduct& product, const void* data, PackedWeights* weights,
                                const char* who) {
  const char* packed = nullptr;
  if (weights != nullptr && product.rows() <= PackedWeights::kMostRows) {
    packed = weights->Find(data, PackedWeights::Layout::kTiles, product.packed_bytes(),
                           [&](char* to) { product.PackPanels(0, product.panels(), to); });
  }
  Scratch scratch(device, packed == nullptr ? product.packed_bytes() : 0);
  TENON_RETURN_IF_ERROR(scratch.status(who));
  if (packed == nullptr) packed = product.PackAll(device, scratch.As<char>());
  return product.Run(device, packed, who);
}

// a where it lies, or copied. Where many columns meet its rows, copies pay off if a row's distance has many factors of
// two, so that rows share their places in the caches, or if 64 bytes of a row lie in two lines.
class AmxRows {
 public:
  AmxRows(const AmxMatrix& a, Index columns)
      : a_(a), copies_(a.along != a.size || (columns >= kManyColumns && (a.line % 1024 == 0 || !IsAligned(a)))) {}
  template <class Rows>
  Rows Find(Index i, char* copy) const {
    const Index steps = a_.steps(), whole = a_.k * a_.size / kAmxStep;
    const bool lies = !copies_ && i + kAmxLines <= a_.lines;
    for (Index step = lies ? whole : 0; step < steps; ++step)
      AmxCopies::Lines(a_, i, step * a_.in_step(), copy + step * kAmxTile);
    const char* const tail = whole < steps ? copy + whole * kAmxTile : nullptr;
    if (!lies) return {copy, kAmxStep, kAmxTile, tail};
    return {a_.At(i, 0), a_.line, kAmxStep, tail};
  }

 private:
  static constexpr Index kManyColumns = 512;
  static bool IsAligned(const AmxMatrix& a) {
    return (reinterpret_cast<std::uintptr_t>(a.data) | static_cast<std::uintptr_t>(a.line)) % kAmxStep == 0;
  }

  const AmxMatrix a_;
  const bool copies_;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // TENON_DETAIL_AMX

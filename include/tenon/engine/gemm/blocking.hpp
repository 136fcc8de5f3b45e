// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way of a large matrix product through the caches, for any element size. k is cut so that a panel of b - as many
// columns as a tile is wide - stays in the first or second cache; it is copied together once, and all tiles of rows of
// a meet it there. Rows of a are cut so that the part which every panel meets stays in the second cache: copied panels
// are kept for the next such part, as many columns of them as an eighth of the last cache holds. Rows are read where
// they lie, and copied only if a is large and stored transposed or at unlucky distances. The four transposed
// cases differ in these copies alone. Every thread has a rectangle of c to itself, and which thread sums up an element
// does not change its value.

#include <cstddef>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Operands with the distances, in elements, between rows and between columns; one of the two is 1. T is void where only
// the size of an element counts.
template <class T>
struct GemmArgs {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row, b_col;
  T* c;
  Index c_row;
};

// Where part `part` of `parts` about equal ones begins in [0, total): the nearest multiple of `step`.
constexpr Index EvenBegin(Index total, Index parts, Index step, Index part) {
  const Index begin = (total * part / parts + step / 2) / step * step;
  return part == parts || begin > total ? total : begin;
}
constexpr Index DivideUp(Index a, Index b) { return (a + b - 1) / b; }

// Copies rows of `bytes` bytes, a multiple of 4, without a call for each row: they are short.
inline void CopyShortRows(const char* from, Index from_step, Index rows, Index bytes, char* to, Index to_step) {
  for (; rows > 0; --rows, from += from_step, to += to_step) {
    if (bytes < 16) {
      for (Index i = 0; i < bytes; i += 4) std::memcpy(to + i, from + i, 4);
      continue;
    }
    for (Index i = 0; i < bytes - 16; i += 16) {
      std::memcpy(to + i, from + i, 16);
#if defined(__GNUC__)
      asm volatile("");  // or the loop becomes a call
#endif
    }
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);
  }
}

// How one product is cut. Needs four rows at least. Shared by the threads that work on it.
class GemmBlocks {
 public:
  GemmBlocks(const GemmKernels& kernels, const GemmArgs<void>& g, const CacheSizes& caches = Caches())
      : kernels_(kernels), g_(g) {
    panel_ = kernels.width * kernels.lanes;
    const Index size = kernels.size;
    // A panel fills most of the first cache; where it would be too shallow for that, an eighth of the second.
    const Index row = panel_ * size, in_first = caches.first * 3 / 4 / row;
    const Index deepest = in_first >= kShallow ? in_first : Most(kShallow, caches.second / 8 / row);
    depth_ = g.k <= deepest ? g.k : DivideUp(g.k, DivideUp(g.k, deepest));
    tall_ = Most(kGroupRows, caches.second / 2 / (depth_ * size) / kGroupRows * kGroupRows);
    kept_ = Most(2 * panel_, caches.last / 8 / (depth_ * size) / panel_ * panel_);
    const Index small = caches.second / 4 / size;
    // Rows whose distance has many factors of two share their places in the caches.
    copies_a_ = g.m * g.k > small && (g.a_col != 1 || (g.a_row * size % 1024 == 0 && g.n > 4 * panel_));
    // A copied panel lies together, which pays off where many rows meet it.
    copies_b_ = g.b_col != 1 || (g.n * g.k > small && g.m > 2 * kGemmRows) || g.m >= kManyRows;
  }

  // All of b in panels, block by block of k: in so many bytes, to be read instead of b where a product gets it.
  std::size_t packed_bytes() const { return Bytes(g_.k * PackedRow()); }
  void PackB(char* to) const {
    for (Index p = 0; p < g_.k; p += depth_) {
      const Index depth = Least(depth_, g_.k - p);
      for (Index j = 0; j < g_.n;) {
        const Panel panel = PanelAt(p, depth, j, g_.n);
        CopyPanel(p, depth, to + PackedOffset(p, depth, j), panel);
        j += panel.columns;
      }
    }
  }
  void set_packed_b(const char* packed) { packed_b_ = packed; }
  // Where PackB puts element [p, j] of b, in bytes. A panel begins with column j.
  Index PackedPlace(Index p, Index j) const {
    const Index begin = p / depth_ * depth_, depth = Least(depth_, g_.k - begin);
    return PackedOffset(begin, depth, j) + (p - begin) * Width(PanelAt(begin, depth, j, g_.n)) * kernels_.size;
  }
  // Takes other matrices, whose rows lie as those of the first did; b is packed.
  void Move(const void* a, const char* packed_b, void* c) {
    g_.a = a;
    packed_b_ = packed_b;
    g_.c = c;
  }
  // Applied to what has all its products. One that takes whole rows: where GivesWholeRows.
  void set_epilogue(const CpuEpilogue* epilogue) { epilogue_ = epilogue; }

  // The rectangle [row, row_end) x [column, column_end), in so many parts of each side.
  struct Split {
    Index by_rows = 1, by_columns = 1;
  };
  // The split into at most `parts` whose largest part has the least work: the products, and copying panels of b, which
  // costs about as much as multiplying them by eight rows.
  Split SplitFor(Index parts) const {
    Split best;
    if (parts == 1) return best;
    Index least = PartCost(best);
    for (Index rows = 1; rows <= parts; ++rows) {
      if (rows > 1 && g_.m / rows < kGroupRows) break;
      Split split{rows, parts / rows};
      const Index panels = DivideUp(g_.n, panel_);
      if (split.by_columns > panels) split.by_columns = panels;
      if (const Index cost = PartCost(split); cost < least) {
        least = cost;
        best = split;
      }
    }
    return best;
  }

  // Whether a block of rows meets all panels before the next block does.
  bool GivesWholeRows(const Split& split) const {
    return split.by_columns == 1 && (packed_b_ != nullptr || RowsOfPart(split) <= tall_ || kept_ >= g_.n);
  }

  // Scratch memory that a part needs for itself.
  std::size_t scratch_bytes(const Split& split) const {
    return PanelBytes(RowsOfPart(split)) + (copies_a_ ? Bytes((tall_ + kGemmRows) * CopiedRow()) : 0);
  }

  void RunPart(const Split& split, Index part, char* scratch) const {
    const Index i = split.by_columns == 1 ? part : part / split.by_columns, j = part - i * split.by_columns;
    Run(EvenBegin(g_.m, split.by_rows, kGemmRows, i), EvenBegin(g_.m, split.by_rows, kGemmRows, i + 1),
        ColumnBegin(split, j), ColumnBegin(split, j + 1), scratch);
  }

 private:
  static constexpr Index kShallow = 192, kGroupRows = 2 * kGemmRows, kManyRows = 128;

  // Rows of a, and where they lie: g_.a itself, or a copy.
  struct Rows {
    Index begin, end;
    const char* data;  // element [begin, first column of the block]
    Index row, col;
  };
  // Columns of b in tiles of one width.
  struct Panel {
    Index column, columns;  // columns of b; the tile may be wider
    Index vectors;  // width of the tile
    const char* data;
    Index row;
  };

  static Index Most(Index a, Index b) { return a > b ? a : b; }
  static Index Least(Index a, Index b) { return a < b ? a : b; }
  std::size_t Bytes(Index elements) const { return ScratchBytes<char>(elements * kernels_.size); }
  // One panel, or those that are kept for the next blocks of so many rows.
  std::size_t PanelBytes(Index rows) const {
    if (packed_b_ != nullptr) return 0;
    return Bytes(depth_ * Least(rows > tall_ ? kept_ : panel_, PackedRow()));
  }
  // Elements from row to row of a copied a: not a power of two, whose multiples share their places in a cache.
  Index CopiedRow() const { return depth_ + 16; }
  const char* A(Index i, Index p) const {
    return static_cast<const char*>(g_.a) + (i * g_.a_row + p * g_.a_col) * kernels_.size;
  }
  const char* B(Index p, Index j) const {
    return static_cast<const char*>(g_.b) + (p * g_.b_row + j * g_.b_col) * kernels_.size;
  }
  char* C(Index i, Index j) const { return static_cast<char*>(g_.c) + (i * g_.c_row + j) * kernels_.size; }

  // Columns of the panels that n columns make, and where one of them begins.
  Index PackedRow() const { return DivideUp(g_.n, kernels_.lanes) * kernels_.lanes; }
  Index PackedOffset(Index p, Index depth, Index j) const { return (p * PackedRow() + depth * j) * kernels_.size; }

  // Parts of columns begin where panels of all columns do (see ColumnsOfTile).
  Index ColumnBegin(const Split& split, Index part) const {
    const Index begin = EvenBegin(g_.n, split.by_columns, panel_, part);
    return begin > 0 && begin < g_.n && g_.n - begin < kernels_.lanes ? begin - panel_ : begin;
  }
  // Where the panels end that are kept beside each other.
  Index KeptEnd(Index column, Index column_end) const {
    const Index end = column + kept_;
    if (end >= column_end) return column_end;
    return column_end - end < kernels_.lanes ? end - panel_ : end;
  }
  Index RowsOfPart(const Split& split) const {
    const Index i = split.by_rows - 1;
    return LargestPart(g_.m, split.by_rows, kGemmRows, EvenBegin(g_.m, i + 1, kGemmRows, i));
  }
  Index PartCost(const Split& split) const {
    const Index columns = LargestPart(g_.n, split.by_columns, panel_, ColumnBegin(split, split.by_columns - 1));
    return (RowsOfPart(split) + 8) * DivideUp(columns, kernels_.lanes);
  }
  static Index LargestPart(Index total, Index parts, Index step, Index last) {
    return Most(parts == 1 ? 0 : DivideUp(DivideUp(total, parts), step) * step, total - last);
  }

  void Run(Index row, Index row_end, Index column, Index column_end, char* scratch) const {
    const Index count = row_end - row, blocks = count <= tall_ ? 1 : DivideUp(count, tall_);
    char* const copied_rows = scratch + PanelBytes(count);
    for (Index p = 0; p < g_.k; p += depth_) {
      const Index depth = Least(depth_, g_.k - p);
      for (Index first = column; first < column_end;) {
        const Index end = blocks == 1 || packed_b_ != nullptr ? column_end : KeptEnd(first, column_end);
        for (Index block = 0; block < blocks; ++block) {
          Rows rows{row + EvenBegin(count, blocks, kGemmRows, block),
                    row + EvenBegin(count, blocks, kGemmRows, block + 1), nullptr, g_.a_row, g_.a_col};
          rows.data = A(rows.begin, p);
          if (copies_a_) CopyRows(depth, copied_rows, &rows);
          const auto kept = [&](Index j) { return scratch + (blocks == 1 ? 0 : depth * (j - first) * kernels_.size); };
          for (Index j = first; j < end;) {
            Panel panel = PanelAt(p, depth, j, end);
            if (panel.data == nullptr) {
              if (block == 0) CopyPanel(p, depth, kept(j), panel);
              panel.data = kept(j);
              panel.row = Width(panel);
            }
            j += panel.columns;
            Next next;
            if (j < end) {
              const Panel second = PanelAt(p, depth, j, end);
              if (second.data != nullptr)
                next = {second.data, second.row * kernels_.size};
              else if (block > 0)
                next = {kept(j), Width(second) * kernels_.size};
              else if (g_.b_col == 1)
                next = {B(p, j), g_.b_row * kernels_.size};
            }
            RunTiles(rows, panel, p, depth, next);
          }
          if (epilogue_ != nullptr && epilogue_->whole_rows && p + depth == g_.k)
            epilogue_->run(*epilogue_, {g_.c, g_.n, rows.begin, rows.end - rows.begin, 0, g_.n});
        }
        first = end;
      }
    }
  }

  void CopyRows(Index depth, char* to, Rows* rows) const {
    const Index count = rows->end - rows->begin, size = kernels_.size;
    if (g_.a_col != 1) {
      kernels_.transpose(rows->data, g_.a_col, depth, count, to, CopiedRow());
    } else {
      for (Index i = 0; i < count; ++i) {
        std::memcpy(to + i * CopiedRow() * size, rows->data + i * g_.a_row * size,
                    static_cast<std::size_t>(depth * size));
      }
    }
    rows->data = to;
    rows->row = CopiedRow();
    rows->col = 1;
  }

  // Panels are as wide as a tile. Without data where they are to be copied.
  Panel PanelAt(Index p, Index depth, Index j, Index column_end) const {
    const Index columns = kernels_.ColumnsOfTile(column_end - j);
    Panel panel{j, columns, DivideUp(columns, kernels_.lanes), nullptr, g_.b_row};
    if (packed_b_ != nullptr) {
      panel.data = packed_b_ + PackedOffset(p, depth, j);
      panel.row = Width(panel);
    } else if (!copies_b_ && FillsVector(panel)) {
      panel.data = B(p, j);
    }
    return panel;
  }
  // Whether a tile of such a panel is stored as it is.
  bool FillsVector(const Panel& panel) const { return panel.columns >= kernels_.lanes; }
  Index Width(const Panel& panel) const { return panel.vectors * kernels_.lanes; }

  // With zeros behind the last column of less than a vector: their products are not stored.
  void CopyPanel(Index p, Index depth, char* to, const Panel& panel) const {
    const Index width = Width(panel), size = kernels_.size;
    const char* const from = B(p, panel.column);
    if (!FillsVector(panel)) std::memset(to, 0, static_cast<std::size_t>(depth * width * size));
    if (g_.b_col != 1) {
      kernels_.transpose(from, g_.b_col, panel.columns, depth, to, width);
    } else if (panel.columns == width) {
      kernels_.pack[panel.vectors - 1](from, g_.b_row * size, depth, to);
    } else {
      CopyShortRows(from, g_.b_row * size, depth, panel.columns * size, to, width * size);
    }
  }

  // Where the next panel lies, or will be copied from, if it is worth bringing near, and bytes from row to row.
  struct Next {
    const char* data = nullptr;
    Index step = 0;
  };

  // All rows of a block by one panel. The last tile may begin above the first row that is left.
  void RunTiles(const Rows& rows, const Panel& panel, Index p, Index depth, const Next& next) const {
    const Index width = Width(panel), size = kernels_.size;
    const Index lines = next.data == nullptr ? 0 : width * size / 64;
    const bool finishes = epilogue_ != nullptr && !epilogue_->whole_rows && p + depth == g_.k;
    GemmTile t{depth,   nullptr,  rows.row, rows.col,   panel.data, panel.row,
               nullptr, g_.c_row, p > 0,    panel.data, 0,          Most(panel.columns - kernels_.lanes, 0)};
    for (Index i = rows.begin, line = 0; i < rows.end;) {
      const Index left = rows.end - i;
      const bool few = TakesFewRows(left, i == rows.begin);
      const Index height = few ? kGemmFewRows : kGemmRows;
      const Index above = Most(height - left, 0);
      t.a = rows.data + (i - above - rows.begin) * rows.row * size;
      t.ahead = line < lines ? next.data + line * 64 : panel.data;
      t.ahead_step = line < lines ? next.step : 0;
      line += few ? 2 : 1;
      const auto tile = kernels_.tile[few][panel.vectors - 1];
      if (FillsVector(panel) && (above == 0 || !t.add)) {  // elements that are stored twice are equal
        t.c = C(i - above, panel.column);
        tile(t);
        if (finishes) Finish(i - above, height, panel);
      } else {
        RunPartOfTile(t, tile, i, height - above, above, panel, width);
        if (finishes) Finish(i, height - above, panel);
      }
      i += height - above;
    }
  }

  // Rows that have just been stored without the epilogue, maybe over ones that had it.
  void Finish(Index row, Index rows, const Panel& panel) const {
    epilogue_->run(*epilogue_, {g_.c, g_.c_row, row, rows, panel.column, panel.columns});
  }

  // Rows [above, above + rows) of a tile, and its first columns, into c from row i on.
  void RunPartOfTile(GemmTile t, void (*tile)(const GemmTile&), Index i, Index rows, Index above, const Panel& panel,
                     Index width) const {
    alignas(64) char sums[kGemmRows * 4 * 64];
    const Index size = kernels_.size, bytes = panel.columns * size;
    char* const first = sums + above * width * size;
    t.c = sums;
    t.c_row = width;
    if (t.add) {
      std::memset(sums, 0, sizeof sums);
      CopyShortRows(C(i, panel.column), g_.c_row * size, rows, bytes, first, width * size);
    }
    tile(t);
    CopyShortRows(first, width * size, rows, bytes, C(i, panel.column), g_.c_row * size);
  }

  const GemmKernels& kernels_;
  GemmArgs<void> g_;
  Index panel_;  // columns of a wide tile
  Index depth_;  // elements of k in a block
  Index tall_;  // rows of a block at most
  Index kept_;  // columns whose panels are kept for the next block, at most
  bool copies_a_, copies_b_;
  const char* packed_b_ = nullptr;
  const CpuEpilogue* epilogue_ = nullptr;
};

// c = a b, four rows at least; `ns` is about what one thread would need. `weights`: of b, or null.
inline Status RunGemmBlocks(Cpu& device, const GemmKernels& kernels, const GemmArgs<void>& g, double ns,
                            PackedWeights* weights = nullptr) {
  GemmBlocks blocks(kernels, g);
  if (weights != nullptr && g.m <= PackedWeights::kMostRows) {
    blocks.set_packed_b(weights->Find(g.b, PackedWeights::Layout::kProduct, blocks.packed_bytes(),
                                      [&](char* to) { blocks.PackB(to); }));
  }
  const GemmBlocks::Split split = blocks.SplitFor(WorthwhileParts(device, ns));
  blocks.set_epilogue(TakeEpilogue(device, blocks.GivesWholeRows(split)));
  const Index parts = split.by_rows * split.by_columns;
  const std::size_t bytes = blocks.scratch_bytes(split);
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  RunParts(device, parts,
           [&](Index part) { blocks.RunPart(split, part, scratch.As<char>(static_cast<std::size_t>(part) * bytes)); });
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__

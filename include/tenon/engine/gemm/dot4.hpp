// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of matrices whose elements are multiplied in groups of four bytes - four of 8 bits or two of 16 - and summed
// in 32 bits: a tile reads, of each of its rows, one group of a, and of each of its columns one of b. Both operands are
// copied into this order: of a, the groups of a row lie one after the other; of b, those of all columns of a panel,
// which is as wide as a tile. int8.hpp and bfloat16.hpp have the copies and the code that multiplies groups.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A tile of c, its sums over so many groups. Sums are int32 or float.
template <class Sum>
struct GroupTile {
  Index groups;
  const char* a;
  Index a_row;  // bytes from row to row
  const char* b;
  Sum* c;
  Index c_row;
  bool add;  // adds to the content of c
};
template <class Sum>
struct GroupKernels {
  Index rows, columns;  // size of a tile
  Index in_group;  // elements of k
  void (*tile)(const GroupTile<Sum>&);
};

TENON_HD std::int32_t LoadGroup(const char* p) {
  std::int32_t group;
  __builtin_memcpy(&group, p, 4);
  return group;
}

#if TENON_DETAIL_TARGETS
// Tiles of 6 rows and four vectors. Dot has:
//   static constexpr Index in_group, Sums = GnuVector<..., 64>   the lanes of sums: unsigned where they wrap around
//   TENON_DETAIL_TARGET_AVX512 static void Add(sums, x, y)   sums[l] += the products of the elements of x[l] and y[l]
template <class Sum, class Dot>
struct GroupTileAvx512 {
  TENON_DETAIL_TARGET_AVX512 static void Tile(const GroupTile<Sum>& t) {
    constexpr int kRows = 6, kVectors = 4, kLanes = 16;
    using Sums = typename Dot::Sums;
    using Groups = GnuVector<std::int32_t, 64>;
    typename Sums::type sums[kRows][kVectors];
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] = typename Sums::type{};
    }
    const char *a = t.a, *b = t.b;
    for (Index g = t.groups; g > 0; --g, a += 4, b += kVectors * kLanes * 4) {
      typename Groups::type y[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) y[v] = *reinterpret_cast<const typename Groups::in_memory*>(b + v * 64);
#pragma GCC unroll 6
      for (int i = 0; i < kRows; ++i) {
        const typename Groups::type x = LoadGroup(a + i * t.a_row) - typename Groups::type{};
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) Dot::Add(sums[i][v], x, y[v]);
      }
    }
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        auto* const to = reinterpret_cast<typename Sums::in_memory*>(t.c + i * t.c_row + v * kLanes);
        *to = t.add ? sums[i][v] + *to : sums[i][v];
      }
    }
  }
  static constexpr GroupKernels<Sum> kKernels = {6, 64, Dot::in_group, &Tile};
};
#endif

// One product. Work has, besides the members of this class:
//   void PackRow(Index i, char* to) const        of a; what only fills its last group is zero already
//   void PackPanel(Index panel) const            of b; what only fills a group becomes zero
//   bool Finishes() const                        whether sums are changed in the end
//   Sum Finish(Index i, Index j, Sum) const      how
//   static Sum Add(Sum, Sum)
template <class Work, class Sum>
class GroupProduct {
 public:
  GroupProduct(const GroupKernels<Sum>& kernels, Index m, Index n, Index k, Sum* c, Index c_row)
      : kernels_(kernels), m_(m), n_(n), k_(k), groups_(Parts(k, kernels.in_group)), c_(c), c_row_(c_row) {}

  Index row_tiles() const { return Parts(m_, kernels_.rows); }
  Index panels() const { return Parts(n_, kernels_.columns); }
  std::size_t a_bytes() const { return ScratchBytes<char>(row_tiles() * kernels_.rows * groups_ * 4); }
  std::size_t b_bytes() const { return ScratchBytes<char>(panels() * kernels_.columns * groups_ * 4); }

  // Copies the operands to `a` and `b` and multiplies them.
  void Run(Cpu& device, char* a, char* b) {
    packed_a_ = a;
    packed_b_ = b;
    Work& work = static_cast<Work&>(*this);
    const Index rows = row_tiles(), panels = this->panels();
    const double depth = static_cast<double>(k_), area = static_cast<double>(kernels_.rows * kernels_.columns);
    ParallelFor(device, rows, 0.2 * depth * static_cast<double>(kernels_.rows), [&](Index begin, Index end) {
      for (Index tile = begin; tile < end; ++tile) PackRows(tile);
    });
    ParallelFor(device, panels, 0.1 * depth * static_cast<double>(kernels_.columns), [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) work.PackPanel(j);
    });
    // The longer side is shared out.
    const double tile_ns = 0.016 / static_cast<double>(kernels_.in_group) * depth * area;
    if (panels >= rows) {
      ParallelFor(device, panels, tile_ns * static_cast<double>(rows),
                  [&](Index begin, Index end) { RunTiles(0, rows, begin, end); });
    } else {
      ParallelFor(device, rows, tile_ns * static_cast<double>(panels),
                  [&](Index begin, Index end) { RunTiles(begin, end, 0, panels); });
    }
  }

 protected:
  static constexpr Index kMostRows = 6, kMostColumns = 64;
  static Index Parts(Index a, Index size) { return (a + size - 1) / size; }

  char* PackedPanel(Index panel) const { return packed_b_ + panel * kernels_.columns * groups_ * 4; }

  const GroupKernels<Sum>& kernels_;
  const Index m_, n_, k_, groups_;

 private:
  char* PackedRow(Index row) const { return packed_a_ + row * groups_ * 4; }

  // The rows of a tile; those that only fill it are zeros.
  void PackRows(Index tile) const {
    for (Index i = tile * kernels_.rows; i < (tile + 1) * kernels_.rows; ++i) {
      char* const to = PackedRow(i);
      const Index zeros = i < m_ ? 1 : groups_;
      std::memset(to + (groups_ - zeros) * 4, 0, static_cast<std::size_t>(zeros) * 4);
      if (i < m_) static_cast<const Work&>(*this).PackRow(i, to);
    }
  }

  void RunTiles(Index row_tile, Index row_tile_end, Index panel, Index panel_end) const {
    constexpr Index kDeepest = 96;  // groups of which a panel stays in the first cache
    const Index depth = Parts(groups_, Parts(groups_, kDeepest));
    for (Index group = 0; group < groups_; group += depth) {
      const Index deep = groups_ - group < depth ? groups_ - group : depth;
      for (Index j = panel; j < panel_end; ++j) {
        for (Index i = row_tile; i < row_tile_end; ++i) RunTile(i, j, group, deep);
      }
    }
  }

  void RunTile(Index row_tile, Index panel, Index group, Index deep) const {
    const Index row = row_tile * kernels_.rows, column = panel * kernels_.columns;
    const Index rows = m_ - row < kernels_.rows ? m_ - row : kernels_.rows,
                columns = n_ - column < kernels_.columns ? n_ - column : kernels_.columns;
    const Work& work = static_cast<const Work&>(*this);
    const bool whole = rows == kernels_.rows && columns == kernels_.columns,
               finishes = group + deep == groups_ && work.Finishes();
    alignas(64) Sum part[kMostRows * kMostColumns];
    Sum* const c = c_ + row * c_row_ + column;
    const GroupTile<Sum> tile{deep,
                              PackedRow(row) + group * 4,
                              groups_ * 4,
                              PackedPanel(panel) + group * kernels_.columns * 4,
                              whole ? c : part,
                              whole ? c_row_ : kernels_.columns,
                              group > 0 && whole};
    kernels_.tile(tile);
    if (whole && !finishes) return;
    for (Index i = 0; i < rows; ++i) {
      const Sum* const from = tile.c + i * tile.c_row;
      Sum* const to = c + i * c_row_;
      for (Index j = 0; j < columns; ++j) {
        const Sum sum = whole || group == 0 ? from[j] : Work::Add(to[j], from[j]);
        to[j] = finishes ? work.Finish(row + i, column + j, sum) : sum;
      }
    }
  }

  Sum* const c_;
  const Index c_row_;
  char *packed_a_ = nullptr, *packed_b_ = nullptr;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rotations of pairs of rows, collected and then applied to one strip of columns after the other, which stays in a
// cache meanwhile.

#include <algorithm>
#include <cstddef>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

// Row `first` becomes c first + s second, row `second` c second - s first.
template <class R>
struct RowRotation {
  Index first, second;
  R c, s;
};

TENON_DETAIL_LOOPS_BEGIN

template <class R>
TENON_DETAIL_LOOP void RotateStrip(const RowRotation<R>* rotations, Index count, R* rows, Index row, Index n) {
  for (Index i = 0; i < count; ++i) {
    const R c = rotations[i].c, s = rotations[i].s;
    R *const x = rows + rotations[i].first * row, *const y = rows + rotations[i].second * row;
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) {
      const R a = x[j], b = y[j];
      x[j] = c * a + s * b;
      y[j] = c * b - s * a;
    }
  }
}

TENON_DETAIL_LOOPS_END

#if TENON_DETAIL_TARGETS
// RotateStrip of 32 kVectors bytes. The second row of a rotation stays in registers where it is the first row of the
// next one.
template <Index kVectors, class R>
TENON_DETAIL_TARGET_AVX2 void RotateChainsAvx2(const RowRotation<R>* rotations, Index count, R* rows, Index row) {
  using Lanes [[gnu::vector_size(32), gnu::aligned(alignof(R)), gnu::may_alias]] = R;
  constexpr Index kLanes = static_cast<Index>(32 / sizeof(R));
  for (Index i = 0; i < count;) {
    R* at = rows + rotations[i].first * row;
    Lanes carry[kVectors];
    for (Index v = 0; v < kVectors; ++v) carry[v] = *reinterpret_cast<const Lanes*>(at + v * kLanes);
    Index second;
    do {
      const R c = rotations[i].c, s = rotations[i].s;
      second = rotations[i].second;
      R* const next = rows + second * row;
#pragma GCC unroll 8
      for (Index v = 0; v < kVectors; ++v) {
        const Lanes y = *reinterpret_cast<const Lanes*>(next + v * kLanes);
        *reinterpret_cast<Lanes*>(at + v * kLanes) = c * carry[v] + s * y;
        carry[v] = c * y - s * carry[v];
      }
      at = next;
    } while (++i < count && rotations[i].first == second);
    for (Index v = 0; v < kVectors; ++v) *reinterpret_cast<Lanes*>(at + v * kLanes) = carry[v];
  }
}
#endif

// Rotations of the rows of an [n, n] matrix, RowSize(n) elements from row to row. Without a matrix they are dropped.
// one thread.
template <class R>
class Rotations {
 public:
  static constexpr Index kStrip = static_cast<Index>(256 / sizeof(R));
  // Whole strips, and a distance that is not a multiple of a page: such rows share their places in the caches.
  static Index RowSize(Index n) { return (n + kStrip - 1) / kStrip * kStrip + kStrip / 4; }

  Rotations(R* matrix, Index n) : matrix_(matrix), n_(n) {
    if (matrix == nullptr || n <= 32) return;
    room_ = std::max<Index>(1024, 16 * n);
    many_.resize(static_cast<std::size_t>(room_));
    pending_ = many_.data();
  }
  Rotations(const Rotations&) = delete;
  Rotations& operator=(const Rotations&) = delete;

  void Add(Index first, Index second, R c, R s) {
    if (matrix_ == nullptr) return;
    pending_[count_++] = {first, second, c, s};
    if (count_ == room_) Apply();
  }
  void Apply() {
    const Index count = std::exchange(count_, 0);
    for (Index column = 0; column < n_ && count > 0; column += kStrip) {
#if TENON_DETAIL_TARGETS
      if (simd::BestLevel() >= simd::Level::kAvx2) {
        const auto rotate = n_ - column <= kStrip / 4 ? RotateChainsAvx2<2, R> : RotateChainsAvx2<8, R>;
        rotate(pending_, count, matrix_ + column, RowSize(n_));
        continue;
      }
#endif
      RotateStrip(pending_, count, matrix_ + column, RowSize(n_), kStrip);
    }
  }

 private:
  R* matrix_;
  Index n_;
  static constexpr Index kFew = 64;  // enough for a small matrix, without memory from the heap
  RowRotation<R> few_[kFew];
  SlimVector<RowRotation<R>> many_;
  RowRotation<R>* pending_ = few_;
  Index room_ = kFew, count_ = 0;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

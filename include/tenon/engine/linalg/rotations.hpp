// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rotations of pairs of rows, collected and then applied to one strip of columns after the other, which stays in a
// cache meanwhile.

#include <algorithm>
#include <cstddef>

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
// RotateStrip of 256 bytes. The second row of a rotation stays in registers where it is the first row of the next one.
template <class R>
TENON_DETAIL_TARGET_AVX2 void RotateChainsAvx2(const RowRotation<R>* rotations, Index count, R* rows, Index row) {
  using Lanes [[gnu::vector_size(32), gnu::aligned(alignof(R)), gnu::may_alias]] = R;
  constexpr Index kVectors = 8, kLanes = static_cast<Index>(32 / sizeof(R));
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

  Rotations(R* matrix, Index n) : matrix_(matrix), n_(n) {}

  void Add(Index first, Index second, R c, R s) {
    if (matrix_ == nullptr) return;
    pending_.push_back({first, second, c, s});
    if (static_cast<Index>(pending_.size()) >= std::max<Index>(1024, 16 * n_)) Apply();
  }
  void Apply() {
    const auto count = static_cast<Index>(pending_.size());
    for (Index column = 0; column < n_ && count > 0; column += kStrip) {
#if TENON_DETAIL_TARGETS
      if (simd::BestLevel() >= simd::Level::kAvx2) {
        RotateChainsAvx2(pending_.data(), count, matrix_ + column, RowSize(n_));
        continue;
      }
#endif
      RotateStrip(pending_.data(), count, matrix_ + column, RowSize(n_), kStrip);
    }
    pending_.clear();
  }

 private:
  R* matrix_;
  Index n_;
  SlimVector<RowRotation<R>> pending_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

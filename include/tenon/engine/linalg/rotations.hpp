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
#if TENON_DETAIL_TARGETS
template <class R>
TENON_DETAIL_LOOP_AVX2 void RotateStripAvx2(const RowRotation<R>* rotations, Index count, R* rows, Index row, Index n) {
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
#endif

TENON_DETAIL_LOOPS_END

// Rotations of the rows of an [n, n] matrix, row-major. Without a matrix they are dropped. one thread.
template <class R>
class Rotations {
 public:
  Rotations(R* matrix, Index n) : matrix_(matrix), n_(n) {}

  void Add(Index first, Index second, R c, R s) {
    if (matrix_ == nullptr) return;
    pending_.push_back({first, second, c, s});
    if (static_cast<Index>(pending_.size()) >= std::max<Index>(1024, 16 * n_)) Apply();
  }
  void Apply() {
    constexpr Index kStrip = static_cast<Index>(256 / sizeof(R));
    const auto count = static_cast<Index>(pending_.size());
    for (Index column = 0; column < n_ && count > 0; column += kStrip) {
      const Index width = std::min(kStrip, n_ - column);
#if TENON_DETAIL_TARGETS
      if (simd::BestLevel() >= simd::Level::kAvx2) {
        RotateStripAvx2(pending_.data(), count, matrix_ + column, n_, width);
        continue;
      }
#endif
      RotateStrip(pending_.data(), count, matrix_ + column, n_, width);
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

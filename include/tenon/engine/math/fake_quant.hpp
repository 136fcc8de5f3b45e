// SPDX-License-Identifier: Apache-2.0
#pragma once
// Floats as they would be after quantisation within a range.

#include <cmath>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A range moved so that 0 is one of its 2^bits (less one, when narrow) steps. As in TensorFlow, a range that is one
// tensor's divides by the step (`divides`), and one of attrs or of a channel multiplies by its inverse: halves fall
// either way.
struct FakeQuantRange {
  float low, high, scale, inverse, zero;
  bool is_zero;  // the range was [0, 0]: everything is 0
  bool divides;

  FakeQuantRange(float min, float max, std::int64_t bits, bool narrow, bool divide)
      : is_zero(min == 0 && max == 0), divides(divide) {
    const float least = narrow ? 1 : 0, most = static_cast<float>((1 << bits) - 1);
    scale = (max - min) / (most - least);
    const float point = least - min / scale;
    const float nudged = point < least ? least : point > most ? most : std::round(point);
    low = (least - nudged) * scale;
    high = (most - nudged) * scale;
    inverse = (most - least) / (max - min);
    zero = std::floor((divides ? -low / scale : -low * inverse) + 0.5f);
  }
  float operator()(float x) const {
    if (is_zero) return 0;
    x = x > high ? high : x;
    x = x < low ? low : x;
    const float steps = divides ? (x - low) / scale : (x - low) * inverse;
    return std::floor(steps - zero + 0.5f) * scale;
  }
};

namespace detail {

#if TENON_DETAIL_TARGETS
TENON_DETAIL_LOOPS_BEGIN

// y[i] = range(x[i]), where the range is not [0, 0].
template <bool kDivides>
TENON_DETAIL_CHOICES_AVX2 void FakeQuantAvx2(const FakeQuantRange& range, const float* x, float* y, Index n) {
  const float low = range.low, high = range.high, scale = range.scale, inverse = range.inverse, zero = range.zero;
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) {
    const float read = x[i], most = read > high ? high : read, value = most < low ? low : most;
    const float step = (kDivides ? (value - low) / scale : (value - low) * inverse) - zero + 0.5f;
    // g++ does not vectorise floor. There are at most 2^17 steps; infinities and NaN come out right, too.
    const float near = (step + 12582912.0f) - 12582912.0f;
    y[i] = (near > step ? near - 1 : near) * scale;
  }
}

TENON_DETAIL_LOOPS_END
#endif

inline void FakeQuantPart(const FakeQuantRange& range, const float* x, float* y, Index n) {
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() != simd::Level::kUnit && !range.is_zero)
    return range.divides ? FakeQuantAvx2<true>(range, x, y, n) : FakeQuantAvx2<false>(range, x, y, n);
#endif
  for (Index i = 0; i < n; ++i) y[i] = range(x[i]);
}
}  // namespace detail

// y[i] = range(x[i]).
inline void FakeQuantRun(Cpu& device, const FakeQuantRange& range, const float* x, float* y, Index n) {
  ParallelFor(device, n, 2,
              [&](Index begin, Index end) { detail::FakeQuantPart(range, x + begin, y + begin, end - begin); });
}

TENON_DETAIL_NAMESPACE_END

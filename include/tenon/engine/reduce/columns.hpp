// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns of matrices of float, [rows, columns]: their sums, and steps that have a number for each column. Sums are
// kept as double; at most kColumnRows neighbours of a column are added as float first.

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr Index kColumnRows = 16;

// Kinds of terms: a, (a - mean)^2, and (two sums) b and b * (a - mean).
enum class ColumnSum { kFirst, kSquares, kProducts };

struct ColumnSumCall {
  const float* a;
  const float* b;  // kProducts only
  const float* mean;  // not kFirst
  Index rows, columns;
  double* first;
  double* second;  // kProducts only
};

template <ColumnSum what>
void SumColumn(const ColumnSumCall& call, Index begin, Index end, Index c) {
  float first = 0, second = 0;
  for (Index at = begin * call.columns + c; at < end * call.columns; at += call.columns) {
    const float centred = what == ColumnSum::kFirst ? call.a[at] : call.a[at] - call.mean[c];
    if constexpr (what == ColumnSum::kProducts) {
      first += call.b[at];
      second += call.b[at] * centred;
    } else {
      first += what == ColumnSum::kFirst ? centred : centred * centred;
    }
  }
  call.first[c] += static_cast<double>(first);
  if constexpr (what == ColumnSum::kProducts) call.second[c] += static_cast<double>(second);
}

#if TENON_DETAIL_LANES
template <ColumnSum what, class L>
TENON_HD void AddTerms(const ColumnSumCall& call, Index at, const L& mean, L& first, L& second) {
  const L value = L::Load(call.a + at), centred = value - mean;
  if constexpr (what == ColumnSum::kFirst) {
    first = first + value;
  } else if constexpr (what == ColumnSum::kSquares) {
    first = Fma(centred, centred, first);
  } else {
    const L factor = L::Load(call.b + at);
    first = first + factor;
    second = Fma(factor, centred, second);
  }
}
// Rows [begin, end), at most kColumnRows, of the columns from c on; the columns left are less than a vector.
template <ColumnSum what, int bytes>
TENON_HD void SumSomeRows(const ColumnSumCall& call, Index begin, Index end, Index c) {
  using L = simd::Lanes<float, bytes>;
  constexpr int kChains = 4;  // rows whose sums do not wait for each other
  for (; c + L::size <= call.columns; c += L::size) {
    const L mean = what == ColumnSum::kFirst ? L::Zero() : L::Load(call.mean + c);
    L first[kChains], second[kChains];
#pragma GCC unroll 4
    for (int i = 0; i < kChains; ++i) first[i] = second[i] = L::Zero();
    Index r = begin;
    for (; r + kChains <= end; r += kChains) {
#pragma GCC unroll 4
      for (int i = 0; i < kChains; ++i) AddTerms<what>(call, (r + i) * call.columns + c, mean, first[i], second[i]);
    }
    for (; r < end; ++r) AddTerms<what>(call, r * call.columns + c, mean, first[0], second[0]);
    float sums[L::size];
    ((first[0] + first[1]) + (first[2] + first[3])).Store(sums);
    for (int i = 0; i < L::size; ++i) call.first[c + i] += static_cast<double>(sums[i]);
    if constexpr (what == ColumnSum::kProducts) {
      ((second[0] + second[1]) + (second[2] + second[3])).Store(sums);
      for (int i = 0; i < L::size; ++i) call.second[c + i] += static_cast<double>(sums[i]);
    }
  }
  if constexpr (bytes > 16) {
    SumSomeRows<what, bytes / 2>(call, begin, end, c);
  } else {
    for (; c < call.columns; ++c) SumColumn<what>(call, begin, end, c);
  }
}
template <ColumnSum what>
struct SumColumnsBody {
  template <int bytes>
  TENON_HD static void Run(const ColumnSumCall& call) {
    for (Index r = 0; r < call.rows; r += kColumnRows)
      SumSomeRows<what, bytes>(call, r, r + kColumnRows < call.rows ? r + kColumnRows : call.rows, 0);
  }
};
#endif

// Steps of columns: kCentre: (x - mean) * factor + offset; kGradient: factor * (dy - offset - (x - mean) * slope).
enum class ColumnStep { kCentre, kGradient };

struct ColumnStepCall {
  const float* x;
  const float* dy;  // kGradient only
  const float* mean;
  const float* factor;
  const float* offset;
  const float* slope;  // kGradient only
  Index rows, columns;
  float* out;
};

template <ColumnStep step>
float ColumnStepOf(const ColumnStepCall& call, Index at, Index c) {
  const float centred = call.x[at] - call.mean[c];
  if constexpr (step == ColumnStep::kCentre) return centred * call.factor[c] + call.offset[c];
  return call.factor[c] * (call.dy[at] - call.offset[c] - centred * call.slope[c]);
}
#if TENON_DETAIL_LANES
template <ColumnStep step, int bytes>
TENON_HD void StepSomeRows(const ColumnStepCall& call, Index begin, Index end, Index c) {
  using L = simd::Lanes<float, bytes>;
  for (; c + L::size <= call.columns; c += L::size) {
    const L mean = L::Load(call.mean + c), factor = L::Load(call.factor + c), offset = L::Load(call.offset + c);
    const L slope = step == ColumnStep::kGradient ? -L::Load(call.slope + c) : L::Zero();
#pragma GCC unroll 2
    for (Index r = begin; r < end; ++r) {
      const Index at = r * call.columns + c;
      const L centred = L::Load(call.x + at) - mean;
      if constexpr (step == ColumnStep::kCentre)
        Fma(centred, factor, offset).Store(call.out + at);
      else
        (factor * Fma(centred, slope, L::Load(call.dy + at) - offset)).Store(call.out + at);
    }
  }
  if constexpr (bytes > 16) {
    StepSomeRows<step, bytes / 2>(call, begin, end, c);
  } else {
    for (; c < call.columns; ++c)
      for (Index r = begin; r < end; ++r)
        call.out[r * call.columns + c] = ColumnStepOf<step>(call, r * call.columns + c, c);
  }
}
template <ColumnStep step>
struct StepColumnsBody {
  template <int bytes>
  TENON_HD static void Run(const ColumnStepCall& call) {
    for (Index r = 0; r < call.rows; r += kColumnRows)
      StepSomeRows<step, bytes>(call, r, r + kColumnRows < call.rows ? r + kColumnRows : call.rows, 0);
  }
};
#endif

}  // namespace detail

// first[c] += the sum of column c's terms, and so second[c] for kProducts.
template <detail::ColumnSum what, class Isa = simd::Compiled>
void AddColumnSums(const detail::ColumnSumCall& call) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<detail::SumColumnsBody<what>, Isa, const detail::ColumnSumCall&>::Best()(call);
#else
  for (Index r = 0; r < call.rows; r += detail::kColumnRows) {
    const Index end = r + detail::kColumnRows < call.rows ? r + detail::kColumnRows : call.rows;
    for (Index c = 0; c < call.columns; ++c) detail::SumColumn<what>(call, r, end, c);
  }
#endif
}

// Applies the step to all elements; `out` may be an input.
template <detail::ColumnStep step, class Isa = simd::Compiled>
void StepColumns(const detail::ColumnStepCall& call) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<detail::StepColumnsBody<step>, Isa, const detail::ColumnStepCall&>::Best()(call);
#else
  for (Index r = 0; r < call.rows; ++r)
    for (Index c = 0; c < call.columns; ++c)
      call.out[r * call.columns + c] = detail::ColumnStepOf<step>(call, r * call.columns + c, c);
#endif
}

TENON_DETAIL_NAMESPACE_END

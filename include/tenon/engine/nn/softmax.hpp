// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax and its logarithm, of rows: three passes over a row that stays in the first cache (largest, exponentials and
// their sum, scaling).

#include <cmath>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/for_each_row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Both work on one row of float or double, n >= 1; `out` may be `x`. A row with a NaN, with +infinity, or of nothing
// but -infinity gives NaNs, as the formula says.
#if TENON_DETAIL_LANES
// The rest of a row is computed with the row's last vector; a short row, with one whose first n lanes count.
template <class T>
struct SoftmaxRow {
  template <int bytes>
  TENON_HD static void Run(const T* x, T* out, Index n) {
    using L = simd::Lanes<T, bytes>;
    using Two = simd::WideLanes<T, bytes>;
    // The steps of an exponential wait for each other, so many that not even two vectors in turns fill the time.
    using Four = std::conditional_t<(bytes < 64), simd::Pair<Two>, Two>;
    constexpr Index kSize = L::size;
    if (n < kSize) {
      T part[L::size];
      for (Index i = 0; i < kSize; ++i) part[i] = i < n ? x[i] : -std::numeric_limits<T>::infinity();
      const L row = L::Load(part);
      const L y = simd::ExpOfNegative(row - L::Repeat(simd::Fold<simd::GreaterLanes>(row)));
      (y * L::Repeat(T(1) / simd::Fold<simd::AddLanes>(y))).Store(part);
      for (Index i = 0; i < n; ++i) out[i] = part[i];
      return;
    }
    const Index fours = n / Four::size * Four::size, twos = n / Two::size * Two::size, whole = n / kSize * kSize;
    const L last = L::Load(x + n - kSize);  // before anything is written
    const T shift = Largest<Two>(x, n, last);
    T total = 0;
    if (fours > 0) total += SumOfExponentials<Four>(x, out, 0, fours, shift);
    if (twos > fours) total += SumOfExponentials<Two>(x, out, fours, twos, shift);
    if (whole > twos) total += SumOfExponentials<L>(x, out, twos, whole, shift);
    const L y = simd::ExpOfNegative(last - L::Repeat(shift));
    for (Index lane = kSize - (n - whole); lane < kSize; ++lane) total += y.v[lane];  // those not added yet
    const T factor = T(1) / total;
    Index i = 0;
    for (; i < twos; i += Two::size) (Two::Load(out + i) * Two::Repeat(factor)).Store(out + i);
    for (; i < whole; i += kSize) (L::Load(out + i) * L::Repeat(factor)).Store(out + i);
    (y * L::Repeat(factor)).Store(out + n - kSize);
  }

 private:
  // Into [begin, end) of `out`, which is a multiple of V's size.
  template <class V>
  TENON_HD static T SumOfExponentials(const T* x, T* out, Index begin, Index end, T shift) {
    V sum = V::Zero();
    for (Index i = begin; i < end; i += V::size) {
      const V y = simd::ExpOfNegative(V::Load(x + i) - V::Repeat(shift));
      y.Store(out + i);
      sum = sum + y;
    }
    return simd::Fold<simd::AddLanes>(sum);
  }
  // The largest element of a row that ends with `last`; anything where there is a NaN.
  template <class Wide, class L>
  TENON_HD static T Largest(const T* x, Index n, const L& last) {
    using Wider = simd::Pair<Wide>;  // the steps would wait for each other
    Index i = 0;
    L largest = last;
    if (n >= Wider::size) {
      Wider most = Wider::Load(x);
      for (i = Wider::size; i + Wider::size <= n; i += Wider::size) most = Greater(most, Wider::Load(x + i));
      largest = Greater(largest, L::Repeat(simd::Fold<simd::GreaterLanes>(most)));
    }
    for (; i + L::size <= n; i += L::size) largest = Greater(largest, L::Load(x + i));
    return simd::Fold<simd::GreaterLanes>(largest);
  }
};

// log(SoftmaxRow), without the detour: x - largest - log(sum of exp(x - largest)).
template <class T>
struct LogSoftmaxRow {
  template <int bytes>
  TENON_HD static void Run(const T* x, T* out, Index n) {
    using L = simd::WideLanes<T, bytes>;
    const Index whole = n / L::size * L::size;
    T part[L::size];
    for (Index i = 0; i < L::size; ++i) part[i] = whole + i < n ? x[whole + i] : -std::numeric_limits<T>::infinity();
    const L last = L::Load(part);
    L largest = last;
    for (Index i = 0; i < whole; i += L::size) largest = Greater(largest, L::Load(x + i));
    const L shift = L::Repeat(simd::Fold<simd::GreaterLanes>(largest));
    L sum = simd::ExpOfNegative(last - shift);
    for (Index i = 0; i < whole; i += L::size) sum = sum + simd::ExpOfNegative(L::Load(x + i) - shift);
    const L log_of_sum = L::Repeat(std::log(simd::Fold<simd::AddLanes>(sum)));
    for (Index i = 0; i < whole; i += L::size) (L::Load(x + i) - shift - log_of_sum).Store(out + i);
    (last - shift - log_of_sum).Store(part);
    for (Index i = whole; i < n; ++i) out[i] = part[i - whole];
  }
};
template <template <class> class Row, class T, class Isa>
auto RowFunction() {
  return simd::detail::ForLevels<Row<T>, Isa, const T*, T*, Index>::Best();
}
#else
template <class T>
struct SoftmaxRow {
  static void Run(const T* x, T* out, Index n) {
    T largest = x[0], sum = 0;
    for (Index i = 1; i < n; ++i) largest = largest > x[i] ? largest : x[i];
    for (Index i = 0; i < n; ++i) sum += out[i] = std::exp(x[i] - largest);
    for (Index i = 0; i < n; ++i) out[i] /= sum;
  }
};
template <class T>
struct LogSoftmaxRow {
  static void Run(const T* x, T* out, Index n) {
    T largest = x[0], sum = 0;
    for (Index i = 1; i < n; ++i) largest = largest > x[i] ? largest : x[i];
    for (Index i = 0; i < n; ++i) sum += std::exp(x[i] - largest);
    const T log_of_sum = std::log(sum);
    for (Index i = 0; i < n; ++i) out[i] = x[i] - largest - log_of_sum;
  }
};
template <template <class> class Row, class T, class Isa>
auto RowFunction() {
  return &Row<T>::Run;
}
#endif

}  // namespace detail

// out[r, :] = exp(x[r, :]) / sum(exp(x[r, :])) without overflow; x and out are [rows, columns]. `out` may be `x`. T is
// float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T, class Isa = simd::Compiled>
Status Softmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  const auto row = detail::RowFunction<detail::SoftmaxRow, detail::RowType<T>, Isa>();
  return detail::ForEachRow<T>(device, row, "Softmax", x, out, rows, columns);
}
// out[r, :] = the logarithms of Softmax's out[r, :], for the types of Softmax.
template <class T, class Isa = simd::Compiled>
Status LogSoftmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  const auto row = detail::RowFunction<detail::LogSoftmaxRow, detail::RowType<T>, Isa>();
  return detail::ForEachRow<T>(device, row, "LogSoftmax", x, out, rows, columns);
}

TENON_DETAIL_NAMESPACE_END

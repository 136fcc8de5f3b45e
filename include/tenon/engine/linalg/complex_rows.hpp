// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops over rows of complex numbers of double, whose real and imaginary parts alternate in memory: rotations of two
// rows or of two columns that are neighbours, scaled sums and products, in vectors.

#include <complex>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

namespace detail {

#if TENON_DETAIL_LANES
template <int bytes>
using RowLanes = simd::Lanes<double, bytes>;

// The parts of each number exchanged.
template <int bytes>
TENON_HD RowLanes<bytes> Exchanged(const RowLanes<bytes>& x) {
  if constexpr (bytes == 64)
    return RowLanes<bytes>(__builtin_shufflevector(x.v, x.v, 1, 0, 3, 2, 5, 4, 7, 6));
  else if constexpr (bytes == 32)
    return RowLanes<bytes>(__builtin_shufflevector(x.v, x.v, 1, 0, 3, 2));
  else
    return RowLanes<bytes>(__builtin_shufflevector(x.v, x.v, 1, 0));
}
// A complex factor: its products are re x + turn Exchanged(x), where turn is -im, im, -im, ...
template <int bytes>
struct RowFactor {
  RowLanes<bytes> re, turn;

  TENON_HD RowFactor(double real, double imaginary) : re(RowLanes<bytes>::Repeat(real)) {
    double parts[bytes / 8];
    for (int i = 0; i < bytes / 8; i += 2) {
      parts[i] = -imaginary;
      parts[i + 1] = imaginary;
    }
    turn = RowLanes<bytes>::Load(parts);
  }
  TENON_HD RowLanes<bytes> Times(const RowLanes<bytes>& x) const { return re * x + turn * Exchanged<bytes>(x); }
  TENON_HD RowLanes<bytes> ConjugateTimes(const RowLanes<bytes>& x) const {
    return re * x - turn * Exchanged<bytes>(x);
  }
};

// Each body takes numbers as pairs of double; n counts numbers.
struct TurnRowsBody {
  template <int bytes>
  TENON_HD static void Run(double* x, double* y, Index n, double c, double re, double im) {
    using V = RowLanes<bytes>;
    const RowFactor<bytes> s(re, im);
    const V cosine = V::Repeat(c);
    Index i = 0;
    for (; i + V::size <= 2 * n; i += V::size) {
      const V a = V::Load(x + i), b = V::Load(y + i);
      (cosine * a + s.Times(b)).Store(x + i);
      (cosine * b - s.ConjugateTimes(a)).Store(y + i);
    }
    if constexpr (bytes > 16)
      if (i < 2 * n) Run<bytes / 2>(x + i, y + i, n - i / 2, c, re, im);
  }
};
struct TurnColumnsBody {
  template <int bytes>
  TENON_HD static void Run(double* x, Index row, Index rows, double c, double re, double im) {
    if constexpr (bytes == 16) {
      using V = RowLanes<16>;
      const RowFactor<16> s(re, im);
      const V cosine = V::Repeat(c);
      for (Index i = 0; i < rows; ++i, x += 2 * row) {
        const V a = V::Load(x), b = V::Load(x + 2);
        (cosine * a + s.ConjugateTimes(b)).Store(x);
        (cosine * b - s.Times(a)).Store(x + 2);
      }
    } else {  // both numbers of a row are a vector
      using V = RowLanes<32>;
      const double real_parts[] = {re, re, -re, -re}, turn_parts[] = {im, -im, im, -im};
      const V cosine = V::Repeat(c), real = V::Load(real_parts), turn = V::Load(turn_parts);
      for (Index i = 0; i < rows; ++i, x += 2 * row) {
        const V both = V::Load(x), other(__builtin_shufflevector(both.v, both.v, 2, 3, 0, 1));
        (cosine * both + (real * other + turn * Exchanged<32>(other))).Store(x);
      }
    }
  }
};
struct AddScaledBody {
  template <int bytes>
  TENON_HD static void Run(const double* x, double re, double im, double* y, Index n) {
    using V = RowLanes<bytes>;
    const RowFactor<bytes> f(re, im);
    Index i = 0;
    for (; i + V::size <= 2 * n; i += V::size) (V::Load(y + i) + f.Times(V::Load(x + i))).Store(y + i);
    if constexpr (bytes > 16)
      if (i < 2 * n) Run<bytes / 2>(x + i, re, im, y + i, n - i / 2);
  }
};
struct DotBody {
  template <int bytes>
  TENON_HD static void Run(const double* x, const double* y, Index n, double* sum) {
    using V = RowLanes<bytes>;
    V straight[2] = {V::Zero(), V::Zero()}, crossed[2] = {V::Zero(), V::Zero()};
    Index i = 0;
    for (; i + 2 * V::size <= 2 * n; i += 2 * V::size)
#pragma GCC unroll 2
      for (int k = 0; k < 2; ++k) {
        const V a = V::Load(x + i + k * V::size), b = V::Load(y + i + k * V::size);
        straight[k] = straight[k] + a * b;
        crossed[k] = crossed[k] + a * Exchanged<bytes>(b);
      }
    double parts[2][V::size];
    (straight[0] + straight[1]).Store(parts[0]);
    (crossed[0] + crossed[1]).Store(parts[1]);
    double re = 0, im = 0;
    for (int k = 0; k < V::size; k += 2) {
      re += parts[0][k] - parts[0][k + 1];
      im += parts[1][k] + parts[1][k + 1];
    }
    for (; i < 2 * n; i += 2) {
      re += x[i] * y[i] - x[i + 1] * y[i + 1];
      im += x[i] * y[i + 1] + x[i + 1] * y[i];
    }
    sum[0] = re;
    sum[1] = im;
  }
};
#endif

}  // namespace detail

// The functions for rows of this processor.
struct ComplexRows {
  using C = std::complex<double>;

#if TENON_DETAIL_LANES
  // x, y: [n] = c x + s y, c y - conj(s) x.
  void TurnRows(C* x, C* y, Index n, double c, const C& s) const {
    turn_rows_(Parts(x), Parts(y), n, c, s.real(), s.imag());
  }
  // The numbers x and y at each of the places x + i row and x + i row + 1: c x + conj(s) y, c y - s x.
  void TurnColumns(C* x, Index row, Index rows, double c, const C& s) const {
    turn_columns_(Parts(x), row, rows, c, s.real(), s.imag());
  }
  // y: [n] += f x.
  void AddScaled(const C* x, const C& f, C* y, Index n) const {
    add_scaled_(Parts(x), f.real(), f.imag(), Parts(y), n);
  }
  // The sum of x[i] y[i].
  C Dot(const C* x, const C* y, Index n) const {
    double sum[2];
    dot_(Parts(x), Parts(y), n, sum);
    return {sum[0], sum[1]};
  }

 private:
  static double* Parts(C* x) { return reinterpret_cast<double*>(x); }
  static const double* Parts(const C* x) { return reinterpret_cast<const double*>(x); }
  // A function of the unit's instruction set, or of AVX2: larger vectors would make each program larger.
  template <class Body, class... Args>
  static auto Of() -> void (*)(Args...) {
    using Levels = simd::detail::ForLevels<Body, simd::Compiled, Args...>;
#if TENON_DETAIL_TARGETS
    if constexpr (simd::kVectorBytes<simd::Compiled> < 32) {
      if (simd::BestLevel() >= simd::Level::kAvx2) return &Levels::Avx2;
    }
#endif
    return &Levels::Unit;
  }

  void (*turn_rows_)(double*, double*, Index, double, double,
                     double) = Of<detail::TurnRowsBody, double*, double*, Index, double, double, double>();
  void (*turn_columns_)(double*, Index, Index, double, double,
                        double) = Of<detail::TurnColumnsBody, double*, Index, Index, double, double, double>();
  void (*add_scaled_)(const double*, double, double, double*,
                      Index) = Of<detail::AddScaledBody, const double*, double, double, double*, Index>();
  void (*dot_)(const double*, const double*, Index,
               double*) = Of<detail::DotBody, const double*, const double*, Index, double*>();
#else
  static C Product(const C& a, const C& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  void TurnRows(C* x, C* y, Index n, double c, const C& s) const {
    for (Index i = 0; i < n; ++i) {
      const C a = x[i], b = y[i];
      x[i] = c * a + Product(s, b);
      y[i] = c * b - Product(std::conj(s), a);
    }
  }
  void TurnColumns(C* x, Index row, Index rows, double c, const C& s) const {
    for (Index i = 0; i < rows; ++i, x += row) {
      const C a = x[0], b = x[1];
      x[0] = c * a + Product(std::conj(s), b);
      x[1] = c * b - Product(s, a);
    }
  }
  void AddScaled(const C* x, const C& f, C* y, Index n) const {
    for (Index i = 0; i < n; ++i) y[i] += Product(f, x[i]);
  }
  C Dot(const C* x, const C* y, Index n) const {
    C sum = 0;
    for (Index i = 0; i < n; ++i) sum += Product(x[i], y[i]);
    return sum;
  }
#endif
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

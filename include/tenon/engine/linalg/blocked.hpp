// SPDX-License-Identifier: Apache-2.0
#pragma once
// LU, Cholesky, triangular systems and Householder's QR of large matrices, row-major, in place: halves of the matrix in
// turn, so that most of the work are products of matrices. S. Toledo, "Locality of Reference in LU Decomposition with
// Partial Pivoting" (1997); R. Schreiber and C. Van Loan, "A Storage-Efficient WY Representation for Products of
// Householder Transformations" (1989).

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

TENON_DETAIL_LOOPS_BEGIN

// Times, for the loops here, which take over no other function.
template <class T>
[[gnu::always_inline]] inline T LoopTimes(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
// y -= x: [m, n].
template <class T>
TENON_DETAIL_LOOP void SubtractRows(const T* x, Index x_row, T* y, Index y_row, Index m, Index n) {
  for (Index i = 0; i < m; ++i, x += x_row, y += y_row) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) y[j] -= x[j];
  }
}
// c: [m, n] -= a b, a: [m, k], b: [k, n].
template <class T>
TENON_DETAIL_LOOP void SubtractSmallProduct(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c,
                                            Index c_row, Index m, Index k, Index n) {
  for (Index i = 0; i < m; ++i) {
    T* const to = c + i * c_row;
    for (Index p = 0; p < k; ++p) {
      const T factor = a[i * a_row + p * a_col];
      const T* const from = b + p * b_row;
      TENON_DETAIL_INDEPENDENT
      for (Index j = 0; j < n; ++j) to[j] -= LoopTimes(factor, from[j]);
    }
  }
}
// Rows [0, m) of a: [m, columns) -= factors[i * factor_row] * line.
template <class T>
TENON_DETAIL_LOOP void SubtractOuter(const T* factors, Index factor_row, const T* line, T* a, Index row, Index m,
                                     Index columns) {
  for (Index i = 0; i < m; ++i) {
    const T factor = factors[i * factor_row];
    T* const to = a + i * row;
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) to[j] -= LoopTimes(factor, line[j]);
  }
}
// sums[j] += conj(column[i * column_row]) a[i, j]: [m, columns].
template <class T>
TENON_DETAIL_LOOP void AddProjections(const T* column, Index column_row, const T* a, Index row, Index m, Index columns,
                                      T* sums) {
  for (Index i = 0; i < m; ++i) {
    T by = column[i * column_row];
    if constexpr (!std::is_floating_point_v<T>) by = T(by.real(), -by.imag());
    const T* const from = a + i * row;
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) sums[j] += LoopTimes(by, from[j]);
  }
}

TENON_DETAIL_LOOPS_END

// The methods of one matrix, with memory for products. T is float, double or a complex number of these. one thread.
template <class T>
class Blocked {
 public:
  // Matrices up to this size are decomposed without blocks.
  static constexpr Index kLeaf = 24, kPanel = 32;
  static constexpr Index kProduct = 1 << 16;  // elements of a product

  explicit Blocked(Cpu& device) : device_(device) {}
  Cpu& device() const { return device_; }

  // c: [m, n], c_row elements from row to row, -= a b; a: [m, k], b: [k, n], with distances between rows and columns,
  // one of which is 1.
  void SubtractProduct(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index b_row,
                       Index b_col, T* c, Index c_row) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    if (b_col == 1 && m * n * k <= 512) return SubtractSmallProduct(a, a_row, a_col, b, b_row, c, c_row, m, k, n);
    const Index step = std::max<Index>(64, kProduct / n);  // rows, so that the product stays in a cache
    for (Index i = 0; i < m; i += step) {
      const Index rows = std::min(step, m - i);
      const T* const product = Product(rows, n, k, a + i * a_row, a_row, a_col, b, b_row, b_col);
      SubtractRows(product, n, c + i * c_row, c_row, rows, n);
    }
  }

  // As FactorLu of n columns of m >= n rows, `row` elements from row to row: rows are exchanged in these columns alone,
  // row i with row pivots[i].
  void FactorLuColumns(T* a, Index row, Index m, Index n, Index* pivots) {
    if (n <= kLeaf / 2 || m <= kLeaf) return FactorLuPanel(a, row, m, n, pivots);
    const Index left = Half(n), right = n - left;
    FactorLuColumns(a, row, m, left, pivots);
    T* const beside = a + left;
    for (Index k = 0; k < left; ++k)
      if (pivots[k] != k) std::swap_ranges(beside + k * row, beside + k * row + right, beside + pivots[k] * row);
    SolveTriangularRows(a, row, left, true, true, beside, row, right);
    SubtractProduct(m - left, right, left, a + left * row, row, 1, beside, row, 1, beside + left * row, row);
    FactorLuColumns(beside + left * row, row, m - left, right, pivots + left);
    for (Index k = left; k < n; ++k) {
      pivots[k] += left;
      if (pivots[k] != k) std::swap_ranges(a + k * row, a + k * row + left, a + pivots[k] * row);
    }
  }
  // FactorLu.
  bool FactorLu(T* a, Index n, Index* order, Index* swaps) {
    if (n <= kLeaf) return linalg::FactorLu(a, n, order, swaps);
    SlimVector<Index> pivots(static_cast<std::size_t>(n), 0);
    FactorLuColumns(a, n, n, n, pivots.data());
    *swaps = 0;
    for (Index i = 0; i < n; ++i) order[i] = i;
    Real<T> smallest = std::abs(a[0]);
    for (Index i = 0; i < n; ++i) {
      const Index pivot = pivots.data()[i];
      if (pivot != i) {
        std::swap(order[i], order[pivot]);
        ++*swaps;
      }
      if (const Real<T> size = std::abs(a[i * n + i]); size < smallest) smallest = size;
    }
    return smallest > 0;
  }

  // b: [n, k], b_row elements from row to row, becomes the solution of a x = b; see SolveTriangular.
  void SolveTriangularRows(const T* a, Index row, Index n, bool lower, bool unit_diagonal, T* b, Index b_row, Index k) {
    if (n <= kLeaf) {
      for (Index step = 0; step < n; ++step) {
        const Index i = lower ? step : n - 1 - step, begin = lower ? 0 : i + 1, end = lower ? i : n;
        SubtractSmallProduct(a + i * row + begin, row, 1, b + begin * b_row, b_row, b + i * b_row, b_row, 1,
                             end - begin, k);
        if (unit_diagonal) continue;
        const T diagonal = a[i * row + i];
        for (Index j = 0; j < k; ++j) b[i * b_row + j] /= diagonal;
      }
      return;
    }
    const Index top = Half(n), below = n - top;
    const T *const low = a + top * row, *const corner = low + top;
    T* const rest = b + top * b_row;
    if (lower) {
      SolveTriangularRows(a, row, top, lower, unit_diagonal, b, b_row, k);
      SubtractProduct(below, k, top, low, row, 1, b, b_row, 1, rest, b_row);
      SolveTriangularRows(corner, row, below, lower, unit_diagonal, rest, b_row, k);
    } else {
      SolveTriangularRows(corner, row, below, lower, unit_diagonal, rest, b_row, k);
      SubtractProduct(top, k, below, a + top, row, 1, rest, b_row, 1, b, b_row);
      SolveTriangularRows(a, row, top, lower, unit_diagonal, b, b_row, k);
    }
  }
  void SolveTriangular(const T* a, Index n, bool lower, bool unit_diagonal, T* b, Index k) {
    SolveTriangularRows(a, n, n, lower, unit_diagonal, b, k, k);
  }
  // SolveLu.
  void SolveLu(const T* lu, const Index* order, Index n, const T* b, T* x, Index k) {
    for (Index i = 0; i < n; ++i) std::copy(b + order[i] * k, b + (order[i] + 1) * k, x + i * k);
    SolveTriangular(lu, n, true, true, x, k);
    SolveTriangular(lu, n, false, false, x, k);
  }

  // FactorCholesky.
  bool FactorCholesky(T* a, Index n) {
    if (!FactorLower(a, n, n)) return false;
    for (Index i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
    return true;
  }
  // SolveCholesky.
  void SolveCholesky(const T* l, Index n, T* b, Index k, T* scratch) {
    SolveTriangular(l, n, true, false, b, k);
    Adjoint(l, n, n, scratch);
    SolveTriangular(scratch, n, false, false, b, k);
  }

  // c: [m, n] = a b.
  void Multiply(const T* a, const T* b, T* c, Index m, Index k, Index n) {
    if (m * n * k == 0)
      std::fill(c, c + m * n, T(0));
    else
      Run({m, n, k, a, k, 1, b, n, 1, c, n});
  }

  // FactorQr.
  void FactorQr(T* a, Index m, Index n, Index kept, T* q) {
    const Index steps = std::min(m, n);
    if (steps <= kLeaf) return linalg::FactorQr(a, m, n, kept, q);
    const Index panels = (steps + kPanel - 1) / kPanel;
    SlimVector<T> factors(static_cast<std::size_t>(panels * kPanel * kPanel), T(0));
    SlimVector<T> v(static_cast<std::size_t>(m * kPanel), T(0)), sums(static_cast<std::size_t>(kPanel), T(0));
    for (Index p = 0; p < panels; ++p) {
      const Index k = p * kPanel, width = std::min(kPanel, steps - k), height = m - k;
      T* const s = factors.data() + p * kPanel * kPanel;
      T* const panel = CopyPanel(a + k * n + k, n, height, width);
      FactorPanel(panel, width, height, width, s, sums.data());
      for (Index i = 0; i < height; ++i) std::copy(panel + i * width, panel + (i + 1) * width, a + (k + i) * n + k);
      CopyReflectors(a + k * n + k, n, height, width, v.data());
      Reflect(v.data(), height, width, s, false, a + k * n + k + width, n, n - k - width);
    }
    std::fill(q, q + m * kept, T(0));
    for (Index i = 0; i < std::min(m, kept); ++i) q[i * kept + i] = T(1);
    for (Index p = panels; p-- > 0;) {
      const Index k = p * kPanel, width = std::min(kPanel, steps - k), height = m - k;
      CopyReflectors(a + k * n + k, n, height, width, v.data());
      Reflect(v.data(), height, width, factors.data() + p * kPanel * kPanel, true, q + k * kept + k, kept, kept - k);
    }
    for (Index i = 1; i < m; ++i) std::fill(a + i * n, a + i * n + std::min(i, n), T(0));
  }

  static void RunProduct(Cpu& device, const tenon::detail::GemmArgs<T>& g) {
    if (!tenon::detail::GemmArranged(device, g).ok()) tenon::detail::GemmLoops(g, 0, g.m, 0, g.n);
  }
  // [m, n], valid until the next product.
  T* Product(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index b_row, Index b_col) {
    const auto size = static_cast<std::size_t>(m * n);
    if (product_.size() < size) product_.assign(size, T(0));
    Run({m, n, k, a, a_row, a_col, b, b_row, b_col, product_.data(), n});
    return product_.data();
  }
  // The conjugates of a: [m, n], `row` elements from row to row, or a itself where T is real.
  const T* Conjugates(const T* a, Index* row, Index m, Index n) {
    if constexpr (kComplex) {
      const auto size = static_cast<std::size_t>(m * n);
      if (conjugates_.size() < size) conjugates_.assign(size, T(0));
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) conjugates_.data()[i * n + j] = Conj(a[i * *row + j]);
      *row = n;
      return conjugates_.data();
    } else {
      return a;
    }
  }

  // v: [m, width]: the reflectors with their ones and zeros.
  static void CopyReflectors(const T* a, Index row, Index m, Index width, T* v) {
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < width; ++j) v[i * width + j] = i > j ? a[i * row + j] : T(i == j ? 1 : 0);
  }
  // c: [m, n] = (1 - v s v^H) c, or its adjoint times c.
  void Reflect(const T* v, Index m, Index width, const T* s, bool adjoint, T* c, Index c_row, Index n) {
    if (n <= 0) return;
    Index v_row = width;
    const T* const conj = Conjugates(v, &v_row, m, width);
    const T* const w = Product(width, n, m, conj, 1, v_row, c, c_row, 1);  // v^H c
    const auto size = static_cast<std::size_t>(width * n);
    if (scaled_.size() < size) scaled_.assign(size, T(0));
    T* const sw = scaled_.data();
    std::fill(sw, sw + width * n, T(0));
    for (Index i = 0; i < width; ++i)
      for (Index p = 0; p <= i; ++p) {
        const T factor = adjoint ? T(-Conj(s[i * kPanel + p])) : T(-s[i * kPanel + p]);
        const Index from = adjoint ? i : p, to = adjoint ? p : i;
        SubtractOuter(&factor, 0, w + from * n, sw + to * n, n, 1, n);
      }
    SubtractProduct(m, n, width, v, width, 1, sw, n, 1, c, c_row);
  }
  // s of the product of reflectors 1 - tau v v^H, the last one first, that is 1 - v s v^H.
  void FactorOf(const T* v, Index m, Index width, const T* taus, T* s) {
    Index v_row = width;
    const T* const conj = Conjugates(v, &v_row, m, width);
    const T* const gram = Product(width, width, m, conj, 1, v_row, v, width, 1);  // v^H v
    for (Index k = 0; k < width; ++k) {
      for (Index j = 0; j < k; ++j) {
        T sum = T(0);
        for (Index p = j; p < k; ++p) sum += Times(gram[k * width + p], s[p * kPanel + j]);
        s[k * kPanel + j] = -Times(taus[k], sum);
      }
      s[k * kPanel + k] = taus[k];
    }
  }

 private:
  static Index Half(Index n) { return n / 2 < 8 ? n / 2 : n / 2 / 8 * 8; }
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  void Run(const tenon::detail::GemmArgs<T>& g) { RunProduct(device_, g); }
  // As FactorLuColumns, on a copy that lies together.
  void FactorLuPanel(T* a, Index row, Index m, Index n, Index* pivots) {
    T* const panel = CopyPanel(a, row, m, n);
    for (Index k = 0; k < n; ++k) {
      Index pivot = k;
      Real<T> most = std::abs(panel[k * n + k]);
      for (Index i = k + 1; i < m; ++i)
        if (const Real<T> size = std::abs(panel[i * n + k]); size > most) {
          most = size;
          pivot = i;
        }
      pivots[k] = pivot;
      if (pivot != k) std::swap_ranges(panel + k * n, panel + (k + 1) * n, panel + pivot * n);
      const T top = panel[k * n + k];
      if (top == T(0)) continue;
      for (Index i = k + 1; i < m; ++i) panel[i * n + k] /= top;
      T* const next = panel + (k + 1) * n + k;
      SubtractOuter(next, n, panel + k * n + k + 1, next + 1, n, m - k - 1, n - k - 1);
    }
    for (Index i = 0; i < m; ++i) std::copy(panel + i * n, panel + (i + 1) * n, a + i * row);
  }
  T* CopyPanel(const T* a, Index row, Index m, Index n) {
    const auto size = static_cast<std::size_t>(m * n);
    if (panel_.size() < size) panel_.assign(size, T(0));
    for (Index i = 0; i < m; ++i) std::copy(a + i * row, a + i * row + n, panel_.data() + i * n);
    return panel_.data();
  }

  // x: [m, n] becomes the solution of x l^H = x, where l: [n, n] is lower triangular.
  void SolveFromRight(const T* l, Index row, Index n, T* x, Index x_row, Index m) {
    if (n <= kLeaf) {
      for (Index i = 0; i < m; ++i) {
        T* const line = x + i * x_row;
        for (Index j = 0; j < n; ++j) {
          T sum = line[j];
          for (Index p = 0; p < j; ++p) sum -= Times(line[p], Conj(l[j * row + p]));
          line[j] = sum / RealPart(l[j * row + j]);
        }
      }
      return;
    }
    const Index left = Half(n);
    SolveFromRight(l, row, left, x, x_row, m);
    Index conj_row = row;
    const T* const low = Conjugates(l + left * row, &conj_row, n - left, left);
    SubtractProduct(m, n - left, left, x, x_row, 1, low, 1, conj_row, x + left, x_row);
    SolveFromRight(l + left * row + left, row, n - left, x + left, x_row, m);
  }
  // The lower triangle of c: [n, n] -= x x^H, x: [n, k]; elements above it are overwritten, too.
  void SubtractGram(Index n, Index k, const T* x, Index x_row, T* c, Index c_row) {
    Index conj_row = x_row;
    const T* const conj = Conjugates(x, &conj_row, n, k);
    const Index step = std::max<Index>(64, (n / 4 + 7) / 8 * 8);
    for (Index i = 0; i < n; i += step) {
      const Index rows = std::min(step, n - i);
      SubtractProduct(rows, i + rows, k, x + i * x_row, x_row, 1, conj, 1, conj_row, c + i * c_row, c_row);
    }
  }
  // FactorCholesky of the lower triangle, `row` elements from row to row.
  bool FactorLower(T* a, Index row, Index n) {
    if (n <= kLeaf) {
      for (Index j = 0; j < n; ++j) {
        Real<T> diagonal = RealPart(a[j * row + j]);
        for (Index p = 0; p < j; ++p) diagonal -= Square(a[j * row + p]);
        if (diagonal <= 0) return false;
        diagonal = std::sqrt(diagonal);
        a[j * row + j] = T(diagonal);
        for (Index i = j + 1; i < n; ++i) {
          T sum = a[i * row + j];
          for (Index p = 0; p < j; ++p) sum -= Times(a[i * row + p], Conj(a[j * row + p]));
          a[i * row + j] = sum / diagonal;
        }
      }
      return true;
    }
    const Index top = Half(n), below = n - top;
    T *const low = a + top * row, *const corner = low + top;
    if (!FactorLower(a, row, top)) return false;
    SolveFromRight(a, row, top, low, row, below);
    SubtractGram(below, top, low, row, corner, row);
    return FactorLower(corner, row, below);
  }

  // The QR decomposition of a panel [m, width]: reflectors below the diagonal, whose product is 1 - v s v^H with a
  // lower triangular s: [kPanel, kPanel].
  void FactorPanel(T* a, Index row, Index m, Index width, T* s, T* sums) {
    for (Index k = 0; k < width; ++k) {
      Real<T> tail = 0;
      for (Index i = k + 1; i < m; ++i) tail += Square(a[i * row + k]);
      const T alpha = k < m ? a[k * row + k] : T(0);
      T tau = T(0);
      if (tail != 0 || std::imag(alpha) != 0) {
        const Real<T> norm = std::sqrt(Square(alpha) + tail), beta = RealPart(alpha) >= 0 ? -norm : norm;
        const T scale = alpha - beta;
        tau = (beta - Conj(alpha)) / beta;
        for (Index i = k + 1; i < m; ++i) a[i * row + k] /= scale;
        a[k * row + k] = beta;
      }
      // sums = v^H [the columns before, whose first rows are 1 and zeros; the columns behind]
      for (Index j = 0; j < width; ++j) sums[j] = j == k ? T(0) : a[k * row + j];
      const T* const below = a + (k + 1) * row;
      AddProjections(below + k, row, below, row, m - k - 1, width, sums);
      // Row k of s is -tau (v^H [the reflectors before]) s.
      for (Index j = 0; j < k; ++j) {
        T sum = T(0);
        for (Index p = j; p < k; ++p) sum += Times(sums[p], s[p * kPanel + j]);
        s[k * kPanel + j] = -Times(tau, sum);
      }
      s[k * kPanel + k] = tau;
      for (Index j = k + 1; j < width; ++j) {
        const T by = Times(tau, sums[j]);
        a[k * row + j] -= by;
        sums[j] = by;
      }
      SubtractOuter(below + k, row, sums + k + 1, a + (k + 1) * row + k + 1, row, m - k - 1, width - k - 1);
    }
  }
  Cpu& device_;
  SlimVector<T> product_, conjugates_, scaled_, panel_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

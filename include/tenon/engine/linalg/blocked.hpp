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

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

// The methods of one matrix, with memory for products. T is float, double or a complex number of these. one thread.
template <class T>
class Blocked {
 public:
  // Matrices up to this size are decomposed without blocks.
  static constexpr Index kLeaf = 24, kPanel = 32;

  explicit Blocked(Cpu& device) : device_(device) {}

  // c: [m, n], c_row elements from row to row, -= a b; a: [m, k], b: [k, n], with distances between rows and columns,
  // one of which is 1.
  void SubtractProduct(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index b_row,
                       Index b_col, T* c, Index c_row) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    if (b_col == 1 && m * n * k <= 512) {
      for (Index i = 0; i < m; ++i)
        for (Index p = 0; p < k; ++p) Subtract(a[i * a_row + p * a_col], b + p * b_row, c + i * c_row, n);
      return;
    }
    T* const product = Product(m, n, k, a, a_row, a_col, b, b_row, b_col);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) c[i * c_row + j] -= product[i * n + j];
  }

  // As FactorLu of n columns of m >= n rows, `row` elements from row to row: rows are exchanged in these columns alone,
  // row i with row pivots[i].
  void FactorLuColumns(T* a, Index row, Index m, Index n, Index* pivots) {
    if (n <= kLeaf / 2 || m <= kLeaf) {
      for (Index k = 0; k < n; ++k) {
        Index pivot = k;
        for (Index i = k + 1; i < m; ++i)
          if (std::abs(a[i * row + k]) > std::abs(a[pivot * row + k])) pivot = i;
        pivots[k] = pivot;
        if (pivot != k) std::swap_ranges(a + k * row, a + k * row + n, a + pivot * row);
        const T top = a[k * row + k];
        if (top == T(0)) continue;
        for (Index i = k + 1; i < m; ++i) {
          T& factor = a[i * row + k];
          factor /= top;
          Subtract(factor, a + k * row + k + 1, a + i * row + k + 1, n - k - 1);
        }
      }
      return;
    }
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
        const Index i = lower ? step : n - 1 - step;
        const Index begin = lower ? 0 : i + 1, end = lower ? i : n;
        for (Index j = begin; j < end; ++j) Subtract(a[i * row + j], b + j * b_row, b + i * b_row, k);
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
      FactorPanel(a + k * n + k, n, height, width, s, sums.data());
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

 private:
  static Index Half(Index n) { return n / 2 < 8 ? n / 2 : n / 2 / 8 * 8; }
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  void Run(const tenon::detail::GemmArgs<T>& g) {
    if (!tenon::detail::GemmArranged(device_, g).ok()) tenon::detail::GemmLoops(g, 0, g.m, 0, g.n);
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
      if constexpr (kComplex)
        for (Index j = 0; j < k; ++j) sums[j] = Conj(sums[j]);
      for (Index i = k + 1; i < m; ++i) {
        const T* const line = a + i * row;
        const T by = Conj(line[k]), plain = line[k];
        if constexpr (kComplex)
          for (Index j = 0; j < k; ++j) sums[j] += Times(plain, Conj(line[j]));
        else
          for (Index j = 0; j < k; ++j) sums[j] += Times(plain, line[j]);
        for (Index j = k + 1; j < width; ++j) sums[j] += Times(by, line[j]);
      }
      // sums[j < k] is now conj(v^H v_j): row k of s is -tau (v^H v) s.
      for (Index j = 0; j < k; ++j) {
        T sum = T(0);
        for (Index p = j; p < k; ++p) sum += Times(Conj(sums[p]), s[p * kPanel + j]);
        s[k * kPanel + j] = -Times(tau, sum);
      }
      s[k * kPanel + k] = tau;
      for (Index j = k + 1; j < width; ++j) {
        const T by = Times(tau, sums[j]);
        a[k * row + j] -= by;
        sums[j] = by;
      }
      for (Index i = k + 1; i < m; ++i) {
        const T by = a[i * row + k];
        for (Index j = k + 1; j < width; ++j) a[i * row + j] -= Times(by, sums[j]);
      }
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
        const T factor = s[i * kPanel + p];
        if (adjoint)
          Subtract(T(-Conj(factor)), w + i * n, sw + p * n, n);
        else
          Subtract(T(-factor), w + p * n, sw + i * n, n);
      }
    SubtractProduct(m, n, width, v, width, 1, sw, n, 1, c, c_row);
  }

  Cpu& device_;
  SlimVector<T> product_, conjugates_, scaled_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

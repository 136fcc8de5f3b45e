// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigenvalues of Hermitian matrices and singular values, with their vectors, row-major: reduction to a tridiagonal or
// bidiagonal matrix by blocks of reflectors, then halves of it or implicit QR steps. J. Dongarra, S. Hammarling,
// D. Sorensen, "Block Reduction of Matrices to Condensed Forms for Eigenvalue Computations" (1989).

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/linalg/blocked.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/linalg/divide.hpp>
#include <tenon/engine/linalg/qr_steps.hpp>
#include <tenon/engine/linalg/rotations.hpp>
#include <tenon/engine/linalg/vector_loops.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

inline constexpr Index kDivide = 40;  // rows; larger matrices with vectors are divided

// The two decompositions of dense matrices. T is float, double or a complex number of these. one thread.
template <class T>
class Spectral {
 public:
  explicit Spectral(Cpu& device) : blocked_(device) {}

  // EigenHermitian; v may be null. False: no convergence, which finite matrices have.
  TENON_DETAIL_RARE bool EigenHermitian(T* a, Index n, Real<T>* e, T* v) {
    Real<T> scale = 0;
    for (Index i = 0; i < n; ++i) {
      a[i * n + i] = T(RealPart(a[i * n + i]));
      for (Index j = 0; j < i; ++j) a[j * n + i] = Conj(a[i * n + j]);
    }
    if (n == 1) {
      *e = RealPart(*a);
      if (v != nullptr) *v = T(1);
      return true;
    }
    scale = Scale(a, n * n);
    SlimVector<Real<T>> beside = Zeros<Real<T>>(n);
    SlimVector<T> taus = Zeros<T>(n);
    Tridiagonalize(a, n, e, beside.data(), taus.data());
    const bool divide = v != nullptr && n > kDivide;
    SlimVector<Real<T>> rows = v == nullptr ? SlimVector<Real<T>>() : divide ? Zeros<Real<T>>(n * n) : Identity(n);
    if (divide) {
      SlimVector<double> d(e, e + n), off(beside.begin(), beside.end());
      const auto leaf = [](auto... all) { return TridiagonalLeaf(all...); };
      if (!DivideTridiagonal(blocked_.device(), d.data(), off.data(), n, rows.data(), leaf).Run()) return false;
      for (Index i = 0; i < n; ++i) e[i] = static_cast<Real<T>>(d.data()[i]);
    } else {
      Rotations<Real<T>> rotations(v == nullptr ? nullptr : rows.data(), n);
      if (!TridiagonalEigenvalues(e, beside.data(), n, &rotations)) return false;
    }
    const SlimVector<Index> order = Sort(e, n, false);
    if (v != nullptr) {
      Gather(rows.data(), divide ? n : Rotations<Real<T>>::RowSize(n), order.data(), n, v, n);
      TurnBack(a + n, n, n, n - 1, taus.data(), false, v, n);
    }
    for (Index i = 0; i < n; ++i) e[i] *= scale;
    return true;
  }

  // a: [m, n], m >= n, is overwritten; s: [n], descending; u: [m, kept], n or m columns; v: [n, n]: a = u s v^H. u and
  // v may be null, both of them. False: an element is not finite, or there is no convergence.
  TENON_DETAIL_RARE bool SvdTall(T* a, Index m, Index n, Index kept, Real<T>* s, T* u, T* v) {
    if (!AreFinite(a, m * n)) return false;
    const Real<T> scale = Scale(a, m * n);
    const bool vectors = u != nullptr;
    if (m > n) blocked_.FactorQr(a, m, n, kept, vectors ? u : Keep(m * kept));
    SlimVector<Real<T>> beside = Zeros<Real<T>>(n);
    SlimVector<T> taus = Zeros<T>(2 * n);
    Bidiagonalize(a, n, s, beside.data(), taus.data(), taus.data() + n);
    const bool divide = vectors && n > kDivide;
    const Index row = divide ? n : Rotations<Real<T>>::RowSize(n);
    SlimVector<Real<T>> lefts, rights;
    if (divide) {
      lefts = Zeros<Real<T>>(n * n);
      rights = Zeros<Real<T>>(n * n);
      SlimVector<double> d(s, s + n), off(beside.begin(), beside.end());
      const auto leaf = [](auto... all) { return BidiagonalLeaf(all...); };
      if (!DivideBidiagonal(blocked_.device(), d.data(), off.data(), n, lefts.data(), rights.data(), leaf).Run())
        return false;
      for (Index i = 0; i < n; ++i) s[i] = static_cast<Real<T>>(d.data()[i]);
    } else {
      if (vectors) lefts = Identity(n);
      if (vectors) rights = Identity(n);
      Rotations<Real<T>> left(vectors ? lefts.data() : nullptr, n), right(vectors ? rights.data() : nullptr, n);
      if (!BidiagonalSteps<Real<T>>(s, beside.data(), n, &left, &right).Run()) return false;
    }
    for (Index i = 0; i < n; ++i) {
      if (!std::signbit(s[i])) continue;
      s[i] = -s[i];
      if (!vectors) continue;
      Real<T>* const line = rights.data() + i * row;
      for (Index j = 0; j < n; ++j) line[j] = -line[j];
    }
    const SlimVector<Index> order = Sort(s, n, true);
    if (vectors) {
      Gather(rights.data(), row, order.data(), n, v, n);
      SlimVector<T> reflectors = Zeros<T>(n * n);  // those of the rows, as columns
      for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < n; ++j) reflectors.data()[j * n + i] = a[i * n + j];
      TurnBack(reflectors.data() + n, n, n, n - 1, taus.data() + n, false, v, n);
      SlimVector<T> small = Zeros<T>(n * n);
      Gather(lefts.data(), row, order.data(), n, small.data(), n);
      TurnBack(a, n, n, n, taus.data(), true, small.data(), n);
      FinishLeft(small.data(), m, n, kept, u);
    }
    for (Index i = 0; i < n; ++i) s[i] *= scale;
    return true;
  }

 private:
  static constexpr Index kPanel = Blocked<T>::kPanel, kSmall = Blocked<T>::kLeaf;

  template <class U>
  static SlimVector<U> Zeros(Index n) {
    return SlimVector<U>(static_cast<std::size_t>(std::max<Index>(n, 1)), U(0));
  }
  // A matrix for Rotations.
  static SlimVector<Real<T>> Identity(Index n) {
    const Index row = Rotations<Real<T>>::RowSize(n);
    SlimVector<Real<T>> rows = Zeros<Real<T>>(n * row);
    for (Index i = 0; i < n; ++i) rows.data()[i * row + i] = 1;
    return rows;
  }
  T* Keep(Index n) {
    kept_ = Zeros<T>(n);
    return kept_.data();
  }
  // Divides by the largest element, so that squares neither overflow nor vanish; returns it.
  static bool AreFinite(const T* a, Index n) {
    return std::all_of(a, a + n, [](T x) { return std::isfinite(RealPart(x)) && std::isfinite(std::imag(x)); });
  }
  static Real<T> Scale(T* a, Index n) {
    Real<T> most = 0;
    for (Index i = 0; i < n; ++i)
      most = std::max({most, std::fabs(RealPart(a[i])), static_cast<Real<T>>(std::fabs(std::imag(a[i])))});
    if (most == 0) return 1;
    for (Index i = 0; i < n; ++i) a[i] /= most;
    return most;
  }
  // The order of values in which they rise or fall; the values come into it.
  static SlimVector<Index> Sort(Real<T>* values, Index n, bool fall) {
    SlimVector<Index> order(static_cast<std::size_t>(n), 0);
    for (Index i = 0; i < n; ++i) order.data()[i] = i;
    SlimVector<Real<T>> copy = Zeros<Real<T>>(n);
    std::copy(values, values + n, copy.data());
    std::sort(order.data(), order.data() + n, [&](Index x, Index y) {
      const Real<T> p = copy.data()[x], q = copy.data()[y];
      return p != q ? (fall ? q < p : p < q) : x < y;
    });
    for (Index i = 0; i < n; ++i) values[i] = copy.data()[order.data()[i]];
    return order;
  }
  // Column i of out = row order[i].
  static void Gather(const Real<T>* rows, Index row, const Index* order, Index n, T* out, Index out_row) {
    for (Index i = 0; i < n; ++i) {
      const Real<T>* const from = rows + order[i] * row;
      for (Index j = 0; j < n; ++j) out[j * out_row + i] = T(from[j]);
    }
  }
  // c = P_0^H P_1^H ... c, c: [n, n]: `count` reflectors P = 1 - tau v v^H below the diagonal of `a`: [rows, count],
  // whose first row is row `!whole` of c.
  TENON_DETAIL_RARE void TurnBack(const T* a, Index row, Index n, Index count, const T* taus, bool whole, T* c,
                                  Index c_row) {
    if (count <= 0) return;
    const Index skip = whole ? 0 : 1;
    if (n <= kSmall) {
      T sums[kSmall], v[kSmall];
      for (Index k = count; k-- > 0;) {
        const Index m = n - skip - k;
        std::fill(sums, sums + n, T(0));
        for (Index i = 0; i < m; ++i) v[i] = i == 0 ? T(1) : a[(k + i) * row + k];
        AddProjections(v, 1, c + (k + skip) * c_row, c_row, m, n, sums);
        for (Index i = 0; i < n; ++i) sums[i] = Times(Conj(taus[k]), sums[i]);
        SubtractOuter(v, 1, sums, c + (k + skip) * c_row, c_row, m, n);
      }
      return;
    }
    SlimVector<T> v = Zeros<T>(n * kPanel), s = Zeros<T>(kPanel * kPanel);
    for (Index k = (count - 1) / kPanel * kPanel; k >= 0; k -= kPanel) {
      const Index width = std::min(kPanel, count - k), m = n - skip - k;
      Blocked<T>::CopyReflectors(a + k * row + k, row, m, width, v.data());
      blocked_.FactorOf(v.data(), m, width, taus + k, s.data());
      blocked_.Reflect(v.data(), m, width, s.data(), true, c + (k + skip) * c_row, c_row, n);
    }
  }
  // u: [m, kept], whose first n columns are to be multiplied by small: [n, n]; u = small where m = n.
  TENON_DETAIL_RARE void FinishLeft(const T* small, Index m, Index n, Index kept, T* u) {
    if (m == n) {
      std::copy(small, small + n * n, u);
      return;
    }
    SlimVector<T> first = Zeros<T>(m * n), product = Zeros<T>(m * n);
    for (Index i = 0; i < m; ++i) std::copy(u + i * kept, u + i * kept + n, first.data() + i * n);
    blocked_.Multiply(first.data(), small, product.data(), m, n, n);
    for (Index i = 0; i < m; ++i) std::copy(product.data() + i * n, product.data() + (i + 1) * n, u + i * kept);
  }

  // x: [m] becomes v, whose first element is 1: (1 - tau v v^H) x = beta and zeros.
  static Real<T> MakeReflector(T* x, Index m, T* tau) {
    Real<T> tail = 0;
    for (Index i = 1; i < m; ++i) tail += Square(x[i]);
    const T alpha = x[0];
    *tau = T(0);
    x[0] = T(1);
    // Beside the largest element, which is 1, the rest is nothing, and its squares may have lost their digits.
    constexpr Real<T> kTiny = std::numeric_limits<Real<T>>::min() /
                              (std::numeric_limits<Real<T>>::epsilon() * std::numeric_limits<Real<T>>::epsilon());
    if (tail <= kTiny && std::imag(alpha) * std::imag(alpha) <= kTiny) {
      std::fill(x + 1, x + m, T(0));
      return RealPart(alpha);
    }
    const Real<T> norm = std::sqrt(Square(alpha) + tail), beta = RealPart(alpha) >= 0 ? -norm : norm;
    const T scale = T(1) / (alpha - beta);
    *tau = (beta - Conj(alpha)) / beta;
    for (Index i = 1; i < m; ++i) x[i] = Times(x[i], scale);
    return beta;
  }

  // Hermitian a: [n, n], its upper triangle; reflectors below the elements beside the diagonal.
  void Tridiagonalize(T* a, Index n, Real<T>* d, Real<T>* e, T* taus) {
    // Rows of a panel: its reflectors v and their partners w, a - v w^H - w v^H; then the conjugates, w before v.
    const Index most = std::min(kPanel, n - 1);
    SlimVector<T> rows = Zeros<T>(2 * most * n), conjugates = Zeros<T>(n - 1 > most ? 2 * most * n : 0);
    SlimVector<T> line = Zeros<T>(n + 1), sums = Zeros<T>(n);
    T* const x = line.data() + 1;
    for (Index k = 0; k < n - 1; k += kPanel) {
      const Index width = std::min(kPanel, n - 1 - k);
      T *const v = rows.data(), *const w = v + width * n;
      for (Index i = 0; i < width; ++i) {
        const Index j = k + i, m = n - j - 1;
        const T* const diagonal = a + j * n + j;
        for (Index t = 0; t <= m; ++t) line.data()[t] = Conj(diagonal[t]);
        for (Index p = 0; p < i; ++p) {
          SubtractScaled(v + p * n + j, Conj(w[p * n + j]), line.data(), m + 1);
          SubtractScaled(w + p * n + j, Conj(v[p * n + j]), line.data(), m + 1);
        }
        d[j] = RealPart(line.data()[0]);
        T tau;
        e[j] = MakeReflector(x, m, &tau);
        taus[j] = tau;
        for (Index t = 0; t < m; ++t) a[(j + 1 + t) * n + j] = x[t];
        std::copy(x, x + m, v + i * n + j + 1);
        HermitianTimes(a + (j + 1) * (n + 1), n, x, sums.data(), m);
        for (Index p = 0; p < i; ++p) {
          const T *const vp = v + p * n + j + 1, *const wp = w + p * n + j + 1;
          SubtractScaled(vp, ConjugateDot(wp, x, m), sums.data(), m);
          SubtractScaled(wp, ConjugateDot(vp, x, m), sums.data(), m);
        }
        const Real<T> half = Square(tau) * RealPart(ConjugateDot(x, sums.data(), m)) / 2;
        T* const to = w + i * n + j + 1;
        for (Index t = 0; t < m; ++t) to[t] = Times(Conj(tau), sums.data()[t]) - half * x[t];
      }
      const Index next = k + width, m = n - next, depth = 2 * width;
      if (next == n - 1) {  // one element is left
        T sum = T(0);
        for (Index p = 0; p < width; ++p) sum += Times(v[p * n + next], Conj(w[p * n + next]));
        a[next * (n + 1)] -= sum + Conj(sum);
        break;
      }
      T* const conj = conjugates.data();
      for (Index p = 0; p < depth; ++p) {
        const T* const from = p < width ? w + p * n : v + (p - width) * n;
        for (Index t = next; t < n; ++t) conj[p * n + t] = Conj(from[t]);
      }
      const Index step = std::max<Index>(32, (m / 4 + 7) / 8 * 8);  // rows, of which nothing before the diagonal counts
      for (Index i = next; i < n; i += step)
        blocked_.SubtractProduct(std::min(step, n - i), n - i, depth, v + i, 1, n, conj + i, n, 1, a + i * n + i, n);
    }
    if (n > 0) d[n - 1] = RealPart(a[(n - 1) * n + n - 1]);
  }

  // a: [n, n] becomes upper bidiagonal; reflectors below the diagonal, and behind the elements beside it.
  void Bidiagonalize(T* a, Index n, Real<T>* d, Real<T>* e, T* left_taus, T* right_taus) {
    // Rows of a panel, a - v y^H - x w^H: v before x, and y before w, whose conjugates a product needs.
    const Index most = std::min(kPanel, n);
    SlimVector<T> columns = Zeros<T>(2 * most * n), rows = columns, line = Zeros<T>(n), conj = line, sum = line;
    for (Index k = 0; k < n; k += kPanel) {
      const Index width = std::min(kPanel, n - k);
      T *const v = columns.data(), *const x = v + width * n, *const y = rows.data(), *const w = y + width * n;
      for (Index i = 0; i < width; ++i) {
        const Index j = k + i, m = n - j, behind = m - 1;
        T* const corner = a + j * n + j;
        for (Index t = 0; t < m; ++t) line.data()[t] = corner[t * n];
        for (Index p = 0; p < i; ++p) {
          SubtractScaled(v + p * n + j, Conj(y[p * n + j]), line.data(), m);
          SubtractScaled(x + p * n + j, Conj(w[p * n + j]), line.data(), m);
        }
        d[j] = MakeReflector(line.data(), m, &left_taus[j]);
        for (Index t = 0; t < m; ++t) {
          corner[t * n] = v[i * n + j + t] = line.data()[t];
          conj.data()[t] = Conj(line.data()[t]);
        }
        if (behind == 0) break;
        const T* product = blocked_.Product(behind, 1, m, corner + 1, 1, n, conj.data(), 1, 1);
        for (Index t = 0; t < behind; ++t) sum.data()[t] = Conj(product[t]);
        for (Index p = 0; p < i; ++p) {
          SubtractScaled(y + p * n + j + 1, ConjugateDot(v + p * n + j, line.data(), m), sum.data(), behind);
          SubtractScaled(w + p * n + j + 1, ConjugateDot(x + p * n + j, line.data(), m), sum.data(), behind);
        }
        for (Index t = 0; t < behind; ++t) y[i * n + j + 1 + t] = Times(Conj(left_taus[j]), sum.data()[t]);
        for (Index t = 0; t < behind; ++t) line.data()[t] = Conj(corner[1 + t]);
        for (Index p = 0; p <= i; ++p) {
          SubtractScaled(y + p * n + j + 1, Conj(v[p * n + j]), line.data(), behind);
          if (p < i) SubtractScaled(w + p * n + j + 1, Conj(x[p * n + j]), line.data(), behind);
        }
        e[j] = MakeReflector(line.data(), behind, &right_taus[j]);
        for (Index t = 0; t < behind; ++t) corner[1 + t] = w[i * n + j + 1 + t] = line.data()[t];
        product = blocked_.Product(behind, 1, behind, corner + n + 1, n, 1, line.data(), 1, 1);
        std::copy(product, product + behind, sum.data());
        for (Index p = 0; p <= i; ++p) {
          SubtractScaled(v + p * n + j + 1, ConjugateDot(y + p * n + j + 1, line.data(), behind), sum.data(), behind);
          if (p < i)
            SubtractScaled(x + p * n + j + 1, ConjugateDot(w + p * n + j + 1, line.data(), behind), sum.data(), behind);
        }
        for (Index t = 0; t < behind; ++t) x[i * n + j + 1 + t] = Times(Conj(right_taus[j]), sum.data()[t]);
      }
      const Index next = k + width, m = n - next;
      if (m == 0) break;
      Index y_row = n;
      const T* const conjugates = blocked_.Conjugates(y, &y_row, 2 * width, n);
      blocked_.SubtractProduct(m, m, 2 * width, v + next, 1, n, conjugates + next, y_row, 1, a + next * (n + 1), n);
    }
  }

  Blocked<T> blocked_;
  SlimVector<T> kept_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// MatrixSolve, MatrixSolveLs, MatrixTriangularSolve, BandedTriangularSolve, TridiagonalSolve: batches of linear
// systems.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/linalg/spectral.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>
#include <tenon/ops/linalg/solve_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Two batches with the same leading dimensions.
inline Status SameBatch(std::string_view op, const TensorShape& a, const TensorShape& b, MatrixBatch* matrix,
                        MatrixBatch* rhs) {
  TENON_RETURN_IF_ERROR(MatrixBatch::Of(op, a, 0, matrix));
  TENON_RETURN_IF_ERROR(MatrixBatch::Of(op, b, 1, rhs));
  if (matrix->batch == rhs->batch) return OkStatus();
  return errors::InvalidArgument(op, ": All input tensors must have the same outer dimensions, got ", a, " and ", b);
}

template <class T>
bool SolveOne(Cpu& device, const T* matrix, const T* rhs, Index n, Index k, bool adjoint, T* out) {
  SlimVector<T> a = Numbers<T>(n * n);
  if (adjoint)
    linalg::Adjoint(matrix, n, n, a.data());
  else
    std::copy(matrix, matrix + n * n, a.data());
  SlimVector<Index> order = Numbers<Index>(n);
  Index swaps = 0;
  linalg::Blocked<T> blocked(device);
  if (!blocked.FactorLu(a.data(), n, order.data(), &swaps)) return false;
  blocked.SolveLu(a.data(), order.data(), n, rhs, out, k);
  return true;
}

// The least squares solution by the normal equations: x = (a^H a + l)^-1 a^H b, or a^H (a a^H + l)^-1 b where a: [m, n]
// is wide. False if that is not positive definite.
template <class T>
bool SolveNormal(Cpu& device, const T* matrix, const T* rhs, Index m, Index n, Index k, linalg::Real<T> l2, T* out) {
  const Index least = std::min(m, n);
  SlimVector<T> adjoint = Numbers<T>(m * n), gram = Numbers<T>(least * least), scratch = Numbers<T>(least * least);
  linalg::Adjoint(matrix, m, n, adjoint.data());
  linalg::Blocked<T> blocked(device);
  const bool tall = m >= n;
  blocked.Multiply(tall ? adjoint.data() : matrix, tall ? matrix : adjoint.data(), gram.data(), least, tall ? m : n,
                   least);
  for (Index i = 0; i < least; ++i) gram[static_cast<std::size_t>(i * least + i)] += T(l2);
  if (!blocked.FactorCholesky(gram.data(), least)) return false;
  if (tall) {
    blocked.Multiply(adjoint.data(), rhs, out, n, m, k);
    blocked.SolveCholesky(gram.data(), n, out, k, scratch.data());
  } else {
    SlimVector<T> y = Numbers<T>(m * k);
    std::copy(rhs, rhs + m * k, y.data());
    blocked.SolveCholesky(gram.data(), m, y.data(), k, scratch.data());
    blocked.Multiply(adjoint.data(), y.data(), out, n, m, k);
  }
  return true;
}
// The least squares solution. False when the columns, or the rows when these are fewer, are close to depending on each
// other.
template <class T>
bool SolveIndependent(const T* matrix, const T* rhs, Index m, Index n, Index k, T* out) {
  using W = typename WideOf<T>::type;
  const bool wide = m < n;
  const Index most = std::max(m, n), least = std::min(m, n);
  SlimVector<W> numbers = Numbers<W>(most * least + least + most + (m + n) * k);
  W* const columns = numbers.data();
  W *const taus = columns + most * least, *const scratch = taus + least, *const b = scratch + most,
           *const x = b + m * k;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      const auto value = static_cast<W>(matrix[i * n + j]);
      columns[wide ? i * n + j : j * m + i] = wide ? linalg::Conj(value) : value;
    }
  SlimVector<Index> order = Numbers<Index>(least);
  const double ratio = std::sqrt(static_cast<double>(std::numeric_limits<linalg::Real<T>>::epsilon()));
  if (!linalg::FactorPivotedQr(columns, most, least, ratio, taus, order.data())) return false;
  CopyAs(rhs, b, m * k);
  linalg::SolvePivotedQr(columns, most, least, taus, order.data(), wide, b, x, k, scratch);
  CopyAs(x, out, n * k);
  return true;
}
// The shortest least squares solution, by singular values. NaN for matrices with elements that are not finite.
template <class T>
void SolveShortest(Cpu& device, const T* matrix, const T* rhs, Index m, Index n, Index k, T* out) {
  using W = typename WideOf<T>::type;
  const Index most = std::max(m, n), least = std::min(m, n);
  SlimVector<W> a = Numbers<W>(m * n), tall = Numbers<W>(m * n), u = Numbers<W>(m * n), v = Numbers<W>(least * least);
  SlimVector<double> s = Numbers<double>(least);
  CopyAs(matrix, a.data(), m * n);
  if (m >= n)
    tall = a;
  else
    linalg::Adjoint(a.data(), m, n, tall.data());
  if (!linalg::Spectral<W>(device).SvdTall(tall.data(), most, least, least, s.data(), u.data(), v.data())) {
    std::fill(out, out + n * k, T(std::numeric_limits<linalg::Real<T>>::quiet_NaN()));
    return;
  }
  // a or a^H = u s v^H
  const double cut =
      s[0] * static_cast<double>(std::numeric_limits<linalg::Real<T>>::epsilon()) * static_cast<double>(most);
  SlimVector<W> b = Numbers<W>(m * k), y = Numbers<W>(least * k), x = Numbers<W>(n * k), h = Numbers<W>(most * least);
  linalg::Blocked<W> blocked(device);
  CopyAs(rhs, b.data(), m * k);
  if (m >= n) {
    linalg::Adjoint(u.data(), m, n, h.data());
    blocked.Multiply(h.data(), b.data(), y.data(), n, m, k);
  } else {
    linalg::Adjoint(v.data(), m, m, h.data());
    blocked.Multiply(h.data(), b.data(), y.data(), m, m, k);
  }
  for (Index i = 0; i < least; ++i)
    for (Index j = 0; j < k; ++j) {
      W& value = y[static_cast<std::size_t>(i * k + j)];
      value = s[static_cast<std::size_t>(i)] > cut ? W(value / s[static_cast<std::size_t>(i)]) : W(0);
    }
  blocked.Multiply(m >= n ? v.data() : u.data(), y.data(), x.data(), n, least, k);
  CopyAs(x.data(), out, n * k);
}

// Systems whose leading dimensions are broadcast against each other.
struct BroadcastSystems {
  BatchMatMulPlan plan;  // for its batches
  MatrixBatch matrix, rhs;
  TensorShape output;

  static Status Of(std::string_view op, const TensorShape& a, const TensorShape& b, bool square,
                   BroadcastSystems* out) {
    if (a.dims() < 2) return errors::InvalidArgument(op, ": In[0] ndims must be >= 2: ", a.dims());
    if (b.dims() < 2) return errors::InvalidArgument(op, ": In[1] ndims must be >= 2: ", b.dims());
    TENON_RETURN_IF_ERROR(MatrixBatch::Of(op, a, 0, &out->matrix));
    TENON_RETURN_IF_ERROR(MatrixBatch::Of(op, b, 1, &out->rhs));
    if (square && out->matrix.rows != out->matrix.columns)
      return errors::InvalidArgument(op, ": In[0] matrices in the last dimensions must be square (", out->matrix.rows,
                                     " =/= ", out->matrix.columns, ")");
    const int rank = std::max(a.dims(), b.dims());
    for (int d = 0; d < rank - 2; ++d) {
      const int in_a = d - (rank - a.dims()), in_b = d - (rank - b.dims());
      const Index x = in_a < 0 ? 1 : a.dim_size(in_a), y = in_b < 0 ? 1 : b.dim_size(in_b);
      if (!out->plan.Add(x, y))
        return errors::InvalidArgument(op, ": In[0] and In[1] must have compatible batch dimensions: ", a, " vs. ", b);
      TENON_RETURN_IF_ERROR(out->output.AddDimWithStatus(x == 1 ? y : x));
    }
    if (out->matrix.columns != out->rhs.rows)
      return errors::InvalidArgument(op, ": In[0] mismatch In[1] shape: ", out->matrix.columns, " vs. ", out->rhs.rows,
                                     ": ", a, " ", b);
    TENON_RETURN_IF_ERROR(out->output.AddDimWithStatus(out->rhs.rows));
    return out->output.AddDimWithStatus(out->rhs.columns);
  }
};

struct TriangularAttrs {
  bool lower, adjoint;
};

// bands: [count, n], the diagonal first (lower) or last; element [i, j] of a lower matrix is bands[i - j, i], of an
// upper one bands[count - 1 - (j - i), i].
template <class T>
bool SolveBanded(const T* bands, Index count, Index n, const TriangularAttrs& attrs, T* b, Index k) {
  const bool lower = attrs.lower;
  const T* const diagonal = bands + (lower ? 0 : count - 1) * n;
  for (Index i = 0; i < n; ++i)
    if (diagonal[i] == T(0)) return false;
  const bool forward = lower != attrs.adjoint;
  for (Index step = 0; step < n; ++step) {
    const Index i = forward ? step : n - 1 - step;
    for (Index d = 1; d < count; ++d) {
      const Index j = forward ? i - d : i + d;
      if (j < 0 || j >= n) break;
      const Index row = attrs.adjoint ? j : i;  // row of the matrix as it is stored
      const T element = bands[(lower ? d : count - 1 - d) * n + row];
      linalg::Subtract(attrs.adjoint ? linalg::Conj(element) : element, b + j * k, b + i * k, k);
    }
    const T by = attrs.adjoint ? linalg::Conj(diagonal[i]) : diagonal[i];
    for (Index c = 0; c < k; ++c) b[i * k + c] /= by;
  }
  return true;
}

// diagonals: [3, n], above, on and below the diagonal (the last of the first and the first of the last are not read). b
// becomes the solution; with pivoting by exchange of neighbours. Pivots smaller than `least` become that. False if a
// pivot is 0.
template <class T>
bool SolveTridiagonal(const T* diagonals, Index n, bool pivoting, linalg::Real<T> least, T* b, Index k) {
  const T *above = diagonals, *on = diagonals + n, *below = diagonals + 2 * n;
  SlimVector<T> u = Numbers<T>(3 * n);  // each row's diagonal and the two elements after it
  T* const rows = u.data();
  for (Index i = 0; i < n; ++i) {
    rows[3 * i] = on[i];
    rows[3 * i + 1] = i + 1 < n ? above[i] : T(0);
  }
  for (Index i = 0; i + 1 < n; ++i) {
    T* const row = rows + 3 * i;
    T* const next = row + 3;
    T low = below[i + 1];
    if (pivoting && std::abs(low) > std::abs(row[0])) {
      const T next_0 = next[0], next_1 = next[1];
      next[0] = row[1];
      next[1] = T(0);
      row[1] = next_0;
      row[2] = next_1;
      std::swap(row[0], low);
      std::swap_ranges(b + i * k, b + (i + 1) * k, b + (i + 1) * k);
    }
    if (std::abs(row[0]) < least) row[0] = T(least);
    if (row[0] == T(0)) return false;
    const T factor = low / row[0];
    next[0] -= linalg::Times(factor, row[1]);
    next[1] -= linalg::Times(factor, row[2]);
    linalg::Subtract(factor, b + i * k, b + (i + 1) * k, k);
  }
  T& last = rows[3 * (n - 1)];
  if (std::abs(last) < least) last = T(least);
  if (last == T(0)) return false;
  for (Index i = n; i-- > 0;) {
    for (Index d = 1; d <= 2 && i + d < n; ++d) linalg::Subtract(rows[3 * i + d], b + (i + d) * k, b + i * k, k);
    for (Index c = 0; c < k; ++c) b[i * k + c] /= rows[3 * i];
  }
  return true;
}

template <class Device, class T>
concept SolvesSystems = Device::type == "CPU" && LinalgTypes::contains<T>;

}  // namespace detail

// matrix: [..., n, n]  rhs: [..., n, k]  ->  x: [..., n, k]: matrix x = rhs
struct MatrixSolve {
  static constexpr auto signature = Op("MatrixSolve")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::MatrixSolveShape);

  struct Attrs {
    bool adjoint;
  };
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> matrix, In<T> rhs, Tensor& output) const {
      detail::MatrixBatch a, b;
      TENON_RETURN_IF_ERROR(detail::SameBatch("MatrixSolve", matrix.shape(), rhs.shape(), &a, &b));
      if (a.rows != a.columns)
        return errors::InvalidArgument("MatrixSolve: Input matrix must be square, got shape ", matrix.shape());
      if (a.rows != b.rows)
        return errors::InvalidArgument("MatrixSolve: Input matrix and right-hand side must have the same number of ",
                                       "rows, got ", a.rows, " and ", b.rows);
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, rhs.shape(), &out));
      if (rhs.size() == 0) return OkStatus();
      const Index n = a.rows, k = b.columns;
      const bool good = detail::ForEachMatrix(context.device(), a.count, n, n + k, [&](Cpu& device, Index i) {
        return detail::SolveOne(device, matrix.data + i * n * n, rhs.data + i * n * k, n, k, this->adjoint,
                                out->data<T>() + i * n * k);
      });
      return good ? OkStatus() : detail::NotInvertible("MatrixSolve");
    }
  };
};

// matrix: [..., m, n]  rhs: [..., m, k]  ->  x: [..., n, k] with the least |matrix x - rhs|^2 + l2_regularizer |x|^2;
// fast: by the normal equations, otherwise the shortest x, without regularisation.
struct MatrixSolveLs {
  static constexpr auto signature = Op("MatrixSolveLs")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Input("l2_regularizer: double")
                                        .Output("output: T")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .Attr("fast: bool = true")
                                        .SetShapeFn(detail::MatrixSolveLsShape);

  struct Attrs {
    bool fast;
  };
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> matrix, In<T> rhs, HostIn<double> l2_regularizer,
                      Tensor& output) const {
      detail::MatrixBatch a, b;
      TENON_RETURN_IF_ERROR(detail::SameBatch("MatrixSolveLs", matrix.shape(), rhs.shape(), &a, &b));
      if (a.rows != b.rows)
        return errors::InvalidArgument("MatrixSolveLs: Input matrix and rhs are incompatible: ", matrix.shape(),
                                       " and ", rhs.shape());
      if (l2_regularizer.shape().dims() != 0)
        return errors::InvalidArgument("MatrixSolveLs: l2_regularizer must be a scalar, got shape ",
                                       l2_regularizer.shape());
      if (!(l2_regularizer[0] >= 0))
        return errors::InvalidArgument("MatrixSolveLs: l2_regularizer must be >= 0, got ", l2_regularizer[0]);
      const Index m = a.rows, n = a.columns, k = b.columns;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(a.With(n, k, &shape));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      std::fill(out->data<T>(), out->data<T>() + shape.num_elements(), T(0));
      if (m == 0 || shape.num_elements() == 0) return OkStatus();
      const auto l2 = static_cast<linalg::Real<T>>(l2_regularizer[0]);
      const bool good = detail::ForEachMatrix(context.device(), a.count, m + n, n + k, [&](Cpu& device, Index i) {
        const T *one = matrix.data + i * m * n, *side = rhs.data + i * m * k;
        T* const to = out->data<T>() + i * n * k;
        if (this->fast) return detail::SolveNormal(device, one, side, m, n, k, l2, to);
        if (!detail::SolveIndependent(one, side, m, n, k, to)) detail::SolveShortest(device, one, side, m, n, k, to);
        return true;
      });
      if (good) return OkStatus();
      return errors::InvalidArgument("MatrixSolveLs: Input matrix was rank deficient or ill-conditioned. Try setting ",
                                     "fast=False or provide a larger l2_regularizer > 0.");
    }
  };
};

// matrix: [..., n, n], of which only the lower or upper triangle is read; leading dimensions are broadcast.
struct MatrixTriangularSolve {
  static constexpr auto signature = Op("MatrixTriangularSolve")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("lower: bool = true")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::TriangularSolveShape);

  using Attrs = detail::TriangularAttrs;
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> matrix, In<T> rhs, Tensor& output) const {
      detail::BroadcastSystems at;
      TENON_RETURN_IF_ERROR(
          detail::BroadcastSystems::Of("MatrixTriangularSolve", matrix.shape(), rhs.shape(), true, &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, at.output, &out));
      if (at.output.num_elements() == 0) return OkStatus();
      const Index n = at.rhs.rows, k = at.rhs.columns;
      (void)detail::ForEachMatrix(context.device(), at.plan.batches, n, k, [&](Cpu& device, Index i) {
        const tenon::detail::BatchPlace place(at.plan, i);
        const T* a = matrix.data + place.x * n * n;
        T* const x = out->data<T>() + i * n * k;
        std::copy(rhs.data + place.y * n * k, rhs.data + (place.y + 1) * n * k, x);
        SlimVector<T> turned = detail::Numbers<T>(this->adjoint ? n * n : 0);
        if (this->adjoint) {
          linalg::Adjoint(a, n, n, turned.data());
          a = turned.data();
        }
        linalg::Blocked<T>(device).SolveTriangular(a, n, this->lower != this->adjoint, false, x, k);
        return true;
      });
      return OkStatus();
    }
  };
};

// matrix: [..., bands, n]  rhs: [..., n, k]: the bands of a triangular matrix, the diagonal first if it is lower, last
// if it is upper.
struct BandedTriangularSolve {
  static constexpr auto signature = Op("BandedTriangularSolve")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("lower: bool = true")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::BandedSolveShape);

  using Attrs = detail::TriangularAttrs;
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> matrix, In<T> rhs, Tensor& output) const {
      detail::BroadcastSystems at;
      TENON_RETURN_IF_ERROR(
          detail::BroadcastSystems::Of("BandedTriangularSolve", matrix.shape(), rhs.shape(), false, &at));
      if (matrix.size() == 0 || rhs.size() == 0)
        return errors::InvalidArgument("BandedTriangularSolve: inputs must not be empty tensors, got shapes ",
                                       matrix.shape(), " and ", rhs.shape());
      const Index bands = at.matrix.rows, n = at.rhs.rows, k = at.rhs.columns;
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, at.output, &out));
      const bool good = detail::ForEachMatrix(context.device(), at.plan.batches, bands, k, [&](Cpu&, Index i) {
        const tenon::detail::BatchPlace place(at.plan, i);
        T* const x = out->data<T>() + i * n * k;
        std::copy(rhs.data + place.y * n * k, rhs.data + (place.y + 1) * n * k, x);
        return detail::SolveBanded(matrix.data + place.x * bands * n, bands, n, *this, x, k);
      });
      if (good) return OkStatus();
      return errors::InvalidArgument("BandedTriangularSolve: Input matrix is not invertible.");
    }
  };
};

// diagonals: [..., 3, n]: above, on and below the diagonal; rhs: [..., n, k]  ->  [..., n, k]. NaN for singular
// systems; perturb_singular: pivots of almost nothing are made larger instead.
struct TridiagonalSolve {
  static constexpr auto signature = Op("TridiagonalSolve")
                                        .Input("diagonals: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("partial_pivoting: bool = true")
                                        .Attr("perturb_singular: bool = false")
                                        .Attr("T: {double, float, complex64, complex128}")
                                        .SetShapeFn(detail::TridiagonalSolveShape);

  struct Attrs {
    bool partial_pivoting, perturb_singular;
  };
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      if (!this->perturb_singular || this->partial_pivoting) return OkStatus();
      return errors::InvalidArgument(
          "TridiagonalSolve: Setting perturb_singular requires also setting partial_pivoting.");
    }
    Status operator()(Context<Device>& context, In<T> diagonals, In<T> rhs, Tensor& output) const {
      detail::MatrixBatch a, b;
      TENON_RETURN_IF_ERROR(detail::SameBatch("TridiagonalSolve", diagonals.shape(), rhs.shape(), &a, &b));
      if (a.rows != 3)
        return errors::InvalidArgument("TridiagonalSolve: Expected diagonals to be provided as a matrix with 3 rows, ",
                                       "got ", a.rows, " rows.");
      if (a.columns != b.rows)
        return errors::InvalidArgument("TridiagonalSolve: Expected the same number of left-hand sides and right-hand ",
                                       "sides, got ", a.columns, " and ", b.rows, ".");
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, rhs.shape(), &out));
      const Index n = b.rows, k = b.columns;
      if (rhs.size() == 0) return OkStatus();
      using R = linalg::Real<T>;
      (void)detail::ForEachMatrix(context.device(), a.count, n, k, [&](Cpu&, Index i) {
        const T* const one = diagonals.data + i * 3 * n;
        T* const x = out->data<T>() + i * n * k;
        std::copy(rhs.data + i * n * k, rhs.data + (i + 1) * n * k, x);
        R least = 0;
        for (Index j = 0; this->perturb_singular && j < 3 * n; ++j) least = std::max<R>(least, std::abs(one[j]));
        least *= std::numeric_limits<R>::epsilon();
        if (detail::SolveTridiagonal(one, n, this->partial_pivoting, least, x, k)) return true;
        std::fill(x, x + n * k, T(std::numeric_limits<R>::quiet_NaN()));
        return false;
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

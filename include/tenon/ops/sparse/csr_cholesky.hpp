// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseMatrixSparseCholesky: triangular factors of sparse matrices, row by row (Davis, "Direct Methods for Sparse
// Linear Systems", section 4.7).

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/csr_matrix.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status CsrCholeskyShape(InferenceContext* c) {
  ShapeHandle shape, permutation;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &permutation));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(permutation, 2, &permutation));
  if (c->RankKnown(shape)) {
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(shape, -2), c->Dim(shape, -1), &n));
    if (c->RankKnown(permutation)) TENON_RETURN_IF_ERROR(c->Merge(n, c->Dim(permutation, -1), &n));
  }
  return SetCsrHandle(c, shape, "type");
}

// The lower triangle of a matrix of the batch with its rows and columns permuted, and the places of its factor's
// elements.
struct CholeskyPlan {
  Index n = 0;
  SlimVector<std::int32_t> starts;   // [n + 1]: the elements of each row, the diagonal's among them
  SlimVector<std::int32_t> columns;
  SlimVector<std::int32_t> sources;  // element i of the matrix; ~i: its conjugate
  SlimVector<std::int32_t> parents;  // the elimination tree; -1: a root
  SlimVector<std::int32_t> counts;   // elements of the factor's columns below the diagonal
  SlimVector<std::int32_t> marks;    // the last row that came by
  Index total = 0;                   // elements of the factor

  // `permutation`: row r becomes row k where permutation[k] is r. Only the lower triangle of the matrix is read.
  Status Make(const CSRSparseMatrix& x, Index b, const std::int32_t* permutation) {
    n = x.rows();
    const auto size = static_cast<std::size_t>(n);
    SlimVector<std::int32_t> places(size, -1);
    for (Index k = 0; k < n; ++k) {
      const std::int32_t r = permutation[k];
      if (r < 0 || r >= n || places[static_cast<std::size_t>(r)] >= 0)
        return errors::InvalidArgument("SparseMatrixSparseCholesky: permutation must have each number of [0, ", n,
                                       ") once, got ", r, " at place ", k);
      places[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(k);
    }
    starts.resize(size + 1, 0);
    for (const bool counts_only : {true, false}) {
      for (Index r = 0; r < n; ++r)
        for (Index i = x.row_starts(b)[r]; i < x.row_starts(b)[r + 1]; ++i) {
          const std::int32_t c = x.columns_of(b)[i];
          if (c > r) continue;
          const std::int32_t u = places[static_cast<std::size_t>(r)], v = places[static_cast<std::size_t>(c)];
          std::int32_t& row = starts[static_cast<std::size_t>(std::max(u, v)) + (counts_only ? 1 : 0)];
          if (!counts_only) {
            columns[static_cast<std::size_t>(row)] = std::min(u, v);
            sources[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(u >= v ? i : ~i);
          }
          ++row;
        }
      if (counts_only) {
        for (std::size_t r = 0; r < size; ++r) starts[r + 1] += starts[r];
        columns.resize(static_cast<std::size_t>(starts[size]), 0);
        sources.resize(static_cast<std::size_t>(starts[size]), 0);
      } else {
        for (std::size_t r = size; r > 0; --r) starts[r] = starts[r - 1];
        starts[0] = 0;
      }
    }
    FindTree();
    return OkStatus();
  }

  // Columns of the factor's row k before the diagonal, in no order. At most n at `to`; returns how many.
  Index Reach(Index k, std::int32_t* to) {
    Index found = 0;
    marks[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k);
    for (Index i = starts[static_cast<std::size_t>(k)]; i < starts[static_cast<std::size_t>(k) + 1]; ++i)
      for (std::int32_t c = columns[static_cast<std::size_t>(i)]; marks[static_cast<std::size_t>(c)] != k;
           c = parents[static_cast<std::size_t>(c)]) {
        marks[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(k);
        to[found++] = c;
      }
    return found;
  }

 private:
  void FindTree() {
    const auto size = static_cast<std::size_t>(n);
    SlimVector<std::int32_t> ancestors(size, -1), reached(size);
    parents.resize(size, -1);
    counts.resize(size, 0);
    marks.resize(size, -1);
    for (std::size_t k = 0; k < size; ++k)
      for (Index i = starts[k]; i < starts[k + 1]; ++i) {
        auto c = columns[static_cast<std::size_t>(i)];
        while (c != -1 && c < static_cast<std::int32_t>(k)) {
          const std::int32_t next = std::exchange(ancestors[static_cast<std::size_t>(c)], static_cast<std::int32_t>(k));
          if (next == -1) parents[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(k);
          c = next;
        }
      }
    for (Index k = 0; k < n; ++k) {
      const Index found = Reach(k, reached.data());
      for (Index i = 0; i < found; ++i) ++counts[static_cast<std::size_t>(reached[static_cast<std::size_t>(i)])];
      total += found + 1;
    }
    std::fill(marks.begin(), marks.end(), -1);
  }
};

TENON_DETAIL_SETUP_CODE_END

inline float Conjugated(float x) { return x; }
inline double Conjugated(double x) { return x; }
template <class T>
std::complex<T> Conjugated(std::complex<T> x) {
  return std::conj(x);
}

// The factor of one matrix: rows, columns and values of `plan->total` elements. False: it is not positive definite.
template <class T>
bool FactorCsr(CholeskyPlan* plan, const void* matrix, std::int32_t* rows, std::int32_t* columns, void* factor) {
  using Real = decltype(std::abs(T()));
  const auto n = static_cast<std::size_t>(plan->n);
  const T* const a = static_cast<const T*>(matrix);
  T* const l = static_cast<T*>(factor);
  SlimVector<T> x(n, T());  // the row
  // Known elements of each column of the factor: their rows, and their places in l.
  SlimVector<std::int32_t> first(n + 1, 0), used(n, 0);
  for (std::size_t c = 0; c < n; ++c) first[c + 1] = first[c] + plan->counts[c];
  SlimVector<std::int32_t> row_of(static_cast<std::size_t>(first[n])), place_of(static_cast<std::size_t>(first[n]));
  rows[0] = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::int32_t* const reached = columns + rows[k];
    const Index count = plan->Reach(static_cast<Index>(k), reached);
    std::sort(reached, reached + count);
    reached[count] = static_cast<std::int32_t>(k);
    rows[k + 1] = static_cast<std::int32_t>(rows[k] + count + 1);
    x[k] = T();
    for (Index i = plan->starts[k]; i < plan->starts[k + 1]; ++i) {
      const std::int32_t source = plan->sources[static_cast<std::size_t>(i)];
      x[static_cast<std::size_t>(plan->columns[static_cast<std::size_t>(i)])] +=
          source >= 0 ? a[source] : Conjugated(a[~source]);
    }
    Real diagonal = std::real(x[k]);
    for (Index i = 0; i < count; ++i) {
      const auto c = static_cast<std::size_t>(reached[i]);
      const std::int32_t end = rows[c + 1] - 1;  // the diagonal's place
      const T value = x[c] / std::real(l[end]);
      x[c] = T();
      for (std::int32_t j = first[c]; j < first[c] + used[c]; ++j)
        x[static_cast<std::size_t>(row_of[static_cast<std::size_t>(j)])] -=
            value * Conjugated(l[place_of[static_cast<std::size_t>(j)]]);
      diagonal -= std::real(value * Conjugated(value));
      const auto place = static_cast<std::size_t>(first[c] + used[c]++);
      row_of[place] = static_cast<std::int32_t>(k);
      place_of[place] = static_cast<std::int32_t>(rows[k] + i);
      l[rows[k] + i] = value;
    }
    x[k] = T();
    if (diagonal <= 0) return false;
    l[rows[k] + count] = std::sqrt(diagonal);
  }
  return true;
}

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status RunCsrCholesky(OpKernelContext& context, DataType dtype) {
  constexpr const char* kOp = "SparseMatrixSparseCholesky";
  CsrInput in;
  TENON_RETURN_IF_ERROR(in.Get(context, 0));
  const CSRSparseMatrix& x = *in.matrix;
  const Tensor& permutation = context.input(1);
  if (x.dtype != dtype) return WrongCsrType(context, "input", x.dtype, dtype);
  if (x.dims() != permutation.dims() + 1)
    return errors::InvalidArgument(kOp, ": sparse matrix must have the same rank as permutation; got: ", x.dims(),
                                   " != ", permutation.dims(), " + 1.");
  if (x.rows() != x.width())
    return errors::InvalidArgument(kOp, ": sparse matrix must be square; got: ", x.rows(), " != ", x.width());
  if (permutation.dim_size(permutation.dims() - 1) != x.rows() || permutation.NumElements() != x.batch() * x.rows())
    return errors::InvalidArgument(kOp, ": permutation must have ", x.batch(), " times ", x.rows(),
                                   " elements, got shape ", permutation.shape());
  CSRSparseMatrix out;
  TENON_RETURN_IF_ERROR(MakeCsr(context, dtype, x.shape.data<std::int64_t>(), x.dims(), &out));
  SlimVector<CholeskyPlan> plans(static_cast<std::size_t>(x.batch()));
  Index total = 0;
  for (Index b = 0; b < x.batch(); ++b) {
    CholeskyPlan& plan = plans[static_cast<std::size_t>(b)];
    TENON_RETURN_IF_ERROR(plan.Make(x, b, permutation.data<std::int32_t>() + b * x.rows()));
    total += plan.total;
    if (total <= std::numeric_limits<std::int32_t>::max())
      out.batch_pointers.data<std::int32_t>()[b + 1] = static_cast<std::int32_t>(total);
  }
  TENON_RETURN_IF_ERROR(MakeCsrElements(context, total, &out));
  const auto factor = dtype == DataType::kFloat       ? &FactorCsr<float>
                      : dtype == DataType::kDouble    ? &FactorCsr<double>
                      : dtype == DataType::kComplex64 ? &FactorCsr<std::complex<float>>
                                                      : &FactorCsr<std::complex<double>>;
  for (Index b = 0; b < x.batch(); ++b) {
    const auto at = [&](const CSRSparseMatrix& m) {
      return static_cast<std::byte*>(const_cast<void*>(m.values.raw_data())) + m.first(b) * SizeOf(dtype);
    };
    if (!factor(&plans[static_cast<std::size_t>(b)], at(x), out.row_pointers.data<std::int32_t>() + b * (x.rows() + 1),
                out.columns.data<std::int32_t>() + out.first(b), at(out)))
      return errors::InvalidArgument(kOp, ": Sparse Cholesky factorization failed for batch index ", b,
                                     ". The input might not be valid.");
  }
  return SetCsrOutput(context, std::move(out));
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// The lower triangular L with L L^H = A[p, p], for each matrix A of a batch and its permutation p.
struct SparseMatrixSparseCholesky {
  static constexpr auto signature = Op("SparseMatrixSparseCholesky")
                                        .Input("input: variant")
                                        .Input("permutation: int32")
                                        .Output("output: variant")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::CsrCholeskyShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::RegisterCsrMatrix());
      return c.GetAttr("type", &type);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunCsrCholesky(context.op(), type);
    }
    DataType type = DataType::kFloat;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

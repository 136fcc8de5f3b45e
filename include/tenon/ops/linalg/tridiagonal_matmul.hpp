// SPDX-License-Identifier: Apache-2.0
#pragma once
// TridiagonalMatMul: products of tridiagonal matrices and dense ones.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Three diagonals [..., 1, m] and a matrix [..., m, n].
inline Status TridiagonalMatMulShape(InferenceContext* c) {
  ShapeHandle matrix, batch, other;
  DimensionHandle m, one;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(3), 2, &matrix));
  TENON_RETURN_IF_ERROR(c->Subshape(matrix, 0, -2, &batch));
  m = c->Dim(matrix, -2);
  for (int i = 0; i < 3; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), 2, &other));
    TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(other, -2), 1, &one));
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(other, -1), m, &m));
    TENON_RETURN_IF_ERROR(c->Subshape(other, 0, -2, &other));
    TENON_RETURN_IF_ERROR(c->Merge(batch, other, &batch));
  }
  c->set_output(0, matrix);
  return OkStatus();
}

inline Status CheckDiagonals(OpKernelContext& context, MatrixBatch* rhs) {
  constexpr std::string_view kName = "TridiagonalMatMul";
  constexpr std::string_view kNames[] = {"Superdiagonal", "Main diagonal", "Subdiagonal"};
  TENON_RETURN_IF_ERROR(MatrixBatch::Of(kName, context.input(3).shape(), 3, rhs));
  for (int i = 0; i < 3; ++i) {
    MatrixBatch diagonal;
    TENON_RETURN_IF_ERROR(MatrixBatch::Of(kName, context.input(i).shape(), i, &diagonal));
    if (!(diagonal.batch == rhs->batch))
      return errors::InvalidArgument(kName, ": All input tensors must have the same outer dimensions, got ",
                                     context.input(i).shape(), " and ", context.input(3).shape());
    if (diagonal.rows != 1)
      return errors::InvalidArgument(kName, ": ", kNames[i],
                                     " must be a row-vector, not a matrix: ", context.input(i).shape());
    if (diagonal.columns != rhs->rows)
      return errors::InvalidArgument(kName, ": ", kNames[i], " has ", diagonal.columns, " elements, but rhs has ",
                                     rhs->rows, " rows");
  }
  return OkStatus();
}

// The last of `above` and the first of `below` are not read.
template <class T>
void TridiagonalProduct(const T* above, const T* on, const T* below, const T* b, Index m, Index n, T* out) {
  for (Index i = 0; i < m; ++i, b += n, out += n)
    for (Index j = 0; j < n; ++j) {
      T sum = linalg::Times(on[i], b[j]);
      if (i + 1 < m) sum += linalg::Times(above[i], b[n + j]);
      if (i > 0) sum += linalg::Times(below[i], b[j - n]);
      out[j] = sum;
    }
}

}  // namespace detail

// superdiag, maindiag, subdiag: [..., 1, m], rhs: [..., m, n]  ->  [..., m, n]. The last element of superdiag and the
// first one of subdiag are not read.
struct TridiagonalMatMul {
  static constexpr auto signature = Op("TridiagonalMatMul")
                                        .Input("superdiag: T")
                                        .Input("maindiag: T")
                                        .Input("subdiag: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float, complex64, complex128}")
                                        .SetShapeFn(detail::TridiagonalMatMulShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, In<T> superdiag, In<T> maindiag, In<T> subdiag, In<T> rhs,
                      Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::CheckDiagonals(context.op(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, rhs.shape(), &out));
      if (rhs.size() == 0) return OkStatus();
      const Index m = at.rows, n = at.columns;
      (void)detail::ForEachMatrix(context.device(), at.count, m, n, [&](Cpu&, Index i) {
        detail::TridiagonalProduct(superdiag.data + i * m, maindiag.data + i * m, subdiag.data + i * m,
                                   rhs.data + i * m * n, m, n, out->data<T>() + i * m * n);
        return true;
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseTensorToCSRSparseMatrix, DenseToCSRSparseMatrix, CSRSparseMatrixToSparseTensor, CSRSparseMatrixToDense,
// CSRSparseMatrixComponents, SparseMatrixNNZ.

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/csr_matrix.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// ---- shape functions
inline Status SparseToCsrShape(InferenceContext* c) {
  ShapeHandle indices, values, shape;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &shape));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 2, &shape));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(shape, 3, &shape));
  return SetCsrHandle(c, shape, "T");
}
inline Status DenseToCsrShape(InferenceContext* c) {
  ShapeHandle dense, indices;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &dense));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(dense, 3, &dense));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &indices));
  if (c->RankKnown(dense)) TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(indices, 1), c->Rank(dense), &unused));
  return SetCsrHandle(c, dense, "T");
}
inline Status CsrToSparseShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  const DimensionHandle n = c->UnknownDim();
  const DimensionHandle rank = c->RankKnown(shape) ? c->MakeDim(c->Rank(shape)) : c->UnknownDim();
  c->set_output(0, c->Matrix(n, rank));
  c->set_output(1, c->Vector(n));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}
inline Status CsrToDenseShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  c->set_output(0, shape);
  return OkStatus();
}
inline Status CsrComponentsShape(InferenceContext* c) {
  ShapeHandle shape, unused;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  DimensionHandle rows = c->UnknownDim();
  if (c->RankKnown(shape)) TENON_RETURN_IF_ERROR(c->Add(c->Dim(shape, -2), 1, &rows));
  const DimensionHandle n = c->UnknownDim();
  c->set_output(0, c->Vector(rows));
  c->set_output(1, c->Vector(n));
  c->set_output(2, c->Vector(n));
  return OkStatus();
}
inline Status CsrCountShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(CsrHandleShape(c, 0, &shape));
  if (!c->RankKnown(shape))
    c->set_output(0, c->UnknownShape());
  else
    c->set_output(0, c->Rank(shape) == 2 ? c->Scalar() : c->Vector(c->Dim(shape, 0)));
  return OkStatus();
}

// ---- to matrices
// Batches, rows and columns of elements at these indices, which keep their order.
inline Status PlaceElements(OpKernelContext& context, const Tensor& indices, CSRSparseMatrix* out) {
  const std::string_view op = context.op_kernel().type_string();
  const Index n = indices.dim_size(0), rank = indices.dim_size(1);
  TENON_RETURN_IF_ERROR(MakeCsrElements(context, n, out));
  std::int32_t* const firsts = out->batch_pointers.data<std::int32_t>();
  std::int32_t* const rows = out->row_pointers.data<std::int32_t>();
  const Index batch = out->batch(), row_count = out->rows();
  Index reached = 0;  // batches whose first element is known
  for (Index i = 0; i < n; ++i) {
    const std::int64_t* const place = indices.data<std::int64_t>() + i * rank;
    const std::int64_t b = rank == 2 ? 0 : place[0], row = place[rank - 2], column = place[rank - 1];
    if (column > std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument(op, ": Column index ", column, " is outside of valid range [0, 2^31)");
    for (; reached <= b; ++reached) firsts[reached] = static_cast<std::int32_t>(i);
    ++rows[b * (row_count + 1) + row + 1];
    out->columns.data<std::int32_t>()[i] = static_cast<std::int32_t>(column);
  }
  for (; reached <= batch; ++reached) firsts[reached] = static_cast<std::int32_t>(n);
  for (Index b = 0; b < batch; ++b)
    for (Index r = 0; r < row_count; ++r) rows[b * (row_count + 1) + r + 1] += rows[b * (row_count + 1) + r];
  return OkStatus();
}
inline Status RunSparseToCsr(OpKernelContext& context) {
  constexpr const char* kOp = "SparseTensorToCSRSparseMatrix";
  const SparseInput x = SparseInputAt(context, 0);
  TENON_RETURN_IF_ERROR(CheckSparse(kOp, x));
  if (x.rank() != 2 && x.rank() != 3)
    return errors::InvalidArgument(kOp, ": SparseTensor must have rank 2 or 3; but indices has rank: ", x.rank());
  if (const Index i = FirstOutside(x.rows(), x.sizes()); i >= 0)
    return errors::InvalidArgument(kOp, ": Sparse index tuple indices[", i,
                                   ", :] = ", SizesText(x.rows().Row(i), x.rank()), " is out of bounds of ",
                                   SizesText(x.sizes(), x.rank()));
  CSRSparseMatrix out;
  TENON_RETURN_IF_ERROR(MakeCsr(context, x.values->dtype(), x.sizes(), x.rank(), &out));
  TENON_RETURN_IF_ERROR(PlaceElements(context, *x.indices, &out));
  out.values = *x.values;
  return SetCsrOutput(context, std::move(out));
}
inline Status RunDenseToCsr(OpKernelContext& context) {
  constexpr const char* kOp = "DenseToCSRSparseMatrix";
  const Tensor &dense = context.input(0), &indices = context.input(1);
  const Index rank = dense.dims();
  if (rank != 2 && rank != 3)
    return errors::InvalidArgument(kOp, ": params must have rank == 2 or 3; but saw shape: ", dense.shape());
  if (indices.dims() != 2)
    return errors::InvalidArgument(kOp, ": indices must be a matrix, but saw shape: ", indices.shape());
  if (indices.dim_size(1) != rank)
    return errors::InvalidArgument(
        kOp, ": indices.shape[1] must be equal to the rank of params, but saw: ", indices.dim_size(1), " vs. ", rank);
  std::int64_t sizes[3];
  for (int d = 0; d < rank; ++d) sizes[d] = dense.dim_size(d);
  const SparseRows rows{indices.data<std::int64_t>(), indices.dim_size(0), rank};
  if (const Index i = FirstOutside(rows, sizes); i >= 0)
    return errors::InvalidArgument(kOp, ": indices[", i, "] = ", SizesText(rows.Row(i), rank),
                                   " does not index into param shape ", dense.shape());
  CSRSparseMatrix out;
  TENON_RETURN_IF_ERROR(MakeCsr(context, dense.dtype(), sizes, rank, &out));
  TENON_RETURN_IF_ERROR(PlaceElements(context, indices, &out));
  const ElementMover mover = MoverOf(dense.dtype());
  for (Index i = 0; i < rows.n; ++i) {
    Index at = 0;
    for (Index d = 0; d < rank; ++d) at = at * sizes[d] + rows.Row(i)[d];
    CopyRun(mover, mover.At(dense.raw_data(), at), mover.At(out.values.raw_data(), i), 1);
  }
  return SetCsrOutput(context, std::move(out));
}

// ---- from matrices
inline Status RunCsrToSparse(OpKernelContext& context, DataType dtype) {
  CsrInput in;
  TENON_RETURN_IF_ERROR(in.Get(context, 0));
  const CSRSparseMatrix& x = *in.matrix;
  if (x.dtype != dtype) return WrongCsrType(context, "input", x.dtype, dtype);
  Tensor* indices = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({x.values.NumElements(), x.dims()}), &indices));
  std::int64_t* to = indices->data<std::int64_t>();
  for (Index b = 0; b < x.batch(); ++b)
    for (Index r = 0; r < x.rows(); ++r)
      for (Index i = x.row_starts(b)[r]; i < x.row_starts(b)[r + 1]; ++i) {
        if (x.dims() == 3) *to++ = b;
        *to++ = r;
        *to++ = x.columns_of(b)[i];
      }
  context.set_output(1, x.values);
  context.set_output(2, x.shape);
  return OkStatus();
}
inline Status RunCsrToDense(OpKernelContext& context, DataType dtype) {
  CsrInput in;
  TENON_RETURN_IF_ERROR(in.Get(context, 0));
  const CSRSparseMatrix& x = *in.matrix;
  if (x.dtype != dtype) return WrongCsrType(context, "input", x.dtype, dtype);
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes("CSRSparseMatrixToDense", x.shape.data<std::int64_t>(), x.dims(), &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(dtype);
  Zero(context.device<Cpu>(), mover, out->raw_data(), out->NumElements());
  for (Index b = 0; b < x.batch(); ++b)
    for (Index r = 0; r < x.rows(); ++r)
      for (Index i = x.row_starts(b)[r]; i < x.row_starts(b)[r + 1]; ++i)
        CopyRun(mover, mover.At(x.values.raw_data(), x.first(b) + i),
                mover.At(out->raw_data(), (b * x.rows() + r) * x.width() + x.columns_of(b)[i]), 1);
  return OkStatus();
}
inline Status RunCsrComponents(OpKernelContext& context, DataType dtype) {
  CsrInput in;
  TENON_RETURN_IF_ERROR(in.Get(context, 0, true));
  const CSRSparseMatrix& x = *in.matrix;
  if (x.dtype != dtype) return WrongCsrType(context, "input", x.dtype, dtype);
  const Tensor& index = context.input(1);
  if (index.dims() != 0)
    return errors::InvalidArgument("CSRSparseMatrixComponents: index should be a scalar, but saw: ", index.shape());
  const Index b = index.data<std::int32_t>()[0];
  if (b < 0 || b >= x.batch())
    return errors::InvalidArgument("CSRSparseMatrixComponents: index (", b, ") not in [0, ", x.batch(), ")");
  Tensor *rows = nullptr, *columns = nullptr, *values = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({x.rows() + 1}), &rows));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({x.count(b)}), &columns));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({x.count(b)}), &values));
  const ElementMover ints = MoverOf(DataType::kInt32), mover = MoverOf(dtype);
  CopyRun(ints, x.row_starts(b), rows->raw_data(), x.rows() + 1);
  if (x.count(b) == 0) return OkStatus();
  CopyRun(ints, x.columns_of(b), columns->raw_data(), x.count(b));
  CopyRun(mover, mover.At(x.values.raw_data(), x.first(b)), values->raw_data(), x.count(b));
  return OkStatus();
}
inline Status RunCsrCount(OpKernelContext& context) {
  CsrInput in;
  TENON_RETURN_IF_ERROR(in.Get(context, 0, true));
  const CSRSparseMatrix& x = *in.matrix;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.dims() == 2 ? TensorShape() : TensorShape({x.batch()}), &out));
  for (Index b = 0; b < x.batch(); ++b) out->data<std::int32_t>()[b] = static_cast<std::int32_t>(x.count(b));
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

struct CsrTypeAttrs {
  DataType type;
};

}  // namespace detail

// Elements keep their order, which should be that of their rows.
struct SparseTensorToCSRSparseMatrix {
  static constexpr auto signature = Op("SparseTensorToCSRSparseMatrix")
                                        .Input("indices: int64")
                                        .Input("values: T")
                                        .Input("dense_shape: int64")
                                        .Output("sparse_matrix: variant")
                                        .Attr("T: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::SparseToCsrShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSparseToCsr(context.op());
    }
  };
};

// dense_input: [(batch,) rows, columns]  indices: [n, rank], of the elements to take
struct DenseToCSRSparseMatrix {
  static constexpr auto signature = Op("DenseToCSRSparseMatrix")
                                        .Input("dense_input: T")
                                        .Input("indices: int64")
                                        .Output("sparse_output: variant")
                                        .Attr("T: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::DenseToCsrShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDenseToCsr(context.op());
    }
  };
};

struct CSRSparseMatrixToSparseTensor {
  static constexpr auto signature = Op("CSRSparseMatrixToSparseTensor")
                                        .Input("sparse_matrix: variant")
                                        .Output("indices: int64")
                                        .Output("values: type")
                                        .Output("dense_shape: int64")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::CsrToSparseShape);
  static constexpr auto kernel_types = TypeAttrs();
  using Attrs = detail::CsrTypeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunCsrToSparse(context.op(), this->type);
    }
  };
};

// Elements at the same place: the last one counts.
struct CSRSparseMatrixToDense {
  static constexpr auto signature = Op("CSRSparseMatrixToDense")
                                        .Input("sparse_input: variant")
                                        .Output("dense_output: type")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::CsrToDenseShape);
  static constexpr auto kernel_types = TypeAttrs();
  using Attrs = detail::CsrTypeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunCsrToDense(context.op(), this->type);
    }
  };
};

// The matrix `index` of a batch as row_ptrs: [rows + 1], col_inds: [n], values: [n].
struct CSRSparseMatrixComponents {
  static constexpr auto signature = Op("CSRSparseMatrixComponents")
                                        .Input("csr_sparse_matrix: variant")
                                        .Input("index: int32")
                                        .Output("row_ptrs: int32")
                                        .Output("col_inds: int32")
                                        .Output("values: type")
                                        .Attr("type: {float, double, complex64, complex128}")
                                        .SetShapeFn(detail::CsrComponentsShape);
  static constexpr auto kernel_types = TypeAttrs();
  using Attrs = detail::CsrTypeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunCsrComponents(context.op(), this->type);
    }
  };
};

// The number of elements of each matrix: a scalar, or [batch].
struct SparseMatrixNNZ {
  static constexpr auto signature =
      Op("SparseMatrixNNZ").Input("sparse_matrix: variant").Output("nnz: int32").SetShapeFn(detail::CsrCountShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction&) { return detail::RegisterCsrMatrix(); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunCsrCount(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

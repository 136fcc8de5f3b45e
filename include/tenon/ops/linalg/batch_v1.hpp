// SPDX-License-Identifier: Apache-2.0
#pragma once
// BatchCholesky, BatchMatrixInverse and the like: names that linear algebra of batches had in graphs of version 12 and
// before. They run the kernels of the ops without "Batch". SelfAdjointEig is older than SelfAdjointEigV2.

#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/linalg/batches.hpp>
#include <tenon/ops/linalg/factor.hpp>
#include <tenon/ops/linalg/solve.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The kernel of SelfAdjointEig and BatchSelfAdjointEig.
template <class Device, class T>
struct SelfAdjointEigV1 {
  Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
    MatrixBatch at;
    TENON_RETURN_IF_ERROR(MatrixBatch::OfSquare("SelfAdjointEig", input.shape(), &at));
    const Index n = at.rows;
    TensorShape shape = input.shape();
    shape.set_dim(shape.dims() - 2, n + 1);
    Tensor* out = &output;
    TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
    if (shape.num_elements() == 0) return OkStatus();
    if (ForEachMatrix(context.device(), at.count, 8 * n, n, [&](Cpu& device, Index i) {
          T* const to = out->data<T>() + i * n * (n + 1);
          return EigenOf(device, input.data + i * n * n, n, to, to + n);
        }))
      return OkStatus();
    return errors::InvalidArgument(
        "SelfAdjointEig: Self-adjoint eigen decomposition was not successful. The input might not be valid.");
  }
};

// input: [..., n, n]  ->  [..., n + 1, n]
inline Status SelfAdjointEigV1Shape(InferenceContext* c) {
  ShapeHandle input, batch, out;
  DimensionHandle n, rows;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, -2), c->Dim(input, -1), &n));
  TENON_RETURN_IF_ERROR(c->Subshape(input, 0, -2, &batch));
  TENON_RETURN_IF_ERROR(c->Add(n, 1, &rows));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, n), &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

// input: [..., n, n], Hermitian  ->  [..., n + 1, n]: the eigenvalues, ascending, and below them the vectors as columns
struct SelfAdjointEig {
  static constexpr auto signature = Op("SelfAdjointEig")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float, half}")
                                        .Deprecated(11, "Use SelfAdjointEigV2 instead.")
                                        .SetShapeFn(detail::SelfAdjointEigV1Shape);
  template <class Device, class T>
    requires(Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>))
  using kernel = detail::SelfAdjointEigV1<Device, T>;
};

struct BatchSelfAdjointEig {
  static constexpr auto signature = Op("BatchSelfAdjointEig")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float}")
                                        .Deprecated(11, "Use SelfAdjointEigV2 instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device, class T>
    requires(Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>))
  using kernel = detail::SelfAdjointEigV1<Device, T>;
};

struct BatchCholesky {
  static constexpr auto signature = Op("BatchCholesky")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float}")
                                        .Deprecated(13, "Use Cholesky instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = Cholesky::kernel<Device, T>;
};

struct BatchCholeskyGrad {
  static constexpr auto signature = Op("BatchCholeskyGrad")
                                        .Input("l: T")
                                        .Input("grad: T")
                                        .Output("output: T")
                                        .Attr("T: {float, double}")
                                        .Deprecated(13, "Use CholeskyGrad instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = CholeskyGrad::kernel<Device, T>;
};

struct BatchMatrixDeterminant {
  static constexpr auto signature = Op("BatchMatrixDeterminant")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {float, double, complex64, complex128}")
                                        .Deprecated(13, "Use MatrixDeterminant instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = MatrixDeterminant::kernel<Device, T>;
};

struct BatchMatrixInverse {
  static constexpr auto signature = Op("BatchMatrixInverse")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float}")
                                        .Deprecated(13, "Use MatrixInverse instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = MatrixInverse::Attrs;
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = MatrixInverse::kernel<Device, T>;
};

struct BatchMatrixSolve {
  static constexpr auto signature = Op("BatchMatrixSolve")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float}")
                                        .Deprecated(13, "Use MatrixSolve instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = MatrixSolve::Attrs;
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  using kernel = MatrixSolve::kernel<Device, T>;
};

struct BatchMatrixTriangularSolve {
  static constexpr auto signature = Op("BatchMatrixTriangularSolve")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Output("output: T")
                                        .Attr("lower: bool = true")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float}")
                                        .Deprecated(13, "Use MatrixTriangularSolve instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = MatrixTriangularSolve::Attrs;
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  using kernel = MatrixTriangularSolve::kernel<Device, T>;
};

struct BatchMatrixSolveLs {
  static constexpr auto signature = Op("BatchMatrixSolveLs")
                                        .Input("matrix: T")
                                        .Input("rhs: T")
                                        .Input("l2_regularizer: double")
                                        .Output("output: T")
                                        .Attr("T: {double, float}")
                                        .Attr("fast: bool = true")
                                        .Deprecated(13, "Use MatrixSolveLs instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = MatrixSolveLs::Attrs;
  template <class Device, class T>
    requires detail::SolvesSystems<Device, T>
  using kernel = MatrixSolveLs::kernel<Device, T>;
};

struct BatchSelfAdjointEigV2 {
  static constexpr auto signature = Op("BatchSelfAdjointEigV2")
                                        .Input("input: T")
                                        .Output("e: T")
                                        .Output("v: T")
                                        .Attr("compute_v: bool = true")
                                        .Attr("T: {double, float}")
                                        .Deprecated(13, "Use SelfAdjointEigV2 instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = SelfAdjointEigV2::Attrs;
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = SelfAdjointEigV2::kernel<Device, T>;
};

struct BatchSvd {
  static constexpr auto signature = Op("BatchSvd")
                                        .Input("input: T")
                                        .Output("s: T")
                                        .Output("u: T")
                                        .Output("v: T")
                                        .Attr("compute_uv: bool = true")
                                        .Attr("full_matrices: bool = false")
                                        .Attr("T: {double, float, complex64, complex128}")
                                        .Deprecated(13, "Use Svd instead.")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = Svd::Attrs;
  template <class Device, class T>
    requires detail::Factors<Device, T>
  using kernel = Svd::kernel<Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

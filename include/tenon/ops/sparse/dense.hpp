// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseTensorDenseAdd, SparseDenseCwiseAdd, -Mul, -Div: a sparse tensor and a dense one, element by element.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DenseAddShape(InferenceContext* c) {
  c->set_output(0, c->input(3));
  return OkStatus();
}
inline Status SparseDenseCwiseShape(InferenceContext* c) {
  ShapeHandle indices;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  c->set_output(0, c->Vector(c->Dim(indices, 0)));
  return OkStatus();
}

inline std::int64_t IndexOf(const Tensor& t, Index i) {
  return t.dtype() == DataType::kInt32 ? t.data<std::int32_t>()[i] : t.data<std::int64_t>()[i];
}
inline constexpr int kMaxSparseDenseRank = 5;  // TensorFlow's kernels end there
inline Status CheckSparseDenseRank(std::string_view op, Index rank) {
  if (rank >= 1 && rank <= kMaxSparseDenseRank) return OkStatus();
  return errors::InvalidArgument(op, ": Only tensors with ranks between 1 and ", kMaxSparseDenseRank,
                                 " are currently supported.  Tensor rank: ", rank);
}

inline Status CheckDenseAdd(const Tensor& indices, const Tensor& values, const Tensor& shape, const Tensor& dense) {
  constexpr const char* kOp = "SparseTensorDenseAdd";
  if (indices.dims() != 2)
    return errors::InvalidArgument(kOp, ": Input a_indices should be a matrix but received shape: ", indices.shape());
  if (values.dims() != 1 || shape.dims() != 1)
    return errors::InvalidArgument(kOp, ": Inputs a_values and a_shape should be vectors but received shapes: ",
                                   values.shape(), " and ", shape.shape());
  if (shape.NumElements() != dense.dims())
    return errors::InvalidArgument(kOp, ": Two operands have different ranks; received: ", shape.NumElements(), " and ",
                                   dense.dims());
  for (int d = 0; d < dense.dims(); ++d)
    if (IndexOf(shape, d) != dense.dim_size(d))
      return errors::InvalidArgument(kOp, ": Dimension ", d,
                                     " does not equal (no broadcasting is supported): ", "sparse side ",
                                     IndexOf(shape, d), " vs dense side ", dense.dim_size(d));
  if (indices.dim_size(0) != values.dim_size(0))
    return errors::InvalidArgument(kOp, ": Dimensions ", indices.dim_size(0), " and ", values.dim_size(0),
                                   " are not compatible (rows of a_indices, a_values)");
  if (indices.dim_size(1) != shape.dim_size(0))
    return errors::InvalidArgument(kOp, ": Dimensions ", indices.dim_size(1), " and ", shape.dim_size(0),
                                   " are not compatible (columns of a_indices, a_shape)");
  return CheckSparseDenseRank(kOp, dense.dims());
}

inline Status RunDenseAdd(OpKernelContext& context, Cpu& device, const Tensor& indices, const Tensor& values,
                          const Tensor& shape, const Tensor& dense, Tensor* output) {
  TENON_RETURN_IF_ERROR(CheckDenseAdd(indices, values, shape, dense));
  const Index rank = dense.dims(), n = values.NumElements();
  SlimVector<Index> places;
  places.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    Index place = 0;
    for (Index d = 0; d < rank; ++d) {
      const std::int64_t x = IndexOf(indices, i * rank + d), size = dense.dim_size(static_cast<int>(d));
      if (x < 0 || x >= size)
        return errors::InvalidArgument("SparseTensorDenseAdd: Sparse tensor has an invalid index on dimension ", d,
                                       ": a_indices(", i, ",", d, ") = ", x, ", dense tensor shape: ", dense.shape());
      place = place * size + x;
    }
    places.push_back(place);
  }
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({3}, 0, dense.shape(), &output));
  const ElementMover mover = MoverOf(dense.dtype());
  if (output->raw_data() != dense.raw_data())
    Copy(device, mover, dense.raw_data(), output->raw_data(), dense.NumElements());
  const ElementMath& math = *ElementMathOf(dense.dtype());
  for (Index i = 0; i < n; ++i) {
    char* const at = mover.At(output->raw_data(), places[static_cast<std::size_t>(i)]);
    math.add(at, mover.At(values.raw_data(), i), at, 1);
  }
  return OkStatus();
}

inline Status CheckSparseDense(std::string_view op, const SparseInput& x, TensorShape* shape) {
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(op,
                                   ": Input sp_indices should be a matrix but received shape: ", x.indices->shape());
  if (x.values->dims() != 1 || x.shape->dims() != 1)
    return errors::InvalidArgument(op, ": Inputs sp_values and sp_shape should be vectors but received shapes: ",
                                   x.values->shape(), " and ", x.shape->shape());
  if (x.shape->NumElements() < 1)
    return errors::InvalidArgument(op, ": The shape argument requires at least one element.");
  if (x.indices->dim_size(0) != x.values->dim_size(0))
    return errors::InvalidArgument(op, ": The first dimension of values and indices should match. (",
                                   x.values->dim_size(0), " vs. ", x.indices->dim_size(0), ")");
  if (x.indices->dim_size(1) != x.shape->dim_size(0))
    return errors::InvalidArgument(op, ": Number of dimensions must match second dimension of indices. Got ",
                                   x.shape->dim_size(0), " dimensions, indices shape: ", x.indices->shape());
  return ShapeOfSizes(op, x.sizes(), x.rank(), shape);
}

// values[i] op dense at its place, dense broadcast to the sparse shape.
inline Status RunSparseDense(OpKernelContext& context, ElementMath::Loop ElementMath::* loop, bool divides,
                             const Tensor& dense, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  const SparseInput x = SparseInputAt(context, 0);
  TensorShape shape;
  TENON_RETURN_IF_ERROR(CheckSparseDense(op, x, &shape));
  const int rank = shape.dims(), skipped = rank - dense.dims();
  bool fits = skipped >= 0;
  for (int d = 0; d < dense.dims() && fits; ++d)
    fits = dense.dim_size(d) == 1 || dense.dim_size(d) == shape.dim_size(skipped + d);
  if (!fits)
    return errors::InvalidArgument(op, ": SparseDenseBinaryOpShared broadcasts dense to sparse only; got ",
                                   "incompatible shapes: ", shape, " vs. ", dense.shape());
  TENON_RETURN_IF_ERROR(CheckSparseDenseRank(op, rank));
  const SparseRows rows = x.rows();
  if (const Index i = FirstOutside(rows, x.sizes()); i >= 0)
    return errors::InvalidArgument(op, ": Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape ",
                                   shape, ", indices[", i, "] = ", SizesText(rows.Row(i), rank));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.values->shape(), &output));
  if (rows.n == 0) return OkStatus();
  Tensor there;  // the dense elements at the places
  TENON_RETURN_IF_ERROR(context.allocate_temp(dense.dtype(), x.values->shape(), &there));
  const ElementMover mover = MoverOf(dense.dtype());
  for (Index i = 0; i < rows.n; ++i) {
    Index place = 0;
    for (int d = 0; d < dense.dims(); ++d)
      place = place * dense.dim_size(d) + (dense.dim_size(d) == 1 ? 0 : rows.Row(i)[skipped + d]);
    CopyRun(mover, mover.At(dense.raw_data(), place), mover.At(there.raw_data(), i), 1);
  }
  const ElementMath& math = *ElementMathOf(dense.dtype());
  if (divides && math.has_zero(there.raw_data(), rows.n))
    return errors::InvalidArgument(op, ": SparseDenseCwiseDiv cannot divide by zero, ",
                                   "but input dense tensor contains zero");
  (math.*loop)(x.values->raw_data(), there.raw_data(), output->raw_data(), rows.n);
  return OkStatus();
}

// The kernel of all three.
template <class Device, ElementMath::Loop ElementMath::* kLoop, bool kDivides>
struct SparseDenseKernel {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kSparseRealTypes); }
  Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& dense,
                    Tensor& output) const {
    return RunSparseDense(context.op(), kLoop, kDivides, dense, &output);
  }
};

}  // namespace detail

// A dense tensor with the stored elements added to it; those at the same place add up.
struct SparseTensorDenseAdd {
  static constexpr auto signature =
      Op("SparseTensorDenseAdd")
          .Input("a_indices: Tindices")
          .Input("a_values: T")
          .Input("a_shape: Tindices")
          .Input("b: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("Tindices: {int32, int64}")
          .SetShapeFn(detail::DenseAddShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), detail::kSparseNumberTypes); }
    Status operator()(Context<Device>& context, const Tensor& indices, const Tensor& values, const Tensor& shape,
                      const Tensor& b, Tensor& output) const {
      return detail::RunDenseAdd(context.op(), context.device(), indices, values, shape, b, &output);
    }
  };
};

// The stored elements of the sum: dense elements that meet none are left out.
struct SparseDenseCwiseAdd {
  static constexpr auto signature =
      Op("SparseDenseCwiseAdd")
          .Input("sp_indices: int64")
          .Input("sp_values: T")
          .Input("sp_shape: int64")
          .Input("dense: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseDenseCwiseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseDenseKernel<Device, &ElementMath::add, false> {};
};

// The stored elements of the product.
struct SparseDenseCwiseMul {
  static constexpr auto signature =
      Op("SparseDenseCwiseMul")
          .Input("sp_indices: int64")
          .Input("sp_values: T")
          .Input("sp_shape: int64")
          .Input("dense: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseDenseCwiseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseDenseKernel<Device, &ElementMath::multiply, false> {};
};

// The stored elements of the quotient; a zero among the divisors is refused, also a floating one.
struct SparseDenseCwiseDiv {
  static constexpr auto signature =
      Op("SparseDenseCwiseDiv")
          .Input("sp_indices: int64")
          .Input("sp_values: T")
          .Input("sp_shape: int64")
          .Input("dense: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseDenseCwiseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseDenseKernel<Device, &ElementMath::divide, true> {};
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

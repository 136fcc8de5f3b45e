// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseAdd and its gradient, SparseSparseMaximum, SparseSparseMinimum: two sparse tensors, element by element.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

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

inline Status SparseAddShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  c->set_output(0, c->Matrix(c->UnknownDim(), c->Dim(shape, 0)));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, shape);
  return OkStatus();
}
inline Status SparseAddGradShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &b));
  c->set_output(0, c->Vector(c->Dim(a, 0)));
  c->set_output(1, c->Vector(c->Dim(b, 0)));
  return OkStatus();
}
inline Status SparseSparseShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  TENON_RETURN_IF_ERROR(SparseRanks(c, 3));
  c->set_output(0, c->Matrix(c->UnknownDim(), c->UnknownDim()));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// One element of the union of two sparse tensors in order: its row in each, or -1.
struct SparsePair {
  Index a, b;
};
inline SlimVector<SparsePair> MergeRows(const SparseRows& a, const SparseRows& b) {
  SlimVector<SparsePair> pairs;
  Index i = 0, j = 0;
  while (i < a.n || j < b.n) {
    const int order = i == a.n ? 1 : j == b.n ? -1 : CompareRows(a.Row(i), b.Row(j), a.rank);
    pairs.push_back({order <= 0 ? i : -1, order >= 0 ? j : -1});
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
  return pairs;
}
// Output 0: their rows.
inline Status TakePairRows(OpKernelContext& context, const SparseRows& a, const SparseRows& b,
                           const SlimVector<SparsePair>& pairs) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({static_cast<Index>(pairs.size()), a.rank}), &out));
  std::int64_t* to = out->data<std::int64_t>();
  for (const SparsePair& pair : pairs)
    for (Index d = 0; d < a.rank; ++d) *to++ = pair.a >= 0 ? a.Row(pair.a)[d] : b.Row(pair.b)[d];
  return OkStatus();
}

inline Status CheckSameShapes(std::string_view op, const SparseInput& a, const SparseInput& b) {
  for (Index d = 0; d < a.rank(); ++d)
    if (a.sizes()[d] != b.sizes()[d])
      return errors::InvalidArgument(op, ": Operands' shapes do not match: got ", a.sizes()[d], " and ", b.sizes()[d],
                                     " for dimension ", d);
  return OkStatus();
}

inline Status CheckSparseAdd(const SparseInput& a, const SparseInput& b, const Tensor& threshold) {
  constexpr const char* kOp = "SparseAdd";
  if (a.indices->dims() != 2 || b.indices->dims() != 2)
    return errors::InvalidArgument(kOp, ": Input indices should be matrices but received shapes: ", a.indices->shape(),
                                   " and ", b.indices->shape());
  if (a.values->dims() != 1 || b.values->dims() != 1)
    return errors::InvalidArgument(kOp, ": Input values should be vectors but received shapes: ", a.values->shape(),
                                   " and ", b.values->shape());
  const Index n = a.indices->dim_size(0), m = b.indices->dim_size(0);
  if (a.values->dim_size(0) != n || b.values->dim_size(0) != m)
    return errors::InvalidArgument(kOp, ": Expected ", n, " and ", m, " non-empty input values, got ",
                                   a.values->dim_size(0), " and ", b.values->dim_size(0));
  if (a.shape->dims() != 1 || b.shape->dims() != 1)
    return errors::InvalidArgument(kOp, ": Input shapes should be a vector but received shapes ", a.shape->shape(),
                                   " and ", b.shape->shape());
  if (a.rank() != b.rank())
    return errors::InvalidArgument(kOp, ": Operands do not have the same ranks; got shapes: ",
                                   SizesText(a.sizes(), a.rank()), " and ", SizesText(b.sizes(), b.rank()));
  TENON_RETURN_IF_ERROR(CheckSameShapes(kOp, a, b));
  if (threshold.dims() != 0)
    return errors::InvalidArgument(kOp, ": The magnitude threshold must be a scalar: got shape ", threshold.shape());
  if (a.rank() == 0) return errors::InvalidArgument(kOp, ": Tensors must not be empty: they need a dimension at least");
  if (a.indices->dim_size(1) != b.indices->dim_size(1) || a.indices->dim_size(1) != a.rank())
    return errors::InvalidArgument(kOp, ": Input indices must have the same dimension, got ", a.indices->dim_size(1),
                                   " and ", b.indices->dim_size(1), " for shapes of rank ", a.rank());
  return OkStatus();
}

// A real number, as a double (of 64-bit integers the nearest).
inline double RealNumber(const Tensor& t, Index i) {
  const void* data = t.raw_data();
  switch (t.dtype()) {
    case DataType::kHalf: return static_cast<double>(static_cast<float>(static_cast<const half*>(data)[i]));
    case DataType::kBfloat16: return static_cast<double>(static_cast<float>(static_cast<const bfloat16*>(data)[i]));
    case DataType::kFloat: return static_cast<double>(static_cast<const float*>(data)[i]);
    case DataType::kDouble: return static_cast<const double*>(data)[i];
    case DataType::kInt8: return static_cast<double>(static_cast<const std::int8_t*>(data)[i]);
    case DataType::kUint8: return static_cast<double>(static_cast<const std::uint8_t*>(data)[i]);
    case DataType::kInt16: return static_cast<double>(static_cast<const std::int16_t*>(data)[i]);
    case DataType::kUint16: return static_cast<double>(static_cast<const std::uint16_t*>(data)[i]);
    case DataType::kInt32: return static_cast<double>(static_cast<const std::int32_t*>(data)[i]);
    case DataType::kUint32: return static_cast<double>(static_cast<const std::uint32_t*>(data)[i]);
    case DataType::kInt64: return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
    case DataType::kUint64: return static_cast<double>(static_cast<const std::uint64_t*>(data)[i]);
    case DataType::kComplex64: {
      const float* x = static_cast<const float*>(data) + 2 * i;
      return static_cast<double>(std::hypot(x[0], x[1]));
    }
    default: {
      const double* x = static_cast<const double*>(data) + 2 * i;
      return std::hypot(x[0], x[1]);
    }
  }
}

}  // namespace detail

// The sum of two sparse tensors whose elements are in order. Sums of two stored elements whose magnitude is less than
// thresh are left out.
struct SparseAdd {
  static constexpr auto signature =
      Op("SparseAdd")
          .Input("a_indices: int64")
          .Input("a_values: T")
          .Input("a_shape: int64")
          .Input("b_indices: int64")
          .Input("b_values: T")
          .Input("b_shape: int64")
          .Input("thresh: Treal")
          .Output("sum_indices: int64")
          .Output("sum_values: T")
          .Output("sum_shape: int64")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(detail::SparseAddShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor& thresh, Tensor&, Tensor& sum, Tensor&) const {
      return Run(context.op(), thresh, &sum);
    }
  };

  static constexpr DataTypeSet kTypes = ToSet(DataType::kFloat) | ToSet(DataType::kDouble) | ToSet(DataType::kInt8) |
                                        ToSet(DataType::kInt16) | ToSet(DataType::kInt32) | ToSet(DataType::kInt64) |
                                        kComplexTypes;

 private:
  static Status Run(OpKernelContext& context, const Tensor& thresh, Tensor* sum) {
    const detail::SparseInput a = detail::SparseInputAt(context, 0), b = detail::SparseInputAt(context, 3);
    TENON_RETURN_IF_ERROR(detail::CheckSparseAdd(a, b, thresh));
    const SlimVector<detail::SparsePair> merged = detail::MergeRows(a.rows(), b.rows());
    Tensor sums;
    TENON_RETURN_IF_ERROR(
        context.allocate_temp(a.values->dtype(), TensorShape({static_cast<Index>(merged.size())}), &sums));
    const ElementMover mover = MoverOf(sums.dtype());
    const ElementMath& math = *ElementMathOf(sums.dtype());
    const double least = detail::RealNumber(thresh, 0);
    SlimVector<detail::SparsePair> kept;
    for (const detail::SparsePair& pair : merged) {
      const auto i = static_cast<Index>(kept.size());
      void* const to = mover.At(sums.raw_data(), i);
      if (pair.a >= 0 && pair.b >= 0) {
        math.add(mover.At(a.values->raw_data(), pair.a), mover.At(b.values->raw_data(), pair.b), to, 1);
        if (!(least <= std::abs(detail::RealNumber(sums, i)))) continue;
      } else {
        CopyRun(mover, pair.a >= 0 ? mover.At(a.values->raw_data(), pair.a) : mover.At(b.values->raw_data(), pair.b),
                to, 1);
      }
      kept.push_back(pair);
    }
    TENON_RETURN_IF_ERROR(detail::TakePairRows(context, a.rows(), b.rows(), kept));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({static_cast<Index>(kept.size())}), &sum));
    CopyRun(mover, sums.raw_data(), sum->raw_data(), static_cast<Index>(kept.size()));
    context.set_output(2, *a.shape);
    return OkStatus();
  }
};

// backprop_val_grad: [s], of the elements of a sum  ->  gradients of the elements of a and b, 0 where the sum was left
// out. All indices in order.
struct SparseAddGrad {
  static constexpr auto signature =
      Op("SparseAddGrad")
          .Input("backprop_val_grad: T")
          .Input("a_indices: int64")
          .Input("b_indices: int64")
          .Input("sum_indices: int64")
          .Output("a_val_grad: T")
          .Output("b_val_grad: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseAddGradShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), SparseAdd::kTypes); }
    Status operator()(Context<Device>& context, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& sum,
                      Tensor&, Tensor&) const {
      return Run(context.op(), grad, a, b, sum);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& sum) {
    if (a.dims() != 2 || b.dims() != 2 || sum.dims() != 2)
      return errors::InvalidArgument("SparseAddGrad: Input indices should be matrices but received shapes: ", a.shape(),
                                     " and ", b.shape(), " and ", sum.shape());
    if (grad.dims() != 1)
      return errors::InvalidArgument("SparseAddGrad: Input backprop_val_grad should be a vector but received shape: ",
                                     grad.shape());
    const Index rank = a.dim_size(1);
    if (b.dim_size(1) != rank || sum.dim_size(1) != rank)
      return errors::InvalidArgument("SparseAddGrad: The densified operands should have the same ndims; for A, B, sum ",
                                     "got: ", rank, ", ", b.dim_size(1), ", ", sum.dim_size(1));
    if (grad.NumElements() != sum.dim_size(0))
      return errors::InvalidArgument("SparseAddGrad: # elements of backprop_val_grad and # rows of sum_indices should ",
                                     "match (#nnz of sum): got ", grad.NumElements(), " and ", sum.dim_size(0));
    const SparseRows sums{sum.data<std::int64_t>(), sum.dim_size(0), rank};
    const ElementMover mover = MoverOf(grad.dtype());
    for (int operand = 0; operand < 2; ++operand) {
      const Tensor& indices = operand == 0 ? a : b;
      const SparseRows rows{indices.data<std::int64_t>(), indices.dim_size(0), rank};
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(operand, TensorShape({rows.n}), &out));
      ZeroRun(mover, out->raw_data(), rows.n);
      for (Index i = 0, k = 0; i < rows.n && k < sums.n;) {
        const int order = CompareRows(rows.Row(i), sums.Row(k), rank);
        if (order == 0) CopyRun(mover, mover.At(grad.raw_data(), k), mover.At(out->raw_data(), i), 1);
        i += order <= 0 ? 1 : 0;
        k += order >= 0 ? 1 : 0;
      }
    }
    return OkStatus();
  }
};

namespace detail {

// The larger or smaller of two sparse tensors; an element that one of them does not store is 0 there.
inline Status RunSparseSparse(OpKernelContext& context, ElementMath::Loop ElementMath::* loop, Tensor* values) {
  const std::string_view op = context.op_kernel().def().op;
  const SparseInput a = SparseInputAt(context, 0), b = SparseInputAt(context, 3);
  TENON_RETURN_IF_ERROR(CheckSparse(op, a));
  TENON_RETURN_IF_ERROR(CheckSparse(op, b));
  if (a.rank() != b.rank())
    return errors::InvalidArgument(op, ": Operands do not have the same ranks; got shapes: ",
                                   SizesText(a.sizes(), a.rank()), " and ", SizesText(b.sizes(), b.rank()));
  TENON_RETURN_IF_ERROR(CheckSameShapes(op, a, b));
  for (const SparseInput* x : {&a, &b})
    if (const Index i = FirstOutside(x->rows(), x->sizes()); i >= 0)
      return errors::InvalidArgument(op, ": Sparse index tuple indices[", i,
                                     ", :] = ", SizesText(x->rows().Row(i), x->rank()), " is out of bounds of ",
                                     SizesText(x->sizes(), x->rank()));
  const SlimVector<SparsePair> merged = MergeRows(a.rows(), b.rows());
  TENON_RETURN_IF_ERROR(TakePairRows(context, a.rows(), b.rows(), merged));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({static_cast<Index>(merged.size())}), &values));
  const ElementMover mover = MoverOf(values->dtype());
  const ElementMath& math = *ElementMathOf(values->dtype());
  const std::uint64_t zero = 0;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const void* const x =
        merged[i].a >= 0 ? mover.At(a.values->raw_data(), merged[i].a) : static_cast<const void*>(&zero);
    const void* const y =
        merged[i].b >= 0 ? mover.At(b.values->raw_data(), merged[i].b) : static_cast<const void*>(&zero);
    (math.*loop)(x, y, mover.At(values->raw_data(), static_cast<Index>(i)), 1);
  }
  return OkStatus();
}
template <class Device, ElementMath::Loop ElementMath::* kLoop>
struct SparseSparseKernel {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kSparseRealTypes); }
  Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, Tensor&, Tensor& values) const {
    return RunSparseSparse(context.op(), kLoop, &values);
  }
};

}  // namespace detail

struct SparseSparseMaximum {
  static constexpr auto signature =
      Op("SparseSparseMaximum")
          .Input("a_indices: int64")
          .Input("a_values: T")
          .Input("a_shape: int64")
          .Input("b_indices: int64")
          .Input("b_values: T")
          .Input("b_shape: int64")
          .Output("output_indices: int64")
          .Output("output_values: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(detail::SparseSparseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseSparseKernel<Device, &ElementMath::largest> {};
};

struct SparseSparseMinimum {
  static constexpr auto signature =
      Op("SparseSparseMinimum")
          .Input("a_indices: int64")
          .Input("a_values: T")
          .Input("a_shape: int64")
          .Input("b_indices: int64")
          .Input("b_values: T")
          .Input("b_shape: int64")
          .Output("output_indices: int64")
          .Output("output_values: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseSparseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseSparseKernel<Device, &ElementMath::smallest> {};
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

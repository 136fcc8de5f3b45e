// SPDX-License-Identifier: Apache-2.0
#pragma once
// Select and SelectV2: elements of one tensor or another, as a condition says.

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/elementwise/select.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The types that TensorFlow has kernels for.
TENON_DETAIL_COLD inline Status NoSelectKernel(std::string_view op, DataType dtype) {
  return errors::InvalidArgument("no kernel for op '", op, "' on CPU with types {", dtype, "}");
}
inline bool IsSelectable(DataType dtype) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
    case DataType::kUint64:
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kFloat:
    case DataType::kDouble:
    case DataType::kComplex64:
    case DataType::kComplex128:
    case DataType::kString:
    case DataType::kResource:
    case DataType::kVariant: return true;
    default: return false;
  }
}
// Output 0 of the running kernel = condition ? t : e; the shapes broadcast to `shape`.
template <class Device>
Status SelectInto(OpKernelContext& context, Device& device, const TensorShape& condition_shape,
                  const TensorShape& shape) {
  const Tensor &condition = context.input(0), &t = context.input(1), &e = context.input(2);
  const bool* const chosen = static_cast<const bool*>(condition.raw_data());
  const TensorShape t_shape = t.shape(), e_shape = e.shape();
  const void* const yes = t.raw_data();
  const void* const no = e.raw_data();
  const DataType dtype = t.dtype();
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  return Select(device, dtype, chosen, condition_shape, yes, t_shape, no, e_shape, output->raw_data(), shape);
}

}  // namespace detail

// t, e: one shape  ->  the same. condition: that shape too, or a scalar, or a vector that chooses among the first
// dimension's slices.
struct Select {
  static constexpr auto signature =
      Op("Select")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle data, condition = c->input(0);
            TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &data));
            if (c->RankKnown(condition) && c->RankKnown(data)) {
              const int rank = c->Rank(condition);
              if (rank == 1 && c->Rank(data) != 0) {
                TENON_RETURN_IF_ERROR(c->Merge(condition, c->Vector(c->Dim(data, 0)), &condition));
              } else if (rank != 0) {
                TENON_RETURN_IF_ERROR(c->Merge(data, condition, &data));
              }
            }
            c->set_output(0, data);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(1), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& condition, const Tensor& t, const Tensor& e,
                      Tensor& output) const {
      return Run(context.op(), context.device(), condition, t, e, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& condition, const Tensor& t, const Tensor& e,
                    Tensor* output) {
    if (!detail::IsSelectable(t.dtype())) return detail::NoSelectKernel("Select", t.dtype());
    const TensorShape &shape = t.shape(), &chosen = condition.shape();
    if (!(shape == e.shape()))
      return errors::InvalidArgument("Select: 't' and 'e' must have the same size and shape, got ", shape, " and ",
                                     e.shape());
    if (chosen.dims() == 0 && Device::type != "CPU")  // the condition is not on the host
      return detail::SelectInto(context, device, chosen, shape);
    if (chosen.dims() == 0) {
      *output = *static_cast<const bool*>(condition.raw_data()) ? t : e;
      return OkStatus();
    }
    if (chosen == shape) return detail::SelectInto(context, device, chosen, shape);
    if (chosen.dims() != 1)
      return errors::InvalidArgument(
          "Select: 'condition' must have the same size and shape as 't', or be a scalar or "
          "a vector, got ",
          chosen, " and ", shape);
    if (shape.dims() < 1)
      return errors::InvalidArgument("Select: 't' must be at least a vector, but saw shape: ", shape);
    if (shape.dim_size(0) != chosen.dim_size(0))
      return errors::InvalidArgument("Select: Number of batches of 't' must match size of 'condition', but saw: ",
                                     shape.dim_size(0), " vs. ", chosen.dim_size(0));
    TensorShape column = chosen;  // [n, 1, 1, ...]
    for (int d = 1; d < shape.dims(); ++d) column.AddDim(1);
    return detail::SelectInto(context, device, column, shape);
  }
};

// condition, t, e, broadcast against each other  ->  their common shape
struct SelectV2 {
  static constexpr auto signature =
      Op("SelectV2")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            using shape_inference::BroadcastBinaryOpOutputShapeFnHelper;
            ShapeHandle out;
            TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(1), c->input(2), true, &out));
            TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, out, c->input(0), true, &out));
            c->set_output(0, out);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(1), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& condition, const Tensor& t, const Tensor& e,
                      Tensor&) const {
      if (!detail::IsSelectable(t.dtype())) return detail::NoSelectKernel("SelectV2", t.dtype());
      TensorShape shape;
      TENON_RETURN_IF_ERROR(Common(condition.shape(), t.shape(), e.shape(), &shape));
      return detail::SelectInto(context.op(), context.device(), condition.shape(), shape);
    }
  };

 private:
  static Status Common(const TensorShape& condition, const TensorShape& t, const TensorShape& e, TensorShape* shape) {
    TensorShape data;
    if (BroadcastShape(t, e, &data).ok() && BroadcastShape(data, condition, shape).ok()) return OkStatus();
    return errors::InvalidArgument("SelectV2: condition ", condition, ", then ", t, ", and else ", e,
                                   " must be broadcastable");
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

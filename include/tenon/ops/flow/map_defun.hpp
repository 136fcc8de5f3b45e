// SPDX-License-Identifier: Apache-2.0
#pragma once
// MapDefun: a function for each row of its arguments.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/flow/functional.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status MapDefunShape(InferenceContext* c) {
  SlimVector<PartialTensorShape> shapes;
  SlimVector<DataType> arguments;
  TENON_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  TENON_RETURN_IF_ERROR(c->GetAttr("Targuments", &arguments));
  if (static_cast<int>(shapes.size()) != c->num_outputs())
    return errors::InvalidArgument("`output_shapes` must be the same length as `output_types` (", shapes.size(),
                                   " vs. ", c->num_outputs(), ")");
  DimensionHandle rows = c->UnknownDim();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ShapeHandle input = c->input(static_cast<int>(i));
    if (!c->RankKnown(input)) continue;
    if (c->Rank(input) == 0)
      return errors::InvalidArgument("Arguments must have rank at least 1. Input ", i, " has rank of 0.");
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, 0), rows, &rows));
  }
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle row, out;
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[static_cast<std::size_t>(i)], &row));
    TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(rows), row, &out));
    c->set_output(i, out);
  }
  return OkStatus();
}

class MapDefunKernel : public CallingKernel {
 public:
  explicit MapDefunKernel(OpKernelConstruction* c) : CallingKernel(c) {
    SlimVector<DataType> types;
    Find(c, "f", &function_);
    c->SetStatus(c->GetAttr("output_shapes", &shapes_));
    c->SetStatus(c->GetAttr("Targuments", &types));
    arguments_ = static_cast<int>(types.size());
    if (c->status().ok() && static_cast<int>(shapes_.size()) != c->num_outputs())
      c->SetStatus(
          errors::InvalidArgument("output_shapes must have ", c->num_outputs(), " shapes, got ", shapes_.size()));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Map(context)); }

 private:
  Status Map(OpKernelContext* context) const {
    const int inputs = context->num_inputs(), outputs = context->num_outputs();
    for (int i = 0; i < arguments_; ++i) {
      if (context->input(i).dims() == 0) return errors::InvalidArgument("All inputs must have rank at least 1.");
      if (context->input(i).dim_size(0) != context->input(0).dim_size(0))
        return errors::InvalidArgument("All inputs must have the same dimension 0, got ", context->input(0).dim_size(0),
                                       " and ", context->input(i).dim_size(0));
    }
    const Index rows = context->input(0).dim_size(0);
    SlimVector<Tensor*> made(static_cast<std::size_t>(outputs), nullptr);
    if (rows == 0) {
      for (int i = 0; i < outputs; ++i) {
        TensorShape row;
        if (!shapes_[static_cast<std::size_t>(i)].AsTensorShape(&row))
          return errors::Internal("MapDefun: without rows, output_shapes must be known, got ",
                                  shapes_[static_cast<std::size_t>(i)]);
        TENON_RETURN_IF_ERROR(Allocate(context, i, 0, row, &made[static_cast<std::size_t>(i)]));
      }
      return OkStatus();
    }
    Calls calls;
    TENON_RETURN_IF_ERROR(calls.Begin(context, function_, inputs, outputs));
    for (Index row = 0; row < rows; ++row) {
      TENON_RETURN_IF_ERROR(CheckCancelled(context));
      for (int i = 0; i < inputs; ++i) {
        calls.arg(i) = context->input(i);
        if (i < arguments_) TENON_RETURN_IF_ERROR(Row(context->input(i), row, &calls.arg(i)));
      }
      TENON_RETURN_IF_ERROR(calls.Run());
      for (int i = 0; i < outputs; ++i) {
        const Tensor result = std::move(calls.result(i));
        Tensor*& output = made[static_cast<std::size_t>(i)];
        if (!shapes_[static_cast<std::size_t>(i)].IsCompatibleWith(result.shape()))
          return errors::InvalidArgument("MapDefun: output ", i, " of the function has shape ", result.shape(),
                                         "; output_shapes says ", shapes_[static_cast<std::size_t>(i)]);
        if (output == nullptr) TENON_RETURN_IF_ERROR(Allocate(context, i, rows, result.shape(), &output));
        TensorShape wanted = output->shape();
        wanted.RemoveDim(0);
        if (!(result.shape() == wanted))
          return errors::InvalidArgument("MapDefun: output ", i, " of the function has shapes ", wanted, " and ",
                                         result.shape(), " for two rows");
        TENON_RETURN_IF_ERROR(tensor::CopyElementToSlice(result, output, row));
      }
    }
    return OkStatus();
  }
  static Status Allocate(OpKernelContext* context, int i, Index rows, const TensorShape& row, Tensor** output) {
    SlimVector<Index> sizes;
    sizes.push_back(rows);
    for (int d = 0; d < row.dims(); ++d) sizes.push_back(row.dim_size(d));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    return context->allocate_output(i, shape, output);
  }
  static Status Row(const Tensor& tensor, Index row, Tensor* to) {
    TensorShape shape = tensor.shape();
    shape.RemoveDim(0);
    TENON_ASSIGN_OR_RETURN(*to, Tensor::Make(tensor.dtype(), shape, nullptr));
    return tensor::CopySliceToElement(tensor, to, row);
  }

  FunctionHandle function_;
  SlimVector<PartialTensorShape> shapes_;
  int arguments_ = 0;
};

}  // namespace detail

// output[i] = f(arguments[i], captured_inputs)
struct MapDefun {
  static constexpr auto signature = Op("MapDefun")
                                        .Input("arguments: Targuments")
                                        .Input("captured_inputs: Tcaptured")
                                        .Output("output: output_types")
                                        .Attr("Targuments: list(type) >= 1")
                                        .Attr("Tcaptured: list(type) >= 0 = []")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("f: func")
                                        .Attr("max_intra_op_parallelism: int = 1")
                                        .SetShapeFn(detail::MapDefunShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::MapDefunKernel {
    using MapDefunKernel::MapDefunKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

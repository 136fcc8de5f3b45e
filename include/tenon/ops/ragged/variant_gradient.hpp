// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedTensorToVariantGradient: the values of encoded ragged tensors, one behind the other.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/ragged/splits.hpp>
#include <tenon/ops/ragged/variant.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status VariantGradientShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &shape));
  // The values of one variant keep their shape, whatever the input says.
  const Tensor* const variants = c->input_tensor(0);
  if (variants != nullptr && variants->NumElements() == 1) return shape_inference::UnknownShape(c);
  c->set_output(0, shape);
  return OkStatus();
}

// The splits from 0 on, never smaller; where they end does not matter.
inline Status CheckGradientSplits(const Tensor& splits) {
  if (splits.dims() != 1)
    return errors::InvalidArgument("Invalid ragged splits: ragged splits must be rank 1 but is rank ", splits.dims());
  const Splits numbers(splits);
  return CheckSplits(numbers, numbers.size() > 0 ? numbers.back() : 0);
}

// The values of variant i. An empty variant stands for zeros.
inline Status GradientPart(OpKernelContext& context, Index i, const TensorShape& dense, Tensor* part) {
  constexpr const char* kOp = "RaggedTensorToVariantGradient";
  const DataType dtype = context.expected_output_dtype(0);
  Variant variant = context.input(0).data<Variant>()[i];
  if (const Result<RaggedTensorVariant*> ragged = GetVariantValue<RaggedTensorVariant>(&variant); ragged.ok()) {
    *part = (*ragged)->values;
    if (part->dtype() == dtype) return OkStatus();
    return errors::InvalidArgument(kOp, ": element ", i, " has values of type ", part->dtype(), ", not ", dtype);
  }
  const Splits splits(context.input(1));
  if (dense.dims() == 0 || i + 1 >= splits.size())
    return errors::InvalidArgument(kOp, ": element ", i, " is missing, and ", splits.size(), " splits and the shape ",
                                   dense, " do not say its size");
  TensorShape shape = dense;
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, splits[i + 1] - splits[i]));
  AllocatorAttributes on_host;  // strings live there
  on_host.set_on_host(true);
  TENON_RETURN_IF_ERROR(context.allocate_temp(dtype, shape, part, on_host));
  ZeroRun(MoverOf(dtype), part->raw_data(), shape.num_elements());
  return OkStatus();
}

inline Status RunVariantGradient(OpKernelContext& context) {
  constexpr const char* kOp = "RaggedTensorToVariantGradient";
  const Tensor& sizes = context.input(2);
  TENON_RETURN_IF_ERROR(CheckGradientSplits(context.input(1)));
  if (sizes.dims() != 1)
    return errors::InvalidArgument(kOp, ": dense_values_shape must be a vector, got shape ", sizes.shape());
  TensorShape dense;
  for (Index d = 0; d < sizes.NumElements(); ++d) {
    const std::int32_t size = sizes.data<std::int32_t>()[d];
    if (size < 0) return errors::InvalidArgument(kOp, ": Dimension ", size, " must be >= 0");
    TENON_RETURN_IF_ERROR(dense.AddDimWithStatus(size));
  }
  const Index count = context.input(0).NumElements();
  SlimVector<Tensor> parts(static_cast<std::size_t>(count));
  Index total = 0;
  for (Index i = 0; i < count; ++i) {
    Tensor& part = parts[static_cast<std::size_t>(i)];
    TENON_RETURN_IF_ERROR(GradientPart(context, i, dense, &part));
    total += part.NumElements();
  }
  if (count == 1) {
    context.set_output(0, parts[0]);
    return OkStatus();
  }
  if (total > dense.num_elements())
    return errors::InvalidArgument(kOp, ": the ", total, " values do not fit into the shape ", dense);
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, dense, &out));
  const ElementMover mover = MoverOf(out->dtype());
  Index at = 0;
  for (const Tensor& part : parts) {
    const Index n = part.NumElements();
    if (n > 0) CopyRun(mover, part.raw_data(), mover.At(out->raw_data(), at), n);
    at += n;
  }
  if (at < dense.num_elements()) ZeroRun(mover, mover.At(out->raw_data(), at), dense.num_elements() - at);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// row_splits: those of the outermost dimension of the ragged tensor that was encoded; dense_values_shape: that of its
// values.
struct RaggedTensorToVariantGradient {
  static constexpr auto signature = Op("RaggedTensorToVariantGradient")
                                        .Input("encoded_ragged_grad: variant")
                                        .Input("row_splits: Tsplits")
                                        .Input("dense_values_shape: int32")
                                        .Output("dense_values_grad: Tvalues")
                                        .Attr("Tvalues: type")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::VariantGradientShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::RegisterRaggedVariant());
      return ServeOnly(c, c.output_type(0), detail::kRaggedVariantTypes);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunVariantGradient(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

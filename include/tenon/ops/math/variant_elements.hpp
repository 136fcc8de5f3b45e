// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zeros like, and the sum of, tensors that lie inside variants, whatever they hold; a tensor of dtype kInvalid is one
// that was never set.

#include <tenon/base/errors.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/engine/elementwise/add_n.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/bring_tensor.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/n_ary.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

inline bool IsSet(const Tensor& tensor) { return tensor.dtype() != DataType::kInvalid; }

// A list that holds another one several times, over many levels, takes very long: a run that is cancelled ends there.
inline Status CheckIsWanted(OpKernelContext* context) {
  const CancellationManager* const cancellation = context->cancellation_manager();
  if (cancellation != nullptr && cancellation->IsCancelled()) [[unlikely]]
    return errors::Cancelled("a run that works on variants was cancelled");
  return OkStatus();
}

inline Status ZerosLikeElement(OpKernelContext* context, const Tensor& x, Tensor* out) {
  if (!IsSet(x)) {
    *out = x;
    return OkStatus();
  }
  if (x.dtype() != DataType::kVariant && !kPodTypes.contains(x.dtype()))
    return errors::InvalidArgument("Trying to compute zeros_like for unsupported dtype ", x.dtype());
  TENON_RETURN_IF_ERROR(context->allocate_temp(x.dtype(), x.shape(), out));
  if (x.dtype() != DataType::kVariant) {
    Zero(context->device<Cpu>(), MoverOf(x.dtype()), out->raw_data(), out->NumElements());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(CheckIsWanted(context));
  for (Index i = 0; i < x.NumElements(); ++i)
    TENON_RETURN_IF_ERROR(VariantRegistry::Global().Unary(VariantUnaryOp::kZerosLike, "CPU", context,
                                                          x.data<Variant>()[i], out->data<Variant>() + i));
  return OkStatus();
}
// One that is not set counts as zero.
inline Status AddElements(OpKernelContext* context, const Tensor& a, const Tensor& b, Tensor* out) {
  if (!IsSet(a) || !IsSet(b)) {
    *out = IsSet(a) ? a : b;
    return OkStatus();
  }
  if (a.dtype() != b.dtype())
    return errors::InvalidArgument("Trying to add two tensors with incompatible element types. One is ", a.dtype(),
                                   " and the other is ", b.dtype());
  if (!(a.shape() == b.shape()))
    return errors::InvalidArgument("Trying to add two tensors with incompatible element shapes. One is ", a.shape(),
                                   " and the other is ", b.shape());
  const Adder adder = FindAdder(context->device<Cpu>(), a.dtype());
  if (!adder.has_loops() && a.dtype() != DataType::kVariant)
    return errors::InvalidArgument("Trying to add unsupported dtype ", a.dtype());
  TENON_RETURN_IF_ERROR(context->allocate_temp(a.dtype(), a.shape(), out));
  if (a.dtype() != DataType::kVariant) {
    Tensor x = a, y = b;
    TENON_RETURN_IF_ERROR(BringToKernel(*context, &x));
    TENON_RETURN_IF_ERROR(BringToKernel(*context, &y));
    const void* const addends[] = {x.raw_data(), y.raw_data()};
    return Accumulate(context->device<Cpu>(), adder, addends, out->raw_data(), out->NumElements());
  }
  TENON_RETURN_IF_ERROR(CheckIsWanted(context));
  for (Index i = 0; i < a.NumElements(); ++i)
    TENON_RETURN_IF_ERROR(VariantRegistry::Global().Binary(VariantBinaryOp::kAdd, "CPU", context, a.data<Variant>()[i],
                                                           b.data<Variant>()[i], out->data<Variant>() + i));
  return OkStatus();
}
}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

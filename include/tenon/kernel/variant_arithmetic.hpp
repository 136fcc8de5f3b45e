// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic of variants, with the operations that VariantRegistry has for their types: zeros like one, the sum of
// several. ZerosLike and AddN use it.

#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace ops::detail {

// The value of input i, which must be a scalar. One that was not decoded yet is decoded into *decoded.
inline Status ReadVariant(const OpKernelContext& context, int i, Variant* decoded, const Variant** value) {
  const Tensor& input = context.input(i);
  if (input.dims() != 0)
    return errors::InvalidArgument(context.op_kernel().type_string(),
                                   " of non-scalar Tensor with dtype=DT_VARIANT is not supported; inputs[", i,
                                   "] has shape: ", input.shape());
  *value = input.data<Variant>();
  if (!(*value)->is_serialized()) return OkStatus();
  *decoded = **value;
  *value = decoded;
  return VariantRegistry::Global().Decode(decoded);
}

inline Status ZerosLikeVariant(OpKernelContext& context) {
  Variant decoded, zeros;
  const Variant* x = nullptr;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(ReadVariant(context, 0, &decoded, &x));
  TENON_RETURN_IF_ERROR(VariantRegistry::Global().Unary(VariantUnaryOp::kZerosLike, "CPU", &context, *x, &zeros));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
  out->data<Variant>()[0] = std::move(zeros);
  return OkStatus();
}

// Output 0 = the sum of all inputs, added in pairs: 0 + 1, 2 + 3, ..., then their sums.
inline Status AddVariants(OpKernelContext& context) {
  const int n = context.num_inputs();
  if (n == 1) {
    context.set_output(0, context.input(0));
    return OkStatus();
  }
  SlimVector<Variant> sums(static_cast<std::size_t>(n));
  SlimVector<const Variant*> values(static_cast<std::size_t>(n), nullptr);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < n; ++i) TENON_RETURN_IF_ERROR(ReadVariant(context, i, &sums[at(i)], &values[at(i)]));
  for (int skip = 1; skip < n; skip *= 2) {
    for (int i = skip; i < n; i += 2 * skip) {
      Variant sum;
      TENON_RETURN_IF_ERROR(VariantRegistry::Global().Binary(VariantBinaryOp::kAdd, "CPU", &context,
                                                             *values[at(i - skip)], *values[at(i)], &sum));
      sums[at(i - skip)] = std::move(sum);
      values[at(i - skip)] = &sums[at(i - skip)];
      sums[at(i)].clear();
    }
  }
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
  out->data<Variant>()[0] = std::move(sums[0]);
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

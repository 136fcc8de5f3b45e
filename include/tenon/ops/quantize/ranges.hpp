// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the quantized ops: ranges that are scalar inputs and outputs.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/quantized_shape_fns.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

using shape_inference::internal::ScalarRanges;

struct QuantizedRange {
  float low = 0, high = 0;

  // Reads inputs i and i + 1, scalars.
  Status Read(const OpKernelContext& context, int i, std::string_view name) {
    for (int k = 0; k < 2; ++k) {
      const Tensor& end = context.input(i + k);
      if (end.dims() != 0)
        return errors::InvalidArgument(context.op_kernel().type_string(), ": `", k == 0 ? "min_" : "max_", name,
                                       "` must be rank 0 but is rank ", end.dims());
      (k == 0 ? low : high) = *end.data<float>();
    }
    return OkStatus();
  }
  Status RequireSome(const OpKernelContext& context, std::string_view name) const {
    if (high > low) return OkStatus();
    return errors::InvalidArgument(context.op_kernel().type_string(), ": max_", name, " must be larger than min_", name,
                                   ", got ", high, " and ", low);
  }
  // Outputs i and i + 1.
  Status Write(OpKernelContext& context, int i) const {
    for (int k = 0; k < 2; ++k) {
      Tensor* end = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(i + k, TensorShape(), &end));
      *end->data<float>() = k == 0 ? low : high;
    }
    return OkStatus();
  }
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

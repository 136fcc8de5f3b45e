// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading the tensor that a conditional or a loop takes as its condition.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Reads a tensor as the condition of a node: a scalar is its value (not zero, not the empty string), anything else is
// true when it has elements.
TENON_DETAIL_NOINLINE inline Status ToBool(const Tensor& t, bool* value) {
  if (t.dims() > 0) {
    *value = t.NumElements() > 0;
    return OkStatus();
  }
  switch (t.dtype()) {
    case DataType::kBool: *value = t.scalar<bool>()(); return OkStatus();
    case DataType::kString: *value = !t.scalar<tstring>()().empty(); return OkStatus();
    case DataType::kFloat: *value = t.scalar<float>()() != 0; return OkStatus();
    case DataType::kDouble: *value = t.scalar<double>()() != 0; return OkStatus();
    case DataType::kInt8: *value = t.scalar<std::int8_t>()() != 0; return OkStatus();
    case DataType::kUint8: *value = t.scalar<std::uint8_t>()() != 0; return OkStatus();
    case DataType::kInt16: *value = t.scalar<std::int16_t>()() != 0; return OkStatus();
    case DataType::kInt32: *value = t.scalar<std::int32_t>()() != 0; return OkStatus();
    case DataType::kInt64: *value = t.scalar<std::int64_t>()() != 0; return OkStatus();
    default:
      return errors::InvalidArgument(t.dtype(), " cannot be converted to a boolean; use bool, string or a number");
  }
}

// Reads the condition of a node with _lower_using_switch_merge: TensorFlow lowers it, and a Switch or a LoopCond
// refuses a tensor that is not a scalar bool.
TENON_DETAIL_NOINLINE inline Status ToPredicate(const Tensor& t, bool* value) {
  if (t.dtype() != DataType::kBool)
    return errors::InvalidArgument("the condition of a node with _lower_using_switch_merge must be a bool, got ",
                                   t.dtype());
  if (t.dims() != 0) return errors::InvalidArgument("The second input must be a scalar, but it has shape ", t.shape());
  *value = t.scalar<bool>()();
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

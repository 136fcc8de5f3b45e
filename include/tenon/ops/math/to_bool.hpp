// SPDX-License-Identifier: Apache-2.0
#pragma once
// ToBool: any tensor as one condition.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// InvalidArgument: scalars of that type are not conditions.
inline Status TruthOf(const Tensor& x, bool* truth) {
  if (x.dims() > 0) {
    *truth = x.NumElements() > 0;
    return OkStatus();
  }
  switch (x.dtype()) {
    case DataType::kBool: *truth = x.data<bool>()[0]; break;
    case DataType::kInt8: *truth = x.data<std::int8_t>()[0] != 0; break;
    case DataType::kInt16: *truth = x.data<std::int16_t>()[0] != 0; break;
    case DataType::kInt32: *truth = x.data<std::int32_t>()[0] != 0; break;
    case DataType::kInt64: *truth = x.data<std::int64_t>()[0] != 0; break;
    case DataType::kUint8: *truth = x.data<std::uint8_t>()[0] != 0; break;
    case DataType::kFloat: *truth = x.data<float>()[0] != 0; break;
    case DataType::kDouble: *truth = x.data<double>()[0] != 0; break;
    case DataType::kString: *truth = !x.data<tstring>()[0].view().empty(); break;
    default: return errors::InvalidArgument("ToBool: ", x.dtype(), " cannot be converted to a boolean");
  }
  return OkStatus();
}

}  // namespace detail

// Scalars: whether they are not 0, texts whether they are not empty. Other tensors: whether they have elements.
struct ToBool {
  static constexpr auto signature =
      Op("ToBool").Input("input: T").Output("output: bool").Attr("T: type").SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>&, const Tensor& input, Out<bool> output) const {
      return detail::TruthOf(input, &output[0]);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

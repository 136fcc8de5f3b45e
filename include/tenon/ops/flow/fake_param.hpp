// SPDX-License-Identifier: Apache-2.0
#pragma once
// FakeParam: a value that nothing reads, for branches of a condition that give fewer results. SyncDevice: does nothing
// here.

#include <cstring>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/flow/no_op.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Zeros, without elements where a size is not known; a scalar for an unknown rank.
inline Status MakeFakeParam(OpKernelContext& context, const PartialTensorShape& wanted) {
  TensorShape shape;
  Tensor* output = nullptr;
  for (int d = 0; !wanted.unknown_rank() && d < wanted.dims(); ++d)
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(wanted.dim_size(d) < 0 ? 0 : wanted.dim_size(d)));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (SizeOf(output->dtype()) != 0 && output->TotalBytes() != 0)
    std::memset(output->raw_data(), 0, output->TotalBytes());
  return OkStatus();
}

}  // namespace detail

struct FakeParam {
  static constexpr auto signature = Op("FakeParam")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn(shape_inference::ExplicitShape);
  struct Attrs {
    PartialTensorShape shape;
  };
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor&) const {
      return detail::MakeFakeParam(context.op(), this->shape);
    }
  };
};

// A run has waited for all devices when it returns.
struct SyncDevice {
  static constexpr auto signature = Op("SyncDevice").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = NoOp::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParallelDynamicStitch: rows put to places that are all different.

#include <cstdint>
#include <span>

#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/dynamic.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// As DynamicStitch; where TensorFlow leaves open which of several rows for one place stays, it is the last one too.
struct ParallelDynamicStitch {
  static constexpr auto signature = Op("ParallelDynamicStitch")
                                        .Input("indices: N * int32")
                                        .Input("data: N * T")
                                        .Output("merged: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::DynamicStitchShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), DynamicStitch::kServed); }
    Status operator()(Context<Device>& context, InList<std::int32_t> indices, std::span<const Tensor> data,
                      Tensor& merged) const {
      return DynamicStitch::Run(context.op(), context.device(), indices, data, &merged);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

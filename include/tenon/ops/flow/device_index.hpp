// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceIndex and HostConst: ops whose value depends on where they run.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

// The place of the device's type in the list; its length: the type is not there.
struct DeviceIndex {
  static constexpr auto signature = Op("DeviceIndex")
                                        .Output("index: int32")
                                        .Attr("device_names: list(string)")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr std::string_view unused[] = {"device_names"};  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      SlimVector<std::string_view> names;
      TENON_RETURN_IF_ERROR(c.GetAttr("device_names", &names));
      while (place < static_cast<std::int32_t>(names.size()) && names[static_cast<std::size_t>(place)] != "CPU")
        ++place;
      return OkStatus();
    }
    Status operator()(Device&, Out<std::int32_t> index) const {
      index[0] = place;
      return OkStatus();
    }
    std::int32_t place = 0;
  };
};

// A constant in the host's memory.
struct HostConst {
  static constexpr auto signature = Op("HostConst")
                                        .Output("output: dtype")
                                        .Attr("value: tensor")
                                        .Attr("dtype: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {
      c->SetStatus(c->GetAttr("value", &value_));
      if (c->status().ok() && value_.dtype() != c->output_type(0))
        c->SetStatus(errors::InvalidArgument("Type mismatch between value (", value_.dtype(), ") and dtype (",
                                             c->output_type(0), ")"));
    }
    void Compute(OpKernelContext* context) override { context->set_output(0, value_); }

   private:
    Tensor value_;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

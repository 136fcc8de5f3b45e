// SPDX-License-Identifier: Apache-2.0
#pragma once
// GetSessionHandle, GetSessionHandleV2, GetSessionTensor, DeleteSessionTensor: tensors that stay in a session between
// its runs. A handle that is made but not fetched keeps nothing.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/session_tensors.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SessionHandleOf(const OpKernelContext& ctx, std::string* handle) {
  const Tensor& input = ctx.input(0);
  if (input.dims() != 0) return errors::InvalidArgument("handle must be scalar");
  *handle = std::string(std::string_view(input.scalar<tstring>()()));
  return OkStatus();
}
inline Status SessionTensorsOf(const OpKernelContext& ctx, Ref<tenon::detail::SessionTensors>* tensors) {
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(ctx, &resources));
  return tenon::detail::SessionTensors::Of(resources, tensors);
}

// Both versions: they differ in the type of the handle.
class SessionHandleKernel : public OpKernel {
 public:
  explicit SessionHandleKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Make(ctx)); }
  bool IsExpensive() const override { return false; }

 private:
  Status Make(OpKernelContext* ctx) const {
    Ref<tenon::detail::SessionTensors> session;
    Ref<tenon::detail::StepTensors> step;
    TENON_RETURN_IF_ERROR(SessionTensorsOf(*ctx, &session));
    TENON_RETURN_IF_ERROR(tenon::detail::StepTensors::Of(ctx->step_container(), &step));
    std::string handle = StrCat(name(), ";", session->NewId(), ";", ctx->device_name());
    if (output_type(0) == DataType::kResource) {
      ctx->set_output(0, HandleTensor(ResourceHandle{std::string(ctx->device_name()),
                                                     std::string(kTensorHandleType),
                                                     handle,
                                                     Hash64(kTensorHandleType),
                                                     std::string(kTensorHandleType),
                                                     {}}));
    } else {
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape(), &out));
      out->scalar<tstring>()() = tstring(handle);
    }
    step->Add(name(), std::move(handle), ctx->input(0));
    return OkStatus();
  }
};

}  // namespace detail

// A string that names the value: "node;0;/job:localhost/replica:0/task:0/device:CPU:0".
struct GetSessionHandle {
  static constexpr auto signature = Op("GetSessionHandle")
                                        .Input("value: T")
                                        .Output("handle: string")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SessionHandleKernel {
    using SessionHandleKernel::SessionHandleKernel;
  };
};

// GetSessionHandle with a resource as the handle. When it is fed to a run by names, it stands for its tensor.
struct GetSessionHandleV2 {
  static constexpr auto signature = Op("GetSessionHandleV2")
                                        .Input("value: T")
                                        .Output("handle: resource")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SessionHandleKernel {
    using SessionHandleKernel::SessionHandleKernel;
  };
};

struct GetSessionTensor {
  static constexpr auto signature = Op("GetSessionTensor")
                                        .Input("handle: string")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) {
                                          ShapeHandle handle;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &handle));
                                          return shape_inference::UnknownShape(c);
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {}
    void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Get(ctx)); }

   private:
    static Status Get(OpKernelContext* ctx) {
      std::string handle;
      Ref<tenon::detail::SessionTensors> session;
      Tensor value;
      TENON_RETURN_IF_ERROR(detail::SessionHandleOf(*ctx, &handle));
      TENON_RETURN_IF_ERROR(detail::SessionTensorsOf(*ctx, &session));
      TENON_RETURN_IF_ERROR(session->Get(handle, &value));
      if (value.dtype() != ctx->expected_output_dtype(0))
        return errors::InvalidArgument("The tensor with handle '", handle, "' is ", value.dtype(), ", not ",
                                       ctx->expected_output_dtype(0));
      ctx->set_output(0, std::move(value));
      return OkStatus();
    }
  };
};

struct DeleteSessionTensor {
  static constexpr auto signature =
      Op("DeleteSessionTensor").Input("handle: string").SetIsStateful().SetShapeFn([](InferenceContext* c) {
        ShapeHandle handle;
        return c->WithRank(c->input(0), 0, &handle);
      });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {}
    void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Delete(ctx)); }

   private:
    static Status Delete(OpKernelContext* ctx) {
      std::string handle;
      Ref<tenon::detail::SessionTensors> session;
      TENON_RETURN_IF_ERROR(detail::SessionHandleOf(*ctx, &handle));
      TENON_RETURN_IF_ERROR(detail::SessionTensorsOf(*ctx, &session));
      return session->Delete(handle);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// IteratorToStringHandle, IteratorFromStringHandle, SerializeIterator, DeserializeIterator,
// IteratorGetDevice: names of iterators as strings, positions as variants, devices.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/tensor_fields.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/iterator_resource.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// T: the resource that is named.
template <class T>
class ToStringHandleKernelOf : public OpKernel {
 public:
  explicit ToStringHandleKernelOf(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* context) {
    const ResourceHandle* handle = nullptr;
    Ref<T> iterator;
    TENON_RETURN_IF_ERROR(HandleOf(context->input(0), &handle));
    TENON_RETURN_IF_ERROR(LookupResource(*context, *handle, &iterator));
    if (handle->IsRefCounting())
      return errors::InvalidArgument("IteratorToStringHandle: the iterator is anonymous: no string can name it");
    std::string text;
    wire::SerializeTo(*handle, &text);
    context->set_output(0, Tensor::Scalar(std::string_view(text)));
    return OkStatus();
  }
};

using ToStringHandleKernel = ToStringHandleKernelOf<IteratorResource>;

template <class T>
class FromStringHandleKernelOf : public OpKernel {
 public:
  explicit FromStringHandleKernelOf(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("output_types", &spec_.types));
    c->SetStatus(c->GetAttr("output_shapes", &spec_.shapes));
    if (c->status().ok() && !spec_.types.empty() && !spec_.shapes.empty() && spec_.types.size() != spec_.shapes.size())
      c->SetStatus(errors::InvalidArgument(
          "If both 'output_types' and 'output_shapes' are set, they must have the same length."));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  Status Run(OpKernelContext* context) const {
    const Tensor& input = context->input(0);
    if (input.dims() != 0) return errors::InvalidArgument("string_handle must be a scalar");
    const std::string_view text = input.data<tstring>()[0];
    ResourceHandle handle;
    Ref<T> iterator;
    if (!wire::Parse(std::as_bytes(std::span<const char>(text)), &handle).ok())
      return errors::InvalidArgument("Could not parse string_handle as a valid ResourceHandle");
    if (handle.device != context->device_name())
      return errors::InvalidArgument("Attempted create an iterator on device \"", context->device_name(),
                                     "\" from handle defined on device \"", handle.device, "\"");
    TENON_RETURN_IF_ERROR(LookupResource(*context, handle, &iterator));
    if (!spec_.types.empty()) TENON_RETURN_IF_ERROR(VerifyTypesMatch(spec_.types, iterator->spec().types));
    if (!spec_.shapes.empty()) TENON_RETURN_IF_ERROR(VerifyShapesCompatible(spec_.shapes, iterator->spec().shapes));
    context->set_output(0, HandleTensor(std::move(handle)));
    return OkStatus();
  }
  ElementSpec spec_;
};
using FromStringHandleKernel = FromStringHandleKernelOf<IteratorResource>;

// Makes positions known where variants are decoded; the second call does nothing.
inline Status RegisterIteratorState() {
  static const Status status = VariantRegistry::Global().AddType<IteratorState>();
  return status;
}

class SerializeIteratorKernel : public OpKernel {
 public:
  explicit SerializeIteratorKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterIteratorState()); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    Ref<IteratorResource> iterator;
    IteratorState state;
    TENON_RETURN_IF_ERROR(LookupResource(*op, op->input(0), &iterator));
    IteratorContext context(op->environment());
    TENON_RETURN_IF_ERROR(iterator->Save(context, &state));
    TENON_ASSIGN_OR_RETURN(Tensor out, Tensor::Make(DataType::kVariant, TensorShape({1})));
    out.data<Variant>()[0] = std::move(state);
    op->set_output(0, std::move(out));
    return OkStatus();
  }
};

class DeserializeIteratorKernel : public OpKernel {
 public:
  explicit DeserializeIteratorKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterIteratorState()); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    Ref<IteratorResource> iterator;
    TENON_RETURN_IF_ERROR(LookupResource(*op, op->input(0), &iterator));
    const Tensor& input = op->input(1);
    if (input.dims() != 1 || input.NumElements() != 1)
      return errors::InvalidArgument("DeserializeIterator: the position must be a vector of one variant, got shape ",
                                     input.shape());
    Variant variant = input.data<Variant>()[0];
    TENON_ASSIGN_OR_RETURN(const IteratorState* const state, GetVariantValue<IteratorState>(&variant));
    IteratorContext context(op->environment());
    return iterator->Restore(context, *state);
  }
};

constexpr Status AnyVectorShape(InferenceContext* c) {
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// The device of the node, whatever the handle is, as in TensorFlow.
class IteratorDeviceKernel : public OpKernel {
 public:
  explicit IteratorDeviceKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->set_output(0, Tensor::Scalar(context->device_name())); }
};

}  // namespace detail

// A string that names an iterator.
struct IteratorToStringHandle : detail::CpuOp<detail::ToStringHandleKernel> {
  static constexpr auto signature = Op("IteratorToStringHandle")
                                        .Input("resource_handle: resource")
                                        .Output("string_handle: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// The iterator that a string names.
struct IteratorFromStringHandle : detail::CpuOp<detail::FromStringHandleKernel> {
  static constexpr auto signature = Op("IteratorFromStringHandle")
                                        .Input("string_handle: string")
                                        .Output("resource_handle: resource")
                                        .Attr("output_types: list(type) >= 0 = []")
                                        .Attr("output_shapes: list(shape) >= 0 = []")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// As IteratorFromStringHandle.
struct IteratorFromStringHandleV2 : detail::CpuOp<detail::FromStringHandleKernel> {
  static constexpr auto signature = Op("IteratorFromStringHandleV2")
                                        .Input("string_handle: string")
                                        .Output("resource_handle: resource")
                                        .Attr("output_types: list(type) >= 0 = []")
                                        .Attr("output_shapes: list(shape) >= 0 = []")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// The position of an iterator. Only DeserializeIterator of Tenon reads it.
struct SerializeIterator {
  static constexpr auto signature = Op("SerializeIterator")
                                        .Input("resource_handle: resource")
                                        .Output("serialized: variant")
                                        .Attr("external_state_policy: int = 0")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AnyVectorShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SerializeIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : SerializeIteratorKernel(c) {}
  };
};

// Puts an iterator of an equal dataset at a position.
struct DeserializeIterator {
  static constexpr auto signature = Op("DeserializeIterator")
                                        .Input("resource_handle: resource")
                                        .Input("serialized: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DeserializeIteratorKernel {
    explicit kernel(OpKernelConstruction* c) : DeserializeIteratorKernel(c) {}
  };
};

// The name of the device that holds an iterator.
struct IteratorGetDevice : detail::CpuOp<detail::IteratorDeviceKernel> {
  static constexpr auto signature = Op("IteratorGetDevice")
                                        .Input("resource: resource")
                                        .Output("device: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

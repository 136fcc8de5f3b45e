// SPDX-License-Identifier: Apache-2.0
#pragma once
// CompositeTensorVariantFromComponents, CompositeTensorVariantToComponents: several tensors as one value in a variant.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Components, and the bytes of the message that tells their type. externally synchronised.
struct CompositeTensorVariant {
  std::string metadata;
  SlimVector<Tensor> components;

  std::string_view TypeName() const { return "CompositeTensorVariant"; }
  std::string DebugString() const { return StrCat("<CompositeTensorVariant of ", components.size(), " components>"); }
  void Encode(VariantTensorData* data) const {
    data->metadata = metadata;
    for (const Tensor& component : components) data->tensors.push_back(component);
  }
  bool Decode(VariantTensorData data) {
    metadata = std::move(data.metadata);
    components.clear();
    for (Tensor& component : data.tensors) components.push_back(std::move(component));
    return true;
  }
};

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Both kernels: the attr metadata must be a message.
class CompositeKernel : public OpKernel {
 public:
  explicit CompositeKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("metadata", &metadata_));
    if (c->status().ok()) c->SetStatus(VariantRegistry::Global().AddType<CompositeTensorVariant>());
    if (c->status().ok() && !IsMessage(metadata_))
      c->SetStatus(errors::InvalidArgument(type_string(), ": Error parsing metadata"));
  }

 protected:
  const std::string& metadata() const { return metadata_; }

 private:
  static bool IsMessage(std::string_view bytes) {
    wire::Reader reader(std::as_bytes(std::span(bytes.data(), bytes.size())));
    for (wire::Tag tag; reader.ReadTag(&tag);)
      if (!reader.Skip(tag)) break;
    return reader.ok();
  }
  std::string metadata_;
};

class ComposeKernel : public CompositeKernel {
 public:
  using CompositeKernel::CompositeKernel;
  void Compute(OpKernelContext* context) override {
    CompositeTensorVariant made;
    made.metadata = metadata();
    for (int i = 0; i < context->num_inputs(); ++i) made.components.push_back(context->input(i));
    Tensor* out = nullptr;
    context->SetStatus(context->allocate_output(0, TensorShape(), &out));
    if (context->status().ok()) out->data<Variant>()[0] = Variant(std::move(made));
  }
};

class DecomposeKernel : public CompositeKernel {
 public:
  using CompositeKernel::CompositeKernel;
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  Status Run(OpKernelContext& context) const {
    const Tensor& encoded = context.input(0);
    if (encoded.dims() != 0)
      return errors::InvalidArgument(type_string(), ": The input `encoded` must be a scalar, got ", encoded.shape());
    Variant variant = encoded.data<Variant>()[0];
    const Result<CompositeTensorVariant*> held = GetVariantValue<CompositeTensorVariant>(&variant);
    if (!held.ok())
      return errors::InvalidArgument(type_string(),
                                     ": The input `encoded` is not a valid CompositeTensorVariant tensor");
    const SlimVector<Tensor>& components = (*held)->components;
    const int wanted = context.num_outputs();
    if (components.size() != static_cast<std::size_t>(wanted))
      return errors::InvalidArgument(type_string(), ": Encoded value has ", components.size(),
                                     " tensor components; expected ", wanted, " components based on type_spec");
    for (int i = 0; i < wanted; ++i) {
      const Tensor& component = components[static_cast<std::size_t>(i)];
      if (component.dtype() != context.expected_output_dtype(i))
        return errors::InvalidArgument(type_string(), ": Tensor component ", i, " had dtype ", component.dtype(),
                                       "; expected dtype ", context.expected_output_dtype(i));
      context.set_output(i, component);
    }
    return OkStatus();
  }
};

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// metadata: a serialised CompositeTensorVariantMetadata; Tenon keeps it as it is.
struct CompositeTensorVariantFromComponents {
  static constexpr auto signature = Op("CompositeTensorVariantFromComponents")
                                        .Input("components: Tcomponents")
                                        .Output("encoded: variant")
                                        .Attr("metadata: string")
                                        .Attr("Tcomponents: list(type) >= 0")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ComposeKernel {
    using ComposeKernel::ComposeKernel;
  };
};

struct CompositeTensorVariantToComponents {
  static constexpr auto signature = Op("CompositeTensorVariantToComponents")
                                        .Input("encoded: variant")
                                        .Output("components: Tcomponents")
                                        .Attr("metadata: string")
                                        .Attr("Tcomponents: list(type) >= 0")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DecomposeKernel {
    using DecomposeKernel::DecomposeKernel;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

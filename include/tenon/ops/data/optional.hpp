// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptionalNone, OptionalFromValue, OptionalHasValue, OptionalGetValue: some tensors, or none, as one variant.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/scan.hpp>
#include <tenon/ops/math/variant_elements.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A value of a variant. Copies share their tensors.
struct OptionalVariant {
  bool has_value = false;
  DatasetElement values;

  std::string_view TypeName() const { return "tensorflow::data::Optional"; }
  std::string DebugString() const {
    if (!has_value) return "OptionalVariant<None>";
    std::string text = "OptionalVariant<values: (";
    for (std::size_t i = 0; i < values.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", values[i].DebugString());
    return text + ")>";
  }
  void Encode(VariantTensorData* data) const {
    data->SetMetadata(has_value);
    data->tensors = values;
  }
  bool Decode(VariantTensorData data) {
    if (!data.GetMetadata(&has_value)) return false;
    values = std::move(data.tensors);
    return has_value || values.empty();
  }
};

namespace ops {

namespace detail {

inline Status ZerosLikeOptional(OpKernelContext* context, const OptionalVariant& x, OptionalVariant* out) {
  out->has_value = x.has_value;
  for (const Tensor& value : x.values)
    TENON_RETURN_IF_ERROR(ZerosLikeElement(context, value, &out->values.emplace_back()));
  return OkStatus();
}
inline Status AddOptionals(OpKernelContext* context, const OptionalVariant& a, const OptionalVariant& b,
                           OptionalVariant* out) {
  if (a.has_value != b.has_value)
    return errors::InvalidArgument("Cannot add optionals because one has a value and the other doesn't.");
  if (a.values.size() != b.values.size())
    return errors::InvalidArgument("Cannot add optionals because they have different numbers of components (",
                                   a.values.size(), " vs. ", b.values.size(), ").");
  out->has_value = a.has_value;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    TENON_RETURN_IF_ERROR(AddElements(context, a.values[i], b.values[i], &out->values.emplace_back()));
  return OkStatus();
}
// Makes ZerosLike, AddN and decoding know optionals; the second call does nothing.
inline Status RegisterOptional() {
  static const Status status = [] {
    VariantRegistry& registry = VariantRegistry::Global();
    TENON_RETURN_IF_ERROR(registry.AddType<OptionalVariant>());
    TENON_RETURN_IF_ERROR(registry.AddUnary<OptionalVariant>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLikeOptional));
    return registry.AddBinary<OptionalVariant>(VariantBinaryOp::kAdd, "CPU", &AddOptionals);
  }();
  return status;
}

// Output 0 := the optional.
inline Status SetOptional(OpKernelContext* context, OptionalVariant optional) {
  TENON_ASSIGN_OR_RETURN(Tensor out, Tensor::Make(DataType::kVariant, TensorShape()));
  out.data<Variant>()[0] = std::move(optional);
  context->set_output(0, std::move(out));
  return OkStatus();
}
inline Status GetOptional(const OpKernelContext& context, OptionalVariant* decoded, const OptionalVariant** optional) {
  const Tensor& input = context.input(0);
  const std::string_view op = context.op_kernel().type_string();
  if (input.dims() != 0 || !input.IsInitialized())
    return errors::InvalidArgument("Input to ", op, " must be a scalar tensor containing an OptionalVariant object.");
  const Variant& variant = input.data<Variant>()[0];
  *optional = variant.get<OptionalVariant>();
  if (*optional != nullptr) return OkStatus();
  if (!variant.is_serialized()) return errors::InvalidArgument("Input to ", op, " must be an OptionalVariant object.");
  Variant copy = variant;
  TENON_ASSIGN_OR_RETURN(OptionalVariant* const made, GetVariantValue<OptionalVariant>(&copy));
  *decoded = std::move(*made);
  *optional = decoded;
  return OkStatus();
}

// Makes an optional of all inputs, or of nothing.
class OptionalKernel : public OpKernel {
 public:
  explicit OptionalKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterOptional()); }
  void Compute(OpKernelContext* context) override {
    OptionalVariant made;
    made.has_value = type_string() == "OptionalFromValue";
    for (int i = 0; i < context->num_inputs(); ++i) made.values.push_back(context->input(i));
    context->SetStatus(SetOptional(context, std::move(made)));
  }
};

class OptionalHasValueKernel : public OpKernel {
 public:
  explicit OptionalHasValueKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterOptional()); }
  void Compute(OpKernelContext* context) override {
    OptionalVariant decoded;
    const OptionalVariant* optional = nullptr;
    context->SetStatus(GetOptional(*context, &decoded, &optional));
    if (context->status().ok()) context->set_output(0, Tensor::Scalar(optional->has_value));
  }
};

class OptionalGetValueKernel : public OpKernel {
 public:
  explicit OptionalGetValueKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterOptional()); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Verify(const ElementSpec& spec, const DatasetElement& values) {
    if (values.size() != spec.types.size())
      return errors::InvalidArgument("The given optional has ", values.size(), " components, expected ",
                                     spec.types.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].dtype() != spec.types[i])
        return errors::InvalidArgument("The given optional does not match the expected type for component ", i,
                                       ". Expected: ", spec.types[i], ". Actual: ", values[i].dtype(), ".");
      if (!spec.shapes[i].IsCompatibleWith(PartialTensorShape(values[i].shape())))
        return errors::InvalidArgument("The given optional does not match the expected shape for component ", i,
                                       ". Expected: ", spec.shapes[i], ". Actual: ", values[i].shape(), ".");
    }
    return OkStatus();
  }
  static Status Run(OpKernelContext* context) {
    OptionalVariant decoded;
    const OptionalVariant* optional = nullptr;
    ElementSpec spec;
    TENON_RETURN_IF_ERROR(GetOptional(*context, &decoded, &optional));
    if (!optional->has_value) return errors::InvalidArgument("The given optional does not have a value.");
    TENON_RETURN_IF_ERROR(DatasetMaker(context).Spec(&spec));
    TENON_RETURN_IF_ERROR(Verify(spec, optional->values));
    for (std::size_t i = 0; i < optional->values.size(); ++i)
      context->set_output(static_cast<int>(i), optional->values[i]);
    return OkStatus();
  }
};

}  // namespace detail

// An optional without a value.
struct OptionalNone {
  static constexpr auto signature =
      Op("OptionalNone").Output("optional: variant").SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::OptionalKernel {
    explicit kernel(OpKernelConstruction* c) : OptionalKernel(c) {}
  };
};

// An optional of the components.
struct OptionalFromValue {
  static constexpr auto signature = Op("OptionalFromValue")
                                        .Input("components: Toutput_types")
                                        .Output("optional: variant")
                                        .Attr("Toutput_types: list(type) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::OptionalKernel {
    explicit kernel(OpKernelConstruction* c) : OptionalKernel(c) {}
  };
};

// Whether an optional has a value.
struct OptionalHasValue {
  static constexpr auto signature = Op("OptionalHasValue")
                                        .Input("optional: variant")
                                        .Output("has_value: bool")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::OptionalHasValueKernel {
    explicit kernel(OpKernelConstruction* c) : OptionalHasValueKernel(c) {}
  };
};

// The components of an optional; InvalidArgument where it has none.
struct OptionalGetValue {
  static constexpr auto signature = Op("OptionalGetValue")
                                        .Input("optional: variant")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ElementShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::OptionalGetValueKernel {
    explicit kernel(OpKernelConstruction* c) : OptionalGetValueKernel(c) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorArrayV3 and the ops that write, read and close one; its gradient. TensorArrays live as long as the run.
// tensor_array_pack.hpp has the ops on many elements at once.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/list/tensor_array_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Handles are scalars; their shape functions say [2], as TensorFlow's do.
inline Status CheckArrayHandle(InferenceContext* c) {
  ShapeHandle handle;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}
inline Status TensorArrayShape(InferenceContext* c) {
  ShapeHandle unused, element;
  PartialTensorShape declared;
  bool identical = false;
  DataType dtype = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Vector(2));
  c->set_output(1, c->Scalar());
  TENON_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  TENON_RETURN_IF_ERROR(c->GetAttr("identical_element_shapes", &identical));
  TENON_RETURN_IF_ERROR(c->GetAttr("element_shape", &declared));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(declared, &element));
  if (c->FullyDefined(element) || identical) {
    SlimVector<ShapeAndType> held;
    held.push_back({element, dtype});
    c->set_output_handle_shapes_and_types(0, held);
  }
  return OkStatus();
}
// The known shape and type of the elements; null: none.
inline const ShapeAndType* HeldElements(InferenceContext* c) {
  const SlimVector<ShapeAndType>* held = c->input_handle_shapes_and_types(0);
  return held == nullptr || held->empty() ? nullptr : &(*held)[0];
}

// The strings that handles of older ops begin with; arrays of gradients have the second one.
inline constexpr std::string_view kOfArrays = "_tensor_arrays", kOfGradientArrays = "_tensor_array_grads";

// Sets *name to the array's name in the run's container, from a handle of an older op: two strings, or a reference.
inline Status ReadArrayName(const OpKernelContext& context, std::string* name, bool* is_gradient) {
  const Tensor& input = context.input(0);
  Tensor names = input;
  if (IsRefType(input.dtype())) TENON_RETURN_IF_ERROR(ReadReference(input, context.op_kernel().name(), &names));
  if (names.dtype() != DataType::kString || names.NumElements() != 2)
    return errors::InvalidArgument("Tensor array handle must be 2-element vector, but had shape: ", names.shape());
  const std::string_view kind = names.data<tstring>()[0].view();
  *name = names.data<tstring>()[1].view();
  *is_gradient = kind == kOfGradientArrays;
  if (kind != kOfArrays && kind != kOfGradientArrays) *name = StrCat(kind, *name);
  return OkStatus();
}
inline Status GetArray(const OpKernelContext& context, Ref<TensorArray>* array) {
  if (context.input(0).dtype() == DataType::kResource)
    return LookupResource<TensorArray>(context, context.input(0), array);
  std::string name;
  bool is_gradient = false;
  TENON_RETURN_IF_ERROR(ReadArrayName(context, &name, &is_gradient));
  StepContainer* const container = context.step_container();
  if (container == nullptr) return tenon::detail::NoResources(context);
  return container->resources()->Lookup<TensorArray>(container->name(), name, array);
}
inline Status ReadIndex(const Tensor& index, Index* value) {
  if (index.dims() != 0)
    return errors::InvalidArgument("TensorArray index must be scalar, but had shape: ", index.shape());
  *value = *index.data<std::int32_t>();
  return OkStatus();
}
inline Status CheckReadType(const OpKernelContext& context, const TensorArray& array) {
  if (array.dtype() == context.expected_output_dtype(0)) return OkStatus();
  return errors::InvalidArgument("TensorArray dtype is ", array.dtype(), " but Op requested dtype ",
                                 context.expected_output_dtype(0), ".");
}
inline Status CheckWrittenType(const TensorArray& array, DataType dtype) {
  if (array.dtype() == dtype) return OkStatus();
  return errors::InvalidArgument("TensorArray dtype is ", array.dtype(), " but Op is trying to write dtype ", dtype,
                                 ".");
}

// "name_12": no other array of the process has it.
inline std::string UniqueName(std::string_view name) {
  static std::atomic<std::int64_t> counter{0};
  return StrCat(name, "_", counter.fetch_add(1, std::memory_order_relaxed));
}

// Makes an array of the run. Sets options->name to the array's name: `name`, or the node's, and a number.
inline Status CreateArray(const OpKernelContext& context, const Tensor& size, std::string_view name,
                          TensorArray::Options* options) {
  if (size.dims() != 0)
    return errors::InvalidArgument("TensorArray size must be scalar, but had shape: ", size.shape());
  const Index count = *size.data<std::int32_t>();
  if (count < 0) return errors::InvalidArgument("Size should be >= 0.");
  if (count > TensorArray::kMaxSize)
    return errors::ResourceExhausted("TensorArrayV3: ", count, " elements are more than the limit of ",
                                     TensorArray::kMaxSize);
  StepContainer* const container = context.step_container();
  if (container == nullptr) return tenon::detail::NoResources(context);
  options->name = UniqueName(name.empty() ? context.op_kernel().name() : name);
  return container->Create(options->name, Ref<TensorArray>::Adopt(new TensorArray(*options, count)));
}

inline Status ArrayGradWithShapeShape(InferenceContext* c) {
  ShapeHandle unused, prepended, element;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Vector(2));
  c->set_output(1, c->Scalar());
  const ShapeAndType* const held = HeldElements(c);
  if (held == nullptr) return OkStatus();
  if (!c->MakeShapeFromShapeTensor(2, &prepended).ok()) return OkStatus();  // the kernel refuses it
  TENON_RETURN_IF_ERROR(c->Concatenate(prepended, held->shape, &element));
  SlimVector<ShapeAndType> made;
  made.push_back({element, held->dtype});
  c->set_output_handle_shapes_and_types(0, made);
  return OkStatus();
}
inline Status ReadPrependedShape(const HostIndices& sizes, TensorShape* shape) {
  if (sizes.shape().dims() != 1)
    return errors::InvalidArgument("TensorArrayGradWithShape: shape must be a vector of {int32,int64}, got shape ",
                                   sizes.shape());
  for (Index d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0) return errors::InvalidArgument("TensorArrayGradWithShape: Dimension ", sizes[d], " must be >= 0");
    TENON_RETURN_IF_ERROR(shape->AddDimWithStatus(sizes[d]));
  }
  return OkStatus();
}

}  // namespace detail

// size elements, none of them written; the flow orders the ops on the array.
struct TensorArrayV3 {
  static constexpr auto signature = Op("TensorArrayV3")
                                        .Input("size: int32")
                                        .Output("handle: resource")
                                        .Output("flow: float")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .Attr("dynamic_size: bool = false")
                                        .Attr("clear_after_read: bool = true")
                                        .Attr("identical_element_shapes: bool = false")
                                        .Attr("tensor_array_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TensorArrayShape);

  struct Attrs {
    DataType dtype;
    PartialTensorShape element_shape;
    bool dynamic_size, clear_after_read, identical_element_shapes;
    std::string_view tensor_array_name;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& size, Tensor& handle, Tensor& flow) const {
      return Make(context.op(), *this, size, &handle, &flow);
    }
  };

 private:
  static Status Make(OpKernelContext& context, const Attrs& attrs, const Tensor& size, Tensor* handle, Tensor* flow) {
    detail::TensorArray::Options options;
    options.dtype = attrs.dtype;
    options.element_shape = attrs.element_shape;
    options.dynamic_size = attrs.dynamic_size;
    options.clear_after_read = attrs.clear_after_read;
    options.identical_element_shapes = attrs.identical_element_shapes;
    TENON_RETURN_IF_ERROR(detail::CreateArray(context, size, attrs.tensor_array_name, &options));
    TENON_RETURN_IF_ERROR(tenon::detail::MakeHandleTensor(
        MakeResourceHandle<detail::TensorArray>(context.device_name(), context.step_container()->name(), options.name),
        handle));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape(), &flow));
    *flow->data<float>() = 0;
    return OkStatus();
  }
};

// An array like `handle`'s for gradients under the name of `source`; the same one each time. Writes to it add up.
struct TensorArrayGradV3 {
  static constexpr auto signature = Op("TensorArrayGradV3")
                                        .Input("handle: resource")
                                        .Input("flow_in: float")
                                        .Output("grad_handle: resource")
                                        .Output("flow_out: float")
                                        .Attr("source: string")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(detail::CheckArrayHandle(c));
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
                                          c->set_output(0, c->Vector(2));
                                          c->set_output(1, c->Scalar());
                                          if (const auto* held = c->input_handle_shapes_and_types(0))
                                            c->set_output_handle_shapes_and_types(0, *held);
                                          return OkStatus();
                                        });

  struct Attrs {
    std::string_view source;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& handle, const Tensor& flow_in, Tensor& grad_handle,
                      Tensor& flow_out) const {
      flow_out = flow_in;
      return Make(context.op(), handle, this->source, TensorShape(), &grad_handle);
    }
  };

  static Status Make(const OpKernelContext& context, const Tensor& handle, std::string_view source,
                     const TensorShape& prepended, Tensor* grad_handle) {
    Ref<detail::TensorArray> array, gradient;
    TENON_RETURN_IF_ERROR(detail::GetArray(context, &array));
    const ResourceHandle& of = *handle.data<ResourceHandle>();
    const std::string name = StrCat(of.name, "@", source);
    TENON_RETURN_IF_ERROR(context.resource_manager()->LookupOrCreate<detail::TensorArray>(
        of.container, name, &gradient,
        [&](Ref<detail::TensorArray>* made) { return array->MakeGradient(name, made, prepended); }));
    return tenon::detail::MakeHandleTensor(MakeResourceHandle<detail::TensorArray>(of.device, of.container, name),
                                           grad_handle);
  }
};

// As TensorArrayGradV3, with elements that have the dimensions `shape_to_prepend` before their own.
struct TensorArrayGradWithShape {
  static constexpr auto signature = Op("TensorArrayGradWithShape")
                                        .Input("handle: resource")
                                        .Input("flow_in: float")
                                        .Input("shape_to_prepend: int32")
                                        .Output("grad_handle: resource")
                                        .Output("flow_out: float")
                                        .Attr("source: string")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ArrayGradWithShapeShape);
  using Attrs = TensorArrayGradV3::Attrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& handle, const Tensor& flow_in, HostIndices sizes,
                      Tensor& grad_handle, Tensor& flow_out) const {
      TensorShape prepended;
      TENON_RETURN_IF_ERROR(detail::ReadPrependedShape(sizes, &prepended));
      flow_out = flow_in;
      return TensorArrayGradV3::Make(context.op(), handle, this->source, prepended, &grad_handle);
    }
  };
};

struct TensorArrayWriteV3 {
  static constexpr auto signature = Op("TensorArrayWriteV3")
                                        .Input("handle: resource")
                                        .Input("index: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(detail::CheckArrayHandle(c));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
                                          if (const ShapeAndType* held = detail::HeldElements(c))
                                            TENON_RETURN_IF_ERROR(c->Merge(held->shape, c->input(2), &unused));
                                          return shape_inference::ScalarShape(c);
                                        });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& index, const Tensor& value,
                      const Tensor& flow_in, Tensor& flow_out) const {
      Index at = 0;
      Ref<detail::TensorArray> array;
      TENON_RETURN_IF_ERROR(detail::ReadIndex(index, &at));
      TENON_RETURN_IF_ERROR(detail::GetArray(context.op(), &array));
      TENON_RETURN_IF_ERROR(detail::CheckWrittenType(*array, value.dtype()));
      flow_out = flow_in;
      return array->Write(at, value);
    }
  };
};

struct TensorArrayReadV3 {
  static constexpr auto signature = Op("TensorArrayReadV3")
                                        .Input("handle: resource")
                                        .Input("index: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(detail::CheckArrayHandle(c));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
                                          const ShapeAndType* held = detail::HeldElements(c);
                                          c->set_output(0, held != nullptr ? held->shape : c->UnknownShape());
                                          return OkStatus();
                                        });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& index, const Tensor&,
                      Tensor& value) const {
      Index at = 0;
      Ref<detail::TensorArray> array;
      TENON_RETURN_IF_ERROR(detail::ReadIndex(index, &at));
      TENON_RETURN_IF_ERROR(detail::GetArray(context.op(), &array));
      TENON_RETURN_IF_ERROR(detail::CheckReadType(context.op(), *array));
      return array->Read(at, &value);
    }
  };
};

struct TensorArraySizeV3 {
  static constexpr auto signature = Op("TensorArraySizeV3")
                                        .Input("handle: resource")
                                        .Input("flow_in: float")
                                        .Output("size: int32")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(detail::CheckArrayHandle(c));
                                          return shape_inference::ScalarShape(c);
                                        });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor& size) const {
      Ref<detail::TensorArray> array;
      Index count = 0;
      Tensor* out = &size;
      TENON_RETURN_IF_ERROR(detail::GetArray(context.op(), &array));
      TENON_RETURN_IF_ERROR(array->Size(&count));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape(), &out));
      *out->data<std::int32_t>() = static_cast<std::int32_t>(count);
      return OkStatus();
    }
  };
};

// Drops the elements. Later uses of the array are refused.
struct TensorArrayCloseV3 {
  static constexpr auto signature =
      Op("TensorArrayCloseV3").Input("handle: resource").SetIsStateful().SetShapeFn([](InferenceContext* c) {
        return detail::CheckArrayHandle(c);
      });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&) const {
      Ref<detail::TensorArray> array;
      TENON_RETURN_IF_ERROR(detail::GetArray(context.op(), &array));
      array->Close();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

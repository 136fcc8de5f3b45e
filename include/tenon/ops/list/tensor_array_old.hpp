// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorArray, TensorArrayV2 and the ops on them, of older graphs: they pass their array by two strings, or by a
// reference to them. The kernels are those of the newer ops.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/list/tensor_array.hpp>
#include <tenon/ops/list/tensor_array_pack.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// The handle as output 0 wants it: a reference, or the strings.
inline Status MakeOldArrayHandle(const OpKernelContext& context, std::string_view kind, std::string_view name,
                                 Tensor* handle) {
  return IsRefType(context.expected_output_dtype(0)) ? MakeHandleReference(kind, name, handle)
                                                     : MakeNames(kind, name, handle);
}

struct OldArrayAttrs {
  DataType dtype;
  PartialTensorShape element_shape;
  bool dynamic_size, clear_after_read;
  std::string_view tensor_array_name;
};
inline Status MakeOldArray(const OpKernelContext& context, const OldArrayAttrs& attrs, const Tensor& size,
                           Tensor* handle) {
  TensorArray::Options options;
  options.dtype = attrs.dtype;
  options.element_shape = attrs.element_shape;
  options.dynamic_size = attrs.dynamic_size;
  options.clear_after_read = attrs.clear_after_read;
  TENON_RETURN_IF_ERROR(CreateArray(context, size, attrs.tensor_array_name, &options));
  return MakeOldArrayHandle(context, kOfArrays, options.name, handle);
}
inline Status MakeOldGradient(const OpKernelContext& context, std::string_view source, Tensor* handle) {
  Ref<TensorArray> array, gradient;
  std::string of;
  bool is_gradient = false;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(ReadArrayName(context, &of, &is_gradient));
  if (is_gradient)
    return errors::InvalidArgument("Input container should be '", kOfArrays, "',  but received '", kOfGradientArrays,
                                   "'");
  const std::string name = StrCat(of, "@", source);
  StepContainer* const container = context.step_container();
  TENON_RETURN_IF_ERROR(container->resources()->LookupOrCreate<TensorArray>(
      container->name(), name, &gradient, [&](Ref<TensorArray>* made) { return array->MakeGradient(name, made); }));
  return MakeOldArrayHandle(context, kOfGradientArrays, name, handle);
}

inline Status NewArrayShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  c->set_output(0, c->Vector(2));
  return OkStatus();
}
inline Status NewGradientArrayShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  c->set_output(0, c->Vector(2));
  return OkStatus();
}
// A handle, an input of this rank, and a scalar flow.
inline Status CheckOldArray(InferenceContext* c, int input, int rank, int flow) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(input), rank, &unused));
  return c->WithRank(c->input(flow), 0, &unused);
}
inline Status OldReadShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckOldArray(c, 1, 0, 2));
  return shape_inference::UnknownShape(c);
}
inline Status OldWriteShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckOldArray(c, 1, 0, 3));
  return shape_inference::ScalarShape(c);
}
inline Status OldGatherShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckOldArray(c, 1, 1, 2));
  return shape_inference::UnknownShape(c);
}
inline Status OldScatterShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckOldArray(c, 1, 1, 3));
  return shape_inference::ScalarShape(c);
}
inline Status OldSplitShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckOldArray(c, 2, 1, 3));
  return shape_inference::ScalarShape(c);
}
inline Status OldSizeShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  return shape_inference::ScalarShape(c);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

struct TensorArray {
  static constexpr auto signature = Op("TensorArray")
                                        .Input("size: int32")
                                        .Output("handle: Ref(string)")
                                        .Attr("dtype: type")
                                        .Attr("dynamic_size: bool = false")
                                        .Attr("clear_after_read: bool = true")
                                        .Attr("tensor_array_name: string = ''")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .SetIsStateful()
                                        .Deprecated(16, "Use TensorArrayV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::OldArrayAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& size, Tensor& handle) const {
      return detail::MakeOldArray(context.op(), *this, size, &handle);
    }
  };
};

struct TensorArrayV2 {
  static constexpr auto signature = Op("TensorArrayV2")
                                        .Input("size: int32")
                                        .Output("handle: string")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .Attr("dynamic_size: bool = false")
                                        .Attr("clear_after_read: bool = true")
                                        .Attr("tensor_array_name: string = ''")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use TensorArrayV3")
                                        .SetShapeFn(detail::NewArrayShape);
  using Attrs = detail::OldArrayAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& size, Tensor& handle) const {
      return detail::MakeOldArray(context.op(), *this, size, &handle);
    }
  };
};

struct TensorArrayGrad {
  static constexpr auto signature = Op("TensorArrayGrad")
                                        .Input("handle: string")
                                        .Input("flow_in: float")
                                        .Output("grad_handle: Ref(string)")
                                        .Attr("source: string")
                                        .SetIsStateful()
                                        .Deprecated(16, "Use TensorArrayGradV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  struct Attrs {
    std::string_view source;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor& grad_handle) const {
      return detail::MakeOldGradient(context.op(), this->source, &grad_handle);
    }
  };
};

struct TensorArrayGradV2 {
  static constexpr auto signature = Op("TensorArrayGradV2")
                                        .Input("handle: string")
                                        .Input("flow_in: float")
                                        .Output("grad_handle: string")
                                        .Attr("source: string")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use TensorArrayGradV3")
                                        .SetShapeFn(detail::NewGradientArrayShape);
  struct Attrs {
    std::string_view source;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor& grad_handle) const {
      return detail::MakeOldGradient(context.op(), this->source, &grad_handle);
    }
  };
};

struct TensorArrayWrite {
  static constexpr auto signature = Op("TensorArrayWrite")
                                        .Input("handle: Ref(string)")
                                        .Input("index: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(16, "Use TensorArrayWriteV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayWriteV3::kernel<Device>;
};

struct TensorArrayWriteV2 {
  static constexpr auto signature = Op("TensorArrayWriteV2")
                                        .Input("handle: string")
                                        .Input("index: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(26, "Use TensorArrayWriteV3")
                                        .SetShapeFn(detail::OldWriteShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayWriteV3::kernel<Device>;
};

struct TensorArrayRead {
  static constexpr auto signature = Op("TensorArrayRead")
                                        .Input("handle: Ref(string)")
                                        .Input("index: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Deprecated(16, "Use TensorArrayReadV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayReadV3::kernel<Device>;
};

struct TensorArrayReadV2 {
  static constexpr auto signature = Op("TensorArrayReadV2")
                                        .Input("handle: string")
                                        .Input("index: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Deprecated(26, "Use TensorArrayReadV3")
                                        .SetShapeFn(detail::OldReadShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayReadV3::kernel<Device>;
};

struct TensorArrayGather {
  static constexpr auto signature = Op("TensorArrayGather")
                                        .Input("handle: Ref(string)")
                                        .Input("indices: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .Deprecated(16, "Use TensorArrayGatherV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = TensorArrayGatherV3::Attrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayGatherV3::kernel<Device>;
};

struct TensorArrayGatherV2 {
  static constexpr auto signature = Op("TensorArrayGatherV2")
                                        .Input("handle: string")
                                        .Input("indices: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .Deprecated(26, "Use TensorArrayGatherV3")
                                        .SetShapeFn(detail::OldGatherShape);
  using Attrs = TensorArrayGatherV3::Attrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayGatherV3::kernel<Device>;
};

struct TensorArrayPack {
  static constexpr auto signature = Op("TensorArrayPack")
                                        .Input("handle: Ref(string)")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .Deprecated(16, "Use TensorArrayGatherV3 with RangeOp")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = TensorArrayGatherV3::Attrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::PackArray(context.op(), this->element_shape);
    }
  };
};

struct TensorArrayUnpack {
  static constexpr auto signature = Op("TensorArrayUnpack")
                                        .Input("handle: Ref(string)")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(20, "Use TensorArrayScatterV3 with RangeOp")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& value, const Tensor& flow_in,
                      Tensor& flow_out) const {
      flow_out = flow_in;
      return detail::UnpackArray(context.op(), value);
    }
  };
};

struct TensorArrayScatter {
  static constexpr auto signature = Op("TensorArrayScatter")
                                        .Input("handle: Ref(string)")
                                        .Input("indices: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(19, "Use TensorArrayGradV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayScatterV3::kernel<Device>;
};

struct TensorArrayScatterV2 {
  static constexpr auto signature = Op("TensorArrayScatterV2")
                                        .Input("handle: string")
                                        .Input("indices: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(26, "Use TensorArrayScatterV3")
                                        .SetShapeFn(detail::OldScatterShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayScatterV3::kernel<Device>;
};

struct TensorArrayConcat {
  static constexpr auto signature = Op("TensorArrayConcat")
                                        .Input("handle: Ref(string)")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Output("lengths: int64")
                                        .Attr("dtype: type")
                                        .Attr("element_shape_except0: shape = { unknown_rank: true }")
                                        .Deprecated(16, "Use TensorArrayGradV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = TensorArrayConcatV3::Attrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayConcatV3::kernel<Device>;
};

struct TensorArrayConcatV2 {
  static constexpr auto signature = Op("TensorArrayConcatV2")
                                        .Input("handle: string")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Output("lengths: int64")
                                        .Attr("dtype: type")
                                        .Attr("element_shape_except0: shape = { unknown_rank: true }")
                                        .SetShapeFn(detail::ArrayConcatShape);
  using Attrs = TensorArrayConcatV3::Attrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArrayConcatV3::kernel<Device>;
};

struct TensorArraySplit {
  static constexpr auto signature = Op("TensorArraySplit")
                                        .Input("handle: Ref(string)")
                                        .Input("value: T")
                                        .Input("lengths: int64")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(16, "Use TensorArraySplitV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArraySplitV3::kernel<Device>;
};

struct TensorArraySplitV2 {
  static constexpr auto signature = Op("TensorArraySplitV2")
                                        .Input("handle: string")
                                        .Input("value: T")
                                        .Input("lengths: int64")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .Deprecated(26, "Use TensorArraySplitV3")
                                        .SetShapeFn(detail::OldSplitShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TensorArraySplitV3::kernel<Device>;
};

struct TensorArraySize {
  static constexpr auto signature = Op("TensorArraySize")
                                        .Input("handle: Ref(string)")
                                        .Input("flow_in: float")
                                        .Output("size: int32")
                                        .Deprecated(16, "Use TensorArraySizeV3")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device>
  using kernel = TensorArraySizeV3::kernel<Device>;
};

struct TensorArraySizeV2 {
  static constexpr auto signature = Op("TensorArraySizeV2")
                                        .Input("handle: string")
                                        .Input("flow_in: float")
                                        .Output("size: int32")
                                        .Deprecated(26, "Use TensorArraySizeV3")
                                        .SetShapeFn(detail::OldSizeShape);
  template <class Device>
  using kernel = TensorArraySizeV3::kernel<Device>;
};

struct TensorArrayClose {
  static constexpr auto signature = Op("TensorArrayClose")
                                        .Input("handle: Ref(string)")
                                        .Deprecated(16, "Use TensorArrayCloseV3")
                                        .SetShapeFn(shape_inference::NoOutputs);
  template <class Device>
  using kernel = TensorArrayCloseV3::kernel<Device>;
};

struct TensorArrayCloseV2 {
  static constexpr auto signature = Op("TensorArrayCloseV2")
                                        .Input("handle: string")
                                        .Deprecated(26, "Use TensorArrayCloseV3")
                                        .SetShapeFn(detail::CheckArrayHandle);
  template <class Device>
  using kernel = TensorArrayCloseV3::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

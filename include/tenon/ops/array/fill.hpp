// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fill, ZerosLike, OnesLike, Empty, OneHot: tensors of one value, or nearly.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/gather.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variant_arithmetic.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kFillTypes =
    kPodAndObjectTypes | kQuantizedTypes | ToSet(DataType::kInt4) | ToSet(DataType::kUint4);

inline Status FillShape(InferenceContext* c) {
  SlimVector<std::int64_t> sizes;
  bool known = false;
  ShapeHandle unused, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->ReadInput(0, &sizes, &known));
  for (const std::int64_t size : sizes)
    if (size < 0) return errors::InvalidArgument("Fill dimensions must be >= 0");
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  if (const auto* held = c->input_handle_shapes_and_types(1)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}

inline Status OneHotShape(InferenceContext* c) {
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -1) return errors::InvalidArgument("axis must be >= -1");
  DimensionHandle depth;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &depth));
  const ShapeHandle indices = c->input(0);
  if (!c->RankKnown(indices)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(indices) + 1;
  const auto at = static_cast<std::int32_t>((std::int64_t{axis} + rank) % rank);
  SlimVector<DimensionHandle> dims;
  for (std::int32_t d = 0; d < rank; ++d) dims.push_back(d == at ? depth : c->Dim(indices, d < at ? d : d - 1));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// The shape whose sizes are these values, which `what` is called in errors.
inline Status ShapeOfValues(const char* what, const HostIndices& values, TensorShape* shape) {
  InlinedVector<Index, 8> sizes;
  for (Index d = 0; d < values.size(); ++d) {
    if (values[d] < 0)
      return errors::InvalidArgument(what, ": Dimension ", values[d], " must be >= 0 (dimension ", d, ")");
    sizes.push_back(values[d]);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, shape);
}

}  // namespace detail

// dims: [2, 3], value: v  ->  [[v v v][v v v]]
struct Fill {
  static constexpr auto signature = Op("Fill")
                                        .Input("dims: index_type")
                                        .Input("value: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("index_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::FillShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(1), detail::kFillTypes); }
    Status operator()(Context<Device>& context, HostIndices dims, const Tensor& value, Tensor& output) const {
      if (dims.shape().dims() > 1)
        return errors::InvalidArgument("Fill: dims must be a vector, got shape ", dims.shape());
      if (value.dims() > 1 || value.NumElements() != 1)
        return errors::InvalidArgument("Fill: value must be a scalar, got shape ", value.shape());
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeOfValues("Fill", dims, &shape));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      return tenon::Fill(context.device(), MoverOf(value.dtype()), value.raw_data(), out->raw_data(),
                         out->NumElements());
    }
  };
};

struct ZerosLike {
  static constexpr auto signature =
      Op("ZerosLike").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnDevice<Device>(c, c.input_type(0), kPodAndStringTypes | ToSet(DataType::kVariant));
    }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      Tensor* out = &y;
      if (x.dtype() == DataType::kVariant) return detail::ZerosLikeVariant(context.op());
      if (x.dtype() == DataType::kString)  // a new tensor's texts are empty
        return context.op().allocate_output(0, x.shape(), &out);
      TENON_RETURN_IF_ERROR(context.op().forward_input_or_allocate_output({0}, 0, x.shape(), &out));
      return Zero(context.device(), MoverOf(x.dtype()), out->raw_data(), out->NumElements());
    }
  };
};

struct OnesLike {
  static constexpr auto signature =
      Op("OnesLike")
          .Input("x: T")
          .Output("y: T")
          .Attr(
              "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class Device, class T>
  struct kernel {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T>, Forward<T, 0> y) const {
      const T one = T(1);
      return FillWithConstant(device, ElementMover{sizeof(T)}, &one, y.data, y.size());
    }
  };
};

// A tensor of this shape: zeros when `init` says so, else whatever its memory held.
struct Empty {
  static constexpr auto signature = Op("Empty")
                                        .Input("shape: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("init: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::RandomShape);

  struct Attrs {
    bool init;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.output_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, HostIndices shape, Tensor& output) const {
      if (shape.shape().dims() != 1)
        return errors::InvalidArgument("Empty: shape must be a vector of int32, got shape ", shape.shape());
      TensorShape sizes;
      TENON_RETURN_IF_ERROR(detail::ShapeOfValues("Empty", shape, &sizes));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, sizes, &out));
      if (!this->init) return OkStatus();
      return Zero(context.device(), MoverOf(out->dtype()), out->raw_data(), out->NumElements());
    }
  };
};

// indices: [a, b], depth d  ->  [a, b, d] (axis -1): on_value where the index says, off_value elsewhere
struct OneHot {
  static constexpr auto signature = Op("OneHot")
                                        .Input("indices: TI")
                                        .Input("depth: int32")
                                        .Input("on_value: T")
                                        .Input("off_value: T")
                                        .Attr("axis: int = -1")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::OneHotShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& indices, HostIndices depth, const Tensor& on_value,
                      const Tensor& off_value, Tensor& output) const {
      return Run(context.op(), context.device(), this->axis, indices, depth, on_value, off_value, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, std::int64_t axis, const Tensor& indices,
                    const HostIndices& depth, const Tensor& on_value, const Tensor& off_value, Tensor* output) {
    const int rank = indices.dims();
    if (axis < -1 || axis > rank)
      return errors::InvalidArgument("OneHot: Expected axis to be -1 or between [0, ", rank + 1,
                                     ").  But received: ", axis);
    if (depth.shape().dims() != 0)
      return errors::InvalidArgument("OneHot: depth must be a scalar, but got: ", depth.shape());
    if (on_value.dims() != 0)
      return errors::InvalidArgument("OneHot: on_value must be a scalar, but got: ", on_value.shape());
    if (off_value.dims() != 0)
      return errors::InvalidArgument("OneHot: off_value must be a scalar, but got: ", off_value.shape());
    if (depth[0] < 0) return errors::InvalidArgument("OneHot: depth must be non-negative, got: ", depth[0]);
    const int at = axis == -1 ? rank : static_cast<int>(axis);
    TensorShape shape = indices.shape();
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(at, depth[0]));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    const ElementMover mover = MoverOf(output->dtype());
    const Index inner = ProductOfSizes(indices.shape(), at, rank);
    return tenon::OneHot(device, mover, indices, inner, depth[0], on_value.raw_data(), off_value.raw_data(),
                         output->raw_data());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

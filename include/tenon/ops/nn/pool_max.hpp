// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool's relatives: MaxPoolV2 (sizes as inputs), MaxPoolWithArgmax, and the gradients MaxPoolGrad, MaxPoolGradV2 and
// MaxPoolGradWithArgmax.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kPoolTypes{kPodTypes.mask & ~kComplexTypes.mask & ~ToSet(DataType::kBool).mask};

// The loops of one element type.
template <class Device>
struct MaxPoolLoops {
  Status (*pool)(Device&, const PoolGeometry&, const void*, void*);
  Status (*places)(Device&, const PoolGeometry&, const void*, void*, Index*);
  Status (*gradient)(Device&, const PoolGeometry&, const void*, const void*, void*, Index*, void*);
  void (*add)(Cpu&, Index, Index, Index, const void*, const Index*, void*);  // null but on the CPU
};
template <class Device, class T>
struct MaxPoolOf {
  static Status Pool(Device& device, const PoolGeometry& g, const void* in, void* out) {
    return tenon::MaxPool(device, g, static_cast<const T*>(in), static_cast<T*>(out));
  }
  static Status Places(Device& device, const PoolGeometry& g, const void* in, void* most, Index* places) {
    return MaxPoolPlaces(device, g, static_cast<const T*>(in), static_cast<T*>(most), places);
  }
  static Status Gradient(Device& device, const PoolGeometry& g, const void* in, const void* grad, void* most,
                         Index* places, void* out) {
    return MaxPoolGradient(device, g, static_cast<const T*>(in), static_cast<const T*>(grad), static_cast<T*>(most),
                           places, static_cast<T*>(out));
  }
  static void Add(Cpu& device, Index batch, Index count, Index image, const void* grad, const Index* places,
                  void* out) {
    AddAtPlaces(device, batch, count, image, static_cast<const T*>(grad), places, static_cast<T*>(out));
  }
  static constexpr MaxPoolLoops<Device> loops{&Pool, &Places, &Gradient, Device::type == "CPU" ? &Add : nullptr};
};
// For one of kPoolTypes.
template <class Device>
const MaxPoolLoops<Device>& MaxPoolLoopsOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return MaxPoolOf<Device, half>::loops;
    case DataType::kBfloat16: return MaxPoolOf<Device, bfloat16>::loops;
    case DataType::kDouble: return MaxPoolOf<Device, double>::loops;
    case DataType::kInt8: return MaxPoolOf<Device, std::int8_t>::loops;
    case DataType::kInt16: return MaxPoolOf<Device, std::int16_t>::loops;
    case DataType::kInt32: return MaxPoolOf<Device, std::int32_t>::loops;
    case DataType::kInt64: return MaxPoolOf<Device, std::int64_t>::loops;
    case DataType::kUint8: return MaxPoolOf<Device, std::uint8_t>::loops;
    case DataType::kUint16: return MaxPoolOf<Device, std::uint16_t>::loops;
    case DataType::kUint32: return MaxPoolOf<Device, std::uint32_t>::loops;
    case DataType::kUint64: return MaxPoolOf<Device, std::uint64_t>::loops;
    default: return MaxPoolOf<Device, float>::loops;
  }
}

inline Status ReadFour(std::string_view op, std::string_view what, const HostIndices& list, Index* four) {
  if (list.size() != 4)
    return errors::InvalidArgument(op, ": Sliding window ", what, " field must specify 4 dimensions, got ",
                                   list.size());
  for (Index i = 0; i < 4; ++i) four[i] = list[i];
  return OkStatus();
}

// Output 0, of the shape of `input`: each element of `grad` where the largest of its window is.
template <class Device>
Status RunMaxPoolGrad(OpKernelContext& context, Device& device, std::string_view op, std::span<const Index> ksize,
                      std::span<const Index> strides, std::string_view padding, std::span<const Index> paddings,
                      std::string_view data_format) {
  const Tensor &input = context.input(0), &output = context.input(1), &grad = context.input(2);
  if (!TakesImageFormat<Device>(data_format))
    return errors::InvalidArgument("Default MaxPoolingGradOp only supports NHWC on device type CPU, got ", data_format);
  const bool channels_first = data_format == "NCHW";
  const std::size_t depth = channels_first ? 1 : 3;
  if (ksize.size() == 4 && strides.size() == 4 && (ksize[depth] != 1 || strides[depth] != 1))
    return errors::Unimplemented("MaxPoolingGrad is not yet supported on the depth dimension.");
  if (input.dims() != 4) return errors::InvalidArgument(op, ": tensor_in must be 4-dimensional, got ", input.shape());
  if (output.dims() != 4)
    return errors::InvalidArgument(op, ": tensor_out must be 4-dimensional, got ", output.shape());
  if (grad.dims() != 4) return errors::InvalidArgument(op, ": out_backprop must be 4-dimensional, got ", grad.shape());
  PoolGeometry g;
  TENON_RETURN_IF_ERROR(SpatialPoolGeometry(op, input.shape(), ksize, strides, padding, paddings, &g, channels_first));
  const TensorShape shape = g.output_shape();
  if (!(output.shape() == shape))
    return errors::InvalidArgument(op, ": Expected orig_output shape to be ", shape, ", but got ", output.shape());
  if (!(grad.shape() == shape))
    return errors::InvalidArgument(op, ": Expected grad shape to be ", shape, ", but got ", grad.shape());
  Tensor places, most;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  if (out->NumElements() == 0) return OkStatus();
  const bool needs_places = Device::type != "CPU" || MaxPoolGradientNeedsPlaces(input.dtype());
  if (needs_places) {
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, shape, &places));
    TENON_RETURN_IF_ERROR(context.allocate_temp(input.dtype(), shape, &most));
  }
  return MaxPoolLoopsOf<Device>(input.dtype())
      .gradient(device, g, input.raw_data(), grad.raw_data(), needs_places ? most.raw_data() : nullptr,
                needs_places ? places.data<std::int64_t>() : nullptr, out->raw_data());
}

// Reads positions back as positions in an image. InvalidArgument: a position is not in its image.
inline Status ReadPlaces(const Tensor& argmax, Index batch, Index count, Index image, bool in_batch, Index* places) {
  for (Index i = 0; i < batch * count; ++i) {
    const Index place =
        argmax.dtype() == DataType::kInt32 ? argmax.data<std::int32_t>()[i] : argmax.data<std::int64_t>()[i];
    const Index first = in_batch ? i / count * image : 0;  // element of the picture
    if (place < first || place - first >= image)
      return errors::InvalidArgument("MaxPoolGradWithArgmax: Invalid output gradient index: ", place, " (argmax[", i,
                                     "]), must be in an image of ", image, " elements");
    places[i] = place - first;
  }
  return OkStatus();
}

}  // namespace detail

// ksize, strides: four values each
struct MaxPoolV2 {
  static constexpr auto signature =
      Op("MaxPoolV2")
          .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Input("input: T")
          .Input("ksize: int32")
          .Input("strides: int32")
          .Output("output: T")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::MaxPoolV2Shape(c, 1); });
  struct Attrs {
    std::string_view padding, data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPoolTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices ksize, HostIndices strides,
                      Tensor& output) const {
      if (!TakesImageFormat<Device>(this->data_format))
        return errors::InvalidArgument("Default MaxPoolingOp only supports NHWC on device type CPU, got ",
                                       this->data_format);
      Index sizes[4], steps[4];
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolV2", "ksize", ksize, sizes));
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolV2", "stride", strides, steps));
      Padding kind{};
      TENON_RETURN_IF_ERROR(ParsePadding(this->padding, &kind));
      PoolGeometry g;
      TENON_RETURN_IF_ERROR(MakePoolGeometry(input.shape(), sizes, steps, kind, {}, &g, this->data_format == "NCHW"));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, g.output_shape(), &out));
      return detail::MaxPoolLoopsOf<Device>(input.dtype()).pool(context.device(), g, input.raw_data(), out->raw_data());
    }
  };
};

// argmax: where each largest value is, in its image or (include_batch_in_index) in the whole batch
struct MaxPoolWithArgmax {
  static constexpr auto signature =
      Op("MaxPoolWithArgmax")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("Targmax: {int32, int64} = DT_INT64")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("include_batch_in_index: bool = false")
          .Input("input: T")
          .Output("output: T")
          .Output("argmax: Targmax")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            SlimVector<std::int64_t> ksize;
            TENON_RETURN_IF_ERROR(c->GetAttr("ksize", &ksize));
            for (const std::int64_t size : ksize)
              if (size <= 0) return errors::InvalidArgument("ksize must be a positive int32 value, got:", size);
            TENON_RETURN_IF_ERROR(shape_inference::MaxPoolShape(c));
            c->set_output(1, c->output(0));
            return OkStatus();
          });
  struct Attrs {
    std::span<const std::int64_t> ksize, strides;
    std::string_view padding;
    bool include_batch_in_index;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output, Tensor& argmax) const {
      PoolGeometry g;
      TENON_RETURN_IF_ERROR(detail::SpatialPoolGeometry("MaxPoolWithArgmax", input.shape(), this->ksize, this->strides,
                                                        this->padding, {}, &g));
      if (input.NumElements() == 0)
        return errors::InvalidArgument("MaxPoolWithArgmax: tensor_in must not be empty, got shape ", input.shape());
      const TensorShape shape = g.output_shape();
      Tensor *out = &output, *at = &argmax;
      Tensor places;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, shape, &at));
      TENON_RETURN_IF_ERROR(context.op().allocate_temp(DataType::kInt64, shape, &places));
      if (shape.num_elements() == 0) return OkStatus();
      TENON_RETURN_IF_ERROR(
          detail::MaxPoolLoopsOf<Device>(input.dtype())
              .places(context.device(), g, input.raw_data(), out->raw_data(), places.template data<std::int64_t>()));
      return WritePlaces(context.device(), places.template data<std::int64_t>(), g.batch,
                         shape.num_elements() / g.batch, input.NumElements() / g.batch, this->include_batch_in_index,
                         at->dtype(), at->raw_data());
    }
  };
};

// orig_input: [n, h, w, c], orig_output and grad: the shape of MaxPool's output  ->  [n, h, w, c]
struct MaxPoolGrad {
  static constexpr auto signature =
      Op("MaxPoolGrad")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("grad: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 4); });
  struct Attrs {
    std::span<const std::int64_t> ksize, strides, explicit_paddings;
    std::string_view padding, data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      TENON_RETURN_IF_ERROR(detail::CheckPoolBatch(this->ksize, this->strides));
      return detail::RunMaxPoolGrad(context.op(), context.device(), "MaxPoolGrad", this->ksize, this->strides,
                                    this->padding, this->explicit_paddings, this->data_format);
    }
  };
};

struct MaxPoolGradV2 {
  static constexpr auto signature =
      Op("MaxPoolGradV2")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("grad: T")
          .Input("ksize: int32")
          .Input("strides: int32")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 4); });
  struct Attrs {
    std::string_view padding, data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, HostIndices ksize,
                      HostIndices strides, Tensor&) const {
      Index sizes[4], steps[4];
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolGradV2", "ksize", ksize, sizes));
      TENON_RETURN_IF_ERROR(detail::ReadFour("MaxPoolGradV2", "strides", strides, steps));
      return detail::RunMaxPoolGrad(context.op(), context.device(), "MaxPoolGradV2", sizes, steps, this->padding, {},
                                    this->data_format);
    }
  };
};

// grad, argmax: as MaxPoolWithArgmax makes them of input  ->  the shape of input
struct MaxPoolGradWithArgmax {
  static constexpr auto signature =
      Op("MaxPoolGradWithArgmax")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("include_batch_in_index: bool = false")
          .Attr("Targmax: {int32, int64}")
          .Input("input: T")
          .Input("grad: T")
          .Input("argmax: Targmax")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 4); });
  struct Attrs {
    std::span<const std::int64_t> ksize, strides;
    std::string_view padding;
    bool include_batch_in_index;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // each position is checked before it is written to
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), ToSet(DataType::kInt64)); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& grad, const Tensor& argmax,
                      Tensor& output) const {
      PoolGeometry g;
      TENON_RETURN_IF_ERROR(detail::SpatialPoolGeometry("MaxPoolGradWithArgmax", input.shape(), this->ksize,
                                                        this->strides, this->padding, {}, &g));
      const TensorShape shape = g.output_shape();
      if (!(grad.shape() == shape))
        return errors::InvalidArgument("MaxPoolGradWithArgmax: Expected grad shape to be ", shape, ", but got ",
                                       grad.shape());
      if (!(argmax.shape() == shape))
        return errors::InvalidArgument("MaxPoolGradWithArgmax: Expected argmax shape to be ", shape, ", but got ",
                                       argmax.shape());
      Tensor* out = &output;
      Tensor places;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      TENON_RETURN_IF_ERROR(context.op().allocate_temp(DataType::kInt64, shape, &places));
      if (out->NumElements() == 0) return OkStatus();
      const Index count = shape.num_elements() / g.batch, image = input.NumElements() / g.batch;
      Index* const at = places.template data<std::int64_t>();
      TENON_RETURN_IF_ERROR(detail::ReadPlaces(argmax, g.batch, count, image, this->include_batch_in_index, at));
      detail::MaxPoolLoopsOf<Device>(input.dtype())
          .add(context.device(), g.batch, count, image, grad.raw_data(), at, out->raw_data());
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

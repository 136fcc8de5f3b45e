// SPDX-License-Identifier: Apache-2.0
#pragma once
// AvgPool and AvgPoolGrad: the mean of a window that moves over images.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/avg_pool.hpp>
#include <tenon/engine/core/window_dim.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct PoolAttrs {
  std::span<const std::int64_t> ksize, strides;
  std::string_view padding, data_format;
};

// TensorFlow's pools of planes find this out before they look at their inputs.
inline Status CheckPoolBatch(std::span<const std::int64_t> ksize, std::span<const std::int64_t> strides) {
  if (ksize.empty() || strides.empty() || (ksize[0] == 1 && strides[0] == 1)) return OkStatus();
  return errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
}

// The geometry of a pool over rows and columns alone. As in TensorFlow, the batch is looked at before the window's
// size.
inline Status SpatialPoolGeometry(std::string_view op, const TensorShape& input, std::span<const std::int64_t> ksize,
                                  std::span<const std::int64_t> strides, std::string_view padding,
                                  std::span<const std::int64_t> paddings, PoolGeometry* geometry,
                                  bool channels_first = false) {
  Padding kind{};
  TENON_RETURN_IF_ERROR(ParsePadding(padding, &kind));
  if (ksize.size() == 4 && strides.size() == 4) TENON_RETURN_IF_ERROR(CheckPoolBatch(ksize, strides));
  TENON_RETURN_IF_ERROR(MakePoolGeometry(input, ksize, strides, kind, paddings, geometry, channels_first));
  if (geometry->depth_window != 1)
    return errors::Unimplemented(op,
                                 ": Non-spatial pooling is not yet supported, got ksize[3] = ", geometry->depth_window);
  return OkStatus();
}

using shape_inference::ShapeFromInput;

// The shape that an input's values are, while running: `what` names the input.
inline Status ShapeFromValues(std::string_view op, std::string_view what, const HostIndices& values, int rank,
                              TensorShape* shape) {
  if (values.shape().dims() != 1 || values.size() != rank)
    return errors::InvalidArgument(op, ": ", what, " must be 1-dimensional and have ", rank, " elements, got shape ",
                                   values.shape());
  Index sizes[8] = {};
  for (Index i = 0; i < rank; ++i) {
    sizes[i] = values[i];
    if (sizes[i] < 0)
      return errors::InvalidArgument(op, ": Dimension ", sizes[i], " must be >= 0 (", what, "[", i, "])");
  }
  return TensorShape::Build({sizes, static_cast<std::size_t>(rank)}, shape);
}

// A gradient of another size than the pool's output: element i still belongs to the window at place i, which may not
// begin past the end of the image.
inline Status PlaceGradient(std::string_view op, Index size, Window* window) {
  if (size > 0 && size - 1 > window->input / window->stride)
    return errors::InvalidArgument(op, ": index * stride must be less than or equal to input size, got ", size - 1,
                                   " * ", window->stride, " and ", window->input);
  window->output = size;
  return OkStatus();
}

}  // namespace detail

// value: [n, h, w, c]  ->  [n, oh, ow, c]; padding does not count
struct AvgPool {
  static constexpr auto signature = Op("AvgPool")
                                        .Input("value: T")
                                        .Output("output: T")
                                        .Attr("ksize: list(int) >= 4")
                                        .Attr("strides: list(int) >= 4")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn(shape_inference::AvgPoolShape);
  using Attrs = detail::PoolAttrs;

  // Sizes its output itself: the kernel takes windows that the shape function refuses.
  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> value, Late<T>& output) const {
      if (!TakesImageFormat<Device>(this->data_format))
        return errors::InvalidArgument("Default AvgPoolingOp only supports NHWC on device type CPU, got ",
                                       this->data_format);
      PoolGeometry g;
      TENON_RETURN_IF_ERROR(detail::SpatialPoolGeometry("AvgPool", value.shape(), this->ksize, this->strides,
                                                        this->padding, {}, &g, this->data_format == "NCHW"));
      TENON_ASSIGN_OR_RETURN(const Out<T> out, output.Allocate(g.output_shape()));
      return tenon::AvgPool(device, g, value.data, out.data);
    }
  };
};

// orig_input_shape: [n, h, w, c] as values, grad: [n, oh, ow, c]  ->  [n, h, w, c]
struct AvgPoolGrad {
  static constexpr auto signature =
      Op("AvgPoolGrad")
          .Input("orig_input_shape: int32")
          .Input("grad: T")
          .Output("output: T")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Attr("T: {half, bfloat16, float, double}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 0, 4); });
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices orig_input_shape, const Tensor& grad,
                      Tensor& output) const {
      if (!TakesImageFormat<Device>(this->data_format))
        return errors::InvalidArgument("Default AvgPoolingGradOp only supports NHWC on device type CPU, got ",
                                       this->data_format);
      TENON_RETURN_IF_ERROR(detail::CheckPoolBatch(this->ksize, this->strides));
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues("AvgPoolGrad", "orig_input_shape", orig_input_shape, 4, &shape));
      if (grad.dims() != 4)
        return errors::InvalidArgument("AvgPoolGrad: out_backprop must be 4-dimensional, got shape ", grad.shape());
      PoolGeometry g;
      TENON_RETURN_IF_ERROR(detail::SpatialPoolGeometry("AvgPoolGrad", shape, this->ksize, this->strides, this->padding,
                                                        {}, &g, this->data_format == "NCHW"));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      return Run(context.device(), g, grad, out);
    }
  };

 private:
  template <class T, class Device>
  static Status RunAs(Device& device, const PoolGeometry& g, const Tensor& grad, Tensor* out, Index without) {
    return tenon::AvgPoolGrad(device, g, static_cast<const T*>(grad.raw_data()), static_cast<T*>(out->raw_data()),
                              without);
  }
  // Images for which there is no gradient get none.
  template <class Device>
  static Status Run(Device& device, PoolGeometry g, const Tensor& grad, Tensor* out) {
    if (out->NumElements() == 0) return OkStatus();
    const TensorShape places = ShapeInOrderOfNhwc(g.channels_first, grad.shape());
    TENON_RETURN_IF_ERROR(detail::PlaceGradient("AvgPoolGrad", places.dim_size(1), &g.rows));
    TENON_RETURN_IF_ERROR(detail::PlaceGradient("AvgPoolGrad", places.dim_size(2), &g.columns));
    const bool none = grad.NumElements() == 0;
    if (!none && (places.dim_size(0) > g.batch || places.dim_size(3) != g.depth))
      return errors::InvalidArgument("AvgPoolGrad: Expected grad shape to be ", g.output_shape(), ", but got ",
                                     grad.shape());
    const Index without = none ? g.batch : g.batch - places.dim_size(0);
    g.batch -= without;
    switch (grad.dtype()) {
      case DataType::kHalf: return RunAs<half>(device, g, grad, out, without);
      case DataType::kBfloat16: return RunAs<bfloat16>(device, g, grad, out, without);
      case DataType::kFloat: return RunAs<float>(device, g, grad, out, without);
      default: return RunAs<double>(device, g, grad, out, without);
    }
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

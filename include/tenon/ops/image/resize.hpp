// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic, ResizeArea and the gradients of the first three.

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/resize.hpp>
#include <tenon/engine/image/resize_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using tenon::detail::ResizeMethod;

struct ResizeAttrs {
  bool align_corners, half_pixel_centers;
};

// [batch, height, width, depth] where input `i` holds height and width.
TENON_DETAIL_COLD inline Status SizedImageShape(InferenceContext* c, int i, DimensionHandle batch,
                                                DimensionHandle depth) {
  ShapeHandle size;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &size));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(size, 0), 2, &unused));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(i, &sizes, &known));
  const bool both = known && sizes.size() == 2;
  c->set_output(0, c->MakeShape({batch, both ? c->MakeDim(sizes[0]) : c->UnknownDim(),
                                 both ? c->MakeDim(sizes[1]) : c->UnknownDim(), depth}));
  return OkStatus();
}
inline Status ResizeShape(InferenceContext* c) {
  ShapeHandle images;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  return SizedImageShape(c, 1, c->Dim(images, 0), c->Dim(images, 3));
}

inline Status CheckResizeAttrs(std::string_view op, const ResizeAttrs& a) {
  if (!a.align_corners || !a.half_pixel_centers) return OkStatus();
  return errors::InvalidArgument(op, ": If half_pixel_centers is True, align_corners must be False.");
}
inline Status ReadSize(std::string_view op, const HostIndices& size, Index* height, Index* width) {
  if (size.shape().dims() != 1)
    return errors::InvalidArgument(op, ": shape_t must be 1-dimensional, got shape ", size.shape());
  if (size.size() != 2) return errors::InvalidArgument(op, ": shape_t must have two elements, got ", size.size());
  *height = size[0];
  *width = size[1];
  return OkStatus();
}

inline constexpr Index kMostPixels = std::numeric_limits<std::int32_t>::max();

// `images` resized to `size`; the shape of the result.
inline Status MakeResizeGeometry(std::string_view op, const ResizeAttrs& a, const TensorShape& images,
                                 const HostIndices& size, ResizeGeometry* g, TensorShape* shape) {
  TENON_RETURN_IF_ERROR(CheckResizeAttrs(op, a));
  if (images.dims() != 4) return errors::InvalidArgument(op, ": input must be 4-dimensional", images);
  Index height = 0, width = 0;
  TENON_RETURN_IF_ERROR(ReadSize(op, size, &height, &width));
  if (height <= 0 || width <= 0)
    return errors::InvalidArgument(op, ": output dimensions must be positive, got ", height, " and ", width);
  if (images.dim_size(1) > kMostPixels || images.dim_size(2) > kMostPixels)
    return errors::InvalidArgument(op, ": input sizes must be between 0 and max int32, got ", images);
  if (images.dim_size(1) == 0 || images.dim_size(2) == 0)
    return errors::InvalidArgument(op, ": input image must be of non-zero size, got ", images);
  if (images.dim_size(3) == 0)
    return errors::InvalidArgument(op, ": image must have at least one channel, got ", images);
  g->batch = images.dim_size(0);
  g->depth = images.dim_size(3);
  g->rows = ResizeAxis(images.dim_size(1), height, a.align_corners);
  g->columns = ResizeAxis(images.dim_size(2), width, a.align_corners);
  g->align_corners = a.align_corners;
  g->half_pixel_centers = a.half_pixel_centers;
  const Index sizes[] = {g->batch, height, width, g->depth};
  return TensorShape::Build(sizes, shape);
}

template <class Device>
using ResizeFunction = Status (*)(Device&, const ResizeGeometry&, DataType, const void*, float*);

template <class Device>
Status RunResize(OpKernelContext& context, Device& device, std::string_view op, const ResizeAttrs& a,
                 const HostIndices& size, std::type_identity_t<ResizeFunction<Device>> resize) {
  const Tensor& images = context.input(0);
  ResizeGeometry g;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(MakeResizeGeometry(op, a, images.shape(), size, &g, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  return resize(device, g, images.dtype(), images.raw_data(), out->data<float>());
}

// Input 0: grads, float. Input 1: the original images, which give the size. TensorFlow takes batch and depth from
// grads, although its shape function promises the batch and depth of the images. Here they must be equal.
template <class Device>
Status RunResizeGrad(OpKernelContext& context, Device& device, std::string_view op, const ResizeAttrs& a,
                     ResizeMethod method) {
  const Tensor &grads = context.input(0), &images = context.input(1);
  TENON_RETURN_IF_ERROR(CheckResizeAttrs(op, a));
  if (grads.dims() != 4) return errors::InvalidArgument(op, ": input_grad must be 4-dimensional", grads.shape());
  if (images.dims() != 4) return errors::InvalidArgument(op, ": original_image must be 4-dimensional", images.shape());
  for (int d = 1; d < 3; ++d) {
    if (grads.dim_size(d) > kMostPixels || images.dim_size(d) > kMostPixels)
      return errors::InvalidArgument(op, ": sizes must be between 0 and max int32, got ", grads.shape(), " and ",
                                     images.shape());
    if (grads.dim_size(d) == 0)
      return errors::InvalidArgument(op, ": resized dimensions must be positive, got ", grads.shape());
    if (images.dim_size(d) == 0)
      return errors::InvalidArgument(op, ": original dimensions must be positive, got ", images.shape());
  }
  if (grads.dim_size(0) != images.dim_size(0) || grads.dim_size(3) != images.dim_size(3))
    return errors::InvalidArgument(op, ": input_grad must have the batch and the depth of original_image, got ",
                                   grads.shape(), " and ", images.shape());
  ResizeGeometry g;
  g.batch = grads.dim_size(0);
  g.depth = grads.dim_size(3);
  g.align_corners = a.align_corners;
  g.half_pixel_centers = a.half_pixel_centers;
  const Index sizes[] = {g.batch, images.dim_size(1), images.dim_size(2), g.depth};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  g.rows = ResizeAxis(sizes[1], grads.dim_size(1), a.align_corners);
  g.columns = ResizeAxis(sizes[2], grads.dim_size(2), a.align_corners);
  const float* const dy = grads.data<float>();
  switch (out->dtype()) {
    case DataType::kHalf: return ResizeGradient(device, g, method, dy, out->data<half>());
    case DataType::kBfloat16: return ResizeGradient(device, g, method, dy, out->data<bfloat16>());
    case DataType::kDouble: return ResizeGradient(device, g, method, dy, out->data<double>());
    default: return ResizeGradient(device, g, method, dy, out->data<float>());
  }
}

template <class T, class Device>
Status NearestGradient(Device& device, const ResizeGeometry& g, const Tensor& grads, Tensor* out) {
  return ResizeGradient(device, g, ResizeMethod::kNearest, grads.data<T>(), out->data<T>());
}

}  // namespace detail

// images: [n, h, w, c], size: [new h, new w]  ->  float [n, new h, new w, c]
struct ResizeBilinear {
  static constexpr auto signature =
      Op("ResizeBilinear")
          .Input("images: T")
          .Input("size: int32")
          .Output("resized_images: float")
          .Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}")
          .Attr("align_corners: bool = false")
          .Attr("half_pixel_centers: bool = false")
          .SetShapeFn(detail::ResizeShape);
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices size, Tensor&) const {
      return detail::RunResize(context.op(), context.device(), "ResizeBilinear", *this, size, &tenon::ResizeBilinear);
    }
  };
};

struct ResizeBicubic {
  static constexpr auto signature =
      Op("ResizeBicubic")
          .Input("images: T")
          .Input("size: int32")
          .Output("resized_images: float")
          .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
          .Attr("align_corners: bool = false")
          .Attr("half_pixel_centers: bool = false")
          .SetShapeFn(detail::ResizeShape);
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // as in TensorFlow
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices size, Tensor&) const {
      return detail::RunResize(context.op(), context.device(), "ResizeBicubic", *this, size, &tenon::ResizeBicubic);
    }
  };
};

struct ResizeArea {
  static constexpr auto signature =
      Op("ResizeArea")
          .Input("images: T")
          .Input("size: int32")
          .Output("resized_images: float")
          .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
          .Attr("align_corners: bool = false")
          .SetShapeFn(detail::ResizeShape);
  struct Attrs {
    bool align_corners;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // as in TensorFlow
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices size, Tensor&) const {
      return detail::RunResize(context.op(), context.device(), "ResizeArea", {this->align_corners, false}, size,
                               &tenon::ResizeArea);
    }
  };
};

// The resized images in the type of the images.
struct ResizeNearestNeighbor {
  static constexpr auto signature =
      Op("ResizeNearestNeighbor")
          .Input("images: T")
          .Input("size: int32")
          .Output("resized_images: T")
          .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
          .Attr("align_corners: bool = false")
          .Attr("half_pixel_centers: bool = false")
          .SetShapeFn(detail::ResizeShape);
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& images, HostIndices size, Tensor& output) const {
      ResizeGeometry g;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(
          detail::MakeResizeGeometry("ResizeNearestNeighbor", *this, images.shape(), size, &g, &shape));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      if (shape.num_elements() == 0) return OkStatus();
      return ResizeNearest(context.device(), g, static_cast<Index>(SizeOf(images.dtype())), images.raw_data(),
                           out->raw_data());
    }
  };
};

// grads: float [n, rh, rw, c], original_image: [n, h, w, c]  ->  [n, h, w, c]
struct ResizeBilinearGrad {
  static constexpr auto signature = Op("ResizeBilinearGrad")
                                        .Input("grads: float")
                                        .Input("original_image: T")
                                        .Output("output: T")
                                        .Attr("T: {float, bfloat16, half, double}")
                                        .Attr("align_corners: bool = false")
                                        .Attr("half_pixel_centers: bool = false")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(1));
                                          return OkStatus();
                                        });
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunResizeGrad(context.op(), context.device(), "ResizeBilinearGrad", *this,
                                   detail::ResizeMethod::kBilinear);
    }
  };
};

struct ResizeBicubicGrad {
  static constexpr auto signature = Op("ResizeBicubicGrad")
                                        .Input("grads: float")
                                        .Input("original_image: T")
                                        .Output("output: T")
                                        .Attr("T: {float, double}")
                                        .Attr("align_corners: bool = false")
                                        .Attr("half_pixel_centers: bool = false")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(1));
                                          return OkStatus();
                                        });
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // as in TensorFlow
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunResizeGrad(context.op(), context.device(), "ResizeBicubicGrad", *this,
                                   detail::ResizeMethod::kBicubic);
    }
  };
};

// grads: [n, rh, rw, c], size: [h, w]  ->  [n, h, w, c]
struct ResizeNearestNeighborGrad {
  static constexpr auto signature = Op("ResizeNearestNeighborGrad")
                                        .Input("grads: T")
                                        .Input("size: int32")
                                        .Output("output: T")
                                        .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
                                        .Attr("align_corners: bool = false")
                                        .Attr("half_pixel_centers: bool = false")
                                        .SetShapeFn(detail::ResizeShape);
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& grads, HostIndices size, Tensor& output) const {
      return Run(context.op(), context.device(), *this, grads, size, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Attrs& a, const Tensor& grads,
                    const HostIndices& size, Tensor* out) {
    constexpr std::string_view kName = "ResizeNearestNeighborGrad";
    if (grads.dims() != 4) return errors::InvalidArgument(kName, ": input must be 4-dimensional", grads.shape());
    Index height = 0, width = 0;
    TENON_RETURN_IF_ERROR(detail::ReadSize(kName, size, &height, &width));
    if (height <= 0 || width <= 0)
      return errors::InvalidArgument(kName, ": shape_t's elements must be positive, got ", height, " and ", width);
    ResizeGeometry g;
    g.batch = grads.dim_size(0);
    g.depth = grads.dim_size(3);
    g.align_corners = a.align_corners;
    g.half_pixel_centers = a.half_pixel_centers;
    g.rows = ResizeAxis(height, grads.dim_size(1), a.align_corners);
    g.columns = ResizeAxis(width, grads.dim_size(2), a.align_corners);
    const Index sizes[] = {g.batch, height, width, g.depth};
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (shape.num_elements() == 0) return OkStatus();
    switch (grads.dtype()) {
      case DataType::kUint8: return detail::NearestGradient<std::uint8_t>(device, g, grads, out);
      case DataType::kInt8: return detail::NearestGradient<std::int8_t>(device, g, grads, out);
      case DataType::kInt32: return detail::NearestGradient<std::int32_t>(device, g, grads, out);
      case DataType::kHalf: return detail::NearestGradient<half>(device, g, grads, out);
      case DataType::kBfloat16: return detail::NearestGradient<bfloat16>(device, g, grads, out);
      case DataType::kDouble: return detail::NearestGradient<double>(device, g, grads, out);
      default: return detail::NearestGradient<float>(device, g, grads, out);
    }
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImageProjectiveTransformV2 and V3: images turned, moved, scaled and sheared.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/transform.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/resize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using TransformTypes = TypeList<std::uint8_t, std::int32_t, std::int64_t, half, bfloat16, float, double>;

inline Status TransformShape(InferenceContext* c) {
  ShapeHandle image;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  return SizedImageShape(c, 2, c->Dim(image, 0), c->Dim(image, 3));
}

struct TransformAttrs {
  std::string_view interpolation;
  std::string_view fill_mode;
};

// TensorFlow takes any name: it then returns zeros for an interpolation, and kNearest for a mode.
inline Status ReadTransformAttrs(const TransformAttrs& attrs, TransformGeometry* g) {
  if (attrs.interpolation != "NEAREST" && attrs.interpolation != "BILINEAR")
    return errors::InvalidArgument("Invalid interpolation '", attrs.interpolation,
                                   "'. Supported types: NEAREST, BILINEAR");
  g->nearest = attrs.interpolation == "NEAREST";
  if (attrs.fill_mode == "CONSTANT")
    g->mode = FillMode::kConstant;
  else if (attrs.fill_mode == "REFLECT")
    g->mode = FillMode::kReflect;
  else if (attrs.fill_mode == "WRAP")
    g->mode = FillMode::kWrap;
  else if (attrs.fill_mode == "NEAREST")
    g->mode = FillMode::kNearest;
  else
    return errors::InvalidArgument("Invalid mode '", attrs.fill_mode,
                                   "'. Supported types: REFLECT, WRAP, CONSTANT, NEAREST");
  return OkStatus();
}

inline Status RunTransform(OpKernelContext& context, Cpu& device, TransformGeometry g, const Tensor& images,
                           const Tensor& transforms, const HostIndices& size) {
  const std::string_view op = context.op_kernel().type_string();
  if (images.dims() != 4)
    return errors::InvalidArgument(op, ": input images must be 4-dimensional, got shape ", images.shape());
  if (transforms.dims() != 2 || transforms.dim_size(1) != 8 ||
      (transforms.dim_size(0) != images.dim_size(0) && transforms.dim_size(0) != 1))
    return errors::InvalidArgument(op, ": input transform should be num_images x 8 or 1 x 8, got shape ",
                                   transforms.shape(), " for images of shape ", images.shape());
  if (size.shape().dims() != 1)
    return errors::InvalidArgument(op, ": output shape must be 1-dimensional, got shape ", size.shape());
  if (size.size() != 2) return errors::InvalidArgument(op, ": output shape must have two elements, got ", size.size());
  if (size[0] <= 0 || size[1] <= 0)
    return errors::InvalidArgument(op, ": output dimensions must be positive, got ", size[0], " and ", size[1]);
  g.batch = images.dim_size(0);
  g.rows = images.dim_size(1);
  g.columns = images.dim_size(2);
  g.depth = images.dim_size(3);
  g.out_rows = size[0];
  g.out_columns = size[1];
  const Index sizes[] = {g.batch, g.out_rows, g.out_columns, g.depth};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  return DispatchType<TransformTypes>(out->dtype(), [&]<class T>() {
    ProjectiveTransform(device, g, images.data<T>(), transforms.data<float>(), transforms.dim_size(0) == 1,
                        out->data<T>());
  });
}

}  // namespace detail

// images: [n, h, w, c], transforms: [n, 8] or [1, 8], output_shape: [height, width]  ->  [n, height, width, c]
struct ImageProjectiveTransformV2 {
  static constexpr auto signature = Op("ImageProjectiveTransformV2")
                                        .Input("images: dtype")
                                        .Input("transforms: float32")
                                        .Input("output_shape: int32")
                                        .Output("transformed_images: dtype")
                                        .Attr("dtype: {uint8, int32, int64, half, bfloat16, float32, float64}")
                                        .Attr("interpolation: string")
                                        .Attr("fill_mode: string = 'CONSTANT'")
                                        .SetShapeFn(detail::TransformShape);
  using Attrs = detail::TransformAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::ReadTransformAttrs(*this, &geometry); }
    Status operator()(Context<Device>& context, const Tensor& images, const Tensor& transforms,
                      HostIndices output_shape, Tensor&) const {
      return detail::RunTransform(context.op(), context.device(), geometry, images, transforms, output_shape);
    }
    TransformGeometry geometry;
  };
};

// V2 with the value of the pixels outside of the images, a scalar.
struct ImageProjectiveTransformV3 {
  static constexpr auto signature = Op("ImageProjectiveTransformV3")
                                        .Input("images: dtype")
                                        .Input("transforms: float32")
                                        .Input("output_shape: int32")
                                        .Input("fill_value: float32")
                                        .Output("transformed_images: dtype")
                                        .Attr("dtype: {uint8, int32, int64, half, bfloat16, float32, float64}")
                                        .Attr("interpolation: string")
                                        .Attr("fill_mode: string = 'CONSTANT'")
                                        .SetShapeFn(detail::TransformShape);
  using Attrs = detail::TransformAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::ReadTransformAttrs(*this, &geometry); }
    Status operator()(Context<Device>& context, const Tensor& images, const Tensor& transforms,
                      HostIndices output_shape, const Tensor& fill_value, Tensor&) const {
      if (fill_value.dims() != 0)
        return errors::InvalidArgument("ImageProjectiveTransformV3: fill_value must be a scalar, got shape ",
                                       fill_value.shape());
      TransformGeometry g = geometry;
      g.fill = fill_value.scalar<float>()();
      return detail::RunTransform(context.op(), context.device(), g, images, transforms, output_shape);
    }
    TransformGeometry geometry;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

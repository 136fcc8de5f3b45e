// SPDX-License-Identifier: Apache-2.0
#pragma once
// CropAndResize (boxes cut out of images and brought to one size) and its gradients.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/crop_resize.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/resize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CropShape(InferenceContext* c) {
  ShapeHandle image, boxes, box_ind;
  DimensionHandle count, unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &boxes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &box_ind));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 0), c->Dim(box_ind, 0), &count));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 1), 4, &unused));
  return SizedImageShape(c, 3, count, c->Dim(image, 3));
}

// *count: how many boxes; 0 also where both are empty, whatever their shapes.
inline Status CheckCropBoxes(std::string_view op, const Tensor& boxes, const Tensor& box_index, Index* count) {
  *count = 0;
  if (boxes.dims() != 2) return errors::InvalidArgument(op, ": boxes must be 2-D, got: ", boxes.shape());
  if (boxes.NumElements() == 0 && box_index.NumElements() == 0) return OkStatus();
  if (boxes.dim_size(1) != 4)
    return errors::InvalidArgument(op, ": boxes must have 4 columns, got shape ", boxes.shape());
  *count = boxes.dim_size(0);
  if (box_index.dims() != 1) return errors::InvalidArgument(op, ": box_index must be 1-D", box_index.shape());
  if (box_index.dim_size(0) != *count)
    return errors::InvalidArgument(op, ": box_index has incompatible shape ", box_index.shape(), ", must be [", *count,
                                   "]");
  return OkStatus();
}
// The boxes have been checked by CheckCropBoxes.
inline Status CheckCropIndices(std::string_view op, const Tensor& boxes, const std::int32_t* which, Index count,
                               Index batch) {
  for (Index i = 0; i < count; ++i)
    if (which[i] < 0 || which[i] >= batch)
      return errors::OutOfRange(op, ": box_index has values outside [0, batch_size): ", which[i], " (box_index[", i,
                                "]), batch_size is ", batch);
  for (Index i = 0; i < count * 4; ++i)
    if (!std::isfinite(boxes.data<float>()[i]))
      return errors::InvalidArgument(op, ": Boxes contains at least one element that is not finite: box ", i / 4);
  return OkStatus();
}
inline Status CheckCropImage(std::string_view op, const TensorShape& image) {
  if (image.dims() != 4) return errors::InvalidArgument(op, ": input image must be 4-D", image);
  if (image.dim_size(1) > 0 && image.dim_size(2) > 0) return OkStatus();
  return errors::InvalidArgument(op, ": image dimensions must be positive, got ", image);
}
inline Status CheckCropGrads(std::string_view op, const TensorShape& grads) {
  if (grads.dims() != 4) return errors::InvalidArgument(op, ": grads image must be 4-D", grads);
  if (grads.dim_size(1) > 0 && grads.dim_size(2) > 0) return OkStatus();
  return errors::InvalidArgument(op, ": grads dimensions must be positive, got ", grads);
}

template <class T>
void RunCrop(Cpu& device, const CropGeometry& g, const void* images, const float* boxes, const std::int32_t* which,
             float outside, const float* grads, float* out) {
  if (grads == nullptr)
    CropAndResize(device, g, static_cast<const T*>(images), boxes, which, outside, out);
  else
    CropAndResizeGradBoxes(device, g, grads, static_cast<const T*>(images), boxes, which, out);
}
using CropFunction = void (*)(Cpu&, const CropGeometry&, const void*, const float*, const std::int32_t*, float,
                              const float*, float*);
// The crops, or where there are grads the gradients of the boxes.
inline CropFunction CropOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return &RunCrop<half>;
    case DataType::kDouble: return &RunCrop<double>;
    case DataType::kInt8: return &RunCrop<std::int8_t>;
    case DataType::kInt16: return &RunCrop<std::int16_t>;
    case DataType::kInt32: return &RunCrop<std::int32_t>;
    case DataType::kInt64: return &RunCrop<std::int64_t>;
    case DataType::kUint8: return &RunCrop<std::uint8_t>;
    case DataType::kUint16: return &RunCrop<std::uint16_t>;
    default: return &RunCrop<float>;
  }
}

}  // namespace detail

// image: [n, h, w, c], boxes: [k, 4], box_ind: [k], crop_size: [h, w]  ->  [k, crop h, crop w, c]
struct CropAndResize {
  static constexpr auto signature = Op("CropAndResize")
                                        .Input("image: T")
                                        .Input("boxes: float")
                                        .Input("box_ind: int32")
                                        .Input("crop_size: int32")
                                        .Output("crops: float")
                                        .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
                                        .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
                                        .Attr("extrapolation_value: float = 0")
                                        .SetShapeFn(detail::CropShape);
  struct Attrs {
    std::string_view method;
    float extrapolation_value;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& image, const Tensor& boxes, const Tensor& box_ind,
                      HostIndices crop_size, Tensor&) const {
      return Run(context.op(), context.device(), *this, image, boxes, box_ind, crop_size);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Attrs& a, const Tensor& image, const Tensor& boxes,
                    const Tensor& box_ind, const HostIndices& crop_size) {
    constexpr std::string_view kName = "CropAndResize";
    TENON_RETURN_IF_ERROR(detail::CheckCropImage(kName, image.shape()));
    CropGeometry g;
    TENON_RETURN_IF_ERROR(detail::CheckCropBoxes(kName, boxes, box_ind, &g.boxes));
    if (crop_size.shape().dims() != 1)
      return errors::InvalidArgument(kName, ": crop_size must be 1-D, got shape ", crop_size.shape());
    if (crop_size.size() != 2)
      return errors::InvalidArgument(kName, ": crop_size must have two elements, got ", crop_size.size());
    g.rows = image.dim_size(1);
    g.columns = image.dim_size(2);
    g.depth = image.dim_size(3);
    g.crop_rows = crop_size[0];
    g.crop_columns = crop_size[1];
    g.nearest = a.method == "nearest";
    if (g.crop_rows <= 0 || g.crop_columns <= 0)
      return errors::InvalidArgument(kName, ": crop dimensions must be positive, got ", g.crop_rows, " and ",
                                     g.crop_columns);
    const Index sizes[] = {g.boxes, g.crop_rows, g.crop_columns, g.depth};
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    const std::int32_t* const which = box_ind.data<std::int32_t>();
    TENON_RETURN_IF_ERROR(detail::CheckCropIndices(kName, boxes, which, g.boxes, image.dim_size(0)));
    if (shape.num_elements() > 0)
      detail::CropOf(image.dtype())(device, g, image.raw_data(), boxes.data<float>(), which, a.extrapolation_value,
                                    nullptr, out->data<float>());
    return OkStatus();
  }
};

// grads: [k, crop h, crop w, c], image_size: [n, h, w, c] as values  ->  [n, h, w, c]
struct CropAndResizeGradImage {
  static constexpr auto signature = Op("CropAndResizeGradImage")
                                        .Input("grads: float")
                                        .Input("boxes: float")
                                        .Input("box_ind: int32")
                                        .Input("image_size: int32")
                                        .Output("output: T")
                                        .Attr("T: {float, half, double}")
                                        .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(3, &out));
                                          TENON_RETURN_IF_ERROR(c->WithRank(out, 4, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
  struct Attrs {
    std::string_view method;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& grads, const Tensor& boxes, const Tensor& box_ind,
                      HostIndices image_size, Tensor&) const {
      return Run(context.op(), *this, grads, boxes, box_ind, image_size);
    }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, const Attrs& a, const Tensor& grads,
                                      const Tensor& boxes, const Tensor& box_ind, const HostIndices& image_size) {
    constexpr std::string_view kName = "CropAndResizeGradImage";
    TENON_RETURN_IF_ERROR(detail::CheckCropGrads(kName, grads.shape()));
    CropGeometry g;
    TENON_RETURN_IF_ERROR(detail::CheckCropBoxes(kName, boxes, box_ind, &g.boxes));
    if (grads.dim_size(0) != g.boxes)
      return errors::InvalidArgument(kName, ": boxes and grads have incompatible shape: ", boxes.shape(), " and ",
                                     grads.shape());
    if (image_size.shape().dims() != 1)
      return errors::InvalidArgument(kName, ": image_size must be 1-D, got shape ", image_size.shape());
    if (image_size.size() != 4)
      return errors::InvalidArgument(kName, ": image_size must have 4 elements, got ", image_size.size());
    const Index sizes[] = {image_size[0], image_size[1], image_size[2], image_size[3]};
    if (sizes[1] <= 0 || sizes[2] <= 0)
      return errors::InvalidArgument(kName, ": image dimensions must be positive, got ", sizes[1], " and ", sizes[2]);
    if (sizes[0] < 0 || sizes[3] != grads.dim_size(3))
      return errors::InvalidArgument(kName, ": image_size and grads are incompatible: ", sizes[0], " images of depth ",
                                     sizes[3], ", grads ", grads.shape());
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    const std::int32_t* const which = box_ind.data<std::int32_t>();
    TENON_RETURN_IF_ERROR(detail::CheckCropIndices(kName, boxes, which, g.boxes, sizes[0]));
    g.rows = sizes[1];
    g.columns = sizes[2];
    g.depth = sizes[3];
    g.crop_rows = grads.dim_size(1);
    g.crop_columns = grads.dim_size(2);
    g.nearest = a.method == "nearest";
    const float *dy = grads.data<float>(), *box = boxes.data<float>();
    const Index elements = shape.num_elements();
    switch (out->dtype()) {
      case DataType::kHalf: tenon::CropAndResizeGradImage(g, dy, box, which, elements, out->data<half>()); break;
      case DataType::kDouble: tenon::CropAndResizeGradImage(g, dy, box, which, elements, out->data<double>()); break;
      default: tenon::CropAndResizeGradImage(g, dy, box, which, elements, out->data<float>()); break;
    }
    return OkStatus();
  }
};

// grads: [k, crop h, crop w, c]  ->  [k, 4]
struct CropAndResizeGradBoxes {
  static constexpr auto signature = Op("CropAndResizeGradBoxes")
                                        .Input("grads: float")
                                        .Input("image: T")
                                        .Input("boxes: float")
                                        .Input("box_ind: int32")
                                        .Output("output: float")
                                        .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
                                        .Attr("method: {'bilinear'} = 'bilinear'")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(2));
                                          return OkStatus();
                                        });
  static constexpr std::string_view unused[] = {"method"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& grads, const Tensor& image, const Tensor& boxes,
                      const Tensor& box_ind, Tensor&) const {
      return Run(context.op(), context.device(), grads, image, boxes, box_ind);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& grads, const Tensor& image,
                    const Tensor& boxes, const Tensor& box_ind) {
    constexpr std::string_view kName = "CropAndResizeGradBoxes";
    TENON_RETURN_IF_ERROR(detail::CheckCropGrads(kName, grads.shape()));
    TENON_RETURN_IF_ERROR(detail::CheckCropImage(kName, image.shape()));
    if (image.dim_size(3) != grads.dim_size(3))
      return errors::InvalidArgument(kName, ": image, grads depth differ: ", image.dim_size(3), " and ",
                                     grads.dim_size(3));
    CropGeometry g;
    TENON_RETURN_IF_ERROR(detail::CheckCropBoxes(kName, boxes, box_ind, &g.boxes));
    if (grads.dim_size(0) != g.boxes)
      return errors::InvalidArgument(kName, ": boxes and grads have incompatible shape: ", boxes.shape(), " and ",
                                     grads.shape());
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape{g.boxes, 4}, &out));
    const std::int32_t* const which = box_ind.data<std::int32_t>();
    TENON_RETURN_IF_ERROR(detail::CheckCropIndices(kName, boxes, which, g.boxes, image.dim_size(0)));
    g.rows = image.dim_size(1);
    g.columns = image.dim_size(2);
    g.depth = image.dim_size(3);
    g.crop_rows = grads.dim_size(1);
    g.crop_columns = grads.dim_size(2);
    if (g.boxes == 0) return OkStatus();
    if (grads.NumElements() == 0) {
      std::fill_n(out->data<float>(), 4 * g.boxes, 0.0f);
      return OkStatus();
    }
    detail::CropOf(image.dtype())(device, g, image.raw_data(), boxes.data<float>(), which, 0, grads.data<float>(),
                                  out->data<float>());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

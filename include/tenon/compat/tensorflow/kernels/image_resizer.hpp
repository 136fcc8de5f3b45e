// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of ops that resize images: scales, checks of the inputs, and the output.

#include <cstdint>
#include <limits>

#include <tenon/compat/tensorflow/kernel_params.hpp>

namespace tensorflow {

inline float CalculateResizeScale(int64_t in_size, int64_t out_size, bool align_corners) {
  return align_corners && out_size > 1 ? static_cast<float>(in_size - 1) / static_cast<float>(out_size - 1)
                                       : static_cast<float>(in_size) / static_cast<float>(out_size);
}
struct HalfPixelScaler {
  float operator()(int x, float scale) const { return (static_cast<float>(x) + 0.5f) * scale - 0.5f; }
};
struct LegacyScaler {
  float operator()(int x, float scale) const { return static_cast<float>(x) * scale; }
};
namespace internal {
inline Status CheckResizeCorners(bool align_corners, bool half_pixel_centers) {
  return align_corners && half_pixel_centers
             ? errors::InvalidArgument("If half_pixel_centers is True, align_corners must be False.")
             : Status();
}
}  // namespace internal

// Reads images [batch, height, width, channels] and the new size; the context has the error.
struct ImageResizerState {
  explicit ImageResizerState(bool align_corners, bool half_pixel_centers = false)
      : align_corners_(align_corners), half_pixel_centers_(half_pixel_centers) {}
  void ValidateAndCalculateOutputSize(OpKernelContext* context) {
    OP_REQUIRES_OK(context, Read(context->input(0).shape(), context->input(1)));
  }
  void ValidateAndCreateOutput(OpKernelContext* context) {
    ValidateAndCalculateOutputSize(context);
    if (!context->status().ok()) return;
    TensorShape shape;
    for (const int64_t size : {batch_size, out_height, out_width, channels})
      OP_REQUIRES_OK(context, shape.AddDimWithStatus(size));
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  }
  void ValidateAndCalculateOutputSize(OpKernelContext* context, const Tensor&) {
    ValidateAndCalculateOutputSize(context);
  }
  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor&) { ValidateAndCreateOutput(context); }

  int64_t batch_size = 0;
  int64_t out_height = 0, out_width = 0;
  int64_t in_height = 0, in_width = 0;
  int64_t channels = 0;
  float height_scale = 0, width_scale = 0;
  Tensor* output = nullptr;

 private:
  Status Read(const TensorShape& images, const Tensor& size) {
    TF_RETURN_IF_ERROR(internal::CheckResizeCorners(align_corners_, half_pixel_centers_));
    if (images.dims() != 4) return errors::InvalidArgument("input must be 4-dimensional", images.DebugString());
    batch_size = images.dim_size(0);
    in_height = images.dim_size(1);
    in_width = images.dim_size(2);
    channels = images.dim_size(3);
    if (channels <= 0) return errors::InvalidArgument("image must have at least one channel");
    if (in_height <= 0 || in_width <= 0) return errors::InvalidArgument("input image must be of non-zero size");
    constexpr int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (in_height >= kMost || in_width >= kMost)
      return errors::InvalidArgument("input sizes must be between 0 and max int32");
    if (size.dims() != 1) return errors::InvalidArgument("shape_t must be 1-dimensional", size.shape().DebugString());
    if (size.NumElements() != 2)
      return errors::InvalidArgument("shape_t must have two elements", size.shape().DebugString());
    out_height = size.vec<int32>()(0);
    out_width = size.vec<int32>()(1);
    if (out_height <= 0 || out_width <= 0) return errors::InvalidArgument("output dimensions must be positive");
    height_scale = CalculateResizeScale(in_height, out_height, align_corners_);
    width_scale = CalculateResizeScale(in_width, out_width, align_corners_);
    return Status();
  }
  bool align_corners_, half_pixel_centers_;
};

// Reads gradients [batch, height, width, channels] and the images that were resized; the context has the error.
struct ImageResizerGradientState {
  explicit ImageResizerGradientState(bool align_corners, bool half_pixel_centers = false)
      : align_corners_(align_corners), half_pixel_centers_(half_pixel_centers) {}
  void ValidateAndCreateOutput(OpKernelContext* context) {
    OP_REQUIRES_OK(context, Read(context->input(0), context->input(1).shape()));
    TensorShape shape;
    for (const int64_t size : {batch_size, original_height, original_width, channels})
      OP_REQUIRES_OK(context, shape.AddDimWithStatus(size));
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  }
  void ValidateAndCreateOutput(OpKernelContext* context, const Tensor&, const Tensor&) {
    ValidateAndCreateOutput(context);
  }

  int64_t batch_size = 0;
  int64_t channels = 0;
  int64_t resized_height = 0, resized_width = 0;
  int64_t original_height = 0, original_width = 0;
  float height_scale = 0, width_scale = 0;
  Tensor* output = nullptr;

 private:
  Status Read(const Tensor& gradient, const TensorShape& original) {
    TF_RETURN_IF_ERROR(internal::CheckResizeCorners(align_corners_, half_pixel_centers_));
    if (gradient.dims() != 4)
      return errors::InvalidArgument("input_grad must be 4-dimensional", gradient.shape().DebugString());
    if (gradient.dtype() != DT_FLOAT)
      return errors::InvalidArgument("input_grad must be of type float", DataTypeString(gradient.dtype()));
    batch_size = gradient.dim_size(0);
    channels = gradient.dim_size(3);
    resized_height = gradient.dim_size(1);
    resized_width = gradient.dim_size(2);
    if (resized_height <= 0 || resized_width <= 0)
      return errors::InvalidArgument("resized dimensions must be positive");
    if (original.dims() != 4)
      return errors::InvalidArgument("original_image must be 4-dimensional", original.DebugString());
    original_height = original.dim_size(1);
    original_width = original.dim_size(2);
    if (original_height <= 0 || original_width <= 0)
      return errors::InvalidArgument("original dimensions must be positive");
    height_scale = CalculateResizeScale(original_height, resized_height, align_corners_);
    width_scale = CalculateResizeScale(original_width, resized_width, align_corners_);
    return Status();
  }
  bool align_corners_, half_pixel_centers_;
};

}  // namespace tensorflow

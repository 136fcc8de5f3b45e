// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScaleAndTranslate: images scaled and moved, by one of eight sampling kernels; its gradient ScaleAndTranslateGrad.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/scale_translate.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/resize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using ScaleTypes = TypeList<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::int64_t, half,
                            bfloat16, float, double>;

inline Status ScaleAndTranslateShape(InferenceContext* c) {
  ShapeHandle image;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  return SizedImageShape(c, 1, c->Dim(image, 0), c->Dim(image, 3));
}

inline Status CheckScales(std::string_view op, const Tensor& scale, const Tensor& translation) {
  if (scale.dims() != 1 || scale.NumElements() != 2)
    return errors::InvalidArgument(op, ": scale must be 1-dimensional with 2 elements, got shape ", scale.shape());
  if (translation.dims() != 1 || translation.NumElements() != 2)
    return errors::InvalidArgument(op, ": translation must be 1-dimensional with 2 elements, got shape ",
                                   translation.shape());
  const float* const scales = scale.data<float>();
  for (int i = 0; i < 2; ++i)
    if (!(scales[i] > 0))
      return errors::InvalidArgument(op, ": scale must be greater than zero, got ", scales[0], " and ", scales[1]);
  return OkStatus();
}

// The spans with their weights in *memory, a tensor of the context.
inline Status Weigh(OpKernelContext& context, SamplingDimension* dimension, Tensor* memory,
                    const SamplingSpans** spans) {
  const Index sizes[] = {dimension->outputs(), dimension->width()};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, shape, memory));
  *spans = &dimension->Weigh(memory->data<float>());
  return OkStatus();
}

inline Status RunScaleAndTranslate(OpKernelContext& context, Cpu& device, const SamplingKernel& kernel, bool antialias,
                                   const Tensor& images, const HostIndices& size, const Tensor& scale,
                                   const Tensor& translation) {
  constexpr std::string_view kName = "ScaleAndTranslate";
  if (images.dims() != 4)
    return errors::InvalidArgument(kName, ": input must be 4-dimensional, got shape ", images.shape());
  if (size.shape().dims() != 1 || size.size() != 2)
    return errors::InvalidArgument(kName, ": size must be 1-dimensional with 2 elements, got shape ", size.shape());
  if (size[0] <= 0 || size[1] <= 0)
    return errors::InvalidArgument(kName, ": output dimensions must be positive, got ", size[0], " and ", size[1]);
  TENON_RETURN_IF_ERROR(CheckScales(kName, scale, translation));
  const Index rows = images.dim_size(1), columns = images.dim_size(2);
  const Index sizes[] = {images.dim_size(0), size[0], size[1], images.dim_size(3)};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (rows == 0 || columns == 0 || sizes[3] == 0)
    return errors::InvalidArgument(kName, ": input image must be of non-zero size, got shape ", images.shape());
  if (out->NumElements() == 0) return OkStatus();
  const float *const scales = scale.data<float>(), *const moves = translation.data<float>();
  SamplingDimension vertical(kernel, size[0], rows, scales[0], moves[0], antialias);
  SamplingDimension horizontal(kernel, size[1], columns, scales[1], moves[1], antialias);
  Tensor memory[2];
  const SamplingSpans *down = nullptr, *across = nullptr;
  TENON_RETURN_IF_ERROR(Weigh(context, &vertical, &memory[0], &down));
  TENON_RETURN_IF_ERROR(Weigh(context, &horizontal, &memory[1], &across));
  return DispatchType<ScaleTypes>(images.dtype(), [&]<class T>() {
    ScaleAndTranslateImages(device, images.data<T>(), sizes[0], rows, columns, sizes[3], *down, *across,
                            out->data<float>());
  });
}

inline Status RunScaleAndTranslateGrad(OpKernelContext& context, Cpu& device, const SamplingKernel& kernel,
                                       bool antialias) {
  constexpr std::string_view kName = "ScaleAndTranslateGrad";
  const Tensor &grads = context.input(0), &image = context.input(1), &scale = context.input(2),
               &translation = context.input(3);
  if (grads.dims() != 4)
    return errors::InvalidArgument(kName, ": input_grad must be 4-dimensional, got shape ", grads.shape());
  if (image.dims() != 4)
    return errors::InvalidArgument(kName, ": original_image must be 4-dimensional, got shape ", image.shape());
  TENON_RETURN_IF_ERROR(CheckScales(kName, scale, translation));
  const Index rows = image.dim_size(1), columns = image.dim_size(2), batch = grads.dim_size(0),
              depth = grads.dim_size(3);
  if (image.dim_size(0) != batch || image.dim_size(3) != depth)
    return errors::InvalidArgument(kName, ": grads and original_image must have the same batch and channels, got ",
                                   grads.shape(), " and ", image.shape());
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, image.shape(), &out));
  if (out->NumElements() == 0) return OkStatus();
  if (grads.NumElements() == 0) {
    std::fill_n(out->data<float>(), out->NumElements(), 0.0f);
    return OkStatus();
  }
  const float *const scales = scale.data<float>(), *const moves = translation.data<float>();
  SamplingDimension vertical(kernel, grads.dim_size(1), rows, scales[0], moves[0], antialias);
  SamplingDimension horizontal(kernel, grads.dim_size(2), columns, scales[1], moves[1], antialias);
  Tensor memory[2];
  const SamplingSpans *down = nullptr, *across = nullptr;
  TENON_RETURN_IF_ERROR(Weigh(context, &vertical, &memory[0], &down));
  TENON_RETURN_IF_ERROR(Weigh(context, &horizontal, &memory[1], &across));
  ScaleAndTranslateGradient(device, grads.data<float>(), batch, rows, columns, depth, *down, *across,
                            out->data<float>());
  return OkStatus();
}

inline Status FindKernel(std::string_view name, SamplingKernel* kernel) {
  if (FindSamplingKernel(name, kernel)) return OkStatus();
  return errors::InvalidArgument("Unrecognized kernel type: '", name,
                                 "'; there are lanczos1, lanczos3, lanczos5, gaussian, box, triangle, keyscubic and "
                                 "mitchellcubic");
}

}  // namespace detail

// images: [n, h, w, c], size: [height, width], scale and translation: one number for rows, one for columns  ->
// [n, height, width, c]
struct ScaleAndTranslate {
  static constexpr auto signature =
      Op("ScaleAndTranslate")
          .Input("images: T")
          .Input("size: int32")
          .Input("scale: float")
          .Input("translation: float")
          .Output("resized_images: float")
          .Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}")
          .Attr("kernel_type: string = 'lanczos3'")
          .Attr("antialias: bool = true")
          .SetShapeFn(detail::ScaleAndTranslateShape);
  struct Attrs {
    std::string_view kernel_type;
    bool antialias;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::FindKernel(this->kernel_type, &sampling); }
    Status operator()(Context<Device>& context, const Tensor& images, HostIndices size, const Tensor& scale,
                      const Tensor& translation, Tensor&) const {
      return detail::RunScaleAndTranslate(context.op(), context.device(), sampling, this->antialias, images, size,
                                          scale, translation);
    }
    SamplingKernel sampling;
  };
};

// grads: [n, height, width, c], original_image: [n, h, w, c]  ->  the shape of original_image
struct ScaleAndTranslateGrad {
  static constexpr auto signature = Op("ScaleAndTranslateGrad")
                                        .Input("grads: T")
                                        .Input("original_image: T")
                                        .Input("scale: float")
                                        .Input("translation: float")
                                        .Output("output: T")
                                        .Attr("T: {float}")
                                        .Attr("kernel_type: string = 'lanczos3'")
                                        .Attr("antialias: bool = true")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(1));
                                          return OkStatus();
                                        });
  using Attrs = ScaleAndTranslate::Attrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::FindKernel(this->kernel_type, &sampling); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&) const {
      return detail::RunScaleAndTranslateGrad(context.op(), context.device(), sampling, this->antialias);
    }
    SamplingKernel sampling;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

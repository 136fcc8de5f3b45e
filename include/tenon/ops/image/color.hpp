// SPDX-License-Identifier: Apache-2.0
#pragma once
// RGBToHSV, HSVToRGB, AdjustContrastv2, AdjustHue, AdjustSaturation.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/color.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status ColorShape(InferenceContext* c) {
  ShapeHandle images, out;
  DimensionHandle channels;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &images));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(images, -1), 3, &channels));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(images, -1, channels, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status RunColor(OpKernelContext& context, Cpu& device, std::string_view op, bool to_hsv) {
  const Tensor& images = context.input(0);
  const int rank = images.dims();
  if (rank < 1) return errors::InvalidArgument(op, ": input must be at least 1D", images.shape());
  if (images.dim_size(rank - 1) != 3)
    return errors::FailedPrecondition(op, ": input must have 3 channels but input only has ", images.dim_size(rank - 1),
                                      " channels.");
  FloatInput in;
  FloatOutput out;
  TENON_RETURN_IF_ERROR(out.Make(context, 0, images.shape()));
  TENON_RETURN_IF_ERROR(in.Read(context, device, images));
  const Index pixels = out.size() / 3;
  if (images.dtype() == DataType::kDouble) {
    to_hsv ? RgbToHsv(device, in.As<double>(), pixels, out.As<double>())
           : HsvToRgb(device, in.As<double>(), pixels, out.As<double>());
  } else {
    to_hsv ? RgbToHsv(device, in.As<float>(), pixels, out.As<float>())
           : HsvToRgb(device, in.As<float>(), pixels, out.As<float>());
  }
  out.Finish(device);
  return OkStatus();
}

enum class ColorChange { kHue, kSaturation, kContrast };

// Inputs: images and by how much.
inline Status RunColorChange(OpKernelContext& context, Cpu& device, std::string_view op, std::string_view name,
                             ColorChange change) {
  const Tensor &images = context.input(0), &amount = context.input(1);
  const int rank = images.dims();
  if (rank < 3) return errors::InvalidArgument(op, ": input must be at least 3-D, got shape", images.shape());
  if (amount.dims() != 0) return errors::InvalidArgument(op, ": ", name, " must be scalar: ", amount.shape());
  const Index channels = images.dim_size(rank - 1);
  if (change != ColorChange::kContrast && channels != 3)
    return errors::InvalidArgument(op, ": input must have 3 channels but instead has ", channels, " channels.");
  Tensor* out = nullptr;
  const TensorShape shape = images.shape();
  const float* const in = images.data<float>();
  const float by = *amount.data<float>();
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &out));
  const Index elements = shape.num_elements();
  if (elements == 0) return OkStatus();
  float* const to = out->data<float>();
  if (change == ColorChange::kHue) {
    AdjustHue(device, in, elements / 3, by, to);
  } else if (change == ColorChange::kSaturation) {
    AdjustSaturation(device, in, elements / 3, by, to);
  } else {
    const Index pixels = shape.dim_size(rank - 3) * shape.dim_size(rank - 2);
    AdjustContrast(device, in, elements / (pixels * channels), pixels, channels, by, to);
  }
  return OkStatus();
}

}  // namespace detail

// images: [..., 3]  ->  the same shape: hue, saturation, value
struct RGBToHSV {
  static constexpr auto signature = Op("RGBToHSV")
                                        .Input("images: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::ColorShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunColor(context.op(), context.device(), "RGBToHSV", true);
    }
  };
};

struct HSVToRGB {
  static constexpr auto signature = Op("HSVToRGB")
                                        .Input("images: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::ColorShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunColor(context.op(), context.device(), "HSVToRGB", false);
    }
  };
};

// images: [..., h, w, c]; away from (factor above 1) or towards each channel's mean
struct AdjustContrastv2 {
  static constexpr auto signature = Op("AdjustContrastv2")
                                        .Input("images: T")
                                        .Input("contrast_factor: float")
                                        .Output("output: T")
                                        .Attr("T: {half, float} = DT_FLOAT")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), ToSet(DataType::kFloat)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunColorChange(context.op(), context.device(), "AdjustContrastv2", "contrast_factor",
                                    detail::ColorChange::kContrast);
    }
  };
};

// images: [..., 3]; delta: 1 is once around the colour circle
struct AdjustHue {
  static constexpr auto signature = Op("AdjustHue")
                                        .Input("images: T")
                                        .Input("delta: float")
                                        .Output("output: T")
                                        .Attr("T: {half, float} = DT_FLOAT")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), ToSet(DataType::kFloat)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunColorChange(context.op(), context.device(), "AdjustHue", "delta", detail::ColorChange::kHue);
    }
  };
};

// images: [..., 3]; the saturation times scale
struct AdjustSaturation {
  static constexpr auto signature = Op("AdjustSaturation")
                                        .Input("images: T")
                                        .Input("scale: float")
                                        .Output("output: T")
                                        .Attr("T: {half, float} = DT_FLOAT")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), ToSet(DataType::kFloat)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunColorChange(context.op(), context.device(), "AdjustSaturation", "scale",
                                    detail::ColorChange::kSaturation);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

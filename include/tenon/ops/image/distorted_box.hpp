// SPDX-License-Identifier: Apache-2.0
#pragma once
// SampleDistortedBoundingBox, its V2 and its stateless form: random crops that keep enough of a box.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/distorted_box.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using ImageSizeTypes = TypeList<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;

inline Status DistortedBoxShape(InferenceContext* c) {
  ShapeHandle size, boxes, unused;
  DimensionHandle unused_dim;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &size));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &boxes));
  if (c->num_inputs() > 2) TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  if (c->num_inputs() > 3) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &unused));
    TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(unused, 0), 2, &unused_dim));
  }
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(size, 0), 3, &unused_dim));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 2), 4, &unused_dim));
  c->set_output(0, c->Vector(3));
  c->set_output(1, c->Vector(3));
  c->set_output(2, c->MakeShape({1, 1, 4}));
  return OkStatus();
}

// The attrs that all three have, read.
struct DistortedBoxRule {
  CropLimits limits{};
  std::int64_t attempts = 0;
  bool use_image = false;

  Status Read(std::span<const float> ratios, std::span<const float> areas, std::int64_t most, bool image) {
    attempts = most;
    use_image = image;
    if (ratios.size() != 2)
      return errors::InvalidArgument("Aspect ratio range field must specify 2 dimensions, got ", ratios.size());
    if (!(ratios[0] > 0 && ratios[1] > 0))
      return errors::InvalidArgument("Aspect ratio range must be non-negative: [", ratios[0], ", ", ratios[1], "]");
    if (areas.size() != 2)
      return errors::InvalidArgument("Area range field must specify 2 dimensions, got ", areas.size());
    if (!(areas[0] > 0 && areas[1] > 0))
      return errors::InvalidArgument("Area range must be non-negative: [", areas[0], ", ", areas[1], "]");
    if (!(areas[0] <= 1 && areas[1] <= 1))
      return errors::InvalidArgument("Area range must be less then or equal to 1.0: [", areas[0], ", ", areas[1], "]");
    if (attempts <= 0) return errors::InvalidArgument("Max attempts must be non-negative: ", attempts);
    limits = {areas[0], areas[1], ratios[0], ratios[1], 0};
    return OkStatus();
  }
  Status SetCovered(float part) {
    if (!(part >= 0)) return errors::InvalidArgument("Min object covered must be non-negative: ", part);
    limits.least_covered = part;
    return OkStatus();
  }
  // Reads input 2, where the op has it.
  Status ReadCovered(const OpKernelContext& context) {
    const Tensor& part = context.input(2);
    if (part.dims() != 0) return errors::InvalidArgument("min_object_covered must be 0-D, got shape ", part.shape());
    return SetCovered(*part.data<float>());
  }
};

inline std::int32_t CropPlace(float x) {
  constexpr float kMost = 2147483520.0f;  // the last float below 2^31
  return static_cast<std::int32_t>(std::min(x, kMost));
}
inline Status ReadCropBoxes(const Tensor& boxes, std::int32_t width, std::int32_t height,
                            SlimVector<CropRectangle>* out) {
  const float* b = boxes.data<float>();
  for (Index i = 0; i < boxes.NumElements(); i += 4, b += 4) {
    for (int k = 0; k < 4; ++k)
      if (!(b[k] >= 0 && b[k] <= 1))
        return errors::InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", b[k]);
    const auto w = static_cast<float>(width), h = static_cast<float>(height);
    out->push_back({CropPlace(b[1] * w), CropPlace(b[0] * h), CropPlace(b[3] * w), CropPlace(b[2] * h)});
  }
  return OkStatus();
}

inline Status RunDistortedBox(OpKernelContext& context, const DistortedBoxRule& rule, const Philox& stream) {
  const Tensor &size = context.input(0), &boxes = context.input(1);
  if (size.dims() != 1) return errors::InvalidArgument("image_size must be 1-dimensional", size.shape());
  if (size.NumElements() != 3) return errors::InvalidArgument("image_size must contain 3 elements", size.shape());
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  Index sizes[2] = {};
  TENON_RETURN_IF_ERROR(DispatchType<ImageSizeTypes>(size.dtype(), [&]<class T>() {
    for (int d = 0; d < 2; ++d) sizes[d] = static_cast<Index>(size.data<T>()[d]);
  }));
  if (sizes[0] < 0 || sizes[0] >= kMost)
    return errors::InvalidArgument("image height cannot be >= int32 max, got ", sizes[0]);
  if (sizes[1] < 0 || sizes[1] >= kMost)
    return errors::InvalidArgument("image width cannot be >= int32 max, got ", sizes[1]);
  const auto height = static_cast<std::int32_t>(sizes[0]), width = static_cast<std::int32_t>(sizes[1]);
  if (boxes.dims() != 3)
    return errors::InvalidArgument("input boxes must be 3-dimensional [batch, num_boxes, coords]: ", boxes.shape());
  if (boxes.dim_size(2) != 4)
    return errors::InvalidArgument("bounding boxes must have shape [4] or [*, 4], got ", boxes.shape());
  SlimVector<CropRectangle> places;
  TENON_RETURN_IF_ERROR(ReadCropBoxes(boxes, width, height, &places));
  if (places.empty()) {
    if (!rule.use_image)
      return errors::InvalidArgument(
          "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not "
          "provide any bounding boxes.");
    places.push_back({0, 0, width, height});
  }
  const CropRectangle crop = DrawDistortedBox(width, height, rule.limits, rule.attempts, places, stream);
  Tensor *begin = nullptr, *extent = nullptr, *box = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({3}), &begin));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({3}), &extent));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({1, 1, 4}), &box));
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  float* const corners = box->data<float>();
  corners[0] = static_cast<float>(crop.top) / h;
  corners[1] = static_cast<float>(crop.left) / w;
  corners[2] = static_cast<float>(crop.bottom) / h;
  corners[3] = static_cast<float>(crop.right) / w;
  return DispatchType<ImageSizeTypes>(begin->dtype(), [&]<class T>() {
    T *const b = begin->data<T>(), *const e = extent->data<T>();
    b[0] = static_cast<T>(crop.top);
    b[1] = static_cast<T>(crop.left);
    b[2] = 0;
    e[0] = static_cast<T>(crop.bottom - crop.top);
    e[1] = static_cast<T>(crop.right - crop.left);
    e[2] = static_cast<T>(-1);
  });
}

}  // namespace detail

// image_size: [height, width, channels], bounding_boxes: [batch, n, 4]  ->  begin and size for Slice, the box
struct SampleDistortedBoundingBox {
  static constexpr auto signature = Op("SampleDistortedBoundingBox")
                                        .Input("image_size: T")
                                        .Input("bounding_boxes: float")
                                        .Output("begin: T")
                                        .Output("size: T")
                                        .Output("bboxes: float")
                                        .Attr("T: {uint8, int8, int16, int32, int64}")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("min_object_covered: float = 0.1")
                                        .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
                                        .Attr("area_range: list(float) = [0.05, 1]")
                                        .Attr("max_attempts: int = 100")
                                        .Attr("use_image_if_no_bounding_boxes: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::DistortedBoxShape);
  struct Attrs {
    std::int64_t seed, seed2;
    float min_object_covered;
    std::span<const float> aspect_ratio_range, area_range;
    std::int64_t max_attempts;
    bool use_image_if_no_bounding_boxes;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      TENON_RETURN_IF_ERROR(rule.Read(this->aspect_ratio_range, this->area_range, this->max_attempts,
                                      this->use_image_if_no_bounding_boxes));
      return rule.SetCovered(this->min_object_covered);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunDistortedBox(context.op(), rule, generator.Reserve(static_cast<std::uint64_t>(rule.attempts)));
    }
    detail::DistortedBoxRule rule;
    mutable detail::SeededGenerator generator;
  };
};

// The part to cover is an input.
struct SampleDistortedBoundingBoxV2 {
  static constexpr auto signature = Op("SampleDistortedBoundingBoxV2")
                                        .Input("image_size: T")
                                        .Input("bounding_boxes: float")
                                        .Input("min_object_covered: float")
                                        .Output("begin: T")
                                        .Output("size: T")
                                        .Output("bboxes: float")
                                        .Attr("T: {uint8, int8, int16, int32, int64}")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
                                        .Attr("area_range: list(float) = [0.05, 1]")
                                        .Attr("max_attempts: int = 100")
                                        .Attr("use_image_if_no_bounding_boxes: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::DistortedBoxShape);
  struct Attrs {
    std::int64_t seed, seed2;
    std::span<const float> aspect_ratio_range, area_range;
    std::int64_t max_attempts;
    bool use_image_if_no_bounding_boxes;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return rule.Read(this->aspect_ratio_range, this->area_range, this->max_attempts,
                       this->use_image_if_no_bounding_boxes);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&) const {
      detail::DistortedBoxRule own = rule;
      TENON_RETURN_IF_ERROR(own.ReadCovered(context.op()));
      return detail::RunDistortedBox(context.op(), own, generator.Reserve(static_cast<std::uint64_t>(rule.attempts)));
    }
    detail::DistortedBoxRule rule;
    mutable detail::SeededGenerator generator;
  };
};

// The seed is an input, too.
struct StatelessSampleDistortedBoundingBox {
  static constexpr auto signature = Op("StatelessSampleDistortedBoundingBox")
                                        .Input("image_size: T")
                                        .Input("bounding_boxes: float")
                                        .Input("min_object_covered: float")
                                        .Input("seed: Tseed")
                                        .Output("begin: T")
                                        .Output("size: T")
                                        .Output("bboxes: float")
                                        .Attr("T: {uint8, int8, int16, int32, int64}")
                                        .Attr("Tseed: {int32, int64}")
                                        .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
                                        .Attr("area_range: list(float) = [0.05, 1]")
                                        .Attr("max_attempts: int = 100")
                                        .Attr("use_image_if_no_bounding_boxes: bool = false")
                                        .SetShapeFn(detail::DistortedBoxShape);
  struct Attrs {
    std::span<const float> aspect_ratio_range, area_range;
    std::int64_t max_attempts;
    bool use_image_if_no_bounding_boxes;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      return rule.Read(this->aspect_ratio_range, this->area_range, this->max_attempts,
                       this->use_image_if_no_bounding_boxes);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, HostIndices seed, Tensor&,
                      Tensor&, Tensor&) const {
      Philox stream;
      detail::DistortedBoxRule own = rule;
      TENON_RETURN_IF_ERROR(detail::StreamOfSeed("StatelessSampleDistortedBoundingBox", seed, &stream));
      TENON_RETURN_IF_ERROR(own.ReadCovered(context.op()));
      return detail::RunDistortedBox(context.op(), own, stream);
    }
    detail::DistortedBoxRule rule;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

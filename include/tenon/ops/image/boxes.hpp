// SPDX-License-Identifier: Apache-2.0
#pragma once
// DrawBoundingBoxes and DrawBoundingBoxesV2: frames drawn on images.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DrawBoundingBoxesShape(InferenceContext* c) {
  ShapeHandle images, boxes;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  const DimensionHandle depth = c->Dim(images, 3);
  if (c->ValueKnown(depth) && c->Value(depth) != 1 && c->Value(depth) != 3 && c->Value(depth) != 4)
    return errors::InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                                   c->Value(depth));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &boxes));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 2), 4, &unused));
  return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
}

inline constexpr float kBoxColors[10][4] = {{1, 1, 0, 1},       {0, 0, 1, 1},       {1, 0, 0, 1},    {0, 1, 0, 1},
                                            {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1},
                                            {0, 1, 1, 1},       {1, 0, 1, 1}};

// `colors` of four numbers each, used in turn.
struct BoxColors {
  const float* numbers;
  Index count, width;  // numbers of a colour that there are; the rest is 0
};

// A part of a size as a whole number: towards 0; what is no place at all is far outside.
inline Index BoxPlace(float part, Index size) {
  const float place = part * static_cast<float>(size - 1);
  constexpr float kFar = 1e18f;
  if (!(place > -kFar)) return -static_cast<Index>(kFar);
  return place < kFar ? static_cast<Index>(place) : static_cast<Index>(kFar);
}

template <class T>
void DrawBoxes(const TensorShape& shape, const float* boxes, Index count, const BoxColors& colors, T* out) {
  const Index height = shape.dim_size(1), width = shape.dim_size(2), depth = shape.dim_size(3);
  for (Index n = 0; n < shape.dim_size(0); ++n, out += height * width * depth) {
    for (Index i = 0; i < count; ++i, boxes += 4) {
      const Index top = BoxPlace(boxes[0], height), left = BoxPlace(boxes[1], width);
      const Index bottom = BoxPlace(boxes[2], height), right = BoxPlace(boxes[3], width);
      if (top > bottom || left > right || top >= height || bottom < 0 || left >= width || right < 0) continue;
      const float* const color = colors.numbers + i % colors.count * colors.width;
      const auto draw = [&](Index row, Index column) {
        for (Index d = 0; d < depth; ++d)
          out[(row * width + column) * depth + d] = static_cast<T>(d < colors.width ? color[d] : 0.0f);
      };
      const Index first_row = std::max<Index>(top, 0), last_row = std::min(bottom, height - 1);
      const Index first_column = std::max<Index>(left, 0), last_column = std::min(right, width - 1);
      for (Index c = first_column; c <= last_column; ++c) {
        if (top >= 0) draw(top, c);
        if (bottom < height) draw(bottom, c);
      }
      for (Index r = first_row; r <= last_row; ++r) {
        if (left >= 0) draw(r, left);
        if (right < width) draw(r, right);
      }
    }
  }
}

// colors: null for the ten of old.
inline Status RunDrawBoxes(OpKernelContext& context, std::string_view op, const Tensor* colors) {
  const Tensor &images = context.input(0), &boxes = context.input(1);
  if (images.dims() != 4)
    return errors::InvalidArgument(op, ": The rank of the images should be 4, got ", images.shape());
  if (boxes.dims() != 3)
    return errors::InvalidArgument(op, ": The rank of the boxes tensor should be 3, got ", boxes.shape());
  if (images.dim_size(0) != boxes.dim_size(0))
    return errors::InvalidArgument(op, ": The batch sizes should be the same, got ", images.dim_size(0), " and ",
                                   boxes.dim_size(0));
  const Index depth = images.dim_size(3);
  if (depth != 1 && depth != 3 && depth != 4)
    return errors::InvalidArgument(op, ": Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ", depth);
  if (boxes.dim_size(2) != 4)
    return errors::InvalidArgument(
        op, ": The size of the third dimension of the box must be 4. Received: ", boxes.dim_size(2));
  float own[10][4];
  std::copy_n(&kBoxColors[0][0], 40, &own[0][0]);
  if (depth == 1)
    for (float(&color)[4] : own) color[0] = 1;
  BoxColors table{&own[0][0], 10, 4};
  if (colors != nullptr) {
    if (colors->dims() != 2)
      return errors::InvalidArgument(op, ": colors must be a 2-D matrix of RGBA values, got shape ", colors->shape());
    if (colors->dim_size(1) < depth)
      return errors::InvalidArgument(op, ": colors must have equal or more channels than the image provided, got ",
                                     colors->dim_size(1), " vs. ", depth);
    if (colors->NumElements() > 0) table = {colors->data<float>(), colors->dim_size(0), colors->dim_size(1)};
  }
  const TensorShape shape = images.shape();
  const void* const in = images.raw_data();
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const std::size_t bytes =
      static_cast<std::size_t>(shape.num_elements()) * static_cast<std::size_t>(SizeOf(out->dtype()));
  if (out->raw_data() != in) std::memcpy(out->raw_data(), in, bytes);
  if (out->dtype() == DataType::kHalf)
    DrawBoxes(shape, boxes.data<float>(), boxes.dim_size(1), table, out->data<half>());
  else
    DrawBoxes(shape, boxes.data<float>(), boxes.dim_size(1), table, out->data<float>());
  return OkStatus();
}

}  // namespace detail

// images: [n, h, w, 1, 3 or 4], boxes: [n, k, 4] in parts of the size  ->  the images with frames
struct DrawBoundingBoxes {
  static constexpr auto signature = Op("DrawBoundingBoxes")
                                        .Input("images: T")
                                        .Input("boxes: float")
                                        .Output("output: T")
                                        .Attr("T: {float, half} = DT_FLOAT")
                                        .SetShapeFn(detail::DrawBoundingBoxesShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDrawBoxes(context.op(), "DrawBoundingBoxes", nullptr);
    }
  };
};

// colors: [m, channels], used in turn; none: those of DrawBoundingBoxes
struct DrawBoundingBoxesV2 {
  static constexpr auto signature = Op("DrawBoundingBoxesV2")
                                        .Input("images: T")
                                        .Input("boxes: float")
                                        .Input("colors: float")
                                        .Output("output: T")
                                        .Attr("T: {float, half} = DT_FLOAT")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor& colors, Tensor&) const {
      return detail::RunDrawBoxes(context.op(), "DrawBoundingBoxesV2", &colors);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedResizeBilinear: images of quantized numbers made larger or smaller.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/image/resize.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/resize.hpp>
#include <tenon/ops/quantize/ranges.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Two neighbours of an output element and the way from the first to the second.
struct Neighbours {
  Index first, second;
  float way;

  Neighbours(const ResizeGeometry& g, const ResizeAxis& axis, Index at) {
    const auto place = static_cast<float>(at);
    const float from = g.half_pixel_centers ? (place + 0.5f) * axis.scale - 0.5f : place * axis.scale;
    const float below = std::floor(from);
    first = std::max<Index>(static_cast<Index>(below), 0);
    second = std::min<Index>(static_cast<Index>(std::ceil(from)), axis.input - 1);
    first = std::min(first, axis.input - 1);
    second = std::max<Index>(second, 0);
    way = from - below;
  }
};

// Integers with `bits` behind the point.
template <int bits>
std::int64_t BetweenFour(const std::int64_t (&x)[4], float right, float down) {
  constexpr std::int64_t kOne = std::int64_t{1} << bits;
  const auto along = [](std::int64_t a, std::int64_t b, std::int64_t way) {
    return static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(way);
  };
  const auto across = static_cast<std::int64_t>(right * static_cast<float>(kOne));
  const auto below = static_cast<std::int64_t>(down * static_cast<float>(kOne));
  const std::uint64_t top = along(x[0] * kOne, x[1] - x[0], across), bottom = along(x[2] * kOne, x[3] - x[2], across);
  const std::int64_t difference = static_cast<std::int64_t>(bottom - top) / kOne;
  return static_cast<std::int64_t>(along(static_cast<std::int64_t>(top), difference, below) + kOne / 2) / kOne;
}

inline void ResizeQuantizedRow(const ResizeGeometry& g, const Tensor& images, Index row, Tensor* out) {
  const DataType type = images.dtype();
  const Index batch = row / g.rows.output;
  const Neighbours rows(g, g.rows, row % g.rows.output);
  Index to = row * g.columns.output * g.depth;
  for (Index c = 0; c < g.columns.output; ++c) {
    const Neighbours columns(g, g.columns, c);
    const Index top = (batch * g.rows.input + rows.first) * g.columns.input,
                bottom = (batch * g.rows.input + rows.second) * g.columns.input;
    for (Index d = 0; d < g.depth; ++d, ++to) {
      const Index places[] = {(top + columns.first) * g.depth + d, (top + columns.second) * g.depth + d,
                              (bottom + columns.first) * g.depth + d, (bottom + columns.second) * g.depth + d};
      if (type == DataType::kFloat) {
        const float* const x = images.data<float>();
        const float above = x[places[0]] + (x[places[1]] - x[places[0]]) * columns.way;
        const float below = x[places[2]] + (x[places[3]] - x[places[2]]) * columns.way;
        out->data<float>()[to] = above + (below - above) * rows.way;
        continue;
      }
      std::int64_t x[4];
      for (int k = 0; k < 4; ++k) x[k] = ThroughFloat(LoadQuantized(images.raw_data(), type, places[k]));
      StoreQuantized(type == DataType::kQint32 ? BetweenFour<30>(x, columns.way, rows.way)
                                               : BetweenFour<7>(x, columns.way, rows.way),
                     out->raw_data(), type, to);
    }
  }
}

inline Status RunQuantizedResize(OpKernelContext& context, Cpu& device, const ResizeAttrs& a, const HostIndices& size) {
  const Tensor& images = context.input(0);
  ResizeGeometry g;
  TensorShape shape;
  Tensor* out = nullptr;
  for (int i = 2; i < 4; ++i)
    if (context.input(i).dims() != 0)
      return errors::InvalidArgument("QuantizedResizeBilinear: ", i == 2 ? "min" : "max",
                                     " must be a scalar, but has the shape ", context.input(i).shape());
  // TensorFlow does not refuse both attrs here.
  TENON_RETURN_IF_ERROR(
      MakeResizeGeometry("QuantizedResizeBilinear", {a.align_corners, false}, images.shape(), size, &g, &shape));
  g.half_pixel_centers = a.half_pixel_centers;
  // TensorFlow gives no outputs then.
  if (shape.num_elements() == 0)
    return errors::Internal("QuantizedResizeBilinear: Missing outputs: images has no elements, shape ", images.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  ParallelFor(device, g.batch * g.rows.output, static_cast<double>(g.columns.output * g.depth) * 4,
              [&](Index begin, Index end) {
                for (Index row = begin; row < end; ++row) ResizeQuantizedRow(g, images, row, out);
              });
  const QuantizedRange range{*context.input(2).data<float>(), *context.input(3).data<float>()};
  return range.Write(context, 1);
}

inline Status QuantizedResizeShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(ResizeShape(c));
  return ScalarRanges(c, 2, 3);
}

}  // namespace detail

// images: [n, h, w, c], size: [new h, new w]  ->  [n, new h, new w, c], in the range of the images
struct QuantizedResizeBilinear {
  static constexpr auto signature = Op("QuantizedResizeBilinear")
                                        .Input("images: T")
                                        .Input("size: int32")
                                        .Input("min: float")
                                        .Input("max: float")
                                        .Output("resized_images: T")
                                        .Output("out_min: float")
                                        .Output("out_max: float")
                                        .Attr("T: {quint8, qint32, float}")
                                        .Attr("align_corners: bool = false")
                                        .Attr("half_pixel_centers: bool = false")
                                        .SetShapeFn(detail::QuantizedResizeShape);
  using Attrs = detail::ResizeAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices size, const Tensor&, const Tensor&, Tensor&,
                      Tensor&, Tensor&) const {
      return detail::RunQuantizedResize(context.op(), context.device(), *this, size);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

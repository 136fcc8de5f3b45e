// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of ops for images: sizes, crops, patches, colours.

#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline void Resize(G& g, std::string_view op, bool all_types) {
  const DataType type = g.x().dtype();
  if (!all_types && type != DataType::kFloat && type != DataType::kDouble) return;
  g.set(0, g.AddLike(op, {g.dy(), g.x()}, {"align_corners", "half_pixel_centers"}));
}
inline void ResizeNearest(G& g) {
  g.set(0, g.AddLike("ResizeNearestNeighborGrad", {g.dy(), g.Part(g.Shape(g.x()), 1, 3)},
                     {"align_corners", "half_pixel_centers"}));
}
inline void Crop(G& g) {
  const Symbol image = g.input(0), boxes = g.input(1), of_box = g.input(2), dy = g.dy();
  if (kFloatingTypes.contains(image.dtype()) && image.dtype() != DataType::kBfloat16)
    g.set(0,
          g.AddLike("CropAndResizeGradImage", {dy, boxes, of_box, g.Shape(image)}, {"method"}, {{"T", image.dtype()}}));
  g.set(1, g.Add("CropAndResizeGradBoxes", {dy, image, boxes, of_box}));
}
// Patches of images of `rank` spatial dimensions. Each element of the image has a number from 1 on, 0 stands for
// padding: patches of the numbers say where each gradient goes.
inline void Patches(G& g, int rank) {
  const Symbol x = g.x(), dy = g.dy(), shape = g.Shape(x);
  const Symbol channels = g.Item(shape, rank + 1), batch = g.Item(shape, 0);
  const Symbol sizes = g.Part(shape, 1, rank + 1), count = Product(g, sizes);
  SlimVector<Symbol> one{g.Ints({1}), sizes, g.Ints({1})};
  const Symbol numbers = g.Reshape(g.Range(g.Int(1), count + 1.0), g.Concat(std::move(one), g.Int(0)));
  const Symbol where = g.AddLike(rank == 2 ? "ExtractImagePatches" : "ExtractVolumePatches",
                                 {g.Cast(numbers, DataType::kInt64)}, {"ksizes", "strides", "rates", "padding"});
  const Symbol rows = g.Reshape(dy, g.Pack({batch, g.Int(-1), channels}));
  const Symbol flat = Permute(g, rows, {1, 0, 2});
  const Symbol sum = g.Add("UnsortedSegmentSum", {flat, Flat(g, where), count + 1.0});
  const Symbol real = g.Add("StridedSlice", {sum, g.Ints({1}), g.Ints({0}), g.Ints({1})}, {{"end_mask", 1}});
  g.set(0, g.Reshape(Permute(g, real, {1, 0, 2}), shape));
}

inline Symbol Channel(G& g, Symbol s, std::int32_t i) {  // s[..., i]
  return g.Add("StridedSlice", {s, g.Ints({0, i}), g.Ints({0, i + 1}), g.Ints({1, 1})},
               {{"ellipsis_mask", 1}, {"shrink_axis_mask", 2}});
}
// With d = largest - smallest: value = largest, saturation = d / largest, and hue = numerator / (6 d) + a constant.
// Where channels are equal, the first is the largest and the last the smallest, as in TensorFlow.
inline void Hsv(G& g) {
  const Symbol x = g.x(), dy = g.dy();
  const DataType type = x.dtype();
  const auto test = [&](std::string_view op, Symbol a, Symbol b) { return g.Add(op, {a, b}); };
  const auto both = [&](Symbol a, Symbol b) { return g.Cast(g.Add("LogicalAnd", {a, b}), type); };
  const auto over = [&](Symbol a, Symbol b) { return g.Add("DivNoNan", {a, b}); };
  const Symbol c[3] = {Channel(g, x, 0), Channel(g, x, 1), Channel(g, x, 2)};
  const Symbol most[3] = {both(test("GreaterEqual", c[0], c[2]), test("GreaterEqual", c[0], c[1])),
                          both(test("Greater", c[1], c[0]), test("GreaterEqual", c[1], c[2])),
                          both(test("Greater", c[2], c[0]), test("Greater", c[2], c[1]))};
  const Symbol least[3] = {both(test("Less", c[0], c[2]), test("Less", c[0], c[1])),
                           both(test("LessEqual", c[1], c[0]), test("Less", c[1], c[2])),
                           both(test("LessEqual", c[2], c[0]), test("LessEqual", c[2], c[1]))};
  Symbol largest = most[0] * c[0], smallest = least[0] * c[0];
  for (int i = 1; i < 3; ++i) {
    largest = largest + most[i] * c[i];
    smallest = smallest + least[i] * c[i];
  }
  const Symbol d = largest - smallest;
  const Symbol numerator = most[0] * (c[1] - c[2]) + most[1] * (c[2] - c[0]) + most[2] * (c[0] - c[1]);
  // Slope of the numerator by channel.
  const Symbol slope[3] = {most[2] - most[1], most[0] - most[2], most[1] - most[0]};
  const Symbol dh = Channel(g, dy, 0), ds = Channel(g, dy, 1), dv = Channel(g, dy, 2), zero = g.Scalar(type, 0);
  SlimVector<Symbol> parts;
  for (int i = 0; i < 3; ++i) {
    const Symbol shift = most[i] - least[i];
    const Symbol hue = (over(slope[i], d) - over(numerator * shift, Un(g, "Square", d))) / 6.0;
    const Symbol saturation = g.Cast(test("Greater", c[i], zero), type) *
                              (over(most[i] * smallest, Un(g, "Square", largest)) - over(least[i], largest));
    parts.push_back(dv * most[i] + ds * saturation + dh * hue);
  }
  g.set(0, g.Add("Pack", {G::Input(std::move(parts))}, {{"axis", -1}}));
}

// The gradient moved back by the inverse of each transform, a matrix [3, 3] without its last element.
inline void ProjectiveTransform(G& g, bool fills) {
  const Symbol rows = g.Reshape(g.input(1), g.Ints({-1, 8}));
  const Symbol ones = g.Fill(g.Pack({g.Item(g.Shape(rows), 0), g.Int(1)}), g.Scalar(DataType::kFloat, 1));
  const Symbol inverse = g.Add("MatrixInverse", {g.Reshape(Concat2(g, rows, ones, 1), g.Ints({-1, 3, 3}))});
  const Symbol nine = g.Reshape(inverse, g.Ints({-1, 9}));
  const auto part = [&](std::int32_t begin, std::int32_t end) {
    return g.Add("StridedSlice", {nine, g.Ints({0, begin}), g.Ints({0, end}), g.Ints({1, 1})},
                 {{"begin_mask", 1}, {"end_mask", 1}});
  };
  const Symbol back = part(0, 8) / part(8, 9), size = g.Part(g.Shape(g.x()), 1, 3);
  if (!fills)
    return g.set(0, g.AddLike("ImageProjectiveTransformV2", {g.dy(), back, size}, {"interpolation", "fill_mode"}));
  g.set(0, g.AddLike("ImageProjectiveTransformV3", {g.dy(), back, size, g.Scalar(DataType::kFloat, 0)},
                     {"interpolation", "fill_mode"}));
}

inline constexpr GradientRow kImage[] = {
    {"ImageProjectiveTransformV2", [](G& g) { ProjectiveTransform(g, false); }},
    {"ImageProjectiveTransformV3", [](G& g) { ProjectiveTransform(g, true); }},
    {"ResizeBilinear", [](G& g) { Resize(g, "ResizeBilinearGrad", true); }},
    {"ResizeBicubic", [](G& g) { Resize(g, "ResizeBicubicGrad", false); }},
    {"ResizeNearestNeighbor", ResizeNearest},
    {"ScaleAndTranslate",
     [](G& g) {
       g.set(0, g.AddLike("ScaleAndTranslateGrad", {g.dy(), g.input(0), g.input(2), g.input(3)},
                          {"kernel_type", "antialias"}));
     }},
    {"CropAndResize", Crop},
    {"ExtractImagePatches", [](G& g) { Patches(g, 2); }},
    {"ExtractVolumePatches", [](G& g) { Patches(g, 3); }},
    {"RGBToHSV", Hsv},
};

inline const bool registers_image = RegisterGradients<kImage>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

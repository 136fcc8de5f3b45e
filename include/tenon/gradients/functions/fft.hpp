// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of Fourier transforms.

#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline DataType RealOf(DataType type) {
  return type == DataType::kComplex64 ? DataType::kFloat : type == DataType::kComplex128 ? DataType::kDouble : type;
}
// Product of the last `rank` dimensions, as a number of the type.
inline Symbol TransformSize(G& g, Symbol s, int rank, DataType type) {
  return g.Cast(Product(g, g.Part(g.Shape(s), -rank, 0, true)), type);
}
inline void Forward(G& g, std::string_view inverse, int rank) {
  const Symbol dy = g.dy();
  g.set(0, g.Add(inverse, {dy}) * TransformSize(g, dy, rank, dy.dtype()));
}
inline void Backward(G& g, std::string_view forward, int rank) {
  const Symbol dy = g.dy();
  g.set(0, g.Add(forward, {dy}) * g.Cast(1.0 / TransformSize(g, dy, rank, RealOf(dy.dtype())), dy.dtype()));
}
// Cuts s, or adds zeros at its ends, so that it gets the shape.
inline Symbol FitTo(G& g, Symbol s, Symbol shape, const PartialTensorShape& known) {
  if (G::KnownSame(s.shape(), known)) return s;
  const Symbol kept = g.Add("Minimum", {g.Shape(s), shape});
  const Symbol cut = g.Add("Slice", {s, g.ZerosLike(kept), kept}), none = g.ZerosLike(kept);
  return g.Add("Pad", {cut, g.Add("Pack", {G::Input{none, shape - kept}}, {{"axis", 1}})});
}
// The missing half of the frequencies has no gradient: it counts as zero in a complex transform.
inline void RealForward(G& g, std::string_view inverse, int rank) {
  const Symbol dy = g.dy(), length = g.input(1), shape = g.Shape(dy);
  const Symbol full = Concat2(g, g.Part(shape, 0, -1), g.Part(length, -1, 0, true));
  const Symbol whole = g.Add(inverse, {FitTo(g, dy, full, {})});
  const DataType real = RealOf(dy.dtype());
  const Symbol signal = g.Add("Real", {whole}, {{"Tout", real}}) * TransformSize(g, whole, rank, real);
  g.set(0, FitTo(g, signal, g.Shape(g.x()), g.x().shape()));
}
// Frequencies other than 0 and the middle one count twice.
inline void RealBackward(G& g, std::string_view forward, int rank) {
  const Symbol dy = g.dy(), length = g.input(1), last = g.Item(length, -1);
  const DataType type = g.x().dtype(), real = RealOf(type);
  const Symbol odd = g.Add("FloorMod", {last, g.Int(2)});
  const Symbol twice = g.Add("FloorDiv", {last - 1.0, g.Int(2)});
  const auto vector = [&g](Symbol s) { return g.Add("ExpandDims", {s, g.Int(0)}); };
  SlimVector<Symbol> parts{g.Fill(g.Ints({1}), g.Scalar(real, 1)), g.Fill(vector(twice), g.Scalar(real, 2)),
                           g.Fill(vector(1.0 - odd), g.Scalar(real, 1))};
  const Symbol weights = g.Concat(std::move(parts), g.Int(0)) / TransformSize(g, dy, rank, real);
  const Symbol spectrum = g.Add(forward, {dy, length}, {{"Tcomplex", type}}) * g.Cast(weights, type);
  g.set(0, FitTo(g, spectrum, g.Shape(g.x()), g.x().shape()));
}

inline constexpr GradientRow kFft[] = {
    {"FFT", [](G& g) { Forward(g, "IFFT", 1); }},        {"FFT2D", [](G& g) { Forward(g, "IFFT2D", 2); }},
    {"FFT3D", [](G& g) { Forward(g, "IFFT3D", 3); }},    {"IFFT", [](G& g) { Backward(g, "FFT", 1); }},
    {"IFFT2D", [](G& g) { Backward(g, "FFT2D", 2); }},   {"IFFT3D", [](G& g) { Backward(g, "FFT3D", 3); }},
    {"RFFT", [](G& g) { RealForward(g, "IFFT", 1); }},   {"RFFT2D", [](G& g) { RealForward(g, "IFFT2D", 2); }},
    {"IRFFT", [](G& g) { RealBackward(g, "RFFT", 1); }}, {"IRFFT2D", [](G& g) { RealBackward(g, "RFFT2D", 2); }},
};

inline const bool registers_fft = RegisterGradients<kFft>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

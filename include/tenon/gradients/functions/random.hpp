// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of samples with respect to the parameters of their distribution.

#include <limits>

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// `leading`: dimensions of the samples before those of alpha.
inline void GammaSamples(G& g, int alpha_input, Symbol leading) {
  const Symbol alpha = g.input(alpha_input), ones = g.Fill(g.Add("ExpandDims", {leading, g.Int(0)}), g.Int(1));
  const Symbol wide = g.Reshape(alpha, Concat2(g, ones, g.Shape(alpha)));
  const Symbol slope = g.Add("RandomGammaGrad", {wide, g.y()});
  g.set(alpha_input, g.Sum(g.dy() * slope, g.Range(g.Int(0), leading)));
}
inline Symbol Length(G& g, Symbol vector) { return g.Item(g.Shape(vector), 0); }

// The distribution function of the normal distribution.
inline Symbol NormalBelow(G& g, Symbol x) {
  constexpr double kHalfRoot = 0.70710678118654752440;
  const Symbol w = x * kHalfRoot, z = Un(g, "Abs", w), tail = Un(g, "Erfc", z);
  const Symbol zero = g.Scalar(x.dtype(), 0), near = g.Scalar(x.dtype(), kHalfRoot);
  const Symbol far = g.Where(g.Add("Greater", {w, zero}), 2.0 - tail, tail);
  return g.Where(g.Add("Less", {z, near}), 1.0 + Un(g, "Erf", w), far) * 0.5;
}
// Smallest normal number and the distance from 1 to the next number.
inline void LimitsOf(DataType type, double* tiny, double* epsilon) {
  *tiny = type == DataType::kHalf    ? 6.103515625e-05
          : type == DataType::kFloat ? static_cast<double>(std::numeric_limits<float>::min())
                                     : std::numeric_limits<double>::min();
  *epsilon = type == DataType::kHalf    ? 9.765625e-04
             : type == DataType::kFloat ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                        : std::numeric_limits<double>::epsilon();
}
// Samples are derived by the distribution function, whose value at the sample stays.
inline void BoundedNormalSamples(G& g) {
  const Symbol mean = g.input(2), deviation = g.input(3), y = g.y(), dy = g.dy();
  const auto standard = [&](Symbol s) { return (s - mean) / deviation; };
  const Symbol low = standard(g.input(4)), high = standard(g.input(5)), sample = standard(y);
  const Symbol below = NormalBelow(g, low);
  const Symbol share = (NormalBelow(g, sample) - below) / (NormalBelow(g, high) - below);
  double tiny = 0, epsilon = 0;
  LimitsOf(y.dtype(), &tiny, &epsilon);
  const Symbol cut =
      g.Add("Maximum", {g.Add("Minimum", {share, g.Scalar(y.dtype(), 1 - epsilon)}), g.Scalar(y.dtype(), tiny)});
  const auto slope = [&](Symbol bound, Symbol log) {
    return Un(g, "Exp", (Un(g, "Square", sample) - Un(g, "Square", bound)) * 0.5 + log);
  };
  g.set(2, g.SumTo(dy, mean, y));
  g.set(3, g.SumTo(dy * sample, deviation, y));
  g.set(4, g.SumTo(dy * slope(low, Un(g, "Log1p", -cut)), g.input(4), y));
  g.set(5, g.SumTo(dy * slope(high, Un(g, "Log", cut)), g.input(5), y));
}

inline constexpr GradientRow kRandom[] = {
    {"StatelessParameterizedTruncatedNormal", BoundedNormalSamples},
    {"RandomGamma", [](G& g) { GammaSamples(g, 1, Length(g, g.input(0))); }},
    {"StatelessRandomGammaV2", [](G& g) { GammaSamples(g, 2, Length(g, g.input(0)) - g.Rank(g.input(2))); }},
    {"StatelessRandomGammaV3", [](G& g) { GammaSamples(g, 4, Length(g, g.input(0)) - g.Rank(g.input(4))); }},
};

inline const bool registers_random = RegisterGradients<kRandom>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

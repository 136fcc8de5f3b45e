// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of samples with respect to the parameters of their distribution.

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

inline constexpr GradientRow kRandom[] = {
    {"RandomGamma", [](G& g) { GammaSamples(g, 1, Length(g, g.input(0))); }},
    {"StatelessRandomGammaV2", [](G& g) { GammaSamples(g, 2, Length(g, g.input(0)) - g.Rank(g.input(2))); }},
    {"StatelessRandomGammaV3", [](G& g) { GammaSamples(g, 4, Length(g, g.input(0)) - g.Rank(g.input(4))); }},
};

inline const bool registers_random = RegisterGradients<kRandom>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

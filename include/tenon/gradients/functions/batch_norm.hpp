// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of batch normalisation, first and second.

#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/walk.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline Symbol Channels(G& g, Symbol s, bool last) {
  const int rank = s.shape().dims();
  if (rank == 5) return last ? Permute(g, s, {0, 2, 3, 4, 1}) : Permute(g, s, {0, 4, 1, 2, 3});
  return last ? Permute(g, s, {0, 2, 3, 1}) : Permute(g, s, {0, 3, 1, 2});
}
inline void BatchNorm(G& g, std::string_view op, bool third) {
  const bool training = g.bool_attr("is_training");
  const bool first = !training && StartsWith(g.string_attr("data_format"), "NC");  // channels first
  Symbol x = g.x(), dy = g.dy();
  if (first) {
    x = Channels(g, x, true);
    dy = Channels(g, dy, true);
  }
  const Symbol mean = training ? g.output(3) : g.input(3), variance = training ? g.output(4) : g.input(4);
  SlimVector<G::Input> inputs{dy, x, g.input(1), mean, variance};
  if (third) inputs.push_back(g.output(5));
  const std::string format = g.string_attr("data_format");
  const G::Attr attrs[] = {{"epsilon", g.attr("epsilon")},
                           {"is_training", training},
                           {"data_format", first ? (format.size() == 5 ? "NDHWC" : "NHWC") : format}};
  const Symbol parts = g.editor().AddNode(op, inputs, attrs);
  g.set(0, first ? Channels(g, parts, false) : parts);
  g.set(1, parts[1]);
  g.set(2, parts[2]);
}
// The gradient written with simple ops, which is derived once more.
inline void BatchNormGrad(G& g) {
  const Symbol dy = g.input(0), x = g.input(1), scale = g.input(2);
  const bool first = StartsWith(g.string_attr("data_format"), "NC");
  const bool volume = g.string_attr("data_format").size() == 5;
  const Symbol axes =
      first ? (volume ? g.Ints({0, 2, 3, 4}) : g.Ints({0, 2, 3})) : (volume ? g.Ints({0, 1, 2, 3}) : g.Ints({0, 1, 2}));
  const double epsilon = static_cast<double>(g.attr("epsilon").f());
  const auto channel = [&](Symbol s) {
    return !first ? s : g.Reshape(s, volume ? g.Ints({1, -1, 1, 1, 1}) : g.Ints({1, -1, 1, 1}));
  };
  const auto mean = [&](Symbol s) { return g.Add("Mean", {s, axes}, {{"keep_dims", first}}); };
  const DataType wide = scale.dtype();
  const Symbol dy_wide = g.Cast(dy, wide), x_wide = g.Cast(x, wide), weights = channel(scale);
  Symbol dx, dscale;
  if (g.bool_attr("is_training")) {
    const Symbol mean_x = mean(x_wide), offset = x_wide - mean_x;
    const Symbol squares = g.Add("SquaredDifference", {x_wide, Un(g, "StopGradient", mean_x)});
    const Symbol variance = mean(squares) + epsilon, root = Un(g, "Rsqrt", variance);
    const Symbol along = mean(dy_wide * offset);
    dx = weights * root * ((dy_wide - mean(dy_wide)) - Un(g, "Reciprocal", variance) * along * offset);
    dscale = root * g.Sum(dy_wide * offset, axes, first);
  } else {
    const Symbol root = Un(g, "Rsqrt", channel(g.input(4)) + epsilon);
    dx = dy_wide * weights * root;
    dscale = g.Sum(dy_wide * (x_wide - channel(g.input(3))) * root, axes, first);
  }
  dx = g.Cast(dx, x.dtype());
  dscale = g.Reshape(dscale, g.Shape(scale));
  const InEdge ys[] = {dx.edge(), dscale.edge(), g.Sum(dy_wide, axes).edge()};
  const InEdge xs[] = {dy.edge(), x.edge(), scale.edge()};
  SlimVector<TensorGradient> grad_ys;
  for (int i = 0; i < 3; ++i) grad_ys.push_back({g.grad(i).edge(), {}, {}, {}});
  const std::string scope = g.editor().scope();
  GradientWalk walk(&g.editor(), &g.functions(), scope);
  const Result<SlimVector<TensorGradient>> gradients = walk.Run(ys, xs, grad_ys, {});
  g.editor().set_scope(scope);
  if (!gradients.ok()) return g.Fail(gradients.status());
  for (int i = 0; i < 3; ++i) g.set(i, (*gradients)[ToSize(i)]);
}
inline void GlobalBatchNorm(G& g) {
  const Symbol parts =
      g.AddLike("BatchNormWithGlobalNormalizationGrad", {g.input(0), g.input(1), g.input(2), g.input(4), g.dy()},
                {"variance_epsilon", "scale_after_normalization"});
  for (int i = 0; i < 5; ++i) g.set(i, parts[i]);
}

inline constexpr GradientRow kBatchNorm[] = {
    {"FusedBatchNorm", [](G& g) { BatchNorm(g, "FusedBatchNormGrad", false); }},
    {"FusedBatchNormV2", [](G& g) { BatchNorm(g, "FusedBatchNormGradV2", false); }},
    {"FusedBatchNormV3", [](G& g) { BatchNorm(g, "FusedBatchNormGradV3", true); }},
    {"FusedBatchNormGrad", BatchNormGrad},
    {"FusedBatchNormGradV2", BatchNormGrad},
    {"FusedBatchNormGradV3", BatchNormGrad},
    {"BatchNormWithGlobalNormalization", GlobalBatchNorm},
};

inline const bool registers_batch_norm = RegisterGradients<kBatchNorm>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

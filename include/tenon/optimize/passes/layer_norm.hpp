// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of a layer normalisation become one. Part of TensorFlow's Remapper.

#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/guards.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The constant names the last axis alone.
inline bool IsLastAxis(const Match& match, std::string_view name, int rank) {
  SlimVector<std::int64_t> axes;
  return ReadVector(match, name, &axes) && axes.size() == 1 && (axes[0] == -1 || axes[0] == rank - 1);
}
// Each of the columns has an element, on whatever axis.
inline bool IsVectorOf(const PartialTensorShape& shape, Index columns) {
  if (shape.dims() < 1 || shape.dim_size(shape.dims() - 1) != columns) return false;
  for (int d = 0; d + 1 < shape.dims(); ++d)
    if (shape.dim_size(d) != 1) return false;
  return true;
}
// The value as [columns]; a node of -1: it is not to be had here.
inline InEdge AsVector(const Match& match, std::string_view name, Index columns) {
  IndexedGraph& graph = match.graph();
  if (match.shape(name).dims() == 1) return match[name];
  if (graph.frame(match.root()) != 0 || columns > 1 << 30) return {-1, 0};
  const auto size = static_cast<std::int32_t>(columns);
  const Result<int> sizes = graph.AddConstant(Tensor::From<std::int32_t>({size}, TensorShape{1}), match.root());
  if (!sizes.ok()) return {-1, 0};
  const InEdge inputs[] = {match[name], {*sizes, 0}};
  const Result<int> vector = graph.Add("Reshape", match.root(), inputs, {});
  if (!vector.ok()) graph.RemoveIfUnused(*sizes);
  return {vector.ok() ? *vector : -1, 0};
}
inline Refusal MakeLayerNorm(const Match& match) {
  IndexedGraph& graph = match.graph();
  const PartialTensorShape x = match.shape("x"), gamma = match.shape("gamma"), beta = match.shape("beta");
  const Tensor* const epsilon = match.constant("eps");
  if (match.type("x") != DataType::kFloat || epsilon == nullptr || epsilon->NumElements() != 1 || epsilon->dims() != 0)
    return kNoMatch;
  const int rank = x.dims();
  if (x.unknown_rank() || rank < 1) return "shapes are not known";
  if (!IsLastAxis(match, "a", rank) || !IsLastAxis(match, "b", rank)) return "other axes";
  const Index columns = x.dim_size(rank - 1);
  if (columns < 1 || gamma.dims() > rank || beta.dims() > rank || !IsVectorOf(gamma, columns) ||
      !IsVectorOf(beta, columns))
    return "shapes are not known";
  const InEdge scale = AsVector(match, "gamma", columns);
  if (scale.node < 0) return "scales have several axes";
  const InEdge offset = AsVector(match, "beta", columns);
  if (offset.node < 0) {
    graph.RemoveIfUnused(scale.node);
    return "offsets have several axes";
  }
  const InEdge inputs[] = {match["x"], scale, offset};
  const IndexedGraph::Attr attrs[] = {{"T", DataType::kFloat}, {"epsilon", epsilon->data<float>()[0]}};
  if (graph.Change(match.root(), "_LayerNorm", inputs, attrs).ok()) return {};
  graph.RemoveIfUnused(scale.node);
  graph.RemoveIfUnused(offset.node);
  return "no kernel";
}

}  // namespace detail

inline constexpr Rule kLayerNormRules[] = {
    {"layer normalisation",
     "Add|AddV2~(!Mul~(x, m:Mul~(!Rsqrt(!Add|AddV2~(!Mean[keep_dims=true](!SquaredDifference~(x, "
     "mean:Mean[keep_dims=true](x, a)), b), eps)), gamma)), !Sub(beta, !Mul~(mean, m)))",
     {},
     nullptr,
     detail::MakeLayerNorm,
     OptimizerLevel::kFast},
    {"layer normalisation, negated mean",
     "Add|AddV2~(!Mul~(x, m:Mul~(!Rsqrt(!Add|AddV2~(!Mean[keep_dims=true](!SquaredDifference~(x, "
     "mean:Mean[keep_dims=true](x, a)), b), eps)), gamma)), !Add|AddV2~(!Mul~(!Neg(mean), m), beta))",
     {},
     nullptr,
     detail::MakeLayerNorm,
     OptimizerLevel::kFast},
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

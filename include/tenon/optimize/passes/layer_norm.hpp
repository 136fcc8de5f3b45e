// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of a layer normalisation become one. Part of TensorFlow's Remapper.

#include <cstdint>

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
  if (columns < 1 || gamma.dims() != 1 || beta.dims() != 1 || gamma.dim_size(0) != columns ||
      beta.dim_size(0) != columns)
    return "shapes are not known";
  const InEdge inputs[] = {match["x"], match["gamma"], match["beta"]};
  const IndexedGraph::Attr attrs[] = {{"T", DataType::kFloat}, {"epsilon", epsilon->data<float>()[0]}};
  return graph.Change(match.root(), "_LayerNorm", inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
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
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

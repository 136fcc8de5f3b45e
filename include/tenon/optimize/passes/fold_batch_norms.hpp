// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batch normalisations of inference, and constant factors of channels, become part of the weights before them, and a
// bias. The rounding of results changes.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Nodes over constants, which constant folding computes. The first error stays. one thread.
class ConstantNodes {
 public:
  ConstantNodes(IndexedGraph* graph, int like) : graph_(*graph), like_(like) {}
  InEdge Add(std::string_view op, SlimVector<InEdge> inputs) {
    if (!status_.ok()) return {};
    const Result<int> id = graph_.Add(op, like_, inputs, {});
    status_.Update(id.status());
    if (!id.ok()) return {};
    made_.push_back(*id);
    return {*id, 0};
  }
  InEdge Constant(Tensor value) {
    if (!status_.ok()) return {};
    const Result<int> id = graph_.AddConstant(std::move(value), like_);
    status_.Update(id.status());
    if (!id.ok()) return {};
    made_.push_back(*id);
    return {*id, 0};
  }
  const Status& status() const { return status_; }
  void RemoveUnused() {
    for (std::size_t i = made_.size(); i-- > 0;) graph_.RemoveIfUnused(made_[i]);
  }

 private:
  IndexedGraph& graph_;
  int like_;
  Status status_;
  SlimVector<int> made_;
};

inline Refusal FoldBatchNorm(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root(), conv = match["conv"].node;
  for (const std::string_view name : {"w", "scale", "offset", "mean", "variance"})
    if (match.constant(name) == nullptr) return "weights are not constant";
  const bool biased = match.has("before");
  if (biased && (match.constant("before") == nullptr || match.constant("before")->dims() != 1 ||
                 match.constant("before")->NumElements() != match.constant("scale")->NumElements()))
    return "weights are not constant";
  bool other_outputs = false;
  graph.ForEachReader(id, [&](const OutEdge& edge) { other_outputs = other_outputs || edge.output > 0; });
  for (const InEdge& fetch : graph.ends().fetches)
    other_outputs = other_outputs || (fetch.node == id && fetch.output > 0);
  if (other_outputs) return "its statistics are read";
  if (graph.is_pinned(id)) return "its name must stay";
  if (!graph.node(id).control_inputs.empty()) return "waits for a node";
  if (graph.frame(id) != 0) return "in a loop";
  float epsilon = 0;
  if (!TryGetNodeAttr(graph.node(id).def, "epsilon", &epsilon)) return kNoMatch;
  const Tensor& w = *match.constant("w");
  const Index channels = match.constant("scale")->NumElements();
  const bool depthwise = graph.node(conv).op_name() == "DepthwiseConv2dNative";
  if (w.dtype() != DataType::kFloat || w.dims() != 4 || channels < 1) return "other types or shapes";
  if ((depthwise ? w.dim_size(2) * w.dim_size(3) : w.dim_size(3)) != channels) return "other types or shapes";
  for (const std::string_view name : {"offset", "mean", "variance"})
    if (match.constant(name)->NumElements() != channels) return "other types or shapes";

  ConstantNodes nodes(&graph, id);
  const InEdge spread = nodes.Add("AddV2", {match["variance"], nodes.Constant(Tensor::Scalar(epsilon))});
  const InEdge factor = nodes.Add("Mul", {match["scale"], nodes.Add("Rsqrt", {spread})});
  InEdge by_channel = factor;
  if (depthwise) {
    const std::int32_t sizes[] = {static_cast<std::int32_t>(w.dim_size(2)), static_cast<std::int32_t>(w.dim_size(3))};
    by_channel = nodes.Add("Reshape", {factor, nodes.Constant(Tensor::From<std::int32_t>(sizes, TensorShape{2}))});
  }
  const InEdge weights = nodes.Add("Mul", {match["w"], by_channel});
  const InEdge mean = biased ? nodes.Add("Sub", {match["mean"], match["before"]}) : match["mean"];
  const InEdge bias = nodes.Add("Sub", {match["offset"], nodes.Add("Mul", {mean, factor})});
  if (!nodes.status().ok()) return nodes.RemoveUnused(), Refusal("no kernel");
  graph.SetInput(conv, 1, weights);
  const InEdge inputs[] = {match["conv"], bias};
  const IndexedGraph::Attr attrs[] = {{"data_format", "NHWC"}};
  if (graph.type(bias) == DataType::kFloat) {
    const Result<int> added = graph.Add("BiasAdd", id, inputs, attrs);
    if (added.ok()) {
      graph.Redirect({id, 0}, {*added, 0});
      if (graph.is_alive(id)) graph.RedirectControl(id, *added);
      graph.RemoveIfUnused(id);
      return {};
    }
  }
  graph.SetInput(conv, 1, match["w"]);
  return nodes.RemoveUnused(), Refusal("no kernel");
}

// Whether a constant has one number for each channel, along the last of at most `dims` axes, or one for all.
inline bool IsByChannel(const Tensor* value, Index channels, int dims) {
  if (value == nullptr || value->dims() > dims) return false;
  const Index last = value->dims() == 0 ? 1 : value->dim_size(value->dims() - 1);
  return value->NumElements() == last && (last == channels || last == 1);
}
// The constant with these axes, whatever ones it had; one number stays a scalar.
inline InEdge InShape(const Match& match, std::string_view name, ConstantNodes* nodes, Index rows, Index columns) {
  const std::int32_t sizes[] = {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)};
  const Index dims = match.constant(name)->NumElements() == 1 ? 0 : rows == 0 ? 1 : 2;
  Tensor shape(DataType::kInt32, TensorShape{dims});
  std::copy_n(rows == 0 ? sizes + 1 : sizes, dims, shape.data<std::int32_t>());
  return nodes->Add("Reshape", {match[name], nodes->Constant(std::move(shape))});
}

inline Refusal FoldFactor(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root(), product = match["product"].node;
  const Tensor* const w = match.constant("w");
  const bool biased = match.has("before"), is_matrix = graph.node(product).op_name() == "MatMul";
  if (w == nullptr || w->dims() != (is_matrix ? 2 : 4)) return "weights are not constant";
  if (graph.is_pinned(id)) return "its name must stay";
  if (graph.frame(id) != 0) return "in a loop";
  const bool depthwise = graph.node(product).op_name() == "DepthwiseConv2dNative";
  const Index rows = depthwise ? w->dim_size(2) : 0, columns = w->dim_size(w->dims() - 1);
  const Index channels = depthwise ? rows * columns : columns;
  if (channels < 1 || !IsByChannel(match.constant("c"), channels, w->dims())) return "other types or shapes";
  if (biased && !IsByChannel(match.constant("before"), channels, 1)) return "weights are not constant";

  ConstantNodes nodes(&graph, id);
  const InEdge weights = nodes.Add("Mul", {match["w"], InShape(match, "c", &nodes, rows, columns)});
  const InEdge bias = biased ? nodes.Add("Mul", {match["before"], InShape(match, "c", &nodes, 0, channels)}) : InEdge{};
  if (!nodes.status().ok()) return nodes.RemoveUnused(), Refusal("no kernel");
  graph.SetInput(product, 1, weights);
  if (biased) graph.SetInput(match["biased"].node, 1, bias);
  return graph.Forward(id, match[biased ? "biased" : "product"]).ok() ? "" : "no Identity for the type";
}

inline Refusal JoinBiases(const Match& match) {
  IndexedGraph& graph = match.graph();
  const Tensor* const before = match.constant("before");
  if (before == nullptr || graph.is_pinned(match.root()) || graph.frame(match.root()) != 0)
    return "weights are not constant";
  const PartialTensorShape shape = match.shape("x");
  if (!IsByChannel(match.constant("c"), before->NumElements(), shape.unknown_rank() ? 1 : shape.dims()))
    return "other types or shapes";
  ConstantNodes nodes(&graph, match.root());
  const InEdge bias = nodes.Add("AddV2", {match["before"], InShape(match, "c", &nodes, 0, before->NumElements())});
  if (!nodes.status().ok()) return nodes.RemoveUnused(), Refusal("no kernel");
  graph.SetInput(match["biased"].node, 1, bias);
  return graph.Forward(match.root(), match["biased"]).ok() ? "" : "no Identity for the type";
}

}  // namespace detail

inline constexpr Rule kBatchNormRules[] = {
    {"batch normalisation of a convolution",
     "FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3[is_training=false,data_format=NHWC,T=DT_FLOAT]("
     "!conv:Conv2D|DepthwiseConv2dNative[data_format=NHWC](_, w), scale, offset, mean, variance)",
     {},
     nullptr,
     detail::FoldBatchNorm,
     OptimizerLevel::kFast},
    {"batch normalisation of a convolution and bias",
     "FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3[is_training=false,data_format=NHWC,T=DT_FLOAT]("
     "!BiasAdd[data_format=NHWC](!conv:Conv2D|DepthwiseConv2dNative[data_format=NHWC](_, w), before), scale, offset, "
     "mean, variance)",
     {},
     nullptr,
     detail::FoldBatchNorm,
     OptimizerLevel::kFast},
    {"factor of a convolution",
     "Mul~[T=DT_FLOAT](!product:Conv2D|DepthwiseConv2dNative[data_format=NHWC](_, w), #c)",
     {},
     nullptr,
     detail::FoldFactor,
     OptimizerLevel::kFast},
    {"factor of a product",
     "Mul~[T=DT_FLOAT](!product:MatMul[transpose_b=false](_, w), #c)",
     {},
     nullptr,
     detail::FoldFactor,
     OptimizerLevel::kFast},
    {"factor of a convolution and bias",
     "Mul~[T=DT_FLOAT](!biased:BiasAdd[data_format=NHWC](!product:Conv2D|DepthwiseConv2dNative[data_format=NHWC](_, w), "
     "before), #c)",
     {},
     nullptr,
     detail::FoldFactor,
     OptimizerLevel::kFast},
    {"factor of a product and bias",
     "Mul~[T=DT_FLOAT](!biased:BiasAdd[data_format=NHWC](!product:MatMul[transpose_b=false](_, w), before), #c)",
     {},
     nullptr,
     detail::FoldFactor,
     OptimizerLevel::kFast},
    {"bias and a constant",
     "Add|AddV2~[T=DT_FLOAT](!biased:BiasAdd[data_format=NHWC](x, before), #c)",
     {},
     nullptr,
     detail::JoinBiases,
     OptimizerLevel::kFast},
};

inline void FoldBatchNorms(PassRun* run) { ApplyRules(kBatchNormRules, run); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

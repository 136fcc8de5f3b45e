// SPDX-License-Identifier: Apache-2.0
#pragma once
// Remapping: a product or convolution with its bias and activation becomes one fused node. A product takes up a
// transposed operand, a convolution a Pad. TensorFlow's Remapper.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/engine/conv/winograd_choice.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/attention.hpp>
#include <tenon/optimize/passes/guards.hpp>
#include <tenon/optimize/passes/layer_norm.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// ---- transposes as attrs
inline Refusal TakeTranspose(const Match& match, std::string_view attr, bool first) {
  IndexedGraph& graph = match.graph();
  SlimVector<std::int64_t> axes;
  if (!ReadVector(match, "p", &axes)) return "the permutation is not known";
  if (axes.size() < 2 || match.shape("x").dims() != static_cast<int>(axes.size())) return "the rank is not known";
  const std::size_t rank = axes.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t wanted = i + 2 == rank ? rank - 1 : i + 1 == rank ? rank - 2 : i;
    if (axes[i] != static_cast<std::int64_t>(wanted)) return kNoMatch;
  }
  if (kComplexTypes.contains(match.type("x"))) return "adjoint, not transposed";
  const int id = match.root();
  bool transposed = false;
  if (!TryGetNodeAttr(graph.node(id).def, attr, &transposed)) return kNoMatch;
  const InEdge inputs[] = {first ? match["x"] : match["a"], first ? match["b"] : match["x"]};
  const IndexedGraph::Attr attrs[] = {{attr, !transposed}};
  const std::string op = graph.node(id).op_name();
  return graph.Change(id, op, inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
}
inline Refusal TransposeA(const Match& match) { return TakeTranspose(match, "transpose_a", true); }
inline Refusal TransposeB(const Match& match) { return TakeTranspose(match, "transpose_b", false); }
inline Refusal AdjointA(const Match& match) { return TakeTranspose(match, "adj_x", true); }
inline Refusal AdjointB(const Match& match) { return TakeTranspose(match, "adj_y", false); }

// ---- pads
// The convolution pads by itself what a Pad has padded before: only with zeros, and no images or channels.
inline Refusal TakePad(const Match& match) {
  IndexedGraph& graph = match.graph();
  const Tensor* const pads = match.constant("p");
  Integers read;
  if (pads == nullptr || pads->dims() != 2 || pads->NumElements() != 8 || !ReadIntegers(*pads, &read))
    return "paddings are not known";
  SlimVector<std::int64_t> paddings;
  for (Index i = 0; i < 8; ++i) {
    if (read.at(i) < 0 || read.at(i) > 1 << 20 || ((i < 2 || i > 5) && read.at(i) != 0)) return "pads other axes";
    paddings.push_back(read.at(i));
  }
  const int id = match.root();
  const InEdge inputs[] = {match["x"], match["w"]};
  const IndexedGraph::Attr attrs[] = {{"padding", "EXPLICIT"}, {"explicit_paddings", AttrValue(paddings)}};
  const std::string op = graph.node(id).op_name();
  return graph.Change(id, op, inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
}

// ---- fused products
inline Refusal Fuse(const Match& match, std::string_view op, std::string_view activation) {
  IndexedGraph& graph = match.graph();
  const bool is_new = activation.empty();
  const Node& product = match.node("product");
  SlimVector<InEdge> inputs(product.inputs.begin(), product.inputs.end());
  if (is_new) inputs.push_back(match["bias"]);
  SlimVector<IndexedGraph::Attr> attrs;
  const AttrMap copied = product.def.attr;
  for (const auto& [name, value] : copied)
    if (!name.starts_with('_') || name == kMayReassociateAttr || name == kAlgorithmAttr) attrs.push_back({name, value});
  SlimVector<std::string> fused{"BiasAdd"};
  if (!is_new) fused.push_back(std::string(activation));
  attrs.push_back({"fused_ops", AttrValue(fused)});
  if (is_new) {
    attrs.push_back({"num_args", std::int64_t{1}});
    if (op == "_FusedConv2D") attrs.push_back({"TArgs", AttrValue(SlimVector<DataType>{match.type("bias")})});
  }
  if (float alpha = 0; activation == "LeakyRelu") {
    if (!TryGetNodeAttr(graph.node(match.root()).def, "alpha", &alpha)) return kNoMatch;
    attrs.push_back({"leakyrelu_alpha", alpha});
  }
  return graph.Change(match.root(), op, inputs, attrs).ok() ? Refusal() : Refusal("no kernel");
}
// The bias has one element for each channel, which is the last axis.
inline Refusal BiasFits(const Match& match) {
  const PartialTensorShape bias = match.shape("bias"), out = match.graph().shape({match["product"].node, 0});
  if (bias.dims() != 1 || bias.dim_size(0) < 1 || out.unknown_rank() || out.dims() < 2) return "shapes are not known";
  return out.dim_size(out.dims() - 1) == bias.dim_size(0) ? Refusal() : Refusal("the bias may not fit");
}
inline Refusal FuseConvBias(const Match& match) {
  const PartialTensorShape in = match.graph().shape(match.node("product").inputs[0]);
  const PartialTensorShape filter = match.graph().shape(match.node("product").inputs[1]);
  if (in.dims() != 4 || filter.dims() != 4) return "shapes are not known";
  if (in.dim_size(3) < 0 || in.dim_size(3) != filter.dim_size(2)) return "groups, or shapes are not known";
  return Fuse(match, "_FusedConv2D", "");
}
inline Refusal FuseMatMulBias(const Match& match) {
  const Node& product = match.node("product");
  if (match.graph().type({product.id, 0}) != DataType::kFloat) return "rounds once, not twice";
  // An empty product is zeros without a bias.
  bool transposed = false;
  if (!TryGetNodeAttr(product.def, "transpose_b", &transposed)) return kNoMatch;
  const PartialTensorShape b = match.graph().shape(product.inputs[1]);
  if (b.dims() != 2 || b.dim_size(transposed ? 1 : 0) < 1) return "may be an empty product";
  return Fuse(match, "_FusedMatMul", "");
}
inline Refusal FuseActivation(const Match& match) {
  const AttrValue* const fused = match.node("product").def.attr.Find("fused_ops");
  if (fused == nullptr || fused->list().s.size() != 1 || fused->list().s[0] != "BiasAdd") return kNoMatch;
  const std::string activation = match.graph().node(match.root()).op_name();
  const std::string op = match.node("product").op_name();
  return Fuse(match, op, activation);
}

}  // namespace detail

inline constexpr Rule kRemapRules[] = {
    {"product of a transpose", "MatMul(Transpose(x, p), b)", {}, nullptr, detail::TransposeA},
    {"product with a transpose", "MatMul(a, Transpose(x, p))", {}, nullptr, detail::TransposeB},
    {"products of a transpose", "BatchMatMul|BatchMatMulV2(Transpose(x, p), b)", {}, nullptr, detail::AdjointA},
    {"products with a transpose", "BatchMatMul|BatchMatMulV2(a, Transpose(x, p))", {}, nullptr, detail::AdjointB},
    {"convolution of a pad",
     "Conv2D|DepthwiseConv2dNative[padding=VALID,data_format=NHWC](!Pad(x, p), w)",
     {},
     nullptr,
     detail::TakePad,
     OptimizerLevel::kFast},
};
// At the end, for what fusion leaves.
inline constexpr Rule kProductRules[] = {
    {"convolution and bias",
     "BiasAdd[data_format=NHWC](!product:Conv2D[data_format=NHWC,T=DT_FLOAT|DT_DOUBLE](_, _), bias)",
     {},
     detail::BiasFits,
     detail::FuseConvBias},
    {"product and bias",
     "BiasAdd[data_format=NHWC](!product:MatMul(_, _), bias)",
     {},
     detail::BiasFits,
     detail::FuseMatMulBias},
    {"convolution plus a vector",
     "Add|AddV2~(!product:Conv2D[data_format=NHWC,T=DT_FLOAT|DT_DOUBLE](_, _), bias)",
     {},
     detail::BiasFits,
     detail::FuseConvBias},
    {"product plus a vector", "Add|AddV2~(!product:MatMul(_, _), bias)", {}, detail::BiasFits, detail::FuseMatMulBias},
    {"activation",
     "Relu|Relu6|LeakyRelu(!product:_FusedConv2D|_FusedMatMul(...))",
     {},
     nullptr,
     detail::FuseActivation},
    {"activation, other digits",
     "Elu(!product:_FusedConv2D|_FusedMatMul(...))",
     {},
     nullptr,
     detail::FuseActivation,
     OptimizerLevel::kFast},
    {"activation of a product, other digits",
     "Tanh|Sigmoid(!product:_FusedMatMul(...))",
     {},
     nullptr,
     detail::FuseActivation,
     OptimizerLevel::kFast},
};

inline void Remap(PassRun* run) {
  ApplyRules(kRemapRules, run);
  if (run->level() < OptimizerLevel::kFast) return;
  ApplyRules(kLayerNormRules, run);
  ApplyRules(kAttentionRules, run);
}
inline void FuseProducts(PassRun* run) { ApplyRules(kProductRules, run); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

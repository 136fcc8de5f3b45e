// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quantization: in a network that was trained for 8 bits, convolutions and products whose operands go through FakeQuant
// nodes multiply bytes. What follows - a bias, a batch normalisation, Relu, the next FakeQuant - becomes part of them.
// Sums are exact, where floats round them: a number may fall one step of its range beside.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/engine/gemm/int8_layer.hpp>
#include <tenon/engine/math/fake_quant.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The ranges of a FakeQuant node: one, or one for each channel. `min` and `max` outlive this.
struct FakeQuantNode {
  SlimVector<float> min, max;
  std::int64_t num_bits = 8;
  bool narrow_range = false, divides = false;

  FakeQuantRange range(Index channel) const {
    const std::size_t i = min.size() == 1 ? 0 : static_cast<std::size_t>(channel);
    return {min[i], max[i], num_bits, narrow_range, divides};
  }
  SlimVector<IndexedGraph::Attr> attrs() const {
    return {
        {"min", min[0]}, {"max", max[0]}, {"num_bits", num_bits}, {"narrow_range", narrow_range}, {"divides", divides}};
  }
};

// Empty: the ranges are known, and their steps are bytes.
inline Refusal ReadFakeQuant(const IndexedGraph& graph, const Node& node, FakeQuantNode* read) {
  const bool of_attrs = node.inputs.size() == 1;
  TryGetNodeAttr(node.def, "num_bits", &read->num_bits);
  TryGetNodeAttr(node.def, "narrow_range", &read->narrow_range);
  read->divides = node.op_name() == "FakeQuantWithMinMaxVars";
  TryGetNodeAttr(node.def, "divides", &read->divides);
  if (of_attrs) {
    float min = 0, max = 0;
    if (!TryGetNodeAttr(node.def, "min", &min) || !TryGetNodeAttr(node.def, "max", &max)) return kNoMatch;
    read->min.push_back(min);
    read->max.push_back(max);
  } else {
    const Tensor *const min = graph.constant(node.inputs[1]), *const max = graph.constant(node.inputs[2]);
    if (min == nullptr || max == nullptr || min->NumElements() != max->NumElements() || min->NumElements() == 0)
      return "the range is not constant";
    read->min.assign(min->data<float>(), min->data<float>() + min->NumElements());
    read->max.assign(max->data<float>(), max->data<float>() + max->NumElements());
  }
  if (read->num_bits < 2 || read->num_bits > 8) return "the steps are more than a byte";
  for (std::size_t i = 0; i < read->min.size(); ++i) {
    const FakeQuantRange range = read->range(static_cast<Index>(i));
    if (!(read->min[i] < read->max[i]) || !std::isfinite(range.scale) || !std::isfinite(range.inverse) ||
        !(range.scale > 0))
      return "the range is empty";
  }
  return {};
}

// The weights as steps from 0, and the size of a step for each of the channels along their last axis.
inline Refusal QuantizeWeights(const Tensor& from, const FakeQuantNode& fake, Index channels, bool depthwise,
                               Tensor* steps, Tensor* sizes) {
  const Index last = from.dim_size(from.dims() - 1), ranges = static_cast<Index>(fake.min.size());
  if (ranges != 1 && ranges != last) return "other types or shapes";
  if (ranges != 1 && depthwise && last != 1) return "other types or shapes";
  *steps = Tensor(DataType::kInt8, from.shape());
  *sizes = Tensor(DataType::kFloat, TensorShape{channels});
  for (Index c = 0; c < channels; ++c) sizes->data<float>()[c] = fake.range(depthwise ? 0 : c).scale;
  for (Index c = 0; c < ranges; ++c) {
    const FakeQuantRange range = fake.range(c);
    for (Index i = c; i < from.NumElements(); i += ranges) {
      const float number = std::round(range(from.data<float>()[i]) / range.scale);
      if (!(number >= -128 && number <= 127)) return "weights are beyond 8 bits with a sign";
      steps->data<std::int8_t>()[i] = static_cast<std::int8_t>(number);
    }
  }
  return {};
}

// The bytes of a FakeQuant node that is read as numbers: it becomes _DequantizeUint8 of _QuantizeUint8.
inline Refusal FindBytes(IndexedGraph& graph, int id, const FakeQuantNode& fake, InEdge* bytes) {
  if (graph.node(id).op_name() == "_DequantizeUint8") {
    *bytes = graph.node(id).inputs[0];
    return {};
  }
  const InEdge from = graph.node(id).inputs[0];
  const SlimVector<IndexedGraph::Attr> attrs = fake.attrs();
  const Result<int> made = graph.Add("_QuantizeUint8", id, Span<const InEdge>(&from, 1), attrs);
  if (!made.ok()) return "no kernel";
  *bytes = {*made, 0};
  if (graph.Change(id, "_DequantizeUint8", Span<const InEdge>(bytes, 1), attrs).ok()) return {};
  graph.RemoveIfUnused(*made);
  return "no kernel";
}

inline Refusal QuantizeProduct(const Match& match) {
  if (!HasFastInt8()) return "this processor is faster with floats";
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  const Node &x = match.node("x"), &w = match.node("w");
  const std::string op = graph.node(id).op_name();
  const bool depthwise = op == "DepthwiseConv2dNative", is_matrix = op == "MatMul";
  if (graph.frame(id) != 0) return "in a loop";
  const Tensor* const weights = graph.constant(w.inputs[0]);
  if (weights == nullptr) return "weights are not constant";
  if (weights->dtype() != DataType::kFloat || weights->dims() != (is_matrix ? 2 : 4) || weights->NumElements() == 0)
    return "other types or shapes";
  const PartialTensorShape shape = graph.shape(match["x"]);
  const Index depth = weights->dim_size(is_matrix ? 0 : 2);
  if (shape.dims() != weights->dims() || shape.dim_size(shape.dims() - 1) != depth)
    return "groups, or shapes are not known";
  if (depthwise && weights->dim_size(3) != 1) return "several filters a channel";
  const AttrValue* const dilations = graph.node(id).def.attr.Find("dilations");
  if (depthwise && dilations != nullptr)
    for (const std::int64_t dilation : dilations->list().i)
      if (dilation != 1) return "dilated";
  FakeQuantNode images, fake;
  if (const Refusal why = ReadFakeQuant(graph, x, &images); !why.empty()) return why;
  if (const Refusal why = ReadFakeQuant(graph, w, &fake); !why.empty()) return why;
  if (images.min.size() != 1) return "a range for each channel of the input";
  const Index channels = depthwise ? depth : weights->dim_size(weights->dims() - 1);
  Tensor steps, factor, offset(DataType::kFloat, TensorShape{channels});
  if (const Refusal why = QuantizeWeights(*weights, fake, channels, depthwise, &steps, &factor); !why.empty())
    return why;
  const FakeQuantRange range = images.range(0);
  for (Index c = 0; c < channels; ++c) factor.data<float>()[c] *= range.scale;
  std::fill_n(offset.data<float>(), channels, 0.0f);

  InEdge bytes;
  if (const Refusal why = FindBytes(graph, match["x"].node, images, &bytes); !why.empty()) return why;
  const Result<int> filter = graph.AddConstant(std::move(steps), id),
                    factors = graph.AddConstant(std::move(factor), id),
                    offsets = graph.AddConstant(std::move(offset), id);
  if (filter.ok() && factors.ok() && offsets.ok()) {
    const float infinity = std::numeric_limits<float>::infinity();
    const InEdge inputs[] = {bytes, {*filter, 0}, {*factors, 0}, {*offsets, 0}};
    const IndexedGraph::Attr attrs[] = {{"out_type", DataType::kFloat},
                                        {"zero", static_cast<std::int64_t>(range.zero)},
                                        {"low", -infinity},
                                        {"high", infinity}};
    const std::string_view made = is_matrix ? "_Int8MatMul" : depthwise ? "_Int8DepthwiseConv2D" : "_Int8Conv2D";
    if (graph.Change(id, made, inputs, attrs).ok()) return {};
  }
  for (const Result<int>* added : {&filter, &factors, &offsets})
    if (added->ok()) graph.RemoveIfUnused(**added);
  return "no kernel";
}

// A layer that takes up the match's first node: other factors and offsets, limits, or bytes. one thread.
class LayerChange {
 public:
  explicit LayerChange(const Match& match) : match_(match), graph_(match.graph()), layer_(match["layer"].node) {
    const Node& node = graph_.node(layer_);
    TryGetNodeAttr(node.def, "low", &low);
    TryGetNodeAttr(node.def, "high", &high);
    for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
      const Tensor* const value = graph_.constant(node.inputs[i]);
      if (value == nullptr) continue;
      (i == 2 ? factor : offset).assign(value->data<float>(), value->data<float>() + value->NumElements());
    }
  }
  float low = 0, high = 0, origin = 0, per_unit = 0;
  bool to_bytes = false;
  SlimVector<float> factor, offset;

  bool is_float() const { return graph_.type({layer_, 0}) == DataType::kFloat; }
  // Whether nothing was applied to the sums yet but factors and offsets.
  bool is_affine() const { return is_float() && std::isinf(low) && std::isinf(high) && !factor.empty(); }
  // A constant with one number for each channel, or one for all; false: it is another. `strict`: only a vector.
  bool Read(std::string_view name, bool strict, SlimVector<float>* values) const {
    const Tensor* const value = match_.constant(name);
    if (value == nullptr || value->dtype() != DataType::kFloat) return false;
    const Index count = value->NumElements(), channels = static_cast<Index>(factor.size());
    if (strict ? value->dims() != 1 || count != channels : value->dims() > match_.graph().shape({layer_, 0}).dims())
      return false;
    if (count != 1 && (count != channels || value->dim_size(value->dims() - 1) != channels)) return false;
    for (Index c = 0; c < channels; ++c) {
      values->push_back(value->data<float>()[count == 1 ? 0 : c]);
      if (!std::isfinite((*values)[values->size() - 1])) return false;
    }
    return true;
  }
  Refusal Make() const {
    const Node& node = graph_.node(layer_);
    const int id = match_.root();
    SlimVector<IndexedGraph::Attr> attrs{{"out_type", to_bytes ? DataType::kUint8 : DataType::kFloat},
                                         {"low", low},
                                         {"high", high},
                                         {"origin", origin},
                                         {"per_unit", per_unit}};
    for (const std::string_view name : {"zero", "strides", "padding", "explicit_paddings", "dilations"})
      if (const AttrValue* const value = node.def.attr.Find(name)) attrs.push_back({name, *value});
    const Result<int> factors = graph_.AddConstant(AsTensor(factor), layer_),
                      offsets = graph_.AddConstant(AsTensor(offset), layer_);
    if (factors.ok() && offsets.ok()) {
      const InEdge inputs[] = {
          graph_.node(layer_).inputs[0], graph_.node(layer_).inputs[1], {*factors, 0}, {*offsets, 0}};
      const std::string op = graph_.node(layer_).op_name();
      if (graph_.node(id).output_types.size() == 1 ? graph_.Change(id, op, inputs, attrs).ok()
                                                   : Replace(op, inputs, attrs))
        return {};
    }
    for (const Result<int>* added : {&factors, &offsets})
      if (added->ok()) graph_.RemoveIfUnused(**added);
    return "no kernel";
  }

 private:
  // A node with more outputs, of which the first alone is read, cannot become another one.
  bool Replace(const std::string& op, Span<const InEdge> inputs, Span<const IndexedGraph::Attr> attrs) const {
    const int id = match_.root();
    const Result<int> added = graph_.Add(op, id, inputs, attrs);
    if (!added.ok()) return false;
    graph_.Redirect({id, 0}, {*added, 0});
    if (graph_.is_alive(id)) graph_.RedirectControl(id, *added);
    graph_.RemoveIfUnused(id);
    return true;
  }
  static Tensor AsTensor(const SlimVector<float>& values) {
    return Tensor::From<float>(Span<const float>(values.data(), values.size()),
                               TensorShape{static_cast<Index>(values.size())});
  }

  const Match& match_;
  IndexedGraph& graph_;
  int layer_;
};

inline Refusal TakeBias(const Match& match) {
  LayerChange layer(match);
  SlimVector<float> bias;
  if (!layer.is_affine()) return kNoMatch;
  if (!layer.Read("c", match.graph().node(match.root()).op_name() == "BiasAdd", &bias)) return "other types or shapes";
  for (std::size_t c = 0; c < bias.size(); ++c) layer.offset[c] += bias[c];
  return layer.Make();
}
inline Refusal TakeFactor(const Match& match) {
  LayerChange layer(match);
  SlimVector<float> factor;
  if (!layer.is_affine()) return kNoMatch;
  if (!layer.Read("c", false, &factor)) return "other types or shapes";
  for (std::size_t c = 0; c < factor.size(); ++c) {
    layer.factor[c] *= factor[c];
    layer.offset[c] *= factor[c];
  }
  return layer.Make();
}
inline Refusal TakeBatchNorm(const Match& match) {
  IndexedGraph& graph = match.graph();
  LayerChange layer(match);
  if (!layer.is_affine()) return kNoMatch;
  if (graph.is_pinned(match.root())) return "its name must stay";
  if (!graph.node(match.root()).control_inputs.empty()) return "waits for a node";
  bool other_outputs = false;
  graph.ForEachReader(match.root(), [&](const OutEdge& edge) { other_outputs = other_outputs || edge.output > 0; });
  for (const InEdge& fetch : graph.ends().fetches)
    other_outputs = other_outputs || (fetch.node == match.root() && fetch.output > 0);
  if (other_outputs) return "its statistics are read";
  SlimVector<float> scale, offset, mean, variance;
  if (!layer.Read("scale", true, &scale) || !layer.Read("offset", true, &offset) || !layer.Read("mean", true, &mean) ||
      !layer.Read("variance", true, &variance))
    return "weights are not constant";
  float epsilon = 0;
  if (!TryGetNodeAttr(graph.node(match.root()).def, "epsilon", &epsilon)) return kNoMatch;
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const float factor = scale[c] / std::sqrt(variance[c] + epsilon);
    if (!std::isfinite(factor)) return "the variance is not positive";
    layer.factor[c] *= factor;
    layer.offset[c] = (layer.offset[c] - mean[c]) * factor + offset[c];
  }
  return layer.Make();
}
inline Refusal TakeRelu(const Match& match) {
  LayerChange layer(match);
  if (!layer.is_float()) return kNoMatch;
  layer.low = std::max(layer.low, 0.0f);
  layer.high = std::max(layer.high, 0.0f);
  if (match.graph().node(match.root()).op_name() == "Relu6") {
    layer.low = std::min(layer.low, 6.0f);
    layer.high = std::min(layer.high, 6.0f);
  }
  return layer.Make();
}
inline Refusal TakeQuantization(const Match& match) {
  LayerChange layer(match);
  FakeQuantNode fake;
  if (!layer.is_float() || !ReadFakeQuant(match.graph(), match.graph().node(match.root()), &fake).empty())
    return kNoMatch;
  const FakeQuantRange range = fake.range(0);
  layer.low = std::clamp(layer.low, range.low, range.high);
  layer.high = std::clamp(layer.high, range.low, range.high);
  layer.origin = range.low;
  layer.per_unit = range.divides ? 1 / range.scale : range.inverse;
  layer.to_bytes = true;
  return layer.Make();
}

}  // namespace detail

inline constexpr Rule kQuantizationRules[] = {
    {"convolution of bytes",
     "Conv2D|DepthwiseConv2dNative[data_format=NHWC,T=DT_FLOAT]("
     "x:FakeQuantWithMinMaxArgs|FakeQuantWithMinMaxVars|_DequantizeUint8(...), "
     "w:FakeQuantWithMinMaxArgs|FakeQuantWithMinMaxVars|FakeQuantWithMinMaxVarsPerChannel(...))",
     {},
     nullptr,
     detail::QuantizeProduct,
     OptimizerLevel::kFast},
    {"product of bytes",
     "MatMul[transpose_a=false,transpose_b=false,T=DT_FLOAT]("
     "x:FakeQuantWithMinMaxArgs|FakeQuantWithMinMaxVars|_DequantizeUint8(...), "
     "w:FakeQuantWithMinMaxArgs|FakeQuantWithMinMaxVars|FakeQuantWithMinMaxVarsPerChannel(...))",
     {},
     nullptr,
     detail::QuantizeProduct,
     OptimizerLevel::kFast},
    {"bias of a layer of bytes",
     "BiasAdd[data_format=NHWC](!layer:_Int8Conv2D|_Int8DepthwiseConv2D|_Int8MatMul(...), #c)",
     {},
     nullptr,
     detail::TakeBias,
     OptimizerLevel::kFast},
    {"sum of a layer of bytes and a constant",
     "Add|AddV2~(!layer:_Int8Conv2D|_Int8DepthwiseConv2D|_Int8MatMul(...), #c)",
     {},
     nullptr,
     detail::TakeBias,
     OptimizerLevel::kFast},
    {"factor of a layer of bytes",
     "Mul~(!layer:_Int8Conv2D|_Int8DepthwiseConv2D|_Int8MatMul(...), #c)",
     {},
     nullptr,
     detail::TakeFactor,
     OptimizerLevel::kFast},
    {"batch normalisation of a layer of bytes",
     "FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3[is_training=false,data_format=NHWC,T=DT_FLOAT]("
     "!layer:_Int8Conv2D|_Int8DepthwiseConv2D(...), scale, offset, mean, variance)",
     {},
     nullptr,
     detail::TakeBatchNorm,
     OptimizerLevel::kFast},
    {"activation of a layer of bytes",
     "Relu|Relu6(!layer:_Int8Conv2D|_Int8DepthwiseConv2D|_Int8MatMul(...))",
     {},
     nullptr,
     detail::TakeRelu,
     OptimizerLevel::kFast},
    {"bytes of a layer of bytes",
     "_QuantizeUint8(!layer:_Int8Conv2D|_Int8DepthwiseConv2D|_Int8MatMul(...))",
     {},
     nullptr,
     detail::TakeQuantization,
     OptimizerLevel::kFast},
};

inline void Quantize(PassRun* run) { ApplyRules(kQuantizationRules, run); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

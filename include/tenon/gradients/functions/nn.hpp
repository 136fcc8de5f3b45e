// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of convolutions, pooling, bias, losses and recurrent cells.

#include <initializer_list>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// ------------------------------------------------------------------------------------------------ convolutions
// Adds a node with the attrs of the convolution or the pool that is derived.
inline Symbol Window(G& g, std::string_view op, std::initializer_list<G::Input> inputs) {
  return g.AddLike(
      op, inputs, {"ksize", "strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format", "dilations"});
}
struct ConvolutionOps {
  std::string_view forward, input, filter;
};
inline constexpr ConvolutionOps kConv2D = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
inline constexpr ConvolutionOps kConv3D = {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};
inline constexpr ConvolutionOps kDepthwise = {"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
                                              "DepthwiseConv2dNativeBackpropFilter"};
template <const ConvolutionOps& kOps>
void Convolution(G& g) {
  const Symbol x = g.input(0), filter = g.input(1), dy = g.dy();
  g.set(0, Window(g, kOps.input, {g.Shape(x), filter, dy}));
  g.set(1, Window(g, kOps.filter, {x, g.Shape(filter), dy}));
}
template <const ConvolutionOps& kOps>
void ConvolutionInput(G& g) {  // (sizes, filter, out_backprop)
  const Symbol filter = g.input(1), back = g.input(2), dy = g.dy();
  g.set(1, Window(g, kOps.filter, {dy, g.Shape(filter), back}));
  g.set(2, Window(g, kOps.forward, {dy, filter}));
}
template <const ConvolutionOps& kOps>
void ConvolutionFilter(G& g) {  // (input, sizes, out_backprop)
  const Symbol x = g.input(0), back = g.input(2), dy = g.dy();
  g.set(0, Window(g, kOps.input, {g.Shape(x), dy, back}));
  g.set(2, Window(g, kOps.forward, {x, dy}));
}
inline void Dilation(G& g) {
  for (int i = 0; i < 2; ++i)
    g.set(i, g.AddLike(i == 0 ? "Dilation2DBackpropInput" : "Dilation2DBackpropFilter",
                       {g.input(0), g.input(1), g.dy()}, {"strides", "rates", "padding"}));
}

// ------------------------------------------------------------------------------------------------ pools
inline void AveragePool(G& g, std::string_view op) { g.set(0, Window(g, op, {g.Shape(g.x()), g.dy()})); }
inline void AveragePoolGrad(G& g, std::string_view op) {
  g.set(0, g.Add("StopGradient", {g.x()}));
  g.set(1, Window(g, op, {g.dy()}));
}
inline void MaxPool(G& g, std::string_view op) {
  if (g.num_inputs() == 1) return g.set(0, Window(g, op, {g.x(), g.y(), g.dy()}));
  g.set(0, Window(g, op, {g.x(), g.y(), g.dy(), g.input(1), g.input(2)}));
}
// MaxPoolGrad(x, y, dy) and MaxPoolGradGrad are linear in their third input alone.
inline void MaxPoolThird(G& g, std::string_view op) {
  for (int i = 0; i < 2; ++i) g.set(i, g.ZerosLike(g.input(i)));
  const Symbol x = g.input(0), y = g.input(1), dy = g.dy();
  const auto add = [&](std::initializer_list<G::Input> inputs) {
    return g.AddLike(op, inputs, {"ksize", "strides", "padding", "data_format"});
  };
  g.set(2, g.num_inputs() == 3 ? add({x, y, dy}) : add({x, y, dy, g.input(3), g.input(4)}));
}

// ------------------------------------------------------------------------------------------------ bias
inline void Bias(G& g) {
  g.set(0, g.dy());
  g.set(1, g.AddLike("BiasAddGrad", {g.dy()}, {"data_format"}));
}
inline void BiasV1(G& g) {
  const Symbol dy = g.dy();
  g.set(0, dy);
  g.set(1, g.Sum(dy, g.Range(g.Int(0), g.Rank(dy) - 1.0)));
}
inline void BiasGrad(G& g) {
  const Symbol shape = g.Shape(g.x());
  Symbol dy = g.dy();
  if (g.string_attr("data_format") == "NCHW") {
    const Symbol more = g.Fill(g.Add("ExpandDims", {g.Rank(g.x()) - 2.0, g.Int(0)}), g.Int(1));
    dy = g.Reshape(dy, Concat2(g, g.Shape(dy), more));
  }
  g.set(0, g.Add("BroadcastTo", {dy, shape}));
}

// ------------------------------------------------------------------------------------------------ losses
inline Symbol TimesRows(G& g, Symbol vector, Symbol matrix) { return ExpandDims(g, vector, -1) * matrix; }
// The gradient of the logits; the second output is one too, for second orders.
inline Symbol Logits(G& g) {
  const Symbol first = TimesRows(g, g.dy(), g.output(1));
  if (!g.has_grad(1)) return first;
  const Symbol softmax = Un(g, "Softmax", g.x()), second = g.grad(1);
  return first + (second - g.Sum(second * softmax, g.Int(-1), true)) * softmax;
}
inline void CrossEntropy(G& g) {
  g.set(0, Logits(g));
  g.set(1, TimesRows(g, g.dy(), -Un(g, "LogSoftmax", g.x())));
}
inline void Ctc(G& g) {
  const Symbol slope = g.Add("PreventGradient", {g.output(1)},
                             {{"message",
                               "Currently there is no way to take the second derivative of ctc_loss due to "
                               "the fused implementation's interaction with tf.gradients()"}});
  g.set(0, TimesRows(g, g.dy(), slope));
}
inline void LocalResponse(G& g) {
  g.set(0, g.AddLike("LRNGrad", {g.dy(), g.x(), g.y()}, {"depth_radius", "bias", "alpha", "beta"}));
}
inline void BlockLstm(G& g) {
  const Symbol parts = g.AddLike(
      "BlockLSTMGrad",
      {g.input(0), g.input(1), g.input(2), g.input(3), g.input(4), g.input(5), g.input(6), g.input(7), g.input(8),
       g.output(0), g.output(1), g.output(2), g.output(3), g.output(4), g.output(5), g.output(6), g.grad(1), g.grad(6)},
      {"use_peephole"});
  for (int i = 0; i < 8; ++i) g.set(i + 1, parts[i]);
}

inline constexpr GradientRow kNn[] = {
    {"Conv2D", Convolution<kConv2D>},
    {"Conv2DBackpropInput", ConvolutionInput<kConv2D>},
    {"Conv2DBackpropFilter", ConvolutionFilter<kConv2D>},
    {"Conv3D", Convolution<kConv3D>},
    {"Conv3DBackpropInputV2", ConvolutionInput<kConv3D>},
    {"Conv3DBackpropFilterV2", ConvolutionFilter<kConv3D>},
    {"DepthwiseConv2dNative", Convolution<kDepthwise>},
    {"DepthwiseConv2dNativeBackpropInput", ConvolutionInput<kDepthwise>},
    {"DepthwiseConv2dNativeBackpropFilter", ConvolutionFilter<kDepthwise>},
    {"Dilation2D", Dilation},
    {"AvgPool", [](G& g) { AveragePool(g, "AvgPoolGrad"); }},
    {"AvgPoolGrad", [](G& g) { AveragePoolGrad(g, "AvgPool"); }},
    {"AvgPool3D", [](G& g) { AveragePool(g, "AvgPool3DGrad"); }},
    {"AvgPool3DGrad", [](G& g) { AveragePoolGrad(g, "AvgPool3D"); }},
    {"MaxPool", [](G& g) { MaxPool(g, "MaxPoolGrad"); }},
    {"MaxPoolV2", [](G& g) { MaxPool(g, "MaxPoolGradV2"); }},
    {"MaxPool3D", [](G& g) { MaxPool(g, "MaxPool3DGrad"); }},
    {"MaxPoolGrad", [](G& g) { MaxPoolThird(g, "MaxPoolGradGrad"); }},
    {"MaxPoolGradV2", [](G& g) { MaxPoolThird(g, "MaxPoolGradGradV2"); }},
    {"MaxPool3DGrad", [](G& g) { MaxPoolThird(g, "MaxPool3DGradGrad"); }},
    {"MaxPoolGradGrad", [](G& g) { MaxPoolThird(g, "MaxPoolGrad"); }},
    {"MaxPool3DGradGrad", [](G& g) { MaxPoolThird(g, "MaxPool3DGrad"); }},
    {"MaxPoolWithArgmax",
     [](G& g) {
       g.set(0, g.AddLike("MaxPoolGradWithArgmax", {g.x(), g.dy(), g.output(1)},
                          {"ksize", "strides", "padding", "include_batch_in_index"}));
     }},
    {"FractionalMaxPool",
     [](G& g) {
       g.set(0, g.AddLike("FractionalMaxPoolGrad", {g.x(), g.y(), g.dy(), g.output(1), g.output(2)}, {"overlapping"}));
     }},
    {"FractionalAvgPool",
     [](G& g) {
       g.set(0, g.AddLike("FractionalAvgPoolGrad", {g.Shape(g.x(), DataType::kInt64), g.dy(), g.output(1), g.output(2)},
                          {"overlapping"}));
     }},
    {"BiasAdd", Bias},
    {"BiasAddV1", BiasV1},
    {"BiasAddGrad", BiasGrad},
    {"LRN", LocalResponse},
    {"SoftmaxCrossEntropyWithLogits", CrossEntropy},
    {"SparseSoftmaxCrossEntropyWithLogits", [](G& g) { g.set(0, Logits(g)); }},
    {"CTCLoss", Ctc},
    {"BlockLSTM", BlockLstm},
    {"BlockLSTMV2", BlockLstm},
};

inline const bool registers_nn = RegisterGradients<kNn>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
// The gradient ops against their functions: along any direction the function changes as its gradient says. In float64,
// so that a central difference is good to eight digits.
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace gradient_laws_test {
namespace {
using namespace tenon;
using namespace tenon::testing;

using Tensors = std::vector<Tensor>;
using List = std::vector<std::int64_t>;

// y = op(inputs) with the first of the op's `outputs`; gradient(inputs, y, dy) is dL/d(inputs[input]) for dL/dy = dy.
struct Gradient {
  std::string_view op;
  AttrArgs attrs;
  Tensors inputs;
  std::size_t input;
  std::function<Tensor(const Tensors& inputs, const Tensor& y, const Tensor& dy)> gradient;
  int outputs = 1;
};

Tensor One(std::string_view op, const AttrArgs& attrs, const Tensors& inputs, int outputs = 1, std::size_t output = 0) {
  return RunAll(op, attrs, inputs, outputs)[output];
}
Tensor Doubles(const TensorShape& shape, std::uint64_t seed, double low = -2, double high = 2) {
  return Random<double>(shape, seed, low, high);
}
double Dot(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double sum = 0;
  for (Index i = 0; i < a.NumElements(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}
// inputs[input] + step * direction
Tensors Moved(const Gradient& g, const Tensor& direction, double step) {
  Tensors inputs = g.inputs;
  Tensor& x = inputs[g.input];
  x = x.DeepCopy();
  for (Index i = 0; i < x.NumElements(); ++i) x.data<double>()[i] += step * direction.data<double>()[i];
  return inputs;
}

void Check(const Gradient& g) {
  CAPTURE(g.op);
  CAPTURE(g.input);
  const Tensor y = One(g.op, g.attrs, g.inputs, g.outputs);
  const Tensor dy = Doubles(y.shape(), 77);
  const Tensor gradient = g.gradient(g.inputs, y, dy);
  constexpr double kStep = 1e-6;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
    const Tensor direction = Doubles(g.inputs[g.input].shape(), seed, -1, 1);
    const double up = Dot(dy, One(g.op, g.attrs, Moved(g, direction, kStep), g.outputs));
    const double down = Dot(dy, One(g.op, g.attrs, Moved(g, direction, -kStep), g.outputs));
    const double want = (up - down) / (2 * kStep), got = Dot(gradient, direction);
    CHECK_MESSAGE(std::abs(got - want) <= 1e-6 * (1 + std::abs(want)), got, " instead of ", want);
  }
}

}  // namespace

TEST_SUITE("Gradients") {
  TEST_CASE("of functions of each element") {
    struct Elementwise {
      std::string_view op, gradient;
      bool of_result, result_first;  // gradient(y, dy), (dy, y) or (dy, x)
      double low, high;
      AttrArgs attrs = {};
    };
    const Elementwise all[] = {{"Sigmoid", "SigmoidGrad", true, true, -2, 2},
                               {"Tanh", "TanhGrad", true, true, -2, 2},
                               {"Sqrt", "SqrtGrad", true, true, 0.5, 2},
                               {"Rsqrt", "RsqrtGrad", true, true, 0.5, 2},
                               {"Inv", "InvGrad", true, true, 0.5, 2},
                               {"Reciprocal", "ReciprocalGrad", true, true, -2, -0.5},
                               {"Elu", "EluGrad", true, false, -2, 2},
                               {"Selu", "SeluGrad", true, false, -2, 2},
                               {"Relu", "ReluGrad", false, false, -2, 2},
                               {"Relu6", "Relu6Grad", false, false, -4, 9},
                               {"LeakyRelu", "LeakyReluGrad", false, false, -2, 2, {{"alpha", 0.3f}}},
                               {"Softplus", "SoftplusGrad", false, false, -4, 4},
                               {"Softsign", "SoftsignGrad", false, false, -2, 2}};
    for (const Elementwise& e : all)
      Check({e.op,
             e.attrs,
             {Doubles({3, 5}, 9, e.low, e.high)},
             0,
             [&e](const Tensors& inputs, const Tensor& y, const Tensor& dy) {
               const Tensor& other = e.of_result ? y : inputs[0];
               return One(e.gradient, e.attrs, e.result_first ? Tensors{other, dy} : Tensors{dy, other});
             }});
  }

  TEST_CASE("of convolutions") {
    for (const char* padding : {"SAME", "VALID"}) {
      CAPTURE(padding);
      const AttrArgs attrs = {{"strides", List{1, 2, 1, 1}}, {"padding", padding}};
      const AttrArgs square = {{"strides", List{1, 2, 2, 1}}, {"padding", padding}};
      const AttrArgs volume = {{"strides", List{1, 1, 2, 1, 1}}, {"padding", padding}};
      const Tensors image = {Doubles({2, 5, 4, 3}, 4), Doubles({3, 2, 3, 4}, 5)};
      Check({"Conv2D", attrs, image, 0, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Conv2DBackpropInput", attrs, {Ints({2, 5, 4, 3}), in[1], dy});
             }});
      Check({"Conv2D", attrs, image, 1, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Conv2DBackpropFilter", attrs, {in[0], Ints({3, 2, 3, 4}), dy});
             }});
      const Tensors deep = {Doubles({2, 5, 4, 3}, 4), Doubles({3, 2, 3, 2}, 5)};
      Check({"DepthwiseConv2dNative", square, deep, 0, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("DepthwiseConv2dNativeBackpropInput", square, {Ints({2, 5, 4, 3}), in[1], dy});
             }});
      Check({"DepthwiseConv2dNative", square, deep, 1, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("DepthwiseConv2dNativeBackpropFilter", square, {in[0], Ints({3, 2, 3, 2}), dy});
             }});
      const Tensors cube = {Doubles({1, 3, 4, 3, 2}, 6), Doubles({2, 2, 2, 2, 3}, 7)};
      Check({"Conv3D", volume, cube, 0, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Conv3DBackpropInputV2", volume, {Ints({1, 3, 4, 3, 2}), in[1], dy});
             }});
      Check({"Conv3D", volume, cube, 1, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Conv3DBackpropFilterV2", volume, {in[0], Ints({2, 2, 2, 2, 3}), dy});
             }});
      const AttrArgs dilation = {{"strides", List{1, 1, 2, 1}}, {"rates", List{1, 2, 1, 1}}, {"padding", padding}};
      const Tensors shape = {Doubles({1, 5, 4, 2}, 8), Doubles({2, 2, 2}, 9)};
      Check({"Dilation2D", dilation, shape, 0, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Dilation2DBackpropInput", dilation, {in[0], in[1], dy});
             }});
      Check({"Dilation2D", dilation, shape, 1, [&](const Tensors& in, const Tensor&, const Tensor& dy) {
               return One("Dilation2DBackpropFilter", dilation, {in[0], in[1], dy});
             }});
    }
  }

  TEST_CASE("of pools") {
    for (const char* padding : {"SAME", "VALID"}) {
      CAPTURE(padding);
      const AttrArgs attrs = {{"ksize", List{1, 3, 2, 1}}, {"strides", List{1, 2, 1, 1}}, {"padding", padding}};
      const Tensor image = Doubles({2, 5, 4, 3}, 4);
      Check({"AvgPool", attrs, {image}, 0, [&](const Tensors&, const Tensor&, const Tensor& dy) {
               return One("AvgPoolGrad", attrs, {Ints({2, 5, 4, 3}), dy});
             }});
      Check({"MaxPool", attrs, {image}, 0, [&](const Tensors& in, const Tensor& y, const Tensor& dy) {
               return One("MaxPoolGrad", attrs, {in[0], y, dy});
             }});
    }
  }

  TEST_CASE("of losses, sums over a batch, moves and pictures") {
    const Tensor x = Doubles({3, 4}, 4);
    Check({"BiasAdd",
           {},
           {Doubles({2, 3, 4}, 4), Doubles({4}, 5)},
           1,
           [](const Tensors&, const Tensor&, const Tensor& dy) { return One("BiasAddGrad", {}, {dy}); }});
    // The second output of a loss is its gradient for a dy of one.
    const auto times = [](const Tensor& dy, const Tensor& backprop) {
      return One("Mul", {}, {One("ExpandDims", {}, {dy, Int(-1)}), backprop});
    };
    const Tensors soft = {x, One("Softmax", {}, {Doubles({3, 4}, 6)})};
    Check({"SoftmaxCrossEntropyWithLogits",
           {},
           soft,
           0,
           [&](const Tensors& in, const Tensor&, const Tensor& dy) {
             return times(dy, One("SoftmaxCrossEntropyWithLogits", {}, in, 2, 1));
           },
           2});
    Check({"SparseSoftmaxCrossEntropyWithLogits",
           {},
           {x, Ints({3, 0, 1})},
           0,
           [&](const Tensors& in, const Tensor&, const Tensor& dy) {
             return times(dy, One("SparseSoftmaxCrossEntropyWithLogits", {}, in, 2, 1));
           },
           2});
    const Tensor paddings = Make<std::int32_t>({2, 2}, {1, 2});
    for (const char* mode : {"REFLECT", "SYMMETRIC"})
      Check({"MirrorPad", {{"mode", mode}}, {x, paddings}, 0, [&](const Tensors&, const Tensor&, const Tensor& dy) {
               return One("MirrorPadGrad", {{"mode", mode}}, {dy, paddings});
             }});
    const Tensors slice = {x, Ints({0, 3}), Ints({3, 0}), Ints({2, -1})};
    Check({"StridedSlice", {}, slice, 0, [](const Tensors& in, const Tensor&, const Tensor& dy) {
             return One("StridedSliceGrad", {}, {Ints({3, 4}), in[1], in[2], in[3], dy});
           }});
    const Tensors gather = {x, Ints({2, 0, 2}), Int(0)};
    Check({"GatherV2", {}, gather, 0, [](const Tensors& in, const Tensor&, const Tensor& dy) {
             return One("UnsortedSegmentSum", {}, {dy, in[1], Int(3)});
           }});
    const Tensors product = {Doubles({2, 3, 4}, 4), Doubles({2, 4, 5}, 5)};
    Check({"BatchMatMulV2", {}, product, 0, [](const Tensors& in, const Tensor&, const Tensor& dy) {
             return One("BatchMatMulV2", {{"adj_y", true}}, {dy, in[1]});
           }});
    Check({"BatchMatMulV2", {}, product, 1, [](const Tensors& in, const Tensor&, const Tensor& dy) {
             return One("BatchMatMulV2", {{"adj_x", true}}, {in[0], dy});
           }});
  }
}
}  // namespace gradient_laws_test

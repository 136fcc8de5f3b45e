// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/quantized_shape_fns.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace quantized_shape_fns_test {
namespace {
using namespace tenon;

struct Steps {
  static constexpr auto signature = Op("Steps")
                                        .Input("input: float")
                                        .Input("min_range: float")
                                        .Input("max_range: float")
                                        .Output("output: quint8")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("axis: int = -1")
                                        .SetShapeFn(shape_inference::QuantizeV2Shape);
};
static_assert(InferShape<Steps>({{4, 5}, {}, {}}) == StaticShape{4, 5});
static_assert(InferShape<Steps>({{4, 5}, {}, {}}, {}, 1).rank == 0);
static_assert(InferShape<Steps>({{4, 5}, {5}, {-1}}, {{"axis", 1}}, 2) == StaticShape{5});

struct Fused {
  static constexpr auto signature = Op("Fused")
                                        .Input("inputs: T")
                                        .Output("output: qint32")
                                        .Output("low: float")
                                        .Output("high: float")
                                        .Attr("T: list(type)")
                                        .Attr("strides: list(int) = [1, 1, 1, 1]")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .Attr("padding: {'SAME', 'VALID'} = 'VALID'")
                                        .Attr("fused_ops: list(string) = []")
                                        .SetShapeFn(shape_inference::FusedQuantizedConv2DShape);
};

struct Join {
  static constexpr auto signature =
      Op("Join")
          .Input("values: N * quint8")
          .Input("axis: int32")
          .Input("mins: N * float")
          .Input("maxes: N * float")
          .Output("output: quint8")
          .Output("low: float")
          .Output("high: float")
          .Attr("N: int >= 2")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::QuantizedConcatV2Shape(c, 2); });
};
static_assert(InferShape<Join>({{2, 3}, {2, 4}, StaticInput::Scalar(1), {}, {}, {}, {}}, {{"N", 2}}) ==
              StaticShape{2, 7});

using ShapeFn = Status (*)(InferenceContext*);

// The shapes of all outputs, or the error.
std::string Shapes(const OpView& op, const NodeDef& node, ShapeFn function,
                   std::initializer_list<PartialTensorShape> inputs) {
  InferenceContext c(1, &node, &op, {inputs.begin(), inputs.size()});
  if (const Status s = function(&c); !s.ok()) return std::string(s.message());
  std::string all;
  for (int i = 0; i < c.num_outputs(); ++i) all += c.DebugString(c.output(i));
  return all;
}
NodeDef FusedNode(std::size_t inputs, std::initializer_list<std::string_view> ops) {
  NodeDef node;
  node.attr.Set("T", AttrValue(SlimVector<DataType>(inputs, DataType::kFloat)));
  node.attr.Set("strides", AttrValue(SlimVector<std::int64_t>(4, 1)));
  node.attr.Set("dilations", AttrValue(SlimVector<std::int64_t>(4, 1)));
  node.attr.Set("padding", AttrValue(std::string_view("VALID")));
  SlimVector<std::string> names;
  for (const std::string_view op : ops) names.push_back(std::string(op));
  node.attr.Set("fused_ops", AttrValue(names));
  return node;
}

TEST_SUITE("shape functions of quantized ops") {
  TEST_CASE("ranges by axis have one number for each index of that axis") {
    static constexpr OpView kSteps = Steps::signature.view();
    NodeDef node;
    node.attr.Set("axis", AttrValue(std::int64_t{-2}));
    CHECK(Shapes(kSteps, node, shape_inference::QuantizeV2Shape, {{4, 5}, {5}, {5}}) ==
          "axis should be at least -1, got -2");
    node.attr.Set("axis", AttrValue(std::int64_t{0}));
    CHECK(Shapes(kSteps, node, shape_inference::QuantizeV2Shape, {{4, 5}, {5}, {5}}) ==
          "Dimensions must be equal, but are 5 and 4");
  }
  TEST_CASE("a fused convolution gives the filter's ranges, or one range when it requantizes") {
    static constexpr OpView kFused = Fused::signature.view();
    constexpr ShapeFn kConv = shape_inference::FusedQuantizedConv2DShape;
    const PartialTensorShape image({2, 8, 8, 3}), filter({3, 3, 3, 5}), channels({5}), scalar({});
    CHECK(Shapes(kFused, FusedNode(6, {}), kConv, {image, filter, scalar, scalar, channels, channels}) ==
          "[2,6,6,5][5][5]");
    CHECK(Shapes(kFused, FusedNode(6, {}), kConv, {image, filter, channels, scalar, scalar, scalar}) ==
          "Shape must be rank 0 but is rank 1");
    CHECK(Shapes(kFused, FusedNode(7, {"BiasAdd"}), kConv, {image, filter, image, scalar, scalar, scalar, scalar}) ==
          "Shape must be rank 1 but is rank 4");
    CHECK(Shapes(kFused, FusedNode(10, {"BiasAdd", "Sum", "Requantize"}), kConv,
                 {image, filter, channels, image, scalar, scalar, channels, channels, scalar, scalar}) ==
          "[2,6,6,5][][]");
    CHECK(Shapes(kFused, FusedNode(6, {}), shape_inference::FusedQuantizedDepthwiseConv2D,
                 {image, {3, 3, 3, 2}, scalar, scalar, scalar, scalar}) == "[2,6,6,6][][]");
  }
}

}  // namespace
}  // namespace quantized_shape_fns_test

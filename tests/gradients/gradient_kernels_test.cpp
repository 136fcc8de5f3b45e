// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/gradient_kernels.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/gradients/add_gradients.hpp>
#include <tenon/gradients/functions/call.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>

namespace gradient_kernels_test {
using namespace tenon;

// Has a kernel for int32 alone.
struct GradientKernelsTestInts {
  static constexpr auto signature = Op("GradientKernelsTestInts")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, double, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T> x, Out<T> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
// Its gradient has such a node, of its own type.
struct GradientKernelsTestForward {
  static constexpr auto signature = Op("GradientKernelsTestForward")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static void gradient(GradientBuilder& g) { g.set(0, g.editor().Add("GradientKernelsTestInts", {g.dy()})); }
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T> x, Out<T> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
TENON_REGISTER(Types<std::int32_t>, GradientKernelsTestInts);
TENON_REGISTER(Types<float, double>, GradientKernelsTestForward);
const bool registered = RegisterGradient<GradientKernelsTestForward>();

NodeDef Node(const char* op, DataType type) {
  NodeDef node;
  node.op = op;
  node.attr.Set("T", AttrValue(type));
  return node;
}

TEST_SUITE("kernels of gradients") {
  TEST_CASE("a node lacks a kernel if the op has kernels, but none for its types") {
    const detail::GradientKernels kernels(Registry::Global().ops());
    CHECK(!kernels.Lacks(Node("GradientKernelsTestInts", DataType::kInt32)));
    CHECK(kernels.Lacks(Node("GradientKernelsTestInts", DataType::kFloat)));
    CHECK(!kernels.Lacks(Node("an op without kernels", DataType::kFloat)));
    CHECK(kernels.Lacks("GradientKernelsTestInts", DataType::kDouble));
    CHECK(!kernels.Lacks("GradientKernelsTestForward", DataType::kDouble));
    // The kernels of other registries are not known.
    const OpRegistry other;
    CHECK(!detail::GradientKernels(other).Lacks(Node("GradientKernelsTestInts", DataType::kFloat)));
  }
  // y = f(x), where f has a node of the type.
  GraphDef Call(DataType type) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", type, {2});
    b.Add("PartitionedCall", "y", {GraphBuilder::Input({x})},
          {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", SlimVector<DataType>{type}}});
    GraphDef graph = b.graph_def();
    FunctionDef& f = graph.library.function.emplace_back();
    f.signature.name = "f";
    OpDef::ArgDef& in = f.signature.input_arg.emplace_back();
    in.name = "a";
    in.type = type;
    OpDef::ArgDef& out = f.signature.output_arg.emplace_back();
    out.name = "r";
    out.type = type;
    NodeDef& node = f.node_def.emplace_back(Node("GradientKernelsTestForward", type));
    node.name = "inside";
    node.input.push_back("a");
    f.ret.emplace_back("r", "inside:y:0");
    return graph;
  }
  TEST_CASE("a derivation names the ops of functions that have no kernel for their types, and changes nothing") {
    REQUIRE(registered);
    for (const DataType type : {DataType::kFloat, DataType::kDouble}) {
      GraphDef graph = Call(type);
      const std::vector<std::string> ys{"y"}, xs{"x"};
      const Status status = AddGradients(&graph, ys, xs).status();
      CHECK(status.code() == Code::kNotFound);
      CHECK(status.message().find(StrCat("GradientKernelsTestInts with T=", type)) != std::string::npos);
      CHECK(status.message().find("'gradients/inside_grad/GradientKernelsTestInts' of function '") !=
            std::string::npos);
      CHECK(graph.node.size() == 2);
      CHECK(graph.library.function.size() == 1);
    }
  }
}

}  // namespace gradient_kernels_test

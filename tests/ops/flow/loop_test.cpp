// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/loop.hpp>

#include <string>

#include <doctest/doctest.h>

#include "kernel_call.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace flow_loop_test {
using namespace tenon;
using namespace runtime_test;

namespace {
std::string ShapeOf(const FlowGraph& g, const std::string& node) {
  const auto graph = ImportGraphDef(GraphDef(g.def), Registry::Global().ops());
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  return graph->Find(node)->output_shape(0).DebugString();
}
}  // namespace

TEST_SUITE("Loop ops") {
  TEST_CASE("carry a value into a frame and out of it") {
    FlowGraph g;
    g.Feed("x").Enter("e", "x", "f").Node("n", "Neg", {"e"}).Node("o", "Exit", {"n"});
    const auto out = g.Run({{"x", Tensor::Scalar(3.0f)}}, {"o"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()() == -3);
  }
  TEST_CASE("know the shapes of what stays the same only") {
    FlowGraph g;
    g.Feed("x").Enter("variable", "x", "f").Enter("constant", "x", "f", true).Node("exit", "Exit", {"constant"});
    g.Node("next", "NextIteration", {"constant"});
    g.def.node[0].attr.Insert("shape", AttrValue(PartialTensorShape({2, -1})));
    CHECK(ShapeOf(g, "variable") == "<unknown>");
    CHECK(ShapeOf(g, "constant") == "[2,?]");
    CHECK(ShapeOf(g, "exit") == "[2,?]");
    CHECK(ShapeOf(g, "next") == "[2,?]");
  }
  TEST_CASE("want a frame name") {
    FlowGraph g;
    g.Feed("x").Node("e", "Enter", {"x"});
    CHECK(Contains(g.Load().status().message(), "NodeDef missing attr 'frame_name'"));
  }
  TEST_CASE("called alone hand their input on") {
    FlowGraph g;
    g.Feed("x").Enter("e", "x", "f").Node("o", "Exit", {"e"}).Node("n", "NextIteration", {"e"});
    const Tensor x = Tensor::Scalar(1.0f);
    for (const char* node : {"e", "o", "n"}) {
      const auto out = flow_test::Compute(g.def, node, {x});
      REQUIRE(out.ok());
      CHECK((*out)[0].SharesBufferWith(x));
    }
  }
  TEST_CASE("have kernels for the types that TensorFlow has them for") {
    const auto runs = [](DataType type, const char* op) {
      FlowGraph g(type);
      g.Feed("x").Node("y", op, {"x"});
      return flow_test::Compute(g.def, "y", {Tensor(type, {2})}).status();
    };
    for (const DataType type : {DataType::kQint8, DataType::kQint16, DataType::kFloat8E5M2}) {
      CHECK(runs(type, "Exit").ok());
      CHECK(runs(type, "NextIteration").code() == Code::kInvalidArgument);
    }
    for (const DataType type : {DataType::kFloat, DataType::kVariant, DataType::kResource, DataType::kString})
      CHECK(runs(type, "NextIteration").ok());
  }
}

TEST_SUITE("LoopCond") {
  TEST_CASE("is its input, of known rank a scalar") {
    FlowGraph g(DataType::kBool);
    g.Feed("x").Node("c", "LoopCond", {"x"}, {}, false);
    const auto out = g.Run({{"x", MakeTensor<bool>({2}, {true, false})}}, {"c"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].vec<bool>()(0));
    g.def.node[0].attr.Insert("shape", AttrValue(PartialTensorShape({2})));
    CHECK(Contains(g.Load().status().message(), "Shape must be rank 0 but is rank 1"));
  }
}
}  // namespace flow_loop_test

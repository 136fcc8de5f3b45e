// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/loop.hpp>

#include <cstdint>
#include <string>
#include <utility>

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

TEST_SUITE("Loop ops on references") {
  TEST_CASE("take a variable round, which every iteration writes to") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Feed("x").Variable("v").Node("init", "Assign", {"v", "x"});
    g.Count("", "n");
    const std::pair<std::string, AttrValue> frame{"frame_name", AttrValue(std::string("frame"))};
    g.Node("ev", "RefEnter", {"v"}, {frame}).Node("mv", "RefMerge", {"ev", "nv"}, {{"N", AttrValue(std::int64_t{2})}});
    g.Node("sv", "RefSwitch", {"mv", "cond"}).Node("addv", "AssignAdd", {"sv:1", "add"});
    g.Node("nv", "RefNextIteration", {"addv"}).Node("xv", "RefExit", {"sv"}).Node("after", "AssignAdd", {"xv", "n"});
    for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kDataflow}) {
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (const int n : {0, 1, 4, 10}) {
        REQUIRE(session->Run({{"x", Tensor::Scalar(100)}}, {}, {"init"}).ok());
        const auto out = session->Run({{"n", Tensor::Scalar(n)}}, {"after"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[0].scalar<int>()() == 100 + n * (n + 1) / 2 + n);
        CHECK((*session->Run({}, {"v"}))[0].scalar<int>()() == 100 + n * (n + 1) / 2 + n);
      }
    }
  }
  TEST_CASE("a variable that enters as a constant is seen by every iteration as it is then") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Feed("x").Variable("v").Node("init", "Assign", {"v", "x"});
    g.Count("", "n");
    g.Node("ev", "RefEnter", {"v"},
           {{"frame_name", AttrValue(std::string("frame"))}, {"is_constant", AttrValue(true)}});
    g.Node("addv", "AssignAdd", {"ev", "add"});
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const int n : {0, 1, 7}) {
      REQUIRE(session->Run({{"x", Tensor::Scalar(5)}}, {}, {"init"}).ok());
      const auto out = session->Run({{"n", Tensor::Scalar(n)}}, {"exit"}, {"addv"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*session->Run({}, {"v"}))[0].scalar<int>()() == 5 + n * (n + 1) / 2);
    }
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

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/saved_model/constant_variables.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "graph/test_ops.hpp"

namespace constant_variables_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const NodeDef& Find(const GraphDef& graph, std::string_view name) {
  for (const NodeDef& node : graph.node)
    if (node.name == name) return node;
  FAIL("no node ", std::string(name));
  return graph.node[0];
}
NodeDef Handle(std::string_view name) {
  return MakeNode(name, "VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shared_name", "v"}});
}
NodeDef Pass(std::string_view name, std::string_view op, std::initializer_list<std::string> inputs) {
  return MakeNode(name, op, inputs, {{"T", DataType::kResource}});
}
Status Replace(GraphDef* graph) {
  return ReplaceVariables(graph, TestOps(), [](const NodeDef&) -> Result<Tensor> {
    return Tensor::From<float>({1, 2, 3}, TensorShape({3}));
  });
}
DataType TypeOf(const GraphDef& graph, std::string_view name, std::string_view attr) {
  return Find(graph, name).attr.Find(attr)->type();
}

}  // namespace

TEST_SUITE("ReplaceVariables") {
  TEST_CASE("a handle becomes a constant, what reads it an op on tensors") {
    GraphDef graph = MakeGraph(
        {Handle("v"), MakeInput("i"), MakeNode("read", "ReadVariableOp", {"v", "^i"}, {{"dtype", DataType::kFloat}}),
         MakeNode("rows", "ResourceGather", {"v", "i"},
                  {{"dtype", DataType::kFloat}, {"Tindices", DataType::kInt32}, {"batch_dims", std::int64_t{1}}}),
         MakeNode("cell", "ResourceGatherNd", {"v", "i"},
                  {{"dtype", DataType::kFloat}, {"Tindices", DataType::kInt32}}),
         MakeNode("shape", "VariableShape", {"v"}), MakeNode("is", "VarIsInitializedOp", {"v"}),
         MakeNode("off", "DisableCopyOnRead", {"v", "^i"}), MakeNode("after", "NoOp", {"^v"})});
    REQUIRE(Replace(&graph).ok());
    CHECK(Find(graph, "v").op == "Const");
    CHECK(Find(graph, "v").attr.Find("value")->tensor().data<float>()[2] == 3);
    CHECK(Find(graph, "read").op == "Identity");
    CHECK(Find(graph, "read").input == SlimVector<std::string>{"v", "^i"});
    CHECK(TypeOf(graph, "read", "T") == DataType::kFloat);
    CHECK(Find(graph, "rows").op == "GatherV2");
    CHECK(Find(graph, "rows").input == SlimVector<std::string>{"v", "i", "rows/axis"});
    CHECK(Find(graph, "rows/axis").attr.Find("value")->tensor().data<std::int32_t>()[0] == 1);
    CHECK(Find(graph, "cell").op == "GatherNd");
    CHECK(Find(graph, "shape").op == "Shape");
    CHECK(TypeOf(graph, "shape", "out_type") == DataType::kInt32);
    CHECK(Find(graph, "is").attr.Find("value")->tensor().data<bool>()[0]);
    CHECK(Find(graph, "off").op == "NoOp");
    CHECK(Find(graph, "off").input == SlimVector<std::string>{"^i"});
    CHECK(Find(graph, "after").input == SlimVector<std::string>{"^v"});
  }
  TEST_CASE("handles are followed through control flow") {
    GraphDef graph = MakeGraph({Handle("v"), MakeInput("p"), Pass("enter", "Enter", {"v"}),
                                Pass("merge", "Merge", {"enter", "next"}), Pass("switch", "Switch", {"merge", "p"}),
                                Pass("next", "NextIteration", {"switch:1"}), Pass("exit", "Exit", {"switch"}),
                                MakeNode("n", "IdentityN", {"p", "exit"},
                                         {{"T", SlimVector<DataType>{DataType::kFloat, DataType::kResource}}}),
                                MakeNode("read", "ReadVariableOp", {"n:1"}, {{"dtype", DataType::kFloat}})});
    REQUIRE(Replace(&graph).ok());
    for (const std::string_view name : {"enter", "merge", "switch", "next", "exit", "read"})
      CHECK(TypeOf(graph, name, "T") == DataType::kFloat);
    CHECK(Find(graph, "n").attr.Find("T")->list().type == SlimVector<DataType>{DataType::kFloat, DataType::kFloat});
  }
  TEST_CASE("references are values, but where an op wants the reference") {
    GraphDef graph =
        MakeGraph({MakeNode("v", "VariableV2", {}, {{"dtype", DataType::kFloat}}), MakeFloat("read", "Identity", {"v"}),
                   MakeFloat("pass", "RefSwitch", {"v", "read"}), MakeFloat("y", "MatMul", {"v", "pass:1"})});
    REQUIRE(Replace(&graph).ok());
    CHECK(Find(graph, "v").op == "Const");
    CHECK(Find(graph, "pass").op == "Switch");
    CHECK(Find(graph, "y").op == "MatMul");
    GraphDef assigned = MakeGraph({MakeNode("v", "VariableV2", {}, {{"dtype", DataType::kFloat}}), MakeInput("x"),
                                   MakeFloat("set", "Assign", {"v", "x"})});
    CHECK(Replace(&assigned).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("what writes a variable is named") {
    GraphDef graph = MakeGraph({Handle("v"), MakeInput("x"), MakeNode("add", "AssignAddVariableOp", {"v", "x"})});
    const Status status = Replace(&graph);
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("node 'add' of op 'AssignAddVariableOp' takes the variable 'v'") !=
          std::string_view::npos);
  }
  TEST_CASE("a variable without a value") {
    GraphDef graph = MakeGraph({Handle("v")});
    const Status status = ReplaceVariables(&graph, TestOps(), [](const NodeDef& node) -> Result<Tensor> {
      return errors::FailedPrecondition("no value of ", node.name);
    });
    CHECK(status.message() == "no value of v");
  }
}
}  // namespace constant_variables_test

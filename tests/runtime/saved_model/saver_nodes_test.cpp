// SPDX-License-Identifier: Apache-2.0
// runtime/saved_model/save_test.cpp runs the nodes.
#include <tenon/runtime/saved_model/saver_nodes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "graph/test_ops.hpp"

namespace saver_nodes_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
const NodeDef* Find(const GraphDef& graph, std::string_view name) {
  for (const NodeDef& node : graph.node)
    if (node.name == name) return &node;
  return nullptr;
}
}  // namespace

TEST_SUITE("AddSaver") {
  TEST_CASE("handles and references") {
    GraphDef graph = MakeGraph({MakeNode("h", "VarHandleOp"), MakeNode("r", "VariableV2")});
    const SavedVariableNode variables[] = {{"h", "w", DataType::kFloat, false}, {"r", "r", DataType::kInt64, true}};
    const SaverDef saver = AddSaver(variables, &graph);
    CHECK(saver.filename_tensor_name == "save/Const:0");
    CHECK(saver.restore_op_name == "save/restore_all");
    CHECK(saver.save_tensor_name == "save/control_dependency:0");
    CHECK(saver.version == SaverDef::Version::kV2);
    CHECK(Find(graph, "save/Const")->op == "PlaceholderWithDefault");
    const NodeDef* const save = Find(graph, "save/SaveV2");
    REQUIRE(save != nullptr);
    CHECK(save->input[3] == "save/Read_0");
    CHECK(save->input[4] == "r");
    CHECK(save->attr.Find("dtypes")->list().type == SlimVector<DataType>{DataType::kFloat, DataType::kInt64});
    CHECK(Find(graph, "save/Assign_0")->op == "AssignVariableOp");
    CHECK(Find(graph, "save/Assign_1")->op == "Assign");
    CHECK(Find(graph, "save/Assign_1")->input == SlimVector<std::string>{"r", "save/RestoreV2:1"});
    CHECK(Find(graph, "save/restore_all")->input == SlimVector<std::string>{"^save/Assign_0", "^save/Assign_1"});
    const Tensor& keys = Find(graph, "save/RestoreV2/tensor_names")->attr.Find("value")->tensor();
    CHECK(keys.data<tstring>()[0].view() == "w");
  }
  TEST_CASE("a name that is taken, and no variables") {
    GraphDef graph = MakeGraph({MakeInput("save/x"), MakeInput("save_1")});
    const SaverDef saver = AddSaver({}, &graph);
    CHECK(saver.restore_op_name == "save_2/restore_all");
    CHECK(Find(graph, "save_2/SaveV2") == nullptr);
    CHECK(Find(graph, "save_2/restore_all")->input.empty());
  }
}
}  // namespace saver_nodes_test

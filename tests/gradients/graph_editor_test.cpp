// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/graph_editor.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/gradients/edited_graph.hpp>
#include <tenon/graph/builder.hpp>

namespace graph_editor_test {
using namespace tenon;

namespace {
GraphDef Forward() {
  GraphBuilder b;
  b.Placeholder("x", DataType::kFloat, {2, -1});
  b.Const("axes", Tensor::Scalar(1));
  return b.graph_def();
}
}  // namespace

TEST_SUITE("GraphEditor") {
  TEST_CASE("finds types, shapes and names") {
    GraphDef def = Forward();
    EditedGraph edited(&def, Registry::Global().ops());
    REQUIRE(edited.Open(false).ok());
    GraphEditor& editor = edited.editor();
    editor.set_scope("s");
    const Symbol x = editor.At(edited.graph().Find("x")->id);
    const Symbol y = 2.0 * x + x / x - 1.0;
    REQUIRE_MESSAGE(editor.status().ok(), editor.status().ToString());
    CHECK(y.dtype() == DataType::kFloat);
    CHECK(y.shape().DebugString() == "[2,?]");
    CHECK(edited.graph().node(y.node).name() == "s/Sub");
    const Symbol all = editor.Add("ConcatV2", {GraphEditor::Input{x, y, x}, editor.Int(1)});
    REQUIRE_MESSAGE(editor.status().ok(), editor.status().ToString());
    CHECK(edited.graph().node(all.node).def.attr.Find("N")->i() == 3);
    CHECK(edited.graph().node(editor.Add("Neg", {x}).node).name() == "s/Neg");
    CHECK(edited.graph().node(editor.Add("Neg", {x}).node).name() == "s/Neg_1");
    Tensor axes;
    CHECK(editor.Value(editor.At(edited.graph().Find("axes")->id), &axes));
    CHECK_FALSE(editor.Value(x, &axes));
  }
  TEST_CASE("keeps the first mistake") {
    GraphDef def = Forward();
    EditedGraph edited(&def, Registry::Global().ops());
    REQUIRE(edited.Open(false).ok());
    GraphEditor& editor = edited.editor();
    CHECK_FALSE(editor.Add("NoSuchOp", {}));
    CHECK(editor.status().code() == Code::kNotFound);
    const int nodes = edited.graph().num_nodes();
    CHECK_FALSE(editor.Int(1));
    CHECK(edited.graph().num_nodes() == nodes);
  }
  TEST_CASE("a missing tensor is refused") {
    GraphDef def = Forward();
    EditedGraph edited(&def, Registry::Global().ops());
    REQUIRE(edited.Open(false).ok());
    CHECK_FALSE(edited.editor().Add("Neg", {Symbol()}));
    CHECK(edited.editor().status().code() == Code::kInvalidArgument);
  }
}

}  // namespace graph_editor_test

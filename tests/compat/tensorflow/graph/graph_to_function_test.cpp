// SPDX-License-Identifier: Apache-2.0
// A graph becomes a function: names of arguments, of outputs with several tensors, control edges, and its mistakes.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include <tenon/compat/tensorflow/graph/graph_to_function.hpp>
#include <tenon/compat/tensorflow/op.hpp>

namespace compat_graph_to_function_test {
using namespace tensorflow;
namespace {
OpDef Op(const char* text) {
  OpDef op;
  REQUIRE(protobuf::TextFormat::ParseFromString(text, &op));
  return op;
}
OpList Ops() {
  OpList ops;
  *ops.add_op() =
      Op("name: '_Arg' output_arg { name: 'output' type_attr: 'T' } attr { name: 'T' type: 'type' } "
         "attr { name: 'index' type: 'int' }");
  *ops.add_op() =
      Op("name: '_Retval' input_arg { name: 'input' type_attr: 'T' } attr { name: 'T' type: 'type' } "
         "attr { name: 'index' type: 'int' }");
  *ops.add_op() =
      Op("name: 'CfTwo' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'a' type: DT_FLOAT } "
         "output_arg { name: 'rest' type: DT_FLOAT number_attr: 'N' } attr { name: 'N' type: 'int' } "
         "is_stateful: true");
  return ops;
}
// The function of a graph in text.
Status Convert(const char* text, FunctionDef* function) {
  static const OpListOpRegistry* const ops = [] {
    static const OpList list = Ops();
    return new OpListOpRegistry(&list);
  }();
  GraphDef def;
  REQUIRE(protobuf::TextFormat::ParseFromString(text, &def));
  Graph graph(ops);
  TF_RETURN_IF_ERROR(ConvertGraphDefToGraph(GraphConstructorOptions(), def, &graph));
  return GraphToFunctionDef(
      graph, "F",
      [](const Node* node) { return node->name() == "other" ? std::optional<std::string>("done") : std::nullopt; },
      function);
}
#define ARG(NAME, INDEX) \
  "node { name: '" NAME  \
  "' op: '_Arg' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'index' value { i: " INDEX " } } } "
#define RETVAL(NAME, INPUT, INDEX)                       \
  "node { name: '" NAME "' op: '_Retval' input: '" INPUT \
  "' attr { key: 'T' value { type: DT_FLOAT } } attr { " \
  "key: 'index' value { i: " INDEX " } } } "
#define TWO(NAME, INPUTS) "node { name: '" NAME "' op: 'CfTwo' " INPUTS " attr { key: 'N' value { i: 2 } } } "
}  // namespace

TEST_SUITE("graphs as functions") {
  TEST_CASE("names, results, control edges") {
    FunctionDef f;
    const Status made = Convert(ARG("_My-Arg", "0") TWO("my_arg", "input: '_My-Arg'")
                                    TWO("other", "input: 'my_arg:2' input: '^my_arg'") RETVAL("Out", "other", "0"),
                                &f);
    REQUIRE_MESSAGE(made.ok(), made.message());
    CHECK(f.signature().name() == "F");
    CHECK(f.signature().is_stateful());
    REQUIRE(f.signature().input_arg_size() == 1);
    CHECK(f.signature().input_arg(0).name() == "my_arg");
    CHECK(f.signature().input_arg(0).type() == DT_FLOAT);
    CHECK(f.signature().output_arg(0).name() == "out");
    REQUIRE(f.node_def_size() == 2);
    CHECK(f.node_def(0).name() == "my_arg_0");
    CHECK(f.node_def(0).input(0) == "my_arg");
    CHECK(f.node_def(0).attr().at("N").i() == 2);
    CHECK(f.node_def(1).input(0) == "my_arg_0:rest:1");
    CHECK(f.node_def(1).input(1) == "^my_arg_0");
    CHECK(f.ret().at("out") == "other:a:0");
    CHECK(f.signature().control_output(0) == "done");
    CHECK(f.control_ret().at("done") == "other");
  }
  TEST_CASE("missing and repeated indices") {
    FunctionDef f;
    CHECK(errors::IsInvalidArgument(Convert(ARG("a", "1"), &f)));
    CHECK(errors::IsInvalidArgument(Convert(ARG("a", "0") ARG("b", "0"), &f)));
    CHECK(errors::IsInvalidArgument(Convert(ARG("a", "0") RETVAL("r", "a", "1"), &f)));
    CHECK(Convert(ARG("a", "0") RETVAL("r", "a", "0"), &f).ok());
    CHECK(f.ret().at("r") == "a");
  }
}
}  // namespace compat_graph_to_function_test

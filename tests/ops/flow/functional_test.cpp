// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/functional.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace flow_functional_test {
using namespace tenon;
using namespace function_test;

namespace {

const AttrValue kFloatType(DataType::kFloat), kBoolType(DataType::kBool);
AttrValue ListOf(std::initializer_list<DataType> types) { return AttrValue(SlimVector<DataType>(types)); }
AttrValue Value(float x) { return AttrValue(Tensor::Scalar(x)); }

NodeDef Constant(std::string name, float x) {
  return MakeNode(std::move(name), "Const", {}, {{"dtype", kFloatType}, {"value", Value(x)}});
}
GraphDef WithInput(SlimVector<FunctionDef> functions, SlimVector<NodeDef> nodes) {
  GraphDef graph;
  graph.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", kFloatType}}));
  graph.node.append(nodes.begin(), nodes.end());
  graph.library.function = std::move(functions);
  graph.versions.producer = 1000;
  return graph;
}
Result<std::vector<Tensor>> RunGraph(const GraphDef& graph, float x, const std::string& fetch) {
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(graph));
  return session.Run({{"x:0", Tensor::Scalar(x)}}, {fetch});
}
float ScalarOf(const Result<std::vector<Tensor>>& result) {
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return (*result)[0].scalar<float>()();
}
// f(x) = x < 0 ? 0 : x + f(x - 1), with the sign found by Maximum and ToBool.
FunctionDef SumDown() {
  return Floats("sum_down", {"x"},
                {Constant("zero", 0), MakeNode("sign", "Maximum", {"x", "zero:output:0"}, {{"T", kFloatType}}),
                 MakeNode("if", "If", {"sign:z:0", "x"},
                          {{"Tcond", kFloatType},
                           {"Tin", ListOf({DataType::kFloat})},
                           {"Tout", ListOf({DataType::kFloat})},
                           {"then_branch", Call("step")},
                           {"else_branch", Call("zero")}})},
                "if:output:0");
}
FunctionDef OneStep() {
  return Floats(
      "step", {"x"},
      {Constant("one", 1), MakeNode("less", "Sub", {"x", "one:output:0"}, {{"T", kFloatType}}),
       MakeNode("rest", "sum_down", {"less:z:0"}), MakeNode("sum", "AddV2", {"x", "rest:out:0"}, {{"T", kFloatType}})},
      "sum:z:0");
}
FunctionDef Zero() { return Floats("zero", {"x"}, {Constant("zero", 0)}, "zero:output:0"); }

}  // namespace

TEST_SUITE("functional ops") {
  TEST_CASE("a node may be a call; attrs of the node are those of the function") {
    const GraphDef graph = WithInput({Double()}, {MakeNode("y", "double", {"x"}, {{"T", kFloatType}})});
    CHECK(ScalarOf(RunGraph(graph, 3, "y:0")) == 6);
  }

  TEST_CASE("functions may call each other in a circle, and a recursion without end is an error") {
    const GraphDef graph = WithInput({SumDown(), OneStep(), Zero()}, {MakeNode("y", "sum_down", {"x"})});
    CHECK(ScalarOf(RunGraph(graph, 4, "y:0")) == 10);
    CHECK(ScalarOf(RunGraph(graph, -1, "y:0")) == 0);
    const FunctionDef forever = Floats("forever", {"x"}, {MakeNode("again", "forever", {"x"})}, "again:out:0");
    const auto result = RunGraph(WithInput({forever}, {MakeNode("y", "forever", {"x"})}), 1, "y:0");
    CHECK(result.status().code() == Code::kResourceExhausted);
    CHECK(result.status().message().find("a recursion must end") != std::string_view::npos);
  }

  TEST_CASE("While moves its variables from one iteration to the next") {
    // while (left) { sum += left; left -= 1 }
    const FunctionDef more = Floats("more", {"left", "sum"}, {}, "left");
    FunctionDef body =
        Floats("body", {"left", "sum"},
               {Constant("one", 1), MakeNode("less", "Sub", {"left", "one:output:0"}, {{"T", kFloatType}}),
                MakeNode("add", "AddV2", {"sum", "left"}, {{"T", kFloatType}})},
               "less:z:0");
    body.signature.output_arg.push_back(Arg("total", DataType::kFloat));
    body.ret = {{"out", "less:z:0"}, {"total", "add:z:0"}};
    const NodeDef loop =
        MakeNode("loop", "While", {"x", "zero"},
                 {{"T", ListOf({DataType::kFloat, DataType::kFloat})}, {"cond", Call("more")}, {"body", Call("body")}});
    const GraphDef graph = WithInput({more, body}, {Constant("zero", 0), loop});
    CHECK(ScalarOf(RunGraph(graph, 100, "loop:1")) == 5050);
    CHECK(ScalarOf(RunGraph(graph, 0, "loop:1")) == 0);
    CHECK(ScalarOf(RunGraph(graph, 100, "loop:0")) == 0);
  }

  TEST_CASE("Case takes the last branch for an index that is none; For counts") {
    const FunctionDef one = Floats("one", {"x"}, {Constant("c", 1)}, "c:output:0"), two = Double();
    AttrValue branches;
    branches.mutable_list()->func.push_back(Call("one").func());
    branches.mutable_list()->func.push_back(Call("double", {{"T", kFloatType}}).func());
    const auto pick = [&](std::int32_t i) {
      return WithInput(
          {one, two},
          {MakeNode("i", "Const", {},
                    {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(i))}}),
           MakeNode(
               "y", "Case", {"i", "x"},
               {{"Tin", ListOf({DataType::kFloat})}, {"Tout", ListOf({DataType::kFloat})}, {"branches", branches}})});
    };
    CHECK(ScalarOf(RunGraph(pick(0), 5, "y:0")) == 1);
    CHECK(ScalarOf(RunGraph(pick(1), 5, "y:0")) == 10);
    CHECK(ScalarOf(RunGraph(pick(-3), 5, "y:0")) == 10);
    CHECK(ScalarOf(RunGraph(pick(7), 5, "y:0")) == 10);

    FunctionDef body = Floats("body", {"x"}, {MakeNode("sum", "AddV2", {"x", "x"}, {{"T", kFloatType}})}, "sum:z:0");
    body.signature.input_arg = {Arg("i", DataType::kInt32), Arg("x", DataType::kFloat)};
    const auto count = [&](std::int32_t start, std::int32_t limit, std::int32_t delta) {
      const auto number = [](std::string name, std::int32_t value) {
        return MakeNode(std::move(name), "Const", {},
                        {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(value))}});
      };
      return WithInput({body}, {number("start", start), number("limit", limit), number("delta", delta),
                                MakeNode("y", "For", {"start", "limit", "delta", "x"},
                                         {{"T", ListOf({DataType::kFloat})}, {"body", Call("body")}})});
    };
    CHECK(ScalarOf(RunGraph(count(0, 5, 1), 1, "y:0")) == 32);
    CHECK(ScalarOf(RunGraph(count(5, 0, -2), 1, "y:0")) == 8);
    CHECK(ScalarOf(RunGraph(count(3, 3, 0), 1, "y:0")) == 1);
    CHECK(RunGraph(count(3, 4, 0), 1, "y:0").status().code() == Code::kInvalidArgument);
    CHECK(RunGraph(count(3, 4, -1), 1, "y:0").status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("mistakes are errors that name the function") {
    const auto message = [](const GraphDef& graph) { return RunGraph(graph, 1, "y:0").status().ToString(); };
    const NodeDef unknown = MakeNode("y", "PartitionedCall", {"x"},
                                     {{"Tin", ListOf({DataType::kFloat})},
                                      {"Tout", ListOf({DataType::kFloat})},
                                      {"f", Call("dubble", {{"T", kFloatType}})}});
    CHECK(message(WithInput({Double()}, {unknown})).find("Failed to find function \"dubble\" in function library") !=
          std::string::npos);
    CHECK(message(WithInput({Double()}, {unknown})).find("did you mean 'double'") != std::string::npos);
    const NodeDef two = MakeNode("y", "PartitionedCall", {"x", "x"},
                                 {{"Tin", ListOf({DataType::kFloat, DataType::kFloat})},
                                  {"Tout", ListOf({DataType::kFloat})},
                                  {"f", Call("double", {{"T", kFloatType}})}});
    CHECK(message(WithInput({Double()}, {two})).find("Expects 1 arguments, but 2 is provided") != std::string::npos);
    const NodeDef typed = MakeNode("y", "PartitionedCall", {"x"},
                                   {{"Tin", ListOf({DataType::kFloat})},
                                    {"Tout", ListOf({DataType::kFloat})},
                                    {"f", Call("double", {{"T", AttrValue(DataType::kDouble)}})}});
    CHECK(message(WithInput({Double()}, {typed})).find("Expects arg[0] to be double but float") != std::string::npos);
  }
}
}  // namespace flow_functional_test

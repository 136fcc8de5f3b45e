// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/functional.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
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
NodeDef Integer(std::string name, std::int32_t value) {
  return MakeNode(std::move(name), "Const", {},
                  {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(value))}});
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
Result<std::vector<Tensor>> RunLowered(const GraphDef& graph, float x, const std::string& fetch,
                                       ExecutorKind executor = ExecutorKind::kAuto) {
  SessionOptions options;
  options.inter_op_threads = executor == ExecutorKind::kAuto ? 1 : 3;
  options.executor = executor;
  options.lower_control_flow = LowerAllFunctionalOps;
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(graph, options));
  return session.Run({{"x:0", Tensor::Scalar(x)}}, {fetch});
}
float ScalarOf(const Result<std::vector<Tensor>>& result) {
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return (*result)[0].scalar<float>()();
}
// body(i, x) = 2 * x + i
FunctionDef CountingBody() {
  FunctionDef body =
      Floats("body", {"x"},
             {MakeNode("number", "Cast", {"i"}, {{"SrcT", AttrValue(DataType::kInt32)}, {"DstT", kFloatType}}),
              MakeNode("twice", "AddV2", {"x", "x"}, {{"T", kFloatType}}),
              MakeNode("sum", "AddV2", {"twice:z:0", "number:y:0"}, {{"T", kFloatType}})},
             "sum:z:0");
  body.signature.input_arg = {Arg("i", DataType::kInt32), Arg("x", DataType::kFloat)};
  return body;
}
GraphDef WithFor(std::int32_t start, std::int32_t limit, std::int32_t delta) {
  return WithInput({CountingBody()}, {Integer("start", start), Integer("limit", limit), Integer("delta", delta),
                                      MakeNode("y", "For", {"start", "limit", "delta", "x"},
                                               {{"T", ListOf({DataType::kFloat})}, {"body", Call("body")}})});
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
      return WithInput({one, two}, {Integer("i", i), MakeNode("y", "Case", {"i", "x"},
                                                              {{"Tin", ListOf({DataType::kFloat})},
                                                               {"Tout", ListOf({DataType::kFloat})},
                                                               {"branches", branches}})});
    };
    CHECK(ScalarOf(RunGraph(pick(0), 5, "y:0")) == 1);
    CHECK(ScalarOf(RunGraph(pick(1), 5, "y:0")) == 10);
    CHECK(ScalarOf(RunGraph(pick(-3), 5, "y:0")) == 10);
    CHECK(ScalarOf(RunGraph(pick(7), 5, "y:0")) == 10);

    CHECK(ScalarOf(RunGraph(WithFor(0, 5, 1), 1, "y:0")) == 58);
    CHECK(ScalarOf(RunGraph(WithFor(5, 0, -2), 1, "y:0")) == 35);
    CHECK(ScalarOf(RunGraph(WithFor(3, 3, 0), 1, "y:0")) == 1);
    CHECK(RunGraph(WithFor(3, 4, 0), 1, "y:0").status().code() == Code::kInvalidArgument);
    CHECK(RunGraph(WithFor(3, 4, -1), 1, "y:0").status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("For gives lowered what it gives natively") {
    const auto both = [](std::int32_t start, std::int32_t limit, std::int32_t delta) {
      const GraphDef graph = WithFor(start, limit, delta);
      const Result<std::vector<Tensor>> native = RunGraph(graph, 1, "y:0"), lowered = RunLowered(graph, 1, "y:0");
      CHECK(native.status().code() == lowered.status().code());
      if (!native.ok()) return native.status().code();
      CHECK_MESSAGE(ScalarOf(native) == ScalarOf(lowered), start, " ", limit, " ", delta);
      return Code::kOk;
    };
    constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min(), kMax = -(kMin + 1);
    for (std::int32_t limit = -4; limit <= 4; ++limit)
      for (std::int32_t delta = -3; delta <= 3; ++delta) CHECK(both(0, limit, delta) != Code::kInternal);
    CHECK(both(kMin, kMax, kMax) == Code::kOk);
    CHECK(both(kMax, kMin, kMin) == Code::kOk);
    CHECK(both(kMax - 1, kMax, 2) == Code::kOk);
    CHECK(both(3, 4, 0) == Code::kInvalidArgument);
    CHECK(both(kMin, kMax, -1) == Code::kInvalidArgument);
    CHECK(both(kMax, kMin, kMax) == Code::kInvalidArgument);
    const Status status = RunLowered(WithFor(3, 4, -1), 1, "y:0").status();
    CHECK(status.message().find("Invalid start/limit/delta:] [3] [4] [-1]") != std::string_view::npos);
  }

  TEST_CASE("For: one in another, lowered") {
    // outer(i, x) = For(0, i, 1, 2 * x) of inner(j, x) = 2 * x + j
    FunctionDef inner = CountingBody(), outer = CountingBody();
    inner.signature.name = "inner";
    outer.signature.name = "outer";
    outer.node_def = {Integer("zero", 0), Integer("one", 1),
                      MakeNode("twice", "AddV2", {"x", "x"}, {{"T", kFloatType}}),
                      MakeNode("for", "For", {"zero:output:0", "i", "one:output:0", "twice:z:0"},
                               {{"T", ListOf({DataType::kFloat})}, {"body", Call("inner")}})};
    outer.ret = {{"out", "for:output:0"}};
    const GraphDef graph =
        WithInput({inner, outer}, {Integer("start", 0), Integer("limit", 6), Integer("delta", 1),
                                   MakeNode("y", "For", {"start", "limit", "delta", "x"},
                                            {{"T", ListOf({DataType::kFloat})}, {"body", Call("outer")}})});
    float expected = 1;
    for (int i = 0; i < 6; ++i) {
      expected *= 2;
      for (int j = 0; j < i; ++j) expected = expected * 2 + static_cast<float>(j);
    }
    CHECK(ScalarOf(RunGraph(graph, 1, "y:0")) == expected);
    CHECK(ScalarOf(RunLowered(graph, 1, "y:0")) == expected);
  }

  TEST_CASE("For: iterations that write a variable follow each other, and who reads it waits for the last") {
    // for (i in 1 .. limit) v = v * 2 + i
    FunctionDef body;
    body.signature.name = "body";
    body.signature.input_arg = {Arg("i", DataType::kInt32), Arg("v", DataType::kResource)};
    body.signature.output_arg = {Arg("w", DataType::kResource)};
    const NodeDef read = MakeNode("read", "ReadVariableOp", {"v"}, {{"dtype", kFloatType}});
    NodeDef write = MakeNode("write", "AssignVariableOp", {"v", "sum:z:0"}, {{"dtype", kFloatType}});
    body.node_def = {read, MakeNode("twice", "AddV2", {"read:value:0", "read:value:0"}, {{"T", kFloatType}}),
                     MakeNode("number", "Cast", {"i"}, {{"SrcT", AttrValue(DataType::kInt32)}, {"DstT", kFloatType}}),
                     MakeNode("sum", "AddV2", {"twice:z:0", "number:y:0"}, {{"T", kFloatType}}), write};
    body.ret = {{"w", "v"}};
    NodeDef begin = MakeNode("begin", "AssignVariableOp", {"v", "x"}, {{"dtype", kFloatType}});
    NodeDef loop = MakeNode("loop", "For", {"start", "limit", "delta", "v", "^begin"},
                            {{"T", ListOf({DataType::kResource})}, {"body", Call("body")}});
    const auto graph = [&](std::int32_t limit) {
      return WithInput({body},
                       {MakeNode("v", "VarHandleOp", {},
                                 {{"dtype", kFloatType}, {"shape", AttrValue(PartialTensorShape(TensorShape()))}}),
                        begin, Integer("start", 1), Integer("limit", limit), Integer("delta", 1), loop,
                        MakeNode("y", "ReadVariableOp", {"loop"}, {{"dtype", kFloatType}})});
    };
    for (const std::int32_t limit : {1, 2, 9}) {
      float expected = 3;
      for (std::int32_t i = 1; i < limit; ++i) expected = expected * 2 + static_cast<float>(i);
      CHECK(ScalarOf(RunGraph(graph(limit), 3, "y:0")) == expected);
      CHECK(ScalarOf(RunLowered(graph(limit), 3, "y:0")) == expected);
      CHECK(ScalarOf(RunLowered(graph(limit), 3, "y:0", ExecutorKind::kDataflow)) == expected);
    }
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

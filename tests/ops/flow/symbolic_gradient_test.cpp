// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/symbolic_gradient.hpp>

#include <string>
#include <vector>

#include <tenon/graph/gradient_maker.hpp>
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace symbolic_gradient_test {
using namespace tenon;
using namespace function_test;

namespace {

const AttrValue kFloatType(DataType::kFloat);

FunctionDef Squared() { return Floats("sq", {"a"}, {MakeNode("m", "Mul", {"a", "a"}, {{"T", kFloatType}})}, "m:z:0"); }
// Not the true gradient, so that one sees who computed it: a * dy.
FunctionDef OwnGradient() {
  return Floats("sqg", {"a", "dy"}, {MakeNode("m", "Mul", {"a", "dy"}, {{"T", kFloatType}})}, "m:z:0");
}
GraphDef WithGradient(const std::string& of, int inputs, int outputs, SlimVector<FunctionDef> functions) {
  GraphDef graph;
  NodeDef call = MakeNode("r", "SymbolicGradient", {},
                          {{"Tin", FloatTypes(inputs)}, {"Tout", FloatTypes(outputs)}, {"f", Call(of)}});
  for (int i = 0; i < inputs; ++i) {
    graph.node.push_back(MakeNode(StrCat("x", i), "Placeholder", {}, {{"dtype", kFloatType}}));
    call.input.push_back(StrCat("x", i));
  }
  graph.node.push_back(call);
  graph.library.function = std::move(functions);
  graph.versions.producer = 1882;
  return graph;
}
Result<std::vector<Tensor>> RunGraph(const GraphDef& graph, std::vector<float> feeds) {
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(graph));
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < feeds.size(); ++i) named.push_back({StrCat("x", i), Tensor::Scalar(feeds[i])});
  const std::vector<std::string> fetches{"r:0"};
  return session.Run(named, fetches);
}

// 2 * a * dy for functions called "sq", whatever they do; nothing for others.
int made = 0;
Result<FunctionDef> MakeSquareGradient(const NameAttrList& function, const FunctionDefLibrary&, const OpRegistry&) {
  if (function.name == "broken") return errors::Unimplemented("no way through 'broken'");
  if (function.name != "sq") return errors::NotFound("not one of ours");
  ++made;
  return Floats("any", {"a", "dy"},
                {MakeNode("m", "Mul", {"a", "dy"}, {{"T", kFloatType}}),
                 MakeNode("t", "AddV2", {"m:z:0", "m:z:0"}, {{"T", kFloatType}})},
                "t:z:0");
}
struct WithMaker {
  WithMaker() : before(SetGradientMaker(&MakeSquareGradient)) {}
  ~WithMaker() { SetGradientMaker(before); }
  GradientMaker before;
};

}  // namespace

TEST_SUITE("SymbolicGradient") {
  TEST_CASE("the library's gradient is called, also where one could be made") {
    const WithMaker maker;
    GraphDef graph = WithGradient("sq", 2, 1, {Squared(), OwnGradient()});
    graph.library.gradient.push_back({"sq", "sqg"});
    const auto out = RunGraph(graph, {3, 5});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].scalar<float>()() == 15);
  }
  TEST_CASE("a maker is asked for the others, once for each function of a session") {
    const WithMaker maker;
    made = 0;
    GraphDef graph = WithGradient("sq", 2, 1, {Squared()});
    NodeDef twin = graph.node.back();
    twin.name = "twin";
    graph.node.push_back(twin);
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    for (int i = 0; i < 2; ++i) {
      const auto out = session->Run({{"x0", Tensor::Scalar(3.0f)}, {"x1", Tensor::Scalar(5.0f)}}, {"r", "twin"});
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK((*out)[0].scalar<float>()() == 30);
      CHECK((*out)[1].scalar<float>()() == 30);
    }
    CHECK(made == 1);
  }
  TEST_CASE("no gradient, and a maker's error") {
    CHECK(RunGraph(WithGradient("sq", 2, 1, {Squared()}), {1, 2}).status().code() == Code::kNotFound);
    const WithMaker maker;
    const Status none = RunGraph(WithGradient("Unique", 2, 1, {}), {1, 2}).status();
    CHECK(none.code() == Code::kNotFound);
    CHECK(none.message().find("No gradient defined for op: Unique") != std::string_view::npos);
    CHECK(RunGraph(WithGradient("broken", 2, 1, {}), {1, 2}).status().code() == Code::kUnimplemented);
    const Status itself = RunGraph(WithGradient("SymbolicGradient", 2, 1, {}), {1, 2}).status();
    CHECK(itself.code() == Code::kInvalidArgument);
    CHECK(itself.message().find("Can't take gradient of SymbolicGradient") != std::string_view::npos);
  }
  TEST_CASE("arguments and results of another number") {
    for (const auto& [inputs, outputs] : {std::pair(2, 2), std::pair(3, 1), std::pair(1, 1), std::pair(1, 2)}) {
      GraphDef graph = WithGradient("sq", inputs, outputs, {Squared(), OwnGradient()});
      graph.library.gradient.push_back({"sq", "sqg"});
      CAPTURE(inputs);
      CAPTURE(outputs);
      CHECK(RunGraph(graph, std::vector<float>(static_cast<std::size_t>(inputs), 1)).status().code() ==
            Code::kInvalidArgument);
    }
  }
  TEST_CASE("a gradient has the shape of its input") {
    GraphDef graph = WithGradient("sq", 2, 1, {Squared()});
    graph.node[0].attr.Set("shape", AttrValue(PartialTensorShape({2, -1})));
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    REQUIRE(session->outputs().size() == 1);
    CHECK(session->outputs()[0].shape == "[2,?]");
  }
}
}  // namespace symbolic_gradient_test

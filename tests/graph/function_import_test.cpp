// SPDX-License-Identifier: Apache-2.0
// What import makes of functions is in tests/graph/import_test.cpp; here what it says without them.
#include <tenon/graph/function_import.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "function_graphs.hpp"
#include "growth.hpp"
#include "test_ops.hpp"

namespace function_import_test {
using namespace tenon;

TEST_CASE("a library of functions is refused, with the header's name, where the part is not linked") {
  GraphDef def;
  def.versions.producer = 1500;
  def.library.function = {function_test::Double()};
  const FunctionImport* const part = detail::extensions.function_import.exchange(nullptr);
  const Status refused = ImportGraphDef(GraphDef(def), testing::TestOps()).status();
  const Status plain = ImportGraphDef(GraphDef(), testing::TestOps()).status();
  detail::extensions.function_import.store(part);
  CHECK(refused.code() == Code::kUnimplemented);
  CHECK(refused.message().find("<tenon/graph/function_import.hpp>") != std::string::npos);
  CHECK(plain.ok());
}

namespace {
constexpr auto kCall = Op("StatefulPartitionedCall")
                           .Input("args: Tin")
                           .Output("output: Tout")
                           .Attr("Tin: list(type) >= 0")
                           .Attr("Tout: list(type) >= 0")
                           .Attr("f: func")
                           .Attr("config: string = ''")
                           .SetIsStateful()
                           .SetShapeFn(shape_inference::UnknownShape);
constexpr OpView kCallView = kCall.view();

// What the graph tests have, and calls.
const OpRegistry& OpsWithCalls() {
  static const OpRegistry* const ops = [] {
    auto* const made = new OpRegistry;
    for (const OpView* op : testing::TestOps().ops()) (void)made->Register(*op);
    (void)made->Register(kCallView);
    return made;
  }();
  return *ops;
}
// The first result of the node "call" in a graph that calls `function` with a variable [3,?] of floats.
std::string ShapeOfCall(FunctionDef function, FunctionDef other = {}) {
  using namespace function_test;
  GraphDef def;
  def.versions.producer = 1500;
  const SlimVector<DataType> resource{DataType::kResource}, result{DataType::kFloat};
  def.node = {
      MakeNode("v", "VarHandleOp", {},
               {{"dtype", AttrValue(DataType::kFloat)}, {"shape", AttrValue(PartialTensorShape({3, -1}))}}),
      MakeNode("same", "Identity", {"v"}, {{"T", AttrValue(DataType::kResource)}}),
      MakeNode("call", "StatefulPartitionedCall", {"same"},
               {{"Tin", AttrValue(resource)}, {"Tout", AttrValue(result)}, {"f", Call(function.signature.name)}})};
  def.library.function.push_back(std::move(function));
  if (!other.signature.name.empty()) def.library.function.push_back(std::move(other));
  const Result<Graph> graph = ImportGraphDef(std::move(def), OpsWithCalls());
  if (!graph.ok()) return std::string(graph.status().message());
  return graph->Find("call")->output_shape(0).DebugString();
}
FunctionDef Reads(std::string name, NodeDef body, std::string result) {
  FunctionDef f = function_test::Floats(std::move(name), {}, {std::move(body)}, std::move(result));
  f.signature.input_arg = {function_test::Arg("handle", DataType::kResource)};
  f.signature.is_stateful = true;
  return f;
}
}  // namespace

TEST_CASE("an _output_shapes attr in a function adds to what is inferred; one that contradicts is ignored") {
  const auto shape_with = [](PartialTensorShape given) {
    using namespace function_test;
    return ShapeOfCall(
        Reads("reads",
              MakeNode("read", "ReadVariableOp", {"handle"},
                       {{"dtype", AttrValue(DataType::kFloat)},
                        {"_output_shapes", AttrValue(SlimVector<PartialTensorShape>{std::move(given)})}}),
              "read:value:0"));
  };
  CHECK(shape_with(PartialTensorShape({-1, 5})) == "[3,5]");
  CHECK(shape_with(PartialTensorShape({4, 5})) == "[3,?]");
  CHECK(shape_with(PartialTensorShape({3})) == "[3,?]");
}

TEST_CASE("a function knows what its caller's resource holds, through calls within calls") {
  using namespace function_test;
  const SlimVector<DataType> resource{DataType::kResource}, result{DataType::kFloat};
  const FunctionDef reads =
      Reads("reads", MakeNode("read", "ReadVariableOp", {"handle"}, {{"dtype", AttrValue(DataType::kFloat)}}),
            "read:value:0");
  CHECK(ShapeOfCall(reads) == "[3,?]");
  const FunctionDef calls =
      Reads("calls",
            MakeNode("inner", "StatefulPartitionedCall", {"handle"},
                     {{"Tin", AttrValue(resource)}, {"Tout", AttrValue(result)}, {"f", Call("reads")}}),
            "inner:output:0");
  CHECK(ShapeOfCall(calls, reads) == "[3,?]");
}

TEST_CASE("the caller knows what a resource holds that a function returns: its own, or an argument") {
  using namespace function_test;
  const SlimVector<DataType> resource{DataType::kResource};
  NodeDef own = MakeNode("own", "VarHandleOp", {},
                         {{"dtype", AttrValue(DataType::kFloat)}, {"shape", AttrValue(PartialTensorShape({7, -1}))}});
  FunctionDef gives = Reads("gives", std::move(own), "own:resource:0");
  gives.signature.output_arg[0].type = DataType::kResource;
  FunctionDef passes = gives;
  passes.signature.name = "passes";
  passes.ret = {{"out", "handle"}};

  for (const FunctionDef& function : {gives, passes}) {
    GraphDef def;
    def.versions.producer = 1500;
    def.node = {
        MakeNode("v", "VarHandleOp", {},
                 {{"dtype", AttrValue(DataType::kFloat)}, {"shape", AttrValue(PartialTensorShape({3, -1}))}}),
        MakeNode("call", "StatefulPartitionedCall", {"v"},
                 {{"Tin", AttrValue(resource)}, {"Tout", AttrValue(resource)}, {"f", Call(function.signature.name)}}),
        MakeNode("read", "ReadVariableOp", {"call"}, {{"dtype", AttrValue(DataType::kFloat)}})};
    def.library.function.push_back(function);
    const Result<Graph> graph = ImportGraphDef(std::move(def), OpsWithCalls());
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    CHECK(graph->Find("read")->output_shape(0).DebugString() ==
          (function.signature.name == "gives" ? "[7,?]" : "[3,?]"));
  }
}

TEST_CASE("a call with too few arguments is refused, as TensorFlow's shape inference does") {
  using namespace function_test;
  FunctionDef two = Reads(
      "two", MakeNode("read", "ReadVariableOp", {"handle"}, {{"dtype", AttrValue(DataType::kFloat)}}), "read:value:0");
  two.signature.input_arg.push_back(Arg("more", DataType::kFloat));
  CHECK(ShapeOfCall(two).find("Function instantiation included invalid input index: 1 not in [0, 1)") == 0);
}

TEST_CASE("a chain of calls of any length is no danger: what is too deep is not followed") {
  using namespace function_test;
  constexpr int kFunctions = 20000;
  const SlimVector<DataType> type{DataType::kFloat};
  GraphDef def;
  def.versions.producer = 1500;
  for (int i = 0; i < kFunctions; ++i) {
    NodeDef node = MakeNode("inner", "Neg", {"x"}, {{"T", AttrValue(DataType::kFloat)}});
    if (i + 1 < kFunctions)
      node = MakeNode("inner", "StatefulPartitionedCall", {"x"},
                      {{"Tin", AttrValue(type)}, {"Tout", AttrValue(type)}, {"f", Call(StrCat("f", i + 1))}});
    FunctionDef f =
        Floats(StrCat("f", i), {"x"}, {std::move(node)}, i + 1 < kFunctions ? "inner:output:0" : "inner:y:0");
    f.signature.attr = {OpDef::AttrDef()};  // so that its body is not checked ahead
    f.signature.attr[0].name = "A";
    f.signature.attr[0].type = "int";
    f.signature.attr[0].default_value = AttrValue(1);
    def.library.function.push_back(std::move(f));
  }
  const auto shape_of = [&def](int i) {
    GraphDef graph = def;
    graph.node = {MakeNode("x", "Placeholder", {},
                           {{"dtype", AttrValue(DataType::kFloat)}, {"shape", AttrValue(PartialTensorShape({2, -1}))}}),
                  MakeNode("call", "StatefulPartitionedCall", {"x"},
                           {{"Tin", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                            {"Tout", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                            {"f", Call(StrCat("f", i), {{"A", AttrValue(1)}})}})};
    const Result<Graph> imported = ImportGraphDef(std::move(graph), OpsWithCalls());
    return imported.ok() ? imported->Find("call")->output_shape(0).DebugString()
                         : std::string(imported.status().message());
  };
  CHECK(shape_of(kFunctions - 1) == "[2,?]");
  CHECK(shape_of(kFunctions - 20) == "[2,?]");
  CHECK(shape_of(0) == "<unknown>");
}

TEST_CASE("ImportGraphDef takes linear time for functions that call each other") {
  using namespace function_test;
  const double growth = growth_test::Growth(2000, [](int n) {
    GraphDef def;
    for (int i = 0; i < n; ++i)
      def.library.function.push_back(Floats(StrCat("f", i), {"x"},
                                            {MakeNode("y", i + 1 < n ? StrCat("f", i + 1) : "Neg", {"x"},
                                                      i + 1 < n ? Attrs{} : Attrs{{"T", AttrValue(DataType::kFloat)}})},
                                            i + 1 < n ? "y:out:0" : "y:y:0"));
    const Result<Graph> graph = ImportGraphDef(std::move(def), OpsWithCalls());
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  });
  CHECK(growth < growth_test::kLinear);
}

TEST_CASE("A library's import that is cancelled ends with Cancelled") {
  using namespace function_test;
  GraphDef def;
  def.library.function.push_back(Floats("f", {"x"}, {}, "x"));
  CancellationManager cancellation;
  cancellation.StartCancel();
  ImportOptions options;
  options.cancellation = &cancellation;
  CHECK(ImportGraphDef(std::move(def), OpsWithCalls(), options).status().code() == Code::kCancelled);
}
}  // namespace function_import_test

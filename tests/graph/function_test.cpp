// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/function.hpp>

#include <string>
#include <utility>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"
#include "graph/test_ops.hpp"

namespace function_test {
using namespace tenon;
using namespace function_test;

namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

struct PairOp {
  static constexpr auto signature = Op("TestPair")
                                        .Input("x: T")
                                        .Output("list: N * T")
                                        .Output("last: T")
                                        .Attr("N: int >= 1 = 2")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr OpView view = signature.view();
};
struct SumOp {
  static constexpr auto signature =
      Op("AddV2").Input("x: T").Input("y: T").Output("z: T").Attr("T: type").SetShapeFn(shape_inference::UnknownShape);
  static constexpr OpView view = signature.view();
};

OpRegistry Ops() {
  OpRegistry ops;
  CHECK(ops.Register(PairOp::view).ok());
  CHECK(ops.Register(SumOp::view).ok());
  return ops;
}

}  // namespace

TEST_SUITE("InstantiateFunction") {
  TEST_CASE("binds attrs, makes an _Arg node per argument and finds the results") {
    const OpRegistry ops = Ops();
    AttrMap attrs;
    attrs.Insert("T", AttrValue(DataType::kDouble));
    const Result<FunctionGraph> f = InstantiateFunction(Double(), attrs, {}, ops);
    REQUIRE_MESSAGE(f.ok(), f.status().ToString());
    CHECK(f->args == SlimVector<std::string>{"x"});
    CHECK(f->arg_types == SlimVector<DataType>{DataType::kDouble});
    CHECK(f->result_types == SlimVector<DataType>{DataType::kDouble});
    REQUIRE(f->results.size() == 1);
    CHECK(f->results[0].node == "sum");
    REQUIRE(f->graph.node.size() == 2);
    CHECK(f->graph.node[0].op == "_Arg");
    CHECK(f->graph.node[1].attr.Find("T")->type() == DataType::kDouble);
    CHECK(f->graph.node[1].input == SlimVector<std::string>{"x", "x"});
    ImportOptions options;
    options.allow_internal_ops = true;
    GraphDef graph = f->graph;
    CHECK(ImportGraphDef(std::move(graph), ops, options).ok());
    GraphDef outside = f->graph;
    CHECK(errors::IsNotFound(ImportGraphDef(std::move(outside), ops).status()));  // users' graphs have no _Arg
  }

  TEST_CASE("counts outputs through lists: node:arg:i") {
    const OpRegistry ops = Ops();
    FunctionDef f = Floats(
        "f", {"x"},
        {MakeNode("sum", "AddV2", {"pair:last", "pair:list:2", "^pair"}, {{"T", AttrValue(DataType::kFloat)}}),
         MakeNode("pair", "TestPair", {"x"}, {{"T", AttrValue(DataType::kFloat)}, {"N", AttrValue(std::int64_t{3})}})},
        "pair:list:1");
    const Result<FunctionGraph> made = InstantiateFunction(f, {}, {}, ops);
    REQUIRE_MESSAGE(made.ok(), made.status().ToString());
    CHECK(made->graph.node[1].input == SlimVector<std::string>{"pair:3", "pair:2", "^pair"});
    CHECK(made->results[0].index == 1);
    f.ret = {{"out", "pair:list"}};  // three tensors for one result
    CHECK(Contains(InstantiateFunction(f, {}, {}, ops).status().message(), "Invalid ret types out"));
    f = Floats("f", {"x"}, {MakeNode("y", "NoSuchOp", {"x"})}, "y:y:0");
    CHECK(errors::IsNotFound(InstantiateFunction(f, {}, {}, ops).status()));
  }

  TEST_CASE("says what is missing") {
    const OpRegistry ops = Ops();
    CHECK(errors::IsNotFound(InstantiateFunction(Double(), {}, {}, ops).status()));
    AttrMap attrs;
    attrs.Insert("T", AttrValue(DataType::kFloat));
    FunctionDef f = Double();
    f.node_def[0].attr.Insert("_other", Placeholder("U"));
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "Failed to bind all placeholders in $U"));
    f = Double();
    f.node_def[0].input[1] = "nowhere:z:0";
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "input nowhere:z:0 is not found"));
    f = Double();
    f.node_def[0].input[1] = "sum:z:1";
    CHECK(errors::IsInvalidArgument(InstantiateFunction(f, attrs, {}, ops).status()));
    f = Double();
    f.node_def[0].input.push_back("^nobody");
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "'^nobody', is not found"));
    f = Double();
    f.ret.clear();
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "Return y missing"));
    f = Double();
    f.control_ret = {{"done", "nobody"}};
    CHECK(errors::IsInvalidArgument(InstantiateFunction(f, attrs, {}, ops).status()));
    f = Double();
    f.signature.input_arg.push_back(f.signature.input_arg[0]);
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "Duplicated arg name: x"));
  }

  TEST_CASE("a call within a body becomes a PartitionedCall") {
    const OpRegistry ops = Ops();
    FunctionDefLibrary library;
    library.function.push_back(Double());
    const FunctionDef f =
        Floats("f", {"x"}, {MakeNode("twice", "double", {"x"}, {{"T", AttrValue(DataType::kFloat)}})}, "twice:y:0");
    const Result<FunctionGraph> made = InstantiateFunction(f, {}, library, ops);
    REQUIRE_MESSAGE(made.ok(), made.status().ToString());
    const NodeDef& call = made->graph.node[1];
    CHECK(call.op == "PartitionedCall");
    CHECK(call.attr.Find("f")->func().name == "double");
    CHECK(call.attr.Find("Tin")->list().type == SlimVector<DataType>{DataType::kFloat});
  }
}
}  // namespace function_test

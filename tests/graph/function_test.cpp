// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/function.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"
#include "graph/test_ops.hpp"
#include "growth.hpp"

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
struct ListsOp {
  static constexpr auto signature = Op("TestLists")
                                        .Input("x: Tin")
                                        .Output("out: Tout")
                                        .Attr("Tin: list(type)")
                                        .Attr("Tout: list(type)")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr OpView view = signature.view();
};
struct NoDefaultOp {
  static constexpr auto signature = Op("TestNoDefault")
                                        .Input("x: N * T")
                                        .Output("out: N * T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr OpView view = signature.view();
};

OpRegistry Ops() {
  OpRegistry ops;
  CHECK(ops.Register(PairOp::view).ok());
  CHECK(ops.Register(SumOp::view).ok());
  CHECK(ops.Register(ListsOp::view).ok());
  CHECK(ops.Register(NoDefaultOp::view).ok());
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

  TEST_CASE("a body node lacks an attr that gives the number or the types of its tensors") {
    const OpRegistry ops = Ops();
    const AttrValue types = FloatTypes(1), float_type(DataType::kFloat);
    const NodeDef complete[] = {
        MakeNode("y", "TestLists", {"x"}, {{"Tin", types}, {"Tout", types}}),
        MakeNode("y", "TestNoDefault", {"x"}, {{"N", AttrValue(std::int64_t{1})}, {"T", float_type}})};
    for (const NodeDef& node : complete) {
      CHECK(InstantiateFunction(Floats("f", {"x"}, {node}, "y:out:0"), {}, {}, ops).ok());
      for (const auto& [name, value] : node.attr) {
        NodeDef lacking = node;
        lacking.attr.erase(name);
        const Status status = InstantiateFunction(Floats("f", {"x"}, {lacking}, "y:out:0"), {}, {}, ops).status();
        CHECK_MESSAGE(errors::IsNotFound(status), name, ": ", status.ToString());
        CHECK(Contains(status.message(), StrCat("attr not found: ", name, "; NodeDef: {{node y}}")));
      }
    }
  }

  TEST_CASE("attrs of the signature are there and of their type") {
    const OpRegistry ops = Ops();
    const auto refusal = [&](const AttrMap& attrs) {
      return InstantiateFunction(Double(), attrs, {}, ops).status().ToString();
    };
    CHECK(refusal({}) == "NOT_FOUND: Attr T is not found from Op<name=double; signature=x:T -> y:T; attr=T:type>");
    CHECK(refusal({{"T", AttrValue(std::int64_t{3})}}) ==
          "INVALID_ARGUMENT: AttrValue had value with type 'int' when 'type' expected\n\tfor attr name 'T' of function "
          "'double'");
    CHECK(refusal({{"T", AttrValue()}}).find("INVALID_ARGUMENT: AttrValue missing value with expected type 'type'") ==
          0);
    CHECK(refusal({{"T", AttrValue(DataType::kFloat)}, {"more", AttrValue(std::int64_t{3})}}) == "OK");
    FunctionDef f = Double();
    f.node_def[0].attr.Insert("_other", AttrValue());
    const AttrMap attrs{{"T", AttrValue(DataType::kFloat)}};
    CHECK(Contains(InstantiateFunction(f, attrs, {}, ops).status().message(), "Failed to bind all placeholders in "));
    f = Double();
    f.signature.attr[0].default_value = AttrValue(DataType::kFloat);
    CHECK(InstantiateFunction(f, {}, {}, ops).ok());
    NodeDef call = MakeNode("n", "double", {"x"}, {{"T", AttrValue(std::int64_t{3})}});
    CHECK(Contains(MakeFunctionCall(Double(), &call).message(), "for attr name 'T' of function 'double'"));
    call.attr = AttrMap();
    CHECK(StartsWith(MakeFunctionCall(Double(), &call).ToString(),
                     "INVALID_ARGUMENT: NodeDef missing attr 'T' from Op<name=double; signature=x:T -> y:T; "
                     "attr=T:type>; "));
  }

  TEST_CASE("inputs of body nodes are counted, and have the argument's types") {
    const OpRegistry ops = Ops();
    const auto refusal = [&](const std::function<void(FunctionDef&)>& edit) {
      FunctionDef f =
          Floats("f", {"x"},
                 {MakeNode("pair", "TestPair", {"x"}, {{"T", AttrValue(DataType::kFloat)}, {"N", AttrValue(2)}}),
                  MakeNode("sum", "AddV2", {"x", "pair:list:1"}, {{"T", AttrValue(DataType::kFloat)}})},
                 "sum:z:0");
      edit(f);
      FunctionDefLibrary library;
      library.function.push_back(Double());
      return InstantiateFunction(f, {}, library, ops).status().ToString();
    };
    CHECK(refusal([](FunctionDef&) {}) == "OK");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].input = {"x"}; }) ==
          "INVALID_ARGUMENT: Attempt to access beyond input size: 1 >= 1: {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].input = {"x", "x", "x"}; }) ==
          "INVALID_ARGUMENT: Expected input[2] == 'x' to be a control input. {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].input = {"^x", "x", "x"}; }) ==
          "INVALID_ARGUMENT: input ^x is not found: {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].input = {"x", "x", "^gone"}; }) ==
          "INVALID_ARGUMENT: input[2] == '^gone', is not found. {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].input = {"pair:list", "x"}; }) ==
          "INVALID_ARGUMENT: Input pair:list too long for x: {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].attr.Set("T", DataType::kInt32); }) ==
          "INVALID_ARGUMENT: input x[0] expected type int32 != float, the type of x[0]: {{node sum}} of function 'f'");
    CHECK(refusal([](FunctionDef& f) { f.node_def[1].attr.erase("T"); }) ==
          "NOT_FOUND: type attr not found: T; NodeDef: {{node sum}}");
    CHECK(refusal([](FunctionDef& f) { f.node_def[0].attr.Set("N", std::int64_t{1} << 40); }) ==
          "INVALID_ARGUMENT: Number of outputs is too big: 1099511627776 (at most 1048576 are allowed); "
          "NodeDef: {{node pair}}");
    CHECK(refusal([](FunctionDef& f) { f.node_def[0].attr.Set("N", -1); }) ==
          "INVALID_ARGUMENT: Value for number_attr() -1 < 0; NodeDef: {{node pair}}");
    const auto call = [](FunctionDef& f) {
      f.node_def[0] = MakeNode("pair", "double", {"x", "x"}, {{"T", AttrValue(DataType::kFloat)}});
    };
    CHECK(refusal(call) ==
          "INVALID_ARGUMENT: Expected input[1] == 'x' to be a control input. {{node pair}} of function 'f'");
  }

  TEST_CASE("arguments and results: what is wrong, and with which") {
    const OpRegistry ops = Ops();
    const AttrMap attrs{{"T", AttrValue(DataType::kFloat)}, {"L", AttrValue(AttrList())}};
    const auto refusal = [&](const std::function<void(FunctionDef&)>& edit) {
      FunctionDef f = Double();
      edit(f);
      return InstantiateFunction(f, attrs, {}, ops).status().ToString();
    };
    CHECK(refusal([](FunctionDef& f) {
            f.signature.attr.emplace_back();
            f.signature.attr.back().name = "L";
            f.signature.attr.back().type = "list(type)";
            f.signature.input_arg.push_back(Arg("more", DataType::kInvalid));
            f.signature.input_arg.back().type_list_attr = "L";
          }) == "INTERNAL: Expected a list of at least one dtype\n\tIn more: of function 'double'");
    CHECK(refusal([](FunctionDef& f) { f.signature.input_arg.push_back(f.signature.input_arg[0]); }) ==
          "INVALID_ARGUMENT: Duplicated arg name: x in function 'double'\n\tIn x:T of function 'double'");
    CHECK(refusal([](FunctionDef& f) { f.node_def.push_back(f.node_def[0]); }) ==
          "INVALID_ARGUMENT: Duplicated ret name: sum:z in function 'double'");
    CHECK(refusal([](FunctionDef& f) { f.ret.clear(); }) ==
          "INVALID_ARGUMENT: Return y missing.\n\tIn function output y:T of function 'double'");
    CHECK(refusal([](FunctionDef& f) { f.ret[0].second = "sum:0"; }) ==
          "INVALID_ARGUMENT: Return y -> sum:0 is not found.\n\tIn function output y:T of function 'double'");
    CHECK(refusal([](FunctionDef& f) { f.signature.output_arg[0] = Arg("y", DataType::kInt32); }) ==
          "INVALID_ARGUMENT: Invalid ret types y : int32 vs. float\n\tIn function output y:int32 of function 'double'");
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

  TEST_CASE("takes linear time for arguments, results and control inputs") {
    const OpRegistry ops = Ops();
    const double growth = growth_test::Growth(1500, [&ops](int n) {
      FunctionDef f = Floats("f", {}, {}, "");
      f.signature.output_arg.clear();
      f.ret.clear();
      for (int i = 0; i < n; ++i) {
        f.signature.input_arg.push_back(Arg(StrCat("x", i), DataType::kFloat));
        f.signature.output_arg.push_back(Arg(StrCat("y", i), DataType::kFloat));
        f.node_def.push_back(MakeNode(StrCat("n", i), "AddV2", {StrCat("x", i), StrCat("x", i), StrCat("^n", n - 1)},
                                      {{"T", AttrValue(DataType::kFloat)}}));
        f.ret.push_back({StrCat("y", i), StrCat("n", i, ":z:0")});
        f.arg_attr.push_back({static_cast<std::uint32_t>(i), AttrMap{{"_a", AttrValue(i)}}});
      }
      const Result<FunctionGraph> made = InstantiateFunction(f, {}, {}, ops);
      REQUIRE_MESSAGE(made.ok(), made.status().ToString());
      CHECK(made->graph.node[static_cast<std::size_t>(n) - 1].attr.Find("_a")->i() == n - 1);
    });
    CHECK(growth < growth_test::kLinear);
  }
}
}  // namespace function_test

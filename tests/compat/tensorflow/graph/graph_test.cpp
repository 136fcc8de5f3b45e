// SPDX-License-Identifier: Apache-2.0
// Builders of ops, nodes and functions; inputs that are made up.
#include <doctest/doctest.h>

#include <string>

#include <tenon/compat/tensorflow/graph/function.hpp>
#include <tenon/compat/tensorflow/graph/graph.hpp>
#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>

namespace compat_graph_test {
using namespace tensorflow;
namespace {
REGISTER_OP("CgMany")
    .Input("one: T")
    .Input("list: N * T")
    .Input("any: types")
    .Output("out: T")
    .Attr("T: {float, int32} = DT_FLOAT")
    .Attr("N: int >= 1")
    .Attr("types: list(type)")
    .SetShapeFn(shape_inference::UnknownShape);
REGISTER_OP("CgTanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::UnchangedShape);
Status TanhGradient(const AttrSlice&, FunctionDef* g) {
  *g = FunctionDefHelper::Define({"x: T", "dy: T"}, {"dx: T"}, {"T: {float, double}"},
                                 {{{"y"}, "CgTanh", {"x"}, {{"T", "$T"}}},
                                  FunctionDefHelper::Const("c", 1.0f),
                                  {{"dx"}, "CgTanh", {"y"}, {{"T", "$T"}}, {"c"}}});
  return OkStatus();
}
REGISTER_OP_GRADIENT("CgTanh", TanhGradient);
}  // namespace

TEST_SUITE("builders of nodes and functions") {
  TEST_CASE("a node") {
    NodeDef node;
    const Status made = NodeDefBuilder("n", "CgMany")
                            .Input("a", 0, DT_INT32)
                            .Input({{"b", 0, DT_INT32}, {"b", 1, DT_INT32}})
                            .Input(FakeInput({DT_STRING, DT_BOOL}))
                            .ControlInput("before")
                            .Device("/cpu:0")
                            .Finalize(&node);
    REQUIRE_MESSAGE(made.ok(), made.message());
    CHECK(node.attr().at("N").i() == 2);
    CHECK(node.attr().at("T").type() == DT_INT32);
    CHECK(node.input(2) == "b:1");
    CHECK(node.input(5) == "^before");
    const OpDef* op = nullptr;
    REQUIRE(OpRegistry::Global()->LookUpOpDef("CgMany", &op).ok());
    CHECK(ValidateNodeDef(node, *op).ok());
    DataTypeVector in, out;
    CHECK(InOutTypesForNode(node, *op, &in, &out).ok());
    CHECK(in.size() == 5);
    CHECK(out[0] == DT_INT32);
  }
  TEST_CASE("made-up inputs by attrs") {
    NodeDef node;
    CHECK(NodeDefBuilder("n", "CgMany")
              .Attr("N", 3)
              .Attr("types", {DT_INT8})
              .Input(FakeInput(DT_FLOAT))
              .Input(FakeInput())
              .Input(FakeInput())
              .Finalize(&node)
              .ok());
    CHECK(node.input_size() == 5);
    CHECK(NodeDefBuilder("n", "CgMany")
              .Input(FakeInput(DT_FLOAT))
              .Input(FakeInput(2))
              .Input(FakeInput())
              .Finalize(&node)
              .code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("made-up inputs by numbers and types") {
    NodeDef node;
    const auto with = [&](const FakeInputFunctor& list, const FakeInputFunctor& any) {
      const Status status = NodeDefBuilder("n", "CgMany").Input(FakeInput()).Input(list).Input(any).Finalize(&node);
      return status.ok() ? SummarizeNodeDef(node) : std::string(status.message());
    };
    CHECK(with(FakeInput(2), FakeInput({})) == "{{node n}} = CgMany[N=2, T=DT_FLOAT, types=[]](a, b, b:1)");
    CHECK(with(FakeInput(1), FakeInput(2, DT_BOOL)) ==
          "{{node n}} = CgMany[N=1, T=DT_FLOAT, types=[DT_BOOL, DT_BOOL]](a, b, c, c:1)");
    CHECK(with(FakeInput(1), FakeInput(DT_BOOL)).find("Single tensor passed to 'any', expected list") == 0);
    CHECK(with(FakeInput(), FakeInput({})).find("2 errors while building NodeDef 'n'") == 0);
    CHECK(with(FakeInput(), FakeInput({})).find("Could not infer length of input 'list'") != std::string::npos);
    CHECK(with(FakeInput({DT_FLOAT, DT_INT32}), FakeInput({})).find("passed int32 expected float") !=
          std::string::npos);
    CHECK(NodeDefBuilder("n", "CgTanh").Input(FakeInput(DT_FLOAT)).Finalize(nullptr).ok());
  }
  TEST_CASE("mistakes") {
    NodeDef node;
    CHECK(NodeDefBuilder("n", "CgNone").Finalize(&node).code() == error::INVALID_ARGUMENT);
    CHECK(NodeDefBuilder("n", "CgTanh").Finalize(&node).message() ==
          "0 inputs specified of 1 inputs in Op while building NodeDef 'n' using Op<name=CgTanh; signature=x:T -> y:T; "
          "attr=T:type,allowed=[DT_FLOAT, DT_DOUBLE]>");
    CHECK(NodeDefBuilder("n", "CgTanh")
              .Input("a", 0, DT_FLOAT)
              .Input("a", 0, DT_FLOAT)
              .Finalize(&node)
              .message()
              .find("More Input() calls than the 1 input_args") == 0);
    CHECK(NodeDefBuilder("n", "CgTanh")
              .Attr("T", DT_DOUBLE)
              .Input("a", 0, DT_FLOAT)
              .Finalize(&node)
              .message()
              .find("Inconsistent values for attr 'T' DT_DOUBLE vs. DT_FLOAT") == 0);
    CHECK(NodeDefBuilder("n", "CgNone").Finalize(&node).message().find("while building NodeDef 'n'") !=
          std::string::npos);
    OpRegistrationData data;
    CHECK(OpDefBuilder("Twice")
              .SetShapeFn(shape_inference::UnknownShape)
              .SetShapeFn(shape_inference::UnknownShape)
              .Finalize(&data)
              .message()
              .find("SetShapeFn called twice for Op Twice") != std::string::npos);
    CHECK(OpDefBuilder("Bad").Input("x float").Finalize(&data).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("a gradient as a function") {
    gradient::Creator creator;
    REQUIRE(gradient::GetOpGradientCreator("CgTanh", &creator).ok());
    FunctionDef function;
    REQUIRE(creator(AttrSlice(), &function).ok());
    CHECK(function.signature().input_arg_size() == 2);
    CHECK(function.node_def_size() == 3);
    CHECK(function.node_def(2).input(0) == "y:y:0");
    CHECK(function.node_def(2).input(1) == "^c");
    CHECK(function.ret().at("dx") == "dx:y:0");
    CHECK(gradient::GetOpGradientCreator("CgMany", &creator).code() == error::NOT_FOUND);
  }
}
}  // namespace compat_graph_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/function_derivation.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/gradients/edited_graph.hpp>
#include <tenon/gradients/functions/unary.hpp>
#include <tenon/graph/builder.hpp>

namespace function_derivation_test {
using namespace tenon;

TEST_SUITE("FunctionDerivation") {
  TEST_CASE("finds the forward tensors that the gradient reads") {
    GraphBuilder b;
    b.Placeholder("x", DataType::kFloat, {2});
    GraphDef def = b.graph_def();
    FunctionDef& f = def.library.function.emplace_back();
    f.signature.name = "f";
    f.signature.input_arg.emplace_back().name = "a";
    f.signature.input_arg[0].type = DataType::kFloat;
    f.signature.output_arg.emplace_back().name = "r";
    f.signature.output_arg[0].type = DataType::kFloat;
    for (const char* name : {"t", "u"}) {
      NodeDef& node = f.node_def.emplace_back();
      node.name = name;
      node.op = "Tanh";
      node.input.push_back(*name == 't' ? "a" : "t:y:0");
      node.attr.Set("T", AttrValue(DataType::kFloat));
    }
    f.ret.emplace_back("r", "u:y:0");
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    const InEdge inputs[] = {{edited.graph().Find("x")->id, 0}};
    const PartialTensorShape shapes[] = {PartialTensorShape({2})};
    FunctionDerivation body;
    REQUIRE(body.Import(edited.editor(), {"f", {}}, inputs, shapes).ok());
    const GradientIndex functions;
    const char has_grad[] = {1};
    REQUIRE(body.Derive(functions, has_grad).ok());
    REQUIRE(body.gradients().size() == 1);
    REQUIRE(body.gradients()[0]);
    const InEdge results[] = {body.gradients()[0].dense};
    body.FindCaptured(results);
    CHECK(body.captured().size() == 2);  // both Tanh
    CHECK(body.captured_args().empty());
    CHECK_FALSE(body.IsConditional(body.captured()[0]));
    CHECK_FALSE(body.IsCheap(body.captured()[0]));
    CHECK(body.Import(edited.editor(), {"nowhere", {}}, inputs, shapes).code() == Code::kNotFound);
  }
}

}  // namespace function_derivation_test

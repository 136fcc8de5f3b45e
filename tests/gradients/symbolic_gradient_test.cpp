// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/symbolic_gradient.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace symbolic_gradient_test {
using namespace tenon;

namespace {
// outer(a) = inner(a) * a with inner(a) = a^2
FunctionDefLibrary Library() {
  FunctionDefLibrary library;
  for (const char* name : {"inner", "outer"}) {
    FunctionDef& f = library.function.emplace_back();
    f.signature.name = name;
    f.signature.input_arg.emplace_back().name = "a";
    f.signature.input_arg[0].type = DataType::kFloat;
    f.signature.output_arg.emplace_back().name = "r";
    f.signature.output_arg[0].type = DataType::kFloat;
    NodeDef& first = f.node_def.emplace_back();
    first.name = "n";
    first.input.push_back("a");
    if (*name == 'i') {
      first.op = "Square";
      first.attr.Set("T", AttrValue(DataType::kFloat));
      f.ret.emplace_back("r", "n:y:0");
      continue;
    }
    first.op = "inner";
    NodeDef& product = f.node_def.emplace_back();
    product.name = "m";
    product.op = "Mul";
    product.input.push_back("n:r:0");
    product.input.push_back("a");
    product.attr.Set("T", AttrValue(DataType::kFloat));
    f.ret.emplace_back("r", "m:z:0");
  }
  return library;
}
float Run(const NameAttrList& f) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
  const std::vector<DataType> types{DataType::kFloat};
  b.Add("SymbolicGradient", "y", {x, b.Const("dy", Tensor::Scalar(2.f))},
        {{"f", AttrValue(f)}, {"Tout", AttrValue(types)}});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  GraphDef graph = b.graph_def();
  graph.library = Library();
  const auto session = Session::FromGraphDef(graph);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const auto got = session->Run({{"x", Tensor::Scalar(3.f)}}, {"y"}, {});
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  return (*got)[0].data<float>()[0];
}
}  // namespace

TEST_SUITE("MakeGradientFunction") {
  TEST_CASE("SymbolicGradient runs for a function, a function that calls one, and an op") {
    CHECK(Run({"inner", {}}) == 12);
    CHECK(Run({"outer", {}}) == 54);
    AttrMap attrs;
    attrs.Set("T", AttrValue(DataType::kFloat));
    CHECK(Run({"Square", attrs}) == 12);
  }
  TEST_CASE("names ops without a gradient") {
    AttrMap attrs;
    attrs.Set("T", AttrValue(DataType::kFloat));
    const auto made = MakeGradientFunction({"Snapshot", attrs}, {}, Registry::Global().ops());
    CHECK(made.status().code() == Code::kNotFound);
    CHECK(MakeGradientFunction({"Nowhere", {}}, {}, Registry::Global().ops()).status().code() == Code::kNotFound);
  }
}

}  // namespace symbolic_gradient_test

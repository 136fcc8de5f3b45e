// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/inline_functions.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace inline_functions_test {
using namespace optimize_test;

namespace {

const Names kPass{"function"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

FunctionDef UnaryFunction(const std::string& name, const std::string& op, bool noinline = false) {
  FunctionDef f;
  f.signature.name = name;
  OpDef::ArgDef arg;
  arg.name = "x";
  arg.type = DataType::kFloat;
  f.signature.input_arg.push_back(arg);
  arg.name = "y";
  f.signature.output_arg.push_back(arg);
  NodeDef node;
  node.name = "n";
  node.op = op;
  node.input = {"x"};
  node.attr.Insert("T", DataType::kFloat);
  f.node_def.push_back(node);
  f.ret.push_back({"y", "n:y:0"});
  if (noinline) f.attr.Insert("_noinline", true);
  return f;
}

// y = Abs(f(x)), f = Neg
GraphDef Call(bool noinline = false) {
  GraphBuilder b;
  const SlimVector<DataType> types{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat, {2});
  const Output call = b.Add("StatefulPartitionedCall", "call", {GraphBuilder::Input({x})},
                            {{"Tin", AttrValue(types)}, {"Tout", AttrValue(types)}, {"f", NameAttrList{"f", {}}}});
  b.Add("Abs", "y", {call});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  GraphDef def = b.graph_def();
  def.library.function.push_back(UnaryFunction("f", "Neg", noinline));
  return def;
}
GraphDef Choice(Tensor value, const char* op = "If") {
  GraphBuilder b;
  const SlimVector<DataType> types{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat, {2}), p = b.Const("p", std::move(value));
  if (std::string_view(op) == "If") {
    b.Add("Abs", "y",
          {b.Add("If", "choice", {p, GraphBuilder::Input({x})},
                 {{"Tin", AttrValue(types)},
                  {"Tout", AttrValue(types)},
                  {"then_branch", NameAttrList{"f", {}}},
                  {"else_branch", NameAttrList{"g", {}}}})});
  } else {
    AttrList branches;
    branches.func = {NameAttrList{"f", {}}, NameAttrList{"g", {}}};
    b.Add("Abs", "y",
          {b.Add("Case", "choice", {p, GraphBuilder::Input({x})},
                 {{"Tin", AttrValue(types)}, {"Tout", AttrValue(types)}, {"branches", AttrValue(branches)}})});
  }
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  GraphDef def = b.graph_def();
  def.library.function.push_back(UnaryFunction("f", "Neg"));
  def.library.function.push_back(UnaryFunction("g", "Exp"));
  return def;
}

}  // namespace

TEST_SUITE("function inlining") {
  TEST_CASE("a call of a function of one op is that op") {
    const Names all{"function", "pruning", "dependency"};
    const Optimized optimized = CheckExact(Call(), {{"x"}, {"y"}}, {kTwo}, all);
    CHECK(Text(optimized.def) == "call/n = Neg(x); x = Placeholder(); y = Abs(call/n)");
    CHECK(Text(CheckExact(Call(), {{"x"}, {"call"}}, {kTwo}, all).def) == "call = Neg(x); x = Placeholder()");
  }

  TEST_CASE("a branch that is always taken is inlined") {
    const Names all{"function", "pruning", "dependency"};
    CHECK(Count(CheckExact(Choice(Tensor::Scalar(true)), {{"x"}, {"y"}}, {kTwo}, all).def, "Neg") == 1);
    CHECK(Count(CheckExact(Choice(Tensor::Scalar(false)), {{"x"}, {"y"}}, {kTwo}, all).def, "Exp") == 1);
    const Optimized last = CheckExact(Choice(Tensor::Scalar<std::int32_t>(7), "Case"), {{"x"}, {"y"}}, {kTwo}, all);
    CHECK(Text(last.def) == "choice/n = Exp(x); x = Placeholder(); y = Abs(choice/n)");
  }

  TEST_CASE("it leaves alone a call or choice that ...") {
    SUBCASE("must not be inlined") {
      CHECK(After(Call(true), {{"x"}, {"y"}}, kPass) ==
            "call = StatefulPartitionedCall(x); x = Placeholder(); y = Abs(call)");
    }
    SUBCASE("is fed: the body does not run") {
      const std::string text = After(Call(), {{"call"}, {"y"}}, {"function", "pruning", "dependency"});
      CHECK(text.find("Neg") == std::string::npos);
      CHECK(text.find("Abs") != std::string::npos);
    }
    SUBCASE("has a fed condition, or none that is constant") {
      CHECK(Count(Optimize(Choice(Tensor::Scalar(true)), {{"x", "p"}, {"y"}}, kPass).def, "If") == 1);
      CHECK(Count(Optimize(Choice(Tensor::From<bool>({true}, {1})), {{"x"}, {"y"}}, kPass).def, "If") == 1);
    }
    SUBCASE("is fetched or a target: its name stays") {
      const Optimized optimized = CheckExact(Call(), {{"x"}, {"y", "call"}}, {kTwo}, kPass, OptimizerLevel::kExact);
      CHECK(Count(optimized.def, "StatefulPartitionedCall") == 0);
      CHECK(Text(Optimize(Call(), {{"x"}, {"y"}, {"call"}}, kPass).def).find("call = IdentityN(") != std::string::npos);
    }
    SUBCASE("calls itself") {
      GraphDef def = Call();
      NodeDef& node = def.library.function[0].node_def[0];
      node.op = "StatefulPartitionedCall";
      const SlimVector<DataType> types{DataType::kFloat};
      node.attr.clear();
      node.attr.Insert("Tin", AttrValue(types));
      node.attr.Insert("Tout", AttrValue(types));
      node.attr.Insert("f", NameAttrList{"f", {}});
      def.library.function[0].ret[0].second = "n:output:0";
      CHECK(Count(Optimize(def, {{"x"}, {"y"}}, kPass).def, "StatefulPartitionedCall") == 1);
    }
  }
}

}  // namespace inline_functions_test

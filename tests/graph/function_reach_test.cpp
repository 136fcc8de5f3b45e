// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/function_reach.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"
#include "growth.hpp"

namespace function_reach_test {
using namespace tenon;
using function_test::Call;
using function_test::Floats;
using function_test::MakeNode;

TEST_CASE("ReachableFunctions: through ops, attrs, attrs of attrs, lists, bodies and gradients") {
  FunctionDefLibrary library;
  library.function = {Floats("unused", {}, {}, ""), Floats("body", {}, {MakeNode("n", "inner", {})}, ""),
                      Floats("inner", {}, {}, ""),  Floats("gradient", {}, {}, ""),
                      Floats("listed", {}, {}, ""), Floats("deep", {}, {}, "")};
  library.gradient = {{"inner", "gradient"}, {"unused", "unused"}};
  library.registered_gradients = {{"gradient", "Op"}, {"unused", "Op"}};
  const auto names = [&](SlimVector<NodeDef> nodes) {
    SlimVector<std::string> out;
    for (const FunctionDef& function : ReachableFunctions(library, nodes).function)
      out.push_back(function.signature.name);
    return out;
  };
  using Names = SlimVector<std::string>;
  CHECK(names({}) == Names{});
  CHECK(names({MakeNode("a", "body", {})}) == Names{"body", "inner", "gradient"});
  CHECK(names({MakeNode("a", "If", {}, {{"f", Call("x", {{"g", Call("deep")}})}})}) == Names{"deep"});
  CHECK(
      names({MakeNode("a", "Case", {}, {{"branches", AttrValue(SlimVector<NameAttrList>{Call("listed").func()})}})}) ==
      Names{"listed"});
  const NodeDef inner[] = {MakeNode("a", "inner", {})};
  const FunctionDefLibrary part = ReachableFunctions(library, inner);
  CHECK(part.gradient.size() == 1);
  CHECK(part.registered_gradients.size() == 1);
}
TEST_CASE("ReachableFunctions: with a function come those that implement the same interface") {
  FunctionDefLibrary library;
  library.function = {Floats("cpu_lstm", {}, {}, ""), Floats("gpu_lstm", {}, {MakeNode("n", "inner", {})}, ""),
                      Floats("inner", {}, {}, ""), Floats("gru", {}, {}, ""), Floats("plain", {}, {}, "")};
  library.function[0].attr.Insert("api_implements", AttrValue("lstm"));
  library.function[1].attr.Insert("api_implements", AttrValue("lstm"));
  library.function[3].attr.Insert("api_implements", AttrValue("gru"));
  const NodeDef nodes[] = {MakeNode("a", "cpu_lstm", {})};
  SlimVector<std::string> names;
  for (const FunctionDef& function : ReachableFunctions(library, nodes).function)
    names.push_back(function.signature.name);
  CHECK(names == SlimVector<std::string>{"cpu_lstm", "gpu_lstm", "inner"});
}
TEST_CASE("ReachableFunctions: takes time in proportion to the functions, with gradients and interfaces") {
  constexpr int kSize = 2000;
  const auto make = [](int n) {
    FunctionDefLibrary library;
    for (int i = 0; i < n; ++i) {
      library.function.push_back(Floats(StrCat("f", i), {}, {}, ""));
      library.function.back().attr.Insert("api_implements", AttrValue("all"));
      library.gradient.push_back({StrCat("f", i), StrCat("f", n - 1 - i)});
    }
    return library;
  };
  const FunctionDefLibrary small = make(kSize), large = make(4 * kSize);
  const NodeDef nodes[] = {MakeNode("a", "f7", {})};
  CHECK(growth_test::Growth(kSize, [&](int n) {
          CHECK(ReachableFunctions(n == kSize ? small : large, nodes).function.size() == static_cast<std::size_t>(n));
        }) < growth_test::kLinear);
}
}  // namespace function_reach_test

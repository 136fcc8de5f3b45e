// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/find_variables.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>

namespace find_variables_test {
using namespace tenon;

namespace {
// "y" reads the variables body/kernel, head/kernel and head/bias, whose node is "b", and the integers of "count".
// "other" is not read.
GraphDef Model() {
  GraphBuilder b;
  const auto variable = [&](const char* node, const char* shared, DataType type) {
    return b.Add("ReadVariableOp",
                 {b.Add("VarHandleOp", node, {},
                        {{"dtype", type}, {"shape", PartialTensorShape({2})}, {"shared_name", shared}})},
                 {{"dtype", type}});
  };
  const Output body = variable("body/kernel", "", DataType::kFloat),
               head = variable("head/kernel", "", DataType::kFloat);
  const Output bias = variable("b", "head/bias", DataType::kFloat), count = variable("count", "", DataType::kInt32);
  variable("other", "", DataType::kFloat);
  const Output sum = b.Add("AddV2", {b.Add("Mul", {body, head}), bias});
  b.Add("AddV2", "y", {sum, b.Add("Cast", {count}, {{"DstT", DataType::kFloat}})});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
std::vector<std::string> Found(const VariablePatterns& patterns) {
  const auto found = FindVariables(Model(), "y:0", patterns);
  REQUIRE_MESSAGE(found.ok(), found.status().ToString());
  return {found->begin(), found->end()};
}
}  // namespace

TEST_SUITE("FindVariables") {
  using Names = std::vector<std::string>;

  TEST_CASE("takes the variables of floats that the tensor reads") {
    CHECK(Found({}) == Names{"body/kernel", "head/kernel", "b"});
  }
  TEST_CASE("matches the name of the node or the shared name") {
    CHECK(Found({.include = {"head/*"}}) == Names{"head/kernel", "b"});
    CHECK(Found({.include = {"b"}}) == Names{"b"});
    CHECK(Found({.include = {"head/bias", "body/kernel"}}) == Names{"body/kernel", "b"});
  }
  TEST_CASE("leaves out what `exclude` names") {
    CHECK(Found({.exclude = {"body/*"}}) == Names{"head/kernel", "b"});
    CHECK(Found({.include = {"head/*"}, .exclude = {"*/bias"}}) == Names{"head/kernel"});
  }
  TEST_CASE("names the variables that there are when none matches") {
    const Status none = FindVariables(Model(), "y", {.include = {"tail/*"}}).status();
    CHECK(errors::IsNotFound(none));
    CHECK(none.message() ==
          "FindVariables: no pattern matches a variable that 'y' reads; it reads 'body/kernel', 'head/kernel', 'b'");
    CHECK(FindVariables(Model(), "count").status().message() ==
          "FindVariables: no pattern matches a variable that 'count' reads; it reads none");
  }
  TEST_CASE("refuses a tensor that is not there") {
    const Status none = FindVariables(Model(), "z:0").status();
    CHECK(errors::IsNotFound(none));
    CHECK(none.message() == "FindVariables: the graph has no tensor 'z:0'");
  }
}
}  // namespace find_variables_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/lower_functional.hpp>

#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace lowered_session_test {
using namespace tenon;
using function_test::Call;
using function_test::Floats;
using function_test::MakeNode;

TEST_CASE("a session lowers its graph when asked to, and answers the same") {
  using Types = SlimVector<DataType>;
  const AttrValue type(DataType::kFloat);
  GraphDef def;
  def.versions.producer = kGraphDefVersion;
  def.library.function = {Floats("negate", {"x"}, {MakeNode("n", "Neg", {"x"}, {{"T", type}})}, "n:y:0"),
                          Floats("same", {"x"}, {}, "x")};
  def.node = {MakeNode("p", "Placeholder", {}, {{"dtype", AttrValue(DataType::kBool)}}),
              MakeNode("a", "Placeholder", {}, {{"dtype", type}}),
              MakeNode("if", "If", {"p", "a"},
                       {{"Tcond", AttrValue(DataType::kBool)},
                        {"Tin", AttrValue(Types{DataType::kFloat})},
                        {"Tout", AttrValue(Types{DataType::kFloat})},
                        {"then_branch", Call("negate")},
                        {"else_branch", Call("same")},
                        {"_lower_using_switch_merge", AttrValue(true)}})};
  for (const GraphPass pass : {GraphPass(nullptr), GraphPass(LowerFunctionalOps), GraphPass(LowerAllFunctionalOps)}) {
    const auto session = Session::FromGraphDef(def, {.lower_control_flow = pass});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    for (const bool p : {true, false}) {
      const auto out = session->Run({{"p", Tensor::Scalar(p)}, {"a", Tensor::Scalar(3.0f)}}, {"if"});
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK((*out)[0].scalar<float>()() == (p ? -3.0f : 3.0f));
    }
  }
}

}  // namespace lowered_session_test

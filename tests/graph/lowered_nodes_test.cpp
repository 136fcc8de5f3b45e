// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/lowered_nodes.hpp>

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"
#include "graph/function_graphs.hpp"

namespace lowered_nodes_test {
using namespace tenon;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;

namespace {

// Lowers a node to the Merge of its input and a call's result.
class Lowering : public LoweredNodes {
 public:
  using LoweredNodes::LoweredNodes;

  void Lower() {
    const SlimVector<DataType> types{DataType::kFloat};
    const std::string call = AddCall("call", function_test::Call("f").func(), {data_[0]}, types, types, "b");
    const std::string merge =
        AddMerge(NewName("merge"), DeviceOf(SourceOf(data_[0])), {call, data_[0]}, DataType::kFloat, {"b"});
    Finish(types, {merge}, call);
  }
  const SlimVector<std::string>& control() const { return control_; }
};

GraphDef Lowered(KeepCaller keep) {
  GraphDef def = MakeGraph({MakeInput("a"), MakeInput("b"), MakeFloat("x", "StatelessThing", {"a", "^b"}),
                            MakeFloat("y", "Neg", {"x"}), MakeFloat("z", "Neg", {"a", "^x"})});
  def.node[0].device = "/device:CPU:0";
  GraphRewrite rewrite(std::move(def));
  Lowering lowering(&rewrite, 2, keep);
  CHECK(lowering.control() == SlimVector<std::string>{"^b"});
  CHECK_FALSE(lowering.replaced());
  lowering.Lower();
  CHECK(lowering.replaced());
  return std::move(rewrite).Finish();
}

}  // namespace

TEST_SUITE("LoweredNodes") {
  TEST_CASE("what reads the node reads the new ones, who waits for it waits for what says that it ran") {
    const GraphDef def = Lowered(KeepCaller::kNo);
    CHECK(testing::Text(def, "x").empty());
    CHECK(testing::Text(def, "y") == "Neg(x/merge/_1)");
    CHECK(testing::Text(def, "z") == "Neg(a, ^x/call/_0)");
    CHECK(testing::Text(def, "x/call/_0") == "PartitionedCall(a, ^b)");
    CHECK(testing::Text(def, "x/merge/_1") == "Merge(x/call/_0, a, ^b)");
    for (const NodeDef& node : def.node) {
      if (node.op != "Merge") continue;
      CHECK(node.device == "/device:CPU:0");
      CHECK(node.attr.Find("N")->i() == 2);
    }
  }

  TEST_CASE("the name stays for those who fetch it, or only run it") {
    CHECK(testing::Text(Lowered(KeepCaller::kFetchable), "x") == "IdentityN(x/merge/_1, ^x/call/_0)");
    CHECK(testing::Text(Lowered(KeepCaller::kTargetable), "x") == "NoOp(^x/call/_0)");
  }
}
}  // namespace lowered_nodes_test

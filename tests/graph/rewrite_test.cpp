// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/rewrite.hpp>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"

namespace rewrite_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

GraphDef Chain() {
  return MakeGraph({MakeInput("a"), MakeFloat("b", "Neg", {"a"}), MakeFloat("c", "AddV2", {"b", "b:1", "^b", "^a"})});
}

}  // namespace

TEST_SUITE("GraphRewrite") {
  TEST_CASE("what read a replaced node reads what stands for it, through several replacements") {
    GraphRewrite rewrite(Chain());
    const int x = rewrite.Add(MakeFloat("x", "Relu", {"a"}));
    rewrite.Replace(rewrite.Find("b"), {"x", "a"}, {"x", "a"});
    rewrite.Add(MakeFloat("y", "Neg", {"a"}));
    rewrite.Replace(x, {"y"}, {"y"});
    CHECK(rewrite.Find("b") == -1);
    CHECK(rewrite.Resolve("b") == "y");
    CHECK(rewrite.Resolve("b:1") == "a");
    CHECK(rewrite.Resolve("b:2") == "b:2");
    const GraphDef def = std::move(rewrite).Finish();
    CHECK(def.node.size() == 3);
    CHECK(Text(def, "c") == "AddV2(y, a, ^a, ^y, ^a)");
  }

  TEST_CASE("a node may stay under the name of one that goes") {
    GraphRewrite rewrite(Chain());
    rewrite.ReplaceKeepingName(1, MakeFloat("b", "Identity", {"a"}), {"a", "a"}, {});
    CHECK(rewrite.Find("b") == 1);
    const GraphDef def = std::move(rewrite).Finish();
    CHECK(Text(def, "b") == "Identity(a)");
    CHECK(Text(def, "c") == "AddV2(a, a, ^a)");
  }

  TEST_CASE("names are never given twice") {
    GraphRewrite rewrite(Chain());
    CHECK(rewrite.UniqueName("d") == "d");
    const std::string first = rewrite.UniqueName("b"), second = rewrite.NewName("b");
    CHECK(first != "b");
    CHECK(first != second);
    rewrite.Replace(1, {}, {});
    CHECK(rewrite.UniqueName("b") != "b");
  }

  TEST_CASE("colocation with nodes that are gone is dropped") {
    GraphDef def = Chain();
    def.node[2].attr.Insert("_class", AttrValue(SlimVector<std::string>{"loc:@a", "loc:@b", "other"}));
    def.node[0].attr.Insert("_class", AttrValue(SlimVector<std::string>{"loc:@b"}));
    GraphRewrite rewrite(std::move(def));
    rewrite.Replace(1, {"a", "a"}, {});
    const GraphDef out = std::move(rewrite).Finish();
    CHECK(out.node[1].attr.Find("_class")->list().s == SlimVector<std::string>{"loc:@a", "other"});
    CHECK(out.node[0].attr.Find("_class") == nullptr);
  }
}
}  // namespace rewrite_test

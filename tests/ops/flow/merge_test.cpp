// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/merge.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kernel_call.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace flow_merge_test {
using namespace tenon;
using namespace runtime_test;

namespace {
// The inferred shape of Merge(a, b).
std::string Merged(const PartialTensorShape& a, const PartialTensorShape& b) {
  FlowGraph g;
  g.Feed("a").Feed("b").Merge("m", {"a", "b"});
  g.def.node[0].attr.Insert("shape", AttrValue(a));
  g.def.node[1].attr.Insert("shape", AttrValue(b));
  const auto graph = ImportGraphDef(GraphDef(g.def), Registry::Global().ops());
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  CHECK(graph->Find("m")->output_shape(1).DebugString() == "[]");
  return graph->Find("m")->output_shape(0).DebugString();
}
}  // namespace

TEST_SUITE("Merge") {
  TEST_CASE("gives the input that is not dead, and its number") {
    FlowGraph g;
    g.Feed("x").Feed("p", DataType::kBool).Switch("s", "x", "p").Node("n", "Neg", {"s:1"}).Merge("m", {"n", "s", "n"});
    for (const bool p : {false, true}) {
      const auto out = g.Run({{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(p)}}, {"m", "m:1"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<float>()() == (p ? -3.0f : 3.0f));
      CHECK((*out)[1].scalar<int>()() == (p ? 0 : 1));
    }
  }
  TEST_CASE("has the shape that all inputs have in common") {
    CHECK(Merged({2, 3}, {2, 3}) == "[2,3]");
    CHECK(Merged({2, 3}, {2, 4}) == "[2,?]");
    CHECK(Merged({2, -1}, {2, 4}) == "[2,?]");
    CHECK(Merged({2, 3}, {2}) == "<unknown>");
    CHECK(Merged({2, 3}, PartialTensorShape()) == "<unknown>");
    CHECK(Merged(PartialTensorShape(), {2}) == "<unknown>");
    CHECK(Merged(PartialTensorShape(TensorShape{}), PartialTensorShape(TensorShape{})) == "[]");
  }
  TEST_CASE("called alone takes the one input that is there") {
    FlowGraph g;
    g.Feed("a").Feed("b").Merge("m", {"a", "b"});
    const Tensor one = Tensor::Scalar(1.0f), none(DataType::kInvalid);
    const auto second = flow_test::Compute(g.def, "m", {none, one});
    REQUIRE(second.ok());
    CHECK((*second)[0].SharesBufferWith(one));
    CHECK((*second)[1].scalar<int>()() == 1);
    const auto neither = flow_test::Compute(g.def, "m", {none, none});
    REQUIRE(neither.ok());
    CHECK((*neither)[0].dtype() == DataType::kInvalid);
    const Status both = flow_test::Compute(g.def, "m", {one, one}).status();
    CHECK(both.code() == Code::kInternal);
    CHECK(both.message() == "Merge can not have more than one valid input.");
  }
}
}  // namespace flow_merge_test

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

TEST_SUITE("RefMerge") {
  TEST_CASE("gives the variable that is not dead, to be written to") {
    FlowGraph g;
    g.Feed("x").Feed("p", DataType::kBool).Variable("v").Variable("w");
    g.Node("sv", "RefSwitch", {"v", "p"}).Node("sw", "RefSwitch", {"w", "p"});
    g.Node("v_init", "Assign", {"v", "x"}).Node("w_init", "Assign", {"w", "x"});
    g.Node("m", "RefMerge", {"sv", "sw:1"}, {{"N", AttrValue(std::int64_t{2})}}).Node("add", "AssignAdd", {"m", "x"});
    for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kDataflow}) {
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"v_init", "w_init"}).ok());
      float values[2] = {1, 1};
      for (const bool p : {false, true, true, false, false}) {
        const auto out = session->Run({{"x", Tensor::Scalar(10.0f)}, {"p", Tensor::Scalar(p)}}, {"add", "m:1"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        values[p ? 1 : 0] += 10;
        CHECK((*out)[0].scalar<float>()() == values[p ? 1 : 0]);
        CHECK((*out)[1].scalar<int>()() == (p ? 1 : 0));
        const auto read = session->Run({}, {"v", "w"});
        REQUIRE_MESSAGE(read.ok(), read.status().message());
        for (std::size_t i = 0; i < 2; ++i) CHECK((*read)[i].scalar<float>()() == values[i]);
      }
    }
  }
}

TEST_SUITE("RefSelect") {
  TEST_CASE("gives the variable of a number, to be written to") {
    FlowGraph g;
    g.Feed("x").Feed("i", DataType::kInt32).Variable("v").Variable("w");
    g.Node("v_init", "Assign", {"v", "x"}).Node("w_init", "Assign", {"w", "x"});
    g.Node("r", "RefSelect", {"i", "v", "w"}, {{"N", AttrValue(std::int64_t{2})}}).Node("add", "AssignAdd", {"r", "x"});
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto add = [&](const Tensor& i) {
      return session->Run({{"x", Tensor::Scalar(10.0f)}, {"i", i}}, {"add"}).status();
    };
    REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"v_init", "w_init"}).ok());
    REQUIRE(add(Tensor::Scalar(1)).ok());
    REQUIRE(add(Tensor::Scalar(1)).ok());
    REQUIRE(add(Tensor::Scalar(0)).ok());
    const auto read = session->Run({}, {"v", "w"});
    REQUIRE_MESSAGE(read.ok(), read.status().message());
    CHECK((*read)[0].scalar<float>()() == 11);
    CHECK((*read)[1].scalar<float>()() == 21);
    for (const int i : {-1, 2}) {
      const Status status = add(Tensor::Scalar(i));
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(Contains(status.message(), StrCat("Index must be in the range [0, 2) but got ", i)),
                    status.message());
    }
    CHECK(Contains(add(MakeTensor<int>({1}, {0})).message(), "Index must be a scalar, but it has shape [1]"));
  }
}
}  // namespace flow_merge_test

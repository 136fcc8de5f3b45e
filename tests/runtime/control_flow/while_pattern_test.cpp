// SPDX-License-Identifier: Apache-2.0
// Which frames are cut, and into what; what they give is compared with loops on three threads, which are not cut.
#include <tenon/runtime/control_flow/while_pattern.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/runtime/api/session.hpp>

#include "runtime/flow_program.hpp"
#include "runtime/graphs.hpp"
#include "growth.hpp"
#include "runtime/loops.hpp"

namespace simple_loop_test {
using namespace runtime_test;
using tenon::detail::SimpleLoop;

namespace {

// The loop of the frame with that number.
tenon::Owned<SimpleLoop> Cut(const FlowProgram& built, int frame = 1) {
  return tenon::detail::MakeSimpleLoop(*built.program, tenon::detail::MakeFramePlan(*built.program), frame);
}
FlowGraph Counting() {
  FlowGraph g(DataType::kInt32);
  g.Feed("limit").Count("", "limit");
  return g;
}
// A loop that a test spoils: its nodes are those of FlowGraph::Count, and `more` adds what makes it another one.
template <class More>
bool IsCut(const More& more, const std::string& fetch = "exit") {
  FlowGraph g = Counting();
  more(g);
  return Cut(*BuildFlow(g, {"limit"}, {fetch})) != nullptr;
}
NodeDef& NodeNamed(FlowGraph& g, const std::string& name) {
  for (NodeDef& node : g.def.node)
    if (node.name == name) return node;
  FAIL("no node ", name);
  return g.def.node[0];
}

}  // namespace

TEST_SUITE("Simple loops") {
  TEST_CASE("are cut into what comes before the condition and what comes after") {
    const auto built = BuildFlow(Counting(), {"limit"}, {"exit"});
    const auto loop = Cut(*built);
    REQUIRE(loop != nullptr);
    CHECK(loop->num_variables() == 2);
    CHECK(loop->exits.size() == 1);
    CHECK(loop->exits[0].variable == 0);
    const Program &cond = *loop->cond, &body = *loop->body;
    REQUIRE(cond.nodes.size() == 1);
    CHECK(cond.nodes[0].node->op_name() == "Less");
    REQUIRE(body.nodes.size() == 1);
    CHECK(body.nodes[0].node->op_name() == "AddV2");
    CHECK(cond.feeds.size() == 2);
    CHECK(cond.fetches.size() == 1);
    CHECK(body.constants.size() == 1);
    REQUIRE(body.fetches.size() == 2);
    CHECK(body.fetches[0].value == body.nodes[0].first_output);
    CHECK(body.fetches[1].value == 1);  // the limit stays
    CHECK(cond.inputs[0] == 0);
    CHECK(cond.inputs[1] == 1);
    CHECK(body.last_use[0] == 1);  // the sum may take the place of what it adds to
  }

  TEST_CASE("others are left alone") {
    CHECK(IsCut([](FlowGraph&) {}));
    // Something that leaves the loop without having been a variable.
    CHECK(!IsCut([](FlowGraph& g) { g.Node("out", "Exit", {"add"}); }, "out"));
    // A conditional inside.
    CHECK(!IsCut([](FlowGraph& g) {
      g.Node("small", "Less", {"pivot", "lim"}).Switch("inner", "pivot", "small").Merge("both", {"inner:0", "inner:1"});
      NodeNamed(g, "add").input[0] = "both";
    }));
    // A loop inside.
    CHECK(!IsCut([](FlowGraph& g) {
      g.Count("in_", "pivot");
      NodeNamed(g, "in_zero").input.push_back("^pivot");
      NodeNamed(g, "add").input[0] = "in_exit";
    }));
    // The body reads what the condition's part computes.
    CHECK(!IsCut([](FlowGraph& g) {
      g.Node("twice", "AddV2", {"merge", "merge"});
      NodeNamed(g, "add").input[0] = "twice";
    }));
    // A Merge that says which input came.
    CHECK(!IsCut([](FlowGraph& g) { NodeNamed(g, "add").input[1] = "merge:1"; }));
    // Without a LoopCond.
    CHECK(!IsCut([](FlowGraph& g) { NodeNamed(g, "switch").input[1] = "less"; }));
  }

  TEST_CASE("give what frames give") {
    FlowGraph g(DataType::kInt32);
    // Three variables that change places, one of them through an Identity; a NoOp and a control edge in the body; the
    // condition reads two of them.
    g.Feed("limit")
        .Const("zero", Tensor::Scalar(0))
        .Const("three", Tensor::Scalar(3))
        .Const("seven", Tensor::Scalar(7));
    g.Enter("ea", "zero", "f").Enter("eb", "three", "f").Enter("ec", "seven", "f").Enter("lim", "limit", "f", true);
    g.Merge("a", {"ea", "na"}).Merge("b", {"eb", "nb"}).Merge("c", {"ec", "nc"});
    g.Node("sum", "AddV2", {"a", "b"})
        .Node("less", "Less", {"sum", "lim"})
        .Node("cond", "LoopCond", {"less"}, {}, false);
    g.Switch("sa", "a", "cond").Switch("sb", "b", "cond").Switch("sc", "c", "cond");
    g.Node("ia", "Identity", {"sa:1"}).Node("ic", "Identity", {"sc:1"});
    g.Node("wait", "NoOp", {"^ic"}, {}, false).Const("one", Tensor::Scalar(1), {"^ia"});
    g.Node("up", "AddV2", {"ia", "one"}).Node("more", "AddV2", {"sb:1", "ic", "^wait"});
    g.Node("na", "NextIteration", {"up"}).Node("nb", "NextIteration", {"more"}).Node("nc", "NextIteration", {"ia"});
    g.Node("xa", "Exit", {"sa"}).Node("xb", "Exit", {"sb"}).Node("xc", "Exit", {"sc"});
    const auto built = BuildFlow(g, {"limit"}, {"xa", "xb", "xc"});
    CHECK(Cut(*built) != nullptr);
    SessionOptions threads;
    threads.inter_op_threads = 3;
    threads.executor = ExecutorKind::kDataflow;
    const auto cut = g.Load({.plan_after_runs = 1}), frames = g.Load(threads);
    REQUIRE_MESSAGE(cut.ok(), cut.status().message());
    REQUIRE_MESSAGE(frames.ok(), frames.status().message());
    for (const std::int32_t limit : {0, 5, 30, 1000, 1000, 4}) {
      const std::vector<std::string> fetches{"xa", "xb", "xc"};
      const std::vector<NamedTensor> feeds{{"limit", Tensor::Scalar(limit)}};
      const auto got = cut->Run(feeds, fetches), right = frames->Run(feeds, fetches);
      REQUIRE_MESSAGE(got.ok(), got.status().message());
      REQUIRE_MESSAGE(right.ok(), right.status().message());
      for (std::size_t i = 0; i < 3; ++i)
        CHECK((*got)[i].scalar<std::int32_t>()() == (*right)[i].scalar<std::int32_t>()());
    }
  }

  TEST_CASE("that are not entered give dead values; a trace shows every node of every iteration") {
    FlowGraph g = Counting();
    g.Feed("p", DataType::kBool).Switch("way", "limit", "p");
    NodeNamed(g, "lim").input[0] = "way:1";
    NodeNamed(g, "zero").input.push_back("^way_true");
    g.Node("way_true", "Identity", {"way:1"}).Merge("out", {"exit", "way:0"});
    const auto session = g.Load({.plan_after_runs = 1});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const bool enter : {true, false, true, false}) {
      const auto out = session->Run({{"limit", Tensor::Scalar(5)}, {"p", Tensor::Scalar(enter)}}, {"out"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<std::int32_t>()() == 5);
    }
    RunTrace trace;
    const auto callable = session->MakeCallable({.feeds = {"limit", "p"}, .fetches = {"out"}});
    REQUIRE_MESSAGE(callable.ok(), callable.status().message());
    std::vector<Tensor> out(1);
    const Status traced =
        callable->RunTraced(std::vector<Tensor>{Tensor::Scalar(5), Tensor::Scalar(true)}, out, &trace);
    REQUIRE_MESSAGE(traced.ok(), traced.message());
    int adds = 0;
    for (const NodeTiming& node : trace.nodes) adds += node.name == "add";
    CHECK(adds == 5);
  }

  TEST_CASE("an error names its node once") {
    FlowGraph g = Counting();
    g.Node("left", "Sub", {"lim", "pivot"}).Const("two", Tensor::Scalar(2), {"^pivot"});
    g.Node("rest", "Sub", {"left", "two"}).Node("bad", "FloorDiv", {"add", "rest"});
    NodeNamed(g, "next").input[0] = "bad";
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto out = session->Run({{"limit", Tensor::Scalar(2)}}, {"exit"});
    CHECK(out.status().code() == Code::kInvalidArgument);
    const std::string message(out.status().message());
    CHECK_MESSAGE(message.find("[node 'bad', CPU:0]") != message.npos, message);
    CHECK_MESSAGE(message.find("[node 'lim'") == message.npos, message);
  }

  TEST_CASE("are found in linear time, loops and variables") {
    const auto run = [](int n, bool one_loop) {
      FlowGraph g(DataType::kInt32);
      g.Feed("limit");
      std::vector<std::string> fetches;
      for (int i = 0; i < n; ++i) {
        const std::string p = StrCat("l", i, "/"), cond = one_loop ? "l0/cond" : p + "cond";
        g.Enter(p + "enter", "limit", one_loop ? "f" : p).Merge(p + "merge", {p + "enter", p + "next"});
        if (!one_loop || i == 0)
          g.Node(p + "less", "Less", {p + "merge", p + "merge"}).Node(p + "cond", "LoopCond", {p + "less"}, {}, false);
        g.Switch(p + "switch", p + "merge", cond).Node(p + "next", "NextIteration", {p + "switch:1"});
        g.Node(p + "exit", "Exit", {p + "switch"});
        fetches.push_back(p + "exit");
      }
      const auto session = g.Load();
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto out = session->Run(std::vector<NamedTensor>{{"limit", Tensor::Scalar(7)}}, fetches);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK(out->back().scalar<std::int32_t>()() == 7);
    };
    CHECK(growth_test::Growth(250, [&](int n) { run(n, false); }) < growth_test::kLinear);
    CHECK(growth_test::Growth(500, [&](int n) { run(n, true); }) < growth_test::kLinear);
  }
}
}  // namespace simple_loop_test

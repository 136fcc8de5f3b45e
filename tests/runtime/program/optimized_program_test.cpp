// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/optimized_program.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/devices.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/runtime/api/session.hpp>

namespace optimized_program_test {
using namespace tenon;

namespace {

class Reports final : public OptimizationSink {
 public:
  void Optimized(const OptimizationReport& report) override {
    ++count;
    before = report.nodes_before;
    after = report.nodes_after;
  }
  int count = 0, before = 0, after = 0;
};

GraphDef Chain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, {2});
  b.Add("Abs", "y", {b.Add("Neg", "n", {b.Add("Neg", "m", {b.Add("Identity", "i", {x})})})});
  REQUIRE(b.status().ok());
  return b.graph_def();
}

}  // namespace

TEST_SUITE("optimised sessions") {
  TEST_CASE("each signature is optimised once; other signatures see the graph as it was") {
    Reports reports;
    const SessionOptions options{.optimizer = {.level = OptimizerLevel::kExact, .sink = &reports}};
    const auto session = Session::FromGraphDef(Chain(), options);
    REQUIRE(session.ok());
    const Tensor x = Tensor::From<float>({1.5f, -2}, {2});
    for (int i = 0; i < 3; ++i) {
      const auto y = session->Run({{"x", x}}, {"y"});
      REQUIRE(y.ok());
      CHECK((*y)[0].flat<float>()[1] == 2);
    }
    CHECK(reports.count == 1);
    CHECK(reports.before == 5);
    CHECK(reports.after == 2);
    const auto inner = session->Run({{"m", x}}, {"y", "n"});
    REQUIRE(inner.ok());
    CHECK((*inner)[1].flat<float>()[0] == -1.5f);
    CHECK(reports.count == 2);
  }

  TEST_CASE("a variable is one for optimised and other programs of the session") {
    GraphBuilder b;
    const Output v = b.Add("VarHandleOp", "v", {},
                           {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({})}, {"shared_name", "v"}});
    b.Add("AssignVariableOp", "assign", {v, b.Placeholder("x", DataType::kFloat, {})});
    b.Add("Identity", "read", {b.Add("ReadVariableOp", "r", {v}, {{"dtype", DataType::kFloat}})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Session::FromGraphDef(b.graph_def(), {.optimizer = {.level = OptimizerLevel::kFast}});
    REQUIRE(session.ok());
    REQUIRE(session->Run({{"x", Tensor::Scalar(7.0f)}}, {}, {"assign"}).ok());
    const auto read = session->Run({}, {"read"});
    REQUIRE(read.ok());
    CHECK((*read)[0].scalar<float>()[0] == 7);
  }

  TEST_CASE("errors are those of the graph as it was") {
    const SessionOptions options{.optimizer = {.level = OptimizerLevel::kFast}};
    const auto session = Session::FromGraphDef(Chain(), options);
    REQUIRE(session.ok());
    const Tensor x = Tensor::From<float>({1}, {1});
    const auto plain = Session::FromGraphDef(Chain());
    REQUIRE(plain.ok());
    for (const std::string fetch : {"y", "none"})
      CHECK(session->Run({{"x", x}}, {fetch}).status().ToString() ==
            plain->Run({{"x", x}}, {fetch}).status().ToString());
    CHECK(session->Run({}, {"y"}).status().code() == plain->Run({}, {"y"}).status().code());
    const auto unknown = Session::FromGraphDef(Chain(), {.optimizer = {.level = OptimizerLevel::kFast, .only = {"x"}}});
    CHECK(errors::IsInvalidArgument(unknown.status()));
  }

  TEST_CASE("callables, traces and plans work on optimised graphs") {
    const auto session =
        Session::FromGraphDef(Chain(), {.plan_after_runs = 1, .optimizer = {.level = OptimizerLevel::kExact}});
    REQUIRE(session.ok());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    REQUIRE(callable.ok());
    const Tensor x = Tensor::From<float>({1.5f, -2}, {2});
    Tensor y;
    for (int i = 0; i < 3; ++i) REQUIRE(callable->Run({&x, 1}, {&y, 1}).ok());
    RunTrace trace;
    REQUIRE(callable->RunTraced({&x, 1}, {&y, 1}, &trace).ok());
    REQUIRE(trace.nodes.size() == 1);
    CHECK(trace.nodes[0].name == "y");
    CHECK(y.flat<float>()[1] == 2);
  }

  TEST_CASE("each device's part of a graph is optimised, and what crosses stays") {
    Reports reports;
    GraphDef def = Chain();
    for (NodeDef& node : def.node)
      node.device = node.name == "m" || node.name == "n" ? "/device:CPU:1" : "/device:CPU:0";
    // On CPU:1: 1 + 1, a pair of Negs. On CPU:0: an Identity behind the placeholder.
    const SessionOptions options{.devices = {"CPU:0", "CPU:1"},
                                 .optimizer = {.level = OptimizerLevel::kExact, .sink = &reports}};
    const auto session = Session::FromGraphDef(def, options);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const Tensor x = Tensor::From<float>({1.5f, -2}, {2});
    for (int i = 0; i < 3; ++i) {
      const auto y = session->Run({{"x", x}}, {"y"});
      REQUIRE_MESSAGE(y.ok(), y.status().ToString());
      CHECK((*y)[0].flat<float>()[1] == 2);
    }
    CHECK(reports.count == 2);
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    REQUIRE(callable.ok());
    Tensor y;
    RunTrace trace;
    REQUIRE(callable->RunTraced({&x, 1}, {&y, 1}, &trace).ok());
    int negs = 0;
    for (const NodeTiming& node : trace.nodes) negs += node.node != nullptr && node.node->op_name() == "Neg" ? 1 : 0;
    CHECK(negs == 0);
    CHECK(y.flat<float>()[1] == 2);
    // What a signature fetches is there, and its part of the graph stays as it is.
    const auto inner = session->Run({{"x", x}}, {"m", "y"});
    REQUIRE(inner.ok());
    CHECK((*inner)[0].flat<float>()[1] == 2);
    // A partial run sees every node.
    const auto handle = session->PRunSetup({"x"}, {"m", "y"});
    REQUIRE_MESSAGE(handle.ok(), handle.status().ToString());
    const auto part = session->PRun(*handle, {{"x", x}}, {"m"});
    REQUIRE(part.ok());
    CHECK((*part)[0].flat<float>()[0] == -1.5f);
  }

  TEST_CASE("graphs with loops over several devices run as they are") {
    Reports reports;
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output p = b.Placeholder("p", DataType::kBool, {});
    const Output s = b.Add("Switch", "s", {x, p});
    b.Add("Merge", "y", {{b.Add("Neg", "n", {s}), b.Add("Identity", "i", {s[1]})}});
    REQUIRE(b.status().ok());
    GraphDef def = b.graph_def();
    for (NodeDef& node : def.node) node.device = node.name == "n" ? "/device:CPU:1" : "/device:CPU:0";
    const auto session = Session::FromGraphDef(
        def, {.devices = {"CPU:0", "CPU:1"}, .optimizer = {.level = OptimizerLevel::kExact, .sink = &reports}});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const Tensor value = Tensor::From<float>({1.5f, -2}, {2});
    for (const bool taken : {false, true}) {
      const auto y = session->Run({{"x", value}, {"p", Tensor::Scalar(taken)}}, {"y"});
      REQUIRE_MESSAGE(y.ok(), y.status().ToString());
      CHECK((*y)[0].flat<float>()[0] == (taken ? 1.5f : -1.5f));
    }
    CHECK(reports.count == 0);
  }
}

}  // namespace optimized_program_test

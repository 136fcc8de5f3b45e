// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/optimized_program.hpp>

#include <doctest/doctest.h>

#include <string>

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
}

}  // namespace optimized_program_test

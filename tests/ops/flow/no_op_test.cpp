// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/no_op.hpp>

#include <string>
#include <vector>

#include <tenon/device/cpu.hpp>
#include <tenon/kernel/registry/registry.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace flow_no_op_test {
using namespace tenon;

namespace {

// wait runs after x, y after wait.
Result<Session> Chain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), wait = b.Add("NoOp", "wait");
  const Output y = b.Add("Identity", "y", {b.Placeholder("z", DataType::kFloat)});
  b.AddControlInput(wait, x);
  b.AddControlInput(y, wait);
  return Session::FromGraph(b);
}

}  // namespace

TEST_SUITE("NoOp") {
  TEST_CASE("can be run to, and gives nothing") {
    GraphBuilder b;
    b.Add("NoOp", "nothing");
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto outputs = session->Run({}, {}, {"nothing"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK(outputs->empty());
  }
  TEST_CASE("runs what it waits for, with either executor") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat), wait = b.Add("NoOp", "wait");
      b.AddControlInput(wait, b.Add("Neg", "negative", {x}));
      const Result<Session> session = Session::FromGraph(b, {.executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const Status status = session->Run({}, {}, {"wait"}).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().find("You must feed a value for placeholder tensor 'x'") == 0);
      const Status fed = session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"wait"}).status();
      CHECK_MESSAGE(fed.ok(), fed.message());
    }
  }
  TEST_CASE("passes waiting on to who waits for it") {
    const Result<Session> session = Chain();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Status status = session->Run({{"z", Tensor::Scalar(2.0f)}}, {"y"}).status();
    CHECK(status.message().find("You must feed a value for placeholder tensor 'x'") == 0);
    const auto outputs = session->Run({{"x", Tensor::Scalar(1.0f)}, {"z", Tensor::Scalar(2.0f)}}, {"y"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].scalar<float>()() == 2);
  }
  TEST_CASE("cannot be fetched") {
    const Result<Session> session = Chain();
    REQUIRE(session.ok());
    const Status status = session->Run({}, {"wait"}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(
        status.message() ==
        "Tried to fetch data for 'wait', which produces no output.  To run to a node but not fetch any data, pass 'wait' as an argument to the "
        "'target_node_names' argument of the Session::Run API.");
  }
  TEST_CASE("takes no inputs") {
    GraphBuilder b;
    b.Add("NoOp", "call", {b.Placeholder("x", DataType::kFloat)});
    CHECK(b.status().ToString() == "INVALID_ARGUMENT: Node 'call': NoOp takes 0 arguments (), but 1 are given.");
  }
  TEST_CASE("has a kernel, which does nothing") {
    const Result<KernelDef> def = Registry::Global().Find(KernelKey{"NoOp", "CPU", {}});
    REQUIRE_MESSAGE(def.ok(), def.status().message());
    Cpu device;
    CHECK(ops::NoOp::kernel<Cpu>()(device).ok());
  }
}
}  // namespace flow_no_op_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/run_node.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <tenon/kernel/context_access.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace executor_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Hands its input on; takes 48 bytes while it runs and keeps 16.
class HoarderKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor scratch, kept;
    ctx->SetStatus(ctx->allocate_temp(DataType::kFloat, {12}, &scratch));
    ctx->SetStatus(ctx->allocate_persistent(DataType::kInt64, {2}, &kept));
    ctx->set_output(0, ctx->input(0));
  }
};
struct TestHoarder {
  static constexpr auto signature =
      Op("TestHoarder").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : HoarderKernel {
    using HoarderKernel::HoarderKernel;
  };
};
TENON_REGISTER(Types<float>, TestHoarder);

class LostKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(errors::Unavailable("nobody answers")); }
};
struct TestLostNode {
  static constexpr auto signature =
      Op("TestLostNode").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : LostKernel {
    using LostKernel::LostKernel;
  };
};
// The same of an op that talks to others.
struct TestLostPeer {
  static constexpr auto signature = Op("TestLostPeer")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .SetIsDistributedCommunication()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : LostKernel {
    using LostKernel::LostKernel;
  };
};
TENON_REGISTER(Types<float>, TestLostNode, TestLostPeer);

}  // namespace

TEST_SUITE("Engines") {
  TEST_CASE("give the same results on the same graphs") {
    for (const int width : {1, 2, 9})
      for (const int depth : {1, 7}) {
        const GraphBuilder graph = WideGraph(width, depth);
        std::vector<float> results;
        for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential, ExecutorKind::kDataflow})
          for (const int threads : {1, 3}) {
            const auto session = Session::FromGraph(graph, {.inter_op_threads = threads, .executor = executor});
            REQUIRE(session.ok());
            for (int i = 0; i < 3; ++i) {
              const auto out = session->Run({{"x", Tensor::Scalar(0.5f)}}, {"out"});
              REQUIRE_MESSAGE(out.ok(), out.status().message());
              results.push_back((*out)[0].scalar<float>()[0]);
            }
          }
        for (const float r : results) CHECK(r == 0.5f * static_cast<float>(1 + width * (depth + 1)));
      }
  }
  TEST_CASE("count for a trace what a node takes beside its outputs") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("AddV2", "sum", {b.Add("TestHoarder", "hoarder", {x}), x});
    FlowGraph looped(DataType::kFloat);  // the same in a graph that has frames
    looped.Feed("x").Const("on", Tensor::Scalar(true)).Switch("switch", "x", "on");
    looped.Node("hoarder", "TestHoarder", {"switch:1"}, {}, false).Node("sum", "AddV2", {"hoarder", "switch:1"});
    const auto check = [](const Result<Session>& session) {
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto run = session->MakeCallable({.feeds = {"x"}, .fetches = {"sum"}});
      REQUIRE_MESSAGE(run.ok(), run.status().message());
      Tensor in = Tensor::Scalar(1.0f), out;
      for (int round = 0; round < 2; ++round) {
        RunTrace trace;
        const Status status = run->RunTraced({&in, 1}, {&out, 1}, &trace);
        REQUIRE_MESSAGE(status.ok(), status.message());
        for (const NodeTiming& node : trace.nodes) {
          const bool hoards = node.name == "hoarder";
          CHECK(node.temp_bytes == (hoards ? 48 : 0));
          CHECK(node.persistent_bytes == (hoards ? 16 : 0));
        }
        CHECK(std::count_if(trace.nodes.begin(), trace.nodes.end(),
                            [](const NodeTiming& node) { return node.name == "hoarder"; }) == 1);
      }
    };
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const SessionOptions options{.inter_op_threads = 2, .executor = executor};
      check(Session::FromGraph(b, options));
      check(Session::FromGraphDef(GraphDef(looped.def), options));
    }
  }
  TEST_CASE("report the error of a node with its name and device") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output y = b.Placeholder("y", DataType::kFloat);
    b.Add("MatMul", "dense/MatMul", {x, y});
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = executor});
      const auto out =
          session->Run({{"x", Tensor::Zeros<float>({2, 3})}, {"y", Tensor::Zeros<float>({4, 2})}}, {"dense/MatMul"});
      CHECK(out.status().code() == Code::kInvalidArgument);
      CHECK(Contains(out.status().message(), "[node 'dense/MatMul', CPU:0]"));
      CHECK(session->Run({{"x", Tensor::Zeros<float>({2, 3})}, {"y", Tensor::Zeros<float>({3, 2})}}, {"dense/MatMul"})
                .ok());
    }
  }
  TEST_CASE("Unavailable is Internal where no op of a transport says it, as in TensorFlow") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("TestLostNode", "node", {x});
    b.Add("TestLostPeer", "peer", {x});
    FlowGraph looped(DataType::kFloat);
    looped.Feed("x").Const("on", Tensor::Scalar(true)).Switch("switch", "x", "on");
    looped.Node("node", "TestLostNode", {"switch:1"}, {}, false).Node("peer", "TestLostPeer", {"switch:1"}, {}, false);
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow})
      for (const GraphDef& graph : {b.graph_def(), looped.def}) {
        const auto session = Session::FromGraphDef(graph, {.inter_op_threads = 2, .executor = executor});
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        const Status node = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"node"}).status();
        CHECK(node.code() == Code::kInternal);
        CHECK_MESSAGE(Contains(node.message(),
                               "nobody answers\nExecuting non-communication op <node> originally "
                               "returned UnavailableError, and was replaced by InternalError"),
                      node.message());
        CHECK(Contains(node.message(), "[node 'node', CPU:0]"));
        CHECK(session->Run({{"x", Tensor::Scalar(1.0f)}}, {"peer"}).status() ==
              errors::Unavailable("nobody answers [node 'peer', CPU:0]"));
      }
  }
}
}  // namespace executor_test

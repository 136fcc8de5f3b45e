// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session_options.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tenon/device/denormals.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/simulated_device.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace session_options_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Takes its time, so that other threads get some of its nodes.
struct TestSlowSquare {
  static constexpr auto signature = Op("TestSlowSquare")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      volatile float factor = x[0];
      y[0] = factor * factor;
      return OkStatus();
    }
  };
};
TENON_REGISTER(Types<float>, TestSlowSquare);

}  // namespace

TEST_SUITE("SessionOptions") {
  TEST_CASE("the defaults are TensorFlow's where it has them") {
    const SessionOptions options;
    CHECK(options.flush_denormals);
    CHECK(options.constant_folding);
    CHECK(options.executor == ExecutorKind::kAuto);
  }
  TEST_CASE("sessions may share a device and what is in its memory") {
    auto devices = MakeDevices({"SIM:0"}, {});
    REQUIRE_MESSAGE(devices.ok(), devices.status().message());
    ResourceMgr resources;
    GraphBuilder b;
    const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}});
    b.Add("AssignVariableOp", "assign", {v, b.Const("two", Tensor::Scalar(2.0f))});
    b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
    const SessionOptions options{.device = (*devices)[1].get(), .resources = &resources};
    const auto writer = Session::FromGraph(b, options), reader = Session::FromGraph(b, options);
    REQUIRE_MESSAGE(writer.ok(), writer.status().message());
    const std::vector<std::string> none, assign{"assign"};
    CHECK(writer->Run(Span<const NamedTensor>(), none, assign).ok());
    const auto out = reader->Run({}, {"read"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()() == 2);
  }
  TEST_CASE("denormals are flushed unless asked otherwise, and the caller's mode comes back") {
    volatile float tiny = 1e-40f;
    for (const bool flush : {true, false}) {
      const auto session = Session::FromGraph(SmallGraph(), {.flush_denormals = flush});
      const auto out = session->Run({{"y", MakeTensor<float>({1}, {1e-25f})}},
                                    {"z"});  // 1e-50 underflows, 1e-25 * 1e-15 is denormal
      REQUIRE(out.ok());
      const auto product = session->Run({{"y", MakeTensor<float>({1}, {1e-20f})}}, {"z"});
      REQUIRE(product.ok());
      CHECK(((*product)[0].flat<float>()(0) == 0) == flush);
      CHECK(tiny * 1.0f != 0);
    }
  }
  TEST_CASE("denormals are flushed on every thread that runs kernels, or on none") {
    // Many squares of a number whose square is denormal, and a loop that makes one.
    GraphBuilder squares;
    const Output x = squares.Placeholder("x", DataType::kFloat);
    std::vector<std::string> fetches;
    for (int i = 0; i < 32; ++i) {
      Output y = squares.Add("TestSlowSquare", StrCat("y", i), {x});
      if (i % 2 != 0) squares.SetDevice(y, i % 4 == 1 ? "/device:CPU:1" : "/device:SIM:0");
      fetches.push_back(StrCat("y", i));
    }
    FlowGraph loop;
    loop.Feed("x").Const("on", Tensor::Scalar(true)).Switch("s", "x", "on");
    for (int i = 0; i < 32; ++i) loop.Node(StrCat("y", i), "TestSlowSquare", {"s:1"}, {}, false);
    const SessionOptions on_caller{.executor = ExecutorKind::kSequential},
        on_pool{.inter_op_threads = 4, .executor = ExecutorKind::kDataflow},
        on_devices{.devices = {"CPU:0", "CPU:1", "SIM:0"}};
    const auto check = [&](const GraphDef& graph, SessionOptions options, bool flush) {
      options.flush_denormals = flush;
      const auto session = Session::FromGraphDef(graph, options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(1e-20f)}};
      const std::string partial = *session->PRunSetup(std::vector<std::string>{"x"}, fetches);
      for (const auto& out : {session->Run(feeds, fetches), session->PRun(partial, feeds, fetches)}) {
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        for (const Tensor& y : *out) CHECK((y.scalar<float>()() == 0) == flush);
      }
      CHECK(!FlushesDenormals());
    };
    for (const bool flush : {true, false}) {
      for (const SessionOptions& options : {on_caller, on_pool}) {
        check(squares.graph_def(), options, flush);
        check(loop.def, options, flush);
      }
      check(squares.graph_def(), on_devices, flush);
    }
  }
  TEST_CASE("whoever flushes already keeps that mode") {
    const ScopedFlushDenormals mode;
    const auto session = Session::FromGraph(SmallGraph(), {.flush_denormals = false});
    const auto out = session->Run({{"y", MakeTensor<float>({1}, {1e-20f})}}, {"z"});
    REQUIRE(out.ok());
    CHECK(FlushesDenormals());
  }
}
}  // namespace session_options_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session_options.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/device/device_factory.hpp>
#include <tenon/device/simulated_device.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/simulated_kernels.hpp>

#include "graphs.hpp"

namespace session_options_test {
using namespace tenon;
using namespace runtime_test;

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
}
}  // namespace session_options_test

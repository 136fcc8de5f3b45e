// SPDX-License-Identifier: Apache-2.0
// What a session on a GPU costs, counted, and what is left of one after an error or its end.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <in_child.hpp>
#include <tenon/device/cuda_device.cuh>
#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>

#include <cuda/gpu.hpp>

namespace emulated_session_test {
using namespace tenon;

// Writes where there is no memory.
struct Stray {
  static constexpr auto signature =
      Op("StrayOnGpu").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
  struct kernel {
    static constexpr bool for_gpu = true;
    struct Body {
      float* y;
      TENON_HD void operator()(Index i) const { y[i + (Index{1} << 33)] = 1; }
    };
    Status operator()(Device& device, In<float> x, Out<float> y) const {
      return ForEach(device, x.size(), Body{y.data});
    }
  };
};

Session Make(const GraphBuilder& b) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  Result<Session> session = Session::FromGraphDef(b.graph_def(), {.devices = {"GPU:0"}});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
Tensor Row(float first) { return MakeTensor<float>({3}, {first, first + 1, first + 2}); }

TEST_SUITE("Session on an emulated GPU") {
  TEST_CASE("a step copies its feeds in and its fetches out, and nothing else" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", Row(10));
    Output y = x;
    for (int i = 0; i < 4; ++i) y = b.Add("Add", "y" + std::to_string(i), {y, w});
    const Session session = Make(b);
    const Tensor in = Row(1);
    for (int step = 0; step < 4; ++step) {
      const emulation::Counters before = emulation::Count();
      const auto outputs = session.Run({{"x", in}}, {"y3", "y1"});
      REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
      CHECK((*outputs)[0].flat<float>()[2] == 51);
      const emulation::Counters did = emulation::Count() - before;
      if (step == 0) continue;
      CHECK(did.launches == 4);
      CHECK(did.copies_to_device == 1);
      CHECK(did.copies_to_host == 2);
      if (!detail::WaitsForKernels()) CHECK(did.waits == 1);
    }
  }
  TEST_CASE("constants are on the GPU once, whatever the signatures" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", Row(10));
    b.Add("Add", "one", {x, w});
    b.Add("Add", "two", {w, x});
    const Session session = Make(b);
    REQUIRE(session.Run({{"x", Row(1)}}, {"one"}).ok());
    const emulation::Counters before = emulation::Count();
    REQUIRE(session.Run({{"x", Row(1)}}, {"two"}).ok());
    CHECK((emulation::Count() - before).copies_to_device == 1);  // the feed
  }
  TEST_CASE("nodes whose values never change are computed before the first step" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    Output sum = b.Const("c", Row(1));
    for (int i = 0; i < 5; ++i) sum = b.Add("Add", "sum" + std::to_string(i), {sum, sum});
    b.Add("Add", "y", {sum, b.Placeholder("x", DataType::kFloat)});
    const Session session = Make(b);
    const emulation::Counters before = emulation::Count();
    const auto outputs = session.Run({{"x", Row(0)}}, {"y"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    CHECK((*outputs)[0].flat<float>()[0] == 32);
    CHECK((emulation::Count() - before).launches == 1);
  }
  TEST_CASE("a tensor on the GPU outlives its session" * doctest::skip(WithoutGpu())) {
    Tensor kept;
    {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat);
      b.Add("Add", "y", {x, x});
      const Session session = Make(b);
      auto callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"y"}, .fetch_devices = {{"y", "GPU:0"}}});
      REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
      const Tensor x_value = Row(1);
      REQUIRE(callable->Run({&x_value, 1}, {&kept, 1}).ok());
    }
    CHECK(!kept.HostAccessible());
    auto device = CudaDevice::Create("/job:localhost/replica:0/task:0/device:GPU:0", 0);
    REQUIRE(device.ok());
    Tensor host;
    REQUIRE((*device)->CopyToHost(kept, CpuAllocator(), &host).ok());
    CHECK(host.flat<float>()[2] == 6);
    device->reset();
    kept = Tensor();
  }
#if TENON_TEST_FORKS
  TEST_CASE("an error of a kernel is told by its run and by all later ones, not as a lack of memory" *
            doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("StrayOnGpu", "stray", {x});
    b.Add("Add", "sum", {x, x});
    const Session session = Make(b);
    const int said = test::InChild([&] {
      for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) (void)std::signal(number, SIG_DFL);
      // The environment of the test decides; the first run tells of the node that failed, if launches wait.
      const bool waits = detail::WaitsForKernels();
      const Status first = session.Run({{"x", Row(1)}}, {"stray"}).status();
      if (waits != (first.message().find("[node 'stray', GPU:0]") != std::string_view::npos)) return 3;
      for (const char* const fetch : {"stray", "sum", "sum"}) {
        const Status status = session.Run({{"x", Row(1)}}, {fetch}).status();
        if (status.code() != Code::kInternal) return 1;
        if (status.message().find("an illegal memory access was encountered") == std::string_view::npos) return 2;
      }
      std::_Exit(0);  // what the failed GPU holds cannot be freed
    });
    CHECK(said == 0);
  }
#endif
}
}  // namespace emulated_session_test

TENON_REGISTER(emulated_session_test::Stray);

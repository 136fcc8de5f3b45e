// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/dataflow.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/multi_device/multi_device_session.hpp>

#include "runtime/graphs.hpp"

namespace dataflow_executor_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Ends long before its call returns.
std::atomic<int> ended{0}, returned{0};
class LingeringKernel : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    ctx->set_output(0, ctx->input(0));
    done();
    ended.fetch_add(1);
    ended.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    returned.fetch_add(1);
  }
};
// Ends when a kernel lingers, so that the thread that runs it is another one.
class AfterLingeringKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ended.wait(0);
    ctx->set_output(0, ctx->input(0));
  }
};
template <class Kernel>
struct DxOp {
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : Kernel {
    using Kernel::Kernel;
  };
};
struct DxLinger : DxOp<LingeringKernel> {
  static constexpr auto signature =
      Op("DxLinger").Input("x: float").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnchangedShape);
};
struct DxAfterLinger : DxOp<AfterLingeringKernel> {
  static constexpr auto signature = Op("DxAfterLinger")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
};

// Says when it ran; those whose number is divisible by 7 take long enough for a thread of their own.
constexpr int kMarks = 300;
std::atomic<int> clock_of_marks{0};
std::atomic<int> marks[kMarks];
class MarkKernel : public OpKernel {
 public:
  explicit MarkKernel(OpKernelConstruction* ctx) : OpKernel(ctx) { ctx->SetStatus(ctx->GetAttr("number", &number_)); }
  void Compute(OpKernelContext*) override {
    const auto begin = std::chrono::steady_clock::now();
    while (number_ % 7 == 0 && std::chrono::steady_clock::now() - begin < std::chrono::microseconds(5)) continue;
    marks[number_] = clock_of_marks.fetch_add(1) + 1;
  }

 private:
  int number_ = 0;
};
struct DxMark : DxOp<MarkKernel> {
  static constexpr auto signature =
      Op("DxMark").Attr("number: int").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);
};
TENON_REGISTER(Types<float>, DxLinger, DxAfterLinger, DxMark);

GraphBuilder LingeringGraph(std::string_view device = "") {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  b.Add("DxAfterLinger", "gate", {x});
  const Output linger = b.Add("DxLinger", "linger", {x});
  if (!device.empty()) b.SetDevice(linger, device);
  return b;
}
void ForgetCalls() {
  while (returned != ended) std::this_thread::yield();
  ended = returned = 0;
}

}  // namespace

TEST_SUITE("Dataflow engine") {
  TEST_CASE("control edges order nodes that share no data") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output a = b.Add("AddV2", "a", {x, x});
    const Output wait = b.Add("NoOp", "wait");
    b.AddControlInput(wait, a);
    const Output c = b.Add("Mul", "c", {x, x});
    b.AddControlInput(c, wait);
    REQUIRE(b.status().ok());
    const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = ExecutorKind::kDataflow});
    const auto out = session->Run({{"x", Tensor::Scalar(3.0f)}}, {"c"}, {"wait"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()[0] == 9);
  }
  TEST_CASE("a run whose nodes all fail comes to its end with the first error") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    for (int i = 0; i < 8; ++i) b.Add("AddV2", StrCat("y", i), {x, x});
    const auto session = Session::FromGraph(b, {.inter_op_threads = 3, .executor = ExecutorKind::kDataflow});
    for (int i = 0; i < 20; ++i) {
      const auto out = session->Run({}, {"y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7"});
      CHECK(Contains(out.status().message(), "You must feed a value for placeholder tensor 'x'"));
    }
  }
  TEST_CASE("nodes that do nothing order those around them, in each run anew, also after one that failed") {
    std::mt19937 random(7);
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output first = b.Add("Exp", "first", {x});
    SlimVector<Output> nodes{first};
    std::vector<std::vector<char>> before(kMarks + 1, std::vector<char>(kMarks + 1, 0));  // [a][b]: b runs before a
    for (int n = 1; n <= kMarks; ++n) {
      const bool is_mark = random() % 4 == 0;
      const Output node =
          is_mark ? b.Add("DxMark", StrCat("n", n), {}, {{"number", n - 1}}) : b.Add("NoOp", StrCat("n", n));
      const auto count = static_cast<int>(random() % 3) + (n == kMarks ? 40 : n % 50 == 0 ? 20 : 1);
      for (int i = 0; i < count; ++i) {
        const auto from =
            static_cast<std::size_t>(n - 1 - static_cast<int>(random() % static_cast<unsigned>(std::min(n, 30))));
        b.AddControlInput(node, nodes[from]);
        before[static_cast<std::size_t>(n)][from] = 1;
        for (std::size_t a = 0; a < from; ++a) before[static_cast<std::size_t>(n)][a] |= before[from][a];
      }
      nodes.push_back(node);
    }
    REQUIRE(b.status().ok());
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(3.0f)}};
    std::vector<std::string> all;
    for (int n = 1; n <= kMarks; ++n) all.push_back(StrCat("n", n));
    for (const int threads : {1, 2, 4}) {
      const auto session = Session::FromGraph(b, {.inter_op_threads = threads, .executor = ExecutorKind::kDataflow});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (int run = 0; run < 40; ++run) {
        for (std::atomic<int>& mark : marks) mark = 0;
        if (run % 10 == 5) CHECK(!session->Run(std::vector<NamedTensor>(), {}, all).ok());
        const auto out = session->Run(feeds, {}, all);
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        bool in_order = true;
        for (std::size_t a = 1; a <= kMarks; ++a)
          for (std::size_t c = 1; c < a; ++c)
            if (before[a][c] != 0 && marks[a - 1] != 0) in_order = in_order && marks[c - 1] < marks[a - 1];
        CHECK(in_order);
      }
    }
  }
  TEST_CASE("a task of the pool may run a session on that pool, though its threads are busy with such tasks") {
    GraphBuilder b;
    Output last = b.Add("NoOp", "last");
    for (int i = 0; i < 21; ++i) b.AddControlInput(last, b.Add("DxMark", StrCat("m", i), {}, {{"number", 7 * i}}));
    ThreadPool pool(3, "shared");
    const auto session = Session::FromGraph(b, {.inter_op_pool = &pool, .executor = ExecutorKind::kDataflow});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    struct Runs {
      const Session& session;
      std::atomic<int> ok{0}, left{8};
      Notification done{};
    } runs{*session};
    for (int i = 0; i < 8; ++i)
      pool.Schedule(
          [](void* argument) {
            auto* all = static_cast<Runs*>(argument);
            all->ok += all->session.Run({}, {}, {"last"}).ok();
            if (--all->left == 0) all->done.Notify();
          },
          &runs);
    REQUIRE(runs.done.WaitForNotificationWithTimeout(20'000'000));
    CHECK(runs.ok == 8);
  }
  TEST_CASE("a run ends after the calls of asynchronous kernels have returned") {
    const auto session = Session::FromGraph(LingeringGraph(), {.inter_op_threads = 3});
    REQUIRE(session.ok());
    for (int i = 0; i < 3; ++i) {
      ForgetCalls();
      const auto out = session->Run({{"x", Tensor::Scalar(3.0f)}}, {"gate", "linger"});
      CHECK(returned == 1);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[1].scalar<float>()[0] == 3);
    }
  }
  TEST_CASE("a run on several devices ends after they have returned") {
    for (const char* device : {"/device:CPU:0", "/device:SIM:0"}) {
      CAPTURE(device);
      Result<SlimVector<Owned<Device>>> devices = MakeDevices({"CPU:0", "SIM:0"}, {CpuAllocator(), nullptr});
      REQUIRE(devices.ok());
      Owned<DeviceMgr> manager(StaticDeviceMgr::Create(*std::move(devices)).value().release());
      auto session = MultiDeviceSession::Create(LingeringGraph(device).graph_def(), std::move(manager));
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (int i = 0; i < 3; ++i) {
        ForgetCalls();
        const auto out = (*session)->Run({{"x", Tensor::Scalar(3.0f)}}, {"gate", "linger"});
        CHECK(returned == 1);
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[1].scalar<float>()[0] == 3);
      }
    }
  }
}
}  // namespace dataflow_executor_test

// SPDX-License-Identifier: Apache-2.0
// Kernels whose loops throw, on the caller's thread and on others, in every engine: the run ends with a Status, and the
// session goes on.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/device/cpu.hpp>
#include <tenon/device/executor_pool.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graphs.hpp"
#include "loops.hpp"

namespace throwing_loops_test {
#if defined(__cpp_exceptions)
using namespace tenon;
using namespace runtime_test;

namespace {

enum class Where { kNowhere, kCaller, kHelper, kEverywhere, kForEach };
std::atomic<Where> where{Where::kNowhere};

// y = x + 1, in parts of 1,000 elements.
struct TlLoop {
  static constexpr auto signature =
      Op("TlLoop").Input("x: float").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnchangedShape);
  struct EachThrows {
    const float* x;
    float* y;
    void operator()(Index i) const {
      if (i == 77'777) throw std::out_of_range("thrown by ForEach");
      y[i] = x[i] + 1;
    }
  };
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<float> x, Out<float> y) const {
      const Where now = where;
      if (now == Where::kForEach) return ForEach(device, x.size(), EachThrows{x.data, y.data});
      const std::thread::id caller = std::this_thread::get_id();
      const bool meets = device.pool != nullptr && device.pool->NumThreads() > 1 && now != Where::kNowhere;
      std::atomic<int> callers{0}, helpers{0};
      ParallelFor(device, x.size(), 1000, [&](Index begin, Index end) {
        const bool is_caller = std::this_thread::get_id() == caller;
        ++(is_caller ? callers : helpers);
        while (meets && (callers == 0 || helpers == 0)) std::this_thread::yield();
        if (now == Where::kEverywhere || (is_caller ? now == Where::kCaller : now == Where::kHelper))
          throw std::runtime_error("thrown by a part");
        for (Index i = begin; i < end; ++i) y[i] = x[i] + 1;
      });
      return OkStatus();
    }
  };
};
TENON_REGISTER(tenon::Types<float>, TlLoop);

constexpr Index kElements = 100'000;

// Two loops side by side, and one after them.
GraphDef Loops() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output left = b.Add("TlLoop", "left", {x}), right = b.Add("TlLoop", "right", {x});
  b.Add("TlLoop", "z", {b.Add("AddV2", "y", {left, right})});
  REQUIRE(b.status().ok());
  return b.graph_def();
}

void CheckThrows(const SessionOptions& options, std::string_view what) {
  INFO(what);
  const Result<Session> session = Session::FromGraphDef(Loops(), options);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  Tensor x(DataType::kFloat, TensorShape({kElements}));
  for (Index i = 0; i < kElements; ++i) x.flat<float>()[i] = static_cast<float>(i);
  const auto runs_well = [&] {
    where = Where::kNowhere;
    for (int i = 0; i < 5; ++i) {  // with a plan, too
      const auto out = session->Run({{"x", x}}, {"z"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()[kElements - 1] == 2 * (kElements - 1) + 3);
    }
  };
  runs_well();
  for (int round = 0; round < 5; ++round) {
    for (const Where now : {Where::kCaller, Where::kHelper, Where::kEverywhere, Where::kForEach}) {
      where = now;
      const Status status = session->Run({{"x", x}}, {"z"}).status();
      if (now == Where::kHelper && options.intra_op_threads == 1) {
        CHECK(status.ok());
        continue;
      }
      CHECK(status.code() == Code::kInternal);
      CHECK_MESSAGE(Contains(status.message(), "the kernel of op 'TlLoop' threw out of node '"), status.message());
      CHECK_MESSAGE(Contains(status.message(), now == Where::kForEach ? "thrown by ForEach" : "thrown by a part"),
                    status.message());
    }
    runs_well();
  }
}

}  // namespace

TEST_SUITE("Loops that throw") {
  TEST_CASE("end a run with their text, in every engine") {
    for (const int intra : {1, 2, 4}) {
      CheckThrows({.intra_op_threads = intra}, "sequential");
      CheckThrows({.intra_op_threads = intra, .executor = ExecutorKind::kSequential, .plan_after_runs = 0},
                  "unplanned");
      CheckThrows({.inter_op_threads = 2, .intra_op_threads = intra, .executor = ExecutorKind::kDataflow}, "dataflow");
      CheckThrows({.intra_op_threads = intra, .devices = {"CPU:0", "CPU:1"}}, "two devices");
    }
  }
  TEST_CASE("over a pool that loops and nodes share") {
    ThreadPool pool(4, "both");
    CheckThrows({.intra_op_pool = &pool, .inter_op_pool = &pool, .executor = ExecutorKind::kDataflow}, "one pool");
  }
}
#endif
}  // namespace throwing_loops_test

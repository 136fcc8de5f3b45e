// SPDX-License-Identifier: Apache-2.0
// Sessions that record their steps: what a recorded step starts, and that it gives the results of one that is not.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <tenon/device/cuda_device.cuh>
#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>

#include <cuda/gpu.hpp>

namespace recorded_session_test {
using namespace tenon;

// Waits for its own work, which no recording allows.
struct Impatient {
  static constexpr auto signature =
      Op("ImpatientOnGpu").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
  struct kernel {
    static constexpr bool for_gpu = true;
    struct Body {
      In<float> x;
      Out<float> y;
      TENON_HD void operator()(Index i) const { y[i] = x[i] + 1; }
    };
    Status operator()(Device& device, In<float> x, Out<float> y) const {
      TENON_RETURN_IF_ERROR(ForEach(device, x.size(), Body{x, y}));
      if constexpr (Device::type == "GPU")
        return CudaStatus(cudaStreamSynchronize(device.stream), device.ordinal, "cannot wait");
      return OkStatus();
    }
  };
};

Session Make(const GraphBuilder& b, SessionOptions options = {.devices = {"GPU:0"}, .record_steps = true}) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  Result<Session> session = Session::FromGraphDef(b.graph_def(), std::move(options));
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
Tensor Row(float first) { return MakeTensor<float>({3}, {first, first + 1, first + 2}); }
// x -> four sums, of which two are fetched.
GraphBuilder FourSums() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", Row(10));
  Output y = x;
  for (int i = 0; i < 4; ++i) y = b.Add("Add", "y" + std::to_string(i), {y, w});
  return b;
}
std::vector<Tensor> MustRun(const Session& session, const std::vector<NamedTensor>& feeds,
                            const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {}) {
  auto outputs = session.Run(feeds, fetches, targets);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
  return *std::move(outputs);
}

TEST_SUITE("Recorded steps on an emulated GPU") {
  TEST_CASE("from the third run on, a step is one start, its feeds and its fetches" * doctest::skip(WithoutGpu())) {
    const Session session = Make(FourSums());
    std::vector<Tensor> kept;
    for (int run = 0; run < 6; ++run) {
      CAPTURE(run);
      const emulation::Counters before = emulation::Count();
      const float x = static_cast<float>(run);
      const std::vector<Tensor> outputs = MustRun(session, {{"x", Row(x)}}, {"y3", "y1"});
      const emulation::Counters did = emulation::Count() - before;
      CHECK(outputs[0].flat<float>()[2] == x + 50);
      CHECK(outputs[1].flat<float>()[0] == x + 20);
      kept.push_back(outputs[0]);
      if (run < 2 || detail::WaitsForKernels()) continue;  // then nothing can be recorded
      CHECK(did.launches == 0);
      CHECK(did.graph_launches == 1);
      CHECK(did.copies_to_device == 1);
      CHECK(did.copies_to_host == 2);
      CHECK(did.copies_on_device == 0);
      CHECK(did.allocations == 0);
      CHECK(did.waits == 1);
    }
    for (int run = 0; run < 6; ++run)  // a later run has not written to them
      CHECK(kept[static_cast<std::size_t>(run)].flat<float>()[0] == static_cast<float>(run) + 40);
  }
  TEST_CASE("without the option nothing is recorded" * doctest::skip(WithoutGpu())) {
    const Session session = Make(FourSums(), {.devices = {"GPU:0"}});
    const emulation::Counters before = emulation::Count();
    for (int run = 0; run < 5; ++run) MustRun(session, {{"x", Row(1)}}, {"y3"});
    CHECK((emulation::Count() - before).graph_launches == 0);
  }
  TEST_CASE("other shapes have recordings of their own" * doctest::skip(WithoutGpu())) {
    const Session session = Make(FourSums());
    for (const Index rows : {1, 1, 1, 2, 2, 2, 1, 3, 2, 1, 1, 3, 3, 3, 2}) {
      CAPTURE(rows);
      Tensor x(DataType::kFloat, TensorShape{rows, 3});
      for (Index i = 0; i < 3 * rows; ++i) x.flat<float>()[i] = static_cast<float>(i * rows);
      const std::vector<Tensor> y = MustRun(session, {{"x", x}}, {"y3"});
      REQUIRE(y[0].shape() == x.shape());
      for (Index i = 0; i < 3 * rows; ++i)
        CHECK(y[0].flat<float>()[i] == static_cast<float>(i * rows + 40 + 4 * (i % 3)));
    }
  }
  TEST_CASE("a node on the host parts the kernels before it from those behind it" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", Row(10));
    const Output turned = b.Add("ReverseOnHost", "turned", {b.Add("Add", "before", {x, w})});
    b.Add("Add", "y", {turned, w});
    const Session session = Make(b);
    for (int run = 0; run < 5; ++run) {
      const emulation::Counters before = emulation::Count();
      const std::vector<Tensor> y = MustRun(session, {{"x", Row(static_cast<float>(run))}}, {"y"});
      CHECK(y[0].flat<float>()[0] == static_cast<float>(run) + 24);
      const emulation::Counters did = emulation::Count() - before;
      if (run < 2 || detail::WaitsForKernels()) continue;
      CHECK(did.graph_launches == 2);
      CHECK(did.launches == 0);
      CHECK(did.allocations == 0);
    }
  }
  TEST_CASE("a value that a kernel reads on the host may change" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), factor = b.Placeholder("factor", DataType::kInt32);
    b.Add("Add", "y", {b.Add("ScaleBy", "scaled", {b.Add("Add", "twice", {x, x}), factor}), x});
    const Session session = Make(b);
    for (const std::int32_t by : {2, 2, 2, 3, 3, 3, 3, 5, 2, 2, 2, 2}) {
      CAPTURE(by);
      const std::vector<Tensor> y = MustRun(session, {{"x", Row(1)}, {"factor", Tensor::Scalar(by)}}, {"y"});
      CHECK(y[0].flat<float>()[2] == 3 * static_cast<float>(2 * by + 1));
    }
  }
  TEST_CASE("the shape of a kernel's output parts nothing" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output turned = b.Add("Transpose", "turned", {x, b.Const("perm", MakeTensor<std::int32_t>({2}, {1, 0}))});
    const Output shape = b.Add("Shape", "shape", {turned});
    b.Add("Pack", "both", {shape, shape}, {{"N", 2}, {"axis", 0}});
    b.Add("Add", "y", {turned, turned});
    const Session session = Make(b);
    const Tensor in = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    for (int run = 0; run < 4; ++run) {
      const emulation::Counters before = emulation::Count();
      const std::vector<Tensor> outputs = MustRun(session, {{"x", in}}, {"y", "both", "shape"});
      CHECK(outputs[0].SummarizeValue(8) == "[2 8][4 10][6 12]");
      CHECK(outputs[1].SummarizeValue(8) == "[3 2][3 2]");
      CHECK(outputs[2].SummarizeValue(8) == "3 2");
      const emulation::Counters did = emulation::Count() - before;
      if (run >= 2 && !detail::WaitsForKernels()) CHECK(did.graph_launches >= 1);
    }
  }
  TEST_CASE("variables keep what was assigned to them" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output w = b.Add("VarHandleOp", "w", {},
                           {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3})}, {"shared_name", "w"}});
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output sum = b.Add("Add", "sum", {x, x});
    b.Add("AssignVariableOp", "assign", {w, sum}, {{"dtype", DataType::kFloat}});
    b.Add("Add", "y", {b.Add("ReadVariableOp", "read", {w}, {{"dtype", DataType::kFloat}}), x});
    const Session session = Make(b);
    for (int run = 0; run < 8; ++run) {
      CAPTURE(run);
      const auto value = static_cast<float>(run);
      MustRun(session, {{"x", Row(value)}}, {}, {"assign"});
      for (const float other : {100.0f, 200.0f}) {
        const std::vector<Tensor> y = MustRun(session, {{"x", Row(other)}}, {"y", "read"});
        CHECK(y[0].flat<float>()[0] == 2 * value + other);
        CHECK(y[1].flat<float>()[0] == 2 * value);
      }
    }
  }
  TEST_CASE("a kernel that cannot be recorded leaves the step as it was" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("Add", "y", {b.Add("ImpatientOnGpu", "one", {b.Add("Add", "twice", {x, x})}), x});
    const Session session = Make(b);
    for (int run = 0; run < 8; ++run) {
      const std::vector<Tensor> y = MustRun(session, {{"x", Row(static_cast<float>(run))}}, {"y"});
      CHECK(y[0].flat<float>()[0] == 3 * static_cast<float>(run) + 1);
    }
  }
  TEST_CASE("threads of one session start their own recordings" * doctest::skip(WithoutGpu())) {
    const Session session = Make(FourSums());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int run = 0; run < 30; ++run) {
          const auto x = static_cast<float>(100 * t + run);
          const auto y = session.Run({{"x", Row(x)}}, {"y3", "y0"});
          if (!y.ok() || (*y)[0].flat<float>()[1] != x + 45 || (*y)[1].flat<float>()[2] != x + 14) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}
}  // namespace recorded_session_test

TENON_REGISTER(recorded_session_test::Impatient);

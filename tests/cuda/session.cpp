// SPDX-License-Identifier: Apache-2.0
// Sessions on "GPU:0". This file is also the program's runtime, compiled without nvcc.
#include <tenon/runtime.hpp>

#include <tenon/devices.hpp>
#include <tenon/runtime/planned/recorded_run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <cuda/gpu.hpp>

using tenon::DataType;
using tenon::GraphBuilder;
using tenon::MakeTensor;
using tenon::Output;
using tenon::Session;
using tenon::SessionOptions;
using tenon::Status;
using tenon::Tensor;

namespace {

// x [m,k] -> ZeroOut -> + row -> * w: everything has a GPU kernel.
tenon::GraphDef ThreeOps() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output kept = b.Add("ZeroOut", "kept", {x}, {{"preserve_index", 4}});
  const Output sum = b.Add("Add", "sum", {kept, b.Const("row", MakeTensor<float>({3}, {10, 20, 30}))});
  b.Add("MatMul", "product", {sum, b.Const("w", MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))},
        {{"transpose_b", true}});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
const Tensor& TwoByThree() {
  static const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  return x;
}

Session Make(const tenon::GraphDef& graph, SessionOptions options) {
  tenon::Result<Session> session = Session::FromGraphDef(graph, std::move(options));
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
std::string Values(const Tensor& t) { return t.SummarizeValue(100); }

std::vector<std::string> RunAll(const Session& session, std::initializer_list<tenon::NamedTensor> feeds,
                                std::initializer_list<std::string> fetches) {
  auto outputs = session.Run(feeds, fetches);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
  std::vector<std::string> values;
  for (const Tensor& t : *outputs) {
    CHECK(t.HostAccessible());
    values.push_back(Values(t));
  }
  return values;
}

}  // namespace

TEST_CASE("a program with GPU kernels still runs on the CPU") {
  const Session session = Make(ThreeOps(), {});
  CHECK(session.devices() == std::vector<std::string>{"/job:localhost/replica:0/task:0/device:CPU:0"});
  CHECK(RunAll(session, {{"x", TwoByThree()}}, {"kept", "sum", "product"}) ==
        std::vector<std::string>{"[0 0 0][0 5 0]", "[10 20 30][10 25 30]", "[140 320][150 345]"});
}

TEST_CASE("without a GPU a session on GPU:0 is refused with CUDA's reason, and the next one works" *
          doctest::skip(HasGpu())) {
  for (const std::string name : {"GPU:0", "/device:GPU:0", "GPU:7"}) {
    CAPTURE(name);
    const Status status = Session::FromGraphDef(ThreeOps(), {.devices = {name, "CPU:0"}}).status();
    CHECK(status.code() == tenon::Code::kFailedPrecondition);
    CHECK(status.message().find("cannot use a GPU of this machine") != std::string_view::npos);
    CHECK(Session::FromGraphDef(ThreeOps(), {.devices = {"CPU:0", name}}).status().code() == status.code());
  }
  const Session session = Make(ThreeOps(), {.devices = {"CPU:0"}});
  CHECK(RunAll(session, {{"x", TwoByThree()}}, {"product"}) == std::vector<std::string>{"[140 320][150 345]"});
}

TEST_CASE("a device of a type that nobody linked is refused, and the error knows GPUs") {
  const Status status = Session::FromGraphDef(ThreeOps(), {.devices = {"TPU:0"}}).status();
  CHECK(status.code() == tenon::Code::kInvalidArgument);
  CHECK(status.message().starts_with("SessionOptions: no device 'TPU:0'; available: 'CPU:0', "));
  CHECK(status.message().find("'GPU:*'") != std::string_view::npos);
}

TEST_CASE("GPU:7 is not found where there are fewer" * doctest::skip(WithoutGpu())) {
  const Status status = Session::FromGraphDef(ThreeOps(), {.devices = {"GPU:77"}}).status();
  CHECK(status.code() == tenon::Code::kNotFound);
  CHECK(status.message().find("there is no 'GPU:77'; this machine has 'GPU:0'") != std::string_view::npos);
}

TEST_CASE("a graph runs on the GPU: feeds are copied in, fetches out" * doctest::skip(WithoutGpu())) {
  const Session session = Make(ThreeOps(), {.devices = {"GPU:0", "CPU:0"}});
  CHECK(session.devices() == std::vector<std::string>{"/job:localhost/replica:0/task:0/device:GPU:0",
                                                      "/job:localhost/replica:0/task:0/device:CPU:0"});
  for (int round = 0; round < 3; ++round)
    CHECK(RunAll(session, {{"x", TwoByThree()}}, {"kept", "sum", "product"}) ==
          std::vector<std::string>{"[0 0 0][0 5 0]", "[10 20 30][10 25 30]", "[140 320][150 345]"});
}

TEST_CASE("a graph runs on the CPU and the GPU, each node where it asks to be" * doctest::skip(WithoutGpu())) {
  tenon::GraphDef graph = ThreeOps();
  for (tenon::NodeDef& node : graph.node) node.device = node.name == "sum" ? "/device:CPU:0" : "/device:GPU:0";
  const Session session = Make(graph, {.devices = {"CPU:0", "GPU:0"}, .allow_soft_placement = true});
  for (int round = 0; round < 3; ++round)
    CHECK(RunAll(session, {{"x", TwoByThree()}}, {"kept", "sum", "product"}) ==
          std::vector<std::string>{"[0 0 0][0 5 0]", "[10 20 30][10 25 30]", "[140 320][150 345]"});
  auto callable =
      session.MakeCallable({.feeds = {"x"}, .fetches = {"product"}, .fetch_devices = {{"product", "GPU:0"}}});
  REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
  const Tensor x = TwoByThree();
  Tensor product;
  tenon::RunTrace trace;
  REQUIRE(callable->RunTraced({&x, 1}, {&product, 1}, &trace).ok());
  CHECK(!product.HostAccessible());
  for (const tenon::NodeTiming& node : trace.nodes)
    if (node.name == "sum" || node.name == "kept")
      CHECK(node.device.substr(node.device.size() - 5) == (node.name == "sum" ? "CPU:0" : "GPU:0"));
}

TEST_CASE("the timeline says which nodes ran on the GPU and what was copied" * doctest::skip(WithoutGpu())) {
  const Session session = Make(ThreeOps(), {.devices = {"GPU:0"}});
  auto callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"product"}});
  REQUIRE(callable.ok());
  std::vector<Tensor> feeds{TwoByThree()}, fetches(1);
  tenon::RunTrace trace;
  REQUIRE(callable->RunTraced(feeds, fetches, &trace).ok());
  std::vector<std::string> ops;
  for (const tenon::NodeTiming& node : trace.nodes) ops.emplace_back(node.op);
  CHECK(ops == std::vector<std::string>{"CopyToDevice", "ZeroOut", "Add", "MatMul", "CopyToHost"});
  CHECK(trace.nodes[1].device == "/job:localhost/replica:0/task:0/device:GPU:0");
}

TEST_CASE("an input that a kernel reads on the host is not copied to the GPU" * doctest::skip(WithoutGpu())) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kInt32), factor = b.Placeholder("factor", DataType::kInt32);
  const Output y = b.Add("ScaleBy", "y", {x, factor});
  b.Add("LeakyRelu", "z", {b.Placeholder("f", DataType::kFloat)}, {{"alpha", 0.5f}});
  b.Add("Identity", "same", {y});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  const Session session = Make(b.graph_def(), {.devices = {"GPU:0"}});
  CHECK(RunAll(session, {{"x", MakeTensor<std::int32_t>({3}, {1, 2, 3})}, {"factor", Tensor::Scalar<std::int32_t>(-4)}},
               {"same"}) == std::vector<std::string>{"-4 -8 -12"});
  CHECK(RunAll(session, {{"f", MakeTensor<float>({2}, {-3, 3})}}, {"z"}) == std::vector<std::string>{"-1.5 3"});
  const Status status =
      session.Run({{"x", MakeTensor<std::int32_t>({1}, {1})}, {"factor", MakeTensor<std::int32_t>({2}, {1, 2})}}, {"y"})
          .status();
  CHECK(status.code() == tenon::Code::kInvalidArgument);
  CHECK(status.message() == "ScaleBy: factor must have one element, got 2 [node 'y', GPU:0]");
}

TEST_CASE("a node without a GPU kernel runs on the CPU in the middle of a GPU's graph" * doctest::skip(WithoutGpu())) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output twice = b.Add("Add", "twice", {x, x});
  const Output reversed = b.Add("ReverseOnHost", "reversed", {twice});
  b.Add("Add", "sum", {reversed, x});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  for (const int threads : {1, 3}) {
    const Session session = Make(b.graph_def(), {.inter_op_threads = threads, .devices = {"GPU:0"}});
    CHECK(RunAll(session, {{"x", MakeTensor<float>({3}, {1, 2, 3})}}, {"sum", "reversed"}) ==
          std::vector<std::string>{"7 6 5", "6 4 2"});
  }
}

TEST_CASE("many runs at once share the GPU without mixing their values" * doctest::skip(WithoutGpu())) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  Output y = x;
  for (int i = 0; i < 20; ++i) y = b.Add("Add", "y" + std::to_string(i), {y, x});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  const Session session = Make(b.graph_def(), {.devices = {"GPU:0"}});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int n = 1; n <= 4; ++n)
    threads.emplace_back([&session, &wrong, n] {
      const Tensor in = MakeTensor<float>({1000}, std::vector<float>(1000, static_cast<float>(n)));
      for (int round = 0; round < 50; ++round) {
        auto outputs = session.Run({{"x", in}}, {"y19"});
        if (!outputs.ok() || (*outputs)[0].flat<float>()[999] != static_cast<float>(21 * n)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("the same graph gives the same numbers on GPU and CPU" * doctest::skip(WithoutGpu())) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), w = b.Placeholder("w", DataType::kFloat),
               bias = b.Placeholder("bias", DataType::kFloat);
  b.Add("LeakyRelu", "y", {b.Add("Add", "logits", {b.Add("MatMul", "product", {x, w}), bias})});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  unsigned seed = 1;
  const auto random = [&seed](const tenon::TensorShape& shape) {
    Tensor t(DataType::kFloat, shape);
    for (float& v : t.flat<float>())
      v = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.f - 0.5f;
    return t;
  };
  const Tensor in = random({37, 300}), weights = random({300, 129}), row = random({129});
  Tensor results[2];
  for (const char* device : {"CPU:0", "GPU:0"}) {
    auto outputs = Make(b.graph_def(), {.devices = {device}}).Run({{"x", in}, {"w", weights}, {"bias", row}}, {"y"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    results[device[0] == 'G'] = (*outputs)[0];
  }
  REQUIRE(results[0].shape() == results[1].shape());
  float worst = 0;
  for (tenon::Index i = 0; i < results[0].NumElements(); ++i)
    worst = std::max(worst, std::abs(results[0].flat<float>()[i] - results[1].flat<float>()[i]));
  CHECK(worst < 1e-4f);
}

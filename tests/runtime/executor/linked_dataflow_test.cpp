// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/linked_dataflow.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>

#include "runtime/cpu_devices.hpp"

namespace linked_dataflow_test {
using namespace tenon;
using namespace runtime_test;

namespace {

constexpr ExecutorKind kBoth[] = {ExecutorKind::kAuto, ExecutorKind::kSequential};

// A chain of sums over more devices than an agenda has room for, with one reader of each sum.
GraphDef LongChain(int nodes, int devices) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  Output sum = x;
  std::vector<Output> sums;
  for (int i = 0; i < nodes; ++i) {
    sum = b.Add("AddV2", StrCat("s", i), {sum, x});
    b.SetDevice(sum, StrCat("/device:CPU:", i % devices));
    sums.push_back(sum);
  }
  Output all = x;
  for (int i = 0; i < nodes; i += 3) {
    all = b.Add("Maximum", "", {all, sums[static_cast<std::size_t>(i)]});
    b.SetDevice(all, StrCat("/device:CPU:", i / 3 % devices));
  }
  b.Add("AddV2", "out", {all, sum});
  REQUIRE(b.status().ok());
  return b.graph_def();
}

}  // namespace

TEST_SUITE("Linked dataflow runs") {
  TEST_CASE("random graphs on four CPUs give the results of one device, bit for bit") {
    for (unsigned seed = 0; seed < 12; ++seed) {
      SlimVector<std::string> sinks;
      const GraphDef graph = RandomGraph(seed, 60, &sinks);
      const std::vector<std::string> fetches(sinks.begin(), sinks.end());
      const Tensor x = MakeTensor<float>({4}, {1, -2, 0.5f, 3});
      const std::vector<NamedTensor> feeds{{"x", x}};
      const auto one = Session::FromGraphDef(WithoutDevices(graph), {});
      REQUIRE(one.ok());
      const auto wanted = one->Run(feeds, fetches);
      REQUIRE(wanted.ok());
      for (const ExecutorKind executor : kBoth) {
        const Session session = OnFourCpus(graph, executor);
        for (int run = 0; run < 6; ++run) {
          const auto got = session.Run(feeds, fetches);
          REQUIRE_MESSAGE(got.ok(), got.status().ToString());
          for (std::size_t i = 0; i < fetches.size(); ++i) CHECK(SameBits((*got)[i], (*wanted)[i]));
        }
      }
    }
  }

  TEST_CASE("more devices than a thread holds, and several threads") {
    std::vector<std::string> devices;
    for (int i = 0; i < 7; ++i) devices.push_back(StrCat("CPU:", i));
    SessionOptions options;
    options.devices.assign(devices.begin(), devices.end());
    const auto session = Session::FromGraphDef(LongChain(100, 7), options);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
    REQUIRE(callable.ok());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 30; ++i) {
          const auto value = static_cast<float>(t + 1);
          const Tensor feed = MakeTensor<float>({1}, {value});
          Tensor fetch;
          wrong += !callable->Run({&feed, 1}, {&fetch, 1}).ok() || fetch.vec<float>()(0) != 202 * value;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("an error in one part ends the others, and the next run works") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kFloat);
    const Output sum = b.Add("AddV2", "sum", {x, y}), neg = b.Add("Neg", "neg", {sum}),
                 out = b.Add("Neg", "out", {neg});
    b.SetDevice(sum, "/device:CPU:1");
    b.SetDevice(neg, "/device:CPU:2");
    for (const ExecutorKind executor : kBoth) {
      const Session session = OnFourCpus(b.graph_def(), executor);
      for (int round = 0; round < 6; ++round) {
        const bool fits = round % 2 == 0;
        const auto got = session.Run({{"x", MakeTensor<float>({2}, {1, 2})},
                                      {"y", fits ? MakeTensor<float>({2}, {3, 4}) : MakeTensor<float>({3}, {3, 4, 5})}},
                                     {b.Name(out)});
        if (fits) {
          REQUIRE_MESSAGE(got.ok(), got.status().ToString());
          CHECK((*got)[0].vec<float>()(1) == 6);
        } else {
          CHECK(got.status().code() == Code::kInvalidArgument);
          CHECK_MESSAGE(got.status().message().find("[node 'sum', CPU:1]") != std::string_view::npos,
                        got.status().message());
        }
      }
    }
  }

  TEST_CASE("a part that waits ends when its run is cancelled or late") {
    GraphDef graph;
    GraphBuilder b;
    const Output queue =
        b.Add("FIFOQueueV2", "queue", {}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    const Output item =
        b.Add("QueueDequeueV2", "item", {queue}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    const Output out = b.Add("Neg", "out", {item});
    b.SetDevice(queue, "/device:CPU:1");
    b.SetDevice(item, "/device:CPU:1");
    b.SetDevice(out, "/device:CPU:2");
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    for (const ExecutorKind executor : kBoth) {
      const Session session = OnFourCpus(b.graph_def(), executor);
      RunOptions late;
      late.timeout_in_ms = 20;
      CHECK(session.Run({}, {"out"}, {}, late).status().code() == Code::kDeadlineExceeded);
      CancellationManager cancellation;
      RunOptions options;
      options.cancellation = &cancellation;
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        cancellation.StartCancel();
      });
      CHECK(session.Run({}, {"out"}, {}, options).status().code() == Code::kCancelled);
      other.join();
      CHECK(session.Run({}, {"out"}, {}, options).status().code() == Code::kCancelled);
    }
  }

  TEST_CASE("a traced run shows the transfers, and later ones use the slots again") {
    const Session session = OnFourCpus(SplitChain(), ExecutorKind::kAuto);
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    for (int round = 0; round < 4; ++round) {
      RunOptions options;
      options.trace_level = round % 2 == 0 ? TraceLevel::kFull : TraceLevel::kNone;
      RunMetadata metadata;
      const auto got = session.Run({{"x", x}}, {"w"}, {}, options, &metadata);
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      CHECK((*got)[0].vec<float>()(1) == 4);
    }
  }
}
}  // namespace linked_dataflow_test

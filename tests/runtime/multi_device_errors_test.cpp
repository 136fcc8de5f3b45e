// SPDX-License-Identifier: Apache-2.0
// Errors in the middle of runs over several devices: one answer, nothing left behind, the next run works.

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>
#include "four_devices.hpp"

namespace multi_device_errors_test {
using namespace tenon;
using namespace runtime_test;

namespace {

struct Loaded {
  SlimVector<std::string> sinks;
  Ref<PartitionedGraph> graph;
  PartitionedGraph::Callable callable;
  std::vector<Tensor> expected, fetches;
  Tensor feed = MakeTensor<float>({3}, {1, -2, 0.5f});

  explicit Loaded(unsigned seed) {
    const GraphDef def = RandomGraph(seed, 25, &sinks);
    graph = Load(def).value();
    callable = graph->MakeCallable({.feeds = {"x"}, .fetches = {sinks.begin(), sinks.end()}}).value();
    fetches.resize(sinks.size());
    REQUIRE(Run().ok());
    expected = fetches;
  }
  Status Run() {
    const Tensor feeds[] = {feed};
    for (Tensor& fetch : fetches) fetch = Tensor();
    return callable.Run(feeds, fetches);
  }
  void CheckRuns() {
    const Status status = Run();
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    for (std::size_t i = 0; i < sinks.size(); ++i) CHECK(SameBits(fetches[i], expected[i]));
  }
};

}  // namespace

TEST_SUITE("errors on several devices") {
  TEST_CASE("at every kernel and copy of the simulated devices") {
    int injected = 0;
    for (unsigned seed = 20; seed < 24; ++seed) {
      Loaded loaded(seed);
      for (const char* name : {"SIM:0", "SIM:1"}) {
        SimulatedDevice& device = SimOf(loaded.graph, name);
        const std::int64_t in_use = device.allocator()->GetStats()->bytes_in_use;
        for (std::int64_t nth = 1; nth < 1000; ++nth) {
          device.InjectFailure(nth, errors::DataLoss("broken ", nth));
          const Status status = loaded.Run();
          device.InjectFailure(0, Status());
          if (status.ok()) break;  // less than that was to be done
          ++injected;
          CHECK(status.code() == Code::kDataLoss);
          CHECK(status.message().find(StrCat("broken ", nth)) == 0);
          CHECK(device.allocator()->GetStats()->bytes_in_use <= in_use + (1 << 20));
          loaded.CheckRuns();
        }
      }
    }
    CHECK(injected > 20);
  }

  TEST_CASE("what only follows from the first error never stands before it, whoever waits for whom") {
    // "bad" fails on one of three devices. The others wait for its value, for a queue's, and for each other.
    const SlimVector<DataType> floats{DataType::kFloat};
    for (int where = 0; where < 3; ++where)
      for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential}) {
        GraphBuilder b;
        const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kFloat);
        const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
        const auto on = [&](int device, Output node) {
          b.SetDevice(node, StrCat("/device:SIM:", device % 3));
          return node;
        };
        const Output bad = on(where, b.Add("AddV2", "bad", {on(where + 1, b.Add("Neg", "before", {x})), y}));
        std::vector<std::string> fetches;
        for (int d = 0; d < 3; ++d) {
          const Output got = b.Add("QueueDequeueV2", StrCat("get", d), {q}, {{"component_types", floats}});
          const Output waits = on(d, b.Add("Neg", StrCat("waits", d), {bad}));
          const Output late = on(d + 1, b.Add("Neg", StrCat("late", d), {got}));
          on(d + 2, b.Add("AddV2", StrCat("out", d), {waits, late}));
          fetches.push_back(StrCat("out", d));
        }
        REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
        const auto session = Session::FromGraph(
            b, {.inter_op_threads = 4, .devices = {"CPU:0", "SIM:0", "SIM:1", "SIM:2"}, .executor = executor});
        REQUIRE_MESSAGE(session.ok(), session.status().ToString());
        const std::vector<NamedTensor> feeds{{"x", MakeTensor<float>({2}, {1, 2})},
                                             {"y", MakeTensor<float>({3}, {1, 2, 3})}};
        for (int run = 0; run < 40; ++run) {
          const Status status = session->Run(feeds, fetches).status();
          CHECK_MESSAGE(status.code() == Code::kInvalidArgument, status.ToString());
          CHECK_MESSAGE(status.message().find(StrCat("[node 'bad', SIM:", where, "]")) != std::string_view::npos,
                        status.ToString());
          CHECK_MESSAGE(status.message().find("cancelled") == std::string_view::npos, status.ToString());
        }
      }
  }

  TEST_CASE("of a run do not touch others that run at the same time") {
    Loaded loaded(30);
    std::atomic<int> failed{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 15; ++i) {
          const Tensor feeds[] = {loaded.feed};
          std::vector<Tensor> fetches(loaded.sinks.size());
          if (!loaded.callable.Run(feeds, fetches).ok()) {
            ++failed;
            continue;
          }
          for (std::size_t k = 0; k < fetches.size(); ++k) wrong += !SameBits(fetches[k], loaded.expected[k]);
        }
      });
    for (int i = 0; i < 5; ++i) {
      SimOf(loaded.graph, "SIM:0").InjectFailure(3, errors::DataLoss("one of them"));
      std::this_thread::yield();
    }
    for (std::thread& thread : threads) thread.join();
    SimOf(loaded.graph, "SIM:0").InjectFailure(0, Status());
    CHECK(wrong == 0);
    CHECK(failed <= 5);
    loaded.CheckRuns();
  }
}
}  // namespace multi_device_errors_test

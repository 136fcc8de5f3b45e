// SPDX-License-Identifier: Apache-2.0
// Errors in the middle of runs over several devices: one answer, nothing left behind, the next run works.

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/session.hpp>
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
          device.InjectFailure(nth, errors::Unavailable("broken ", nth));
          const Status status = loaded.Run();
          device.InjectFailure(0, Status());
          if (status.ok()) break;  // less than that was to be done
          ++injected;
          CHECK(status.code() == Code::kUnavailable);
          CHECK(status.message().find(StrCat("broken ", nth)) == 0);
          CHECK(device.allocator()->GetStats()->bytes_in_use <= in_use + (1 << 20));
          loaded.CheckRuns();
        }
      }
    }
    CHECK(injected > 20);
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
      SimOf(loaded.graph, "SIM:0").InjectFailure(3, errors::Unavailable("one of them"));
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

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/partitioned_run.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include "runtime/four_devices.hpp"
#include "runtime/split_graph.hpp"

namespace partitioned_run_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Runs of a PartitionedGraph") {
  TEST_CASE("several threads run one callable") {
    const auto graph = *Load(SplitChain());
    const auto callable = *graph->MakeCallable({.feeds = {"x"}, .fetches = {"w"}});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const auto value = static_cast<float>(100 * t + i);
          const Tensor feeds[] = {MakeTensor<float>({1}, {value})};
          Tensor fetches[1];
          wrong += !callable.Run(feeds, fetches).ok() || fetches[0].vec<float>()(0) != 2 * (value + 1) - value;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("the first error stops all parts, and the next run works") {
    const auto graph = *Load(SplitChain());
    const auto callable = *graph->MakeCallable({.feeds = {"x"}, .fetches = {"w"}});
    const Tensor feeds[] = {MakeTensor<float>({2}, {1, 2})};
    Tensor fetches[1];
    for (const char* device : {"SIM:0", "SIM:1"}) {
      for (int nth = 1; nth <= 3; ++nth) {
        SimOf(graph, device).InjectFailure(nth, errors::DataLoss("it broke"));
        const Status status = callable.Run(feeds, fetches);
        if (status.ok()) {  // fewer things than that were queued
          SimOf(graph, device).InjectFailure(0, Status());
          continue;
        }
        CHECK(status.code() == Code::kDataLoss);
        CHECK(status.message().find("it broke") == 0);
        REQUIRE(callable.Run(feeds, fetches).ok());
        CHECK(fetches[0].vec<float>()(1) == 4);
      }
    }
    const Tensor wrong[] = {MakeTensor<float>({2}, {1, 2}), MakeTensor<float>({1}, {1})};
    CHECK(callable.Run(wrong, fetches).code() == Code::kInvalidArgument);
    alignas(64) char bytes[16] = {};
    const Tensor odd[] = {Tensor::FromMemory(DataType::kFloat, {3}, bytes + 1)};
    const Status misaligned = callable.Run(odd, fetches);
    CHECK(misaligned.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(misaligned.message().find("Feed 'x:0': ptr = ") == 0, misaligned.message());
    CHECK(misaligned.message().find(" is not a multiple of 4") != std::string_view::npos);
  }

  TEST_CASE("a kernel's error in one part is the run's") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output y = b.Placeholder("y", DataType::kFloat);
    const Output sum = b.Add("AddV2", "sum", {x, y}), out = b.Add("Neg", "out", {sum});
    b.SetDevice(sum, "SIM:0");
    b.SetDevice(out, "CPU:1");
    const auto graph = *Load(b.graph_def());
    const auto callable = *graph->MakeCallable({.feeds = {"x", "y"}, .fetches = {"out"}});
    const Tensor feeds[] = {MakeTensor<float>({2}, {1, 2}), MakeTensor<float>({3}, {1, 2, 3})};
    Tensor fetches[1];
    const Status status = callable.Run(feeds, fetches);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("[node 'sum', SIM:0]") != std::string::npos);
  }

  TEST_CASE("a device whose memory is out says so") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Add("Neg", "y", {x});
    b.SetDevice(y, "SIM:0");
    const auto graph = *Load(b.graph_def());
    const auto callable = *graph->MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    Tensor fetches[1];
    const Tensor large[] = {Tensor(DataType::kFloat, {20 << 20})};  // 80 MiB
    const Status status = callable.Run(large, fetches);
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().find("SIM:0_bfc") != std::string::npos);
    CHECK(status.message().find("SameWorkerRecvDone unable to allocate output tensor. Key: ") != std::string::npos);
    const Tensor small[] = {MakeTensor<float>({1}, {3})};
    REQUIRE(callable.Run(small, fetches).ok());
    CHECK(fetches[0].vec<float>()(0) == -3);
  }
}
}  // namespace partitioned_run_test

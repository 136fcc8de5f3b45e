// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/step_of_peers.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include <tenon/device/device_factory.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>
#include "runtime/split_graph.hpp"

namespace step_of_peers_test {
using namespace tenon;
using namespace runtime_test;

namespace {

std::string NameOf(int task, std::string_view device) {
  return StrCat("/job:worker/replica:0/task:", task, "/device:", device);
}
Owned<DeviceMgr> DevicesOf(int task) {
  Result<SlimVector<Owned<Device>>> devices =
      MakeDevices({"CPU:0", "SIM:0"}, {CpuAllocator(), nullptr}, StrCat("/job:worker/replica:0/task:", task));
  REQUIRE_MESSAGE(devices.ok(), devices.status().ToString());
  return Owned<DeviceMgr>(StaticDeviceMgr::Create(*std::move(devices)).value().release());
}
NodeDef With(NodeDef node, std::initializer_list<const char*> inputs) {
  for (const char* input : inputs) node.input.emplace_back(input);
  return node;
}
// Task 0: x -> task 1: y = x + x on `device` -> task 0: z = -y.
Result<Ref<PartitionedGraph>> LoadClient(const std::string& device, bool has_peers = true) {
  DeviceGraph part{NameOf(0, "CPU:0"), {}};
  part.graph.node.push_back(MakeNode("x", "Placeholder", {{"dtype", DataType::kFloat}}));
  part.graph.node.push_back(With(MakeSend("send_x", DataType::kFloat, "x", part.device, NameOf(1, device)), {"x"}));
  part.graph.node.push_back(MakeRecv("y", DataType::kFloat, "y", NameOf(1, device), part.device));
  part.graph.node.push_back(With(MakeNode("z", "Neg", {{"T", DataType::kFloat}}), {"y"}));
  SlimVector<DeviceGraph> parts;
  parts.push_back(std::move(part));
  PartitionedGraphOptions options;
  options.has_peers = has_peers;
  return PartitionedGraph::Create(std::move(parts), DevicesOf(0), options);
}
Result<Ref<PartitionedGraph>> LoadServer(const std::string& device) {
  DeviceGraph part{NameOf(1, device), {}};
  part.graph.node.push_back(MakeRecv("x", DataType::kFloat, "x", NameOf(0, "CPU:0"), part.device));
  part.graph.node.push_back(With(MakeNode("y", "AddV2", {{"T", DataType::kFloat}}), {"x", "x"}));
  part.graph.node.push_back(With(MakeSend("send_y", DataType::kFloat, "y", part.device, NameOf(0, "CPU:0")), {"y"}));
  SlimVector<DeviceGraph> parts;
  parts.push_back(std::move(part));
  PartitionedGraphOptions options;
  options.has_peers = true;
  return PartitionedGraph::Create(std::move(parts), DevicesOf(1), options);
}
Ref<LocalRendezvous> MakeWire() { return Ref<LocalRendezvous>::Adopt(new LocalRendezvous); }

}  // namespace

TEST_SUITE("StepOfPeers") {
  TEST_CASE("two tasks run one step, on a device in host memory and on another one") {
    for (const char* device : {"CPU:0", "SIM:0"}) {
      const auto client = LoadClient(device), server = LoadServer(device);
      REQUIRE_MESSAGE(client.ok(), client.status().ToString());
      REQUIRE_MESSAGE(server.ok(), server.status().ToString());
      const auto ask = (*client)->MakeCallable({.feeds = {"x"}, .fetches = {"z"}, .targets = {"send_x"}});
      const auto serve = (*server)->MakeCallable({.targets = {"send_y"}});
      REQUIRE_MESSAGE(ask.ok(), ask.status().ToString());
      REQUIRE_MESSAGE(serve.ok(), serve.status().ToString());
      for (int round = 0; round < 3; ++round) {
        const auto wire = MakeWire();
        const StepOfPeers step{wire.get(), 100 + round};
        Status served;
        std::thread other([&] { served = serve->Run({}, {}, {}, step); });
        const Tensor feeds[] = {MakeTensor<float>({2}, {1, static_cast<float>(round)})};
        Tensor fetches[1];
        const Status status = ask->Run(feeds, fetches, {}, step);
        other.join();
        REQUIRE_MESSAGE(status.ok(), status.ToString());
        REQUIRE_MESSAGE(served.ok(), served.ToString());
        CHECK(fetches[0].vec<float>()(0) == -2);
        CHECK(fetches[0].vec<float>()(1) == static_cast<float>(-2 * round));
        CHECK(wire->num_values() == 0);
      }
    }
  }

  TEST_CASE("a task that waits for its peer ends with a deadline, and with the peer's loss") {
    const auto client = LoadClient("CPU:0").value();
    const auto ask = *client->MakeCallable({.feeds = {"x"}, .fetches = {"z"}, .targets = {"send_x"}});
    const Tensor feeds[] = {MakeTensor<float>({1}, {1})};
    Tensor fetches[1];
    const auto first = MakeWire(), second = MakeWire();
    CHECK(ask.Run(feeds, fetches, {.timeout_in_ms = 20}, StepOfPeers{first.get(), 1}).code() ==
          Code::kDeadlineExceeded);
    std::thread loss([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      second->AbortPeer("/job:worker/replica:0/task:1", errors::Unavailable("task 1 is gone"));
    });
    const Status status = ask.Run(feeds, fetches, {}, StepOfPeers{second.get(), 2});
    loss.join();
    CHECK(status.code() == Code::kUnavailable);
    // The failed run has aborted the step.
    Tensor value;
    bool dead = false;
    const auto key = RendezvousKey::Parse(RendezvousKey::Create(NameOf(0, "CPU:0"), 1, NameOf(2, "CPU:0"), "x", {}));
    CHECK(second->Recv(*key, {}, &value, &dead, 1000).code() == Code::kUnavailable);
  }

  TEST_CASE("without peers a _Recv from another task is refused") {
    const auto alone = LoadClient("CPU:0", false).value();
    CHECK(alone->MakeCallable({.fetches = {"z"}}).status().code() == Code::kInvalidArgument);
    const auto client = LoadClient("CPU:0").value();
    const auto ask = *client->MakeCallable({.fetches = {"z"}});
    Tensor fetches[1];
    CHECK(ask.Run({}, fetches).code() == Code::kInvalidArgument);  // no StepOfPeers
  }
}
}  // namespace step_of_peers_test

// SPDX-License-Identifier: Apache-2.0
// A placed graph by itself: sessions on several devices are in session_devices_test.cpp.
#include <tenon/runtime/multi_device/placed_graph.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>

#include "runtime/four_devices.hpp"
#include "runtime/graphs.hpp"

namespace placed_graph_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Four devices with their resources, and what graphs on them share.
class Devices final : public detail::SessionDevices {
 public:
  Devices() {
    for (Device* device : manager->ListDevices()) {
      list_.push_back(device);
      resources_.push_back(MakeOwned<ResourceMgr>());
    }
    owner.devices = manager.get();
    owner.session = this;
    owner.options = &options;
    owner.registry = &Registry::Global();
    owner.pool_for = [](const detail::SessionDevices* devices, ThreadPoolInterface*) -> ThreadPoolInterface* {
      return &const_cast<Devices*>(static_cast<const Devices*>(devices))->pool;
    };
  }
  Span<Device* const> list() const override { return list_; }
  Device* host() const override { return list_[0]; }
  ResourceMgr* resources(const Device* device) const override {
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (list_[i] == device) return resources_[i].get();
    return nullptr;
  }
  GraphPass default_lowering() const override { return nullptr; }
  Status Place(Graph*, const detail::GraphState*, Owned<detail::PlacedGraph>*) override { return OkStatus(); }
  std::int64_t num_wakeups() const override { return 0; }

  Owned<DeviceMgr> manager = MakeDeviceMgr(kFour);
  SessionOptions options;
  ThreadPool pool{3, "placed"};
  detail::SessionServices owner;

 private:
  SlimVector<Device*> list_;
  SlimVector<Owned<ResourceMgr>> resources_;
};

// x and y = x + 1 on SIM:0, z = y * y on CPU:1.
Graph Small() {
  GraphDef def = SmallGraph().graph_def();
  for (NodeDef& node : def.node) {
    if (node.name == "y") node.device = "/device:SIM:0";
    if (node.name == "z") node.device = "/device:CPU:1";
  }
  return ImportGraphDef(std::move(def), Registry::Global().ops()).value();
}

}  // namespace

TEST_SUITE("PlacedGraphImpl") {
  TEST_CASE("a signature runs, and tells what runs") {
    Devices devices;
    Graph graph = Small();
    auto placed = detail::PlacedGraphImpl::Create(devices.owner, &graph, nullptr);
    REQUIRE_MESSAGE(placed.ok(), placed.status().ToString());
    CHECK((*placed)->partitions().size() == 2);
    CHECK((*placed)->report().rows.size() == static_cast<std::size_t>(graph.num_nodes()));
    CHECK(graph.assigned_device_name(graph.Find("y")->id) == FullName("SIM:0"));

    const std::vector<std::string> feeds{"x"}, fetches{"z"};
    detail::ProgramEnds ends;
    ends.feeds = {InEdge{graph.Find("x")->id, 0}};
    ends.fetches = {InEdge{graph.Find("z")->id, 0}};
    Owned<detail::PlacedProgram> program;
    CancellationManager cancelled;
    cancelled.StartCancel();
    Program none;
    CHECK((*placed)->Prepare(feeds, fetches, {}, ends, nullptr, &cancelled, &none, &program).code() ==
          Code::kCancelled);
    Program front;
    const Status prepared = (*placed)->Prepare(feeds, fetches, {}, ends, nullptr, nullptr, &front, &program);
    REQUIRE_MESSAGE(prepared.ok(), prepared.ToString());
    CHECK(front.graph == &graph);
    REQUIRE(front.feeds.size() == 1);
    CHECK(front.feeds[0].name == "x:0");
    CHECK(front.feeds[0].shape.dims() == 1);
    REQUIRE(front.fetches.size() == 1);
    CHECK(front.fetches[0].name == "z:0");
    CHECK(front.nodes.size() == 2);  // x is fed, one a constant
    CHECK(program->num_devices() == 2);
    CHECK(program->MakePartitionGraphs().size() == 2);

    for (const bool traced : {false, true}) {
      detail::RunArgs settings;
      RunTrace trace;
      if (traced) settings.trace = &trace;
      const Tensor x = MakeTensor<float>({2}, {1, 2});
      Tensor z;
      REQUIRE(program->Run({&x, 1}, {&z, 1}, settings).ok());
      CHECK(z.vec<float>()(1) == 9);
      int of_graph = 0;
      for (const NodeTiming& node : trace.nodes) of_graph += node.node != nullptr && node.node == graph.Find(node.name);
      CHECK(of_graph == (traced ? 3 : 0));  // y and z, and a copy of x
    }
    int steps = 0;
    program->ForIdleSteps([](const void* count, Step*) { ++*static_cast<int*>(const_cast<void*>(count)); }, &steps);
    CHECK(steps == 2);
  }

  TEST_CASE("what cannot be placed is refused") {
    Devices devices;
    GraphDef def = SmallGraph().graph_def();
    def.node.back().device = "/device:SIM:3";
    Graph graph = ImportGraphDef(std::move(def), Registry::Global().ops()).value();
    const Status status = detail::PlacedGraphImpl::Create(devices.owner, &graph, nullptr).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Contains(status.message(), "was explicitly assigned to /device:SIM:3"));
  }
}
}  // namespace placed_graph_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/placer.hpp>

#include "graph/placing.hpp"

namespace placer_test {
using namespace tenon;
using namespace placing;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;
using testing::MakeNode;

namespace {

NodeDef Constant(std::string_view name) {
  return MakeNode(name, "Const", {}, {{"dtype", DataType::kFloat}, {"value", AttrValue(Tensor::Scalar(1.0f))}});
}

struct Placed {
  Placed(GraphDef def, std::initializer_list<std::string_view> devices, const Kernels& kernels = {},
         const PlacerOptions& options = {})
      : graph(Import(std::move(def))) {
    status = PlaceGraph(&graph, Devices(devices), kernels, options, &report);
  }
  std::string operator[](std::string_view node) const {
    const std::string_view name = graph.assigned_device_name(graph.Find(node)->id);
    return std::string(name.substr(name.rfind("device:") + 7));
  }
  PlacementReason Why(std::string_view node) const {
    return report.rows[static_cast<std::size_t>(graph.Find(node)->id)].reason;
  }
  bool Says(std::string_view text) const { return status.message().find(text) != std::string_view::npos; }
  Graph graph;
  PlacementReport report;
  Status status;
};

}  // namespace

TEST_SUITE("PlaceGraph") {
  TEST_CASE("the preferred device with a kernel") {
    const Placed p(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Relu", {"a"})}),
                   {"CPU:0", "GPU:10", "GPU:2"}, {{"Relu", "CPU"}});
    REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
    CHECK(p["a"] == "GPU:10");  // names are compared as text
    CHECK(p["b"] == "CPU:0");
    CHECK(p.Why("b") == PlacementReason::kOnly);
    CHECK(p.Why("a") == PlacementReason::kPreferred);
    const Placed kernel(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"})}), {"CPU:0", "GPU:0"},
                        {{"Neg", "CPU", 3}, {"Neg", "GPU", 1}});
    CHECK(kernel["a"] == "CPU:0");
  }

  TEST_CASE("what is asked for, in parts") {
    const Placed p(MakeGraph({MakeInput("x"), On("/device:GPU:1", MakeFloat("a", "Neg", {"x"})),
                              On("/CPU:0", MakeFloat("b", "Neg", {"a"})), On("/task:0", MakeFloat("c", "Neg", {"b"}))}),
                   {"CPU:0", "GPU:0", "GPU:1"});
    REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
    CHECK(p["a"] == "GPU:1");
    CHECK(p["b"] == "CPU:0");
    CHECK(p["c"] == "GPU:0");
  }

  TEST_CASE("generators follow their consumers, metadata its input") {
    const Placed p(MakeGraph({Constant("c"), On("/CPU:0", MakeFloat("a", "Neg", {"c"})), Constant("d"),
                              On("/CPU:0", MakeFloat("e", "Neg", {"d"})), MakeFloat("f", "Neg", {"d"}),
                              MakeNode("s", "Shape", {"a"}, {{"T", DataType::kFloat}})}),
                   {"CPU:0", "GPU:0"});
    REQUIRE(p.status.ok());
    CHECK(p["c"] == "CPU:0");
    CHECK(p.Why("c") == PlacementReason::kConsumer);
    CHECK(p["d"] == "GPU:0");
    CHECK(p.Why("d") == PlacementReason::kPreferred);
    CHECK(p["s"] == "CPU:0");
    CHECK(p.Why("s") == PlacementReason::kInput);
  }

  TEST_CASE("groups go together, where the first one went") {
    const Placed p(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"}),
                              On("/device:GPU:1", With("a", MakeFloat("b", "Neg", {"a"}))), Variable("v"),
                              MakeFloat("s", "Assign", {"v", "x"})}),
                   {"CPU:0", "GPU:0", "GPU:1"}, {{"Assign", "CPU"}});
    REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
    CHECK(p["a"] == "GPU:1");
    CHECK(p["v"] == "CPU:0");
    CHECK(p["s"] == "CPU:0");
    CHECK(p.report.rows[1].group == p.report.rows[2].group);
  }

  TEST_CASE("soft placement gives up the type, then the resource's") {
    const GraphDef def = MakeGraph({MakeInput("x"), On("/device:GPU:0", MakeFloat("a", "Neg", {"x"}))});
    const Placed soft(def, {"CPU:0"}, {}, {.allow_soft_placement = true});
    REQUIRE_MESSAGE(soft.status.ok(), soft.status.ToString());
    CHECK(soft["a"] == "CPU:0");
    CHECK(soft.Why("a") == PlacementReason::kSoft);

    const GraphDef resource = MakeGraph({On("/device:GPU:0", placing::Resource("r")), Read("read", "r")});
    const Placed moved(resource, {"CPU:0", "GPU:0"}, {{"ReadVariableOp", "CPU"}}, {.allow_soft_placement = true});
    REQUIRE_MESSAGE(moved.status.ok(), moved.status.ToString());
    CHECK(moved["r"] == "CPU:0");
    CHECK(moved.report.notes.size() == 1);
    const Placed hard(resource, {"CPU:0", "GPU:0"}, {{"ReadVariableOp", "CPU"}});
    CHECK(errors::IsInvalidArgument(hard.status));
  }

  TEST_CASE("assigned nodes stay and take their group along") {
    Graph graph =
        Import(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"}), With("a", MakeFloat("b", "Neg", {"a"}))}));
    REQUIRE(graph.AssignDevice(1, Full("CPU:0")).ok());
    PlacementReport report;
    REQUIRE(PlaceGraph(&graph, Devices({"CPU:0", "GPU:0"}), Kernels(), {}, &report).ok());
    CHECK(graph.assigned_device_name(2) == Full("CPU:0"));
    CHECK(report.rows[1].reason == PlacementReason::kAssigned);
  }

  TEST_CASE("a function's default device comes first") {
    const std::string cpu = Full("CPU:0");
    const Placed p(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"})}), {"CPU:0", "GPU:0"}, {},
                   {.default_device = cpu});
    CHECK(p["a"] == "CPU:0");
  }

  TEST_CASE("says why there is no device") {
    const GraphDef def = MakeGraph({MakeInput("x"), On("/device:GPU:3", MakeFloat("a", "Neg", {"x"}))});
    const Placed absent(def, {"CPU:0"});
    CHECK(errors::IsInvalidArgument(absent.status));
    CHECK(
        absent.Says("Cannot assign a device for operation a: {{node a}} was explicitly assigned to /device:GPU:3 but "
                    "available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device "
                    "specification refers to a valid device. The requested device appears to be a GPU, but CUDA is not "
                    "enabled."));
    const Placed kernel(def, {"CPU:0", "GPU:3"}, {{"Neg", "CPU"}});
    CHECK(kernel.Says(
        "Could not satisfy explicit device specification '/device:GPU:3' because no supported kernel for GPU "
        "devices is available.\nOp: Neg\nNode attrs: T=DT_FLOAT\nRegistered kernels:\n  device='CPU'\n"));
    const Placed group(MakeGraph({On("/device:GPU:7", MakeInput("x")), With("x", MakeFloat("a", "Neg", {"x"}))}),
                       {"CPU:0", "GPU:0"});
    CHECK(
        group.Says("Could not satisfy explicit device specification '' because the node {{colocation_node a}} was "
                   "colocated with a group of nodes that required incompatible device '/device:GPU:7'. All available "
                   "devices ["));
    CHECK(group.Says(
        "Colocation members, user-requested devices, and framework assigned devices, if any:\n  x (Placeholder) "
        "/device:GPU:7\n  a (Neg) \n"));
    const Placed nowhere(def, {});
    CHECK(errors::IsFailedPrecondition(nowhere.status));
    CHECK(nowhere.Says("No devices are registered"));
  }
}
}  // namespace placer_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/colocation.hpp>

#include "graph/function_graphs.hpp"
#include "graph/placing.hpp"
#include "growth.hpp"

namespace colocation_test {
using namespace tenon;
using namespace placing;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;
using testing::MakeNode;

namespace {

struct Built {
  Built(GraphDef def, const Kernels& of = {}, PlacerOptions with = {})
      : graph(Import(std::move(def))), kernels(of), options(with) {
    status = groups.Build();
  }
  bool Together(std::string_view a, std::string_view b) {
    return groups.Root(graph.Find(a)->id) == groups.Root(graph.Find(b)->id);
  }
  Graph graph;
  Kernels kernels;
  PlacerOptions options;
  PlacementDevices devices = Devices({"CPU:0", "GPU:0", "GPU:1"});
  PlacementReport report;
  ColocationGraph groups{graph, devices, kernels, options, &report};
  Status status;
};

bool Says(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }

}  // namespace

TEST_SUITE("ColocationGraph") {
  TEST_CASE("references and resources are with what made them, values are not") {
    Built b(
        MakeGraph({MakeInput("x"), Variable("v"), MakeFloat("a", "Assign", {"v", "x"}), MakeFloat("n", "Neg", {"a"}),
                   placing::Resource("r"), Read("read", "r"), MakeFloat("m", "Neg", {"read"})}));
    REQUIRE_MESSAGE(b.status.ok(), b.status.ToString());
    CHECK(b.Together("v", "a"));
    CHECK_FALSE(b.Together("a", "x"));
    CHECK_FALSE(b.Together("a", "n"));
    CHECK(b.Together("r", "read"));
    CHECK_FALSE(b.Together("read", "m"));
  }

  TEST_CASE("calls and IdentityN hand resources on") {
    Built b(
        MakeGraph({placing::Resource("r"),
                   MakeNode("i", "IdentityN", {"r"}, {{"T", AttrValue(SlimVector<DataType>{DataType::kResource})}})}));
    REQUIRE(b.status.ok());
    CHECK_FALSE(b.Together("r", "i"));
  }

  TEST_CASE("a generator's device wins over the one that its users ask for") {
    Built b(MakeGraph({On("/device:GPU:1", placing::Resource("r")), On("/device:CPU:0", Read("read", "r"))}));
    REQUIRE_MESSAGE(b.status.ok(), b.status.ToString());
    CHECK(b.groups.group_of(0).requested.ToString() == "/device:GPU:1");
    CHECK(b.report.notes.size() == 1);
  }

  TEST_CASE("two resources on two devices cannot meet") {
    Built b(MakeGraph({On("/device:GPU:0", Variable("v")), On("/device:GPU:1", Variable("w")),
                       With("v", MakeFloat("a", "Assign", {"w", "v"}))}));
    CHECK(errors::IsInvalidArgument(b.status));
    CHECK(Says(b.status,
               "Cannot colocate nodes {{colocation_node a}} and {{colocation_node v}}: "
               "Cannot merge devices with incompatible ids: '/device:GPU:"));
  }

  TEST_CASE("_class puts nodes together, by the name of a node or of nothing") {
    Built b(MakeGraph({MakeInput("x"), With("x", MakeFloat("a", "Neg", {"x"})), MakeFloat("b", "Neg", {"a"}),
                       With("b", MakeFloat("c", "Neg", {"b"})), With("b", MakeFloat("d", "Neg", {"b"}))}));
    REQUIRE(b.status.ok());
    CHECK(b.Together("a", "x"));
    CHECK(b.Together("c", "d"));
    CHECK(b.Together("b", "d"));
    CHECK_FALSE(b.Together("a", "b"));
  }

  TEST_CASE("partial specifications add up") {
    Built b(MakeGraph(
        {On("/job:localhost/device:GPU:*", MakeInput("x")), On("/task:0", With("x", MakeFloat("a", "Neg", {"x"})))}));
    REQUIRE(b.status.ok());
    CHECK(b.groups.group_of(0).requested.ToString() == "/job:localhost/task:0/device:GPU:*");
  }

  TEST_CASE("a colocation that cannot be is an error, or with soft placement a note") {
    const GraphDef def =
        MakeGraph({On("/device:GPU:0", MakeInput("x")), On("/device:CPU:0", With("x", MakeFloat("a", "Neg", {"x"})))});
    Built hard(def);
    CHECK(errors::IsInvalidArgument(hard.status));
    CHECK(Says(hard.status,
               "Cannot colocate nodes {{colocation_node a}} and {{colocation_node x}}: Cannot merge devices "
               "with incompatible types: '/device:CPU:0' and '/device:GPU:0'"));
    Built soft(def, {}, {.allow_soft_placement = true});
    CHECK(soft.status.ok());
    CHECK(soft.Together("a", "x"));
    CHECK_FALSE(soft.groups.group_of(0).requested.has_type);

    const Kernels apart{{"Neg", "CPU"}, {"Placeholder", "GPU"}};
    Built none(MakeGraph({MakeInput("x"), With("x", MakeFloat("a", "Neg", {"x"}))}), apart);
    CHECK(Says(none.status,
               "because no device type supports both of those nodes and the other nodes colocated with them."));
    Built ignored(MakeGraph({MakeInput("x"), With("x", MakeFloat("a", "Neg", {"x"}))}), apart,
                  {.allow_soft_placement = true});
    CHECK(ignored.status.ok());
    CHECK_FALSE(ignored.Together("a", "x"));
    CHECK(ignored.report.notes.size() == 1);
  }

  TEST_CASE("takes time in proportion to the nodes: chains of variants, colocations that cannot be") {
    constexpr int kSize = 1000;
    const PlacementDevices devices = Devices({"CPU:0", "GPU:0"});
    const auto growth = [&](const Graph& small, const Graph& large, const Kernels& kernels) {
      const PlacerOptions options{.allow_soft_placement = true};
      return growth_test::Growth(kSize, [&](int n) {
        ColocationGraph groups(n == kSize ? small : large, devices, kernels, options, nullptr);
        CHECK(groups.Build().ok());
      });
    };
    const auto chain = [](int n) {
      GraphDef def = MakeGraph({MakeNode("v", "Placeholder", {}, {{"dtype", DataType::kVariant}})});
      for (int i = 0; i < n; ++i)
        def.node.push_back(
            MakeNode(StrCat("n", i), "Identity", {i == 0 ? "v" : StrCat("n", i - 1)}, {{"T", DataType::kVariant}}));
      return Import(std::move(def));
    };
    CHECK(growth(chain(kSize), chain(4 * kSize), {}) < growth_test::kLinear);
    const auto apart = [](int n) {
      GraphDef def = MakeGraph({MakeInput("x")});
      for (int i = 0; i < n; ++i) def.node.push_back(With("x", MakeFloat(StrCat("n", i), "Neg", {"x"})));
      return Import(std::move(def));
    };
    CHECK(growth(apart(kSize), apart(4 * kSize), {{"Neg", "CPU"}, {"Placeholder", "GPU"}}) < growth_test::kLinear);
  }

  TEST_CASE("types are those that all can run; kernel priorities that disagree do not count") {
    Built b(MakeGraph({MakeInput("x"), With("x", MakeFloat("a", "Neg", {"x"}))}),
            {{"Neg", "CPU", 7}, {"Neg", "GPU", 1}, {"Placeholder", "GPU", 5}, {"Placeholder", "CPU", 2}});
    REQUIRE(b.status.ok());
    const auto& types = b.groups.group_of(0).supported;
    REQUIRE(types.size() == 2);
    CHECK(b.devices.types()[static_cast<std::size_t>(types[0].type)].name == "GPU");
    CHECK(types[0].priority == 0);
    Built one(MakeGraph({MakeInput("x"), With("x", MakeFloat("a", "Neg", {"x"}))}),
              {{"Neg", "CPU", 7}, {"Neg", "GPU", 1}});
    CHECK(one.groups.group_of(0).supported[0].priority == 7);
  }

  TEST_CASE("says what is wrong with a node") {
    Built none(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"})}), {{"Neg", "TPU"}});
    CHECK(errors::IsInvalidArgument(none.status));
    CHECK(Says(none.status,
               "No OpKernel was registered to support Op 'Neg' used by {{node a}} with these attrs: [T=DT_FLOAT]"));
    CHECK(Says(none.status, "Registered devices: [CPU, GPU]\nRegistered kernels:\n  device='TPU'\n"));
    Built bad(MakeGraph({On("gpu", MakeInput("x"))}));
    CHECK(errors::IsInvalidArgument(bad.status));
    CHECK(Says(bad.status, "Malformed device specification 'gpu' in node: "));
    Graph graph = Import(MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"})}));
    const PlacementDevices devices = Devices({"CPU:0"});
    const Kernels kernels;
    const PlacerOptions options;
    REQUIRE(graph.AssignDevice(1, Full("GPU:5")).ok());
    const Status gone = ColocationGraph(graph, devices, kernels, options, nullptr).Build();
    CHECK(errors::IsInternal(gone));
    CHECK(Says(gone, "Assigned device '/job:localhost/replica:0/task:0/device:GPU:5' does not match any device."));
    REQUIRE(graph.AssignDevice(1, Full("CPU:0")).ok());
    const Kernels other{{"Neg", "GPU"}};
    CHECK(errors::IsInvalidArgument(ColocationGraph(graph, devices, other, options, nullptr).Build()));
    const PlacementDevices both = Devices({"CPU:0", "GPU:0"});
    const Status unable = ColocationGraph(graph, both, other, options, nullptr).Build();
    CHECK(errors::IsInternal(unable));
    CHECK(Says(unable,
               "Assigned device '/job:localhost/replica:0/task:0/device:CPU:0' does not have registered OpKernel "
               "support for Neg"));
  }

  TEST_CASE("a reference or resource edge between two devices is refused, whoever put its ends there") {
    Graph graph = Import(MakeGraph({MakeInput("x"), Variable("v"), MakeFloat("a", "Assign", {"v", "x"})}));
    const PlacementDevices devices = Devices({"CPU:0", "GPU:0"});
    const Kernels kernels;
    const PlacerOptions options{.allow_soft_placement = true};
    REQUIRE(graph.AssignDevice(1, Full("GPU:0")).ok());
    REQUIRE(graph.AssignDevice(2, Full("CPU:0")).ok());
    const Status status = ColocationGraph(graph, devices, kernels, options, nullptr).Build();
    CHECK(errors::IsInvalidArgument(status));
    CHECK(
        Says(status, StrCat("Cannot place the graph because a reference or resource edge connects colocation groups "
                            "with incompatible assigned devices: ",
                            Full("GPU:0"), " vs ", Full("CPU:0"), ". The edge src node is v , and the dst node is a")));
    const AttrValue types(SlimVector<DataType>{DataType::kResource, DataType::kResource});
    Built two(
        MakeGraph({On("/device:GPU:0", placing::Resource("r")), On("/device:GPU:1", placing::Resource("s")),
                   MakeNode("w", "While", {"r", "s"},
                            {{"T", types}, {"cond", function_test::Call("f")}, {"body", function_test::Call("f")}})}));
    CHECK(errors::IsInvalidArgument(two.status));
    CHECK(Says(two.status, "with incompatible resource devices: /device:GPU:"));
  }
}
}  // namespace colocation_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/partition.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <tenon/graph/lower_functional.hpp>

#include "base/sized_thread.hpp"
#include "graph/function_graphs.hpp"
#include "graph/placing.hpp"
#include "growth.hpp"

namespace partition_test {
using namespace tenon;
using namespace placing;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;
using testing::MakeNode;
using testing::Text;

namespace {

// GPUs have memory of their own, where Shape writes to the host and Reshape takes its shape from there.
class Environment final : public PartitionEnvironment {
 public:
  bool InputOnHost(const NodeDef& node, std::string_view device, int input) const override {
    return !UsesHostMemory(device) &&
           ((node.op == "Reshape" && input == 1) || (node.op == "Switch" && input == 1) || node.op == "LoopCond");
  }
  bool OutputOnHost(const NodeDef& node, std::string_view device, int) const override {
    return !UsesHostMemory(device) && (node.op == "Shape" || node.op == "LoopCond");
  }
  bool UsesHostMemory(std::string_view device) const override { return device.find("CPU") != std::string_view::npos; }
  std::uint64_t Incarnation(std::string_view device) const override { return device.size() + 1; }
};

struct Parts {
  explicit Parts(const Graph& graph, const PartitionOptions& options = {}) {
    auto made = PartitionGraph(graph, Environment(), options);
    status = made.status();
    if (made.ok()) parts = std::move(*made);
    for (const GraphPartition& part : parts) {
      GraphDef copy = part.graph;
      (void)Import(std::move(copy));  // each is a graph that can be imported
      for (const NodeDef& node : part.graph.node) CHECK(node.device == part.device);
    }
  }
  const GraphDef& operator[](std::string_view local) const {
    for (const GraphPartition& part : parts)
      if (part.device == Full(local)) return part.graph;
    static const GraphDef none;
    return none;
  }
  Status status;
  SlimVector<GraphPartition> parts;
};

Graph Assigned(GraphDef def, const std::map<std::string, std::string>& devices, const std::string& rest = "CPU:0") {
  Graph graph = Import(std::move(def));
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const auto at = devices.find(graph.node(id).name());
    REQUIRE(graph.AssignDevice(id, Full(at == devices.end() ? rest : at->second)).ok());
  }
  return graph;
}

SlimVector<std::string> NodesOf(const GraphDef& def, std::string_view op) {
  SlimVector<std::string> names;
  for (const NodeDef& node : def.node)
    if (node.op == op) names.push_back(node.name);
  return names;
}

// A node as it was: "op on device (inputs) ^controls".
using Nodes = std::map<std::string, std::string>;

std::string Describe(const NodeDef& node, const std::vector<std::string>& data, const std::set<std::string>& control) {
  std::string text = node.op + " on " + node.device + " (";
  for (const std::string& input : data) text += input + " ";
  text += ")";
  for (const std::string& input : control) text += " " + input;
  return text;
}
Nodes Describe(const GraphDef& def) {
  Nodes nodes;
  for (const NodeDef& node : def.node) {
    std::vector<std::string> data;
    std::set<std::string> control;
    for (const std::string& input : node.input)
      if (StartsWith(input, "^"))
        control.insert(input);
      else
        data.push_back(input);
    nodes[node.name] = Describe(node, data, control);
  }
  return nodes;
}

// Puts edges back where the transfers are, and takes out what the partition added.
Nodes Joined(const SlimVector<GraphPartition>& parts, const Graph& original) {
  std::map<std::string, const NodeDef*> all;
  std::map<std::string, std::string> sent;  // tensor name -> what is sent
  for (const GraphPartition& part : parts)
    for (const NodeDef& node : part.graph.node) {
      CHECK_MESSAGE(all.emplace(node.name, &node).second, "two nodes ", node.name);
      if (IsSendOp(node.op)) sent[node.attr.Find("tensor_name")->s()] = node.input[0];
    }
  const auto back = [&](const std::string& input) {
    const TensorName name = ParseTensorName(input);
    const NodeDef& node = *all.at(std::string(name.node));
    if (original.Find(node.name) != nullptr) return input;
    if (IsRecvOp(node.op)) return sent.at(node.attr.Find("tensor_name")->s());
    REQUIRE(node.op == "Identity");  // of a control edge
    const NodeDef& recv = *all.at(node.input[0]);
    const NodeDef& constant = *all.at(sent.at(recv.attr.Find("tensor_name")->s()));
    REQUIRE(constant.op == "Const");
    return constant.input[0];
  };
  Nodes nodes;
  for (const auto& [name, node] : all) {
    if (original.Find(name) == nullptr) continue;
    std::vector<std::string> data;
    std::set<std::string> control;
    for (const std::string& input : node->input)
      if (StartsWith(input, "^"))
        control.insert(back(input));
      else
        data.push_back(back(input));
    nodes[name] = Describe(*node, data, control);
  }
  return nodes;
}

GraphDef RandomGraph(std::mt19937* random) {
  const auto pick = [&](std::size_t n) { return static_cast<int>((*random)() % n); };
  GraphDef def = MakeGraph({MakeInput("n0")});
  std::vector<std::string> tensors{"n0"};
  const int count = 2 + pick(30);
  for (int i = 1; i < count; ++i) {
    const std::string name = StrCat("n", i);
    const auto any = [&] { return tensors[static_cast<std::size_t>(pick(tensors.size()))]; };
    NodeDef node;
    switch (pick(4)) {
      case 0: node = MakeFloat(name, "Neg", {any()}); break;
      case 1: node = MakeFloat(name, "AddV2", {any(), any()}); break;
      case 2: node = MakeInput(name); break;
      default:
        node = MakeNode(name, "Unpack", {any()}, {{"T", DataType::kFloat}, {"num", AttrValue(2)}});
        tensors.push_back(name + ":1");
    }
    tensors.push_back(name);
    std::set<int> before;
    for (int k = pick(3); k > 0; --k) before.insert(pick(static_cast<std::size_t>(i)));
    for (const int b : before) node.input.push_back(StrCat("^n", b));
    def.node.push_back(node);
  }
  return def;
}

}  // namespace

TEST_SUITE("PartitionGraph") {
  TEST_CASE("a tensor goes to a device once, with TensorFlow's attrs") {
    const Graph graph =
        Assigned(MakeGraph({MakeInput("a"), MakeFloat("b", "Neg", {"a"}), MakeFloat("c", "AddV2", {"a", "b"})}),
                 {{"b", "GPU:0"}, {"c", "GPU:0"}});
    const Parts p(graph);
    REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
    REQUIRE(p.parts.size() == 2);
    const auto sends = NodesOf(p["CPU:0"], "_Send"), recvs = NodesOf(p["GPU:0"], "_Recv");
    REQUIRE(sends.size() == 1);
    REQUIRE(recvs.size() == 1);
    CHECK(Text(p["CPU:0"], sends[0]) == "_Send(a)");
    CHECK(Text(p["GPU:0"], "b") == "Neg(" + recvs[0] + ")");
    CHECK(Text(p["GPU:0"], "c") == "AddV2(" + recvs[0] + ", b)");
    const NodeDef& recv = p["GPU:0"].node[0];
    CHECK(recv.attr.Find("tensor_name")->s() == "edge_0_a");
    CHECK(recv.attr.Find("send_device")->s() == Full("CPU:0"));
    CHECK(recv.attr.Find("recv_device")->s() == Full("GPU:0"));
    CHECK(recv.attr.Find("send_device_incarnation")->i() == static_cast<std::int64_t>(Full("CPU:0").size() + 1));
    CHECK(recv.attr.Find("_src")->s() == "a");
    CHECK(recv.attr.Find("_dst")->s() == "b");
    CHECK(p["GPU:0"].versions.producer == graph.versions().producer);
  }

  TEST_CASE("a control edge crosses as an empty constant") {
    const Parts p(Assigned(MakeGraph({MakeInput("a"), MakeInput("x"), MakeFloat("b", "Neg", {"x", "^a"})}),
                           {{"b", "GPU:0"}, {"x", "GPU:0"}}));
    REQUIRE(p.status.ok());
    const auto constants = NodesOf(p["CPU:0"], "Const");
    REQUIRE(constants.size() == 1);
    CHECK(Text(p["CPU:0"], constants[0]) == "Const(^a)");
    CHECK(Text(p["CPU:0"], NodesOf(p["CPU:0"], "_Send")[0]) == "_Send(" + constants[0] + ")");
    const std::string identity = NodesOf(p["GPU:0"], "Identity")[0];
    CHECK(Text(p["GPU:0"], identity) == "Identity(" + NodesOf(p["GPU:0"], "_Recv")[0] + ")");
    CHECK(Text(p["GPU:0"], "b") == "Neg(x, ^" + identity + ")");
  }

  TEST_CASE("host memory: transfers within a device, and by the memory at each end") {
    const GraphDef def = MakeGraph({MakeInput("a"), MakeNode("s", "Shape", {"a"}, {{"T", DataType::kFloat}}),
                                    MakeNode("r", "Reshape", {"a", "s"}, {{"T", DataType::kFloat}}),
                                    MakeNode("i", "Identity", {"s"}, {{"T", DataType::kInt32}})});
    const Parts gpu(Assigned(def, {}, "GPU:0"));
    REQUIRE(gpu.status.ok());
    CHECK(Text(gpu["GPU:0"], "r") == "Reshape(a, s)");
    const auto sends = NodesOf(gpu["GPU:0"], "_HostSend"), recvs = NodesOf(gpu["GPU:0"], "_Recv");
    REQUIRE(sends.size() == 1);
    REQUIRE(recvs.size() == 1);
    CHECK(Text(gpu["GPU:0"], "i") == "Identity(" + recvs[0] + ")");
    CHECK(Text(gpu["GPU:0"], recvs[0]) == "_Recv(^" + sends[0] + ")");
    CHECK(NodesOf(Parts(Assigned(def, {}, "CPU:0"))["CPU:0"], "_Send").empty());
    const Parts both(Assigned(def, {{"r", "GPU:0"}}));
    CHECK(NodesOf(both["GPU:0"], "_HostRecv").size() == 1);
    CHECK(NodesOf(both["CPU:0"], "_Send").size() == 2);
  }

  TEST_CASE("a reference is read when the other inputs are there, each time anew") {
    const Parts p(Assigned(MakeGraph({Variable("v"), MakeInput("x"), MakeFloat("a", "AddV2", {"v", "x", "^x"}),
                                      MakeFloat("b", "Neg", {"v"})}),
                           {{"x", "GPU:0"}, {"a", "GPU:0"}, {"b", "GPU:0"}}));
    REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
    CHECK(NodesOf(p["CPU:0"], "_Send").size() == 2);
    const auto recvs = NodesOf(p["GPU:0"], "_Recv");
    REQUIRE(recvs.size() == 2);
    CHECK(Text(p["GPU:0"], recvs[0]) == "_Recv(^x, ^x)");
    CHECK(Text(p["GPU:0"], recvs[1]) == "_Recv()");
    const Parts apart(
        Assigned(MakeGraph({Variable("v"), MakeInput("x"), MakeFloat("a", "Assign", {"v", "x"})}), {{"a", "GPU:0"}}));
    CHECK(errors::IsInvalidArgument(apart.status));
    CHECK(apart.status.message().find("place them together") != std::string_view::npos);
  }

  TEST_CASE("only the functions that a partition can call go with it") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeNode("call", "PartitionedCall", {"a"},
                                                       {{"Tin", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                                                        {"Tout", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                                                        {"f", function_test::Call("f")}})});
    def.library.function = {function_test::Floats("f", {"x"}, {}, "x"), function_test::Floats("g", {"x"}, {}, "x")};
    const Parts p(Assigned(std::move(def), {{"call", "GPU:0"}}));
    REQUIRE(p.status.ok());
    CHECK(p["CPU:0"].library.function.empty());
    CHECK(p["GPU:0"].library.function.size() == 1);
  }

  TEST_CASE("joined again, the partitions are the graph") {
    const std::vector<std::string> devices{"CPU:0", "GPU:0", "GPU:1"};
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::map<std::string, std::string> where;
      const GraphDef def = RandomGraph(&random);
      for (const NodeDef& node : def.node) where[node.name] = devices[random() % devices.size()];
      const Graph graph = Assigned(def, where);
      const Parts p(graph);
      REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
      REQUIRE(Joined(p.parts, graph) == Describe(graph.ToGraphDef()));
    }
  }

  TEST_CASE("loops over several devices: a control loop on each, and joined again the same graph") {
    using Types = SlimVector<DataType>;
    const AttrValue type(DataType::kFloat);
    const auto body = [&](std::string name, std::string op, std::initializer_list<std::string> inputs) {
      return function_test::MakeNode(std::move(name), std::move(op), inputs, {{"T", type}});
    };
    const auto loop = [&](std::string name, std::string work, std::initializer_list<std::string> inputs) {
      return MakeNode(name, "While", inputs,
                      {{"T", AttrValue(Types{DataType::kFloat})},
                       {"cond", function_test::Call("cond")},
                       {"body", function_test::Call(work)},
                       {"parallel_iterations", AttrValue(3)}});
    };
    GraphDef def = MakeGraph({MakeInput("a"), loop("outer", "nested", {"a"}), MakeFloat("y", "Neg", {"outer"})});
    def.library.function = {
        function_test::Floats("cond", {"x"}, {body("l", "Less", {"x", "x"})}, "l:z:0", DataType::kBool),
        function_test::Floats("body", {"x"}, {body("s", "AddV2", {"x", "x"}), body("t", "Neg", {"s:z:0"})}, "t:y:0"),
        function_test::Floats("nested", {"x"}, {body("n", "Neg", {"x"}), loop("inner", "body", {"n:y:0"})},
                              "inner:output:0")};
    Graph lowered = Import(def);
    const Status status = LowerAllFunctionalOps(&lowered, lowered.library(), testing::FlowOps());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    const std::vector<std::string> devices{"CPU:0", "GPU:0", "GPU:1"};
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::map<std::string, std::string> where;
      for (const Node& node : lowered.nodes()) where[node.name()] = devices[random() % devices.size()];
      Graph graph = Assigned(lowered.ToGraphDef(), where);
      const Parts p(graph);
      REQUIRE_MESSAGE(p.status.ok(), p.status.ToString());
      // Nodes that only steer may have moved: say where they are now.
      for (const GraphPartition& part : p.parts)
        for (const NodeDef& node : part.graph.node)
          if (const Node* of = graph.Find(node.name); of != nullptr)
            REQUIRE(graph.AssignDevice(of->id, part.device).ok());
      REQUIRE(Joined(p.parts, graph) == Describe(graph.ToGraphDef()));
      for (const GraphPartition& part : p.parts) {
        const Graph one = Import(GraphDef(part.graph));
        const SlimVector<char> all(static_cast<std::size_t>(one.num_nodes()), 1);
        const auto frames = FindFrames(one, all, {});
        REQUIRE_MESSAGE(frames.ok(), frames.status().ToString());
        // Every transfer of a loop runs in the loop's frame: its two ends are in frames of one name.
        for (const Node& node : one.nodes()) {
          if (!IsRecvOp(node.op_name())) continue;
          const std::string& src = node.def.attr.Find("_src")->s();
          const auto whole = FindFrames(graph, SlimVector<char>(static_cast<std::size_t>(graph.num_nodes()), 1), {});
          REQUIRE(whole.ok());
          const Node* sender = graph.Find(src);
          if (sender == nullptr) continue;
          const std::string& expected = whole->frames[static_cast<std::size_t>(whole->OutputsIn(*sender))].name;
          CHECK(frames->frames[static_cast<std::size_t>(frames->OutputsIn(node))].name == expected);
        }
      }
    }
  }

  TEST_CASE("loops in loops, deeper than the stack has room for") {
    constexpr int kLoops = 400;
    const auto frame = [](int i) { return AttrValue(StrCat("f", i)); };
    SlimVector<NodeDef> nodes{MakeInput("a")};
    std::string value = "a";
    for (int i = 0; i < kLoops; ++i) {
      nodes.push_back(
          MakeNode(StrCat("enter", i), "Enter", {value}, {{"T", DataType::kFloat}, {"frame_name", frame(i)}}));
      nodes.push_back(MakeFloat(StrCat("merge", i), "Merge", {StrCat("enter", i), StrCat("next", i)}));
      nodes.back().attr.Set("N", AttrValue(2));
      nodes.push_back(MakeFloat(StrCat("less", i), "Less", {StrCat("merge", i), StrCat("merge", i)}));
      nodes.push_back(MakeNode(StrCat("cond", i), "LoopCond", {StrCat("less", i)}, {}));
      nodes.push_back(MakeFloat(StrCat("switch", i), "Switch", {StrCat("merge", i), StrCat("cond", i)}));
      value = StrCat("switch", i, ":1");
    }
    nodes.push_back(MakeFloat("inside", "Neg", {value}));
    value = "inside";
    for (int i = kLoops; i-- > 0;) {
      nodes.push_back(MakeFloat(StrCat("next", i), "NextIteration", {value}));
      nodes.push_back(MakeFloat(StrCat("exit", i), "Exit", {StrCat("switch", i)}));
      value = StrCat("exit", i);
    }
    GraphDef def = MakeGraph({});
    def.node = std::move(nodes);
    const Graph graph = Assigned(std::move(def), {{"inside", "GPU:0"}});
    Result<SlimVector<GraphPartition>> parts = errors::Internal("");
    sized_thread::OnStackOf(std::size_t{128} << 10, [&] { parts = PartitionGraph(graph, Environment(), {}); });
    REQUIRE_MESSAGE(parts.ok(), parts.status().ToString());
    // A loop on each device, and those of the graph.
    for (const GraphPartition& part : *parts)
      CHECK(NodesOf(part.graph, "Enter").size() == (part.device == Full("GPU:0") ? kLoops : 2 * kLoops));
  }

  TEST_CASE("takes time in proportion to the tensors that one node sends, and to the loops") {
    const auto fan = [](int n) {
      GraphDef def = MakeGraph({MakeInput("a")});
      def.node.push_back(MakeNode("all", "Unpack", {"a"}, {{"T", DataType::kFloat}, {"num", AttrValue(n)}}));
      std::map<std::string, std::string> where;
      for (int i = 0; i < n; ++i) {
        def.node.push_back(MakeFloat(StrCat("n", i), "Neg", {StrCat("all:", i)}));
        where[def.node.back().name] = "GPU:0";
      }
      return Assigned(std::move(def), where);
    };
    const auto loops = [](int n) {
      GraphDef def = MakeGraph({MakeInput("a")});
      std::map<std::string, std::string> where;
      for (int i = 0; i < n / 4; ++i) {
        const auto name = [i](std::string_view what) { return StrCat(what, i); };
        def.node.push_back(MakeNode(name("enter"), "Enter", {"a"},
                                    {{"T", DataType::kFloat}, {"frame_name", AttrValue(name("frame"))}}));
        def.node.push_back(MakeFloat(name("merge"), "Merge", {name("enter"), name("next")}));
        def.node.back().attr.Set("N", AttrValue(2));
        def.node.push_back(MakeFloat(name("less"), "Less", {name("merge"), name("merge")}));
        def.node.push_back(MakeNode(name("cond"), "LoopCond", {name("less")}, {}));
        def.node.push_back(MakeFloat(name("switch"), "Switch", {name("merge"), name("cond")}));
        def.node.push_back(MakeFloat(name("inside"), "Neg", {name("switch") + ":1"}));
        where[def.node.back().name] = "GPU:0";
        def.node.push_back(MakeFloat(name("next"), "NextIteration", {name("inside")}));
        def.node.push_back(MakeFloat(name("exit"), "Exit", {name("switch")}));
      }
      return Assigned(std::move(def), where);
    };
    for (const auto& make : {std::function<Graph(int)>(fan), std::function<Graph(int)>(loops)}) {
      constexpr int kSize = 2000;
      const Graph small = make(kSize), large = make(4 * kSize);
      CHECK(growth_test::Growth(kSize, [&](int n) {
              CHECK(PartitionGraph(n == kSize ? small : large, Environment()).ok());
            }) < growth_test::kLinear);
    }
  }

  TEST_CASE("with start times a tensor is fetched when its time comes") {
    GraphDef def =
        MakeGraph({MakeInput("a"), MakeInput("b"), MakeFloat("c", "Neg", {"b"}), MakeFloat("d", "AddV2", {"a", "c"})});
    const PartitionOptions options{.start_time = [](const Node& node, void*) -> std::int64_t {
      return node.name() == "d" ? 5000 : node.name() == "c" ? 4000 : 0;
    }};
    const Parts p(Assigned(def, {{"b", "GPU:0"}, {"c", "GPU:0"}, {"d", "GPU:0"}}), options);
    REQUIRE(p.status.ok());
    const auto triggers = NodesOf(p["GPU:0"], "ControlTrigger");
    REQUIRE(triggers.size() == 1);
    CHECK(Text(p["GPU:0"], triggers[0]) == "ControlTrigger(^c)");
    CHECK(Text(p["GPU:0"], NodesOf(p["GPU:0"], "_Recv")[0]) == "_Recv(^" + triggers[0] + ")");
  }

  TEST_CASE("refuses what cannot be divided") {
    const Graph unplaced = Import(MakeGraph({MakeInput("a")}));
    CHECK(errors::IsInvalidArgument(Parts(unplaced).status));
    Graph incomplete = Assigned(MakeGraph({MakeInput("a"), MakeFloat("b", "Neg", {"a"})}), {});
    const Node b = *incomplete.Find("b");
    NodeDef lonely = b.def;
    lonely.name = "lonely";
    lonely.input.clear();
    const Result<int> id = incomplete.AddNode(lonely, b.op, b.input_types, b.output_types);
    REQUIRE_MESSAGE(id.ok(), id.status().ToString());
    REQUIRE(incomplete.AssignDevice(*id, Full("CPU:0")).ok());
    CHECK(Parts(incomplete).status == errors::InvalidArgument("Incomplete graph, missing 1 inputs for lonely"));
    GraphDef def =
        MakeGraph({MakeInput("a"), MakeNode("enter", "Enter", {"a"}, {{"T", DataType::kFloat}, {"frame_name", "f"}}),
                   MakeFloat("n", "Neg", {"enter"}), MakeFloat("exit", "Exit", {"n"})});
    const Parts loop(Assigned(std::move(def), {{"enter", "GPU:0"}, {"n", "GPU:0"}, {"exit", "GPU:0"}}));
    CHECK(loop.status.ok());  // only its input crosses
    def = MakeGraph({MakeInput("a"), MakeNode("enter", "Enter", {"a"}, {{"T", DataType::kFloat}, {"frame_name", "f"}}),
                     MakeFloat("n", "Neg", {"enter"}), MakeFloat("m", "Neg", {"n"}), MakeFloat("exit", "Exit", {"m"})});
    const Parts pivotless(Assigned(std::move(def), {{"m", "GPU:0"}}));
    CHECK(errors::IsInvalidArgument(pivotless.status));
    CHECK(pivotless.status.message() == "A cross-device loop must have a pivot predicate: f");
    Transfer alone{"t", "/device:CPU:0", "/device:CPU:0", 0, DataType::kFloat, "", ""};
    const Parts unpaired(Assigned(MakeGraph({MakeRecv("r", false, alone)}), {}));
    CHECK(errors::IsInvalidArgument(unpaired.status));
    const PartitionOptions elsewhere{.check_transfers = false};
    const Parts half(Assigned(MakeGraph({MakeRecv("r", false, alone)}), {}), elsewhere);
    REQUIRE(half.status.ok());
    CHECK(half["CPU:0"].node[0].attr.Find("send_device_incarnation")->i() == 14);
  }
}
}  // namespace partition_test

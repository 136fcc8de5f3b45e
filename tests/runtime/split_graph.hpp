// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cuts a graph by the devices that its nodes name, for tests of what runs the parts. No control flow.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>

namespace runtime_test {

using namespace tenon;

// A node of an op with attrs; its inputs come later.
inline NodeDef MakeNode(std::string name, std::string_view op,
                        std::initializer_list<std::pair<const char*, AttrValue>> attrs) {
  NodeDef node;
  node.name = std::move(name);
  node.op = op;
  for (const auto& [key, value] : attrs) node.attr.Set(key, value);
  return node;
}
// The two ends of an edge, without their inputs.
inline NodeDef MakeSend(std::string name, DataType type, const std::string& edge, const std::string& from,
                        const std::string& to) {
  return MakeNode(std::move(name), "_Send",
                  {{"T", type},
                   {"tensor_name", edge},
                   {"send_device", from},
                   {"send_device_incarnation", std::int64_t{1}},
                   {"recv_device", to}});
}
inline NodeDef MakeRecv(std::string name, DataType type, const std::string& edge, const std::string& from,
                        const std::string& to) {
  return MakeNode(std::move(name), "_Recv",
                  {{"tensor_type", type},
                   {"tensor_name", edge},
                   {"send_device", from},
                   {"send_device_incarnation", std::int64_t{1}},
                   {"recv_device", to}});
}

inline std::string FullName(std::string_view local) {
  return StrCat("/job:localhost/replica:0/task:0/device:", local.empty() ? std::string_view("CPU:0") : local);
}

// Nodes name devices as "SIM:1"; "" is CPU:0.
class GraphSplitter {
 public:
  static SlimVector<DeviceGraph> Split(const GraphDef& def) {
    Result<Graph> graph = ImportGraphDef(GraphDef(def), Registry::Global().ops(), {});
    GraphSplitter splitter(*graph);
    for (const Node& node : graph->nodes()) splitter.AddNode(node);
    return std::move(splitter.parts_);
  }

 private:
  explicit GraphSplitter(const Graph& graph) : graph_(graph) {}

  DeviceGraph& PartOf(const std::string& device) {
    const std::string name = FullName(device);
    for (DeviceGraph& part : parts_)
      if (part.device == name) return part;
    parts_.push_back({name, {}});
    parts_.back().graph.versions = graph_.versions();
    return parts_.back();
  }
  void AddNode(const Node& node) {
    NodeDef copy = node.def;
    copy.device.clear();
    copy.input.clear();
    for (const InEdge& edge : node.inputs) copy.input.push_back(Bring(edge, node.def.device));
    for (const int control : node.control_inputs) copy.input.push_back("^" + BringControl(control, node.def.device));
    PartOf(node.def.device).graph.node.push_back(std::move(copy));
  }
  // The name of an output, or of what is received in its place.
  std::string Bring(const InEdge& edge, const std::string& device) {
    const Node& src = graph_.node(edge.node);
    const std::string name = edge.output == 0 ? src.def.name : StrCat(src.def.name, ":", edge.output);
    if (FullName(src.def.device) == FullName(device)) return name;
    return Transfer(name, src.output_type(edge.output), src.def.device, device);
  }
  std::string Transfer(const std::string& name, DataType type, const std::string& from, const std::string& to) {
    std::string mark = StrCat(name, "_", from, "_", to);
    for (char& c : mark)
      if (c == ':') c = '_';
    const std::string recv_name = StrCat(mark, "/recv");
    for (const NodeDef& node : PartOf(to).graph.node)
      if (node.name == recv_name) return recv_name;
    NodeDef send = MakeSend(StrCat(mark, "/send"), type, mark, FullName(from), FullName(to));
    send.input.push_back(name);
    PartOf(from).graph.node.push_back(std::move(send));
    PartOf(to).graph.node.push_back(MakeRecv(recv_name, type, mark, FullName(from), FullName(to)));
    return recv_name;
  }
  std::string BringControl(int control, const std::string& device) {
    const Node& src = graph_.node(control);
    if (FullName(src.def.device) == FullName(device)) return src.def.name;
    const std::string name = StrCat(src.def.name, "/done");
    bool known = false;
    for (const NodeDef& node : PartOf(src.def.device).graph.node) known = known || node.name == name;
    if (!known) {
      NodeDef token = MakeNode(name, "Const", {{"dtype", DataType::kFloat}, {"value", Tensor(DataType::kFloat, {0})}});
      token.input.push_back("^" + src.def.name);
      PartOf(src.def.device).graph.node.push_back(std::move(token));
    }
    const std::string received = Transfer(name, DataType::kFloat, src.def.device, device);
    const std::string arrived = StrCat(received, "/arrived");  // dead when the value is; the receiving node is not
    for (const NodeDef& node : PartOf(device).graph.node)
      if (node.name == arrived) return arrived;
    NodeDef identity = MakeNode(arrived, "Identity", {{"T", DataType::kFloat}});
    identity.input.push_back(received);
    PartOf(device).graph.node.push_back(std::move(identity));
    return arrived;
  }

  const Graph& graph_;
  SlimVector<DeviceGraph> parts_;
};

}  // namespace runtime_test

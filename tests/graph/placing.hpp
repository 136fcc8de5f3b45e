// SPDX-License-Identifier: Apache-2.0
#pragma once
// Devices and kernels for the placement and partition tests.

#include <initializer_list>
#include <string>
#include <string_view>

#include <tenon/graph/import.hpp>
#include <tenon/graph/placement.hpp>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"

namespace placing {

using namespace tenon;

inline std::string Full(std::string_view local) { return StrCat("/job:localhost/replica:0/task:0/device:", local); }
inline PlacementDevices Devices(std::initializer_list<std::string_view> locals) {
  PlacementDevices devices;
  for (const std::string_view local : locals)
    REQUIRE(devices.Add(Full(local), StartsWith(local, "GPU") ? 210 : 60).ok());
  return devices;
}

// Every op has kernels for CPU and GPU unless said otherwise.
class Kernels final : public KernelCatalog {
 public:
  struct Row {
    std::string op, type;
    int priority = 0;
  };
  Kernels() = default;
  Kernels(std::initializer_list<Row> rows) : rows_(rows) {}
  bool Supports(const NodeDef& node, std::string_view type, int* priority) const override {
    bool listed = false;
    for (const Row& row : rows_) {
      if (row.op != node.op) continue;
      listed = true;
      *priority = row.priority;
      if (row.type == type) return true;
    }
    return !listed;
  }
  std::string ListKernels(std::string_view op) const override {
    std::string text;
    for (const Row& row : rows_)
      if (row.op == op) StrAppend(&text, "  device='", row.type, "'\n");
    return text;
  }

 private:
  SlimVector<Row> rows_;
};

inline NodeDef On(std::string_view device, NodeDef node) {
  node.device = std::string(device);
  return node;
}
inline NodeDef With(std::string_view group, NodeDef node) {
  node.attr.Insert("_class", AttrValue(SlimVector<std::string>{StrCat("loc:@", group)}));
  return node;
}
inline NodeDef Variable(std::string_view name) {
  return testing::MakeNode(name, "VariableV2", {},
                           {{"dtype", DataType::kFloat}, {"shape", AttrValue(PartialTensorShape())}});
}
inline NodeDef Resource(std::string_view name) {
  return testing::MakeNode(name, "VarHandleOp", {},
                           {{"dtype", DataType::kFloat}, {"shape", AttrValue(PartialTensorShape())}});
}
inline NodeDef Read(std::string_view name, std::string resource) {
  return testing::MakeNode(name, "ReadVariableOp", {std::move(resource)}, {{"dtype", DataType::kFloat}});
}

inline Graph Import(GraphDef def) {
  ImportOptions options;
  options.allow_internal_ops = true;
  Result<Graph> graph = ImportGraphDef(std::move(def), testing::FlowOps(), options);
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  return std::move(*graph);
}

}  // namespace placing

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs over several CPU devices, which hand values to each other through slots.

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

#include <tenon/runtime/api/session.hpp>
#include "four_devices.hpp"

namespace runtime_test {

// The graph with CPU:2 and CPU:3 in the place of SIM:0 and SIM:1.
inline GraphDef OnCpus(GraphDef graph) {
  const auto move = [](NodeDef* node) {
    if (!node->device.empty() && node->device[0] != '/') node->device = "/device:" + node->device;
    const std::size_t at = node->device.find("SIM:");
    if (at == std::string::npos) return;
    node->device.replace(at, 3, "CPU");
    node->device.back() = static_cast<char>(node->device.back() + 2);
  };
  for (NodeDef& node : graph.node) move(&node);
  for (FunctionDef& function : graph.library.function)
    for (NodeDef& node : function.node_def) move(&node);
  return graph;
}
inline Session OnFourCpus(const GraphDef& graph, ExecutorKind executor) {
  Result<Session> session =
      Session::FromGraphDef(OnCpus(graph), {.devices = {"CPU:0", "CPU:1", "CPU:2", "CPU:3"}, .executor = executor});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}

}  // namespace runtime_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/run_metadata.hpp>

#include <doctest/doctest.h>

#include <string>

namespace run_metadata_test {
using namespace tenon;

TEST_CASE("RunMetadata: the bytes are TensorFlow's message") {
  RunMetadata metadata;
  NodeExecStats node;
  node.node_name = "y";
  node.all_start_micros = 7;
  node.op_end_rel_micros = 2;
  node.memory.push_back({"cpu", 300});
  node.timeline_label = "y = Neg(x)";
  node.thread_id = 1;
  metadata.step_stats.dev_stats.emplace_back().device = "d";
  metadata.step_stats.dev_stats[0].node_stats.push_back(node);
  CostGraphDef::Node cost;
  cost.name = "y";
  cost.id = 1;
  cost.input_info.push_back({0, 2});
  cost.compute_cost = 5;
  metadata.cost_graph.node.push_back(cost);
  GraphDef graph;
  graph.node.emplace_back().name = "y";
  metadata.partition_graphs.push_back(graph);
  // As Python's tf.compat.v1.RunMetadata serialises it.
  const std::string expected = std::string(
                                   "\x0a\x26\x0a\x24\x0a\x01"
                                   "d\x12\x1f\x0a\x01"
                                   "y\x10\x07\x20\x02\x32\x08\x0a\x03"
                                   "cpu\x10\xac\x02\x42\x0a"
                                   "y = Neg(x)\x50\x01",
                                   40) +
                               std::string(
                                   "\x12\x0d\x0a\x0b\x0a\x01"
                                   "y\x18\x01\x22\x02\x10\x02\x48\x05",
                                   15) +
                               std::string(
                                   "\x1a\x05\x0a\x03\x0a\x01"
                                   "y",
                                   7);
  CHECK(SerializeRunMetadata(metadata) == expected);
  CHECK(SerializeRunMetadata(RunMetadata()) == std::string("\x0a\x00\x12\x00", 4));
}
}  // namespace run_metadata_test

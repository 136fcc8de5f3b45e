// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/object_graph_proto.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/op/graph_def/graph_text.hpp>

namespace object_graph_proto_test {
using namespace tenon;

TEST_CASE("the object graph of a checkpoint") {
  TrackableObjectGraph graph;
  const Status status = ParseText(
      "nodes { children { node_id: 1 local_name: 'layer' } }\n"
      "nodes {\n"
      "  attributes { name: 'VARIABLE_VALUE' full_name: 'layer/w' checkpoint_key: 'layer/w/.ATTRIBUTES/VARIABLE_VALUE' }\n"
      "  has_checkpoint_values { value: true }\n"
      "}\n"
      "nodes { slot_variables { original_variable_node_id: 1 slot_name: 'm' slot_variable_node_id: 3 } }\n",
      &graph);
  REQUIRE_MESSAGE(status.ok(), status.message());
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].children[0].node_id == 1);
  CHECK(graph.nodes[1].attributes[0].checkpoint_key == "layer/w/.ATTRIBUTES/VARIABLE_VALUE");
  CHECK(graph.nodes[1].has_checkpoint_values->value);
  CHECK(graph.nodes[2].slot_variables[0].slot_name == "m");
  const std::string bytes = SerializeTrackableObjectGraph(graph);
  const Result<TrackableObjectGraph> again = ParseTrackableObjectGraph(wire::AsBytes(bytes));
  REQUIRE(again.ok());
  CHECK(*again == graph);
}

TEST_CASE("bytes that are no object graph") {
  const std::string bytes = "\x0a\x7f";
  CHECK(errors::IsDataLoss(ParseTrackableObjectGraph(wire::AsBytes(bytes)).status()));
  CHECK(errors::IsDataLoss(ParseSavedObjectGraph(wire::AsBytes(bytes)).status()));
}

TEST_CASE("of several kinds of an object the last counts") {
  // A user object, then a constant.
  const std::string bytes = std::string("\x0a\x09\x22\x03\x0a\x01u\x4a\x02\x0a\x00", 11);
  const Result<SavedObjectGraph> graph = ParseSavedObjectGraph(wire::AsBytes(bytes));
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  REQUIRE(graph->nodes.size() == 1);
  CHECK(!graph->nodes[0].user_object.has_value());
  CHECK(graph->nodes[0].constant.has_value());
}
}  // namespace object_graph_proto_test

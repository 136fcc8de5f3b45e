// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/object_graph.hpp>

#include <doctest/doctest.h>

namespace object_graph_test {
using namespace tenon;

TEST_CASE("object graphs compare by value") {
  SavedObjectGraph a;
  a.nodes.resize(2);
  a.nodes[0].children.push_back({1, "w"});
  a.nodes[1].variable.emplace().experimental_distributed_variable_components.resize(1);
  SavedObjectGraph b = a;
  CHECK(a == b);
  b.nodes[1].variable->experimental_distributed_variable_components[0].name = "w/replica_1";
  CHECK(a != b);
  TrackableObjectGraph c, d;
  c.nodes.resize(1);
  CHECK(c != d);
}
}  // namespace object_graph_test

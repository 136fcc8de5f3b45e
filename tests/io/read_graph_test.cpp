// SPDX-License-Identifier: Apache-2.0
// What ReadGraphFile reads and refuses is in tests/io/graph_file_test.cpp.
#include <tenon/io/read_graph.hpp>

#include <doctest/doctest.h>

#include <string>

namespace read_graph_test {
using namespace tenon;

TEST_CASE("ReadGraphFile alone reads a frozen model") {
  const Result<GraphDef> graph = ReadGraphFile(std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb");
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  CHECK(graph->node.size() > 5);
  CHECK(graph->library.empty());
}
}  // namespace read_graph_test

// SPDX-License-Identifier: Apache-2.0
// The tables are tested by tests/op/proto_io_test.cpp; here what reading says without the table of functions.
#include <tenon/op/graph_def/graph_proto.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>

#include <tenon/op/graph_def/proto_io.hpp>

namespace graph_proto_test {
using namespace tenon;

TEST_CASE("functions are refused, with the header's name, where their table is not linked") {
  GraphDef graph;
  NodeDef& node = graph.node.emplace_back();
  node.name = "n";
  node.op = "NoOp";
  const std::string plain = SerializeGraphDef(graph);
  graph.library.function.emplace_back().signature.name = "f";
  const std::string with_function = SerializeGraphDef(graph);
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span<const char>(text)); };

  const wire::Message* const table = detail::extensions.function_library.exchange(nullptr);
  const Result<GraphDef> read = ParseGraphDef(bytes(plain));
  const Status refused = ParseGraphDef(bytes(with_function)).status();
  detail::extensions.function_library.store(table);
  REQUIRE(read.ok());
  CHECK(read->node[0].name == "n");
  CHECK(refused.code() == Code::kUnimplemented);
  CHECK(refused.message().find("<tenon/op/graph_def/proto_io.hpp>") != std::string::npos);
  const Result<GraphDef> whole = ParseGraphDef(bytes(with_function));
  REQUIRE(whole.ok());
  CHECK(*whole == graph);
}
}  // namespace graph_proto_test

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is every op of a graph in a list of ops?

#include <string>
#include <string_view>

#include <tenon/io/graph_file.hpp>
#include <tenon/register.hpp>

#include <doctest/doctest.h>

namespace op_lists {

template <class Op>
struct Names {
  static bool Have(std::string_view name) { return Op::signature.name == name; }
};
template <class... Op>
struct Names<tenon::OpList<Op...>> {
  static bool Have(std::string_view name) { return (Names<Op>::Have(name) || ...); }
};

template <class List>
void CheckCovers(const std::string& path) {
  auto graph = tenon::ReadGraphFile(path);
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  CHECK(graph->node.size() > 5);
  for (const auto& node : graph->node) CHECK_MESSAGE(Names<List>::Have(node.op), node.op);
}

}  // namespace op_lists

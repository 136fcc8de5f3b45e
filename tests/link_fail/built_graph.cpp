// expect: undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<void>::FromGraphDef
// without: minimal
// with: whole
// SPDX-License-Identifier: Apache-2.0
// Sessions from a GraphDef need more than the minimal runtime.
#include <cstdio>

#include <tenon/runtime/api/session.hpp>
#include <tenon/op/graph_def/graph_def.hpp>

int main() {
  tenon::GraphDef graph;
  graph.node.emplace_back().op = "NoSuchOp";
  graph.node.back().name = "n";
  const tenon::Status status = tenon::Session::FromGraphDef(graph, {.check_ops = true}).status();
  std::printf("%s\n", status.ToString().c_str());
  return status.code() == tenon::Code::kNotFound ? 0 : 1;
}

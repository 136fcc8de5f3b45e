// expect: undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>::FromGraphDef
// without: lean
// with: full
// SPDX-License-Identifier: Apache-2.0
// Sessions from a GraphDef need more than <tenon/lean_runtime.hpp>.
#include <cstdio>

#include <tenon/session.hpp>
#include <tenon/op/graph_def/graph_def.hpp>

int main() {
  tenon::GraphDef graph;
  graph.node.emplace_back().op = "NoSuchOp";
  graph.node.back().name = "n";
  const tenon::Status status = tenon::Session::FromGraphDef(graph).status();
  std::printf("%s\n", status.ToString().c_str());
  return status.code() == tenon::Code::kNotFound ? 0 : 1;
}

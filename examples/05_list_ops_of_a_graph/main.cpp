// SPDX-License-Identifier: Apache-2.0
// Lists the ops that a graph is made of, with the dtypes that they are used for: functions that it calls are looked
// into. Reads graphs as data: no op is registered and no kernel compiled. (tools/tenon_ops_of.cpp also writes the file
// that registers them.)
//
//   list_ops_of_a_graph [GRAPH.pb]     without a file: a small graph made below

#include <cstdio>

#include <tenon/io/graph_file.hpp>
#include <tenon/op/op_def/op_usage.hpp>

namespace {

tenon::NodeDef Node(const char* name, const char* op, tenon::SlimVector<std::string> inputs, tenon::AttrMap attrs) {
  tenon::NodeDef node;
  node.name = name;
  node.op = op;
  node.input = std::move(inputs);
  node.attr = std::move(attrs);
  return node;
}

// y = twice(x), z = twice(cast(x)); twice(a: T) = a + a.
tenon::GraphDef SmallGraph() {
  using tenon::DataType;
  const auto of_type_t = tenon::AttrValue::Placeholder("T");
  tenon::FunctionDef twice;
  twice.signature.name = "twice";
  twice.signature.attr.emplace_back().name = "T";
  twice.node_def = {Node("sum", "AddV2", {"a", "a"}, {{"T", of_type_t}})};
  tenon::GraphDef graph;
  graph.library.function = {twice};
  graph.node = {Node("x", "Placeholder", {}, {{"dtype", DataType::kFloat}}),
                Node("cast", "Cast", {"x"}, {{"SrcT", DataType::kFloat}, {"DstT", DataType::kInt32}}),
                Node("y", "twice", {"x"}, {{"T", DataType::kFloat}}),
                Node("z", "twice", {"cast"}, {{"T", DataType::kInt32}})};
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  const auto graph = argc > 1 ? tenon::ReadGraphFile(argv[1]) : SmallGraph();
  if (!graph.ok()) return std::fprintf(stderr, "%s\n", graph.status().ToString().c_str()), 1;

  const tenon::OpRegistry no_ops;  // types come from the nodes; with a registry also from the ops' defaults
  for (const tenon::OpUsage& use : tenon::OpUsageOfGraph(*graph, no_ops)) {
    std::printf("%-20s %4lld", use.op.c_str(), static_cast<long long>(use.nodes));
    for (const tenon::OpUsage::TypeAttr& attr : use.types) {
      std::printf("  %s:", attr.name.c_str());
      for (const tenon::DataType type : attr.types) std::printf(" %s", std::string(tenon::Name(type)).c_str());
    }
    std::printf("\n");
  }
}

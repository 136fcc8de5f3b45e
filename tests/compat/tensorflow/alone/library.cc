// SPDX-License-Identifier: Apache-2.0
// A program without a runtime converts a graph with functions: the header must bring their tables along.
#include <tensorflow/core/framework/graph_def_util.h>

#include <set>
#include <string>

int main() {
  tensorflow::GraphDef graph;
  tensorflow::NodeDef* const call = graph.add_node();
  call->set_name("call");
  call->set_op("F");
  tensorflow::FunctionDef* const function = graph.mutable_library()->add_function();
  function->mutable_signature()->set_name("F");
  tensorflow::NodeDef* const node = function->add_node_def();
  node->set_name("negative");
  node->set_op("Neg");
  std::set<std::string> ops;
  tensorflow::OpsUsedByGraph(graph, &ops);
  return ops == std::set<std::string>{"Neg"} ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// A program over the component protobuf: a graph becomes a class of protobuf's and a graph again.
#include <cstdio>
#include <string>

#include <tenon/protobuf.hpp>
#include <tenon/op/graph_def/graph_text.hpp>

int main() {
  tensorflow::GraphDef proto;
  const tenon::Result<tenon::GraphDef> graph = tenon::ParseTextGraphDef("node { name: 'x' op: 'Placeholder' }");
  tenon::Status status = graph.ok() ? tenon::ToProto(*graph, &proto) : graph.status();
  if (status.ok()) status = tenon::FromProto(proto).status();
  const bool ok = status.ok() && proto.node_size() == 1 && proto.node(0).op() == "Placeholder";
  std::printf("protobuf: %s\n%s", status.ToString().c_str(), proto.ShortDebugString().c_str());
  std::printf("\n");
  return ok ? 0 : 1;
}

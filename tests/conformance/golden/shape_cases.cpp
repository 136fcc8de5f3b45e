// SPDX-License-Identifier: Apache-2.0
#include "shape_cases.hpp"

#include <charconv>
#include <string>
#include <utility>

#include <tenon/base/str.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/wire/tensor_proto.hpp>

namespace golden {

namespace {

// "node:1"
tenon::Status ShapeOf(const tenon::Graph& graph, std::string_view tensor, tenon::PartialTensorShape* shape) {
  const std::size_t colon = tensor.find(':');
  int output = 0;
  if (colon != tensor.npos) std::from_chars(tensor.data() + colon + 1, tensor.data() + tensor.size(), output);
  const tenon::Node* node = graph.Find(tensor.substr(0, colon));
  if (node == nullptr || output >= node->num_outputs())
    return tenon::errors::NotFound("ShapeOf: the graph has no output '", tensor, "'");
  *shape = node->output_shape(output);
  return tenon::OkStatus();
}

}  // namespace

tenon::GraphDef WithoutShapes(tenon::GraphDef graph) {
  for (tenon::NodeDef& node : graph.node)
    if (node.op == "Placeholder") node.attr.Set("shape", tenon::PartialTensorShape());
  return graph;
}

Outcome CompareShapes(const tenon::GraphDef& graph, const tenon::OpRegistry& ops, std::span<const NamedBytes> want,
                      std::string_view which) {
  if (want.empty()) return {Outcome::kPassed, ""};
  const tenon::Result<tenon::Graph> imported = tenon::ImportGraphDef(tenon::GraphDef(graph), ops);
  if (!imported.ok()) return {Outcome::kFailed, tenon::StrCat(which, ": ", imported.status().ToString())};
  for (const NamedBytes& entry : want) {
    tenon::PartialTensorShape shape, got;
    tenon::Status status = tenon::wire::Parse(Bytes(entry.bytes), &shape);
    if (status.ok()) status = ShapeOf(*imported, entry.name, &got);
    if (!status.ok()) return {Outcome::kFailed, tenon::StrCat(which, ": ", entry.name, ": ", status.ToString())};
    if (got.IsIdenticalTo(shape)) continue;
    return {Outcome::kFailed, tenon::StrCat(which, ": ", entry.name, " is ", got, ", TensorFlow's is ", shape,
                                            got.IsCompatibleWith(shape) ? "" : " (a contradiction)")};
  }
  return {Outcome::kPassed, ""};
}

}  // namespace golden

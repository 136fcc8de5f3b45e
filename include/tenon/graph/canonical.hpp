// SPDX-License-Identifier: Apache-2.0
#pragma once
// The canonical form of a graph: one of the many GraphDefs that say the same, and a hash of it. Two graphs have the
// same form when they differ only in the order of nodes, functions and control inputs, in "x:0" for "x", in attrs that
// are left at their defaults, and in debug information. Names count.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

template <class Items, class NameOf>
void SortByName(Items* items, const NameOf& name_of) {
  std::sort(items->begin(), items->end(), [&](const auto& a, const auto& b) { return name_of(a) < name_of(b); });
}
inline void SortNodes(SlimVector<NodeDef>* nodes) {
  SortByName(nodes, [](const NodeDef& node) -> const std::string& { return node.name; });
}
// A function's body: the inputs of its nodes have no shorter form, and what is left at its default is the op's affair.
inline void SortBody(FunctionDef* function) {
  for (NodeDef& node : function->node_def) {
    const auto controls = std::find_if(node.input.begin(), node.input.end(),
                                       [](const std::string& name) { return name.starts_with('^'); });
    std::sort(controls, node.input.end());
    node.input.resize(static_cast<std::size_t>(std::unique(controls, node.input.end()) - node.input.begin()));
  }
  SortNodes(&function->node_def);
}

}  // namespace detail

// Nodes and functions by name; ImportGraphDef has added the defaults of attrs. Importing it gives a graph of the same
// form again.
inline GraphDef CanonicalGraphDef(const Graph& graph) {
  GraphDef out = graph.ToGraphDef();
  out.debug_info.clear();
  detail::SortNodes(&out.node);
  for (FunctionDef& function : out.library.function) detail::SortBody(&function);
  detail::SortByName(&out.library.function,
                     [](const FunctionDef& f) -> const std::string& { return f.signature.name; });
  detail::SortByName(&out.library.gradient, [](const GradientDef& g) -> const std::string& { return g.function_name; });
  return out;
}

// Hash of the canonical form. It is equal in every process, as long as TensorFlow's formats stay as they are. It does
// not protect from forgery.
inline std::uint64_t GraphHash(const Graph& graph) {
  std::string bytes;
  wire::SerializeTo(CanonicalGraphDef(graph), &bytes);
  return Hash64(bytes);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of a graph as graphs of their own: some of its nodes, or all that some nodes need.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A part that was cut out. `inputs[i]` is the tensor of the whole graph, "x:1", that the part's node `placeholders[i]`
// stands for.
struct Subgraph {
  GraphDef graph;
  SlimVector<std::string> inputs, placeholders;
};

struct SubgraphOptions {
  // A tensor that the part reads from outside becomes a Placeholder of its type and shape. The part no longer waits
  // for nodes outside. False: either is InvalidArgument.
  bool cut_inputs = true;
};

namespace detail {

class SubgraphCopy {
 public:
  SubgraphCopy(const Graph& graph, Span<const int> nodes, const SubgraphOptions& options)
      : graph_(graph), nodes_(nodes), options_(options), in_part_(ToSize(graph.num_nodes()), 0) {}

  Result<Subgraph> Make() {
    for (const int id : nodes_) {
      if (id < 0 || id >= graph_.num_nodes())
        return errors::InvalidArgument("There is no node ", id, " in a graph of ", graph_.num_nodes(), " nodes");
      in_part_[ToSize(id)] = 1;
    }
    for (const Node& node : graph_.nodes())
      if (in_part_[ToSize(node.id)] != 0) TENON_RETURN_IF_ERROR(Add(node));
    out_.graph.library = ReachableFunctions(graph_.library(), out_.graph.node);
    out_.graph.versions = graph_.versions();
    return std::move(out_);
  }

 private:
  Status Add(const Node& node) {
    NodeDef def = node.def;
    if (const std::string_view device = graph_.assigned_device_name(node.id); !device.empty()) def.device = device;
    def.input.clear();
    for (int i = 0; i < node.num_inputs(); ++i) {
      const InEdge& edge = node.input(i);
      if (edge.node < 0) return errors::InvalidArgument("Input ", i, " of node '", node.name(), "' is not connected");
      std::string name = graph_.node(edge.node).name();
      if (edge.output != 0) StrAppend(&name, ":", edge.output);
      if (in_part_[ToSize(edge.node)] == 0) TENON_RETURN_IF_ERROR(Cut(node, i, edge, &name));
      def.input.push_back(std::move(name));
    }
    for (const int control : node.control_inputs) {
      const std::string& name = graph_.node(control).name();
      if (in_part_[ToSize(control)] != 0)
        def.input.push_back(StrCat("^", name));
      else if (!options_.cut_inputs)
        return errors::InvalidArgument("Node '", node.name(), "' waits for '", name, "', which is not in the part");
    }
    KeepColocationWithin(&def);
    out_.graph.node.push_back(std::move(def));
    return OkStatus();
  }

  // *name becomes that of the placeholder, which is made for the first that reads the tensor.
  Status Cut(const Node& node, int input, const InEdge& edge, std::string* name) {
    if (!options_.cut_inputs)
      return errors::InvalidArgument("Input ", input, " of node '", node.name(), "' is ", *name,
                                     ", which is not in the part");
    std::string tensor = StrCat(graph_.node(edge.node).name(), ":", edge.output);
    for (std::size_t i = 0; i < out_.inputs.size(); ++i) {
      if (out_.inputs[i] != tensor) continue;
      *name = out_.placeholders[i];
      return OkStatus();
    }
    const Node& from = graph_.node(edge.node);
    const DataType type = from.output_type(edge.output);
    if (IsRefType(type))
      return errors::InvalidArgument("Input ", input, " of node '", node.name(), "' is ", *name,
                                     ", a reference to a variable, which must be in the same part");
    NodeDef placeholder;
    placeholder.name = edge.output == 0 ? from.name() : FreeName(StrCat(from.name(), "_", edge.output));
    placeholder.op = "Placeholder";
    placeholder.attr.Set("dtype", AttrValue(type));
    placeholder.attr.Set("shape", AttrValue(from.output_shape(edge.output)));
    *name = placeholder.name;
    out_.inputs.push_back(std::move(tensor));
    out_.placeholders.push_back(placeholder.name);
    out_.graph.node.push_back(std::move(placeholder));
    return OkStatus();
  }
  std::string FreeName(std::string name) const {
    const auto taken = [this](std::string_view wanted) {
      if (graph_.Find(wanted) != nullptr) return true;
      for (const std::string& known : out_.placeholders)
        if (known == wanted) return true;
      return false;
    };
    while (taken(name)) name += '_';
    return name;
  }
  // A node that is not there is nobody's neighbour.
  void KeepColocationWithin(NodeDef* def) const {
    constexpr std::string_view kAttr = "_class", kPrefix = "loc:@";
    AttrValue* const groups = def->attr.Find(kAttr);
    if (groups == nullptr || groups->kind() != AttrValue::Kind::kList) return;
    SlimVector<std::string> kept;
    for (const std::string& group : groups->list().s) {
      if (!group.starts_with(kPrefix)) {
        kept.push_back(group);
        continue;
      }
      const Node* const other = graph_.Find(std::string_view(group).substr(kPrefix.size()));
      if (other != nullptr && in_part_[ToSize(other->id)] != 0) kept.push_back(group);
    }
    if (kept.size() == groups->list().s.size()) return;
    if (kept.empty())
      def->attr.erase(kAttr);
    else
      groups->mutable_list()->s = std::move(kept);
  }

  const Graph& graph_;
  Span<const int> nodes_;
  const SubgraphOptions options_;
  SlimVector<char> in_part_;  // per node
  Subgraph out_;
};

}  // namespace detail

// The nodes with these ids, in the graph's order, and the functions that they call. InvalidArgument: no such id; a
// reference from outside; with cut_inputs false, anything from outside.
inline Result<Subgraph> CopySubgraph(const Graph& graph, Span<const int> nodes, const SubgraphOptions& options = {}) {
  return detail::SubgraphCopy(graph, nodes, options).Make();
}

// These nodes and all that they need, as tf.graph_util.extract_sub_graph. NotFound: a name that no node has.
inline Result<GraphDef> ExtractSubgraph(const Graph& graph, Span<const std::string> names) {
  SlimVector<int> roots, needed;
  for (const std::string& name : names) {
    const Node* const node = graph.Find(name);
    if (node == nullptr)
      return errors::NotFound("ExtractSubgraph: '", name, "' is not in the graph", graph.DidYouMeanNode(name));
    roots.push_back(node->id);
  }
  const auto enter = [&needed](const Node& node) {
    needed.push_back(node.id);
    return true;
  };
  ReverseDepthFirst(graph, roots, enter, [](const Node&) {});
  TENON_ASSIGN_OR_RETURN(Subgraph part, CopySubgraph(graph, needed, {.cut_inputs = false}));
  return std::move(part.graph);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// EditedGraph: a GraphDef with a GraphEditor for it. New nodes get into the GraphDef at the end, as far as they are
// used.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/raise_loops.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Edits one GraphDef, which outlives it. one thread.
class EditedGraph {
 public:
  EditedGraph(GraphDef* def, const OpRegistry& ops) : def_(*def), ops_(ops) {}

  // Imports the graph. `raise_loops`: loops of TensorFlow 1 become While nodes.
  Status Open(bool raise_loops) {
    ImportOptions import;
    import.ops = &ops_;
    import.ignore_shape_errors = true;
    if (raise_loops && detail::HasLoops(def_)) {
      raised_ = def_;
      TENON_RETURN_IF_ERROR(RaiseLoops(&raised_, &raised_.library, ops_.registry(), import));
    }
    import.refiner = &refiner_;
    import.spare_nodes = 3 * def_.node.size();
    const GraphDef& source = raised_.node.empty() ? def_ : raised_;
    TENON_ASSIGN_OR_RETURN(graph_, ImportGraphDef(GraphDef(source), ops_.registry(), import));
    refiner_->set_graph(&graph_);
    old_nodes_ = graph_.num_nodes();
    editor_ = MakeOwned<GraphEditor>(&graph_, refiner_.get(), &ops_);
    return OkStatus();
  }
  GraphEditor& editor() { return *editor_; }
  const Graph& graph() const { return graph_; }

  // "scope", "scope_1", ...: the first that no node's name begins with. New nodes get it.
  std::string UseScope(std::string_view scope) {
    std::string unique = std::string(scope);
    for (int n = 1; HasScope(unique); ++n) unique = StrCat(scope, "_", n);
    editor_->set_scope(unique);
    return unique;
  }
  // The tensors of these names. NotFound: a node is not there. InvalidArgument: it does not have such an output.
  // `who` begins the messages.
  Status Find(std::string_view who, Span<const std::string> names, SlimVector<InEdge>* edges) const {
    for (const std::string& text : names) {
      const TensorName name = ParseTensorName(text);
      const Node* const node = graph_.Find(name.node);
      if (node == nullptr)
        return errors::NotFound(who, ": the graph has no node '", name.node, "'", graph_.DidYouMeanNode(name.node));
      if (name.output < 0 || name.output >= node->num_outputs())
        return errors::InvalidArgument(who, ": '", text, "' is not a tensor: node '", name.node, "' has ",
                                       node->num_outputs(), " outputs");
      edges->push_back({node->id, name.output});
    }
    return OkStatus();
  }
  std::string Name(InEdge edge) const {
    if (edge.node < 0) return "";
    const std::string& node = graph_.node(edge.node).name();
    return edge.output == 0 ? node : StrCat(node, ":", edge.output);
  }

  // Adds the new nodes that `roots` need to the GraphDef, and replaces nodes that were changed. Ends the editing.
  void Store(Span<const int> roots) {
    if (!raised_.node.empty()) def_ = std::move(raised_);
    SlimVector<char> used(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack;
    const auto use = [&](int id) {
      if (id >= old_nodes_ && std::exchange(used[ToSize(id)], 1) == 0) stack.push_back(id);
    };
    for (const int root : roots) use(root);
    for (const int id : editor_->edited()) {
      if (id >= old_nodes_) continue;
      for (const InEdge& edge : graph_.node(id).inputs) use(edge.node);
      for (const int control : graph_.node(id).control_inputs) use(control);
    }
    while (!stack.empty()) {
      const Node& node = graph_.node(stack.back());
      stack.pop_back();
      for (const InEdge& edge : node.inputs) use(edge.node);
      for (const int control : node.control_inputs) use(control);
    }
    const std::size_t before = def_.node.size();
    std::size_t more = 0;
    for (const char one : used) more += one != 0 ? 1 : 0;
    def_.node.reserve(before + more);
    for (int id = old_nodes_; id < graph_.num_nodes(); ++id)
      if (used[ToSize(id)] != 0) def_.node.push_back(ToNodeDef(id));
    if (!editor_->edited().empty()) StoreEdited(before);
    if (graph_.library().function.size() != def_.library.function.size()) def_.library = graph_.library();
    // No input needs the names any more.
    std::size_t at = before;
    for (int id = old_nodes_; id < graph_.num_nodes(); ++id)
      if (used[ToSize(id)] != 0) def_.node[at++].name = std::move(graph_.mutable_node(id).def.name);
  }

 private:
  // Replaces edited nodes among the first `count`.
  void StoreEdited(std::size_t count) {
    SlimVector<char> edited(ToSize(old_nodes_), 0);
    for (const int id : editor_->edited())
      if (id < old_nodes_) edited[ToSize(id)] = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Node* const now = graph_.Find(def_.node[i].name);
      if (now == nullptr || now->id >= old_nodes_ || edited[ToSize(now->id)] == 0) continue;
      def_.node[i] = ToNodeDef(now->id);
      def_.node[i].name = now->name();
    }
  }
  bool HasScope(std::string_view scope) const {
    const std::string prefix = StrCat(scope, "/");
    for (const Node& node : graph_.nodes())
      if (StartsWith(node.name(), prefix)) return true;
    return graph_.Find(scope) != nullptr;
  }
  // The node's op and attrs are moved. Its name is not set: the inputs of other nodes read it.
  NodeDef ToNodeDef(int id) {
    Node& node = graph_.mutable_node(id);
    NodeDef def;
    def.op = std::move(node.def.op);
    def.device = node.def.device;
    def.attr = std::move(node.def.attr);
    def.input.reserve(node.inputs.size() + node.control_inputs.size());
    for (const InEdge& edge : node.inputs) def.input.push_back(Name(edge));
    for (const int control : node.control_inputs) def.input.push_back(StrCat("^", graph_.node(control).name()));
    return def;
  }

  GraphDef& def_;
  GraphDef raised_;  // with While nodes for the loops of TensorFlow 1; empty where there are none
  OpInfoCache ops_;
  Graph graph_;
  Owned<ShapeRefiner> refiner_;
  Owned<GraphEditor> editor_;
  int old_nodes_ = 0;
};

TENON_DETAIL_NAMESPACE_END

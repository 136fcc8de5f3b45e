// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recomputation, also called checkpointing: gradients read copies of marked nodes, which run in the backward pass. The
// values of the nodes themselves need no memory until then.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/gradients/graph_editor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The attr of marked nodes, as in TensorFlow's memory optimizer. Nodes with one number that read each other are a
// region.
inline constexpr std::string_view kRecomputeAttr = "_recompute_hint";

// Marks a region for each name: a node, all nodes in a scope ("scope/...") or all nodes of a function. Values that a
// region passes to another region are kept. Stateful nodes, as variables and random numbers, run once nonetheless.
// NotFound: nothing has the name. externally synchronised.
inline Status MarkForRecompute(GraphDef* graph, Span<const std::string> names) {
  std::int64_t number = 0;
  for (const NodeDef& node : graph->node)
    if (const AttrValue* hint = node.attr.Find(kRecomputeAttr); hint != nullptr && hint->i() >= number)
      number = hint->i() + 1;
  for (const std::string& name : names) {
    bool found = false;
    const auto mark = [&](NodeDef& node) {
      node.attr.Set(std::string(kRecomputeAttr), AttrValue(number));
      found = true;
    };
    for (NodeDef& node : graph->node)
      if (node.name == name || (StartsWith(node.name, name) && node.name[name.size()] == '/')) mark(node);
    for (FunctionDef& function : graph->library.function)
      for (NodeDef& node : function.node_def)
        if (function.signature.name == name) mark(node);
    if (!found) return errors::NotFound("MarkForRecompute: the graph has no node, scope or function '", name, "'");
    ++number;
  }
  return OkStatus();
}

namespace detail {

// Lets the nodes from `first_new` on read copies of the marked nodes before it. one thread.
class Recomputation {
 public:
  Recomputation(GraphEditor* editor, int first_new)
      : editor_(*editor), graph_(editor->graph()), first_new_(first_new) {}

  // Adds the copies. They have names in `scope`.
  Status Run(const std::string& scope) {
    for (int id = 0; id < first_new_; ++id) {
      if (!IsMarked(graph_.node(id))) continue;
      marked_.resize(ToSize(first_new_), 0);
      marked_[ToSize(id)] = 1;
    }
    if (marked_.empty()) return OkStatus();
    editor_.set_scope(StrCat(scope, "/recomputed"));
    FindRegions();
    copies_.resize(ToSize(first_new_), -1);
    first_copy_ = graph_.num_nodes();
    for (int id = first_new_; id < first_copy_; ++id) {
      const NodeClass node_class = graph_.node(id).node_class;
      if (node_class == NodeClass::kMetadata || IsLike(graph_.node(id).op_name())) continue;
      for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
        const InEdge from = graph_.node(id).input(i);
        if (!Marked(from.node)) continue;
        TENON_RETURN_IF_ERROR(Copy(from.node));
        TENON_RETURN_IF_ERROR(Redirect(id, i, {copies_[ToSize(from.node)], from.output}));
        readers_.push_back({id, RegionOf(from.node)});
      }
    }
    Delay();
    return editor_.status();
  }

 private:
  struct Reader {
    int node, region;
  };

  static bool IsMarked(const Node& node) {
    return (node.node_class == NodeClass::kOther || node.node_class == NodeClass::kMetadata) && node.op != nullptr &&
           !node.op->flags.is_stateful && node.num_inputs() > 0 && node.HasOtherAttrs() &&
           node.def.attr.Find(kRecomputeAttr) != nullptr;
  }
  // Ops that read a shape alone.
  static bool IsLike(std::string_view op) { return op == "ZerosLike" || op == "OnesLike" || op == "ShapeN"; }
  bool Marked(int id) const { return id >= 0 && id < first_new_ && marked_[ToSize(id)] != 0; }

  std::int64_t HintOf(int id) const { return graph_.node(id).def.attr.Find(kRecomputeAttr)->i(); }
  // Joins nodes to regions, and keeps what one region passes to another.
  void FindRegions() {
    for (int id = 0; id < first_new_; ++id) region_.push_back(id);
    SlimVector<int> kept;
    for (int id = 0; id < first_new_; ++id)
      for (const InEdge& from : graph_.node(id).inputs) {
        if (!Marked(id) || !Marked(from.node)) continue;
        if (HintOf(id) == HintOf(from.node))
          region_[ToSize(RegionOf(from.node))] = RegionOf(id);
        else
          kept.push_back(from.node);
      }
    for (const int id : kept) marked_[ToSize(id)] = 0;
  }
  int RegionOf(int id) {
    while (region_[ToSize(id)] != id) id = region_[ToSize(id)] = region_[ToSize(region_[ToSize(id)])];
    return id;
  }

  // Copies a marked node, after the marked nodes that it reads.
  Status Copy(int wanted) {
    SlimVector<int> stack{wanted};
    while (!stack.empty()) {
      const int id = stack.back();
      const std::size_t depth = stack.size();
      if (copies_[ToSize(id)] < 0)
        for (const InEdge& from : graph_.node(id).inputs)
          if (Marked(from.node) && copies_[ToSize(from.node)] < 0) stack.push_back(from.node);
      if (stack.size() > depth) continue;
      stack.pop_back();
      if (copies_[ToSize(id)] < 0) TENON_RETURN_IF_ERROR(CopyOne(id));
    }
    return OkStatus();
  }
  Status CopyOne(int id) {
    const Node original = graph_.node(id);
    NodeDef def = original.def;
    def.name = editor_.UniqueName(original.name());
    const Span<const DataType> in(original.input_types.data(), original.input_types.size());
    const Span<const DataType> out(original.output_types.data(), original.output_types.size());
    TENON_ASSIGN_OR_RETURN(const int copy, graph_.AddNode(std::move(def), original.op, in, out));
    copies_[ToSize(id)] = copy;
    bool root = true;
    for (int i = 0; i < original.num_inputs(); ++i) {
      InEdge from = original.input(i);
      if (Marked(from.node)) {
        from.node = copies_[ToSize(from.node)];
        root = false;
      }
      TENON_RETURN_IF_ERROR(graph_.AddEdge(from.node, from.output, copy, i));
    }
    for (const int control : original.control_inputs) graph_.AddControlEdge(control, copy);
    if (root) roots_.push_back({copy, RegionOf(id)});
    copied_.push_back({copy, RegionOf(id)});
    return editor_.refiner().AddNode(copy);
  }
  Status Redirect(int id, int input, InEdge to) {
    const InEdge from = std::exchange(graph_.mutable_node(id).inputs[ToSize(input)], InEdge());
    auto& outputs = graph_.mutable_node(from.node).outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (outputs[k].node == id && outputs[k].input == input) {
        outputs[k] = outputs.back();
        outputs.pop_back();
        break;
      }
    return graph_.AddEdge(to.node, to.output, id, input);
  }

  // The copies of a region wait for the gradients that enter it: other inputs of their readers that do not depend on
  // the copies. So there are no cycles.
  void Delay() {
    SlimVector<char> done(ToSize(first_new_), 0);
    for (const Reader& first : roots_) {
      const int region = first.region;
      if (std::exchange(done[ToSize(region)], 1) != 0) continue;
      SlimVector<char> after(ToSize(graph_.num_nodes()), 0);
      SlimVector<int> stack;
      for (const Reader& copy : copied_)
        if (copy.region == region && std::exchange(after[ToSize(copy.node)], 1) == 0) stack.push_back(copy.node);
      while (!stack.empty()) {
        const int id = stack.back();
        stack.pop_back();
        for (const OutEdge& edge : graph_.node(id).outputs)
          if (std::exchange(after[ToSize(edge.node)], 1) == 0) stack.push_back(edge.node);
      }
      const Symbol gate = editor_.Add("NoOp", {});
      if (!gate) return;  // the editor has the error
      for (const Reader& root : roots_)
        if (root.region == region) graph_.AddControlEdge(gate.node, root.node);
      for (const Reader& reader : readers_) {
        if (reader.region != region) continue;
        for (const InEdge& from : graph_.node(reader.node).inputs) {
          if (from.node < first_new_ || from.node >= first_copy_ || after[ToSize(from.node)] != 0 ||
              graph_.node(from.node).node_class == NodeClass::kConstant)
            continue;
          graph_.AddControlEdge(from.node, gate.node);
        }
      }
    }
  }

  GraphEditor& editor_;
  Graph& graph_;
  int first_new_, first_copy_ = 0;
  SlimVector<char> marked_;                    // per node before first_new_; empty: none is marked
  SlimVector<int> region_, copies_;            // per node before first_new_
  SlimVector<Reader> readers_, copied_, roots_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

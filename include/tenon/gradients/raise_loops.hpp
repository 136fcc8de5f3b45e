// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaiseLoops: while loops of TensorFlow 1 (Enter, Merge, Switch, NextIteration, Exit) become While nodes with functions
// for condition and body, so that they are derived as While is. The reverse is LowerFunctionalOps.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/gradients/function_writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Attr of a While that was a loop of TensorFlow 1. Variables that no output with a gradient depends on have no
// gradient; those of other While nodes have zeros.
inline constexpr std::string_view kRaisedLoopAttr = "_raised_loop";

namespace detail {

// Raises the loops of a graph that have no loop inside. one thread.
class LoopRaiser {
 public:
  // `functions` is the library for the new functions.
  LoopRaiser(const Graph& graph, FunctionDefLibrary* functions) : graph_(graph), library_(*functions) {}

  // The graph with these loops raised; *raised says whether there were any.
  Result<GraphDef> Raise(bool* raised) {
    const SlimVector<char> wanted(ToSize(graph_.num_nodes()), 1);
    TENON_ASSIGN_OR_RETURN(frames_, FindFrames(graph_, wanted, {}));
    const std::size_t count = frames_.frames.size();
    SlimVector<char> has_child(count, 0);
    for (std::size_t f = 1; f < count; ++f) has_child[ToSize(frames_.frames[f].parent)] = 1;
    removed_.resize(ToSize(graph_.num_nodes()), 0);
    exits_.resize(ToSize(graph_.num_nodes()));
    SlimVector<NodeDef> loops;
    for (std::size_t f = 1; f < count; ++f) {
      if (has_child[f] != 0) continue;
      TENON_RETURN_IF_ERROR(RaiseFrame(static_cast<int>(f), &loops));
    }
    *raised = !loops.empty();
    GraphDef out;
    out.versions = graph_.versions();
    for (const Node& node : graph_.nodes()) {
      if (removed_[ToSize(node.id)] == 0) {
        out.node.push_back(Copy(node));
      } else if (!exits_[ToSize(node.id)].empty()) {
        NodeDef& exit = out.node.emplace_back();
        exit.name = node.name();
        exit.op = "Identity";
        exit.device = node.def.device;
        exit.input.push_back(exits_[ToSize(node.id)]);
        exit.attr.Set("T", AttrValue(BaseType(node.output_type(0))));
      }
    }
    for (NodeDef& loop : loops) out.node.push_back(std::move(loop));
    return out;
  }

 private:
  struct Variable {
    int enter = -1, merge = -1, switch_node = -1, next = -1, exit = -1;
  };

  std::string Name(InEdge edge) const {
    const std::string& node = graph_.node(edge.node).name();
    return edge.output == 0 ? node : StrCat(node, ":", edge.output);
  }
  NodeDef Copy(const Node& node) const {
    NodeDef def = node.def;
    def.input.clear();
    for (const InEdge& edge : node.inputs) def.input.push_back(Name(edge));
    for (const int control : node.control_inputs)
      if (removed_[ToSize(control)] == 0 || !exits_[ToSize(control)].empty())
        def.input.push_back(StrCat("^", graph_.node(control).name()));
    return def;
  }
  TENON_DETAIL_COLD Status Unusual(int frame, std::string_view why) const {
    return errors::Unimplemented("The loop '", frames_.frames[ToSize(frame)].name, "' cannot be derived: ", why);
  }

  Status RaiseFrame(int f, SlimVector<NodeDef>* loops) {
    const ControlFlowFrames::Frame& frame = frames_.frames[ToSize(f)];
    if (frame.loop_cond < 0) return Unusual(f, "it has no LoopCond");
    SlimVector<Variable> variables;
    SlimVector<int> constants;  // Enters of loop invariants
    SlimVector<int> controls;
    for (const Node& node : graph_.nodes()) {
      if (frames_.frame_of[ToSize(node.id)] != f || node.node_class != NodeClass::kEnter) continue;
      int merge = -1;
      for (const OutEdge& edge : node.outputs)
        if (edge.input != kControlSlot && graph_.node(edge.node).node_class == NodeClass::kMerge) merge = edge.node;
      if (IsRefType(node.output_type(0))) return Unusual(f, "a variable enters it as a reference");
      for (const int control : node.control_inputs) controls.push_back(control);
      if (merge < 0)
        constants.push_back(node.id);
      else
        variables.push_back({node.id, merge});
    }
    for (Variable& v : variables) TENON_RETURN_IF_ERROR(FollowVariable(f, &v));
    const FunctionIndex functions(library_);
    const auto unique = [&](std::string_view prefix) {
      for (std::size_t n = library_.function.size();; ++n)
        if (std::string name = StrCat(prefix, "_", n); functions.Find(name) == nullptr) return name;
    };
    std::string names[2];
    for (const bool is_body : {false, true}) {
      FunctionWriter writer(graph_, unique(StrCat(frame.name, is_body ? "_body" : "_cond")));
      for (const Variable& v : variables) writer.AddArg(is_body ? InEdge{v.switch_node, 1} : InEdge{v.merge, 0});
      for (const int enter : constants) writer.AddArg({enter, 0});
      if (is_body) {
        for (const Variable& v : variables) writer.AddResult(graph_.node(v.next).input(0));
        for (const int enter : constants) writer.AddResult({enter, 0});
        KeepStateful(f, &writer);
      } else {
        writer.AddResult(graph_.node(frame.loop_cond).input(0));
      }
      TENON_ASSIGN_OR_RETURN(FunctionDef function, writer.Write());
      names[is_body ? 1 : 0] = function.signature.name;
      library_.function.push_back(std::move(function));
    }
    NodeDef& loop = loops->emplace_back();
    loop.name = UniqueName(StrCat(frame.name, "/While"));
    loop.op = "While";
    SlimVector<DataType> types;
    SlimVector<PartialTensorShape> shapes;
    for (const Variable& v : variables) {
      loop.input.push_back(Name(graph_.node(v.enter).input(0)));
      types.push_back(BaseType(graph_.node(v.enter).output_type(0)));
      shapes.push_back(graph_.node(v.merge).output_shape(0));
    }
    for (const int enter : constants) {
      loop.input.push_back(Name(graph_.node(enter).input(0)));
      types.push_back(BaseType(graph_.node(enter).output_type(0)));
      shapes.push_back(graph_.node(enter).output_shape(0));
    }
    for (const int control : controls) loop.input.push_back(StrCat("^", graph_.node(control).name()));
    loop.attr.Set(std::string(kRaisedLoopAttr), AttrValue(true));
    loop.attr.Set("T", AttrValue(types));
    loop.attr.Set("output_shapes", AttrValue(shapes));
    loop.attr.Set("cond", AttrValue(NameAttrList{names[0], {}}));
    loop.attr.Set("body", AttrValue(NameAttrList{names[1], {}}));
    loop.attr.Set("parallel_iterations", AttrValue(frame.parallel_iterations));
    for (const Node& node : graph_.nodes())
      if (frames_.frame_of[ToSize(node.id)] == f) removed_[ToSize(node.id)] = 1;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].exit >= 0) exits_[ToSize(variables[i].exit)] = i == 0 ? loop.name : StrCat(loop.name, ":", i);
    return OkStatus();
  }
  Status FollowVariable(int f, Variable* v) {
    const Node& merge = graph_.node(v->merge);
    if (merge.num_inputs() != 2) return Unusual(f, "a Merge has more than two inputs");
    for (const InEdge& edge : merge.inputs)
      if (edge.node >= 0 && graph_.node(edge.node).node_class == NodeClass::kNextIteration) v->next = edge.node;
    for (const OutEdge& edge : merge.outputs) {
      if (edge.output == 1) return Unusual(f, "a node reads the value index of a Merge");
      if (edge.input != kControlSlot && graph_.node(edge.node).node_class == NodeClass::kSwitch &&
          graph_.node(edge.node).input(0) == InEdge{v->merge, 0} &&
          graph_.node(edge.node).input(1).node == frames_.frames[ToSize(f)].loop_cond)
        v->switch_node = edge.node;
    }
    if (v->next < 0 || v->switch_node < 0) return Unusual(f, "a loop variable has no NextIteration or no Switch");
    for (const OutEdge& edge : graph_.node(v->switch_node).outputs)
      if (edge.output == 0 && graph_.node(edge.node).node_class == NodeClass::kExit) v->exit = edge.node;
    return OkStatus();
  }
  // Nodes of the body that change state run whether or not a result needs them.
  void KeepStateful(int f, FunctionWriter* writer) const {
    SlimVector<char> in_cond(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack{frames_.frames[ToSize(f)].loop_cond};
    while (!stack.empty()) {
      const int id = stack.back();
      stack.pop_back();
      if (std::exchange(in_cond[ToSize(id)], 1) != 0) continue;
      for (const InEdge& edge : graph_.node(id).inputs)
        if (edge.node >= 0 && frames_.frame_of[ToSize(edge.node)] == f &&
            graph_.node(edge.node).node_class != NodeClass::kMerge)
          stack.push_back(edge.node);
    }
    for (const Node& node : graph_.nodes())
      if (frames_.frame_of[ToSize(node.id)] == f && node.node_class == NodeClass::kOther &&
          node.op->flags.is_stateful && in_cond[ToSize(node.id)] == 0)
        writer->Keep(node.id);
  }
  std::string UniqueName(std::string name) const {
    while (graph_.Find(name) != nullptr) name += "_";
    return name;
  }

  const Graph& graph_;
  FunctionDefLibrary& library_;
  ControlFlowFrames frames_;
  SlimVector<char> removed_;  // per node
  SlimVector<std::string> exits_;  // per node: the output of a While that an Exit becomes
};

inline bool HasLoops(const GraphDef& graph) {
  for (const NodeDef& node : graph.node)
    if (node.op == "Enter" || node.op == "RefEnter") return true;
  return false;
}

}  // namespace detail

// Replaces all while loops of TensorFlow 1 in the graph, inner ones first. Exit nodes become Identity nodes. Functions,
// which are added to `functions`, hold all other nodes of a loop. `import` says how the graph is imported.
// Unimplemented: a loop of another form.
inline Status RaiseLoops(GraphDef* graph, FunctionDefLibrary* functions, const OpRegistry& ops,
                         const ImportOptions& import) {
  bool raised = detail::HasLoops(*graph);
  while (raised) {
    const bool has_library = functions == &graph->library;
    ImportOptions options = import;
    options.refiner = nullptr;
    TENON_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(GraphDef(*graph), ops, options));
    TENON_ASSIGN_OR_RETURN(GraphDef next, detail::LoopRaiser(imported, functions).Raise(&raised));
    if (has_library) next.library = std::move(graph->library);
    next.debug_info = std::move(graph->debug_info);
    *graph = std::move(next);
    raised = raised && detail::HasLoops(*graph);
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

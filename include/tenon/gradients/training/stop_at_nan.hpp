// SPDX-License-Identifier: Apache-2.0
#pragma once
// StopAtNaN: a part of a Chain. A step fails at the first node that makes a NaN or an infinity, before any update.

#include <cstddef>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/step_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// InvalidArgument: "node 'NAME' (OP) : Tensor had NaN values". All floating tensors that the loss and the gradients
// need are checked, feeds and variables too. A node waits for the checks of its inputs, so that later nodes do not fail
// first. Bodies of functions are not checked: the calling node is named. Each check reads its tensor once.
struct StopAtNaN {
  // Adds the checks.
  void Gradients(StepBuilder& step) const {
    GraphEditor& e = step.editor();
    Graph& graph = e.graph();
    const int count = graph.num_nodes();
    SlimVector<char> needed(ToSize(count), 0);
    SlimVector<int> order;
    const auto need = [&](int id) {
      if (id < 0 || needed[ToSize(id)] != 0) return;
      needed[ToSize(id)] = 1;
      order.push_back(id);
    };
    need(step.loss().node);
    for (std::size_t i = 0; i < step.size(); ++i) need(step.values(i).node);
    for (std::size_t next = 0; next < order.size(); ++next) {
      const SlimVector<InEdge> inputs(graph.node(order[next]).inputs.begin(), graph.node(order[next]).inputs.end());
      for (const InEdge& edge : inputs) need(edge.node);
    }
    for (const int id : order) {
      if (graph.node(id).node_class == NodeClass::kConstant) continue;
      for (int output = 0; output < graph.node(id).num_outputs(); ++output)
        if (IsRead(step, {id, output}, needed)) Check(step, {id, output}, needed);
    }
  }

 private:
  // Whether the loss or a gradient needs this output, and it is of a floating type.
  static bool IsRead(StepBuilder& step, InEdge edge, const SlimVector<char>& needed) {
    GraphEditor& e = step.editor();
    if (!kFloatingTypes.contains(e.At(edge).dtype())) return false;
    if (edge == step.loss().edge()) return true;
    for (std::size_t i = 0; i < step.size(); ++i)
      if (edge == step.values(i).edge()) return true;
    for (const OutEdge& use : e.graph().node(edge.node).outputs)
      if (use.output == edge.output && ToSize(use.node) < needed.size() && needed[ToSize(use.node)] != 0) return true;
    return false;
  }
  static void Check(StepBuilder& step, InEdge edge, const SlimVector<char>& needed) {
    GraphEditor& e = step.editor();
    Graph& graph = e.graph();
    const Node& node = graph.node(edge.node);
    const std::string text =
        edge.output == 0 ? StrCat("node '", node.name(), "' (", node.op_name(), ")")
                         : StrCat("output ", edge.output, " of node '", node.name(), "' (", node.op_name(), ")");
    const Symbol check = e.Add("CheckNumerics", {e.At(edge)}, {{"message", text}});
    if (!check) return;
    step.Before(check);
    SlimVector<int> readers;
    for (const OutEdge& use : graph.node(edge.node).outputs)
      if (use.output == edge.output && ToSize(use.node) < needed.size() && needed[ToSize(use.node)] != 0 &&
          graph.node(use.node).node_class != NodeClass::kMerge)
        readers.push_back(use.node);
    for (const int reader : readers) {
      graph.AddControlEdge(check.node, reader);
      e.NoteEdited(reader);
    }
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

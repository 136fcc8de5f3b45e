// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constant folding: nodes that depend on constants alone become constants. Their own kernels compute them once.

#include <cstddef>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Makes the node a Const. Empty: done; otherwise why it stays.
inline std::string_view ReplaceByConstant(IndexedGraph* graph, int id, Tensor value) {
  if (graph->is_fed(id)) return "fed";
  if (graph->is_pinned(id)) return "its name must stay";
  if (!graph->node(id).control_inputs.empty()) return "waits for a node";
  if (graph->frame(id) != 0) return "in a loop";
  const DataType type = value.dtype();
  const IndexedGraph::Attr attrs[] = {{"dtype", type}, {"value", std::move(value)}};
  return graph->Change(id, "Const", {}, attrs).ok() ? "" : "no Const of the type";
}

namespace detail {

inline constexpr std::size_t kMostFoldedBytes = 10 << 20;  // as TensorFlow's constant folding

inline bool CallsFunctions(const Node& node) {
  for (const auto& [name, value] : node.def.attr)
    if (value.kind() == AttrValue::Kind::kFunc ||
        (value.kind() == AttrValue::Kind::kList && !value.list().func.empty()))
      return true;
  return false;
}
// The values of all inputs; false: some is not known.
inline bool ConstantInputs(const IndexedGraph& graph, const Node& node, SlimVector<Tensor>* values) {
  for (const InEdge& edge : node.inputs) {
    const Tensor* const value = edge.node < 0 ? nullptr : graph.constant(edge);
    if (value == nullptr) return false;
    values->push_back(*value);
  }
  return !values->empty();
}
inline std::string_view FoldIntoConstants(PassRun* run, int id) {
  IndexedGraph& graph = run->graph();
  if (graph.is_fed(id)) return "fed";
  if (graph.is_pinned(id)) return "its name must stay";
  if (!graph.node(id).control_inputs.empty()) return "waits for a node";
  if (graph.frame(id) != 0) return "in a loop";
  const Node& node = graph.node(id);
  SlimVector<Tensor> inputs, outputs;
  (void)ConstantInputs(graph, node, &inputs);
  if (CallsFunctions(node)) return "calls a function";
  if (!run->evaluator()->Evaluate(node, inputs, &outputs)) return "fails, or has no kernel on the host";
  std::size_t bytes = 0;
  for (const Tensor& output : outputs) {
    if (output.dtype() == DataType::kVariant || output.dtype() == DataType::kResource) return "not a plain tensor";
    bytes += output.TotalBytes();
  }
  if (bytes > kMostFoldedBytes) return "larger than 10 MiB";
  if (outputs.size() == 1) return ReplaceByConstant(&graph, id, std::move(outputs[0]));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Result<int> constant = graph.AddConstant(std::move(outputs[i]), id);
    if (!constant.ok()) return "no Const of the type";
    graph.Redirect({id, static_cast<int>(i)}, {*constant, 0});
    graph.RemoveIfUnused(*constant);
  }
  if (graph.is_alive(id)) return "a node waits for it";
  return {};
}

}  // namespace detail

inline void FoldConstants(PassRun* run) {
  IndexedGraph& graph = run->graph();
  if (run->evaluator() == nullptr) return;
  const SlimVector<int> order = graph.Order();
  const auto node_of = [&graph](int id) -> const Node& { return graph.node(id); };
  const SlimVector<char> assigned_only = detail::AssignedOnly(order, graph.num_nodes(), node_of);
  for (const int id : order) {
    if (!run->MayGoOn()) return;
    if (!graph.is_alive(id) || !graph.is_pure(id) || graph.node(id).node_class == NodeClass::kIdentity) continue;
    if (graph.num_readers(id) == 0 && !graph.is_pinned(id)) continue;
    SlimVector<Tensor> inputs;
    if (!detail::ConstantInputs(graph, graph.node(id), &inputs)) continue;
    const std::string_view why =
        assigned_only[ToSize(id)] != 0 ? "goes to a variable alone" : detail::FoldIntoConstants(run, id);
    if (why.empty())
      run->Apply("constant inputs");
    else
      run->Refuse("constant inputs", why);
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

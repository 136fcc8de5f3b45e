// SPDX-License-Identifier: Apache-2.0
#pragma once
// Function inlining: calls become the bodies of their functions, and an If or Case that always takes one branch becomes
// a call of it. It comes before the rounds of passes, with an import of its own.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/report.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The value of a constant that no run can change; null: there is none. Looks through Identity.
inline const Tensor* ConstantOf(const Graph& graph, InEdge edge, const GraphEnds& ends) {
  for (;;) {
    if (edge.node < 0 || AnyItem(ends.feeds, [&](const InEdge& feed) { return feed == edge; })) return nullptr;
    const Node& node = graph.node(edge.node);
    if (!node.control_inputs.empty()) return nullptr;
    if (node.node_class == NodeClass::kIdentity) {
      edge = node.inputs[0];
      continue;
    }
    const AttrValue* const value = node.node_class == NodeClass::kConstant ? node.def.attr.Find("value") : nullptr;
    const bool readable = value != nullptr && value->kind() == AttrValue::Kind::kTensor && value->decode_status().ok();
    return readable ? &value->tensor() : nullptr;
  }
}
// The function that an If or Case always calls; null: it depends on the run.
inline const NameAttrList* OnlyBranch(const Graph& graph, const Node& node, const GraphEnds& ends) {
  const bool is_if = node.op_name() == "If" || node.op_name() == "StatelessIf";
  if (!is_if && node.op_name() != "Case" && node.op_name() != "StatelessCase") return nullptr;
  const Tensor* const chosen = ConstantOf(graph, node.inputs[0], ends);
  if (chosen == nullptr || chosen->dims() != 0) return nullptr;
  if (is_if) {
    if (chosen->dtype() != DataType::kBool) return nullptr;
    const AttrValue* const branch = node.def.attr.Find(chosen->data<bool>()[0] ? "then_branch" : "else_branch");
    return branch != nullptr && branch->kind() == AttrValue::Kind::kFunc ? &branch->func() : nullptr;
  }
  const AttrValue* const branches = node.def.attr.Find("branches");
  if (chosen->dtype() != DataType::kInt32 || branches == nullptr || branches->list().func.empty()) return nullptr;
  const std::int64_t count = static_cast<std::int64_t>(branches->list().func.size());
  const std::int32_t index = chosen->data<std::int32_t>()[0];
  return &branches->list().func[static_cast<std::size_t>(index < 0 || index >= count ? count - 1 : index)];
}
inline void MakeCall(const NameAttrList& function, NodeDef* node) {
  NodeDef call;
  call.name = node->name;
  call.op = node->op.starts_with("Stateless") ? "PartitionedCall" : "StatefulPartitionedCall";
  call.device = node->device;
  call.debug_info = node->debug_info;
  call.input.append(node->input.begin() + 1, node->input.end());
  for (const std::string_view name : {"Tin", "Tout"})
    if (const AttrValue* const types = node->attr.Find(name)) call.attr.Insert(std::string(name), *types);
  call.attr.Insert("f", AttrValue(function));
  *node = std::move(call);
}

// Endpoints of the same names in a graph whose calls were inlined.
inline bool FindEndsAgain(const Graph& before, const Graph& after, GraphEnds* ends) {
  GraphEnds found = *ends;
  for (const bool feeds : {true, false}) {
    for (InEdge& edge : feeds ? found.feeds : found.fetches) {
      const Node* const node = after.Find(before.node(edge.node).name());
      if (node == nullptr || edge.output >= node->num_outputs()) return false;
      // Readers of an inlined call read its results.
      const bool stands_for_results = feeds && node->def.attr.contains(kStandsForLoweredAttr);
      edge = stands_for_results ? node->input(edge.output) : InEdge{node->id, edge.output};
    }
  }
  for (int& target : found.targets) {
    const Node* const node = after.Find(before.node(target).name());
    if (node == nullptr) return false;
    target = node->id;
  }
  *ends = std::move(found);
  return true;
}

inline Result<Graph> ImportAgain(GraphDef def, const OpRegistry& registry) {
  ImportOptions options;
  options.allow_internal_ops = true;
  options.ignore_shape_errors = true;
  options.check_functions = false;
  options.limits = ImportLimits::OfCheckedGraph();
  return ImportGraphDef(std::move(def), registry, options);
}

}  // namespace detail

// *inlined: the graph without the calls that could be inlined, and `ends` are endpoints there. False: nothing was done.
inline bool InlineFunctions(const Graph& source, const OpRegistry& registry, int most_nodes, GraphEnds* ends,
                            PassReport* report, Graph* inlined) {
  SlimVector<std::pair<int, const NameAttrList*>> branches;
  bool calls = false;
  for (const Node& node : source.nodes()) {
    calls = calls || IsFunctionCall(node.op_name());
    if (const NameAttrList* const branch = detail::OnlyBranch(source, node, *ends))
      branches.emplace_back(node.id, branch);
  }
  if (!calls && branches.empty()) return false;
  const Graph* from = &source;
  Graph chosen;
  if (!branches.empty()) {
    GraphDef def = source.ToGraphDef();
    for (const auto& [id, function] : branches) detail::MakeCall(*function, &def.node[ToSize(id)]);
    Result<Graph> imported = detail::ImportAgain(std::move(def), registry);
    if (!imported.ok()) return false;
    chosen = *std::move(imported);
    from = &chosen;
  }
  const LowerOptions options{.branches_and_loops = false, .inline_calls = true, .max_nodes = most_nodes};
  FunctionalLowering lowering(*from, from->library(), registry, options);
  const Status status = lowering.Run();
  if (!status.ok()) report->Count("call", "the graph would grow too large");
  if (!status.ok() || !lowering.changed()) return false;
  Result<Graph> imported = detail::ImportAgain(std::move(lowering).Finish(), registry);
  if (!imported.ok() || !detail::FindEndsAgain(source, *imported, ends)) return false;
  for (std::size_t i = 0; i < branches.size(); ++i) report->Count("branch that is always taken");
  report->Count("calls");
  *inlined = *std::move(imported);
  return true;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

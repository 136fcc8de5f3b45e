// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lists of OpDefs: the registered ops as TensorFlow would export them, the ops that a graph needs, ops that are known
// from a list alone, and whether a graph's version may still use an op.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/op_def/op_deprecation.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// The OpDefs of all registered ops, sorted by name; names that begin with '_' only with include_internal.
// SerializeOpList (op/graph_def/proto_io.hpp) gives TensorFlow's OpList message.
inline SlimVector<OpDef> TenonOps(const OpRegistry& registry, bool include_internal = false) {
  SlimVector<OpDef> ops;
  for (const OpView* op : registry.ops())
    if (include_internal || !StartsWith(op->name, "_")) ops.push_back(ToOpDef(*op));
  return ops;
}

// Drops all prose: summary, descriptions, why the op is deprecated.
inline void RemoveDescriptions(OpDef* op) {
  for (auto* args : {&op->input_arg, &op->output_arg})
    for (OpDef::ArgDef& arg : *args) arg.description.clear();
  for (OpDef::AttrDef& attr : op->attr) attr.description.clear();
  op->summary.clear();
  op->description.clear();
  if (op->deprecation) op->deprecation->explanation.clear();
}

// Ops that are known from a list and from nothing else: they have no shape functions and no kernels. Of several with
// one name the last counts. immutable.
//
//   TENON_ASSIGN_OR_RETURN(SlimVector<OpDef> ops, ParseOpList(bytes));
//   const OpDefTable table(std::move(ops));
class OpDefTable {
 public:
  OpDefTable() = default;
  explicit OpDefTable(SlimVector<OpDef> ops) {
    const SlimVector<std::size_t> order =
        SortedOrder(ops.size(), [&ops](std::size_t a, std::size_t b) { return ops[a].name < ops[b].name; });
    for (const std::size_t i : order) {
      if (!ops_.empty() && ops_.back().name == ops[i].name) ops_.pop_back();
      ops_.push_back(std::move(ops[i]));
    }
  }

  // Null when there is no such op.
  const OpDef* Find(std::string_view name) const {
    const auto at = std::lower_bound(ops_.begin(), ops_.end(), name,
                                     [](const OpDef& op, std::string_view n) { return op.name < n; });
    return at != ops_.end() && at->name == name ? &*at : nullptr;
  }
  // NotFound with TensorFlow's message and the nearest names.
  Status LookUp(std::string_view name, const OpDef** op) const {
    *op = Find(name);
    if (*op != nullptr) return OkStatus();
    SlimVector<std::string_view> names;
    for (const OpDef& known : ops_) names.push_back(known.name);
    return errors::NotFound("Op type not registered '", name, "' in binary running on this machine. ",
                            "Make sure the Op and Kernel are registered in the binary running in this process",
                            DidYouMean(name, names), ".");
  }
  // Sorted by name.
  const SlimVector<OpDef>& ops() const { return ops_; }

 private:
  SlimVector<OpDef> ops_;
};

// ------------------------------------------------------------------------------------------------- the ops of a graph

namespace detail {

class OpsOfGraph {
 public:
  explicit OpsOfGraph(const FunctionDefLibrary& library) : library_(library), seen_(library.function.size()) {}

  // The names of ops that are not functions, sorted, each once.
  SlimVector<std::string> Collect(const GraphDef& graph) {
    for (const NodeDef& node : graph.node) Use(node.op);
    while (!pending_.empty()) {
      const std::size_t function = pending_.back();
      pending_.pop_back();
      for (const NodeDef& node : library_.function[function].node_def) Use(node.op);
    }
    std::sort(names_.begin(), names_.end());
    SlimVector<std::string> unique;
    for (std::string& name : names_)
      if (unique.empty() || unique.back() != name) unique.push_back(std::move(name));
    return unique;
  }

 private:
  void Use(const std::string& op) {
    for (std::size_t i = 0; i < library_.function.size(); ++i) {
      if (library_.function[i].signature.name != op) continue;
      if (!seen_[i]) pending_.push_back(i);
      seen_[i] = true;
      return;
    }
    names_.push_back(op);
  }

  const FunctionDefLibrary& library_;
  SlimVector<bool> seen_;
  SlimVector<std::size_t> pending_;
  SlimVector<std::string> names_;
};

}  // namespace detail

// The ops that the nodes of a graph, and of the functions that it calls, are made of: sorted, functions left out.
inline SlimVector<std::string> OpsUsedByGraph(const GraphDef& graph) {
  return detail::OpsOfGraph(graph.library).Collect(graph);
}

// These ops as OpDefs without descriptions, as a file of a graph carries them along. NotFound, naming the op, when one
// is not registered.
inline Status StrippedOpListForGraph(const GraphDef& graph, const OpRegistry& registry, SlimVector<OpDef>* ops) {
  ops->clear();
  for (const std::string& name : OpsUsedByGraph(graph)) {
    const OpView* op = nullptr;
    TENON_RETURN_IF_ERROR(registry.LookUp(name, &op));
    RemoveDescriptions(&ops->emplace_back(ToOpDef(*op)));
  }
  return OkStatus();
}

// -------------------------------------------------------------------------------------------------------- deprecation

// CheckOpDeprecation for an op that is data. The form for a registered op is in op/op_def/op_deprecation.hpp.
inline Status CheckOpDeprecation(const OpDef& op, int producer) {
  if (!op.deprecation) return OkStatus();
  return detail::CheckDeprecatedOp(op.name, op.deprecation->version, op.deprecation->explanation, producer);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

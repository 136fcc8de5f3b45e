// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of ImportGraphDef before it looks at single nodes: graphs beyond the limits, ops that are not registered.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/graph/shape_refiner.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Whether functions lie at most `depth` deep in the attrs of functions. Goes no deeper than that.
inline bool IsNestedWithin(const AttrMap& attrs, int depth) {
  const auto is_within = [depth](const NameAttrList& call) {
    return depth > 0 && (call.attr.empty() || IsNestedWithin(call.attr, depth - 1));
  };
  for (const auto& [name, value] : attrs) {
    if (value.kind() == AttrValue::Kind::kFunc && !is_within(value.func())) return false;
    if (value.kind() != AttrValue::Kind::kList) continue;
    for (const NameAttrList& call : value.list().func)
      if (!is_within(call)) return false;
  }
  return true;
}
inline Status CheckNesting(Span<const NodeDef> nodes, const ImportLimits& limits) {
  for (const NodeDef& node : nodes)
    if (!IsNestedWithin(node.attr, limits.max_nesting))
      return errors::ResourceExhausted("ImportGraphDef: the attrs of ", FormatNodeForError(node.name),
                                       " have functions in functions more than ", limits.max_nesting,
                                       " deep; ImportLimits::max_nesting allows more");
  return OkStatus();
}
// `num_old`: nodes that the graph has already.
inline Status CheckImportLimits(const GraphDef& def, int num_old, const ImportLimits& limits) {
  const auto functions = static_cast<std::int64_t>(def.library.function.size());
  if (functions > limits.max_functions)
    return errors::ResourceExhausted("ImportGraphDef: the graph has ", functions, " functions; ", limits.max_functions,
                                     " are allowed by ImportLimits::max_functions");
  std::int64_t nodes = num_old + static_cast<std::int64_t>(def.node.size());
  for (const FunctionDef& function : def.library.function) nodes += static_cast<std::int64_t>(function.node_def.size());
  if (nodes > limits.max_nodes)
    return errors::ResourceExhausted("ImportGraphDef: the graph and its functions have ", nodes, " nodes; ",
                                     limits.max_nodes, " are allowed by ImportLimits::max_nodes");
  TENON_RETURN_IF_ERROR(CheckNesting(def.node, limits));
  for (const FunctionDef& function : def.library.function)
    TENON_RETURN_IF_ERROR(CheckNesting(function.node_def, limits));
  return OkStatus();
}

// `name`, a node in an input's text, is neither in the graph nor in `def`.
TENON_DETAIL_COLD inline Status UnknownInput(const Graph& graph, const GraphDef& def, const NodeDef& node,
                                             std::string_view text, std::string_view name) {
  SlimVector<std::string_view> names;
  for (const Node& other : graph.nodes()) names.push_back(other.name());
  for (const NodeDef& other : def.node) names.push_back(other.name);
  return errors::InvalidArgument("Node '", node.name, "': Unknown input node '", text, "'", SuggestNames(name, names));
}
TENON_DETAIL_COLD inline Status NoSuchOutput(const NodeDef& node, const Node& src, int output) {
  const std::string& op = src.def.op;
  const bool functional = op == "If" || op == "StatelessIf" || op == "While" || op == "StatelessWhile";
  return errors::InvalidArgument(
      "Node '", node.name, "': Connecting to invalid output ", output, " of source node ", src.def.name, " which has ",
      src.num_outputs(), " outputs.",
      functional ? " Try using tf.compat.v1.experimental.output_all_intermediates(True)." : "");
}

TENON_DETAIL_COLD inline Status NoCallOp(const NodeDef& node, const FunctionDef& function) {
  return errors::Unimplemented("Node '", node.name, "': '", function.signature.name,
                               "' is a function of the graph's library; to call functions, register tenon::ops::",
                               node.op, " (<tenon/ops/flow/functional.hpp>)");
}

// The shapes that the attr "_output_shapes" gives are those of the node's outputs; then the attr goes. `hints`: a shape
// that contradicts is ignored, as TensorFlow ignores all of them in functions.
inline Status MergeGivenShapes(bool hints, Node* node, ShapeRefiner* refiner) {
  constexpr std::string_view kAttr = "_output_shapes";
  SlimVector<PartialTensorShape> given;
  if (const AttrValue* attr = node->def.attr.Find(kAttr); attr == nullptr || !attr->Get(kAttr, &given).ok())
    return OkStatus();
  if (given.size() < node->output_types.size() && !hints)
    return errors::InvalidArgument("Node '", node->def.name, "' has ", node->num_outputs(), " outputs but the ", kAttr,
                                   " attribute specifies shapes for ", given.size(), " outputs");
  for (int i = 0; i < node->num_outputs() && static_cast<std::size_t>(i) < given.size(); ++i) {
    const Status status = refiner->MergeOutputShape(node->id, i, given[static_cast<std::size_t>(i)]);
    if (status.ok() || hints) continue;
    return errors::InvalidArgument("Node '", node->def.name, "' has an ", kAttr,
                                   " attribute inconsistent with the GraphDef for output #", i, ": ", status.message());
  }
  node->def.attr.erase(kAttr);
  return OkStatus();
}

// Ops that nobody registered, all of which one message names. one thread.
class UnknownOps {
 public:
  void Add(std::string_view op, std::string_view node) {
    const auto name_of = [this](int i) { return ops_[static_cast<std::size_t>(i)].op; };
    int at = index_.Find(op, name_of);
    if (at < 0) {
      at = static_cast<int>(ops_.size());
      ops_.push_back({op, {}, 0});
      index_.Insert(op, at, name_of);
    }
    Entry& entry = ops_[static_cast<std::size_t>(at)];
    if (++entry.uses <= kMaxNamesListed) entry.nodes.push_back(node);
  }
  // NotFound, unless there are none.
  Status status(const OpRegistry& registry) const { return ops_.empty() ? OkStatus() : NotRegistered(registry); }

 private:
  static constexpr std::size_t kMaxNamesListed = 8;
  struct Entry {
    std::string_view op;
    SlimVector<std::string_view> nodes;  // at most kMaxNamesListed
    std::size_t uses = 0;
  };

  TENON_DETAIL_COLD Status NotRegistered(const OpRegistry& registry) const {
    SlimVector<std::string_view> known;
    for (const OpView* op : registry.ops()) known.push_back(op->name);
    std::string text;
    for (const Entry& entry : ops_) {
      const bool first = &entry == &ops_.front();
      StrAppend(&text, first ? "" : "\n", "Op type not registered '", entry.op, "'",
                first ? " in binary running on this machine. Make sure the Op and Kernel are registered in the binary "
                        "running in this process"
                      : "");
      const auto quote = [](std::string* out, std::string_view name) { StrAppend(out, "'", name, "'"); };
      StrAppend(&text, "; used by node", entry.uses > 1 ? "s " : " ", StrJoin(entry.nodes, ", ", quote));
      if (entry.uses > entry.nodes.size()) StrAppend(&text, " and ", entry.uses - entry.nodes.size(), " more");
      text += SuggestNames(entry.op, known);
    }
    text +=
        "\nTENON_REGISTER(tenon::ops::Name), tenon_add_graph_kernels(...) and tenon::ops register ops. Where an op is "
        "registered and yet missing, the linker dropped its file of a static library, or its shared library is another "
        "program's or hidden";
    return errors::NotFound(text);
  }

  SlimVector<Entry> ops_;
  NameIndex index_;
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

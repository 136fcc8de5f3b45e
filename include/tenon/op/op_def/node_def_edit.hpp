// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small changes to NodeDefs that files and functions need: attrs that say nothing are left out, attrs that an older
// reader does not know are removed where they may be, nodes get names of their own, colocation.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// ------------------------------------------------------------------------------------------------------------ defaults

namespace detail {

// The default that the op gives an attr; a value of no kind when it gives none.
inline AttrValue DefaultOf(const OpView& op, std::string_view attr) {
  OpDef::AttrDef def;
  const AttrSpec* spec = op.FindAttr(attr);
  if (spec == nullptr || !spec->has_default || !ToAttrDef(*spec, &def)) return {};
  return std::move(*def.default_value);
}

template <class Change>
Status ForEachNode(GraphDef* graph, const Change& change) {
  for (NodeDef& node : graph->node) TENON_RETURN_IF_ERROR(change(&node));
  for (FunctionDef& function : graph->library.function)
    for (NodeDef& node : function.node_def) TENON_RETURN_IF_ERROR(change(&node));
  return OkStatus();
}

}  // namespace detail

// Removes the attrs that have the value they would have anyway. Nodes of ops that are not registered stay as they are.
inline void StripDefaultAttributes(const OpRegistry& registry, NodeDef* node) {
  const OpView* op = registry.Find(node->op);
  if (op == nullptr) return;
  SlimVector<std::string> same;
  for (const auto& [name, value] : node->attr) {
    const AttrValue standard = detail::DefaultOf(*op, name);
    if (standard.has_value() && AreAttrValuesEqual(value, standard)) same.push_back(name);
  }
  for (const std::string& name : same) node->attr.erase(name);
}
inline void StripDefaultAttributes(const OpRegistry& registry, GraphDef* graph) {
  static_cast<void>(detail::ForEachNode(graph, [&](NodeDef* node) {
    StripDefaultAttributes(registry, node);
    return OkStatus();
  }));
}

// An attr that was removed from a node of the op.
struct RemovedAttr {
  std::string op;
  std::string attr;

  friend bool operator==(const RemovedAttr&, const RemovedAttr&) = default;
};

// Makes a graph that was written with the ops of `producer` readable for `consumer`: attrs that the consumer
// does not have are removed where they hold the producer's default. InvalidArgument when the producer does not have
// such an attr either; ops that the consumer does not have stay as they are. `removed`, if not null, gets each pair
// once.
inline Status RemoveNewDefaultAttrs(const OpRegistry& consumer, const OpRegistry& producer, NodeDef* node,
                                    SlimVector<RemovedAttr>* removed = nullptr) {
  const OpView* wanted = consumer.Find(node->op);
  if (wanted == nullptr) return OkStatus();
  const OpView* had = nullptr;
  TENON_RETURN_IF_ERROR(producer.LookUp(node->op, &had));
  SlimVector<std::string> drop;
  for (const auto& [name, value] : node->attr) {
    if (StartsWith(name, "_") || wanted->FindAttr(name) != nullptr) continue;
    if (had->FindAttr(name) == nullptr)
      return errors::InvalidArgument("Attr '", name, "' missing in producer's OpDef: ", had->name,
                                     " but found in node: ", FormatNodeForError(node->name));
    const AttrValue standard = detail::DefaultOf(*had, name);
    if (standard.has_value() && AreAttrValuesEqual(value, standard)) drop.push_back(name);
  }
  for (const std::string& name : drop) {
    node->attr.erase(name);
    RemovedAttr pair{node->op, name};
    if (removed == nullptr) continue;
    bool known = false;
    for (const RemovedAttr& other : *removed) known = known || other == pair;
    if (!known) removed->push_back(std::move(pair));
  }
  return OkStatus();
}
// Does so for the nodes of the graph and of its functions. Calls of its functions stay as they are.
inline Status RemoveNewDefaultAttrs(const OpRegistry& consumer, const OpRegistry& producer, GraphDef* graph,
                                    SlimVector<RemovedAttr>* removed = nullptr) {
  return detail::ForEachNode(graph,
                             [&](NodeDef* node) { return RemoveNewDefaultAttrs(consumer, producer, node, removed); });
}

// --------------------------------------------------------------------------------------------------------------- names

// Renames the node to prefix + name + suffix. With `unique_frame`, Enter nodes enter a frame of that name too, so that
// the loops of two copies of a function stay apart.
inline Status AddPrefixAndSuffixToNode(std::string_view prefix, std::string_view suffix, NodeDef* node,
                                       bool unique_frame = true) {
  node->name = StrCat(prefix, node->name, suffix);
  if (!unique_frame || (node->op != "Enter" && node->op != "RefEnter")) return OkStatus();
  std::string frame;
  TENON_RETURN_IF_ERROR(GetNodeAttr(*node, "frame_name", &frame));
  node->attr.Set("frame_name", StrCat(prefix, frame, suffix));
  return OkStatus();
}

inline constexpr std::string_view kColocationAttr = "_class";
inline constexpr std::string_view kColocationPrefix = "loc:@";

// Adds `prefix` to the nodes that `node` asks to be placed with, where `is_local(name)` says that they are renamed too.
template <class IsLocal>
void AddPrefixToColocation(std::string_view prefix, const IsLocal& is_local, NodeDef* node) {
  AttrValue* value = node->attr.Find(kColocationAttr);
  if (value == nullptr || value->list().s.empty()) return;
  for (std::string& entry : value->mutable_list()->s) {
    if (!StartsWith(entry, kColocationPrefix)) continue;
    const std::string_view name = std::string_view(entry).substr(kColocationPrefix.size());
    if (is_local(name)) entry = StrCat(kColocationPrefix, prefix, name);
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

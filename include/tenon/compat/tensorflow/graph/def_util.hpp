// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rarer functions of graphs, nodes, attrs and ops: names, defaults, placeholders, versions, comparisons.

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <unordered_set>
#include <utility>

#include <tenon/op/graph_def/placeholders.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_def_compatible.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>

namespace tensorflow {

// ------------------------------------------------------------------------------------------------------------- names
// An output of a node. Output -1 is the node's end, which control edges wait for.
template <class Text>
struct TensorIdOf : std::pair<Text, int> {
  using std::pair<Text, int>::pair;
  template <class Other>
  TensorIdOf(const TensorIdOf<Other>& other) : std::pair<Text, int>(Text(other.first), other.second) {}
  StringPiece node() const { return this->first; }
  int index() const { return this->second; }
  std::string ToString() const {
    if (index() < 0) return strings::StrCat("^", node());
    return index() == 0 ? std::string(node()) : strings::StrCat(node(), ":", index());
  }
};
using TensorId = TensorIdOf<StringPiece>;
using SafeTensorId = TensorIdOf<std::string>;
inline std::ostream& operator<<(std::ostream& out, const TensorId& id) { return out << id.ToString(); }
inline bool IsTensorIdControl(const TensorId& id) { return id.index() == -1; }
inline bool IsTensorIdPortValid(const TensorId& id) { return id.index() >= -1; }
// "^a", "a" and "a:1". Points into the text.
inline TensorId ParseTensorName(StringPiece name) {
  if (name.starts_with("^")) return {name.substr(1), -1};
  const std::size_t colon = name.rfind(':');
  int32 index = 0;
  if (colon == 0 || colon == StringPiece::npos || !strings::safe_strto32(name.substr(colon + 1), &index) || index < 0)
    return {name, 0};
  return {name.substr(0, colon), index};
}

// InvalidArgument: a name that no node of a user may have; a data input behind control inputs.
inline Status ValidateExternalNodeDefSyntax(const NodeDef& node) {
  if (!tenon::IsValidNodeName(node.name()))
    return AttachDef(errors::InvalidArgument("Illegal op name '", node.name(), "'"), node);
  bool is_behind_control = false;
  for (const std::string& input : node.input()) {
    const bool is_control = input.starts_with('^');
    const std::size_t colon = is_control ? std::string::npos : input.find(':');
    const std::string index = colon == std::string::npos ? "0" : input.substr(colon + 1);
    const bool is_index = !index.empty() && index.find_first_not_of("0123456789") == std::string::npos &&
                          (index[0] != '0' || index.size() == 1);
    if (!is_index || !tenon::IsValidNodeName(StringPiece(input).substr(0, colon).substr(is_control ? 1 : 0)))
      return AttachDef(errors::InvalidArgument("Illegal op input name '", input, "'"), node);
    if (is_behind_control && !is_control)
      return AttachDef(errors::InvalidArgument("All control inputs must follow all data inputs"), node);
    is_behind_control = is_control;
  }
  return Status();
}
inline Status ValidateExternalGraphDefSyntax(const GraphDef& graph) {
  for (const NodeDef& node : graph.node()) TF_RETURN_IF_ERROR(ValidateExternalNodeDefSyntax(node));
  return Status();
}
// NotFound: an Enter node without its frame.
inline Status AddPrefixAndSuffixToNode(StringPiece prefix, StringPiece suffix, NodeDef* node,
                                       bool uniquify_frame_name = true) {
  tenon::NodeDef held = ToTenon(*node);
  TF_RETURN_IF_ERROR(tenon::AddPrefixAndSuffixToNode(prefix, suffix, &held, uniquify_frame_name));
  *node = FromTenon(held);
  return Status();
}
// Renames the nodes that `node` wants to be placed with, where `names` has them.
inline Status MaybeAddPrefixToColocationConstraints(const std::unordered_set<std::string>& names, StringPiece prefix,
                                                    NodeDef* node) {
  tenon::NodeDef held = ToTenon(*node);
  tenon::AddPrefixToColocation(prefix, [&](StringPiece name) { return names.contains(std::string(name)); }, &held);
  *node = FromTenon(held);
  return Status();
}
inline Status MaybeUpdateColocationConstraintsWithMap(const std::map<StringPiece, StringPiece>& names, NodeDef* node) {
  const auto found = node->mutable_attr()->find(std::string(tenon::kColocationAttr));
  if (found == node->mutable_attr()->end()) return Status();
  for (std::string& entry : *found->second.mutable_list()->mutable_s()) {
    if (!entry.starts_with(tenon::kColocationPrefix)) continue;
    const auto renamed = names.find(StringPiece(entry).substr(tenon::kColocationPrefix.size()));
    if (renamed != names.end()) entry = strings::StrCat(tenon::kColocationPrefix, renamed->second);
  }
  return Status();
}

// ------------------------------------------------------------------------------------------------------------- attrs
typedef std::function<bool(const std::string&, AttrValue*)> SubstituteFunc;
// False: `substitute` has no value for a placeholder, or a value is not set.
inline bool SubstitutePlaceholders(const SubstituteFunc& substitute, AttrValue* value) {
  tenon::AttrValue held = ToTenon(*value);
  const auto look_up = [&](StringPiece name, tenon::AttrValue* to) {
    AttrValue found;
    if (!substitute(std::string(name), &found)) return false;
    *to = ToTenon(found);
    return true;
  };
  if (!tenon::SubstitutePlaceholders(look_up, &held)) return false;
  *value = FromTenon(held);
  return true;
}
namespace attr_value_util_internal {
// The bytes of a tensor's values. -1: the shape is not known.
inline int64_t TensorByteSize(const TensorProto& tensor) {
  PartialTensorShape shape;
  if (!PartialTensorShape::BuildPartialTensorShape(tensor.tensor_shape(), &shape).ok() || shape.num_elements() < 0)
    return -1;
  const int64_t bytes = MultiplyWithoutOverflow(shape.num_elements(), DataTypeSize(tensor.dtype()));
  return bytes < 0 ? -1 : bytes;
}
}  // namespace attr_value_util_internal

// --------------------------------------------------------------------------------------------------------------- ops
using AttrDefs = protobuf::RepeatedPtrField<OpDef_AttrDef>;
inline OpDef OpWithAttrs(const AttrDefs& attrs) {
  OpDef op;
  *op.mutable_attr() = attrs;
  return op;
}
inline AttrDefs OneAttr(const OpDef_AttrDef& attr) {
  AttrDefs attrs;
  *attrs.Add() = attr;
  return attrs;
}
// In any order.
inline bool RepeatedAttrDefEqual(const AttrDefs& a, const AttrDefs& b) {
  return OpDefEqual(OpWithAttrs(a), OpWithAttrs(b));
}
inline uint64_t RepeatedAttrDefHash(const AttrDefs& attrs) { return OpDefHash(OpWithAttrs(attrs)); }
inline bool AttrDefEqual(const OpDef_AttrDef& a, const OpDef_AttrDef& b) {
  return RepeatedAttrDefEqual(OneAttr(a), OneAttr(b));
}
inline uint64_t AttrDefHash(const OpDef_AttrDef& attr) { return RepeatedAttrDefHash(OneAttr(attr)); }

// ------------------------------------------------------------------------------------------------------------ graphs
// Gives the nodes from `offset` on the defaults of their ops. InvalidArgument: the graph has fewer nodes. NotFound: the
// registry does not have an op, which is not skipped.
inline Status AddDefaultAttrsToGraphDef(GraphDef* graph, const OpRegistryInterface& ops, int offset,
                                        bool skip_unknown_ops = false) {
  if (offset > graph->node_size())
    return errors::InvalidArgument("Tried to add default attrs to GraphDef starting at offset ", offset,
                                   " with total nodes in graph: ", graph->node_size());
  for (int i = offset; i < graph->node_size(); ++i) {
    const OpDef* op = nullptr;
    const Status found = ops.LookUpOpDef(graph->node(i).op(), &op);
    if (found.ok())
      AddDefaultsToNodeDef(*op, graph->mutable_node(i));
    else if (!skip_unknown_ops)
      return found;
  }
  return Status();
}
inline std::string SummarizeGraphDef(const GraphDef& graph) {
  std::string text = strings::StrCat("versions = ", graph.versions().ShortDebugString(), ";\n");
  for (const NodeDef& node : graph.node()) strings::StrAppend(&text, SummarizeNodeDef(node), ";\n");
  return text;
}
// Errors: as when a graph of these versions is imported.
inline Status CheckVersions(const VersionDef& versions, int consumer, int min_producer, const char* upper_name,
                            const char* lower_name) {
  return tenon::CheckVersions(StructOf<tenon::VersionDef>(versions), consumer, min_producer, upper_name, lower_name);
}

}  // namespace tensorflow

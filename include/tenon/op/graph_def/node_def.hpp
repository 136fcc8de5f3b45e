// SPDX-License-Identifier: Apache-2.0
#pragma once
// NodeDef: one node of a graph as plain data: name, op, inputs by name, attrs; and how its attrs are read.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/attr/attr_value.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct NodeDef {
  std::string name;
  std::string op;
  SlimVector<std::string> input;  // "node", "node:1", and last "^node" for control
  std::string device;              // the requested one, e.g. "/device:GPU:0"; may be empty
  AttrMap attr;
  std::string debug_info;  // serialised NodeDef.ExperimentalDebugInfo, kept as it came
  std::string full_type;   // serialised FullTypeDef (experimental_type), kept as it came

  friend bool operator==(const NodeDef&, const NodeDef&) = default;
};

// "{{node x}}": how messages name a node.
inline std::string FormatNodeForError(std::string_view name) { return StrCat("{{node ", name, "}}"); }

// "T=DT_FLOAT, _device="/device:GPU:0"".
inline std::string SummarizeAttrs(const NodeDef& node) {
  std::string text;
  for (const auto& [name, value] : node.attr)
    StrAppend(&text, text.empty() ? "" : ", ", name, "=", SummarizeAttrValue(value));
  if (!node.device.empty()) StrAppend(&text, text.empty() ? "" : ", ", "_device=\"", node.device, "\"");
  return text;
}

// "{{node y}} = MatMul[T=DT_FLOAT, _device="/device:GPU:0"](a, b:1, ^c)"; of many inputs only the first `max_inputs`.
inline std::string SummarizeNodeDef(const NodeDef& node, std::size_t max_inputs = static_cast<std::size_t>(-1)) {
  std::string text = StrCat(FormatNodeForError(node.name), " = ", node.op, "[", SummarizeAttrs(node), "](");
  for (std::size_t i = 0; i < node.input.size(); ++i) {
    if (i != 0) text += ", ";
    if (i == max_inputs) {
      text += "...";
      break;
    }
    text += node.input[i];
  }
  return text += ")";
}

// The error with its node added: "...\n\t [[{{node x}}]]". A message that already names a node gets "[[x]]".
inline Status AttachNode(const Status& status, std::string_view node_name) {
  if (status.ok()) return status;
  const bool named = status.message().find("{{node ") != std::string_view::npos;
  return status.WithAppended(StrCat("\n\t [[", named ? std::string(node_name) : FormatNodeForError(node_name), "]]"));
}

namespace detail {
TENON_DETAIL_COLD inline Status NoSuchAttr(const NodeDef& node, std::string_view name) {
  Status status = errors::NotFound("No attr named '", name, "' in NodeDef:");
  return StartsWith(name, "_") ? status : status.WithAppended(StrCat(" ", SummarizeNodeDef(node)));
}
inline Status AtNode(Status status, const NodeDef& node) {
  if (!status.ok()) [[unlikely]]
    return AttachNode(status, node.name);
  return status;
}

// The code that all types share is not a template: there are twenty types.
using AttrReader = Status (*)(const AttrValue& value, std::string_view name, void* out);
template <class T>
Status ReadAttr(const AttrValue& value, std::string_view name, void* out) {
  return AttrGetter<T>::Get(value, name, static_cast<T*>(out));
}
inline Status GetNodeAttr(const NodeDef& node, std::string_view name, AttrReader read, void* out) {
  const AttrValue* value = node.attr.Find(name);
  return value != nullptr ? AtNode(read(*value, name, out), node) : NoSuchAttr(node, name);
}
inline bool TryGetNodeAttr(const NodeDef& node, std::string_view name, AttrReader read, void* out) {
  const AttrValue* value = node.attr.Find(name);
  return value != nullptr && read(*value, name, out).ok();
}
}  // namespace detail

inline bool HasNodeAttr(const NodeDef& node, std::string_view name) { return node.attr.Find(name) != nullptr; }

// Reads an attr (AttrValue::Get says which types there are). NotFound when the node has none of that name.
template <class T>
TENON_DETAIL_ALWAYS_INLINE Status GetNodeAttr(const NodeDef& node, std::string_view name, T* out) {
  return detail::GetNodeAttr(node, name, &detail::ReadAttr<T>, out);
}
inline Status GetNodeAttr(const NodeDef& node, std::string_view name, const AttrValue** out) {
  *out = node.attr.Find(name);
  return *out != nullptr ? OkStatus() : detail::NoSuchAttr(node, name);
}
// False, and no message is made, when there is no such attr or it has another type.
template <class T>
TENON_DETAIL_ALWAYS_INLINE bool TryGetNodeAttr(const NodeDef& node, std::string_view name, T* out) {
  return detail::TryGetNodeAttr(node, name, &detail::ReadAttr<T>, out);
}

// Adds an attr; one that is there already stays as it is.
inline void AddNodeAttr(std::string_view name, AttrValue value, NodeDef* node) {
  node->attr.Insert(std::string(name), std::move(value));
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

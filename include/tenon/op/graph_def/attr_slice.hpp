// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttrSlice: the attrs of a node or of a function call, for code that treats both alike.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Points at a NodeDef or an AttrMap, which outlives it. immutable.
//
//   Status Instantiate(AttrSlice attrs) {
//     DataType type;
//     TENON_RETURN_IF_ERROR(attrs.Get("T", &type));
class AttrSlice {
 public:
  // No attrs at all.
  AttrSlice() : attrs_(&detail::EmptyAttr<AttrMap>()) {}
  AttrSlice(const NodeDef& node) : node_(&node), attrs_(&node.attr) {}
  explicit AttrSlice(const AttrMap* attrs) : attrs_(attrs) {}

  std::size_t size() const { return attrs_->size(); }
  AttrMap::const_iterator begin() const { return attrs_->begin(); }
  AttrMap::const_iterator end() const { return attrs_->end(); }

  // The value of an attr, or null.
  const AttrValue* Find(std::string_view name) const { return attrs_->Find(name); }
  // NotFound, naming the node if there is one, when there is no such attr.
  Status Find(std::string_view name, const AttrValue** value) const {
    *value = attrs_->Find(name);
    return *value != nullptr ? OkStatus() : NoSuchAttr(name);
  }
  // Reads an attr (AttrValue::Get says which types there are).
  template <class T>
  Status Get(std::string_view name, T* value) const {
    if (node_ != nullptr) return GetNodeAttr(*node_, name, value);
    const AttrValue* found = attrs_->Find(name);
    return found != nullptr ? found->Get(name, value) : NoSuchAttr(name);
  }
  // False, and no message is made, when there is no such attr or it has another type.
  template <class T>
  bool TryGet(std::string_view name, T* value) const {
    const AttrValue* found = attrs_->Find(name);
    return found != nullptr && found->Get(name, value).ok();
  }

  // Whether both have equal names with equal values (AreAttrValuesEqual).
  bool EqualAttrs(AttrSlice other) const { return AreAttrsEqual(*attrs_, *other.attrs_); }

  // The node of these attrs: "{{node x}} = MatMul[...](a, b)", or "" when no node is known.
  std::string SummarizeNode() const { return node_ != nullptr ? SummarizeNodeDef(*node_) : std::string(); }
  // "{{node x}}: [T=DT_FLOAT, ...]"
  std::string DebugString() const {
    std::string text =
        StrCat(node_ != nullptr ? FormatNodeForError(node_->name) : std::string(), node_ != nullptr ? ": [" : "[");
    bool first = true;
    for (const auto& [name, value] : *attrs_) {
      StrAppend(&text, first ? "" : ", ", name, "=", SummarizeAttrValue(value));
      first = false;
    }
    return text += "]";
  }

 private:
  TENON_DETAIL_COLD Status NoSuchAttr(std::string_view name) const {
    if (node_ != nullptr) return detail::NoSuchAttr(*node_, name);
    return errors::NotFound("No attr named '", name, "' in NodeDef:");
  }

  const NodeDef* node_ = nullptr;
  const AttrMap* attrs_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The node of a kernel, read as TensorFlow's NodeDef message is, and GetNodeAttr.

#include <string>
#include <type_traits>
#include <vector>

#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/types.hpp>

namespace tensorflow {

using NameAttrList = tenon::NameAttrList;

// A view of a node of Tenon.
class NodeDef {
 public:
  explicit NodeDef(const tenon::NodeDef* node) : node_(node) {}
  const std::string& name() const { return node_->name; }
  const std::string& op() const { return node_->op; }
  const std::string& device() const { return node_->device; }
  int input_size() const { return static_cast<int>(node_->input.size()); }
  const std::string& input(int i) const { return node_->input[static_cast<std::size_t>(i)]; }
  const tenon::AttrMap& attr() const { return node_->attr; }
  const tenon::NodeDef& node() const { return *node_; }
  std::string DebugString() const { return tenon::SummarizeNodeDef(*node_); }
  std::string ShortDebugString() const { return DebugString(); }

 private:
  const tenon::NodeDef* node_;
};
inline std::string SummarizeNodeDef(const NodeDef& node) { return node.DebugString(); }
inline std::string FormatNodeDefForError(const NodeDef& node) { return strings::StrCat("{{node ", node.name(), "}}"); }

// Reads attrs by `get(name, T*)` -> Status, whose T is one of Tenon's types, as one of TensorFlow's.
template <class T>
struct AttrAs {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, T* value) {
    return get(name, value);
  }
};
template <>
struct AttrAs<DataType> {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, DataType* value) {
    tenon::DataType type{};
    TF_RETURN_IF_ERROR(get(name, &type));
    *value = FromTenon(type);
    return Status();
  }
};
template <class T, class From>
struct ConvertedAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, T* value) {
    From from{};
    TF_RETURN_IF_ERROR(get(name, &from));
    *value = T(from);
    return Status();
  }
};
template <>
struct AttrAs<TensorShape> : ConvertedAttr<TensorShape, tenon::TensorShape> {};
template <>
struct AttrAs<PartialTensorShape> : ConvertedAttr<PartialTensorShape, tenon::PartialTensorShape> {};
template <>
struct AttrAs<Tensor> : ConvertedAttr<Tensor, tenon::Tensor> {};
template <>
struct AttrAs<tstring> : ConvertedAttr<tstring, std::string> {};
template <>
struct AttrAs<uint32> : ConvertedAttr<uint32, std::int64_t> {};
#if defined(TENON_COMPAT_LONG_LONG)
template <>
struct AttrAs<int64> : ConvertedAttr<int64, std::int64_t> {};
#endif

template <class List, class Item, class From>
struct ConvertedListAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, List* value) {
    std::vector<From> from;
    TF_RETURN_IF_ERROR(get(name, &from));
    value->clear();
    for (const From& item : from) value->push_back(Item(item));
    return Status();
  }
};
template <class List>
struct TypeListAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, List* value) {
    std::vector<tenon::DataType> types;
    TF_RETURN_IF_ERROR(get(name, &types));
    value->clear();
    for (const tenon::DataType type : types) value->push_back(FromTenon(type));
    return Status();
  }
};
template <>
struct AttrAs<DataTypeVector> : TypeListAttr<DataTypeVector> {};
template <>
struct AttrAs<std::vector<DataType>> : TypeListAttr<std::vector<DataType>> {};
template <>
struct AttrAs<std::vector<TensorShape>> : ConvertedListAttr<std::vector<TensorShape>, TensorShape, tenon::TensorShape> {
};
template <>
struct AttrAs<std::vector<PartialTensorShape>>
    : ConvertedListAttr<std::vector<PartialTensorShape>, PartialTensorShape, tenon::PartialTensorShape> {};
template <>
struct AttrAs<std::vector<Tensor>> : ConvertedListAttr<std::vector<Tensor>, Tensor, tenon::Tensor> {};
template <>
struct AttrAs<std::vector<tstring>> : ConvertedListAttr<std::vector<tstring>, tstring, std::string> {};
template <>
struct AttrAs<std::vector<bool>> : ConvertedListAttr<std::vector<bool>, bool, char> {};

template <class T>
Status GetNodeAttr(const NodeDef& node, StringPiece name, T* value) {
  const auto get = [&node](StringPiece of, auto* to) { return tenon::GetNodeAttr(node.node(), of, to); };
  return AttrAs<T>::Read(get, name, value);
}
template <class T>
bool TryGetNodeAttr(const NodeDef& node, StringPiece name, T* value) {
  return GetNodeAttr(node, name, value).ok();
}
inline bool HasNodeAttr(const NodeDef& node, StringPiece name) { return node.attr().Find(name) != nullptr; }
using AttrSlice = NodeDef;

}  // namespace tensorflow

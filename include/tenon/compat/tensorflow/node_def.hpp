// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages of nodes against Tenon's structs, AttrSlice, and GetNodeAttr with its sisters.

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/function_proto.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/compat/tensorflow/proto/graph.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace tensorflow {

using AttrValueMap = protobuf::Map<std::string, AttrValue>;

inline constexpr const char* kColocationAttrName = "_class";
inline constexpr const char* kColocationGroupPrefix = "loc:@";

// A struct of Tenon as a message, and a message as a struct. Nothing is lost either way.
template <class Message, class Struct>
Message MessageOf(const Struct& from) {
  Message to;
  to.ParseFromString(tenon::detail::SerializeProto(from));
  return to;
}
template <class Struct>
Struct StructOf(const protobuf::MessageLite& from) {
  const std::string bytes = from.SerializeAsString();
  auto to = tenon::detail::ParseProto<Struct>(tenon::wire::AsBytes(bytes));
  return to.ok() ? *std::move(to) : Struct();
}
inline NodeDef FromTenon(const tenon::NodeDef& node) { return MessageOf<NodeDef>(node); }
inline AttrValue FromTenon(const tenon::AttrValue& value) { return MessageOf<AttrValue>(value); }
inline OpDef FromTenon(const tenon::OpDef& op) { return MessageOf<OpDef>(op); }
inline tenon::NodeDef ToTenon(const NodeDef& node) { return StructOf<tenon::NodeDef>(node); }
inline tenon::AttrValue ToTenon(const AttrValue& value) { return StructOf<tenon::AttrValue>(value); }
inline tenon::OpDef ToTenon(const OpDef& op) { return StructOf<tenon::OpDef>(op); }
// The message of a node that a context has. It stays until this thread has asked sixteen times more.
inline const NodeDef& KeptMessage(const tenon::NodeDef& node) {
  constexpr std::size_t kMost = 16;
  thread_local NodeDef kept[kMost];
  thread_local std::size_t next = 0;
  NodeDef& place = kept[next++ % kMost];
  place = FromTenon(node);
  return place;
}

inline std::string SummarizeAttrValue(const AttrValue& value) { return tenon::SummarizeAttrValue(ToTenon(value)); }
inline std::string SummarizeNodeDef(const NodeDef& node, int max_inputs = -1) {
  return tenon::SummarizeNodeDef(ToTenon(node), static_cast<std::size_t>(max_inputs));
}
// "{{node a}}"; the nodes that it was made of, with their functions, where the debug information has them.
inline std::string FormatNodeDefForError(StringPiece name, bool has_debug_info,
                                         const NodeDef_ExperimentalDebugInfo& info) {
  if (!has_debug_info || info.original_node_names_size() == 0) return tenon::FormatNodeForError(name);
  std::string text;
  for (int i = 0; i < info.original_node_names_size(); ++i) {
    if (i > 0) text += ", ";
    if (i < info.original_func_names_size() && !info.original_func_names(i).empty())
      strings::StrAppend(&text, "{{function_node ", info.original_func_names(i), "}}");
    text += tenon::FormatNodeForError(info.original_node_names(i));
  }
  return text;
}
inline std::string FormatNodeDefForError(const NodeDef& node) {
  return FormatNodeDefForError(node.name(), node.has_experimental_debug_info(), node.experimental_debug_info());
}
inline std::string FormatNodeForError(const NodeDef& node) { return FormatNodeDefForError(node); }
// Unless several are allowed, the second node of a message stands in it by its name alone.
inline Status AttachDef(const Status& status, const NodeDef& node, bool allow_multiple_formatted_node = false) {
  if (!allow_multiple_formatted_node || status.ok()) return tenon::AttachNode(status, node.name());
  Status attached = status;
  errors::AppendToMessage(&attached, strings::StrCat(" [[", FormatNodeDefForError(node), "]]"));
  return attached;
}
inline Status AttrValueHasType(const AttrValue& value, StringPiece type) {
  return tenon::AttrValueHasType(ToTenon(value), type);
}
inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  return tenon::AreAttrValuesEqual(ToTenon(a), ToTenon(b));
}
inline uint64_t AttrValueHash(const AttrValue& value) { return tenon::AttrValueHash(ToTenon(value)); }
inline uint64_t FastAttrValueHash(const AttrValue& value) { return AttrValueHash(value); }
inline bool FastAreAttrValuesEqual(const AttrValue& a, const AttrValue& b) { return AreAttrValuesEqual(a, b); }

// Reads attrs by `get(name, T*)` -> Status, whose T is one of Tenon's types, as one of TensorFlow's.
template <class T>
struct AttrAs {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, T* value) {
    return get(name, value);
  }
};
template <class T, class From, auto kConvert>
struct ConvertedAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, T* value) {
    From from{};
    TF_RETURN_IF_ERROR(get(name, &from));
    *value = kConvert(from);
    return Status();
  }
};
template <class List, class From, auto kConvert>
struct ConvertedListAttr {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, List* value) {
    std::vector<From> from;
    TF_RETURN_IF_ERROR(get(name, &from));
    value->clear();
    for (const From& item : from) value->push_back(kConvert(item));
    return Status();
  }
};
namespace attr_conversion {
template <class T>
inline constexpr auto kMake = [](const auto& from) { return T(from); };
inline constexpr auto kType = [](tenon::DataType type) { return FromTenon(type); };
inline constexpr auto kShape = [](const tenon::PartialTensorShape& shape) {
  return PartialTensorShape(shape).AsProto();
};
inline constexpr auto kTensor = [](const tenon::Tensor& tensor) {
  TensorProto proto;
  Tensor(tensor).AsProtoField(&proto);
  return proto;
};
inline constexpr auto kFunction = [](const tenon::NameAttrList& from) { return MessageOf<NameAttrList>(from); };
}  // namespace attr_conversion

#define TENON_COMPAT_ATTR(T, FROM, CONVERT)                               \
  template <>                                                             \
  struct AttrAs<T> : ConvertedAttr<T, FROM, attr_conversion::CONVERT> {}; \
  template <>                                                             \
  struct AttrAs<std::vector<T>> : ConvertedListAttr<std::vector<T>, FROM, attr_conversion::CONVERT> {}
TENON_COMPAT_ATTR(DataType, tenon::DataType, kType);
TENON_COMPAT_ATTR(TensorShape, tenon::TensorShape, kMake<TensorShape>);
TENON_COMPAT_ATTR(PartialTensorShape, tenon::PartialTensorShape, kMake<PartialTensorShape>);
TENON_COMPAT_ATTR(Tensor, tenon::Tensor, kMake<Tensor>);
TENON_COMPAT_ATTR(tstring, std::string, kMake<tstring>);
TENON_COMPAT_ATTR(TensorShapeProto, tenon::PartialTensorShape, kShape);
TENON_COMPAT_ATTR(TensorProto, tenon::Tensor, kTensor);
TENON_COMPAT_ATTR(NameAttrList, tenon::NameAttrList, kFunction);
#undef TENON_COMPAT_ATTR
template <>
struct AttrAs<uint32> : ConvertedAttr<uint32, std::int64_t, attr_conversion::kMake<uint32>> {};
template <>
struct AttrAs<double> : ConvertedAttr<double, float, attr_conversion::kMake<double>> {};
#if defined(TENON_COMPAT_LONG_LONG)
template <>
struct AttrAs<int64> : ConvertedAttr<int64, std::int64_t, attr_conversion::kMake<int64>> {};
template <>
struct AttrAs<std::vector<int64>> : ConvertedListAttr<std::vector<int64>, std::int64_t, attr_conversion::kMake<int64>> {
};
#endif
template <>
struct AttrAs<DataTypeVector> : ConvertedListAttr<DataTypeVector, tenon::DataType, attr_conversion::kType> {};
template <>
struct AttrAs<std::vector<bool>> : ConvertedListAttr<std::vector<bool>, char, attr_conversion::kMake<bool>> {};
// The value itself.
template <>
struct AttrAs<AttrValue> {
  template <class Get>
  static Status Read(const Get& get, StringPiece name, AttrValue* value) {
    const tenon::AttrValue* found = nullptr;
    TF_RETURN_IF_ERROR(get(name, &found));
    *value = FromTenon(*found);
    return Status();
  }
};

// The attrs of a node, or a map of attrs. Points at what it was made of.
class AttrSlice {
 public:
  AttrSlice() : attrs_(&NodeDef::default_instance().attr()) {}
  AttrSlice(const NodeDef& node) : node_(&node), attrs_(&node.attr()) {}
  explicit AttrSlice(const AttrValueMap* attrs) : attrs_(attrs) {}

  // The node whose attrs these are; null where only the attrs are known.
  const NodeDef* node_def() const { return node_; }
  int size() const { return static_cast<int>(attrs_->size()); }
  const AttrValue* Find(StringPiece name) const {
    const auto found = attrs_->find(name);
    return found == attrs_->end() ? nullptr : &found->second;
  }
  Status Find(StringPiece name, const AttrValue** value) const {
    *value = Find(name);
    return *value != nullptr ? Status() : CheckFind(name, *value);
  }
  const AttrValue* FindByString(const std::string& name) const { return Find(name); }
  Status FindByString(const std::string& name, const AttrValue** value) const { return Find(name, value); }
  Status CheckFind(StringPiece name, const AttrValue* value) const {
    if (value != nullptr) return Status();
    Status status = errors::NotFound("No attr named '", name, "' in NodeDef:");
    if (node_ == nullptr || name.starts_with("_")) return status;
    return status.WithAppended(strings::StrCat(" ", tensorflow::SummarizeNodeDef(*node_)));
  }
  bool EqualAttrs(AttrSlice other) const {
    if (size() != other.size()) return false;
    for (const auto& [name, value] : *attrs_) {
      const AttrValue* const found = other.Find(name);
      if (found == nullptr || !AreAttrValuesEqual(value, *found)) return false;
    }
    return true;
  }
  std::string SummarizeNode() const { return node_ == nullptr ? std::string() : tensorflow::SummarizeNodeDef(*node_); }
  std::string DebugString() const {
    std::string out;
    for (const auto& [name, value] : *attrs_)
      strings::StrAppend(&out, out.empty() ? "" : "\n", name, "=", SummarizeAttrValue(value));
    return out;
  }
  AttrValueMap::const_iterator begin() const { return attrs_->begin(); }
  AttrValueMap::const_iterator end() const { return attrs_->end(); }
  // An error with the node's name.
  Status Attach(const Status& status) const { return node_ == nullptr ? status : AttachDef(status, *node_); }

 private:
  const NodeDef* node_ = nullptr;
  const AttrValueMap* attrs_;
};

// Reads an attr. NotFound: there is none. InvalidArgument: it has another type.
template <class T>
Status GetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  const AttrValue* found = nullptr;
  TF_RETURN_IF_ERROR(attrs.Find(name, &found));
  const tenon::AttrValue held = ToTenon(*found);
  const auto get = [&held](StringPiece of, auto* to) -> Status {
    if constexpr (std::is_same_v<decltype(to), const tenon::AttrValue**>) {
      *to = &held;
      return Status();
    } else {
      return held.Get(of, to);
    }
  };
  return attrs.Attach(AttrAs<T>::Read(get, name, value));
}
inline Status GetNodeAttr(const AttrSlice& attrs, StringPiece name, const NameAttrList** value) {
  const AttrValue* found = nullptr;
  TF_RETURN_IF_ERROR(attrs.Find(name, &found));
  TF_RETURN_IF_ERROR(AttrValueHasType(*found, "func"));
  *value = &found->func();
  return Status();
}
inline Status GetNodeAttr(const AttrSlice& attrs, StringPiece name, const TensorProto** value) {
  const AttrValue* found = nullptr;
  TF_RETURN_IF_ERROR(attrs.Find(name, &found));
  TF_RETURN_IF_ERROR(AttrValueHasType(*found, "tensor"));
  *value = &found->tensor();
  return Status();
}
template <class T>
StatusOr<T> GetNodeAttr(const AttrSlice& attrs, StringPiece name) {
  T value{};
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, name, &value));
  return value;
}
template <class T>
bool TryGetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  return GetNodeAttr(attrs, name, value).ok();
}
template <class T>
bool GetNodeAttrSimple(const AttrSlice& attrs, StringPiece name, T* value) {
  return TryGetNodeAttr(attrs, name, value);
}
inline bool HasNodeAttr(const NodeDef& node, StringPiece name) { return AttrSlice(node).Find(name) != nullptr; }
inline const std::string& GetNodeAttrString(const AttrSlice& attrs, StringPiece name) {
  const AttrValue* const found = attrs.Find(name);
  return found == nullptr ? AttrValue::default_instance().s() : found->s();
}

// ------------------------------------------------------------------------------------------------- making values
inline void SetAttrValue(const AttrValue& from, AttrValue* to) { *to = from; }
inline void SetAttrValue(StringPiece from, AttrValue* to) { to->set_s(from); }
inline void SetAttrValue(const std::string& from, AttrValue* to) { to->set_s(from); }
inline void SetAttrValue(const tstring& from, AttrValue* to) { to->set_s(StringPiece(from)); }
inline void SetAttrValue(const char* from, AttrValue* to) { to->set_s(StringPiece(from)); }
inline void SetAttrValue(bool from, AttrValue* to) { to->set_b(from); }
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
void SetAttrValue(T from, AttrValue* to) {
  to->set_i(static_cast<int64_t>(from));
}
template <class T>
  requires(std::is_floating_point_v<T>)
void SetAttrValue(T from, AttrValue* to) {
  to->set_f(static_cast<float>(from));
}
inline void SetAttrValue(DataType from, AttrValue* to) { to->set_type(from); }
inline void SetAttrValue(const TensorShapeProto& from, AttrValue* to) { *to->mutable_shape() = from; }
inline void SetAttrValue(const TensorShape& from, AttrValue* to) { from.AsProto(to->mutable_shape()); }
inline void SetAttrValue(const PartialTensorShape& from, AttrValue* to) { from.AsProto(to->mutable_shape()); }
inline void SetAttrValue(const TensorProto& from, AttrValue* to) { *to->mutable_tensor() = from; }
inline void SetAttrValue(const Tensor& from, AttrValue* to) {
  if (from.NumElements() > 1)
    from.AsProtoTensorContent(to->mutable_tensor());
  else
    from.AsProtoField(to->mutable_tensor());
}
inline void SetAttrValue(const NameAttrList& from, AttrValue* to) { *to->mutable_func() = from; }
// Adds an item to a list.
template <class Text>
  requires std::is_convertible_v<const Text&, StringPiece>
void AddToList(const Text& item, AttrValue_ListValue* list) {
  list->add_s(StringPiece(item));
}
template <class T>
  requires std::is_arithmetic_v<T>
void AddToList(T item, AttrValue_ListValue* list) {
  if constexpr (std::is_same_v<T, bool>)
    list->add_b(item);
  else if constexpr (std::is_floating_point_v<T>)
    list->add_f(static_cast<float>(item));
  else
    list->add_i(static_cast<int64_t>(item));
}
inline void AddToList(DataType item, AttrValue_ListValue* list) { list->add_type(item); }
inline void AddToList(const TensorShapeProto& item, AttrValue_ListValue* list) { *list->add_shape() = item; }
inline void AddToList(const TensorShape& item, AttrValue_ListValue* list) { item.AsProto(list->add_shape()); }
inline void AddToList(const PartialTensorShape& item, AttrValue_ListValue* list) { item.AsProto(list->add_shape()); }
inline void AddToList(const TensorProto& item, AttrValue_ListValue* list) { *list->add_tensor() = item; }
inline void AddToList(const Tensor& item, AttrValue_ListValue* list) { item.AsProtoField(list->add_tensor()); }
inline void AddToList(const NameAttrList& item, AttrValue_ListValue* list) { *list->add_func() = item; }
template <class T>
void SetAttrValue(gtl::ArraySlice<T> from, AttrValue* to) {
  to->Clear();
  AttrValue_ListValue* const list = to->mutable_list();
  for (const T& item : from) AddToList(item, list);
}
template <class T>
void SetAttrValue(std::initializer_list<T> from, AttrValue* to) {
  SetAttrValue(gtl::ArraySlice<T>(from), to);
}
template <class T, class Allocator>
void SetAttrValue(const std::vector<T, Allocator>& from, AttrValue* to) {
  to->Clear();
  AttrValue_ListValue* const list = to->mutable_list();
  for (const auto& item : from) AddToList(item, list);
}
template <class T, std::size_t N>
void SetAttrValue(const gtl::InlinedVector<T, N>& from, AttrValue* to) {
  SetAttrValue(gtl::ArraySlice<T>(from), to);
}

inline void AddNodeAttr(StringPiece name, const AttrValue& value, NodeDef* node) {
  node->mutable_attr()->insert({std::string(name), value});
}
template <class T>
void AddNodeAttr(StringPiece name, const T& value, NodeDef* node) {
  AttrValue made;
  SetAttrValue(value, &made);
  AddNodeAttr(name, made, node);
}
template <class T>
void AddNodeAttr(StringPiece name, std::initializer_list<T> value, NodeDef* node) {
  AttrValue made;
  SetAttrValue(value, &made);
  AddNodeAttr(name, made, node);
}
inline void AddAttr(StringPiece name, const AttrValue& value, AttrValueMap* map) { (*map)[name] = value; }
template <class T>
void AddAttr(StringPiece name, const T& value, AttrValueMap* map) {
  SetAttrValue(value, &(*map)[name]);
}
inline bool HasPlaceHolder(const AttrValue& value) {
  if (value.has_placeholder()) return true;
  for (const auto& [name, attr] : value.func().attr())
    if (HasPlaceHolder(attr)) return true;
  for (const NameAttrList& function : value.list().func())
    for (const auto& [name, attr] : function.attr())
      if (HasPlaceHolder(attr)) return true;
  return false;
}
inline std::string AttrValueText(StringPiece type, StringPiece text) {
  const std::string_view field = type == "string"        ? "s"
                                 : type == "int"         ? "i"
                                 : type == "float"       ? "f"
                                 : type == "bool"        ? "b"
                                 : type == "type"        ? "type"
                                 : type == "shape"       ? "shape"
                                 : type == "tensor"      ? "tensor"
                                 : type == "func"        ? "func"
                                 : type == "placeholder" ? "placeholder"
                                                         : "";
  const std::string_view colon = field == "shape" || field == "tensor" || field == "func" ? " " : ": ";
  return field.empty() ? std::string() : strings::StrCat(field, colon, text);
}
// Parses the text of an attr's value as op specs spell it.
inline bool ParseAttrValue(StringPiece type, StringPiece text, AttrValue* out) {
  if (type.starts_with("list(")) {
    if (!type.ends_with(")")) return false;
    type = type.substr(5, type.size() - 6);
    const std::string item = AttrValueText(type, text);
    return !item.empty() && out->ParseText(strings::StrCat("list { ", item, " }"));
  }
  const std::string item = AttrValueText(type, text);
  return !item.empty() && out->ParseText(item);
}

// ---------------------------------------------------------------------------------------------- nodes against ops
typedef std::map<std::string, std::pair<int, int>, std::less<>> NameRangeMap;
template <class Types>
void PutTypes(const tenon::SlimVector<tenon::DataType>& from, Types* to) {
  for (const tenon::DataType type : from) to->push_back(FromTenon(type));
}
inline Status InputTypesForNode(const NodeDef& node, const OpDef& op, DataTypeVector* types) {
  tenon::SlimVector<tenon::DataType> found;
  TF_RETURN_IF_ERROR(tenon::InputTypesForNode(ToTenon(node), ToTenon(op), &found));
  PutTypes(found, types);
  return Status();
}
inline Status OutputTypesForNode(const NodeDef& node, const OpDef& op, DataTypeVector* types) {
  tenon::SlimVector<tenon::DataType> found;
  TF_RETURN_IF_ERROR(tenon::OutputTypesForNode(ToTenon(node), ToTenon(op), &found));
  PutTypes(found, types);
  return Status();
}
inline Status OutputTypesForNode(const AttrSlice& attrs, const OpDef& op, DataTypeVector* types) {
  NodeDef node;
  node.set_op(op.name());
  for (const auto& [name, value] : attrs) (*node.mutable_attr())[name] = value;
  return OutputTypesForNode(node, op, types);
}
inline Status InOutTypesForNode(const NodeDef& node, const OpDef& op, DataTypeVector* inputs, DataTypeVector* outputs) {
  TF_RETURN_IF_ERROR(InputTypesForNode(node, op, inputs));
  return OutputTypesForNode(node, op, outputs);
}
inline Status InputTypeForNode(const NodeDef& node, const OpDef& op, int i, DataType* type) {
  DataTypeVector types;
  TF_RETURN_IF_ERROR(InputTypesForNode(node, op, &types));
  if (i < 0 || i >= static_cast<int>(types.size()))
    return errors::InvalidArgument("Input ", i, " not found for node ", node.name());
  *type = types[static_cast<std::size_t>(i)];
  return Status();
}
inline Status OutputTypeForNode(const NodeDef& node, const OpDef& op, int i, DataType* type) {
  DataTypeVector types;
  TF_RETURN_IF_ERROR(OutputTypesForNode(node, op, &types));
  if (i < 0 || i >= static_cast<int>(types.size()))
    return errors::InvalidArgument("Output ", i, " not found for node ", node.name());
  *type = types[static_cast<std::size_t>(i)];
  return Status();
}
inline Status NumOutputsForNode(const NodeDef& node, const OpDef& op, int* count) {
  return tenon::NumOutputsForNode(ToTenon(node), ToTenon(op), count);
}
inline Status ValidateNodeDef(const NodeDef& node, const OpDef& op) {
  return tenon::ValidateNodeDef(ToTenon(node), ToTenon(op));
}
template <int = 0>
Status NameRangesForNode(const NodeDef& node, const OpDef& op, NameRangeMap* inputs, NameRangeMap* outputs) {
  tenon::SlimVector<tenon::NameRange> in, out;
  const tenon::OpDef held = ToTenon(op);
  TF_RETURN_IF_ERROR(tenon::NameRangesForNode(ToTenon(node), held, inputs == nullptr ? nullptr : &in,
                                              outputs == nullptr ? nullptr : &out));
  const auto put = [](const tenon::SlimVector<tenon::NameRange>& ranges, NameRangeMap* to) {
    for (const tenon::NameRange& range : ranges)
      (*to)[std::string(range.name)] = {static_cast<int>(range.begin), static_cast<int>(range.end)};
  };
  if (inputs != nullptr) put(in, inputs);
  if (outputs != nullptr) put(out, outputs);
  return Status();
}
inline void AddDefaultsToNodeDef(const OpDef& op, NodeDef* node) {
  tenon::NodeDef held = ToTenon(*node);
  tenon::AddDefaultsToNodeDef(ToTenon(op), &held);
  *node = FromTenon(held);
}

}  // namespace tensorflow

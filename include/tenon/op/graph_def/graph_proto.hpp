// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs, nodes and attr values from TensorFlow's serialised messages: the tables of their fields, and functions over
// them. Tensors in a graph may become views of the bytes. op/graph_def/proto_io.hpp has the rest, functions among it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/shape_proto.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Gives the tables access to AttrValue's inside: a union of which one member is set.
struct AttrValueAccess {
  using Kind = AttrValue::Kind;

  static AttrValue& Of(void* object) { return *static_cast<AttrValue*>(object); }
  static const AttrValue& Of(const void* object) { return *static_cast<const AttrValue*>(object); }

  static wire::FieldValues One(const void* object, Kind kind, const void* value) {
    return {value, Of(object).kind_ == kind ? std::size_t{1} : 0, 0};
  }
  template <Kind kind, auto Member>
  static wire::FieldValues Held(const void* object) {
    return One(object, kind, &(Of(object).*Member));
  }
  template <Kind kind, auto Member>
  static void* Add(void* object) {
    AttrValue& value = Of(object);
    value.Reset();
    value.kind_ = kind;
    return &(value.*Member);
  }
  // Values behind a member function.
  template <Kind kind, auto Getter>
  static wire::FieldValues HeldBehind(const void* object) {
    return One(object, kind, Of(object).kind_ == kind ? &(Of(object).*Getter)() : nullptr);
  }
  template <auto Mutator>
  static void* AddCall(void* object) {
    return (Of(object).*Mutator)();
  }
  // Shapes and tensors: the whole AttrValue, which takes an undecoded value too.
  template <Kind kind>
  static wire::FieldValues Self(const void* object) {
    return One(object, kind, object);
  }
  static void* AddSelf(void* object) { return object; }

  template <Kind kind, class T, auto Member>
  static constexpr wire::Field Number(std::uint32_t number, std::string_view name) {
    return wire::MakeOneof<T>(number, name, &Held<kind, Member>, &Add<kind, Member>);
  }
  static constexpr auto kInt = &AttrValue::i_;
  static constexpr auto kFloat = &AttrValue::f_;
  static constexpr auto kBool = &AttrValue::b_;
  static constexpr auto kType = &AttrValue::type_;
};

namespace detail {
// A TensorShapeProto or TensorProto as the value of an attr.
struct ShapeAttr {};
struct TensorAttr {};
inline wire::FieldValues AttrMapValues(const AttrMap& map) {
  return {map.size() == 0 ? nullptr : &*map.begin(), map.size(), sizeof(AttrMap::value_type)};
}
// AttrMap as a repeated message of pairs.
template <class C, AttrMap C::* Member>
struct AttrMapAccess {
  static wire::FieldValues Set(const void* object) { return AttrMapValues(static_cast<const C*>(object)->*Member); }
  static void* Add(void* object) { return (static_cast<C*>(object)->*Member).AppendUnsorted(); }
  static void Reserve(void* object, std::size_t count) { (static_cast<C*>(object)->*Member).reserve(count); }
  static void Sort(void* object) { (static_cast<C*>(object)->*Member).SortAppended(); }
};
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
TENON_DETAIL_SCHEMA(AttrValue);
TENON_DETAIL_SCHEMA(AttrList);
TENON_DETAIL_SCHEMA(NameAttrList);
TENON_DETAIL_SCHEMA(AttrMap);
TENON_DETAIL_SCHEMA(AttrMap::value_type);
TENON_DETAIL_SCHEMA(NodeDef);
TENON_DETAIL_SCHEMA(VersionDef);
TENON_DETAIL_SCHEMA(GraphDef);
#undef TENON_DETAIL_SCHEMA

template <class C, AttrMap C::* Member>
constexpr Field MakeAttrMapField(std::uint32_t number, std::string_view name) {
  using A = tenon::detail::AttrMapAccess<C, Member>;
  return {
      number,  Kind::kMessage, true,       WireType::kBytes, Role::kPlain, name, &Schema<AttrMap::value_type>::message,
      &A::Set, &A::Add,        &A::Reserve};
}

// A shape or tensor that is none stays undecoded in its attr: the graph can still be read, edited and written.
template <>
struct Schema<tenon::detail::ShapeAttr> {
  static bool Parse(Reader& reader, ParseContext&, void* object) {
    const std::string_view proto = reader.rest();
    detail::RawShape raw;
    if (!detail::ReadShape(reader, &raw)) return false;
    PartialTensorShape shape;
    const Status status = detail::MakePartialShape(raw, &shape);
    AttrValue& value = AttrValueAccess::Of(object);
    value = status.ok() ? AttrValue(std::move(shape)) : AttrValue::UndecodedShape(std::string(proto), status);
    return true;
  }
  static void Serialize(MessageWriter& writer, const void* object) {
    const AttrValue& value = AttrValueAccess::Of(object);
    if (!value.decode_status().ok()) return writer.Bytes(value.undecoded());
    Schema<PartialTensorShape>::Serialize(writer, &value.shape());
  }
  static constexpr Message message{"TensorShapeProto", &Parse, &Serialize};
};
template <>
struct Schema<tenon::detail::TensorAttr> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    const std::string_view proto = reader.rest();
    Tensor tensor;
    Status status;
    if (!ParseTensor(reader, context, &tensor, &status)) return false;
    AttrValue& value = AttrValueAccess::Of(object);
    value = status.ok() ? AttrValue(std::move(tensor))
                        : AttrValue::UndecodedTensor(std::string(proto), status, ShapeIn(proto));
    return true;
  }
  // The shape that the message names, if it is one.
  TENON_DETAIL_COLD static PartialTensorShape ShapeIn(std::string_view proto) {
    Reader reader(AsBytes(proto));
    detail::RawShape raw;
    std::string_view bytes;
    for (Tag tag; reader.ReadField(&tag, &bytes);) {
      if (tag.field != 2 || tag.type != WireType::kBytes) {
        if (tag.type != WireType::kBytes && !reader.Skip(tag)) break;
        continue;
      }
      Reader::Outer outer;
      if (!reader.Enter(bytes, &outer) || !detail::ReadShape(reader, &raw)) break;
      reader.Leave(outer);
    }
    PartialTensorShape shape;
    if (!reader.ok() || !detail::MakePartialShape(raw, &shape).ok() || !shape.IsFullyDefined()) return {};
    return shape;
  }
  static void Serialize(MessageWriter& writer, const void* object) {
    const AttrValue& value = AttrValueAccess::Of(object);
    if (!value.decode_status().ok()) return writer.Bytes(value.undecoded());
    Schema<Tensor>::Serialize(writer, &value.tensor());
  }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

template <>
struct Schema<FunctionDefLibrary> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    const Message* const fields = tenon::detail::extensions.function_library.load(std::memory_order_acquire);
    if (fields != nullptr) return ParseMessage(*fields, reader, context, object);
    if (reader.remaining() == 0) return true;
    context.status = errors::Unimplemented(
        "The graph has a library of functions, which this program was compiled without: "
        "include <tenon/runtime.hpp>, or <tenon/op/graph_def/proto_io.hpp> where there is no session");
    return false;
  }
  // Code that serialises links the table. Without it only an empty library was read.
  static void Serialize(MessageWriter& writer, const void* object) {
    const Message* const fields = tenon::detail::extensions.function_library.load(std::memory_order_acquire);
    if (fields != nullptr) SerializeMessage(*fields, writer, object);
  }
  static constexpr Message message{"FunctionDefLibrary", &Parse, &Serialize};
};

inline constexpr Field kAttrValueFields[] = {
    MakeOneof<AttrList>(1, "list", &AttrValueAccess::HeldBehind<AttrValue::Kind::kList, &AttrValue::list>,
                        &AttrValueAccess::AddCall<&AttrValue::mutable_list>),
    OfBytes(MakeOneof<std::string>(2, "s", &AttrValueAccess::HeldBehind<AttrValue::Kind::kString, &AttrValue::s>,
                                   &AttrValueAccess::AddCall<&AttrValue::mutable_s>)),
    AttrValueAccess::Number<AttrValue::Kind::kInt, std::int64_t, AttrValueAccess::kInt>(3, "i"),
    AttrValueAccess::Number<AttrValue::Kind::kFloat, float, AttrValueAccess::kFloat>(4, "f"),
    AttrValueAccess::Number<AttrValue::Kind::kBool, bool, AttrValueAccess::kBool>(5, "b"),
    AttrValueAccess::Number<AttrValue::Kind::kType, DataType, AttrValueAccess::kType>(6, "type"),
    MakeOneof<tenon::detail::ShapeAttr>(7, "shape", &AttrValueAccess::Self<AttrValue::Kind::kShape>,
                                        &AttrValueAccess::AddSelf),
    MakeOneof<tenon::detail::TensorAttr>(8, "tensor", &AttrValueAccess::Self<AttrValue::Kind::kTensor>,
                                         &AttrValueAccess::AddSelf),
    MakeOneof<std::string>(9, "placeholder",
                           &AttrValueAccess::HeldBehind<AttrValue::Kind::kPlaceholder, &AttrValue::placeholder>,
                           &AttrValueAccess::AddCall<&AttrValue::mutable_placeholder>),
    MakeOneof<NameAttrList>(10, "func", &AttrValueAccess::HeldBehind<AttrValue::Kind::kFunc, &AttrValue::func>,
                            &AttrValueAccess::AddCall<&AttrValue::mutable_func>),
};
inline constexpr Message Schema<AttrValue>::message("AttrValue", kAttrValueFields);

inline constexpr Field kAttrListFields[] = {
    OfBytes(MakeField<&AttrList::s>(2, "s")),  MakeField<&AttrList::i>(3, "i"),
    MakeField<&AttrList::f>(4, "f"),           MakeField<&AttrList::b>(5, "b"),
    MakeField<&AttrList::type>(6, "type"),     MakeField<&AttrList::shape>(7, "shape"),
    MakeField<&AttrList::tensor>(8, "tensor"), MakeField<&AttrList::func>(9, "func"),
};
inline constexpr Message Schema<AttrList>::message("AttrValue.ListValue", kAttrListFields);

inline constexpr Field kNameAttrListFields[] = {
    MakeField<&NameAttrList::name>(1, "name"),
    MakeAttrMapField<NameAttrList, &NameAttrList::attr>(2, "attr"),
};
inline constexpr Message Schema<NameAttrList>::message(
    "NameAttrList", kNameAttrListFields, &tenon::detail::AttrMapAccess<NameAttrList, &NameAttrList::attr>::Sort);

inline constexpr Field kAttrEntryFields[] = {
    MakeFieldAlways<&AttrMap::value_type::first>(1, "key"),
    MakeFieldAlways<&AttrMap::value_type::second>(2, "value"),
};
inline constexpr Message Schema<AttrMap::value_type>::message("AttrEntry", kAttrEntryFields);

inline constexpr Field kNodeDefFields[] = {
    MakeField<&NodeDef::name>(1, "name"),
    MakeField<&NodeDef::op>(2, "op"),
    MakeField<&NodeDef::input>(3, "input"),
    MakeField<&NodeDef::device>(4, "device"),
    MakeAttrMapField<NodeDef, &NodeDef::attr>(5, "attr"),
    MakeFieldKept<&NodeDef::debug_info>(6, "experimental_debug_info", Role::kNodeDebugInfo),
    MakeFieldKept<&NodeDef::full_type>(7, "experimental_type", Role::kFullType),
};
inline constexpr Message Schema<NodeDef>::message("NodeDef", kNodeDefFields,
                                                  &tenon::detail::AttrMapAccess<NodeDef, &NodeDef::attr>::Sort);

inline constexpr Field kVersionDefFields[] = {
    MakeField<&VersionDef::producer>(1, "producer"),
    MakeField<&VersionDef::min_consumer>(2, "min_consumer"),
    MakeField<&VersionDef::bad_consumers>(3, "bad_consumers"),
};
inline constexpr Message Schema<VersionDef>::message("VersionDef", kVersionDefFields);

inline constexpr Field kGraphDefFields[] = {
    MakeField<&GraphDef::node>(1, "node"),
    MakeField<&GraphDef::library>(2, "library"),
    MakeField<&GraphDef::version>(3, "version"),
    MakeField<&GraphDef::versions>(4, "versions"),
    MakeFieldKept<&GraphDef::debug_info>(5, "debug_info", Role::kGraphDebugInfo),
};
inline constexpr Message Schema<GraphDef>::message("GraphDef", kGraphDefFields);

}  // namespace wire

namespace detail {
template <class T>
Result<T> ParseProto(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  T object;
  wire::ParseContext context;
  context.owner = owner;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &object, std::move(context)));
  return object;
}
}  // namespace detail

// A GraphDef from its serialised form; no bytes at all are an empty graph. With an owner of the bytes (a mapped file),
// constants become views of it. Like TensorFlow's import: InvalidArgument, "Invalid GraphDef", with the byte's offset,
// when the bytes are not a graph. A senseless value of a constant or shape is not an error here; reading that attr is.
inline Result<GraphDef> ParseGraphDef(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  Result<GraphDef> graph = detail::ParseProto<GraphDef>(bytes, owner);
  if (!graph.ok() && errors::IsDataLoss(graph.status())) {
    return errors::InvalidArgument("Invalid GraphDef: ", graph.status().message());
  }
  return graph;
}
TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs, nodes, attr values and op descriptions from and to TensorFlow's serialised messages: the tables of their
// fields, and functions over them. Tensors in a graph may become views of the bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/function_def.hpp>
#include <tenon/op/graph_def.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/op/op_def.hpp>
#include <tenon/op/versions.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// What the tables need of AttrValue's inside: a union of which one member is set.
struct AttrValueAccess {
  using Kind = AttrValue::Kind;

  static AttrValue& Of(void* object) { return *static_cast<AttrValue*>(object); }
  static const AttrValue& Of(const void* object) { return *static_cast<const AttrValue*>(object); }

  template <Kind kind>
  static std::size_t Count(const void* object) {
    return Of(object).kind_ == kind ? 1 : 0;
  }
  template <auto Member>
  static const void* At(const void* object, std::size_t) {
    return &(Of(object).*Member);
  }
  template <Kind kind, auto Member>
  static void* Add(void* object) {
    AttrValue& value = Of(object);
    value.Reset();
    value.kind_ = kind;
    return &(value.*Member);
  }
  // Values behind a member function.
  template <auto Getter>
  static const void* AtCall(const void* object, std::size_t) {
    return &(Of(object).*Getter)();
  }
  template <auto Mutator>
  static void* AddCall(void* object) {
    return (Of(object).*Mutator)();
  }
  // Shapes and tensors: the whole AttrValue, which takes an undecoded value too.
  static const void* AtSelf(const void* object, std::size_t) { return object; }
  static void* AddSelf(void* object) { return object; }

  template <Kind kind, class T, auto Member>
  static constexpr wire::Field Number(std::uint32_t number, std::string_view name) {
    return wire::MakeOneof<T>(number, name, &Count<kind>, &At<Member>, &Add<kind, Member>);
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
struct OpList {
  SlimVector<OpDef> op;
};

inline void SortFunctionMaps(void* object) {
  FunctionDef& function = *static_cast<FunctionDef*>(object);
  function.attr.SortAppended();
  SortByKey(&function.arg_attr);
  SortByKey(&function.resource_arg_unique_id);
  SortByKey(&function.ret);
  SortByKey(&function.control_ret);
}
// AttrMap as a repeated message of pairs.
template <class C, AttrMap C::* Member>
struct AttrMapAccess {
  static std::size_t Count(const void* object) { return (static_cast<const C*>(object)->*Member).size(); }
  static const void* At(const void* object, std::size_t i) {
    return &(static_cast<const C*>(object)->*Member).begin()[static_cast<std::ptrdiff_t>(i)];
  }
  static void* Add(void* object) { return (static_cast<C*>(object)->*Member).AppendUnsorted(); }
  static void Reserve(void* object, std::size_t count) { (static_cast<C*>(object)->*Member).reserve(count); }
  static void Sort(void* object) { (static_cast<C*>(object)->*Member).SortAppended(); }
};
inline void SortAttrMap(void* object) { static_cast<AttrMap*>(object)->SortAppended(); }
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
TENON_DETAIL_SCHEMA(OpDef);
TENON_DETAIL_SCHEMA(OpDef::ArgDef);
TENON_DETAIL_SCHEMA(OpDef::AttrDef);
TENON_DETAIL_SCHEMA(OpDeprecation);
TENON_DETAIL_SCHEMA(tenon::detail::OpList);
TENON_DETAIL_SCHEMA(std::pair<std::string, std::string>);
TENON_DETAIL_SCHEMA(std::pair<std::uint32_t, std::uint32_t>);
TENON_DETAIL_SCHEMA(std::pair<std::uint32_t, AttrMap>);
TENON_DETAIL_SCHEMA(FunctionDef);
TENON_DETAIL_SCHEMA(GradientDef);
TENON_DETAIL_SCHEMA(RegisteredGradient);
TENON_DETAIL_SCHEMA(FunctionDefLibrary);
TENON_DETAIL_SCHEMA(GraphDef);
#undef TENON_DETAIL_SCHEMA

template <class C, AttrMap C::* Member>
constexpr Field MakeAttrMapField(std::uint32_t number, std::string_view name) {
  using A = tenon::detail::AttrMapAccess<C, Member>;
  return {number,    Kind::kMessage, true,    WireType::kBytes, name, &Schema<AttrMap::value_type>::message,
          &A::Count, &A::At,         &A::Add, &A::Reserve};
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
  static void Serialize(Writer& writer, const void* object) {
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
  TENON_COLD static PartialTensorShape ShapeIn(std::string_view proto) {
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
  static void Serialize(Writer& writer, const void* object) {
    const AttrValue& value = AttrValueAccess::Of(object);
    if (!value.decode_status().ok()) return writer.Bytes(value.undecoded());
    Schema<Tensor>::Serialize(writer, &value.tensor());
  }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

inline constexpr Field kAttrValueFields[] = {
    MakeOneof<AttrList>(1, "list", &AttrValueAccess::Count<AttrValue::Kind::kList>,
                        &AttrValueAccess::AtCall<&AttrValue::list>,
                        &AttrValueAccess::AddCall<&AttrValue::mutable_list>),
    MakeOneof<std::string>(2, "s", &AttrValueAccess::Count<AttrValue::Kind::kString>,
                           &AttrValueAccess::AtCall<&AttrValue::s>, &AttrValueAccess::AddCall<&AttrValue::mutable_s>),
    AttrValueAccess::Number<AttrValue::Kind::kInt, std::int64_t, AttrValueAccess::kInt>(3, "i"),
    AttrValueAccess::Number<AttrValue::Kind::kFloat, float, AttrValueAccess::kFloat>(4, "f"),
    AttrValueAccess::Number<AttrValue::Kind::kBool, bool, AttrValueAccess::kBool>(5, "b"),
    AttrValueAccess::Number<AttrValue::Kind::kType, DataType, AttrValueAccess::kType>(6, "type"),
    MakeOneof<tenon::detail::ShapeAttr>(7, "shape", &AttrValueAccess::Count<AttrValue::Kind::kShape>,
                                        &AttrValueAccess::AtSelf, &AttrValueAccess::AddSelf),
    MakeOneof<tenon::detail::TensorAttr>(8, "tensor", &AttrValueAccess::Count<AttrValue::Kind::kTensor>,
                                         &AttrValueAccess::AtSelf, &AttrValueAccess::AddSelf),
    MakeOneof<std::string>(9, "placeholder", &AttrValueAccess::Count<AttrValue::Kind::kPlaceholder>,
                           &AttrValueAccess::AtCall<&AttrValue::placeholder>,
                           &AttrValueAccess::AddCall<&AttrValue::mutable_placeholder>),
    MakeOneof<NameAttrList>(10, "func", &AttrValueAccess::Count<AttrValue::Kind::kFunc>,
                            &AttrValueAccess::AtCall<&AttrValue::func>,
                            &AttrValueAccess::AddCall<&AttrValue::mutable_func>),
};
inline constexpr Message Schema<AttrValue>::message("AttrValue", kAttrValueFields);

inline constexpr Field kAttrListFields[] = {
    MakeField<&AttrList::s>(2, "s"),           MakeField<&AttrList::i>(3, "i"),
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
    MakeField<&NodeDef::debug_info>(6, "experimental_debug_info"),
    MakeField<&NodeDef::full_type>(7, "experimental_type"),
};
inline constexpr Message Schema<NodeDef>::message("NodeDef", kNodeDefFields,
                                                  &tenon::detail::AttrMapAccess<NodeDef, &NodeDef::attr>::Sort);

inline constexpr Field kVersionDefFields[] = {
    MakeField<&VersionDef::producer>(1, "producer"),
    MakeField<&VersionDef::min_consumer>(2, "min_consumer"),
    MakeField<&VersionDef::bad_consumers>(3, "bad_consumers"),
};
inline constexpr Message Schema<VersionDef>::message("VersionDef", kVersionDefFields);

inline constexpr Field kArgDefFields[] = {
    MakeField<&OpDef::ArgDef::name>(1, "name"),
    MakeField<&OpDef::ArgDef::description>(2, "description"),
    MakeField<&OpDef::ArgDef::type>(3, "type"),
    MakeField<&OpDef::ArgDef::type_attr>(4, "type_attr"),
    MakeField<&OpDef::ArgDef::number_attr>(5, "number_attr"),
    MakeField<&OpDef::ArgDef::type_list_attr>(6, "type_list_attr"),
    MakeField<&OpDef::ArgDef::handle_data>(7, "handle_data"),
    MakeField<&OpDef::ArgDef::is_ref>(16, "is_ref"),
    MakeField<&OpDef::ArgDef::full_type>(17, "experimental_full_type"),
};
inline constexpr Message Schema<OpDef::ArgDef>::message("OpDef.ArgDef", kArgDefFields);

inline constexpr Field kAttrDefFields[] = {
    MakeField<&OpDef::AttrDef::name>(1, "name"),
    MakeField<&OpDef::AttrDef::type>(2, "type"),
    MakeField<&OpDef::AttrDef::default_value>(3, "default_value"),
    MakeField<&OpDef::AttrDef::description>(4, "description"),
    MakeField<&OpDef::AttrDef::has_minimum>(5, "has_minimum"),
    MakeField<&OpDef::AttrDef::minimum>(6, "minimum"),
    MakeField<&OpDef::AttrDef::allowed_values>(7, "allowed_values"),
};
inline constexpr Message Schema<OpDef::AttrDef>::message("OpDef.AttrDef", kAttrDefFields);

inline constexpr Field kOpDeprecationFields[] = {
    MakeField<&OpDeprecation::version>(1, "version"),
    MakeField<&OpDeprecation::explanation>(2, "explanation"),
};
inline constexpr Message Schema<OpDeprecation>::message("OpDeprecation", kOpDeprecationFields);

inline constexpr Field kOpDefFields[] = {
    MakeField<&OpDef::name>(1, "name"),
    MakeField<&OpDef::input_arg>(2, "input_arg"),
    MakeField<&OpDef::output_arg>(3, "output_arg"),
    MakeField<&OpDef::attr>(4, "attr"),
    MakeField<&OpDef::summary>(5, "summary"),
    MakeField<&OpDef::description>(6, "description"),
    MakeField<&OpDef::deprecation>(8, "deprecation"),
    MakeField<&OpDef::is_aggregate>(16, "is_aggregate"),
    MakeField<&OpDef::is_stateful>(17, "is_stateful"),
    MakeField<&OpDef::is_commutative>(18, "is_commutative"),
    MakeField<&OpDef::allows_uninitialized_input>(19, "allows_uninitialized_input"),
    MakeField<&OpDef::control_output>(20, "control_output"),
    MakeField<&OpDef::is_distributed_communication>(21, "is_distributed_communication"),
};
inline constexpr Message Schema<OpDef>::message("OpDef", kOpDefFields);

inline constexpr Field kOpListFields[] = {MakeField<&tenon::detail::OpList::op>(1, "op")};
inline constexpr Message Schema<tenon::detail::OpList>::message("OpList", kOpListFields);

inline constexpr Field kStringEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, std::string>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, std::string>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, std::string>>::message("StringEntry", kStringEntryFields);

inline constexpr Field kUniqueIdEntryFields[] = {
    MakeFieldAlways<&std::pair<std::uint32_t, std::uint32_t>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::uint32_t, std::uint32_t>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::uint32_t, std::uint32_t>>::message("ResourceArgUniqueIdEntry",
                                                                                  kUniqueIdEntryFields);

// FunctionDef.ArgAttrs: a message whose only field is a map of attrs.
inline constexpr Field kArgAttrsFields[] = {
    {1, Kind::kMessage, true, WireType::kBytes, "attr", &Schema<AttrMap::value_type>::message,
     [](const void* object) { return static_cast<const AttrMap*>(object)->size(); },
     [](const void* object, std::size_t i) -> const void* {
       return &static_cast<const AttrMap*>(object)->begin()[static_cast<std::ptrdiff_t>(i)];
     },
     [](void* object) -> void* { return static_cast<AttrMap*>(object)->AppendUnsorted(); },
     [](void* object, std::size_t count) { static_cast<AttrMap*>(object)->reserve(count); }},
};
inline constexpr Message Schema<AttrMap>::message("FunctionDef.ArgAttrs", kArgAttrsFields, &tenon::detail::SortAttrMap);

inline constexpr Field kArgAttrEntryFields[] = {
    MakeFieldAlways<&std::pair<std::uint32_t, AttrMap>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::uint32_t, AttrMap>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::uint32_t, AttrMap>>::message("ArgAttrEntry", kArgAttrEntryFields);

inline constexpr Field kFunctionDefFields[] = {
    MakeFieldAlways<&FunctionDef::signature>(1, "signature"),
    MakeField<&FunctionDef::node_def>(3, "node_def"),
    MakeField<&FunctionDef::ret>(4, "ret"),
    MakeAttrMapField<FunctionDef, &FunctionDef::attr>(5, "attr"),
    MakeField<&FunctionDef::control_ret>(6, "control_ret"),
    MakeField<&FunctionDef::arg_attr>(7, "arg_attr"),
    MakeField<&FunctionDef::resource_arg_unique_id>(8, "resource_arg_unique_id"),
};
inline constexpr Message Schema<FunctionDef>::message("FunctionDef", kFunctionDefFields,
                                                      &tenon::detail::SortFunctionMaps);

inline constexpr Field kGradientDefFields[] = {
    MakeField<&GradientDef::function_name>(1, "function_name"),
    MakeField<&GradientDef::gradient_func>(2, "gradient_func"),
};
inline constexpr Message Schema<GradientDef>::message("GradientDef", kGradientDefFields);

inline constexpr Field kRegisteredGradientFields[] = {
    MakeField<&RegisteredGradient::gradient_func>(1, "gradient_func"),
    MakeField<&RegisteredGradient::registered_op_type>(2, "registered_op_type"),
};
inline constexpr Message Schema<RegisteredGradient>::message("RegisteredGradient", kRegisteredGradientFields);

inline constexpr Field kFunctionDefLibraryFields[] = {
    MakeField<&FunctionDefLibrary::function>(1, "function"),
    MakeField<&FunctionDefLibrary::gradient>(2, "gradient"),
    MakeField<&FunctionDefLibrary::registered_gradients>(3, "registered_gradients"),
};
inline constexpr Message Schema<FunctionDefLibrary>::message("FunctionDefLibrary", kFunctionDefLibraryFields);

// Field 3, a version number older than field 4, is ignored.
inline constexpr Field kGraphDefFields[] = {
    MakeField<&GraphDef::node>(1, "node"),
    MakeField<&GraphDef::library>(2, "library"),
    MakeField<&GraphDef::versions>(4, "versions"),
    MakeField<&GraphDef::debug_info>(5, "debug_info"),
};
inline constexpr Message Schema<GraphDef>::message("GraphDef", kGraphDefFields);

}  // namespace wire

namespace detail {
template <class T>
Result<T> ParseProto(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  T object;
  wire::ParseContext context;
  context.owner = owner;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &object, std::move(context)));
  return object;
}
template <class T>
std::string SerializeProto(const T& object) {
  std::string out;
  wire::SerializeTo(object, &out);
  return out;
}
}  // namespace detail

// A GraphDef from its serialised form; no bytes at all are an empty graph. With an owner of the bytes (a mapped file),
// constants become views of it. Like TensorFlow's import: InvalidArgument, "Invalid GraphDef", with the byte's offset,
// when the bytes are none. A constant or shape whose value makes no sense is no error here; reading that attr is.
inline Result<GraphDef> ParseGraphDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  Result<GraphDef> graph = detail::ParseProto<GraphDef>(bytes, owner);
  if (!graph.ok() && errors::IsDataLoss(graph.status())) {
    return errors::InvalidArgument("Invalid GraphDef: ", graph.status().message());
  }
  return graph;
}
// Serialised forms are canonical: fields in ascending order, maps sorted. The tensors' memory must be accessible to the
// host.
inline std::string SerializeGraphDef(const GraphDef& graph) { return detail::SerializeProto(graph); }

// The others: DataLoss, with the byte's offset, when the bytes are no such message.
inline Result<NodeDef> ParseNodeDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<NodeDef>(bytes, owner);
}
inline std::string SerializeNodeDef(const NodeDef& node) { return detail::SerializeProto(node); }

inline Result<AttrValue> ParseAttrValue(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<AttrValue>(bytes, owner);
}
inline std::string SerializeAttrValue(const AttrValue& value) { return detail::SerializeProto(value); }

inline Result<FunctionDef> ParseFunctionDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<FunctionDef>(bytes, owner);
}
inline std::string SerializeFunctionDef(const FunctionDef& function) { return detail::SerializeProto(function); }

inline Result<OpDef> ParseOpDef(std::span<const std::byte> bytes) { return detail::ParseProto<OpDef>(bytes); }
inline std::string SerializeOpDef(const OpDef& op_def) { return detail::SerializeProto(op_def); }

inline Result<SlimVector<OpDef>> ParseOpList(std::span<const std::byte> bytes) {
  TENON_ASSIGN_OR_RETURN(detail::OpList list, detail::ParseProto<detail::OpList>(bytes));
  return std::move(list.op);
}
inline std::string SerializeOpList(std::span<const OpDef> ops) {
  return detail::SerializeProto(detail::OpList{SlimVector<OpDef>(ops.begin(), ops.end())});
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END

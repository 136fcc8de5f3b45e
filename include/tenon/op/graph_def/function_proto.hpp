// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of the fields of functions and op descriptions. op/graph_def/proto_io.hpp has functions over them, and
// lets the reader of graphs read functions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
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
inline void SortAttrMap(void* object) { static_cast<AttrMap*>(object)->SortAppended(); }
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
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
#undef TENON_DETAIL_SCHEMA

inline constexpr Field kArgDefFields[] = {
    MakeField<&OpDef::ArgDef::name>(1, "name"),
    MakeField<&OpDef::ArgDef::description>(2, "description"),
    MakeField<&OpDef::ArgDef::type>(3, "type"),
    MakeField<&OpDef::ArgDef::type_attr>(4, "type_attr"),
    MakeField<&OpDef::ArgDef::number_attr>(5, "number_attr"),
    MakeField<&OpDef::ArgDef::type_list_attr>(6, "type_list_attr"),
    MakeFieldKept<&OpDef::ArgDef::handle_data>(7, "handle_data", Role::kHandleData),
    MakeField<&OpDef::ArgDef::is_ref>(16, "is_ref"),
    MakeFieldKept<&OpDef::ArgDef::full_type>(17, "experimental_full_type", Role::kFullType),
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
    {1, Kind::kMessage, true, WireType::kBytes, Role::kPlain, "attr", &Schema<AttrMap::value_type>::message,
     [](const void* object) { return tenon::detail::AttrMapValues(*static_cast<const AttrMap*>(object)); },
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
inline constexpr Message kFunctionDefLibrary("FunctionDefLibrary", kFunctionDefLibraryFields);

}  // namespace wire

namespace detail {
template <class T>
std::string SerializeProto(const T& object) {
  std::string out;
  wire::SerializeTo(object, &out);
  return out;
}
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

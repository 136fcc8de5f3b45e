// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables of messages that SavedModels keep as they came: StructuredValue, TypeSpecProto and FunctionSpec, by which
// TensorFlow's Python describes arguments and results. No struct has them; text and JSON need their fields.

#include <tenon/wire/field.hpp>
#include <tenon/wire/text_schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

struct StructuredValueTable {
  static const Message message;
};
struct TypeSpecTable {
  static const Message message;
};

namespace detail {

inline constexpr Field kPairFields[] = {WireField(1, "key", Kind::kString),
                                        WireField(2, "value", Kind::kMessage, false, &StructuredValueTable::message)};
inline constexpr Message kDictEntry("DictValue.FieldsEntry", kPairFields);
inline constexpr Message kPairValue("PairValue", kPairFields);
inline constexpr Field kListValueFields[] = {
    WireField(1, "values", Kind::kMessage, true, &StructuredValueTable::message)};
inline constexpr Message kListValue("ListValue", kListValueFields);
inline constexpr Message kTupleValue("TupleValue", kListValueFields);
inline constexpr Field kDictValueFields[] = {WireField(1, "fields", Kind::kMessage, true, &kDictEntry)};
inline constexpr Message kDictValue("DictValue", kDictValueFields);
inline constexpr Field kNamedTupleValueFields[] = {WireField(1, "name", Kind::kString),
                                                   WireField(2, "values", Kind::kMessage, true, &kPairValue)};
inline constexpr Message kNamedTupleValue("NamedTupleValue", kNamedTupleValueFields);
inline constexpr Message kNoneValue("NoneValue", Span<const Field>());
inline constexpr Field kTensorSpecFields[] = {WireField(1, "name", Kind::kString),
                                              WireField(2, "shape", Kind::kMessage, false, &kShape),
                                              WireField(3, "dtype", Kind::kEnum)};
inline constexpr Message kTensorSpec("TensorSpecProto", kTensorSpecFields);
inline constexpr Field kBoundedTensorSpecFields[] = {
    WireField(1, "name", Kind::kString), WireField(2, "shape", Kind::kMessage, false, &kShape),
    WireField(3, "dtype", Kind::kEnum), WireField(4, "minimum", Kind::kMessage, false, &kTensor),
    WireField(5, "maximum", Kind::kMessage, false, &kTensor)};
inline constexpr Message kBoundedTensorSpec("BoundedTensorSpecProto", kBoundedTensorSpecFields);

constexpr Field StructMember(std::uint32_t number, std::string_view name, Kind kind, const Message* message = nullptr) {
  return WireField(number, name, kind, false, message, Role::kInOneof);
}
inline constexpr Field kStructuredValueFields[] = {
    StructMember(1, "none_value", Kind::kMessage, &kNoneValue),
    StructMember(11, "float64_value", Kind::kDouble),
    StructMember(12, "int64_value", Kind::kSint64),
    StructMember(13, "string_value", Kind::kString),
    StructMember(14, "bool_value", Kind::kBool),
    StructMember(31, "tensor_shape_value", Kind::kMessage, &kShape),
    StructMember(32, "tensor_dtype_value", Kind::kEnum),
    StructMember(33, "tensor_spec_value", Kind::kMessage, &kTensorSpec),
    StructMember(34, "type_spec_value", Kind::kMessage, &TypeSpecTable::message),
    StructMember(35, "bounded_tensor_spec_value", Kind::kMessage, &kBoundedTensorSpec),
    StructMember(51, "list_value", Kind::kMessage, &kListValue),
    StructMember(52, "tuple_value", Kind::kMessage, &kTupleValue),
    StructMember(53, "dict_value", Kind::kMessage, &kDictValue),
    StructMember(54, "named_tuple_value", Kind::kMessage, &kNamedTupleValue),
    StructMember(55, "tensor_value", Kind::kMessage, &kTensor),
    StructMember(56, "numpy_value", Kind::kMessage, &kTensor),
};
inline constexpr Field kTypeSpecFields[] = {
    WireField(1, "type_spec_class", Kind::kEnum, false, nullptr, Role::kTypeSpecClass),
    WireField(2, "type_state", Kind::kMessage, false, &StructuredValueTable::message),
    WireField(3, "type_spec_class_name", Kind::kString),
    WireField(4, "num_flat_components", Kind::kInt32),
};
inline constexpr Field kFunctionSpecFields[] = {
    WireField(1, "fullargspec", Kind::kMessage, false, &StructuredValueTable::message),
    WireField(2, "is_method", Kind::kBool),
    WireField(5, "input_signature", Kind::kMessage, false, &StructuredValueTable::message),
    WireField(6, "jit_compile", Kind::kEnum, false, nullptr, Role::kJitCompile),
};

}  // namespace detail

inline constexpr Message StructuredValueTable::message("StructuredValue", detail::kStructuredValueFields);
inline constexpr Message TypeSpecTable::message("TypeSpecProto", detail::kTypeSpecFields);
inline constexpr Message kFunctionSpec("FunctionSpec", detail::kFunctionSpecFields);

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

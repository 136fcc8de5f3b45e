// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables that protobuf's text format needs beside those of wire/schema.hpp: messages that structs keep in another form
// (tensors, shapes, bytes as they came), and the names of enum values. A program without text has none of them.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_fields.hpp>
#include <tenon/wire/tensor_reader.hpp>  // the tables name what reads, too

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

// A field of a message that no struct has.
constexpr Field WireField(std::uint32_t number, std::string_view name, Kind kind, bool repeated = false,
                          const Message* message = nullptr, Role role = Role::kPlain) {
  Field field = MakeFieldDropped(number, name, kind);
  field.repeated = repeated;
  field.message = message;
  field.role = role;
  return field;
}

inline constexpr Field kDimFields[] = {WireField(1, "size", Kind::kInt64), WireField(2, "name", Kind::kString)};
inline constexpr Message kDim("TensorShapeProto.Dim", kDimFields);
inline constexpr Field kShapeFields[] = {WireField(2, "dim", Kind::kMessage, true, &kDim),
                                         WireField(3, "unknown_rank", Kind::kBool)};
inline constexpr Message kShape("TensorShapeProto", kShapeFields);

inline constexpr Field kTensorFields[] = {
    WireField(kDtypeField, "dtype", Kind::kEnum),
    WireField(kShapeField, "tensor_shape", Kind::kMessage, false, &kShape),
    WireField(3, "version_number", Kind::kInt32),
    WireField(kContentField, "tensor_content", Kind::kBytes),
    WireField(5, "float_val", Kind::kFloat, true),
    WireField(6, "double_val", Kind::kDouble, true),
    WireField(7, "int_val", Kind::kInt32, true),
    WireField(kStringField, "string_val", Kind::kBytes, true),
    WireField(9, "scomplex_val", Kind::kFloat, true),
    WireField(10, "int64_val", Kind::kInt64, true),
    WireField(11, "bool_val", Kind::kBool, true),
    WireField(12, "dcomplex_val", Kind::kDouble, true),
    WireField(13, "half_val", Kind::kInt32, true),
    WireField(kResourceField, "resource_handle_val", Kind::kMessage, true, &Schema<ResourceHandle>::message),
    WireField(kVariantField, "variant_val", Kind::kMessage, true, &Schema<VariantTensorData>::message),
    WireField(16, "uint32_val", Kind::kUint32, true),
    WireField(17, "uint64_val", Kind::kUint64, true),
    WireField(kFloat8Field, "float8_val", Kind::kBytes),
};
inline constexpr Message kTensor("TensorProto", kTensorFields);

struct FullTypeTable {
  static const Message message;
};
inline constexpr Field kFullTypeFields[] = {
    WireField(1, "type_id", Kind::kEnum, false, nullptr, Role::kFullType),
    WireField(2, "args", Kind::kMessage, true, &FullTypeTable::message),
    WireField(3, "s", Kind::kString, false, nullptr, Role::kInOneof),
    WireField(4, "i", Kind::kInt64, false, nullptr, Role::kInOneof),
};
inline constexpr Message FullTypeTable::message("FullTypeDef", kFullTypeFields);

inline constexpr Field kNodeDebugInfoFields[] = {WireField(1, "original_node_names", Kind::kString, true),
                                                 WireField(2, "original_func_names", Kind::kString, true)};
inline constexpr Message kNodeDebugInfo("NodeDef.ExperimentalDebugInfo", kNodeDebugInfoFields);

inline constexpr Field kFileLineColFields[] = {
    WireField(1, "file_index", Kind::kInt32), WireField(2, "line", Kind::kInt32), WireField(3, "col", Kind::kInt32),
    WireField(4, "func", Kind::kString), WireField(5, "code", Kind::kString)};
inline constexpr Message kFileLineCol("GraphDebugInfo.FileLineCol", kFileLineColFields);
inline constexpr Field kStackTraceFields[] = {WireField(1, "file_line_cols", Kind::kMessage, true, &kFileLineCol),
                                              WireField(2, "frame_id", Kind::kFixed64, true)};
inline constexpr Message kStackTrace("GraphDebugInfo.StackTrace", kStackTraceFields);
inline constexpr Field kTracesFields[] = {WireField(1, "key", Kind::kString),
                                          WireField(2, "value", Kind::kMessage, false, &kStackTrace)};
inline constexpr Message kTraces("GraphDebugInfo.TracesEntry", kTracesFields);
inline constexpr Field kFramesByIdFields[] = {WireField(1, "key", Kind::kFixed64),
                                              WireField(2, "value", Kind::kMessage, false, &kFileLineCol)};
inline constexpr Message kFramesById("GraphDebugInfo.FramesByIdEntry", kFramesByIdFields);
inline constexpr Field kTraceIdFields[] = {WireField(1, "key", Kind::kString), WireField(2, "value", Kind::kFixed64)};
inline constexpr Message kTraceId("GraphDebugInfo.NameToTraceIdEntry", kTraceIdFields);
inline constexpr Field kTracesByIdFields[] = {WireField(1, "key", Kind::kFixed64),
                                              WireField(2, "value", Kind::kMessage, false, &kStackTrace)};
inline constexpr Message kTracesById("GraphDebugInfo.TracesByIdEntry", kTracesByIdFields);
inline constexpr Field kGraphDebugInfoFields[] = {WireField(1, "files", Kind::kString, true),
                                                  WireField(2, "traces", Kind::kMessage, true, &kTraces),
                                                  WireField(4, "frames_by_id", Kind::kMessage, true, &kFramesById),
                                                  WireField(5, "name_to_trace_id", Kind::kMessage, true, &kTraceId),
                                                  WireField(6, "traces_by_id", Kind::kMessage, true, &kTracesById)};
inline constexpr Message kGraphDebugInfo("GraphDebugInfo", kGraphDebugInfoFields);

// Names of FullTypeIds. DataTypes have theirs in types/dtype.hpp.
struct EnumValue {
  std::int32_t number;
  std::string_view name;
};
inline constexpr EnumValue kFullTypeIds[] = {
    {0, "TFT_UNSET"},
    {1, "TFT_VAR"},
    {2, "TFT_ANY"},
    {3, "TFT_PRODUCT"},
    {4, "TFT_NAMED"},
    {20, "TFT_FOR_EACH"},
    {100, "TFT_CALLABLE"},
    {200, "TFT_BOOL"},
    {201, "TFT_UINT8"},
    {202, "TFT_UINT16"},
    {203, "TFT_UINT32"},
    {204, "TFT_UINT64"},
    {205, "TFT_INT8"},
    {206, "TFT_INT16"},
    {207, "TFT_INT32"},
    {208, "TFT_INT64"},
    {209, "TFT_HALF"},
    {210, "TFT_FLOAT"},
    {211, "TFT_DOUBLE"},
    {212, "TFT_COMPLEX64"},
    {213, "TFT_COMPLEX128"},
    {214, "TFT_STRING"},
    {215, "TFT_BFLOAT16"},
    {1000, "TFT_TENSOR"},
    {1001, "TFT_ARRAY"},
    {1002, "TFT_OPTIONAL"},
    {1003, "TFT_LITERAL"},
    {1004, "TFT_ENCODED"},
    {1005, "TFT_SHAPE_TENSOR"},
    {10102, "TFT_DATASET"},
    {10103, "TFT_RAGGED"},
    {10104, "TFT_ITERATOR"},
    {10202, "TFT_MUTEX_LOCK"},
    {10203, "TFT_LEGACY_VARIANT"},
};

inline constexpr EnumValue kCheckpointFormats[] = {{0, "LEGACY"}, {1, "V1"}, {2, "V2"}};
inline constexpr EnumValue kVariableSynchronizations[] = {{0, "VARIABLE_SYNCHRONIZATION_AUTO"},
                                                          {1, "VARIABLE_SYNCHRONIZATION_NONE"},
                                                          {2, "VARIABLE_SYNCHRONIZATION_ON_WRITE"},
                                                          {3, "VARIABLE_SYNCHRONIZATION_ON_READ"}};
inline constexpr EnumValue kVariableAggregations[] = {{0, "VARIABLE_AGGREGATION_NONE"},
                                                      {1, "VARIABLE_AGGREGATION_SUM"},
                                                      {2, "VARIABLE_AGGREGATION_MEAN"},
                                                      {3, "VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA"}};
inline constexpr EnumValue kTypeSpecClasses[] = {{0, "UNKNOWN"},
                                                 {1, "SPARSE_TENSOR_SPEC"},
                                                 {2, "INDEXED_SLICES_SPEC"},
                                                 {3, "RAGGED_TENSOR_SPEC"},
                                                 {4, "TENSOR_ARRAY_SPEC"},
                                                 {5, "DATA_DATASET_SPEC"},
                                                 {6, "DATA_ITERATOR_SPEC"},
                                                 {7, "OPTIONAL_SPEC"},
                                                 {8, "PER_REPLICA_SPEC"},
                                                 {9, "VARIABLE_SPEC"},
                                                 {10, "ROW_PARTITION_SPEC"},
                                                 {12, "REGISTERED_TYPE_SPEC"},
                                                 {13, "EXTENSION_TYPE_SPEC"}};
inline constexpr EnumValue kJitCompiles[] = {{0, "DEFAULT"}, {1, "ON"}, {2, "OFF"}};

// The names of the field's values; none for a DataType.
inline Span<const EnumValue> EnumValuesOf(const Field& field) {
  switch (field.role) {
    case Role::kFullType: return kFullTypeIds;
    case Role::kCheckpointFormat: return kCheckpointFormats;
    case Role::kVariableSynchronization: return kVariableSynchronizations;
    case Role::kVariableAggregation: return kVariableAggregations;
    case Role::kTypeSpecClass: return kTypeSpecClasses;
    case Role::kJitCompile: return kJitCompiles;
    default: return {};
  }
}

// A value of an enum, for a table of its values. Negative ones come last.
constexpr Field ValueOfEnum(std::int32_t number, std::string_view name) {
  return WireField(static_cast<std::uint32_t>(number), name, Kind::kEnum);
}

// "" when the number has no name.
inline std::string_view EnumNameOf(const Field& field, std::int32_t number) {
  if (field.message != nullptr) {
    for (const Field& value : field.message->fields) {
      if (value.number == static_cast<std::uint32_t>(number)) return value.name;
    }
    return "";
  }
  const Span<const EnumValue> values = EnumValuesOf(field);
  if (values.empty()) return EnumName(static_cast<DataType>(number));
  for (const EnumValue& value : values) {
    if (value.number == number) return value.name;
  }
  return "";
}
inline bool EnumNumberOf(const Field& field, std::string_view name, std::int32_t* number) {
  if (field.message != nullptr) {
    for (const Field& value : field.message->fields) {
      *number = static_cast<std::int32_t>(value.number);
      if (value.name == name) return true;
    }
    return false;
  }
  const Span<const EnumValue> values = EnumValuesOf(field);
  if (values.empty()) {
    const DataType dtype = DataTypeFromEnumName(name);
    *number = static_cast<std::int32_t>(dtype);
    return dtype != DataType::kInvalid || name == EnumName(DataType::kInvalid);
  }
  for (const EnumValue& value : values) {
    *number = value.number;
    if (value.name == name) return true;
  }
  return false;
}

// All names of the enum's values.
inline SlimVector<std::string_view> EnumNames(const Field& field) {
  SlimVector<std::string_view> names;
  if (field.message != nullptr) {
    for (const Field& value : field.message->fields) names.push_back(value.name);
    return names;
  }
  for (const EnumValue& value : EnumValuesOf(field)) names.push_back(value.name);
  if (names.empty()) {
    for (int i = 0; i < kDataTypeCount; ++i) names.push_back(EnumName(static_cast<DataType>(i)));
  }
  return names;
}

// The message google.protobuf.Any: a message of any type, in its serialised form. A text may name the type and write
// out the message, "[type.googleapis.com/tensorflow.AssetFileDef] { ... }".
inline constexpr Field kAnyFields[] = {WireField(1, "type_url", Kind::kString), WireField(2, "value", Kind::kBytes)};
inline bool IsBoolValue(const Message& message) { return message.name == "google.protobuf.BoolValue"; }
inline bool IsAny(const Message& message) { return message.name == "google.protobuf.Any"; }

}  // namespace detail

// Tables of messages with functions of their own instead of fields, by name.
using TextTables = Span<const Message* const>;

namespace detail {
inline constexpr const Message* kTensorTables[] = {&kTensor, &kShape, &Schema<VariantTensorData>::message};
}
inline constexpr TextTables kTensorTextTables = detail::kTensorTables;

namespace detail {

// The message itself, or the table of its name. Null: `tables` has none.
inline const Message* TableOf(const Message& message, TextTables tables) {
  if (message.parse == nullptr) return &message;
  for (const Message* table : tables) {
    if (table->name == message.name) return table;
  }
  return nullptr;
}
// The table of the type that an Any names. Null: `tables` has none.
inline const Message* TableOfUrl(std::string_view url, TextTables tables) {
  constexpr std::string_view kPackage = "/tensorflow.";
  const std::size_t at = url.rfind(kPackage);
  if (at == std::string_view::npos) return nullptr;
  for (const Message* table : tables) {
    if (table->parse == nullptr && table->name == url.substr(at + kPackage.size())) return table;
  }
  return nullptr;
}
// The table of the messages in the field; null for numbers and text.
inline const Message* TableOf(const Field& field, TextTables tables) {
  if (field.kind == Kind::kMessage) return TableOf(*field.message, tables);
  if (field.kind != Kind::kString) return nullptr;
  if (field.message != nullptr) return TableOf(*field.message, tables);
  switch (field.role) {
    case Role::kFullType: return &FullTypeTable::message;
    case Role::kHandleData: return &Schema<DtypeAndPartialShape>::message;
    case Role::kNodeDebugInfo: return &kNodeDebugInfo;
    case Role::kGraphDebugInfo: return &kGraphDebugInfo;
    default: return nullptr;
  }
}

}  // namespace detail
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fields of a TensorProto in which each dtype's values stand, and the messages that elements may be themselves,
// ResourceHandleProto and VariantTensorDataProto. tensor_reader.hpp reads them, tensor_writer.hpp writes.

#include <cstdint>

#include <tenon/types/dtype.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/shape_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

// ------------------------------------------------------------------------------------------------------------ elements

template <>
struct Schema<DtypeAndPartialShape> {
  static const Message message;
};
inline constexpr Field kDtypeAndShapeFields[] = {
    MakeField<&DtypeAndPartialShape::dtype>(1, "dtype"),
    MakeFieldAlways<&DtypeAndPartialShape::shape>(2, "shape"),  // a missing one is that of a scalar
};
inline constexpr Message Schema<DtypeAndPartialShape>::message("DtypeAndShape", kDtypeAndShapeFields);

template <>
struct Schema<ResourceHandle> {
  static const Message message;
};
inline constexpr Field kResourceHandleFields[] = {
    MakeField<&ResourceHandle::device>(1, "device"),
    MakeField<&ResourceHandle::container>(2, "container"),
    MakeField<&ResourceHandle::name>(3, "name"),
    MakeField<&ResourceHandle::hash_code>(4, "hash_code"),
    MakeField<&ResourceHandle::maybe_type_name>(5, "maybe_type_name"),
    MakeField<&ResourceHandle::dtypes_and_shapes>(6, "dtypes_and_shapes"),
};
inline constexpr Message Schema<ResourceHandle>::message("ResourceHandleProto", kResourceHandleFields);

// --------------------------------------------------------------------------------------------- VariantTensorDataProto
// Variants inside variants are read up to this depth; it is about what the limit of kMaxDepth messages leaves.
inline constexpr int kMaxVariantDepth = 48;
// Tensors in the variants of one tensor, at most, when it is written.
inline constexpr std::int64_t kMaxVariantTensors = std::int64_t{1} << 24;

template <>
struct Schema<VariantTensorData> {
  static const Message message;
};
// A Variant in the same form. One that was read stays serialised (VariantRegistry::Decode, GetVariantValue); one
// without a type, bytes and tensors is empty. A value whose type cannot be serialised is written as its type's name.
template <>
struct Schema<Variant> {
  static bool Parse(Reader& reader, ParseContext& context, void* object);
  static void Serialize(MessageWriter& writer, const void* object) { writer.VariantMessage(object); }
  static constexpr Message message{"VariantTensorDataProto", &Parse, &Serialize};
};

template <>
struct Schema<Tensor> {
  static bool Parse(Reader& reader, ParseContext& context, void* object);
  static void Serialize(MessageWriter& writer, const void* object) { writer.TensorMessage(object); }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

inline constexpr Field kVariantTensorDataFields[] = {
    MakeField<&VariantTensorData::type_name>(1, "type_name"),
    OfBytes(MakeField<&VariantTensorData::metadata>(2, "metadata")),
    MakeField<&VariantTensorData::tensors>(3, "tensors"),
};
inline constexpr Message Schema<VariantTensorData>::message("VariantTensorDataProto", kVariantTensorDataFields);

// -------------------------------------------------------------------------------------------------------------- fields

namespace detail {

enum TensorField : std::uint32_t {
  kDtypeField = 1,
  kShapeField = 2,
  kContentField = 4,
  kStringField = 8,
  kResourceField = 14,
  kVariantField = 15,
  kFloat8Field = 18,
};

// Where the values of a dtype stand when not in tensor_content. Complex numbers: two values an element.
struct TypedField {
  std::uint32_t number;
  Kind kind;
};
constexpr TypedField TypedFieldOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return {5, Kind::kFloat};
    case DataType::kDouble: return {6, Kind::kDouble};
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kQint8:
    case DataType::kQuint8:
    case DataType::kQint16:
    case DataType::kQuint16:
    case DataType::kQint32:
    case DataType::kInt4:
    case DataType::kUint4:
    case DataType::kInt2:
    case DataType::kUint2: return {7, Kind::kInt32};
    case DataType::kString: return {kStringField, Kind::kBytes};
    case DataType::kComplex64: return {9, Kind::kFloat};
    case DataType::kInt64: return {10, Kind::kInt64};
    case DataType::kBool: return {11, Kind::kBool};
    case DataType::kComplex128: return {12, Kind::kDouble};
    case DataType::kHalf:
    case DataType::kBfloat16: return {13, Kind::kInt32};
    case DataType::kResource: return {kResourceField, Kind::kMessage};
    case DataType::kVariant: return {kVariantField, Kind::kMessage};
    case DataType::kUint32: return {16, Kind::kUint32};
    case DataType::kUint64: return {17, Kind::kUint64};
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E4M3FNUZ:
    case DataType::kFloat8E4M3B11FNUZ:
    case DataType::kFloat8E5M2FNUZ:
    case DataType::kFloat4E2M1FN: return {kFloat8Field, Kind::kBytes};
    default: return {0, Kind::kMessage};
  }
}

// The table of elements that are messages: handles and variants.
constexpr const Message& MessageOfElement(DataType dtype) {
  return dtype == DataType::kVariant ? Schema<Variant>::message : Schema<ResourceHandle>::message;
}

}  // namespace detail

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// DataType with TensorFlow's wire numbers, its names, element sizes, predicates and sets. All constexpr, immutable.
// The one table below is the only place where a dtype's properties are written down.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The value is the number in serialised graphs. A reference type (a mutable input of a ref variable) is the value +
// 100.
enum class DataType : std::int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3FN = 25,
  kFloat8E4M3FNUZ = 26,
  kFloat8E4M3B11FNUZ = 27,
  kFloat8E5M2FNUZ = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2M1FN = 33,
};

inline constexpr int kDataTypeCount = 34;      // values 0 .. 33, kInvalid included
inline constexpr int kDataTypeRefOffset = 100;

// Several non-reference dtypes as a bit mask (bit n is DataType n). Iterates in ascending order of the numbers, as
// TensorFlow does.
struct DataTypeSet {
  std::uint64_t mask = 0;

  class Iterator {
   public:
    constexpr explicit Iterator(std::uint64_t rest) : rest_(rest) {}
    constexpr DataType operator*() const { return static_cast<DataType>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint64_t rest_;
  };

  constexpr bool contains(DataType type) const {
    const auto n = static_cast<std::uint32_t>(type);
    return n < 64 && ((mask >> n) & 1) != 0;
  }
  constexpr int size() const { return std::popcount(mask); }
  constexpr bool empty() const { return mask == 0; }
  constexpr void insert(DataType type) {
    const auto n = static_cast<std::uint32_t>(type);
    if (n < 64) mask |= std::uint64_t{1} << n;
  }
  constexpr Iterator begin() const { return Iterator(mask); }
  constexpr Iterator end() const { return Iterator(0); }

  friend constexpr DataTypeSet operator|(DataTypeSet a, DataTypeSet b) { return {a.mask | b.mask}; }
  friend constexpr DataTypeSet operator&(DataTypeSet a, DataTypeSet b) { return {a.mask & b.mask}; }
  friend constexpr bool operator==(DataTypeSet, DataTypeSet) = default;
};

constexpr DataTypeSet ToSet(DataType type) {
  DataTypeSet set;
  set.insert(type);
  return set;
}

namespace detail {

// Traits of a dtype by letter: M memcpy-able, N in `numbertype`, R in `realnumbertype`, Q quantised, F floating, I
// integer, S signed integer, C complex, H always in host memory.
enum DataTypeTrait : std::uint16_t { kM = 1, kN = 2, kR = 4, kQ = 8, kF = 16, kI = 32, kS = 64, kC = 128, kH = 256 };

struct DataTypeRow {
  std::string_view ref_name;       // "float_ref"; the name itself is this without "_ref"
  std::string_view ref_enum_name;  // "DT_FLOAT_REF"
  std::string_view alias;          // second name that is parsed, or empty
  std::uint8_t size;               // bytes of one element; 0 if not plain memory
  std::uint16_t traits;
};

inline constexpr DataTypeRow kDataTypeRows[kDataTypeCount] = {
    {"INVALID_ref", "DT_INVALID_REF", "", 0, 0},
    {"float_ref", "DT_FLOAT_REF", "float32", 4, kM | kN | kR | kF},
    {"double_ref", "DT_DOUBLE_REF", "float64", 8, kM | kN | kR | kF},
    {"int32_ref", "DT_INT32_REF", "", 4, kM | kN | kR | kI | kS},
    {"uint8_ref", "DT_UINT8_REF", "", 1, kM | kN | kR | kI},
    {"int16_ref", "DT_INT16_REF", "", 2, kM | kN | kR | kI | kS},
    {"int8_ref", "DT_INT8_REF", "", 1, kM | kN | kR | kI | kS},
    {"string_ref", "DT_STRING_REF", "", 0, kH},
    {"complex64_ref", "DT_COMPLEX64_REF", "", 8, kM | kN | kC},
    {"int64_ref", "DT_INT64_REF", "", 8, kM | kN | kR | kI | kS},
    {"bool_ref", "DT_BOOL_REF", "", 1, kM},
    {"qint8_ref", "DT_QINT8_REF", "", 1, kM | kN | kQ},
    {"quint8_ref", "DT_QUINT8_REF", "", 1, kM | kN | kQ},
    {"qint32_ref", "DT_QINT32_REF", "", 4, kM | kN | kQ},
    {"bfloat16_ref", "DT_BFLOAT16_REF", "", 2, kM | kN | kR | kF},
    {"qint16_ref", "DT_QINT16_REF", "", 2, kM | kN | kQ},
    {"quint16_ref", "DT_QUINT16_REF", "", 2, kM | kN | kQ},
    {"uint16_ref", "DT_UINT16_REF", "", 2, kM | kN | kR | kI},
    {"complex128_ref", "DT_COMPLEX128_REF", "", 16, kM | kN | kC},
    {"half_ref", "DT_HALF_REF", "float16", 2, kM | kN | kR | kF},
    {"resource_ref", "DT_RESOURCE_REF", "", 0, kH},
    {"variant_ref", "DT_VARIANT_REF", "", 0, 0},
    {"uint32_ref", "DT_UINT32_REF", "", 4, kM | kN | kR | kI},
    {"uint64_ref", "DT_UINT64_REF", "", 8, kM | kN | kR | kI},
    {"float8_e5m2_ref", "DT_FLOAT8_E5M2_REF", "", 1, kM | kF},
    {"float8_e4m3fn_ref", "DT_FLOAT8_E4M3FN_REF", "", 1, kM | kF},
    {"float8_e4m3fnuz_ref", "DT_FLOAT8_E4M3FNUZ_REF", "", 1, kM | kF},
    {"float8_e4m3b11fnuz_ref", "DT_FLOAT8_E4M3B11FNUZ_REF", "", 1, kM | kF},
    {"float8_e5m2fnuz_ref", "DT_FLOAT8_E5M2FNUZ_REF", "", 1, kM | kF},
    {"int4_ref", "DT_INT4_REF", "", 1, kM | kI | kS},
    {"uint4_ref", "DT_UINT4_REF", "", 1, kM | kI},
    {"int2_ref", "DT_INT2_REF", "", 1, kM | kI | kS},
    {"uint2_ref", "DT_UINT2_REF", "", 1, kM | kI},
    {"float4_e2m1fn_ref", "DT_FLOAT4_E2M1FN_REF", "", 1, kM | kF},
};

constexpr DataTypeSet DataTypesWith(unsigned traits) {
  DataTypeSet set;
  for (int i = 1; i < kDataTypeCount; ++i) {
    if ((kDataTypeRows[i].traits & traits) != 0) set.insert(static_cast<DataType>(i));
  }
  return set;
}

}  // namespace detail

inline constexpr DataTypeSet kAllTypes{((std::uint64_t{1} << kDataTypeCount) - 1) & ~std::uint64_t{1}};
// Elements are plain bytes. float4_e2m1fn is one of them here, although it came too late for TensorFlow's set. The set
// is only asked for a property that it has there too: a byte an element in tensor_content.
inline constexpr DataTypeSet kPlainTypes = detail::DataTypesWith(detail::kM);
inline constexpr DataTypeSet kNumberTypes = detail::DataTypesWith(detail::kN);          // `numbertype` of op specs
inline constexpr DataTypeSet kRealNumberTypes = detail::DataTypesWith(detail::kR);      // `realnumbertype`
inline constexpr DataTypeSet kQuantizedTypes = detail::DataTypesWith(detail::kQ);       // `quantizedtype`
inline constexpr DataTypeSet kFloatingTypes = detail::DataTypesWith(detail::kF);
inline constexpr DataTypeSet kIntegerTypes = detail::DataTypesWith(detail::kI);  // quantised ones are not among them
inline constexpr DataTypeSet kSignedTypes = detail::DataTypesWith(detail::kS);  // signed integers
inline constexpr DataTypeSet kComplexTypes = detail::DataTypesWith(detail::kC);

constexpr bool IsRefType(DataType type) { return static_cast<std::int32_t>(type) > kDataTypeRefOffset; }
// The argument must not be a reference type already.
constexpr DataType MakeRefType(DataType type) {
  return static_cast<DataType>(static_cast<std::int32_t>(type) + kDataTypeRefOffset);
}
// The argument must be a reference type.
constexpr DataType RemoveRefType(DataType type) {
  return static_cast<DataType>(static_cast<std::int32_t>(type) - kDataTypeRefOffset);
}
constexpr DataType BaseType(DataType type) { return IsRefType(type) ? RemoveRefType(type) : type; }
// A reference may be read where a value is expected, never the reverse.
constexpr bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

// True for 1 .. 33 and 101 .. 133.
constexpr bool IsKnownType(DataType type) { return kAllTypes.contains(BaseType(type)); }

// As TensorFlow prints it: "float", "int32_ref", "INVALID". An unknown number gives "unknown dtype enum"
// (DataTypeString in dispatch.hpp adds the number).
constexpr std::string_view Name(DataType type) {
  if (type == DataType::kInvalid) return "INVALID";
  if (!IsKnownType(type)) return "unknown dtype enum";
  const std::string_view name = detail::kDataTypeRows[static_cast<std::int32_t>(BaseType(type))].ref_name;
  return IsRefType(type) ? name : name.substr(0, name.size() - 4);
}

// The name in protobuf text, e.g. "DT_FLOAT" or "DT_FLOAT_REF"; "" for an unknown number.
constexpr std::string_view EnumName(DataType type) {
  if (type == DataType::kInvalid) return "DT_INVALID";
  if (!IsKnownType(type)) return "";
  const std::string_view name = detail::kDataTypeRows[static_cast<std::int32_t>(BaseType(type))].ref_enum_name;
  return IsRefType(type) ? name : name.substr(0, name.size() - 4);
}

// Exact and case-sensitive; knows "float32", "float64", "float16" and one "_ref" at the end. kInvalid if there is no
// such type.
constexpr DataType DataTypeFromName(std::string_view name) {
  bool is_ref = false;
  if (name.size() > 4 && name.substr(name.size() - 4) == "_ref") {
    is_ref = true;
    name.remove_suffix(4);
  }
  if (name.empty()) return DataType::kInvalid;
  for (int i = 1; i < kDataTypeCount; ++i) {
    const detail::DataTypeRow& row = detail::kDataTypeRows[i];
    if (row.ref_name.substr(0, row.ref_name.size() - 4) != name && row.alias != name) continue;
    return static_cast<DataType>(is_ref ? i + kDataTypeRefOffset : i);
  }
  return DataType::kInvalid;
}

// The reverse of EnumName; kInvalid if there is no such type.
constexpr DataType DataTypeFromEnumName(std::string_view name) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const std::string_view ref_name = detail::kDataTypeRows[i].ref_enum_name;
    if (ref_name == name) return static_cast<DataType>(i + kDataTypeRefOffset);
    if (ref_name.substr(0, ref_name.size() - 4) == name) return static_cast<DataType>(i);
  }
  return DataType::kInvalid;
}

// Bytes of one element in a tensor; 0 for types that are not plain memory (string, resource, variant), references and
// unknown numbers.
constexpr int SizeOf(DataType type) {
  const auto n = static_cast<std::uint32_t>(type);
  return n < static_cast<std::uint32_t>(kDataTypeCount) ? detail::kDataTypeRows[n].size : 0;
}

// The alignment in bytes of one element (a power of two); 0 where SizeOf is.
constexpr int AlignmentOf(DataType type) {
  const bool is_complex = type == DataType::kComplex64 || type == DataType::kComplex128;
  return is_complex ? SizeOf(type) / 2 : SizeOf(type);
}

// All predicates are false for reference types.
constexpr bool IsPlain(DataType type) { return kPlainTypes.contains(type); }
constexpr bool IsFloating(DataType type) { return kFloatingTypes.contains(type); }
constexpr bool IsInteger(DataType type) { return kIntegerTypes.contains(type); }
constexpr bool IsSigned(DataType type) { return kSignedTypes.contains(type); }
constexpr bool IsUnsigned(DataType type) { return IsInteger(type) && !IsSigned(type); }
constexpr bool IsQuantized(DataType type) { return kQuantizedTypes.contains(type); }
constexpr bool IsComplex(DataType type) { return kComplexTypes.contains(type); }
// Each value has a byte of its own and uses 2 or 4 bits of it; the others are 0, or copies of the sign.
constexpr bool IsSubByte(DataType type) { return type >= DataType::kInt4 && type <= DataType::kFloat4E2M1FN; }
// The elements stay in host memory whatever the device; a reference to a string too, one to a resource not.
constexpr bool AlwaysOnHost(DataType type) {
  return type == DataType::kString || type == MakeRefType(DataType::kString) || type == DataType::kResource;
}

namespace detail {

// Makes the unused bits of each byte 0, or copies of the sign. Other writers may fill them in another way.
inline void WrapSubBytes(DataType type, void* elements, std::size_t count) {
  auto* const bytes = static_cast<unsigned char*>(elements);
  const unsigned mask = type == DataType::kInt2 || type == DataType::kUint2 ? 0x03 : 0x0f;
  const unsigned sign = IsSigned(type) ? (mask + 1) / 2 : 0;
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(((bytes[i] & mask) ^ sign) - sign);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

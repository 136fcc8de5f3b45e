// SPDX-License-Identifier: Apache-2.0
#pragma once
// DataType <-> C++ type: dtype_of_v<float> is DataType::kFloat, type_of_t<DataType::kFloat> is float.
// Needs no definition of the element types; complex.hpp adds complex64 and complex128.

#include <cstdint>
#include <type_traits>

#include <tenon/types/dtype.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct half;
struct bfloat16;
struct float8_e5m2;
struct float8_e4m3fn;
struct float8_e4m3fnuz;
struct float8_e4m3b11fnuz;
struct float8_e5m2fnuz;
struct float4_e2m1fn;
struct qint8;
struct quint8;
struct qint16;
struct quint16;
struct qint32;
struct int4;
struct uint4;
struct int2;
struct uint2;
class tstring;         // tensor/string_tensor.hpp
struct ResourceHandle; // tensor/resource_handle.hpp
class Variant;         // tensor/variant_element.hpp

// The DataType of elements of type T, as `value`; not defined for types that cannot be elements.
template <class T>
struct dtype_of;

// The C++ type of an element, as `type`; not defined for kInvalid and reference types.
template <DataType type>
struct type_of;

namespace detail {
template <DataType dtype>
struct DtypeConstant {
  static constexpr DataType value = dtype;
};
template <class T>
struct TypeConstant {
  using type = T;
};
}  // namespace detail

// clang-format off
template <> struct dtype_of<float> : detail::DtypeConstant<DataType::kFloat> {};
template <> struct dtype_of<double> : detail::DtypeConstant<DataType::kDouble> {};
template <> struct dtype_of<signed char> : detail::DtypeConstant<DataType::kInt8> {};
template <> struct dtype_of<unsigned char> : detail::DtypeConstant<DataType::kUint8> {};
template <> struct dtype_of<short> : detail::DtypeConstant<DataType::kInt16> {};
template <> struct dtype_of<unsigned short> : detail::DtypeConstant<DataType::kUint16> {};
template <> struct dtype_of<int> : detail::DtypeConstant<DataType::kInt32> {};
template <> struct dtype_of<unsigned int> : detail::DtypeConstant<DataType::kUint32> {};
// long has 4 or 8 bytes, depending on the platform; long long is a second 64-bit type beside std::int64_t.
template <> struct dtype_of<long> : detail::DtypeConstant<sizeof(long) == 4 ? DataType::kInt32 : DataType::kInt64> {};
template <> struct dtype_of<unsigned long>
    : detail::DtypeConstant<sizeof(long) == 4 ? DataType::kUint32 : DataType::kUint64> {};
template <> struct dtype_of<long long> : detail::DtypeConstant<DataType::kInt64> {};
template <> struct dtype_of<unsigned long long> : detail::DtypeConstant<DataType::kUint64> {};
template <> struct dtype_of<bool> : detail::DtypeConstant<DataType::kBool> {};
template <> struct dtype_of<half> : detail::DtypeConstant<DataType::kHalf> {};
template <> struct dtype_of<bfloat16> : detail::DtypeConstant<DataType::kBfloat16> {};
template <> struct dtype_of<float8_e5m2> : detail::DtypeConstant<DataType::kFloat8E5M2> {};
template <> struct dtype_of<float8_e4m3fn> : detail::DtypeConstant<DataType::kFloat8E4M3FN> {};
template <> struct dtype_of<float8_e4m3fnuz> : detail::DtypeConstant<DataType::kFloat8E4M3FNUZ> {};
template <> struct dtype_of<float8_e4m3b11fnuz> : detail::DtypeConstant<DataType::kFloat8E4M3B11FNUZ> {};
template <> struct dtype_of<float8_e5m2fnuz> : detail::DtypeConstant<DataType::kFloat8E5M2FNUZ> {};
template <> struct dtype_of<float4_e2m1fn> : detail::DtypeConstant<DataType::kFloat4E2M1FN> {};
template <> struct dtype_of<qint8> : detail::DtypeConstant<DataType::kQint8> {};
template <> struct dtype_of<quint8> : detail::DtypeConstant<DataType::kQuint8> {};
template <> struct dtype_of<qint16> : detail::DtypeConstant<DataType::kQint16> {};
template <> struct dtype_of<quint16> : detail::DtypeConstant<DataType::kQuint16> {};
template <> struct dtype_of<qint32> : detail::DtypeConstant<DataType::kQint32> {};
template <> struct dtype_of<int4> : detail::DtypeConstant<DataType::kInt4> {};
template <> struct dtype_of<uint4> : detail::DtypeConstant<DataType::kUint4> {};
template <> struct dtype_of<int2> : detail::DtypeConstant<DataType::kInt2> {};
template <> struct dtype_of<uint2> : detail::DtypeConstant<DataType::kUint2> {};
template <> struct dtype_of<tstring> : detail::DtypeConstant<DataType::kString> {};
template <> struct dtype_of<ResourceHandle> : detail::DtypeConstant<DataType::kResource> {};
template <> struct dtype_of<Variant> : detail::DtypeConstant<DataType::kVariant> {};

template <> struct type_of<DataType::kFloat> : detail::TypeConstant<float> {};
template <> struct type_of<DataType::kDouble> : detail::TypeConstant<double> {};
template <> struct type_of<DataType::kInt8> : detail::TypeConstant<std::int8_t> {};
template <> struct type_of<DataType::kUint8> : detail::TypeConstant<std::uint8_t> {};
template <> struct type_of<DataType::kInt16> : detail::TypeConstant<std::int16_t> {};
template <> struct type_of<DataType::kUint16> : detail::TypeConstant<std::uint16_t> {};
template <> struct type_of<DataType::kInt32> : detail::TypeConstant<std::int32_t> {};
template <> struct type_of<DataType::kUint32> : detail::TypeConstant<std::uint32_t> {};
template <> struct type_of<DataType::kInt64> : detail::TypeConstant<std::int64_t> {};
template <> struct type_of<DataType::kUint64> : detail::TypeConstant<std::uint64_t> {};
template <> struct type_of<DataType::kBool> : detail::TypeConstant<bool> {};
template <> struct type_of<DataType::kHalf> : detail::TypeConstant<half> {};
template <> struct type_of<DataType::kBfloat16> : detail::TypeConstant<bfloat16> {};
template <> struct type_of<DataType::kFloat8E5M2> : detail::TypeConstant<float8_e5m2> {};
template <> struct type_of<DataType::kFloat8E4M3FN> : detail::TypeConstant<float8_e4m3fn> {};
template <> struct type_of<DataType::kFloat8E4M3FNUZ> : detail::TypeConstant<float8_e4m3fnuz> {};
template <> struct type_of<DataType::kFloat8E4M3B11FNUZ> : detail::TypeConstant<float8_e4m3b11fnuz> {};
template <> struct type_of<DataType::kFloat8E5M2FNUZ> : detail::TypeConstant<float8_e5m2fnuz> {};
template <> struct type_of<DataType::kFloat4E2M1FN> : detail::TypeConstant<float4_e2m1fn> {};
template <> struct type_of<DataType::kQint8> : detail::TypeConstant<qint8> {};
template <> struct type_of<DataType::kQuint8> : detail::TypeConstant<quint8> {};
template <> struct type_of<DataType::kQint16> : detail::TypeConstant<qint16> {};
template <> struct type_of<DataType::kQuint16> : detail::TypeConstant<quint16> {};
template <> struct type_of<DataType::kQint32> : detail::TypeConstant<qint32> {};
template <> struct type_of<DataType::kInt4> : detail::TypeConstant<int4> {};
template <> struct type_of<DataType::kUint4> : detail::TypeConstant<uint4> {};
template <> struct type_of<DataType::kInt2> : detail::TypeConstant<int2> {};
template <> struct type_of<DataType::kUint2> : detail::TypeConstant<uint2> {};
template <> struct type_of<DataType::kString> : detail::TypeConstant<tstring> {};
template <> struct type_of<DataType::kResource> : detail::TypeConstant<ResourceHandle> {};
template <> struct type_of<DataType::kVariant> : detail::TypeConstant<Variant> {};
// clang-format on

template <class T>
inline constexpr DataType dtype_of_v = dtype_of<T>::value;
template <DataType type>
using type_of_t = typename type_of<type>::type;

// The types that a tensor can hold.
template <class T>
concept ElementType = requires { dtype_of<T>::value; };

// An element that is nothing but its bytes: may be copied with memcpy and live in device memory.
template <class T>
concept Trivial = ElementType<T> && kPlainTypes.contains(dtype_of<T>::value);

TENON_DETAIL_NAMESPACE_END

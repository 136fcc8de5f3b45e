// SPDX-License-Identifier: Apache-2.0
#pragma once
// DataType with its predicates and lists, DeviceType and MemoryType, by TensorFlow's names.

#include <bit>
#include <complex>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/base/eigen.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
class ResourceHandle;
class Variant;
}  // namespace tensorflow

TENON_DETAIL_NAMESPACE_BEGIN
template <>
struct dtype_of<::tensorflow::Variant> : detail::DtypeConstant<DataType::kVariant> {};
template <>
struct dtype_of<::tensorflow::ResourceHandle> : detail::DtypeConstant<DataType::kResource> {};
TENON_DETAIL_NAMESPACE_END

namespace tensorflow {

using Eigen::bfloat16;
using Eigen::half;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
using tenon::float8_e4m3fn;
using tenon::float8_e5m2;
using tenon::qint16;
using tenon::qint32;
using tenon::qint8;
using tenon::quint16;
using tenon::quint8;

// clang-format off
#define TENON_COMPAT_DTYPES(M)                                                                                      \
  M(FLOAT, 1) M(DOUBLE, 2) M(INT32, 3) M(UINT8, 4) M(INT16, 5) M(INT8, 6) M(STRING, 7) M(COMPLEX64, 8) M(INT64, 9) \
  M(BOOL, 10) M(QINT8, 11) M(QUINT8, 12) M(QINT32, 13) M(BFLOAT16, 14) M(QINT16, 15) M(QUINT16, 16) M(UINT16, 17)  \
  M(COMPLEX128, 18) M(HALF, 19) M(RESOURCE, 20) M(VARIANT, 21) M(UINT32, 22) M(UINT64, 23) M(FLOAT8_E5M2, 24)      \
  M(FLOAT8_E4M3FN, 25) M(FLOAT8_E4M3FNUZ, 26) M(FLOAT8_E4M3B11FNUZ, 27) M(FLOAT8_E5M2FNUZ, 28) M(INT4, 29)         \
  M(UINT4, 30) M(INT2, 31) M(UINT2, 32)
// clang-format on
#define TENON_COMPAT_DTYPE(NAME, NUMBER) DT_##NAME = NUMBER, DT_##NAME##_REF = NUMBER + 100,
// Numbers as in tenon::DataType.
enum DataType : int { DT_INVALID = 0, TENON_COMPAT_DTYPES(TENON_COMPAT_DTYPE) };
#undef TENON_COMPAT_DTYPE
inline constexpr int kDataTypeRefOffset = 100;

constexpr tenon::DataType ToTenon(DataType type) { return static_cast<tenon::DataType>(static_cast<int>(type)); }
constexpr DataType FromTenon(tenon::DataType type) { return static_cast<DataType>(static_cast<int>(type)); }

using DataTypeVector = gtl::InlinedVector<DataType, 4>;
using DataTypeSlice = gtl::ArraySlice<DataType>;
template <class Types>
std::vector<tenon::DataType> ToTenonTypes(const Types& types) {
  std::vector<tenon::DataType> out;
  for (const DataType type : types) out.push_back(ToTenon(type));
  return out;
}
inline DataTypeVector FromTenonTypes(tenon::Span<const tenon::DataType> types) {
  DataTypeVector out;
  for (const tenon::DataType type : types) out.push_back(FromTenon(type));
  return out;
}

template <class T>
struct DataTypeToEnum {
  static constexpr DataType value = FromTenon(tenon::dtype_of<T>::value);
  static constexpr DataType v() { return value; }
  static constexpr DataType ref() { return FromTenon(tenon::MakeRefType(ToTenon(value))); }
};
template <class T>
struct DataTypeToEnum<const T> : DataTypeToEnum<T> {};
template <>
struct DataTypeToEnum<std::string> : DataTypeToEnum<tstring> {};
template <class T>
constexpr DataType DataTypeToEnumV = DataTypeToEnum<T>::value;

template <DataType type>
struct EnumToDataType {
  using Type = typename tenon::type_of<ToTenon(type)>::type;
};
template <>
struct EnumToDataType<DT_HALF> {
  using Type = Eigen::half;
};
template <>
struct EnumToDataType<DT_BFLOAT16> {
  using Type = Eigen::bfloat16;
};
template <>
struct EnumToDataType<DT_RESOURCE> {
  using Type = ResourceHandle;
};
template <>
struct EnumToDataType<DT_VARIANT> {
  using Type = Variant;
};
template <class T>
struct IsValidDataType {
  static constexpr bool value = requires { tenon::dtype_of<T>::value; };
};
template <class T>
struct is_quantized : std::bool_constant<false> {};
template <class T>
  requires requires { tenon::dtype_of<T>::value; }
struct is_quantized<T> : std::bool_constant<tenon::IsQuantized(tenon::dtype_of<T>::value)> {};
template <class T>
struct is_simple_type : std::bool_constant<std::is_trivially_copyable_v<T>> {};
template <class T>
struct is_complex : std::bool_constant<std::is_same_v<T, complex64> || std::is_same_v<T, complex128>> {};

inline std::string DataTypeString(DataType type) { return std::string(tenon::Name(ToTenon(type))); }
inline std::string DataType_Name(DataType type) { return std::string(tenon::EnumName(ToTenon(type))); }
inline bool DataType_Parse(StringPiece name, DataType* type) {
#define TENON_COMPAT_DTYPE(NAME, NUMBER)                   \
  if (name == "DT_" #NAME) return *type = DT_##NAME, true; \
  if (name == "DT_" #NAME "_REF") return *type = DT_##NAME##_REF, true;
  TENON_COMPAT_DTYPES(TENON_COMPAT_DTYPE)
#undef TENON_COMPAT_DTYPE
  return name == "DT_INVALID" && (*type = DT_INVALID, true);
}
inline bool DataTypeFromString(StringPiece text, DataType* type) {
  *type = FromTenon(tenon::DataTypeFromName(text));
  return *type != DT_INVALID;
}
inline bool DataType_IsValid(int type) { return type == 0 || tenon::IsKnownType(static_cast<tenon::DataType>(type)); }
inline std::string DataTypeSliceString(DataTypeSlice types) {
  std::string out;
  for (const DataType type : types) out.append(out.empty() ? "" : ", ").append(DataTypeString(type));
  return out;
}
inline std::string DataTypeVectorString(DataTypeSlice types) { return DataTypeSliceString(types); }
constexpr int DataTypeSize(DataType type) { return tenon::SizeOf(ToTenon(type)); }
constexpr bool DataTypeCanUseMemcpy(DataType type) { return tenon::IsPlain(ToTenon(type)); }
constexpr bool DataTypeIsFloating(DataType type) { return tenon::IsFloating(ToTenon(type)); }
constexpr bool DataTypeIsInteger(DataType type) { return tenon::IsInteger(ToTenon(type)); }
constexpr bool DataTypeIsSigned(DataType type) { return tenon::IsSigned(ToTenon(type)); }
constexpr bool DataTypeIsUnsigned(DataType type) { return tenon::IsUnsigned(ToTenon(type)); }
constexpr bool DataTypeIsComplex(DataType type) { return tenon::IsComplex(ToTenon(type)); }
constexpr bool DataTypeIsQuantized(DataType type) { return tenon::IsQuantized(ToTenon(type)); }
constexpr bool DataTypeAlwaysOnHost(DataType type) { return tenon::AlwaysOnHost(ToTenon(type)); }
constexpr bool DataTypeIsNumeric(DataType type) { return tenon::kRealNumberTypes.contains(ToTenon(type)); }
constexpr bool IsRefType(DataType type) { return tenon::IsRefType(ToTenon(type)); }
constexpr DataType MakeRefType(DataType type) { return FromTenon(tenon::MakeRefType(ToTenon(type))); }
constexpr DataType RemoveRefType(DataType type) { return FromTenon(tenon::RemoveRefType(ToTenon(type))); }
constexpr DataType BaseType(DataType type) { return FromTenon(tenon::BaseType(ToTenon(type))); }
constexpr bool TypesCompatible(DataType expected, DataType actual) {
  return tenon::TypesCompatible(ToTenon(expected), ToTenon(actual));
}

// Types as a set; iterates in the order of the numbers.
class DataTypeSet {
 public:
  class Iterator {
   public:
    explicit Iterator(tenon::DataTypeSet::Iterator at) : at_(at) {}
    DataType operator*() const { return FromTenon(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return !(at_ != other.at_); }

   private:
    tenon::DataTypeSet::Iterator at_;
  };
  explicit DataTypeSet(tenon::DataTypeSet types) : types_(types) {}
  Iterator begin() const { return Iterator(types_.begin()); }
  Iterator end() const { return Iterator(types_.end()); }
  const tenon::DataTypeSet& types() const { return types_; }
  bool Contains(DataType type) const { return types_.contains(ToTenon(type)); }
  std::size_t size() const {
    std::size_t count = 0;
    for (auto at = begin(); !(at == end()); ++at) ++count;
    return count;
  }

 private:
  tenon::DataTypeSet types_;
};
inline DataTypeSet operator|(const DataTypeSet& a, const DataTypeSet& b) {
  return DataTypeSet(tenon::DataTypeSet{a.types().mask | b.types().mask});
}
inline DataTypeSet ToSet(DataType type) { return DataTypeSet(tenon::ToSet(ToTenon(type))); }
inline const DataTypeSet kNumberTypes(tenon::kNumberTypes);
inline const DataTypeSet kRealNumberTypes(tenon::kRealNumberTypes);
inline const DataTypeSet kQuantizedTypes(tenon::kQuantizedTypes);
inline const DataTypeSet kDataTypesCanUseMemcpy(tenon::kPlainTypes);
inline const DataTypeSet kDataTypeIsFloating(tenon::kFloatingTypes);
inline const DataTypeSet kDataTypeIsInteger(tenon::kIntegerTypes);
inline const DataTypeSet kDataTypeIsComplex(tenon::kComplexTypes);
inline const DataTypeSet kDataTypeIsSigned(tenon::kSignedTypes);
inline const DataTypeSet kDataTypeIsUnsigned(tenon::DataTypeSet{tenon::kIntegerTypes.mask & ~tenon::kSignedTypes.mask});
inline const DataTypeSet kRealAndQuantizedTypes = kRealNumberTypes | kQuantizedTypes;
inline const DataTypeSet kAllTypes(tenon::kAllTypes);
inline const DataTypeSet& RealNumberTypes() { return kRealNumberTypes; }
inline const DataTypeSet& NumberTypes() { return kNumberTypes; }
inline const DataTypeSet& QuantizedTypes() { return kQuantizedTypes; }
inline const DataTypeSet& RealAndQuantizedTypes() { return kRealAndQuantizedTypes; }
inline constexpr int DataType_MIN = 0, DataType_MAX = 132, DataType_ARRAYSIZE = DataType_MAX + 1;
inline DataTypeSet AllTypes() { return DataTypeSet(tenon::kAllTypes); }
inline DataTypeVector AllTypesVector() {
  DataTypeVector all;
  for (const DataType type : AllTypes()) all.push_back(type);
  return all;
}

// "CPU", "GPU".
class DeviceType {
 public:
  DeviceType(const char* type) : type_(type) {}
  explicit DeviceType(StringPiece type) : type_(type) {}
  const char* type() const { return type_.c_str(); }
  const std::string& type_string() const { return type_; }
  bool operator==(const DeviceType& other) const { return type_ == other.type_; }
  bool operator<(const DeviceType& other) const { return type_ < other.type_; }

 private:
  std::string type_;
};
inline std::ostream& operator<<(std::ostream& out, const DeviceType& type) { return out << type.type(); }
inline std::string DeviceTypeString(const DeviceType& type) { return type.type_string(); }
inline constexpr const char* DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char* DEVICE_CPU = "CPU";
inline constexpr const char* DEVICE_GPU = "GPU";
inline constexpr const char* DEVICE_TPU = "TPU";
inline constexpr const char* DEVICE_TPU_SYSTEM = "TPU_SYSTEM";

enum MemoryType { DEVICE_MEMORY = 0, HOST_MEMORY = 1 };
using MemoryTypeVector = gtl::InlinedVector<MemoryType, 4>;
using MemoryTypeSlice = gtl::ArraySlice<MemoryType>;
// The memory of inputs and outputs of a type on a GPU: integers of 32 bits stay on the host.
constexpr MemoryType MTypeFromDType(DataType type) {
  return type == DT_INT32 || DataTypeAlwaysOnHost(type) ? HOST_MEMORY : DEVICE_MEMORY;
}
constexpr MemoryType MTypeFromDTypeIntsOnDevice(DataType type) {
  return DataTypeAlwaysOnHost(type) ? HOST_MEMORY : DEVICE_MEMORY;
}

// The device type of one of Eigen's devices.
template <class Device>
struct DeviceName;
template <>
struct DeviceName<Eigen::ThreadPoolDevice> {
  static const std::string value;
};
inline const std::string DeviceName<Eigen::ThreadPoolDevice>::value = DEVICE_CPU;
template <>
struct DeviceName<Eigen::GpuDevice> {
  static const std::string value;
};
inline const std::string DeviceName<Eigen::GpuDevice>::value = DEVICE_GPU;

// Numbers with the first 16 bits of a float's; the rest is cut off.
inline void FloatToBFloat16(const float* from, bfloat16* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = Eigen::numext::bit_cast<bfloat16>(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(from[i]) >> 16));
}
inline void RoundFloatToBFloat16(const float* from, bfloat16* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<bfloat16>(from[i]);
}
inline void BFloat16ToFloat(const bfloat16* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace tensorflow

namespace std {
template <>
struct hash<tensorflow::DeviceType> {
  size_t operator()(const tensorflow::DeviceType& type) const { return hash<string>()(type.type_string()); }
};
}  // namespace std

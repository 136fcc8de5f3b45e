// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a DataType known while running to a C++ type known while compiling:
//
//   return DispatchType<TypeList<float, double>>(x.dtype(), [&]<class T>() { return Fill(x.flat<T>()); });

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/type_list.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Name(type), and for an unknown number "unknown dtype enum (77)".
inline std::string DataTypeString(DataType type) {
  if (type == DataType::kInvalid || IsKnownType(type)) return std::string(Name(type));
  return StrCat("unknown dtype enum (", static_cast<std::int32_t>(type), ")");
}

// "float, int32": ascending, or "none".
inline std::string DataTypeSetString(DataTypeSet types) {
  if (types.empty()) return "none";
  return StrJoin(types, ", ");
}

// "[float, int32_ref]": a list in its own order, as TensorFlow writes signatures.
template <class DataTypes>
std::string DataTypeListString(const DataTypes& types) {
  return StrCat("[", StrJoin(types, ", ", [](std::string* out, DataType type) { out->append(DataTypeString(type)); }),
                "]");
}

// The dtypes of a list of element types.
template <class List>
struct dtypes_of;
template <class... T>
struct dtypes_of<TypeList<T...>> {
  static constexpr DataTypeSet value{(std::uint64_t{0} | ... | ToSet(dtype_of_v<T>).mask)};
};

namespace detail {
TENON_DETAIL_COLD inline Status NoSuchType(std::string_view where, DataType type, DataTypeSet supported) {
  return errors::InvalidArgument(where, where.empty() ? "" : ": ", "type '", DataTypeString(type),
                                 "' is not supported here; supported types: ", DataTypeSetString(supported));
}

// `found` says whether the list has the type; a visitor that returns nothing counts as successful.
template <class T, class Visitor>
constexpr bool VisitIf(DataType type, Visitor& visitor, Status* status) {
  if (type != dtype_of_v<T>) return false;
  if constexpr (std::is_void_v<decltype(visitor.template operator()<T>())>) {
    visitor.template operator()<T>();
  } else {
    *status = visitor.template operator()<T>();
  }
  return true;
}

template <class... T, class Visitor>
Status Dispatch(TypeList<T...>, DataType type, Visitor& visitor, std::string_view where) {
  Status status;
  if ((VisitIf<T>(type, visitor, &status) || ...)) return status;
  return NoSuchType(where, type, dtypes_of<TypeList<T...>>::value);
}
}  // namespace detail

// Calls visitor.template operator()<T>() for the T in List whose DataType is `type`; it returns Status or nothing.
// InvalidArgument, naming the types that there are, if List has none; `where` starts that message (an op's name).
template <class List, class Visitor>
Status DispatchType(DataType type, Visitor&& visitor, std::string_view where = {}) {
  return detail::Dispatch(List{}, type, visitor, where);
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is an attr's value of the type that an OpDef spells ("int", "list(type)"), and what is it as a C++ value:
// AttrValue::Get.

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_members.hpp>
#include <tenon/op/attr/attr_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status WrongAttrKind(std::string_view had, std::string_view expected) {
  return errors::InvalidArgument("AttrValue had value with type '", had, "' when '", expected, "' expected");
}
TENON_DETAIL_COLD inline Status ForAttr(const Status& status, std::string_view attr_name) {
  return status.WithAppended(StrCat(" for attr '", attr_name, "'"));
}
TENON_DETAIL_COLD inline Status AttrHas(std::string_view attr_name, const Status& status) {
  return Status(status.code(), StrCat("Attr ", attr_name, " has ", status.message()));
}

inline std::string_view AttrKindName(AttrValue::Kind kind) {
  constexpr std::string_view kNames[] = {"",      "string", "int",  "float",       "bool", "type",
                                         "shape", "tensor", "func", "placeholder", "list"};
  return kNames[static_cast<int>(kind)];
}

// The first type of item that the list has besides `expected` ("list(int)"), or "".
inline std::string_view OtherListType(const AttrList& list, std::string_view expected) {
  const std::pair<bool, std::string_view> has[] = {
      {!list.s.empty(), "list(string)"},      {!list.i.empty(), "list(int)"},     {!list.f.empty(), "list(float)"},
      {!list.b.empty(), "list(bool)"},        {!list.type.empty(), "list(type)"}, {!list.shape.empty(), "list(shape)"},
      {!list.tensor.empty(), "list(tensor)"}, {!list.func.empty(), "list(func)"}};
  for (const auto& [present, name] : has) {
    if (present && name != expected) return name;
  }
  return {};
}

inline Status CheckAttrDataType(DataType type, bool in_list) {
  if (!IsKnownType(type) && type != DataType::kInvalid) {
    return errors::InvalidArgument("AttrValue has invalid DataType enum: ", static_cast<std::int32_t>(type));
  }
  if (IsRefType(type)) return errors::InvalidArgument("AttrValue must not have reference type value of ", type);
  if (type == DataType::kInvalid) {
    return errors::InvalidArgument(in_list ? "AttrValue contains invalid DataType" : "AttrValue has invalid DataType");
  }
  return OkStatus();
}

}  // namespace detail

// Is the value of the type an OpDef spells as `type` ("int", "list(type)")? An empty list and an unset value pass as
// any list.
inline Status AttrValueHasType(const AttrValue& value, std::string_view type) {
  const bool want_list = StartsWith(type, "list(");
  switch (value.kind()) {
    case AttrValue::Kind::kNone:
      if (want_list) return OkStatus();
      return errors::InvalidArgument("AttrValue missing value with expected type '", type, "'");
    case AttrValue::Kind::kPlaceholder:
      return errors::InvalidArgument("AttrValue had value with unexpected type 'placeholder'");
    case AttrValue::Kind::kList:
      if (const std::string_view other = detail::OtherListType(value.list(), type); !other.empty()) {
        return detail::WrongAttrKind(other, type);
      }
      if (!want_list) return errors::InvalidArgument("AttrValue missing value with expected type '", type, "'");
      if (type == "list(type)") {
        for (const DataType t : value.list().type) TENON_RETURN_IF_ERROR(detail::CheckAttrDataType(t, true));
      }
      return OkStatus();
    default:
      if (detail::AttrKindName(value.kind()) != type)
        return detail::WrongAttrKind(detail::AttrKindName(value.kind()), type);
      return type == "type" ? detail::CheckAttrDataType(value.type(), false) : OkStatus();
  }
}

namespace detail {

// One stored element as what the caller wants; void where that cannot fail.
inline Status ConvertAttr(std::int64_t from, int* to) {
  if (from < std::numeric_limits<int>::min() || from > std::numeric_limits<int>::max()) {
    return errors::InvalidArgument("value ", from, " out of range for an int32");
  }
  return *to = static_cast<int>(from), OkStatus();
}
TENON_DETAIL_ALWAYS_INLINE void ConvertAttr(char from, bool* to) { *to = from != 0; }
TENON_DETAIL_ALWAYS_INLINE void ConvertAttr(const std::string& from, std::string_view* to) { *to = from; }
inline Status ConvertAttr(const PartialTensorShape& from, TensorShape* to) {
  if (from.AsTensorShape(to)) return OkStatus();
  return errors::InvalidArgument("Shape ", from, " is not fully defined");
}
TENON_DETAIL_ALWAYS_INLINE void ConvertAttr(const NameAttrList& from, const NameAttrList** to) { *to = &from; }
template <class T>
TENON_DETAIL_ALWAYS_INLINE void ConvertAttr(const T& from, T* to) {
  *to = from;
}

// A value that is of the right kind.
TENON_DETAIL_ALWAYS_INLINE std::int64_t StoredAttr(const AttrValue& v, const std::int64_t*) { return v.i(); }
TENON_DETAIL_ALWAYS_INLINE float StoredAttr(const AttrValue& v, const float*) { return v.f(); }
TENON_DETAIL_ALWAYS_INLINE char StoredAttr(const AttrValue& v, const char*) { return v.b() ? 1 : 0; }
TENON_DETAIL_ALWAYS_INLINE DataType StoredAttr(const AttrValue& v, const DataType*) { return v.type(); }
TENON_DETAIL_ALWAYS_INLINE const std::string& StoredAttr(const AttrValue& v, const std::string*) { return v.s(); }
TENON_DETAIL_ALWAYS_INLINE const PartialTensorShape& StoredAttr(const AttrValue& v, const PartialTensorShape*) {
  return v.shape();
}
TENON_DETAIL_ALWAYS_INLINE const Tensor& StoredAttr(const AttrValue& v, const Tensor*) { return v.tensor(); }
TENON_DETAIL_ALWAYS_INLINE const NameAttrList& StoredAttr(const AttrValue& v, const NameAttrList*) { return v.func(); }

TENON_DETAIL_COLD inline Status UndecodedAttr(const AttrValue& value, std::string_view attr_name) {
  return Status(value.decode_status().code(),
                StrCat("Attr '", attr_name, "' has a value that can't be converted to a ",
                       value.kind() == AttrValue::Kind::kTensor ? "Tensor" : "TensorShape", ": ",
                       value.decode_status().message()));
}

// Can the attr be read as what an OpDef spells as `type`? What all types have in common is no template.
inline Status CheckAttr(const AttrValue& value, std::string_view type, std::string_view attr_name) {
  Status status = AttrValueHasType(value, type);
  return status.ok() ? status : ForAttr(status, attr_name);
}
inline Status CheckSingleAttr(const AttrValue& value, std::string_view type, std::string_view attr_name) {
  TENON_RETURN_IF_ERROR(CheckAttr(value, type, attr_name));
  return value.decode_status().ok() ? OkStatus() : UndecodedAttr(value, attr_name);
}

template <class T>
struct AttrGetter {  // a single value
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, T* out) {
    Status status = CheckSingleAttr(value, AttrElement<Stored>::name, attr_name);
    if (status.ok()) {
      if constexpr (std::is_void_v<decltype(ConvertAttr(StoredAttr(value, static_cast<const Stored*>(nullptr)),
                                                        out))>) {
        ConvertAttr(StoredAttr(value, static_cast<const Stored*>(nullptr)), out);
      } else {
        status = ConvertAttr(StoredAttr(value, static_cast<const Stored*>(nullptr)), out);
        if (!status.ok()) return AttrHas(attr_name, status);
      }
    }
    return status;
  }
};
template <class List>
  requires(!std::same_as<List, std::string>) && GrowableListOf<List, typename List::value_type>
struct AttrGetter<List> {
  using T = typename List::value_type;
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, List* out) {
    TENON_RETURN_IF_ERROR(CheckAttr(value, AttrElement<Stored>::list_name, attr_name));
    const SlimVector<Stored>& list = AttrElement<Stored>::Of(value.list());
    out->reserve(out->size() + list.size());
    for (const Stored& item : list) {
      T converted{};
      if constexpr (std::is_void_v<decltype(ConvertAttr(item, &converted))>) {
        ConvertAttr(item, &converted);
      } else if (const Status status = ConvertAttr(item, &converted); !status.ok()) {
        return AttrHas(attr_name, status);
      }
      out->push_back(std::move(converted));
    }
    return OkStatus();
  }
};
template <class T>
struct AttrGetter<Span<const T>> {
  static Status Get(const AttrValue& value, std::string_view attr_name, Span<const T>* out) {
    Status status = CheckAttr(value, AttrElement<T>::list_name, attr_name);
    if (status.ok()) *out = AttrElement<T>::Of(value.list());
    return status;
  }
};
template <class T>
struct AttrGetter<std::span<const T>> {
  static Status Get(const AttrValue& value, std::string_view attr_name, std::span<const T>* out) {
    Span<const T> items;
    Status status = AttrGetter<Span<const T>>::Get(value, attr_name, &items);
    if (status.ok()) *out = std::span<const T>(items.data(), items.size());
    return status;
  }
};

}  // namespace detail

template <class T>
TENON_DETAIL_ALWAYS_INLINE Status AttrValue::Get(std::string_view attr_name, T* out) const {
  return detail::AttrGetter<T>::Get(*this, attr_name, out);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variants whole: values of any type put in and got out, and their serialised form, VariantTensorData. The
// operations that other programs and devices need of a type are in tensor/variant_registry.hpp.

#include <concepts>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant_element.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A value taken apart, as a VariantTensorDataProto holds it. Plain data.
struct VariantTensorData {
  std::string type_name;  // name of the value's type, for the decoder
  std::string metadata;   // any bytes
  SlimVector<Tensor> tensors;

  // A plain value as the whole metadata, in the machine's byte order (little-endian).
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void SetMetadata(const T& value) {
    metadata.assign(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // False, and *value unchanged, when the metadata has another size.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  bool GetMetadata(T* value) const {
    if (metadata.size() != sizeof *value) return false;
    std::memcpy(static_cast<void*>(value), metadata.data(), sizeof *value);
    return true;
  }

  bool empty() const { return type_name.empty() && metadata.empty() && tensors.empty(); }
  std::string DebugString() const {
    std::string text = StrCat("type_name: ", type_name, " metadata: ", CEscape(metadata));
    for (const Tensor& tensor : tensors) StrAppend(&text, " tensors: ", tensor.DebugString());
    return text;
  }
  // Tensors are the same if dtype, shape and bytes are.
  friend bool operator==(const VariantTensorData& a, const VariantTensorData& b);
};

namespace detail {

template <class T>
bool SameItems(const Tensor& a, const Tensor& b) {
  for (Index i = 0; i < a.NumElements(); ++i) {
    if (!(a.data<T>()[i] == b.data<T>()[i])) return false;
  }
  return true;
}
// Whether dtype, shape and bytes are equal; elements that are not plain bytes are compared by ==. Tensors in device
// memory are equal only if they share it.
inline bool SameContents(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.NumElements() == 0 || a.raw_data() == b.raw_data()) return true;
  if (a.raw_data() == nullptr || b.raw_data() == nullptr || !a.HostAccessible() || !b.HostAccessible()) return false;
  if (a.dtype() == DataType::kString) return SameItems<tstring>(a, b);
  if (a.dtype() == DataType::kResource) return SameItems<ResourceHandle>(a, b);
  if (a.dtype() == DataType::kVariant) return SameItems<Variant>(a, b);
  return a.tensor_data() == b.tensor_data();
}

// The type's name as its compiler writes it.
template <class T>
constexpr std::string_view CppName() {
  std::string_view text = TENON_DETAIL_SIGNATURE;
  const std::size_t start = text.find("T = ");
  if (start == std::string_view::npos) return text;
  text.remove_prefix(start + 4);
  const std::size_t end = text.find("; ");  // g++ goes on with the types of aliases
  return end == std::string_view::npos ? text.substr(0, text.size() - 1) : text.substr(0, end);
}
// CppName if no other type of the process can have this name, otherwise "": a type of an unnamed namespace, of a
// function, or a lambda is found in one source file only, where its table has one address. clang writes a function's
// types without the function, as if they were global, so a name without "::" counts only for numbers.
template <class T>
constexpr std::string_view UniqueCppName() {
  const std::string_view name = CppName<T>();
  const bool local = name.find_first_of("({'`") != std::string_view::npos ||
                     name.find("unnamed") != std::string_view::npos ||
                     (!std::is_arithmetic_v<T> && name.find("::") == std::string_view::npos);
  return local ? std::string_view() : name;
}

template <class T>
concept NamesItself = requires(const T& value) {
  { value.TypeName() } -> std::convertible_to<std::string_view>;
};
template <class T>
concept DescribesItself = requires(const T& value) { std::string(value.DebugString()); };
template <class T>
concept HasText = std::is_convertible_v<const T&, Piece>;
// The class that Encode and Decode of T take: VariantTensorData, or one derived from it without members.
template <class T>
struct VariantDataOf {
  using type = VariantTensorData;
};
template <class T>
concept EncodesItself = requires(const T& value, typename VariantDataOf<T>::type* data) { value.Encode(data); };
template <class T>
concept DecodesItself = requires(T& value, typename VariantDataOf<T>::type&& data) { value.Decode(std::move(data)); };

template <class T>
std::string VariantTypeName(const T& value) {
  if constexpr (NamesItself<T>)
    return std::string(std::string_view(value.TypeName()));
  else if constexpr (std::is_same_v<T, Tensor>)
    return "tensorflow::Tensor";
  else
    return std::string(CppName<T>());
}

// The functions of VariantTable for one type.
template <class T>
struct VariantOf {
  static constexpr bool kOnHeap = sizeof(T) > Variant::kInlineBytes || alignof(T) > alignof(void*) ||
                                  !std::is_nothrow_move_constructible_v<T>;
  static const T& At(const void* value) { return *static_cast<const T*>(value); }

  template <class... Args>
  static void Emplace(Variant* to, Args&&... args) {
    if constexpr (kOnHeap) {
      T* const heap = new T(std::forward<Args>(args)...);
      std::memcpy(to->bytes_, &heap, sizeof heap);
    } else {
      ::new (static_cast<void*>(to->bytes_)) T(std::forward<Args>(args)...);
    }
    to->table_ = &table;
  }

  static std::string TypeName(const void* value) {
    if constexpr (std::is_same_v<T, VariantTensorData>)
      return At(value).type_name;
    else
      return VariantTypeName(At(value));
  }
  static std::string DebugString(const void* value) {
    if constexpr (DescribesItself<T>)
      return std::string(At(value).DebugString());
    else if constexpr (HasText<T>)
      return StrCat(At(value));
    else
      return "?";
  }
  static void Copy(const void* from, Variant* to) { Emplace(to, At(from)); }
  static void Move(Variant* from, Variant* to) noexcept {
    to->table_ = from->table_;
    if constexpr (kOnHeap) {
      std::memcpy(to->bytes_, from->bytes_, sizeof(void*));
    } else {
      T* const source = static_cast<T*>(from->value());
      ::new (static_cast<void*>(to->bytes_)) T(std::move(*source));
      source->~T();
    }
    from->table_ = nullptr;
  }
  static void Destroy(Variant* variant) {
    T* const object = static_cast<T*>(variant->value());
    if constexpr (kOnHeap)
      delete object;
    else
      object->~T();
  }
  static bool Same(const void* a, const void* b) {
    if constexpr (std::is_same_v<T, Tensor>)
      return SameContents(At(a), At(b));
    else if constexpr (std::equality_comparable<T>)
      return At(a) == At(b);
    else
      return false;
  }

  static bool Encode(const void* value, VariantTensorData* data) {
    if constexpr (std::is_same_v<T, VariantTensorData>) {
      *data = At(value);
    } else if constexpr (EncodesItself<T>) {
      At(value).Encode(static_cast<typename VariantDataOf<T>::type*>(data));
    } else if constexpr (std::is_same_v<T, Tensor>) {
      data->tensors.push_back(At(value));
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      data->SetMetadata(At(value));
    } else {
      return false;
    }
    return true;
  }
  static bool Decode(VariantTensorData* data, void* value) {
    T& object = *static_cast<T*>(value);
    if constexpr (std::is_same_v<T, VariantTensorData>) {
      object = std::move(*data);
    } else if constexpr (DecodesItself<T>) {
      return object.Decode(std::move(static_cast<typename VariantDataOf<T>::type&>(*data)));
    } else if constexpr (std::is_same_v<T, Tensor>) {
      if (data->tensors.size() != 1) return false;
      object = data->tensors[0];
    } else if constexpr (std::is_same_v<T, bool>) {
      unsigned char byte = 0;
      if (!data->GetMetadata(&byte) || byte > 1) return false;
      object = byte != 0;
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      return data->GetMetadata(&object);
    } else {
      return false;
    }
    return true;
  }

  static constexpr VariantTable table = {UniqueCppName<T>(),
                                         &TypeName,
                                         &DebugString,
                                         &Copy,
                                         &Move,
                                         &Destroy,
                                         &Same,
                                         &Encode,
                                         &Decode,
                                         kOnHeap,
                                         std::is_same_v<T, VariantTensorData>};
};

}  // namespace detail

inline bool operator==(const VariantTensorData& a, const VariantTensorData& b) {
  if (a.type_name != b.type_name || a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    if (!detail::SameContents(a.tensors[i], b.tensors[i])) return false;
  }
  return true;
}

template <class T>
  requires(detail::IsVariantValue<T>())
Variant::Variant(T&& value) : table_(nullptr) {
  static_assert(std::is_copy_constructible_v<std::decay_t<T>>, "tenon: a Variant copies its value; T cannot be copied");
  detail::VariantOf<std::decay_t<T>>::Emplace(this, std::forward<T>(value));
}
template <class T>
bool Variant::is() const {
  if constexpr (std::is_void_v<T>)
    return !is_empty();
  else
    return Holds(&detail::VariantOf<T>::table);
}
template <class T>
T* Variant::get() {
  return is<T>() ? static_cast<T*>(value()) : nullptr;
}
template <class T>
const T* Variant::get() const {
  return is<T>() ? static_cast<const T*>(value()) : nullptr;
}

// The value taken apart, with its type's name; a serialised one as it came; nothing for an empty Variant. Types encode
// themselves by `void Encode(VariantTensorData*) const`; a Tensor and trivially copyable types need no such member.
// Unimplemented for other types.
inline Status EncodeVariant(const Variant& variant, VariantTensorData* data) {
  *data = VariantTensorData();
  if (variant.is_empty()) return OkStatus();
  const bool encoded = variant.table()->encode(variant.value(), data);
  data->type_name = variant.TypeName();
  if (encoded) return OkStatus();
  return errors::Unimplemented("EncodeVariant: type '", data->type_name,
                               "' cannot be serialised; it needs void Encode(VariantTensorData*) const");
}

namespace detail {
[[nodiscard]] TENON_DETAIL_COLD inline Status WrongVariant(std::string_view wanted, const Variant& variant) {
  return errors::InvalidArgument(
      "GetVariantValue: a variant of type '", wanted, "' expected, got ",
      variant.is_empty() ? std::string("an empty one") : StrCat("'", variant.TypeName(), "'"),
      variant.is_serialized() ? ", which was not decoded" : "");
}
[[nodiscard]] TENON_DETAIL_COLD inline Status UndecodableVariant(std::string_view type_name) {
  return errors::InvalidArgument("Could not decode variant with type_name: \"", type_name,
                                 "\".  The metadata or tensors are not what this type writes");
}
}  // namespace detail

// The value if it is a T; one that is still serialised is decoded first, and stays so. InvalidArgument for a value of
// another type, and for bytes that T cannot decode: *variant is then as it was. Types decode themselves by
// `bool Decode(VariantTensorData)`; T must be default-constructible.
//
//   TENON_ASSIGN_OR_RETURN(Point* const p, GetVariantValue<Point>(&tensor.flat<Variant>()[0]));
template <class T>
Result<T*> GetVariantValue(Variant* variant) {
  if (T* const value = variant->get<T>(); value != nullptr) return value;
  T made{};
  const std::string wanted = detail::VariantTypeName(made);
  if (!variant->is_serialized() || variant->TypeName() != wanted) return detail::WrongVariant(wanted, *variant);
  VariantTensorData data = *variant->get<VariantTensorData>();
  if (!detail::VariantOf<T>::Decode(&data, &made)) return detail::UndecodableVariant(wanted);
  *variant = std::move(made);
  return variant->get<T>();
}
// Returns the value without decoding it, for a value that other threads may be reading.
template <class T>
Result<const T*> GetVariantValue(const Variant* variant) {
  if (const T* const value = variant->get<T>(); value != nullptr) return value;
  return detail::WrongVariant(detail::VariantTypeName(T{}), *variant);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

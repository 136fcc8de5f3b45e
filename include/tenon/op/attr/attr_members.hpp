// SPDX-License-Identifier: Apache-2.0
#pragma once
// How an AttrValue keeps its value: small values in itself, large values behind a pointer that copies share.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
template <class T>
struct SharedAttr final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
  Status error;  // shapes and tensors: why there is no value
  std::string proto;  // the serialised form instead
  PartialTensorShape shape;  // shape of a tensor that has no value
};
template <class T>
  requires(std::same_as<T, AttrList> || std::same_as<T, NameAttrList>)
struct SharedAttr<T> final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
};

// The empty value that a getter of an absent value refers to.
template <class T>
const T& EmptyAttr() {
  static const T* const empty = new T();
  return *empty;
}

// The C++ element type of a list attr -> its vector in AttrList and its name.
template <class T>
struct AttrElement;
#define TENON_DETAIL_ATTR_ELEMENT(T, member, text)                               \
  template <>                                                                    \
  struct AttrElement<T> {                                                        \
    static constexpr std::string_view name = text, list_name = "list(" text ")"; \
    static const SlimVector<T>& Of(const AttrList& list) { return list.member; } \
    static SlimVector<T>& Of(AttrList& list) { return list.member; }             \
  };
TENON_DETAIL_ATTR_ELEMENT(std::string, s, "string")
TENON_DETAIL_ATTR_ELEMENT(std::int64_t, i, "int")
TENON_DETAIL_ATTR_ELEMENT(float, f, "float")
TENON_DETAIL_ATTR_ELEMENT(char, b, "bool")
TENON_DETAIL_ATTR_ELEMENT(DataType, type, "type")
TENON_DETAIL_ATTR_ELEMENT(PartialTensorShape, shape, "shape")
TENON_DETAIL_ATTR_ELEMENT(Tensor, tensor, "tensor")
TENON_DETAIL_ATTR_ELEMENT(NameAttrList, func, "func")
#undef TENON_DETAIL_ATTR_ELEMENT

// How a T asked of Get, or given in a vector, is stored: Stored is an element type of AttrList.
template <class T>
struct AttrStorage {
  using Stored = T;
};
template <>
struct AttrStorage<int> {
  using Stored = std::int64_t;
};
template <>
struct AttrStorage<bool> {
  using Stored = char;
};
template <>
struct AttrStorage<std::string_view> {
  using Stored = std::string;
};
template <>
struct AttrStorage<const char*> {
  using Stored = std::string;
};
template <>
struct AttrStorage<TensorShape> {
  using Stored = PartialTensorShape;
};
template <>
struct AttrStorage<const NameAttrList*> {
  using Stored = NameAttrList;
};
}  // namespace detail

template <class T>
AttrValue AttrValue::Hold(Kind kind, T value) {
  AttrValue made;
  made.held_ = new detail::SharedAttr<T>(std::move(value));
  made.kind_ = kind;
  return made;
}
template <class T>
AttrValue AttrValue::Undecoded(Kind kind, std::string proto, Status why, PartialTensorShape shape) {
  auto* held = new detail::SharedAttr<T>(T());
  held->error = std::move(why);
  held->proto = std::move(proto);
  held->shape = std::move(shape);
  AttrValue made;
  made.held_ = held;
  made.kind_ = kind;
  return made;
}
template <class T>
const detail::SharedAttr<T>* AttrValue::Held() const {
  return static_cast<const detail::SharedAttr<T>*>(held_);
}
template <class T>
T* AttrValue::MutableHeld(Kind kind) {
  if (kind_ != kind || !decode_status().ok()) {
    *this = Hold<T>(kind, T());
  } else if (!held_->RefCountIsOne()) {
    *this = Hold<T>(kind, T(Held<T>()->value));
  }
  return const_cast<T*>(&Held<T>()->value);
}

inline AttrValue::AttrValue(const AttrValue& other) : kind_(other.kind_), i_(0) {
  if (holds_text()) {
    ::new (static_cast<void*>(&s_)) std::string(other.s_);
  } else if (holds_shared()) {
    held_ = other.held_;
    held_->AddRef();
  } else {
    i_ = other.i_;
  }
}
inline AttrValue::AttrValue(AttrValue&& other) noexcept : kind_(other.kind_), i_(0) {
  if (holds_text()) {
    ::new (static_cast<void*>(&s_)) std::string(std::move(other.s_));
    other.Reset();
  } else if (holds_shared()) {
    held_ = other.held_;
    other.kind_ = Kind::kNone;
    other.i_ = 0;
  } else {
    i_ = other.i_;
  }
}
inline AttrValue& AttrValue::operator=(const AttrValue& other) {
  if (this != &other) *this = AttrValue(other);
  return *this;
}
inline AttrValue& AttrValue::operator=(AttrValue&& other) noexcept {
  if (this != &other) {
    AttrValue old(std::move(*this));  // destroyed last: `other` may lie inside it
    this->~AttrValue();
    ::new (static_cast<void*>(this)) AttrValue(std::move(other));
  }
  return *this;
}
inline AttrValue::~AttrValue() { Reset(); }

inline AttrValue::AttrValue(PartialTensorShape shape) : AttrValue(Hold(Kind::kShape, std::move(shape))) {}
inline AttrValue::AttrValue(Tensor tensor) : AttrValue(Hold(Kind::kTensor, std::move(tensor))) {}
inline AttrValue::AttrValue(NameAttrList function) : AttrValue(Hold(Kind::kFunc, std::move(function))) {}
inline AttrValue::AttrValue(AttrList list) : AttrValue(Hold(Kind::kList, std::move(list))) {}
template <class List>
  requires requires(const List& items) {
    typename List::value_type;
    items.begin();
    items.size();
  }
AttrValue::AttrValue(const List& items) : AttrValue() {
  auto& list =
      detail::AttrElement<typename detail::AttrStorage<typename List::value_type>::Stored>::Of(*mutable_list());
  list.reserve(items.size());
  for (const auto& item : items) list.emplace_back(item);
}
inline AttrValue AttrValue::Placeholder(std::string name) {
  AttrValue made(std::move(name));
  made.kind_ = Kind::kPlaceholder;
  return made;
}
inline AttrValue AttrValue::UndecodedShape(std::string proto, Status why) {
  return Undecoded<PartialTensorShape>(Kind::kShape, std::move(proto), std::move(why), {});
}
inline AttrValue AttrValue::UndecodedTensor(std::string proto, Status why, PartialTensorShape shape) {
  return Undecoded<Tensor>(Kind::kTensor, std::move(proto), std::move(why), std::move(shape));
}

inline const std::string& AttrValue::s() const {
  return kind_ == Kind::kString ? s_ : detail::EmptyAttr<std::string>();
}
inline const std::string& AttrValue::placeholder() const {
  return kind_ == Kind::kPlaceholder ? s_ : detail::EmptyAttr<std::string>();
}
inline const PartialTensorShape& AttrValue::shape() const {
  return kind_ == Kind::kShape ? Held<PartialTensorShape>()->value : detail::EmptyAttr<PartialTensorShape>();
}
inline const Tensor& AttrValue::tensor() const {
  return kind_ == Kind::kTensor ? Held<Tensor>()->value : detail::EmptyAttr<Tensor>();
}
inline const NameAttrList& AttrValue::func() const {
  return kind_ == Kind::kFunc ? Held<NameAttrList>()->value : detail::EmptyAttr<NameAttrList>();
}
inline const AttrList& AttrValue::list() const {
  return kind_ == Kind::kList ? Held<AttrList>()->value : detail::EmptyAttr<AttrList>();
}
inline const Status& AttrValue::decode_status() const {
  if (kind_ == Kind::kShape) return Held<PartialTensorShape>()->error;
  if (kind_ == Kind::kTensor) return Held<Tensor>()->error;
  return detail::EmptyAttr<Status>();
}
inline std::string_view AttrValue::undecoded() const {
  if (kind_ == Kind::kShape) return Held<PartialTensorShape>()->proto;
  if (kind_ == Kind::kTensor) return Held<Tensor>()->proto;
  return {};
}
inline const PartialTensorShape& AttrValue::undecoded_shape() const {
  return kind_ == Kind::kTensor ? Held<Tensor>()->shape : detail::EmptyAttr<PartialTensorShape>();
}

inline std::string* AttrValue::mutable_s() { return MutableText(Kind::kString); }
inline std::string* AttrValue::mutable_placeholder() { return MutableText(Kind::kPlaceholder); }
inline PartialTensorShape* AttrValue::mutable_shape() { return MutableHeld<PartialTensorShape>(Kind::kShape); }
inline Tensor* AttrValue::mutable_tensor() { return MutableHeld<Tensor>(Kind::kTensor); }
inline NameAttrList* AttrValue::mutable_func() { return MutableHeld<NameAttrList>(Kind::kFunc); }
inline AttrList* AttrValue::mutable_list() { return MutableHeld<AttrList>(Kind::kList); }

inline bool operator==(const AttrList& a, const AttrList& b) {
  if (a.tensor.size() != b.tensor.size()) return false;
  for (std::size_t k = 0; k < a.tensor.size(); ++k) {
    if (!SameTensor(a.tensor[k], b.tensor[k])) return false;
  }
  if (a.f.size() != b.f.size() ||
      (!a.f.empty() && std::memcmp(a.f.data(), b.f.data(), a.f.size() * sizeof(float)) != 0))
    return false;
  return a.s == b.s && a.i == b.i && a.b == b.b && a.type == b.type && a.shape == b.shape && a.func == b.func;
}
inline bool AttrValue::AreEqual(const AttrValue& a, const AttrValue& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.holds_shared() && a.held_ == b.held_) return true;
  if (a.undecoded() != b.undecoded() || a.decode_status().ok() != b.decode_status().ok()) return false;
  switch (a.kind_) {
    case AttrValue::Kind::kNone: return true;
    case AttrValue::Kind::kString:
    case AttrValue::Kind::kPlaceholder: return a.s_ == b.s_;
    case AttrValue::Kind::kInt: return a.i_ == b.i_;
    case AttrValue::Kind::kFloat: return std::memcmp(&a.f_, &b.f_, sizeof(float)) == 0;
    case AttrValue::Kind::kBool: return a.b_ == b.b_;
    case AttrValue::Kind::kType: return a.type_ == b.type_;
    case AttrValue::Kind::kShape: return a.shape() == b.shape();
    case AttrValue::Kind::kTensor: return SameTensor(a.tensor(), b.tensor());
    case AttrValue::Kind::kFunc: return a.func() == b.func();
    case AttrValue::Kind::kList: return a.list() == b.list();
  }
  return false;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

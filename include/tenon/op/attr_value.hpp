// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttrValue: the value of an op's attr in a node: a number, text, dtype, shape, tensor, function, placeholder, or a
// list of such. AttrMap: a node's attrs, sorted by name. Plain data; what they mean to an op is decided elsewhere.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_NAMESPACE_BEGIN

struct AttrList;
struct NameAttrList;
class AttrValue;

namespace detail {
// A value behind one pointer, shared by the copies of an AttrValue until one of them is changed. A shape or tensor that
// could not be made from its serialised form keeps that form and the reason.
template <class T>
struct SharedAttr;

// Sorts by key; of several values with one key the last stays.
template <class K, class V>
void SortByKey(SlimVector<std::pair<K, V>>* items) {
  SlimVector<std::pair<K, V>>& all = *items;
  std::size_t sorted = 1;
  while (sorted < all.size() && all[sorted - 1].first < all[sorted].first) ++sorted;
  if (sorted >= all.size()) return;
  const SlimVector<std::size_t> order =
      SortedOrder(all.size(), [&all](std::size_t a, std::size_t b) { return all[a].first < all[b].first; });
  SlimVector<std::pair<K, V>> ordered;
  ordered.reserve(all.size());
  for (const std::size_t i : order) {
    if (!ordered.empty() && ordered.back().first == all[i].first) ordered.pop_back();
    ordered.push_back(std::move(all[i]));
  }
  all.swap(ordered);
}
}  // namespace detail

// externally synchronised. Copies of large values (lists, tensors, functions) share them.
//
//   AttrValue value = DataType::kFloat;
//   DataType type;
//   TENON_RETURN_IF_ERROR(value.Get("T", &type));
class AttrValue {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kString,
    kInt,
    kFloat,
    kBool,
    kType,
    kShape,
    kTensor,
    kFunc,
    kPlaceholder,
    kList
  };

  AttrValue() noexcept : kind_(Kind::kNone), i_(0) {}
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();

  // From the value itself.
  AttrValue(std::string text) : kind_(Kind::kString) { ::new (static_cast<void*>(&s_)) std::string(std::move(text)); }
  AttrValue(std::string_view text) : AttrValue(std::string(text)) {}
  AttrValue(const char* text) : AttrValue(std::string(text)) {}
  template <std::same_as<bool> T>
  AttrValue(T value) : kind_(Kind::kBool), i_(0) {
    b_ = value;
  }
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  AttrValue(T value) : kind_(Kind::kInt), i_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  AttrValue(T value) : kind_(Kind::kFloat), i_(0) {
    f_ = static_cast<float>(value);
  }
  AttrValue(DataType type) : kind_(Kind::kType), i_(0) { type_ = type; }
  AttrValue(PartialTensorShape shape);
  AttrValue(const TensorShape& shape) : AttrValue(PartialTensorShape(shape)) {}
  AttrValue(Tensor tensor);
  AttrValue(NameAttrList function);
  AttrValue(AttrList list);
  template <class List>
    requires requires(const List& items) {
      typename List::value_type;
      items.begin();
      items.size();
    }
  AttrValue(const List& items);  // std::vector, std::span, SlimVector of AttrList's element types
  // The name of an attr of the enclosing function whose value goes here.
  static AttrValue Placeholder(std::string name);
  // A serialised TensorShapeProto or TensorProto that has no value, and why. It stays in the graph and is written as it
  // came; Get gives the reason.
  static AttrValue UndecodedShape(std::string proto, Status why);
  static AttrValue UndecodedTensor(std::string proto, Status why);

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ != Kind::kNone; }

  // The value where kind() says so; otherwise zero, "", an empty list...
  const std::string& s() const;
  std::int64_t i() const { return kind_ == Kind::kInt ? i_ : 0; }
  float f() const { return kind_ == Kind::kFloat ? f_ : 0.0f; }
  bool b() const { return kind_ == Kind::kBool && b_; }
  DataType type() const { return kind_ == Kind::kType ? type_ : DataType::kInvalid; }
  const PartialTensorShape& shape() const;
  const Tensor& tensor() const;
  const NameAttrList& func() const;
  const std::string& placeholder() const;
  const AttrList& list() const;

  // OK but for an undecoded shape or tensor, whose serialised form undecoded() then is.
  const Status& decode_status() const;
  std::string_view undecoded() const;

  // The value to be changed; becomes an empty one of that kind when it is of another.
  std::string* mutable_s();
  PartialTensorShape* mutable_shape();
  Tensor* mutable_tensor();
  NameAttrList* mutable_func();
  AttrList* mutable_list();
  std::string* mutable_placeholder();

  // The value as a T: std::int64_t, int, float, bool, std::string, std::string_view, DataType, PartialTensorShape,
  // TensorShape, Tensor, NameAttrList, const NameAttrList*; std::vector or SlimVector of these (appends to it) or
  // std::span<const T> of AttrList's element types. string_view, pointer and span point into this value.
  // InvalidArgument, naming `attr_name`, when it is of another kind or does not fit. An unset value reads as an empty
  // list.
  template <class T>
  Status Get(std::string_view attr_name, T* out) const;

  // Tensors are equal when dtype, shape and bytes are.
  friend bool operator==(const AttrValue& a, const AttrValue& b);

 private:
  friend struct AttrValueAccess;  // op/proto_io.hpp

  bool holds_text() const { return kind_ == Kind::kString || kind_ == Kind::kPlaceholder; }
  bool holds_shared() const { return kind_ >= Kind::kShape && !holds_text(); }
  void Reset() {
    if (holds_text()) {
      s_.~basic_string();
    } else if (holds_shared()) {
      held_->Unref();
    }
    kind_ = Kind::kNone;
    i_ = 0;
  }
  template <class T>
  static AttrValue Hold(Kind kind, T value);
  template <class T>
  static AttrValue Undecoded(Kind kind, std::string proto, Status why);
  template <class T>
  const detail::SharedAttr<T>* Held() const;
  template <class T>
  T* MutableHeld(Kind kind);
  std::string* MutableText(Kind kind) {
    if (kind_ != kind) {
      Reset();
      ::new (static_cast<void*>(&s_)) std::string();
      kind_ = kind;
    }
    return &s_;
  }

  Kind kind_;
  union {
    std::int64_t i_;
    float f_;
    bool b_;
    DataType type_;
    std::string s_;  // kString, kPlaceholder
    const RefCounted* held_;  // kShape, kTensor, kFunc, kList: a SharedAttr
  };
};

// The attrs of a node: a vector sorted by name. externally synchronised.
class AttrMap {
 public:
  using value_type = std::pair<std::string, AttrValue>;
  using const_iterator = SlimVector<value_type>::const_iterator;

  AttrMap() = default;
  // The last of several values with one name counts.
  AttrMap(std::initializer_list<value_type> items);

  // The value of an attr, or null.
  const AttrValue* Find(std::string_view name) const;
  AttrValue* Find(std::string_view name);
  bool contains(std::string_view name) const { return Find(name) != nullptr; }
  // Adds the attr or overwrites it.
  void Set(std::string name, AttrValue value);
  // Adds the attr unless it is there already; false then.
  bool Insert(std::string name, AttrValue value);
  // The value of an attr, which is added without a value when it is not there.
  AttrValue& operator[](std::string_view name);
  // False if there was none.
  bool erase(std::string_view name);
  void clear();
  void reserve(std::size_t count);

  const_iterator begin() const;
  const_iterator end() const;
  std::size_t size() const;
  bool empty() const;

  // For readers of files: any number of AppendUnsorted, then SortAppended, which keeps the last of equal names.
  value_type* AppendUnsorted();
  void SortAppended();

  friend bool operator==(const AttrMap& a, const AttrMap& b) { return a.items_ == b.items_; }

 private:
  std::size_t LowerBound(std::string_view name) const;

  SlimVector<value_type> items_;
};

// A function and the values of its attrs.
struct NameAttrList {
  std::string name;
  AttrMap attr;

  friend bool operator==(const NameAttrList&, const NameAttrList&) = default;
};

// A list: as a rule only one of the vectors has items.
struct AttrList {
  SlimVector<std::string> s;
  SlimVector<std::int64_t> i;
  SlimVector<float> f;
  SlimVector<char> b;  // 0 or 1
  SlimVector<DataType> type;
  SlimVector<PartialTensorShape> shape;
  SlimVector<Tensor> tensor;
  SlimVector<NameAttrList> func;

  friend bool operator==(const AttrList& a, const AttrList& b);
};

namespace detail {
template <class T>
bool SameObjects(const Tensor& a, const Tensor& b) {
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  for (Index k = 0; k < a.NumElements(); ++k) {
    if (!(x[k] == y[k])) return false;
  }
  return true;
}
}  // namespace detail

// The same dtype, shape and bytes; strings and handles element by element. NaN equals itself, 0.0 and -0.0 differ.
inline bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.NumElements() == 0 || a.raw_data() == b.raw_data()) return true;
  if (a.raw_data() == nullptr || b.raw_data() == nullptr) return false;
  if (a.dtype() == DataType::kString) return detail::SameObjects<tstring>(a, b);
  if (a.dtype() == DataType::kResource) return detail::SameObjects<ResourceHandle>(a, b);
  return IsPlain(a.dtype()) && std::memcmp(a.raw_data(), b.raw_data(), a.TotalBytes()) == 0;
}

// ---------------------------------------------------------------------------------------------------- AttrMap, inline

inline std::size_t AttrMap::LowerBound(std::string_view name) const {
  std::size_t first = 0;
  for (std::size_t count = items_.size(); count > 0;) {
    const std::size_t half = count / 2;
    if (std::string_view(items_[first + half].first) < name) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
inline AttrMap::AttrMap(std::initializer_list<value_type> items) {
  items_.reserve(items.size());
  for (const value_type& item : items) Set(item.first, item.second);
}
inline const AttrValue* AttrMap::Find(std::string_view name) const {
  const std::size_t i = LowerBound(name);
  return i < items_.size() && items_[i].first == name ? &items_[i].second : nullptr;
}
inline AttrValue* AttrMap::Find(std::string_view name) {
  const std::size_t i = LowerBound(name);
  return i < items_.size() && items_[i].first == name ? &items_[i].second : nullptr;
}
inline void AttrMap::Set(std::string name, AttrValue value) {
  const std::size_t i = LowerBound(name);
  if (i < items_.size() && items_[i].first == name) {
    items_[i].second = std::move(value);
  } else {
    items_.insert(items_.begin() + i, value_type(std::move(name), std::move(value)));
  }
}
inline bool AttrMap::Insert(std::string name, AttrValue value) {
  const std::size_t i = LowerBound(name);
  if (i < items_.size() && items_[i].first == name) return false;
  items_.insert(items_.begin() + i, value_type(std::move(name), std::move(value)));
  return true;
}
inline AttrValue& AttrMap::operator[](std::string_view name) {
  const std::size_t i = LowerBound(name);
  if (i == items_.size() || items_[i].first != name) {
    items_.insert(items_.begin() + i, value_type(name, AttrValue()));
  }
  return items_[i].second;
}
inline bool AttrMap::erase(std::string_view name) {
  const std::size_t i = LowerBound(name);
  if (i == items_.size() || items_[i].first != name) return false;
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
  return true;
}
inline void AttrMap::clear() { items_.clear(); }
inline void AttrMap::reserve(std::size_t count) { items_.reserve(count); }
inline AttrMap::const_iterator AttrMap::begin() const { return items_.begin(); }
inline AttrMap::const_iterator AttrMap::end() const { return items_.end(); }
inline std::size_t AttrMap::size() const { return items_.size(); }
inline bool AttrMap::empty() const { return items_.empty(); }
inline AttrMap::value_type* AttrMap::AppendUnsorted() { return &items_.emplace_back(); }
inline void AttrMap::SortAppended() { detail::SortByKey(&items_); }

// -------------------------------------------------------------------------------------------------- AttrValue, inline

namespace detail {
template <class T>
struct SharedAttr final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
  Status error;  // shapes and tensors: why there is no value
  std::string proto;  // and what there is instead
};
template <class T>
  requires(std::same_as<T, AttrList> || std::same_as<T, NameAttrList>)
struct SharedAttr<T> final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
};

// What a getter of an absent value refers to.
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
AttrValue AttrValue::Undecoded(Kind kind, std::string proto, Status why) {
  auto* held = new detail::SharedAttr<T>(T());
  held->error = std::move(why);
  held->proto = std::move(proto);
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
  return Undecoded<PartialTensorShape>(Kind::kShape, std::move(proto), std::move(why));
}
inline AttrValue AttrValue::UndecodedTensor(std::string proto, Status why) {
  return Undecoded<Tensor>(Kind::kTensor, std::move(proto), std::move(why));
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
inline bool operator==(const AttrValue& a, const AttrValue& b) {
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

// ------------------------------------------------------------------------------------------------------ types and Get

namespace detail {

TENON_COLD inline Status WrongAttrKind(std::string_view had, std::string_view expected) {
  return errors::InvalidArgument("AttrValue had value with type '", had, "' when '", expected, "' expected");
}
TENON_COLD inline Status ForAttr(const Status& status, std::string_view attr_name) {
  return status.WithAppended(StrCat(" for attr '", attr_name, "'"));
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

// One stored element as what the caller wants.
inline Status ConvertAttr(std::int64_t from, std::int64_t* to) { return *to = from, OkStatus(); }
inline Status ConvertAttr(std::int64_t from, int* to) {
  if (from < std::numeric_limits<int>::min() || from > std::numeric_limits<int>::max()) {
    return errors::InvalidArgument("value ", from, " out of range for an int32");
  }
  return *to = static_cast<int>(from), OkStatus();
}
inline Status ConvertAttr(char from, bool* to) { return *to = from != 0, OkStatus(); }
inline Status ConvertAttr(const std::string& from, std::string_view* to) { return *to = from, OkStatus(); }
inline Status ConvertAttr(const PartialTensorShape& from, TensorShape* to) {
  if (from.AsTensorShape(to)) return OkStatus();
  return errors::InvalidArgument("Shape ", from, " is not fully defined");
}
inline Status ConvertAttr(const NameAttrList& from, const NameAttrList** to) { return *to = &from, OkStatus(); }
template <class T>
Status ConvertAttr(const T& from, T* to) {
  return *to = from, OkStatus();
}

// A value that is of the right kind.
inline std::int64_t StoredAttr(const AttrValue& v, const std::int64_t*) { return v.i(); }
inline float StoredAttr(const AttrValue& v, const float*) { return v.f(); }
inline char StoredAttr(const AttrValue& v, const char*) { return v.b() ? 1 : 0; }
inline DataType StoredAttr(const AttrValue& v, const DataType*) { return v.type(); }
inline const std::string& StoredAttr(const AttrValue& v, const std::string*) { return v.s(); }
inline const PartialTensorShape& StoredAttr(const AttrValue& v, const PartialTensorShape*) { return v.shape(); }
inline const Tensor& StoredAttr(const AttrValue& v, const Tensor*) { return v.tensor(); }
inline const NameAttrList& StoredAttr(const AttrValue& v, const NameAttrList*) { return v.func(); }

TENON_COLD inline Status UndecodedAttr(const AttrValue& value, std::string_view attr_name) {
  return Status(value.decode_status().code(),
                StrCat("Attr '", attr_name, "' has a value that can't be converted to a ",
                       value.kind() == AttrValue::Kind::kTensor ? "Tensor" : "TensorShape", ": ",
                       value.decode_status().message()));
}

template <class T>
struct AttrGetter {  // a single value
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, T* out) {
    if (Status s = AttrValueHasType(value, AttrElement<Stored>::name); !s.ok()) return ForAttr(s, attr_name);
    if (!value.decode_status().ok()) return UndecodedAttr(value, attr_name);
    Status s = ConvertAttr(StoredAttr(value, static_cast<const Stored*>(nullptr)), out);
    return s.ok() ? s : Status(s.code(), StrCat("Attr ", attr_name, " has ", s.message()));
  }
};
template <class List>
  requires(!std::same_as<List, std::string>) && GrowableListOf<List, typename List::value_type>
struct AttrGetter<List> {
  using T = typename List::value_type;
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, List* out) {
    if (Status s = AttrValueHasType(value, AttrElement<Stored>::list_name); !s.ok()) return ForAttr(s, attr_name);
    const SlimVector<Stored>& list = AttrElement<Stored>::Of(value.list());
    out->reserve(out->size() + list.size());
    for (const Stored& item : list) {
      T converted{};
      if (Status s = ConvertAttr(item, &converted); !s.ok())
        return Status(s.code(), StrCat("Attr ", attr_name, " has ", s.message()));
      out->push_back(std::move(converted));
    }
    return OkStatus();
  }
};
template <class T>
struct AttrGetter<std::span<const T>> {
  static Status Get(const AttrValue& value, std::string_view attr_name, std::span<const T>* out) {
    if (Status s = AttrValueHasType(value, AttrElement<T>::list_name); !s.ok()) return ForAttr(s, attr_name);
    *out = AttrElement<T>::Of(value.list());
    return OkStatus();
  }
};

}  // namespace detail

template <class T>
Status AttrValue::Get(std::string_view attr_name, T* out) const {
  return detail::AttrGetter<T>::Get(*this, attr_name, out);
}

// ------------------------------------------------------------------------------------------------------------ as text

namespace detail {

inline std::string SummarizeAttrString(std::string_view text) {
  const std::string escaped = CEscape(text);
  if (escaped.size() < 80) return StrCat("\"", escaped, "\"");
  const std::string_view all = escaped;
  return StrCat("\"", all.substr(0, 10), "...", all.substr(all.size() - 10), "\"");
}
inline std::string SummarizeAttrType(DataType type) {
  const std::string_view name = EnumName(type);
  return name.empty() ? StrCat(static_cast<std::int32_t>(type)) : std::string(name);
}
inline std::string SummarizeAttrFunc(const NameAttrList& function);

// "[a, b]"; from 50 items on the first five, "...", the last five.
template <class T, class ToText>
std::string SummarizeAttrItems(const SlimVector<T>& items, ToText to_text) {
  const std::size_t n = items.size();
  std::string text = "[";
  for (std::size_t k = 0; k < n; ++k) {
    if (n >= 50 && k == 5) {
      text += ", ...";
      k = n - 5;
    }
    StrAppend(&text, k == 0 ? "" : ", ", to_text(items[k]));
  }
  return text += "]";
}
inline std::string SummarizeAttrList(const AttrList& list) {
  const auto plain = [](const auto& x) { return StrCat(x); };
  if (!list.s.empty()) return SummarizeAttrItems(list.s, SummarizeAttrString);
  if (!list.i.empty()) return SummarizeAttrItems(list.i, plain);
  if (!list.f.empty()) return SummarizeAttrItems(list.f, plain);
  if (!list.b.empty()) return SummarizeAttrItems(list.b, [](char b) { return std::string(b != 0 ? "true" : "false"); });
  if (!list.type.empty()) return SummarizeAttrItems(list.type, SummarizeAttrType);
  if (!list.shape.empty()) return SummarizeAttrItems(list.shape, plain);
  if (!list.tensor.empty()) return SummarizeAttrItems(list.tensor, [](const Tensor& t) { return t.DebugString(); });
  if (!list.func.empty()) return SummarizeAttrItems(list.func, SummarizeAttrFunc);
  return "[]";
}

}  // namespace detail

// As messages show it: 3, "NHWC", DT_FLOAT, [2,?], [1, 2], f[T=DT_FLOAT], $placeholder.
inline std::string SummarizeAttrValue(const AttrValue& value) {
  switch (value.kind()) {
    case AttrValue::Kind::kNone: return "<Unknown AttrValue type>";
    case AttrValue::Kind::kString: return detail::SummarizeAttrString(value.s());
    case AttrValue::Kind::kInt: return StrCat(value.i());
    case AttrValue::Kind::kFloat: return StrCat(value.f());
    case AttrValue::Kind::kBool: return value.b() ? "true" : "false";
    case AttrValue::Kind::kType: return detail::SummarizeAttrType(value.type());
    case AttrValue::Kind::kShape:
      if (!value.decode_status().ok())
        return StrCat("<Invalid TensorShapeProto: ", value.decode_status().message(), ">");
      return value.shape().DebugString();
    case AttrValue::Kind::kTensor:
      if (!value.decode_status().ok()) return StrCat("<Invalid TensorProto: ", value.decode_status().message(), ">");
      return value.tensor().DebugString();
    case AttrValue::Kind::kFunc: return detail::SummarizeAttrFunc(value.func());
    case AttrValue::Kind::kPlaceholder: return StrCat("$", value.placeholder());
    case AttrValue::Kind::kList: return detail::SummarizeAttrList(value.list());
  }
  return {};
}

inline std::string detail::SummarizeAttrFunc(const NameAttrList& function) {
  std::string text = StrCat(function.name, "[");
  bool first = true;
  for (const auto& [name, value] : function.attr) {
    StrAppend(&text, first ? "" : ", ", name, "=", SummarizeAttrValue(value));
    first = false;
  }
  return text += "]";
}

TENON_NAMESPACE_END

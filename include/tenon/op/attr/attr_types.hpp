// SPDX-License-Identifier: Apache-2.0
#pragma once
// The types of attrs: AttrValue, AttrList, NameAttrList and AttrMap. Include op/attr/attr_value.hpp, which defines
// their members as well.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
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
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

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

// A value of an attr. Copies of large values (lists, tensors, functions) share them. externally synchronised.
//
//   AttrValue value = DataType::kFloat;
//   DataType type;
//   TENON_RETURN_IF_ERROR(value.Get("T", &type));
class AttrValue {
 public:
  // The kinds of values.
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

  AttrValue() noexcept : kind_(Kind::kNone), i_(0) {}  // no value
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();

  // Makes a value of the kind of its argument; a list from std::vector, std::span or SlimVector.
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
  // Makes a placeholder: the name of an attr of the enclosing function, whose value goes here.
  static AttrValue Placeholder(std::string name);
  // Makes a value of a serialised TensorShapeProto or TensorProto that cannot be decoded, and the reason. It stays in
  // the graph and is written as it came; Get returns the reason.
  static AttrValue UndecodedShape(std::string proto, Status why);
  // as UndecodedShape, for a tensor
  static AttrValue UndecodedTensor(std::string proto, Status why, PartialTensorShape shape = {});

  Kind kind() const { return kind_; }  // the kind of the value
  // kInvalid unless kind() is kType
  DataType type() const { return kind_ == Kind::kType ? type_ : DataType::kInvalid; }
  bool has_value() const { return kind_ != Kind::kNone; }  // whether there is a value

  // Returns the string where kind() is kString, otherwise "". The getters below do so for their kinds.
  const std::string& s() const;
  std::int64_t i() const { return kind_ == Kind::kInt ? i_ : 0; }  // 0 for another kind
  float f() const { return kind_ == Kind::kFloat ? f_ : 0.0f; }  // 0 for another kind
  bool b() const { return kind_ == Kind::kBool && b_; }  // false for another kind
  const PartialTensorShape& shape() const;  // unknown rank for another kind
  const Tensor& tensor() const;  // an empty tensor for another kind
  const NameAttrList& func() const;  // without a name for another kind
  const std::string& placeholder() const;  // "" for another kind
  const AttrList& list() const;  // empty for another kind

  // Returns the reason why a shape or tensor could not be decoded; OK for all other values.
  const Status& decode_status() const;
  std::string_view undecoded() const;  // the serialised form of such a value
  // Returns the shape of an undecoded tensor; unknown if that is wrong, too.
  const PartialTensorShape& undecoded_shape() const;

  // Returns the string for a change; a value of another kind becomes an empty string. The functions below do so for
  // their kinds.
  std::string* mutable_s();
  PartialTensorShape* mutable_shape();  // as mutable_s()
  Tensor* mutable_tensor();  // as mutable_s()
  NameAttrList* mutable_func();  // as mutable_s()
  AttrList* mutable_list();  // as mutable_s()
  std::string* mutable_placeholder();  // as mutable_s()

  // Reads the value into a T: std::int64_t, int, float, bool, std::string, std::string_view, DataType,
  // PartialTensorShape, TensorShape, Tensor, NameAttrList, const NameAttrList*; std::vector or SlimVector of these
  // (appends to it), or Span<const T> of AttrList's element types. string_view, pointer and span point into this value.
  // An unset value reads as an empty list. InvalidArgument: another kind, or a value that does not fit; the message
  // names `attr_name`.
  template <class T>
  Status Get(std::string_view attr_name, T* out) const;

  // Tensors are equal when dtype, shape and bytes are. What only becomes an AttrValue is not compared by this.
  friend bool operator==(const AttrValue& a, const AttrValue& b) { return AreEqual(a, b); }

 private:
  friend struct AttrValueAccess;  // op/graph_def/proto_io.hpp

  static bool AreEqual(const AttrValue& a, const AttrValue& b);
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
  static AttrValue Undecoded(Kind kind, std::string proto, Status why, PartialTensorShape shape);
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

  // Returns the value of an attr, or null. Valid until the map changes.
  const AttrValue* Find(std::string_view name) const;
  AttrValue* Find(std::string_view name);
  bool contains(std::string_view name) const { return Find(name) != nullptr; }  // whether there is such an attr
  // Adds the attr or overwrites it.
  void Set(std::string name, AttrValue value);
  // Adds the attr unless it is there already; false then.
  bool Insert(std::string name, AttrValue value);
  // Returns the value of an attr. Adds the attr without a value if there is none.
  AttrValue& operator[](std::string_view name);
  // Removes an attr. False: there was none.
  bool erase(std::string_view name);
  void clear();  // removes all attrs
  void reserve(std::size_t count);  // makes room for `count` attrs

  const_iterator begin() const;  // the first pair of name and value; in the order of names
  const_iterator end() const;  // one past the last pair
  std::size_t size() const;  // number of attrs
  bool empty() const;  // whether there is no attr

  // For readers of files: any number of AppendUnsorted, then SortAppended, which keeps the last of equal names.
  value_type* AppendUnsorted();
  void SortAppended();  // sorts the appended attrs in

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

// Compares dtype, shape and bytes; strings and handles element by element. NaN equals itself, 0.0 and -0.0 differ.
inline bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.NumElements() == 0 || a.raw_data() == b.raw_data()) return true;
  if (a.raw_data() == nullptr || b.raw_data() == nullptr) return false;
  if (a.dtype() == DataType::kString) return detail::SameObjects<tstring>(a, b);
  if (a.dtype() == DataType::kResource) return detail::SameObjects<ResourceHandle>(a, b);
  if (a.dtype() == DataType::kVariant) return detail::SameObjects<Variant>(a, b);
  return IsPlain(a.dtype()) && std::memcmp(a.raw_data(), b.raw_data(), a.TotalBytes()) == 0;
}

// ---------------------------------------------------------------------------------------------------- AttrMap, inline

inline std::size_t AttrMap::LowerBound(std::string_view name) const {
  std::size_t first = 0;
  for (std::size_t count = items_.size(); count > 0;) {
    const std::size_t half = count / 2;
    const std::string& middle = items_[first + half].first;
    if (std::string_view(middle.data(), middle.size()) < name) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
inline const AttrValue* AttrMap::Find(std::string_view name) const {
  constexpr std::size_t kFew = 8;  // up to so many names are compared one by one: mostly their lengths differ
  if (items_.size() > kFew) {
    const std::size_t i = LowerBound(name);
    return i < items_.size() && items_[i].first == name ? &items_[i].second : nullptr;
  }
  for (const value_type& item : items_)
    if (std::string_view(item.first.data(), item.first.size()) == name) return &item.second;
  return nullptr;
}
inline AttrValue* AttrMap::Find(std::string_view name) {
  return const_cast<AttrValue*>(static_cast<const AttrMap*>(this)->Find(name));
}

inline AttrMap::AttrMap(std::initializer_list<value_type> items) {
  items_.reserve(items.size());
  for (const value_type& item : items) Set(item.first, item.second);
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

TENON_DETAIL_NAMESPACE_END

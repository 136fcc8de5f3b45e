// SPDX-License-Identifier: Apache-2.0
#pragma once
// RepeatedField, RepeatedPtrField, Map and Box: how messages keep lists, maps and messages.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/slim_vector.hpp>

namespace tensorflow {
namespace protobuf {

// A list of numbers.
template <class T>
class RepeatedField {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  RepeatedField() = default;
  RepeatedField(std::initializer_list<T> items) : items_(items) {}
  template <class Iterator>
  RepeatedField(Iterator first, Iterator last) {
    Add(first, last);
  }
  int size() const { return static_cast<int>(items_.size()); }
  bool empty() const { return items_.empty(); }
  const T& Get(int i) const { return items_[static_cast<std::size_t>(i)]; }
  const T& at(int i) const { return Get(i); }
  const T& operator[](int i) const { return Get(i); }
  T& operator[](int i) { return *Mutable(i); }
  T* Mutable(int i) { return &items_[static_cast<std::size_t>(i)]; }
  void Set(int i, const T& value) { *Mutable(i) = value; }
  void Add(const T& value) { items_.push_back(value); }
  T* Add() { return &items_.emplace_back(); }
  template <class Iterator>
  void Add(Iterator first, Iterator last) {
    for (; first != last; ++first) items_.push_back(static_cast<T>(*first));
  }
  void AddAlreadyReserved(const T& value) { Add(value); }
  void Reserve(int count) { items_.reserve(static_cast<std::size_t>(count)); }
  void Resize(int count, const T& value) { items_.resize(static_cast<std::size_t>(count), value); }
  void Truncate(int count) { items_.erase(items_.begin() + count, items_.end()); }
  void RemoveLast() { items_.pop_back(); }
  void Clear() { items_.clear(); }
  void Swap(RepeatedField* other) { std::swap(items_, other->items_); }
  void CopyFrom(const RepeatedField& other) { items_ = other.items_; }
  void MergeFrom(const RepeatedField& other) { Add(other.begin(), other.end()); }
  iterator erase(const_iterator at) { return items_.erase(at); }
  iterator erase(const_iterator first, const_iterator last) { return items_.erase(first, last); }
  void push_back(const T& value) { Add(value); }
  const T* data() const { return items_.data(); }
  T* data() { return items_.data(); }
  T* mutable_data() { return items_.data(); }
  iterator begin() { return items_.begin(); }
  iterator end() { return items_.end(); }
  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  friend bool operator==(const RepeatedField& a, const RepeatedField& b) { return a.items_ == b.items_; }

 private:
  tenon::SlimVector<T> items_;
};

namespace internal {

// Base of messages.
class HeldItem {
 public:
  virtual ~HeldItem() = default;
  virtual HeldItem* Clone() const = 0;

 protected:
  HeldItem() = default;
  HeldItem(const HeldItem&) = default;
  HeldItem& operator=(const HeldItem&) = default;
};

// Messages and texts are kept without their type: a message as a pointer to its base, a text as one to itself.
template <class T>
void* Erased(T* item) {
  if constexpr (std::is_base_of_v<HeldItem, T>)
    return static_cast<HeldItem*>(item);
  else
    return item;
}
template <class T>
T* Restored(void* item) {
  if constexpr (std::is_same_v<T, std::string>)
    return static_cast<std::string*>(item);
  else
    return static_cast<T*>(static_cast<HeldItem*>(item));
}

// A list that owns messages (or texts, where `is_text`).
class ItemList {
 public:
  explicit ItemList(bool is_text) : is_text_(is_text) {}
  ItemList(const ItemList& other) : is_text_(other.is_text_) { MergeFrom(other); }
  ItemList(ItemList&& other) noexcept : is_text_(other.is_text_) { items_.swap(other.items_); }
  ItemList& operator=(const ItemList& other) {
    if (this != &other) {
      ItemList copy(other);
      items_.swap(copy.items_);
    }
    return *this;
  }
  ItemList& operator=(ItemList&& other) noexcept {
    items_.swap(other.items_);
    if (this != &other) other.Clear();
    return *this;
  }
  ~ItemList() { Clear(); }
  int size() const { return static_cast<int>(items_.size()); }
  bool empty() const { return items_.empty(); }
  void* Get(int i) const { return items_[static_cast<std::size_t>(i)]; }
  void* AddErased(void* item) { return items_.push_back(item), item; }
  void Reserve(int count) { items_.reserve(static_cast<std::size_t>(count)); }
  void RemoveLast() { DeleteSubrange(size() - 1, 1); }
  void* TakeLast() {
    void* const last = items_.back();
    items_.pop_back();
    return last;
  }
  void DeleteSubrange(int first, int count) {
    for (int i = first; i < first + count; ++i) Drop(Get(i));
    items_.erase(items_.begin() + first, items_.begin() + first + count);
  }
  void SwapElements(int a, int b) {
    std::swap(items_[static_cast<std::size_t>(a)], items_[static_cast<std::size_t>(b)]);
  }
  void Clear() {
    for (void* const item : items_) Drop(item);
    items_.clear();
  }
  void Swap(ItemList* other) { items_.swap(other->items_); }
  void MergeFrom(const ItemList& other) {
    Reserve(size() + other.size());
    for (int i = 0, n = other.size(); i < n; ++i) AddErased(CopyOf(other.Get(i)));
  }
  void* const* begin() const { return items_.data(); }

 private:
  void Drop(void* item) {
    if (is_text_)
      delete static_cast<std::string*>(item);
    else
      delete static_cast<HeldItem*>(item);
  }
  void* CopyOf(const void* item) {
    if (is_text_) return new std::string(*static_cast<const std::string*>(item));
    return static_cast<const HeldItem*>(item)->Clone();
  }
  std::vector<void*> items_;
  bool is_text_;
};

}  // namespace internal

// A list of messages or texts, whose addresses stay.
template <class T>
class RepeatedPtrField {
 public:
  using value_type = T;
  template <class Element>
  class Walk {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<Element>;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;
    Walk() = default;
    explicit Walk(void* const* at) : at_(at) {}
    template <class Other>
      requires std::is_same_v<const Other, Element>
    Walk(const Walk<Other>& other) : at_(other.at()) {}
    void* const* at() const { return at_; }
    Element& operator*() const { return *internal::Restored<T>(*at_); }
    Element* operator->() const { return internal::Restored<T>(*at_); }
    Element& operator[](difference_type n) const { return *internal::Restored<T>(at_[n]); }
    Walk& operator++() { return ++at_, *this; }
    Walk operator++(int) { return Walk(at_++); }
    Walk& operator--() { return --at_, *this; }
    Walk operator--(int) { return Walk(at_--); }
    Walk& operator+=(difference_type n) { return at_ += n, *this; }
    Walk& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Walk operator+(Walk a, difference_type n) { return a += n; }
    friend Walk operator+(difference_type n, Walk a) { return a += n; }
    friend Walk operator-(Walk a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Walk& a, const Walk& b) { return a.at_ - b.at_; }
    friend bool operator==(const Walk& a, const Walk& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Walk& a, const Walk& b) { return a.at_ <=> b.at_; }

   private:
    void* const* at_ = nullptr;
  };
  using iterator = Walk<T>;
  using const_iterator = Walk<const T>;

  RepeatedPtrField() : items_(std::is_same_v<T, std::string>) {}
  template <class Iterator>
  RepeatedPtrField(Iterator first, Iterator last) : RepeatedPtrField() {
    Add(first, last);
  }
  int size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const T& Get(int i) const { return *internal::Restored<T>(items_.Get(i)); }
  const T& at(int i) const { return Get(i); }
  const T& operator[](int i) const { return Get(i); }
  T& operator[](int i) { return *Mutable(i); }
  T* Mutable(int i) { return internal::Restored<T>(items_.Get(i)); }
  T* Add() { return AddItem(new T()); }
  void Add(T value) { AddItem(new T(std::move(value))); }
  template <class Iterator>
  void Add(Iterator first, Iterator last) {
    for (; first != last; ++first) AddItem(new T(*first));
  }
  void AddAllocated(T* value) { AddItem(value); }
  void push_back(T value) { Add(std::move(value)); }
  void Reserve(int count) { items_.Reserve(count); }
  void RemoveLast() { items_.RemoveLast(); }
  T* ReleaseLast() { return internal::Restored<T>(items_.TakeLast()); }
  void DeleteSubrange(int first, int count) { items_.DeleteSubrange(first, count); }
  void SwapElements(int a, int b) { items_.SwapElements(a, b); }
  void Clear() { items_.Clear(); }
  void Swap(RepeatedPtrField* other) { items_.Swap(&other->items_); }
  void CopyFrom(const RepeatedPtrField& other) { items_ = other.items_; }
  void MergeFrom(const RepeatedPtrField& other) { items_.MergeFrom(other.items_); }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    const int from = static_cast<int>(first - cbegin());
    items_.DeleteSubrange(from, static_cast<int>(last - first));
    return begin() + from;
  }
  iterator begin() { return iterator(items_.begin()); }
  iterator end() { return iterator(items_.begin() + size()); }
  const_iterator begin() const { return const_iterator(items_.begin()); }
  const_iterator end() const { return const_iterator(items_.begin() + size()); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  const internal::ItemList& items() const { return items_; }

 private:
  T* AddItem(T* item) { return items_.AddErased(internal::Erased(item)), item; }
  internal::ItemList items_;
};

// A map field.
template <class Key, class Value>
class Map : public std::map<Key, Value, std::less<>> {
 public:
  using Base = std::map<Key, Value, std::less<>>;
  using Base::Base;
  // Texts of any type are keys.
  using Given = std::conditional_t<std::is_same_v<Key, std::string>, std::string_view, Key>;
  Map() = default;
  Value& operator[](const Given& key) {
    const auto found = this->find(key);
    return found != this->end() ? found->second : this->emplace(Key(key), Value()).first->second;
  }
  Value& at(const Given& key) { return Base::at(Key(key)); }
  const Value& at(const Given& key) const { return Base::at(Key(key)); }
  std::size_t erase(const Given& key) {
    const auto found = this->find(key);
    if (found == this->end()) return 0;
    Base::erase(found);
    return 1;
  }
  typename Base::iterator erase(typename Base::iterator at) { return Base::erase(at); }
  typename Base::iterator erase(typename Base::const_iterator at) { return Base::erase(at); }
};

namespace internal {
// An item or none; copies are copies of it.
class HeldBox {
 public:
  HeldBox() = default;
  HeldBox(const HeldBox& other) : held_(other.held_ == nullptr ? nullptr : other.held_->Clone()) {}
  HeldBox(HeldBox&& other) noexcept : held_(other.release()) {}
  HeldBox& operator=(const HeldBox& other) {
    if (this != &other) reset(other.held_ == nullptr ? nullptr : other.held_->Clone());
    return *this;
  }
  HeldBox& operator=(HeldBox&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~HeldBox() { delete held_; }
  HeldItem* get() const { return held_; }
  void reset(HeldItem* item) {
    HeldItem* const old = held_;
    held_ = item;
    if (old != item) delete old;
  }
  HeldItem* release() {
    HeldItem* const held = held_;
    held_ = nullptr;
    return held;
  }

 private:
  HeldItem* held_ = nullptr;
};
}  // namespace internal

// A message that may be absent; copies are copies of it.
template <class T>
class Box {
 public:
  bool has() const { return held_.get() != nullptr; }
  const T& get() const { return has() ? *static_cast<const T*>(held_.get()) : T::default_instance(); }
  T* mutable_get() {
    if (!has()) held_.reset(new T());
    return static_cast<T*>(held_.get());
  }
  void reset(T* value = nullptr) { held_.reset(value); }
  T* release() { return static_cast<T*>(held_.release()); }
  const internal::HeldBox& held() const { return held_; }

 private:
  internal::HeldBox held_;
};

}  // namespace protobuf
}  // namespace tensorflow

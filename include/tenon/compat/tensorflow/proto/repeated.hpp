// SPDX-License-Identifier: Apache-2.0
#pragma once
// RepeatedField, RepeatedPtrField, Map and Box: how messages keep lists, maps and messages.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
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

// A list of messages or texts, whose addresses stay.
template <class T>
class RepeatedPtrField {
  using Items = std::vector<std::unique_ptr<T>>;

 public:
  using value_type = T;
  template <class Element, class At>
  class Walk {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<Element>;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;
    Walk() = default;
    explicit Walk(At at) : at_(at) {}
    Element& operator*() const { return **at_; }
    Element* operator->() const { return at_->get(); }
    Element& operator[](difference_type n) const { return **(at_ + n); }
    Walk& operator++() { return ++at_, *this; }
    Walk operator++(int) { return Walk(at_++); }
    Walk& operator--() { return --at_, *this; }
    Walk operator--(int) { return Walk(at_--); }
    Walk& operator+=(difference_type n) { return at_ += n, *this; }
    Walk& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Walk operator+(Walk a, difference_type n) { return a += n; }
    friend Walk operator-(Walk a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Walk& a, const Walk& b) { return a.at_ - b.at_; }
    friend bool operator==(const Walk& a, const Walk& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Walk& a, const Walk& b) { return a.at_ <=> b.at_; }

   private:
    friend class RepeatedPtrField;
    At at_;
  };
  using iterator = Walk<T, typename Items::iterator>;
  using const_iterator = Walk<const T, typename Items::const_iterator>;

  RepeatedPtrField() = default;
  RepeatedPtrField(const RepeatedPtrField& other) { MergeFrom(other); }
  RepeatedPtrField(RepeatedPtrField&&) noexcept = default;
  template <class Iterator>
  RepeatedPtrField(Iterator first, Iterator last) {
    Add(first, last);
  }
  RepeatedPtrField& operator=(const RepeatedPtrField& other) {
    if (this != &other) CopyFrom(other);
    return *this;
  }
  RepeatedPtrField& operator=(RepeatedPtrField&&) noexcept = default;
  int size() const { return static_cast<int>(items_.size()); }
  bool empty() const { return items_.empty(); }
  const T& Get(int i) const { return *items_[static_cast<std::size_t>(i)]; }
  const T& at(int i) const { return Get(i); }
  const T& operator[](int i) const { return Get(i); }
  T& operator[](int i) { return *Mutable(i); }
  T* Mutable(int i) { return items_[static_cast<std::size_t>(i)].get(); }
  T* Add() { return items_.emplace_back(std::make_unique<T>()).get(); }
  void Add(T value) { items_.push_back(std::make_unique<T>(std::move(value))); }
  template <class Iterator>
  void Add(Iterator first, Iterator last) {
    for (; first != last; ++first) Add(T(*first));
  }
  void AddAllocated(T* value) { items_.emplace_back(value); }
  void push_back(T value) { Add(std::move(value)); }
  void Reserve(int count) { items_.reserve(static_cast<std::size_t>(count)); }
  void RemoveLast() { items_.pop_back(); }
  T* ReleaseLast() {
    T* const last = items_.back().release();
    items_.pop_back();
    return last;
  }
  void DeleteSubrange(int first, int count) { items_.erase(items_.begin() + first, items_.begin() + first + count); }
  void SwapElements(int a, int b) {
    std::swap(items_[static_cast<std::size_t>(a)], items_[static_cast<std::size_t>(b)]);
  }
  void Clear() { items_.clear(); }
  void Swap(RepeatedPtrField* other) { items_.swap(other->items_); }
  void CopyFrom(const RepeatedPtrField& other) {
    RepeatedPtrField copy(other);
    items_.swap(copy.items_);
  }
  void MergeFrom(const RepeatedPtrField& other) {
    for (const T& item : other) Add(item);
  }
  iterator erase(iterator at) { return iterator(items_.erase(at.at_)); }
  iterator erase(iterator first, iterator last) { return iterator(items_.erase(first.at_, last.at_)); }
  iterator begin() { return iterator(items_.begin()); }
  iterator end() { return iterator(items_.end()); }
  const_iterator begin() const { return const_iterator(items_.begin()); }
  const_iterator end() const { return const_iterator(items_.end()); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }

 private:
  Items items_;
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

// A message that may be absent; copies are copies of it.
template <class T>
class Box {
 public:
  Box() = default;
  Box(const Box& other) : held_(other.held_ == nullptr ? nullptr : std::make_unique<T>(*other.held_)) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    if (this != &other) held_ = other.held_ == nullptr ? nullptr : std::make_unique<T>(*other.held_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  bool has() const { return held_ != nullptr; }
  const T& get() const {
    static const T* const none = new T();  // never destroyed
    return held_ == nullptr ? *none : *held_;
  }
  T* mutable_get() {
    if (held_ == nullptr) held_ = std::make_unique<T>();
    return held_.get();
  }
  void reset(T* value = nullptr) { held_.reset(value); }
  T* release() { return held_.release(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace protobuf
}  // namespace tensorflow

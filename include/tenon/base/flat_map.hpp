// SPDX-License-Identifier: Apache-2.0
#pragma once
// FlatMap<K, V>: a map as one sorted vector. Small, quick to walk (in the order of its keys) and to search; an
// insertion moves the items after it. A key is found by types that compare with it: a std::string by a string_view.

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// externally synchronised. Items are pairs `first`, `second`; a key must not be changed through an iterator. V may be
// incomplete where a FlatMap<K, V> is declared as a member (which std::pair would not allow).
template <class K, class V>
class FlatMap {
 public:
  using key_type = K;
  using mapped_type = V;
  struct value_type {
    K first;
    V second;
  };
  using iterator = typename SlimVector<value_type>::iterator;
  using const_iterator = typename SlimVector<value_type>::const_iterator;

  FlatMap() = default;
  // The first of several items with one key counts.
  FlatMap(std::initializer_list<value_type> items) {
    reserve(items.size());
    for (const value_type& item : items) insert(item);
  }

  template <class Key>
  const_iterator find(const Key& key) const {
    const const_iterator i = lower_bound(key);
    return i != end() && !(key < i->first) ? i : end();
  }
  template <class Key>
  iterator find(const Key& key) {
    return items_.begin() + (std::as_const(*this).find(key) - std::as_const(items_).begin());
  }
  template <class Key>
  bool contains(const Key& key) const {
    return find(key) != end();
  }
  // The value of a key, or null.
  template <class Key>
  const V* FindValue(const Key& key) const {
    const const_iterator i = find(key);
    return i == end() ? nullptr : &i->second;
  }
  template <class Key>
  V* FindValue(const Key& key) {
    return const_cast<V*>(std::as_const(*this).FindValue(key));
  }
  // The first item whose key is not less than `key`.
  template <class Key>
  const_iterator lower_bound(const Key& key) const {
    std::size_t first = 0;
    for (std::size_t count = items_.size(); count > 0;) {
      const std::size_t half = count / 2;
      if (items_[first + half].first < key) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return items_.begin() + static_cast<std::ptrdiff_t>(first);
  }

  // Makes the item when there is none: true beside it. An item that is there stays as it is.
  template <class Key, class... Args>
  std::pair<iterator, bool> try_emplace(Key&& key, Args&&... args) {
    const const_iterator i = lower_bound(key);
    if (i != end() && !(key < i->first)) return {Mutable(i), false};
    return {items_.insert(i, value_type{K(std::forward<Key>(key)), V(std::forward<Args>(args)...)}), true};
  }
  std::pair<iterator, bool> insert(value_type item) {
    const const_iterator i = lower_bound(item.first);
    if (i != end() && !(item.first < i->first)) return {Mutable(i), false};
    return {items_.insert(i, std::move(item)), true};
  }
  template <class Key, class Value>
  std::pair<iterator, bool> insert_or_assign(Key&& key, Value&& value) {
    const const_iterator i = lower_bound(key);
    if (i == end() || key < i->first) {
      return {items_.insert(i, value_type{K(std::forward<Key>(key)), V(std::forward<Value>(value))}), true};
    }
    Mutable(i)->second = std::forward<Value>(value);
    return {Mutable(i), false};
  }
  template <class Key>
  V& operator[](Key&& key) {
    return try_emplace(std::forward<Key>(key)).first->second;
  }

  // How many items went: 0 or 1.
  template <class Key>
    requires(!std::is_convertible_v<const Key&, const_iterator>)
  std::size_t erase(const Key& key) {
    const const_iterator i = std::as_const(*this).find(key);
    if (i == end()) return 0;
    items_.erase(i);
    return 1;
  }
  iterator erase(const_iterator position) { return items_.erase(position); }
  void clear() { items_.clear(); }
  void reserve(std::size_t count) { items_.reserve(count); }

  iterator begin() { return items_.begin(); }
  iterator end() { return items_.end(); }
  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  friend bool operator==(const FlatMap& a, const FlatMap& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!(a.items_[i].first == b.items_[i].first) || !(a.items_[i].second == b.items_[i].second)) return false;
    }
    return true;
  }

 private:
  iterator Mutable(const_iterator i) { return items_.begin() + (i - std::as_const(items_).begin()); }

  SlimVector<value_type> items_;  // sorted by key, each key once
};

TENON_DETAIL_NAMESPACE_END

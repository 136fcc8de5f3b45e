// SPDX-License-Identifier: Apache-2.0
#pragma once
// tensorflow::gtl: vectors, slices, maps and what TensorFlow's sources do with them.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/base/span.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
namespace gtl {

template <class T, std::size_t N = 4, class Allocator = std::allocator<T>>
class InlinedVector : public std::vector<T, Allocator> {
 public:
  using std::vector<T, Allocator>::vector;
  InlinedVector() = default;
  InlinedVector(const std::vector<T, Allocator>& items) : std::vector<T, Allocator>(items) {}
};

// A list of T in one piece, of anything that holds one or in braces: for arguments, since the items are another's.
template <class T>
class ArraySlice : public tenon::Span<const T> {
 public:
  using value_type = T;
  using const_iterator = const T*;
  ArraySlice() = default;
  ArraySlice(const T* data, std::size_t size) : tenon::Span<const T>(data, size) {}
  ArraySlice(std::initializer_list<T> items) : tenon::Span<const T>(items.begin(), items.size()) {}
  template <std::size_t N>
  ArraySlice(const T (&items)[N]) : tenon::Span<const T>(items, N) {}
  template <class List>
    requires(!std::is_base_of_v<ArraySlice, std::remove_cvref_t<List>> &&
             requires(const List& list) {
               static_cast<const T*>(list.data());
               list.size();
             })
  ArraySlice(const List& list) : tenon::Span<const T>(list.data(), list.size()) {}
  std::size_t length() const { return this->size(); }
};
template <class T>
using MutableArraySlice = tenon::Span<T>;

template <class Key, class Value, class... Rest>
using FlatMap = std::unordered_map<Key, Value, Rest...>;
template <class Key, class... Rest>
using FlatSet = std::unordered_set<Key, Rest...>;
template <class T>
using optional = std::optional<T>;
inline constexpr std::nullopt_t nullopt = std::nullopt;

template <class Map>
const typename Map::mapped_type& FindWithDefault(const Map& map, const typename Map::key_type& key,
                                                 const typename Map::mapped_type& value) {
  const auto found = map.find(key);
  return found == map.end() ? value : found->second;
}
template <class Map, class Key = typename Map::key_type>
auto FindOrNull(Map& map, const Key& key) -> decltype(&map.find(key)->second) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}
template <class Map>
typename Map::mapped_type FindPtrOrNull(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}
template <class Map>
bool InsertIfNotPresent(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  return map->emplace(key, value).second;
}
template <class Set>
bool InsertIfNotPresent(Set* set, const typename Set::value_type& value) {
  return set->insert(value).second;
}
template <class Map>
bool InsertOrUpdate(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  return map->insert_or_assign(key, value).second;
}
template <class Map>
typename Map::mapped_type& LookupOrInsert(Map* map, const typename Map::key_type& key,
                                          const typename Map::mapped_type& value) {
  return map->emplace(key, value).first->second;
}
template <class Map>
typename Map::mapped_type EraseKeyReturnValuePtr(Map* map, const typename Map::key_type& key) {
  const auto found = map->find(key);
  if (found == map->end()) return nullptr;
  typename Map::mapped_type value = std::move(found->second);
  map->erase(found);
  return value;
}
template <class Map>
auto vector_as_array(Map* items) {
  return items->data();
}
template <class Items>
void STLDeleteElements(Items* items) {
  for (auto* item : *items) delete item;
  items->clear();
}
inline char* string_as_array(std::string* text) { return text->data(); }
inline void STLStringResizeUninitialized(std::string* text, std::size_t size) { text->resize(size); }

// Calls a function when it goes, unless it was released.
template <class F>
class Cleanup {
 public:
  explicit Cleanup(F call) : call_(std::move(call)) {}
  Cleanup(Cleanup&& other) noexcept : call_(std::move(other.call_)), armed_(std::exchange(other.armed_, false)) {}
  ~Cleanup() {
    if (armed_) call_();
  }
  F release() {
    armed_ = false;
    return std::move(call_);
  }
  bool is_released() const { return !armed_; }

 private:
  F call_;
  bool armed_ = true;
};
template <class F>
Cleanup<std::decay_t<F>> MakeCleanup(F&& call) {
  return Cleanup<std::decay_t<F>>(std::forward<F>(call));
}
template <class T>
std::unique_ptr<T> WrapUnique(T* pointer) {
  return std::unique_ptr<T>(pointer);
}
using std::make_unique;

}  // namespace gtl
}  // namespace tensorflow

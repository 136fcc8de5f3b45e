// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small parts of TensorFlow's gtl: edit distances, sets of pointers, places for objects, maps turned around.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/containers.hpp>

namespace tensorflow {
namespace gtl {

// How many items must be inserted, removed or replaced to make one list of the other.
template <class A, class B, class Equal = std::equal_to<>>
int64_t LevenshteinDistance(const A& a, const B& b, const Equal& equal = Equal()) {
  const auto columns = static_cast<std::size_t>(b.size());
  std::vector<int64_t> row(columns + 1);
  std::iota(row.begin(), row.end(), int64_t{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i) {
    int64_t diagonal = row[0]++;
    for (std::size_t k = 0; k < columns; ++k) {
      const int64_t replaced = diagonal + (equal(a[i], b[k]) ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row[columns];
}

template <class T>
using CompactPointerSet = std::unordered_set<T>;

// Keys by their values. A value of two keys has one of them.
template <class Reversed, class Map>
Reversed ReverseMap(const Map& map) {
  Reversed out;
  for (const auto& [key, value] : map) out.insert({value, key});
  return out;
}

}  // namespace gtl

// A place for an object that the program makes and destroys itself.
template <class T>
class ManualConstructor {
 public:
  template <class... Arguments>
  void Init(Arguments&&... arguments) {
    ::new (static_cast<void*>(bytes_)) T(std::forward<Arguments>(arguments)...);
  }
  void Destroy() { get()->~T(); }
  T* get() { return reinterpret_cast<T*>(bytes_); }
  const T* get() const { return reinterpret_cast<const T*>(bytes_); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

template <class T, class... Args>
std::unique_ptr<T> MakeUnique(Args&&... args) {
  return std::make_unique<T>(std::forward<Args>(args)...);
}
template <class T>
std::unique_ptr<T> WrapUnique(T* object) {
  return std::unique_ptr<T>(object);
}

}  // namespace tensorflow

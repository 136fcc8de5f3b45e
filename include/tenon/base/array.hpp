// SPDX-License-Identifier: Apache-2.0
#pragma once
// Array<T, N>: std::array for code that also runs on a GPU (nvcc refuses std::array there).

#include <cstddef>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// An aggregate: Array<Index, 3> strides{12, 4, 1}. Elements that are not given are zero.
template <class T, std::size_t N>
struct Array {
  using value_type = T;

  TENON_HD static constexpr std::size_t size() { return N; }
  TENON_HD static constexpr bool empty() { return false; }
  TENON_HD constexpr T& operator[](std::size_t i) { return items[i]; }
  TENON_HD constexpr const T& operator[](std::size_t i) const { return items[i]; }
  TENON_HD constexpr T* data() { return items; }
  TENON_HD constexpr const T* data() const { return items; }
  TENON_HD constexpr T* begin() { return items; }
  TENON_HD constexpr const T* begin() const { return items; }
  TENON_HD constexpr T* end() { return items + N; }
  TENON_HD constexpr const T* end() const { return items + N; }
  TENON_HD constexpr T& front() { return items[0]; }
  TENON_HD constexpr const T& front() const { return items[0]; }
  TENON_HD constexpr T& back() { return items[N - 1]; }
  TENON_HD constexpr const T& back() const { return items[N - 1]; }
  TENON_HD constexpr void fill(const T& value) {
    for (T& item : items) item = value;
  }
  TENON_HD friend constexpr bool operator==(const Array& a, const Array& b) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!(a.items[i] == b.items[i])) return false;
    }
    return true;
  }

  T items[N];
};

template <class T>
struct Array<T, 0> {
  using value_type = T;

  TENON_HD static constexpr std::size_t size() { return 0; }
  TENON_HD static constexpr bool empty() { return true; }
  TENON_HD constexpr T* data() { return nullptr; }
  TENON_HD constexpr const T* data() const { return nullptr; }
  TENON_HD constexpr T* begin() { return nullptr; }
  TENON_HD constexpr const T* begin() const { return nullptr; }
  TENON_HD constexpr T* end() { return nullptr; }
  TENON_HD constexpr const T* end() const { return nullptr; }
  TENON_HD constexpr void fill(const T&) {}
  TENON_HD friend constexpr bool operator==(const Array&, const Array&) { return true; }
};

template <class T, class... Rest>
Array(T, Rest...) -> Array<T, 1 + sizeof...(Rest)>;

TENON_DETAIL_NAMESPACE_END

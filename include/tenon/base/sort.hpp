// SPDX-License-Identifier: Apache-2.0
#pragma once
// SortItems: std::sort for set-up code. std::sort is some 2 KB of code for each type; this is a call of qsort.

#include <cstddef>
#include <cstdlib>
#include <type_traits>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

template <class T>
bool LessThan(const T& a, const T& b) {
  return a < b;
}
template <class T, bool (*less)(const T&, const T&)>
int CompareItems(const void* a, const void* b) {
  const T &left = *static_cast<const T*>(a), &right = *static_cast<const T*>(b);
  return less(left, right) ? -1 : less(right, left) ? 1 : 0;
}
// Sorts items in place, in ascending order by `less`. Equal items may change places.
template <class T, bool (*less)(const T&, const T&) = &LessThan<T>>
void SortItems(T* items, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > 1) std::qsort(items, count, sizeof(T), &CompareItems<T, less>);
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// HasItem and AnyItem over anything with data() and size(): loops of a line. std::find and std::any_of cost the
// compiler some ten functions for each type of item and for each condition.

#include <cstddef>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Does a condition hold for an item of the list? Not for an empty one.
template <class List, class Condition>
TENON_DETAIL_ALWAYS_INLINE constexpr bool AnyItem(const List& items, const Condition& condition) {
  const auto* const data = items.data();
  const std::size_t size = items.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (condition(data[i])) return true;
  }
  return false;
}

// Is an item of the list equal to `item`?
template <class List, class T>
TENON_DETAIL_ALWAYS_INLINE constexpr bool HasItem(const List& items, const T& item) {
  const auto* const data = items.data();
  const std::size_t size = items.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == item) return true;
  }
  return false;
}

TENON_DETAIL_NAMESPACE_END

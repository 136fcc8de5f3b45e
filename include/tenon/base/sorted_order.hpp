// SPDX-License-Identifier: Apache-2.0
#pragma once
// SortedOrder: sorts numbers of items instead of items, so that one sort serves all types.

#include <cstddef>

#include <tenon/base/slim_vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A merge sort from below: runs of 1, 2, 4, ... items become runs of twice as many.
TENON_DETAIL_NOINLINE inline SlimVector<std::size_t> SortNumbers(std::size_t count,
                                                                 bool (*less)(const void*, std::size_t, std::size_t),
                                                                 const void* context) {
  SlimVector<std::size_t> order(count), merged(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t run = 1; run < count; run *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * run) {
      const std::size_t middle = begin + run < count ? begin + run : count;
      const std::size_t end = middle + run < count ? middle + run : count;
      std::size_t a = begin, b = middle;
      for (std::size_t to = begin; to < end; ++to) {
        const bool take_b = a == middle || (b < end && less(context, order[b], order[a]));
        merged[to] = take_b ? order[b++] : order[a++];
      }
    }
    order.swap(merged);
  }
  return order;
}

}  // namespace detail

// 0 .. count - 1, ordered by less(i, j); equal ones stay in their order.
template <class Less>
SlimVector<std::size_t> SortedOrder(std::size_t count, const Less& less) {
  return detail::SortNumbers(
      count,
      [](const void* context, std::size_t a, std::size_t b) { return (*static_cast<const Less*>(context))(a, b); },
      &less);
}

TENON_DETAIL_NAMESPACE_END

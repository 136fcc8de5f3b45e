// SPDX-License-Identifier: Apache-2.0
#pragma once
// SortedOrder: sorts numbers of items instead of items, so that one sort serves all types.

#include <algorithm>
#include <cstddef>

#include <tenon/base/slim_vector.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

TENON_NOINLINE inline SlimVector<std::size_t> SortNumbers(std::size_t count,
                                                          bool (*less)(const void*, std::size_t, std::size_t),
                                                          const void* context) {
  struct Before {
    bool (*less)(const void*, std::size_t, std::size_t);
    const void* context;
    bool operator()(std::size_t a, std::size_t b) const {
      if (less(context, a, b)) return true;
      return a < b && !less(context, b, a);
    }
  };
  SlimVector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), Before{less, context});
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

TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// SortedOrder: sorts numbers of items instead of items, so that one sort serves all types. NameOrder: by names.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A merge sort from below: runs of 1, 2, 4, ... items become runs of twice as many. Two runs that are in order already,
// as the names that a program numbers, take one comparison.
TENON_DETAIL_NOINLINE inline SlimVector<std::size_t> SortNumbers(std::size_t count,
                                                                 bool (*less)(const void*, std::size_t, std::size_t),
                                                                 const void* context) {
  SlimVector<std::size_t> order(count), merged(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t run = 1; run < count; run *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * run) {
      const std::size_t middle = begin + run < count ? begin + run : count;
      const std::size_t end = middle + run < count ? middle + run : count;
      if (middle == end || !less(context, order[middle], order[middle - 1])) {
        for (std::size_t to = begin; to < end; ++to) merged[to] = order[to];
        continue;
      }
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

namespace detail {
// A name, and its eight bytes after the beginning that all names share, as a number. Most names differ in these bytes.
struct NameKey {
  std::string_view name;
  std::uint64_t first;
  void TakeFirst(std::size_t skipped) {
    first = 0;
    for (std::size_t i = skipped; i < skipped + sizeof first; ++i)
      first = first << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
  }
};
TENON_DETAIL_NOINLINE inline SlimVector<std::size_t> SortNames(Span<NameKey> names) {
  std::size_t common = names.empty() ? 0 : names[0].name.size();
  for (const NameKey& key : names) {
    std::size_t equal = 0;
    while (equal < common && equal < key.name.size() && key.name[equal] == names[0].name[equal]) ++equal;
    common = equal;
  }
  for (NameKey& key : names) key.TakeFirst(common);
  return SortedOrder(names.size(), [names](std::size_t a, std::size_t b) {
    return names[a].first != names[b].first ? names[a].first < names[b].first : names[a].name < names[b].name;
  });
}
}  // namespace detail

// 0 .. count - 1, ordered by the std::string_view name_of(i), which outlives the call; equal ones stay in their order.
template <class NameOf>
  requires std::is_same_v<std::invoke_result_t<NameOf, std::size_t>, std::string_view>
SlimVector<std::size_t> NameOrder(std::size_t count, const NameOf& name_of) {
  SlimVector<detail::NameKey> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i].name = name_of(i);
  return detail::SortNames({names.data(), count});
}

TENON_DETAIL_NAMESPACE_END

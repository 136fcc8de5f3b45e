// SPDX-License-Identifier: Apache-2.0
#pragma once
// The k largest of each row, and the element that would be n-th if a row were sorted. Rows are widened first
// (engine/elementwise/widest_type.hpp), so that each loop is compiled three times only. The order of elements that are
// equal, unsorted or NaN follows TensorFlow's algorithm: a heap of the k best so far.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/elementwise/widest_type.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Is element a before element b: greater, or equal (or not to be compared) and before it in the row?
template <class W>
struct BeforeInTopK {
  const W* row;
  bool operator()(std::int32_t a, std::int32_t b) const {
    if (row[b] < row[a]) return true;
    if (row[b] > row[a]) return false;
    return a < b;
  }
};

// Sorted as std::sort does up to 16 elements, whatever the comparison says of NaN; more by a heap, which never leaves
// the range.
template <class Before>
void SortPlaces(std::int32_t* first, std::int32_t* last, const Before& before) {
  constexpr std::ptrdiff_t kFew = 16;
  if (last - first > kFew) {
    std::make_heap(first, last, before);
    std::sort_heap(first, last, before);
    return;
  }
  for (std::int32_t* i = first; i != last; ++i) {
    const std::int32_t value = *i;
    std::int32_t* to = i;
    const bool is_first = before(value, *first);
    for (; to != first && (is_first || before(value, to[-1])); --to) *to = to[-1];
    *to = value;
  }
}

// The place of the greatest element that is beyond everything below it; *value: that element.
template <class W>
std::int32_t GreatestPlace(const W* row, std::int32_t n, W* value) {
  W top = std::numeric_limits<W>::has_infinity ? -std::numeric_limits<W>::infinity() : std::numeric_limits<W>::lowest();
  for (std::int32_t i = 0; i < n; ++i) top = top < row[i] ? row[i] : top;
  *value = top;
  for (std::int32_t i = 0; i < n; ++i)
    if (row[i] == top) return i;
  return 0;
}

// A number whose order is the reverse of that of the elements; both zeros are one.
template <class W>
std::uint64_t DescendingKey(W x) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if constexpr (std::is_floating_point_v<W>) {
    const auto bits = std::bit_cast<std::uint64_t>(x == W(0) ? W(0) : x);
    return (bits & kTop) != 0 ? bits : ~(bits | kTop);
  } else {
    return ~(static_cast<std::uint64_t>(x) ^ (std::is_signed_v<W> ? kTop : 0));
  }
}

// places[0 .. n) = 0 .. n - 1 sorted by the keys, byte by byte from the lowest; equal ones stay in their order. Bytes
// that all keys share are left out. `other_keys`, `other_places`: room for n.
inline void RadixSortPlaces(std::int32_t n, std::uint64_t* keys, std::int32_t* places, std::uint64_t* other_keys,
                            std::int32_t* other_places) {
  constexpr int kBytes = 8, kDigits = 256;
  std::int32_t counts[kBytes][kDigits] = {};
  bool ordered = true;
  for (std::int32_t i = 0; i < n; ++i) {
    places[i] = i;
    ordered = ordered && (i == 0 || keys[i - 1] <= keys[i]);
    for (int byte = 0; byte < kBytes; ++byte) ++counts[byte][keys[i] >> (8 * byte) & 0xff];
  }
  if (ordered) return;
  std::int32_t* const result = places;
  for (int byte = 0; byte < kBytes; ++byte) {
    const int shift = 8 * byte;
    std::int32_t* const starts = counts[byte];
    if (starts[keys[0] >> shift & 0xff] == n) continue;
    std::int32_t start = 0;
    for (int digit = 0; digit < kDigits; ++digit) start += std::exchange(starts[digit], start);
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t to = starts[keys[i] >> shift & 0xff]++;
      other_keys[to] = keys[i];
      other_places[to] = places[i];
    }
    std::swap(keys, other_keys);
    std::swap(places, other_places);
  }
  if (places != result) std::copy_n(places, n, result);
}

// Room for a sort of n elements.
struct SortRoom {
  std::uint64_t *keys, *other_keys;
  std::int32_t* other_places;
};

// The places of all elements, sorted by BeforeInTopK. False where an element is NaN: the places are then unsorted.
template <class W>
bool SortedPlaces(const W* row, std::int32_t n, std::int32_t* places, const SortRoom& room) {
  bool comparable = true;
  for (std::int32_t i = 0; i < n; ++i) {
    comparable = comparable && row[i] == row[i];
    room.keys[i] = DescendingKey(row[i]);
  }
  if (comparable) RadixSortPlaces(n, room.keys, places, room.other_keys, room.other_places);
  return comparable;
}

// places[0 .. k) = where the k greatest of row[0 .. n) are, 0 < k <= n; room for k + 1. values: those elements.
template <class W>
void TopKOfRow(const W* row, std::int32_t n, std::int32_t k, bool sorted, std::int32_t* places, W* values,
               const SortRoom& room) {
  constexpr std::int32_t kMany = 128, kPart = 16;  // a heap costs more from here on
  const BeforeInTopK<W> before{row};
  if (k == 1) {
    places[0] = GreatestPlace(row, n, values);
    return;
  }
  const bool whole = n >= kMany && (k == n || (sorted && k >= n / kPart));
  if (whole && SortedPlaces(row, n, places, room)) {
  } else if (k == n) {
    for (std::int32_t i = 0; i < n; ++i) places[i] = i;
    SortPlaces(places, places + n, before);
  } else {
    for (std::int32_t i = 0; i <= k; ++i) places[i] = i;
    std::make_heap(places, places + k + 1, before);  // the worst in front
    std::pop_heap(places, places + k + 1, before);
    for (std::int32_t i = k + 1; i < n; ++i) {
      if (!before(i, places[0])) continue;
      places[k] = i;
      std::pop_heap(places, places + k + 1, before);  // in the worst one's stead
    }
    if (sorted) std::sort_heap(places, places + k, before);
  }
  for (std::int32_t i = 0; i < k; ++i) values[i] = row[places[i]];
}

}  // namespace detail

// Scratch bytes that the functions below need for rows of n elements.
constexpr std::size_t TopKScratchBytes(Index n) { return static_cast<std::size_t>(n + 1) * 32; }

// row: n elements of `type`  ->  values: its k greatest, places: where they are. 0 < k <= n < 2^31. `scratch` is
// aligned to 8 bytes and has TopKScratchBytes(n); places, in scratch too, are valid until its next use.
inline const std::int32_t* TopK(const WideType& type, const void* row, Index n, Index k, bool sorted, void* scratch,
                                void* values) {
  char* const wide = static_cast<char*>(scratch);
  char* const best = wide + n * 8;
  char* const keys = best + (n + 1) * 8;
  auto* const places = reinterpret_cast<std::int32_t*>(keys + n * 8);
  // The best elements are written behind the sort.
  const detail::SortRoom room{reinterpret_cast<std::uint64_t*>(keys), reinterpret_cast<std::uint64_t*>(best),
                              places + n + 1};
  type.Widen(row, wide, n);
  VisitWide(type.kind, [&]<class W>() {
    detail::TopKOfRow(reinterpret_cast<const W*>(wide), static_cast<std::int32_t>(n), static_cast<std::int32_t>(k),
                      sorted, places, reinterpret_cast<W*>(best), room);
  });
  type.Narrow(best, values, k);
  return places;
}

// value = the element that stands at place n when the row is sorted upwards (`reverse`: downwards), 0 <= n < size.
inline void NthElement(const WideType& type, const void* row, Index size, Index n, bool reverse, void* scratch,
                       void* value) {
  type.Widen(row, scratch, size);
  VisitWide(type.kind, [&]<class W>() {
    W* const wide = static_cast<W*>(scratch);
    if (reverse)
      std::nth_element(wide, wide + n, wide + size, std::greater<W>());
    else
      std::nth_element(wide, wide + n, wide + size);
    type.Narrow(wide + n, value, 1);
  });
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements in random order, in place.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/random/philox.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Puts the elements in random order (Fisher and Yates): slot i swaps with one of the slots from i on, by one word of
// the stream each. Words of some slots are drawn ahead, so that their elements are in a cache when they are needed.
template <class Unit>
void ShuffleUnits(const Philox& from, Index n, Unit* data) {
  constexpr Index kAhead = 32;
  Index others[kAhead];
  PhiloxWords words(from);
  for (Index first = 0; first + 1 < n; first += kAhead) {
    const Index count = std::min(kAhead, n - 1 - first);
    for (Index k = 0; k < count; ++k) {
      others[k] = first + k + static_cast<Index>(words.Next() % static_cast<std::uint32_t>(n - first - k));
#if defined(__GNUC__)
      __builtin_prefetch(data + others[k], 1);
#endif
    }
    for (Index k = 0; k < count; ++k) std::swap(data[first + k], data[others[k]]);
  }
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of convolutions and pools share: every meeting of an output place with an input element, found by the
// definition.

#include <vector>

#include <tenon/engine/core/window_dim.hpp>

namespace tenon::testing {

// Calls body(place, tap, position) for all places of the window, taps and positions inside of the input.
template <class Body>
void ForEachTap(const Window& w, const Body& body) {
  for (Index place = 0; place < w.output; ++place) {
    for (Index tap = 0; tap < w.size; ++tap) {
      const Index position = place * w.stride + tap * w.dilation - w.pad_before;
      if (position >= 0 && position < w.input) body(place, tap, position);
    }
  }
}

// A window with its places worked out.
inline Window Placed(Padding padding, Window w) { return PlaceWindow(padding, &w).ok() ? w : Window{}; }

// The largest difference of two lists, or 1e300 where their lengths differ.
template <class A, class B>
double LargestDifference(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return 1e300;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    if (!(d <= most && -d <= most)) most = d != d ? 1e300 : d < 0 ? -d : d;
  }
  return most;
}

}  // namespace tenon::testing

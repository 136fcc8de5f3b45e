// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sets of axes by their numbers.

#include <initializer_list>

#include <tenon/engine/reduce/reduce.hpp>

namespace tenon::testing {

inline AxisSet Axes(std::initializer_list<int> axes) {
  AxisSet set;
  for (const int d : axes) set.Add(d);
  return set;
}

}  // namespace tenon::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where several threads are at work: the same on one.

#include <tenon/tensor/shape.hpp>

#include "harness.hpp"

namespace tenon::bench {

// once() does on one thread what several do in the case, for so many elements.
template <class F>
void AddOneThread(State& state, Index elements, F once) {
  if (state.options().threads < 2) return;
  state.Peer("one thread", std::move(once));
  state.Goal(elements >= 65536 ? 1 / 1.6 : 1 / 0.95, "one thread");
}

}  // namespace tenon::bench

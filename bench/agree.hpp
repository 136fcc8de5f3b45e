// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a peer has the answer that we have.

#include <cmath>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/shape.hpp>

#include "harness.hpp"

namespace tenon::bench {

// Fails the case if the peer's answer is another than ours: largest difference by largest value.
template <class T>
bool Agree(State& state, std::string_view peer, const T* ours, const T* theirs, Index n) {
  double difference = 0, largest = 0;
  for (Index i = 0; i < n; ++i) {
    difference = std::fmax(difference, std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
    largest = std::fmax(largest, std::abs(static_cast<double>(ours[i])));
  }
  if (difference <= (sizeof(T) == 4 ? 1e-4 : 1e-12) * largest) return true;
  state.Fail(errors::Internal(peer, " has another answer: it differs by ", difference, " of ", largest));
  return false;
}

}  // namespace tenon::bench

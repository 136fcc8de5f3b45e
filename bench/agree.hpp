// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a peer has the answer that we have.

#include <cmath>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/shape.hpp>

#include "harness.hpp"

namespace tenon::bench {

// By how much of their value two sums of n positive numbers may differ that are added up in different orders. At worst
// a sum is off by n - 1 roundings of half a unit in the last place, all in one direction; independent ones stay below
// 6 * sqrt(n) of them but once in 10^7 sums (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis).
template <class T>
double SumError(Index n) {
  const double terms = static_cast<double>(n), half_unit = std::numeric_limits<T>::epsilon() / 2.0;
  return 2 * half_unit * std::fmin(terms, 6 * std::sqrt(terms));
}

// Fails the case if the peer's answer is another than ours: largest difference by largest value.
template <class T>
bool Agree(State& state, std::string_view peer, const T* ours, const T* theirs, Index n,
           double error = sizeof(T) == 4 ? 1e-4 : 1e-12) {
  double difference = 0, largest = 0;
  for (Index i = 0; i < n; ++i) {
    difference = std::fmax(difference, std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
    largest = std::fmax(largest, std::abs(static_cast<double>(ours[i])));
  }
  if (difference <= error * largest) return true;
  state.Fail(errors::Internal(peer, " has another answer: it differs by ", difference, " of ", largest));
  return false;
}

}  // namespace tenon::bench

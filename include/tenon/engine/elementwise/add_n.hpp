// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over several tensors, and the sum of a tensor's squares.

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// out[i] = inputs[0][i] + inputs[1][i] + ..., each n elements; `add` adds two runs. `out` may be inputs[0] or
// inputs[1], but none behind these two, which are read after it was written. Added from the first to the last, a tile
// at a time, so that partial sums stay in the first cache.
inline Status Accumulate(Cpu& device, const BinaryLoops& add, const void* attrs, Span<const void* const> inputs,
                         void* out, Index n) {
  constexpr Index kTileBytes = 16384;
  const Index bytes = add.in_bytes;
  const auto at = [bytes](const void* data, Index i) { return static_cast<const char*>(data) + i * bytes; };
  const double ns = static_cast<double>(add.cost_ns) * static_cast<double>(inputs.size());
  ParallelFor(device, n, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; i += kTileBytes / bytes) {
      const Index m = end - i < kTileBytes / bytes ? end - i : kTileBytes / bytes;
      char* const to = static_cast<char*>(out) + i * bytes;
      if (inputs.size() == 1) {
        if (out != inputs[0]) std::memcpy(to, at(inputs[0], i), static_cast<std::size_t>(m * bytes));
        continue;
      }
      add.vv(attrs, at(inputs[0], i), at(inputs[1], i), to, m);
      for (std::size_t k = 2; k < inputs.size(); ++k) add.vv(attrs, to, at(inputs[k], i), to, m);
    }
  });
  return OkStatus();
}

// The sum of x[i]^2, in eight partial sums. T is a real floating-point type.
template <class T>
double SumOfSquares(const T* x, Index n) {
  constexpr Index kLanes = 8;
  double lanes[kLanes] = {};
  const auto wide = [x](Index i) {
    if constexpr (detail::kIsSmallFloat<T>)
      return static_cast<double>(static_cast<float>(x[i]));
    else
      return static_cast<double>(x[i]);
  };
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) lanes[lane] += wide(i + lane) * wide(i + lane);
  for (; i < n; ++i) lanes[0] += wide(i) * wide(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

// *out = the sum of x[i]^2, halved and rounded once.
template <class T>
Status HalfSumOfSquares(Cpu&, const T* x, Index n, T* out) {
  *out = static_cast<T>(SumOfSquares(x, n) / 2);
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scans: along one axis, every element becomes the sum (product, ...) of those up to it. Each step is rounded to the
// element type, as TensorFlow does. Only one plain loop is compiled for each operation and type.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// y[i * step + j] = x[0 * step + j] op ... op x[i * step + j], i in [0, n), j in [0, width); exclusive: without the
// last of them. `step` may be negative: from the end.
struct ScanLoop {
  void (*run)(const void* x, void* y, Index n, Index step, Index width, bool exclusive) = nullptr;
  Index bytes = 0;    // size of one element
  double cost_ns = 1;  // time for one element
};

// ---- the operations

struct ScanSum {
  template <class T>
  TENON_HD static T Identity() {
    return T(0);
  }
  template <class T>
  TENON_HD static T Combine(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a + b);
  }
};
struct ScanProduct {
  template <class T>
  TENON_HD static T Identity() {
    return T(1);
  }
  template <class T>
  TENON_HD static T Combine(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a * b);
  }
};
namespace detail {
// A constant: a GPU cannot call the function that gives it.
template <class T>
inline constexpr T kLogOfZero = -std::numeric_limits<T>::infinity();
}  // namespace detail
// log(exp(a) + exp(b)); a NaN in b counts as a.
struct ScanLogSumExp {
  template <class T>
  TENON_HD static T Identity() {
    return static_cast<T>(detail::kLogOfZero<float>);
  }
  template <class T>
  TENON_HD static T Combine(const T& a, const T& b) {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
    const Wide low = y < x ? y : x, high = x < y ? y : x;
    if (high == detail::kLogOfZero<Wide>) return static_cast<T>(high);
    const auto rounded = [](Wide value) { return static_cast<Wide>(static_cast<T>(value)); };
    return static_cast<T>(high + rounded(std::log1p(rounded(std::exp(rounded(low - high))))));
  }
};

namespace detail {

template <class Operation, class T>
void RunScan(const void* px, void* py, Index n, Index step, Index width, bool exclusive) {
  const T* x = static_cast<const T*>(px);
  T* y = static_cast<T*>(py);
  if (width == 1) {
    T sum = Operation::template Identity<T>();
    for (Index i = 0; i < n; ++i) {
      const T before = sum;
      sum = Operation::Combine(sum, x[i * step]);
      y[i * step] = exclusive ? before : sum;
    }
    return;
  }
  for (Index j = 0; j < width; ++j) {
    const T start = Operation::template Identity<T>();
    y[j] = exclusive ? start : Operation::Combine(start, x[j]);
  }
  for (Index i = 1; i < n; ++i) {
    const T* const term = x + (exclusive ? i - 1 : i) * step;
    T* const to = y + i * step;
    for (Index j = 0; j < width; ++j) to[j] = Operation::Combine(to[j - step], term[j]);
  }
}

template <class Operation, class T>
constexpr ScanLoop MakeScanLoop() {
  const bool slow = std::is_same_v<Operation, ScanLogSumExp>;
  return {&RunScan<Operation, T>, static_cast<Index>(sizeof(T)), slow ? 25.0 : 1.5};
}

}  // namespace detail

// The loop of an operation for a device; engine/reduce/scan.cuh has those of a GPU.
template <class Operation, class T>
ScanLoop MakeScanLoop(const Cpu*) {
  return detail::MakeScanLoop<Operation, T>();
}

// x: [outer, n, inner]  ->  y of the same shape, scanned along n. x and y do not overlap.
inline Status Scan(Cpu& device, const ScanLoop& loop, const void* x, void* y, Index outer, Index n, Index inner,
                   bool exclusive, bool reverse) {
  constexpr Index kWidth = 256;
  if (outer == 0 || n == 0 || inner == 0) return OkStatus();
  const Index width = std::min(inner, kWidth), blocks = (inner + width - 1) / width;
  const Index first = reverse ? (n - 1) * inner : 0, step = reverse ? -inner : inner;
  ParallelFor(device, outer * blocks, loop.cost_ns * static_cast<double>(n) * static_cast<double>(width),
              [&](Index begin, Index end) {
                for (Index unit = begin; unit < end; ++unit) {
                  const Index j = unit % blocks * width;
                  const Index at = (unit / blocks * n * inner + first + j) * loop.bytes;
                  loop.run(static_cast<const char*>(x) + at, static_cast<char*>(y) + at, n, step,
                           std::min(width, inner - j), exclusive);
                }
              });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

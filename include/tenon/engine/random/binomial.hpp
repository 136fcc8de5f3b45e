// SPDX-License-Identifier: Apache-2.0
#pragma once
// Samples of binomial distributions, number for number as TensorFlow draws them. Each sample has its own section of the
// stream, so that threads do not matter.

#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/random/gamma_poisson.hpp>
#include <tenon/engine/random/philox.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Sums of geometric numbers until they exceed `count`: for count * prob < 10.
inline double BinomialInversion(double count, double prob, Philox stream) {
  PairsBackwards<false> uniform;
  double sum = 0;
  int successes = 0;
  for (;; ++successes) {
    sum += std::ceil(std::log(uniform.Next(&stream)) / std::log1p(-prob));
    if (!(sum <= count)) return successes;
  }
}

// The error of Stirling's formula for log(k!).
inline double StirlingTail(double k) {
  constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                               0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                               0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTails[k < 0 ? 0 : static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Hormann, "The generation of binomial random variates", 1993: transformed rejection, for count * prob >= 10.
inline double BinomialRejection(double count, double prob, Philox stream) {
  constexpr int kMostTries = 10000;
  PairsBackwards<false> uniform;
  const double deviation = std::sqrt(count * prob * (1 - prob));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * prob, c = count * prob + 0.5;
  const double tight = 0.92 - 4.2 / b, ratio = prob / (1 - prob), alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((count + 1) * prob);
  for (int tries = 0; tries < kMostTries; ++tries) {
    const double u = uniform.Next(&stream) - 0.5, v = uniform.Next(&stream);
    const double shifted = 0.5 - std::fabs(u), k = std::floor((2 * a / shifted + b) * u + c);
    if (shifted >= 0.07 && v <= tight) return k;
    if (k < 0 || k > count) continue;
    const double bound = (mode + 0.5) * std::log((mode + 1) / (ratio * (count - mode + 1))) +
                         (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(ratio * (count - k + 1) / (k + 1)) + StirlingTail(mode) +
                         StirlingTail(count - mode) - StirlingTail(k) - StirlingTail(count - k);
    if (std::log(v * alpha / (a / (shifted * shifted) + b)) <= bound) return k;
  }
  return mode;
}

template <class T>
double WideNumber(T x) {
  if constexpr (sizeof(T) == 2)
    return static_cast<double>(static_cast<float>(x));
  else
    return static_cast<double>(x);
}
// Sample number n of the stream. T: the type of count and prob, in which TensorFlow compares and subtracts. A NaN gives
// NaN.
template <class T>
double BinomialSample(T count, T prob, const Philox& from, std::uint64_t n) {
  constexpr std::uint64_t kInversionBlocks = 42;
  const double wide_count = WideNumber(count);
  if (wide_count <= 0 || prob <= T(0)) return 0;
  if (prob >= T(1)) return wide_count;
  if (!(prob <= T(0.5f)) && !(prob > T(0.5f))) return std::numeric_limits<double>::quiet_NaN();
  const bool mirrored = prob > T(0.5f);
  const T rare = mirrored ? T(1) - prob : prob;
  const double sample = count * rare >= T(10)
                            ? BinomialRejection(wide_count, WideNumber(rare), from.Skipped(n * kRandomBlocksPerElement))
                            : BinomialInversion(wide_count, WideNumber(rare), from.Skipped(n * kInversionBlocks));
  return mirrored ? wide_count - sample : sample;
}

}  // namespace detail

// Stores a sample as `type`; NaN and numbers beyond an integer type give its smallest number.
inline void StoreSample(double x, void* out, DataType type, Index i) {
  const bool fits = x >= -detail::LargestReal(type) && x <= detail::LargestReal(type);
  if (type == DataType::kInt32 && !fits)
    static_cast<std::int32_t*>(out)[i] = std::numeric_limits<std::int32_t>::min();
  else if (type == DataType::kInt64 && !fits)
    static_cast<std::int64_t*>(out)[i] = std::numeric_limits<std::int64_t>::min();
  else
    detail::StoreReal(x, out, type, i);
}

TENON_DETAIL_NAMESPACE_END

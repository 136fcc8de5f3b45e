// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers by Abseil's names, by the standard library, where Abseil is not installed.

#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include <tenon/compat/tensorflow/base/absl.hpp>

namespace absl {

// One thread. Seeds itself.
class BitGen {
 public:
  using result_type = std::uint64_t;
  BitGen() : engine_(std::random_device()()) {}
  template <class Seeds>
    requires requires(Seeds& seeds) { std::mt19937_64(seeds); }
  explicit BitGen(Seeds&& seeds) : engine_(seeds) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};
using InsecureBitGen = BitGen;
using BitGenRef = BitGen&;

struct IntervalClosedOpenTag {};
struct IntervalClosedClosedTag {};
struct IntervalOpenOpenTag {};
struct IntervalOpenClosedTag {};
inline constexpr IntervalClosedOpenTag IntervalClosedOpen, IntervalRightOpen;
inline constexpr IntervalClosedClosedTag IntervalClosedClosed, IntervalClosed;
inline constexpr IntervalOpenOpenTag IntervalOpenOpen, IntervalOpen;
inline constexpr IntervalOpenClosedTag IntervalOpenClosed, IntervalLeftOpen;

// Numbers of [low, high): integers below `high`, or real numbers. IntervalClosed includes the last integer.
template <class R = void, class Generator, class A, class B>
auto Uniform(Generator&& generator, A low, B high) {
  using T = std::conditional_t<std::is_void_v<R>, std::common_type_t<A, B>, R>;
  const T first = static_cast<T>(low), last = static_cast<T>(high);
  if (!(first < last)) return first;
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(std::uniform_int_distribution<Wide>(first, static_cast<Wide>(last) - 1)(generator));
  } else {
    return std::uniform_real_distribution<T>(first, last)(generator);
  }
}
template <class R = void, class Generator, class A, class B>
auto Uniform(IntervalClosedOpenTag, Generator&& generator, A low, B high) {
  return Uniform<R>(generator, low, high);
}
template <class R = void, class Generator, class A, class B>
auto Uniform(IntervalClosedClosedTag, Generator&& generator, A low, B high) {
  using T = std::conditional_t<std::is_void_v<R>, std::common_type_t<A, B>, R>;
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(
        std::uniform_int_distribution<Wide>(static_cast<Wide>(low), static_cast<Wide>(high))(generator));
  } else {
    return Uniform<T>(generator, low, high);
  }
}
// Any value of an unsigned type.
template <class R, class Generator>
R Uniform(Generator&& generator) {
  return static_cast<R>(generator());
}
template <class Generator>
bool Bernoulli(Generator&& generator, double p) {
  return std::bernoulli_distribution(p)(generator);
}
template <class T = double, class Generator>
T Gaussian(Generator&& generator, T mean = 0, T deviation = 1) {
  return std::normal_distribution<T>(mean, deviation)(generator);
}
template <class T = double, class Generator>
T Exponential(Generator&& generator, T lambda = 1) {
  return std::exponential_distribution<T>(lambda)(generator);
}
template <class T = std::int64_t, class Generator>
T Poisson(Generator&& generator, double mean = 1) {
  return static_cast<T>(std::poisson_distribution<std::int64_t>(mean)(generator));
}

}  // namespace absl

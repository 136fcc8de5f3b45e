// SPDX-License-Identifier: Apache-2.0
#pragma once
// Normal numbers between any bounds, number for number as TensorFlow draws them on one thread: the samples of a tensor
// follow each other in one stream, each after as many tries as it takes (Robert, "Simulation of truncated normal
// variables", 1995).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/engine/random/distributions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// One batch of samples has these parameters. T is half (every step is rounded, as TensorFlow does), float or double.
template <class T>
struct BoundedNormal {
  T mean, deviation, low, high;
};

// Tries for one sample.
inline constexpr int kBoundedNormalTries = 1000;

namespace detail {

template <class T>
using StepType = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <class T>
T RoundedExp(T x) {
  return T(std::exp(static_cast<StepType<T>>(x)));
}
template <class T>
T RoundedLog(T x) {
  return T(std::log(static_cast<StepType<T>>(x)));
}
template <class T>
T RoundedSqrt(T x) {
  return T(std::sqrt(static_cast<StepType<T>>(x)));
}

// Four numbers (two of double) of one block.
template <class T>
struct BlockOf {
  static constexpr int size = sizeof(T) == 8 ? 2 : 4;
  T x[size];
};
template <class T>
BlockOf<T> NextBlock(RandomKind kind, Philox* stream) {
  const RandomFill fill = RandomFillOf(kind, dtype_of_v<T>);
  const PhiloxBlock words = stream->Next();
  BlockOf<T> block;
  fill.convert(fill, words.word, 1, block.x);
  return block;
}

// Standard normal numbers in [low, high].
template <class T>
class BoundedSampler {
 public:
  BoundedSampler(T low, T high, Philox* stream) : low_(low), high_(high), stream_(stream) {
    const T kEnough = T(1.3f);  // deviations within the bounds from which on a normal number is worth trying
    const T root = RoundedSqrt(low * low + T(4));
    const T cutoff = T(2) * RoundedExp(T(0.5f) + (low * (low - root)) / T(4)) / (low + root);
    normal_ = (low < -kEnough && high >= T(0)) || (high > kEnough && low <= T(0));
    uniform_ = high - low < cutoff;
    alpha_ = (low + root) / T(2);
  }
  // out[i] = sample * deviation + mean, i in [0, n). False when one has not come after all tries.
  bool Fill(T deviation, T mean, T* out, Index n) {
    T* const end = out + n;
    tries_ = 0;
    const auto take = [&](T z) {
      *out++ = z * deviation + mean;
      tries_ = 0;
    };
    while (out != end) {
      const bool ok = normal_    ? TryNormal(take, out, end)
                      : uniform_ ? TryUniform(take, out, end)
                                 : TryExponential(take, out, end);
      if (!ok) return false;
    }
    return true;
  }

 private:
  static constexpr int kSize = BlockOf<T>::size;
  bool Missed(int most) { return ++tries_ < most; }

  template <class Take>
  bool TryNormal(const Take& take, T* const& out, const T* end) {
    const BlockOf<T> z = NextBlock<T>(RandomKind::kNormal, stream_);
    for (int i = 0; i < kSize && out != end; ++i) {
      if (z.x[i] >= low_ && z.x[i] <= high_)
        take(z.x[i]);
      else if (!Missed(kBoundedNormalTries + 1))
        return false;
    }
    return true;
  }
  template <class Take>
  bool TryUniform(const Take& take, T* const& out, const T* end) {
    const T plus = low_ < T(0) ? T(0) : low_ * low_;
    const BlockOf<T> place = NextBlock<T>(RandomKind::kUniform, stream_),
                     u = NextBlock<T>(RandomKind::kUniform, stream_);
    for (int i = 0; i < kSize && out != end; ++i) {
      const T z = place.x[i] * (high_ - low_) + low_;
      if (u.x[i] <= RoundedExp((plus - z * z) / T(2)))
        take(z);
      else if (!Missed(kBoundedNormalTries))
        return false;
    }
    return true;
  }
  template <class Take>
  bool TryExponential(const Take& take, T* const& out, const T* end) {
    const BlockOf<T> u = NextBlock<T>(RandomKind::kUniform, stream_);
    for (int i = 0; i < kSize && out != end; i += 2) {
      const T z = -RoundedLog(u.x[i]) / alpha_ + low_;
      const T x = low_ < alpha_ ? alpha_ - z : low_ - alpha_;
      if (u.x[i + 1] <= RoundedExp(-x * x / T(2)) && z < high_)
        take(z);
      else if (!Missed(kBoundedNormalTries))
        return false;
    }
    return true;
  }

  T low_, high_, alpha_{};
  Philox* stream_;
  bool normal_ = false, uniform_ = false;
  int tries_ = 0;
};

}  // namespace detail

// out[i], i in [0, n): the next samples of the stream. InvalidArgument for parameters that leave no samples, Internal
// when one is not found.
template <class T>
TENON_DETAIL_RARE Status FillBoundedNormal(BoundedNormal<T> p, Philox* stream, T* out, Index n) {
  const auto finite = [](T x) { return std::isfinite(static_cast<detail::StepType<T>>(x)); };
  if (!(p.deviation > T(0) && p.low < p.high && (finite(p.low) || finite(p.high))))
    return errors::InvalidArgument(
        "Invalid parameters: stddev ", static_cast<detail::StepType<T>>(p.deviation), ", bounds ",
        static_cast<detail::StepType<T>>(p.low), " and ", static_cast<detail::StepType<T>>(p.high),
        "; stddev must be positive and the lower bound less than the upper, one of them finite");
  if ((!finite(p.low) && p.low < T(0)) || p.high < p.mean) {  // mirrored: the bound near the mean is the lower one
    std::swap(p.low, p.high);
    p.deviation = -p.deviation;
  }
  detail::BoundedSampler<T> sampler((p.low - p.mean) / p.deviation, (p.high - p.mean) / p.deviation, stream);
  if (sampler.Fill(p.deviation, p.mean, out, n)) return OkStatus();
  return errors::Internal("TruncatedNormal rejection sampler failed to accept a sample.");
}

TENON_DETAIL_NAMESPACE_END

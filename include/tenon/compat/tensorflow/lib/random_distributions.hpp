// SPDX-License-Identifier: Apache-2.0
#pragma once
// Distributions over random words: uniform, normal, truncated normal; samplers by weights.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/engine/random/distributions.hpp>
#include <tenon/compat/tensorflow/base/eigen.hpp>
#include <tenon/compat/tensorflow/random.hpp>

namespace tensorflow {
namespace random {

inline float Uint32ToFloat(uint32 word) { return tenon::detail::UniformFloat(word); }
inline double Uint64ToDouble(uint32 high, uint32 low) { return tenon::detail::UniformDouble(high, low); }
inline Eigen::half Uint16ToHalf(uint16 word) { return Eigen::half(static_cast<float>(word & 0x3ff) * 0x1p-10f); }
inline Eigen::bfloat16 Uint16ToGfloat16(uint16 word) {
  return Eigen::bfloat16(static_cast<float>(word & 0x7f) * 0x1p-7f);
}
inline void BoxMullerFloat(uint32 x0, uint32 x1, float* f0, float* f1) {
  float two[2];
  tenon::detail::BoxMuller(Uint32ToFloat(x0), Uint32ToFloat(x1), two);
  *f0 = two[0];
  *f1 = two[1];
}
inline void BoxMullerDouble(uint32 x0, uint32 x1, uint32 x2, uint32 x3, double* d0, double* d1) {
  double two[2];
  tenon::detail::BoxMuller(Uint64ToDouble(x0, x1), Uint64ToDouble(x2, x3), two);
  *d0 = two[0];
  *d1 = two[1];
}

// Numbers that a word of the generator becomes.
template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

// In [0, 1), or in [low, high) for integers.
template <class Generator, class T>
class UniformDistribution {
  static constexpr bool kIsInteger = std::is_integral_v<T>;
  static constexpr bool kIsWide = sizeof(T) == 8;

 public:
  static constexpr int kResultElementCount =
      kIsWide ? Generator::kResultElementCount / 2 : Generator::kResultElementCount;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;

  UniformDistribution()
    requires(!kIsInteger)
  = default;
  UniformDistribution(T low, T high)
    requires kIsInteger
      : low_(low), range_(static_cast<Unsigned>(high) - static_cast<Unsigned>(low)) {}
  ResultType operator()(Generator* generator) {
    const typename Generator::ResultType words = (*generator)();
    ResultType out;
    for (int i = 0; i < kResultElementCount; ++i) out[i] = One(words, i);
    return out;
  }

 private:
  using Unsigned = std::conditional_t<kIsWide, std::uint64_t, std::uint32_t>;
  template <class Words>
  T One(const Words& words, int i) const {
    if constexpr (std::is_same_v<T, float>) {
      return Uint32ToFloat(words[i]);
    } else if constexpr (std::is_same_v<T, double>) {
      return Uint64ToDouble(words[2 * i], words[2 * i + 1]);
    } else if constexpr (std::is_same_v<T, Eigen::half>) {
      return Uint16ToHalf(static_cast<uint16>(words[i]));
    } else if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
      return Uint16ToGfloat16(static_cast<uint16>(words[i]));
    } else {
      Unsigned word = 0;
      if constexpr (kIsWide)
        word = words[2 * i] | static_cast<Unsigned>(words[2 * i + 1]) << 32;
      else
        word = words[i];
      return static_cast<T>(static_cast<Unsigned>(low_) + (range_ == 0 ? word : word % range_));
    }
  }
  T low_{};
  Unsigned range_ = 0;
};
// Integers of the whole range of the type.
template <class Generator, class T>
class UniformFullIntDistribution : public UniformDistribution<Generator, T> {
 public:
  UniformFullIntDistribution() : UniformDistribution<Generator, T>(T(0), T(0)) {}
};

// Mean 0, standard deviation 1.
template <class Generator, class T>
class NormalDistribution {
  static constexpr bool kIsWide = sizeof(T) == 8;

 public:
  static constexpr int kResultElementCount =
      kIsWide ? Generator::kResultElementCount / 2 : Generator::kResultElementCount;
  static constexpr int kElementCost = 70;
  static constexpr bool kVariableSamplesPerOutput = std::is_same_v<Generator, SingleSampleAdapter<PhiloxRandom>>;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;
  ResultType operator()(Generator* generator) {
    ResultType out;
    if constexpr (kIsWide) {
      const auto words = (*generator)();
      for (int i = 0; i < kResultElementCount; i += 2) {
        double two[2];
        BoxMullerDouble(words[2 * i], words[2 * i + 1], words[2 * i + 2], words[2 * i + 3], &two[0], &two[1]);
        out[i] = two[0];
        out[i + 1] = two[1];
      }
    } else {
      const auto words = (*generator)();
      for (int i = 0; i < kResultElementCount; i += 2) {
        float two[2];
        BoxMullerFloat(words[i], words[i + 1], &two[0], &two[1]);
        out[i] = T(two[0]);
        out[i + 1] = T(two[1]);
      }
    }
    return out;
  }
};

// Normal numbers between -2 and 2. `Generator` gives words one by one.
template <class Generator, class T>
class TruncatedNormalDistribution {
  static constexpr bool kIsWide = sizeof(T) == 8;

 public:
  static constexpr int kNativeElementCount = Generator::kNativeElementCount;
  static constexpr int kResultElementCount = kIsWide ? kNativeElementCount / 2 : kNativeElementCount;
  static constexpr int kElementCost = 90;
  static constexpr bool kVariableSamplesPerOutput = true;
  static constexpr float kTruncateValue = 2.0f;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;
  ResultType operator()(Generator* generator) {
    ResultType out;
    for (int i = 0; i < kResultElementCount;) {
      double two[2];
      if constexpr (kIsWide) {
        const uint32 x0 = (*generator)(), x1 = (*generator)(), x2 = (*generator)(), x3 = (*generator)();
        BoxMullerDouble(x0, x1, x2, x3, &two[0], &two[1]);
      } else {
        float f[2];
        const uint32 x0 = (*generator)(), x1 = (*generator)();
        BoxMullerFloat(x0, x1, &f[0], &f[1]);
        two[0] = static_cast<double>(f[0]);
        two[1] = static_cast<double>(f[1]);
      }
      for (const double value : two)
        if (std::abs(value) < static_cast<double>(kTruncateValue) && i < kResultElementCount)
          out[i++] = T(static_cast<std::conditional_t<kIsWide, double, float>>(value));
    }
    return out;
  }
};

// Numbers 0 to n - 1 with a probability each (Walker's method of aliases). immutable.
class DistributionSampler {
 public:
  explicit DistributionSampler(gtl::ArraySlice<float> weights) : items_(weights.size()) {
    double sum = 0;
    for (const float w : weights) sum += static_cast<double>(w);
    const std::size_t n = weights.size();
    std::vector<double> left(n);
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = sum > 0 ? static_cast<double>(weights[i]) * static_cast<double>(n) / sum : 1;
      (left[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t s = small.back(), l = large.back();
      small.pop_back();
      items_[s] = {left[s], l};
      left[l] -= 1 - left[s];
      if (left[l] < 1) {
        large.pop_back();
        small.push_back(l);
      }
    }
    for (const std::size_t i : small) items_[i] = {1, i};
    for (const std::size_t i : large) items_[i] = {1, i};
  }
  int Sample(SimplePhilox* random) const {
    const std::size_t i = random->Uniform(static_cast<uint32>(items_.size()));
    return static_cast<int>(random->RandDouble() < items_[i].keep ? i : items_[i].other);
  }
  int num() const { return static_cast<int>(items_.size()); }

 private:
  struct Item {
    double keep = 1;
    std::size_t other = 0;
  };
  std::vector<Item> items_;
};

// Numbers by weights that change: a tree of sums. externally synchronised.
class WeightedPicker {
 public:
  explicit WeightedPicker(int n) { Resize(n), SetAllWeights(1); }
  int Pick(SimplePhilox* random) const {
    const int32 total = total_weight();
    return total == 0 ? -1 : PickAt(static_cast<int32>(random->Uniform(static_cast<uint32>(total))));
  }
  int PickAt(int32 at) const {
    if (at < 0 || at >= total_weight()) return -1;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (at < weights_[i]) return static_cast<int>(i);
      at -= weights_[i];
    }
    return -1;
  }
  int32 get_weight(int i) const { return weights_[static_cast<std::size_t>(i)]; }
  void set_weight(int i, int32 weight) { weights_[static_cast<std::size_t>(i)] = weight; }
  int32 total_weight() const {
    int64_t sum = 0;
    for (const int32 weight : weights_) sum += weight;
    return static_cast<int32>(sum);
  }
  int num_elements() const { return static_cast<int>(weights_.size()); }
  void SetAllWeights(int32 weight) { weights_.assign(weights_.size(), weight); }
  void SetWeightsFromArray(int n, const int32* weights) { weights_.assign(weights, weights + n); }
  void Resize(int n) { weights_.resize(static_cast<std::size_t>(n)); }
  void Append(int32 weight) { weights_.push_back(weight); }

 private:
  std::vector<int32> weights_;
};

// A number below n, every one as likely.
template <class Unsigned, class Generator>
Unsigned ExactUniformInt(Unsigned n, const Generator& random) {
  if (n == 0) return random() * n;
  if ((n & (n - 1)) == 0) return random() & (n - 1);
  const Unsigned most = std::numeric_limits<Unsigned>::max() - (std::numeric_limits<Unsigned>::max() % n + 1) % n;
  Unsigned word = random();
  while (word > most) word = random();
  return word % n;
}

}  // namespace random
}  // namespace tensorflow

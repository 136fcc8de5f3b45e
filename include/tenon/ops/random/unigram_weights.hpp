// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers with given frequencies, as TensorFlow draws them: whole ones from words of a stream, weights that
// grow, weights that stay.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline std::uint64_t NextWords(PhiloxWords* words) {
  const std::uint64_t low = words->Next();
  return low | std::uint64_t{words->Next()} << 32;
}

// In [0, n), each number as often as any other: words that would favour small ones are drawn again.
inline std::uint64_t BelowOf64(PhiloxWords* words, std::uint64_t n) {
  if (n == 0) return NextWords(words) * n;
  if (std::has_single_bit(n)) return NextWords(words) & (n - 1);
  const std::uint64_t refused = ~std::uint64_t{0} % n + 1;
  for (;;)
    if (const std::uint64_t drawn = NextWords(words); drawn >= refused) return drawn % n;
}
inline std::uint32_t BelowOf32(PhiloxWords* words, std::uint32_t n) {
  if (n == 0) return words->Next() * n;
  if (std::has_single_bit(n)) return words->Next() & (n - 1);
  const std::uint32_t refused = ~std::uint32_t{0} % n + 1;
  for (;;)
    if (const std::uint32_t drawn = words->Next(); drawn >= refused) return drawn % n;
}

// Whole weights of [0, range), each 1 at first: a Fenwick tree of what came to them, in blocks that are made when they
// are needed.
class GrowingWeights {
 public:
  explicit GrowingWeights(Index range = 0) : range_(range) {}
  Index total() const { return range_ + extra_; }
  Index Weight(Index value) const { return 1 + ExtraBefore(value + 1) - ExtraBefore(value); }
  void Add(Index value) {
    if (blocks_.empty()) blocks_.resize(static_cast<std::size_t>(range_ / kBlock + 1));
    ++extra_;
    for (Index node = value + 1; node <= range_; node += node & -node) ++*Node(node);
  }
  // The first value with which the sum of the weights exceeds `place`, 0 <= place < total().
  Index Pick(Index place) const {
    Index value = 0;
    for (auto step = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(range_))); step > 0; step /= 2) {
      const Index next = value + step;
      if (next > range_) continue;
      const Index weight = step + At(next);
      if (weight > place) continue;
      place -= weight;
      value = next;
    }
    return value;
  }

 private:
  static constexpr Index kBlock = 1024;

  Index At(Index node) const {
    if (blocks_.empty()) return 0;
    const SlimVector<std::int32_t>& block = blocks_[static_cast<std::size_t>(node / kBlock)];
    return block.empty() ? 0 : block[static_cast<std::size_t>(node % kBlock)];
  }
  std::int32_t* Node(Index node) {
    SlimVector<std::int32_t>& block = blocks_[static_cast<std::size_t>(node / kBlock)];
    if (block.empty()) block.resize(static_cast<std::size_t>(kBlock), 0);
    return &block[static_cast<std::size_t>(node % kBlock)];
  }
  Index ExtraBefore(Index node) const {
    Index sum = 0;
    for (; node > 0; node -= node & -node) sum += At(node);
    return sum;
  }

  Index range_;
  Index extra_ = 0;
  SlimVector<SlimVector<std::int32_t>> blocks_;  // node n covers the values (n - lowest bit of n, n]
};

// Any weights: slot i is value i with the probability own(i), and else its alias (Walker's method).
class AliasTable {
 public:
  AliasTable() = default;
  explicit AliasTable(const SlimVector<float>& weights) : own_(weights.size()), alias_(weights.size()) {
    const std::size_t n = weights.size();
    SlimVector<double> left(n);
    SlimVector<std::int32_t> high, low;
    double sum = 0;
    for (const float weight : weights) sum += static_cast<double>(weight);
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = static_cast<double>(weights[i] * static_cast<float>(n)) / sum;
      (left[i] < 1.0 ? low : high).push_back(static_cast<std::int32_t>(i));
    }
    while (!high.empty() && !low.empty()) {
      const std::int32_t small = low.back(), large = high.back();
      low.pop_back();
      high.pop_back();
      alias_[static_cast<std::size_t>(small)] = large;
      double& rest = left[static_cast<std::size_t>(large)];
      rest -= 1.0 - left[static_cast<std::size_t>(small)];
      (rest < 1.0 ? low : high).push_back(large);
    }
    for (std::size_t i = 0; i < n; ++i) own_[i] = static_cast<float>(left[i]);
    for (const SlimVector<std::int32_t>* full : {&high, &low}) {
      for (const std::int32_t i : *full) {
        own_[static_cast<std::size_t>(i)] = 1;
        alias_[static_cast<std::size_t>(i)] = i;
      }
    }
  }
  Index Draw(PhiloxWords* words) const {
    const float place = tenon::detail::UniformFloat(words->Next());
    const std::uint32_t slot = BelowOf32(words, static_cast<std::uint32_t>(own_.size()));
    return place < own_[slot] ? Index{slot} : Index{alias_[slot]};
  }
  // How many values can be drawn at all.
  Index CountDrawable() const {
    constexpr float kLargestPlace = 1 - 1.0F / (1 << 23);
    SlimVector<char> drawable(own_.size(), 0);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (own_[i] > 0) drawable[i] = 1;
      if (!(own_[i] > kLargestPlace)) drawable[static_cast<std::size_t>(alias_[i])] = 1;
    }
    return static_cast<Index>(std::count(drawable.begin(), drawable.end(), 1));
  }

 private:
  SlimVector<float> own_;
  SlimVector<std::int32_t> alias_;
};

TENON_DETAIL_SETUP_CODE_END

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Philox 4x32-10: random bits as a function of a key and a counter (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC11). Block number i of a stream needs none of the blocks before it, so any thread may begin anywhere.

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Four words of 32 random bits.
struct PhiloxBlock {
  std::uint32_t word[4];
};

// Where a stream stands: a key of 64 bits and a counter of 128. A plain value: copy it to read a stream twice.
struct Philox {
  std::uint64_t key = 0;
  std::uint64_t low = 0, high = 0;  // halves of the counter

  // As TensorFlow's stateful ops start: the first seed is the key, the second the counter's upper half.
  static constexpr Philox FromSeeds(std::uint64_t seed, std::uint64_t seed2) { return {seed, 0, seed2}; }

  // Goes on by n blocks; the counter wraps around.
  constexpr void Skip(std::uint64_t n) {
    low += n;
    high += low < n ? 1 : 0;
  }
  constexpr Philox Skipped(std::uint64_t n) const {
    Philox later = *this;
    later.Skip(n);
    return later;
  }
  // The block at the counter, which goes on by one.
  PhiloxBlock Next();
};

namespace detail {

inline constexpr std::uint32_t kPhiloxMultipliers[2] = {0xd2511f53, 0xcd9e8d57};
inline constexpr std::uint32_t kPhiloxWeyl[2] = {0x9e3779b9, 0xbb67ae85};
inline constexpr int kPhiloxRounds = 10;

// Blocks 0 to kLanes - 1 from `from` on, word by word and block by block.
template <int kLanes>
TENON_DETAIL_ALWAYS_INLINE void PhiloxLanes(const Philox& from, std::uint32_t* out) {
  std::uint32_t a[kLanes], b[kLanes], c[kLanes], d[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    const std::uint64_t low = from.low + static_cast<unsigned>(i);
    const std::uint64_t high = from.high + (low < from.low ? 1 : 0);
    a[i] = static_cast<std::uint32_t>(low);
    b[i] = static_cast<std::uint32_t>(low >> 32);
    c[i] = static_cast<std::uint32_t>(high);
    d[i] = static_cast<std::uint32_t>(high >> 32);
  }
  std::uint32_t key0 = static_cast<std::uint32_t>(from.key), key1 = static_cast<std::uint32_t>(from.key >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const std::uint64_t p = std::uint64_t{kPhiloxMultipliers[0]} * a[i];
      const std::uint64_t q = std::uint64_t{kPhiloxMultipliers[1]} * c[i];
      a[i] = static_cast<std::uint32_t>(q >> 32) ^ b[i] ^ key0;
      b[i] = static_cast<std::uint32_t>(q);
      c[i] = static_cast<std::uint32_t>(p >> 32) ^ d[i] ^ key1;
      d[i] = static_cast<std::uint32_t>(p);
    }
    key0 += kPhiloxWeyl[0];
    key1 += kPhiloxWeyl[1];
  }
  for (int i = 0; i < kLanes; ++i) {
    out[4 * i] = a[i];
    out[4 * i + 1] = b[i];
    out[4 * i + 2] = c[i];
    out[4 * i + 3] = d[i];
  }
}

inline constexpr int kPhiloxLanes = 16;

inline void PhiloxSixteen(const Philox& from, std::uint32_t* out) { PhiloxLanes<kPhiloxLanes>(from, out); }
#if TENON_DETAIL_TARGETS
TENON_DETAIL_TARGET_AVX2 inline void PhiloxSixteenAvx2(const Philox& from, std::uint32_t* out) {
  PhiloxLanes<kPhiloxLanes>(from, out);
}
#endif

}  // namespace detail

inline PhiloxBlock Philox::Next() {
  PhiloxBlock block;
  detail::PhiloxLanes<1>(*this, block.word);
  Skip(1);
  return block;
}

// The next n blocks: 4 n words. The same words on every processor.
inline void PhiloxBlocks(const Philox& from, Index n, std::uint32_t* out) {
  void (*sixteen)(const Philox&, std::uint32_t*) = &detail::PhiloxSixteen;
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() != simd::Level::kUnit) sixteen = &detail::PhiloxSixteenAvx2;
#endif
  Philox at = from;
  for (; n >= detail::kPhiloxLanes; n -= detail::kPhiloxLanes) {
    sixteen(at, out);
    at.Skip(detail::kPhiloxLanes);
    out += 4 * detail::kPhiloxLanes;
  }
  for (; n > 0; --n, out += 4) {
    detail::PhiloxLanes<1>(at, out);
    at.Skip(1);
  }
}

// A stream word by word. one thread.
class PhiloxWords {
 public:
  // Begins at word `skip` of the first block.
  explicit PhiloxWords(const Philox& from, int skip = 0) : philox_(from) {
    for (int i = 0; i < skip; ++i) (void)Next();
  }
  std::uint32_t Next() {
    if (used_ == 4) {
      block_ = philox_.Next();
      used_ = 0;
    }
    return block_.word[used_++];
  }

 private:
  Philox philox_;
  PhiloxBlock block_{};
  int used_ = 4;
};

TENON_DETAIL_NAMESPACE_END

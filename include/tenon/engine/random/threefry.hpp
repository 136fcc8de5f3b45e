// SPDX-License-Identifier: Apache-2.0
#pragma once
// ThreeFry 2x32 with 20 rounds: random bits as a function of a key and a counter, of additions, rotations and xors
// alone (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC11). The words are those that TensorFlow's ops
// give for alg = 2 where XLA compiles them, and JAX's. (Outside of XLA TensorFlow's ops refuse the algorithm, as ours
// do.)

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Two words of 32 random bits.
struct ThreeFryBlock {
  std::uint32_t word[2];
};

// Where a stream stands: a key and a counter of 64 bits each, which wraps around. A plain value.
struct ThreeFry {
  std::uint64_t key = 0, counter = 0;

  constexpr void Skip(std::uint64_t n) { counter += n; }
  // The block at the counter, which goes on by one.
  constexpr ThreeFryBlock Next();
};

namespace detail {

inline constexpr int kThreeFryRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
inline constexpr std::uint32_t kThreeFryParity = 0x1bd11bda;
inline constexpr int kThreeFryLanes = 16;

// Blocks 0 to lanes - 1 from `from` on, word by word and block by block.
template <int lanes>
TENON_DETAIL_ALWAYS_INLINE constexpr void ThreeFryBlocksOf(const ThreeFry& from, std::uint32_t* out) {
  const auto key0 = static_cast<std::uint32_t>(from.key), key1 = static_cast<std::uint32_t>(from.key >> 32);
  const std::uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ kThreeFryParity};
  std::uint32_t a[lanes] = {}, b[lanes] = {};
  for (int i = 0; i < lanes; ++i) {
    const std::uint64_t counter = from.counter + static_cast<unsigned>(i);
    a[i] = static_cast<std::uint32_t>(counter) + key0;
    b[i] = static_cast<std::uint32_t>(counter >> 32) + key1;
  }
  for (std::uint32_t four = 1; four <= 5; ++four) {  // times four rounds
    for (const int rotation : kThreeFryRotations[(four - 1) % 2]) {
      for (int i = 0; i < lanes; ++i) {
        a[i] += b[i];
        b[i] = (b[i] << rotation | b[i] >> (32 - rotation)) ^ a[i];
      }
    }
    for (int i = 0; i < lanes; ++i) {
      a[i] += keys[four % 3];
      b[i] += keys[(four + 1) % 3] + four;
    }
  }
  for (int i = 0; i < lanes; ++i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}

inline void ThreeFrySixteen(const ThreeFry& from, std::uint32_t* out) { ThreeFryBlocksOf<kThreeFryLanes>(from, out); }
#if TENON_DETAIL_TARGETS
TENON_DETAIL_TARGET_AVX2 inline void ThreeFrySixteenAvx2(const ThreeFry& from, std::uint32_t* out) {
  ThreeFryBlocksOf<kThreeFryLanes>(from, out);
}
#endif

}  // namespace detail

constexpr ThreeFryBlock ThreeFry::Next() {
  ThreeFryBlock block{};
  detail::ThreeFryBlocksOf<1>(*this, block.word);
  Skip(1);
  return block;
}

// The next n blocks: 2 n words. The same words on every processor.
inline void ThreeFryBlocks(const ThreeFry& from, Index n, std::uint32_t* out) {
  void (*sixteen)(const ThreeFry&, std::uint32_t*) = &detail::ThreeFrySixteen;
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() != simd::Level::kUnit) sixteen = &detail::ThreeFrySixteenAvx2;
#endif
  ThreeFry at = from;
  for (; n >= detail::kThreeFryLanes; n -= detail::kThreeFryLanes) {
    sixteen(at, out);
    at.Skip(detail::kThreeFryLanes);
    out += 2 * detail::kThreeFryLanes;
  }
  for (; n > 0; --n, out += 2) {
    const ThreeFryBlock block = at.Next();
    out[0] = block.word[0];
    out[1] = block.word[1];
  }
}

TENON_DETAIL_NAMESPACE_END

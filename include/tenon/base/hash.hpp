// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hash64, the function TensorFlow hashes strings with (MurmurHash64A), so that hash buckets come out the same.
// Not for untrusted keys: it does not resist chosen collisions.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr std::uint64_t kHash64Seed = 0xDECAFCAFFE;

// Returns equal values on every machine and in constant expressions.
constexpr std::uint64_t Hash64(std::string_view bytes, std::uint64_t seed = kHash64Seed) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  // Up to eight bytes from `first` on as a little-endian number.
  const auto load = [&bytes](std::size_t first, std::size_t count) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[first + i])) << (8 * i);
    }
    return word;
  };
  std::uint64_t hash = seed ^ (static_cast<std::uint64_t>(bytes.size()) * kMultiplier);
  const std::size_t whole = bytes.size() & ~std::size_t{7};
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word = load(i, 8) * kMultiplier;
    word ^= word >> 47;
    hash = (hash ^ (word * kMultiplier)) * kMultiplier;
  }
  if (whole != bytes.size()) hash = (hash ^ load(whole, bytes.size() - whole)) * kMultiplier;
  hash = (hash ^ (hash >> 47)) * kMultiplier;
  return hash ^ (hash >> 47);
}

// One hash of two; the order matters.
constexpr std::uint64_t HashCombine(std::uint64_t a, std::uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800u + (a << 10) + (a >> 4));
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random tensors, number for number as TensorFlow draws them from a Philox stream: uniform, normal (Box and Muller),
// normal cut at two standard deviations, integers. The block of an element depends on its position alone, so the
// numbers are the same for any number of threads.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/engine/core/half_conversion.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class RandomKind : std::uint8_t {
  kUniform,  // floating, in [0, 1)
  kNormal,  // floating, mean 0, deviation 1
  kTruncatedNormal,  // kNormal, drawn again until in (-2, 2)
  kInRange,  // integers in [low, low + range)
  kAnyInteger,  // all bits random
};

// How the elements of one kind and dtype come from random words. Made by RandomFillOf.
struct RandomFill {
  // `groups` times `per_block` elements, each from one block of four words; null if a group takes as many as needed.
  void (*convert)(const RandomFill& fill, const std::uint32_t* words, Index groups, void* out) = nullptr;
  // `per_block` elements from as many words as it takes; null for all others.
  void (*draw)(PhiloxWords* words, void* out) = nullptr;
  int per_block = 0;
  int bytes = 0;  // size of one element
  float cost_ns = 1;  // time for one group
  std::uint64_t low = 0, range = 1;  // kInRange; the range is not 0
  RandomKind kind = RandomKind::kUniform;
  DataType dtype = DataType::kInvalid;

  bool exists() const { return bytes != 0; }
};

// Blocks of the stream that each element of a seeded op takes, as TensorFlow reserves them.
inline constexpr std::uint64_t kRandomBlocksPerElement = 256;

namespace detail {

// In [0, 1), from the low bits of a word as the fraction of a number in [1, 2).
TENON_HD float UniformFloat(std::uint32_t word) { return BitCast<float>((word & 0x7fffff) | 0x3f800000u) - 1.0f; }
TENON_HD double UniformDouble(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t fraction = std::uint64_t{high & 0xfffff} << 32 | low;
  return BitCast<double>(fraction | 0x3ff0000000000000u) - 1.0;
}

// Two normal numbers from two uniform ones (Box and Muller 1958); 1e-7 stands for smaller logarithms' arguments.
template <class Float>
TENON_HD void BoxMuller(Float uniform, Float turn, Float* two) {
  constexpr Float kLeast = Float(1e-7);
  constexpr double kTwoPi = 2 * 3.141592653589793238462643383279502884;
  const Float radius = std::sqrt(Float(-2) * std::log(uniform < kLeast ? kLeast : uniform));
  const Float angle = static_cast<Float>(kTwoPi * static_cast<double>(turn));  // rounded once
  two[0] = std::sin(angle) * radius;
  two[1] = std::cos(angle) * radius;
}

TENON_DETAIL_LOOPS_BEGIN
TENON_DETAIL_LOOP inline void UniformFloats(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  float* to = static_cast<float*>(out);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < 4 * groups; ++i) to[i] = UniformFloat(words[i]);
}
TENON_DETAIL_LOOPS_END
inline void UniformDoubles(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  double* to = static_cast<double*>(out);
  for (Index i = 0; i < 2 * groups; ++i) to[i] = UniformDouble(words[2 * i], words[2 * i + 1]);
}
// Small floats are made as float, some at a time, and rounded.
template <class Small>
void FillSmall(void (*floats_of)(const RandomFill&, const std::uint32_t*, Index, void*), const RandomFill& fill,
               const std::uint32_t* words, Index groups, void* out) {
  constexpr Index kAtOnce = 64;
  float floats[4 * kAtOnce];
  for (Index g = 0; g < groups; g += kAtOnce) {
    const Index some = std::min(kAtOnce, groups - g);
    floats_of(fill, words + 4 * g, some, floats);
    NarrowRun(floats, static_cast<Small*>(out) + 4 * g, 4 * some);
  }
}
TENON_DETAIL_LOOPS_BEGIN
// As many bits of a word as the fractions of Small have: exact as Small.
template <class Small>
TENON_DETAIL_LOOP void UniformShort(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  constexpr int kBits = Small::format::mantissa_bits;
  float* to = static_cast<float*>(out);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < 4 * groups; ++i) to[i] = UniformFloat((words[i] & ((1u << kBits) - 1)) << (23 - kBits));
}
TENON_DETAIL_LOOPS_END
template <class Small>
void UniformSmall(const RandomFill& fill, const std::uint32_t* words, Index groups, void* out) {
  FillSmall<Small>(&UniformShort<Small>, fill, words, groups, out);
}

inline void NormalFloats(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  float* to = static_cast<float*>(out);
  for (Index i = 0; i < 4 * groups; i += 2) BoxMuller(UniformFloat(words[i]), UniformFloat(words[i + 1]), to + i);
}
template <class Small>
void NormalSmall(const RandomFill& fill, const std::uint32_t* words, Index groups, void* out) {
  FillSmall<Small>(&NormalFloats, fill, words, groups, out);
}
inline void NormalDoubles(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  double* to = static_cast<double*>(out);
  for (Index i = 0; i < groups; ++i, words += 4)
    BoxMuller(UniformDouble(words[0], words[1]), UniformDouble(words[2], words[3]), to + 2 * i);
}

template <class T>
void TruncatedFloats(PhiloxWords* words, void* out) {
  T* to = static_cast<T*>(out);
  for (int count = 0; count < 4;) {
    const std::uint32_t first = words->Next(), second = words->Next();
    float two[2];
    BoxMuller(UniformFloat(first), UniformFloat(second), two);
    for (const float x : two)
      if (std::abs(x) < 2.0f && count < 4) to[count++] = T(x);
  }
}
inline void TruncatedDoubles(PhiloxWords* words, void* out) {
  double* to = static_cast<double*>(out);
  for (int count = 0; count < 2;) {
    std::uint32_t four[4];
    for (std::uint32_t& word : four) word = words->Next();
    double two[2];
    BoxMuller(UniformDouble(four[0], four[1]), UniformDouble(four[2], four[3]), two);
    for (const double x : two)
      if (std::abs(x) < 2.0 && count < 2) to[count++] = x;
  }
}

// Signed integers are their bits: sums wrap around.
inline void WordsInRange(const RandomFill& fill, const std::uint32_t* words, Index groups, void* out) {
  std::uint32_t* to = static_cast<std::uint32_t*>(out);
  const auto low = static_cast<std::uint32_t>(fill.low), range = static_cast<std::uint32_t>(fill.range);
  for (Index i = 0; i < 4 * groups; ++i) to[i] = low + words[i] % range;
}
inline void PairsInRange(const RandomFill& fill, const std::uint32_t* words, Index groups, void* out) {
  std::uint64_t* to = static_cast<std::uint64_t*>(out);
  for (Index i = 0; i < 2 * groups; ++i)
    to[i] = fill.low + (words[2 * i] | std::uint64_t{words[2 * i + 1]} << 32) % fill.range;
}
// Little-endian: two words are a number of 64 bits as they lie.
inline void WordsAsTheyAre(const RandomFill&, const std::uint32_t* words, Index groups, void* out) {
  std::memcpy(out, words, static_cast<std::size_t>(groups) * sizeof(PhiloxBlock));
}

// One fill of a tensor. Shared by the threads that work on it.
struct RandomWork {
  const RandomFill& fill;
  Philox from;
  void* out;
  Index n;

  void* Group(Index g) const { return static_cast<char*>(out) + g * fill.per_block * fill.bytes; }
  // The elements of group g; fewer in the last.
  std::size_t GroupBytes(Index g) const {
    return static_cast<std::size_t>(std::min<Index>(fill.per_block, n - g * fill.per_block) * fill.bytes);
  }
  void Convert(Index begin, Index end) const {
    constexpr Index kAtOnce = 64;  // groups: their words stay in the first cache
    std::uint32_t words[4 * kAtOnce];
    for (Index g = begin; g < end; g += kAtOnce) {
      const Index some = std::min(kAtOnce, end - g), whole = std::min(some, n / fill.per_block - g);
      PhiloxBlocks(from.Skipped(static_cast<std::uint64_t>(g)), some, words);
      fill.convert(fill, words, whole, Group(g));
      if (whole == some) continue;
      alignas(8) char last[sizeof(PhiloxBlock)];
      fill.convert(fill, words + 4 * whole, 1, last);
      std::memcpy(Group(g + whole), last, GroupBytes(g + whole));
    }
  }
  // Each group begins as many blocks after the one before it as its elements reserve words.
  void Draw(Index begin, Index end) const {
    const std::uint64_t step = static_cast<std::uint64_t>(fill.per_block) * kRandomBlocksPerElement / 4;
    for (Index g = begin; g < end; ++g) {
      PhiloxWords words(from.Skipped(static_cast<std::uint64_t>(g) * step));
      alignas(8) char elements[sizeof(PhiloxBlock)];
      fill.draw(&words, elements);
      std::memcpy(Group(g), elements, GroupBytes(g));
    }
  }
};

}  // namespace detail

// exists() is false where TensorFlow draws no such numbers.
inline RandomFill RandomFillOf(RandomKind kind, DataType dtype) {
  using namespace detail;
  RandomFill fill;
  const bool floating = kind <= RandomKind::kTruncatedNormal;
  const bool served = floating ? dtype == DataType::kHalf || dtype == DataType::kBfloat16 ||
                                     dtype == DataType::kFloat || dtype == DataType::kDouble
                               : dtype == DataType::kInt32 || dtype == DataType::kInt64 || dtype == DataType::kUint32 ||
                                     dtype == DataType::kUint64;
  if (!served) return fill;
  fill.kind = kind;
  fill.dtype = dtype;
  fill.bytes = SizeOf(dtype);
  fill.per_block = fill.bytes == 8 ? 2 : 4;
  const auto choose = [dtype](auto* of_half, auto* of_bfloat16, auto* of_float, auto* of_double) {
    return dtype == DataType::kHalf       ? of_half
           : dtype == DataType::kBfloat16 ? of_bfloat16
           : dtype == DataType::kFloat    ? of_float
                                          : of_double;
  };
  switch (kind) {
    case RandomKind::kUniform:
      fill.convert = choose(&UniformSmall<half>, &UniformSmall<bfloat16>, &UniformFloats, &UniformDoubles);
      fill.cost_ns = 4;
      break;
    case RandomKind::kNormal:
      fill.convert = choose(&NormalSmall<half>, &NormalSmall<bfloat16>, &NormalFloats, &NormalDoubles);
      fill.cost_ns = 60;
      break;
    case RandomKind::kTruncatedNormal:
      fill.draw =
          choose(&TruncatedFloats<half>, &TruncatedFloats<bfloat16>, &TruncatedFloats<float>, &TruncatedDoubles);
      fill.cost_ns = 100;
      break;
    case RandomKind::kInRange:
      fill.convert = fill.bytes == 8 ? &PairsInRange : &WordsInRange;
      fill.cost_ns = 8;
      break;
    case RandomKind::kAnyInteger:
      fill.convert = &WordsAsTheyAre;
      fill.cost_ns = 4;
      break;
  }
  return fill;
}

// out: n elements, from the blocks that begin at `from`.
inline Status FillRandom(Cpu& device, const RandomFill& fill, const Philox& from, void* out, Index n) {
  const detail::RandomWork work{fill, from, out, n};
  const Index groups = n / fill.per_block + (n % fill.per_block != 0 ? 1 : 0);
  ParallelFor(device, groups, static_cast<double>(fill.cost_ns), [&](Index begin, Index end) {
    fill.convert != nullptr ? work.Convert(begin, end) : work.Draw(begin, end);
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

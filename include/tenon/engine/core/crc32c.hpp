// SPDX-License-Identifier: Apache-2.0
#pragma once
// Crc32cByProcessor: the check sum CRC-32C by the processor's own instruction, three parts of the bytes at a time.
// io/compression/crc32.hpp chooses between it and tables.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/engine/simd/isa.hpp>

#if defined(__ARM_FEATURE_CRC32) && !defined(__NVCC__)
#include <arm_acle.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// x * y modulo the polynomial of CRC-32C; the highest bit of a number is the coefficient of x^0.
constexpr std::uint32_t Crc32cProduct(std::uint32_t x, std::uint32_t y) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if ((x & bit) != 0) product ^= y;
    y = (y >> 1) ^ ((y & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return product;
}

// x to the power of the number of bits in `bytes` bytes: the effect of so many zero bytes behind others on their sum.
constexpr std::uint32_t Crc32cPower(std::size_t bytes) {
  std::uint32_t power = 1u << 31, square = 1u << 23;  // x^0, x^8
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) power = Crc32cProduct(power, square);
    square = Crc32cProduct(square, square);
  }
  return power;
}

// The effect of zero bytes on a sum that is not inverted: Crc32cZeros(n)(sum) is the sum with n of them behind it.
class Crc32cZeros {
 public:
  explicit Crc32cZeros(std::size_t bytes) {
    const std::uint32_t power = Crc32cPower(bytes);
    for (int row = 0; row < 4; ++row) {
      rows_[row][0] = 0;
      for (std::uint32_t byte = 1; byte < 256; ++byte) {
        const std::uint32_t rest = byte & (byte - 1);
        rows_[row][byte] =
            rest != 0 ? rows_[row][rest] ^ rows_[row][byte ^ rest] : Crc32cProduct(power, byte << (8 * row));
      }
    }
  }
  std::uint64_t operator()(std::uint64_t sum) const {
    return rows_[0][sum & 0xff] ^ rows_[1][(sum >> 8) & 0xff] ^ rows_[2][(sum >> 16) & 0xff] ^
           rows_[3][(sum >> 24) & 0xff];
  }

 private:
  std::uint32_t rows_[4][256];
};

// TENON_DETAIL_CRC32C: 1 where this unit can use the instruction, after HasCrc32cInstruction() says so.
#if TENON_DETAIL_TARGETS && !defined(__NVCC__)
#define TENON_DETAIL_CRC32C 1
#define TENON_DETAIL_TARGET_CRC32C __attribute__((target("sse4.2")))
#define TENON_DETAIL_CRC32C_WORD(sum, word) __builtin_ia32_crc32di(sum, word)
#define TENON_DETAIL_CRC32C_BYTE(sum, byte) __builtin_ia32_crc32qi(static_cast<unsigned>(sum), byte)
// Every processor with AVX2 has the instruction.
inline bool HasCrc32cInstruction() { return simd::BestLevel() != simd::Level::kUnit; }
#elif defined(__ARM_FEATURE_CRC32) && !defined(__NVCC__)
#define TENON_DETAIL_CRC32C 1
#define TENON_DETAIL_TARGET_CRC32C
#define TENON_DETAIL_CRC32C_WORD(sum, word) __crc32cd(static_cast<std::uint32_t>(sum), word)
#define TENON_DETAIL_CRC32C_BYTE(sum, byte) __crc32cb(static_cast<std::uint32_t>(sum), byte)
inline bool HasCrc32cInstruction() { return true; }
#else
#define TENON_DETAIL_CRC32C 0
inline bool HasCrc32cInstruction() { return false; }
#endif

#if TENON_DETAIL_CRC32C
// The instruction takes three cycles and can start in each of them: three parts keep it busy. Each part is too short
// for the processor to foresee the next one: the loop asks for it.
TENON_DETAIL_TARGET_CRC32C inline std::uint64_t Crc32cOfThree(std::uint64_t sum, const char* at, std::size_t part,
                                                              const Crc32cZeros& zeros) {
  constexpr std::size_t kLine = 64, kAhead = 8192;
  std::uint64_t second = 0, third = 0, words[3];
  for (const char* const end = at + part; at != end; at += kLine) {
    for (std::size_t i = 0; i < 3; ++i) __builtin_prefetch(at + i * part + kAhead);
    for (std::size_t i = 0; i < kLine; i += 8) {
      std::memcpy(&words[0], at + i, 8);
      std::memcpy(&words[1], at + part + i, 8);
      std::memcpy(&words[2], at + 2 * part + i, 8);
      sum = TENON_DETAIL_CRC32C_WORD(sum, words[0]);
      second = TENON_DETAIL_CRC32C_WORD(second, words[1]);
      third = TENON_DETAIL_CRC32C_WORD(third, words[2]);
    }
  }
  return zeros(zeros(sum) ^ second) ^ third;
}

// Continues the sum `before` with `count` bytes. HasCrc32cInstruction() must be true.
TENON_DETAIL_TARGET_CRC32C inline std::uint32_t Crc32cByProcessor(const char* at, std::size_t count,
                                                                  std::uint32_t before) {
  constexpr std::size_t kLarge = 2048, kSmall = 128;
  std::uint64_t sum = static_cast<std::uint32_t>(~before);
  if (count >= 3 * kSmall) {
    static const Crc32cZeros large(kLarge), small(kSmall);
    for (; count >= 3 * kLarge; count -= 3 * kLarge, at += 3 * kLarge) sum = Crc32cOfThree(sum, at, kLarge, large);
    for (; count >= 3 * kSmall; count -= 3 * kSmall, at += 3 * kSmall) sum = Crc32cOfThree(sum, at, kSmall, small);
  }
  for (; count >= 8; count -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = TENON_DETAIL_CRC32C_WORD(sum, word);
  }
  for (; count > 0; --count, ++at) sum = TENON_DETAIL_CRC32C_BYTE(sum, static_cast<unsigned char>(*at));
  return ~static_cast<std::uint32_t>(sum);
}

#undef TENON_DETAIL_CRC32C_WORD
#undef TENON_DETAIL_CRC32C_BYTE
#else
inline std::uint32_t Crc32cByProcessor(const char*, std::size_t, std::uint32_t before) { return before; }
#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

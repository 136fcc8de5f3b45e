// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fingerprints of bytes that are the same on every machine and in TensorFlow: Fingerprint64 (FarmHash's farmhashna),
// Fingerprint128 (its farmhashcc), SipHash-2-4 with a key; base/hash.hpp has Hash64.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/hash.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Little-endian, as all supported machines are.
inline std::uint64_t Fetch64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
inline std::uint64_t Fetch32(const char* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// FarmHash's constants: primes between 2^63 and 2^64.
inline constexpr std::uint64_t kFarm0 = 0xc3a5c85c97cb3127, kFarm1 = 0xb492b66fbe98f273, kFarm2 = 0x9ae16a3b2f90404f;

constexpr std::uint64_t Rotate(std::uint64_t value, int shift) { return std::rotr(value, shift); }
constexpr std::uint64_t ShiftMix(std::uint64_t value) { return value ^ (value >> 47); }
constexpr std::uint64_t FarmMix16(std::uint64_t u, std::uint64_t v, std::uint64_t mul) {
  std::uint64_t a = (u ^ v) * mul;
  a ^= a >> 47;
  std::uint64_t b = (v ^ a) * mul;
  b ^= b >> 47;
  return b * mul;
}
inline std::uint64_t Farm0To16(const char* s, std::size_t n) {
  if (n >= 8) {
    const std::uint64_t mul = kFarm2 + n * 2;
    const std::uint64_t a = Fetch64(s) + kFarm2, b = Fetch64(s + n - 8);
    const std::uint64_t c = Rotate(b, 37) * mul + a, d = (Rotate(a, 25) + b) * mul;
    return FarmMix16(c, d, mul);
  }
  if (n >= 4) {
    const std::uint64_t mul = kFarm2 + n * 2;
    return FarmMix16(n + (Fetch32(s) << 3), Fetch32(s + n - 4), mul);
  }
  if (n > 0) {
    const auto a = static_cast<unsigned char>(s[0]), b = static_cast<unsigned char>(s[n >> 1]),
               c = static_cast<unsigned char>(s[n - 1]);
    const std::uint32_t y = std::uint32_t{a} + (std::uint32_t{b} << 8);
    const std::uint32_t z = static_cast<std::uint32_t>(n) + (std::uint32_t{c} << 2);
    return ShiftMix(y * kFarm2 ^ z * kFarm0) * kFarm2;
  }
  return kFarm2;
}
inline std::uint64_t Farm17To32(const char* s, std::size_t n) {
  const std::uint64_t mul = kFarm2 + n * 2;
  const std::uint64_t a = Fetch64(s) * kFarm1, b = Fetch64(s + 8);
  const std::uint64_t c = Fetch64(s + n - 8) * mul, d = Fetch64(s + n - 16) * kFarm2;
  return FarmMix16(Rotate(a + b, 43) + Rotate(c, 30) + d, a + Rotate(b + kFarm2, 18) + c, mul);
}
inline std::uint64_t Farm33To64(const char* s, std::size_t n) {
  const std::uint64_t mul = kFarm2 + n * 2;
  const std::uint64_t a = Fetch64(s) * kFarm2, b = Fetch64(s + 8);
  const std::uint64_t c = Fetch64(s + n - 8) * mul, d = Fetch64(s + n - 16) * kFarm2;
  const std::uint64_t y = Rotate(a + b, 43) + Rotate(c, 30) + d;
  const std::uint64_t z = FarmMix16(y, a + Rotate(b + kFarm2, 18) + c, mul);
  const std::uint64_t e = Fetch64(s + 16) * mul, f = Fetch64(s + 24);
  const std::uint64_t g = (y + Fetch64(s + n - 32)) * mul, h = (z + Fetch64(s + n - 24)) * mul;
  return FarmMix16(Rotate(e + f, 43) + Rotate(g, 30) + h, e + Rotate(f + a, 18) + g, mul);
}

struct FarmPair {
  std::uint64_t first, second;
};
// 48 bytes to 16.
inline FarmPair FarmWeak32(const char* s, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t w = Fetch64(s), x = Fetch64(s + 8), y = Fetch64(s + 16), z = Fetch64(s + 24);
  a += w;
  b = Rotate(b + a + z, 21);
  const std::uint64_t c = a;
  a += x;
  a += y;
  b += Rotate(a, 44);
  return {a + z, b + c};
}

// The state of a hash over blocks of 64 bytes.
struct FarmState {
  std::uint64_t x, y, z;
  FarmPair v, w;
  void Take(const char* s) {
    x = Rotate(x + y + v.first + Fetch64(s + 8), 37) * kFarm1;
    y = Rotate(y + v.second + Fetch64(s + 48), 42) * kFarm1;
    x ^= w.second;
    y += v.first + Fetch64(s + 40);
    z = Rotate(z + w.first, 33) * kFarm1;
    v = FarmWeak32(s, v.second * kFarm1, x + w.first);
    w = FarmWeak32(s + 32, z + w.second, y + Fetch64(s + 16));
    std::swap(z, x);
  }
};

}  // namespace detail

inline std::uint64_t Fingerprint64(std::string_view bytes) {
  using namespace detail;
  const char* s = bytes.data();
  const std::size_t n = bytes.size();
  if (n <= 16) return Farm0To16(s, n);
  if (n <= 32) return Farm17To32(s, n);
  if (n <= 64) return Farm33To64(s, n);
  constexpr std::uint64_t kSeed = 81;
  FarmState state{kSeed, kSeed * kFarm1 + 113, 0, {0, 0}, {0, 0}};
  auto& [x, y, z, v, w] = state;
  z = ShiftMix(y * kFarm2 + 113) * kFarm2;
  x = x * kFarm2 + Fetch64(s);
  const char* const end = s + (n - 1) / 64 * 64;       // end of the whole blocks
  const char* const last = end + ((n - 1) & 63) - 63;  // the last 64 bytes
  do {
    state.Take(s);
    s += 64;
  } while (s != end);
  const std::uint64_t mul = kFarm1 + ((z & 0xff) << 1);
  s = last;
  w.first += (n - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  x = Rotate(x + y + v.first + Fetch64(s + 8), 37) * mul;
  y = Rotate(y + v.second + Fetch64(s + 48), 42) * mul;
  x ^= w.second * 9;
  y += v.first * 9 + Fetch64(s + 40);
  z = Rotate(z + w.first, 33) * mul;
  v = FarmWeak32(s, v.second * mul, x + w.first);
  w = FarmWeak32(s + 32, z + w.second, y + Fetch64(s + 16));
  std::swap(z, x);
  return FarmMix16(FarmMix16(v.first, w.first, mul) + ShiftMix(y) * kFarm0 + z, FarmMix16(v.second, w.second, mul) + x,
                   mul);
}

namespace detail {

constexpr std::uint64_t CityMix16(std::uint64_t u, std::uint64_t v) { return FarmMix16(u, v, 0x9ddfea08eb382d69); }

// Fewer than 128 bytes.
inline FarmPair CityMurmur(const char* s, std::size_t n, FarmPair seed) {
  std::uint64_t a = seed.first, b = seed.second, c, d;
  if (n <= 16) {
    a = ShiftMix(a * kFarm1) * kFarm1;
    c = b * kFarm1 + Farm0To16(s, n);
    d = ShiftMix(a + (n >= 8 ? Fetch64(s) : c));
  } else {
    c = CityMix16(Fetch64(s + n - 8) + kFarm1, a);
    d = CityMix16(b + n, c + Fetch64(s + n - 16));
    a += d;
    for (std::size_t left = n - 16;; left -= 16, s += 16) {
      a = (a ^ ShiftMix(Fetch64(s) * kFarm1) * kFarm1) * kFarm1;
      b ^= a;
      c = (c ^ ShiftMix(Fetch64(s + 8) * kFarm1) * kFarm1) * kFarm1;
      d ^= c;
      if (left <= 16) break;
    }
  }
  a = CityMix16(a, c);
  b = CityMix16(d, b);
  return {a ^ b, CityMix16(b, a)};
}

inline FarmPair CityHash128(const char* s, std::size_t n, FarmPair seed) {
  if (n < 128) return CityMurmur(s, n, seed);
  FarmState state{seed.first, seed.second, n * kFarm1, {}, {}};
  auto& [x, y, z, v, w] = state;
  v.first = Rotate(y ^ kFarm1, 49) * kFarm1 + Fetch64(s);
  v.second = Rotate(v.first, 42) * kFarm1 + Fetch64(s + 8);
  w.first = Rotate(y + z, 35) * kFarm1 + x;
  w.second = Rotate(x + Fetch64(s + 88), 53) * kFarm1;
  for (; n >= 128; n -= 128) {
    for (int half = 0; half < 2; ++half, s += 64) state.Take(s);
  }
  x += Rotate(v.first + z, 49) * kFarm0;
  y = y * kFarm0 + Rotate(w.second, 37);
  z = z * kFarm0 + Rotate(w.first, 27);
  w.first *= 9;
  v.first *= kFarm0;
  // The last bytes, up to four times 32 from the end; the farthest may be in the blocks before.
  for (std::size_t done = 0; done < n;) {
    done += 32;
    const char* const part = s + n - done;
    y = Rotate(x + y, 42) * kFarm0 + v.second;
    w.first += Fetch64(part + 16);
    x = x * kFarm0 + w.first;
    z += w.second + Fetch64(part);
    w.second += v.first;
    v = FarmWeak32(part, v.first + z, v.second);
    v.first *= kFarm0;
  }
  x = CityMix16(x, v.first);
  y = CityMix16(y + z, w.first);
  return {CityMix16(x + v.second, w.second) + y, CityMix16(x + w.second, y + v.second)};
}

}  // namespace detail

// `first` has the low 64 bits.
inline detail::FarmPair Fingerprint128(std::string_view bytes) {
  using namespace detail;
  const char* s = bytes.data();
  const std::size_t n = bytes.size();
  return n >= 16 ? CityHash128(s + 16, n - 16, {Fetch64(s), Fetch64(s + 8) + kFarm0})
                 : CityHash128(s, n, {kFarm0, kFarm1});
}

// SipHash-2-4 with a key of 128 bits.
inline std::uint64_t SipHash(std::uint64_t key0, std::uint64_t key1, std::string_view bytes) {
  std::uint64_t v0 = 0x736f6d6570736575 ^ key0, v1 = 0x646f72616e646f6d ^ key1, v2 = 0x6c7967656e657261 ^ key0,
                v3 = 0x7465646279746573 ^ key1;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const char* s = bytes.data();
  std::size_t n = bytes.size();
  for (; n >= 8; n -= 8, s += 8) take(detail::Fetch64(s));
  std::uint64_t last = std::uint64_t{bytes.size() & 0xff} << 56;
  for (std::size_t i = 0; i < n; ++i) last |= std::uint64_t{static_cast<unsigned char>(s[i])} << (8 * i);
  take(last);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Casts between float and elements of one or two bytes, sixteen at a time, by instructions that every x86-64 has. (g++
// makes a vector of each step, but widens and narrows by more of them than there are here.) The results are those of
// ConvertScalar.

#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>

#if defined(__SSE2__) && !defined(__NVCC__)
#include <emmintrin.h>
#define TENON_DETAIL_BYTE_CASTS 1
#else
#define TENON_DETAIL_BYTE_CASTS 0
#endif

TENON_DETAIL_NAMESPACE_BEGIN

#if TENON_DETAIL_BYTE_CASTS

namespace detail {

// Each of these has `Run`, for sixteen elements at any place.

// The low byte of the number without its fraction, of either sign; 0 for NaN and what has no int32.
struct FloatToByte {
  using From = float;
  using To = std::uint8_t;
  static __m128i Low(const float* x) { return _mm_and_si128(_mm_cvttps_epi32(_mm_loadu_ps(x)), _mm_set1_epi32(0xff)); }
  static void Run(const float* x, std::uint8_t* to) {
    const __m128i first = _mm_packs_epi32(Low(x), Low(x + 4)), second = _mm_packs_epi32(Low(x + 8), Low(x + 12));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(first, second));
  }
};

// 1 for all but zeros.
struct FloatToBool {
  using From = float;
  using To = std::uint8_t;
  static __m128i IsSet(const float* x) { return _mm_castps_si128(_mm_cmpneq_ps(_mm_loadu_ps(x), _mm_setzero_ps())); }
  static void Run(const float* x, std::uint8_t* to) {
    const __m128i first = _mm_packs_epi32(IsSet(x), IsSet(x + 4)),
                  second = _mm_packs_epi32(IsSet(x + 8), IsSet(x + 12));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_and_si128(_mm_packs_epi16(first, second), _mm_set1_epi8(1)));
  }
};

// Eight 16-bit integers of that sign as float.
template <bool is_signed>
void StoreAsFloat(__m128i words, float* to) {
  const __m128i sign = is_signed ? _mm_srai_epi16(words, 15) : _mm_setzero_si128();
  _mm_storeu_ps(to, _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, sign)));
  _mm_storeu_ps(to + 4, _mm_cvtepi32_ps(_mm_unpackhi_epi16(words, sign)));
}
template <class Byte, bool is_signed>
struct ByteToFloat {
  using From = Byte;
  using To = float;
  static void Run(const Byte* x, float* to) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
    const __m128i sign = is_signed ? _mm_cmpgt_epi8(_mm_setzero_si128(), bytes) : _mm_setzero_si128();
    StoreAsFloat<is_signed>(_mm_unpacklo_epi8(bytes, sign), to);
    StoreAsFloat<is_signed>(_mm_unpackhi_epi8(bytes, sign), to + 8);
  }
};

// The upper half, rounded to nearest, ties to even; NaN is one for each sign.
struct FloatToUpperHalf {
  using From = float;
  using To = std::uint16_t;
  static __m128i Rounded(__m128i bits) {
    const __m128i is_odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    return _mm_srai_epi32(_mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), is_odd), 16);
  }
  static __m128i NotANumber(__m128i bits) {
    return _mm_or_si128(_mm_slli_epi32(_mm_srai_epi32(bits, 31), 15), _mm_set1_epi32(0x7fc0));
  }
  static __m128i Upper(__m128 x) {
    const __m128i bits = _mm_castps_si128(x), is_nan = _mm_castps_si128(_mm_cmpunord_ps(x, x));
    return _mm_or_si128(_mm_and_si128(is_nan, NotANumber(bits)), _mm_andnot_si128(is_nan, Rounded(bits)));
  }
  static void Run(const float* x, std::uint16_t* to) {
    for (int i = 0; i < 16; i += 8) {
      const __m128 a = _mm_loadu_ps(x + i), b = _mm_loadu_ps(x + i + 4);
      __m128i result;
      if (_mm_movemask_ps(_mm_cmpunord_ps(a, b)) == 0) [[likely]]
        result = _mm_packs_epi32(Rounded(_mm_castps_si128(a)), Rounded(_mm_castps_si128(b)));
      else
        result = _mm_packs_epi32(Upper(a), Upper(b));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), result);
    }
  }
};

// n elements; the last ones in a block of their own.
template <class Block>
void RunByteCast(const void* from_data, void* to_data, Index n) {
  using From = typename Block::From;
  using To = typename Block::To;
  constexpr Index kBlock = 16;
  const From* from = static_cast<const From*>(from_data);
  To* to = static_cast<To*>(to_data);
  Index i = 0;
  for (; i + kBlock <= n; i += kBlock) Block::Run(from + i, to + i);
  if (i == n) return;
  From rest[kBlock] = {};
  To result[kBlock];
  std::memcpy(rest, from + i, static_cast<std::size_t>(n - i) * sizeof(From));
  Block::Run(rest, result);
  std::memcpy(to + i, result, static_cast<std::size_t>(n - i) * sizeof(To));
}

}  // namespace detail

#endif  // TENON_DETAIL_BYTE_CASTS

TENON_DETAIL_NAMESPACE_END

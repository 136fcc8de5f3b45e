// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results that no cache can hold, written past the caches: an ordinary store first reads the line that it overwrites. A
// loop fills a tile in the first cache; from there it is copied on, while the next tile's operands are asked for.

#include <algorithm>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/core/cache_sizes.hpp>

#if defined(__SSE2__) && !defined(__NVCC__)
#include <emmintrin.h>
#define TENON_DETAIL_STREAMS 1
#else
#define TENON_DETAIL_STREAMS 0
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// n results of so many bytes each, made of operands that go on by so many bytes for each of them; b may be null.
struct StreamedRun {
  char* out;
  Index out_bytes;
  const char* a;
  Index a_bytes;
  const char* b;
  Index b_bytes;
};

// Whether n results are worth writing this way. Not where they replace an operand, whose lines have been read anyway,
// and only elements that are copied as bytes.
inline bool WritesPastCaches([[maybe_unused]] const StreamedRun& run, [[maybe_unused]] Index n) {
#if TENON_DETAIL_STREAMS
  const Index bytes = run.out_bytes;
  return n * bytes >= Caches().last / 2 && run.out != run.a && run.out != run.b && bytes <= 16 &&
         (bytes & (bytes - 1)) == 0 &&
         reinterpret_cast<std::uintptr_t>(run.out) % static_cast<std::uintptr_t>(bytes) == 0;
#else
  return false;
#endif
}

#if TENON_DETAIL_STREAMS
inline constexpr Index kStreamTile = 4096;  // bytes of the result: a page

// A tile that is aligned to 64 bytes at both ends. `next_a` and `next_b` are `a_bytes` and `b_bytes` that are read
// soon.
inline void StreamTile(const char* tile, char* out, const char* next_a, Index a_bytes, const char* next_b,
                       Index b_bytes) {
  constexpr Index kLine = 64;
  for (Index i = 0; i < kStreamTile; i += kLine) {
    // Whichever operand is wider than the result is left to the processor for the rest of its lines.
    if (i < a_bytes) __builtin_prefetch(next_a + i);
    if (i < b_bytes) __builtin_prefetch(next_b + i);
    for (Index j = 0; j < kLine; j += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + i + j),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(tile + i + j)));
    }
  }
}
#endif

// body(a, b, to, count) makes `count` results at `to`: for all n of them.
template <class Body>
void RunPastCaches(StreamedRun run, Index n, const Body& body) {
#if TENON_DETAIL_STREAMS
  const auto step = [&](Index count) {
    run.out += count * run.out_bytes;
    run.a += count * run.a_bytes;
    if (run.b != nullptr) run.b += count * run.b_bytes;
    n -= count;
  };
  const Index past_line = static_cast<Index>(reinterpret_cast<std::uintptr_t>(run.out) % 64);
  const Index first = std::min(n, past_line == 0 ? 0 : (64 - past_line) / run.out_bytes);
  body(run.a, run.b, run.out, first);
  step(first);
  alignas(64) char tile[kStreamTile];
  for (const Index count = kStreamTile / run.out_bytes; n >= count;) {
    body(run.a, run.b, tile, count);
    char* const to = run.out;
    step(count);
    const Index ahead = std::min(count, n);
    StreamTile(tile, to, run.a, ahead * run.a_bytes, run.b, ahead * run.b_bytes);
  }
  _mm_sfence();  // these stores are not ordered before what tells another thread of them
#endif
  body(run.a, run.b, run.out, n);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

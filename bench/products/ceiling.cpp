// SPDX-License-Identifier: Apache-2.0
// The processor's limits, compiled for this processor whatever the other files are compiled for.
#include <cstdint>
#include <cstring>

#include "peers.hpp"

namespace tenon::bench {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

// Sums that do not wait for each other: two instructions a cycle, each of them up to six cycles long.
constexpr int kChains = 12;

template <class T>
[[gnu::noinline]] void MultiplyInRegisters(std::int64_t products) {
  typedef T V __attribute__((vector_size(kBytes)));
  constexpr std::int64_t kEach = kChains * kBytes / static_cast<int>(sizeof(T));
  V sums[kChains], factor = V{} + T(0.999), addend = V{} + T(0.001);
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sums[i] = V{} + static_cast<T>(i);
  for (; products > 0; products -= kEach) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + addend;
#if defined(__x86_64__)
    asm volatile("" : "+x"(factor), "+x"(addend));  // so that two steps are not made into one
#endif
  }
  V sum = sums[0];
  for (int i = 1; i < kChains; ++i) sum += sums[i];
  Keep(sum);
}

[[gnu::noinline]] void ReadAll(const char* data, std::size_t bytes) {
  typedef std::int64_t V __attribute__((vector_size(kBytes), aligned(1), may_alias));
  typedef std::int64_t Sum __attribute__((vector_size(kBytes)));
  Sum sums[8] = {};
  for (std::size_t i = 0; i + sizeof sums <= bytes; i += sizeof sums) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < 8; ++j) sums[j] ^= *reinterpret_cast<const V*>(data + i + j * kBytes);
  }
  for (int j = 1; j < 8; ++j) sums[0] ^= sums[j];
  Keep(sums[0]);
}

}  // namespace

void AddPeak(State& state, float, double flops) {
  state.Peer("peak", [=] { MultiplyInRegisters<float>(static_cast<std::int64_t>(flops / 2)); });
}
void AddPeak(State& state, double, double flops) {
  state.Peer("peak", [=] { MultiplyInRegisters<double>(static_cast<std::int64_t>(flops / 2)); });
}
void AddRead(State& state, const void* data, std::size_t bytes) {
  state.Peer("reading", [=] { ReadAll(static_cast<const char*>(data), bytes); });
}

}  // namespace tenon::bench

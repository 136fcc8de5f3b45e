// SPDX-License-Identifier: Apache-2.0
// What the processor can do with so many bytes, compiled for this processor whatever the other files are compiled for.
#include <cstdint>
#include <cstring>
#include <vector>

#include "ceiling.hpp"

#include <tenon/tensor/tensor.hpp>

namespace tenon::bench {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

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

Tensor Bytes(std::size_t n) {
  Tensor bytes(DataType::kUint8, {static_cast<Index>(n)});
  std::memset(bytes.raw_data(), 1, n);
  return bytes;
}

}  // namespace

void AddCopying(State& state, std::size_t bytes) {
  state.Peer("copying", [from = Bytes(bytes / 2), to = Bytes(bytes / 2)]() mutable {
    std::memcpy(to.raw_data(), from.raw_data(), from.TotalBytes());
    Keep(to);
  });
}
void AddReading(State& state, std::size_t bytes) {
  state.Peer("reading",
             [from = Bytes(bytes)] { ReadAll(static_cast<const char*>(from.raw_data()), from.TotalBytes()); });
}

}  // namespace tenon::bench

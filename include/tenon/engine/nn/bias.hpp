// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bias per channel, and its gradient: sums over everything but the channels. For all number types; half and bfloat16
// are summed as float, integers wrap around.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Type that sums of T are kept in.
template <class T>
using BiasSum = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

TENON_DETAIL_LOOPS_BEGIN

// out[i] = x[i] + bias[i]
template <class T>
TENON_DETAIL_LOOP void BiasAddRun(const void* px, const void* pbias, void* pout, Index n) {
  const T *x = static_cast<const T*>(px), *bias = static_cast<const T*>(pbias);
  T* const out = static_cast<T*>(pout);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<T>(x[i] + bias[i]);
}
// sums[i] += x[i]
template <class T>
TENON_DETAIL_LOOP void BiasSumRun(const void* px, void* psums, Index n) {
  const T* const x = static_cast<const T*>(px);
  BiasSum<T>* const sums = static_cast<BiasSum<T>*>(psums);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sums[i] = static_cast<BiasSum<T>>(sums[i] + static_cast<BiasSum<T>>(x[i]));
}

TENON_DETAIL_LOOPS_END

// *sum += x[0] + ... + x[n - 1], in four partial sums.
template <class T>
void BiasSumAll(const void* px, void* psum, Index n) {
  const T* const x = static_cast<const T*>(px);
  BiasSum<T> sums[4] = {};
  for (Index i = 0; i < n; ++i) sums[i % 4] = static_cast<BiasSum<T>>(sums[i % 4] + static_cast<BiasSum<T>>(x[i]));
  const auto sum =
      static_cast<BiasSum<T>>(static_cast<BiasSum<T>>(sums[0] + sums[1]) + static_cast<BiasSum<T>>(sums[2] + sums[3]));
  BiasSum<T>* const total = static_cast<BiasSum<T>*>(psum);
  *total = static_cast<BiasSum<T>>(*total + sum);
}
template <class T>
void BiasRound(const void* psums, void* pout, Index n) {
  const BiasSum<T>* const sums = static_cast<const BiasSum<T>*>(psums);
  for (Index i = 0; i < n; ++i) static_cast<T*>(pout)[i] = static_cast<T>(sums[i]);
}

struct BiasLoops {
  int bytes, sum_bytes;
  void (*add)(const void*, const void*, void*, Index);
  void (*sum_run)(const void*, void*, Index);
  void (*sum_all)(const void*, void*, Index);
  void (*round)(const void*, void*, Index);
};
template <class T>
inline constexpr BiasLoops kBiasLoops{sizeof(T),      sizeof(BiasSum<T>), &BiasAddRun<T>,
                                      &BiasSumRun<T>, &BiasSumAll<T>,     &BiasRound<T>};
// Signed integers are added as unsigned ones: the same bits.
inline const BiasLoops& BiasLoopsOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return kBiasLoops<half>;
    case DataType::kBfloat16: return kBiasLoops<bfloat16>;
    case DataType::kDouble: return kBiasLoops<double>;
    case DataType::kComplex64: return kBiasLoops<std::complex<float>>;
    case DataType::kComplex128: return kBiasLoops<std::complex<double>>;
    case DataType::kInt8:
    case DataType::kUint8: return kBiasLoops<std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return kBiasLoops<std::uint16_t>;
    case DataType::kInt32:
    case DataType::kUint32: return kBiasLoops<std::uint32_t>;
    case DataType::kInt64:
    case DataType::kUint64: return kBiasLoops<std::uint64_t>;
    default: return kBiasLoops<float>;
  }
}

inline const void* BiasAt(const void* data, Index i, int bytes) { return static_cast<const char*>(data) + i * bytes; }
inline void* BiasAt(void* data, Index i, int bytes) { return static_cast<char*>(data) + i * bytes; }

}  // namespace detail

// out[r, c] = x[r, c] + bias[c]: [rows, channels]. `out` may be `x`.
inline void AddBias(Cpu& device, DataType dtype, const void* x, const void* bias, Index rows, Index channels,
                    void* out) {
  const detail::BiasLoops& loops = detail::BiasLoopsOf(dtype);
  ParallelFor(device, rows, 0.5 * static_cast<double>(channels) + 2, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r)
      loops.add(detail::BiasAt(x, r * channels, loops.bytes), bias, detail::BiasAt(out, r * channels, loops.bytes),
                channels);
  });
}

// out[c] = the sum of x[o, c, i]: [outer, channels, inner] -> [channels]. In parts of fixed number, so that the result
// does not depend on the threads.
inline Status SumChannels(Cpu& device, DataType dtype, const void* x, Index outer, Index channels, Index inner,
                          void* out) {
  if (channels == 0) return OkStatus();
  if (inner == 0) outer = 0;  // which may be very many
  constexpr Index kParts = 16;
  const detail::BiasLoops& loops = detail::BiasLoopsOf(dtype);
  Scratch scratch(device, static_cast<std::size_t>(kParts * channels * loops.sum_bytes));
  TENON_RETURN_IF_ERROR(scratch.status("BiasAddGrad"));
  char* const sums = scratch.As<char>();
  const Index row = channels * inner;
  std::memset(sums, 0, static_cast<std::size_t>(kParts * channels * loops.sum_bytes));
  const double ns = 0.5 * static_cast<double>(outer) * static_cast<double>(row) / kParts;
  ParallelFor(device, kParts, ns, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      void* const to = detail::BiasAt(sums, part * channels, loops.sum_bytes);
      for (Index o = detail::PartBegin(outer, kParts, 1, part); o < detail::PartBegin(outer, kParts, 1, part + 1);
           ++o) {
        if (inner == 1) {
          loops.sum_run(detail::BiasAt(x, o * row, loops.bytes), to, channels);
          continue;
        }
        for (Index c = 0; c < channels; ++c)
          loops.sum_all(detail::BiasAt(x, o * row + c * inner, loops.bytes), detail::BiasAt(to, c, loops.sum_bytes),
                        inner);
      }
    }
  });
  // The parts' sums, added by the loop for their own type.
  const detail::BiasLoops& wide = loops.bytes == loops.sum_bytes ? loops : detail::kBiasLoops<float>;
  for (Index part = 1; part < kParts; ++part)
    wide.sum_run(detail::BiasAt(sums, part * channels, loops.sum_bytes), sums, channels);
  loops.round(sums, out, channels);
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random tensors on a GPU, from the words that the CPU takes: a thread makes the elements of one block.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/random/distributions.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The block that lies `skip` blocks after the counter.
__device__ __forceinline__ PhiloxBlock CudaPhiloxBlock(const Philox& from, std::uint64_t skip) {
  constexpr std::uint32_t kFirst = kPhiloxMultipliers[0], kSecond = kPhiloxMultipliers[1];
  constexpr std::uint32_t kStep0 = kPhiloxWeyl[0], kStep1 = kPhiloxWeyl[1];
  const std::uint64_t low = from.low + skip, high = from.high + (low < skip ? 1 : 0);
  std::uint32_t a = static_cast<std::uint32_t>(low), b = static_cast<std::uint32_t>(low >> 32),
                c = static_cast<std::uint32_t>(high), d = static_cast<std::uint32_t>(high >> 32);
  std::uint32_t key0 = static_cast<std::uint32_t>(from.key), key1 = static_cast<std::uint32_t>(from.key >> 32);
#pragma unroll
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t p = std::uint64_t{kFirst} * a, q = std::uint64_t{kSecond} * c;
    a = static_cast<std::uint32_t>(q >> 32) ^ b ^ key0;
    b = static_cast<std::uint32_t>(q);
    c = static_cast<std::uint32_t>(p >> 32) ^ d ^ key1;
    d = static_cast<std::uint32_t>(p);
    key0 += kStep0;
    key1 += kStep1;
  }
  return {{a, b, c, d}};
}

template <class T>
inline constexpr int kRandomPerBlock = sizeof(T) == 8 ? 2 : 4;

// Uniform and normal elements from one block of four words.
template <class T>
__device__ __forceinline__ void UniformsOf(const PhiloxBlock& block, T* out) {
  if constexpr (std::is_same_v<T, double>) {
    out[0] = UniformDouble(block.word[0], block.word[1]);
    out[1] = UniformDouble(block.word[2], block.word[3]);
  } else if constexpr (std::is_same_v<T, float>) {
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i] = UniformFloat(block.word[i]);
  } else {
    constexpr int kBits = T::format::mantissa_bits;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      out[i] = static_cast<T>(UniformFloat((block.word[i] & ((1u << kBits) - 1)) << (23 - kBits)));
  }
}
template <class T>
__device__ __forceinline__ void NormalsOf(const PhiloxBlock& block, T* out) {
  if constexpr (std::is_same_v<T, double>) {
    BoxMuller(UniformDouble(block.word[0], block.word[1]), UniformDouble(block.word[2], block.word[3]), out);
  } else {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      float two[2];
      BoxMuller(UniformFloat(block.word[i]), UniformFloat(block.word[i + 1]), two);
      out[i] = static_cast<T>(two[0]);
      out[i + 1] = static_cast<T>(two[1]);
    }
  }
}

template <class T, RandomKind kKind>
struct FillRandomBody {
  Philox from;
  T* out;
  Index n;

  __device__ __forceinline__ void operator()(Index group) const {
    constexpr int kEach = kRandomPerBlock<T>;
    T elements[kEach];
    if constexpr (kKind == RandomKind::kUniform) {
      UniformsOf(CudaPhiloxBlock(from, static_cast<std::uint64_t>(group)), elements);
    } else if constexpr (kKind == RandomKind::kNormal) {
      NormalsOf(CudaPhiloxBlock(from, static_cast<std::uint64_t>(group)), elements);
    } else {
      using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
      constexpr std::uint64_t kStep = static_cast<std::uint64_t>(kEach) * kRandomBlocksPerElement / 4;
      std::uint64_t block = static_cast<std::uint64_t>(group) * kStep;
      for (int count = 0; count < kEach;) {
        C normals[kRandomPerBlock<C>];
        NormalsOf<C>(CudaPhiloxBlock(from, block++), normals);
        for (const C x : normals)
          if (x < C(2) && x > C(-2) && count < kEach) elements[count++] = static_cast<T>(x);
      }
    }
    const Index first = group * kEach;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      if (first + i < n) out[first + i] = elements[i];
  }
};

template <RandomKind kKind, class T>
Status RunFillRandom(Cuda& device, const Philox& from, void* out, Index n) {
  constexpr int kEach = kRandomPerBlock<T>;
  return ForEach(device, n / kEach + (n % kEach != 0 ? 1 : 0), FillRandomBody<T, kKind>{from, static_cast<T*>(out), n});
}
template <RandomKind kKind>
Status RunFillRandomOf(Cuda& device, DataType dtype, const Philox& from, void* out, Index n) {
  switch (dtype) {
    case DataType::kHalf: return RunFillRandom<kKind, half>(device, from, out, n);
    case DataType::kBfloat16: return RunFillRandom<kKind, bfloat16>(device, from, out, n);
    case DataType::kDouble: return RunFillRandom<kKind, double>(device, from, out, n);
    default: return RunFillRandom<kKind, float>(device, from, out, n);
  }
}

}  // namespace detail

// As the CPU's, of floating elements. Unimplemented: integers. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status FillRandom(Device& device, const RandomFill& fill, const Philox& from, void* out, Index n) {
  switch (fill.kind) {
    case RandomKind::kUniform: return detail::RunFillRandomOf<RandomKind::kUniform>(device, fill.dtype, from, out, n);
    case RandomKind::kNormal: return detail::RunFillRandomOf<RandomKind::kNormal>(device, fill.dtype, from, out, n);
    case RandomKind::kTruncatedNormal:
      return detail::RunFillRandomOf<RandomKind::kTruncatedNormal>(device, fill.dtype, from, out, n);
    default: return errors::Unimplemented("FillRandom: not on a GPU for integers");
  }
}

TENON_DETAIL_NAMESPACE_END

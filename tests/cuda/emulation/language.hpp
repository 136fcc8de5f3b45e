// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's language extensions for a C++ compiler: keywords, built-in variables, barriers, warp operations, atomics.
// Only what real CUDA has is declared, with its types: a kernel that compiles here should compile there.

#include <math.h>

#include <cstdint>
#include <cstring>

#include "block.hpp"

#define __host__
#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __shared__ static thread_local  // the threads of a block run on one thread of the host

struct uint3 {
  unsigned x, y, z;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
};

inline constinit thread_local uint3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
inline constinit thread_local dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

inline void __syncthreads() { emulation::WaitForBlock(); }
inline void __syncwarp(unsigned mask = ~0u) { (void)emulation::Exchange(mask, 0, nullptr); }
inline void __threadfence() {}
inline void __threadfence_block() {}
[[noreturn]] inline void __trap() { emulation::Trap(); }

namespace emulation {
template <class T>
T PickLane(unsigned mask, T value, unsigned source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  unsigned present = 0;
  const std::uint64_t* const seen = Exchange(mask, bits, &present);
  // A lane that brought nothing has no value: CUDA leaves the result undefined, here it is all ones.
  const std::uint64_t picked = present >> source & 1 ? seen[source] : ~std::uint64_t{0};
  std::memcpy(&value, &picked, sizeof(T));
  return value;
}
// Of a lane outside the part of `width` lanes: the own one.
inline unsigned InPart(int source, int width) {
  const int lane = static_cast<int>(Lane()), first = lane / width * width;
  return static_cast<unsigned>(source < first || source >= first + width ? lane : source);
}
}  // namespace emulation

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  const int first = static_cast<int>(emulation::Lane()) / width * width;
  return emulation::PickLane(mask, value, static_cast<unsigned>(first + (source % width + width) % width));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = warpSize) {
  return emulation::PickLane(mask, value, emulation::InPart(static_cast<int>(emulation::Lane()) ^ with, width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int source = static_cast<int>(emulation::Lane() + delta);
  return emulation::PickLane(mask, value, emulation::InPart(source, width));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int source = static_cast<int>(emulation::Lane()) - static_cast<int>(delta);
  return emulation::PickLane(mask, value, emulation::InPart(source, width));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned present = 0, votes = 0;
  const std::uint64_t* const seen = emulation::Exchange(mask, predicate != 0, &present);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (present >> lane & 1) votes |= static_cast<unsigned>(seen[lane]) << lane;
  return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline int __syncthreads_or(int predicate) {
  static thread_local int any = 0;
  __syncthreads();
  any = 0;
  __syncthreads();
  any |= predicate != 0;
  __syncthreads();
  return any;
}

// Kernels run one at a time, so that a plain read and write is indivisible.
#define EMULATION_ATOMIC(name, type, result) \
  inline type name(type* at, type value) {   \
    const type old = *at;                    \
    *at = static_cast<type>(result);         \
    return old;                              \
  }
EMULATION_ATOMIC(atomicAdd, int, old + value)
EMULATION_ATOMIC(atomicAdd, unsigned, old + value)
EMULATION_ATOMIC(atomicAdd, unsigned long long, old + value)
EMULATION_ATOMIC(atomicAdd, float, old + value)
EMULATION_ATOMIC(atomicAdd, double, old + value)
EMULATION_ATOMIC(atomicMax, int, value > old ? value : old)
EMULATION_ATOMIC(atomicMax, unsigned, value > old ? value : old)
EMULATION_ATOMIC(atomicMax, unsigned long long, value > old ? value : old)
EMULATION_ATOMIC(atomicMin, int, value < old ? value : old)
EMULATION_ATOMIC(atomicMin, unsigned, value < old ? value : old)
EMULATION_ATOMIC(atomicMin, unsigned long long, value < old ? value : old)
EMULATION_ATOMIC(atomicOr, unsigned, old | value)
EMULATION_ATOMIC(atomicAnd, unsigned, old& value)
EMULATION_ATOMIC(atomicExch, int, value)
EMULATION_ATOMIC(atomicExch, unsigned, value)
EMULATION_ATOMIC(atomicExch, unsigned long long, value)
#undef EMULATION_ATOMIC
#define EMULATION_ATOMIC(type)                                 \
  inline type atomicCAS(type* at, type expected, type value) { \
    const type old = *at;                                      \
    if (old == expected) *at = value;                          \
    return old;                                                \
  }
EMULATION_ATOMIC(int)
EMULATION_ATOMIC(unsigned)
EMULATION_ATOMIC(unsigned long long)
#undef EMULATION_ATOMIC

template <class T>
T __ldg(const T* p) {
  return *p;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }

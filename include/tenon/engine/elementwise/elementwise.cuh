// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise work on a GPU: one kernel per op and type for one operand, one for two. Both move 16 bytes at a time
// where they can; the second reads its operands by strides, so that broadcasting costs no extra memory.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/elementwise/elementwise.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// For an op whose map takes nothing but elements.
struct NoMapAttrs {};

template <class Op, class Attrs, class T, class... More>
TENON_HD decltype(auto) CallMapWith([[maybe_unused]] const Attrs& attrs, const T& x, const More&... more) {
  if constexpr (MapsInFloat<Op, T>)
    return FromFloats<T>(CallMapWith<Op>(attrs, static_cast<float>(x), static_cast<float>(more)...));
  else if constexpr (std::is_same_v<Attrs, NoMapAttrs>)
    return Op::map(x, more...);
  else
    return Op::map(x, more..., attrs);
}

// Elements that one thread reads or writes at once.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T values[N];
};
template <class T, class R>
inline constexpr int kPackSize =
    sizeof(T) >= 16 || sizeof(R) >= 16 ? 1 : static_cast<int>(16 / (sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R)));

template <int N, class T>
bool IsPackAligned(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(Pack<T, N>) == 0;
}

// ---- one operand

template <class Op, class T, class R, class Attrs>
struct UnaryMap {
  static constexpr int kPack = kPackSize<T, R>;
  const T* x;
  R* y;
  Index n;
  Index packs;  // the first packs * kPack elements are read in packs
  Attrs attrs;

  __device__ __forceinline__ void RunPack(Index p) const {
    const Pack<T, kPack> in = reinterpret_cast<const Pack<T, kPack>*>(x)[p];
    Pack<R, kPack> out;
#pragma unroll
    for (int i = 0; i < kPack; ++i) out.values[i] = CallMapWith<Op>(attrs, in.values[i]);
    reinterpret_cast<Pack<R, kPack>*>(y)[p] = out;
  }
  __device__ __forceinline__ void RunOne(Index i) const { y[i] = CallMapWith<Op>(attrs, x[i]); }
};

template <class Map>
__global__ void UnaryMapKernel(const __grid_constant__ Map map) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (Index p = first; p < map.packs; p += step) map.RunPack(p);
  for (Index i = map.packs * Map::kPack + first; i < map.n; i += step) map.RunOne(i);
}

// ---- two operands

inline constexpr int kMaxCudaBroadcastRank = 8;
inline constexpr Index kMaxCudaBroadcastElements = Index{1} << 31;  // one launch has fewer elements

// A BroadcastPlan of at most 8 dimensions as the GPU reads it: in units, which are packs of `pack` elements along the
// innermost dimension, or single elements. Strides are in elements and belong to one unit.
struct CudaBroadcast {
  int rank = 1;
  int pack = 1;
  std::uint32_t units = 0;   // units of the whole output
  std::uint32_t rest = 0;    // elements after the last whole pack; rank 1 only
  bool repeat_a = false, repeat_b = false;  // along the innermost dimension
  FastDivisor size[kMaxCudaBroadcastRank];
  std::uint32_t stride_a[kMaxCudaBroadcastRank] = {}, stride_b[kMaxCudaBroadcastRank] = {};

  CudaBroadcast() = default;
  // The plan's elements are fewer than kMaxCudaBroadcastElements. `wanted_pack`: 1, or a pack for which all three
  // pointers are aligned; it is used where the innermost dimension allows it.
  CudaBroadcast(const BroadcastPlan& plan, int wanted_pack) : rank(plan.rank) {
    const int last = rank - 1;
    const Index inner = plan.inner();
    // Every pack must begin at a multiple of its size, in the output and in the operands that are read in packs.
    bool fits = last == 0 || inner % wanted_pack == 0;
    for (int d = 0; d < last; ++d) {
      if (plan.stride_a[last] != 0 && plan.stride_a[d] % wanted_pack != 0) fits = false;
      if (plan.stride_b[last] != 0 && plan.stride_b[d] % wanted_pack != 0) fits = false;
    }
    pack = fits ? wanted_pack : 1;
    Index total = 1;
    for (int d = 0; d < rank; ++d) {
      const Index n = d == last ? plan.size[d] / pack : plan.size[d];
      total *= n;
      size[d] = FastDivisor(static_cast<std::uint32_t>(n > 0 ? n : 1));
      const Index unit = d == last ? pack : 1;
      stride_a[d] = static_cast<std::uint32_t>(plan.stride_a[d] * unit);
      stride_b[d] = static_cast<std::uint32_t>(plan.stride_b[d] * unit);
    }
    units = static_cast<std::uint32_t>(total);
    rest = last == 0 ? static_cast<std::uint32_t>(inner % pack) : 0;
    repeat_a = plan.stride_a[last] == 0;
    repeat_b = plan.stride_b[last] == 0;
  }

  // Where unit u of the output reads its operands.
  TENON_HD void Locate(std::uint32_t u, std::uint32_t* a, std::uint32_t* b) const {
    std::uint32_t at_a = 0, at_b = 0;
    for (int d = rank - 1; d > 0; --d) {
      const std::uint32_t outer = size[d].Divide(u);
      const std::uint32_t index = u - outer * size[d].divisor;
      at_a += index * stride_a[d];
      at_b += index * stride_b[d];
      u = outer;
    }
    *a = at_a + u * stride_a[0];
    *b = at_b + u * stride_b[0];
  }
};

template <class Op, class T, class R, class Attrs>
struct BinaryMap {
  static constexpr int kPack = kPackSize<T, R>;
  const T* a;
  const T* b;
  R* out;
  CudaBroadcast plan;
  Attrs attrs;

  __device__ __forceinline__ static Pack<T, kPack> Read(const T* p, bool repeat) {
    if (!repeat) return *reinterpret_cast<const Pack<T, kPack>*>(p);
    Pack<T, kPack> all;
    const T value = *p;
#pragma unroll
    for (int i = 0; i < kPack; ++i) all.values[i] = value;
    return all;
  }
  __device__ __forceinline__ void RunPack(std::uint32_t u) const {
    std::uint32_t at_a, at_b;
    plan.Locate(u, &at_a, &at_b);
    const Pack<T, kPack> x = Read(a + at_a, plan.repeat_a), y = Read(b + at_b, plan.repeat_b);
    Pack<R, kPack> z;
#pragma unroll
    for (int i = 0; i < kPack; ++i) z.values[i] = CallMapWith<Op>(attrs, x.values[i], y.values[i]);
    reinterpret_cast<Pack<R, kPack>*>(out)[u] = z;
  }
  __device__ __forceinline__ void RunOne(std::uint32_t u) const {
    std::uint32_t at_a, at_b;
    plan.Locate(u, &at_a, &at_b);
    out[u] = CallMapWith<Op>(attrs, a[at_a], b[at_b]);
  }
  // After the packs, where the output is one dimension.
  __device__ __forceinline__ void RunRest(std::uint32_t i) const {
    out[i] = CallMapWith<Op>(attrs, a[plan.repeat_a ? 0 : i], b[plan.repeat_b ? 0 : i]);
  }
};

template <class Map>
__global__ void BinaryMapKernel(const __grid_constant__ Map map) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  const std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  if (Map::kPack > 1 && map.plan.pack > 1) {
    for (std::uint32_t u = first; u < map.plan.units; u += step) map.RunPack(u);
    const std::uint32_t done = map.plan.units * static_cast<std::uint32_t>(Map::kPack);
    if (first < map.plan.rest) map.RunRest(done + first);
  } else {
    for (std::uint32_t u = first; u < map.plan.units; u += step) map.RunOne(u);
  }
}

// Splits work that one launch cannot index, at the outermost dimension.
template <class Map>
Status LaunchBinaryMap(Cuda& device, const BroadcastPlan& plan, Map map) {
  Index total = 1;
  for (int d = 0; d < plan.rank; ++d) total *= plan.size[d];
  if (total >= kMaxCudaBroadcastElements) {
    BroadcastPlan part = plan;
    if (plan.size[0] == 1) {
      --part.rank;
      for (int d = 0; d < part.rank; ++d) {
        part.size[d] = plan.size[d + 1];
        part.stride_a[d] = plan.stride_a[d + 1];
        part.stride_b[d] = plan.stride_b[d + 1];
      }
      return LaunchBinaryMap(device, part, map);
    }
    Index half = plan.size[0] / 2;
    if (plan.rank == 1) half -= half % 16;  // keeps the second part aligned
    part.size[0] = half;
    TENON_RETURN_IF_ERROR(LaunchBinaryMap(device, part, map));
    part.size[0] = plan.size[0] - half;
    map.a += half * plan.stride_a[0];
    map.b += half * plan.stride_b[0];
    map.out += total / plan.size[0] * half;
    return LaunchBinaryMap(device, part, map);
  }
  constexpr int kPack = Map::kPack;
  const int last = plan.rank - 1;
  const bool aligned = IsPackAligned<kPack>(map.out) && (plan.stride_a[last] == 0 || IsPackAligned<kPack>(map.a)) &&
                       (plan.stride_b[last] == 0 || IsPackAligned<kPack>(map.b));
  map.plan = CudaBroadcast(plan, aligned ? kPack : 1);
  return LaunchCuda(device, LinearGrid(device, map.plan.units), &BinaryMapKernel<Map>, map);
}

// Returns the op's attrs, to be copied to the GPU, where its map takes them; otherwise an empty struct.
template <class Op, class... T, class AttrsPointer>
auto MapAttrs([[maybe_unused]] AttrsPointer attrs) {
  if constexpr (requires(const T&... x) { Op::map(x...); }) {
    return NoMapAttrs{};
  } else {
    static_assert(std::is_trivially_copyable_v<std::remove_pointer_t<AttrsPointer>>,
                  "tenon: attrs that a map takes are copied to the GPU byte by byte: they must be trivially copyable");
    return *attrs;
  }
}

}  // namespace detail

// y[i] = Op::map(x[i]), or Op::map(x[i], *attrs) where the op's map takes them: a pointer to the op's Attrs then, else
// null will do. Same number of elements; y may be x where T and R are one type. Op is a struct with
// `template <class T> TENON_HD static R map(T x)`. Returns when it is queued.
template <class Op, class T, class R, class AttrsPointer>
Status MapUnary(Cuda& device, AttrsPointer attrs, In<T> x, Out<R> y) {
  const auto kept = detail::MapAttrs<Op, T>(attrs);
  using Map = detail::UnaryMap<Op, T, R, std::remove_const_t<decltype(kept)>>;
  const Index n = y.size();
  if (n == 0) return OkStatus();
  const bool packed =
      Map::kPack > 1 && detail::IsPackAligned<Map::kPack>(x.data) && detail::IsPackAligned<Map::kPack>(y.data);
  const Index packs = packed ? n / Map::kPack : 0;
  return LaunchCuda(device, LinearGrid(device, packed ? packs : n), &detail::UnaryMapKernel<Map>,
                    Map{x.data, y.data, n, packs, kept});
}

// out = Op::map(a, b[, *attrs]), element by element, with broadcasting: out has the broadcast shape of a and b and may
// be one of them where it has that shape. Unimplemented: more than 8 dimensions after joining those that broadcast
// alike.
template <class Op, class T, class R, class AttrsPointer>
Status MapBinary(Cuda& device, AttrsPointer attrs, In<T> a, In<T> b, Out<R> out) {
  const auto kept = detail::MapAttrs<Op, T, T>(attrs);
  if (out.size() == 0) return OkStatus();
  BroadcastPlan plan;
  TENON_RETURN_IF_ERROR(plan.Make(a.shape(), b.shape(), out.shape()));
  if (plan.rank > detail::kMaxCudaBroadcastRank)
    return errors::Unimplemented("Broadcast between ", a.shape(), " and ", b.shape(),
                                 " is not supported yet: on a GPU at most ", detail::kMaxCudaBroadcastRank,
                                 " dimensions may remain when neighbours that broadcast alike are joined, got ",
                                 plan.rank);
  using Map = detail::BinaryMap<Op, T, R, std::remove_const_t<decltype(kept)>>;
  return detail::LaunchBinaryMap(device, plan, Map{a.data, b.data, out.data, {}, kept});
}

TENON_DETAIL_NAMESPACE_END

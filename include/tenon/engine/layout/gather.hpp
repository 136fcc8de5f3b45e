// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows picked by number along one axis of a tensor, and the reverse: one place of each row hot.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/element_copy.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// in: [batch, outer, limit, run], indices: [batch, count]  ->  out: [batch, outer, count, run]
struct GatherPlan {
  Index batch = 1, outer = 1, limit = 0, count = 0, run = 1;
};

namespace detail {

// Row number at[i] of `from` becomes row i of `to`, for n rows of so many bytes.
template <std::size_t kBytes, class Int>
void GatherFixed(const Int* at, Index n, const char* from, char* to) {
  for (Index i = 0; i < n; ++i, to += kBytes)
    std::memcpy(to, from + static_cast<Index>(at[i]) * static_cast<Index>(kBytes), kBytes);
}
template <class Int>
void GatherBytes(const Int* at, Index n, Index bytes, const char* from, char* to) {
  switch (bytes) {
    case 1: return GatherFixed<1>(at, n, from, to);
    case 2: return GatherFixed<2>(at, n, from, to);
    case 4: return GatherFixed<4>(at, n, from, to);
    case 8: return GatherFixed<8>(at, n, from, to);
    case 16: return GatherFixed<16>(at, n, from, to);
    case 32: return GatherFixed<32>(at, n, from, to);
    default: break;
  }
  if (bytes > 16 && bytes <= kMostShortBytes) {
    constexpr Index kAhead = 6, kLine = 64;  // rows of several lines, which nothing else foresees, are asked for
    for (Index i = 0; i < n; ++i) {
      if (bytes >= 2 * kLine && i + kAhead < n) {
        const char* const soon = from + static_cast<Index>(at[i + kAhead]) * bytes;
        for (Index line = 0; line < bytes; line += kLine) __builtin_prefetch(soon + line);
      }
      CopyShortPiece(from + static_cast<Index>(at[i]) * bytes, to + i * bytes, bytes);
    }
  } else {
    for (Index i = 0; i < n; ++i)
      std::memcpy(to + i * bytes, from + static_cast<Index>(at[i]) * bytes, static_cast<std::size_t>(bytes));
  }
}

// Rows [begin, end) of the output's batch * outer * count.
template <class Int>
void GatherRows(const ElementMover& mover, const GatherPlan& plan, const void* in, const Int* indices, void* out,
                Index begin, Index end) {
  Index block = begin / plan.count, i = begin % plan.count;  // block: which [limit, run] of the input
  while (begin < end) {
    const Index n = std::min(plan.count - i, end - begin);
    const Int* const at = indices + block / plan.outer * plan.count + i;
    const char* const from = mover.At(in, block * plan.limit * plan.run);
    char* const to = mover.At(out, begin * plan.run);
    if (mover.assign == nullptr) {
      GatherBytes(at, n, plan.run * mover.bytes, from, to);
    } else {
      for (Index k = 0; k < n; ++k)
        mover.assign(mover.At(from, static_cast<Index>(at[k]) * plan.run), 1, mover.At(to, k * plan.run), plan.run);
    }
    begin += n;
    i = 0;
    ++block;
  }
}

TENON_DETAIL_LOOPS_BEGIN

// Whether one of n indices is negative or larger than `last`: then it, or what is between the two, has its sign set.
template <class Int>
TENON_DETAIL_LOOP bool IsOneOutside(const Int* indices, Index n, Int last) {
  using Bits = std::make_unsigned_t<Int>;
  Bits all = 0;
  for (Index i = 0; i < n; ++i) {
    const Bits index = static_cast<Bits>(indices[i]);
    all = static_cast<Bits>(all | index | static_cast<Bits>(static_cast<Bits>(last) - index));
  }
  return static_cast<Int>(all) < 0;
}

TENON_DETAIL_LOOPS_END

// The position of the first of n indices that is not in [0, limit), or -1.
template <class Int>
Index FirstOutside(const Int* indices, Index n, Index limit) {
  const Index last = std::min(limit - 1, static_cast<Index>(std::numeric_limits<Int>::max()));
  if (!IsOneOutside(indices, n, static_cast<Int>(last))) return -1;
  for (Index i = 0;; ++i)
    if (indices[i] < 0 || static_cast<Index>(indices[i]) >= limit) return i;
}

}  // namespace detail

// The indices (int16, int32 or int64; batch * count of them) must be in [0, limit): otherwise nothing is written and
// the position of the first bad one is returned. -1 when all is well.
inline Index Gather(Cpu& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                    const Tensor& indices, void* out) {
  const auto run = [&]<class Int>(Int) {
    const Int* at = indices.data<Int>();
    if (const Index bad = detail::FirstOutside(at, plan.batch * plan.count, plan.limit); bad >= 0) return bad;
    if (plan.run > 0 && plan.count > 0)
      ParallelFor(device, plan.batch * plan.outer * plan.count, mover.cost_ns() * static_cast<double>(plan.run) + 2,
                  [&](Index begin, Index end) { detail::GatherRows(mover, plan, in, at, out, begin, end); });
    return Index{-1};
  };
  if (indices.dtype() == DataType::kInt16) return run(std::int16_t{});
  if (indices.dtype() == DataType::kInt32) return run(std::int32_t{});
  return run(std::int64_t{});
}

// Does so, too: *bad is the position of the first bad index, or -1.
inline AlwaysOk Gather(Cpu& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                       const Tensor& indices, void* out, Index* bad) {
  *bad = Gather(device, mover, plan, in, indices, out);
  return {};
}

// Row i of `run` elements of `out` is row places[i] of `in`; zeros, or empty objects, where that is negative.
inline AlwaysOk GatherPlaces(Cpu& device, const ElementMover& mover, Span<const Index> places, Index run,
                             const void* in, void* out) {
  ParallelFor(device, static_cast<Index>(places.size()), mover.cost_ns() * static_cast<double>(run) + 2,
              [&](Index begin, Index end) {
                for (Index i = begin; i < end; ++i) {
                  const Index place = places[static_cast<std::size_t>(i)];
                  if (place < 0)
                    ZeroRun(mover, mover.At(out, i * run), run);
                  else
                    CopyRun(mover, mover.At(in, place * run), mover.At(out, i * run), run);
                }
              });
  return {};
}

namespace detail {

// out[places[i]] = *value for n places, of elements of kBytes bytes.
template <std::size_t kBytes>
void PutBytes(const void* value, const Index* places, Index n, char* out) {
  char bytes[kBytes];
  std::memcpy(bytes, value, kBytes);
  for (Index i = 0; i < n; ++i) std::memcpy(out + places[i] * static_cast<Index>(kBytes), bytes, kBytes);
}
inline void PutElement(const ElementMover& mover, const void* value, const Index* places, Index n, void* out) {
  char* const to = static_cast<char*>(out);
  if (mover.assign == nullptr) {
    switch (mover.bytes) {
      case 1: return PutBytes<1>(value, places, n, to);
      case 2: return PutBytes<2>(value, places, n, to);
      case 4: return PutBytes<4>(value, places, n, to);
      case 8: return PutBytes<8>(value, places, n, to);
      case 16: return PutBytes<16>(value, places, n, to);
    }
  }
  for (Index i = 0; i < n; ++i) CopyRun(mover, value, mover.At(out, places[i]), 1);
}

// Outer indices [begin, end), a few at a time: filled and set while they are in the cache.
template <class Int>
void OneHotRows(const ElementMover& mover, const Int* indices, Index begin, Index end, Index inner, Index depth,
                const void* on, const void* off, void* out) {
  constexpr Index kPlaces = 256, kFilled = 4096;
  Index places[kPlaces];
  const Index row = depth * inner, rows = std::max<Index>(1, kFilled / row);
  for (Index first = begin; first < end; first += rows) {
    const Index last = std::min(end, first + rows);
    FillRun(mover, off, mover.At(out, first * row), (last - first) * row);
    Index found = 0;
    for (Index i = first; i < last; ++i) {
      for (Index k = 0; k < inner; ++k) {
        const auto hot = static_cast<Index>(indices[i * inner + k]);
        if (hot >= 0 && hot < depth) places[found++] = i * row + hot * inner + k;
        if (found < kPlaces) continue;
        PutElement(mover, on, places, found, out);
        found = 0;
      }
    }
    PutElement(mover, on, places, found, out);
  }
}

}  // namespace detail

// indices: [outer, inner] of uint8, int8, int32 or int64  ->  out: [outer, depth, inner]: *on at the place that the
// index names, *off elsewhere. An index outside of [0, depth) names no place.
inline AlwaysOk OneHot(Cpu& device, const ElementMover& mover, const Tensor& indices, Index inner, Index depth,
                       const void* on, const void* off, void* out) {
  const Index n = indices.NumElements(), row = depth * inner;  // places of an outer index
  if (n == 0 || depth == 0) return {};
  const auto run = [&]<class Int>(Int) {
    ParallelFor(device, n / inner, static_cast<double>(row) * mover.cost_ns() + static_cast<double>(inner),
                [&](Index begin, Index end) {
                  detail::OneHotRows(mover, indices.data<Int>(), begin, end, inner, depth, on, off, out);
                });
  };
  if (indices.dtype() == DataType::kUint8) run(std::uint8_t{});
  if (indices.dtype() == DataType::kInt8) run(std::int8_t{});
  if (indices.dtype() == DataType::kInt32) run(std::int32_t{});
  if (indices.dtype() == DataType::kInt64) run(std::int64_t{});
  return {};
}

TENON_DETAIL_NAMESPACE_END

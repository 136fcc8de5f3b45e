// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the largest or smallest elements along one axis are: the first of equal ones. As in Eigen a floating element
// counts only when it is beyond the lowest (highest) finite number, so that NaN is passed over, and where nothing
// counts the answer is 0.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// at[j] = the place of the best of x[j], x[j + step], ... (n of them), j in [0, width).
using ArgLoop = void (*)(const void* x, Index n, Index step, Index width, Index* at);
inline constexpr Index kArgWidth = 128;

template <class T>
constexpr bool kArgIsSmallFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
// The type in which elements are compared.
template <class T>
using ArgValue = std::conditional_t<kArgIsSmallFloat<T>, float, T>;

template <class T, bool kMax>
ArgValue<T> ArgStart() {
  if constexpr (std::is_same_v<T, half>)
    return kMax ? -65504.0f : 65504.0f;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return kMax ? -3.3895313892515355e38f : 3.3895313892515355e38f;
  else
    return kMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}

TENON_DETAIL_LOOPS_BEGIN

// The best of `rows` rows of kArgLanes elements, if it is better than `best`.
inline constexpr Index kArgLanes = 64;
template <class T, bool kMax>
TENON_DETAIL_LOOP T BestOfRows(const T* x, Index rows, T best) {
  T lanes[kArgLanes];
  for (Index l = 0; l < kArgLanes; ++l) lanes[l] = best;
  for (; rows > 0; --rows, x += kArgLanes) {
    TENON_DETAIL_INDEPENDENT
    for (Index l = 0; l < kArgLanes; ++l) lanes[l] = (kMax ? x[l] > lanes[l] : x[l] < lanes[l]) ? x[l] : lanes[l];
  }
  for (Index l = 0; l < kArgLanes; ++l) best = (kMax ? lanes[l] > best : lanes[l] < best) ? lanes[l] : best;
  return best;
}

TENON_DETAIL_LOOPS_END

// The commonest types, in a row: the best of a block, and its place only where it is better than what came before.
template <class T>
constexpr bool kArgByBlocks = std::is_floating_point_v<T> || std::is_same_v<T, std::int32_t>;
template <class T, bool kMax>
Index ArgOfBlocks(const T* x, Index n, T* top) {
  constexpr Index kBlock = 8 * kArgLanes;
  Index place = 0;
  for (Index i = 0; i + kArgLanes <= n; i += kBlock) {
    const T best = BestOfRows<T, kMax>(x + i, std::min(kBlock, n - i) / kArgLanes, *top);
    if (best == *top) continue;
    for (place = i; x[place] != best;) ++place;
    *top = best;
  }
  return place;
}

template <class T, bool kMax>
void ArgRun(const void* px, Index n, Index step, Index width, Index* at) {
  const T* x = static_cast<const T*>(px);
  ArgValue<T> best[kArgWidth];
  for (Index j = 0; j < width; ++j) {
    best[j] = ArgStart<T, kMax>();
    at[j] = 0;
  }
  if (width == 1) {
    ArgValue<T> top = best[0];
    Index place = 0, i = 0;
    if constexpr (kArgByBlocks<T>) {
      if (step == 1) {
        place = ArgOfBlocks<T, kMax>(x, n, &top);
        i = n / kArgLanes * kArgLanes;
      }
    }
    for (; i < n; ++i) {
      const auto value = static_cast<ArgValue<T>>(x[i * step]);
      if (kMax ? value > top : value < top) {
        top = value;
        place = i;
      }
    }
    at[0] = place;
    return;
  }
  for (Index i = 0; i < n; ++i, x += step) {
    for (Index j = 0; j < width; ++j) {
      const auto value = static_cast<ArgValue<T>>(x[j]);
      const bool better = kMax ? value > best[j] : value < best[j];
      best[j] = better ? value : best[j];
      at[j] = better ? i : at[j];
    }
  }
}

template <bool kMax>
ArgLoop ArgLoopFor(DataType type) {
  switch (type) {
    case DataType::kBool:
    case DataType::kUint8: return &ArgRun<std::uint8_t, kMax>;
    case DataType::kInt8: return &ArgRun<std::int8_t, kMax>;
    case DataType::kInt16: return &ArgRun<std::int16_t, kMax>;
    case DataType::kUint16: return &ArgRun<std::uint16_t, kMax>;
    case DataType::kInt32: return &ArgRun<std::int32_t, kMax>;
    case DataType::kUint32: return &ArgRun<std::uint32_t, kMax>;
    case DataType::kInt64: return &ArgRun<std::int64_t, kMax>;
    case DataType::kUint64: return &ArgRun<std::uint64_t, kMax>;
    case DataType::kHalf: return &ArgRun<half, kMax>;
    case DataType::kBfloat16: return &ArgRun<bfloat16, kMax>;
    case DataType::kFloat: return &ArgRun<float, kMax>;
    case DataType::kDouble: return &ArgRun<double, kMax>;
    default: return nullptr;
  }
}

// Places as int16, uint16, int32 or int64; what does not fit wraps around.
inline void StorePlaces(const Index* at, Index n, DataType type, void* out, Index first) {
  for (Index j = 0; j < n; ++j) {
    if (type == DataType::kInt64)
      static_cast<std::int64_t*>(out)[first + j] = at[j];
    else if (type == DataType::kInt32)
      static_cast<std::int32_t*>(out)[first + j] = static_cast<std::int32_t>(at[j]);
    else
      static_cast<std::uint16_t*>(out)[first + j] = static_cast<std::uint16_t>(at[j]);
  }
}

}  // namespace detail

// x: [outer, n, inner]  ->  out: [outer, inner] of type `out_type`. x is of a real number type or bool.
inline Status ArgReduce(Cpu& device, bool max, DataType type, const void* x, Index outer, Index n, Index inner,
                        DataType out_type, void* out) {
  const detail::ArgLoop loop = max ? detail::ArgLoopFor<true>(type) : detail::ArgLoopFor<false>(type);
  const Index width = std::min(inner, detail::kArgWidth);
  if (outer == 0 || inner == 0) return OkStatus();
  const Index blocks = (inner + width - 1) / width;
  const auto bytes = static_cast<Index>(SizeOf(type));
  ParallelFor(device, outer * blocks, 0.8 * static_cast<double>(n) * static_cast<double>(width),
              [&](Index begin, Index end) {
                Index at[detail::kArgWidth];
                for (Index unit = begin; unit < end; ++unit) {
                  const Index o = unit / blocks, j = unit % blocks * width;
                  const Index some = std::min(width, inner - j);
                  loop(static_cast<const char*>(x) + (o * n * inner + j) * bytes, n, inner, some, at);
                  detail::StorePlaces(at, some, out_type, out, o * inner + j);
                }
              });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

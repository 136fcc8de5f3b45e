// SPDX-License-Identifier: Apache-2.0
#pragma once
// half and bfloat16 tensors as float and back: engines that are compiled only for float and double work on copies.

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

constexpr bool IsSmallFloat(DataType dtype) { return dtype == DataType::kHalf || dtype == DataType::kBfloat16; }

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void WidenRun(const T* x, float* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
}
template <class T>
TENON_DETAIL_LOOP void NarrowRun(const float* x, T* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<T>(x[i]);
}

TENON_DETAIL_LOOPS_END

inline constexpr double kSmallFloatNs = 1.0;  // time for one element

}  // namespace detail

// out[i] = x[i], exactly; x has n elements of half or bfloat16.
inline void WidenFloats(Cpu& device, DataType dtype, const void* x, float* out, Index n) {
  ParallelFor(device, n, detail::kSmallFloatNs, [&](Index begin, Index end) {
    if (dtype == DataType::kHalf)
      detail::WidenRun(static_cast<const half*>(x) + begin, out + begin, end - begin);
    else
      detail::WidenRun(static_cast<const bfloat16*>(x) + begin, out + begin, end - begin);
  });
}

// out[i] = x[i], rounded to the nearest; out has n elements of half or bfloat16.
inline void NarrowFloats(Cpu& device, const float* x, DataType dtype, void* out, Index n) {
  ParallelFor(device, n, detail::kSmallFloatNs, [&](Index begin, Index end) {
    if (dtype == DataType::kHalf)
      detail::NarrowRun(x + begin, static_cast<half*>(out) + begin, end - begin);
    else
      detail::NarrowRun(x + begin, static_cast<bfloat16*>(out) + begin, end - begin);
  });
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of 8-bit products that this processor can run.

#include <vector>

#include <tenon/engine/gemm/int8.hpp>

namespace tenon::testing {

inline std::vector<const detail::Int8Kernels*> AllInt8Kernels() {
  std::vector<const detail::Int8Kernels*> all{&detail::Int8Plain::kKernels};
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() != simd::Level::kUnit) all.push_back(&detail::Int8Avx2::kKernels);
  if (simd::BestLevel() == simd::Level::kAvx512 && __builtin_cpu_supports("avx512vnni"))
    all.push_back(&detail::Int8Vnni::kKernels);
#endif
  return all;
}

}  // namespace tenon::testing

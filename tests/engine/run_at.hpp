// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunAt: an op's lanes in the body that is compiled for one level of instructions.

#include <tenon/engine/simd/vector_map.hpp>

#if TENON_DETAIL_LANES

namespace tenon::testing {

// False: this processor has not that level.
template <class Op, class T>
bool RunAt(simd::Level level, const T* x, T* out, Index n) {
  using Map = simd::detail::MapLanesFor<Op, T>;
#if TENON_DETAIL_TARGETS
  if (level > simd::BestLevel()) return false;
  if (level == simd::Level::kAvx512) return Map::Avx512(x, out, n), true;
  if (level == simd::Level::kAvx2) return Map::Avx2(x, out, n), true;
#endif
  if (level != simd::Level::kUnit) return false;
  Map::Unit(x, out, n);
  return true;
}

// The same for an op of two operands, whose steps are 0 or 1.
template <class Op, class T>
bool RunTwoAt(simd::Level level, const T* a, Index step_a, const T* b, Index step_b, T* out, Index n) {
  using Map = simd::detail::MapTwoLanesFor<Op, T>;
#if TENON_DETAIL_TARGETS
  if (level > simd::BestLevel()) return false;
  if (level == simd::Level::kAvx512) return Map::Avx512(a, step_a, b, step_b, out, n), true;
  if (level == simd::Level::kAvx2) return Map::Avx2(a, step_a, b, step_b, out, n), true;
#endif
  if (level != simd::Level::kUnit) return false;
  Map::Unit(a, step_a, b, step_b, out, n);
  return true;
}

}  // namespace tenon::testing

#endif  // TENON_DETAIL_LANES

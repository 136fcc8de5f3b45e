// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops of functions of one number or two over simd::Lanes: whole vectors, also at the end, so that an element's value
// does not depend on its position; compiled for each level of instructions, of which the processor's best runs.

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// out[i] = Op::lanes(x[i], attrs...), n elements; `out` may be `x`. The last ones are computed in whole vectors too, so
// that an element's value does not depend on its position.
template <class Op, class T, int bytes, class... Attrs>
TENON_HD void MapLanes(const T* x, T* out, Index n, const Attrs&... attrs) {
  using L = Lanes<T, bytes>;
  using Wide = WideLanes<T, bytes>;
  Index i = 0;
  for (; i + Wide::size <= n; i += Wide::size) Op::lanes(Wide::Load(x + i), attrs...).Store(out + i);
  while (i < n) {
    const Index count = n - i < L::size ? n - i : L::size;
    const auto part_bytes = static_cast<std::size_t>(count) * sizeof(T);
    T part[L::size] = {};
    __builtin_memcpy(part, x + i, part_bytes);
    Op::lanes(L::Load(part), attrs...).Store(part);
    __builtin_memcpy(out + i, part, part_bytes);
    i += count;
  }
}

// Where one element is the operand (its step is 0): a vector of it to load again and again.
template <class T, int size>
TENON_HD const T* Repeated(const T* x, Index step, T (&same)[size]) {
  if (step != 0) return x;
  for (T& element : same) element = *x;
  return same;
}
// out[i] = op.lanes(a[i step_a], b[i step_b]), steps 0 or 1; `out` may be an operand.
template <class Op, class T, int bytes>
TENON_HD void MapLanes(const T* a, Index step_a, const T* b, Index step_b, T* out, Index n) {
  using L = Lanes<T, bytes>;
  using Wide = WideLanes<T, bytes>;
  T same_a[Wide::size], same_b[Wide::size];
  a = Repeated(a, step_a, same_a);
  b = Repeated(b, step_b, same_b);
  Index i = 0;
  for (; i + Wide::size <= n; i += Wide::size)
    Op::lanes(Wide::Load(a + i * step_a), Wide::Load(b + i * step_b)).Store(out + i);
  while (i < n) {
    const Index count = n - i < L::size ? n - i : L::size;
    const auto part_bytes = static_cast<std::size_t>(count) * sizeof(T);
    T part_a[L::size] = {}, part_b[L::size] = {};
    __builtin_memcpy(part_a, a + i * step_a, part_bytes);
    __builtin_memcpy(part_b, b + i * step_b, part_bytes);
    Op::lanes(L::Load(part_a), L::Load(part_b)).Store(part_a);
    __builtin_memcpy(out + i, part_a, part_bytes);
    i += count;
  }
}

template <class Op, class T, class... Attrs>
struct MapBody {
  template <int bytes>
  TENON_HD static void Run(const T* x, T* out, Index n, const Attrs&... attrs) {
    MapLanes<Op, T, bytes, Attrs...>(x, out, n, attrs...);
  }
};
template <class Op, class T>
struct MapTwoBody {
  template <int bytes>
  TENON_HD static void Run(const T* a, Index step_a, const T* b, Index step_b, T* out, Index n) {
    MapLanes<Op, T, bytes>(a, step_a, b, step_b, out, n);
  }
};

template <class Op, class T, class Isa = Compiled, class... Attrs>
using MapLanesFor = ForLevels<MapBody<Op, T, Attrs...>, Isa, const T*, T*, Index, const Attrs&...>;
template <class Op, class T, class Isa = Compiled>
using MapTwoLanesFor = ForLevels<MapTwoBody<Op, T>, Isa, const T*, Index, const T*, Index, T*, Index>;

}  // namespace detail

// out[i] = Op::lanes(x[i], attrs...) for n elements, T float or double, by the best instructions that this processor
// has; `out` may be `x`. Op::lanes is a template over Lanes that is always inlined.
template <class Op, class T, class Isa = Compiled, class... Attrs>
void RunLanes(const T* x, T* out, Index n, const Attrs&... attrs) {
  detail::MapLanesFor<Op, T, Isa, Attrs...>::Best()(x, out, n, attrs...);
}
// Computes out[i] = Op::lanes(a[i step_a], b[i step_b]), where a step is 1, or 0: one element for all.
template <class Op, class T, class Isa = Compiled>
void RunLanes(const T* a, Index step_a, const T* b, Index step_b, T* out, Index n) {
  detail::MapTwoLanesFor<Op, T, Isa>::Best()(a, step_a, b, step_b, out, n);
}

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END

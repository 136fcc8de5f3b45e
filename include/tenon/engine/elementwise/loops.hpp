// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain loops over contiguous runs, compiled for each element-wise op and type (kUnaryLoop, kBinaryLoops).

#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector_map.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// out[i] = op(x[i]) for i in [0, n). `attrs` is the further argument of the op's map, or null. `out` may be `x`.
struct UnaryLoop {
  void (*v)(const void* attrs, const void* x, void* out, Index n);
  int in_bytes;    // size of one element
  int out_bytes;
  float cost_ns;   // time for one element, on one thread
};

// out[i] = op(a[i], b[i]), with the variants "a is one element" and "b is one element"; these two may be null when
// elements may be copied as bytes. `out` may be an operand whose elements have the same size.
struct BinaryLoops {
  using Loop = void (*)(const void* attrs, const void* a, const void* b, void* out, Index n);
  // vv and vs for several rows of n elements: results lie one behind the other, rows of an operand so many bytes apart.
  using Rows = void (*)(const void* attrs, const void* a, Index step_a, const void* b, Index step_b, void* out, Index n,
                        Index rows);
  Loop vv;
  Loop sv;
  Loop vs;
  int in_bytes;
  int out_bytes;
  float cost_ns;
  Rows rows_vv = nullptr;  // null where calls take little of a row's time
  Rows rows_vs = nullptr;
};

namespace detail {

// An op is a struct with `template <class T> TENON_HD static R map(T x)` (or `map(T x, const Attrs&)`, with its nested
// type Attrs), twice T for a binary one. For half and bfloat16, map is called with floats, and a float that it returns
// is rounded; an op whose steps must be rounded one by one has `static constexpr bool takes_small_floats = true;`. An
// op of floats or doubles may have `template <class L> TENON_HD static L lanes(const L& x)` (twice for a binary one;
// with Attrs a unary one may take these, too) beside map. It computes map for simd::Lanes, and then runs instead of map
// (engine/math/vector_exp_log.hpp has functions). `static constexpr float cost_ns` is for slow ones.
#if TENON_DETAIL_LANES
template <class Op, class T>
concept MapsPlainLanes =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) && requires(simd::Lanes<T, 16> x) { Op::lanes(x); };
template <class Op, class T>
concept MapsLanes =
    MapsPlainLanes<Op, T> || ((std::is_same_v<T, float> || std::is_same_v<T, double>) &&
                              requires(simd::Lanes<T, 16> x, const typename Op::Attrs& attrs) { Op::lanes(x, attrs); });
template <class Op, class T>
concept MapsTwoLanes =
    (std::is_same_v<T, float> || std::is_same_v<T, double>) && requires(simd::Lanes<T, 16> x) { Op::lanes(x, x); };
#else
template <class Op, class T>
concept MapsLanes = false;
template <class Op, class T>
concept MapsTwoLanes = false;
#endif

template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class Op, class T>
concept MapsInFloat = kIsSmallFloat<T> && !requires { requires Op::takes_small_floats; };

// Converts the result of a map that was called with floats in place of operands of type T.
template <class T>
TENON_HD T FromFloats(float result) {
  return T(result);
}
template <class T, class R>
  requires(!std::is_same_v<R, float>)
TENON_HD R FromFloats(R result) {
  return result;
}

template <class Op, class T, class... More>
TENON_HD decltype(auto) CallMap(const void* attrs, const T& x, const More&... more) {
  if constexpr (MapsInFloat<Op, T>) {
    return FromFloats<T>(CallMap<Op>(attrs, static_cast<float>(x), static_cast<float>(more)...));
  } else if constexpr (requires { Op::map(x, more...); }) {
    static_cast<void>(attrs);
    return Op::map(x, more...);
  } else {
    return Op::map(x, more..., *static_cast<const typename Op::Attrs*>(attrs));
  }
}
template <class Op, class... T>
using MapResult = std::remove_cvref_t<decltype(CallMap<Op, T...>(nullptr, std::declval<const T&>()...))>;

template <class Op, class T, class R>
constexpr float CostNs() {
  constexpr float kLanesAtOnce = MapsLanes<Op, T> || MapsTwoLanes<Op, T> ? (sizeof(T) == 4 ? 5.f : 2.f) : 1.f;
  if constexpr (requires { Op::cost_ns; }) return static_cast<float>(Op::cost_ns) / kLanesAtOnce;
  constexpr float kMovedByteNs = 0.03f;
  constexpr float kScalarNs = std::is_arithmetic_v<T> ? 0.f : 2.f;
  return kMovedByteNs * static_cast<float>(2 * sizeof(T) + sizeof(R)) + kScalarNs;
}

// Loops of a few instructions are worth unrolling; of float only, where it counts, so that less is compiled.
template <class Op, class T>
inline constexpr bool kIsShort = std::is_same_v<T, float> && !requires { Op::cost_ns; };

// One operand of a loop: a run of elements, or one that repeats.
template <class T, bool Repeats>
struct Operand {
  const T* p;
  TENON_HD explicit Operand(const void* data) : p(static_cast<const T*>(data)) {}
  TENON_HD const T& operator[](Index i) const { return p[Repeats ? 0 : i]; }
};
template <class T, bool Repeats>
  requires(Repeats && std::is_arithmetic_v<T>)
struct Operand<T, Repeats> {
  T value;  // read once: the output may share its memory
  TENON_HD explicit Operand(const void* data) : value(*static_cast<const T*>(data)) {}
  TENON_HD const T& operator[](Index) const { return value; }
};

TENON_DETAIL_LOOPS_BEGIN

template <class Op, class T, class R>
TENON_HD void UnaryBody(const void* attrs, const void* px, void* pout, Index n) {
  const T* x = static_cast<const T*>(px);
  R* out = static_cast<R*>(pout);
  if constexpr (kIsShort<Op, T>) {
    TENON_DETAIL_INDEPENDENT TENON_DETAIL_UNROLLED for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, x[i]);
  } else {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, x[i]);
  }
}
template <class Op, class T, class R, bool RepeatA, bool RepeatB>
TENON_HD void BinaryBody(const void* attrs, const void* pa, const void* pb, void* pout, Index n) {
  const Operand<T, RepeatA> a(pa);
  const Operand<T, RepeatB> b(pb);
  R* out = static_cast<R*>(pout);
  if constexpr (kIsShort<Op, T>) {
    TENON_DETAIL_INDEPENDENT TENON_DETAIL_UNROLLED for (Index i = 0; i < n; ++i) out[i] =
        CallMap<Op>(attrs, a[i], b[i]);
  } else {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, a[i], b[i]);
  }
}
template <class Op, class T, class R, bool RepeatB>
TENON_HD void BinaryRowsBody(const void* attrs, const void* pa, Index step_a, const void* pb, Index step_b, void* pout,
                             Index n, Index rows) {
  R* out = static_cast<R*>(pout);
  for (; rows > 0; --rows) {
    const Operand<T, false> a(pa);
    const Operand<T, RepeatB> b(pb);
    TENON_DETAIL_INDEPENDENT TENON_DETAIL_UNROLLED_TWICE for (Index i = 0; i < n; ++i) out[i] =
        CallMap<Op>(attrs, a[i], b[i]);
    pa = static_cast<const char*>(pa) + step_a;
    pb = static_cast<const char*>(pb) + step_b;
    out += n;
  }
}

template <class Op, class T, class R>
TENON_DETAIL_LOOP void RunUnary(const void* attrs, const void* x, void* out, Index n) {
  UnaryBody<Op, T, R>(attrs, x, out, n);
}
template <class Op, class T, class R, bool RepeatA, bool RepeatB>
TENON_DETAIL_LOOP void RunBinary(const void* attrs, const void* a, const void* b, void* out, Index n) {
  BinaryBody<Op, T, R, RepeatA, RepeatB>(attrs, a, b, out, n);
}
template <class Op, class T, class R, bool RepeatB>
TENON_DETAIL_LOOP void RunBinaryRows(const void* attrs, const void* a, Index step_a, const void* b, Index step_b,
                                     void* out, Index n, Index rows) {
  BinaryRowsBody<Op, T, R, RepeatB>(attrs, a, step_a, b, step_b, out, n, rows);
}

// Short loops of floats in the first cache take half the time with vectors of 32 bytes instead of 16. (Longer vectors
// store no faster; see TENON_DETAIL_LOOP.)
template <class Op, class T, class R, class Isa>
inline constexpr bool kHasWiderLoops =
    TENON_DETAIL_TARGETS && kIsShort<Op, T> && std::is_same_v<T, R> && simd::kVectorBytes<Isa> < 32;
#if TENON_DETAIL_TARGETS
template <class Op, class T, class R>
TENON_DETAIL_LOOP_AVX2 void RunUnaryAvx2(const void* attrs, const void* x, void* out, Index n) {
  UnaryBody<Op, T, R>(attrs, x, out, n);
}
template <class Op, class T, class R, bool RepeatA, bool RepeatB>
TENON_DETAIL_LOOP_AVX2 void RunBinaryAvx2(const void* attrs, const void* a, const void* b, void* out, Index n) {
  BinaryBody<Op, T, R, RepeatA, RepeatB>(attrs, a, b, out, n);
}
template <class Op, class T, class R, bool RepeatB>
TENON_DETAIL_LOOP_AVX2 void RunBinaryRowsAvx2(const void* attrs, const void* a, Index step_a, const void* b,
                                              Index step_b, void* out, Index n, Index rows) {
  BinaryRowsBody<Op, T, R, RepeatB>(attrs, a, step_a, b, step_b, out, n, rows);
}
template <class Op, class T, class R>
void RunUnaryBest(const void* attrs, const void* x, void* out, Index n) {
  if (simd::BestLevel() != simd::Level::kUnit) return RunUnaryAvx2<Op, T, R>(attrs, x, out, n);
  RunUnary<Op, T, R>(attrs, x, out, n);
}
template <class Op, class T, class R, bool RepeatA, bool RepeatB>
void RunBinaryBest(const void* attrs, const void* a, const void* b, void* out, Index n) {
  if (simd::BestLevel() != simd::Level::kUnit) return RunBinaryAvx2<Op, T, R, RepeatA, RepeatB>(attrs, a, b, out, n);
  RunBinary<Op, T, R, RepeatA, RepeatB>(attrs, a, b, out, n);
}
template <class Op, class T, class R, bool RepeatB>
void RunBinaryRowsBest(const void* attrs, const void* a, Index step_a, const void* b, Index step_b, void* out, Index n,
                       Index rows) {
  if (simd::BestLevel() != simd::Level::kUnit)
    return RunBinaryRowsAvx2<Op, T, R, RepeatB>(attrs, a, step_a, b, step_b, out, n, rows);
  RunBinaryRows<Op, T, R, RepeatB>(attrs, a, step_a, b, step_b, out, n, rows);
}
#endif

TENON_DETAIL_LOOPS_END

// Element types that the loops above cannot vectorise: they get no attribute, so that less is compiled.
template <class Op, class T, class R>
void RunUnaryPlain(const void* attrs, const void* px, void* pout, Index n) {
  const T* x = static_cast<const T*>(px);
  R* out = static_cast<R*>(pout);
  for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, x[i]);
}
template <class Op, class T, class R, bool RepeatA, bool RepeatB>
void RunBinaryPlain(const void* attrs, const void* pa, const void* pb, void* pout, Index n) {
  const Operand<T, RepeatA> a(pa);
  const Operand<T, RepeatB> b(pb);
  R* out = static_cast<R*>(pout);
  for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, a[i], b[i]);
}

#if TENON_DETAIL_LANES
template <class Op, class T, class Isa>
void RunUnaryLanes([[maybe_unused]] const void* attrs, const void* x, void* out, Index n) {
  if constexpr (MapsPlainLanes<Op, T>) {
    simd::RunLanes<Op, T, Isa>(static_cast<const T*>(x), static_cast<T*>(out), n);
  } else {
    const typename Op::Attrs own = *static_cast<const typename Op::Attrs*>(attrs);
    simd::RunLanes<Op, T, Isa>(static_cast<const T*>(x), static_cast<T*>(out), n, own);
  }
}
template <class Op, class T, class Isa, bool RepeatA, bool RepeatB>
void RunBinaryLanes(const void*, const void* a, const void* b, void* out, Index n) {
  simd::RunLanes<Op, T, Isa>(static_cast<const T*>(a), RepeatA ? 0 : 1, static_cast<const T*>(b), RepeatB ? 0 : 1,
                             static_cast<T*>(out), n);
}
#endif

template <class Op, class T, class R, class Isa>
constexpr UnaryLoop MakeUnaryLoop() {
  UnaryLoop loop{nullptr, static_cast<int>(sizeof(T)), static_cast<int>(sizeof(R)), CostNs<Op, T, R>()};
#if TENON_DETAIL_LANES
  if constexpr (MapsLanes<Op, T> && std::is_same_v<T, R>)
    loop.v = &RunUnaryLanes<Op, T, Isa>;
  else
#endif
#if TENON_DETAIL_TARGETS
      if constexpr (kHasWiderLoops<Op, T, R, Isa>)
    loop.v = &RunUnaryBest<Op, T, R>;
  else
#endif
      if constexpr (std::is_arithmetic_v<T>)
    loop.v = &RunUnary<Op, T, R>;
  else
    loop.v = &RunUnaryPlain<Op, T, R>;
  return loop;
}

// The variants with one repeated operand are compiled where they are hot (float, double) or cannot be done without.
template <class Op, class T, class R, class Isa>
constexpr BinaryLoops MakeBinaryLoops() {
  BinaryLoops loops{nullptr,           nullptr, nullptr, static_cast<int>(sizeof(T)), static_cast<int>(sizeof(R)),
                    CostNs<Op, T, R>()};
#if TENON_DETAIL_LANES
  if constexpr (MapsTwoLanes<Op, T> && std::is_same_v<T, R>) {
    loops.vv = &RunBinaryLanes<Op, T, Isa, false, false>;
    loops.sv = &RunBinaryLanes<Op, T, Isa, true, false>;
    loops.vs = &RunBinaryLanes<Op, T, Isa, false, true>;
    return loops;
  } else
#endif
#if TENON_DETAIL_TARGETS
      if constexpr (kHasWiderLoops<Op, T, R, Isa>) {
    loops.vv = &RunBinaryBest<Op, T, R, false, false>;
    loops.sv = &RunBinaryBest<Op, T, R, true, false>;
    loops.vs = &RunBinaryBest<Op, T, R, false, true>;
    loops.rows_vv = &RunBinaryRowsBest<Op, T, R, false>;
    loops.rows_vs = &RunBinaryRowsBest<Op, T, R, true>;
  } else
#endif
      if constexpr (std::is_arithmetic_v<T>) {
    loops.vv = &RunBinary<Op, T, R, false, false>;
    if constexpr (std::is_floating_point_v<T>) {
      loops.sv = &RunBinary<Op, T, R, true, false>;
      loops.vs = &RunBinary<Op, T, R, false, true>;
    }
    if constexpr (kIsShort<Op, T>) {
      loops.rows_vv = &RunBinaryRows<Op, T, R, false>;
      loops.rows_vs = &RunBinaryRows<Op, T, R, true>;
    }
  } else {
    loops.vv = &RunBinaryPlain<Op, T, R, false, false>;
    if constexpr (!Trivial<T>) {
      loops.sv = &RunBinaryPlain<Op, T, R, true, false>;
      loops.vs = &RunBinaryPlain<Op, T, R, false, true>;
    }
  }
  return loops;
}

}  // namespace detail

// The loops of an op for elements of type T and results of type R.
template <class Op, class T, class R = detail::MapResult<Op, T>, class Isa = simd::Compiled>
inline constexpr UnaryLoop kUnaryLoop = detail::MakeUnaryLoop<Op, T, R, Isa>();
template <class Op, class T, class R = detail::MapResult<Op, T, T>, class Isa = simd::Compiled>
inline constexpr BinaryLoops kBinaryLoops = detail::MakeBinaryLoops<Op, T, R, Isa>();

TENON_DETAIL_NAMESPACE_END

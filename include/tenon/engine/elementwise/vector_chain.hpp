// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chains of element-wise steps whose values stay in registers: x becomes op1(x, a), that becomes op2 of itself and so
// on, several vectors at a time, before anything is stored. One function has the code of all ops that a list names, and
// takes the step that is due by its number, so that any chain of these ops runs without being compiled for itself. A
// jump for every step and 512 bytes costs less than their way to the first-level cache and back. Elsewhere than on
// vectors (TENON_DETAIL_LANES), and for other ops, FusedElementwise runs tiles.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/elementwise/loops.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// One step of a chain.
struct LaneChainStep {
  int code;  // 2 i for op number i of the list, 2 i + 1 where the other operand is its first
  const void* operand;  // the other operand of a binary op
  Index step;  // from one element of `operand` to the next: 1, or 0 where kLaneChainRepeat bytes repeat one element
};
inline constexpr Index kLaneChainRepeat = 64;  // bytes

// The chains of some ops, made by GetLaneChains.
struct LaneChains {
  // out[i] = the last step of ... the first step of x[i], n elements, at least `least` of them; `out` may be an
  // operand.
  using Run = void (*)(const LaneChainStep* steps, int count, const void* x, void* out, Index n);

  Run run = nullptr;
  Index least = 0;  // elements
  int count = 0;  // ops
  const UnaryLoop* const* unary = nullptr;  // by op: its loop, or null where it is binary
  const BinaryLoops* const* binary = nullptr;

  // The code of an op of the list, or -1.
  int CodeOf(const UnaryLoop* loop) const { return Find(unary, loop); }
  int CodeOf(const BinaryLoops* loops) const { return Find(binary, loops); }

 private:
  template <class Loop>
  int Find(const Loop* const* loops, const Loop* loop) const {
    for (int i = 0; i < count; ++i)
      if (loops[i] == loop) return 2 * i;
    return -1;
  }
};

namespace detail {

#if TENON_DETAIL_LANES

// An op on lanes: its `lanes` or, where its own loop stays that of its map, its `chained`.
template <class Op, class L, class... More>
TENON_HD L CallLanes(const L& x, const More&... more) {
  if constexpr (requires { Op::lanes(x, more...); })
    return Op::lanes(x, more...);
  else
    return Op::chained(x, more...);
}
template <class Op, class T>
concept IsUnaryOfLanes = requires(T x) { Op::map(x); };

template <class T, class... Ops>
struct LaneChainBody {
  static constexpr int kVectors = 8;  // at a time

  // acc becomes step number `code` of itself, where that is one of op number i.
  template <class Op, int i, class L>
  TENON_HD static void Step(const LaneChainStep& step, L (&acc)[kVectors]) {
    if constexpr (IsUnaryOfLanes<Op, T>) {
      if (step.code != 2 * i) return;
      if constexpr (requires { Op::cost_ns; }) {  // code that is long is there once
        T values[kVectors * L::size];
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[j].Store(values + j * L::size);
        using Wide = std::conditional_t<(sizeof(L) < 64), simd::Pair<L>, L>;
#pragma GCC unroll 1
        for (int j = 0; j < kVectors * L::size; j += Wide::size)
          CallLanes<Op>(Wide::Load(values + j)).Store(values + j);
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[j] = L::Load(values + j * L::size);
      } else {
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[j] = CallLanes<Op>(acc[j]);
      }
    } else {
      const T* const operand = static_cast<const T*>(step.operand);
      const Index next = step.step * L::size;
      if (step.code == 2 * i) {
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[j] = CallLanes<Op>(acc[j], L::Load(operand + j * next));
      } else if (step.code == 2 * i + 1) {
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[j] = CallLanes<Op>(L::Load(operand + j * next), acc[j]);
      }
    }
  }
  // A block, from element `place` on.
  template <class L, int... i>
  TENON_HD static void Steps(std::integer_sequence<int, i...>, const LaneChainStep* steps, int count, const T* x,
                             Index place, T* out) {
    L acc[kVectors];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) acc[j] = L::Load(x + place + j * L::size);
    for (int s = 0; s < count; ++s) {
      LaneChainStep step = steps[s];
      step.operand = static_cast<const T*>(step.operand) + place * step.step;
      (Step<Ops, i>(step, acc), ...);
    }
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) acc[j].Store(out + j * L::size);
  }

  // Computes the rest at the end, less than a block, as part of a whole block: first, as `out` may be an operand.
  template <int bytes>
  TENON_HD static void Run(const LaneChainStep* steps, int count, const void* px, void* pout, Index n) {
    using L = simd::Lanes<T, bytes>;
    constexpr Index kBlock = kVectors * L::size;
    constexpr std::make_integer_sequence<int, static_cast<int>(sizeof...(Ops))> kOps{};
    const T* const x = static_cast<const T*>(px);
    T* const out = static_cast<T*>(pout);
    T last[kBlock];
    const Index rest = n % kBlock, whole = n - rest;
    Index place = rest == 0 ? 0 : n - kBlock;
    T* to = rest == 0 ? out : last;
    for (;;) {  // one call, so that the code of the steps is there once
      Steps<L>(kOps, steps, count, x, place, to);
      place = to == last ? 0 : place + kBlock;
      if (place == whole) break;
      to = out + place;
    }
    __builtin_memcpy(out + whole, last + (kBlock - rest), static_cast<std::size_t>(rest) * sizeof(T));
  }
};

#endif

template <class T, class... Ops>
struct LaneChainLoops {
  template <class Op>
  static constexpr const UnaryLoop* Unary() {
    if constexpr (requires(T x) { Op::map(x); }) return &kUnaryLoop<Op, T>;
    return nullptr;
  }
  template <class Op>
  static constexpr const BinaryLoops* Binary() {
    if constexpr (requires(T x) { Op::map(x, x); }) return &kBinaryLoops<Op, T>;
    return nullptr;
  }
  static constexpr const UnaryLoop* unary[] = {Unary<Ops>()...};
  static constexpr const BinaryLoops* binary[] = {Binary<Ops>()...};
};

template <class T, class... Ops>
LaneChains MakeLaneChains() {
  LaneChains chains;
#if TENON_DETAIL_LANES
  using Body = LaneChainBody<T, Ops...>;
  using Levels = simd::detail::ForLevels<Body, simd::Compiled, const LaneChainStep*, int, const void*, void*, Index>;
  chains.run = Levels::Best();
  chains.least = Body::kVectors * 64 / static_cast<Index>(sizeof(T));
#endif
  chains.count = static_cast<int>(sizeof...(Ops));
  chains.unary = LaneChainLoops<T, Ops...>::unary;
  chains.binary = LaneChainLoops<T, Ops...>::binary;
  return chains;
}

}  // namespace detail

// The chains of Ops, structs as those of kUnaryLoop and kBinaryLoops, on elements of type T, float or double. Beside
// its map an op has `lanes`, or the same under the name `chained`, which leaves its own loop to the compiler's vectors:
//
//   template <class L>
//   TENON_HD static L chained(const L& x, const L& y) {
//     return x + y;
//   }
//
// run is null where there are no vectors. Thread-safe.
template <class T, class... Ops>
const LaneChains& GetLaneChains() {
  static const LaneChains chains = detail::MakeLaneChains<T, Ops...>();
  return chains;
}

TENON_DETAIL_NAMESPACE_END

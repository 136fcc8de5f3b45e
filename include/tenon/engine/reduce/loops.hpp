// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain loops, compiled for each reduction and type (kReduceLoops): over runs of elements that make one output each,
// and over rows that are folded into one.

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr Index kReduceLanes = 64;

// A reduction of elements of one type. An accumulator holds the result so far of one output. It may be of a wider type
// than the elements.
struct ReduceLoops {
  // acc[j] = op(acc[j], x[r * stride + j]) for j in [0, n) and every row r.
  void (*rows)(const void* x, Index rows, Index stride, Index n, void* acc);
  // acc[k] = op(acc[k], each of x[k * step] ... x[k * step + n - 1]) for k in [0, count).
  void (*runs)(const void* x, Index count, Index step, Index n, void* acc);
  bool runs_may_be_long;  // or else `rows` and `fold` do those of at least kReduceLanes elements
  // As `rows`, over accumulators.
  void (*combine)(const void* from, Index rows, Index stride, Index n, void* acc);
  // acc[0] = op(acc[0], each of lanes[0] ... lanes[kReduceLanes - 1]); overwrites the lanes.
  void (*fold)(void* lanes, void* acc);
  void (*fill)(void* acc, Index n);  // with the element that changes nothing
  // out[j] from acc[j], which `terms` elements went into.
  void (*finish)(const void* acc, Index terms, void* out, Index n);
  int in_bytes;   // size of one element, of the input and of the output
  int acc_bytes;  // at most 16
  float cost_ns;  // time for one element, on one thread
};

namespace detail {

template <class T>
TENON_HD constexpr bool kIsSmall() {
  return std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
}
// Integers of 32 and 64 bits wrap.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct AddStep {
  template <class A>
  TENON_HD static A Identity() {
    return A(0);
  }
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    if constexpr (std::is_integral_v<A>)
      return static_cast<A>(static_cast<Unsigned<A>>(a) + static_cast<Unsigned<A>>(b));
    else
      return a + b;
  }
};
struct MultiplyStep {
  template <class A>
  TENON_HD static A Identity() {
    return A(1);
  }
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    return a * b;
  }
};
// The extremes of a type. Constants: a GPU cannot call the functions that give them.
template <class A>
inline constexpr A kBelowAll =
    std::is_integral_v<A> ? std::numeric_limits<A>::lowest() : -std::numeric_limits<A>::infinity();
template <class A>
inline constexpr A kAboveAll =
    std::is_integral_v<A> ? std::numeric_limits<A>::max() : std::numeric_limits<A>::infinity();
// The larger or the smaller of two, NaN when either is. (Two choices, one after the other: g++ makes vectors of these,
// not of an `or`.)
template <bool largest>
struct ExtremeStep {
  template <class A>
  TENON_HD static A Identity() {
    if constexpr (largest)
      return kBelowAll<A>;
    else
      return kAboveAll<A>;
  }
  template <class A>
  TENON_HD static A Combine(A a, A b) {
    const A chosen = (largest ? a > b : a < b) ? a : b;
    if constexpr (std::is_integral_v<A>)
      return chosen;
    else
      return a != a ? a : chosen;
  }
#if TENON_DETAIL_LANES
  template <class T, int bytes>
  TENON_HD static simd::Lanes<T, bytes> Combine(const simd::Lanes<T, bytes>& a, const simd::Lanes<T, bytes>& b) {
    if constexpr (largest)
      return simd::Select(a == a, simd::Greater(a, b), a);
    else
      return simd::Select(a == a, simd::Lesser(a, b), a);
  }
#endif
};
using MaxStep = ExtremeStep<true>;
using MinStep = ExtremeStep<false>;

template <class A, class T>
TENON_HD A Widen(const T& x) {
  if constexpr (kIsSmall<T>())
    return static_cast<A>(static_cast<float>(x));
  else
    return static_cast<A>(x);
}

TENON_DETAIL_LOOPS_BEGIN

template <class Step, class T, class A>
TENON_HD void ReduceRows(const T* x, Index rows, Index stride, Index n, A* acc) {
  for (; rows >= 4; rows -= 4, x += 4 * stride) {
    const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) {
      const A first = Step::Combine(Widen<A>(x[j]), Widen<A>(x1[j]));
      const A second = Step::Combine(Widen<A>(x2[j]), Widen<A>(x3[j]));
      acc[j] = Step::Combine(acc[j], Step::Combine(first, second));
    }
  }
  for (; rows > 0; --rows, x += stride) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) acc[j] = Step::Combine(acc[j], Widen<A>(x[j]));
  }
}

template <class Step, class T, class A>
TENON_DETAIL_LOOP void RowsLoop(const void* x, Index rows, Index stride, Index n, void* acc) {
  ReduceRows<Step>(static_cast<const T*>(x), rows, stride, n, static_cast<A*>(acc));
}
#if TENON_DETAIL_TARGETS
template <class Step, class T, class A>
TENON_DETAIL_LOOP_AVX2 void RowsLoopAvx2(const void* x, Index rows, Index stride, Index n, void* acc) {
  ReduceRows<Step>(static_cast<const T*>(x), rows, stride, n, static_cast<A*>(acc));
}
#endif
template <class Step, int kWidth, class A>
TENON_HD void FoldHalves(A* lane) {
  if constexpr (kWidth > 1) {
    constexpr int kHalf = kWidth / 2;
    TENON_DETAIL_INDEPENDENT
    for (int l = 0; l < kHalf; ++l) lane[l] = Step::Combine(lane[l], lane[l + kHalf]);
    FoldHalves<Step, kHalf>(lane);
  }
}
template <class Step, class A>
TENON_DETAIL_LOOP void FoldLoop(void* lanes, void* acc) {
  FoldHalves<Step, static_cast<int>(kReduceLanes)>(static_cast<A*>(lanes));
  *static_cast<A*>(acc) = Step::Combine(*static_cast<A*>(acc), *static_cast<A*>(lanes));
}

// Types that the loops above cannot vectorise.
template <class Step, class T, class A>
void RowsLoopPlain(const void* x, Index rows, Index stride, Index n, void* acc) {
  ReduceRows<Step>(static_cast<const T*>(x), rows, stride, n, static_cast<A*>(acc));
}
TENON_DETAIL_LOOPS_END

// One element after the other: different runs do not wait for each other. (Several accumulators for one run would be as
// fast, but g++ 12.2 -O3 makes wrong vector code of four that add up 16-bit integers into 64 bits.)
template <class Step, class T, class A>
void RunsLoop(const void* px, Index count, Index step, Index n, void* acc) {
  const T* x = static_cast<const T*>(px);
  for (Index k = 0; k < count; ++k, x += step) {
    A a = static_cast<A*>(acc)[k];
    for (Index i = 0; i < n; ++i) a = Step::Combine(a, Widen<A>(x[i]));
    static_cast<A*>(acc)[k] = a;
  }
}

#if TENON_DETAIL_LANES
// Rows of a few vectors, whose sums stay in registers from row to row; element by element the steps of ReduceRows.
template <class Step, class L, class T = typename L::value_type>
TENON_HD void NarrowRows(const T* x, Index rows, Index stride, T* acc) {
  L sums[4];
#pragma GCC unroll 4
  for (Index v = 0; v < 4; ++v) sums[v] = L::Load(acc + v * L::size);
  for (; rows >= 4; rows -= 4, x += 4 * stride) {
#pragma GCC unroll 4
    for (Index v = 0; v < 4; ++v) {
      const T* const at = x + v * L::size;
      const L first = Step::Combine(L::Load(at), L::Load(at + stride)),
              second = Step::Combine(L::Load(at + 2 * stride), L::Load(at + 3 * stride));
      sums[v] = Step::Combine(sums[v], Step::Combine(first, second));
    }
  }
  for (; rows > 0; --rows, x += stride) {
#pragma GCC unroll 4
    for (Index v = 0; v < 4; ++v) sums[v] = Step::Combine(sums[v], L::Load(x + v * L::size));
  }
#pragma GCC unroll 4
  for (Index v = 0; v < 4; ++v) sums[v].Store(acc + v * L::size);
}
// Rows of one or two kilobytes from far away, four at a time as ReduceRows has them, while the next four are fetched: a
// processor that prefetches by guessing fetches the memory behind each row, which is the row after it. Returns the
// number of these columns.
template <class Step, class L, class T = typename L::value_type>
TENON_HD Index FarRows(const T* x, Index rows, Index stride, Index n, T* acc) {
  constexpr Index kLine = 64 / Index{sizeof(T)}, kVectors = kLine / L::size;
  const Index columns = n / kLine * kLine;
  for (; rows >= 4; rows -= 4, x += 4 * stride) {
    for (Index j = 0; j < columns; j += kLine) {
      const T *const x0 = x + j, *const x1 = x0 + stride, *const x2 = x1 + stride, *const x3 = x2 + stride;
      __builtin_prefetch(x0 + 4 * stride);
      __builtin_prefetch(x1 + 4 * stride);
      __builtin_prefetch(x2 + 4 * stride);
      __builtin_prefetch(x3 + 4 * stride);
#pragma GCC unroll 4
      for (Index v = 0; v < kVectors; ++v) {
        const Index at = v * L::size;
        const L first = Step::Combine(L::Load(x0 + at), L::Load(x1 + at)),
                second = Step::Combine(L::Load(x2 + at), L::Load(x3 + at));
        Step::Combine(L::Load(acc + j + at), Step::Combine(first, second)).Store(acc + j + at);
      }
    }
  }
  return columns;
}
template <class Step, class T, int bytes>
TENON_HD void VectorRows(const void* px, Index rows, Index stride, Index n, void* pacc,
                         void (*rest)(const void*, Index, Index, Index, void*)) {
  using L = simd::Lanes<T, bytes>;
  constexpr Index kBlock = 4 * L::size;
  constexpr Index kNear = 4096;  // elements in the first cache: farther away, whole rows in turn come faster
  // Sums, by what most processors run.
  constexpr bool kFar = std::is_same_v<Step, AddStep> && (bytes > 16 || !TENON_DETAIL_TARGETS);
  const T* x = static_cast<const T*>(px);
  T* acc = static_cast<T*>(pacc);
  if (rows * stride <= kNear) {
    for (; n >= kBlock; n -= kBlock, x += kBlock, acc += kBlock) NarrowRows<Step, L>(x, rows, stride, acc);
  } else if (kFar && stride >= 128 && stride < 768 && rows >= 4) {
    const Index columns = FarRows<Step, L>(x, rows, stride, n, acc), done = rows / 4 * 4;
    if (done < rows && columns > 0) rest(x + done * stride, rows - done, stride, columns, acc);
    n -= columns;
    x += columns;
    acc += columns;
  }
  if (n > 0) rest(x, rows, stride, n, acc);
}
#if TENON_DETAIL_TARGETS
template <class Step, class T>
TENON_DETAIL_TARGET_AVX2 void VectorRowsAvx2(const void* x, Index rows, Index stride, Index n, void* acc) {
  VectorRows<Step, T, 32>(x, rows, stride, n, acc, &RowsLoopAvx2<Step, T, T>);
}
#endif
// For float, where it counts, so that less is compiled; by vectors of 32 bytes where the processor has them.
template <class Step, class T, class Isa>
void VectorRowsLoop(const void* x, Index rows, Index stride, Index n, void* acc) {
#if TENON_DETAIL_TARGETS
  if constexpr (simd::kVectorBytes<Isa> < 32) {
    if (simd::BestLevel() != simd::Level::kUnit) return VectorRowsAvx2<Step, T>(x, rows, stride, n, acc);
  }
#endif
  VectorRows<Step, T, simd::kVectorBytes<Isa>>(x, rows, stride, n, acc, &RowsLoop<Step, T, T>);
}

// A long run, all lanes in registers. Needs a vector for each of the chains.
template <class Step, class L, class T = typename L::value_type>
TENON_HD T LongRun(const T* x, Index n) {
  constexpr Index kSize = L::size, kChains = 8,
                  kRow = kChains * kSize;  // additions take several cycles: so many do not wait
  L sums[kChains];
#pragma GCC unroll 8
  for (Index c = 0; c < kChains; ++c) sums[c] = L::Load(x + c * kSize);
  Index i = kRow;
  constexpr bool kRounds = std::is_same_v<Step, AddStep> || std::is_same_v<Step, MultiplyStep>;
  for (; kRounds && i + 4 * kRow <= n; i += 4 * kRow) {  // four vectors first: fewer roundings one after the other
#pragma GCC unroll 8
    for (Index c = 0; c < kChains; ++c) {
      const T* const at = x + i + 4 * c * kSize;
      const L first = Step::Combine(L::Load(at), L::Load(at + kSize)),
              second = Step::Combine(L::Load(at + 2 * kSize), L::Load(at + 3 * kSize));
      sums[c] = Step::Combine(sums[c], Step::Combine(first, second));
    }
  }
  for (; i + kRow <= n; i += kRow) {
#pragma GCC unroll 8
    for (Index c = 0; c < kChains; ++c) sums[c] = Step::Combine(sums[c], L::Load(x + i + c * kSize));
  }
  for (; i + kSize <= n; i += kSize) sums[0] = Step::Combine(sums[0], L::Load(x + i));
  const L first = Step::Combine(Step::Combine(sums[0], sums[1]), Step::Combine(sums[2], sums[3])),
          second = Step::Combine(Step::Combine(sums[4], sums[5]), Step::Combine(sums[6], sums[7]));
  T result = simd::Fold<Step>(Step::Combine(first, second));
  for (; i < n; ++i) result = Step::Combine(result, x[i]);
  return result;
}

// acc[k] = op(acc[k], all of run k) for runs of a vector at least, four of which are folded together; the first stands
// in for those that the last four lack.
template <class Step, class L, class T = typename L::value_type>
TENON_HD void RunsByFours(const T* x, Index count, Index step, Index n, T* acc) {
  using Part = simd::Lanes<T, 16>;
  constexpr int kParts = 4 / Part::size;  // vectors that hold four results
  for (; count > 0; count -= 4, x += 4 * step, acc += 4) {
    const T *x1 = x, *x2 = x, *x3 = x;
    if (count > 1) x1 += step;
    if (count > 2) x2 += 2 * step;
    if (count > 3) x3 += 3 * step;
    L sums[4] = {L::Load(x), L::Load(x1), L::Load(x2), L::Load(x3)};
    Index i = L::size;
    for (; i + L::size <= n; i += L::size) {
      sums[0] = Step::Combine(sums[0], L::Load(x + i));
      sums[1] = Step::Combine(sums[1], L::Load(x1 + i));
      sums[2] = Step::Combine(sums[2], L::Load(x2 + i));
      sums[3] = Step::Combine(sums[3], L::Load(x3 + i));
    }
    Part folded[kParts];
    simd::FoldFour<Step>(sums, folded);
    for (; i < n; ++i) {
      if constexpr (kParts == 1) {
        folded[0] = Step::Combine(folded[0], Part(typename Part::Vector{x[i], x1[i], x2[i], x3[i]}));
      } else {
        folded[0] = Step::Combine(folded[0], Part(typename Part::Vector{x[i], x1[i]}));
        folded[1] = Step::Combine(folded[1], Part(typename Part::Vector{x2[i], x3[i]}));
      }
    }
    if (count < 4) {
      T last[4];
      for (int h = 0; h < kParts; ++h) folded[h].Store(last + h * Part::size);
      for (Index r = 0; r < count; ++r) acc[r] = Step::Combine(acc[r], last[r]);
      return;
    }
#pragma GCC unroll 2
    for (int h = 0; h < kParts; ++h)
      Step::Combine(Part::Load(acc + h * Part::size), folded[h]).Store(acc + h * Part::size);
  }
}

// Runs of any length, each by the same steps wherever it stands.
template <class Step, class T, int bytes>
TENON_HD void VectorRuns(const T* x, Index count, Index step, Index n, T* acc) {
  using Long = simd::Lanes<T, bytes>;
  using Short = simd::Lanes<T, 16>;
  if (n > 16 * Long::size) {
    for (Index k = 0; k < count; ++k) acc[k] = Step::Combine(acc[k], LongRun<Step, Long>(x + k * step, n));
    return;
  }
  if (n < Short::size) return RunsLoop<Step, T, T>(x, count, step, n, acc);
  if constexpr (Long::size > Short::size) {
    if (n >= 2 * Long::size) return RunsByFours<Step, Long>(x, count, step, n, acc);
  }
  RunsByFours<Step, Short>(x, count, step, n, acc);
}
#if TENON_DETAIL_TARGETS
template <class Step, class T>
TENON_DETAIL_TARGET_AVX2 void VectorRunsAvx2(const T* x, Index count, Index step, Index n, T* acc) {
  VectorRuns<Step, T, 32>(x, count, step, n, acc);
}
#endif
template <class Step, class T, class Isa>
void VectorRunsLoop(const void* px, Index count, Index step, Index n, void* pacc) {
  const T* const x = static_cast<const T*>(px);
  T* const acc = static_cast<T*>(pacc);
#if TENON_DETAIL_TARGETS
  if constexpr (simd::kVectorBytes<Isa> < 32) {
    if (simd::BestLevel() != simd::Level::kUnit) return VectorRunsAvx2<Step, T>(x, count, step, n, acc);
  }
#endif
  VectorRuns<Step, T, simd::kVectorBytes<Isa>>(x, count, step, n, acc);  // larger vectors would lie in memory
}
#endif

// The type that a sum is divided by: its own type, or that of the parts of complex numbers.
template <class A>
A CountFor(const A&);
template <class Real>
Real CountFor(const std::complex<Real>&);

TENON_DETAIL_LOOPS_BEGIN
template <class Step, class A>
TENON_DETAIL_LOOP void FillLoop(void* acc, Index n) {
  for (Index j = 0; j < n; ++j) static_cast<A*>(acc)[j] = Step::template Identity<A>();
}
template <class T, class A>
TENON_DETAIL_LOOP void FinishLoop(const void* acc, Index, void* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) static_cast<T*>(out)[j] = static_cast<T>(static_cast<const A*>(acc)[j]);
}
// Integers are cut towards zero; the mean of nothing is 0 for them and NaN for the others.
template <class T, class A>
TENON_DETAIL_LOOP void FinishMeanLoop(const void* acc, Index terms, void* out, Index n) {
  using Count = decltype(CountFor(A()));
  T* const means = static_cast<T*>(out);
  if (terms == 0) {
    const T none = std::is_integral_v<A> ? T(0) : static_cast<T>(A(std::numeric_limits<Count>::quiet_NaN()));
    for (Index j = 0; j < n; ++j) means[j] = none;
    return;
  }
  const Count count = static_cast<Count>(terms);
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) means[j] = static_cast<T>(static_cast<const A*>(acc)[j] / count);
}
TENON_DETAIL_LOOPS_END

}  // namespace detail

// ---- the operations: how two values become one, and the type that holds them meanwhile

// Integers wrap. half and bfloat16 are added up as float.
struct SumReducer {
  using Step = detail::AddStep;
  static constexpr bool is_mean = false;
  static constexpr bool ignores_sign = true;  // integers of both signs give the same bits
  template <class T>
  static constexpr auto Accumulator() {
    if constexpr (detail::kIsSmall<T>())
      return float{};
    else if constexpr (std::is_integral_v<T>)
      return detail::Unsigned<T>{};
    else
      return T{};
  }
};
struct ProdReducer : SumReducer {
  using Step = detail::MultiplyStep;
};
// Integers of up to 32 bits are added up in 64.
struct MeanReducer {
  using Step = detail::AddStep;
  static constexpr bool is_mean = true;
  template <class T>
  static constexpr auto Accumulator() {
    if constexpr (detail::kIsSmall<T>())
      return float{};
    else if constexpr (std::is_integral_v<T>)
      return std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>{};
    else
      return T{};
  }
};
// NaN when there is one. The largest of nothing is minus infinity, or the lowest integer.
struct MaxReducer {
  using Step = detail::MaxStep;
  static constexpr bool is_mean = false;
  template <class T>
  static constexpr auto Accumulator() {
    if constexpr (detail::kIsSmall<T>())
      return float{};
    else
      return T{};
  }
};
struct MinReducer : MaxReducer {
  using Step = detail::MinStep;
};

namespace detail {
template <class Reducer, class T>
constexpr ReduceLoops MakeReduceLoops() {
  using Step = typename Reducer::Step;
  using A = decltype(Reducer::template Accumulator<T>());
  ReduceLoops loops{};
  if constexpr (std::is_arithmetic_v<A>) {
    loops.rows = &RowsLoop<Step, T, A>;
    loops.combine = &RowsLoop<Step, A, A>;
  } else {
    loops.rows = &RowsLoopPlain<Step, T, A>;
    loops.combine = &RowsLoopPlain<Step, A, A>;
  }
#if TENON_DETAIL_LANES
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (sizeof(T) == sizeof(float)) loops.rows = loops.combine = &VectorRowsLoop<Step, T, simd::Compiled>;
    loops.runs = &VectorRunsLoop<Step, T, simd::Compiled>;
    loops.runs_may_be_long = true;
  } else
#endif
    loops.runs = &RunsLoop<Step, T, A>;
  loops.fold = &FoldLoop<Step, A>;
  loops.fill = &FillLoop<Step, A>;
  if constexpr (Reducer::is_mean)
    loops.finish = &FinishMeanLoop<T, A>;
  else
    loops.finish = &FinishLoop<T, A>;
  loops.in_bytes = static_cast<int>(sizeof(T));
  loops.acc_bytes = static_cast<int>(sizeof(A));
  loops.cost_ns = 0.04f * static_cast<float>(sizeof(T)) + (std::is_arithmetic_v<T> ? 0.04f : 0.5f);
  return loops;
}
}  // namespace detail

template <class Reducer, class T>
inline constexpr ReduceLoops kReduceLoops = detail::MakeReduceLoops<Reducer, T>();

TENON_DETAIL_NAMESPACE_END

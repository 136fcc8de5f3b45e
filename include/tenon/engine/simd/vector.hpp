// SPDX-License-Identifier: Apache-2.0
#pragma once
// simd::Lanes<T, bytes>: a vector of the compiler (GNU), of any size, in functions compiled for any instruction set;
// and ForLevels, which compiles a body for the unit's instruction set and those above it, and picks one while running.
// Not for nvcc, compilers without such vectors and -ffast-math (which takes apart how vector_exp_log.hpp rounds): there
// TENON_DETAIL_LANES is 0.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/engine/simd/isa.hpp>

#if defined(__GNUC__) && !defined(__NVCC__) && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
#define TENON_DETAIL_LANES 1
#else
#define TENON_DETAIL_LANES 0
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

#if !defined(__clang__)  // the warning means functions that are called, none of which is here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#if TENON_DETAIL_TARGETS && !defined(__clang__)
// g++ knows an instruction set's functions from the first declaration on that names it.
TENON_DETAIL_TARGET_AVX512 void KnowsAvx512();
#endif

// The integers of T's size beside Lanes<T, bytes>: their bits, and masks, which have all bits set or none.
// (Masks are better nested in Selects than joined by & and |: g++ 12 takes those apart lane by lane for AVX-512, and
// also nested ones of the same choices.)
template <class T, int bytes>
struct LaneInts {
  using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Int Vector __attribute__((vector_size(bytes)));
  typedef std::make_unsigned_t<Int> Unsigned __attribute__((vector_size(bytes)));

  Vector v;

  TENON_HD LaneInts() {}  // no value
  TENON_HD LaneInts(Int value) : v(value - Vector{}) {}  // in every lane
  TENON_HD explicit LaneInts(const Vector& lanes) : v(lanes) {}

  // Sums wrap around: bits of NaN are rounded, too.
  TENON_HD friend LaneInts operator+(const LaneInts& a, const LaneInts& b) {
    return LaneInts((Vector)((Unsigned)a.v + (Unsigned)b.v));
  }
  TENON_HD friend LaneInts operator-(const LaneInts& a, const LaneInts& b) {
    return LaneInts((Vector)((Unsigned)a.v - (Unsigned)b.v));
  }
  TENON_HD friend LaneInts operator-(const LaneInts& a) { return LaneInts((Vector)(-(Unsigned)a.v)); }
  TENON_HD friend LaneInts operator&(const LaneInts& a, const LaneInts& b) { return LaneInts(a.v & b.v); }
  TENON_HD friend LaneInts operator|(const LaneInts& a, const LaneInts& b) { return LaneInts(a.v | b.v); }
  TENON_HD friend LaneInts operator^(const LaneInts& a, const LaneInts& b) { return LaneInts(a.v ^ b.v); }
  TENON_HD friend LaneInts operator~(const LaneInts& a) { return LaneInts(~a.v); }
  TENON_HD friend LaneInts operator<<(const LaneInts& a, int n) { return LaneInts(a.v << n); }
  TENON_HD friend LaneInts operator>>(const LaneInts& a, int n) { return LaneInts(a.v >> n); }  // keeps the sign
  // Half of each number, none negative, rounded down. (Not every instruction set can shift the sign of 64 bits.)
  TENON_HD LaneInts Half() const { return LaneInts((Vector)((Unsigned)v >> 1)); }
};

// T is float or double. A value may travel only through functions that are always inlined: how it is passed depends on
// what a function is compiled for.
template <class T, int bytes>
struct Lanes {
  using value_type = T;
  using Ints = LaneInts<T, bytes>;
  using Int = typename Ints::Int;
  typedef T Vector __attribute__((vector_size(bytes)));
  static constexpr int size = bytes / static_cast<int>(sizeof(T));

  Vector v;

  TENON_HD Lanes() {}  // no value
  TENON_HD Lanes(T value) : v(value - Vector{}) {}  // in every lane
  TENON_HD explicit Lanes(const Vector& lanes) : v(lanes) {}
  TENON_HD static Lanes Zero() { return Lanes(Vector{}); }
  // Lanes(value) for values that are known only while running: g++ would put them together lane by lane in functions
  // compiled for more than the unit. Only for vectors as large as the function's.
  TENON_HD static Lanes Repeat(T value) {
#if TENON_DETAIL_TARGETS && !defined(__clang__)
    if constexpr (bytes > kVectorBytes<Compiled>) {
      typedef T Short __attribute__((vector_size(16)));
      const Short first{value};
      Lanes result;
      if constexpr (bytes == 32 && sizeof(T) == 4) result.v = __builtin_ia32_vbroadcastss_ps256(first);
      if constexpr (bytes == 32 && sizeof(T) == 8) result.v = __builtin_ia32_vbroadcastsd_pd256(first);
      if constexpr (bytes == 64 && sizeof(T) == 4) result.v = __builtin_ia32_broadcastss512(first, Vector{}, -1);
      if constexpr (bytes == 64 && sizeof(T) == 8) result.v = __builtin_ia32_broadcastsd512(first, Vector{}, -1);
      return result;
    }
#endif
    return Lanes(value);
  }
  TENON_HD static Lanes FromBits(const Ints& bits) {
    Lanes result;
    __builtin_memcpy(&result.v, &bits.v, bytes);
    return result;
  }
  TENON_HD static Lanes Load(const T* p) {
    Lanes result;
    __builtin_memcpy(&result.v, p, bytes);
    return result;
  }
  TENON_HD void Store(T* p) const { __builtin_memcpy(p, &v, bytes); }
  TENON_HD Ints Bits() const {
    Ints bits;
    __builtin_memcpy(&bits.v, &v, bytes);
    return bits;
  }

  TENON_HD friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
  TENON_HD friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
  TENON_HD friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
  TENON_HD friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v / b.v); }
  TENON_HD friend Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
  TENON_HD friend Ints operator<(const Lanes& a, const Lanes& b) { return Ints(a.v < b.v); }
  TENON_HD friend Ints operator>(const Lanes& a, const Lanes& b) { return Ints(a.v > b.v); }
  TENON_HD friend Ints operator==(const Lanes& a, const Lanes& b) { return Ints(a.v == b.v); }
};

// Lane by lane: yes where the mask is set.
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Select(const LaneInts<T, bytes>& mask, const Lanes<T, bytes>& yes, const Lanes<T, bytes>& no) {
  Lanes<T, bytes> result(mask.v ? yes.v : no.v);
  // g++ 12 makes one choice of two, the one in the other, and compares vectors of 64 bytes element by element for that.
  if constexpr (bytes == 64) TENON_DETAIL_KEEP(result.v);
  return result;
}
// Whether a lane's bits are set.
template <class T, int bytes>
TENON_HD bool AnyOf(const LaneInts<T, bytes>& mask) {
  std::uint64_t words[bytes / 8];
  __builtin_memcpy(words, &mask.v, bytes);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}
// a < b ? a : b and a > b ? a : b, and so b where one is NaN: one instruction, which clang finds by itself.
#if defined(__x86_64__) && !defined(__clang__)
#define TENON_DETAIL_LANES_CHOICE(name, which, compare)                                                         \
  template <class T, int bytes>                                                                                 \
  TENON_HD Lanes<T, bytes> name(const Lanes<T, bytes>& a, const Lanes<T, bytes>& b) {                           \
    using L = Lanes<T, bytes>;                                                                                  \
    constexpr bool kIsFloat = sizeof(T) == 4;                                                                   \
    if constexpr (bytes == 16 && kIsFloat) return L(__builtin_ia32_##which##ps(a.v, b.v));                      \
    if constexpr (bytes == 16 && !kIsFloat) return L(__builtin_ia32_##which##pd(a.v, b.v));                     \
    if constexpr (bytes == 32 && kIsFloat) return L(__builtin_ia32_##which##ps256(a.v, b.v));                   \
    if constexpr (bytes == 32 && !kIsFloat) return L(__builtin_ia32_##which##pd256(a.v, b.v));                  \
    if constexpr (bytes == 64 && kIsFloat) return L(__builtin_ia32_##which##ps512_mask(a.v, b.v, a.v, -1, 4));  \
    if constexpr (bytes == 64 && !kIsFloat) return L(__builtin_ia32_##which##pd512_mask(a.v, b.v, a.v, -1, 4)); \
    return Select(a compare b, a, b);                                                                           \
  }
#else
#define TENON_DETAIL_LANES_CHOICE(name, which, compare)                               \
  template <class T, int bytes>                                                       \
  TENON_HD Lanes<T, bytes> name(const Lanes<T, bytes>& a, const Lanes<T, bytes>& b) { \
    return Select(a compare b, a, b);                                                 \
  }
#endif
TENON_DETAIL_LANES_CHOICE(Lesser, min, <)
TENON_DETAIL_LANES_CHOICE(Greater, max, >)
#undef TENON_DETAIL_LANES_CHOICE
// 1 / sqrt(x) to 11 bits at least, or to 14 by AVX-512, which knows denormals, too. (clang knows the instructions only
// within functions of the instruction set.)
#if defined(__x86_64__) && !defined(__clang__)
#define TENON_DETAIL_ESTIMATES 1
template <int bytes>
TENON_HD Lanes<float, bytes> EstimateRsqrt(const Lanes<float, bytes>& x) {
  static_assert(bytes == 32 || bytes == 64);
  using L = Lanes<float, bytes>;
  if constexpr (bytes == 32) return L(__builtin_ia32_rsqrtps256(x.v));
  if constexpr (bytes == 64) return L(__builtin_ia32_rsqrt14ps512_mask(x.v, x.v, -1));
}
#else
#define TENON_DETAIL_ESTIMATES 0
#endif
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Sqrt(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
#if __has_builtin(__builtin_elementwise_sqrt)  // clang from 18 on
  return L(__builtin_elementwise_sqrt(x.v));
#else
#if defined(__x86_64__) && !defined(__clang__)
  constexpr bool kIsFloat = sizeof(T) == 4;
  if constexpr (bytes == 16 && kIsFloat) return L(__builtin_ia32_sqrtps(x.v));
  if constexpr (bytes == 16 && !kIsFloat) return L(__builtin_ia32_sqrtpd(x.v));
  if constexpr (bytes == 32 && kIsFloat) return L(__builtin_ia32_sqrtps256(x.v));
  if constexpr (bytes == 32 && !kIsFloat) return L(__builtin_ia32_sqrtpd256(x.v));
  if constexpr (bytes == 64 && kIsFloat) return L(__builtin_ia32_sqrtps512_mask(x.v, x.v, -1, 4));
  if constexpr (bytes == 64 && !kIsFloat) return L(__builtin_ia32_sqrtpd512_mask(x.v, x.v, -1, 4));
#endif
  L y;
  for (int i = 0; i < L::size; ++i) y.v[i] = std::sqrt(x.v[i]);
  return y;
#endif
}
// y 2^n for whole numbers n, rounded once, infinity and 0 included: one instruction, where kScales is true.
#if defined(__x86_64__) && !defined(__clang__)
template <class L>
inline constexpr bool kScales = false;
template <class T>
inline constexpr bool kScales<Lanes<T, 64>> = true;
template <class T>
TENON_HD Lanes<T, 64> ScaleByPower(const Lanes<T, 64>& y, const Lanes<T, 64>& n) {
  using L = Lanes<T, 64>;
  if constexpr (sizeof(T) == 4)
    return L(__builtin_ia32_scalefps512_mask(y.v, n.v, y.v, -1, 4));
  else
    return L(__builtin_ia32_scalefpd512_mask(y.v, n.v, y.v, -1, 4));
}
#else
template <class L>
inline constexpr bool kScales = false;
template <class L>
L ScaleByPower(const L& y, const L& n);
#endif
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// Two values of type L, whose steps are computed alternately: while one waits for its last step's result the other has
// work to do, which a processor does not find by itself where its window is shorter than a function's steps.
template <class L>
struct PairInts {
  using Int = typename L::Int;
  L a, b;

  TENON_HD PairInts() {}  // no value
  TENON_HD PairInts(Int value) : a(value), b(value) {}
  TENON_HD PairInts(const L& first, const L& second) : a(first), b(second) {}

  TENON_HD friend PairInts operator+(const PairInts& x, const PairInts& y) { return {x.a + y.a, x.b + y.b}; }
  TENON_HD friend PairInts operator-(const PairInts& x, const PairInts& y) { return {x.a - y.a, x.b - y.b}; }
  TENON_HD friend PairInts operator-(const PairInts& x) { return {-x.a, -x.b}; }
  TENON_HD friend PairInts operator&(const PairInts& x, const PairInts& y) { return {x.a & y.a, x.b & y.b}; }
  TENON_HD friend PairInts operator|(const PairInts& x, const PairInts& y) { return {x.a | y.a, x.b | y.b}; }
  TENON_HD friend PairInts operator^(const PairInts& x, const PairInts& y) { return {x.a ^ y.a, x.b ^ y.b}; }
  TENON_HD friend PairInts operator~(const PairInts& x) { return {~x.a, ~x.b}; }
  TENON_HD friend PairInts operator<<(const PairInts& x, int n) { return {x.a << n, x.b << n}; }
  TENON_HD friend PairInts operator>>(const PairInts& x, int n) { return {x.a >> n, x.b >> n}; }
  TENON_HD PairInts Half() const { return {a.Half(), b.Half()}; }
};
template <class L>
struct Pair {
  using value_type = typename L::value_type;
  using Ints = PairInts<typename L::Ints>;
  using Int = typename L::Int;
  static constexpr int size = 2 * L::size;
  L a, b;

  TENON_HD Pair() {}  // no value
  TENON_HD Pair(value_type value) : a(value), b(value) {}
  TENON_HD Pair(const L& first, const L& second) : a(first), b(second) {}
  TENON_HD static Pair Zero() { return {L::Zero(), L::Zero()}; }
  TENON_HD static Pair Repeat(value_type value) { return {L::Repeat(value), L::Repeat(value)}; }
  TENON_HD static Pair FromBits(const Ints& bits) { return {L::FromBits(bits.a), L::FromBits(bits.b)}; }
  TENON_HD static Pair Load(const value_type* p) { return {L::Load(p), L::Load(p + L::size)}; }
  TENON_HD void Store(value_type* p) const {
    a.Store(p);
    b.Store(p + L::size);
  }
  TENON_HD Ints Bits() const { return {a.Bits(), b.Bits()}; }

  TENON_HD friend Pair operator+(const Pair& x, const Pair& y) { return {x.a + y.a, x.b + y.b}; }
  TENON_HD friend Pair operator-(const Pair& x, const Pair& y) { return {x.a - y.a, x.b - y.b}; }
  TENON_HD friend Pair operator*(const Pair& x, const Pair& y) { return {x.a * y.a, x.b * y.b}; }
  TENON_HD friend Pair operator/(const Pair& x, const Pair& y) { return {x.a / y.a, x.b / y.b}; }
  TENON_HD friend Pair operator-(const Pair& x) { return {-x.a, -x.b}; }
  TENON_HD friend Ints operator<(const Pair& x, const Pair& y) { return {x.a < y.a, x.b < y.b}; }
  TENON_HD friend Ints operator>(const Pair& x, const Pair& y) { return {x.a > y.a, x.b > y.b}; }
  TENON_HD friend Ints operator==(const Pair& x, const Pair& y) { return {x.a == y.a, x.b == y.b}; }
};
template <class L>
TENON_HD Pair<L> Select(const PairInts<typename L::Ints>& mask, const Pair<L>& yes, const Pair<L>& no) {
  return {Select(mask.a, yes.a, no.a), Select(mask.b, yes.b, no.b)};
}
template <class L>
TENON_HD Pair<L> Lesser(const Pair<L>& x, const Pair<L>& y) {
  return {Lesser(x.a, y.a), Lesser(x.b, y.b)};
}
template <class L>
TENON_HD Pair<L> Greater(const Pair<L>& x, const Pair<L>& y) {
  return {Greater(x.a, y.a), Greater(x.b, y.b)};
}
template <class L>
TENON_HD Pair<L> Sqrt(const Pair<L>& x) {
  return {Sqrt(x.a), Sqrt(x.b)};
}

// As many of these as are worth computing alternately: AVX-512's processors look further ahead.
template <class T, int bytes>
using WideLanes = std::conditional_t<(bytes < 64), Pair<Lanes<T, bytes>>, Lanes<T, bytes>>;

// All lanes of x as one number, by halves.
struct AddLanes {
  template <class V>
  TENON_HD static V Combine(const V& a, const V& b) {
    return a + b;
  }
};
struct GreaterLanes {  // the last that is NaN, if it is not followed by a number
  template <class L>
  TENON_HD static L Combine(const L& a, const L& b) {
    return Greater(a, b);
  }
  TENON_HD static float Combine(float a, float b) { return a > b ? a : b; }
  TENON_HD static double Combine(double a, double b) { return a > b ? a : b; }
};
namespace detail {
template <std::size_t first, class T, int bytes, std::size_t... i>
TENON_HD Lanes<T, bytes / 2> HalfOf(const Lanes<T, bytes>& x, std::index_sequence<i...>) {
  return Lanes<T, bytes / 2>(__builtin_shufflevector(x.v, x.v, (first + i)...));
}
}  // namespace detail
template <class Step, class T, int bytes>
TENON_HD T Fold(const Lanes<T, bytes>& x) {
  constexpr std::size_t kHalf = Lanes<T, bytes>::size / 2;
  if constexpr (bytes > 16) {
    constexpr auto kLanes = std::make_index_sequence<kHalf>();
    return Fold<Step>(Step::Combine(detail::HalfOf<0>(x, kLanes), detail::HalfOf<kHalf>(x, kLanes)));
  } else if constexpr (kHalf == 2) {
    return Step::Combine(Step::Combine(x.v[0], x.v[2]), Step::Combine(x.v[1], x.v[3]));
  } else {
    return Step::Combine(x.v[0], x.v[1]);
  }
}
// Fold of each of four, in fewer steps: one after the other in a vector of 16 bytes, or in two.
template <class Step, class T, int bytes>
TENON_HD void FoldFour(const Lanes<T, bytes> (&x)[4], Lanes<T, 16> (&results)[sizeof(T) / 4]) {
  constexpr std::size_t kHalf = Lanes<T, bytes>::size / 2;
  using L = Lanes<T, bytes>;
  if constexpr (bytes > 16) {
    constexpr auto kLanes = std::make_index_sequence<kHalf>();
    Lanes<T, bytes / 2> halves[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
      halves[i] = Step::Combine(detail::HalfOf<0>(x[i], kLanes), detail::HalfOf<kHalf>(x[i], kLanes));
    FoldFour<Step>(halves, results);
  } else if constexpr (kHalf == 2) {
    const L a = Step::Combine(L(__builtin_shufflevector(x[0].v, x[1].v, 0, 4, 1, 5)),
                              L(__builtin_shufflevector(x[0].v, x[1].v, 2, 6, 3, 7)));
    const L b = Step::Combine(L(__builtin_shufflevector(x[2].v, x[3].v, 0, 4, 1, 5)),
                              L(__builtin_shufflevector(x[2].v, x[3].v, 2, 6, 3, 7)));
    results[0] = Step::Combine(L(__builtin_shufflevector(a.v, b.v, 0, 1, 4, 5)),
                               L(__builtin_shufflevector(a.v, b.v, 2, 3, 6, 7)));
  } else {
    results[0] = Step::Combine(L(__builtin_shufflevector(x[0].v, x[1].v, 0, 2)),
                               L(__builtin_shufflevector(x[0].v, x[1].v, 1, 3)));
    results[1] = Step::Combine(L(__builtin_shufflevector(x[2].v, x[3].v, 0, 2)),
                               L(__builtin_shufflevector(x[2].v, x[3].v, 1, 3)));
  }
}
template <class Step, class L>
TENON_HD typename L::value_type Fold(const Pair<L>& x) {
  return Fold<Step>(Step::Combine(x.a, x.b));
}

template <class L>
inline constexpr bool kIsLaneValue = false;
template <class T, int bytes>
inline constexpr bool kIsLaneValue<Lanes<T, bytes>> = true;
template <class L>
inline constexpr bool kIsLaneValue<Pair<L>> = kIsLaneValue<L>;
template <class L>
concept LaneValue = kIsLaneValue<L>;

// a * b + c, rounded once where the instruction set can.
template <class L>
TENON_HD Pair<L> Fma(const Pair<L>& a, const Pair<L>& b, const Pair<L>& c) {
  return {Fma(a.a, b.a, c.a), Fma(a.b, b.b, c.b)};
}
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Fma(const Lanes<T, bytes>& a, const Lanes<T, bytes>& b, const Lanes<T, bytes>& c) {
  return Lanes<T, bytes>(a.v * b.v + c.v);
}
// coefficients[i] + coefficients[i + 1] x + ...
template <std::size_t i = 0, LaneValue L, std::size_t n>
TENON_HD L Polynomial(const L& x, const typename L::value_type (&coefficients)[n]) {
  if constexpr (i + 1 == n) {
    return L(coefficients[i]);
  } else {
    return Fma(Polynomial<i + 1>(x, coefficients), x, L(coefficients[i]));
  }
}

namespace detail {

// Body::Run<bytes>(args...) compiled for the unit's instruction set and for those above it, with vectors of so many
// bytes. Body::Run is always inlined.
template <class Body, class Isa, class... Args>
struct ForLevels {
  TENON_DETAIL_TARGET_UNIT static void Unit(Args... args) { Body::template Run<kVectorBytes<Isa>>(args...); }
#if TENON_DETAIL_TARGETS
  TENON_DETAIL_TARGET_AVX2 static void Avx2(Args... args) { Body::template Run<32>(args...); }
  TENON_DETAIL_TARGET_AVX512 static void Avx512(Args... args) { Body::template Run<64>(args...); }
#endif
  // Returns the best function that this processor can run.
  static void (*Best())(Args...) {
#if TENON_DETAIL_TARGETS
    if constexpr (!std::is_same_v<Isa, isa::Avx512>) {
      const Level level = BestLevel();
      if (level == Level::kAvx512) return &Avx512;
      if constexpr (!std::is_same_v<Isa, isa::Avx2>) {
        if (level == Level::kAvx2) return &Avx2;
      }
    }
#endif
    return &Unit;
  }
};

}  // namespace detail

#else

// Only a name: ops are compiled that have a function of it, which is never called.
template <class T, int bytes>
struct Lanes;

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END

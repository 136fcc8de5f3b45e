// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generated from include/tenon by tools/amalgamate.py; change the headers there.
#include "tenon.hpp"

#include <cmath>

// ---- tenon/engine/isa.hpp ----
// The instruction set a translation unit is compiled for, as a type: it stands in the name of every function that
// depends on it, so that files compiled with different flags may be linked together. And what makes g++ vectorise a
// loop at -O2.
TENON_NAMESPACE_BEGIN

namespace simd {

namespace isa {
struct Scalar {};  // one lane: processors without vectors that we know, nvcc, and where xsimd is missing
struct Sse2 {};
struct Sse41 {};
struct Avx {};
struct Avx2 {};     // with FMA
struct Avx512 {};   // F, BW, DQ, VL
struct Neon64 {};
}  // namespace isa

#if defined(__CUDACC__) || !__has_include(<xsimd/xsimd.hpp>)
using Unit = isa::Scalar;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using Unit = isa::Avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using Unit = isa::Avx2;
#elif defined(__AVX__)
using Unit = isa::Avx;
#elif defined(__SSE4_1__)
using Unit = isa::Sse41;
#elif defined(__SSE2__) || defined(_M_X64)
using Unit = isa::Sse2;
#elif defined(__aarch64__)
using Unit = isa::Neon64;
#else
using Unit = isa::Scalar;
#endif

// One with fewer lanes that the same processor has.
template <class Isa>
struct NarrowerOf {
  using type = isa::Scalar;
};
template <> struct NarrowerOf<isa::Avx512> {
  using type = isa::Avx2;
};
template <> struct NarrowerOf<isa::Avx2> {
  using type = isa::Sse2;
};
template <> struct NarrowerOf<isa::Avx> {
  using type = isa::Sse2;
};
template <class Isa>
using Narrower = typename NarrowerOf<Isa>::type;

// Lanes of T that one value holds. In engine/simd.hpp; works for T = float and double.
template <class T, class Isa = Unit>
struct Batch;

}  // namespace simd

TENON_NAMESPACE_END

// TENON_DETAIL_LOOP stands before a function whose loops are worth vectorising: g++ does not do it at -O2 by itself
// (clang does). TENON_DETAIL_INDEPENDENT stands before a loop whose iterations do not depend on each other; an output
// that is exactly one of the inputs is fine. Such functions stand between TENON_DETAIL_LOOPS_BEGIN and _END, which keep
// clang from warning about those that it cannot vectorise (and which must not be inlined elsewhere for that).
#if defined(__CUDACC__) || !defined(__GNUC__)
#define TENON_DETAIL_LOOP
#elif defined(__clang__)
#define TENON_DETAIL_LOOP __attribute__((noinline))
#elif defined(__OPTIMIZE__)
#define TENON_DETAIL_LOOP __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic")))
#else
#define TENON_DETAIL_LOOP
#endif
#if defined(__CUDACC__)
#define TENON_DETAIL_INDEPENDENT
#elif defined(__clang__)
#define TENON_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TENON_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_DETAIL_INDEPENDENT
#endif
#if defined(__clang__) && !defined(__CUDACC__)
#define TENON_DETAIL_LOOPS_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define TENON_DETAIL_LOOPS_END _Pragma("clang diagnostic pop")
#else
#define TENON_DETAIL_LOOPS_BEGIN
#define TENON_DETAIL_LOOPS_END
#endif

// ---- tenon/engine/simd.hpp ----
// simd::Batch<float> and Batch<double>: as many lanes as the translation unit's instruction set has. The only file that
// includes xsimd (8.1 to 14). Every function here is also there for plain float and double, so that one body serves
// both.
#if !defined(__CUDACC__) && __has_include(<xsimd/xsimd.hpp>)
#include <xsimd/xsimd.hpp>
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#define TENON_DETAIL_XSIMD 1
#else
#define TENON_DETAIL_XSIMD 0
#endif

TENON_NAMESPACE_BEGIN

namespace simd {

namespace detail {

// What xsimd calls an instruction set; void where it has none, and one lane does the work.
template <class Isa>
struct XsimdArch {
  using type = void;
};
#if TENON_DETAIL_XSIMD
#if defined(__SSE2__) || defined(_M_X64)
template <> struct XsimdArch<isa::Sse2> {
  using type = xsimd::sse2;
};
template <> struct XsimdArch<isa::Sse41> {
  using type = xsimd::sse4_1;
};
#endif
#if defined(__AVX__)
template <> struct XsimdArch<isa::Avx> {
  using type = xsimd::avx;
};
#endif
#if defined(__AVX2__) && defined(__FMA__)
template <> struct XsimdArch<isa::Avx2> {
  using type = xsimd::fma3<xsimd::avx2>;
};
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__)
template <> struct XsimdArch<isa::Avx512> {
  using type = xsimd::avx512bw;
};
#endif
#if defined(__aarch64__)
template <> struct XsimdArch<isa::Neon64> {
  using type = xsimd::neon64;
};
#endif
#endif

template <class Isa>
concept Vectors = !std::is_void_v<typename XsimdArch<Isa>::type>;

}  // namespace detail

// One bool a lane, the answer of a comparison.
template <class T, class Isa = Unit>
struct Mask {
  bool v;
};

// One lane: where there are no vectors, and for integers. The members are those of the vector form below.
template <class T, class Isa>
struct Batch {
  static_assert(std::is_arithmetic_v<T>, "tenon: Batch<T> is for float and double (one lane: for integers too)");
  using value_type = T;
  static constexpr int size = 1;
  T v;

  Batch() = default;
  TENON_HD Batch(T value) : v(value) {}
  TENON_HD static Batch Load(const T* p) { return Batch(*p); }
  TENON_HD void Store(T* p) const { *p = v; }
  TENON_HD static Batch LoadPart(const T* p, std::ptrdiff_t n, T rest) { return Batch(n > 0 ? *p : rest); }
  TENON_HD void StorePart(T* p, std::ptrdiff_t n) const {
    if (n > 0) *p = v;
  }
  TENON_HD friend Batch operator+(Batch a, Batch b) { return Batch(a.v + b.v); }
  TENON_HD friend Batch operator-(Batch a, Batch b) { return Batch(a.v - b.v); }
  TENON_HD friend Batch operator*(Batch a, Batch b) { return Batch(a.v * b.v); }
  TENON_HD friend Batch operator/(Batch a, Batch b) { return Batch(a.v / b.v); }
  TENON_HD friend Batch operator-(Batch a) { return Batch(-a.v); }
  TENON_HD friend Mask<T, Isa> operator<(Batch a, Batch b) { return {a.v < b.v}; }
  TENON_HD friend Mask<T, Isa> operator>(Batch a, Batch b) { return {a.v > b.v}; }
  TENON_HD friend Mask<T, Isa> operator==(Batch a, Batch b) { return {a.v == b.v}; }
  TENON_HD static Batch Select(Mask<T, Isa> m, Batch yes, Batch no) { return m.v ? yes : no; }
  TENON_HD static Batch Fma(Batch a, Batch b, Batch c) { return Batch(a.v * b.v + c.v); }
  TENON_HD static Batch Max(Batch a, Batch b) { return Batch(a.v > b.v ? a.v : b.v); }
  TENON_HD static Batch Min(Batch a, Batch b) { return Batch(a.v < b.v ? a.v : b.v); }
  TENON_HD Batch Sqrt() const { return Batch(std::sqrt(v)); }
  TENON_HD Batch Exp() const { return Batch(std::exp(v)); }
  TENON_HD T Sum() const { return v; }
  TENON_HD T Largest() const { return v; }
};

#if TENON_DETAIL_XSIMD

template <class T, class Isa>
  requires detail::Vectors<Isa>
struct Mask<T, Isa> {
  xsimd::batch_bool<T, typename detail::XsimdArch<Isa>::type> v;
};

// Values may travel only through functions that are always inlined: all of these are.
template <class T, class Isa>
  requires detail::Vectors<Isa>
struct Batch<T, Isa> {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "tenon: Batch<T> is for float and double");
  using value_type = T;
  using Arch = typename detail::XsimdArch<Isa>::type;
  using Vector = xsimd::batch<T, Arch>;
  static constexpr int size = static_cast<int>(Vector::size);
  Vector v;

  Batch() = default;
  TENON_HD Batch(T value) : v(value) {}  // the same in every lane
  TENON_HD explicit Batch(Vector lanes) : v(lanes) {}
  // `size` elements, aligned to nothing but T.
  TENON_HD static Batch Load(const T* p) { return Batch(Vector::load_unaligned(p)); }
  TENON_HD void Store(T* p) const { v.store_unaligned(p); }
  // The first n lanes, 0 <= n <= size; `rest` in the others. Nothing behind them is read or written.
  TENON_HD static Batch LoadPart(const T* p, std::ptrdiff_t n, T rest) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Isa, isa::Avx512> && std::is_same_v<T, float>) {
      return Batch(Vector(_mm512_mask_loadu_ps(_mm512_set1_ps(rest), static_cast<__mmask16>((1u << n) - 1), p)));
    } else if constexpr (std::is_same_v<Isa, isa::Avx512>) {
      return Batch(Vector(_mm512_mask_loadu_pd(_mm512_set1_pd(rest), static_cast<__mmask8>((1u << n) - 1), p)));
    } else
#endif
#if defined(__AVX2__)
        if constexpr (std::is_same_v<Isa, isa::Avx2> && std::is_same_v<T, float>) {
      const __m256i mask = FirstLanes(n);
      return Batch(
          Vector(_mm256_blendv_ps(_mm256_set1_ps(rest), _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask))));
    } else if constexpr (std::is_same_v<Isa, isa::Avx2>) {
      const __m256i mask = FirstLanes(n);
      return Batch(
          Vector(_mm256_blendv_pd(_mm256_set1_pd(rest), _mm256_maskload_pd(p, mask), _mm256_castsi256_pd(mask))));
    } else
#endif
    {
      T lanes[size];
      for (int i = 0; i < size; ++i) lanes[i] = i < n ? p[i] : rest;
      return Load(lanes);
    }
  }
  TENON_HD void StorePart(T* p, std::ptrdiff_t n) const {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Isa, isa::Avx512> && std::is_same_v<T, float>) {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
    } else if constexpr (std::is_same_v<Isa, isa::Avx512>) {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), v);
    } else
#endif
#if defined(__AVX2__)
        if constexpr (std::is_same_v<Isa, isa::Avx2> && std::is_same_v<T, float>)
      _mm256_maskstore_ps(p, FirstLanes(n), v);
    else if constexpr (std::is_same_v<Isa, isa::Avx2>)
      _mm256_maskstore_pd(p, FirstLanes(n), v);
    else
#endif
    {
      T lanes[size];
      Store(lanes);
      for (std::ptrdiff_t i = 0; i < n; ++i) p[i] = lanes[i];
    }
  }

  TENON_HD friend Batch operator+(Batch a, Batch b) { return Batch(a.v + b.v); }
  TENON_HD friend Batch operator-(Batch a, Batch b) { return Batch(a.v - b.v); }
  TENON_HD friend Batch operator*(Batch a, Batch b) { return Batch(a.v * b.v); }
  TENON_HD friend Batch operator/(Batch a, Batch b) { return Batch(a.v / b.v); }
  TENON_HD friend Batch operator-(Batch a) { return Batch(-a.v); }
  TENON_HD friend Mask<T, Isa> operator<(Batch a, Batch b) { return {a.v < b.v}; }
  TENON_HD friend Mask<T, Isa> operator>(Batch a, Batch b) { return {a.v > b.v}; }
  TENON_HD friend Mask<T, Isa> operator==(Batch a, Batch b) { return {a.v == b.v}; }
  TENON_HD static Batch Select(Mask<T, Isa> m, Batch yes, Batch no) { return Batch(xsimd::select(m.v, yes.v, no.v)); }
  TENON_HD Batch Sqrt() const { return Batch(xsimd::sqrt(v)); }
  // a * b + c, with one rounding where the processor can.
  TENON_HD static Batch Fma(Batch a, Batch b, Batch c) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Isa, isa::Avx512>) {  // xsimd 8.1 rounds twice here
      if constexpr (std::is_same_v<T, float>)
        return Batch(Vector(_mm512_fmadd_ps(a.v, b.v, c.v)));
      else
        return Batch(Vector(_mm512_fmadd_pd(a.v, b.v, c.v)));
    } else
#endif
      return Batch(xsimd::fma(a.v, b.v, c.v));
  }
  // a > b ? a : b, and b where one is NaN; so Max(limit, x) keeps a NaN in x. (On x86 that is what the instruction
  // does.)
  TENON_HD static Batch Max(Batch a, Batch b) {
    if constexpr (std::is_same_v<Isa, isa::Neon64>)
      return Select(a > b, a, b);
    else
      return Batch(xsimd::max(a.v, b.v));
  }
  TENON_HD static Batch Min(Batch a, Batch b) {
    if constexpr (std::is_same_v<Isa, isa::Neon64>)
      return Select(a < b, a, b);
    else
      return Batch(xsimd::min(a.v, b.v));
  }
  // At most 2 ulp from the true value for float; 0 below -104 and infinity above 89; NaN stays NaN.
  TENON_HD Batch Exp() const {
    if constexpr (std::is_same_v<T, float>) {
      const Batch x = Min(Batch(89.f), Max(Batch(-104.f), *this));
      // x = n ln 2 + r with |r| <= ln 2 / 2; adding 1.5 * 2^23 rounds to an integer.
      const Batch magic(12582912.f);
      const Batch n = Fma(x, Batch(1.44269504088896341f), magic) - magic;
      const Batch r = Fma(n, Batch(2.12194440e-4f), Fma(n, Batch(-0.693359375f), x));
      Batch p = Fma(Batch(1.9875691500e-4f), r, Batch(1.3981999507e-3f));
      p = Fma(p, r, Batch(8.3334519073e-3f));
      p = Fma(p, r, Batch(4.1665795894e-2f));
      p = Fma(p, r, Batch(1.6666665459e-1f));
      p = Fma(p, r, Batch(5.0000001201e-1f));
      p = Fma(p, r * r, r) + Batch(1.f);
      // 2^n in two steps: n reaches from -150 to 128, beyond what one factor can hold.
      const auto both = xsimd::to_int(n.v);
      const auto half_of_it = both >> 1;
      return Batch(xsimd::ldexp(xsimd::ldexp(p.v, half_of_it), both - half_of_it));
    } else {
      T lanes[size];
      Store(lanes);
      for (T& lane : lanes) lane = std::exp(lane);
      return Load(lanes);
    }
  }
  // Of all lanes.
  TENON_HD T Sum() const {
    if constexpr (requires { reduce_add(v); })
      return reduce_add(v);
    else
      return hadd(v);
  }
  TENON_HD T Largest() const {
    T lanes[size];
    Store(lanes);
    for (int width = size / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) lanes[i] = lanes[i] > lanes[i + width] ? lanes[i] : lanes[i + width];
    }
    return lanes[0];
  }

#if defined(__AVX2__)

 private:
  TENON_HD static __m256i FirstLanes(std::ptrdiff_t n) {
    if constexpr (sizeof(T) == 4) {
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    } else {
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    }
  }
#endif
};

#endif

// One spelling for batches and numbers: simd::Exp(x), simd::Max(x, y).
template <class T, class Isa>
TENON_HD Batch<T, Isa> Select(Mask<T, Isa> m, Batch<T, Isa> yes, std::type_identity_t<Batch<T, Isa>> no) {
  return Batch<T, Isa>::Select(m, yes, no);
}
template <class T, class Isa>
TENON_HD Batch<T, Isa> Max(Batch<T, Isa> a, Batch<T, Isa> b) {
  return Batch<T, Isa>::Max(a, b);
}
template <class T, class Isa>
TENON_HD Batch<T, Isa> Min(Batch<T, Isa> a, Batch<T, Isa> b) {
  return Batch<T, Isa>::Min(a, b);
}
template <class T, class Isa>
TENON_HD Batch<T, Isa> Fma(Batch<T, Isa> a, Batch<T, Isa> b, Batch<T, Isa> c) {
  return Batch<T, Isa>::Fma(a, b, c);
}
template <class T, class Isa>
TENON_HD Batch<T, Isa> Sqrt(Batch<T, Isa> a) {
  return a.Sqrt();
}
template <class T, class Isa>
TENON_HD Batch<T, Isa> Exp(Batch<T, Isa> a) {
  return a.Exp();
}
template <std::floating_point T>
TENON_HD T Select(bool m, T yes, T no) {
  return m ? yes : no;
}
template <std::floating_point T>
TENON_HD T Max(T a, T b) {
  return a > b ? a : b;
}
template <std::floating_point T>
TENON_HD T Min(T a, T b) {
  return a < b ? a : b;
}
template <std::floating_point T>
TENON_HD T Fma(T a, T b, T c) {
  return a * b + c;
}
template <std::floating_point T>
TENON_HD T Sqrt(T a) {
  return std::sqrt(a);
}
template <std::floating_point T>
TENON_HD T Exp(T a) {
  return std::exp(a);
}

}  // namespace simd

TENON_NAMESPACE_END

// ---- tenon/ops/array/identity.hpp ----
// Identity and its kin: outputs that are their inputs, sharing the buffer.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Identity {
  static constexpr auto signature =
      Op("Identity").Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/move.hpp ----
// Copying elements of any type: plain ones as bytes, the others (strings, handles) by assignment. Runs, runs at regular
// steps, and tensors laid side by side.
TENON_NAMESPACE_BEGIN

// How the elements of one dtype are copied. All places and steps below count elements.
struct ElementMover {
  Index bytes = 0;  // of one element
  // to[i] = from[i * step], i in [0, n), for elements that are more than their bytes; null for plain ones.
  void (*assign)(const void* from, Index step, void* to, Index n) = nullptr;

  const char* At(const void* data, Index i) const { return static_cast<const char*>(data) + i * bytes; }
  char* At(void* data, Index i) const { return static_cast<char*>(data) + i * bytes; }
  // What one element costs, for ParallelFor.
  double cost_ns() const { return assign != nullptr ? 20 : 0.06 * static_cast<double>(bytes); }
};

namespace detail {

template <class T>
void AssignObjects(const void* from, Index step, void* to, Index n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (Index i = 0; i < n; ++i) out[i] = in[i * step];
}

// n pieces of kBytes bytes; steps in bytes. As one load and one store each.
template <std::size_t kBytes>
void CopySmallPieces(const char* from, Index from_step, char* to, Index to_step, Index n) {
  for (Index i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, kBytes);
}

inline void CopyBytePieces(Index bytes, const char* from, Index from_step, char* to, Index to_step, Index n) {
  switch (bytes) {
    case 1: return CopySmallPieces<1>(from, from_step, to, to_step, n);
    case 2: return CopySmallPieces<2>(from, from_step, to, to_step, n);
    case 4: return CopySmallPieces<4>(from, from_step, to, to_step, n);
    case 8: return CopySmallPieces<8>(from, from_step, to, to_step, n);
    case 12: return CopySmallPieces<12>(from, from_step, to, to_step, n);
    case 16: return CopySmallPieces<16>(from, from_step, to, to_step, n);
    default:
      for (Index i = 0; i < n; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(bytes));
  }
}

}  // namespace detail

// `dtype` must be one that a tensor can hold.
inline ElementMover MoverOf(DataType dtype) {
  ElementMover mover{static_cast<Index>(detail::ElementBytes(dtype))};
  if (dtype == DataType::kString) mover.assign = &detail::AssignObjects<tstring>;
  if (dtype == DataType::kResource) mover.assign = &detail::AssignObjects<ResourceHandle>;
  return mover;
}

// n elements that lie together. Source and target must not overlap.
inline void CopyRun(const ElementMover& mover, const void* from, void* to, Index n) {
  if (mover.assign != nullptr) return mover.assign(from, 1, to, n);
  if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n * mover.bytes));
}

// n pieces of `run` elements each; a piece begins `step` elements after the one before it (perhaps a negative number).
inline void CopyPieces(const ElementMover& mover, Index run, const void* from, Index from_step, void* to, Index to_step,
                       Index n) {
  if (run <= 0) return;
  if (mover.assign == nullptr) {
    return detail::CopyBytePieces(run * mover.bytes, static_cast<const char*>(from), from_step * mover.bytes,
                                  static_cast<char*>(to), to_step * mover.bytes, n);
  }
  if (run == 1 && to_step == 1) return mover.assign(from, from_step, to, n);
  for (Index i = 0; i < n; ++i) mover.assign(mover.At(from, i * from_step), 1, mover.At(to, i * to_step), run);
}

// One of the tensors that Concat lays side by side, as [outer, run] elements. `data` may be null when there are none.
struct ConcatPart {
  const void* data;
  Index run;
};

namespace detail {

// Shared by all threads that work on one Concat.
struct ConcatWork {
  const ElementMover& mover;
  std::span<const ConcatPart> parts;
  Index row;  // elements: all runs together
  void* out;

  // Columns [begin, end) of one row.
  void PartOfRow(Index r, Index begin, Index end) const {
    Index column = 0;  // at which the part begins
    for (const ConcatPart& part : parts) {
      const Index from = std::max(begin, column), to = std::min(end, column + part.run);
      if (from < to)
        CopyRun(mover, mover.At(part.data, r * part.run + from - column), mover.At(out, r * row + from), to - from);
      column += part.run;
      if (column >= end) return;
    }
  }
  // Rows [begin, end), a few at a time, so that short runs are copied in one loop and the target stays in cache.
  void Rows(Index begin, Index end) const {
    constexpr Index kTargetBytes = 16384;
    const Index at_once = std::max<Index>(1, kTargetBytes / (row * mover.bytes));
    for (Index r = begin; r < end; r += at_once) {
      const Index n = std::min(at_once, end - r);
      Index column = 0;
      for (const ConcatPart& part : parts) {
        CopyPieces(mover, part.run, mover.At(part.data, r * part.run), part.run, mover.At(out, r * row + column), row,
                   n);
        column += part.run;
      }
    }
  }
  // Elements [begin, end) of the output.
  void Range(Index begin, Index end) const {
    Index r = begin / row;
    if (const Index column = begin % row; column != 0) {
      const Index stop = std::min(row, column + end - begin);
      PartOfRow(r++, column, stop);
      begin += stop - column;
    }
    const Index whole = (end - begin) / row;
    if (whole > 0) Rows(r, r + whole);
    begin += whole * row;
    if (begin < end) PartOfRow(r + whole, 0, end - begin);
  }
};

}  // namespace detail

// out: [outer, sum of the runs] = the parts side by side. Joining along an axis: `outer` is the product of the sizes
// before the axis, a part's `run` that of its sizes from the axis on.
inline void Concat(Cpu& device, const ElementMover& mover, std::span<const ConcatPart> parts, Index outer, void* out) {
  Index row = 0;
  for (const ConcatPart& part : parts) row += part.run;
  if (row == 0) return;
  const detail::ConcatWork work{mover, parts, row, out};
  ParallelFor(device, outer * row, mover.cost_ns(), [&](Index begin, Index end) { work.Range(begin, end); });
}

TENON_NAMESPACE_END

// ---- tenon/ops/array/pack.hpp ----
// Pack: tensors of one shape stacked along a new axis.
TENON_NAMESPACE_BEGIN

namespace ops {

// values: N times [a, b]  ->  [N, a, b] (axis 0), [a, N, b] (axis 1), [a, b, N] (axis 2 or -1)
struct Pack {
  static constexpr auto signature = Op("Pack")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(shape_inference::PackShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, std::span<const Tensor> values, Tensor& output) const {
      return Run(context.op(), context.device(), this->axis, values, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, std::int64_t axis, std::span<const Tensor> values,
                    Tensor* output) {
    const TensorShape& one = values[0].shape();
    const int rank = one.dims() + 1;
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument("Pack: axis = ", axis, " not in [", -rank, ", ", rank, ")");
    for (std::size_t i = 1; i < values.size(); ++i)
      if (!(values[i].shape() == one))
        return errors::InvalidArgument("Pack: Shapes of all inputs must match: values[0].shape = ", one, " != values[",
                                       i, "].shape = ", values[i].shape());
    const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
    InlinedVector<Index, 8> sizes(one.begin(), one.end());
    sizes.insert(sizes.begin() + at, static_cast<Index>(values.size()));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    if (values.size() == 1) {
      (void)output->CopyFrom(values[0], shape);  // the element counts agree
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    Index outer = 1, run = 1;
    for (int d = 0; d < one.dims(); ++d) (d < at ? outer : run) *= one.dim_size(d);
    InlinedVector<ConcatPart, 32> parts;
    for (const Tensor& value : values) parts.push_back({value.raw_data(), run});
    Concat(device, MoverOf(output->dtype()), {parts.data(), parts.size()}, outer, output->raw_data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/reshape.hpp ----
// Reshape: the same elements under another shape; shares the input's buffer.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Reshape {
  static constexpr auto signature = Op("Reshape")
                                        .Input("tensor: T")
                                        .Input("shape: Tshape")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ReshapeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& tensor, HostIndices shape, Tensor& output) const {
      TensorShape target;
      TENON_RETURN_IF_ERROR(Target(tensor.shape(), shape, &target));
      output = Tensor(tensor.dtype());
      (void)output.CopyFrom(tensor, target);  // the element counts agree
      return OkStatus();
    }
  };

 private:
  // The shape asked for, with its -1 (at most one) replaced by what is left. A scalar is taken as a vector of one size.
  static Status Target(const TensorShape& input, const HostIndices& sizes, TensorShape* target) {
    if (sizes.shape().dims() > 1) return errors::InvalidArgument("sizes input must be 1-D, not shape ", sizes.shape());
    InlinedVector<Index, 8> dims;
    Index product = 1;  // of the sizes that are not 0
    int unknown = -1;
    bool zero = false;
    for (Index d = 0; d < sizes.size(); ++d) {
      const Index size = sizes[d];
      if (size == -1) {
        if (unknown >= 0)
          return errors::InvalidArgument("Only one input size may be -1, not both ", unknown, " and ", d);
        unknown = static_cast<int>(d);
      } else if (size < 0) {
        return errors::InvalidArgument("Size ", d, " must be non-negative, not ", size);
      } else if (size == 0) {
        zero = true;
      } else {
        product = MultiplyWithoutOverflow(product, size);
        if (product < 0)
          return errors::InvalidArgument("Shape is too large: the product of the sizes up to number ", d,
                                         " overflows int64");
      }
      dims.push_back(size == -1 ? 1 : size);
    }
    const Index elements = input.num_elements();
    if (unknown >= 0) {
      // Beside a size of 0 the missing one follows from the input's sizes that are not 0.
      Index left = 1;
      bool skipped = false;
      for (const Index size : input) {
        if (size > 0 || !zero)
          left *= size;
        else
          skipped = true;
      }
      const Index missing = left / product;
      if (!skipped && product * missing != left)
        return errors::InvalidArgument("Input to reshape is a tensor with ", left,
                                       " values, but the requested shape requires a multiple of ", product);
      dims[static_cast<std::size_t>(unknown)] = missing;
      product *= missing;
    }
    if (zero) product = 0;
    TENON_RETURN_IF_ERROR(TensorShape::Build({dims.data(), dims.size()}, target));
    if (product != elements)
      return errors::InvalidArgument("Input to reshape is a tensor with ", elements,
                                     " values, but the requested shape has ", product);
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/shape.hpp ----
// Shape: the sizes of a tensor as a vector.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Shape {
  static constexpr auto signature =
      Op("Shape")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status {
            const ShapeHandle input = c->input(0);
            c->set_output(0, c->Vector(c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
            return OkStatus();
          });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& input, Out<T> output) const {
      for (int d = 0; d < input.dims(); ++d) {
        if (std::is_same_v<T, std::int32_t> && input.dim_size(d) > std::numeric_limits<std::int32_t>::max())
          return errors::InvalidArgument("Shape: output type is int32 but dim ", d, " is ", input.dim_size(d),
                                         "; use out_type = int64");
        output[d] = static_cast<T>(input.dim_size(d));
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/strided_slice.hpp ----
// Copying a regular part of a tensor: every so many elements of each dimension, forwards or backwards. Dimensions that
// the part leaves together become one, and what lies together is copied as one run.
TENON_NAMESPACE_BEGIN

// Where a part's elements lie in the input, in the order of the output. immutable once made.
struct StridedCopy {
  struct Dim {
    Index size;
    Index step;  // elements of the input; may be negative
  };
  InlinedVector<Dim, 6> dims;  // outermost first, none of size 1
  Index first = 0;             // element of the input that the output begins with
  Index elements = 1;          // of the output

  // Dimension d of the input (of size input[d]) gives count[d] elements: begin[d], begin[d] + stride[d], ...; all
  // inside.
  void Make(std::span<const Index> input, std::span<const Index> begin, std::span<const Index> stride,
            std::span<const Index> count) {
    dims.clear();
    first = 0;
    elements = 1;
    for (std::size_t d = 0; d < input.size(); ++d) {
      for (Dim& outer : dims) outer.step *= input[d];
      first = first * input[d] + begin[d];
      elements *= count[d];
      if (count[d] != 1) dims.push_back({count[d], stride[d]});
    }
    if (elements == 0) return;
    std::size_t n = 0;  // dimensions after joining, innermost first
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (n > 0 && dims[d].step == dims[dims.size() - n].step * dims[dims.size() - n].size) {
        dims[dims.size() - n].size *= dims[d].size;
      } else {
        ++n;
        dims[dims.size() - n] = dims[d];
      }
    }
    std::copy(dims.end() - static_cast<std::ptrdiff_t>(n), dims.end(), dims.begin());
    dims.resize(n);
  }
};

namespace detail {

// A place in the outer dimensions of a StridedCopy: where in the input the next piece begins. one thread.
class StridedWalk {
 public:
  // Among the first `rank` dimensions, at piece number `index` of them.
  StridedWalk(const StridedCopy& copy, int rank, Index index) : at(copy.first), dims_(copy.dims.data()), rank_(rank) {
    for (int d = rank - 1; d >= 0; --d) {
      index_[d] = index % dims_[d].size;
      index /= dims_[d].size;
      at += index_[d] * dims_[d].step;
    }
  }
  // Pieces that follow each other at one step, this one included.
  Index Left() const { return rank_ == 0 ? 1 : dims_[rank_ - 1].size - index_[rank_ - 1]; }
  Index Step() const { return rank_ == 0 ? 0 : dims_[rank_ - 1].step; }
  // n further, at most Left().
  void Advance(Index n) {
    for (int d = rank_ - 1; d >= 0; --d, n = 1) {
      index_[d] += n;
      at += n * dims_[d].step;
      if (index_[d] < dims_[d].size) return;
      index_[d] = 0;
      at -= dims_[d].size * dims_[d].step;
    }
  }

  Index at;  // element of the input

 private:
  const StridedCopy::Dim* dims_;
  int rank_;
  Index index_[kMaxTensorRank];
};

// Elements [begin, end) of the output.
inline void CopyStridedRange(const ElementMover& mover, const StridedCopy& copy, const void* in, void* out, Index begin,
                             Index end) {
  const int rank = static_cast<int>(copy.dims.size());
  const bool runs = rank > 0 && copy.dims.back().step == 1;
  const Index run = runs ? copy.dims.back().size : 1;  // elements that lie together in the input
  StridedWalk walk(copy, runs ? rank - 1 : rank, begin / run);
  Index skip = begin % run;
  while (begin < end) {
    Index pieces = 1, n = std::min(run - skip, end - begin);
    if (n == run) {
      pieces = std::min(walk.Left(), (end - begin) / run);
      n = pieces * run;
      CopyPieces(mover, run, mover.At(in, walk.at), walk.Step(), mover.At(out, begin), run, pieces);
    } else {
      CopyRun(mover, mover.At(in, walk.at + skip), mover.At(out, begin), n);
      skip = 0;
    }
    begin += n;
    walk.Advance(pieces);
  }
}

}  // namespace detail

// out = the part of `in` that `copy` describes.
inline void CopyStrided(Cpu& device, const ElementMover& mover, const StridedCopy& copy, const void* in, void* out) {
  ParallelFor(device, copy.elements, mover.cost_ns(),
              [&](Index begin, Index end) { detail::CopyStridedRange(mover, copy, in, out, begin, end); });
}

TENON_NAMESPACE_END

// ---- tenon/ops/array/slice.hpp ----
// StridedSlice: a regular part of a tensor, as Python's x[begin:end:stride, ..., newaxis] describes it.
TENON_NAMESPACE_BEGIN

namespace ops {

struct StridedSlice {
  static constexpr auto signature = Op("StridedSlice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int16, int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(shape_inference::StridedSliceShape);

  struct Attrs {
    std::int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  };
  static constexpr auto kernel_types = TypeAttrs();

  // The part for one input shape and one set of indices. immutable once made.
  struct Plan : RefCounted {
    enum class Way : std::uint8_t { kShare, kShareRows, kCopy };

    bool Fits(const TensorShape& shape, const HostIndices& begin, const HostIndices& end,
              const HostIndices& strides) const {
      const Index n = begin.size();
      if (static_cast<Index>(indices.size()) != 3 * n || end.size() != n || strides.size() != n || !(input == shape))
        return false;
      const Index* known = indices.data();
      for (Index i = 0; i < n; ++i)
        if (known[i] != begin[i] || known[n + i] != end[i] || known[2 * n + i] != strides[i]) return false;
      return true;
    }
    Status Make(const Attrs& attrs, const TensorShape& shape, const HostIndices& begin, const HostIndices& end,
                const HostIndices& strides);

    TensorShape input, output;
    InlinedVector<Index, 12> indices;  // begin, end, strides
    Way way = Way::kCopy;
    Index first_row = 0, last_row = 0;  // kShareRows
    StridedCopy copy;                   // kCopy
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& construction) {
      const DataType type = construction.input_type(0);  // TensorFlow has no kernels for these two
      if (type != DataType::kQint16 && type != DataType::kQuint16) return OkStatus();
      return errors::InvalidArgument("no kernel for op 'StridedSlice' on CPU with types {", type,
                                     "}; all types but qint16 and quint16 have one");
    }

    Status operator()(Context<Device>& context, const Tensor& input, HostIndices begin, HostIndices end,
                      HostIndices strides, Tensor& output) const {
      Ref<Plan> plan = LastPlan();
      if (!plan || !plan->Fits(input.shape(), begin, end, strides)) [[unlikely]] {
        plan = Ref<Plan>::Adopt(new Plan);
        TENON_RETURN_IF_ERROR(plan->Make(*this, input.shape(), begin, end, strides));
        Remember(plan);
      }
      return Run(context.op(), context.device(), *plan, input, &output);
    }

   private:
    Ref<Plan> LastPlan() const {
      const SpinLockHolder lock(lock_);
      return plan_;
    }
    void Remember(Ref<Plan> plan) const {
      const SpinLockHolder lock(lock_);
      std::swap(plan_, plan);  // the old one is let go after the lock
    }

    mutable SpinLock lock_;
    mutable Ref<Plan> plan_;  // of the last call: a call with other shapes or indices makes its own
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Plan& plan, const Tensor& input, Tensor* output);
};

inline Status StridedSlice::Plan::Make(const Attrs& attrs, const TensorShape& shape, const HostIndices& begin,
                                       const HostIndices& end, const HostIndices& strides) {
  if (begin.shape().dims() != 1 || !(begin.shape() == end.shape()) || !(begin.shape() == strides.shape()) ||
      begin.size() >= 32)
    return errors::InvalidArgument(
        "StridedSlice: Expected begin, end, and strides to be 1D equal size tensors, but got shapes ", begin.shape(),
        ", ", end.shape(), ", and ", strides.shape(), " instead.");
  SlimVector<std::int64_t> lists[3];
  const HostIndices* const given[3] = {&begin, &end, &strides};
  for (int k = 0; k < 3; ++k)
    for (Index i = 0; i < begin.size(); ++i) lists[k].push_back((*given[k])[i]), indices.push_back((*given[k])[i]);
  input = shape;
  StridedSlicePlan plan;
  const auto mask = [](std::int64_t bits) { return static_cast<std::int32_t>(bits); };
  if (const Status status = PlanStridedSlice(shape.dim_sizes(), &lists[0], &lists[1], lists[2], mask(attrs.begin_mask),
                                             mask(attrs.end_mask), mask(attrs.ellipsis_mask), mask(attrs.new_axis_mask),
                                             mask(attrs.shrink_axis_mask), &plan);
      !status.ok())
    return Status(status.code(), StrCat("StridedSlice: ", status.message()));
  TENON_RETURN_IF_ERROR(TensorShape::Build(plan.final_shape, &output));
  if (plan.is_identity) {
    way = Way::kShare;
  } else if (plan.slice_dim0 && plan.processing_shape[0] > 0) {
    way = Way::kShareRows;
    first_row = plan.begin[0];
    last_row = plan.end[0];
  }
  copy.Make(shape.dim_sizes(), plan.begin, plan.strides, plan.processing_shape);
  return OkStatus();
}

inline Status StridedSlice::Run(OpKernelContext& context, Cpu& device, const Plan& plan, const Tensor& input,
                                Tensor* output) {
  // Sharing a part takes a small block of the heap, keeps the whole alive and may be less aligned: for large parts
  // only.
  constexpr Index kWorthSharingBytes = 32768;
  const ElementMover mover = MoverOf(input.dtype());
  if (plan.way == Plan::Way::kShare) {
    (void)output->CopyFrom(input, plan.output);  // the element counts agree
    return OkStatus();
  }
  if (plan.way == Plan::Way::kShareRows && plan.output.num_elements() * mover.bytes >= kWorthSharingBytes) {
    (void)output->CopyFrom(input.Slice(plan.first_row, plan.last_row), plan.output);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, plan.output, &output));
  CopyStrided(device, mover, plan.copy, input.raw_data(), output->raw_data());
  return OkStatus();
}

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/flow/no_op.hpp ----
// NoOp: something to wait for, or to run to. Programs leave it out; only its control edges count.
TENON_NAMESPACE_BEGIN

namespace ops {

struct NoOp {
  static constexpr auto signature = Op("NoOp").SetShapeFn([](InferenceContext*) -> Status { return OkStatus(); });

  template <class Device>
  struct kernel {
    Status operator()(Device&) const { return OkStatus(); }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/io/constant.hpp ----
// Const: a tensor that is part of the graph. Programs take its value directly; the kernel never runs.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Const {
  static constexpr auto signature =
      Op("Const")
          .Output("output: dtype")
          .Attr("value: tensor")
          .Attr("dtype: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            Tensor value;
            ShapeHandle shape = c->UnknownShape();
            if (Status status = c->GetAttr("value", &value); status.ok())
              TENON_RETURN_IF_ERROR(c->MakeShapeFromTensorShape(value.shape(), &shape));
            else if (status.message().find(": Shape [") != std::string_view::npos)
              return status;  // no shape; contents that do not fit theirs are refused when the node is built
            c->set_output(0, shape);
            return OkStatus();
          });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {
      construction->SetStatus(construction->GetAttr("value", &value_));
      if (construction->status().ok() && value_.dtype() != construction->output_type(0))
        construction->SetStatus(errors::InvalidArgument("Type mismatch between value (", value_.dtype(),
                                                        ") and dtype (", construction->output_type(0), ")"));
    }
    void Compute(OpKernelContext* context) override { context->set_output(0, value_); }
    bool IsExpensive() const override { return false; }
    const Tensor* const_tensor() const override { return &value_; }

   private:
    Tensor value_;
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/io/placeholder.hpp ----
// Placeholder: an input of the graph. Its kernel runs only when nobody fed it, and says so.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Placeholder {
  static constexpr auto signature = Op("Placeholder")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape = { unknown_rank: true }")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          PartialTensorShape shape;
                                          TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
        // Graphs older than version 24 write [] for "unknown".
                                          if (c->graph_def_version() < 24 && shape.dims() == 0)
                                            shape = PartialTensorShape();
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });

  struct Attrs {
    PartialTensorShape shape;
  };

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor& output) const {
      (void)output;
      const OpKernel& self = context.op().op_kernel();
      return errors::InvalidArgument("You must feed a value for placeholder tensor '", self.name(), "' with dtype ",
                                     self.output_type(0), " and shape ", shape);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/broadcast.hpp ----
// Broadcasting of shapes as NumPy and TensorFlow define it, and the plan by which an engine walks over broadcast
// operands: neighbouring dimensions that all operands treat alike become one, dimensions of size 1 vanish.
TENON_NAMESPACE_BEGIN

namespace detail {
TENON_COLD inline Status IncompatibleShapes(const TensorShape& a, const TensorShape& b) {
  return errors::InvalidArgument("Incompatible shapes: ", a.DebugString(), " vs. ", b.DebugString());
}
// The size of dimension d of `shape` when it is written with `rank` dimensions.
inline Index AlignedDim(const TensorShape& shape, int d, int rank) {
  const int own = d - (rank - shape.dims());
  return own < 0 ? 1 : shape.dim_size(own);
}
}  // namespace detail

// The shape of an element-wise operation on a and b; dimensions are aligned at the last, and a size of 1 repeats.
inline Status BroadcastShape(const TensorShape& a, const TensorShape& b, TensorShape* out) {
  const int rank = a.dims() > b.dims() ? a.dims() : b.dims();
  Index sizes[kMaxTensorRank];
  for (int d = 0; d < rank; ++d) {
    const Index m = detail::AlignedDim(a, d, rank);
    const Index n = detail::AlignedDim(b, d, rank);
    if (m != n && m != 1 && n != 1) return detail::IncompatibleShapes(a, b);
    sizes[d] = m == 1 ? n : m;
  }
  return TensorShape::Build({sizes, static_cast<std::size_t>(rank)}, out);
}

// How to read two operands while the output is written from front to back.
struct BroadcastPlan {
  int rank = 0;  // of the collapsed output, at least 1
  // Outermost first; strides in elements, 0 where the operand repeats. Innermost strides are 0 or 1.
  Index size[kMaxTensorRank + 1];
  Index stride_a[kMaxTensorRank + 1];
  Index stride_b[kMaxTensorRank + 1];

  // a and b must be broadcastable to `out`, which has elements, and in each dimension one of them must have its size.
  Status Make(const TensorShape& a, const TensorShape& b, const TensorShape& out) {
    const int dims = out.dims();
    if (a.dims() > dims || b.dims() > dims) return detail::IncompatibleShapes(a, b);
    rank = 0;
    Index next_a = 1, next_b = 1;  // strides of the next dimension that is not repeated
    for (int d = dims - 1; d >= 0; --d) {  // innermost first; turned round below
      const Index n = out.dim_size(d);
      const Index from_a = detail::AlignedDim(a, d, dims), from_b = detail::AlignedDim(b, d, dims);
      if ((from_a != n && from_a != 1) || (from_b != n && from_b != 1) || (from_a != n && from_b != n)) {
        return detail::IncompatibleShapes(a, b);
      }
      if (n == 1) continue;
      const bool reads_a = from_a == n, reads_b = from_b == n;
      if (rank > 0 && reads_a == (stride_a[rank - 1] != 0) && reads_b == (stride_b[rank - 1] != 0)) {
        size[rank - 1] *= n;
      } else {
        size[rank] = n;
        stride_a[rank] = reads_a ? next_a : 0;
        stride_b[rank] = reads_b ? next_b : 0;
        ++rank;
      }
      if (reads_a) next_a *= n;
      if (reads_b) next_b *= n;
    }
    if (rank == 0) {
      size[0] = stride_a[0] = stride_b[0] = 1;
      rank = 1;
    }
    for (int i = 0, j = rank - 1; i < j; ++i, --j) {
      Swap(size, i, j);
      Swap(stride_a, i, j);
      Swap(stride_b, i, j);
    }
    return OkStatus();
  }

  Index inner() const { return size[rank - 1]; }

 private:
  static void Swap(Index* values, int i, int j) {
    const Index t = values[i];
    values[i] = values[j];
    values[j] = t;
  }
};

// A place in the output of a plan: which row (run of plan.inner() elements) and where the operands' rows begin.
// `Advance` is for one thread; each thread has a walk of its own.
class BroadcastWalk {
 public:
  BroadcastWalk(const BroadcastPlan& plan, Index row) : plan_(plan) {
    for (int d = plan.rank - 2; d >= 0; --d) {
      at_[d] = row % plan.size[d];
      row /= plan.size[d];
      a += at_[d] * plan.stride_a[d];
      b += at_[d] * plan.stride_b[d];
    }
  }
  // Rows that are left in the innermost outer dimension, this one included. Needs plan.rank >= 2.
  Index RowsLeft() const { return plan_.size[plan_.rank - 2] - at_[plan_.rank - 2]; }
  // `rows` further, at most RowsLeft().
  void Advance(Index rows) {
    for (int d = plan_.rank - 2; d >= 0; --d, rows = 1) {
      at_[d] += rows;
      a += rows * plan_.stride_a[d];
      b += rows * plan_.stride_b[d];
      if (at_[d] < plan_.size[d]) return;
      at_[d] = 0;
      a -= plan_.size[d] * plan_.stride_a[d];
      b -= plan_.size[d] * plan_.stride_b[d];
    }
  }

  Index a = 0;  // element of the operand at which the row begins
  Index b = 0;

 private:
  const BroadcastPlan& plan_;
  Index at_[kMaxTensorRank];
};

TENON_NAMESPACE_END

// ---- tenon/engine/elementwise.hpp ----
// Element-wise work. What is compiled for each op and type is a plain loop over contiguous runs (kUnaryLoop,
// kBinaryLoops); broadcasting, splitting over threads and sharing of buffers are in two drivers that know neither.
TENON_NAMESPACE_BEGIN

// out[i] = op(x[i]) for i in [0, n). `attrs` is what the op's map is given besides, or null. `out` may be `x`.
struct UnaryLoop {
  void (*v)(const void* attrs, const void* x, void* out, Index n);
  int in_bytes;    // of one element
  int out_bytes;
  float cost_ns;   // of one element, on one thread
};

// out[i] = op(a[i], b[i]), with the variants "a is one element" and "b is one element"; these two may be null when
// elements may be copied as bytes. `out` may be an operand whose elements have the same size.
struct BinaryLoops {
  using Loop = void (*)(const void* attrs, const void* a, const void* b, void* out, Index n);
  Loop vv;
  Loop sv;
  Loop vs;
  int in_bytes;
  int out_bytes;
  float cost_ns;
};

namespace detail {

// An op is a struct with `template <class T> TENON_HD static R map(T x)` (or `map(T x, const Attrs&)`, with its nested
// type Attrs), twice T for a binary one. `static constexpr bool takes_batches = true;` says that map works on
// simd::Batch<float> and Batch<double> too; such an op includes engine/simd.hpp. `static constexpr float cost_ns` is
// for slow ones.
template <class Op>
concept TakesBatches = requires { requires Op::takes_batches; };

template <class Op, class... T>
TENON_HD decltype(auto) CallMap(const void* attrs, const T&... x) {
  if constexpr (requires { Op::map(x...); }) {
    static_cast<void>(attrs);
    return Op::map(x...);
  } else {
    return Op::map(x..., *static_cast<const typename Op::Attrs*>(attrs));
  }
}
template <class Op, class... T>
using MapResult = std::remove_cvref_t<decltype(CallMap<Op, T...>(nullptr, std::declval<const T&>()...))>;

template <class Op, class T, class R>
constexpr float CostNs() {
  if constexpr (requires { Op::cost_ns; }) return static_cast<float>(Op::cost_ns);
  constexpr float kMovedByteNs = 0.03f;
  constexpr float kScalarNs = std::is_arithmetic_v<T> ? 0.f : 2.f;
  return kMovedByteNs * static_cast<float>(2 * sizeof(T) + sizeof(R)) + kScalarNs;
}

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
TENON_DETAIL_LOOP void RunUnary(const void* attrs, const void* px, void* pout, Index n) {
  const T* x = static_cast<const T*>(px);
  R* out = static_cast<R*>(pout);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, x[i]);
}

template <class Op, class T, class R, bool RepeatA, bool RepeatB>
TENON_DETAIL_LOOP void RunBinary(const void* attrs, const void* pa, const void* pb, void* pout, Index n) {
  const Operand<T, RepeatA> a(pa);
  const Operand<T, RepeatB> b(pb);
  R* out = static_cast<R*>(pout);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = CallMap<Op>(attrs, a[i], b[i]);
}

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

// Batches. A last part of a batch is computed in a whole one, so that an element's value does not depend on its place.
template <class Op, class T, class Isa>
void RunUnaryBatches(const void* attrs, const void* px, void* pout, Index n) {
  using B = simd::Batch<T, Isa>;
  const T* x = static_cast<const T*>(px);
  T* out = static_cast<T*>(pout);
  Index i = 0;
  for (; i + 2 * B::size <= n; i += 2 * B::size) {
    const B first = CallMap<Op>(attrs, B::Load(x + i));
    const B second = CallMap<Op>(attrs, B::Load(x + i + B::size));
    first.Store(out + i);
    second.Store(out + i + B::size);
  }
  for (; i < n; i += B::size) {
    if (n - i >= B::size) {
      CallMap<Op>(attrs, B::Load(x + i)).Store(out + i);
    } else {
      CallMap<Op>(attrs, B::LoadPart(x + i, n - i, T(1))).StorePart(out + i, n - i);
    }
  }
}
template <class Op, class T, class Isa, bool RepeatA, bool RepeatB>
void RunBinaryBatches(const void* attrs, const void* pa, const void* pb, void* pout, Index n) {
  using B = simd::Batch<T, Isa>;
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* out = static_cast<T*>(pout);
  const B all_a(*a), all_b(*b);
  for (Index i = 0; i < n; i += B::size) {
    if (n - i >= B::size) {
      CallMap<Op>(attrs, RepeatA ? all_a : B::Load(a + i), RepeatB ? all_b : B::Load(b + i)).Store(out + i);
    } else {
      const B x = RepeatA ? all_a : B::LoadPart(a + i, n - i, T(1)),
              y = RepeatB ? all_b : B::LoadPart(b + i, n - i, T(1));
      CallMap<Op>(attrs, x, y).StorePart(out + i, n - i);
    }
  }
}

template <class Op, class T, class R>
inline constexpr bool kUseBatches =
    TakesBatches<Op> && std::is_same_v<T, R> && (std::is_same_v<T, float> || std::is_same_v<T, double>);

template <class Op, class T, class R, class Isa>
constexpr UnaryLoop MakeUnaryLoop() {
  UnaryLoop loop{nullptr, static_cast<int>(sizeof(T)), static_cast<int>(sizeof(R)), CostNs<Op, T, R>()};
  if constexpr (kUseBatches<Op, T, R>)
    loop.v = &RunUnaryBatches<Op, T, Isa>;
  else if constexpr (std::is_arithmetic_v<T>)
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
  if constexpr (kUseBatches<Op, T, R>) {
    loops.vv = &RunBinaryBatches<Op, T, Isa, false, false>;
    loops.sv = &RunBinaryBatches<Op, T, Isa, true, false>;
    loops.vs = &RunBinaryBatches<Op, T, Isa, false, true>;
  } else if constexpr (std::is_arithmetic_v<T>) {
    loops.vv = &RunBinary<Op, T, R, false, false>;
    if constexpr (std::is_floating_point_v<T>) {
      loops.sv = &RunBinary<Op, T, R, true, false>;
      loops.vs = &RunBinary<Op, T, R, false, true>;
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
template <class Op, class T, class R = detail::MapResult<Op, T>, class Isa = simd::Unit>
inline constexpr UnaryLoop kUnaryLoop = detail::MakeUnaryLoop<Op, T, R, Isa>();
template <class Op, class T, class R = detail::MapResult<Op, T, T>, class Isa = simd::Unit>
inline constexpr BinaryLoops kBinaryLoops = detail::MakeBinaryLoops<Op, T, R, Isa>();

// out[i] = op(x[i]) for n elements.
inline Status Unary(Cpu& device, const UnaryLoop& loop, const void* attrs, const void* x, void* out, Index n) {
  ParallelFor(device, n, static_cast<double>(loop.cost_ns), [&](Index begin, Index end) {
    loop.v(attrs, static_cast<const char*>(x) + begin * loop.in_bytes, static_cast<char*>(out) + begin * loop.out_bytes,
           end - begin);
  });
  return OkStatus();
}

namespace detail {

inline constexpr Index kTileBytes = 4096;   // of one operand that repeats, spread out on the stack
inline constexpr Index kShortRow = 64;      // elements; rows below are joined into tiles

// One operation: operands, loops and (for broadcasting) the plan. Shared by all threads that work on it.
struct BinaryWork {
  const BinaryLoops& loops;
  const void* attrs;
  const char* a;
  const char* b;
  char* out;

  const char* A(Index i) const { return a + i * loops.in_bytes; }
  const char* B(Index i) const { return b + i * loops.in_bytes; }
  char* Out(Index i) const { return out + i * loops.out_bytes; }

  // n elements at `to`; an operand whose step is 0 is one element for all of them.
  void Run(const char* x, Index step_x, const char* y, Index step_y, char* to, Index n) const {
    if (n == 1 || (step_x != 0 && step_y != 0)) return loops.vv(attrs, x, y, to, n);
    if (step_x == 0 && loops.sv != nullptr) return loops.sv(attrs, x, y, to, n);
    if (step_y == 0 && loops.vs != nullptr) return loops.vs(attrs, x, y, to, n);
    RunSpread(x, step_x, y, to, n);
  }

  void RunPlan(const BroadcastPlan& plan, Index begin, Index end) const;

 private:
  void RunSpread(const char* x, Index step_x, const char* y, char* to, Index n) const;
};

// `count` copies of one element of `bytes` bytes.
inline void Repeat(const char* element, Index bytes, Index count, char* to) {
  switch (bytes) {
    case 1: std::memset(to, static_cast<unsigned char>(*element), static_cast<std::size_t>(count)); return;
    case 2:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 2 * i, element, 2);
      return;
    case 4:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 4 * i, element, 4);
      return;
    case 8:
      for (Index i = 0; i < count; ++i) std::memcpy(to + 8 * i, element, 8);
      return;
    default:
      for (Index i = 0; i < count; ++i) std::memcpy(to + bytes * i, element, static_cast<std::size_t>(bytes));
  }
}

// A repeated operand without a loop of its own: spread out once, then used again and again.
inline void BinaryWork::RunSpread(const char* x, Index step_x, const char* y, char* to, Index n) const {
  alignas(64) char tile[kTileBytes];
  const Index length = kTileBytes / loops.in_bytes < n ? kTileBytes / loops.in_bytes : n;
  Repeat(step_x == 0 ? x : y, loops.in_bytes, length, tile);
  for (Index i = 0; i < n; i += length) {
    const Index m = n - i < length ? n - i : length;
    const Index offset = i * loops.in_bytes;
    loops.vv(attrs, step_x == 0 ? tile : x + offset, step_x == 0 ? y + offset : tile, to + i * loops.out_bytes, m);
  }
}

// Several short rows of one operand as one run: in place where they lie so, otherwise in a buffer.
class RowTile {
 public:
  // Steps between rows and between the elements of a row, in elements.
  RowTile(Index row_step, Index step, Index inner, Index bytes, Index most_rows)
      : row_step_(row_step), step_(step), inner_(inner), bytes_(bytes), most_rows_(most_rows) {}

  const char* Rows(const char* first, Index rows) {
    if (step_ != 0 && row_step_ != 0) return first;
    if (step_ == 0) {
      for (Index r = 0; r < rows; ++r) Repeat(first + r * bytes_, bytes_, inner_, buffer_ + r * inner_ * bytes_);
    } else if (held_ != first) {
      const Index row_bytes = inner_ * bytes_;
      for (Index r = 0; r < most_rows_; ++r)
        std::memcpy(buffer_ + r * row_bytes, first, static_cast<std::size_t>(row_bytes));
      held_ = first;
    }
    return buffer_;
  }

 private:
  Index row_step_, step_, inner_, bytes_, most_rows_;
  const char* held_ = nullptr;  // the row that the buffer repeats
  alignas(64) char buffer_[kTileBytes];
};

// Elements [begin, end) of the output.
inline void BinaryWork::RunPlan(const BroadcastPlan& plan, Index begin, Index end) const {
  const int last = plan.rank - 1;
  const Index inner = plan.inner();
  const Index step_a = plan.stride_a[last], step_b = plan.stride_b[last];
  if (last == 0) return Run(A(begin * step_a), step_a, B(begin * step_b), step_b, Out(begin), end - begin);

  BroadcastWalk walk(plan, begin / inner);
  const auto run_row = [&](Index column, Index n) {
    Run(A(walk.a + column * step_a), step_a, B(walk.b + column * step_b), step_b, Out(begin), n);
    begin += n;
    walk.Advance(1);
  };
  if (const Index column = begin % inner; column != 0)
    run_row(column, inner - column < end - begin ? inner - column : end - begin);

  const bool bytes_may_be_copied = loops.in_bytes <= 16 && (loops.in_bytes & (loops.in_bytes - 1)) == 0;
  if (inner < kShortRow && bytes_may_be_copied) {
    const Index fitting = kTileBytes / (inner * loops.in_bytes);
    const Index most_rows = fitting < plan.size[last - 1] ? fitting : plan.size[last - 1];
    RowTile tile_a(plan.stride_a[last - 1], step_a, inner, loops.in_bytes, most_rows);
    RowTile tile_b(plan.stride_b[last - 1], step_b, inner, loops.in_bytes, most_rows);
    while (end - begin >= inner) {
      Index rows = walk.RowsLeft() < most_rows ? walk.RowsLeft() : most_rows;
      if (rows > (end - begin) / inner) rows = (end - begin) / inner;
      loops.vv(attrs, tile_a.Rows(A(walk.a), rows), tile_b.Rows(B(walk.b), rows), Out(begin), rows * inner);
      begin += rows * inner;
      walk.Advance(rows);
    }
  }
  while (begin < end) run_row(0, inner < end - begin ? inner : end - begin);
}

inline Status BinaryWithPlan(Cpu& device, const BinaryWork& work, const TensorShape& a, const TensorShape& b,
                             const TensorShape& out) {
  BroadcastPlan plan;
  TENON_RETURN_IF_ERROR(plan.Make(a, b, out));
  ParallelFor(device, out.num_elements(), static_cast<double>(work.loops.cost_ns),
              [&](Index begin, Index end) { work.RunPlan(plan, begin, end); });
  return OkStatus();
}

}  // namespace detail

// out = op(a, b), with broadcasting. `out_shape` is the broadcast shape of the operands'; InvalidArgument if it is not.
inline Status BinaryBroadcast(Cpu& device, const BinaryLoops& loops, const void* attrs, const void* a,
                              const TensorShape& a_shape, const void* b, const TensorShape& b_shape, void* out,
                              const TensorShape& out_shape) {
  const detail::BinaryWork work{loops, attrs, static_cast<const char*>(a), static_cast<const char*>(b),
                                static_cast<char*>(out)};
  const Index n = out_shape.num_elements();
  const bool same = a_shape == b_shape;
  const Index step_a = same || a_shape.num_elements() != 1 ? 1 : 0;
  const Index step_b = same || b_shape.num_elements() != 1 ? 1 : 0;
  // The common cases need no plan: both alike, or one of them a single element.
  const Index longer = step_a != 0 ? a_shape.num_elements() : b_shape.num_elements();
  if (longer != n || !(same || step_a == 0 || step_b == 0) || n == 0) {
    return detail::BinaryWithPlan(device, work, a_shape, b_shape, out_shape);
  }
  ParallelFor(device, n, static_cast<double>(loops.cost_ns), [&](Index begin, Index end) {
    work.Run(work.A(begin * step_a), step_a, work.B(begin * step_b), step_b, work.Out(begin), end - begin);
  });
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/kernel/elementwise_op.hpp ----
// Map1, Map2: an element-wise op is its scalar function. The kernel around it - loops, broadcasting, threads, sharing
// of the input's buffer - is the engine's; device/cuda.cuh adds the overloads for GPUs.
//
//   struct Relu {
//     static constexpr auto signature = ...;
//     template <class T> TENON_HD static T map(T x) { return x > T(0) ? x : T(0); }
//     template <class Device, class T> using kernel = Map1<Relu, Device, T>;
//   };
TENON_NAMESPACE_BEGIN

// y[i] = Op::map(x[i][, attrs]).
template <class Op, class T, class R>
Status MapUnary(Cpu& device, const void* attrs, In<T> x, Out<R> y) {
  return Unary(device, kUnaryLoop<Op, T, R>, attrs, x.data, y.data, y.size());
}
// y = Op::map(a, b[, attrs]) with the operands broadcast against each other.
template <class Op, class T, class R>
Status MapBinary(Cpu& device, const void* attrs, In<T> a, In<T> b, Out<R> y) {
  return BinaryBroadcast(device, kBinaryLoops<Op, T, R>, attrs, a.data, a.shape(), b.data, b.shape(), y.data,
                         y.shape());
}

// One input, one output. `map` takes a T and, if Op has Attrs, those as its second argument.
template <class Op, class Device, class T>
struct Map1 : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0>, Out<R>>;

  Status operator()(Device& device, In<T> x, Output y) const {
    return MapUnary<Op, T, R>(device, static_cast<const Attrs*>(this), x, y);
  }
};

// Two inputs of one type, broadcast against each other; the shape function must say so
// (shape_inference::BroadcastBinaryOpShapeFn).
template <class Op, class Device, class T>
struct Map2 : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, b, y);
  }
};

TENON_NAMESPACE_END

// ---- tenon/ops/math/binary.hpp ----
// Element-wise ops of two operands, which are broadcast against each other.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// Integers wrap: computed without sign, in a type that is not widened to int on the way.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned,
                                    std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, int, T>>>;
}  // namespace detail

struct Add {
  static constexpr auto signature =
      Op("Add")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) + static_cast<detail::Wrapping<T>>(y));
    else if constexpr (std::is_same_v<T, tstring>)
      return Concatenated(x, y);
    else
      return x + y;
  }

  template <class Device, class T>
  using kernel = Map2<Add, Device, T>;

 private:
  static tstring Concatenated(const tstring& x, const tstring& y) {
    tstring out = x;
    out.append(y);
    return out;
  }
};

struct AddV2 {
  static constexpr auto signature =
      Op("AddV2")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return Add::map(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<AddV2, Device, T>;
};

struct Sub {
  static constexpr auto signature =
      Op("Sub")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) - static_cast<detail::Wrapping<T>>(y));
    else
      return x - y;
  }

  template <class Device, class T>
  using kernel = Map2<Sub, Device, T>;
};

struct Mul {
  static constexpr auto signature =
      Op("Mul")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}")
          .SetIsCommutative()
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) * static_cast<detail::Wrapping<T>>(y));
    else
      return x * y;
  }

  template <class Device, class T>
  using kernel = Map2<Mul, Device, T>;
};

// NaN when either operand is.
struct Maximum {
  static constexpr auto signature =
      Op("Maximum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return x < y ? y : x;
    else
      return x > y || x != x ? x : y;
  }

  template <class Device, class T>
  using kernel = Map2<Maximum, Device, T>;
};

// NaN when either operand is.
struct Minimum {
  static constexpr auto signature =
      Op("Minimum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return y < x ? y : x;
    else
      return x < y || x != x ? x : y;
  }

  template <class Device, class T>
  using kernel = Map2<Minimum, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/scratch.hpp ----
// Scratch: memory that an engine needs during one call, from the device's allocator; and how many parts work is worth.
TENON_NAMESPACE_BEGIN

// Uninitialised, aligned to Allocator::kAlignment, given back at the end of its scope. one thread.
//
//   Scratch scratch(device, bytes);
//   TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
//   float* rows = scratch.As<float>();
class Scratch {
 public:
  Scratch(const Cpu& device, std::size_t bytes)
      : allocator_(device.allocator != nullptr ? device.allocator : CpuAllocator()), bytes_(bytes) {
    if (bytes > 0) data_ = allocator_->AllocateRaw(Allocator::kAlignment, bytes);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (data_ != nullptr) allocator_->DeallocateRaw(data_, Allocator::kAlignment, bytes_);
  }

  // ResourceExhausted when there was no memory; `who` is the engine's name.
  Status status(std::string_view who) const {
    if (data_ != nullptr || bytes_ == 0) [[likely]]
      return OkStatus();
    return NoMemory(who);
  }
  // The memory from byte `offset` on.
  template <class T>
  T* As(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset);
  }

 private:
  TENON_COLD Status NoMemory(std::string_view who) const {
    return errors::ResourceExhausted(who, ": OOM when allocating ", bytes_, " bytes of scratch memory by allocator ",
                                     allocator_->Name());
  }

  Allocator* allocator_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

namespace detail {

// Bytes of `count` elements of T, rounded up so that what follows is aligned too.
template <class T>
constexpr std::size_t ScratchBytes(Index count) {
  constexpr std::size_t kMask = Allocator::kAlignment - 1;
  return (static_cast<std::size_t>(count) * sizeof(T) + kMask) & ~kMask;
}

// Into how many equal parts to split work of `total_ns`: one for each thread at most, none below 15 us.
inline Index WorthwhileParts(const Cpu& device, double total_ns) {
  if (device.pool == nullptr || total_ns < 30000) return 1;
  const Index threads = device.pool->NumThreads();
  return total_ns / 15000 < static_cast<double>(threads) ? static_cast<Index>(total_ns / 15000) : threads;
}

// body(part) for part in [0, parts), each on some thread.
template <class Body>
void RunParts(Cpu& device, Index parts, const Body& body) {
  if (parts == 1) return body(Index{0});
  const auto run = [&body](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  };
  ParallelFor(device, parts, 1e6, run);
}

// Where part number `part` of `parts` begins in [0, total), in steps of `step`.
constexpr Index PartBegin(Index total, Index parts, Index step, Index part) {
  const Index steps = (total + step - 1) / step;
  const Index begin = steps * part / parts * step;
  return begin < total ? begin : total;
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/engine/gemm.hpp ----
// Gemm: the product of two matrices on the CPU, for every number type. float and double go through Eigen, and through
// loops of their own where there are too few rows to pack the operands for; half and bfloat16 are multiplied as float.
#if !defined(__CUDACC__)

// ---- tenon/engine/eigen.hpp ----
// The only file that includes Eigen (3.4 or newer; its Core alone): matrix products of float and double. It calls the
// product's blocked kernel itself, because the expression templates around it cost seven times as much to compile.
#include <cstddef>
#include <Eigen/Core>
static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0), "tenon: engine/eigen.hpp needs Eigen 3.4 or newer");

TENON_NAMESPACE_BEGIN

namespace detail {

// c += a b for row-major matrices: a [m, k], b [k, n], c [m, n]; each operand may be stored transposed. The constructor
// chooses block sizes for products of at most that size; every Run needs scratch_bytes() of its own, aligned to 64.
template <class T>
class EigenProduct final : private Eigen::internal::level3_blocking<T, T> {
 public:
  // Eigen sees the transposed problem in column-major order: its left operand is b, its right one a.
  EigenProduct(Index m, Index n, Index k) {
    this->m_mc = n;
    this->m_nc = m;
    this->m_kc = k;
    Eigen::internal::computeProductBlockingSizes<T, T>(this->m_kc, this->m_mc, this->m_nc);
  }

  std::size_t scratch_bytes() const { return LeftBytes() + AlignedBytes(this->m_kc * this->m_nc); }

  struct Matrix {
    const T* data;
    Index stride;  // elements from one stored row to the next
    bool transposed;
  };
  void Run(Index m, Index n, Index k, Matrix a, Matrix b, T* c, Index c_stride, void* scratch) const {
    EigenProduct product(*this);
    product.m_blockA = static_cast<T*>(scratch);
    product.m_blockB = reinterpret_cast<T*>(static_cast<char*>(scratch) + LeftBytes());
    constexpr int kPlain = Eigen::ColMajor, kTransposed = Eigen::RowMajor;
    const auto multiply = b.transposed ? (a.transposed ? &Call<kTransposed, kTransposed> : &Call<kTransposed, kPlain>)
                                       : (a.transposed ? &Call<kPlain, kTransposed> : &Call<kPlain, kPlain>);
    multiply(n, m, k, b.data, b.stride, a.data, a.stride, c, 1, c_stride, T(1), product, nullptr);
  }

 private:
  static std::size_t AlignedBytes(Eigen::Index count) {
    constexpr std::size_t kMask = Allocator::kAlignment - 1;
    return (static_cast<std::size_t>(count) * sizeof(T) + kMask) & ~kMask;
  }
  std::size_t LeftBytes() const { return AlignedBytes(this->m_kc * this->m_mc); }

  template <int left_order, int right_order>
  static void Call(Eigen::Index rows, Eigen::Index columns, Eigen::Index k, const T* left, Eigen::Index left_stride,
                   const T* right, Eigen::Index right_stride, T* c, Eigen::Index c_step, Eigen::Index c_stride, T alpha,
                   EigenProduct& blocking, Eigen::internal::GemmParallelInfo<Eigen::Index>* parallel) {
    Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, left_order, false, T, right_order, false,
                                                   Eigen::ColMajor, 1>::run(rows, columns, k, left, left_stride, right,
                                                                            right_stride, c, c_step, c_stride, alpha,
                                                                            blocking, parallel);
  }
};

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/engine/gemm.hpp ----
#endif

TENON_NAMESPACE_BEGIN

// c = a b: [m, k] [k, n] -> [m, n]; a transposed operand is stored as [k, m] or [n, k] (complex numbers are not
// conjugated). Integers wrap around. Zeros where k is 0. InvalidArgument when the inner dimensions disagree. Allocates
// scratch memory from the device for large products. (nvcc does not compile the definition: another file of the program
// does.)
template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c);

#if !defined(__CUDACC__)

namespace detail {

// Operands with the distances, in elements, between rows and between columns; one of the two is 1.
template <class T>
struct GemmArgs {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row, b_col;
  T* c;
  Index c_row;
};

TENON_COLD inline Status InnerDimensionsDisagree(Index a, Index b) {
  return errors::InvalidArgument("MatMul: inner dimensions of 'a' and 'b' must agree, got ", a, " and ", b);
}
TENON_COLD inline Status WrongProductShape(const TensorShape& got, Index m, Index n) {
  return errors::Internal("MatMul: the product has shape [", m, ",", n, "], but its output has ", got.DebugString());
}

// c + a b in the arithmetic of T: integers wrap, complex numbers are multiplied by the schoolbook rule.
template <class T>
TENON_HD T MultiplyAdd(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<U>(c) + static_cast<U>(a) * static_cast<U>(b));
  } else {
    return static_cast<T>(c + a * b);
  }
}
template <class T>
TENON_HD std::complex<T> MultiplyAdd(std::complex<T> a, std::complex<T> b, std::complex<T> c) {
  return {c.real() + (a.real() * b.real() - a.imag() * b.imag()),
          c.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}

TENON_DETAIL_LOOPS_BEGIN

// c[j] += a0 b0[j] + ... + a3 b3[j] for j in [0, n); b1 is `b_row` elements behind b0, and so on.
template <class T>
TENON_DETAIL_LOOP void AddFourRows(const T* a, Index a_col, const T* b, Index b_row, T* c, Index n) {
  const T a0 = a[0], a1 = a[a_col], a2 = a[2 * a_col], a3 = a[3 * a_col];
  const T *b0 = b, *b1 = b + b_row, *b2 = b + 2 * b_row, *b3 = b + 3 * b_row;
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) {
    c[j] = MultiplyAdd(a3, b3[j], MultiplyAdd(a2, b2[j], MultiplyAdd(a1, b1[j], MultiplyAdd(a0, b0[j], c[j]))));
  }
}
template <class T>
TENON_DETAIL_LOOP void AddOneRow(T a, const T* b, T* c, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) c[j] = MultiplyAdd(a, b[j], c[j]);
}

template <class From, class To>
TENON_DETAIL_LOOP void ConvertRun(const From* from, To* to, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

TENON_DETAIL_LOOPS_END

// The sum of x[i * x_step] y[i], i in [0, n).
template <class T, class Isa = simd::Unit>
T DotProduct(const T* x, Index x_step, const T* y, Index n) {
  T sum = T(0);
  Index i = 0;
  if constexpr (std::is_floating_point_v<T>) {
    using B = simd::Batch<T, Isa>;
    constexpr Index kStep = B::size;
    if (x_step == 1 && n >= kStep) {
      B s0(T(0)), s1(T(0)), s2(T(0)), s3(T(0));
      for (; i + 4 * kStep <= n; i += 4 * kStep) {
        s0 = Fma(B::Load(x + i), B::Load(y + i), s0);
        s1 = Fma(B::Load(x + i + kStep), B::Load(y + i + kStep), s1);
        s2 = Fma(B::Load(x + i + 2 * kStep), B::Load(y + i + 2 * kStep), s2);
        s3 = Fma(B::Load(x + i + 3 * kStep), B::Load(y + i + 3 * kStep), s3);
      }
      for (; i + kStep <= n; i += kStep) s0 = Fma(B::Load(x + i), B::Load(y + i), s0);
      sum = ((s0 + s1) + (s2 + s3)).Sum();
    }
  }
  for (; i < n; ++i) sum = MultiplyAdd(x[i * x_step], y[i], sum);
  return sum;
}

// c[0 .. width * B::size) = one row of a times so many columns of b. Eight sums in registers, so that no addition waits
// for another: of narrow blocks, several for each column.
template <class B, int width>
void RowTimesColumns(const typename B::value_type* a, Index a_col, const typename B::value_type* b, Index b_row,
                     Index k, typename B::value_type* c) {
  using T = typename B::value_type;
  constexpr int kChains = 8 / width;
  B sums[8];
#pragma GCC unroll 8
  for (B& sum : sums) sum = B(T(0));
  Index p = 0;
  for (; p + kChains <= k; p += kChains, a += kChains * a_col, b += kChains * b_row) {
#pragma GCC unroll 8
    for (int chain = 0; chain < kChains; ++chain) {
      const B x(a[chain * a_col]);
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) {
        B& sum = sums[chain * width + v];
        sum = B::Fma(x, B::Load(b + chain * b_row + v * B::size), sum);
      }
    }
  }
  for (; p < k; ++p, a += a_col, b += b_row) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[v] = B::Fma(B(*a), B::Load(b + v * B::size), sums[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < width; ++v) {
    B sum = sums[v];
#pragma GCC unroll 8
    for (int chain = 1; chain < kChains; ++chain) sum = sum + sums[chain * width + v];
    sum.Store(c + v * B::size);
  }
}

// One row of a [k] times b [k, n], for rows of b that lie close together: column blocks, each from top to bottom.
template <class T, class Isa = simd::Unit>
void RowTimesMatrix(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr Index kLanes = B::size;
  Index j = 0;
  for (; j + 8 * kLanes <= n; j += 8 * kLanes) RowTimesColumns<B, 8>(a, a_col, b + j, b_row, k, c + j);
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) RowTimesColumns<B, 4>(a, a_col, b + j, b_row, k, c + j);
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) RowTimesColumns<B, 2>(a, a_col, b + j, b_row, k, c + j);
  for (; j + kLanes <= n; j += kLanes) RowTimesColumns<B, 1>(a, a_col, b + j, b_row, k, c + j);
  if (j == n) return;
  if (n >= kLanes) {  // the last columns, some of them for the second time
    RowTimesColumns<B, 1>(a, a_col, b + n - kLanes, b_row, k, c + n - kLanes);
  } else if constexpr (kLanes > 1) {
    RowTimesMatrix<T, simd::Narrower<Isa>>(a, a_col, b, b_row, k, c, n);
  }
}

// Rows [row, row_end) and columns [column, column_end) of c, whatever the type: b is read front to back, in pieces of a
// row that stay in the first cache while the rows of a go by. No scratch memory.
template <class T>
void GemmLoops(const GemmArgs<T>& g, Index row, Index row_end, Index column, Index column_end) {
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      for (Index j = column; j < column_end; ++j) {
        g.c[i * g.c_row + j] = DotProduct(g.a + i * g.a_row, g.a_col, g.b + j * g.b_col, g.k);
      }
    }
    return;
  }
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Index kCloseBytes = 2048;  // from row to row; further apart, every row is another page
    if (g.b_row * Index{sizeof(T)} <= kCloseBytes) {
      for (Index i = row; i < row_end; ++i) {
        RowTimesMatrix(g.a + i * g.a_row, g.a_col, g.b + column, g.b_row, g.k, g.c + i * g.c_row + column,
                       column_end - column);
      }
      return;
    }
  }
  constexpr Index kPiece = static_cast<Index>(4096 / sizeof(T));
  for (; column < column_end; column += kPiece) {
    const Index n = column_end - column < kPiece ? column_end - column : kPiece;
    for (Index i = row; i < row_end; ++i) {
      for (Index j = 0; j < n; ++j) g.c[i * g.c_row + column + j] = T(0);
    }
    for (Index p = 0; p < g.k; p += 4) {
      for (Index i = row; i < row_end; ++i) {
        const T* a = g.a + i * g.a_row + p * g.a_col;
        const T* b = g.b + p * g.b_row + column;
        T* c = g.c + i * g.c_row + column;
        if (p + 4 <= g.k) {
          AddFourRows(a, g.a_col, b, g.b_row, c, n);
        } else {
          for (Index q = 0; q < g.k - p; ++q) AddOneRow(a[q * g.a_col], b + q * g.b_row, c, n);
        }
      }
    }
  }
}

// Splits the longer side of c over the device's threads: body(part, row, row_end, column, column_end).
template <class Body>
void SplitProduct(Cpu& device, Index parts, Index m, Index n, const Body& body) {
  const bool by_rows = m >= n;
  RunParts(device, parts, [&](Index part) {
    constexpr Index kStep = 16;
    const Index begin = PartBegin(by_rows ? m : n, parts, kStep, part),
                end = PartBegin(by_rows ? m : n, parts, kStep, part + 1);
    if (begin < end) body(part, by_rows ? begin : 0, by_rows ? end : m, by_rows ? 0 : begin, by_rows ? n : end);
  });
}

template <class T>
void GemmWithLoops(Cpu& device, const GemmArgs<T>& g, double ns) {
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index, Index row, Index row_end, Index column, Index column_end) {
                 GemmLoops(g, row, row_end, column, column_end);
               });
}

template <class T>
Status GemmWithEigen(Cpu& device, const GemmArgs<T>& g, double ns) {
  const Index parts = WorthwhileParts(device, ns);
  const Index longest = g.m >= g.n ? g.m : g.n;
  const Index part_size = parts > 1 && longest / parts + 32 < longest ? longest / parts + 32 : longest;
  const EigenProduct<T> product(g.m >= g.n ? part_size : g.m, g.m >= g.n ? g.n : part_size, g.k);
  const std::size_t bytes = product.scratch_bytes();
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  SplitProduct(device, parts, g.m, g.n, [&](Index part, Index row, Index row_end, Index column, Index column_end) {
    T* c = g.c + row * g.c_row + column;
    for (Index i = 0; i < row_end - row; ++i) {
      std::memset(c + i * g.c_row, 0, static_cast<std::size_t>(column_end - column) * sizeof(T));
    }
    using Matrix = typename EigenProduct<T>::Matrix;
    const Matrix a = g.a_col == 1 ? Matrix{g.a + row * g.a_row, g.a_row, false} : Matrix{g.a + row, g.a_col, true};
    const Matrix b =
        g.b_col == 1 ? Matrix{g.b + column, g.b_row, false} : Matrix{g.b + column * g.b_col, g.b_col, true};
    product.Run(row_end - row, column_end - column, g.k, a, b, c, g.c_row,
                scratch.template As<char>(static_cast<std::size_t>(part) * bytes));
  });
  return OkStatus();
}

// A product without empty dimensions.
template <class T>
Status GemmArranged(Cpu& device, const GemmArgs<T>& g) {
  const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  if constexpr (!std::is_floating_point_v<T>) {
    GemmWithLoops(device, g, 0.5 * products);
    return OkStatus();
  } else {
    if (g.n == 1 && g.m > 1) {  // c is a column: the same as a row
      return GemmArranged(device, GemmArgs<T>{1, g.m, g.k, g.b, g.b_col, g.b_row, g.a, g.a_col, g.a_row, g.c, g.m});
    }
    constexpr Index kThin = 4;  // rows; b is read about once, so packing it would cost more than multiplying
    constexpr double kSmall = 8 * 8 * 64;  // products
    if ((g.m <= kThin || products <= kSmall) && (g.b_col == 1 || g.a_col == 1)) {
      GemmWithLoops(device, g, 0.05 * products);
      return OkStatus();
    }
    return GemmWithEigen(device, g, 0.03 * products);
  }
}

// Operands as float, the product rounded once.
template <class T>
Status GemmAsFloat(Cpu& device, const GemmArgs<T>& g) {
  const std::size_t a_bytes = ScratchBytes<float>(g.m * g.k), b_bytes = ScratchBytes<float>(g.k * g.n);
  Scratch scratch(device, a_bytes + b_bytes + ScratchBytes<float>(g.m * g.n));
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  float* a = scratch.As<float>();
  float* b = scratch.As<float>(a_bytes);
  float* c = scratch.As<float>(a_bytes + b_bytes);
  ConvertRun(g.a, a, g.m * g.k);
  ConvertRun(g.b, b, g.k * g.n);
  TENON_RETURN_IF_ERROR(
      GemmArranged(device, GemmArgs<float>{g.m, g.n, g.k, a, g.a_row, g.a_col, b, g.b_row, g.b_col, c, g.n}));
  ConvertRun(c, g.c, g.m * g.n);
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c) {
  const Index m = a.dim(transpose_a ? 1 : 0), k = a.dim(transpose_a ? 0 : 1);
  const Index n = b.dim(transpose_b ? 0 : 1), k_of_b = b.dim(transpose_b ? 1 : 0);
  if (k != k_of_b) return detail::InnerDimensionsDisagree(k, k_of_b);
  if (c.dim(0) != m || c.dim(1) != n) return detail::WrongProductShape(c.shape(), m, n);
  if (m == 0 || n == 0) return OkStatus();
  if (k == 0) {
    for (T& element : c) element = T(0);
    return OkStatus();
  }
  const detail::GemmArgs<T> g{
      m,      n, k, a.data, transpose_a ? 1 : k, transpose_a ? m : 1, b.data, transpose_b ? 1 : n, transpose_b ? k : 1,
      c.data, n};
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return detail::GemmAsFloat(device, g);
  else
    return detail::GemmArranged(device, g);
}

#endif

TENON_NAMESPACE_END

// ---- tenon/ops/math/matmul.hpp ----
// MatMul: the product of two matrices.
TENON_NAMESPACE_BEGIN

namespace ops {

// a: [m, k]  b: [k, n]  ->  [m, n]; a transposed operand is stored the other way round. Complex numbers are not
// conjugated.
struct MatMul {
  static constexpr auto signature =
      Op("MatMul")
          .Input("a: T")
          .Input("b: T")
          .Output("product: T")
          .Attr("transpose_a: bool = false")
          .Attr("transpose_b: bool = false")
          .Attr(
              "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
          .Attr("grad_a: bool = false")
          .Attr("grad_b: bool = false")
          .SetShapeFn(shape_inference::MatMulShape);

  struct Attrs {
    bool transpose_a, transpose_b;
  };
  static constexpr std::string_view unused[] = {"grad_a", "grad_b"};

  // TensorFlow has no kernels for unsigned integers.
  template <class Device, class T>
    requires(!std::is_unsigned_v<T>)
  struct kernel : Attrs {
    Status operator()(Device& device, In<T, 2> a, In<T, 2> b, Out<T, 2> product) const {
      return Gemm(device, a, transpose_a, b, transpose_b, product);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/reduce.hpp ----
// Reductions over any set of dimensions. What is compiled for each operation and type are two plain loops
// (kReduceLoops): over runs of elements that make one output each, and over rows that are folded into one. Shapes,
// threads and accuracy are in a driver that knows neither. The result does not depend on the number of threads.
TENON_NAMESPACE_BEGIN

inline constexpr Index kReduceLanes = 64;

// A set of dimensions.
class AxisSet {
 public:
  bool contains(int d) const { return (words_[d / 64] >> (d % 64) & 1) != 0; }
  void Add(int d) { words_[d / 64] |= std::uint64_t{1} << (d % 64); }

 private:
  std::uint64_t words_[(kMaxTensorRank + 63) / 64] = {};
};

// A reduction of elements of one type. An accumulator holds what is done so far for one output; it may be of a wider
// type.
struct ReduceLoops {
  // acc[j] = op(acc[j], x[r * stride + j]) for j in [0, n) and every row r.
  void (*rows)(const void* x, Index rows, Index stride, Index n, void* acc);
  // acc[k] = op(acc[k], each of x[k * step] ... x[k * step + n - 1]) for k in [0, count). For short runs.
  void (*runs)(const void* x, Index count, Index step, Index n, void* acc);
  // As `rows`, over accumulators.
  void (*combine)(const void* from, Index rows, Index stride, Index n, void* acc);
  // acc[0] = op(acc[0], each of lanes[0] ... lanes[kReduceLanes - 1]); overwrites the lanes.
  void (*fold)(void* lanes, void* acc);
  void (*fill)(void* acc, Index n);  // with what changes nothing
  // out[j] from acc[j], which `terms` elements went into.
  void (*finish)(const void* acc, Index terms, void* out, Index n);
  int in_bytes;   // of one element, of the input and of the output
  int acc_bytes;  // at most 16
  float cost_ns;  // of one element, on one thread
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
// NaN when either is. (No jumps: compilers make vectors of these.)
struct MaxStep {
  template <class A>
  TENON_HD static A Identity() {
    if constexpr (std::is_integral_v<A>)
      return std::numeric_limits<A>::lowest();
    else
      return -std::numeric_limits<A>::infinity();
  }
  template <class A>
  TENON_HD static A Combine(A a, A b) {
    if constexpr (std::is_integral_v<A>)
      return a > b ? a : b;
    else
      return ((a > b) | (a != a)) ? a : b;
  }
};
struct MinStep {
  template <class A>
  TENON_HD static A Identity() {
    if constexpr (std::is_integral_v<A>)
      return std::numeric_limits<A>::max();
    else
      return std::numeric_limits<A>::infinity();
  }
  template <class A>
  TENON_HD static A Combine(A a, A b) {
    if constexpr (std::is_integral_v<A>)
      return a < b ? a : b;
    else
      return ((a < b) | (a != a)) ? a : b;
  }
};

template <class A, class T>
TENON_HD A Widen(const T& x) {
  if constexpr (kIsSmall<T>())
    return static_cast<A>(static_cast<float>(x));
  else
    return static_cast<A>(x);
}

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

TENON_DETAIL_LOOPS_BEGIN

template <class Step, class T, class A>
TENON_DETAIL_LOOP void RowsLoop(const void* x, Index rows, Index stride, Index n, void* acc) {
  ReduceRows<Step>(static_cast<const T*>(x), rows, stride, n, static_cast<A*>(acc));
}
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

template <class Step, class A>
void FillLoop(void* acc, Index n) {
  for (Index j = 0; j < n; ++j) static_cast<A*>(acc)[j] = Step::template Identity<A>();
}
template <class T, class A>
void FinishLoop(const void* acc, Index, void* out, Index n) {
  for (Index j = 0; j < n; ++j) static_cast<T*>(out)[j] = static_cast<T>(static_cast<const A*>(acc)[j]);
}
// Integers are cut towards zero; the mean of nothing is 0 for them and NaN for the others.
template <class T, class A>
void FinishMeanLoop(const void* acc, Index terms, void* out, Index n) {
  for (Index j = 0; j < n; ++j) {
    const A a = static_cast<const A*>(acc)[j];
    if constexpr (std::is_integral_v<A>) {
      static_cast<T*>(out)[j] = terms == 0 ? T(0) : static_cast<T>(a / static_cast<A>(terms));
    } else if constexpr (std::is_floating_point_v<A>) {
      static_cast<T*>(out)[j] =
          static_cast<T>(terms == 0 ? std::numeric_limits<A>::quiet_NaN() : a / static_cast<A>(terms));
    } else {
      using Real = typename A::value_type;
      static_cast<T*>(out)[j] = terms == 0 ? T(std::numeric_limits<Real>::quiet_NaN()) : a / static_cast<Real>(terms);
    }
  }
}

}  // namespace detail

// ---- the operations: how two values become one, and what they are held in meanwhile

// Integers wrap. half and bfloat16 are added up as float.
struct SumReducer {
  using Step = detail::AddStep;
  static constexpr bool is_mean = false;
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

namespace detail {

// Some dimensions of the input: their sizes and steps in elements, outermost last.
struct ReduceDims {
  int rank = 0;
  Index size[kMaxTensorRank / 2 + 1];
  Index step[kMaxTensorRank / 2 + 1];

  void Add(Index n, Index elements) {
    size[rank] = n;
    step[rank++] = elements;
  }
};

// A place among some dimensions. one thread.
class ReduceWalk {
 public:
  ReduceWalk(const ReduceDims& dims, Index index) : dims_(dims) {
    for (int d = 0; d < dims.rank; ++d) {
      at_[d] = index % dims.size[d];
      index /= dims.size[d];
      offset += at_[d] * dims.step[d];
    }
  }
  void Next() {
    for (int d = 0; d < dims_.rank; ++d) {
      offset += dims_.step[d];
      if (++at_[d] < dims_.size[d]) return;
      offset -= dims_.size[d] * dims_.step[d];
      at_[d] = 0;
    }
  }

  Index offset = 0;  // element of the input

 private:
  const ReduceDims& dims_;
  Index at_[kMaxTensorRank / 2 + 1];
};

// How to walk over the input. Kept and reduced dimensions alternate, for neighbours of one kind count as one and those
// of size 1 as none. The two innermost make a block: `line` outputs of `run` terms each, lying as [line, run] or [run,
// line].
struct ReducePlan {
  bool runs = false;  // the block is [line, run]
  Index line = 1;
  Index run = 1;
  ReduceDims kept, reduced;  // the dimensions outside the block
  Index outputs = 1;
  Index terms = 1;  // elements that make one output
  // Terms of an output are added up in pieces of so many, for accuracy and for threads to share; then groups of pieces.
  Index piece = 1;

  ReducePlan(const TensorShape& shape, const AxisSet& axes) {
    int position = 0;  // among the dimensions after joining, innermost first
    Index step = 1;
    for (int d = shape.dims() - 1; d >= 0;) {
      const bool is_reduced = axes.contains(d);
      Index n = 1;
      for (; d >= 0 && (axes.contains(d) == is_reduced || shape.dim_size(d) == 1); --d) n *= shape.dim_size(d);
      if (n == 1) continue;  // possible only for the innermost ones: others of size 1 went to the group before
      (is_reduced ? terms : outputs) *= n;
      if (position == 0) runs = is_reduced;
      if (position < 2)
        (is_reduced ? run : line) = n;
      else
        (is_reduced ? reduced : kept).Add(n, step);
      ++position;
      step *= n;
    }
    piece = runs ? 8192 : std::max<Index>(16384 / std::max<Index>(line, 1), 256);
  }

  Index pieces() const { return (terms + piece - 1) / piece; }
  // Outputs that one thread should do together: whole short lines, else a cache line's worth when terms lie
  // interleaved.
  Index unit(Index bytes) const {
    if (runs) return 1;
    return line < kShortLine ? line * std::max<Index>(kShortLine / line, 1) : std::max<Index>(64 / bytes, 1);
  }

  static constexpr Index kShortLine = 32;
};

// One reduction; shared by all threads that work on it.
struct ReduceWork {
  static constexpr Index kTile = 256;  // outputs at a time

  const ReduceLoops& loops;
  const ReducePlan& plan;
  const char* x;
  char* out;

  const char* X(Index i) const { return x + i * loops.in_bytes; }

  // acc = outputs [from, from + n) of the line that begins at `base`, terms [begin, end) of each.
  void Accumulate(Index base, Index from, Index n, Index begin, Index end, char* acc) const {
    if (begin >= end) return;
    ReduceWalk walk(plan.reduced, begin / plan.run);
    for (Index skip = begin % plan.run; begin < end; skip = 0, walk.Next()) {
      const Index m = std::min(plan.run - skip, end - begin);
      const Index first = base + walk.offset;
      if (plan.runs)
        Runs(X(first + from * plan.run + skip), n, m, acc);
      else
        Rows(X(first + skip * plan.line + from), m, n, acc);
      begin += m;
    }
  }

  // Outputs [begin, end), on this thread.
  void Outputs(Index begin, Index end) const {
    alignas(64) Accumulators part;
    ReduceWalk walk(plan.kept, begin / plan.line);
    for (Index from = begin % plan.line; begin < end; from = 0, walk.Next()) {
      const Index stop = std::min(plan.line, from + end - begin);
      while (from < stop) {
        const Index n = std::min(stop - from, kTile);
        if (plan.terms <= plan.piece) {
          loops.fill(part, n);
          Accumulate(walk.offset, from, n, 0, plan.terms, part);
          loops.finish(part, plan.terms, out + begin * loops.in_bytes, n);
        } else {
          PieceSum sum(*this, n);
          for (Index p = 0; p < plan.pieces(); ++p) {
            loops.fill(part, n);
            Piece(walk.offset, from, n, p, part);
            sum.Add(part);
          }
          sum.Finish(begin);
        }
        from += n;
        begin += n;
      }
    }
  }

  // Outputs [begin, begin + n) of one line, the pieces of their terms on several threads. `parts`: one row of
  // accumulators for each piece.
  void OutputsByPieces(Cpu& device, Index begin, Index n, char* parts) const {
    const ReduceWalk walk(plan.kept, begin / plan.line);
    const Index from = begin % plan.line, row_bytes = n * loops.acc_bytes;
    ParallelFor(device, plan.pieces(), static_cast<double>(loops.cost_ns) * static_cast<double>(n * plan.piece),
                [&](Index first, Index last) {
                  loops.fill(parts + first * row_bytes, (last - first) * n);
                  for (Index p = first; p < last; ++p) Piece(walk.offset, from, n, p, parts + p * row_bytes);
                });
    PieceSum sum(*this, n);
    for (Index p = 0; p < plan.pieces(); ++p) sum.Add(parts + p * row_bytes);
    sum.Finish(begin);
  }

 private:
  using Accumulators = char[static_cast<std::size_t>(kTile) * 16];

  // Puts the pieces of n outputs together, in order.
  class PieceSum {
   public:
    PieceSum(const ReduceWork& work, Index n) : work_(work), n_(n) {
      work.loops.fill(total_, n);
      work.loops.fill(group_, n);
    }
    void Add(const char* part) {
      work_.loops.combine(part, 1, n_, n_, group_);
      if (++in_group_ == kGroup) Flush();
    }
    void Finish(Index begin) {
      if (in_group_ > 0) Flush();
      work_.loops.finish(total_, work_.plan.terms, work_.out + begin * work_.loops.in_bytes, n_);
    }

   private:
    static constexpr int kGroup = 64;
    void Flush() {
      work_.loops.combine(group_, 1, n_, n_, total_);
      work_.loops.fill(group_, n_);
      in_group_ = 0;
    }

    const ReduceWork& work_;
    Index n_;
    int in_group_ = 0;
    alignas(64) Accumulators total_, group_;
  };

  void Piece(Index base, Index from, Index n, Index p, char* acc) const {
    Accumulate(base, from, n, p * plan.piece, std::min((p + 1) * plan.piece, plan.terms), acc);
  }
  // n runs of m elements, plan.run apart. Long ones are added up as rows of lanes.
  void Runs(const char* from, Index n, Index m, char* acc) const {
    const Index rows = m / kReduceLanes, rest = m % kReduceLanes;
    if (rows == 0) return loops.runs(from, n, plan.run, m, acc);
    for (Index k = 0; k < n; ++k, from += plan.run * loops.in_bytes) {
      alignas(64) char lanes[kReduceLanes * 16];
      loops.fill(lanes, kReduceLanes);
      loops.rows(from, rows, kReduceLanes, kReduceLanes, lanes);
      if (rest > 0) loops.rows(from + (m - rest) * loops.in_bytes, 1, 0, rest, lanes);
      loops.fold(lanes, acc + k * loops.acc_bytes);
    }
  }

  // `rows` rows of n elements, plan.line apart. Many short rows that follow each other are added up as fewer long ones.
  void Rows(const char* from, Index rows, Index n, char* acc) const {
    const Index group = kReduceLanes / n;  // rows in a long one
    if (n >= plan.kShortLine || n != plan.line || rows < 4 * group) return loops.rows(from, rows, plan.line, n, acc);
    alignas(64) char lanes[kReduceLanes * 16];
    loops.fill(lanes, group * n);
    loops.rows(from, rows / group, group * n, group * n, lanes);
    loops.combine(lanes, group, n, n, acc);
    const Index done = rows / group * group;
    if (done < rows) loops.rows(from + done * n * loops.in_bytes, rows - done, n, n, acc);
  }
};

}  // namespace detail

// Reduces the dimensions in `axes` of x, which has the given shape. out: the other dimensions' elements, in order.
inline Status Reduce(Cpu& device, const ReduceLoops& loops, const void* x, const TensorShape& shape,
                     const AxisSet& axes, void* out) {
  const detail::ReducePlan plan(shape, axes);
  if (plan.outputs == 0) return OkStatus();
  const detail::ReduceWork work{loops, plan, static_cast<const char*>(x), static_cast<char*>(out)};
  const Index unit = plan.unit(loops.in_bytes);
  const Index units = (plan.outputs + unit - 1) / unit;
  if (device.pool != nullptr && plan.pieces() > 1 && units < 2 * device.pool->NumThreads()) {
    const Index most = std::min(plan.line, work.kTile);
    const Scratch parts(device, static_cast<std::size_t>(plan.pieces() * most * loops.acc_bytes));
    if (parts.status("Reduce").ok()) {
      for (Index begin = 0; begin < plan.outputs;) {
        const Index n = std::min(most, plan.line - begin % plan.line);
        work.OutputsByPieces(device, begin, n, parts.As<char>());
        begin += n;
      }
      return OkStatus();
    }
  }
  ParallelFor(device, units,
              static_cast<double>(loops.cost_ns) * static_cast<double>(plan.terms) * static_cast<double>(unit),
              [&](Index begin, Index end) { work.Outputs(begin * unit, std::min(end * unit, plan.outputs)); });
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/ops/math/reduction.hpp ----
// Reductions over some dimensions of a tensor.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct ReductionAttrs {
  bool keep_dims;
};

// The dimensions that `indices` names (each once, counted from the end when negative; any shape will do), and the
// output's shape.
inline Status ReadAxes(std::string_view op, const TensorShape& input, const HostIndices& indices, bool keep_dims,
                       AxisSet* axes, TensorShape* output) {
  const Index rank = input.dims();
  for (Index i = 0; i < indices.size(); ++i) {
    const Index axis = indices[i];
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument(op, ": Invalid reduction dimension ", axis, " for input with ", rank,
                                     " dimension(s); axes must be in [", -rank, ", ", rank, ")");
    const int d = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (axes->contains(d))
      return errors::InvalidArgument(op, ": Invalid reduction arguments: Axes contains duplicate dimension: ", d);
    axes->Add(d);
  }
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < input.dims(); ++d) {
    if (!axes->contains(d))
      sizes.push_back(input.dim_size(d));
    else if (keep_dims)
      sizes.push_back(1);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, output);
}

// Nothing is computed when only dimensions of size 1 go away: the output shares the input's buffer.
inline Status RunReduction(OpKernelContext& context, Cpu& device, const ReduceLoops& loops, bool keep_dims,
                           const Tensor& input, const HostIndices& indices, Tensor* output) {
  AxisSet axes;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadAxes(context.op_kernel().type_string(), input.shape(), indices, keep_dims, &axes, &shape));
  if (shape.num_elements() == input.NumElements()) {
    (void)output->CopyFrom(input, shape);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  return Reduce(device, loops, input.raw_data(), input.shape(), axes, output->raw_data());
}

// The kernel sizes its output itself: at run it takes indices of any rank, the shape function only lists and single
// ones.
template <class Reducer, class Device, class T>
struct Reduction : ReductionAttrs {
  Status operator()(Context<Device>& context, const Tensor& input, HostIndices reduction_indices,
                    Tensor& output) const {
    return RunReduction(context.op(), context.device(), kReduceLoops<Reducer, T>, this->keep_dims, input,
                        reduction_indices, &output);
  }
};

template <class Device, class T>
concept Reduces = Device::type == "CPU" && !IsQuantized(dtype_of_v<T>);

}  // namespace detail

struct Sum {
  static constexpr auto signature =
      Op("Sum")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<Device, T>
  using kernel = detail::Reduction<SumReducer, Device, T>;
};

// Of integers: cut towards zero. Of nothing: 0 for integers, else NaN.
struct Mean {
  static constexpr auto signature =
      Op("Mean")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<Device, T>
  using kernel = detail::Reduction<MeanReducer, Device, T>;
};

struct Prod {
  static constexpr auto signature =
      Op("Prod")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<Device, T>
  using kernel = detail::Reduction<ProdReducer, Device, T>;
};

// NaN when there is one; of nothing: minus infinity, or the lowest integer.
struct Max {
  static constexpr auto signature =
      Op("Max")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<Device, T>
  using kernel = detail::Reduction<MaxReducer, Device, T>;
};

// NaN when there is one; of nothing: infinity, or the highest integer.
struct Min {
  static constexpr auto signature =
      Op("Min")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<Device, T>
  using kernel = detail::Reduction<MinReducer, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/unary.hpp ----
// Element-wise ops of one operand.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// half, bfloat16: computed in float.
template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
}  // namespace detail

struct Neg {
  static constexpr auto signature =
      Op("Neg")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(detail::Wrapping<T>(0) - static_cast<detail::Wrapping<T>>(x));
    else
      return -x;
  }

  template <class Device, class T>
  using kernel = Map1<Neg, Device, T>;
};

struct Square {
  static constexpr auto signature =
      Op("Square")
          .Input("x: T")
          .Output("y: T")
          .Attr(
              "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(const T& x) {
    return Mul::map(x, x);
  }

  template <class Device, class T>
  using kernel = Map1<Square, Device, T>;
};

struct Sqrt {
  static constexpr auto signature = Op("Sqrt")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(std::sqrt(static_cast<float>(x)));
    else
      return std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sqrt, Device, T>;
};

// 1 / sqrt(x).
struct Rsqrt {
  static constexpr auto signature = Op("Rsqrt")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(1.0f / std::sqrt(static_cast<float>(x)));
    else
      return T(1) / std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Rsqrt, Device, T>;
};

struct Exp {
  static constexpr auto signature = Op("Exp")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 4;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(std::exp(static_cast<float>(x)));
    else
      return std::exp(x);
  }

  template <class Device, class T>
  using kernel = Map1<Exp, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/nn/activation.hpp ----
// Activations.
TENON_NAMESPACE_BEGIN

namespace ops {

// max(x, 0); NaN stays NaN.
struct Relu {
  static constexpr auto signature =
      Op("Relu")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(T x) {
    return x < T(0) ? T(0) : x;
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, qint8>)
  using kernel = Map1<Relu, Device, T>;
};

// min(max(x, 0), 6); NaN stays NaN.
struct Relu6 {
  static constexpr auto signature =
      Op("Relu6")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(T x) {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }

  template <class Device, class T>
  using kernel = Map1<Relu6, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/nn/bias.hpp ----
// BiasAdd: one number per channel added to everything in that channel.
TENON_NAMESPACE_BEGIN

namespace ops {

// value: [..., c] (NHWC) or [n, c, ...] (NCHW)  bias: [c]  ->  shape of value
struct BiasAdd {
  static constexpr auto signature =
      Op("BiasAdd")
          .Input("value: T")
          .Input("bias: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .SetShapeFn(shape_inference::BiasAddShape);

  struct Attrs {
    std::string_view data_format;
  };

  template <class Device, class T>
    requires(!IsQuantized(dtype_of_v<T>))
  struct kernel : Attrs {
    // The kernel takes NCHW values of rank 2, which the shape function refuses: so it sizes its output itself.
    Status operator()(Context<Device>& context, const Tensor& value, In<T> bias, Tensor& output) const {
      const int rank = value.shape().dims();
      if (rank < 2) return errors::InvalidArgument("BiasAdd: Input tensor must be at least 2D: ", value.shape());
      if (bias.shape().dims() != 1) return errors::InvalidArgument("BiasAdd: Biases must be 1D: ", bias.shape());
      const int channel = data_format == "NCHW" ? 1 : rank - 1;
      if (value.shape().dim_size(channel) != bias.size())
        return errors::InvalidArgument(
            "BiasAdd: Must provide as many biases as the channel dimension of the input tensor: ", bias.shape(),
            " vs. ", value.shape().dim_size(channel), " in ", value.shape());
      TensorShape aligned{bias.size()};
      for (int d = channel + 1; d < rank; ++d) aligned.AddDim(1);
      const T* x = value.data<T>();
      const TensorShape shape = value.shape();
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.op().forward_input_or_allocate_output({0}, 0, shape, &out));
      return MapBinary<AddV2, T, T>(context.device(), nullptr, In<T>(x, shape.num_elements(), &shape),
                                    In<T>(bias.data, bias.size(), &aligned),
                                    Out<T>(output.data<T>(), output.NumElements(), &output.shape()));
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/window.hpp ----
// One dimension of a sliding window, as convolutions and pools need it.
TENON_NAMESPACE_BEGIN

struct Window {
  Index input = 0;
  Index size = 1;      // of the window, in elements it looks at
  Index stride = 1;
  Index dilation = 1;  // distance between the elements it looks at
  Index pad_before = 0, pad_after = 0;
  Index output = 0;    // places of the window

  // From the first to the last element it looks at.
  Index extent() const { return (size - 1) * dilation + 1; }
};

// Fills in `output` and, unless the padding is explicit, the paddings. TensorFlow's errors.
inline Status PlaceWindow(Padding padding, Window* w) {
  return GetWindowedOutputSize(w->input, w->size, w->dilation, w->stride, padding, &w->output, &w->pad_before,
                               &w->pad_after);
}

TENON_NAMESPACE_END

// ---- tenon/engine/conv.hpp ----
// Conv2D on the CPU: NHWC images, HWIO filters, any strides, dilations, paddings and number of groups. The filter is
// packed into panels of channels as wide as a few vectors; a tile of six output pixels by one panel stays in registers
// while the pixels' windows are read where they lie. Only padded images are copied, in bands of rows.
#if !defined(__CUDACC__)

// ---- tenon/engine/conv.hpp ----
#endif

TENON_NAMESPACE_BEGIN

// Everything about a convolution but its data. input [batch, rows, columns, depth], filter [rows, columns, depth /
// groups, out_depth], output [batch, out_rows, out_columns, out_depth].
struct Conv2DGeometry {
  Index batch = 0;
  Window rows, columns;
  Index in_depth = 0, out_depth = 0;
  Index groups = 1;

  Index group_depth() const { return in_depth / groups; }
  TensorShape output_shape() const { return TensorShape({batch, rows.output, columns.output, out_depth}); }
};

// From the shapes and attrs of a Conv2D in NHWC; `strides` and `dilations` have four values. The errors are
// TensorFlow's.
inline Status MakeConv2DGeometry(const TensorShape& input, const TensorShape& filter, std::span<const Index> strides,
                                 std::span<const Index> dilations, Padding padding,
                                 std::span<const Index> explicit_paddings, Conv2DGeometry* geometry) {
  if (dilations.size() != 4) return errors::InvalidArgument("Sliding window dilations field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window strides field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (strides[1] <= 0 || strides[2] <= 0)
    return errors::InvalidArgument("Row and column strides should be larger than 0.");
  if (dilations[0] != 1 || dilations[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  if (dilations[1] <= 0 || dilations[2] <= 0) return errors::InvalidArgument("Dilated rates should be larger than 0.");
  TENON_RETURN_IF_ERROR(CheckValidPadding(padding, explicit_paddings, 4, TensorFormat::kNHWC));
  if (input.dims() != 4)
    return errors::InvalidArgument("convolution input must be 4-dimensional: ", input.DebugString());
  if (filter.dims() != 4)
    return errors::InvalidArgument("convolution filter must be 4-dimensional: ", filter.DebugString());

  Conv2DGeometry g;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(3);
  g.out_depth = filter.dim_size(3);
  const Index filter_depth = filter.dim_size(2);
  if (filter_depth <= 0) return errors::InvalidArgument("filter depth must be strictly positive, got ", filter_depth);
  if (filter.dim_size(0) <= 0 || filter.dim_size(1) <= 0) {
    return errors::InvalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  if (g.in_depth % filter_depth != 0) {
    return errors::InvalidArgument("input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ",
                                   filter_depth);
  }
  g.groups = g.in_depth == 0 ? 1 : g.in_depth / filter_depth;
  if (g.out_depth % g.groups != 0) {
    return errors::InvalidArgument("output depth must be evenly divisible by number of groups: ", g.out_depth, " vs ",
                                   g.groups);
  }
  g.rows.input = input.dim_size(1);
  g.rows.size = filter.dim_size(0);
  g.rows.stride = strides[1];
  g.rows.dilation = dilations[1];
  g.columns.input = input.dim_size(2);
  g.columns.size = filter.dim_size(1);
  g.columns.stride = strides[2];
  g.columns.dilation = dilations[2];
  if (padding == Padding::kExplicit) {
    g.rows.pad_before = explicit_paddings[2];
    g.rows.pad_after = explicit_paddings[3];
    g.columns.pad_before = explicit_paddings[4];
    g.columns.pad_after = explicit_paddings[5];
  }
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.rows));
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.columns));
  *geometry = g;
  return OkStatus();
}

// Overwrites `output`, whose shape is geometry.output_shape(). T is float, double, half, bfloat16 (these two are summed
// as float and rounded once) or an integer type (which wraps). Scratch memory comes from the device.
template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output);

#if !defined(__CUDACC__)

namespace detail {

// The type that a convolution of T computes in, and a vector of it.
template <class T>
using ConvAccumulator =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                       std::type_identity<std::conditional_t<std::is_same_v<T, double>, double, float>>>::type;
template <class C, class Isa>
using ConvVector = simd::Batch<C, std::conditional_t<std::is_floating_point_v<C>, Isa, simd::isa::Scalar>>;

inline constexpr int kConvPixels = 6;  // of a tile
// Vectors of a tile's row: 6 x 2 fill 16 registers, 6 x 4 fill 32.
template <class Isa>
inline constexpr int kConvVectors =
    std::is_same_v<Isa, simd::isa::Avx512> || std::is_same_v<Isa, simd::isa::Neon64> ? 4 : 2;

// Where the elements of a pixel's window lie, seen from its first: `rows` times `pieces` runs of `length`.
struct ConvWindow {
  Index rows, row_step;
  Index pieces, piece_step;
  Index length;
};

// out[i * out_step + j] = window of pixel i times channel j of a panel of `width` vectors, for six pixels. The windows
// begin `offset` elements behind the pixels; the panel has a row for each of their elements.
template <class V, int width>
void ConvTile(const ConvWindow& w, const typename V::value_type* const* pixels, Index offset,
              const typename V::value_type* panel, typename V::value_type* out, Index out_step) {
  using C = typename V::value_type;
  V sums[kConvPixels][width];
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V(C(0));
  }
  for (Index row = 0; row < w.rows; ++row) {
    for (Index piece = 0; piece < w.pieces; ++piece) {
      const C* from[kConvPixels];
#pragma GCC unroll 6
      for (int i = 0; i < kConvPixels; ++i) from[i] = pixels[i] + (offset + row * w.row_step + piece * w.piece_step);
      for (Index t = 0; t < w.length; ++t, panel += width * V::size) {
        V y[width];
#pragma GCC unroll 4
        for (int v = 0; v < width; ++v) y[v] = V::Load(panel + v * V::size);
#pragma GCC unroll 6
        for (int i = 0; i < kConvPixels; ++i) {
          const V x(from[i][t]);
#pragma GCC unroll 4
          for (int v = 0; v < width; ++v) sums[i][v] = V::Fma(x, y[v], sums[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v].Store(out + i * out_step + v * V::size);
  }
}

// One convolution. Shared by the threads that work on it.
template <class T, class Isa>
class ConvWork {
 public:
  using C = ConvAccumulator<T>;
  using V = ConvVector<C, Isa>;
  static constexpr Index kFewPixels = 126;  // of the whole output: then threads share the channels, not the pixels
  using Pixels = const C* [kFewPixels];

  ConvWork(const Conv2DGeometry& g, const T* input, const T* filter, T* output)
      : g_(g), input_(input), filter_(filter), output_(output) {
    taps_ = g.rows.size * g.columns.size * g.group_depth();
    channels_ = g.out_depth / g.groups;
    panels_ = (channels_ + kPanel - 1) / kPanel;
    band_columns_ = (g.columns.output - 1) * g.columns.stride + g.columns.extent();
    const bool padded = g.rows.pad_before != 0 || g.columns.pad_before != 0 || band_columns_ > g.columns.input ||
                        (g.rows.output - 1) * g.rows.stride + g.rows.extent() > g.rows.input;
    copies_ = padded || sizeof(T) != sizeof(C);
    if (!copies_) band_columns_ = g.columns.input;
    band_rows_ = g.rows.output;
    while (band_rows_ * g.columns.output > 2 * kGroup && BandElements() * Index{sizeof(C)} > kBandBytes &&
           band_rows_ > 1) {
      band_rows_ = (band_rows_ + 1) / 2;
    }
    const bool joined = g.columns.dilation == 1 && g.groups == 1;  // a row of the window is one run
    window_ = {g.rows.size, g.rows.dilation * band_columns_ * g.in_depth, joined ? 1 : g.columns.size,
               g.columns.dilation * g.in_depth, joined ? g.columns.size * g.in_depth : g.group_depth()};
  }

  Index pixels() const { return g_.batch * g_.rows.output * g_.columns.output; }
  // A guess, on one thread.
  double ns() const {
    const double products =
        static_cast<double>(taps_) * static_cast<double>(g_.out_depth) * static_cast<double>(pixels());
    return products * (std::is_floating_point_v<C> ? 0.04 : 0.5);
  }

  // Panels of the filter: numbered through the groups, all but the last of a group with kPanel channels.
  Index panels() const { return g_.groups * panels_; }
  Index PanelElements() const { return taps_ * Widened(Least(kPanel, channels_)); }  // at most
  Index PackedElements() const { return PackedOffset(panels()); }
  Index PackedOffset(Index panel) const {
    return taps_ *
           (panel / panels_ * (Widened(channels_ % kPanel) + channels_ / kPanel * kPanel) + panel % panels_ * kPanel);
  }
  // [taps, channels], zeros behind the last channel.
  void Pack(Index panel, C* to) const {
    const Index used = ChannelsOf(panel), width = Widened(used);
    const T* from = filter_ + FirstChannel(panel);
    for (Index t = 0; t < taps_; ++t, to += width, from += g_.out_depth) {
#if defined(__GNUC__)
      if (t + kAhead < taps_)
        __builtin_prefetch(from + kAhead * g_.out_depth);  // rows are too far apart for the processor
#endif
      if constexpr (sizeof(T) == sizeof(C)) {
        if (used == kPanel) {
          for (int v = 0; v < kWidth; ++v) V::Load(AsAccumulators(from) + v * V::size).Store(to + v * V::size);
          continue;
        }
      }
      Convert(from, to, used);
      for (Index j = used; j < width; ++j) to[j] = C(0);
    }
  }

  // Bands of output rows, numbered through the images; each needs a buffer of BandElements() for its padded input.
  Index bands() const { return g_.batch * BandsOfImage(); }
  Index BandElements() const {
    return copies_ ? ((band_rows_ - 1) * g_.rows.stride + g_.rows.extent()) * band_columns_ * g_.in_depth : 0;
  }
  // Makes bands smaller, so that there are some for each of `parts`.
  void SplitBands(Index parts) {
    while (band_rows_ > 1 && bands() < 2 * parts) band_rows_ = (band_rows_ + 1) / 2;
  }
  // `packed` holds all panels.
  void RunBand(Index number, const C* packed, C* band) const {
    const Index image = number / BandsOfImage(), row = number % BandsOfImage() * band_rows_;
    const Index rows = Least(band_rows_, g_.rows.output - row);
    const C* const first_window = Prepare(image, row, rows, band);
    T* const out = output_ + (image * g_.rows.output + row) * g_.columns.output * g_.out_depth;
    const Index pixels = rows * g_.columns.output, groups = (pixels + kGroup - 1) / kGroup;
    for (Index i = 0; i < groups; ++i) {
      const Index first = PartBegin(pixels, groups, kConvPixels, i),
                  count = PartBegin(pixels, groups, kConvPixels, i + 1) - first;
      Pixels group;
      FindPixels(first_window, first, count, group);
      for (Index p = 0; p < panels(); ++p)
        RunPanel(p, packed + PackedOffset(p), group, count, out + first * g_.out_depth);
    }
  }

  // Few pixels, of one image: found once, then every panel by itself.
  void FindAllPixels(C* band, Pixels& pixels) const {
    FindPixels(Prepare(0, 0, g_.rows.output, band), 0, this->pixels(), pixels);
  }
  void RunPanel(Index panel, const C* packed, const Pixels& pixels, Index count, T* out) const {
    const Index used = ChannelsOf(panel), offset = panel / panels_ * g_.group_depth();
    const int width = static_cast<int>(Widened(used) / V::size);
    out += FirstChannel(panel);
    for (Index i = 0; i < count; i += kConvPixels, out += kConvPixels * g_.out_depth) {
      const Tile tile{pixels + i, offset, packed, out, Least(kConvPixels, count - i), used};
      if constexpr (kWidth == 4) {
        if (width == 4) RunTile<4>(tile);
        if (width == 3) RunTile<3>(tile);
      }
      if (width == 2) RunTile<2>(tile);
      if (width == 1) RunTile<1>(tile);
    }
  }

 private:
  static constexpr int kWidth = kConvVectors<Isa>;
  static constexpr Index kPanel = kWidth * V::size;  // channels
  static constexpr Index kGroup = 12 * kConvPixels;  // pixels that a panel meets before the next panel comes
  static constexpr Index kAhead = 16;  // rows of the filter, when it is packed
  static constexpr Index kBandBytes = 256 * 1024;  // of a padded band: a part of the second cache

  struct Tile {
    const C* const* pixels;
    Index offset;
    const C* packed;
    T* out;
    Index count, channels;  // that are stored
  };

  static Index Least(Index a, Index b) { return a < b ? a : b; }
  static Index Widened(Index channels) { return (channels + V::size - 1) / V::size * V::size; }
  Index ChannelsOf(Index panel) const { return Least(kPanel, channels_ - panel % panels_ * kPanel); }
  Index FirstChannel(Index panel) const { return panel / panels_ * channels_ + panel % panels_ * kPanel; }
  Index BandsOfImage() const { return (g_.rows.output + band_rows_ - 1) / band_rows_; }

  // int32 is computed as uint32, half and bfloat16 as float.
  static const C* AsAccumulators(const T* data) { return reinterpret_cast<const C*>(data); }
  static void Convert(const T* from, C* to, Index n) {
    for (Index i = 0; i < n; ++i) {
      if constexpr (sizeof(T) == sizeof(C))
        to[i] = AsAccumulators(from)[i];
      else
        to[i] = static_cast<C>(from[i]);
    }
  }

  // The first window of output rows [row, row + rows) of an image: in `band`, which is filled, or in the input itself.
  const C* Prepare(Index image, Index row, Index rows, C* band) const {
    const Index top = row * g_.rows.stride - g_.rows.pad_before, row_elements = g_.columns.input * g_.in_depth;
    const T* const from = input_ + image * g_.rows.input * row_elements;
    if (!copies_) return AsAccumulators(from) + top * row_elements;
    const Index left = Least(g_.columns.pad_before, band_columns_);
    const Index inside = Least(g_.columns.input, band_columns_ - left);
    C* to = band;
    for (Index r = top; r < top + (rows - 1) * g_.rows.stride + g_.rows.extent(); ++r) {
      if (r < 0 || r >= g_.rows.input) {
        to = Zeros(to, band_columns_ * g_.in_depth);
        continue;
      }
      to = Zeros(to, left * g_.in_depth);
      if constexpr (sizeof(T) == sizeof(C)) {
        std::memcpy(to, from + r * row_elements, static_cast<std::size_t>(inside * g_.in_depth) * sizeof(C));
      } else {
        Convert(from + r * row_elements, to, inside * g_.in_depth);
      }
      to = Zeros(to + inside * g_.in_depth, (band_columns_ - left - inside) * g_.in_depth);
    }
    return band;
  }
  static C* Zeros(C* to, Index n) {
    std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(n) * sizeof(C));
    return to + n;
  }

  // Where the windows of pixels [first, first + count) begin. The last tile is filled up with a pixel that is not
  // stored.
  void FindPixels(const C* first_window, Index first, Index count, Pixels& pixels) const {
    Index row = first / g_.columns.output, column = first % g_.columns.output;
    for (Index i = 0; i < count; ++i) {
      pixels[i] = first_window + (row * g_.rows.stride * band_columns_ + column * g_.columns.stride) * g_.in_depth;
      if (++column == g_.columns.output) {
        column = 0;
        ++row;
      }
    }
    for (Index i = count; i % kConvPixels != 0; ++i) pixels[i] = pixels[count - 1];
  }

  template <int width>
  void RunTile(const Tile& t) const {
    if constexpr (sizeof(T) == sizeof(C)) {
      if (t.count == kConvPixels && t.channels == width * V::size) {
        return ConvTile<V, width>(window_, t.pixels, t.offset, t.packed, reinterpret_cast<C*>(t.out), g_.out_depth);
      }
    }
    alignas(64) C sums[kConvPixels * width * V::size];
    ConvTile<V, width>(window_, t.pixels, t.offset, t.packed, sums, width * V::size);
    for (Index i = 0; i < t.count; ++i) {
      for (Index j = 0; j < t.channels; ++j)
        t.out[i * g_.out_depth + j] = static_cast<T>(sums[i * width * V::size + j]);
    }
  }

  const Conv2DGeometry& g_;
  const T* input_;
  const T* filter_;
  T* output_;
  Index taps_;  // elements of a window
  Index channels_;  // of a group
  Index panels_;  // of a group
  bool copies_;  // bands of the input
  Index band_rows_, band_columns_;  // output rows of a band; input columns of its rows
  ConvWindow window_;
};

template <class T, class Isa = simd::Unit>
Status RunConv2D(Cpu& device, const Conv2DGeometry& g, const T* input, const T* filter, T* output) {
  using Work = ConvWork<T, Isa>;
  using C = typename Work::C;
  Work work(g, input, filter, output);
  const Index parts = WorthwhileParts(device, work.ns());
  const auto each = [&](Index total, Index part, const auto& body) {
    for (Index i = PartBegin(total, parts, 1, part); i < PartBegin(total, parts, 1, part + 1); ++i) body(i);
  };
  if (g.batch == 1 && work.pixels() <= Work::kFewPixels) {
    const std::size_t band_bytes = ScratchBytes<C>(work.BandElements()),
                      panel_bytes = ScratchBytes<C>(work.PanelElements());
    Scratch scratch(device, band_bytes + static_cast<std::size_t>(parts) * panel_bytes);
    TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
    typename Work::Pixels pixels;
    work.FindAllPixels(scratch.As<C>(), pixels);
    RunParts(device, parts, [&](Index part) {
      C* const packed = scratch.As<C>(band_bytes + static_cast<std::size_t>(part) * panel_bytes);
      each(work.panels(), part, [&](Index panel) {
        work.Pack(panel, packed);
        work.RunPanel(panel, packed, pixels, work.pixels(), output);
      });
    });
    return OkStatus();
  }
  if (parts > 1) work.SplitBands(parts);
  const std::size_t packed_bytes = ScratchBytes<C>(work.PackedElements()),
                    band_bytes = ScratchBytes<C>(work.BandElements());
  Scratch scratch(device, packed_bytes + static_cast<std::size_t>(parts) * band_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  C* const packed = scratch.As<C>();
  RunParts(device, parts, [&](Index part) {
    each(work.panels(), part, [&](Index panel) { work.Pack(panel, packed + work.PackedOffset(panel)); });
  });
  RunParts(device, parts, [&](Index part) {
    C* const band = scratch.As<C>(packed_bytes + static_cast<std::size_t>(part) * band_bytes);
    each(work.bands(), part, [&](Index i) { work.RunBand(i, packed, band); });
  });
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output) {
  if (geometry.batch == 0 || geometry.rows.output == 0 || geometry.columns.output == 0 || geometry.out_depth == 0)
    return OkStatus();
  return detail::RunConv2D(device, geometry, input, filter, output);
}

#endif

TENON_NAMESPACE_END

// ---- tenon/ops/nn/conv.hpp ----
// Conv2D: a filter that slides over images.
TENON_NAMESPACE_BEGIN

namespace ops {

// input: [n, h, w, c]  filter: [fh, fw, c / groups, k]  ->  [n, oh, ow, k]
struct Conv2D {
  static constexpr auto signature = Op("Conv2D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double, int32}")
                                        .Attr("strides: list(int)")
                                        .Attr("use_cudnn_on_gpu: bool = true")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::Conv2DShapeWithExplicitPadding);

  struct Attrs {
    std::span<const std::int64_t> strides, explicit_paddings, dilations;
    std::string_view padding, data_format;
  };
  static constexpr std::string_view unused[] = {"use_cudnn_on_gpu"};

  // Where the window is larger than the image the shape function refuses, the kernel gives an empty image: so it sizes
  // the output itself.
  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device& device, In<T> input, In<T> filter, Late<T>& output) const {
      if (data_format != "NHWC")
        return errors::Unimplemented(
            "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: ",
            data_format);
      Padding kind{};
      TENON_RETURN_IF_ERROR(ParsePadding(padding, &kind));
      Conv2DGeometry geometry;
      TENON_RETURN_IF_ERROR(
          MakeConv2DGeometry(input.shape(), filter.shape(), strides, dilations, kind, explicit_paddings, &geometry));
      TENON_ASSIGN_OR_RETURN(const Out<T> out, output.Allocate(geometry.output_shape()));
      return tenon::Conv2D(device, geometry, input.data, filter.data, out.data);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/pool.hpp ----
// MaxPool on the CPU: NHWC, over rows and columns or over the depth, for all real number types.
TENON_NAMESPACE_BEGIN

// input [batch, rows, columns, depth] -> output [batch, out_rows, out_columns, depth / depth_window].
struct PoolGeometry {
  Index batch = 0;
  Window rows, columns;
  Index depth = 0;
  Index depth_window = 1;  // above 1: neighbouring channels are pooled, and rows and columns are not

  TensorShape output_shape() const { return TensorShape({batch, rows.output, columns.output, depth / depth_window}); }
};

// The attrs alone: what TensorFlow checks when the kernel is made.
inline Status CheckPoolAttrs(std::span<const Index> ksize, std::span<const Index> strides, Padding padding,
                             std::span<const Index> explicit_paddings) {
  if (ksize.size() != 4) return errors::InvalidArgument("Sliding window ksize field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window stride field must specify 4 dimensions");
  for (const Index k : ksize) {
    if (k <= 0) {
      return errors::InvalidArgument("Sliding window ksize must be positive. The specified or inferred ksize is: ",
                                     ksize[0], ",", ksize[1], ",", ksize[2], ",", ksize[3]);
    }
  }
  if (padding == Padding::kExplicit)
    TENON_RETURN_IF_ERROR(CheckValidPadding(padding, explicit_paddings, 4, TensorFormat::kNHWC));
  if (ksize[0] != 1 || strides[0] != 1)
    return errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
  return OkStatus();
}

namespace detail {
inline Status CheckPoolPadding(std::string_view side, Index padding, Index window) {
  if (padding < window) return OkStatus();
  return errors::InvalidArgument(side, " padding ", padding, " needs to be smaller than the window size ", window);
}
}  // namespace detail

// From the shape and attrs of a MaxPool in NHWC, both ksize and strides with four values. The errors are TensorFlow's.
inline Status MakePoolGeometry(const TensorShape& input, std::span<const Index> ksize, std::span<const Index> strides,
                               Padding padding, std::span<const Index> explicit_paddings, PoolGeometry* geometry) {
  TENON_RETURN_IF_ERROR(CheckPoolAttrs(ksize, strides, padding, explicit_paddings));
  if (input.dims() != 4) {
    return errors::InvalidArgument("tensor_in_shape must have 2 spatial dimensions. ", input.dims(), " 0");
  }
  if (ksize[3] != 1 && (ksize[1] != 1 || ksize[2] != 1)) {
    return errors::Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  PoolGeometry g;
  g.batch = input.dim_size(0);
  g.rows = {.input = input.dim_size(1), .size = ksize[1], .stride = strides[1]};
  g.columns = {.input = input.dim_size(2), .size = ksize[2], .stride = strides[2]};
  g.depth = input.dim_size(3);
  g.depth_window = ksize[3];
  if (padding == Padding::kExplicit) {
    g.rows.pad_before = explicit_paddings[2];
    g.rows.pad_after = explicit_paddings[3];
    g.columns.pad_before = explicit_paddings[4];
    g.columns.pad_after = explicit_paddings[5];
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Top", g.rows.pad_before, g.rows.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Bottom", g.rows.pad_after, g.rows.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Left", g.columns.pad_before, g.columns.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Right", g.columns.pad_after, g.columns.size));
  }
  if (g.depth_window > 1) {
    if (g.depth % g.depth_window != 0) {
      return errors::Unimplemented("Depthwise max pooling requires the depth window to evenly divide the input depth");
    }
    if (strides[3] != g.depth_window) {
      return errors::Unimplemented("Depthwise max pooling requires the depth window to equal the depth stride");
    }
    g.rows = {.input = g.rows.input, .output = g.rows.input};  // TensorFlow looks at every pixel, whatever the strides
    g.columns = {.input = g.columns.input, .output = g.columns.input};
  } else {
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.rows));
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.columns));
  }
  *geometry = g;
  return OkStatus();
}

namespace detail {

// The larger one; `most` where x is NaN, as TensorFlow's pools have it.
template <class T>
TENON_HD T PoolLarger(T most, T x) {
  return most < x ? x : most;
}

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void PoolRun(const T* x, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) most[i] = PoolLarger(most[i], x[i]);
}
template <class T>
TENON_DETAIL_LOOP void PoolFirstRun(const T* x, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) most[i] = PoolLarger(std::numeric_limits<T>::lowest(), x[i]);
}
// Two by two without padding, the commonest of all: all four at once.
template <class T>
TENON_DETAIL_LOOP void PoolFourRuns(const T* a, const T* b, const T* c, const T* d, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) {
    most[i] = PoolLarger(PoolLarger(PoolLarger(PoolLarger(std::numeric_limits<T>::lowest(), a[i]), b[i]), c[i]), d[i]);
  }
}

TENON_DETAIL_LOOPS_END

// Output row `row` of the image at `input`.
template <class T>
void PoolRow(const PoolGeometry& g, const T* input, Index row, T* out) {
  const auto clip = [](const Window& w, Index place, Index* begin, Index* end) {
    const Index first = place * w.stride - w.pad_before, last = first + w.size;
    *begin = first > 0 ? first : 0;
    *end = last < w.input ? last : w.input;
  };
  const Index depth = g.depth, row_elements = g.columns.input * depth;
  Index top, bottom, left, right;
  clip(g.rows, row, &top, &bottom);
  for (Index column = 0; column < g.columns.output; ++column, out += depth) {
    clip(g.columns, column, &left, &right);
    const T* const corner = input + top * row_elements + left * depth;
    if (bottom - top == 2 && right - left == 2) {
      PoolFourRuns(corner, corner + depth, corner + row_elements, corner + row_elements + depth, out, depth);
      continue;
    }
    bool first = true;
    for (Index r = 0; r < bottom - top; ++r) {
      for (Index c = 0; c < right - left; ++c) {
        const T* const x = corner + r * row_elements + c * depth;
        if (first)
          PoolFirstRun(x, out, depth);
        else
          PoolRun(x, out, depth);
        first = false;
      }
    }
    if (first) {
      for (Index i = 0; i < depth; ++i) out[i] = std::numeric_limits<T>::lowest();  // nothing but padding
    }
  }
}

// Groups of neighbouring channels: `n` of them.
template <class T>
void PoolDepth(const T* x, Index window, T* out, Index n) {
  for (Index i = 0; i < n; ++i, x += window) {
    T most = x[0];
    for (Index j = 1; j < window; ++j) most = PoolLarger(most, x[j]);
    out[i] = most;
  }
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape(). NaNs are passed over (over the depth: unless they come
// first), and what is below the lowest finite number counts as that number (over rows and columns).
template <class T>
Status MaxPool(Cpu& device, const PoolGeometry& geometry, const T* input, T* output) {
  const PoolGeometry& g = geometry;
  const double ns_per_element = std::is_arithmetic_v<T> ? 0.2 : 3.0;
  if (g.depth_window > 1) {
    ParallelFor(device, g.output_shape().num_elements(), ns_per_element * static_cast<double>(g.depth_window),
                [&](Index begin, Index end) {
                  detail::PoolDepth(input + begin * g.depth_window, g.depth_window, output + begin, end - begin);
                });
    return OkStatus();
  }
  const double ns = ns_per_element * static_cast<double>(g.rows.size * g.columns.size) *
                    static_cast<double>(g.depth * g.columns.output);
  ParallelFor(device, g.batch * g.rows.output, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index image = i / g.rows.output;
      detail::PoolRow(g, input + image * g.rows.input * g.columns.input * g.depth, i % g.rows.output,
                      output + i * g.columns.output * g.depth);
    }
  });
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/ops/nn/pool.hpp ----
// MaxPool: the largest value in a window that moves over images.
TENON_NAMESPACE_BEGIN

namespace ops {

// input: [n, h, w, c]  ->  [n, oh, ow, c] (or [n, h, w, oc] where the window lies along the depth)
struct MaxPool {
  static constexpr auto signature =
      Op("MaxPool")
          .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT")
          .Attr("ksize: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Input("input: T")
          .Output("output: T")
          .SetShapeFn(shape_inference::MaxPoolShapeWithExplicitPadding);

  struct Attrs {
    std::span<const std::int64_t> ksize, strides, explicit_paddings;
    std::string_view padding, data_format;
  };

  // Sizes its output itself: the kernel takes windows that the shape function refuses.
  template <class Device, class T>
    requires(Device::type == "CPU" && !std::is_same_v<T, qint8>)
  struct kernel : Attrs {
    Status operator()(Device& device, In<T> input, Late<T>& output) const {
      if (data_format != "NHWC")
        return errors::InvalidArgument("Default MaxPoolingOp only supports NHWC on device type CPU, got ", data_format);
      Padding kind{};
      TENON_RETURN_IF_ERROR(ParsePadding(padding, &kind));
      PoolGeometry geometry;
      TENON_RETURN_IF_ERROR(MakePoolGeometry(input.shape(), ksize, strides, kind, explicit_paddings, &geometry));
      TENON_ASSIGN_OR_RETURN(const Out<T> out, output.Allocate(geometry.output_shape()));
      return tenon::MaxPool(device, geometry, input.data, out.data);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/softmax.hpp ----
// Softmax of rows: three passes over a row that stays in the first cache (largest, exponentials and their sum,
// scaling).
TENON_NAMESPACE_BEGIN

namespace detail {

// One row of float or double, n >= 1; `out` may be `x`. A row with a NaN, with +infinity, or of nothing but -infinity
// gives NaNs, as the formula says.
template <class T, class Isa = simd::Unit>
void SoftmaxRow(const T* x, T* out, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr Index kSize = B::size;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  if (n < kSize) {
    const B part = B::LoadPart(x, n, kLowest);
    const B y = (part - B(part.Largest())).Exp();
    (y * B(T(1) / y.Sum())).StorePart(out, n);
    return;
  }
  // What does not fill a batch is done with the batch that ends the row; `last` is read before anything is written.
  const Index whole = n / kSize * kSize;
  const B last = B::Load(x + n - kSize);
  B largest = last;
  for (Index i = 0; i < whole; i += kSize) largest = B::Max(largest, B::Load(x + i));
  const B shift(largest.Largest());

  // Two sums, as the additions would wait for each other.
  B sum(T(0)), other_sum(T(0));
  Index i = 0;
  for (; i + 2 * kSize <= whole; i += 2 * kSize) {
    const B first = (B::Load(x + i) - shift).Exp(), second = (B::Load(x + i + kSize) - shift).Exp();
    first.Store(out + i);
    second.Store(out + i + kSize);
    sum = sum + first;
    other_sum = other_sum + second;
  }
  for (; i < whole; i += kSize) {
    const B y = (B::Load(x + i) - shift).Exp();
    y.Store(out + i);
    sum = sum + y;
  }
  if (whole == n) {
    const B scale(T(1) / (sum + other_sum).Sum());
    for (i = 0; i < n; i += kSize) (B::Load(out + i) * scale).Store(out + i);
    return;
  }
  const B y = (last - shift).Exp();
  T lanes[kSize];
  y.Store(lanes);
  T total = (sum + other_sum).Sum();
  for (Index lane = kSize - (n - whole); lane < kSize; ++lane) total += lanes[lane];  // those that were not added yet
  const B scale(T(1) / total);
  for (i = 0; i < whole; i += kSize) (B::Load(out + i) * scale).Store(out + i);
  (y * scale).Store(out + n - kSize);
}

}  // namespace detail

// out[r, :] = exp(x[r, :]) / sum(exp(x[r, :])) without overflow: [rows, columns] -> the same. `out` may be `x`.
// T is float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T>
Status Softmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  const double ns = static_cast<double>(columns) * (std::is_same_v<T, float> ? 0.7 : 5.0) + 20;
  if constexpr (std::is_floating_point_v<T>) {
    ParallelFor(device, rows, ns, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) detail::SoftmaxRow(x + r * columns, out + r * columns, columns);
    });
  } else {
    const Index parts = detail::WorthwhileParts(device, ns * static_cast<double>(rows));
    const std::size_t row_bytes = detail::ScratchBytes<float>(columns);
    Scratch scratch(device, static_cast<std::size_t>(parts) * row_bytes);
    TENON_RETURN_IF_ERROR(scratch.status("Softmax"));
    detail::RunParts(device, parts, [&](Index part) {
      float* const row = scratch.As<float>(static_cast<std::size_t>(part) * row_bytes);
      for (Index r = detail::PartBegin(rows, parts, 1, part); r < detail::PartBegin(rows, parts, 1, part + 1); ++r) {
        for (Index i = 0; i < columns; ++i) row[i] = static_cast<float>(x[r * columns + i]);
        detail::SoftmaxRow(row, row, columns);
        for (Index i = 0; i < columns; ++i) out[r * columns + i] = static_cast<T>(row[i]);
      }
    });
  }
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/ops/nn/softmax.hpp ----
// Softmax over the last dimension.
TENON_NAMESPACE_BEGIN

namespace ops {

// logits: [..., n]  ->  the same shape; each row sums to 1
struct Softmax {
  static constexpr auto signature = Op("Softmax")
                                        .Input("logits: T")
                                        .Output("softmax: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
                                        });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<T> logits, Forward<T, 0> softmax) const {
      const TensorShape& shape = logits.shape();
      if (shape.dims() < 1) return errors::InvalidArgument("Softmax: logits must have >= 1 dimension, got ", shape);
      const Index columns = shape.dim_size(shape.dims() - 1);
      return tenon::Softmax(device, logits.data, softmax.data, columns == 0 ? 0 : logits.size() / columns, columns);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops.hpp ----
// All standard ops, and tenon::ops::All to register them:
//
//   TENON_REGISTER(tenon::ops::All);                                          every type
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::All);       these types only: smaller and faster to
//   compile
TENON_NAMESPACE_BEGIN

namespace ops {

using All = OpList<
    // array
    Identity, Pack, Reshape, Shape, StridedSlice,
    // control flow
    NoOp,
    // inputs and constants
    Const, Placeholder,
    // math
    Add, AddV2, Exp, MatMul, Max, Maximum, Mean, Min, Minimum, Mul, Neg, Prod, Rsqrt, Sqrt, Square, Sub, Sum,
    // neural networks
    BiasAdd, Conv2D, MaxPool, Relu, Relu6, Softmax>;

}  // namespace ops

TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// simd::Batch<float> and Batch<double>: as many lanes as the translation unit's instruction set has, by xsimd (8.1 to
// 14), for kernels of one's own; <tenon/simd.hpp> shows one. The only file that includes xsimd; where that is missing,
// a Batch has one lane. Every function here is also there for plain float and double, so that one body serves both.
// (The standard kernels are compiled for several instruction sets at once, by engine/simd/vector.hpp.)

#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/engine/simd/isa.hpp>

#if !defined(__NVCC__) && __has_include(<xsimd/xsimd.hpp>)
#include <xsimd/xsimd.hpp>
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#define TENON_DETAIL_XSIMD 1
#else
#define TENON_DETAIL_XSIMD 0
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

// The instruction set of Batch: the one that the unit is compiled for, where xsimd is there; one lane elsewhere.
#if TENON_DETAIL_XSIMD
using Unit = Compiled;
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

// Lanes of T that one value holds. T is float or double.
template <class T, class Isa = Unit>
struct Batch;

namespace detail {

// xsimd's name of an instruction set; void where it has none, and one lane does the work.
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

// One bool a lane, the result of a comparison.
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
  TENON_HD Batch(T value) : v(value) {}  // `value` in every lane
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
  // Sum and largest of all lanes.
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

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generated from include/tenon by tools/amalgamate.py; change the headers there.
#include "tenon.hpp"

#include <cmath>
#include <math.h>

// ---- tenon/engine/isa.hpp ----
// The instruction set a translation unit is compiled for, as a type: it stands in the name of every function that
// depends on it, so that files compiled with different flags may be linked together. The instruction sets above it that
// the hottest loops are compiled for as well, and which of them to use here. And what makes g++ vectorise a loop at
// -O2.
TENON_NAMESPACE_BEGIN

namespace simd {

namespace isa {
struct Scalar {};  // one lane: processors without vectors that we know, nvcc, and where xsimd is missing
struct Sse2 {};
struct Sse41 {};
struct Avx {};
struct Avx2 {};  // with FMA
struct Avx512 {};  // F, BW, DQ, VL
struct Neon64 {};
}  // namespace isa

// What the compiler may use in this unit.
#if defined(__CUDACC__)
using Compiled = isa::Scalar;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using Compiled = isa::Avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using Compiled = isa::Avx2;
#elif defined(__AVX__)
using Compiled = isa::Avx;
#elif defined(__SSE4_1__)
using Compiled = isa::Sse41;
#elif defined(__SSE2__) || defined(_M_X64)
using Compiled = isa::Sse2;
#elif defined(__aarch64__)
using Compiled = isa::Neon64;
#else
using Compiled = isa::Scalar;
#endif

// What Batch has vectors for: the same, where xsimd is there.
#if __has_include(<xsimd/xsimd.hpp>)
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

// Lanes of T that one value holds. In engine/simd.hpp; works for T = float and double.
template <class T, class Isa = Unit>
struct Batch;

// An instruction set that one function is compiled for by TENON_DETAIL_TARGET_..., whatever the unit's flags are.
template <class Isa>
struct Targeted {};

template <class Isa>
inline constexpr int kVectorBytes = 16;
template <> inline constexpr int kVectorBytes<isa::Avx> = 32;
template <> inline constexpr int kVectorBytes<isa::Avx2> = 32;
template <> inline constexpr int kVectorBytes<isa::Avx512> = 64;
template <class Isa>
inline constexpr int kVectorBytes<Targeted<Isa>> = kVectorBytes<Isa>;

template <class Isa>
inline constexpr int kVectorRegisters = 16;
template <> inline constexpr int kVectorRegisters<isa::Avx512> = 32;
template <> inline constexpr int kVectorRegisters<isa::Neon64> = 32;
template <class Isa>
inline constexpr int kVectorRegisters<Targeted<Isa>> = kVectorRegisters<Isa>;

// What to run: the unit's own code, or that of a function compiled for more. Ascending.
enum class Level { kUnit, kAvx2, kAvx512 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define TENON_DETAIL_TARGETS 1
#define TENON_DETAIL_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define TENON_DETAIL_TARGET_AVX512 __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))

namespace detail {
inline Level FindLevel() {
  const char* const text = std::getenv("TENON_ISA");
  const std::string_view wanted = text == nullptr ? "" : text;
  if (wanted == "unit") return Level::kUnit;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::kUnit;
  if (wanted == "avx2" || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    return Level::kAvx2;
  }
  return Level::kAvx512;
}
}  // namespace detail

// The highest that this processor has; the environment's TENON_ISA (unit, avx2, avx512) may ask for less. Fixed by the
// first call. Code of the unit itself is never replaced by lower one. thread-safe.
inline Level BestLevel() {
  static const Level level = detail::FindLevel();
  return level;
}
#else
#define TENON_DETAIL_TARGETS 0
inline Level BestLevel() { return Level::kUnit; }
#endif

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

// ---- tenon/kernel/served_types.hpp ----
// For erased kernels: the dtypes that they serve, where those are fewer than the op allows.
TENON_NAMESPACE_BEGIN

// Numbers and bool, without the quantised and the small ones: what most of TensorFlow's CPU kernels are built for.
inline constexpr DataTypeSet kPodTypes{(kNumberTypes.mask & ~kQuantizedTypes.mask) | ToSet(DataType::kBool).mask};
inline constexpr DataTypeSet kPodAndStringTypes = kPodTypes | ToSet(DataType::kString);
inline constexpr DataTypeSet kPodAndObjectTypes =
    kPodAndStringTypes | ToSet(DataType::kResource) | ToSet(DataType::kVariant);

// What a kernel's Init returns: InvalidArgument, as for any missing kernel, unless `type` is among `served`.
inline Status ServeOnly(const OpKernelConstruction& construction, DataType type, DataTypeSet served) {
  if (served.contains(type)) return OkStatus();
  return errors::InvalidArgument("no kernel for op '", construction.op().name, "' on ", construction.device_type(),
                                 " with types {", DataTypeString(type), "}; registered: ", DataTypeSetString(served));
}

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

// Each output is the input of the same number.
struct IdentityN {
  static constexpr auto signature = Op("IdentityN")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 1")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 0; i < c->num_inputs(); ++i) c->set_output(i, c->input(i));
                                          return OkStatus();
                                        });

  template <class Device>
  struct kernel {
    Status operator()(Device&, std::span<const Tensor> input, std::span<Tensor> output) const {
      for (std::size_t i = 0; i < input.size(); ++i) output[i] = input[i];
      return OkStatus();
    }
  };
};

// The input as it is now: TensorFlow copies it, here a value cannot change any more.
struct Snapshot {
  static constexpr auto signature =
      Op("Snapshot").Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

struct StopGradient {
  static constexpr auto signature = Op("StopGradient")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = Identity::kernel<Device>;
};

// `message` is for whoever asks for a gradient.
struct PreventGradient {
  static constexpr auto signature = Op("PreventGradient")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("message: string = ''")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr std::string_view unused[] = {"message"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = Identity::kernel<Device>;
};

// The input, which must have a shape that `shape` allows.
struct EnsureShape {
  static constexpr auto signature = Op("EnsureShape")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("shape: shape")
                                        .Attr("T: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle wanted, input = c->input(0), out;
                                          TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &wanted));
                                          // As in TensorFlow, an input of known rank does not have "the rank -1" of an
                                          // unknown shape.
                                          if (c->RankKnown(input))
                                            TENON_RETURN_IF_ERROR(c->WithRank(input, c->Rank(wanted), &input));
                                          TENON_RETURN_IF_ERROR(c->Merge(wanted, input, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });

  struct Attrs {
    PartialTensorShape shape;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      if (!this->shape.IsCompatibleWith(input.shape()))
        return errors::InvalidArgument("EnsureShape: Shape of tensor '", context.op().op_kernel().name(), "' ",
                                       input.shape(), " is not compatible with expected shape ", this->shape, ".");
      output = input;
      return OkStatus();
    }
  };
};

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
            else if (const AttrValue* held = c->node() == nullptr ? nullptr : c->node()->attr.Find("value"))
              TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(held->undecoded_shape(), &shape));
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

// Placeholder as it was before version 23 of graphs: `shape` must be given.
struct PlaceholderV2 {
  static constexpr auto signature = Op("PlaceholderV2")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn(shape_inference::ExplicitShape)
                                        .Deprecated(23, "Placeholder now behaves the same as PlaceholderV2.");

  struct Attrs {
    PartialTensorShape shape;
  };

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor&) const {
      const OpKernel& self = context.op().op_kernel();
      return errors::InvalidArgument("You must feed a value for placeholder tensor '", self.name(), "' with dtype ",
                                     self.output_type(0), " and shape ", this->shape);
    }
  };
};

// What is fed, else the input.
struct PlaceholderWithDefault {
  static constexpr auto signature = Op("PlaceholderWithDefault")
                                        .Input("input: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out, unused;
                                          TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
                                          TENON_RETURN_IF_ERROR(c->Merge(c->input(0), out, &unused));
                                          c->set_output(0, out);  // what is fed may differ from the default
                                          return OkStatus();
                                        });

  static constexpr std::string_view unused[] = {"shape"};
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

// ---- tenon/engine/gemm_blocks.hpp ----
// The way of a large matrix product through the caches, for any element size. k is cut so that a panel of b - as many
// columns as a tile is wide - stays in the first or second cache; it is copied together once, and all tiles of rows of
// a meet it there. Rows of a are cut so that the part which every panel meets stays in the second cache; they are read
// where they lie, and copied only if a is large and stored transposed or at unlucky distances. The four transposed
// cases differ in these copies alone. Every thread has a rectangle of c to itself, and which thread sums up an element
// does not change its value.
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

// ---- tenon/engine/gemm_tile.hpp ----
// The innermost part of a matrix product: a tile of c, 6 or 4 rows by a few vectors, is summed up in registers while
// one column of a and one row of b after the other go by. Each step loads the row's vectors once and multiplies them by
// every row's number, so that the processor multiplies more than it loads. The one body is compiled for the unit's
// instruction set, and on x86-64 for those above it; GemmKernelsOf picks one while running. Everything here knows its
// element type by size and function pointer, so that the code around it (engine/gemm_blocks.hpp) is compiled once.
#if !defined(__CUDACC__)  // vectors are for the host's compiler

TENON_NAMESPACE_BEGIN

namespace detail {

// c = a b, or c += a b, for one tile. Distances are in elements. Rows of b lie next to each other in what a tile is
// wide.
struct GemmTile {
  Index k;
  const void* a;
  Index a_row, a_col;
  const void* b;
  Index b_row;
  void* c;
  Index c_row;
  bool add;
  const char* ahead;  // what to have in the cache later: one line at each step
  Index ahead_step;  // in bytes
};

// The sides of a tile: rows, and vectors of a row. Two of each, and the narrow tile is one vector wide.
inline constexpr Index kGemmRows = 6, kGemmFewRows = 4;
template <class Isa>
inline constexpr int kGemmWidth = simd::kVectorRegisters<Isa> == 32 ? 4 : 2;

// What an instruction set has for an element type.
struct GemmKernels {
  Index size;  // bytes of an element
  Index lanes;  // elements of a vector, and columns of a narrow tile
  Index width;  // vectors of a wide tile
  void (*tile[2][2])(const GemmTile&);  // [has few rows][is narrow]
  // Copies k rows of a tile's width, `step` bytes apart, so that they lie one behind the other.
  void (*pack[2])(const char* from, Index step, Index k, char* to);  // [is narrow]
  // to[c * to_row + r] = from[r * from_row + c]; distances in elements.
  void (*transpose)(const void* from, Index from_row, Index rows, Index columns, void* to, Index to_row);
};

#if defined(__GNUC__)

// Vectors stay inside of the functions that use them: as parameters, their passing would depend on compiler flags.
template <class T, int bytes>
struct GnuVector {
  typedef T type __attribute__((vector_size(bytes)));
  typedef T in_memory __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));
};

template <class T, int bytes, int rows, int width>
TENON_HD void MultiplyTile(const GemmTile& t) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes;
  const T* a = static_cast<const T*>(t.a);
  const T* b = static_cast<const T*>(t.b);
  T* const c = static_cast<T*>(t.c);
  const char* ahead = t.ahead;
  const Index a_row = t.a_row, a_col = t.a_col, b_row = t.b_row, c_row = t.c_row, ahead_step = t.ahead_step;
  V sums[rows][width];
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * c_row);
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V{};
  }
  for (Index p = t.k; p > 0; --p, a += a_col, b += b_row, ahead += ahead_step) {
    __builtin_prefetch(ahead);
    V y[width];
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) y[v] = *reinterpret_cast<const InMemory*>(b + v * kLanes);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      const T x = a[i * a_row];
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) sums[i][v] += x * y[v];
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) {
      InMemory* const to = reinterpret_cast<InMemory*>(c + i * c_row + v * kLanes);
      *to = t.add ? sums[i][v] + *to : sums[i][v];
    }
  }
}

template <int bytes>
TENON_HD void PackRows(const char* from, Index step, Index k, char* to) {
  for (; k > 0; --k, from += step, to += bytes) __builtin_memcpy(to, from, bytes);
}

// Squares of 16 bytes a side at a time.
template <class U>
void TransposeInto(const void* from_data, Index from_row, Index rows, Index columns, void* to_data, Index to_row) {
  using V = typename GnuVector<U, 16>::in_memory;
  constexpr Index kSide = GnuVector<U, 16>::lanes;
  const U* const from = static_cast<const U*>(from_data);
  U* const to = static_cast<U*>(to_data);
  Index r = 0;
  for (; r + kSide <= rows; r += kSide) {
    const U* x = from + r * from_row;
    U* y = to + r;
    Index c = 0;
    for (; c + kSide <= columns; c += kSide, x += kSide, y += kSide * to_row) {
      const auto row = [&](Index i) -> const V& { return *reinterpret_cast<const V*>(x + i * from_row); };
      const auto column = [&](Index i) -> V& { return *reinterpret_cast<V*>(y + i * to_row); };
      if constexpr (sizeof(U) == 4) {
        const V even01 = __builtin_shufflevector(row(0), row(1), 0, 4, 2, 6),
                odd01 = __builtin_shufflevector(row(0), row(1), 1, 5, 3, 7),
                even23 = __builtin_shufflevector(row(2), row(3), 0, 4, 2, 6),
                odd23 = __builtin_shufflevector(row(2), row(3), 1, 5, 3, 7);
        column(0) = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
        column(1) = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
        column(2) = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
        column(3) = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
      } else {
        column(0) = __builtin_shufflevector(row(0), row(1), 0, 2);
        column(1) = __builtin_shufflevector(row(0), row(1), 1, 3);
      }
    }
    for (; c < columns; ++c, ++x, y += to_row) {
      for (Index i = 0; i < kSide; ++i) y[i] = x[i * from_row];
    }
  }
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
  }
}

// The bodies as functions of an instruction set.
template <class T, class Isa>
struct TileOf {
  template <int rows, int width>
  static void Multiply(const GemmTile& t) {
    MultiplyTile<T, simd::kVectorBytes<Isa>, rows, width>(t);
  }
  template <int width>
  static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<simd::kVectorBytes<Isa> * width>(from, step, k, to);
  }
};
#if TENON_DETAIL_TARGETS
template <class T>
struct TileOf<T, simd::Targeted<simd::isa::Avx2>> {
  template <int rows, int width>
  TENON_DETAIL_TARGET_AVX2 static void Multiply(const GemmTile& t) {
    MultiplyTile<T, 32, rows, width>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX2 static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<32 * width>(from, step, k, to);
  }
};
template <class T>
struct TileOf<T, simd::Targeted<simd::isa::Avx512>> {
  template <int rows, int width>
  TENON_DETAIL_TARGET_AVX512 static void Multiply(const GemmTile& t) {
    MultiplyTile<T, 64, rows, width>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX512 static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<64 * width>(from, step, k, to);
  }
};
#endif

template <class T, class Isa>
inline constexpr GemmKernels kGemmKernels = {
    sizeof(T),
    simd::kVectorBytes<Isa> / sizeof(T),
    kGemmWidth<Isa>,
    {{&TileOf<T, Isa>::template Multiply<kGemmRows, kGemmWidth<Isa>>, &TileOf<T, Isa>::template Multiply<kGemmRows, 1>},
     {&TileOf<T, Isa>::template Multiply<kGemmFewRows, kGemmWidth<Isa>>,
      &TileOf<T, Isa>::template Multiply<kGemmFewRows, 1>}},
    {&TileOf<T, Isa>::template Pack<kGemmWidth<Isa>>, &TileOf<T, Isa>::template Pack<1>},
    &TransposeInto<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>};

// For T = float and double, the best that this processor has.
template <class T, class Isa = simd::Compiled>
const GemmKernels& GemmKernelsOf() {
#if TENON_DETAIL_TARGETS
  if constexpr (!std::is_same_v<Isa, simd::isa::Avx512>) {
    const simd::Level level = simd::BestLevel();
    if (level == simd::Level::kAvx512) return kGemmKernels<T, simd::Targeted<simd::isa::Avx512>>;
    if constexpr (!std::is_same_v<Isa, simd::isa::Avx2>) {
      if (level == simd::Level::kAvx2) return kGemmKernels<T, simd::Targeted<simd::isa::Avx2>>;
    }
  }
#endif
  return kGemmKernels<T, Isa>;
}

#endif

}  // namespace detail

TENON_NAMESPACE_END

#endif  // !__CUDACC__

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
    return errors::ResourceExhausted(who, ": OOM when allocating ", bytes_, " bytes of scratch memory by ",
                                     detail::NoMemoryFrom(*allocator_, bytes_));
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

// ---- tenon/engine/gemm_blocks.hpp ----
#if !defined(__CUDACC__)  // vectors are for the host's compiler

TENON_NAMESPACE_BEGIN

namespace detail {

// Of one core; guesses where the system does not tell.
struct CacheSizes {
  Index first = 32 * 1024, second = 512 * 1024;
};
inline CacheSizes FindCacheSizes() {
  CacheSizes sizes;
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) sizes.first = bytes;
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > sizes.first) sizes.second = bytes;
#endif
  return sizes;
}
// Found out once. thread-safe.
inline const CacheSizes& Caches() {
  static const CacheSizes sizes = FindCacheSizes();
  return sizes;
}

// Operands with the distances, in elements, between rows and between columns; one of the two is 1. T is void where only
// the size of an element counts.
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

// Where part `part` of `parts` equal ones begins in [0, total), a multiple of `step`.
constexpr Index EvenBegin(Index total, Index parts, Index step, Index part) {
  return part == parts ? total : total * part / parts / step * step;
}
constexpr Index DivideUp(Index a, Index b) { return (a + b - 1) / b; }

// How one product is cut. Needs four rows at least. Shared by the threads that work on it.
class GemmBlocks {
 public:
  GemmBlocks(const GemmKernels& kernels, const GemmArgs<void>& g) : kernels_(kernels), g_(g) {
    const CacheSizes& caches = Caches();
    panel_ = kernels.width * kernels.lanes;
    const Index size = kernels.size;
    // A panel fills most of the first cache; where it would be too shallow for that, an eighth of the second.
    const Index row = panel_ * size, in_first = caches.first * 3 / 4 / row;
    const Index deepest = in_first >= kShallow ? in_first : Most(kShallow, caches.second / 8 / row);
    depth_ = DivideUp(g.k, DivideUp(g.k, deepest));
    tall_ = Most(kGroupRows, caches.second / 2 / (depth_ * size) / kGroupRows * kGroupRows);
    const Index small = caches.second / 4 / size;
    // Rows whose distance is a multiple of a page's size share their places in the caches.
    copies_a_ = g.m * g.k > small && (g.a_col != 1 || (g.a_row * size % 4096 == 0 && g.n > 4 * panel_));
    copies_b_ = g.b_col != 1 || (g.n * g.k > small && g.m > 2 * kGemmRows);
  }

  // The rectangle [row, row_end) x [column, column_end), in so many parts of each side.
  struct Split {
    Index by_rows = 1, by_columns = 1;
  };
  // The split into at most `parts` whose largest part has the least work: the products, and copying panels of b, which
  // costs about as much as multiplying them by eight rows.
  Split SplitFor(Index parts) const {
    Split best;
    Index least = PartCost(best);
    for (Index rows = 1; rows <= parts; ++rows) {
      if (rows > 1 && g_.m / rows < kGroupRows) break;
      Split split{rows, parts / rows};
      const Index panels = DivideUp(g_.n, panel_);
      if (split.by_columns > panels) split.by_columns = panels;
      if (const Index cost = PartCost(split); cost < least) {
        least = cost;
        best = split;
      }
    }
    return best;
  }

  // What a part needs for itself.
  std::size_t scratch_bytes() const {
    return PanelBytes() + (copies_a_ ? Bytes((tall_ + kGemmRows) * CopiedRow()) : 0);
  }

  void RunPart(const Split& split, Index part, char* scratch) const {
    const Index i = part / split.by_columns, j = part % split.by_columns;
    Run(EvenBegin(g_.m, split.by_rows, kGemmRows, i), EvenBegin(g_.m, split.by_rows, kGemmRows, i + 1),
        EvenBegin(g_.n, split.by_columns, panel_, j), EvenBegin(g_.n, split.by_columns, panel_, j + 1), scratch);
  }

 private:
  static constexpr Index kShallow = 192, kGroupRows = 2 * kGemmRows;

  // Rows of a, and where they lie: g_.a itself, or a copy.
  struct Rows {
    Index begin, end;
    const char* data;  // of element [begin, first column of the block]
    Index row, col;
  };
  // Columns of b in tiles of one width.
  struct Panel {
    Index column, columns;  // columns of b; the tile may be wider
    bool narrow;
    const char* data;
    Index row;
  };

  static Index Most(Index a, Index b) { return a > b ? a : b; }
  static Index Least(Index a, Index b) { return a < b ? a : b; }
  std::size_t Bytes(Index elements) const { return ScratchBytes<char>(elements * kernels_.size); }
  std::size_t PanelBytes() const { return Bytes(depth_ * panel_); }
  // Elements from row to row of a copied a: not a power of two, whose multiples share their places in a cache.
  Index CopiedRow() const { return depth_ + 16; }
  const char* A(Index i, Index p) const {
    return static_cast<const char*>(g_.a) + (i * g_.a_row + p * g_.a_col) * kernels_.size;
  }
  const char* B(Index p, Index j) const {
    return static_cast<const char*>(g_.b) + (p * g_.b_row + j * g_.b_col) * kernels_.size;
  }
  char* C(Index i, Index j) const { return static_cast<char*>(g_.c) + (i * g_.c_row + j) * kernels_.size; }

  Index PartCost(const Split& split) const {
    const Index rows = DivideUp(DivideUp(g_.m, split.by_rows), kGemmRows) * kGemmRows;
    const Index columns = DivideUp(DivideUp(g_.n, split.by_columns), panel_) * panel_;
    return (rows + 8) * columns;
  }

  void Run(Index row, Index row_end, Index column, Index column_end, char* scratch) const {
    const Index blocks = DivideUp(row_end - row, tall_);
    for (Index p = 0; p < g_.k; p += depth_) {
      const Index depth = Least(depth_, g_.k - p);
      for (Index block = 0; block < blocks; ++block) {
        Rows rows{row + EvenBegin(row_end - row, blocks, kGemmRows, block),
                  row + EvenBegin(row_end - row, blocks, kGemmRows, block + 1), nullptr, g_.a_row, g_.a_col};
        rows.data = A(rows.begin, p);
        if (copies_a_) CopyRows(depth, scratch + PanelBytes(), &rows);
        for (Index j = column; j < column_end;) {
          Panel panel = PanelAt(p, j, column_end);
          if (panel.data == nullptr) CopyPanel(p, depth, scratch, &panel);
          j += panel.columns;
          RunTiles(rows, panel, p, depth, j < column_end ? B(p, j) : nullptr);
        }
      }
    }
  }

  void CopyRows(Index depth, char* to, Rows* rows) const {
    const Index count = rows->end - rows->begin, size = kernels_.size;
    if (g_.a_col != 1) {
      kernels_.transpose(rows->data, g_.a_col, depth, count, to, CopiedRow());
    } else {
      for (Index i = 0; i < count; ++i) {
        std::memcpy(to + i * CopiedRow() * size, rows->data + i * g_.a_row * size,
                    static_cast<std::size_t>(depth * size));
      }
    }
    rows->data = to;
    rows->row = CopiedRow();
    rows->col = 1;
  }

  // Wide tiles as long as there are columns for them; for the rest narrow ones, unless they were as many as a wide one
  // has vectors or nearly.
  Panel PanelAt(Index p, Index j, Index column_end) const {
    const Index left = column_end - j, vectors = DivideUp(left, kernels_.lanes);
    Panel panel{j, Least(left, panel_), vectors <= kernels_.width / 2, nullptr, g_.b_row};
    if (panel.narrow) panel.columns = Least(left, kernels_.lanes);
    if (!copies_b_ && panel.columns == Width(panel)) panel.data = B(p, j);
    return panel;
  }
  Index Width(const Panel& panel) const { return panel.narrow ? kernels_.lanes : panel_; }

  // With zeros behind the last column: what they are multiplied by is not stored.
  void CopyPanel(Index p, Index depth, char* to, Panel* panel) const {
    const Index width = Width(*panel), size = kernels_.size;
    const char* const from = B(p, panel->column);
    if (panel->columns < width) std::memset(to, 0, static_cast<std::size_t>(depth * width * size));
    if (g_.b_col != 1) {
      kernels_.transpose(from, g_.b_col, panel->columns, depth, to, width);
    } else if (panel->columns == width) {
      kernels_.pack[panel->narrow](from, g_.b_row * size, depth, to);
    } else {
      for (Index i = 0; i < depth; ++i) {
        std::memcpy(to + i * width * size, from + i * g_.b_row * size, static_cast<std::size_t>(panel->columns * size));
      }
    }
    panel->data = to;
    panel->row = width;
  }

  // All rows of a block by one panel. The last tile may begin above the first row that is left, whose values it then
  // does not store. `next` is where the next panel will be copied from.
  void RunTiles(const Rows& rows, const Panel& panel, Index p, Index depth, const char* next) const {
    const Index width = Width(panel), size = kernels_.size;
    const Index lines = next == nullptr || g_.b_col != 1 ? 0 : width * size / 64;
    GemmTile t{depth, nullptr, rows.row, rows.col, panel.data, panel.row, nullptr, g_.c_row, p > 0, panel.data, 0};
    Index number = 0;
    for (Index i = rows.begin; i < rows.end; ++number) {
      const Index left = rows.end - i;
      const bool few = left <= 4 || left == 7 || left == 8 || (left == 5 && i == rows.begin);
      const Index height = few ? kGemmFewRows : kGemmRows;
      const Index above = Most(height - left, 0);
      t.a = rows.data + (i - above - rows.begin) * rows.row * size;
      t.ahead = number < lines ? next + number * 64 : panel.data;
      t.ahead_step = number < lines ? g_.b_row * size : 0;
      const auto tile = kernels_.tile[few][panel.narrow];
      if (above == 0 && panel.columns == width) {
        t.c = C(i, panel.column);
        tile(t);
      } else {
        RunPartOfTile(t, tile, i, height - above, above, panel, width);
      }
      i += height - above;
    }
  }

  // Rows [above, above + rows) of a tile, and its first columns, into c from row i on.
  void RunPartOfTile(GemmTile t, void (*tile)(const GemmTile&), Index i, Index rows, Index above, const Panel& panel,
                     Index width) const {
    alignas(64) char sums[kGemmRows * 4 * 64];
    const std::size_t bytes = static_cast<std::size_t>(panel.columns * kernels_.size);
    char* const first = sums + above * width * kernels_.size;
    t.c = sums;
    t.c_row = width;
    if (t.add) {
      std::memset(sums, 0, sizeof sums);
      for (Index r = 0; r < rows; ++r) std::memcpy(first + r * width * kernels_.size, C(i + r, panel.column), bytes);
    }
    tile(t);
    for (Index r = 0; r < rows; ++r) std::memcpy(C(i + r, panel.column), first + r * width * kernels_.size, bytes);
  }

  const GemmKernels& kernels_;
  const GemmArgs<void> g_;
  Index panel_;  // columns of a wide tile
  Index depth_;  // of a block of k
  Index tall_;  // rows of a block at most
  bool copies_a_, copies_b_;
};

// c = a b, four rows at least; `ns` is about what one thread would need.
inline Status RunGemmBlocks(Cpu& device, const GemmKernels& kernels, const GemmArgs<void>& g, double ns) {
  const GemmBlocks blocks(kernels, g);
  const GemmBlocks::Split split = blocks.SplitFor(WorthwhileParts(device, ns));
  const Index parts = split.by_rows * split.by_columns;
  const std::size_t bytes = blocks.scratch_bytes();
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  RunParts(device, parts,
           [&](Index part) { blocks.RunPart(split, part, scratch.As<char>(static_cast<std::size_t>(part) * bytes)); });
  return OkStatus();
}

}  // namespace detail

TENON_NAMESPACE_END

#endif  // !__CUDACC__

// ---- tenon/engine/gemm_thin.hpp ----
// Matrix products of few rows, and small ones. Every element of b is used once or a few times, so that reading b is the
// work: it is read where it lies and about in the order in which it lies. A transposed b by dot products; else a few
// rows of it at a time, in blocks of columns whose sums stay in registers.
#if !defined(__CUDACC__)  // vectors are for the host's compiler

TENON_NAMESPACE_BEGIN

namespace detail {

// What an instruction set has for T = float or double. Rows of b, x, y and c are contiguous.
template <class T>
struct ThinKernels {
  // c[j] = the sum of x[p] y[j * y_step + p], p in [0, k), for j in [0, n).
  void (*dot)(const T* x, const T* y, Index y_step, Index k, T* c, Index n);
  // c[j] = the sum of a[p * a_col] b[p * b_row + j], or that added to c[j].
  void (*row)(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n, bool add);
};

// Of x y, k elements.
template <class T, int bytes>
TENON_HD T DotProduct(const T* x, const T* y, Index k) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr Index kLanes = GnuVector<T, bytes>::lanes;
  V sums[4] = {};
  Index p = 0;
  for (; p + 4 * kLanes <= k; p += 4 * kLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      sums[i] += *reinterpret_cast<const InMemory*>(x + p + i * kLanes) *
                 *reinterpret_cast<const InMemory*>(y + p + i * kLanes);
    }
  }
  for (; p + kLanes <= k; p += kLanes)
    sums[0] += *reinterpret_cast<const InMemory*>(x + p) * *reinterpret_cast<const InMemory*>(y + p);
  sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  T sum = T(0);
  for (Index i = 0; i < kLanes; ++i) sum += sums[0][i];
  for (; p < k; ++p) sum += x[p] * y[p];
  return sum;
}

// c[0 .. width vectors) = one row of a times so many columns of b, or that added to c. Eight sums in registers, so that
// no addition waits for another: of narrow blocks, several for each column.
template <class T, int bytes, int width>
TENON_HD void RowTimesColumns(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, bool add) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes, kChains = 8 / width;
  V sums[kChains][width];
#pragma GCC unroll 8
  for (int chain = 0; chain < kChains; ++chain) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[chain][v] = V{};
  }
  Index p = 0;
  for (; p + kChains <= k; p += kChains, a += kChains * a_col, b += kChains * b_row) {
#pragma GCC unroll 8
    for (int chain = 0; chain < kChains; ++chain) {
      const T x = a[chain * a_col];
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v)
        sums[chain][v] += x * *reinterpret_cast<const InMemory*>(b + chain * b_row + v * kLanes);
    }
  }
  for (; p < k; ++p, a += a_col, b += b_row) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[0][v] += *a * *reinterpret_cast<const InMemory*>(b + v * kLanes);
  }
#pragma GCC unroll 8
  for (int v = 0; v < width; ++v) {
#pragma GCC unroll 8
    for (int chain = 1; chain < kChains; ++chain) sums[0][v] += sums[chain][v];
    InMemory* const to = reinterpret_cast<InMemory*>(c + v * kLanes);
    *to = add ? sums[0][v] + *to : sums[0][v];
  }
}

// Column blocks, each from top to bottom.
template <class T, int bytes>
TENON_HD void RowTimesMatrix(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n, bool add) {
  constexpr Index kLanes = GnuVector<T, bytes>::lanes;
  Index j = 0;
  for (; j + 8 * kLanes <= n; j += 8 * kLanes) RowTimesColumns<T, bytes, 8>(a, a_col, b + j, b_row, k, c + j, add);
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) RowTimesColumns<T, bytes, 2>(a, a_col, b + j, b_row, k, c + j, add);
  if (j == n) return;
  if (n >= kLanes) {  // one or two vectors more, some of their columns for the second time
    for (; j < n; j += kLanes) {
      const bool fits = j + kLanes <= n;
      const Index first = fits ? j : n - kLanes;
      T sums[kLanes];
      RowTimesColumns<T, bytes, 1>(a, a_col, b + first, b_row, k, fits ? c + j : sums, add && fits);
      if (fits) continue;
      for (Index i = j; i < n; ++i) c[i] = add ? c[i] + sums[i - first] : sums[i - first];
    }
    return;
  }
  for (; j < n; ++j) {
    T sum = T(0);
    for (Index p = 0; p < k; ++p) sum += a[p * a_col] * b[p * b_row + j];
    c[j] = add ? c[j] + sum : sum;
  }
}

// The bodies as functions of an instruction set.
template <class T, class Isa>
struct ThinOf {
  static constexpr int kBytes = simd::kVectorBytes<Isa>;
  static void Dot(const T* x, const T* y, Index y_step, Index k, T* c, Index n) {
    for (Index j = 0; j < n; ++j) c[j] = DotProduct<T, kBytes>(x, y + j * y_step, k);
  }
  static void Row(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n, bool add) {
    RowTimesMatrix<T, kBytes>(a, a_col, b, b_row, k, c, n, add);
  }
};
#if TENON_DETAIL_TARGETS
template <class T>
struct ThinOf<T, simd::Targeted<simd::isa::Avx2>> {
  TENON_DETAIL_TARGET_AVX2 static void Dot(const T* x, const T* y, Index y_step, Index k, T* c, Index n) {
    for (Index j = 0; j < n; ++j) c[j] = DotProduct<T, 32>(x, y + j * y_step, k);
  }
  TENON_DETAIL_TARGET_AVX2 static void Row(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n,
                                           bool add) {
    RowTimesMatrix<T, 32>(a, a_col, b, b_row, k, c, n, add);
  }
};
#endif

template <class T, class Isa>
inline constexpr ThinKernels<T> kThinKernels = {&ThinOf<T, Isa>::Dot, &ThinOf<T, Isa>::Row};

// The best that this processor has; 32-byte vectors read as fast as longer ones.
template <class T, class Isa = simd::Compiled>
const ThinKernels<T>& ThinKernelsOf() {
#if TENON_DETAIL_TARGETS
  if constexpr (simd::kVectorBytes<Isa> < 32) {
    if (simd::BestLevel() != simd::Level::kUnit) return kThinKernels<T, simd::Targeted<simd::isa::Avx2>>;
  }
#endif
  return kThinKernels<T, Isa>;
}

// Of the part of b that stays in the first cache while the rows of a go by: bytes, rows at least, columns at most.
inline constexpr Index kThinBytes = 16 * 1024, kThinRows = 8, kThinColumns = 256;

// Splits the longer side of c over the device's threads: body(row, row_end, column, column_end).
template <class Body>
void SplitProduct(Cpu& device, Index parts, Index m, Index n, const Body& body) {
  const bool by_rows = m >= n;
  RunParts(device, parts, [&](Index part) {
    // Blocks of columns are the same for any number of threads.
    const Index total = by_rows ? m : n, step = by_rows ? 1 : kThinColumns;
    const Index begin = PartBegin(total, parts, step, part), end = PartBegin(total, parts, step, part + 1);
    if (begin < end) body(by_rows ? begin : 0, by_rows ? end : m, by_rows ? 0 : begin, by_rows ? n : end);
  });
}

// One part of a thin product; `a` has contiguous rows where b is transposed.
template <class T>
void RunThinPart(const ThinKernels<T>& kernels, const GemmArgs<T>& g, Index row, Index row_end, Index column,
                 Index column_end) {
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      kernels.dot(g.a + i * g.a_row, g.b + column * g.b_col, g.b_col, g.k, g.c + i * g.c_row + column,
                  column_end - column);
    }
    return;
  }
  constexpr Index kVectors = static_cast<Index>(256 / sizeof(T));  // columns whose sums stay in registers
  const Index rows = kThinBytes / (g.b_row * Index{sizeof(T)});
  const Index depth = g.n <= kVectors ? g.k : rows > kThinRows ? rows : kThinRows;
  for (Index p = 0; p < g.k; p += depth) {
    const Index k = g.k - p < depth ? g.k - p : depth;
    for (Index j = column; j < column_end; j += kThinColumns) {
      const Index n = column_end - j < kThinColumns ? column_end - j : kThinColumns;
      for (Index i = row; i < row_end; ++i) {
        kernels.row(g.a + i * g.a_row + p * g.a_col, g.a_col, g.b + p * g.b_row + j, g.b_row, k, g.c + i * g.c_row + j,
                    n, p > 0);
      }
    }
  }
}

// c = a b; `ns` is about what one thread would need.
template <class T>
Status RunThinGemm(Cpu& device, const ThinKernels<T>& kernels, GemmArgs<T> g, double ns) {
  const bool copies_a = g.b_col != 1 && g.a_col != 1;
  Scratch scratch(device, copies_a ? ScratchBytes<T>(g.m * g.k) : 0);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  if (copies_a) {
    T* const a = scratch.As<T>();
    for (Index i = 0; i < g.m; ++i) {
      for (Index p = 0; p < g.k; ++p) a[i * g.k + p] = g.a[i * g.a_row + p * g.a_col];
    }
    g.a = a;
    g.a_row = g.k;
    g.a_col = 1;
  }
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index row, Index row_end, Index column, Index column_end) {
                 RunThinPart(kernels, g, row, row_end, column, column_end);
               });
  return OkStatus();
}

}  // namespace detail

TENON_NAMESPACE_END

#endif  // !__CUDACC__

// ---- tenon/engine/gemm.hpp ----
// Gemm: the product of two matrices on the CPU, for every number type. float and double are multiplied tile by tile
// (engine/gemm_tile.hpp, engine/gemm_blocks.hpp), and by loops of their own where there are too few rows for that
// (engine/gemm_thin.hpp); half and bfloat16 as float; integers and complex numbers by the plain loops here.
TENON_NAMESPACE_BEGIN

// c = a b: [m, k] [k, n] -> [m, n]; a transposed operand is stored as [k, m] or [n, k] (complex numbers are not
// conjugated). Integers wrap around. Zeros where k is 0. InvalidArgument when the inner dimensions disagree. Allocates
// scratch memory from the device for large products. (nvcc does not compile the definition: another file of the program
// does.)
template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c);

#if !defined(__CUDACC__)

namespace detail {

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

// Rows [row, row_end) and columns [column, column_end) of c, whatever the type: b is read front to back, in pieces of a
// row that stay in the first cache while the rows of a go by; a transposed b by its columns.
template <class T>
void GemmLoops(const GemmArgs<T>& g, Index row, Index row_end, Index column, Index column_end) {
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      for (Index j = column; j < column_end; ++j) {
        T sum = T(0);
        for (Index p = 0; p < g.k; ++p) {
          sum = MultiplyAdd(g.a[i * g.a_row + p * g.a_col], g.b[p * g.b_row + j * g.b_col], sum);
        }
        g.c[i * g.c_row + j] = sum;
      }
    }
    return;
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

template <class T>
void GemmWithLoops(Cpu& device, const GemmArgs<T>& g) {
  const double ns = 0.5 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index row, Index row_end, Index column, Index column_end) {
                 GemmLoops(g, row, row_end, column, column_end);
               });
}

// A product without empty dimensions.
template <class T>
Status GemmArranged(Cpu& device, const GemmArgs<T>& g) {
  if constexpr (!std::is_floating_point_v<T>) {
    GemmWithLoops(device, g);
    return OkStatus();
  } else {
    if (g.n == 1 && g.m > 1) {  // c is a column: the same as a row
      return GemmArranged(device, GemmArgs<T>{1, g.m, g.k, g.b, g.b_col, g.b_row, g.a, g.a_col, g.a_row, g.c, g.m});
    }
    const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    constexpr Index kThin = kGemmFewRows - 1;  // b is read about once: copying it would cost more than multiplying
    constexpr double kSmall = 8 * 8 * 64;  // products
    if (g.m <= kThin || products <= kSmall) return RunThinGemm(device, ThinKernelsOf<T>(), g, 0.05 * products);
    const GemmKernels& kernels = GemmKernelsOf<T>();
    return RunGemmBlocks(device, kernels, {g.m, g.n, g.k, g.a, g.a_row, g.a_col, g.b, g.b_row, g.b_col, g.c, g.c_row},
                         0.16 * products / static_cast<double>(kernels.lanes));
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
// type Attrs), twice T for a binary one. half and bfloat16 are no business of map: it is called with floats, and a
// float that it returns is rounded; an op whose steps must be rounded one by one has `static constexpr bool
// takes_small_floats = true;`. `static constexpr bool takes_batches = true;` says that map works on
// simd::Batch<float> and Batch<double> too; such an op includes engine/simd.hpp. `static constexpr float cost_ns` is
// for slow ones.
template <class Op>
concept TakesBatches = requires { requires Op::takes_batches; };

template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class Op, class T>
concept MapsInFloat = kIsSmallFloat<T> && !requires { requires Op::takes_small_floats; };

// What a map's result is for operands of type T when it was called with floats in their place.
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

// ---- half and bfloat16: the op's float loop, a tile of converted elements at a time. Compiled once for all ops.

namespace detail {

inline constexpr Index kFloatTile = 512;  // elements

// What the loops below get as attrs.
template <class Loops>
struct FloatWork {
  const Loops& loops;
  const void* attrs;
};

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void SmallToFloat(const T* from, float* to, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
template <class T>
TENON_DETAIL_LOOP void FloatToSmall(const float* from, T* to, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = T(from[i]);
}

TENON_DETAIL_LOOPS_END

// R is T (the map gives float) or what the map gives.
template <class T, class R>
void RunUnaryInFloat(const void* pwork, const void* px, void* pout, Index n) {
  const auto& work = *static_cast<const FloatWork<UnaryLoop>*>(pwork);
  const T* x = static_cast<const T*>(px);
  R* out = static_cast<R*>(pout);
  alignas(64) float tile[kFloatTile];
  for (Index i = 0; i < n; i += kFloatTile) {
    const Index m = n - i < kFloatTile ? n - i : kFloatTile;
    SmallToFloat(x + i, tile, m);
    if constexpr (std::is_same_v<T, R>) {
      work.loops.v(work.attrs, tile, tile, m);
      FloatToSmall(tile, out + i, m);
    } else {
      work.loops.v(work.attrs, tile, out + i, m);
    }
  }
}

template <class T, class R, bool RepeatA, bool RepeatB>
void RunBinaryInFloat(const void* pwork, const void* pa, const void* pb, void* pout, Index n) {
  const auto& work = *static_cast<const FloatWork<BinaryLoops>*>(pwork);
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  R* out = static_cast<R*>(pout);
  alignas(64) float tile_a[kFloatTile], tile_b[kFloatTile];
  if (RepeatA) tile_a[0] = static_cast<float>(*a);
  if (RepeatB) tile_b[0] = static_cast<float>(*b);
  const BinaryLoops::Loop loop = RepeatA ? work.loops.sv : RepeatB ? work.loops.vs : work.loops.vv;
  for (Index i = 0; i < n; i += kFloatTile) {
    const Index m = n - i < kFloatTile ? n - i : kFloatTile;
    if (!RepeatA) SmallToFloat(a + i, tile_a, m);
    if (!RepeatB) SmallToFloat(b + i, tile_b, m);
    if constexpr (std::is_same_v<T, R>) {
      float* const result = RepeatA ? tile_b : tile_a;
      loop(work.attrs, tile_a, tile_b, result, m);
      FloatToSmall(result, out + i, m);
    } else {
      loop(work.attrs, tile_a, tile_b, out + i, m);
    }
  }
}

template <class T, class R>
inline constexpr UnaryLoop kUnaryInFloat{&RunUnaryInFloat<T, R>, sizeof(T), sizeof(R), 0};
template <class T, class R>
inline constexpr BinaryLoops kBinaryInFloat{&RunBinaryInFloat<T, R, false, false>,
                                            &RunBinaryInFloat<T, R, true, false>,
                                            &RunBinaryInFloat<T, R, false, true>,
                                            sizeof(T),
                                            sizeof(R),
                                            0};

}  // namespace detail

// out[i] = op(x[i]) for n elements of type T (half or bfloat16), where `loop` is the op's for float. R is T where the
// op gives float.
template <class T, class R>
Status UnaryInFloat(Cpu& device, const UnaryLoop& loop, const void* attrs, const void* x, void* out, Index n) {
  const detail::FloatWork<UnaryLoop> work{loop, attrs};
  UnaryLoop outer = detail::kUnaryInFloat<T, R>;
  outer.cost_ns = loop.cost_ns + 1;
  return Unary(device, outer, &work, x, out, n);
}
// The same for two operands, with broadcasting.
template <class T, class R>
Status BinaryInFloat(Cpu& device, const BinaryLoops& loops, const void* attrs, const void* a,
                     const TensorShape& a_shape, const void* b, const TensorShape& b_shape, void* out,
                     const TensorShape& out_shape) {
  const detail::FloatWork<BinaryLoops> work{loops, attrs};
  BinaryLoops outer = detail::kBinaryInFloat<T, R>;
  outer.cost_ns = loops.cost_ns + 2;
  return BinaryBroadcast(device, outer, &work, a, a_shape, b, b_shape, out, out_shape);
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

namespace detail {

// `static constexpr bool ignores_sign = true;`: for integers, the bits of the result follow from the bits of the
// operands alone, so that one loop serves the signed and the unsigned type.
template <class Op>
concept IgnoresSign = requires { requires Op::ignores_sign; };

template <class Op, class T>
struct LoopTypeOf {
  using type = T;
};
template <class Op, class T>
  requires(IgnoresSign<Op> && std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct LoopTypeOf<Op, T> {
  using type = std::make_unsigned_t<T>;
};
// The element type that the loop for T is compiled for.
template <class Op, class T>
using LoopType = typename LoopTypeOf<Op, T>::type;
template <class Op, class T, class R>
using LoopResult = std::conditional_t<std::is_same_v<T, R>, LoopType<Op, T>, R>;
// Of the float loop that stands in for one over half or bfloat16.
template <class T, class R>
using FloatLoopResult = std::conditional_t<std::is_same_v<T, R>, float, R>;

}  // namespace detail

// y[i] = Op::map(x[i][, attrs]).
template <class Op, class T, class R>
Status MapUnary(Cpu& device, const void* attrs, In<T> x, Out<R> y) {
  if constexpr (detail::MapsInFloat<Op, T>)
    return UnaryInFloat<T, R>(device, kUnaryLoop<Op, float, detail::FloatLoopResult<T, R>>, attrs, x.data, y.data,
                              y.size());
  else
    return Unary(device, kUnaryLoop<Op, detail::LoopType<Op, T>, detail::LoopResult<Op, T, R>>, attrs, x.data, y.data,
                 y.size());
}
// y = Op::map(a, b[, attrs]) with the operands broadcast against each other.
template <class Op, class T, class R>
Status MapBinary(Cpu& device, const void* attrs, In<T> a, In<T> b, Out<R> y) {
  if constexpr (detail::MapsInFloat<Op, T>)
    return BinaryInFloat<T, R>(device, kBinaryLoops<Op, float, detail::FloatLoopResult<T, R>>, attrs, a.data, a.shape(),
                               b.data, b.shape(), y.data, y.shape());
  else
    return BinaryBroadcast(device, kBinaryLoops<Op, detail::LoopType<Op, T>, detail::LoopResult<Op, T, R>>, attrs,
                           a.data, a.shape(), b.data, b.shape(), y.data, y.shape());
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
// (shape_inference::BroadcastBinaryOpShapeFn). An op whose map may not be called with every operand has
// `template <class T> static Status check(In<T> a, In<T> b)`, which looks for such elements before the loop; every
// element of a and b is an operand then. Such a kernel is for the CPU.
template <class Op, class Device, class T>
struct Map2 : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    if constexpr (requires { Op::template check<T>(a, b); }) {
      static_assert(Device::type == "CPU", "tenon: check reads the operands' elements: only a CPU kernel may have it");
      if (y.size() > 0) TENON_RETURN_IF_ERROR(Op::template check<T>(a, b));
    }
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, b, y);
  }
};

// Two inputs of the same number of elements, whatever their shapes; the output has the first one's. Gradients are such.
template <class Op, class Device, class T>
struct MapPairs : detail::AttrsOf<Op>::type {
  using Attrs = typename detail::AttrsOf<Op>::type;
  using R = detail::MapResult<Op, T, T>;
  using Output = std::conditional_t<std::is_same_v<T, R> && Trivial<T>, Forward<R, 0, 1>, Out<R>>;

  Status operator()(Device& device, In<T> a, In<T> b, Output y) const {
    if (a.size() != b.size()) return Mismatch(a.size(), b.size());
    return MapBinary<Op, T, R>(device, static_cast<const Attrs*>(this), a, In<T>(b.data, a.size(), &a.shape()), y);
  }

 private:
  TENON_COLD static Status Mismatch(Index a, Index b) {
    return errors::InvalidArgument(Op::signature.name, ": the two arguments to a cwise op must have same number of ",
                                   "elements, got ", a, " and ", b);
  }
};

TENON_NAMESPACE_END

// ---- tenon/ops/math/signatures.hpp ----
// The two signatures that most element-wise ops have, and TensorFlow's lists of types for them, in TensorFlow's order.
TENON_NAMESPACE_BEGIN

namespace ops::detail {

inline constexpr std::string_view kRealTypes = "T: {bfloat16, half, float, double}";
inline constexpr std::string_view kFloatingTypes = "T: {bfloat16, half, float, double, complex64, complex128}";
inline constexpr std::string_view kSignedTypes =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
inline constexpr std::string_view kIntegerTypes = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
inline constexpr std::string_view kOrderedTypes =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
inline constexpr std::string_view kDivisionTypes =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}";
inline constexpr std::string_view kActivationTypes = "T: {half, bfloat16, float, double}";

// x: [...]  ->  y: the same shape
constexpr auto UnaryOp(std::string_view name, std::string_view types, std::string_view output = "y: T") {
  return Op(name).Input("x: T").Output(output).Attr(types).SetShapeFn(shape_inference::UnchangedShape);
}
// x, y, broadcast against each other  ->  z
constexpr auto BinaryOp(std::string_view name, std::string_view types, std::string_view output = "z: T") {
  return Op(name).Input("x: T").Input("y: T").Output(output).Attr(types).SetShapeFn(
      shape_inference::BroadcastBinaryOpShapeFn);
}

}  // namespace ops::detail

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

namespace detail {
constexpr auto ActivationOp(std::string_view name) {
  return Op(name)
      .Input("features: T")
      .Output("activations: T")
      .Attr(kActivationTypes)
      .SetShapeFn(shape_inference::UnchangedShape);
}
// The two numbers of Selu: G. Klambauer et al., "Self-Normalizing Neural Networks" (2017), equation 2.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
}  // namespace detail

// x where it is above 0, elsewhere alpha x.
struct LeakyRelu {
  static constexpr auto signature = Op("LeakyRelu")
                                        .Input("features: T")
                                        .Output("activations: T")
                                        .Attr("alpha: float = 0.2")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float alpha;
  };

  template <class T>
  TENON_HD static T map(const T& x, const Attrs& attrs) {
    return x > T(0) ? x : x * static_cast<T>(attrs.alpha);
  }

  template <class Device, class T>
  using kernel = Map1<LeakyRelu, Device, T>;
};

// x where it is not below 0, elsewhere exp(x) - 1.
struct Elu {
  static constexpr auto signature = detail::ActivationOp("Elu");
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x < T(0) ? std::expm1(x) : x;
  }

  template <class Device, class T>
  using kernel = Map1<Elu, Device, T>;
};

struct Selu {
  static constexpr auto signature = detail::ActivationOp("Selu");
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x < T(0) ? T(detail::kSeluScaleAlpha) * std::expm1(x) : T(detail::kSeluScale) * x;
  }

  template <class Device, class T>
  using kernel = Map1<Selu, Device, T>;
};

// log(1 + exp(x)), without overflow.
struct Softplus {
  static constexpr auto signature = detail::ActivationOp("Softplus");
  static constexpr float cost_ns = 10;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }

  template <class Device, class T>
  using kernel = Map1<Softplus, Device, T>;
};

// x / (1 + |x|); NaN for the infinities.
struct Softsign {
  static constexpr auto signature = detail::ActivationOp("Softsign");

  template <class T>
  TENON_HD static T map(const T& x) {
    return x / (T(1) + std::abs(x));
  }

  template <class Device, class T>
  using kernel = Map1<Softsign, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/arithmetic.hpp ----
// Sums, differences, products, quotients of floats, signs, the larger and the smaller of two numbers. Integers wrap.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// Integers wrap: computed without sign, in a type that is not widened to int on the way.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned,
                                    std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, int, T>>>;

template <class T>
inline constexpr bool kIsComplex = IsComplex(dtype_of_v<T>);

// x / y, not for integers. A complex number divided by 0 is NaN in both parts, as in TensorFlow.
template <class T>
TENON_HD T Ratio(const T& x, const T& y) {
  if constexpr (kIsComplex<T>) {
    constexpr auto kNaN = std::numeric_limits<typename T::value_type>::quiet_NaN();
    if (y.real() == 0 && y.imag() == 0) return T(kNaN, kNaN);
  }
  return x / y;
}
}  // namespace detail

struct Add {
  static constexpr auto signature =
      Op("Add")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr bool ignores_sign = true;

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
  static constexpr bool ignores_sign = true;

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
  static constexpr bool ignores_sign = true;

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
  static constexpr auto signature = detail::BinaryOp("Mul", detail::kDivisionTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

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

struct Neg {
  static constexpr auto signature = detail::UnaryOp("Neg", detail::kSignedTypes);
  static constexpr bool ignores_sign = true;

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
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    return Mul::map(x, x);
  }

  template <class Device, class T>
  using kernel = Map1<Square, Device, T>;
};

struct Abs {
  static constexpr auto signature =
      detail::UnaryOp("Abs", "T: {bfloat16, half, float, double, int8, int16, int32, int64}");

  // The smallest integer stays what it is.
  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x < 0 ? Neg::map(x) : x;
    else
      return std::abs(x);
  }

  template <class Device, class T>
  using kernel = Map1<Abs, Device, T>;
};

// -1, 0 or 1; NaN stays NaN. Of a complex number: the number of length 1 (or 0) in the same direction.
struct Sign {
  static constexpr auto signature = detail::UnaryOp("Sign", detail::kSignedTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      const auto length = std::abs(x);
      return length == 0 ? T(0) : x / length;
    } else {
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    }
  }

  template <class Device, class T>
  using kernel = Map1<Sign, Device, T>;
};

// 1 / x.
struct Reciprocal {
  static constexpr auto signature = detail::UnaryOp("Reciprocal", detail::kSignedTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return detail::Ratio(T(1), x);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map1<Reciprocal, Device, T>;
};

// Reciprocal under its older name.
struct Inv {
  static constexpr auto signature = detail::UnaryOp("Inv", detail::kSignedTypes);

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map1<Reciprocal, Device, T>;
};

// x * y, and 0 where y is 0, whatever x is.
struct MulNoNan {
  static constexpr auto signature = detail::BinaryOp("MulNoNan", detail::kFloatingTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return y == T(0) ? T(0) : x * y;
  }

  template <class Device, class T>
  using kernel = Map2<MulNoNan, Device, T>;
};

struct RealDiv {
  static constexpr auto signature = detail::BinaryOp("RealDiv", detail::kDivisionTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return detail::Ratio(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map2<RealDiv, Device, T>;
};

// x / y, and 0 where y is 0.
struct DivNoNan {
  static constexpr auto signature =
      detail::BinaryOp("DivNoNan", "T: {half, float, bfloat16, double, complex64, complex128}");

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return y == T(0) ? T(0) : x / y;
  }

  template <class Device, class T>
  using kernel = Map2<DivNoNan, Device, T>;
};

// (x - y)^2; of complex numbers the square of the distance.
struct SquaredDifference {
  static constexpr auto signature =
      detail::BinaryOp("SquaredDifference", "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    const T difference = Sub::map(x, y);
    if constexpr (detail::kIsComplex<T>)
      return difference * std::conj(difference);
    else
      return Mul::map(difference, difference);
  }

  template <class Device, class T>
  using kernel = Map2<SquaredDifference, Device, T>;
};

// NaN when either operand is.
struct Maximum {
  static constexpr auto signature = detail::BinaryOp(
      "Maximum", "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}");

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
  static constexpr auto signature = detail::BinaryOp(
      "Minimum", "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}");

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

// ---- tenon/engine/softmax.hpp ----
// Softmax and its logarithm, of rows: three passes over a row that stays in the first cache (largest, exponentials and
// their sum, scaling).
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

// log(SoftmaxRow), without the detour: x - largest - log(sum of exp(x - largest)).
template <class T, class Isa = simd::Unit>
void LogSoftmaxRow(const T* x, T* out, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  B largest(kLowest);
  for (Index i = 0; i < n; i += B::size)
    largest = B::Max(largest, n - i >= B::size ? B::Load(x + i) : B::LoadPart(x + i, n - i, kLowest));
  const T shift = largest.Largest();
  B sum(T(0));
  for (Index i = 0; i < n; i += B::size)
    sum = sum + ((n - i >= B::size ? B::Load(x + i) : B::LoadPart(x + i, n - i, kLowest)) - B(shift)).Exp();
  const T log_of_sum = std::log(sum.Sum());
  for (Index i = 0; i < n; ++i) out[i] = x[i] - shift - log_of_sum;
}

// T is float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T>
using RowType = std::conditional_t<std::is_same_v<T, double>, double, float>;

// row(x[r, :], out[r, :]) for every row: [rows, columns] -> the same. `out` may be `x`.
template <class T>
Status ForEachRow(Cpu& device, void (*row_function)(const RowType<T>*, RowType<T>*, Index), std::string_view name,
                  const T* x, T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  const double ns = static_cast<double>(columns) * (std::is_same_v<T, float> ? 0.7 : 5.0) + 20;
  if constexpr (std::is_floating_point_v<T>) {
    ParallelFor(device, rows, ns, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) row_function(x + r * columns, out + r * columns, columns);
    });
  } else {
    const Index parts = WorthwhileParts(device, ns * static_cast<double>(rows));
    const std::size_t row_bytes = ScratchBytes<float>(columns);
    Scratch scratch(device, static_cast<std::size_t>(parts) * row_bytes);
    TENON_RETURN_IF_ERROR(scratch.status(name));
    RunParts(device, parts, [&](Index part) {
      float* const row = scratch.As<float>(static_cast<std::size_t>(part) * row_bytes);
      for (Index r = PartBegin(rows, parts, 1, part); r < PartBegin(rows, parts, 1, part + 1); ++r) {
        for (Index i = 0; i < columns; ++i) row[i] = static_cast<float>(x[r * columns + i]);
        row_function(row, row, columns);
        for (Index i = 0; i < columns; ++i) out[r * columns + i] = static_cast<T>(row[i]);
      }
    });
  }
  return OkStatus();
}

}  // namespace detail

// out[r, :] = exp(x[r, :]) / sum(exp(x[r, :])) without overflow: [rows, columns] -> the same. `out` may be `x`.
// T is float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T>
Status Softmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  return detail::ForEachRow<T>(device, &detail::SoftmaxRow<detail::RowType<T>>, "Softmax", x, out, rows, columns);
}
// The logarithms of the same.
template <class T>
Status LogSoftmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  return detail::ForEachRow<T>(device, &detail::LogSoftmaxRow<detail::RowType<T>>, "LogSoftmax", x, out, rows, columns);
}

TENON_NAMESPACE_END

// ---- tenon/ops/nn/softmax.hpp ----
// Softmax and LogSoftmax over the last dimension.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
inline Status RowLength(std::string_view op, const TensorShape& shape, Index* columns) {
  if (shape.dims() < 1) return errors::InvalidArgument(op, ": logits must have >= 1 dimension, got ", shape);
  *columns = shape.dim_size(shape.dims() - 1);
  return OkStatus();
}
}  // namespace detail

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
      Index columns = 0;
      TENON_RETURN_IF_ERROR(detail::RowLength("Softmax", logits.shape(), &columns));
      return tenon::Softmax(device, logits.data, softmax.data, columns == 0 ? 0 : logits.size() / columns, columns);
    }
  };
};

// logits: [..., n]  ->  the same shape; the logarithm of Softmax
struct LogSoftmax {
  static constexpr auto signature = Op("LogSoftmax")
                                        .Input("logits: T")
                                        .Output("logsoftmax: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
                                        });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<T> logits, Forward<T, 0> logsoftmax) const {
      Index columns = 0;
      TENON_RETURN_IF_ERROR(detail::RowLength("LogSoftmax", logits.shape(), &columns));
      return tenon::LogSoftmax(device, logits.data, logsoftmax.data, columns == 0 ? 0 : logits.size() / columns,
                               columns);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/mlp_ops.hpp ----
// tenon::ops::Mlp: the ops of a multilayer perceptron as TensorFlow freezes one. A program that registers what its
// graphs need compiles in a fraction of the time that tenon::ops::All takes:
//
//   TENON_REGISTER(tenon::Types<float>, tenon::ops::Mlp);
TENON_NAMESPACE_BEGIN

namespace ops {

using Mlp = OpList<Placeholder, Const, Identity, NoOp, MatMul, BiasAdd, Relu, Softmax>;

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/move.hpp ----
// Copying elements of any type: plain ones as bytes, the others (strings, handles) by assignment. Runs, runs at regular
// steps, one element many times, and tensors laid side by side.
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
  if (dtype == DataType::kVariant) mover.assign = &detail::AssignObjects<Variant>;
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

// to[i] = *value, i in [0, n).
inline void FillRun(const ElementMover& mover, const void* value, void* to, Index n) {
  if (n <= 0) return;
  if (mover.assign != nullptr) return mover.assign(value, 0, to, n);
  constexpr Index kBlockBytes = 4096;
  if (mover.bytes == 1) {
    std::memset(to, *static_cast<const unsigned char*>(value), static_cast<std::size_t>(n));
    return;
  }
  std::memcpy(to, value, static_cast<std::size_t>(mover.bytes));
  for (Index done = 1; done < n;) {  // copies what is already there: twice as much each time, then blocks
    const Index some = std::min({done, n - done, std::max<Index>(1, kBlockBytes / mover.bytes)});
    std::memcpy(mover.At(to, done), to, static_cast<std::size_t>(some * mover.bytes));
    done += some;
  }
}

// All n elements zero; texts and handles keep the empty value that they were made with.
inline void ZeroRun(const ElementMover& mover, void* to, Index n) {
  if (mover.assign == nullptr && n > 0) std::memset(to, 0, static_cast<std::size_t>(n * mover.bytes));
}

// The same with all threads of the device.
inline void Fill(Cpu& device, const ElementMover& mover, const void* value, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { FillRun(mover, value, mover.At(to, begin), end - begin); });
}
inline void Zero(Cpu& device, const ElementMover& mover, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { ZeroRun(mover, mover.At(to, begin), end - begin); });
}
inline void Copy(Cpu& device, const ElementMover& mover, const void* from, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { CopyRun(mover, mover.At(from, begin), mover.At(to, begin), end - begin); });
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

// ---- tenon/ops/array/concat.hpp ----
// Concat, ConcatV2, ConcatOffset: tensors joined along an axis that they have.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kConcatTypes =
    kPodAndStringTypes | kQuantizedTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);

inline Status RunConcat(OpKernelContext& context, Cpu& device, const HostIndices& axis, std::span<const Tensor> values,
                        Tensor* output) {
  if (axis.shape().dims() > 1 || axis.size() != 1)
    return errors::InvalidArgument("ConcatOp : the axis must be a scalar integer, but got shape ", axis.shape());
  const TensorShape& first = values[0].shape();
  const int rank = first.dims();
  if (rank == 0) return errors::InvalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (axis[0] < -rank || axis[0] >= rank)
    return errors::InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ", rank,
                                   "), but got ", axis[0]);
  const int at = static_cast<int>(axis[0] < 0 ? axis[0] + rank : axis[0]);
  Index outer = 1, inner = 1, joined = 0;
  for (int d = 0; d < at; ++d) outer *= first.dim_size(d);
  InlinedVector<ConcatPart, 32> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorShape& shape = values[i].shape();
    if (shape.dims() != rank)
      return errors::InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ", first,
                                     " vs. shape[", i, "] = ", shape);
    for (int d = 0; d < rank; ++d)
      if (d != at && shape.dim_size(d) != first.dim_size(d))
        return errors::InvalidArgument("ConcatOp : Dimension ", d, " in both shapes must be equal: shape[0] = ", first,
                                       " vs. shape[", i, "] = ", shape);
    joined += shape.dim_size(at);
    inner = shape.dim_size(at);
    for (int d = at + 1; d < rank; ++d) inner *= shape.dim_size(d);
    parts.push_back({values[i].raw_data(), inner});
  }
  TensorShape shape = first;
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(at, joined));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() > 0)
    tenon::Concat(device, MoverOf(output->dtype()), {parts.data(), parts.size()}, outer, output->raw_data());
  return OkStatus();
}

}  // namespace detail

// values: [a, b1], [a, b2], concat_dim = 1  ->  [a, b1 + b2]
struct Concat {
  static constexpr auto signature = Op("Concat")
                                        .Input("concat_dim: int32")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::ConcatShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), detail::kConcatTypes); }
    Status operator()(Context<Device>& context, HostIndices concat_dim, std::span<const Tensor> values,
                      Tensor& output) const {
      return detail::RunConcat(context.op(), context.device(), concat_dim, values, &output);
    }
  };
};

// The same with the axis last.
struct ConcatV2 {
  static constexpr auto signature = Op("ConcatV2")
                                        .Input("values: N * T")
                                        .Input("axis: Tidx")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ConcatV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), detail::kConcatTypes); }
    Status operator()(Context<Device>& context, std::span<const Tensor> values, HostIndices axis,
                      Tensor& output) const {
      return detail::RunConcat(context.op(), context.device(), axis, values, &output);
    }
  };
};

// Where each of the tensors of these shapes begins when they are concatenated.
struct ConcatOffset {
  static constexpr auto signature = Op("ConcatOffset")
                                        .Input("concat_dim: int32")
                                        .Input("shape: N * shape_type")
                                        .Output("offset: N * shape_type")
                                        .Attr("N: int >= 2")
                                        .Attr("shape_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 1; i < c->num_inputs(); ++i) c->set_output(i - 1, c->input(i));
                                          return OkStatus();
                                        });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, HostIndices concat_dim, InList<T> shape, OutList<T> offset) const {
      if (concat_dim.shape().dims() != 0)
        return errors::InvalidArgument("ConcatOffset: Concat dim tensor should be a scalar integer, but got shape ",
                                       concat_dim.shape());
      for (int i = 0; i < shape.size(); ++i)
        if (shape[i].shape().dims() != 1 || shape[i].size() != shape[0].size())
          return errors::InvalidArgument("ConcatOffset: input ", i, " should contain ", shape[0].size(),
                                         " elements, but got shape ", shape[i].shape());
      const Index rank = shape[0].size(), axis = concat_dim[0] < 0 ? concat_dim[0] + rank : concat_dim[0];
      if (axis < 0 || axis >= rank)
        return errors::InvalidArgument("ConcatOffset: Concat dim is out of range: ", concat_dim[0], " vs. ", rank);
      std::uint64_t begin = 0;
      for (int i = 0; i < shape.size(); ++i) {
        for (Index d = 0; d < rank; ++d) {
          if (d != axis && shape[i][d] != shape[0][d])
            return errors::InvalidArgument("ConcatOffset: All dimensions except ", axis, " must match. Input ", i,
                                           " has ", shape[i][d], " in dimension ", d,
                                           " and doesn't match input 0 with ", shape[0][d]);
          offset[i][d] = d == axis ? static_cast<T>(begin) : T(0);
        }
        begin += static_cast<std::uint64_t>(shape[i][axis]);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

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
    tenon::Concat(device, MoverOf(output->dtype()), {parts.data(), parts.size()}, outer, output->raw_data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/transpose.hpp ----
// NdCopy: any regular block of one tensor to any regular block of another - transposed, reversed, repeated, cut out or
// put into a frame. Dimensions that both sides leave together become one; runs are copied as runs, and where the two
// sides' innermost dimensions differ, in square blocks that stay in the cache.
TENON_NAMESPACE_BEGIN

// Element [i, j, ...] of the copy goes from in_first + i * dims[0].in + j * dims[1].in + ... to out_first + i *
// dims[0].out + ... Steps and places count elements; `in` steps may be 0 or negative. immutable once made.
struct NdCopy {
  struct Dim {
    Index size, in, out;
  };
  InlinedVector<Dim, 8> dims;  // outermost first, none of size 1
  Index in_first = 0, out_first = 0;
  Index elements = 1;

  // Adds the next dimension, inside of those that there are.
  void Add(Index size, Index in, Index out) {
    elements *= size;
    if (size == 1) return;
    if (!dims.empty() && dims.back().in == in * size && dims.back().out == out * size) {
      dims.back() = {dims.back().size * size, in, out};
    } else {
      dims.push_back({size, in, out});
    }
  }
};

// Row-major strides of a shape, in elements.
inline InlinedVector<Index, 8> StridesOf(std::span<const Index> sizes) {
  InlinedVector<Index, 8> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  return strides;
}

namespace detail {

// to[r * to_step + c] = from[r + c * from_step] for r < rows, c < columns; steps in elements.
template <class Unit>
void TransposeUnits(const Unit* from, Index from_step, Unit* to, Index to_step, Index rows, Index columns) {
  constexpr Index kSide = 8;
  Index r = 0;
  for (; r + kSide <= rows; r += kSide) {
    Index c = 0;
    for (; c + kSide <= columns; c += kSide) {
      Unit block[kSide][kSide];
      for (Index j = 0; j < kSide; ++j) std::memcpy(block[j], from + r + (c + j) * from_step, sizeof block[j]);
      for (Index i = 0; i < kSide; ++i)
        for (Index j = 0; j < kSide; ++j) to[(r + i) * to_step + c + j] = block[j][i];
    }
    for (; c < columns; ++c)
      for (Index i = 0; i < kSide; ++i) to[(r + i) * to_step + c] = from[r + i + c * from_step];
  }
  for (; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) to[r * to_step + c] = from[r + c * from_step];
}
struct Unit16 {
  std::uint64_t low, high;
};

inline void TransposeBlock(const ElementMover& mover, const void* from, Index from_step, void* to, Index to_step,
                           Index rows, Index columns) {
  const auto run = [&]<class Unit>(Unit) {
    TransposeUnits(static_cast<const Unit*>(from), from_step, static_cast<Unit*>(to), to_step, rows, columns);
  };
  const bool aligned =
      mover.bytes != 16 || ((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) & 7) == 0;
  if (mover.assign == nullptr && aligned) {
    switch (mover.bytes) {
      case 1: return run(std::uint8_t{});
      case 2: return run(std::uint16_t{});
      case 4: return run(std::uint32_t{});
      case 8: return run(std::uint64_t{});
      case 16: return run(Unit16{});
    }
  }
  for (Index r = 0; r < rows; ++r)
    CopyPieces(mover, 1, mover.At(from, r), from_step, mover.At(to, r * to_step), 1, columns);
}

// How the innermost part of an NdCopy is done, and how the rest is cut into units of work. immutable once made.
struct NdPlan {
  enum class Way : std::uint8_t { kRuns, kFill, kTranspose, kPieces };

  const ElementMover& mover;
  const char* in;
  char* out;
  InlinedVector<NdCopy::Dim, 8> outer;
  NdCopy::Dim rows{1, 0, 0}, columns{1, 0, 0};
  Way way = Way::kPieces;
  Index row_block = 1, column_block = 1, row_blocks = 1, column_blocks = 1, units = 1;

  NdPlan(const ElementMover& m, const NdCopy& copy, const void* from, void* to)
      : mover(m), in(m.At(from, copy.in_first)), out(m.At(to, copy.out_first)), outer(copy.dims) {
    if (!outer.empty()) columns = Take(outer.size() - 1);
    if (columns.out == 1 || columns.size == 1) {
      if (columns.in == 1 || columns.size == 1) way = Way::kRuns;
      if (columns.in == 0 && columns.size > 1) way = Way::kFill;
    }
    if (way == Way::kPieces && columns.out == 1) {
      for (std::size_t d = outer.size(); d-- > 0;) {
        if (outer[d].in != 1) continue;
        rows = Take(d);
        way = Way::kTranspose;
        break;
      }
    } else if (way != Way::kPieces && !outer.empty()) {
      rows = Take(outer.size() - 1);
    }
    constexpr Index kUnitBytes = 32768, kSide = 64;
    const Index some = std::max<Index>(1, kUnitBytes / mover.bytes);
    column_block = way == Way::kTranspose ? kSide : std::min(columns.size, some);
    row_block = way == Way::kTranspose ? kSide : std::max<Index>(1, std::min(rows.size, some / column_block));
    row_blocks = (rows.size + row_block - 1) / row_block;
    column_blocks = (columns.size + column_block - 1) / column_block;
    units = row_blocks * column_blocks;
    for (const NdCopy::Dim& dim : outer) units *= dim.size;
  }
  double unit_ns() const {
    const double each = mover.cost_ns() * (way == Way::kRuns ? 1 : way == Way::kFill ? 0.7 : 4);
    return each * static_cast<double>(std::min(row_block, rows.size) * std::min(column_block, columns.size)) + 5;
  }

  void Units(Index begin, Index end) const {
    Index at[kMaxTensorRank * 2 + 2];
    Index place = begin / (row_blocks * column_blocks), from = 0, to = 0;
    Index block = begin % (row_blocks * column_blocks);
    for (std::size_t d = outer.size(); d-- > 0; place /= outer[d].size) {
      at[d] = place % outer[d].size;
      from += at[d] * outer[d].in;
      to += at[d] * outer[d].out;
    }
    for (Index unit = begin; unit < end; ++unit) {
      Block(from, to, block);
      if (++block < row_blocks * column_blocks) continue;
      block = 0;
      for (std::size_t d = outer.size(); d-- > 0;) {
        from += outer[d].in;
        to += outer[d].out;
        if (++at[d] < outer[d].size) break;
        at[d] = 0;
        from -= outer[d].in * outer[d].size;
        to -= outer[d].out * outer[d].size;
      }
    }
  }

 private:
  NdCopy::Dim Take(std::size_t d) {
    const NdCopy::Dim dim = outer[d];
    outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(d));
    return dim;
  }
  void Block(Index from, Index to, Index block) const {
    const Index r = block / column_blocks * row_block, c = block % column_blocks * column_block;
    const Index nr = std::min(row_block, rows.size - r), nc = std::min(column_block, columns.size - c);
    const char* const source = in + (from + r * rows.in + c * columns.in) * mover.bytes;
    char* const target = out + (to + r * rows.out + c * columns.out) * mover.bytes;
    if (way == Way::kRuns) return CopyPieces(mover, nc, source, rows.in, target, rows.out, nr);
    if (way == Way::kTranspose) return TransposeBlock(mover, source, columns.in, target, rows.out, nr, nc);
    if (way == Way::kPieces) return CopyPieces(mover, 1, source, columns.in, target, columns.out, nc);
    for (Index i = 0; i < nr; ++i)
      FillRun(mover, source + i * rows.in * mover.bytes, target + i * rows.out * mover.bytes, nc);
  }
};

}  // namespace detail

// Copies what `copy` describes. The places written must not be among those read; each is written once.
inline void CopyNd(Cpu& device, const ElementMover& mover, const NdCopy& copy, const void* in, void* out) {
  if (copy.elements == 0) return;
  const detail::NdPlan plan(mover, copy, in, out);
  ParallelFor(device, plan.units, plan.unit_ns(), [&](Index begin, Index end) { plan.Units(begin, end); });
}

TENON_NAMESPACE_END

// ---- tenon/ops/array/pad.hpp ----
// Pad, PadV2, MirrorPad: a tensor in a frame of one value, or of its own reflection.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kPadTypes =
    kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

inline Status PadShape(InferenceContext* c) {
  ShapeHandle paddings, input = c->input(0);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &paddings));
  DimensionHandle unused, rows = c->Dim(paddings, 0);
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(paddings, 1), 2, &unused));
  if (c->ValueKnown(rows))
    TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(rows), &input));
  else if (c->RankKnown(input))
    TENON_RETURN_IF_ERROR(c->WithValue(rows, c->Rank(input), &rows));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  if (!known) {
    c->set_output(0, c->ValueKnown(rows) ? c->UnknownShapeOfRank(c->Value(rows)) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(input, static_cast<std::int64_t>(sizes.size() / 2), &input));
  SlimVector<DimensionHandle> dims(sizes.size() / 2);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t before = sizes[2 * d], after = sizes[2 * d + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument("Paddings must be non-negative");
    TENON_RETURN_IF_ERROR(c->Add(c->Dim(input, static_cast<std::int64_t>(d)), before, &dims[d]));
    TENON_RETURN_IF_ERROR(c->Add(dims[d], after, &dims[d]));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// What one dimension gets in front and behind.
struct Padding {
  Index before, after;
};

// `max_rank` is TensorFlow's limit, above which it says UNIMPLEMENTED.
inline Status ReadPaddings(const char* op, const TensorShape& input, const HostIndices& paddings, int max_rank,
                           InlinedVector<Padding, 8>* out, TensorShape* padded) {
  const int rank = input.dims();
  if (rank > max_rank) return errors::Unimplemented(op, ": inputs rank not in [0,", max_rank, "]: ", rank);
  if (paddings.shape().dims() != 2 || paddings.shape().dim_size(1) != 2)
    return errors::InvalidArgument(op, ": paddings must be a matrix with 2 columns: ", paddings.shape());
  if (paddings.shape().dim_size(0) != rank)
    return errors::InvalidArgument(op, ": The first dimension of paddings must be the rank of inputs", paddings.shape(),
                                   " ", input);
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < rank; ++d) {
    const Padding p{paddings[2 * d], paddings[2 * d + 1]};
    constexpr Index kMost = Index{1} << 60;
    if (p.before < 0 || p.after < 0)
      return errors::InvalidArgument(op, ": Paddings must be non-negative: ", p.before, " ", p.after);
    if (p.before > kMost || p.after > kMost)
      return errors::InvalidArgument(op, ": paddings of ", p.before, " and ", p.after, " overflow the output's size");
    out->push_back(p);
    sizes.push_back(p.before + input.dim_size(d) + p.after);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, padded);
}

// Puts `input` into the middle of `output`.
inline void CopyIntoFrame(Cpu& device, const ElementMover& mover, const Tensor& input,
                          const InlinedVector<Padding, 8>& paddings, Tensor* output) {
  NdCopy copy;
  const InlinedVector<Index, 8> from = StridesOf(input.shape().dim_sizes()),
                                to = StridesOf(output->shape().dim_sizes());
  for (std::size_t d = 0; d < paddings.size(); ++d) {
    copy.out_first += paddings[d].before * to[d];
    copy.Add(input.dim_size(static_cast<int>(d)), from[d], to[d]);
  }
  CopyNd(device, mover, copy, input.raw_data(), output->raw_data());
}

inline Status RunPad(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& sizes,
                     const Tensor* value, Tensor* output) {
  InlinedVector<Padding, 8> paddings;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadPaddings("Pad", input.shape(), sizes, 8, &paddings, &shape));
  if (value != nullptr && value->dims() != 0)
    return errors::InvalidArgument("Pad: constant_values must be a scalar. Found: ", value->shape());
  if (shape == input.shape()) {
    *output = input;
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const ElementMover mover = MoverOf(input.dtype());
  if (value != nullptr)
    tenon::Fill(device, mover, value->raw_data(), output->raw_data(), output->NumElements());
  else
    Zero(device, mover, output->raw_data(), output->NumElements());
  CopyIntoFrame(device, mover, input, paddings, output);
  return OkStatus();
}

}  // namespace detail

// input: [a, b], paddings: [[1, 0], [2, 3]]  ->  [1 + a, 2 + b + 3], zeros around
struct Pad {
  static constexpr auto signature = Op("Pad")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::PadShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return detail::RunPad(context.op(), context.device(), input, paddings, nullptr, &output);
    }
  };
};

// The same with constant_values around.
struct PadV2 {
  static constexpr auto signature = Op("PadV2")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Input("constant_values: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::PadShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings,
                      const Tensor& constant_values, Tensor& output) const {
      return detail::RunPad(context.op(), context.device(), input, paddings, &constant_values, &output);
    }
  };
};

// [1 2 3] with 2 on both sides: [3 2|1 2 3|2 1] (REFLECT), [2 1|1 2 3|3 2] (SYMMETRIC)
struct MirrorPad {
  static constexpr auto signature = Op("MirrorPad")
                                        .Input("input: T")
                                        .Input("paddings: Tpaddings")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tpaddings: {int32, int64} = DT_INT32")
                                        .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
                                        .SetShapeFn(detail::PadShape);

  struct Attrs {
    std::string_view mode;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPadTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return Run(context.op(), context.device(), this->mode == "REFLECT" ? 1 : 0, input, paddings, &output);
    }
  };

 private:
  // `offset`: how many elements at the edge are not repeated.
  static Status Run(OpKernelContext& context, Cpu& device, Index offset, const Tensor& input, const HostIndices& sizes,
                    Tensor* output) {
    InlinedVector<detail::Padding, 8> paddings;
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ReadPaddings("MirrorPad", input.shape(), sizes, 5, &paddings, &shape));
    for (int d = 0; d < input.dims(); ++d) {
      const detail::Padding p = paddings[static_cast<std::size_t>(d)];
      if (p.before > input.dim_size(d) - offset || p.after > input.dim_size(d) - offset)
        return errors::InvalidArgument("MirrorPad: paddings must be ", offset == 1 ? "less than" : "no greater than",
                                       " the dimension size: ", p.before, ", ", p.after, " for ", input.dim_size(d));
    }
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    const ElementMover mover = MoverOf(input.dtype());
    detail::CopyIntoFrame(device, mover, input, paddings, output);
    const InlinedVector<Index, 8> step = StridesOf(shape.dim_sizes());
    // From the innermost dimension outwards each is mirrored for the middle of those outside of it.
    for (int axis = input.dims() - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Index begin = paddings[a].before, end = begin + input.dim_size(axis);
      const auto mirror = [&](Index count, Index from, Index to, Index direction) {
        NdCopy copy;
        copy.in_first = from * step[a];
        copy.out_first = to * step[a];
        for (std::size_t d = 0; d < a; ++d) {
          copy.in_first += paddings[d].before * step[d];
          copy.out_first += paddings[d].before * step[d];
          copy.Add(input.dim_size(static_cast<int>(d)), step[d], step[d]);
        }
        copy.Add(count, direction * step[a], -direction * step[a]);
        copy.Add(step[a], 1, 1);
        CopyNd(device, mover, copy, output->raw_data(), output->raw_data());
      };
      mirror(paddings[a].before, begin + offset, begin - 1, 1);
      mirror(paddings[a].after, end - 1 - offset, end, -1);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/reshape.hpp ----
// Reshape, ExpandDims, Squeeze: the same elements under another shape, in the input's buffer.
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

namespace detail {
inline Status ExpandDimsShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  SlimVector<std::int64_t> dims;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &dims, &known));
  if (known && dims.size() != 1) return errors::InvalidArgument("'dim' input must be a tensor with a single value");
  if (!known || !c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input) + 1;
  std::int64_t dim = dims[0];
  if (dim < -rank || dim >= rank)
    return errors::InvalidArgument("dim ", dim, " not in the interval [", -rank, ", ", rank - 1, "].");
  if (dim < 0) dim += rank;
  ShapeHandle before, after, out;
  TENON_RETURN_IF_ERROR(c->Subshape(input, 0, dim, &before));
  TENON_RETURN_IF_ERROR(c->Subshape(input, dim, &after));
  TENON_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(1), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace detail

// A new dimension of size 1: input [a, b]  ->  [1, a, b] (dim 0), [a, b, 1] (dim 2 or -1)
struct ExpandDims {
  static constexpr auto signature = Op("ExpandDims")
                                        .Input("input: T")
                                        .Input("dim: Tdim")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tdim: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::ExpandDimsShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, HostIndices dim, Tensor& output) const {
      if (dim.size() != 1)
        return errors::InvalidArgument("ExpandDims: 'dim' must be a tensor with a single value, not shape ",
                                       dim.shape());
      const int rank = input.dims() + 1;
      if (dim[0] < -rank || dim[0] >= rank)
        return errors::InvalidArgument("ExpandDims: Tried to expand dim index ", dim[0], " for tensor with ", rank - 1,
                                       " dimensions.");
      TensorShape shape = input.shape();
      TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(static_cast<int>(dim[0] < 0 ? dim[0] + rank : dim[0]), 1));
      output = Tensor(input.dtype());
      (void)output.CopyFrom(input, shape);  // the element counts agree
      return OkStatus();
    }
  };
};

namespace detail {
inline Status SqueezeShape(InferenceContext* c) {
  SlimVector<std::int64_t> squeeze_dims;
  TENON_RETURN_IF_ERROR(c->GetAttr("squeeze_dims", &squeeze_dims));
  const ShapeHandle input = c->input(0);
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input);
  SlimVector<std::int64_t> named(static_cast<std::size_t>(rank), 0);  // flags
  for (std::size_t i = 0; i < squeeze_dims.size(); ++i) {
    const std::int64_t d = squeeze_dims[i];
    if (d < -rank || d >= rank)
      return errors::InvalidArgument("squeeze_dims[", i, "] not in [", -rank, ",", rank, ").");
    named[static_cast<std::size_t>(d < 0 ? d + rank : d)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::int64_t d = 0; d < rank; ++d) {
    const DimensionHandle dim = c->Dim(input, d);
    const bool is_named = named[static_cast<std::size_t>(d)] != 0;
    if (is_named && c->ValueKnown(dim) && c->Value(dim) != 1)
      return errors::InvalidArgument("Can not squeeze dim[", d, "], expected a dimension of 1, got ", c->Value(dim));
    if (squeeze_dims.empty() && !c->ValueKnown(dim)) return shape_inference::UnknownShape(c);
    if (!is_named && !(squeeze_dims.empty() && c->Value(dim) == 1)) dims.push_back(dim);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}
}  // namespace detail

// Without dimensions of size 1: all of them, or those that squeeze_dims names.
struct Squeeze {
  static constexpr auto signature = Op("Squeeze")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("squeeze_dims: list(int) >= 0 = []")
                                        .SetShapeFn(detail::SqueezeShape);

  struct Attrs {
    std::span<const std::int64_t> squeeze_dims;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      return Run(this->squeeze_dims, input, &output);
    }
  };

 private:
  static Status Run(std::span<const std::int64_t> squeeze_dims, const Tensor& input, Tensor* output) {
    const int rank = input.dims();
    bool named[kMaxTensorRank] = {};
    for (const std::int64_t d : squeeze_dims) {
      if (d < -rank || d >= rank)
        return errors::InvalidArgument("Squeeze: Tried to squeeze dim index ", d, " for tensor with ", rank,
                                       " dimensions.");
      named[d < 0 ? d + rank : d] = true;
    }
    InlinedVector<Index, 8> sizes;
    for (int d = 0; d < rank; ++d) {
      const Index size = input.dim_size(d);
      if (named[d] && size != 1)
        return errors::InvalidArgument("Squeeze: Can not squeeze dim[", d, "], expected a dimension of 1, got ", size);
      if (!(named[d] || (squeeze_dims.empty() && size == 1))) sizes.push_back(size);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    *output = Tensor(input.dtype());
    (void)output->CopyFrom(input, shape);  // the element counts agree
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/shape.hpp ----
// Shape and its kin: the sizes of a tensor as a vector, how many there are, and their product.
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
    Status operator()(Device&, const Tensor& input, Out<T> output) const { return Write(input, output); }
  };

  template <class T>
  static Status Write(const Tensor& input, Out<T> output) {
    for (int d = 0; d < input.dims(); ++d) {
      if (std::is_same_v<T, std::int32_t> && input.dim_size(d) > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("Shape: output type is int32 but dim ", d, " is ", input.dim_size(d),
                                       "; use out_type = int64");
      output[d] = static_cast<T>(input.dim_size(d));
    }
    return OkStatus();
  }
};

// Shape of each of N tensors.
struct ShapeN {
  static constexpr auto signature =
      Op("ShapeN")
          .Input("input: N * T")
          .Output("output: N * out_type")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status {
            for (int i = 0; i < c->num_inputs(); ++i) {
              const ShapeHandle input = c->input(i);
              c->set_output(i, c->Vector(c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
            }
            return OkStatus();
          });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, std::span<const Tensor> input, OutList<T> output) const {
      for (int i = 0; i < output.size(); ++i)
        TENON_RETURN_IF_ERROR(Shape::Write<T>(input[static_cast<std::size_t>(i)], output[i]));
      return OkStatus();
    }
  };
};

// The number of elements.
struct Size {
  static constexpr auto signature = Op("Size")
                                        .Input("input: T")
                                        .Output("output: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& input, Out<T> output) const {
      if (std::is_same_v<T, std::int32_t> && input.NumElements() > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("Size: output type is int32 but the input has ", input.NumElements(),
                                       " elements; use out_type = int64");
      output[0] = static_cast<T>(input.NumElements());
      return OkStatus();
    }
  };
};

// The number of dimensions.
struct Rank {
  static constexpr auto signature =
      Op("Rank").Input("input: T").Output("output: int32").Attr("T: type").SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& input, Out<std::int32_t> output) const {
      output[0] = input.dims();
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
// StridedSlice: a regular part of a tensor, as Python's x[begin:end:stride, ..., newaxis] describes it. Slice: a block.
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
    StridedCopy copy;  // kCopy
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

// input: [a, b], begin = [i, j], size = [m, -1]  ->  [m, b - j]
struct Slice {
  static constexpr auto signature = Op("Slice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("size: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .SetShapeFn(shape_inference::SliceShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) |
                                         ToSet(DataType::kQint32) | ToSet(DataType::kFloat8E5M2) |
                                         ToSet(DataType::kFloat8E4M3FN);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices begin, HostIndices size,
                      Tensor& output) const {
      return Run(context.op(), context.device(), input, begin, size, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& begin,
                    const HostIndices& size, Tensor* output) {
    constexpr Index kWorthSharingBytes = 32768;  // as for StridedSlice
    const int rank = input.dims();
    if (begin.shape().dims() != 1 || size.shape().dims() != 1 || begin.size() != rank || size.size() != rank)
      return errors::InvalidArgument("Slice: Expected begin and size arguments to be 1-D tensors of size ", rank,
                                     ", but got shapes ", begin.shape(), " and ", size.shape(), " instead.");
    InlinedVector<Index, 8> first, counts, ones(static_cast<std::size_t>(rank), 1);
    bool rows = rank > 0;  // only dimension 0 is cut
    for (int d = 0; d < rank; ++d) {
      const Index whole = input.dim_size(d), b = begin[d];
      if (b < 0 || b > whole)
        return errors::InvalidArgument("Slice: Expected begin[", d, "] in [0, ", whole, "], but got ", b);
      const Index count = size[d] == -1 ? whole - b : size[d];
      if (count < 0 || count > whole - b)
        return errors::InvalidArgument("Slice: Expected size[", d, "] in [0, ", whole - b, "], but got ", size[d]);
      rows = rows && (d == 0 || count == whole);
      first.push_back(b);
      counts.push_back(count);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({counts.data(), counts.size()}, &shape));
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    const ElementMover mover = MoverOf(input.dtype());
    if (rows && shape.num_elements() * mover.bytes >= kWorthSharingBytes) {
      *output = input.Slice(first[0], first[0] + counts[0]);
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    StridedCopy copy;
    copy.Make(input.shape().dim_sizes(), {first.data(), first.size()}, {ones.data(), ones.size()},
              {counts.data(), counts.size()});
    CopyStrided(device, mover, copy, input.raw_data(), output->raw_data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/exponential.hpp ----
// Roots, exponentials and logarithms.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
inline constexpr std::string_view kXTypes = "T: {half, bfloat16, float, double, complex64, complex128}";
}  // namespace detail

struct Sqrt {
  static constexpr auto signature = detail::UnaryOp("Sqrt", detail::kFloatingTypes);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sqrt, Device, T>;
};

// 1 / sqrt(x).
struct Rsqrt {
  static constexpr auto signature = detail::UnaryOp("Rsqrt", detail::kFloatingTypes);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    return T(1) / std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Rsqrt, Device, T>;
};

struct Exp {
  static constexpr auto signature = detail::UnaryOp("Exp", detail::kFloatingTypes);
  static constexpr float cost_ns = 4;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::exp(x);
  }

  template <class Device, class T>
  using kernel = Map1<Exp, Device, T>;
};

// exp(x) - 1, also for small x.
struct Expm1 {
  static constexpr auto signature = detail::UnaryOp("Expm1", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      // exp(a + ib) - 1 = expm1(a) cos b + (cos b - 1) + i exp(a) sin b, with cos b - 1 = -2 sin^2(b / 2).
      const auto a = x.real(), b = x.imag(), half_sine = std::sin(b / 2);
      return T(std::expm1(a) * std::cos(b) - 2 * half_sine * half_sine, std::exp(a) * std::sin(b));
    } else {
      return std::expm1(x);
    }
  }

  template <class Device, class T>
  using kernel = Map1<Expm1, Device, T>;
};

struct Log {
  static constexpr auto signature = detail::UnaryOp("Log", detail::kFloatingTypes);
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::log(x);
  }

  template <class Device, class T>
  using kernel = Map1<Log, Device, T>;
};

// log(1 + x), also for small x.
struct Log1p {
  static constexpr auto signature = detail::UnaryOp("Log1p", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      // log|1 + x| = log1p(2 a + a^2 + b^2) / 2.
      const auto a = x.real(), b = x.imag();
      const auto square = a * (2 + a) + b * b;
      return std::abs(a) < 1 && std::abs(b) < 1 ? T(std::log1p(square) / 2, std::atan2(b, 1 + a)) : std::log(T(1) + x);
    } else {
      return std::log1p(x);
    }
  }

  template <class Device, class T>
  using kernel = Map1<Log1p, Device, T>;
};

// 1 / (1 + exp(-x)).
struct Sigmoid {
  static constexpr auto signature = detail::UnaryOp("Sigmoid", detail::kFloatingTypes);
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return T(1) / (T(1) + std::exp(-x));
  }

  template <class Device, class T>
  using kernel = Map1<Sigmoid, Device, T>;
};

// x / y, and 0 where x is 0, whatever y is.
struct Xdivy {
  static constexpr auto signature = detail::BinaryOp("Xdivy", detail::kXTypes);
  static constexpr float cost_ns = 2;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : detail::Ratio(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<Xdivy, Device, T>;
};

// x log(y), and 0 where x is 0.
struct Xlogy {
  static constexpr auto signature = detail::BinaryOp("Xlogy", detail::kXTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : x * std::log(y);
  }

  template <class Device, class T>
  using kernel = Map2<Xlogy, Device, T>;
};

// x log(1 + y), and 0 where x is 0.
struct Xlog1py {
  static constexpr auto signature = detail::BinaryOp("Xlog1py", detail::kXTypes);
  static constexpr float cost_ns = 7;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : x * Log1p::map(y);
  }

  template <class Device, class T>
  using kernel = Map2<Xlog1py, Device, T>;
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

// ---- tenon/cnn_ops.hpp ----
// tenon::ops::Cnn: the ops of convolutional networks as TensorFlow freezes them, those of tenon::ops::Mlp included.
//
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::Cnn);
TENON_NAMESPACE_BEGIN

namespace ops {

using Cnn = OpList<Mlp, Add, AddV2, ConcatV2, Conv2D, Exp, ExpandDims, Max, MaxPool, Maximum, Mean, Min, Minimum, Mul,
                   Neg, Pack, Pad, Prod, RealDiv, Relu6, Reshape, Rsqrt, Shape, Sigmoid, Sqrt, Square, Squeeze,
                   StridedSlice, Sub, Sum>;

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/dynamic.hpp ----
// DynamicStitch, DynamicPartition: rows merged by number and dealt out by number.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DynamicStitchShape(InferenceContext* c) {
  const int n = c->num_inputs() / 2;
  bool all_known = true;
  std::int64_t most = -1;
  ShapeHandle extra = c->UnknownShape(), unused, rest, out;
  for (int i = 0; i < n; ++i) {
    SlimVector<std::int64_t> values;
    bool known = false;
    TENON_RETURN_IF_ERROR(c->ReadInput(i, &values, &known));
    all_known = all_known && known;
    const ShapeHandle indices = c->input(i), data = c->input(i + n);
    if (!c->RankKnown(indices)) continue;
    TENON_RETURN_IF_ERROR(c->MergePrefix(data, indices, &unused, &unused));
    TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(indices), &rest));
    TENON_RETURN_IF_ERROR(c->Merge(extra, rest, &extra));
    for (const std::int64_t value : values) most = std::max(most, value);
  }
  const ShapeHandle rows = c->Vector(all_known ? c->MakeDim(most + 1) : c->UnknownDim());
  TENON_RETURN_IF_ERROR(c->Concatenate(rows, extra, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status DynamicPartitionShape(InferenceContext* c) {
  const ShapeHandle data = c->input(0), partitions = c->input(1);
  if (!c->RankKnown(partitions)) return shape_inference::UnknownShape(c);
  ShapeHandle unused, rest, out;
  TENON_RETURN_IF_ERROR(c->MergePrefix(data, partitions, &unused, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(partitions), &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}

inline bool StartsWithShape(const TensorShape& shape, const TensorShape& prefix) {
  return shape.dims() >= prefix.dims() && std::equal(prefix.begin(), prefix.end(), shape.begin());
}

}  // namespace detail

// merged[indices[i][j]] = data[i][j]; the last one stays, rows that nobody names are zero
struct DynamicStitch {
  static constexpr auto signature = Op("DynamicStitch")
                                        .Input("indices: N * int32")
                                        .Input("data: N * T")
                                        .Output("merged: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::DynamicStitchShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes | ToSet(DataType::kVariant) | ToSet(DataType::kQint8) |
                                         ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), kServed); }
    Status operator()(Context<Device>& context, InList<std::int32_t> indices, std::span<const Tensor> data,
                      Tensor& merged) const {
      return Run(context.op(), context.device(), indices, data, &merged);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const InList<std::int32_t>& indices,
                    std::span<const Tensor> data, Tensor* merged) {
    Index rows = 0;
    TensorShape row;  // of one row; the same for all
    for (int i = 0; i < indices.size(); ++i) {
      const In<std::int32_t> at = indices[i];
      const Tensor& part = data[static_cast<std::size_t>(i)];
      if (!detail::StartsWithShape(part.shape(), at.shape()))
        return errors::InvalidArgument("DynamicStitch: data[", i, "].shape = ", part.shape(),
                                       " does not start with indices[", i, "].shape = ", at.shape());
      TensorShape own = part.shape();
      own.RemoveDimRange(0, at.shape().dims());
      if (i == 0) row = own;
      if (!(own == row))
        return errors::InvalidArgument("DynamicStitch: Need data[0].shape[", indices[0].shape().dims(), ":] = data[", i,
                                       "].shape[", at.shape().dims(), ":], got data[0].shape = ", data[0].shape(),
                                       ", data[", i, "].shape = ", part.shape());
      for (Index j = 0; j < at.size(); ++j) {
        if (at[j] < 0) return errors::InvalidArgument("DynamicStitch: indices[", j, "] = ", at[j], " is out of range");
        rows = std::max<Index>(rows, Index{at[j]} + 1);
      }
    }
    TensorShape shape = row;
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, rows));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &merged));
    const ElementMover mover = MoverOf(merged->dtype());
    const Index run = row.num_elements();
    Zero(device, mover, merged->raw_data(), merged->NumElements());
    for (int i = 0; i < indices.size() && run > 0; ++i) {
      const In<std::int32_t> at = indices[i];
      for (Index j = 0; j < at.size(); ++j)
        CopyRun(mover, mover.At(data[static_cast<std::size_t>(i)].raw_data(), j * run),
                mover.At(merged->raw_data(), at[j] * run), run);
    }
    return OkStatus();
  }
};

// outputs[k] = the rows of data whose partition is k, in their order
struct DynamicPartition {
  static constexpr auto signature = Op("DynamicPartition")
                                        .Input("data: T")
                                        .Input("partitions: int32")
                                        .Output("outputs: num_partitions * T")
                                        .Attr("num_partitions: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::DynamicPartitionShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& data, In<std::int32_t> partitions,
                      std::span<Tensor> outputs) const {
      return Run(context.op(), data, partitions, outputs);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& data, const In<std::int32_t>& partitions,
                    std::span<Tensor> outputs) {
    const auto count = static_cast<Index>(outputs.size());
    if (!detail::StartsWithShape(data.shape(), partitions.shape()))
      return errors::InvalidArgument("DynamicPartition: data.shape must start with partitions.shape, got data.shape = ",
                                     data.shape(), ", partitions.shape = ", partitions.shape());
    SlimVector<Index> next(outputs.size(), 0);
    for (Index i = 0; i < partitions.size(); ++i) {
      const Index k = partitions[i];
      if (k < 0 || k >= count)
        return errors::InvalidArgument("DynamicPartition: partitions[", i, "] = ", k, " is not in [0, ", count, ")");
      ++next[static_cast<std::size_t>(k)];
    }
    TensorShape row = data.shape();
    row.RemoveDimRange(0, partitions.shape().dims());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      TensorShape shape = row;
      TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, next[k]));
      Tensor* out = &outputs[k];
      TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(k), shape, &out));
      next[k] = 0;
    }
    const ElementMover mover = MoverOf(data.dtype());
    const Index run = row.num_elements();
    for (Index i = 0; i < partitions.size() && run > 0; ++i) {
      const auto k = static_cast<std::size_t>(partitions[i]);
      CopyRun(mover, mover.At(data.raw_data(), i * run), mover.At(outputs[k].raw_data(), next[k]++ * run), run);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/fill.hpp ----
// Fill, ZerosLike, OnesLike, Empty, OneHot: tensors of one value, or nearly.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kFillTypes =
    kPodAndObjectTypes | kQuantizedTypes | ToSet(DataType::kInt4) | ToSet(DataType::kUint4);

inline Status FillShape(InferenceContext* c) {
  SlimVector<std::int64_t> sizes;
  bool known = false;
  ShapeHandle unused, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->ReadInput(0, &sizes, &known));
  for (const std::int64_t size : sizes)
    if (size < 0) return errors::InvalidArgument("Fill dimensions must be >= 0");
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  if (const auto* held = c->input_handle_shapes_and_types(1)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}

inline Status OneHotShape(InferenceContext* c) {
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -1) return errors::InvalidArgument("axis must be >= -1");
  DimensionHandle depth;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &depth));
  const ShapeHandle indices = c->input(0);
  if (!c->RankKnown(indices)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(indices) + 1, at = (axis + rank) % rank;
  SlimVector<DimensionHandle> dims;
  for (std::int32_t d = 0; d < rank; ++d) dims.push_back(d == at ? depth : c->Dim(indices, d < at ? d : d - 1));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// The shape whose sizes are these values, which `what` is called in errors.
inline Status ShapeOfValues(const char* what, const HostIndices& values, TensorShape* shape) {
  InlinedVector<Index, 8> sizes;
  for (Index d = 0; d < values.size(); ++d) {
    if (values[d] < 0)
      return errors::InvalidArgument(what, ": Dimension ", values[d], " must be >= 0 (dimension ", d, ")");
    sizes.push_back(values[d]);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, shape);
}

}  // namespace detail

// dims: [2, 3], value: v  ->  [[v v v][v v v]]
struct Fill {
  static constexpr auto signature = Op("Fill")
                                        .Input("dims: index_type")
                                        .Input("value: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("index_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::FillShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), detail::kFillTypes); }
    Status operator()(Context<Device>& context, HostIndices dims, const Tensor& value, Tensor& output) const {
      if (dims.shape().dims() > 1)
        return errors::InvalidArgument("Fill: dims must be a vector, got shape ", dims.shape());
      if (value.dims() > 1 || value.NumElements() != 1)
        return errors::InvalidArgument("Fill: value must be a scalar, got shape ", value.shape());
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeOfValues("Fill", dims, &shape));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      tenon::Fill(context.device(), MoverOf(value.dtype()), value.raw_data(), out->raw_data(), out->NumElements());
      return OkStatus();
    }
  };
};

struct ZerosLike {
  static constexpr auto signature =
      Op("ZerosLike").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      Tensor* out = &y;
      if (x.dtype() == DataType::kString)  // a new tensor's texts are empty
        return context.op().allocate_output(0, x.shape(), &out);
      TENON_RETURN_IF_ERROR(context.op().forward_input_or_allocate_output({0}, 0, x.shape(), &out));
      Zero(context.device(), MoverOf(x.dtype()), out->raw_data(), out->NumElements());
      return OkStatus();
    }
  };
};

struct OnesLike {
  static constexpr auto signature =
      Op("OnesLike")
          .Input("x: T")
          .Output("y: T")
          .Attr(
              "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<T>, Forward<T, 0> y) const {
      const T one = T(1);
      tenon::Fill(device, ElementMover{sizeof(T)}, &one, y.data, y.size());
      return OkStatus();
    }
  };
};

// A tensor of this shape: zeros when `init` says so, else whatever its memory held.
struct Empty {
  static constexpr auto signature = Op("Empty")
                                        .Input("shape: int32")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("init: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::RandomShape);

  struct Attrs {
    bool init;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, HostIndices shape, Tensor& output) const {
      if (shape.shape().dims() != 1)
        return errors::InvalidArgument("Empty: shape must be a vector of int32, got shape ", shape.shape());
      TensorShape sizes;
      TENON_RETURN_IF_ERROR(detail::ShapeOfValues("Empty", shape, &sizes));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, sizes, &out));
      if (this->init) Zero(context.device(), MoverOf(out->dtype()), out->raw_data(), out->NumElements());
      return OkStatus();
    }
  };
};

// indices: [a, b], depth d  ->  [a, b, d] (axis -1): on_value where the index says, off_value elsewhere
struct OneHot {
  static constexpr auto signature = Op("OneHot")
                                        .Input("indices: TI")
                                        .Input("depth: int32")
                                        .Input("on_value: T")
                                        .Input("off_value: T")
                                        .Attr("axis: int = -1")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::OneHotShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& indices, HostIndices depth, const Tensor& on_value,
                      const Tensor& off_value, Tensor& output) const {
      return Run(context.op(), context.device(), this->axis, indices, depth, on_value, off_value, &output);
    }
  };

 private:
  static Index At(const Tensor& indices, Index i) {
    if (indices.dtype() == DataType::kUint8) return indices.data<std::uint8_t>()[i];
    if (indices.dtype() == DataType::kInt8) return indices.data<std::int8_t>()[i];
    if (indices.dtype() == DataType::kInt32) return indices.data<std::int32_t>()[i];
    return indices.data<std::int64_t>()[i];
  }
  static Status Run(OpKernelContext& context, Cpu& device, std::int64_t axis, const Tensor& indices,
                    const HostIndices& depth, const Tensor& on_value, const Tensor& off_value, Tensor* output) {
    const int rank = indices.dims();
    if (axis < -1 || axis > rank)
      return errors::InvalidArgument("OneHot: Expected axis to be -1 or between [0, ", rank + 1,
                                     ").  But received: ", axis);
    if (depth.shape().dims() != 0)
      return errors::InvalidArgument("OneHot: depth must be a scalar, but got: ", depth.shape());
    if (on_value.dims() != 0)
      return errors::InvalidArgument("OneHot: on_value must be a scalar, but got: ", on_value.shape());
    if (off_value.dims() != 0)
      return errors::InvalidArgument("OneHot: off_value must be a scalar, but got: ", off_value.shape());
    if (depth[0] < 0) return errors::InvalidArgument("OneHot: depth must be non-negative, got: ", depth[0]);
    const int at = axis == -1 ? rank : static_cast<int>(axis);
    TensorShape shape = indices.shape();
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(at, depth[0]));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    const ElementMover mover = MoverOf(output->dtype());
    tenon::Fill(device, mover, off_value.raw_data(), output->raw_data(), output->NumElements());
    Index inner = 1;
    for (int d = at; d < rank; ++d) inner *= indices.dim_size(d);
    for (Index i = 0; i < indices.NumElements(); ++i) {
      const Index hot = At(indices, i);
      if (hot >= 0 && hot < depth[0])
        CopyRun(mover, on_value.raw_data(),
                mover.At(output->raw_data(), (i / inner * depth[0] + hot) * inner + i % inner), 1);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/gather.hpp ----
// Rows picked by number along one axis of a tensor.
TENON_NAMESPACE_BEGIN

// in: [batch, outer, limit, run], indices: [batch, count]  ->  out: [batch, outer, count, run]
struct GatherPlan {
  Index batch = 1, outer = 1, limit = 0, count = 0, run = 1;
};

namespace detail {

// Rows [begin, end) of the output's batch * outer * count.
template <class Int>
void GatherRows(const ElementMover& mover, const GatherPlan& plan, const void* in, const Int* indices, void* out,
                Index begin, Index end) {
  Index block = begin / plan.count, i = begin % plan.count;  // block: which [limit, run] of the input
  for (Index row = begin; row < end; ++row) {
    const Index from = static_cast<Index>(indices[block / plan.outer * plan.count + i]);
    const char* const source = mover.At(in, (block * plan.limit + from) * plan.run);
    char* const target = mover.At(out, row * plan.run);
    if (mover.assign == nullptr && plan.run == 1)
      CopyBytePieces(mover.bytes, source, 0, target, 0, 1);
    else
      CopyRun(mover, source, target, plan.run);
    if (++i == plan.count) {
      i = 0;
      ++block;
    }
  }
}

// The position of the first of n indices that is not in [0, limit), or -1.
template <class Int>
Index FirstOutside(const Int* indices, Index n, Index limit) {
  bool outside = false;
  for (Index i = 0; i < n; ++i)
    outside |= static_cast<std::uint64_t>(static_cast<std::int64_t>(indices[i])) >= static_cast<std::uint64_t>(limit);
  if (!outside) return -1;
  for (Index i = 0;; ++i)
    if (indices[i] < 0 || static_cast<Index>(indices[i]) >= limit) return i;
}

}  // namespace detail

// The indices (int16, int32 or int64; batch * count of them) must be in [0, limit): otherwise nothing is written and
// the position of the first bad one is returned. -1 when all is well.
inline Index Gather(Cpu& device, const ElementMover& mover, const GatherPlan& plan, const void* in,
                    const Tensor& indices, void* out) {
  const auto run = [&]<class Int>(Int) {
    const Int* at = indices.data<Int>();
    if (const Index bad = detail::FirstOutside(at, plan.batch * plan.count, plan.limit); bad >= 0) return bad;
    if (plan.run > 0 && plan.count > 0)
      ParallelFor(device, plan.batch * plan.outer * plan.count, mover.cost_ns() * static_cast<double>(plan.run) + 2,
                  [&](Index begin, Index end) { detail::GatherRows(mover, plan, in, at, out, begin, end); });
    return Index{-1};
  };
  if (indices.dtype() == DataType::kInt16) return run(std::int16_t{});
  if (indices.dtype() == DataType::kInt32) return run(std::int32_t{});
  return run(std::int64_t{});
}

TENON_NAMESPACE_END

// ---- tenon/ops/array/places.hpp ----
// Index vectors: which place of a tensor each one names. For GatherNd, ScatterNd and the TensorScatter ops.
TENON_NAMESPACE_BEGIN

namespace ops::detail {

// places[i] = the number, in a tensor with these leading sizes, of the place that the i-th vector of `indices` ([...,
// leading.size()]) names; -1 when it is outside. Returns the first i outside, or -1.
inline Index FindPlaces(const HostIndices& indices, std::span<const Index> leading, SlimVector<Index>* places) {
  const auto depth = static_cast<Index>(leading.size());
  Index first_bad = -1;
  for (std::size_t i = 0; i < places->size(); ++i) {
    Index place = 0;
    bool inside = true;
    for (Index d = 0; d < depth; ++d) {
      const Index at = indices[static_cast<Index>(i) * depth + d], size = leading[static_cast<std::size_t>(d)];
      inside = inside && at >= 0 && at < size;
      place = inside ? place * size + at : -1;
    }
    (*places)[i] = place;
    if (!inside && first_bad < 0) first_bad = static_cast<Index>(i);
  }
  return first_bad;
}

}  // namespace ops::detail

TENON_NAMESPACE_END

// ---- tenon/ops/array/gather.hpp ----
// Gather, GatherV2, GatherNd: parts of a tensor picked by index.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kGatherNdTypes = kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) |
                                              ToSet(DataType::kFloat8E4M3FN) | ToSet(DataType::kQint8) |
                                              ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);
inline constexpr DataTypeSet kGatherTypes = kGatherNdTypes | kQuantizedTypes;

inline Status GatherShape(InferenceContext* c) {
  ShapeHandle params, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TENON_RETURN_IF_ERROR(c->Subshape(params, 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(1), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status GatherV2Shape(InferenceContext* c) {
  ShapeHandle params, unused, indices = c->input(1), out, part;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &params));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  std::int64_t axis = 0, batch_dims = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &axis, &known));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (!known) {
    // As in TensorFlow, batch_dims counts as it is written.
    const std::int64_t rank = c->Rank(params) + c->Rank(indices) - 1 - batch_dims;
    const bool ranks = c->RankKnown(params) && c->RankKnown(indices) && rank >= 0;
    c->set_output(0, ranks ? c->UnknownShapeOfRank(rank) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(params, axis < 0 ? -axis : axis + 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(indices, batch_dims < 0 ? -batch_dims : batch_dims, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(params, 0, axis, &out));
  TENON_RETURN_IF_ERROR(c->Subshape(indices, batch_dims, &part));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
  if (axis != -1) {
    TENON_RETURN_IF_ERROR(c->Subshape(params, axis + 1, &part));
    TENON_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

inline Status GatherNdShape(InferenceContext* c) {
  const ShapeHandle params = c->input(0);
  ShapeHandle indices, rows, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(depth)) return shape_inference::UnknownShape(c);
  if (c->Value(depth) > c->Rank(params))
    return errors::InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                                   c->DebugString(indices), " and params shape: ", c->DebugString(params));
  TENON_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &rows));
  TENON_RETURN_IF_ERROR(c->Subshape(params, c->Value(depth), &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(rows, rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

// "[1,0]": where element i of a tensor is.
inline std::string PlaceText(const TensorShape& shape, Index i) {
  std::string text;
  for (int d = shape.dims() - 1; d >= 0; i /= std::max<Index>(1, shape.dim_size(d--)))
    text = StrCat(i % std::max<Index>(1, shape.dim_size(d)), text.empty() ? "" : ",", text);
  return StrCat("[", text, "]");
}

inline Status RunGather(OpKernelContext& context, Cpu& device, const Tensor& params, const Tensor& indices, Index axis,
                        Index batch_dims, Tensor* output) {
  const int rank = params.dims(), index_rank = indices.dims();
  if (rank < 1) return errors::InvalidArgument("Gather: params must be at least 1 dimensional");
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Gather: Shape must be at least rank ", axis < 0 ? -axis : axis + 1, " but is rank ",
                                   rank);
  if (axis < 0) axis += rank;
  if (batch_dims < -index_rank || batch_dims > index_rank)
    return errors::InvalidArgument("Gather: Expected batch_dims in the range [", -index_rank, ", ", index_rank,
                                   "], but got ", batch_dims);
  if (batch_dims < 0) batch_dims += index_rank;
  if (batch_dims >= rank)
    return errors::InvalidArgument("Gather: batch_dims (", batch_dims, ") must be less than rank(params) (", rank,
                                   ").");
  if (batch_dims > axis)
    return errors::InvalidArgument("Gather: batch_dims (", batch_dims, ") must be less than or equal to axis (", axis,
                                   ").");
  GatherPlan plan;
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < rank; ++d) {
    const Index size = params.dim_size(d);
    if (d < batch_dims && size != indices.dim_size(d))
      return errors::InvalidArgument("Gather: params.shape[", d, "]: ", size, " should be equal to indices.shape[", d,
                                     "]: ", indices.dim_size(d));
    (d < batch_dims ? plan.batch : d < axis ? plan.outer : d == axis ? plan.limit : plan.run) *= d == axis ? 1 : size;
    if (d == axis) plan.limit = size;
    if (d != axis) sizes.push_back(size);
  }
  plan.count = 1;
  for (Index d = batch_dims; d < index_rank; ++d) {
    const Index size = indices.dim_size(static_cast<int>(d));
    plan.count *= size;
    sizes.insert(sizes.begin() + axis + (d - batch_dims), size);
  }
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const Index bad =
      tenon::Gather(device, MoverOf(params.dtype()), plan, params.raw_data(), indices, output->raw_data());
  if (bad < 0) return OkStatus();
  return errors::InvalidArgument("Gather: indices", PlaceText(indices.shape(), bad), " = ",
                                 HostIndices(indices.any_view(), indices.dtype())[bad], " is not in [0, ", plan.limit,
                                 ")");
}

}  // namespace detail

// params: [n, a], indices: [b]  ->  [b, a]
struct Gather {
  static constexpr auto signature = Op("Gather")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Output("output: Tparams")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .SetShapeFn(detail::GatherShape);

  static constexpr std::string_view unused[] = {"validate_indices"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kGatherTypes); }
    Status operator()(Context<Device>& context, const Tensor& params, const Tensor& indices, Tensor& output) const {
      return detail::RunGather(context.op(), context.device(), params, indices, 0, 0, &output);
    }
  };
};

// The same along any axis; the first batch_dims dimensions of params and indices go together.
struct GatherV2 {
  static constexpr auto signature = Op("GatherV2")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Input("axis: Taxis")
                                        .Output("output: Tparams")
                                        .Attr("batch_dims: int = 0")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("Taxis: {int32, int64}")
                                        .SetShapeFn(detail::GatherV2Shape);

  struct Attrs {
    std::int64_t batch_dims;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kGatherTypes); }
    Status operator()(Context<Device>& context, const Tensor& params, const Tensor& indices, HostIndices axis,
                      Tensor& output) const {
      if (axis.shape().dims() != 0)
        return errors::InvalidArgument("GatherV2: axis must be scalar, not shape ", axis.shape());
      return detail::RunGather(context.op(), context.device(), params, indices, axis[0], this->batch_dims, &output);
    }
  };
};

// indices: [..., k] name parts of params' first k dimensions: params: [n, m, a], indices: [b, 2]  ->  [b, a]
struct GatherNd {
  static constexpr auto signature = Op("GatherNd")
                                        .Input("params: Tparams")
                                        .Input("indices: Tindices")
                                        .Output("output: Tparams")
                                        .Attr("Tparams: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::GatherNdShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      const std::string_view policy = this->bad_indices_policy;
      if (policy != "" && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE")
        return errors::InvalidArgument("no kernel for op 'GatherNd' on ", c.device_type(), " with bad_indices_policy '",
                                       policy, "'; there are '', 'DEFAULT', 'ERROR' and 'IGNORE'");
      return ServeOnly(c, c.input_type(0), detail::kGatherNdTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& params, const Tensor& indices, Tensor& output) const {
      return Run(context.op(), context.device(), params, indices, this->bad_indices_policy == "IGNORE", &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& params, const Tensor& indices, bool ignore_bad,
                    Tensor* output) {
    constexpr Index kMaxDepth = 7;
    if (params.dims() < 1) return errors::InvalidArgument("GatherNd: params must be at least a vector");
    if (indices.dims() < 1) return errors::InvalidArgument("GatherNd: indices must be at least a vector");
    const Index depth = indices.dim_size(indices.dims() - 1);
    if (depth > params.dims())
      return errors::InvalidArgument("GatherNd: index innermost dimension length must be <= params rank; saw: ", depth,
                                     " vs. ", params.dims());
    if (depth > kMaxDepth)
      return errors::InvalidArgument("GatherNd: Only indices.shape[-1] values between 1 and ", kMaxDepth,
                                     " are currently supported.  Requested rank: ", depth);
    TensorShape shape = indices.shape();
    shape.RemoveLastDims(1);
    const Index count = shape.num_elements();
    Index run = 1;
    for (int d = 0; d < params.dims(); ++d) {
      if (d < depth) continue;
      run *= params.dim_size(d);
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(params.dim_size(d)));
    }
    if (count > 0 && params.NumElements() == 0)
      return errors::InvalidArgument("GatherNd: Requested more than 0 entries, but params is empty.  Params shape: ",
                                     params.shape());
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    SlimVector<Index> places(static_cast<std::size_t>(count), 0);
    const HostIndices at(indices.any_view(), indices.dtype());
    const Index bad =
        detail::FindPlaces(at, params.shape().dim_sizes().first(static_cast<std::size_t>(depth)), &places);
    if (bad >= 0 && !ignore_bad) return BadIndex(indices, at, bad, depth, params.shape());
    const ElementMover mover = MoverOf(params.dtype());
    ParallelFor(device, count, mover.cost_ns() * static_cast<double>(run) + 2, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Index place = places[static_cast<std::size_t>(i)];
        if (place < 0)
          ZeroRun(mover, mover.At(output->raw_data(), i * run), run);
        else
          CopyRun(mover, mover.At(params.raw_data(), place * run), mover.At(output->raw_data(), i * run), run);
      }
    });
    return OkStatus();
  }
  static Status BadIndex(const Tensor& indices, const HostIndices& at, Index bad, Index depth,
                         const TensorShape& params) {
    TensorShape rows = indices.shape();
    rows.RemoveLastDims(1);
    std::string index;
    for (Index d = 0; d < depth; ++d) StrAppend(&index, d == 0 ? "" : ", ", at[bad * depth + d]);
    return errors::InvalidArgument("GatherNd: indices", detail::PlaceText(rows, bad), " = [", index,
                                   "] does not index into param shape ", params);
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/matrix_diag.hpp ----
// Diagonals of matrices: MatrixDiag, MatrixDiagPart, MatrixSetDiag in both versions, MatrixBandPart, Diag, DiagPart.
//
// Diagonal d of a matrix holds its elements [r, r + d]. Several diagonals are the rows of a matrix, the highest first,
// each at the left or the right end of its row as `align` says.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// ---- shapes
// The diagonals that input i names, one or two numbers; *known is false when it is not known.
inline Status ReadDiagonals(InferenceContext* c, int i, std::int64_t* lower, std::int64_t* upper, bool* known) {
  ShapeHandle index;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &index));
  SlimVector<std::int64_t> values;
  TENON_RETURN_IF_ERROR(c->ReadInput(i, &values, known));
  *known = *known && c->FullyDefined(index);
  if (!*known) return OkStatus();
  if (values.empty() || values.size() > 2)
    return errors::InvalidArgument("diag_index must be a vector with one or two elements. It has ", values.size(),
                                   " elements.");
  *lower = values.front();
  *upper = values.back();
  if (*lower > *upper) return errors::InvalidArgument("lower_diag_index is greater than upper_diag_index");
  return OkStatus();
}
inline Status CheckDiagonalsInside(std::int64_t lower, std::int64_t upper, std::int64_t rows, std::int64_t columns) {
  if (lower != 0 && (lower <= -rows || lower >= columns))
    return errors::InvalidArgument("lower_diag_index is out of bound.");
  if (upper != 0 && (upper <= -rows || upper >= columns))
    return errors::InvalidArgument("upper_diag_index is out of bound.");
  return OkStatus();
}

inline Status MatrixDiagShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  if (!c->RankKnown(in)) return shape_inference::UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->Concatenate(in, c->Vector(c->Dim(in, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status MatrixDiagPartShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  if (!c->RankKnown(in)) return shape_inference::UnknownShape(c);
  DimensionHandle length;
  TENON_RETURN_IF_ERROR(c->Min(c->Dim(in, -2), c->Dim(in, -1), &length));
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(length), &out));
  c->set_output(0, out);
  return OkStatus();
}
// What the diagonals' leading dimensions add to what is known of the matrices.
inline Status MergeBatch(InferenceContext* c, ShapeHandle input, ShapeHandle diagonal, std::int64_t own_dims) {
  ShapeHandle out = input;
  if (c->RankKnown(diagonal) && !c->FullyDefined(input)) {
    ShapeHandle batch;
    TENON_RETURN_IF_ERROR(c->Subshape(diagonal, 0, -own_dims, &batch));
    TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->UnknownShapeOfRank(2), &batch));
    TENON_RETURN_IF_ERROR(c->Merge(input, batch, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}
inline Status MatrixSetDiagShape(InferenceContext* c) {
  ShapeHandle input, diagonal;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  if (c->RankKnown(input)) TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), c->Rank(input) - 1, &diagonal));
  DimensionHandle length;
  TENON_RETURN_IF_ERROR(c->Min(c->Dim(input, -2), c->Dim(input, -1), &length));
  TENON_RETURN_IF_ERROR(c->Merge(length, c->Dim(diagonal, -1), &length));
  return MergeBatch(c, input, diagonal, 1);
}

// The sizes of matrices with these diagonals, the longest of `length` elements; -1 stands for "as small as possible".
inline Status MatrixSizes(std::int64_t lower, std::int64_t upper, std::int64_t length, std::int64_t* rows,
                          std::int64_t* columns) {
  const std::int64_t min_rows = length - std::min<std::int64_t>(upper, 0);
  const std::int64_t min_columns = length + std::max<std::int64_t>(lower, 0);
  if (*rows == -1 && *columns == -1) *rows = *columns = std::max(min_rows, min_columns);
  if (*rows == -1) *rows = min_rows;
  if (*columns == -1) *columns = min_columns;
  if (*rows < min_rows) return errors::InvalidArgument("num_rows is too small: ", *rows, ", at least ", min_rows);
  if (*columns < min_columns)
    return errors::InvalidArgument("num_cols is too small: ", *columns, ", at least ", min_columns);
  if (*rows != min_rows && *columns != min_columns)
    return errors::InvalidArgument(
        "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the given "
        "diagonals: ",
        *rows, " != ", min_rows, " and ", *columns, " != ", min_columns);
  return OkStatus();
}

inline Status MatrixDiagV3Shape(InferenceContext* c) {
  ShapeHandle in, unused, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  std::int64_t lower = 0, upper = 0, rows = -1, columns = -1;
  bool known = false, size_known = false;
  TENON_RETURN_IF_ERROR(ReadDiagonals(c, 1, &lower, &upper, &known));
  for (int i = 2; i < 5; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  if (!c->RankKnown(in) || !known) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(in);
  if (lower < upper) {
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(in, 2, &in));
    if (c->Value(c->Dim(in, rank - 2)) != upper - lower + 1)
      return errors::InvalidArgument(
          "The number of rows of `diagonal` doesn't match the number of diagonals implied "
          "from `d_lower` and `d_upper`: ",
          c->DebugString(c->Dim(in, rank - 2)), " instead of ", upper - lower + 1);
  }
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &rows, &size_known));
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(3, &columns, &size_known));
  TENON_RETURN_IF_ERROR(MatrixSizes(lower, upper, c->Value(c->Dim(in, rank - 1)), &rows, &columns));
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, lower == upper ? rank - 1 : rank - 2, &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Matrix(c->MakeDim(rows), c->MakeDim(columns)), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status MatrixDiagPartV3Shape(InferenceContext* c) {
  ShapeHandle in, unused, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  std::int64_t lower = 0, upper = 0, length = -1;
  bool known = false;
  TENON_RETURN_IF_ERROR(ReadDiagonals(c, 1, &lower, &upper, &known));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  if (!c->RankKnown(in) || !known) return shape_inference::UnknownShape(c);
  const std::int64_t rows = c->Value(c->Dim(in, -2)), columns = c->Value(c->Dim(in, -1));
  if (rows >= 0 && columns >= 0) {
    TENON_RETURN_IF_ERROR(CheckDiagonalsInside(lower, upper, rows, columns));
    length = std::min(rows + std::min<std::int64_t>(upper, 0), columns - std::max<std::int64_t>(lower, 0));
  }
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  if (lower < upper) TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(upper - lower + 1), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(c->MakeDim(length)), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status MatrixSetDiagV3Shape(InferenceContext* c) {
  ShapeHandle input, diagonal;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  std::int64_t lower = 0, upper = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(ReadDiagonals(c, 2, &lower, &upper, &known));
  if (c->RankKnown(input)) {
    const std::int32_t rank = c->Rank(input);
    if (known) {
      TENON_RETURN_IF_ERROR(c->WithRank(diagonal, lower == upper ? rank - 1 : rank, &diagonal));
    } else {
      TENON_RETURN_IF_ERROR(c->WithRankAtLeast(diagonal, rank - 1, &diagonal));
      TENON_RETURN_IF_ERROR(c->WithRankAtMost(diagonal, rank, &diagonal));
    }
    const std::int64_t rows = c->Value(c->Dim(input, -2)), columns = c->Value(c->Dim(input, -1));
    if (rows >= 0 && columns >= 0) TENON_RETURN_IF_ERROR(CheckDiagonalsInside(lower, upper, rows, columns));
  }
  return MergeBatch(c, input, diagonal, lower == upper ? 1 : 2);
}

inline Status DiagShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  TENON_RETURN_IF_ERROR(c->Concatenate(in, in, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status DiagPartShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  if (!c->RankKnown(in)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(in);
  if (rank % 2 != 0 || rank <= 0)
    return errors::InvalidArgument("Input must have even and non-zero rank, input rank is ", rank);
  SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank / 2));
  for (std::int32_t d = 0; d < rank / 2; ++d)
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(in, d), c->Dim(in, d + rank / 2), &dims[static_cast<std::size_t>(d)]));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// ---- kernels
// The diagonals of one op call.
struct Diagonals {
  Index lower = 0, upper = 0;
  bool left_above = false, left_below = true;  // where superdiagonals and subdiagonals begin in their rows
  Index rows = 0, columns = 0, length = 0;     // of a matrix; of the longest diagonal

  void Align(std::string_view align) {  // "RIGHT_LEFT": superdiagonals, subdiagonals
    left_above = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
    left_below = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  }
  Status Read(const char* op, const HostIndices& k) {
    if (k.shape().dims() > 1)
      return errors::InvalidArgument(op, ": diag_index must be a scalar or vector, received shape: ", k.shape());
    if (k.size() < 1 || k.size() > 2)
      return errors::InvalidArgument(op, ": diag_index must have only one or two elements, received ", k.size(),
                                     " elements.");
    lower = k[0];
    upper = k[k.size() - 1];
    if (lower > upper)
      return errors::InvalidArgument(op, ": lower_diag_index must not be larger than upper_diag_index: ", lower, " > ",
                                     upper);
    return OkStatus();
  }
  // The matrices that the input holds.
  Status ReadMatrix(const char* op, const TensorShape& shape) {
    if (shape.dims() < 2) return errors::InvalidArgument(op, ": input must be at least 2-dim, received shape: ", shape);
    rows = shape.dim_size(shape.dims() - 2);
    columns = shape.dim_size(shape.dims() - 1);
    for (const Index d : {lower, upper})
      if (d != 0 && (d <= -rows || d >= columns))
        return errors::InvalidArgument(op, ": ", d == lower ? "lower" : "upper", "_diag_index is out of bound: ", d,
                                       ". It must be between ", -rows, " and ", columns);
    length = std::min(rows + std::min<Index>(upper, 0), columns - std::max<Index>(lower, 0));
    return OkStatus();
  }
  Index count() const { return upper - lower + 1; }
  Index LengthOf(Index d) const { return std::min(rows + std::min<Index>(d, 0), columns - std::max<Index>(d, 0)); }
  // Where in its row of `length` diagonal d begins.
  Index OffsetOf(Index d) const {
    const bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : length - LengthOf(d);
  }
  Index FirstOf(Index d) const { return d >= 0 ? d : -d * columns; }  // element of the matrix
};

// Copies between `batch` matrices and their diagonals, all at once.
inline void CopyDiagonals(Cpu& device, const ElementMover& mover, const Diagonals& k, Index batch, bool to_matrix,
                          const void* from, void* to) {
  const Index matrix = k.rows * k.columns, packed = k.count() * k.length;
  ParallelFor(device, batch, mover.cost_ns() * 4 * static_cast<double>(packed) + 5, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      for (Index d = k.lower; d <= k.upper; ++d) {
        const Index n = k.LengthOf(d), step = k.columns + 1, in_matrix = b * matrix + k.FirstOf(d);
        const Index in_packed = b * packed + (k.upper - d) * k.length + k.OffsetOf(d);
        if (n <= 0) continue;
        if (to_matrix)
          CopyPieces(mover, 1, mover.At(from, in_packed), 1, mover.At(to, in_matrix), step, n);
        else
          CopyPieces(mover, 1, mover.At(from, in_matrix), step, mover.At(to, in_packed), 1, n);
      }
    }
  });
}

inline Status CheckPaddingValue(const char* op, const Tensor& value) {
  if (value.dims() == 0) return OkStatus();
  return errors::InvalidArgument(op, ": padding_value must be a scalar, received shape: ", value.shape());
}
inline void FillOrZero(Cpu& device, const ElementMover& mover, const Tensor* value, Tensor* out) {
  if (value == nullptr)
    Zero(device, mover, out->raw_data(), out->NumElements());
  else
    tenon::Fill(device, mover, value->raw_data(), out->raw_data(), out->NumElements());
}

// Matrices with these diagonals (k.lower, k.upper and the alignment are set); -1 rows or columns: as few as possible.
inline Status MakeMatrices(OpKernelContext& context, Cpu& device, Diagonals k, Index rows, Index columns,
                           const Tensor& diagonal, const Tensor* padding, Tensor* out) {
  const int rank = diagonal.dims();
  if (rank < 1)
    return errors::InvalidArgument("MatrixDiag: diagonal must be at least 1-dim, received shape: ", diagonal.shape());
  const bool one = k.lower == k.upper;
  if (!one && (rank < 2 || diagonal.dim_size(rank - 2) != k.count()))
    return errors::InvalidArgument(
        "MatrixDiag: The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range: ",
        diagonal.shape(), " for ", k.lower, " to ", k.upper);
  k.length = diagonal.dim_size(rank - 1);
  TENON_RETURN_IF_ERROR(MatrixSizes(k.lower, k.upper, k.length, &rows, &columns));
  k.rows = rows;
  k.columns = columns;
  TensorShape shape = diagonal.shape();
  shape.RemoveLastDims(one ? 1 : 2);
  const Index batch = shape.num_elements();
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(rows));
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(columns));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(diagonal.dtype());
  FillOrZero(device, mover, padding, out);
  if (diagonal.NumElements() > 0 && shape.num_elements() > 0)
    CopyDiagonals(device, mover, k, batch, true, diagonal.raw_data(), out->raw_data());
  return OkStatus();
}

inline Status TakeDiagonals(OpKernelContext& context, Cpu& device, Diagonals k, const Tensor& input,
                            const Tensor* padding, Tensor* out) {
  TENON_RETURN_IF_ERROR(k.ReadMatrix("MatrixDiagPart", input.shape()));
  TensorShape shape = input.shape();
  shape.RemoveLastDims(2);
  const Index batch = shape.num_elements();
  if (k.count() > 1) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(k.count()));
  TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(k.length));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(input.dtype());
  if (k.count() > 1) FillOrZero(device, mover, padding, out);
  if (shape.num_elements() > 0) CopyDiagonals(device, mover, k, batch, false, input.raw_data(), out->raw_data());
  return OkStatus();
}

inline Status ReplaceDiagonals(OpKernelContext& context, Cpu& device, Diagonals k, const Tensor& input,
                               const Tensor& diagonal, Tensor* out) {
  TENON_RETURN_IF_ERROR(k.ReadMatrix("MatrixSetDiag", input.shape()));
  TensorShape wanted = input.shape();
  wanted.RemoveLastDims(2);
  const Index batch = wanted.num_elements();
  if (k.count() > 1) TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(k.count()));
  TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(k.length));
  if (!(diagonal.shape() == wanted))
    return errors::InvalidArgument(
        "MatrixSetDiag: Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is "
        "not equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: ",
        input.shape(), "\nDiagonal shape: ", diagonal.shape(), "\nExpected diagonal shape: ", wanted);
  const void* before = input.raw_data();
  const TensorShape shape = input.shape();
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &out));
  const ElementMover mover = MoverOf(out->dtype());
  if (out->raw_data() != before) Copy(device, mover, before, out->raw_data(), shape.num_elements());
  if (wanted.num_elements() > 0) CopyDiagonals(device, mover, k, batch, true, diagonal.raw_data(), out->raw_data());
  return OkStatus();
}

}  // namespace detail

// diagonal: [b, n]  ->  [b, n, n], zeros around
struct MatrixDiag {
  static constexpr auto signature =
      Op("MatrixDiag").Input("diagonal: T").Output("output: T").Attr("T: type").SetShapeFn(detail::MatrixDiagShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, Tensor& output) const {
      return detail::MakeMatrices(context.op(), context.device(), {}, -1, -1, diagonal, nullptr, &output);
    }
  };
};

// input: [b, m, n]  ->  [b, min(m, n)]
struct MatrixDiagPart {
  static constexpr auto signature = Op("MatrixDiagPart")
                                        .Input("input: T")
                                        .Output("diagonal: T")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::MatrixDiagPartShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& diagonal) const {
      return detail::TakeDiagonals(context.op(), context.device(), {}, input, nullptr, &diagonal);
    }
  };
};

// input: [b, m, n], diagonal: [b, min(m, n)]  ->  the input with that diagonal
struct MatrixSetDiag {
  static constexpr auto signature = Op("MatrixSetDiag")
                                        .Input("input: T")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::MatrixSetDiagShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& diagonal, Tensor& output) const {
      return detail::ReplaceDiagonals(context.op(), context.device(), {}, input, diagonal, &output);
    }
  };
};

// MatrixDiag with diagonals k[0] to k[1], sizes and what is around them.
struct MatrixDiagV3 {
  static constexpr auto signature =
      Op("MatrixDiagV3")
          .Input("diagonal: T")
          .Input("k: int32")
          .Input("num_rows: int32")
          .Input("num_cols: int32")
          .Input("padding_value: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(detail::MatrixDiagV3Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, HostIndices k, HostIndices num_rows,
                      HostIndices num_cols, const Tensor& padding_value, Tensor& output) const {
      detail::Diagonals diagonals;
      diagonals.Align(this->align);
      TENON_RETURN_IF_ERROR(diagonals.Read("MatrixDiagV3", k));
      if (num_rows.shape().dims() != 0)
        return errors::InvalidArgument("MatrixDiagV3: num_rows must be a scalar, received shape: ", num_rows.shape());
      if (num_cols.shape().dims() != 0)
        return errors::InvalidArgument("MatrixDiagV3: num_cols must be a scalar, received shape: ", num_cols.shape());
      TENON_RETURN_IF_ERROR(detail::CheckPaddingValue("MatrixDiagV3", padding_value));
      return detail::MakeMatrices(context.op(), context.device(), diagonals, num_rows[0], num_cols[0], diagonal,
                                  &padding_value, &output);
    }
  };
};

// MatrixDiagPart of diagonals k[0] to k[1].
struct MatrixDiagPartV3 {
  static constexpr auto signature =
      Op("MatrixDiagPartV3")
          .Input("input: T")
          .Input("k: int32")
          .Input("padding_value: T")
          .Output("diagonal: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(detail::MatrixDiagPartV3Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices k, const Tensor& padding_value,
                      Tensor& diagonal) const {
      detail::Diagonals diagonals;
      diagonals.Align(this->align);
      TENON_RETURN_IF_ERROR(diagonals.Read("MatrixDiagPartV3", k));
      TENON_RETURN_IF_ERROR(detail::CheckPaddingValue("MatrixDiagPartV3", padding_value));
      return detail::TakeDiagonals(context.op(), context.device(), diagonals, input, &padding_value, &diagonal);
    }
  };
};

// MatrixSetDiag of diagonals k[0] to k[1].
struct MatrixSetDiagV3 {
  static constexpr auto signature =
      Op("MatrixSetDiagV3")
          .Input("input: T")
          .Input("diagonal: T")
          .Input("k: int32")
          .Output("output: T")
          .Attr("T: type")
          .Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'")
          .SetShapeFn(detail::MatrixSetDiagV3Shape);
  struct Attrs {
    std::string_view align;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& diagonal, HostIndices k,
                      Tensor& output) const {
      detail::Diagonals diagonals;
      diagonals.Align(this->align);
      TENON_RETURN_IF_ERROR(diagonals.Read("MatrixSetDiagV3", k));
      return detail::ReplaceDiagonals(context.op(), context.device(), diagonals, input, diagonal, &output);
    }
  };
};

// Zeros outside of num_lower subdiagonals and num_upper superdiagonals; a negative number means all of them.
struct MatrixBandPart {
  static constexpr auto signature = Op("MatrixBandPart")
                                        .Input("input: T")
                                        .Input("num_lower: Tindex")
                                        .Input("num_upper: Tindex")
                                        .Output("band: T")
                                        .Attr("T: type")
                                        .Attr("Tindex: {int32, int64} = DT_INT64")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices num_lower, HostIndices num_upper,
                      Tensor& band) const {
      return Run(context.op(), context.device(), input, num_lower, num_upper, &band);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& num_lower,
                    const HostIndices& num_upper, Tensor* band) {
    const int rank = input.dims();
    if (rank < 2)
      return errors::InvalidArgument("MatrixBandPart: input must be at least 2-dim, received shape: ", input.shape());
    if (num_lower.shape().dims() != 0)
      return errors::InvalidArgument("MatrixBandPart: num_lower must be scalar, got shape ", num_lower.shape());
    if (num_upper.shape().dims() != 0)
      return errors::InvalidArgument("MatrixBandPart: num_upper must be scalar, got shape ", num_upper.shape());
    const Index rows = input.dim_size(rank - 2), columns = input.dim_size(rank - 1);
    const Index lower = num_lower[0], upper = num_upper[0];
    if (lower > rows)
      return errors::InvalidArgument("MatrixBandPart: num_lower must be negative or less or equal to number of rows (",
                                     rows, ") got: ", lower);
    if (upper > columns)
      return errors::InvalidArgument(
          "MatrixBandPart: num_upper must be negative or less or equal to number of columns (", columns,
          ") got: ", upper);
    const Index all = input.NumElements();
    const void* before = input.raw_data();
    const ElementMover mover = MoverOf(input.dtype());
    TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, input.shape(), &band));
    if (all == 0) return OkStatus();
    void* const out = band->raw_data();
    ParallelFor(device, all / columns, mover.cost_ns() * static_cast<double>(columns) + 5, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Index r = row % rows, at = row * columns;
        const Index first = lower < 0 ? 0 : std::min(columns, std::max<Index>(0, r - lower));
        const Index last = upper < 0 ? columns : std::min(columns, r + upper + 1);
        if (out != before && last > first)
          CopyRun(mover, mover.At(before, at + first), mover.At(out, at + first), last - first);
        ZeroRun(mover, mover.At(out, at), first);
        ZeroRun(mover, mover.At(out, at + std::max(first, last)), columns - std::max(first, last));
      }
    });
    return OkStatus();
  }
};

// diagonal: [a, b]  ->  [a, b, a, b], zeros but where the two halves of the index are equal
struct Diag {
  static constexpr auto signature = Op("Diag")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
                                        .SetShapeFn(detail::DiagShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble) |
                                         ToSet(DataType::kInt32) | ToSet(DataType::kInt64) | kComplexTypes;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, Tensor& output) const {
      if (diagonal.dims() < 1) return errors::InvalidArgument("Diag: Input must be at least rank 1, got 0");
      TensorShape shape = diagonal.shape();
      TENON_RETURN_IF_ERROR(shape.AppendShapeWithStatus(diagonal.shape()));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      const ElementMover mover = MoverOf(diagonal.dtype());
      const Index n = diagonal.NumElements();
      Zero(context.device(), mover, out->raw_data(), out->NumElements());
      if (n > 0) CopyPieces(mover, 1, diagonal.raw_data(), 1, out->raw_data(), n + 1, n);
      return OkStatus();
    }
  };
};

// input: [a, b, a, b]  ->  [a, b]
struct DiagPart {
  static constexpr auto signature = Op("DiagPart")
                                        .Input("input: T")
                                        .Output("diagonal: T")
                                        .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
                                        .SetShapeFn(detail::DiagPartShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), Diag::kServed); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& diagonal) const {
      const int rank = input.dims();
      if (rank % 2 != 0)
        return errors::InvalidArgument("DiagPart: The rank of the tensor should be even and positive, got shape ",
                                       input.shape());
      TensorShape shape = input.shape();
      shape.RemoveLastDims(rank / 2);
      for (int d = 0; d < rank / 2; ++d)
        if (input.dim_size(d) != input.dim_size(d + rank / 2))
          return errors::InvalidArgument("DiagPart: Invalid shape ", input.shape(), ": dimensions ", d, " and ",
                                         d + rank / 2, " do not match.");
      Tensor* out = &diagonal;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
      const Index n = out->NumElements();
      if (n > 0) CopyPieces(MoverOf(input.dtype()), 1, input.raw_data(), n + 1, out->raw_data(), 1, n);
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/reverse.hpp ----
// Reverse, ReverseV2, ReverseSequence, Roll: the same elements in another order along some dimensions.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr int kMaxReverseRank = 8;  // TensorFlow's

inline Status ReverseShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), dims;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  const DimensionHandle count = c->Dim(dims, 0);
  if (c->ValueKnown(count)) TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(count), &input));
  if (c->Rank(input) > kMaxReverseRank)
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  c->set_output(0, input);
  return OkStatus();
}

inline Status ReverseV2Shape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const std::int64_t rank = c->Rank(input);
  if (rank > kMaxReverseRank)
    return errors::InvalidArgument("reverse does not work on tensors with more than 8 dimensions");
  SlimVector<std::int64_t> axes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &axes, &known));
  if (known && c->RankKnown(input)) {
    bool seen[kMaxReverseRank] = {};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
      if (axis < 0 || axis >= rank)
        return errors::InvalidArgument("'axis'[", i, "] = ", axes[i], " is out of valid range [0, ", rank - 1);
      if (seen[axis]) return errors::InvalidArgument("axis ", axis, " specified more than once.");
      seen[axis] = true;
    }
  }
  c->set_output(0, input);
  return OkStatus();
}

inline Status ReverseSequenceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle lengths, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  std::int64_t seq_dim = 0, batch_dim = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("seq_dim", &seq_dim));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_dim", &batch_dim));
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input);
  if (batch_dim >= rank || batch_dim < -rank)
    return errors::InvalidArgument("batch_dim must be < input rank: ", batch_dim, " vs. ", rank);
  if (seq_dim >= rank) return errors::InvalidArgument("seq_dim must be < input rank: ", seq_dim, " vs. ", rank);
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, batch_dim), c->Dim(lengths, 0), &batch));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, batch_dim, batch, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status RollShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}

inline Status RunReverse(OpKernelContext& context, Cpu& device, const Tensor& tensor, const bool* reversed,
                         Tensor* output) {
  TENON_RETURN_IF_ERROR(context.allocate_output(0, tensor.shape(), &output));
  NdCopy copy;
  const InlinedVector<Index, 8> steps = StridesOf(tensor.shape().dim_sizes());
  for (int d = 0; d < tensor.dims(); ++d) {
    const Index step = steps[static_cast<std::size_t>(d)], size = tensor.dim_size(d);
    if (reversed[d]) copy.in_first += (size - 1) * step;
    copy.Add(size, reversed[d] ? -step : step, step);
  }
  CopyNd(device, MoverOf(tensor.dtype()), copy, tensor.raw_data(), output->raw_data());
  return OkStatus();
}

}  // namespace detail

// dims says of every dimension whether it is reversed.
struct Reverse {
  static constexpr auto signature =
      Op("Reverse")
          .Input("tensor: T")
          .Input("dims: bool")
          .Output("output: T")
          .Attr(
              "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64, complex128, string}")
          .SetShapeFn(detail::ReverseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& tensor, In<bool> dims, Tensor& output) const {
      const int rank = tensor.dims();
      if (rank > 0 && tensor.dim_size(0) == 0)
        return errors::InvalidArgument("Reverse: Invalid input first dimension. Found 0.");
      if (dims.shape().dims() != 1)
        return errors::InvalidArgument("Reverse: 'dims' must be 1-dimension, not ", dims.shape().dims());
      if (dims.size() != rank)
        return errors::InvalidArgument(
            "Reverse: 'dims' must have the same number of values as 'input' has "
            "dimensions. 'input' has ",
            rank, "'dims' has ", dims.size(), " values");
      if (rank > detail::kMaxReverseRank)
        return errors::Unimplemented("reverse is not implemented for tensors of rank > 8.");
      return detail::RunReverse(context.op(), context.device(), tensor, dims.data, &output);
    }
  };
};

// axis names the dimensions that are reversed.
struct ReverseV2 {
  static constexpr auto signature =
      Op("ReverseV2")
          .Input("tensor: T")
          .Input("axis: Tidx")
          .Output("output: T")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr(
              "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}")
          .SetShapeFn(detail::ReverseV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& tensor, HostIndices axis, Tensor& output) const {
      const int rank = tensor.dims();
      if (rank > detail::kMaxReverseRank)
        return errors::Unimplemented("reverse is not implemented for tensors of rank > 8.");
      if (rank == 0 || axis.size() == 0) {
        output = tensor;
        return OkStatus();
      }
      if (axis.shape().dims() != 1)
        return errors::InvalidArgument("ReverseV2: 'dims' must be 1-dimension, not ", axis.shape().dims());
      bool reversed[detail::kMaxReverseRank] = {};
      for (Index i = 0; i < axis.size(); ++i) {
        const Index d = axis[i] < 0 ? axis[i] + rank : axis[i];
        if (d < 0 || d >= rank)
          return errors::InvalidArgument("ReverseV2: 'axis'[", i, "] = ", axis[i], " is out of valid range [0, ",
                                         rank - 1, "]");
        if (reversed[d]) return errors::InvalidArgument("ReverseV2: axis ", d, " specified more than once.");
        reversed[d] = true;
      }
      return detail::RunReverse(context.op(), context.device(), tensor, reversed, &output);
    }
  };
};

// Of entry b of dimension batch_dim, the first seq_lengths[b] entries of dimension seq_dim in reverse order.
struct ReverseSequence {
  static constexpr auto signature = Op("ReverseSequence")
                                        .Input("input: T")
                                        .Input("seq_lengths: Tlen")
                                        .Output("output: T")
                                        .Attr("seq_dim: int")
                                        .Attr("batch_dim: int = 0")
                                        .Attr("T: type")
                                        .Attr("Tlen: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::ReverseSequenceShape);

  struct Attrs {
    std::int64_t seq_dim, batch_dim;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices seq_lengths, Tensor& output) const {
      return Run(context.op(), context.device(), *this, input, seq_lengths, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Attrs& attrs, const Tensor& input,
                    const HostIndices& lengths, Tensor* output) {
    const Index rank = input.dims(), seq = attrs.seq_dim, batch = attrs.batch_dim;
    if (lengths.shape().dims() != 1)
      return errors::InvalidArgument("ReverseSequence: seq_lens input must be 1-dim, not ", lengths.shape().dims());
    if (seq == batch) return errors::InvalidArgument("ReverseSequence: batch_dim == seq_dim == ", seq);
    if (seq < 0 || seq >= rank)
      return errors::InvalidArgument("ReverseSequence: Invalid seq_dim ", seq, ": seq_dim must be < input rank (", rank,
                                     ")");
    if (batch < 0 || batch >= rank)
      return errors::InvalidArgument("ReverseSequence: Invalid batch_dim ", batch, ": batch_dim must be < input rank (",
                                     rank, ")");
    const Index batches = input.dim_size(static_cast<int>(batch)), length = input.dim_size(static_cast<int>(seq));
    if (lengths.size() != batches)
      return errors::InvalidArgument("ReverseSequence: Length of seq_lengths != input.dims(", batch, "), (",
                                     lengths.size(), " vs. ", batches, ")");
    for (Index b = 0; b < batches; ++b)
      if (lengths[b] < 0 || lengths[b] > length)
        return errors::InvalidArgument("ReverseSequence: seq_lens(", b, ") = ", lengths[b],
                                       lengths[b] < 0 ? " < 0" : " > input.dims(", lengths[b] < 0 ? "" : StrCat(seq),
                                       lengths[b] < 0 ? "" : ")");
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
    if (input.NumElements() == 0) return OkStatus();
    const InlinedVector<Index, 8> steps = StridesOf(input.shape().dim_sizes());
    const ElementMover mover = MoverOf(input.dtype());
    for (Index b = 0; b < batches; ++b) {
      const auto part = [&](Index first, Index count, bool reversed) {
        NdCopy copy;
        copy.out_first = b * steps[static_cast<std::size_t>(batch)] + first * steps[static_cast<std::size_t>(seq)];
        copy.in_first = copy.out_first + (reversed ? (count - 1) * steps[static_cast<std::size_t>(seq)] : 0);
        for (Index d = 0; d < rank; ++d) {
          const Index step = steps[static_cast<std::size_t>(d)];
          if (d == seq)
            copy.Add(count, reversed ? -step : step, step);
          else if (d != batch)
            copy.Add(input.dim_size(static_cast<int>(d)), step, step);
        }
        CopyNd(device, mover, copy, input.raw_data(), output->raw_data());
      };
      part(0, lengths[b], true);
      part(lengths[b], length - lengths[b], false);
    }
    return OkStatus();
  }
};

// output[(i + shift) mod n] = input[i] along each axis; shifts for the same axis add up.
struct Roll {
  static constexpr auto signature = Op("Roll")
                                        .Input("input: T")
                                        .Input("shift: Tshift")
                                        .Input("axis: Taxis")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tshift: {int32, int64}")
                                        .Attr("Taxis: {int32, int64}")
                                        .SetShapeFn(detail::RollShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices shift, HostIndices axis,
                      Tensor& output) const {
      return Run(context.op(), context.device(), input, shift, axis, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& shift,
                    const HostIndices& axis, Tensor* output) {
    const int rank = input.dims();
    if (rank < 1) return errors::InvalidArgument("Roll: input must be 1-D or higher");
    if (shift.shape().dims() > 1)
      return errors::InvalidArgument("Roll: shift must be a scalar or a 1-D vector. Found: ", shift.shape());
    if (axis.shape().dims() > 1)
      return errors::InvalidArgument("Roll: axis must be a scalar or a 1-D vector. Found: ", axis.shape());
    if (!(shift.shape() == axis.shape()))
      return errors::InvalidArgument("Roll: shift and axis must have the same size");
    InlinedVector<Index, 8> shifts(static_cast<std::size_t>(rank), 0);
    int last = -1;  // the innermost dimension that moves
    for (Index i = 0; i < axis.size(); ++i) {
      const Index d = axis[i] < 0 ? axis[i] + rank : axis[i];
      if (d < 0 || d >= rank) return errors::InvalidArgument("Roll: axis ", d, " is out of range");
      const Index size = std::max<Index>(1, input.dim_size(static_cast<int>(d)));
      Index& sum = shifts[static_cast<std::size_t>(d)];
      sum = ((sum + shift[i] % size) % size + size) % size;
    }
    for (int d = 0; d < rank; ++d)
      if (shifts[static_cast<std::size_t>(d)] != 0) last = d;
    if (last < 0 || input.NumElements() == 0) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
    const ElementMover mover = MoverOf(input.dtype());
    const InlinedVector<Index, 8> steps = StridesOf(input.shape().dim_sizes());
    const Index run = steps[static_cast<std::size_t>(last)], size = input.dim_size(last), row = run * size;
    const Index moved = shifts[static_cast<std::size_t>(last)] * run;
    ParallelFor(device, input.NumElements() / row, mover.cost_ns() * static_cast<double>(row) + 10,
                [&](Index begin, Index end) {
                  for (Index i = begin; i < end; ++i) {
                    Index from = 0, left = i;  // the row of the input that comes here
                    for (int d = last - 1; d >= 0; --d) {
                      const Index n = input.dim_size(d), at = left % n;
                      left /= n;
                      from += (at - shifts[static_cast<std::size_t>(d)] + n) % n * steps[static_cast<std::size_t>(d)];
                    }
                    const char* const source = mover.At(input.raw_data(), from);
                    char* const target = mover.At(output->raw_data(), i * row);
                    CopyRun(mover, source, target + moved * mover.bytes, row - moved);
                    CopyRun(mover, source + (row - moved) * mover.bytes, target, moved);
                  }
                });
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/scatter.hpp ----
// ScatterNd and the TensorScatter ops: slices put, added, ... to the places that index vectors name.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// to[i] = to[i] op from[i], i in [0, n).
using CombineFn = void (*)(const void* from, void* to, Index n);

struct AddTo {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_same_v<T, tstring>)
      return tstring(StrCat(std::string_view(a), std::string_view(b)));
    else if constexpr (std::is_integral_v<T>)  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a + b);
  }
};
struct SubtractFrom {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a - b);
  }
};
struct LesserOf {
  template <class T>
  static T map(const T& a, const T& b) {
    return b < a ? b : a;
  }
};
struct GreaterOf {
  template <class T>
  static T map(const T& a, const T& b) {
    return a < b ? b : a;
  }
};

template <class Combine, class T>
void CombineRun(const void* from, void* to, Index n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (Index i = 0; i < n; ++i) out[i] = Combine::map(out[i], in[i]);
}

using ScatterReals = TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t,
                              bfloat16, std::uint16_t, half, std::uint32_t, std::uint64_t>;
using ScatterNumbers = TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t,
                                bfloat16, std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128>;
using ScatterAddable =
    TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bfloat16,
             std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128, bool, tstring>;

template <class Combine, class List>
CombineFn CombineFor(DataType type) {
  CombineFn fn = nullptr;
  (void)DispatchType<List>(type, [&]<class T>() { fn = &CombineRun<Combine, T>; });
  return fn;
}

// What shape inference knows to be wrong with indices ([..., k]) and updates ([..., the rest of `target` behind k]).
inline Status ScatterShape(InferenceContext* c, ShapeHandle target, ShapeHandle indices, ShapeHandle updates) {
  if (c->Value(c->NumElements(target)) == 0 &&
      (c->Value(c->NumElements(indices)) > 0 || c->Value(c->NumElements(updates)) > 0))
    return errors::InvalidArgument("Indices and updates specified for empty input");
  if (c->RankKnown(indices) && c->RankKnown(updates) && c->Rank(updates) != 0 && c->ValueKnown(c->Dim(indices, -1))) {
    const std::int64_t outer = c->Rank(indices) - 1, depth = c->Value(c->Dim(indices, -1));
    ShapeHandle a, b, unused;
    TENON_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &a));
    TENON_RETURN_IF_ERROR(c->Subshape(updates, 0, outer, &b));
    if (const Status s = c->Merge(a, b, &unused); !s.ok())
      return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", c->DebugString(indices),
                                     "] must match dimensions [0,", outer,
                                     ") of updates[shape=", c->DebugString(updates), "]: ", s.message());
    TENON_RETURN_IF_ERROR(c->Subshape(target, depth, &a));
    TENON_RETURN_IF_ERROR(c->Subshape(updates, outer, &b));
    if (const Status s = c->Merge(a, b, &unused); !s.ok())
      return errors::InvalidArgument("Dimensions [", depth, ",", c->Rank(target),
                                     ") of input[shape=", c->DebugString(target), "] must match dimensions [", outer,
                                     ",", c->Rank(updates), ") of updates[shape=", c->DebugString(updates),
                                     "]: ", s.message());
  }
  c->set_output(0, target);
  return OkStatus();
}
inline Status ScatterNdShape(InferenceContext* c) {
  ShapeHandle target, indices, updates;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &updates));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &target));
  return ScatterShape(c, target, indices, updates);
}
inline Status TensorScatterShape(InferenceContext* c) {
  ShapeHandle target, indices;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &target));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  return ScatterShape(c, target, indices, c->input(2));
}

// What the kernels check: every vector of indices names a slice of `target`, updates has one slice for each.
inline Status CheckScatter(const TensorShape& target, const TensorShape& indices, const TensorShape& updates) {
  constexpr Index kMaxDepth = 7;
  if (indices.dims() < 1)
    return errors::InvalidArgument("Scatter: Indices shape must have rank at least one. Found:", indices);
  if (updates.dims() < 1)
    return errors::InvalidArgument("Scatter: Updates shape must have rank at least one. Found:", updates);
  if (indices.num_elements() == 0 && updates.num_elements() == 0 && indices.dims() > 1) {
    // nothing to do; the sizes must fit all the same
  } else if (target.num_elements() == 0 || indices.num_elements() == 0 || updates.num_elements() == 0) {
    return errors::InvalidArgument("Scatter: Indices and updates specified for empty output shape: indices ", indices,
                                   ", updates ", updates, ", output ", target);
  }
  const bool is_vector = indices.dims() == 1;  // one number for each update, as in TensorFlow
  const int outer = is_vector ? 1 : indices.dims() - 1;
  const Index depth = is_vector ? 1 : indices.dim_size(outer);
  for (int d = 0; d < outer; ++d)
    if (d >= updates.dims() || indices.dim_size(d) != updates.dim_size(d))
      return errors::InvalidArgument("Scatter: Dimensions [0,", outer, ") of indices[shape=", indices,
                                     "] must match dimensions [0,", outer, ") of updates[shape=", updates,
                                     "]: Outer dimensions of indices and update must match.");
  bool inner = updates.dims() - outer == target.dims() - depth &&
               (!is_vector || updates.dims() == target.dims() - indices.dim_size(0));
  for (int d = outer; inner && d < updates.dims(); ++d)
    inner = updates.dim_size(d) == target.dim_size(static_cast<int>(depth) + d - outer);
  if (!inner)
    return errors::InvalidArgument(
        "Scatter: Inner dimensions of output shape must match inner dimensions of updates "
        "shape. Output: ",
        target, " updates: ", updates);
  if (depth > kMaxDepth)
    return errors::InvalidArgument("Scatter: Only indices.shape[-1] values between 1 and ", kMaxDepth,
                                   " are currently supported.  Requested rank: ", depth);
  return OkStatus();
}

// Applies the updates one after the other; `combine` null: the last one stays.
inline Status ApplyUpdates(const Tensor& indices, const Tensor& updates, std::string_view policy, CombineFn combine,
                           Tensor* output) {
  if (indices.NumElements() == 0 || updates.NumElements() == 0) return OkStatus();
  const HostIndices at(indices.any_view(), indices.dtype());
  const Index depth = indices.dim_size(indices.dims() - 1), count = indices.NumElements() / depth;
  SlimVector<Index> places(static_cast<std::size_t>(count), 0);
  const Index bad = FindPlaces(at, output->shape().dim_sizes().first(static_cast<std::size_t>(depth)), &places);
  if (bad >= 0 && policy != "IGNORE") {
    std::string index;
    for (Index d = 0; d < depth; ++d) StrAppend(&index, d == 0 ? "" : ", ", at[bad * depth + d]);
    return errors::InvalidArgument("Scatter: indices[", bad, "] = [", index, "] does not index into shape ",
                                   output->shape());
  }
  const ElementMover mover = MoverOf(updates.dtype());
  const Index run = updates.NumElements() / count;
  for (Index i = 0; i < count; ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    if (place < 0) continue;
    const void* from = mover.At(updates.raw_data(), i * run);
    void* to = mover.At(output->raw_data(), place * run);
    if (combine == nullptr)
      CopyRun(mover, from, to, run);
    else
      combine(from, to, run);
  }
  return OkStatus();
}

inline Status CheckPolicy(std::string_view policy) {
  if (policy == "" || policy == "DEFAULT" || policy == "ERROR" || policy == "IGNORE") return OkStatus();
  return errors::InvalidArgument("Unknown bad indices handling attribute: ", policy,
                                 "; there are '', 'DEFAULT', 'ERROR' and 'IGNORE'");
}
// TensorFlow's kernels take int32 and int64 indices only.
inline Status ServeScatter(const OpKernelConstruction& c, DataType indices, DataType elements, DataTypeSet served,
                           std::string_view policy) {
  TENON_RETURN_IF_ERROR(ServeOnly(c, indices, ToSet(DataType::kInt32) | ToSet(DataType::kInt64)));
  TENON_RETURN_IF_ERROR(ServeOnly(c, elements, served));
  return CheckPolicy(policy);
}

inline Status RunTensorScatter(OpKernelContext& context, Cpu& device, const Tensor& tensor, const Tensor& indices,
                               const Tensor& updates, std::string_view policy, CombineFn combine, Tensor* output) {
  TENON_RETURN_IF_ERROR(CheckScatter(tensor.shape(), indices.shape(), updates.shape()));
  const void* before = tensor.raw_data();
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, tensor.shape(), &output));
  if (output->raw_data() != before)
    Copy(device, MoverOf(tensor.dtype()), before, output->raw_data(), tensor.NumElements());
  return ApplyUpdates(indices, updates, policy, combine, output);
}

// The kernel of all TensorScatter ops.
template <class Op, class Device>
  requires(Device::type == "CPU")
struct TensorScatterKernel : Op::Attrs {
  Status Init(OpKernelConstruction& c) {
    combine = Op::Combine(c.input_type(0));
    return ServeScatter(c, c.input_type(1), c.input_type(0), Op::kServed, this->bad_indices_policy);
  }
  Status operator()(Context<Device>& context, const Tensor& tensor, const Tensor& indices, const Tensor& updates,
                    Tensor& output) const {
    return RunTensorScatter(context.op(), context.device(), tensor, indices, updates, this->bad_indices_policy, combine,
                            &output);
  }
  CombineFn combine = nullptr;
};

}  // namespace detail

// Zeros of `shape` with the updates added: those for the same place add up (texts are joined, bools are or-ed).
struct ScatterNd {
  static constexpr auto signature = Op("ScatterNd")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Input("shape: Tindices")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::ScatterNdShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      combine = detail::CombineFor<detail::AddTo, detail::ScatterAddable>(c.input_type(1));
      return detail::ServeScatter(c, c.input_type(0), c.input_type(1), kPodAndStringTypes, this->bad_indices_policy);
    }
    Status operator()(Context<Device>& context, const Tensor& indices, const Tensor& updates, HostIndices shape,
                      Tensor& output) const {
      if (shape.shape().dims() != 1)
        return errors::InvalidArgument("ScatterNd: Shape must be a vector, not shape ", shape.shape());
      InlinedVector<Index, 8> sizes;
      for (Index d = 0; d < shape.size(); ++d) sizes.push_back(shape[d]);
      TensorShape target;
      TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &target));
      TENON_RETURN_IF_ERROR(detail::CheckScatter(target, indices.shape(), updates.shape()));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, target, &out));
      Zero(context.device(), MoverOf(updates.dtype()), out->raw_data(), out->NumElements());
      return detail::ApplyUpdates(indices, updates, this->bad_indices_policy, combine, out);
    }
    detail::CombineFn combine = nullptr;
  };
};

// The tensor with slices replaced: the last of several for the same place stays.
struct TensorScatterUpdate {
  static constexpr auto signature = Op("TensorScatterUpdate")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int16, int32, int64, uint16}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes;
  static detail::CombineFn Combine(DataType) { return nullptr; }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterUpdate, Device>;
};

// The tensor with slices added to it.
struct TensorScatterAdd {
  static constexpr auto signature = Op("TensorScatterAdd")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::AddTo, detail::ScatterNumbers>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterAdd, Device>;
};

// The tensor with slices subtracted from it.
struct TensorScatterSub {
  static constexpr auto signature = Op("TensorScatterSub")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::SubtractFrom, detail::ScatterNumbers>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterSub, Device>;
};

// The greater of what is there and what comes.
struct TensorScatterMax {
  static constexpr auto signature = Op("TensorScatterMax")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterReals>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::GreaterOf, detail::ScatterReals>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterMax, Device>;
};

// The lesser of what is there and what comes.
struct TensorScatterMin {
  static constexpr auto signature = Op("TensorScatterMin")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterReals>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::LesserOf, detail::ScatterReals>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterMin, Device>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/sequence.hpp ----
// Range, LinSpace: numbers at equal distances. CheckNumerics: the input, which must be finite.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// How many numbers start, start + delta, ... there are before limit.
template <class T>
Status RangeSize(T start, T limit, T delta, std::int64_t* size) {
  if (delta == T(0)) return errors::InvalidArgument("Requires delta != 0");
  if (start > limit && delta > T(0))
    return errors::InvalidArgument("Requires start <= limit when delta > 0: ", static_cast<double>(start), "/",
                                   static_cast<double>(limit));
  if (start < limit && delta < T(0))
    return errors::InvalidArgument("Requires start >= limit when delta < 0: ", static_cast<double>(start), "/",
                                   static_cast<double>(limit));
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
    const std::uint64_t distance = limit >= start ? wide(limit) - wide(start) : wide(start) - wide(limit);
    const std::uint64_t step = delta > T(0) ? wide(delta) : std::uint64_t{0} - wide(delta);
    const std::uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return errors::InvalidArgument("Requires ((limit - start) / delta) <= 2^63 - 1");
    *size = static_cast<std::int64_t>(count);
  } else {
    const double count =
        std::ceil(std::abs(static_cast<double>(static_cast<T>(static_cast<T>(limit - start) / delta))));
    if (!(count < 9.2e18))
      return errors::InvalidArgument("Requires ((limit - start) / delta) <= 2^63 - 1, but it is ", count);
    *size = static_cast<std::int64_t>(count);
  }
  return OkStatus();
}

inline Status RangeShape(InferenceContext* c) {
  ShapeHandle unused;
  const Tensor* values[3];
  for (int i = 0; i < 3; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    values[i] = c->input_tensor(i);
  }
  DimensionHandle size = c->UnknownDim();
  if (values[0] != nullptr && values[1] != nullptr && values[2] != nullptr) {
    using Known = TypeList<std::int32_t, std::int16_t, std::int8_t, std::int64_t, std::uint16_t, std::uint32_t,
                           std::uint64_t, float, double, bfloat16>;
    std::int64_t n = 0;
    TENON_RETURN_IF_ERROR(DispatchType<Known>(
        values[0]->dtype(),
        [&]<class T>() {
          return RangeSize<T>(*values[0]->data<T>(), *values[1]->data<T>(), *values[2]->data<T>(), &n);
        },
        "Range: Unsupported dtype"));
    size = c->MakeDim(n);
  }
  c->set_output(0, c->Vector(size));
  return OkStatus();
}

inline Status LinSpaceShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  std::int64_t num = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &num, &known));
  if (known && num <= 0) return errors::InvalidArgument("Requires num > 0: ", num);
  c->set_output(0, c->Vector(known ? c->MakeDim(num) : c->UnknownDim()));
  return OkStatus();
}

template <class T>
inline constexpr bool kIsRangeType =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, bfloat16> || std::is_same_v<T, half>;

}  // namespace detail

// start, start + delta, ..., before limit
struct Range {
  static constexpr auto signature =
      Op("Range")
          .Input("start: Tidx")
          .Input("limit: Tidx")
          .Input("delta: Tidx")
          .Output("output: Tidx")
          .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32")
          .SetShapeFn(detail::RangeShape);

  template <class Device, class T>
    requires(Device::type == "CPU" && detail::kIsRangeType<T>)
  struct kernel {
    Status operator()(Device&, In<T> start, In<T> limit, In<T> delta, Late<T>& output) const {
      for (const In<T>* input : {&start, &limit, &delta})
        if (input->shape().dims() > 1 || input->size() != 1)
          return errors::InvalidArgument("Range: start, limit and delta must be scalars, not shape ", input->shape());
      std::int64_t n = 0;
      TENON_RETURN_IF_ERROR(detail::RangeSize<T>(start[0], limit[0], delta[0], &n));
      TENON_ASSIGN_OR_RETURN(Out<T> out, output.Allocate({n}));
      for (Index i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>)  // wraps
          out[i] = static_cast<T>(static_cast<std::uint64_t>(start[0]) +
                                  static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta[0]));
        else
          out[i] = static_cast<T>(start[0] + static_cast<T>(static_cast<T>(i) * delta[0]));
      }
      return OkStatus();
    }
  };
};

// num numbers from start to stop, both included
struct LinSpace {
  static constexpr auto signature = Op("LinSpace")
                                        .Input("start: T")
                                        .Input("stop: T")
                                        .Input("num: Tidx")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::LinSpaceShape);

  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>))
  struct kernel {
    Status operator()(Device&, In<T> start, In<T> stop, HostIndices num, Late<T>& output) const {
      if (start.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: start must be a scalar, not shape ", start.shape());
      if (stop.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: stop must be a scalar, not shape ", stop.shape());
      if (num.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: num must be a scalar, not shape ", num.shape());
      const Index n = num[0];
      if (n <= 0) return errors::InvalidArgument("LinSpace: Requires num > 0: ", n);
      TENON_ASSIGN_OR_RETURN(Out<T> out, output.Allocate({n}));
      out[0] = start[0];
      if (n == 1) return OkStatus();
      const T step = (stop[0] - start[0]) / static_cast<T>(n - 1);
      for (Index i = 1; i < n - 1; ++i) {
        const T moved = step * static_cast<T>(i);
        out[i] = start[0] + moved;
      }
      out[n - 1] = stop[0];
      return OkStatus();
    }
  };
};

// InvalidArgument, beginning with `message`, when an element is infinite or NaN.
struct CheckNumerics {
  static constexpr auto signature = Op("CheckNumerics")
                                        .Input("tensor: T")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("message: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    std::string_view message;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, const Tensor& tensor, Tensor& output) const {
      bool inf = false, nan = false;
      TENON_RETURN_IF_ERROR(DispatchType<TypeList<bfloat16, half, float, double>>(tensor.dtype(), [&]<class T>() {
        const T* x = tensor.data<T>();
        for (Index i = 0; i < tensor.NumElements(); ++i) {
          const double value = static_cast<double>(x[i]);
          inf |= std::isinf(value);
          nan |= std::isnan(value);
        }
      }));
      if (inf || nan)
        return errors::InvalidArgument(this->message, " : Tensor had ",
                                       inf && nan ? "Inf and NaN"
                                       : inf      ? "Inf"
                                                  : "NaN",
                                       " values");
      output = tensor;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/space_batch.hpp ----
// Blocks of space moved to the depth or to the batch, and back: DepthToSpace, SpaceToDepth, SpaceToBatch,
// SpaceToBatchND, BatchToSpace, BatchToSpaceND.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// ---- shapes
// `to_depth`: SpaceToDepth; else DepthToSpace.
inline Status DepthShape(InferenceContext* c, bool to_depth) {
  std::string_view format;
  std::int64_t block = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  TENON_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  const bool channels_first = format != "NHWC", vect = format == "NCHW_VECT_C";
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), vect ? 5 : 4, &in));
  const int h = channels_first ? 2 : 1, w = h + 1, d = channels_first ? 1 : 3;
  DimensionHandle height, width, depth;
  const std::int64_t blocks = MultiplyWithoutOverflow(block, block);
  if (to_depth) {
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, h), block, true, &height));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, w), block, true, &width));
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, d), blocks, &depth));
  } else {
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, h), block, &height));
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(in, w), block, &width));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(in, d), blocks, true, &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(in, h, height, &out));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(out, w, width, &out));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(out, d, depth, &out));
  c->set_output(0, out);
  return OkStatus();
}

// The shape of SpaceToBatchND (to_batch) and BatchToSpaceND; blocks and edges (paddings or crops) may be unknown.
inline Status BatchShape(InferenceContext* c, bool to_batch, ShapeHandle input, ShapeHandle block_shape,
                         const SlimVector<std::int64_t>* blocks, ShapeHandle edges_shape,
                         const SlimVector<std::int64_t>* edges) {
  if (c->Rank(block_shape) != 1) return errors::InvalidArgument("block_shape must have rank 1.");
  const DimensionHandle count = c->Dim(block_shape, 0);
  if (!c->ValueKnown(count)) return errors::InvalidArgument("block_shape must have known size.");
  const std::int64_t n = c->Value(count);
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, n + 1, &input));
  TENON_RETURN_IF_ERROR(c->Merge(edges_shape, c->Matrix(count, 2), &edges_shape));
  DimensionHandle batch = c->Dim(input, 0);
  if (blocks != nullptr) {
    for (const std::int64_t block : *blocks) {
      if (block < 1) return errors::InvalidArgument("block_shape must be positive");
      if (to_batch)
        TENON_RETURN_IF_ERROR(c->Multiply(batch, block, &batch));
      else
        TENON_RETURN_IF_ERROR(c->Divide(batch, block, true, &batch));
    }
  } else if (n > 0) {
    batch = c->UnknownDim();
  }
  SlimVector<DimensionHandle> dims;
  dims.push_back(batch);
  for (std::int64_t d = 0; d < n; ++d) {
    dims.push_back(c->UnknownDim());
    if (edges == nullptr) continue;
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t before = (*edges)[2 * i], after = (*edges)[2 * i + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument(to_batch ? "paddings" : "crops", " cannot be negative");
    if (blocks == nullptr) continue;
    DimensionHandle size = c->Dim(input, d + 1);
    if (to_batch) {
      TENON_RETURN_IF_ERROR(c->Add(size, before, &size));
      TENON_RETURN_IF_ERROR(c->Add(size, after, &size));
      TENON_RETURN_IF_ERROR(c->Divide(size, (*blocks)[i], true, &size));
    } else {
      TENON_RETURN_IF_ERROR(c->Multiply(size, (*blocks)[i], &size));
      TENON_RETURN_IF_ERROR(c->Subtract(size, before, &size));
      TENON_RETURN_IF_ERROR(c->Subtract(size, after, &size));
    }
    dims.back() = size;
  }
  ShapeHandle rest, out;
  TENON_RETURN_IF_ERROR(c->Subshape(input, n + 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->MakeShape(dims), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status BatchNdShape(InferenceContext* c, bool to_batch) {
  SlimVector<std::int64_t> blocks, edges;
  bool blocks_known = false, edges_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &blocks, &blocks_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &edges, &edges_known));
  // A block_shape or edges of another shape than they must have are refused before their values are looked at.
  return BatchShape(c, to_batch, c->input(0), c->input(1), blocks_known ? &blocks : nullptr, c->input(2),
                    edges_known ? &edges : nullptr);
}
inline Status BatchSquareShape(InferenceContext* c, bool to_batch) {
  ShapeHandle input;
  std::int64_t block = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  SlimVector<std::int64_t> blocks(2, block), edges;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &edges, &known));
  return BatchShape(c, to_batch, input, c->Vector(2), &blocks, c->input(1), known ? &edges : nullptr);
}

// ---- kernels
inline Status RunDepth(OpKernelContext& context, Cpu& device, bool to_depth, Index block, const Tensor& input,
                       Tensor* output) {
  const char* const op = to_depth ? "SpaceToDepth" : "DepthToSpace";
  if (input.dims() != 4) return errors::InvalidArgument(op, ": Input rank should be: 4 instead of: ", input.dims());
  const Index n = input.dim_size(0);
  Index h = input.dim_size(1), w = input.dim_size(2), d = input.dim_size(3);  // of the smaller image, of one pixel
  const Index blocks = MultiplyWithoutOverflow(block, block);
  if (to_depth ? h % block != 0 || w % block != 0 : blocks < 0 || d % blocks != 0)
    return errors::InvalidArgument(op,
                                   to_depth ? ": Image height and width should be divisible by "
                                            : ": Input depth dimension should be divisible by the square of ",
                                   block, ", got shape ", input.shape());
  if (to_depth) {
    h /= block;
    w /= block;
  } else {
    d /= blocks;
  }
  TensorShape shape;
  const Index deep[4] = {n, h, w, MultiplyWithoutOverflow(d, blocks)};
  const Index wide[4] = {n, MultiplyWithoutOverflow(h, block), MultiplyWithoutOverflow(w, block), d};
  TENON_RETURN_IF_ERROR(TensorShape::Build(to_depth ? deep : wide, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  NdCopy copy;
  const auto add = [&](Index size, Index in_deep, Index in_wide) {
    copy.Add(size, to_depth ? in_wide : in_deep, to_depth ? in_deep : in_wide);
  };
  const Index row = w * block * d;  // of the wide image
  if (to_depth) {                   // in the order of the output
    add(n * h, w * blocks * d, block * row);
    add(w, blocks * d, block * d);
    add(block, block * d, row);
    add(block, d, d);
  } else {
    add(n * h, w * blocks * d, block * row);
    add(block, block * d, row);
    add(w, blocks * d, block * d);
    add(block, d, d);
  }
  add(d, 1, 1);
  CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
  return OkStatus();
}

// One dimension of space.
struct BlockDim {
  Index block, before, after;  // before, after: padding or crop
  Index wide = 0, narrow = 0;  // its size on the space side (without padding, after the crop) and on the batch side
};

// All blocks between the space side and the batch side. `batch` is the space side's, `inner` the product of what is
// behind the blocked dimensions. Every block is a copy of its own: positions outside of the space side are left out.
inline void CopyBlocks(Cpu& device, const ElementMover& mover, bool to_batch, Index batch, Index inner,
                       const SlimVector<BlockDim>& dims, const void* in, void* out) {
  Index blocks = 1, wide_size = inner, narrow_size = inner;
  for (const BlockDim& d : dims) {
    blocks *= d.block;
    wide_size *= d.wide;
    narrow_size *= d.narrow;
  }
  for (Index b = 0; b < blocks; ++b) {
    NdCopy copy;
    Index& wide_first = to_batch ? copy.in_first : copy.out_first;
    Index& narrow_first = to_batch ? copy.out_first : copy.in_first;
    const auto add = [&](Index size, Index wide, Index narrow) {
      copy.Add(size, to_batch ? wide : narrow, to_batch ? narrow : wide);
    };
    narrow_first = b * batch * narrow_size;
    add(batch, wide_size, narrow_size);
    InlinedVector<Index, 8> offset(dims.size(), 0);
    for (std::size_t d = dims.size(), left = static_cast<std::size_t>(b); d-- > 0;) {
      offset[d] = static_cast<Index>(left % static_cast<std::size_t>(dims[d].block));
      left /= static_cast<std::size_t>(dims[d].block);
    }
    Index wide_step = wide_size, narrow_step = narrow_size;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const BlockDim& d = dims[i];
      wide_step /= d.wide;
      narrow_step /= d.narrow;
      // Position p on the batch side is p * block + offset - before on the space side.
      const Index shift = offset[i] - d.before;
      const Index first = shift >= 0 ? 0 : (-shift + d.block - 1) / d.block;
      const Index end = d.wide - shift <= 0 ? 0 : std::min(d.narrow, (d.wide - shift - 1) / d.block + 1);
      add(std::max<Index>(0, end - first), d.block * wide_step, narrow_step);
      wide_first += (first * d.block + shift) * wide_step;
      narrow_first += first * narrow_step;
    }
    add(inner, 1, 1);
    if (copy.elements > 0) CopyNd(device, mover, copy, in, out);
  }
}

inline Status RunBatch(OpKernelContext& context, Cpu& device, const char* op, bool to_batch, const Tensor& input,
                       const SlimVector<Index>& blocks, const HostIndices& edges, Tensor* output) {
  constexpr int kMaxBlocked = 4;  // TensorFlow's
  const auto n = static_cast<int>(blocks.size());
  if (input.dims() < n + 1)
    return errors::InvalidArgument(op, ": input rank should be >= ", n + 1, " instead of ", input.dims());
  if (edges.shape().dims() != 2 || edges.shape().dim_size(0) != n || edges.shape().dim_size(1) != 2)
    return errors::InvalidArgument(op, ": ", to_batch ? "paddings" : "crops", " should have shape [", n,
                                   ", 2] instead of ", edges.shape());
  SlimVector<BlockDim> dims;
  InlinedVector<Index, 8> sizes(input.shape().begin(), input.shape().end());
  Index product = 1;
  int blocked = 0;
  for (int d = 0; d < n; ++d) {
    const auto i = static_cast<std::size_t>(d);
    BlockDim dim{blocks[i], edges[2 * d], edges[2 * d + 1]};
    if (dim.block < 1)
      return errors::InvalidArgument(op, ": All values in block_shape must be positive, got value, ", dim.block,
                                     " at index ", d, ".");
    if (dim.before < 0 || dim.after < 0)
      return errors::InvalidArgument(op, ": ", to_batch ? "Paddings" : "Crops", " must be non-negative");
    product = MultiplyWithoutOverflow(product, dim.block);
    if (product < 0) return errors::InvalidArgument(op, ": the product of block_shape overflows int64");
    if (dim.block != 1 || dim.before != 0 || dim.after != 0) ++blocked;
    Index& size = sizes[i + 1];
    constexpr Index kMost = Index{1} << 60;
    if (dim.before > kMost || dim.after > kMost)
      return errors::InvalidArgument(op, ": sizes overflow: ", dim.before, ", ", dim.after);
    if (to_batch) {
      const Index padded = size + dim.before + dim.after;
      if (padded % dim.block != 0)
        return errors::InvalidArgument(op, ": padded_shape[", d, "]=", padded, " is not divisible by block_shape[", d,
                                       "]=", dim.block);
      dim.wide = size;
      size = dim.narrow = padded / dim.block;
    } else {
      dim.narrow = size;
      const Index whole = MultiplyWithoutOverflow(size, dim.block);
      if (whole < 0 || whole - dim.before - dim.after < 0)
        return errors::InvalidArgument(op, ": cropped_shape[", d, "]=", whole - dim.before - dim.after,
                                       " must be non-negative");
      size = dim.wide = whole - dim.before - dim.after;
    }
    dims.push_back(dim);
  }
  // Leading and trailing dimensions that are not blocked do not count.
  int first = 0, last = n;
  const auto is_plain = [&](int d) {
    const BlockDim& dim = dims[static_cast<std::size_t>(d)];
    return dim.block == 1 && dim.before == 0 && dim.after == 0;
  };
  while (first < last && is_plain(first)) ++first;
  while (last > first && is_plain(last - 1)) --last;
  if (last - first > kMaxBlocked)
    return errors::InvalidArgument(op, ": Maximum number of non-combined block dimensions is ", last - first,
                                   " but must not exceed ", kMaxBlocked);
  if (!to_batch && sizes[0] % product != 0)
    return errors::InvalidArgument(op, ": Input batch dimension (", sizes[0],
                                   ") is not divisible by product of block sizes (", product, ")");
  sizes[0] = to_batch ? MultiplyWithoutOverflow(sizes[0], product) : sizes[0] / product;
  if (blocked == 0) {
    *output = input;
    return OkStatus();
  }
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  const ElementMover mover = MoverOf(input.dtype());
  if (to_batch) Zero(device, mover, output->raw_data(), output->NumElements());
  if (input.NumElements() == 0) return OkStatus();
  Index inner = 1;
  for (int d = n + 1; d < input.dims(); ++d) inner *= input.dim_size(d);
  CopyBlocks(device, mover, to_batch, to_batch ? input.dim_size(0) : sizes[0], inner, dims, input.raw_data(),
             output->raw_data());
  return OkStatus();
}

inline Status RunBatchNd(OpKernelContext& context, Cpu& device, const char* op, bool to_batch, const Tensor& input,
                         const HostIndices& block_shape, const HostIndices& edges, Tensor* output) {
  if (block_shape.shape().dims() != 1)
    return errors::InvalidArgument(op, ": block_shape rank should be 1 instead of ", block_shape.shape().dims());
  SlimVector<Index> blocks;
  for (Index i = 0; i < block_shape.size(); ++i) blocks.push_back(block_shape[i]);
  return RunBatch(context, device, op, to_batch, input, blocks, edges, output);
}
inline Status RunBatchSquare(OpKernelContext& context, Cpu& device, const char* op, bool to_batch, const Tensor& input,
                             Index block, const HostIndices& edges, Tensor* output) {
  if (input.dims() != 4) return errors::InvalidArgument(op, ": Input rank should be: 4 instead of: ", input.dims());
  return RunBatch(context, device, op, to_batch, input, SlimVector<Index>(2, block), edges, output);
}

inline constexpr DataTypeSet kBatchTypes = kRealNumberTypes;

}  // namespace detail

// input: [n, h, w, b * b * d]  ->  [n, b * h, b * w, d], b = block_size
struct DepthToSpace {
  static constexpr auto signature =
      Op("DepthToSpace")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::DepthShape(c, false); });
  struct Attrs {
    std::int64_t block_size;
    std::string_view data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      if (this->data_format != "NHWC")
        return errors::InvalidArgument("no kernel for op 'DepthToSpace' on ", c.device_type(), " with data_format '",
                                       this->data_format, "'; there is 'NHWC'");
      return ServeOnly(c, c.input_type(0), kPodAndObjectTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return detail::RunDepth(context.op(), context.device(), false, this->block_size, input, &output);
    }
  };
};

// input: [n, b * h, b * w, d]  ->  [n, h, w, b * b * d], b = block_size
struct SpaceToDepth {
  static constexpr auto signature =
      Op("SpaceToDepth")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::DepthShape(c, true); });
  struct Attrs {
    std::int64_t block_size;
    std::string_view data_format;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      if (this->data_format != "NHWC")
        return errors::InvalidArgument("no kernel for op 'SpaceToDepth' on ", c.device_type(), " with data_format '",
                                       this->data_format, "'; there is 'NHWC'");
      return ServeOnly(c, c.input_type(0), kPodAndObjectTypes | ToSet(DataType::kQint8));
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return detail::RunDepth(context.op(), context.device(), true, this->block_size, input, &output);
    }
  };
};

// Pads dimensions 1, 2, ... and deals their elements out to as many batches as a block has.
struct SpaceToBatchND {
  static constexpr auto signature =
      Op("SpaceToBatchND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape")
          .Input("paddings: Tpaddings")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchNdShape(c, true); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices block_shape, HostIndices paddings,
                      Tensor& output) const {
      return detail::RunBatchNd(context.op(), context.device(), "SpaceToBatchND", true, input, block_shape, paddings,
                                &output);
    }
  };
};

// The reverse of SpaceToBatchND, and cuts the edges off.
struct BatchToSpaceND {
  static constexpr auto signature =
      Op("BatchToSpaceND")
          .Input("input: T")
          .Input("block_shape: Tblock_shape")
          .Input("crops: Tcrops")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tblock_shape: {int32, int64} = DT_INT32")
          .Attr("Tcrops: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchNdShape(c, false); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices block_shape, HostIndices crops,
                      Tensor& output) const {
      return detail::RunBatchNd(context.op(), context.device(), "BatchToSpaceND", false, input, block_shape, crops,
                                &output);
    }
  };
};

// SpaceToBatchND on images, [n, h, w, d], with square blocks.
struct SpaceToBatch {
  static constexpr auto signature =
      Op("SpaceToBatch")
          .Input("input: T")
          .Input("paddings: Tpaddings")
          .Output("output: T")
          .Attr("T: type")
          .Attr("Tpaddings: {int32, int64} = DT_INT32")
          .Attr("block_size: int >= 2")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchSquareShape(c, true); });
  struct Attrs {
    std::int64_t block_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices paddings, Tensor& output) const {
      return detail::RunBatchSquare(context.op(), context.device(), "SpaceToBatch", true, input, this->block_size,
                                    paddings, &output);
    }
  };
};

// BatchToSpaceND on images, [n, h, w, d], with square blocks.
struct BatchToSpace {
  static constexpr auto signature =
      Op("BatchToSpace")
          .Input("input: T")
          .Input("crops: Tidx")
          .Output("output: T")
          .Attr("T: type")
          .Attr("block_size: int >= 2")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::BatchSquareShape(c, false); });
  struct Attrs {
    std::int64_t block_size;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kBatchTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices crops, Tensor& output) const {
      return detail::RunBatchSquare(context.op(), context.device(), "BatchToSpace", false, input, this->block_size,
                                    crops, &output);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/split.hpp ----
// Split, SplitV, Unpack: a tensor cut along one axis.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kUnpackTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);
inline constexpr DataTypeSet kSplitTypes =
    kUnpackTypes | ToSet(DataType::kQuint8) | ToSet(DataType::kInt4) | ToSet(DataType::kUint4);

// Output i is the next sizes[i] of axis `axis`; the sizes add up to the whole. Unpack: every size is 1 and the axis
// vanishes.
inline Status CutAlong(OpKernelContext& context, Cpu& device, const Tensor& value, int axis,
                       std::span<const Index> sizes, bool drop_axis, std::span<Tensor> output) {
  // Sharing a part takes a small block of the heap and keeps the whole alive: for large parts only.
  constexpr Index kWorthSharingBytes = 32768;
  const ElementMover mover = MoverOf(value.dtype());
  const TensorShape& whole = value.shape();
  Index outer = 1, inner = 1;
  for (int d = 0; d < whole.dims(); ++d)
    if (d != axis) (d < axis ? outer : inner) *= whole.dim_size(d);
  const Index row = whole.dim_size(axis) * inner;
  Index begin = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    TensorShape shape = whole;
    if (drop_axis)
      shape.RemoveDim(axis);
    else
      TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(axis, sizes[i]));
    const Index size = drop_axis ? 1 : sizes[i], run = size * inner;
    Tensor* out = &output[i];
    if (run == row || (axis == 0 && run * mover.bytes >= kWorthSharingBytes)) {
      *out = Tensor(value.dtype());
      (void)out->CopyFrom(run == row ? value : value.Slice(begin, begin + size), shape);  // the element counts agree
    } else {
      TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(i), shape, &out));
      NdCopy copy;
      copy.in_first = begin * inner;
      copy.Add(outer, row, run);
      copy.Add(run, 1, 1);
      CopyNd(device, mover, copy, value.raw_data(), out->raw_data());
    }
    begin += size;
  }
  return OkStatus();
}

inline Status CheckSplitAxis(const Tensor& value, Index axis, int* at) {
  const int rank = value.dims();
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Split: -input rank(-", rank, ") <= split_dim < input rank (", rank, "), but got ",
                                   axis);
  *at = static_cast<int>(axis < 0 ? axis + rank : axis);
  return OkStatus();
}

// Element i of a tensor of int8, int32 or int64.
inline std::int64_t SplitSizeAt(const Tensor& sizes, Index i) {
  if (sizes.dtype() == DataType::kInt8) return sizes.data<std::int8_t>()[i];
  if (sizes.dtype() == DataType::kInt32) return sizes.data<std::int32_t>()[i];
  return sizes.data<std::int64_t>()[i];
}

}  // namespace detail

namespace detail {
inline Status SplitShape(InferenceContext* c) {
  ShapeHandle input = c->input(1), out;
  DimensionHandle axis, size;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(0, c->Rank(input), &axis));
  if (!c->ValueKnown(axis)) {
    out = c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape();
  } else {
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, c->Value(axis) + 1, &input));
    TENON_RETURN_IF_ERROR(c->Divide(c->Dim(input, c->Value(axis)), c->num_outputs(), true, &size));
    TENON_RETURN_IF_ERROR(c->ReplaceDim(input, c->Value(axis), size, &out));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}
}  // namespace detail

// value: [a, b], split_dim = 1  ->  num_split times [a, b / num_split]
struct Split {
  static constexpr auto signature = Op("Split")
                                        .Input("split_dim: int32")
                                        .Input("value: T")
                                        .Output("output: num_split * T")
                                        .Attr("num_split: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SplitShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), detail::kSplitTypes); }
    Status operator()(Context<Device>& context, HostIndices split_dim, const Tensor& value,
                      std::span<Tensor> output) const {
      return Run(context.op(), context.device(), split_dim, value, output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const HostIndices& split_dim, const Tensor& value,
                    std::span<Tensor> output) {
    if (split_dim.shape().dims() != 0)
      return errors::InvalidArgument("Split: split_dim must be a scalar but has rank ", split_dim.shape().dims());
    int axis = 0;
    TENON_RETURN_IF_ERROR(detail::CheckSplitAxis(value, split_dim[0], &axis));
    const auto parts = static_cast<Index>(output.size());
    if (value.dim_size(axis) % parts != 0)
      return errors::InvalidArgument(
          "Split: Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
          " (size = ", value.dim_size(axis), ") and num_split ", parts);
    const SlimVector<Index> sizes(output.size(), value.dim_size(axis) / parts);
    return detail::CutAlong(context, device, value, axis, sizes, false, output);
  }
};

namespace detail {
// As in TensorFlow an axis that is not known counts as the last.
inline Status SplitVKnownShape(InferenceContext* c, ShapeHandle input, std::int64_t axis,
                               const SlimVector<std::int64_t>& sizes) {
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(input, axis + 1, &input));
  if (static_cast<int>(sizes.size()) != c->num_outputs())
    return errors::InvalidArgument("Length of size_splits should be equal to num_outputs");
  std::int64_t total = 0;
  bool open = false;
  for (const std::int64_t size : sizes) {
    if (size == -1 && open) return errors::InvalidArgument("size_splits can only have one -1");
    open = open || size == -1;
    if (size != -1)
      total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(size));
  }
  const std::int64_t whole = c->Value(c->Dim(input, axis));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t size = sizes[i];
    if (size == -1 && whole >= 0)
      size = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) - static_cast<std::uint64_t>(total));
    if (size < -1 || (size == -1 && whole >= 0))
      return errors::InvalidArgument("Split size at index ", i, " must be >= 0. Got: ", size);
    ShapeHandle out;
    TENON_RETURN_IF_ERROR(c->ReplaceDim(input, axis, c->MakeDim(size), &out));
    c->set_output(static_cast<int>(i), out);
  }
  if (whole >= 0 && (open ? total > whole : total != whole))
    return errors::InvalidArgument("can't split axis of size ", whole, " into pieces of size [", StrJoin(sizes, ","),
                                   "]");
  return OkStatus();
}
inline Status SplitVShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  DimensionHandle axis;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(2, c->Rank(input), &axis));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  if (const Tensor* t = c->input_tensor(1); t != nullptr && t->dtype() == DataType::kInt8) {
    known = true;
    for (Index i = 0; i < t->NumElements(); ++i) sizes.push_back(SplitSizeAt(*t, i));
  } else {
    TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  }
  const int parts = c->num_outputs();
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  if (c->Rank(input) == 0) return errors::InvalidArgument("Can't split scalars");
  if (!known) {
    ShapeHandle out = c->UnknownShapeOfRank(c->Rank(input));
    for (int i = 0; i < parts; ++i) {
      if (c->ValueKnown(axis)) TENON_RETURN_IF_ERROR(c->ReplaceDim(input, c->Value(axis), c->UnknownDim(), &out));
      c->set_output(i, out);
    }
    return OkStatus();
  }
  return SplitVKnownShape(c, input, c->Value(axis), sizes);
}
}  // namespace detail

// The same with the sizes as an input; one of several may be -1: what is left.
struct SplitV {
  static constexpr auto signature = Op("SplitV")
                                        .Input("value: T")
                                        .Input("size_splits: Tlen")
                                        .Input("split_dim: int32")
                                        .Output("output: num_split * T")
                                        .Attr("num_split: int >= 1")
                                        .Attr("T: type")
                                        .Attr("Tlen: {int8, int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::SplitVShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kSplitTypes); }
    Status operator()(Context<Device>& context, const Tensor& value, const Tensor& size_splits, HostIndices split_dim,
                      std::span<Tensor> output) const {
      return Run(context.op(), context.device(), value, size_splits, split_dim, output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& value, const Tensor& size_splits,
                    const HostIndices& split_dim, std::span<Tensor> output) {
    const auto parts = static_cast<Index>(output.size());
    if (size_splits.dims() != 1 || size_splits.NumElements() != parts)
      return errors::InvalidArgument(
          "SplitV: size of the split_tensor must be 1-D and have the same elements as outputs (", parts,
          "), got shape ", size_splits.shape());
    if (split_dim.size() != 1)
      return errors::InvalidArgument("SplitV: split_dim_tensor must have exactly one element, got shape ",
                                     split_dim.shape());
    int axis = 0;
    TENON_RETURN_IF_ERROR(detail::CheckSplitAxis(value, split_dim[0], &axis));
    const Index whole = value.dim_size(axis);
    SlimVector<Index> sizes;
    Index sum = 0;
    std::ptrdiff_t open = -1;  // the one that takes what is left
    for (Index i = 0; i < parts; ++i) {
      const Index size = detail::SplitSizeAt(size_splits, i);
      sizes.push_back(size);
      if (size == -1 && parts > 1) {
        if (open >= 0) return errors::InvalidArgument("SplitV: size_splits can only have one -1");
        open = i;
        continue;
      }
      if (size < 0 || size > whole - sum)
        return errors::InvalidArgument("SplitV: ",
                                       size < 0
                                           ? "Split size at index "
                                           : "Determined shape must match input shape along split_dim: size at index ",
                                       i, size < 0 ? " must be >= 0. Got: " : " is too large for what is left: ", size);
      sum += size;
    }
    if (open >= 0)
      sizes[static_cast<std::size_t>(open)] = whole - sum;
    else if (sum != whole)
      return errors::InvalidArgument(
          "SplitV: Determined shape must either match input shape along split_dim exactly if fully specified, or be "
          "less than the size of the input along split_dim if not: the sizes add up to ",
          sum, " of ", whole);
    return detail::CutAlong(context, device, value, axis, sizes, false, output);
  }
};

namespace detail {
inline Status UnpackShape(InferenceContext* c) {
  const ShapeHandle value = c->input(0);
  if (!c->RankKnown(value)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(value);
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
  if (axis < 0) axis += rank;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(value, axis), c->num_outputs(), &unused));
  SlimVector<DimensionHandle> dims;
  for (std::int32_t d = 0; d < rank; ++d)
    if (d != axis) dims.push_back(c->Dim(value, d));
  const ShapeHandle out = c->MakeShape(dims);
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}
}  // namespace detail

// value: [n, a, b], axis = 0  ->  n times [a, b]
struct Unpack {
  static constexpr auto signature = Op("Unpack")
                                        .Input("value: T")
                                        .Output("output: num * T")
                                        .Attr("num: int >= 0")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(detail::UnpackShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUnpackTypes); }
    Status operator()(Context<Device>& context, const Tensor& value, std::span<Tensor> output) const {
      const int rank = value.dims();
      if (this->axis < -rank || this->axis >= rank)
        return errors::InvalidArgument("Unpack: axis = ", this->axis, " not in [", -rank, ", ", rank, ")");
      const int at = static_cast<int>(this->axis < 0 ? this->axis + rank : this->axis);
      if (value.dim_size(at) != static_cast<Index>(output.size()))
        return errors::InvalidArgument("Unpack: Input shape axis ", at, " must equal ", output.size(), ", got shape ",
                                       value.shape());
      return detail::CutAlong(context.op(), context.device(), value, at, {}, true, output);
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/tile.hpp ----
// Tile, BroadcastTo, BroadcastArgs: elements repeated along dimensions.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kBroadcastToTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);
inline constexpr DataTypeSet kTileTypes{(kPodAndStringTypes | ToSet(DataType::kVariant)).mask &
                                        ~ToSet(DataType::kUint16).mask};

inline Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), multiples, unused;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (c->RankKnown(input)) {
    TENON_RETURN_IF_ERROR(c->WithRank(multiples, c->Rank(input), &multiples));
    TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->Vector(c->Rank(input)), &unused));
  }
  if (!c->RankKnown(multiples)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(multiples);
  TENON_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
  for (std::int32_t d = 0; d < rank; ++d)
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(input, d), c->Dim(multiples, d), &dims[static_cast<std::size_t>(d)]));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

inline Status BroadcastToShape(InferenceContext* c) {
  ShapeHandle vector, out, in = c->input(0);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &vector));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  if (c->RankKnown(out) && c->RankKnown(in)) {
    const std::int32_t rank = c->Rank(out);
    TENON_RETURN_IF_ERROR(c->WithRankAtMost(in, rank, &in));
    for (std::int32_t i = 1; i <= c->Rank(in); ++i) {
      DimensionHandle dim = c->Dim(in, -i);
      if (c->Value(dim) <= 1) continue;
      TENON_RETURN_IF_ERROR(c->Merge(dim, c->Dim(out, -i), &dim));
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, -i, dim, &out));
    }
  }
  c->set_output(0, out);
  return OkStatus();
}

inline Status BroadcastArgsShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &b));
  const std::int64_t m = c->Value(c->Dim(a, 0)), n = c->Value(c->Dim(b, 0));
  c->set_output(0, c->Vector(m < 0 || n < 0 ? c->UnknownDim() : c->MakeDim(m > n ? m : n)));
  return OkStatus();
}

}  // namespace detail

// input: [a, b], multiples = [2, 3]  ->  [2 a, 3 b]
struct Tile {
  static constexpr auto signature = Op("Tile")
                                        .Input("input: T")
                                        .Input("multiples: Tmultiples")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tmultiples: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TileShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices multiples, Tensor& output) const {
      return Run(context.op(), context.device(), input, multiples, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& multiples,
                    Tensor* output) {
    const int rank = input.dims();
    if (multiples.shape().dims() != 1)
      return errors::InvalidArgument("Tile: Expected multiples to be 1-D, but got shape ", multiples.shape());
    if (multiples.size() != rank)
      return errors::InvalidArgument("Tile: Expected multiples argument to be a vector of length ", rank,
                                     " but got length ", multiples.size());
    InlinedVector<Index, 8> sizes;
    for (int d = 0; d < rank; ++d) {
      if (multiples[d] < 0)
        return errors::InvalidArgument("Tile: Expected multiples[", d, "] >= 0, but got ", multiples[d]);
      sizes.push_back(MultiplyWithoutOverflow(input.dim_size(d), multiples[d]));
      if (sizes.back() < 0)
        return errors::InvalidArgument("Tile: the output's dimension ", d, " of ", input.dim_size(d), " * ",
                                       multiples[d], " elements overflows int64");
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    if (!detail::kTileTypes.contains(input.dtype()))
      return errors::Unimplemented("TileOp : The input data type is not supported, DataType : ", input.dtype(),
                                   ", Dimension : ", rank);
    NdCopy copy;
    const InlinedVector<Index, 8> from = StridesOf(input.shape().dim_sizes()), to = StridesOf(shape.dim_sizes());
    for (int d = 0; d < rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      copy.Add(multiples[d], 0, to[i] * input.dim_size(d));
      copy.Add(input.dim_size(d), from[i], to[i]);
    }
    CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
    return OkStatus();
  }
};

// input: [a, 1], shape = [n, a, b]  ->  [n, a, b]
struct BroadcastTo {
  static constexpr auto signature = Op("BroadcastTo")
                                        .Input("input: T")
                                        .Input("shape: Tidx")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::BroadcastToShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kBroadcastToTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices shape, Tensor& output) const {
      return Run(context.op(), context.device(), input, shape, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, const HostIndices& wanted,
                    Tensor* output) {
    if (wanted.shape().dims() != 1)
      return errors::InvalidArgument("BroadcastTo: shape must be a vector of {int32,int64}, got shape ",
                                     wanted.shape());
    InlinedVector<Index, 8> sizes;
    for (Index d = 0; d < wanted.size(); ++d) {
      if (wanted[d] < 0) return errors::InvalidArgument("BroadcastTo: Dimension ", wanted[d], " must be >= 0");
      sizes.push_back(wanted[d]);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    const int rank = shape.dims(), own = input.dims();
    if (own > rank)
      return errors::InvalidArgument("BroadcastTo: Rank of input (", own,
                                     ") must be no greater than rank of output shape (", rank, ").");
    for (int d = 0; d < own; ++d)
      if (input.dim_size(d) != 1 && input.dim_size(d) != shape.dim_size(rank - own + d))
        return errors::InvalidArgument("BroadcastTo: Incompatible shapes: ", input.shape(), " vs. ", shape);
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    NdCopy copy;
    const InlinedVector<Index, 8> from = StridesOf(input.shape().dim_sizes()), to = StridesOf(shape.dim_sizes());
    for (int d = 0; d < rank; ++d) {
      const int i = d - (rank - own);
      copy.Add(shape.dim_size(d), i < 0 || input.dim_size(i) == 1 ? 0 : from[static_cast<std::size_t>(i)],
               to[static_cast<std::size_t>(d)]);
    }
    CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
    return OkStatus();
  }
};

// The shape of an element-wise operation on tensors of two shapes, all as vectors.
struct BroadcastArgs {
  static constexpr auto signature = Op("BroadcastArgs")
                                        .Input("s0: T")
                                        .Input("s1: T")
                                        .Output("r0: T")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::BroadcastArgsShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<T, 1> s0, In<T, 1> s1, Out<T, 1> r0) const {
      for (Index i = 1; i <= r0.size(); ++i) {
        const T a = i <= s0.size() ? s0[s0.size() - i] : T(1), b = i <= s1.size() ? s1[s1.size() - i] : T(1);
        if (a != b && a != 1 && b != 1)
          return errors::InvalidArgument("BroadcastArgs: Incompatible shapes: ", a, " vs. ", b,
                                         " elements in the dimension that is number ", i, " from the end");
        r0[r0.size() - i] = a == 1 ? b : a;
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/transpose.hpp ----
// Transpose, ConjugateTranspose, InvertPermutation.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Input 1 says which input dimension becomes dimension 0, 1, ...
inline Status TransposeShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), perm_shape = c->input(1);
  SlimVector<std::int64_t> perm;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &perm, &known));
  DimensionHandle count = c->NumElements(perm_shape);
  if (!c->RankKnown(input) && !c->ValueKnown(count) && !known) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->RankKnown(input)    ? c->Rank(input)
                            : c->ValueKnown(count) ? c->Value(count)
                                                   : static_cast<std::int64_t>(perm.size());
  if (!c->RankKnown(input) && rank < 2) {  // a scalar's permutation may have one element
    c->set_output(0, input);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(perm_shape, 1, &perm_shape));
  TENON_RETURN_IF_ERROR(c->WithValue(count, rank, &count));
  SlimVector<DimensionHandle> dims;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (!known) {
      dims.push_back(c->UnknownDim());
      continue;
    }
    const std::int64_t from = perm[static_cast<std::size_t>(i)];
    if (from >= rank || from < -rank)
      return errors::InvalidArgument("perm dim ", from, " is out of range of input rank ", rank);
    dims.push_back(c->Dim(input, from));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// *is_same: nothing but dimensions of size 1 changes its place, so that the elements stay where they are.
inline Status PlanTranspose(const TensorShape& input, const HostIndices& perm, TensorShape* output, NdCopy* copy,
                            bool* is_same) {
  if (perm.shape().dims() != 1)
    return errors::InvalidArgument("Transpose: perm must be rank 1, got shape ", perm.shape());
  const int rank = input.dims();
  if (perm.size() != rank)
    return errors::InvalidArgument("Transpose: transpose expects a vector of size ", rank,
                                   ". But input(1) is a vector of size ", perm.size());
  bool seen[kMaxTensorRank] = {};
  const InlinedVector<Index, 8> steps = StridesOf(input.dim_sizes());
  InlinedVector<Index, 8> sizes, from;
  for (Index i = 0; i < rank; ++i) {
    const Index d = perm[i] < 0 ? perm[i] + rank : perm[i];
    if (d < 0 || d >= rank) return errors::InvalidArgument("Transpose: ", d, " is out of range [0 .. ", rank, ")");
    if (seen[d])
      return errors::InvalidArgument("Transpose: the permutation has ", d, " twice; it must have every dimension once");
    seen[d] = true;
    from.push_back(steps[static_cast<std::size_t>(d)]);
    sizes.push_back(input.dim_size(static_cast<int>(d)));
  }
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, output));
  const InlinedVector<Index, 8> to = StridesOf(output->dim_sizes());
  for (Index i = 0; i < rank; ++i)
    copy->Add(sizes[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(i)]);
  *is_same = copy->elements == 0 || copy->dims.empty() || (copy->dims.size() == 1 && copy->dims[0].in == 1);
  return OkStatus();
}

inline Status RunTranspose(OpKernelContext& context, Cpu& device, const Tensor& x, const HostIndices& perm, Tensor* y) {
  TensorShape shape;
  NdCopy copy;
  bool is_same = false;
  TENON_RETURN_IF_ERROR(PlanTranspose(x.shape(), perm, &shape, &copy, &is_same));
  if (is_same) {
    (void)y->CopyFrom(x, shape);  // the element counts agree
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &y));
  CopyNd(device, MoverOf(x.dtype()), copy, x.raw_data(), y->raw_data());
  return OkStatus();
}

// Every second of 2 n numbers of type Real with the other sign.
template <class Real>
void Conjugate(const void* from, void* to, Index n) {
  const Real* in = static_cast<const Real*>(from);
  Real* out = static_cast<Real*>(to);
  for (Index i = 0; i < n; ++i) {
    out[2 * i] = in[2 * i];
    out[2 * i + 1] = -in[2 * i + 1];
  }
}

inline constexpr DataTypeSet kTransposeTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);

}  // namespace detail

// x: [a, b, c], perm = [2, 0, 1]  ->  y: [c, a, b]
struct Transpose {
  static constexpr auto signature = Op("Transpose")
                                        .Input("x: T")
                                        .Input("perm: Tperm")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .Attr("Tperm: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TransposeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kTransposeTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices perm, Tensor& y) const {
      return detail::RunTranspose(context.op(), context.device(), x, perm, &y);
    }
  };
};

// Transpose of the complex conjugate.
struct ConjugateTranspose {
  static constexpr auto signature = Op("ConjugateTranspose")
                                        .Input("x: T")
                                        .Input("perm: Tperm")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .Attr("Tperm: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TransposeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kTransposeTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices perm, Tensor& y) const {
      if (!IsComplex(x.dtype())) return detail::RunTranspose(context.op(), context.device(), x, perm, &y);
      return RunComplex(context.op(), context.device(), x, perm, &y);
    }
  };

 private:
  static Status RunComplex(OpKernelContext& context, Cpu& device, const Tensor& x, const HostIndices& perm, Tensor* y) {
    TensorShape shape;
    NdCopy copy;
    bool is_same = false;
    TENON_RETURN_IF_ERROR(detail::PlanTranspose(x.shape(), perm, &shape, &copy, &is_same));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &y));
    const void* from = x.raw_data();
    if (!is_same) {
      CopyNd(device, MoverOf(x.dtype()), copy, from, y->raw_data());
      from = y->raw_data();
    }
    const auto conjugate = x.dtype() == DataType::kComplex64 ? &detail::Conjugate<float> : &detail::Conjugate<double>;
    conjugate(from, y->raw_data(), y->NumElements());
    return OkStatus();
  }
};

// y[x[i]] = i
struct InvertPermutation {
  static constexpr auto signature =
      Op("InvertPermutation")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 1); });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<T, 1> x, Out<T, 1> y) const {
      for (Index i = 0; i < y.size(); ++i) y[i] = T(-1);
      for (Index i = 0; i < x.size(); ++i) {
        const T at = x[i];
        if (at < 0 || static_cast<Index>(at) >= x.size())
          return errors::InvalidArgument("InvertPermutation: ", at, " is not between 0 and ", x.size());
        if (y[at] != T(-1)) return errors::InvalidArgument("InvertPermutation: ", at, " is duplicated in the input.");
        y[at] = static_cast<T>(i);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/array/unique.hpp ----
// Where, Unique, UniqueWithCounts, ListDiff: which elements there are.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The elements of a tensor of plain real numbers, bools or texts as keys. Numbers are their bits, but both zeros are
// one number, and a NaN differs from everything.
class ElementKeys {
 public:
  explicit ElementKeys(const Tensor& x) : data_(x.raw_data()), bytes_(SizeOf(x.dtype())), size_(x.NumElements()) {
    switch (x.dtype()) {
      case DataType::kHalf: infinity_ = 0x7c00; break;
      case DataType::kBfloat16: infinity_ = 0x7f80; break;
      case DataType::kFloat: infinity_ = 0x7f800000; break;
      case DataType::kDouble: infinity_ = 0x7ff0000000000000; break;
      default: break;
    }
  }
  Index size() const { return size_; }
  bool is_text() const { return bytes_ == 0; }
  std::string_view Text(Index i) const { return static_cast<const tstring*>(data_)[i]; }
  std::uint64_t Number(Index i) const {
    std::uint64_t bits = 0;  // little-endian, as all formats here
    switch (bytes_) {
      case 1: bits = static_cast<const std::uint8_t*>(data_)[i]; break;
      case 2: bits = static_cast<const std::uint16_t*>(data_)[i]; break;
      case 4: bits = static_cast<const std::uint32_t*>(data_)[i]; break;
      default: bits = static_cast<const std::uint64_t*>(data_)[i];
    }
    return infinity_ != 0 && Magnitude(bits) == 0 ? 0 : bits;
  }
  bool IsNan(Index i) const { return infinity_ != 0 && Magnitude(Number(i)) > infinity_; }
  std::uint64_t Hash(Index i) const {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    if (is_text())
      for (const char c : Text(i)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    else
      h ^= Number(i);
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    return h ^ h >> 29;
  }
  bool Equal(Index i, const ElementKeys& other, Index j) const {
    if (is_text()) return Text(i) == other.Text(j);
    return Number(i) == other.Number(j) && !IsNan(i);
  }

 private:
  std::uint64_t Magnitude(std::uint64_t bits) const { return bits & ((std::uint64_t{1} << (8 * bytes_ - 1)) - 1); }
  const void* data_;
  int bytes_;
  Index size_;
  std::uint64_t infinity_ = 0;  // its bits; 0 for what is not floating
};

// Numbers of elements, by their values: open addressing, at most half full.
class ElementTable {
 public:
  explicit ElementTable(const ElementKeys& keys) : keys_(keys) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(keys.size())) size *= 2;
    slots_.assign(size, -1);
  }
  // The element that equals other[j], or -1.
  Index Find(const ElementKeys& other, Index j) const { return slots_[SlotOf(other, j)]; }
  // The same; where there is none element j of the table's own keys is added and -1 returned. A NaN is never found: it
  // is not added.
  Index FindOrAdd(Index j) {
    if (!keys_.is_text() && keys_.IsNan(j)) return -1;
    Index& slot = slots_[SlotOf(keys_, j)];
    if (slot >= 0) return slot;
    slot = j;
    return -1;
  }

 private:
  std::size_t SlotOf(const ElementKeys& other, Index j) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(other.Hash(j)) & mask;
    while (slots_[at] >= 0 && !other.Equal(j, keys_, slots_[at])) at = (at + 1) & mask;
    return at;
  }
  const ElementKeys& keys_;
  SlimVector<Index> slots_;
};

inline constexpr DataTypeSet kListDiffTypes = kRealNumberTypes | ToSet(DataType::kString);
inline constexpr DataTypeSet kUniqueTypes = kListDiffTypes | ToSet(DataType::kBool);

inline Status WhereShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  c->set_output(0, c->Matrix(c->UnknownDim(), c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
  return OkStatus();
}
inline Status UniqueShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  const ShapeHandle found = c->Vector(c->UnknownDim());
  c->set_output(0, found);
  c->set_output(1, c->input(0));
  if (c->num_outputs() > 2) c->set_output(2, found);
  return OkStatus();
}
inline Status ListDiffShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const ShapeHandle out = c->Vector(c->UnknownDim());
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}

inline void StoreIndex(Tensor* to, Index i, Index value) {
  if (to->dtype() == DataType::kInt32)
    to->data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
  else
    to->data<std::int64_t>()[i] = value;
}
// Output number `output` becomes the elements of x that `chosen` numbers.
inline Status TakeElements(OpKernelContext& context, int output, const Tensor& x, const SlimVector<Index>& chosen) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape({static_cast<Index>(chosen.size())}), &out));
  const ElementMover mover = MoverOf(x.dtype());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    CopyRun(mover, mover.At(x.raw_data(), chosen[i]), mover.At(out->raw_data(), static_cast<Index>(i)), 1);
  return OkStatus();
}

inline Status RunUnique(OpKernelContext& context, const Tensor& x, bool with_counts) {
  if (x.dims() != 1) return errors::InvalidArgument("Unique: unique expects a 1D vector, got shape ", x.shape());
  const ElementKeys keys(x);
  ElementTable table(keys);
  SlimVector<Index> first, counts;  // of each distinct element
  SlimVector<Index> number(static_cast<std::size_t>(x.NumElements()), 0);
  Tensor *idx = nullptr, *count = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(1, x.shape(), &idx));
  for (Index i = 0; i < x.NumElements(); ++i) {
    const Index same = table.FindOrAdd(i);
    const Index n = same < 0 ? static_cast<Index>(first.size()) : number[static_cast<std::size_t>(same)];
    if (same < 0) {
      first.push_back(i);
      counts.push_back(0);
    }
    number[static_cast<std::size_t>(i)] = n;
    ++counts[static_cast<std::size_t>(n)];
    StoreIndex(idx, i, n);
  }
  TENON_RETURN_IF_ERROR(TakeElements(context, 0, x, first));
  if (!with_counts) return OkStatus();
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({static_cast<Index>(counts.size())}), &count));
  for (std::size_t i = 0; i < counts.size(); ++i) StoreIndex(count, static_cast<Index>(i), counts[i]);
  return OkStatus();
}

}  // namespace detail

// input: [a, b]  ->  [n, 2]: the indices of the n elements that are not zero, in row-major order
struct Where {
  static constexpr auto signature =
      Op("Where")
          .Input("input: T")
          .Output("index: int64")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL")
          .SetShapeFn(detail::WhereShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& index) const {
      return Run(context.op(), input, &index);
    }
  };

 private:
  // Not zero: a bit other than the sign of a floating number, in any of its parts.
  static Status Run(OpKernelContext& context, const Tensor& input, Tensor* index) {
    const int rank = input.dims();
    if (rank < 1 || rank > 8) return errors::InvalidArgument("WhereOp : Unhandled input dimensions: ", rank);
    if (input.dtype() == DataType::kHalf)
      return errors::Unimplemented("No WhereOp available for float16/half type on CPU");
    const DataType type = input.dtype();
    const Index bytes = SizeOf(type), part = AlignmentOf(type), n = input.NumElements();
    const bool floating = IsFloating(type) || IsComplex(type);
    const auto* data = static_cast<const unsigned char*>(input.raw_data());
    const auto is_set = [&](Index i) {
      for (Index b = 0; b < bytes; ++b) {
        const bool has_sign = floating && b % part == part - 1;  // little-endian
        if ((data[i * bytes + b] & (has_sign ? 0x7f : 0xff)) != 0) return true;
      }
      return false;
    };
    Index count = 0;
    for (Index i = 0; i < n; ++i) count += is_set(i) ? 1 : 0;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({count, Index{rank}}), &index));
    std::int64_t* out = index->data<std::int64_t>();
    for (Index i = 0; i < n; ++i) {
      if (!is_set(i)) continue;
      Index left = i;
      for (int d = rank - 1; d >= 0; --d) {
        out[d] = left % input.dim_size(d);
        left /= input.dim_size(d);
      }
      out += rank;
    }
    return OkStatus();
  }
};

// y: the distinct elements in the order of their first appearance; x[i] = y[idx[i]]
struct Unique {
  static constexpr auto signature = Op("Unique")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor&, Tensor&) const {
      return detail::RunUnique(context.op(), x, false);
    }
  };
};

// And how often each of y is there.
struct UniqueWithCounts {
  static constexpr auto signature = Op("UniqueWithCounts")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Output("count: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor&, Tensor&, Tensor&) const {
      return detail::RunUnique(context.op(), x, true);
    }
  };
};

// The elements of x that y does not have, and where they are in x.
struct ListDiff {
  static constexpr auto signature = Op("ListDiff")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("out: T")
                                        .Output("idx: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::ListDiffShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kListDiffTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, const Tensor& y, Tensor&, Tensor& idx) const {
      return Run(context.op(), x, y, &idx);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& x, const Tensor& y, Tensor* idx) {
    if (x.dims() != 1) return errors::InvalidArgument("ListDiff: x should be a 1D vector, got shape ", x.shape());
    if (y.dims() != 1) return errors::InvalidArgument("ListDiff: y should be a 1D vector, got shape ", y.shape());
    const detail::ElementKeys keys(x), others(y);
    detail::ElementTable table(others);
    for (Index j = 0; j < y.NumElements(); ++j) (void)table.FindOrAdd(j);
    SlimVector<Index> left;
    for (Index i = 0; i < x.NumElements(); ++i)
      if (table.Find(keys, i) < 0) left.push_back(i);
    TENON_RETURN_IF_ERROR(detail::TakeElements(context, 0, x, left));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({static_cast<Index>(left.size())}), &idx));
    for (std::size_t i = 0; i < left.size(); ++i) detail::StoreIndex(idx, static_cast<Index>(i), left[i]);
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/flow/functional.hpp ----
// Calls of functions, and conditionals and loops made of functions. They run natively: the function's program is called
// in place, on the kernel's thread, and a loop's variables move from one iteration to the next.
TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// The shapes that the node's `output_shapes` gives; unknown without it.
inline Status OutputShapesAttr(InferenceContext* c, bool* given) {
  SlimVector<PartialTensorShape> shapes;
  TENON_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  *given = !shapes.empty();
  if (!*given) return OkStatus();
  if (static_cast<int>(shapes.size()) != c->num_outputs())
    return errors::InvalidArgument("`output_shapes` must be the same length as num outputs (", shapes.size(), " vs. ",
                                   c->num_outputs(), ")");
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle shape;
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[static_cast<std::size_t>(i)], &shape));
    c->set_output(i, shape);
  }
  return OkStatus();
}
inline Status BranchShapes(InferenceContext* c) {
  bool given = false;
  TENON_RETURN_IF_ERROR(OutputShapesAttr(c, &given));
  return given ? OkStatus() : shape_inference::UnknownShape(c);
}
inline Status LoopShapes(InferenceContext* c) {
  bool given = false;
  TENON_RETURN_IF_ERROR(OutputShapesAttr(c, &given));
  for (int i = 0; !given && i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
  return OkStatus();
}

// What a conditional makes of a tensor: a scalar is its value (not zero, not the empty string), anything else is true
// when it has elements.
inline Status ToBool(const Tensor& t, bool* value) {
  if (t.dims() > 0) {
    *value = t.NumElements() > 0;
    return OkStatus();
  }
  switch (t.dtype()) {
    case DataType::kBool: *value = t.scalar<bool>()(); return OkStatus();
    case DataType::kString: *value = !t.scalar<tstring>()().empty(); return OkStatus();
    case DataType::kFloat: *value = t.scalar<float>()() != 0; return OkStatus();
    case DataType::kDouble: *value = t.scalar<double>()() != 0; return OkStatus();
    case DataType::kInt8: *value = t.scalar<std::int8_t>()() != 0; return OkStatus();
    case DataType::kUint8: *value = t.scalar<std::uint8_t>()() != 0; return OkStatus();
    case DataType::kInt16: *value = t.scalar<std::int16_t>()() != 0; return OkStatus();
    case DataType::kInt32: *value = t.scalar<std::int32_t>()() != 0; return OkStatus();
    case DataType::kInt64: *value = t.scalar<std::int64_t>()() != 0; return OkStatus();
    default:
      return errors::InvalidArgument(t.dtype(), " cannot be converted to a boolean; use bool, string or a number");
  }
}

// Tensors of a call: most have few.
using Tensors = SlimVector<Tensor>;

// What the kernels below share: looking functions up and calling them.
class CallingKernel : public OpKernel {
 public:
  explicit CallingKernel(OpKernelConstruction* construction) : OpKernel(construction) {}

 protected:
  static void Find(OpKernelConstruction* c, std::string_view attr, FunctionHandle* handle) {
    NameAttrList call;
    if (const Status status = c->GetAttr(attr, &call); !status.ok()) return c->SetStatus(status);
    Find(c, call, handle);
  }
  static void Find(OpKernelConstruction* c, const NameAttrList& call, FunctionHandle* handle) {
    if (c->function_library() == nullptr)
      return c->SetStatus(errors::Internal("op '", c->def().op, "' calls functions, which only a session has"));
    Result<FunctionHandle> found = c->function_library()->Find(call);
    if (!found.ok()) return c->SetStatus(found.status());
    *handle = *found;
  }
  static Status Call(OpKernelContext* ctx, FunctionHandle function, std::span<Tensor> args, std::span<Tensor> results) {
    if (ctx->function_library() == nullptr) return errors::Internal("functions can be called within a session only");
    return ctx->function_library()->Run(function, ctx->environment(), args, results);
  }
  static Tensors InputsFrom(OpKernelContext* ctx, int first) {
    Tensors args;
    args.reserve(static_cast<std::size_t>(ctx->num_inputs() - first));
    for (int i = first; i < ctx->num_inputs(); ++i) args.push_back(ctx->input(i));
    return args;
  }
  // Calls the function with the inputs from `first` on; its results are the node's outputs.
  static void CallForOutputs(OpKernelContext* ctx, FunctionHandle function, int first) {
    Tensors args = InputsFrom(ctx, first);
    const auto outputs = static_cast<std::size_t>(ctx->num_outputs());
    ctx->SetStatus(
        Call(ctx, function, args, std::span<Tensor>(outputs == 0 ? nullptr : ctx->mutable_output(0), outputs)));
  }
};

class CallKernel : public CallingKernel {
 public:
  explicit CallKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "f", &function_);
    if (c->status().ok() && !c->HasAttr("_direct_call"))
      c->SetStatus(c->function_library()->CheckSingleTensors(function_));
  }
  void Compute(OpKernelContext* ctx) override { CallForOutputs(ctx, function_, 0); }

 private:
  FunctionHandle function_;
};

class IfKernel : public CallingKernel {
 public:
  explicit IfKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "then_branch", &then_);
    Find(c, "else_branch", &else_);
  }
  void Compute(OpKernelContext* ctx) override {
    bool condition = false;
    if (const Status status = ToBool(ctx->input(0), &condition); !status.ok()) return ctx->SetStatus(status);
    CallForOutputs(ctx, condition ? then_ : else_, 1);
  }

 private:
  FunctionHandle then_, else_;
};

class CaseKernel : public CallingKernel {
 public:
  explicit CaseKernel(OpKernelConstruction* c) : CallingKernel(c) {
    SlimVector<NameAttrList> branches;
    c->SetStatus(c->GetAttr("branches", &branches));
    branches_.resize(branches.size());
    for (std::size_t i = 0; i < branches.size(); ++i) Find(c, branches[i], &branches_[i]);
  }
  // An index that is none runs the last branch.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& index = ctx->input(0);
    if (index.dims() != 0)
      return ctx->SetStatus(errors::InvalidArgument("branch_index must be a scalar, got shape ", index.shape()));
    const std::int32_t i = index.scalar<std::int32_t>()();
    const auto count = static_cast<std::int32_t>(branches_.size());
    CallForOutputs(ctx, branches_[static_cast<std::size_t>(i < 0 || i >= count ? count - 1 : i)], 1);
  }

 private:
  SlimVector<FunctionHandle> branches_;
};

class WhileKernel : public CallingKernel {
 public:
  explicit WhileKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "cond", &cond_);
    Find(c, "body", &body_);
  }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Loop(ctx)); }

 private:
  Status Loop(OpKernelContext* ctx) const {
    Tensors variables = InputsFrom(ctx, 0), args(variables.size());
    for (;;) {
      for (std::size_t i = 0; i < variables.size(); ++i) args[i] = variables[i];
      Tensor more(DataType::kInvalid);
      TENON_RETURN_IF_ERROR(Call(ctx, cond_, args, std::span<Tensor>(&more, 1)));
      bool go_on = false;
      TENON_RETURN_IF_ERROR(ToBool(more, &go_on));
      if (!go_on) break;
      std::swap(args, variables);
      TENON_RETURN_IF_ERROR(Call(ctx, body_, args, variables));
    }
    for (std::size_t i = 0; i < variables.size(); ++i) ctx->set_output(static_cast<int>(i), std::move(variables[i]));
    return OkStatus();
  }

  FunctionHandle cond_, body_;
};

class ForKernel : public CallingKernel {
 public:
  explicit ForKernel(OpKernelConstruction* c) : CallingKernel(c) { Find(c, "body", &body_); }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Loop(ctx)); }

 private:
  Status Loop(OpKernelContext* ctx) const {
    constexpr std::string_view kNames[] = {"start", "limit", "delta"};
    std::int64_t numbers[3];
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = ctx->input(i);
      if (t.dims() != 0)
        return errors::InvalidArgument(kNames[i], " must be a scalar, but shape=", t.shape().DebugString());
      numbers[i] = t.scalar<std::int32_t>()();
    }
    const auto [start, limit, delta] = numbers;
    if (!((delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit)))
      return errors::InvalidArgument("Invalid start/limit/delta: ", start, " ", limit, " ", delta);
    Tensors variables = InputsFrom(ctx, 3), args(variables.size() + 1);
    for (std::int64_t i = start; delta > 0 ? i < limit : delta < 0 && i > limit; i += delta) {
      TENON_ASSIGN_OR_RETURN(args[0], Tensor::Make(DataType::kInt32, TensorShape{}));
      args[0].scalar<std::int32_t>()() = static_cast<std::int32_t>(i);
      for (std::size_t v = 0; v < variables.size(); ++v) args[v + 1] = std::move(variables[v]);
      TENON_RETURN_IF_ERROR(Call(ctx, body_, args, variables));
    }
    for (std::size_t i = 0; i < variables.size(); ++i) ctx->set_output(static_cast<int>(i), std::move(variables[i]));
    return OkStatus();
  }

  FunctionHandle body_;
};

}  // namespace detail

struct PartitionedCall {
  static constexpr auto signature = Op("PartitionedCall")
                                        .Input("args: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("f: func")
                                        .Attr("config: string = ''")
                                        .Attr("config_proto: string = ''")
                                        .Attr("executor_type: string = ''")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallKernel {
    using CallKernel::CallKernel;
  };
};

struct StatefulPartitionedCall {
  static constexpr auto signature = Op("StatefulPartitionedCall")
                                        .Input("args: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("f: func")
                                        .Attr("config: string = ''")
                                        .Attr("config_proto: string = ''")
                                        .Attr("executor_type: string = ''")
                                        .SetIsStateful()
                                        .SetIsDistributedCommunication()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallKernel {
    using CallKernel::CallKernel;
  };
};

struct If {
  static constexpr auto signature = Op("If")
                                        .Input("cond: Tcond")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tcond: type")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("then_branch: func")
                                        .Attr("else_branch: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IfKernel {
    using IfKernel::IfKernel;
  };
};

struct StatelessIf {
  static constexpr auto signature = Op("StatelessIf")
                                        .Input("cond: Tcond")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tcond: type")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("then_branch: func")
                                        .Attr("else_branch: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IfKernel {
    using IfKernel::IfKernel;
  };
};

struct Case {
  static constexpr auto signature = Op("Case")
                                        .Input("branch_index: int32")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("branches: list(func) >= 1")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CaseKernel {
    using CaseKernel::CaseKernel;
  };
};

struct StatelessCase {
  static constexpr auto signature = Op("StatelessCase")
                                        .Input("branch_index: int32")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("branches: list(func) >= 1")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CaseKernel {
    using CaseKernel::CaseKernel;
  };
};

struct While {
  static constexpr auto signature = Op("While")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("cond: func")
                                        .Attr("body: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::LoopShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WhileKernel {
    using WhileKernel::WhileKernel;
  };
};

struct StatelessWhile {
  static constexpr auto signature = Op("StatelessWhile")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("cond: func")
                                        .Attr("body: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetShapeFn(detail::LoopShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WhileKernel {
    using WhileKernel::WhileKernel;
  };
};

// body(i, variables) for i from start to limit, limit excluded.
struct For {
  static constexpr auto signature = Op("For")
                                        .Input("start: int32")
                                        .Input("limit: int32")
                                        .Input("delta: int32")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("body: func")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ForKernel {
    using ForKernel::ForKernel;
  };
};

}  // namespace ops

TENON_SETUP_CODE_END
TENON_NAMESPACE_END

// ---- tenon/ops/math/bitwise.hpp ----
// Bits of integers.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Invert {
  static constexpr auto signature = detail::UnaryOp("Invert", detail::kIntegerTypes);
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    return static_cast<T>(~x);
  }

  template <class Device, class T>
  using kernel = Map1<Invert, Device, T>;
};

// The number of bits that are 1.
struct PopulationCount {
  static constexpr auto signature = detail::UnaryOp("PopulationCount", detail::kIntegerTypes, "y: uint8");
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static std::uint8_t map(const T& x) {
    return Count(static_cast<std::make_unsigned_t<T>>(x));
  }

  template <class Device, class T>
  using kernel = Map1<PopulationCount, Device, T>;

 private:
  // Sums of neighbouring bits, then of pairs, of fours, and of bytes. H. S. Warren, "Hacker's Delight", chapter 5.
  TENON_HD static std::uint8_t Count(std::uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<std::uint8_t>(x * 0x0101010101010101u >> 56);
  }
};

struct BitwiseAnd {
  static constexpr auto signature = detail::BinaryOp("BitwiseAnd", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x & y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseAnd, Device, T>;
};

struct BitwiseOr {
  static constexpr auto signature = detail::BinaryOp("BitwiseOr", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x | y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseOr, Device, T>;
};

struct BitwiseXor {
  static constexpr auto signature = detail::BinaryOp("BitwiseXor", detail::kIntegerTypes).SetIsCommutative();
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x ^ y);
  }

  template <class Device, class T>
  using kernel = Map2<BitwiseXor, Device, T>;
};

namespace detail {
// A shift amount, clamped to 0 ... bits - 1.
template <class T>
TENON_HD int ShiftAmount(T y) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  return y < T(0) ? 0 : y > T(kMost) ? kMost : static_cast<int>(y);
}
}  // namespace detail

// Amounts are clamped to what the type has bits for; bits that leave it are lost.
struct LeftShift {
  static constexpr auto signature = detail::BinaryOp("LeftShift", detail::kIntegerTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << detail::ShiftAmount(y));
  }

  template <class Device, class T>
  using kernel = Map2<LeftShift, Device, T>;
};

// Signed integers keep their sign.
struct RightShift {
  static constexpr auto signature = detail::BinaryOp("RightShift", detail::kIntegerTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x >> detail::ShiftAmount(y));
  }

  template <class Device, class T>
  using kernel = Map2<RightShift, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/cast.hpp ----
// Elements of one numeric type as another. All but the most frequent pairs go through the widest type of their kind, a
// tile at a time: so there are loops per type, not per pair.
TENON_NAMESPACE_BEGIN

namespace detail {

using CastLoop = void (*)(const void* from, void* to, Index n);

TENON_DETAIL_LOOPS_BEGIN

template <class From, class To>
TENON_DETAIL_LOOP void RunCast(const void* pfrom, void* pto, Index n) {
  const From* from = static_cast<const From*>(pfrom);
  To* to = static_cast<To*>(pto);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = ConvertScalar<To>(from[i]);
}

TENON_DETAIL_LOOPS_END

// The widest types: every number that is cast is exactly one of their values.
enum class CastKind : std::uint8_t { kNone, kSigned, kUnsigned, kFloat };  // none, int64, uint64, double

// Quantised integers are cast as the integers that they are stored in.
constexpr DataType CastType(DataType dtype) {
  switch (dtype) {
    case DataType::kQint8: return DataType::kInt8;
    case DataType::kQuint8: return DataType::kUint8;
    case DataType::kQint16: return DataType::kInt16;
    case DataType::kQuint16: return DataType::kUint16;
    case DataType::kQint32: return DataType::kInt32;
    default: return dtype;
  }
}
constexpr bool IsCastFloat8(DataType dtype) {
  return dtype == DataType::kFloat8E5M2 || dtype == DataType::kFloat8E4M3FN;
}
constexpr bool IsInt4(DataType dtype) { return dtype == DataType::kInt4 || dtype == DataType::kUint4; }

// The first step: to the widest type. No loop: it is that already (or, for kNone, no number that can be cast).
struct CastSource {
  CastKind kind = CastKind::kNone;
  CastLoop widen = nullptr;
};
inline CastSource CastSourceOf(DataType dtype) {
  switch (dtype) {
    case DataType::kBool: return {CastKind::kSigned, &RunCast<bool, std::int64_t>};
    case DataType::kInt8: return {CastKind::kSigned, &RunCast<std::int8_t, std::int64_t>};
    case DataType::kUint8: return {CastKind::kSigned, &RunCast<std::uint8_t, std::int64_t>};
    case DataType::kInt16: return {CastKind::kSigned, &RunCast<std::int16_t, std::int64_t>};
    case DataType::kUint16: return {CastKind::kSigned, &RunCast<std::uint16_t, std::int64_t>};
    case DataType::kInt32: return {CastKind::kSigned, &RunCast<std::int32_t, std::int64_t>};
    case DataType::kUint32: return {CastKind::kSigned, &RunCast<std::uint32_t, std::int64_t>};
    case DataType::kInt4: return {CastKind::kSigned, &RunCast<int4, std::int64_t>};
    case DataType::kUint4: return {CastKind::kSigned, &RunCast<uint4, std::int64_t>};
    case DataType::kInt64: return {CastKind::kSigned};
    case DataType::kUint64: return {CastKind::kUnsigned};
    case DataType::kHalf: return {CastKind::kFloat, &RunCast<half, double>};
    case DataType::kBfloat16: return {CastKind::kFloat, &RunCast<bfloat16, double>};
    case DataType::kFloat: return {CastKind::kFloat, &RunCast<float, double>};
    case DataType::kDouble: return {CastKind::kFloat};
    case DataType::kFloat8E5M2: return {CastKind::kFloat, &RunCast<float8_e5m2, double>};
    case DataType::kFloat8E4M3FN: return {CastKind::kFloat, &RunCast<float8_e4m3fn, double>};
    case DataType::kComplex64: return {CastKind::kFloat, &RunCast<complex64, double>};
    case DataType::kComplex128: return {CastKind::kFloat, &RunCast<complex128, double>};
    default: return {};
  }
}

// The second step. Integers that keep the low bits only need one loop for both signs.
inline CastLoop NarrowSigned(DataType to) {
  switch (to) {
    case DataType::kBool: return &RunCast<std::int64_t, bool>;
    case DataType::kInt8:
    case DataType::kUint8: return &RunCast<std::int64_t, std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return &RunCast<std::int64_t, std::uint16_t>;
    case DataType::kInt32:
    case DataType::kUint32: return &RunCast<std::int64_t, std::uint32_t>;
    case DataType::kInt64:
    case DataType::kUint64: return &RunCast<std::int64_t, std::int64_t>;
    case DataType::kInt4: return &RunCast<std::int64_t, int4>;
    case DataType::kUint4: return &RunCast<std::int64_t, uint4>;
    case DataType::kHalf: return &RunCast<std::int64_t, half>;
    case DataType::kBfloat16: return &RunCast<std::int64_t, bfloat16>;
    case DataType::kFloat: return &RunCast<std::int64_t, float>;
    case DataType::kDouble: return &RunCast<std::int64_t, double>;
    case DataType::kComplex64: return &RunCast<std::int64_t, complex64>;
    case DataType::kComplex128: return &RunCast<std::int64_t, complex128>;
    default: return nullptr;
  }
}
inline CastLoop NarrowUnsigned(DataType to) {
  switch (to) {
    case DataType::kHalf: return &RunCast<std::uint64_t, half>;
    case DataType::kBfloat16: return &RunCast<std::uint64_t, bfloat16>;
    case DataType::kFloat: return &RunCast<std::uint64_t, float>;
    case DataType::kDouble: return &RunCast<std::uint64_t, double>;
    case DataType::kComplex64: return &RunCast<std::uint64_t, complex64>;
    case DataType::kComplex128: return &RunCast<std::uint64_t, complex128>;
    default: return NarrowSigned(to);  // the same bits
  }
}
inline CastLoop NarrowFloat(DataType to) {
  switch (to) {
    case DataType::kBool: return &RunCast<double, bool>;
    case DataType::kInt8:
    case DataType::kUint8: return &RunCast<double, std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return &RunCast<double, std::uint16_t>;
    case DataType::kInt32: return &RunCast<double, std::int32_t>;
    case DataType::kUint32: return &RunCast<double, std::uint32_t>;
    case DataType::kInt64: return &RunCast<double, std::int64_t>;
    case DataType::kUint64: return &RunCast<double, std::uint64_t>;
    case DataType::kHalf: return &RunCast<double, half>;
    case DataType::kBfloat16: return &RunCast<double, bfloat16>;
    case DataType::kFloat: return &RunCast<double, float>;
    case DataType::kDouble: return &RunCast<double, double>;
    case DataType::kFloat8E5M2: return &RunCast<double, float8_e5m2>;
    case DataType::kFloat8E4M3FN: return &RunCast<double, float8_e4m3fn>;
    case DataType::kComplex64: return &RunCast<double, complex64>;
    case DataType::kComplex128: return &RunCast<double, complex128>;
    default: return nullptr;
  }
}

// The frequent pairs, in one step; null for the others.
inline CastLoop DirectCast(DataType from, DataType to) {
  if (from == DataType::kFloat) {
    switch (to) {
      case DataType::kHalf: return &RunCast<float, half>;
      case DataType::kBfloat16: return &RunCast<float, bfloat16>;
      case DataType::kInt32: return &RunCast<float, std::int32_t>;
      case DataType::kInt64: return &RunCast<float, std::int64_t>;
      case DataType::kDouble: return &RunCast<float, double>;
      case DataType::kUint8: return &RunCast<float, std::uint8_t>;
      case DataType::kBool: return &RunCast<float, bool>;
      case DataType::kComplex64: return &RunCast<float, complex64>;  // denormals pass, as in TensorFlow
      default: return nullptr;
    }
  }
  if (to == DataType::kFloat) {
    switch (from) {
      case DataType::kHalf: return &RunCast<half, float>;
      case DataType::kBfloat16: return &RunCast<bfloat16, float>;
      case DataType::kInt32: return &RunCast<std::int32_t, float>;
      case DataType::kUint8: return &RunCast<std::uint8_t, float>;
      case DataType::kBool: return &RunCast<bool, float>;
      case DataType::kComplex64: return &RunCast<complex64, float>;
      default: return nullptr;
    }
  }
  return from == DataType::kInt32 && to == DataType::kInt64 ? &RunCast<std::int32_t, std::int64_t> : nullptr;
}

// Bits of the fraction, for complex numbers those of their parts; 0: no floating-point type that is cast.
constexpr int FractionBits(DataType dtype) {
  switch (dtype) {
    case DataType::kDouble:
    case DataType::kComplex128: return 52;
    case DataType::kFloat:
    case DataType::kComplex64: return 23;
    case DataType::kHalf: return 10;
    case DataType::kBfloat16: return 7;
    case DataType::kFloat8E5M2: return 2;
    case DataType::kFloat8E4M3FN: return 3;
    default: return 0;
  }
}
// Whether the attr Truncate changes anything: as TensorFlow has it, to bfloat16 from float only.
constexpr bool Truncates(DataType from, DataType to) {
  if (FractionBits(to) == 0 || FractionBits(from) <= FractionBits(to) || IsCastFloat8(from)) return false;
  return to != DataType::kBfloat16 || from == DataType::kFloat;
}
// Clears all bits of the fractions but the first `kept`. NaN stays.
inline void TruncateFractions(double* x, Index n, int kept) {
  const std::uint64_t mask = ~((std::uint64_t{1} << (52 - kept)) - 1);
  for (Index i = 0; i < n; ++i)
    if (x[i] == x[i]) x[i] = BitCast<double>(BitCast<std::uint64_t>(x[i]) & mask);
}

// One cast, worked out.
struct CastPlan {
  CastLoop direct = nullptr;  // the whole cast; else:
  CastLoop widen = nullptr;   // null: the elements are wide already
  CastLoop narrow = nullptr;
  int kept_bits = 0;  // of the fractions; 0: all
  Index from_bytes = 0, to_bytes = 0;

  void Run(const char* from, char* to, Index n) const {
    if (direct != nullptr) return direct(from, to, n);
    constexpr Index kTile = 512;
    alignas(64) double tile[kTile];  // or 64-bit integers: only their bytes are moved through it
    for (Index i = 0; i < n; i += kTile) {
      const Index m = n - i < kTile ? n - i : kTile;
      const void* wide = from + i * from_bytes;
      if (widen != nullptr) {
        widen(wide, tile, m);
        wide = tile;
      }
      if (kept_bits != 0) {
        if (wide != tile) std::memcpy(tile, wide, static_cast<std::size_t>(m) * sizeof(double));
        TruncateFractions(tile, m, kept_bits);
        wide = tile;
      }
      narrow(wide, to + i * to_bytes, m);
    }
  }
};

// Whether TensorFlow has this conversion.
inline bool HasCast(DataType from, DataType to) {
  if (CastSourceOf(from).kind == CastKind::kNone || CastSourceOf(to).kind == CastKind::kNone) return false;
  const auto is_integer = [](DataType t) { return IsInteger(t); };
  if (IsInt4(from) || IsInt4(to)) return is_integer(from) && is_integer(to);
  if (IsCastFloat8(to)) return FractionBits(from) != 0 && !IsComplex(from);
  return true;
}

}  // namespace detail

// to[i] = from[i] as another type, n elements, as ConvertScalar converts (types/convert.hpp). `truncate`: a float that
// becomes a narrower one is cut off instead of rounded. Complex to real drops the imaginary part. Unimplemented for
// pairs that TensorFlow has no conversion for, "Cast int4 to float is not supported". Not for equal types.
inline Status Cast(Cpu& device, DataType from_type, const void* from, DataType to_type, void* to, Index n,
                   bool truncate) {
  DataType source = detail::CastType(from_type), target = detail::CastType(to_type);
  if (!detail::HasCast(source, target))
    return errors::Unimplemented("Cast ", from_type, " to ", to_type, " is not supported");
  if (IsComplex(source) && IsComplex(target)) {  // part by part
    n *= 2;
    source = source == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
    target = target == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
  }
  detail::CastPlan plan;
  const detail::CastSource first = detail::CastSourceOf(source);
  if (truncate && detail::Truncates(source, target)) plan.kept_bits = detail::FractionBits(target);
  if (plan.kept_bits == 0) plan.direct = detail::DirectCast(source, target);
  plan.widen = first.widen;
  plan.narrow = first.kind == detail::CastKind::kSigned     ? detail::NarrowSigned(target)
                : first.kind == detail::CastKind::kUnsigned ? detail::NarrowUnsigned(target)
                                                            : detail::NarrowFloat(target);
  plan.from_bytes = static_cast<Index>(detail::ElementBytes(source));
  plan.to_bytes = static_cast<Index>(detail::ElementBytes(target));
  ParallelFor(device, n, plan.direct != nullptr ? 0.3 : 1.5, [&](Index begin, Index end) {
    plan.Run(static_cast<const char*>(from) + begin * plan.from_bytes, static_cast<char*>(to) + begin * plan.to_bytes,
             end - begin);
  });
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/ops/math/cast.hpp ----
// Cast: the same numbers in another type. Bitcast: the same bytes under another type.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
TENON_COLD inline Status cannot_bitcast_last_dimension(DataType from, DataType to, std::int64_t size) {
  return errors::InvalidArgument("Bitcast: Cannot bitcast from ", from, " to ", to,
                                 " due to shape: the last dimension must have ", SizeOf(to) / SizeOf(from),
                                 " elements, got ", size);
}
}  // namespace detail

// To the same type: the input itself, whatever the type.
struct Cast {
  static constexpr auto signature = Op("Cast")
                                        .Input("x: SrcT")
                                        .Output("y: DstT")
                                        .Attr("SrcT: type")
                                        .Attr("DstT: type")
                                        .Attr("Truncate: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    bool Truncate;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      return Run(context.op(), context.device(), x, &y, this->Truncate);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& x, Tensor* y, bool truncate) {
    const DataType target = context.expected_output_dtype(0);
    if (x.dtype() == target) {
      *y = x;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &y));
    return tenon::Cast(device, x.dtype(), x.raw_data(), target, y->raw_data(), x.NumElements(), truncate);
  }
};

// input: [...]  ->  the same shape; narrower elements: one dimension more, of as many as make one; wider elements: the
// last dimension, which has as many as make one, goes away. Shares the input's buffer.
struct Bitcast {
  static constexpr auto signature =
      Op("Bitcast")
          .Input("input: T")
          .Output("output: type")
          .Attr(
              "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
          .Attr(
              "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            DataType from = DataType::kInvalid, to = DataType::kInvalid;
            TENON_RETURN_IF_ERROR(c->GetAttr("T", &from));
            TENON_RETURN_IF_ERROR(c->GetAttr("type", &to));
            const std::int64_t from_bytes = SizeOf(from);
            const std::int64_t to_bytes = SizeOf(to);
            ShapeHandle shape = c->input(0);
            if (!c->RankKnown(shape)) {
              shape = c->UnknownShape();
            } else if (from_bytes > to_bytes) {
              TENON_RETURN_IF_ERROR(c->Concatenate(shape, c->Vector(from_bytes / to_bytes), &shape));
            } else if (from_bytes < to_bytes) {
              TENON_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
              const DimensionHandle last = c->Dim(shape, -1);
              if (c->ValueKnown(last) && c->Value(last) != to_bytes / from_bytes)
                return detail::cannot_bitcast_last_dimension(from, to, c->Value(last));
              TENON_RETURN_IF_ERROR(c->Subshape(shape, 0, -1, &shape));
            }
            c->set_output(0, shape);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return Run(context.op(), input, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& input, Tensor* output) {
    const DataType from = input.dtype(), to = context.expected_output_dtype(0);
    const Index from_bytes = SizeOf(from), to_bytes = SizeOf(to);
    TensorShape shape = input.shape();
    if (from_bytes > to_bytes) {
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(from_bytes / to_bytes));
    } else if (from_bytes < to_bytes) {
      if (shape.dims() == 0) return detail::cannot_bitcast_last_dimension(from, to, 1);
      const Index last = shape.dim_size(shape.dims() - 1);
      if (last != to_bytes / from_bytes) return detail::cannot_bitcast_last_dimension(from, to, last);
      shape.RemoveDim(shape.dims() - 1);
    }
    if (reinterpret_cast<std::uintptr_t>(input.raw_data()) % static_cast<std::uintptr_t>(to_bytes) == 0)
      return output->BitcastFrom(input, to, shape);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));  // a part of another tensor, badly aligned
    std::memcpy(output->raw_data(), input.raw_data(), static_cast<std::size_t>(input.NumElements() * from_bytes));
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/comparison.hpp ----
// Comparisons. NaN is unequal to everything and in no order.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Less {
  static constexpr auto signature = detail::BinaryOp("Less", detail::kOrderedTypes, "z: bool");

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x < y;
  }

  template <class Device, class T>
  using kernel = Map2<Less, Device, T>;
};

struct LessEqual {
  static constexpr auto signature = detail::BinaryOp("LessEqual", detail::kOrderedTypes, "z: bool");

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x <= y;
  }

  template <class Device, class T>
  using kernel = Map2<LessEqual, Device, T>;
};

struct Greater {
  static constexpr auto signature = detail::BinaryOp("Greater", detail::kOrderedTypes, "z: bool");

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x > y;
  }

  template <class Device, class T>
  using kernel = Map2<Greater, Device, T>;
};

struct GreaterEqual {
  static constexpr auto signature = detail::BinaryOp("GreaterEqual", detail::kOrderedTypes, "z: bool");

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x >= y;
  }

  template <class Device, class T>
  using kernel = Map2<GreaterEqual, Device, T>;
};

namespace detail {

constexpr Status EqualShapeFn(InferenceContext* c) {
  bool incompatible_shape_error = true;
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->GetAttr("incompatible_shape_error", &incompatible_shape_error));
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1),
                                                                              incompatible_shape_error, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr auto EqualityOp(std::string_view name) {
  return Op(name)
      .Input("x: T")
      .Input("y: T")
      .Output("z: bool")
      .SetIsCommutative()
      .Attr("T: type")
      .Attr("incompatible_shape_error: bool = true")
      .SetShapeFn(EqualShapeFn);
}

template <class Op, class T>
inline constexpr const BinaryLoops* kEqualityLoops = &kBinaryLoops<Op, T, bool>;

// The loops for elements of a dtype: integers of one size share theirs, and the small floats are compared as floats.
// Null where TensorFlow has no kernel.
template <class Op>
const BinaryLoops* EqualityLoops(DataType dtype) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kQint8:
    case DataType::kQuint8: return kEqualityLoops<Op, std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kQint16:
    case DataType::kQuint16: return kEqualityLoops<Op, std::uint16_t>;
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kQint32: return kEqualityLoops<Op, std::uint32_t>;
    case DataType::kInt64:
    case DataType::kUint64: return kEqualityLoops<Op, std::uint64_t>;
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kFloat: return kEqualityLoops<Op, float>;
    case DataType::kDouble: return kEqualityLoops<Op, double>;
    case DataType::kComplex64: return kEqualityLoops<Op, complex64>;
    case DataType::kComplex128: return kEqualityLoops<Op, complex128>;
    case DataType::kString: return kEqualityLoops<Op, tstring>;
    default: return nullptr;
  }
}

// The kernel of both. `if_incompatible` is the answer for shapes that do not broadcast, where those are no error.
template <class Op, class Device>
struct EqualityKernel : Op::Attrs {
  Status operator()(Device& device, const Tensor& x, const Tensor& y, Out<bool> z) const {
    const BinaryLoops* const loops = EqualityLoops<Op>(x.dtype());
    if (loops == nullptr) return NoKernel(x.dtype());
    if (!this->incompatible_shape_error && !Compatible(x.shape(), y.shape())) {
      z[0] = Op::if_incompatible;
      return OkStatus();
    }
    if (x.dtype() == DataType::kHalf || x.dtype() == DataType::kBfloat16) {
      const auto in_float = x.dtype() == DataType::kHalf ? &BinaryInFloat<half, bool> : &BinaryInFloat<bfloat16, bool>;
      return in_float(device, *loops, nullptr, x.raw_data(), x.shape(), y.raw_data(), y.shape(), z.data, z.shape());
    }
    return BinaryBroadcast(device, *loops, nullptr, x.raw_data(), x.shape(), y.raw_data(), y.shape(), z.data,
                           z.shape());
  }

 private:
  static bool Compatible(const TensorShape& x, const TensorShape& y) {
    const int rank = x.dims() > y.dims() ? x.dims() : y.dims();
    for (int d = 0; d < rank; ++d) {
      const Index m = tenon::detail::AlignedDim(x, d, rank), n = tenon::detail::AlignedDim(y, d, rank);
      if (m != n && m != 1 && n != 1) return false;
    }
    return true;
  }
  TENON_COLD static Status NoKernel(DataType dtype) {
    return errors::InvalidArgument("no kernel for op '", Op::signature.name, "' on CPU with types {", dtype,
                                   "}; elements of this type are not compared");
  }
};

}  // namespace detail

// x == y. With incompatible_shape_error = false, shapes that do not broadcast give the scalar false.
struct Equal {
  static constexpr auto signature = detail::EqualityOp("Equal");
  struct Attrs {
    bool incompatible_shape_error;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool if_incompatible = false;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x == y;
  }

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::EqualityKernel<Equal, Device>;
};

// x != y. With incompatible_shape_error = false, shapes that do not broadcast give the scalar true.
struct NotEqual {
  static constexpr auto signature = detail::EqualityOp("NotEqual");
  struct Attrs {
    bool incompatible_shape_error;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool if_incompatible = true;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return !(x == y);
  }

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::EqualityKernel<NotEqual, Device>;
};

// |x - y| < tolerance. The operands have one shape.
struct ApproximateEqual {
  static constexpr auto signature =
      Op("ApproximateEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .SetIsCommutative()
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("tolerance: float = 0.00001")
          .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
  struct Attrs {
    float tolerance;
  };

  template <class T>
  TENON_HD static bool map(const T& x, const T& y, const Attrs& attrs) {
    return std::abs(x - y) < static_cast<T>(attrs.tolerance);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = MapPairs<ApproximateEqual, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/complex_parts.hpp ----
// Complex numbers: their parts, and how they are made from parts. A Tout of the other width has no kernel.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto PartOp(std::string_view name, std::string_view input, std::string_view output) {
  return Op(name)
      .Input(input)
      .Output(output)
      .Attr("T: {complex64, complex128} = DT_COMPLEX64")
      .Attr("Tout: {float, double} = DT_FLOAT")
      .SetShapeFn(shape_inference::UnchangedShape);
}
}  // namespace detail

struct Real {
  static constexpr auto signature = detail::PartOp("Real", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return x.real();
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Real, Device, T>;
};

struct Imag {
  static constexpr auto signature = detail::PartOp("Imag", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return x.imag();
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Imag, Device, T>;
};

// In (-pi, pi].
struct Angle {
  static constexpr auto signature = detail::PartOp("Angle", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return std::arg(x);
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Angle, Device, T>;
};

struct ComplexAbs {
  static constexpr auto signature = detail::PartOp("ComplexAbs", "x: T", "y: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return std::abs(x);
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<ComplexAbs, Device, T>;
};

struct Conj {
  static constexpr auto signature = Op("Conj")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {complex64, complex128, variant} = DT_COMPLEX64")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::conj(x);
  }

  template <class Device, class T>
  using kernel = Map1<Conj, Device, T>;
};

// The numbers real + i imag.
struct Complex {
  static constexpr auto signature = Op("Complex")
                                        .Input("real: T")
                                        .Input("imag: T")
                                        .Output("out: Tout")
                                        .Attr("T: {float, double} = DT_FLOAT")
                                        .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static std::complex<T> map(const T& real, const T& imag) {
    return {real, imag};
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, std::complex<T>>
  using kernel = Map2<Complex, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/division.hpp ----
// Division with integers, in its variants, and powers. Dividing an integer by zero and raising it to a negative power
// are errors, found before anything is computed; the smallest integer divided by -1 wraps to itself.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Whether one of the n elements is 0.
template <class T>
bool SomeZero(const T* x, Index n) {
  for (Index i = 0; i < n; ++i)
    if (x[i] == 0) return true;
  return false;
}
template <class T>
bool SomeNegative(const T* x, Index n) {
  for (Index i = 0; i < n; ++i)
    if (x[i] < 0) return true;
  return false;
}
template <class T>
bool DividesByZero(In<T> divisor) {
  const auto* elements = reinterpret_cast<const std::make_unsigned_t<T>*>(divisor.data);  // of either sign: one loop
  return SomeZero(elements, divisor.size());
}
TENON_COLD inline Status DivisionByZero() { return errors::InvalidArgument("Integer division by zero"); }

// Quotient and remainder of integers, toward zero. y is not 0.
template <class T>
TENON_HD T Quotient(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return Neg::map(x);
  return static_cast<T>(x / y);
}
template <class T>
TENON_HD T Remainder(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return T(0);
  return static_cast<T>(x % y);
}

// x / y, rounded to T before it is cut to an integer: half and bfloat16 are given as they are.
template <class T>
TENON_HD auto FloatQuotient(const T& x, const T& y) {
  if constexpr (tenon::detail::kIsSmallFloat<T>)
    return static_cast<float>(T(static_cast<float>(x) / static_cast<float>(y)));
  else
    return x / y;
}

template <class Device, class T>
concept DivisionKernel = !kIsComplex<T> && (!std::is_integral_v<T> || Device::type == "CPU");

}  // namespace detail

// Integers: toward zero.
struct Div {
  static constexpr auto signature = detail::BinaryOp("Div", detail::kDivisionTypes);

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? detail::DivisionByZero() : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Quotient(x, y);
    else
      return detail::Ratio(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T> || Device::type == "CPU")
  using kernel = Map2<Div, Device, T>;
};

// Toward minus infinity.
struct FloorDiv {
  static constexpr auto signature = detail::BinaryOp("FloorDiv", detail::kDivisionTypes);
  static constexpr bool takes_small_floats = true;
  static constexpr float cost_ns = 2;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (!std::is_integral_v<T>) {
      return T(std::floor(detail::FloatQuotient(x, y)));
    } else {
      const T quotient = detail::Quotient(x, y);
      if constexpr (std::is_signed_v<T>)
        if ((x < 0) != (y < 0) && detail::Remainder(x, y) != 0) return static_cast<T>(quotient - 1);
      return quotient;
    }
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<FloorDiv, Device, T>;
};

// Toward zero. TensorFlow takes an integer zero as an Internal error here.
struct TruncateDiv {
  static constexpr auto signature = detail::BinaryOp("TruncateDiv", detail::kDivisionTypes);
  static constexpr bool takes_small_floats = true;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? errors::Internal("TruncateDiv: Integer division by zero") : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Quotient(x, y);
    else
      return T(std::trunc(detail::FloatQuotient(x, y)));
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<TruncateDiv, Device, T>;
};

// x - y floor(x / y): has the sign of y.
struct FloorMod {
  static constexpr auto signature = detail::BinaryOp(
      "FloorMod", "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}");
  static constexpr float cost_ns = 6;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>) {
      const T rest = detail::Remainder(x, y);
      if constexpr (std::is_signed_v<T>)
        if (rest != 0 && (rest < 0) != (y < 0)) return static_cast<T>(rest + y);
      return rest;
    } else {
      const T rest = std::fmod(x, y);
      return rest != T(0) && (rest < T(0)) != (y < T(0)) ? rest + y : rest;
    }
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<FloorMod, Device, T>;
};

// Has the sign of x, as % in C.
struct TruncateMod {
  static constexpr auto signature = detail::BinaryOp("TruncateMod", "T: {int32, int64, bfloat16, half, float, double}");
  static constexpr float cost_ns = 5;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? errors::Internal("TruncateMod: Integer division by zero") : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Remainder(x, y);
    else
      return std::fmod(x, y);
  }

  template <class Device, class T>
    requires(detail::DivisionKernel<Device, T> && !tenon::detail::kIsSmallFloat<T>)
  using kernel = Map2<TruncateMod, Device, T>;
};

// TruncateMod under its older name.
struct Mod {
  static constexpr auto signature = detail::BinaryOp("Mod", "T: {int32, int64, half, half, bfloat16, float, double}");
  static constexpr float cost_ns = TruncateMod::cost_ns;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return TruncateMod::map(x, y);
  }

  template <class Device, class T>
    requires(detail::DivisionKernel<Device, T> && !tenon::detail::kIsSmallFloat<T>)
  using kernel = Map2<Mod, Device, T>;
};

// x^y. Integers wrap.
struct Pow {
  static constexpr auto signature =
      detail::BinaryOp("Pow", "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}");
  static constexpr float cost_ns = 15;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::SomeNegative(y.data, y.size()) ? NegativeExponent() : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return IntegerPower(x, y);
    else
      return std::pow(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T> || Device::type == "CPU")
  using kernel = Map2<Pow, Device, T>;

 private:
  // By squaring.
  template <class T>
  TENON_HD static T IntegerPower(T x, T y) {
    using Bits = detail::Wrapping<T>;
    Bits power = 1, square = static_cast<Bits>(x);
    for (Bits rest = static_cast<Bits>(y); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) power *= square;
      square *= square;
    }
    return static_cast<T>(power);
  }
  TENON_COLD static Status NegativeExponent() {
    return errors::InvalidArgument("Pow: Integers to negative integer powers are not allowed");
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/gradient.hpp ----
// Gradients of element-wise ops of one operand, from their output y and the gradient dy behind them. For complex
// numbers the derivative is conjugated, except in the first two. y and dy have the same number of elements.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto GradientOp(std::string_view name) {
  return Op(name)
      .Input("y: T")
      .Input("dy: T")
      .Output("z: T")
      .Attr(kFloatingTypes)
      .SetShapeFn(shape_inference::UnchangedShape);
}
template <class T>
TENON_HD T Conjugate(const T& x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}
}  // namespace detail

// The gradient of Sigmoid, whose output is y.
struct SigmoidGrad {
  static constexpr auto signature = detail::GradientOp("SigmoidGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    return dy * y * (T(1) - y);
  }

  template <class Device, class T>
  using kernel = MapPairs<SigmoidGrad, Device, T>;
};

// The gradient of Tanh.
struct TanhGrad {
  static constexpr auto signature = detail::GradientOp("TanhGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    return dy * (T(1) - y * y);
  }

  template <class Device, class T>
  using kernel = MapPairs<TanhGrad, Device, T>;
};

// The gradient of Sqrt; 0 where dy is.
struct SqrtGrad {
  static constexpr auto signature = detail::GradientOp("SqrtGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : detail::Ratio(dy * T(0.5), d);
  }

  template <class Device, class T>
  using kernel = MapPairs<SqrtGrad, Device, T>;
};

// The gradient of Rsqrt; 0 where dy is.
struct RsqrtGrad {
  static constexpr auto signature = detail::GradientOp("RsqrtGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : dy * T(-0.5) * d * d * d;
  }

  template <class Device, class T>
  using kernel = MapPairs<RsqrtGrad, Device, T>;
};

// The gradient of Reciprocal; 0 where dy is.
struct ReciprocalGrad {
  static constexpr auto signature = detail::GradientOp("ReciprocalGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : -dy * d * d;
  }

  template <class Device, class T>
  using kernel = MapPairs<ReciprocalGrad, Device, T>;
};

// ReciprocalGrad under its older name.
struct InvGrad {
  static constexpr auto signature = detail::GradientOp("InvGrad");

  template <class Device, class T>
  using kernel = MapPairs<ReciprocalGrad, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/logical.hpp ----
// Truth values.
TENON_NAMESPACE_BEGIN

namespace ops {

struct LogicalNot {
  static constexpr auto signature =
      Op("LogicalNot").Input("x: bool").Output("y: bool").SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static bool map(const T& x) {
    return !x;
  }

  template <class Device>
  using kernel = Map1<LogicalNot, Device, bool>;
};

struct LogicalAnd {
  static constexpr auto signature = Op("LogicalAnd")
                                        .Input("x: bool")
                                        .Input("y: bool")
                                        .Output("z: bool")
                                        .SetIsCommutative()
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x && y;
  }

  template <class Device>
  using kernel = Map2<LogicalAnd, Device, bool>;
};

struct LogicalOr {
  static constexpr auto signature = Op("LogicalOr")
                                        .Input("x: bool")
                                        .Input("y: bool")
                                        .Output("z: bool")
                                        .SetIsCommutative()
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x || y;
  }

  template <class Device>
  using kernel = Map2<LogicalOr, Device, bool>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/accumulate.hpp ----
// Sums over several tensors, and the sum of a tensor's squares.
TENON_NAMESPACE_BEGIN

// out[i] = inputs[0][i] + inputs[1][i] + ..., each n elements; `add` adds two runs. `out` may be inputs[0] and none of
// the others, unless these are the same memory too. Added from the first to the last, a tile at a time, so that partial
// sums stay in the first cache.
inline Status Accumulate(Cpu& device, const BinaryLoops& add, const void* attrs, std::span<const void* const> inputs,
                         void* out, Index n) {
  constexpr Index kTileBytes = 16384;
  const Index bytes = add.in_bytes;
  const auto at = [bytes](const void* data, Index i) { return static_cast<const char*>(data) + i * bytes; };
  const double ns = static_cast<double>(add.cost_ns) * static_cast<double>(inputs.size());
  ParallelFor(device, n, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; i += kTileBytes / bytes) {
      const Index m = end - i < kTileBytes / bytes ? end - i : kTileBytes / bytes;
      char* const to = static_cast<char*>(out) + i * bytes;
      if (inputs.size() == 1) {
        if (out != inputs[0]) std::memcpy(to, at(inputs[0], i), static_cast<std::size_t>(m * bytes));
        continue;
      }
      add.vv(attrs, at(inputs[0], i), at(inputs[1], i), to, m);
      for (std::size_t k = 2; k < inputs.size(); ++k) add.vv(attrs, to, at(inputs[k], i), to, m);
    }
  });
  return OkStatus();
}

// The sum of x[i]^2, in eight partial sums. T is a real floating-point type.
template <class T>
double SumOfSquares(const T* x, Index n) {
  constexpr Index kLanes = 8;
  double lanes[kLanes] = {};
  const auto wide = [x](Index i) {
    if constexpr (detail::kIsSmallFloat<T>)
      return static_cast<double>(static_cast<float>(x[i]));
    else
      return static_cast<double>(x[i]);
  };
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) lanes[lane] += wide(i + lane) * wide(i + lane);
  for (; i < n; ++i) lanes[0] += wide(i) * wide(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

TENON_NAMESPACE_END

// ---- tenon/ops/math/n_ary.hpp ----
// Element-wise ops of more than two operands: sums of tensors, clipping; and the sum of squares.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr tenon::detail::FloatWork<BinaryLoops> kAddInFloat{kBinaryLoops<Add, float>, nullptr};

// What adds two runs of elements of a dtype; loop.vv is null where TensorFlow has no kernel.
struct Adder {
  BinaryLoops loops{};
  const void* attrs = nullptr;
};
inline Adder AdderOf(DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
    case DataType::kUint8: return {kBinaryLoops<Add, std::uint8_t>};
    case DataType::kInt16:
    case DataType::kUint16: return {kBinaryLoops<Add, std::uint16_t>};
    case DataType::kInt32:
    case DataType::kUint32: return {kBinaryLoops<Add, std::uint32_t>};
    case DataType::kInt64:
    case DataType::kUint64: return {kBinaryLoops<Add, std::uint64_t>};
    case DataType::kHalf: return {tenon::detail::kBinaryInFloat<half, half>, &kAddInFloat};
    case DataType::kBfloat16: return {tenon::detail::kBinaryInFloat<bfloat16, bfloat16>, &kAddInFloat};
    case DataType::kFloat: return {kBinaryLoops<Add, float>};
    case DataType::kDouble: return {kBinaryLoops<Add, double>};
    case DataType::kComplex64: return {kBinaryLoops<Add, complex64>};
    case DataType::kComplex128: return {kBinaryLoops<Add, complex128>};
    default: return {};
  }
}

// Output 0 of the running kernel = the sum of its inputs, which have one shape.
inline Status AddTensors(OpKernelContext& context, std::string_view op) {
  const Tensor& first = context.input(0);
  const Adder adder = AdderOf(first.dtype());
  if (adder.loops.vv == nullptr)
    return errors::InvalidArgument("no kernel for op '", op, "' on CPU with types {", first.dtype(),
                                   "}; elements of this type are not added");
  InlinedVector<const void*, 8> addends;
  bool again = false;  // whether input 0 is added once more, after the sum was begun
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    if (!(input.shape() == first.shape()))
      return errors::InvalidArgument(op, ": inputs must have the same size and shape. Input 0: ", first.shape(),
                                     " != input ", i, ": ", input.shape());
    again = again || (i > 0 && input.raw_data() == first.raw_data());
    addends.push_back(input.raw_data());
  }
  const TensorShape shape = first.shape();
  Tensor* sum = nullptr;
  if (again)
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &sum));
  else
    TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &sum));
  return Accumulate(context.device<Cpu>(), adder.loops, adder.attrs, {addends.data(), addends.size()}, sum->raw_data(),
                    shape.num_elements());
}

}  // namespace detail

// inputs: N times one shape  ->  the same shape; their sum
struct AddN {
  static constexpr auto signature =
      Op("AddN")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle sum = c->input(c->num_inputs() - 1);
            for (int i = c->num_inputs() - 2; i >= 0; --i) TENON_RETURN_IF_ERROR(c->Merge(c->input(i), sum, &sum));
            c->set_output(0, sum);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  // The raw form: its inputs' buffers may be taken over, however many there are.
  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {}
    void Compute(OpKernelContext* context) override { context->SetStatus(detail::AddTensors(*context, "AddN")); }
  };
};

// AddN with the shape given beforehand.
struct AccumulateNV2 {
  static constexpr auto signature =
      Op("AccumulateNV2")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("shape: shape")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn(shape_inference::ExplicitShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {
      construction->SetStatus(construction->GetAttr("shape", &shape_));
    }
    void Compute(OpKernelContext* context) override {
      if (shape_.IsCompatibleWith(context->input(0).shape()))
        context->SetStatus(detail::AddTensors(*context, "AccumulateNV2"));
      else
        context->SetStatus(errors::InvalidArgument("AccumulateNV2: inputs of shape ", context->input(0).shape(),
                                                   " do not fit the attr 'shape', which is ", shape_.DebugString()));
    }

   private:
    PartialTensorShape shape_;
  };
};

namespace detail {

// y < x ? y : x, and x where one is NaN.
struct CutAbove {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (kIsComplex<T>)
      return {y.real() < x.real() ? y.real() : x.real(), y.imag() < x.imag() ? y.imag() : x.imag()};
    else
      return y < x ? y : x;
  }
};
// x < y ? y : x, and x where one is NaN.
struct CutBelow {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (kIsComplex<T>)
      return {x.real() < y.real() ? y.real() : x.real(), x.imag() < y.imag() ? y.imag() : x.imag()};
    else
      return x < y ? y : x;
  }
};

}  // namespace detail

// max(min(t, clip_value_max), clip_value_min), part by part for complex numbers. A limit has t's shape or is a scalar.
struct ClipByValue {
  static constexpr auto signature =
      Op("ClipByValue")
          .Input("t: T")
          .Input("clip_value_min: T")
          .Input("clip_value_max: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class Device, class T>
    requires(Device::type == "CPU" &&
             (std::is_arithmetic_v<T> || tenon::detail::kIsSmallFloat<T> || detail::kIsComplex<T>) &&
             !std::is_same_v<T, std::uint32_t> && !std::is_same_v<T, std::uint64_t>)
  struct kernel {
    Status operator()(Device& device, In<T> t, In<T> low, In<T> high, Forward<T, 0> output) const {
      if (!Fits(low.shape(), t.shape()) || !Fits(high.shape(), t.shape()))
        return Mismatch(t.shape(), low.shape(), high.shape());
      TENON_RETURN_IF_ERROR((MapBinary<detail::CutAbove, T, T>(device, nullptr, t, high, output)));
      return MapBinary<detail::CutBelow, T, T>(device, nullptr, In<T>(output.data, output.size(), &t.shape()), low,
                                               output);
    }
  };

 private:
  static bool Fits(const TensorShape& limit, const TensorShape& t) { return limit.dims() == 0 || limit == t; }
  TENON_COLD static Status Mismatch(const TensorShape& t, const TensorShape& low, const TensorShape& high) {
    return errors::InvalidArgument(
        "ClipByValue: clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input "
        "shape: ",
        t, ", clip_value_min shape: ", low, ", clip_value_max shape: ", high);
  }
};

// sum(t^2) / 2, a scalar. Added up in double.
struct L2Loss {
  static constexpr auto signature = Op("L2Loss")
                                        .Input("t: T")
                                        .Output("output: T")
                                        .Attr(detail::kActivationTypes)
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<T> t, Out<T> output) const {
      output[0] = static_cast<T>(SumOfSquares(t.data, t.size()) / 2);
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/rounding.hpp ----
// Whole numbers near a number, and what kind of float it is.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Ceil {
  static constexpr auto signature = detail::UnaryOp("Ceil", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::ceil(x);
  }

  template <class Device, class T>
  using kernel = Map1<Ceil, Device, T>;
};

struct Floor {
  static constexpr auto signature = detail::UnaryOp("Floor", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::floor(x);
  }

  template <class Device, class T>
  using kernel = Map1<Floor, Device, T>;
};

// To the nearest integer, ties to even.
struct Rint {
  static constexpr auto signature = detail::UnaryOp("Rint", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::nearbyint(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Rint, Device, T>;
};

// To the nearest integer, ties to even.
struct Round {
  static constexpr auto signature = detail::UnaryOp("Round", detail::kSignedTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return std::nearbyint(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> ||
             std::is_same_v<T, bfloat16> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
  using kernel = Map1<Round, Device, T>;
};

struct IsNan {
  static constexpr auto signature = detail::UnaryOp("IsNan", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return x != x;
  }

  template <class Device, class T>
  using kernel = Map1<IsNan, Device, T>;
};

struct IsInf {
  static constexpr auto signature = detail::UnaryOp("IsInf", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return std::isinf(x);
  }

  template <class Device, class T>
  using kernel = Map1<IsInf, Device, T>;
};

struct IsFinite {
  static constexpr auto signature = detail::UnaryOp("IsFinite", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return std::isfinite(x);
  }

  template <class Device, class T>
  using kernel = Map1<IsFinite, Device, T>;
};

// The number next to x1 in the direction of x2.
struct NextAfter {
  static constexpr auto signature = Op("NextAfter")
                                        .Attr("T: {double, float} = DT_FLOAT")
                                        .Input("x1: T")
                                        .Input("x2: T")
                                        .Output("output: T")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 3;

  template <class T>
  TENON_HD static T map(const T& x1, const T& x2) {
    return std::nextafter(x1, x2);
  }

  template <class Device, class T>
  using kernel = Map2<NextAfter, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/select.hpp ----
// Choosing between two tensors element by element, with all three operands broadcast against each other. Elements are
// moved, never looked at: there is a loop per size of an element.
TENON_NAMESPACE_BEGIN

namespace detail {

// Where the three operands stand, or by how much they go on: the condition, what is chosen where it holds, and where it
// does not.
struct SelectSteps {
  Index condition, yes, no;
};

// out[i] = condition[i] ? yes[i] : no[i] for i in [0, n), each operand with a step of 0 or 1 elements.
using SelectLoop = void (*)(const bool* condition, const void* yes, const void* no, void* out, Index n,
                            SelectSteps steps);

struct SixteenBytes {
  std::uint64_t low, high;
};

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void RunSelectAll(const bool* condition, const T* yes, const T* no, T* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) {
    const T a = yes[i], b = no[i];
    out[i] = condition[i] ? a : b;
  }
}

TENON_DETAIL_LOOPS_END

template <class T>
void RunSelect(const bool* condition, const void* pyes, const void* pno, void* pout, Index n, SelectSteps steps) {
  const T* yes = static_cast<const T*>(pyes);
  const T* no = static_cast<const T*>(pno);
  T* out = static_cast<T*>(pout);
  if constexpr (std::is_trivially_copyable_v<T>)
    if (steps.condition == 1 && steps.yes == 1 && steps.no == 1) return RunSelectAll(condition, yes, no, out, n);
  for (Index i = 0; i < n; ++i) out[i] = condition[i * steps.condition] ? yes[i * steps.yes] : no[i * steps.no];
}

inline SelectLoop SelectLoopOf(DataType dtype) {
  switch (dtype) {
    case DataType::kString: return &RunSelect<tstring>;
    case DataType::kResource: return &RunSelect<ResourceHandle>;
    case DataType::kVariant: return &RunSelect<Variant>;
    default: break;
  }
  switch (ElementBytes(dtype)) {
    case 1: return &RunSelect<std::uint8_t>;
    case 2: return &RunSelect<std::uint16_t>;
    case 4: return &RunSelect<std::uint32_t>;
    case 8: return &RunSelect<std::uint64_t>;
    default: return &RunSelect<SixteenBytes>;
  }
}

// The dimensions of the output, innermost first, with those of size 1 left out and neighbours that all operands treat
// alike joined. A step is 0 where the operand repeats.
struct SelectPlan {
  int rank = 0;
  Index size[kMaxTensorRank + 1];
  SelectSteps step[kMaxTensorRank + 1];

  SelectPlan(const TensorShape& condition, const TensorShape& yes, const TensorShape& no, const TensorShape& out) {
    SelectSteps next{1, 1, 1};
    for (int d = out.dims() - 1; d >= 0; --d) {
      const Index n = out.dim_size(d);
      if (n == 1) continue;
      const SelectSteps s{AlignedDim(condition, d, out.dims()) == 1 ? 0 : next.condition,
                          AlignedDim(yes, d, out.dims()) == 1 ? 0 : next.yes,
                          AlignedDim(no, d, out.dims()) == 1 ? 0 : next.no};
      const bool joins = rank > 0 && (s.condition != 0) == (step[rank - 1].condition != 0) &&
                         (s.yes != 0) == (step[rank - 1].yes != 0) && (s.no != 0) == (step[rank - 1].no != 0);
      if (joins) {
        size[rank - 1] *= n;
      } else {
        size[rank] = n;
        step[rank++] = s;
      }
      if (s.condition != 0) next.condition *= n;
      if (s.yes != 0) next.yes *= n;
      if (s.no != 0) next.no *= n;
    }
    if (rank == 0) {
      size[rank] = 1;
      step[rank++] = {1, 1, 1};
    }
  }
};

// Shared by all threads that work on one Select.
struct SelectWork {
  const SelectPlan& plan;
  SelectLoop loop;
  Index bytes;  // of one element
  const bool* condition;
  const char* yes;
  const char* no;
  char* out;

  // Elements [begin, end) of the output.
  void Range(Index begin, Index end) const {
    Index at[kMaxTensorRank + 1];  // in each dimension
    Index rest = begin;
    SelectSteps start{0, 0, 0};
    for (int d = 0; d < plan.rank; ++d) {
      at[d] = d + 1 < plan.rank ? rest % plan.size[d] : rest;
      rest /= plan.size[d];
      Move(&start, plan.step[d], at[d]);
    }
    while (begin < end) {
      const Index left = plan.size[0] - at[0], n = left < end - begin ? left : end - begin;
      loop(condition + start.condition, yes + start.yes * bytes, no + start.no * bytes, out + begin * bytes, n,
           plan.step[0]);
      begin += n;
      Move(&start, plan.step[0], n);
      at[0] += n;
      for (int d = 0; d + 1 < plan.rank && at[d] == plan.size[d]; ++d) {
        Move(&start, plan.step[d], -plan.size[d]);
        Move(&start, plan.step[d + 1], 1);
        at[d] = 0;
        ++at[d + 1];
      }
    }
  }

 private:
  static void Move(SelectSteps* place, const SelectSteps& step, Index n) {
    place->condition += n * step.condition;
    place->yes += n * step.yes;
    place->no += n * step.no;
  }
};

}  // namespace detail

// out = condition ? yes : no. The three shapes broadcast to out_shape; yes, no and out are of type `dtype`. `out` may
// be yes or no where that one has its shape.
inline void Select(Cpu& device, DataType dtype, const bool* condition, const TensorShape& condition_shape,
                   const void* yes, const TensorShape& yes_shape, const void* no, const TensorShape& no_shape,
                   void* out, const TensorShape& out_shape) {
  const detail::SelectPlan plan(condition_shape, yes_shape, no_shape, out_shape);
  const ElementMover mover = MoverOf(dtype);
  const detail::SelectWork work{plan,
                                detail::SelectLoopOf(dtype),
                                mover.bytes,
                                condition,
                                static_cast<const char*>(yes),
                                static_cast<const char*>(no),
                                static_cast<char*>(out)};
  ParallelFor(device, out_shape.num_elements(), mover.cost_ns() + 0.2,
              [&](Index begin, Index end) { work.Range(begin, end); });
}

TENON_NAMESPACE_END

// ---- tenon/ops/math/select.hpp ----
// Select and SelectV2: elements of one tensor or another, as a condition says.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The types that TensorFlow has kernels for.
TENON_COLD inline Status NoSelectKernel(std::string_view op, DataType dtype) {
  return errors::InvalidArgument("no kernel for op '", op, "' on CPU with types {", dtype, "}");
}
inline bool IsSelectable(DataType dtype) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
    case DataType::kUint64:
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kFloat:
    case DataType::kDouble:
    case DataType::kComplex64:
    case DataType::kComplex128:
    case DataType::kString:
    case DataType::kResource:
    case DataType::kVariant: return true;
    default: return false;
  }
}
// Output 0 of the running kernel = condition ? t : e; the shapes broadcast to `shape`.
inline Status SelectInto(OpKernelContext& context, Cpu& device, const TensorShape& condition_shape,
                         const TensorShape& shape) {
  const Tensor &condition = context.input(0), &t = context.input(1), &e = context.input(2);
  const bool* const chosen = static_cast<const bool*>(condition.raw_data());
  const TensorShape t_shape = t.shape(), e_shape = e.shape();
  const void* const yes = t.raw_data();
  const void* const no = e.raw_data();
  const DataType dtype = t.dtype();
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  Select(device, dtype, chosen, condition_shape, yes, t_shape, no, e_shape, output->raw_data(), shape);
  return OkStatus();
}

}  // namespace detail

// t, e: one shape  ->  the same. condition: that shape too, or a scalar, or a vector that chooses among the first
// dimension's slices.
struct Select {
  static constexpr auto signature =
      Op("Select")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle data, condition = c->input(0);
            TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &data));
            if (c->RankKnown(condition) && c->RankKnown(data)) {
              const int rank = c->Rank(condition);
              if (rank == 1 && c->Rank(data) != 0) {
                TENON_RETURN_IF_ERROR(c->Merge(condition, c->Vector(c->Dim(data, 0)), &condition));
              } else if (rank != 0) {
                TENON_RETURN_IF_ERROR(c->Merge(data, condition, &data));
              }
            }
            c->set_output(0, data);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& condition, const Tensor& t, const Tensor& e,
                      Tensor& output) const {
      return Run(context.op(), context.device(), condition, t, e, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& condition, const Tensor& t, const Tensor& e,
                    Tensor* output) {
    if (!detail::IsSelectable(t.dtype())) return detail::NoSelectKernel("Select", t.dtype());
    const TensorShape &shape = t.shape(), &chosen = condition.shape();
    if (!(shape == e.shape()))
      return errors::InvalidArgument("Select: 't' and 'e' must have the same size and shape, got ", shape, " and ",
                                     e.shape());
    if (chosen.dims() == 0) {
      *output = *static_cast<const bool*>(condition.raw_data()) ? t : e;
      return OkStatus();
    }
    if (chosen == shape) return detail::SelectInto(context, device, chosen, shape);
    if (chosen.dims() != 1)
      return errors::InvalidArgument(
          "Select: 'condition' must have the same size and shape as 't', or be a scalar or "
          "a vector, got ",
          chosen, " and ", shape);
    if (shape.dims() < 1)
      return errors::InvalidArgument("Select: 't' must be at least a vector, but saw shape: ", shape);
    if (shape.dim_size(0) != chosen.dim_size(0))
      return errors::InvalidArgument("Select: Number of batches of 't' must match size of 'condition', but saw: ",
                                     shape.dim_size(0), " vs. ", chosen.dim_size(0));
    TensorShape column = chosen;  // [n, 1, 1, ...]
    for (int d = 1; d < shape.dims(); ++d) column.AddDim(1);
    return detail::SelectInto(context, device, column, shape);
  }
};

// condition, t, e, broadcast against each other  ->  their common shape
struct SelectV2 {
  static constexpr auto signature =
      Op("SelectV2")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            using shape_inference::BroadcastBinaryOpOutputShapeFnHelper;
            ShapeHandle out;
            TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(1), c->input(2), true, &out));
            TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, out, c->input(0), true, &out));
            c->set_output(0, out);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& condition, const Tensor& t, const Tensor& e,
                      Tensor&) const {
      if (!detail::IsSelectable(t.dtype())) return detail::NoSelectKernel("SelectV2", t.dtype());
      TensorShape shape;
      TENON_RETURN_IF_ERROR(Common(condition.shape(), t.shape(), e.shape(), &shape));
      return detail::SelectInto(context.op(), context.device(), condition.shape(), shape);
    }
  };

 private:
  static Status Common(const TensorShape& condition, const TensorShape& t, const TensorShape& e, TensorShape* shape) {
    TensorShape data;
    if (BroadcastShape(t, e, &data).ok() && BroadcastShape(data, condition, shape).ok()) return OkStatus();
    return errors::InvalidArgument("SelectV2: condition ", condition, ", then ", t, ", and else ", e,
                                   " must be broadcastable");
  }
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/engine/special_functions.hpp ----
// Special functions that the standard library lacks, for float and double: calculated in double, so that a float is the
// nearest one or its neighbour. Thread-safe.
TENON_NAMESPACE_BEGIN

namespace detail {

// c[0] + c[1] x + c[2] x^2 + ...
template <int N>
TENON_HD double Polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

// The standard normal quantile of 1/2 + q, where `tail` is 1/2 - |q|, given apart because it may be tiny. Relative
// error about 1e-15, 1e-10 for tails below 1e-290. M. J. Wichura, "Algorithm AS 241: The percentage points of the
// normal distribution", Applied Statistics 37 (1988), routine PPND16.
TENON_HD double NormalQuantile(double q, double tail) {
  constexpr double kCentral[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                 1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kCentralBelow[] = {1.0,
                                      4.2313330701600911252e+1,
                                      6.8718700749205790830e+2,
                                      5.3941960214247511077e+3,
                                      2.1213794301586595867e+4,
                                      3.9307895800092710610e+4,
                                      2.8729085735721942674e+4,
                                      5.2264952788528545610e+3};
  constexpr double kNear[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kNearBelow[] = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
  constexpr double kFar[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kFarBelow[] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131745613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  const double magnitude = q < 0 ? -q : q;
  if (magnitude <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * Polynomial(kCentral, r) / Polynomial(kCentralBelow, r);
  }
  if (tail == 0) return q < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (!(tail > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::sqrt(-std::log(tail));
  if (r <= 5) {
    const double x = Polynomial(kNear, r - 1.6) / Polynomial(kNearBelow, r - 1.6);
    return q < 0 ? -x : x;
  }
  double x = Polynomial(kFar, r - 5) / Polynomial(kFarBelow, r - 5);
  // Good to 1e-10 so far; Newton's step on tail(x) = erfc(x / sqrt 2) / 2, where nothing underflows.
  if (tail > 1e-290) {
    constexpr double kRootOfHalf = 0.70710678118654752440, kRootOfTwoPi = 2.50662827463100050242;
    x += (std::erfc(x * kRootOfHalf) / 2 - tail) * kRootOfTwoPi * std::exp(x * x / 2);
  }
  return q < 0 ? -x : x;
}

}  // namespace detail

// The x at which the standard normal distribution reaches p; -inf at 0, inf at 1, NaN outside of [0, 1].
template <std::floating_point T>
TENON_HD T Ndtri(T p) {
  const double wide = static_cast<double>(p);
  return static_cast<T>(detail::NormalQuantile(wide - 0.5, wide < 0.5 ? wide : 1 - wide));
}

// The y with erf(y) = x; infinite at -1 and 1, NaN outside. erfinv(x) = ndtri((x + 1) / 2) / sqrt(2), where neither
// the middle nor the tails lose digits.
template <std::floating_point T>
TENON_HD T Erfinv(T x) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  const double wide = static_cast<double>(x);
  return static_cast<T>(detail::NormalQuantile(wide / 2, (1 - (wide < 0 ? -wide : wide)) / 2) * kRootOfHalf);
}

// log|gamma(x)|; infinite at 0, at the negative integers and at both infinities.
template <std::floating_point T>
TENON_HD T Lgamma(T x) {
#if (defined(__GLIBC__) || defined(__APPLE__)) && !defined(__CUDACC__)
  int sign = 0;  // std::lgamma would write it to a global variable
  return static_cast<T>(::lgamma_r(static_cast<double>(x), &sign));
#else
  return static_cast<T>(std::lgamma(static_cast<double>(x)));
#endif
}

// The derivative of log gamma(x); NaN at 0, at the negative integers and at -infinity. Up the recurrence
// psi(x) = psi(x + 1) - 1/x to 10, then the asymptotic series; below 0 by reflection. Abramowitz and Stegun,
// "Handbook of Mathematical Functions", 6.3.5, 6.3.7 and 6.3.18.
template <std::floating_point T>
TENON_HD T Digamma(T x) {
  constexpr double kPi = 3.14159265358979323846;
  constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double y = static_cast<double>(x), sum = 0;
  if (y <= 0) {
    const double whole = std::floor(y);
    if (whole == y) return std::numeric_limits<T>::quiet_NaN();
    const double rest = y - whole;  // tan has period pi; the part after the point is exact
    sum = -kPi / std::tan(kPi * rest);
    y = 1 - y;
  }
  for (; y < 10; y += 1) sum -= 1 / y;
  const double square = 1 / (y * y);
  return static_cast<T>(sum + std::log(y) - 0.5 / y - square * detail::Polynomial(kSeries, square));
}

TENON_NAMESPACE_END

// ---- tenon/ops/math/special.hpp ----
// Special functions.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Erf {
  static constexpr auto signature = detail::UnaryOp("Erf", detail::kRealTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::erf(x);
  }

  template <class Device, class T>
  using kernel = Map1<Erf, Device, T>;
};

// 1 - erf(x), also where that is tiny.
struct Erfc {
  static constexpr auto signature = detail::UnaryOp("Erfc", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::erfc(x);
  }

  template <class Device, class T>
  using kernel = Map1<Erfc, Device, T>;
};

// The inverse of Erf.
struct Erfinv {
  static constexpr auto signature = detail::UnaryOp("Erfinv", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Erfinv(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Erfinv, Device, T>;
};

// The standard normal distribution's quantile.
struct Ndtri {
  static constexpr auto signature = detail::UnaryOp("Ndtri", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Ndtri(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Ndtri, Device, T>;
};

// log|gamma(x)|.
struct Lgamma {
  static constexpr auto signature = detail::UnaryOp("Lgamma", detail::kRealTypes);
  static constexpr float cost_ns = 20;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Lgamma(x);
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, bfloat16>)
  using kernel = Map1<Lgamma, Device, T>;
};

// The derivative of Lgamma.
struct Digamma {
  static constexpr auto signature = detail::UnaryOp("Digamma", detail::kRealTypes);
  static constexpr float cost_ns = 25;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Digamma(x);
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, bfloat16>)
  using kernel = Map1<Digamma, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/math/trigonometric.hpp ----
// Trigonometric and hyperbolic functions and their inverses; angles in radians.
TENON_NAMESPACE_BEGIN

namespace ops {

struct Sin {
  static constexpr auto signature = detail::UnaryOp("Sin", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sin(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sin, Device, T>;
};

struct Cos {
  static constexpr auto signature = detail::UnaryOp("Cos", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::cos(x);
  }

  template <class Device, class T>
  using kernel = Map1<Cos, Device, T>;
};

struct Tan {
  static constexpr auto signature = detail::UnaryOp("Tan", detail::kFloatingTypes);
  static constexpr float cost_ns = 9;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::tan(x);
  }

  template <class Device, class T>
  using kernel = Map1<Tan, Device, T>;
};

struct Asin {
  static constexpr auto signature = detail::UnaryOp("Asin", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::asin(x);
  }

  template <class Device, class T>
  using kernel = Map1<Asin, Device, T>;
};

struct Acos {
  static constexpr auto signature = detail::UnaryOp("Acos", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::acos(x);
  }

  template <class Device, class T>
  using kernel = Map1<Acos, Device, T>;
};

struct Atan {
  static constexpr auto signature = detail::UnaryOp("Atan", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::atan(x);
  }

  template <class Device, class T>
  using kernel = Map1<Atan, Device, T>;
};

struct Sinh {
  static constexpr auto signature = detail::UnaryOp("Sinh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sinh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sinh, Device, T>;
};

struct Cosh {
  static constexpr auto signature = detail::UnaryOp("Cosh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::cosh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Cosh, Device, T>;
};

struct Tanh {
  static constexpr auto signature = detail::UnaryOp("Tanh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::tanh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Tanh, Device, T>;
};

struct Asinh {
  static constexpr auto signature = detail::UnaryOp("Asinh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::asinh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Asinh, Device, T>;
};

struct Acosh {
  static constexpr auto signature = detail::UnaryOp("Acosh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::acosh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Acosh, Device, T>;
};

struct Atanh {
  static constexpr auto signature = detail::UnaryOp("Atanh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::atanh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Atanh, Device, T>;
};

// The angle of the point (x, y), in (-pi, pi].
struct Atan2 {
  static constexpr auto signature = Op("Atan2")
                                        .Input("y: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kRealTypes)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& y, const T& x) {
    return std::atan2(y, x);
  }

  template <class Device, class T>
  using kernel = Map2<Atan2, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END

// ---- tenon/ops/nn/activation_gradient.hpp ----
// Gradients of activations. Both inputs have one shape.
TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto ActivationGradientOp(std::string_view name, std::string_view input, std::string_view types) {
  return Op(name)
      .Input("gradients: T")
      .Input(input)
      .Output("backprops: T")
      .Attr(types)
      .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
}
}  // namespace detail

// The gradient where the feature is above 0, elsewhere 0 (NaN where the gradient is infinite or NaN).
struct ReluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("ReluGrad", "features: T", detail::kOrderedTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x > T(0) ? gradient : T(0);
    else
      return gradient * T(x > T(0));
  }

  template <class Device, class T>
  using kernel = MapPairs<ReluGrad, Device, T>;
};

// ReluGrad, and also 0 where the feature is 6 or more.
struct Relu6Grad {
  static constexpr auto signature = detail::ActivationGradientOp("Relu6Grad", "features: T", detail::kOrderedTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x > T(0) && x < T(6) ? gradient : T(0);
    else
      return gradient * T(x > T(0) && x < T(6));
  }

  template <class Device, class T>
  using kernel = MapPairs<Relu6Grad, Device, T>;
};

// The gradient where the feature is above 0, elsewhere alpha times it.
struct LeakyReluGrad {
  static constexpr auto signature = Op("LeakyReluGrad")
                                        .Input("gradients: T")
                                        .Input("features: T")
                                        .Output("backprops: T")
                                        .Attr("alpha: float = 0.2")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
  struct Attrs {
    float alpha;
  };

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x, const Attrs& attrs) {
    return x > T(0) ? gradient : gradient * static_cast<T>(attrs.alpha);
  }

  template <class Device, class T>
  using kernel = MapPairs<LeakyReluGrad, Device, T>;
};

// From the outputs of Elu.
struct EluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("EluGrad", "outputs: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return x < T(0) ? gradient * (x + T(1)) : gradient;
  }

  template <class Device, class T>
  using kernel = MapPairs<EluGrad, Device, T>;
};

// From the outputs of Selu.
struct SeluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("SeluGrad", "outputs: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return x < T(0) ? gradient * (x + T(detail::kSeluScaleAlpha)) : gradient * T(detail::kSeluScale);
  }

  template <class Device, class T>
  using kernel = MapPairs<SeluGrad, Device, T>;
};

struct SoftplusGrad {
  static constexpr auto signature =
      detail::ActivationGradientOp("SoftplusGrad", "features: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return gradient / (T(1) + std::exp(-x));
  }

  template <class Device, class T>
  using kernel = MapPairs<SoftplusGrad, Device, T>;
};

struct SoftsignGrad {
  static constexpr auto signature =
      detail::ActivationGradientOp("SoftsignGrad", "features: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    const T size = T(1) + std::abs(x);
    return gradient / (size * size);
  }

  template <class Device, class T>
  using kernel = MapPairs<SoftsignGrad, Device, T>;
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
    // array: the elements as they are
    Concat, ConcatOffset, ConcatV2, ConjugateTranspose, EnsureShape, ExpandDims, IdentityN, InvertPermutation,
    PreventGradient, Rank, ShapeN, Size, Snapshot, Split, SplitV, Squeeze, StopGradient, Transpose, Unpack,
    // array: by index
    DynamicPartition, DynamicStitch, Gather, GatherNd, GatherV2, ListDiff, ScatterNd, TensorScatterAdd,
    TensorScatterMax, TensorScatterMin, TensorScatterSub, TensorScatterUpdate, Unique, UniqueWithCounts, Where,
    // array: made, repeated, framed, turned round
    BroadcastArgs, BroadcastTo, CheckNumerics, Empty, Fill, LinSpace, MirrorPad, OneHot, OnesLike, Pad, PadV2, Range,
    Reverse, ReverseSequence, ReverseV2, Roll, Slice, Tile, ZerosLike,
    // array: blocks and diagonals
    BatchToSpace, BatchToSpaceND, DepthToSpace, Diag, DiagPart, MatrixBandPart, MatrixDiag, MatrixDiagPart,
    MatrixDiagPartV3, MatrixDiagV3, MatrixSetDiag, MatrixSetDiagV3, SpaceToBatch, SpaceToBatchND, SpaceToDepth,
    // control flow
    Case, For, If, NoOp, PartitionedCall, StatefulPartitionedCall, StatelessCase, StatelessIf, StatelessWhile, While,
    // inputs and constants
    Const, Placeholder, PlaceholderV2, PlaceholderWithDefault,
    // math: element by element
    Abs, Add, AddV2, DivNoNan, Inv, Maximum, Minimum, Mul, MulNoNan, Neg, RealDiv, Reciprocal, Sign, Square,
    SquaredDifference, Sub,                                                             // arithmetic
    Div, FloorDiv, FloorMod, Mod, Pow, TruncateDiv, TruncateMod,                        // division
    ApproximateEqual, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual,          // comparison
    LogicalAnd, LogicalNot, LogicalOr,                                                  // logical
    BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, PopulationCount, RightShift,  // bitwise
    Exp, Expm1, Log, Log1p, Rsqrt, Sigmoid, Sqrt, Xdivy, Xlog1py, Xlogy,                // exponential
    Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh,      // trigonometric
    Ceil, Floor, IsFinite, IsInf, IsNan, NextAfter, Rint, Round,                        // rounding
    Digamma, Erf, Erfc, Erfinv, Lgamma, Ndtri,                                          // special functions
    Angle, Complex, ComplexAbs, Conj, Imag, Real,                                       // complex numbers
    Bitcast, Cast, Select, SelectV2,                                                    // types and choices
    AccumulateNV2, AddN, ClipByValue, L2Loss,                                           // of several tensors
    InvGrad, ReciprocalGrad, RsqrtGrad, SigmoidGrad, SqrtGrad, TanhGrad,                // gradients
    // math: products of matrices, reductions
    MatMul, Max, Mean, Min, Prod, Sum,
    // neural networks
    BiasAdd, Conv2D, MaxPool, Elu, LeakyRelu, LogSoftmax, Relu, Relu6, Selu, Softmax, Softplus,
    Softsign,  // activations
    EluGrad, LeakyReluGrad, Relu6Grad, ReluGrad, SeluGrad, SoftplusGrad, SoftsignGrad>;

}  // namespace ops

TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of Fourier transforms, compiled for several instruction sets. As many transforms as a vector has lanes run
// at once, one in each lane: element i of all of them is a vector of real parts and one of imaginary parts. A pass
// splits transforms of length r m into r of length m by sums of r elements, and puts the results where the next pass
// wants them, so that nothing is ever sorted by reversed bits (the self-sorting form of T. G. Stockham, in W. T.
// Cochran et al., "What is the fast Fourier transform?", 1967).

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/fft/complex_vector.hpp>
#include <tenon/engine/fft/butterflies.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Operands of one step. Steps of elements and planes count numbers of type T.
template <class T>
struct FftStep {
  const T* from = nullptr;
  Index from_step = 0, from_plane = 0;  // real parts of element i lie at from + i from_step, imaginary ones a plane on
  T* to = nullptr;
  Index to_step = 0, to_plane = 0;
  Index radix = 1, m = 1, s = 1;  // a pass: s interleaved transforms of length radix m
  Index first = 0;  // FftTurn: the first lane that is transposed
  const T* twiddles = nullptr;  // pass: [m][radix - 1], exp(-2 pi i p k / (radix m)); other steps: their factors
  const T* roots = nullptr;  // roots of a radix without code of its own: [radix]
  T in_sign = 1;  // imaginary parts that are read are multiplied by it: -1 for an inverse transform
  T re_scale = 1, im_scale = 1;  // factors of the parts that are written
};
template <class T>
using FftStepFn = void (*)(const FftStep<T>*);

inline constexpr Index kFftMostRadix = 31;  // the largest prime factor that has a pass
// The radices that have code of their own; the last stands for any other odd one.
inline constexpr int kFftRadices = 8;
constexpr int FftRadixCode(Index radix) {
  return radix <= 5 ? static_cast<int>(radix) - 1 : radix == 7 ? 5 : radix == 8 ? 6 : 7;
}

// Where a pass reads: numbers in memory whose parts alternate, or elements of two planes.
template <bool is_memory, class V>
TENON_HD FftPair<V> FftRead(const typename V::value_type* p, Index plane, const V& sign) {
  if constexpr (is_memory) {
    FftPair<V> x = LoadPair<V>(p);
    x.im = x.im * sign;
    return x;
  } else {
    return {V::Load(p), V::Load(p + plane)};
  }
}
template <class V>
TENON_HD void FftWrite(const FftPair<V>& x, typename V::value_type* p, Index plane) {
  x.re.Store(p);
  x.im.Store(p + plane);
}

enum class FftPassKind {
  kFirst,  // from memory; s is 1
  kMiddle,  // from planes to planes
  kTwist,  // the last of all, m is 1: every element is multiplied by twiddles, [radix s][2][lanes]
  kLast,  // the last of all, m is 1: into memory
};

// One pass.
template <FftPassKind kind, int radix, class T>
struct FftPass {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    const Index m = step->m, s = step->s, plane = step->to_plane, from_plane = step->from_plane;
    constexpr bool kFromMemory = kind == FftPassKind::kFirst;
    const V sign = V::Repeat(step->in_sign);
    const T* twiddles = step->twiddles;
    if constexpr (kind == FftPassKind::kFirst || kind == FftPassKind::kMiddle) {
      const Index from_step = m * s * step->from_step, to_step = s * step->to_step;
      Index p = 0;
      if constexpr (kind == FftPassKind::kMiddle) {  // the roots are 1
        for (Index q = 0; q < s; ++q) {
          FftPair<V> x[radix];
#pragma GCC unroll 8
          for (int k = 0; k < radix; ++k)
            x[k] = FftRead<false>(step->from + q * step->from_step + k * from_step, from_plane, sign);
          FftSums<radix>::Run(x);
#pragma GCC unroll 8
          for (int k = 0; k < radix; ++k) FftWrite(x[k], step->to + q * step->to_step + k * to_step, plane);
        }
        p = 1;
        twiddles += 2 * (radix - 1);
      }
      for (; p < m; ++p) {
        for (Index q = 0; q < s; ++q) {
          const T* from = step->from + (q + s * p) * step->from_step;
          T* to = step->to + (q + s * radix * p) * step->to_step;
          FftPair<V> x[radix];
#pragma GCC unroll 8
          for (int k = 0; k < radix; ++k) x[k] = FftRead<kFromMemory>(from + k * from_step, from_plane, sign);
          FftSums<radix>::Run(x);
          FftWrite(x[0], to, plane);
#pragma GCC unroll 8
          for (int k = 1; k < radix; ++k)
            FftWrite(x[k] * RepeatPair<V>(twiddles + 2 * (k - 1)), to + k * to_step, plane);
        }
        twiddles += 2 * (radix - 1);
      }
    } else {
      const Index from_step = s * step->from_step, to_step = s * step->to_step;
      const V re_scale = V::Repeat(step->re_scale), im_scale = V::Repeat(step->im_scale);
      for (Index q = 0; q < s; ++q) {
        const T* from = step->from + q * step->from_step;
        T* to = step->to + q * step->to_step;
        FftPair<V> x[radix];
#pragma GCC unroll 8
        for (int k = 0; k < radix; ++k) x[k] = FftRead<false>(from + k * from_step, from_plane, sign);
        FftSums<radix>::Run(x);
#pragma GCC unroll 8
        for (int k = 0; k < radix; ++k) {
          if constexpr (kind == FftPassKind::kTwist) {
            const T* const twist = twiddles + 2 * V::size * (q + k * s);
            FftWrite(x[k] * FftPair<V>{V::Load(twist), V::Load(twist + V::size)}, to + k * to_step, plane);
          } else {
            StorePair<V>({x[k].re * re_scale, x[k].im * im_scale}, to + k * to_step);
          }
        }
      }
    }
  }
};
// Any odd radix up to kFftMostRadix.
template <FftPassKind kind, class T>
struct FftPass<kind, 0, T> {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    constexpr bool kFromMemory = kind == FftPassKind::kFirst;
    constexpr bool kEnds = kind == FftPassKind::kTwist || kind == FftPassKind::kLast;
    const Index radix = step->radix, half = radix / 2, m = step->m, s = step->s;
    const Index from_step = m * s * step->from_step;
    const V sign = V::Repeat(step->in_sign);
    for (Index p = 0; p < m; ++p) {
      const T* const twiddles = step->twiddles + (kEnds ? 0 : 2 * (radix - 1) * p);
      for (Index q = 0; q < s; ++q) {
        const T* const from = step->from + (q + s * p) * step->from_step;
        T* const to = step->to + (q + s * radix * p) * step->to_step;
        FftPair<V> sums[kFftMostRadix / 2], differences[kFftMostRadix / 2];
        const FftPair<V> first = FftRead<kFromMemory>(from, step->from_plane, sign);
        FftPair<V> all = first;
        for (Index j = 1; j <= half; ++j) {
          const auto a = FftRead<kFromMemory>(from + j * from_step, step->from_plane, sign);
          const auto b = FftRead<kFromMemory>(from + (radix - j) * from_step, step->from_plane, sign);
          sums[j - 1] = a + b;
          differences[j - 1] = a - b;
          all = all + sums[j - 1];
        }
        Write(step, all, 0, q, twiddles, to);
        for (Index k = 1; k <= half; ++k) {
          FftPair<V> even = first, odd{V::Repeat(T(0)), V::Repeat(T(0))};
          for (Index j = 1, turn = k; j <= half; ++j) {
            const FftPair<V> root = RepeatPair<V>(step->roots + 2 * turn);  // cosine, - sine
            even = AddTimes(even, root.re, sums[j - 1]);
            odd = AddTimes(odd, root.im, differences[j - 1]);
            turn += k;
            if (turn >= radix) turn -= radix;
          }
          Write(step, PlusI(even, odd), k, q, twiddles, to);
          Write(step, MinusI(even, odd), radix - k, q, twiddles, to);
        }
      }
    }
  }

 private:
  // Sum number k.
  template <class V>
  TENON_HD static void Write(const FftStep<T>* step, const FftPair<V>& x, Index k, Index q, const T* twiddles, T* to) {
    T* const place = to + k * step->s * step->to_step;
    if constexpr (kind == FftPassKind::kTwist) {
      const T* const twist = twiddles + 2 * V::size * (q + k * step->s);
      FftWrite(x * FftPair<V>{V::Load(twist), V::Load(twist + V::size)}, place, step->to_plane);
    } else if constexpr (kind == FftPassKind::kLast) {
      StorePair<V>({x.re * V::Repeat(step->re_scale), x.im * V::Repeat(step->im_scale)}, place);
    } else if (k == 0) {
      FftWrite(x, place, step->to_plane);
    } else {
      FftWrite(x * RepeatPair<V>(twiddles + 2 * (k - 1)), place, step->to_plane);
    }
  }
};

// Transposes squares of s elements of transforms, [s, 2, lanes] in `from`: row i of `to` gets the elements of the
// transform in lane i. Imaginary parts lie to_plane behind the real ones. Elements stand in the order in which LoadPair
// puts numbers into lanes. The rows of transforms before `first` and from the m-th on are left out.
template <class T>
struct FftTurn {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    constexpr int kWidth = V::size;
    for (Index e = 0; e < step->s; e += kWidth) {
      for (int part = 0; part < 2; ++part) {
        const T* const from = step->from + e * 2 * kWidth + part * kWidth;
        T* const to = step->to + e + part * step->to_plane;
        V rows[kWidth];
#pragma GCC unroll 16
        for (int i = 0; i < kWidth; ++i) rows[i] = V::Load(from + FftNumberOfLane<T>(kWidth, i) * 2 * kWidth);
        TransposeSquare(rows);
        if (step->first == 0 && step->m >= kWidth) {
#pragma GCC unroll 16
          for (int i = 0; i < kWidth; ++i) rows[i].Store(to + FftNumberOfLane<T>(kWidth, i) * step->to_step);
        } else {
          for (int i = 0; i < kWidth; ++i)
            if (FftNumberOfLane<T>(kWidth, i) >= step->first && FftNumberOfLane<T>(kWidth, i) < step->m)
              rows[i].Store(to + FftNumberOfLane<T>(kWidth, i) * step->to_step);
        }
      }
    }
  }
};

// m lines of s complex numbers, from_step numbers apart, one into each lane: as [s, 2, lanes] to `to`. And back. Both
// are matrices of numbers that are transposed.
template <class T>
struct FftGather {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    constexpr int kWidth = V::size;
    const Index n = 2 * step->s, lines = step->m;
    const V sign = V::Repeat(step->in_sign), zero = V::Repeat(T(0));
    if (n < kWidth) {
      for (Index i = 0; i < n; ++i)
        for (Index line = 0; line < kWidth; ++line)
          step->to[i * kWidth + line] =
              line < lines ? step->from[line * step->from_step + i] * (i % 2 == 0 ? T(1) : step->in_sign) : T(0);
      return;
    }
    for (Index i = 0; i < n; i += kWidth) {
      if (i + kWidth > n) i = n - kWidth;  // some once more
      V rows[kWidth];
#pragma GCC unroll 16
      for (int line = 0; line < kWidth; ++line) {
        rows[line] = zero;
        if (line < lines) rows[line] = V::Load(step->from + line * step->from_step + i);
      }
      TransposeSquare(rows);
#pragma GCC unroll 16
      for (int k = 0; k < kWidth; ++k)
        ((kWidth > 1 ? k : i) % 2 == 0 ? rows[k] : rows[k] * sign).Store(step->to + (i + k) * kWidth);
    }
  }
};
template <class T>
struct FftScatter {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    constexpr int kWidth = V::size;
    const Index n = 2 * step->s, lines = step->m;
    const V re_scale = V::Repeat(step->re_scale), im_scale = V::Repeat(step->im_scale);
    if (n < kWidth) {
      for (Index line = 0; line < lines; ++line)
        for (Index i = 0; i < n; ++i)
          step->to[line * step->to_step + i] =
              step->from[i * kWidth + line] * (i % 2 == 0 ? step->re_scale : step->im_scale);
      return;
    }
    for (Index i = 0; i < n; i += kWidth) {
      if (i + kWidth > n) i = n - kWidth;
      V rows[kWidth];
#pragma GCC unroll 16
      for (int k = 0; k < kWidth; ++k)
        rows[k] = V::Load(step->from + (i + k) * kWidth) * ((kWidth > 1 ? k : i) % 2 == 0 ? re_scale : im_scale);
      TransposeSquare(rows);
#pragma GCC unroll 16
      for (int line = 0; line < kWidth; ++line)
        if (line < lines) rows[line].Store(step->to + line * step->to_step + i);
    }
  }
};

// to[i] = from[i] twiddles[i], m complex numbers; signs and scales as in passes.
template <class T>
struct FftProducts {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    const V sign = V::Repeat(step->in_sign), re_scale = V::Repeat(step->re_scale);
    const V im_scale = V::Repeat(step->im_scale);
    const Index n = 2 * step->m;
    Index i = 0;
    for (; i + 2 * V::size <= n; i += 2 * V::size) {
      FftPair<V> x = LoadPair<V>(step->from + i);
      x.im = x.im * sign;
      x = x * LoadPair<V>(step->twiddles + i);
      StorePair<V>({x.re * re_scale, x.im * im_scale}, step->to + i);
    }
    for (; i < n; i += 2) {
      const T re = step->from[i], im = step->from[i + 1] * step->in_sign;
      const T* const w = step->twiddles + i;
      const T product = re * w[0] - im * w[1];
      step->to[i + 1] = (re * w[1] + im * w[0]) * step->im_scale;
      step->to[i] = product * step->re_scale;
    }
  }
};

// The transform of real numbers from that of half as many complex ones, each made of two, and back: elements k and m -
// k, both complex, are sums and differences of each other, for 0 < k < m. With w = twiddles[k] = -i exp(-2 pi i k /
// 2m), its imaginary part multiplied by in_sign, s = from[k] + from*[m - k] and d = from[k] - from*[m - k]: to[k] =
// re_scale (s + w d), to[m - k] = re_scale (s - w d)*. `to` may be `from`.
template <class T>
struct FftRealSums {
  template <int bytes>
  TENON_HD static void Run(const FftStep<T>* step) {
    using V = FftVector<T, bytes>;
    const Index m = step->m;
    const V sign = V::Repeat(step->in_sign), scale = V::Repeat(step->re_scale);
    Index k = 1;
    for (; 2 * (k + V::size) - 2 < m; k += V::size) {
      const Index other = 2 * (m - k - V::size + 1);
      const FftPair<V> a = LoadPair<V>(step->from + 2 * k);
      FftPair<V> b = LoadPair<V>(step->from + other), w = LoadPair<V>(step->twiddles + 2 * k);
      b = {TurnedRound(b.re), TurnedRound(b.im)};
      w.im = w.im * sign;
      const FftPair<V> s{a.re + b.re, a.im - b.im}, d = FftPair<V>{a.re - b.re, a.im + b.im} * w;
      StorePair<V>({(s.re + d.re) * scale, (s.im + d.im) * scale}, step->to + 2 * k);
      StorePair<V>({TurnedRound((s.re - d.re) * scale), TurnedRound((d.im - s.im) * scale)}, step->to + other);
    }
    for (; 2 * k <= m; ++k) {
      const T *const a = step->from + 2 * k, *const b = step->from + 2 * (m - k), *const w = step->twiddles + 2 * k;
      const T s_re = a[0] + b[0], s_im = a[1] - b[1], d_re = a[0] - b[0], d_im = a[1] + b[1];
      const T w_im = w[1] * step->in_sign, re = d_re * w[0] - d_im * w_im, im = d_re * w_im + d_im * w[0];
      T *const to = step->to + 2 * k, *const to_other = step->to + 2 * (m - k);
      to_other[0] = (s_re - re) * step->re_scale;
      to_other[1] = (im - s_im) * step->re_scale;
      to[0] = (s_re + re) * step->re_scale;
      to[1] = (s_im + im) * step->re_scale;
    }
  }
};

// The steps for the best instructions that this processor has.
template <class T>
struct FftKernels {
  int width;  // lanes of a vector
  FftStepFn<T> first[kFftRadices], middle[kFftRadices], twist[kFftRadices], last[kFftRadices];
  FftStepFn<T> turn, gather, scatter, products, real_sums;
};

template <class Body, class T, class Isa>
FftStepFn<T> BestFftStep() {
#if TENON_DETAIL_LANES
  return simd::detail::ForLevels<Body, Isa, const FftStep<T>*>::Best();
#else
  return [](const FftStep<T>* step) { Body::template Run<sizeof(T)>(step); };
#endif
}
template <FftPassKind kind, class T, class Isa>
void FillFftPasses(FftStepFn<T> (&passes)[kFftRadices]) {
  passes[0] = BestFftStep<FftPass<kind, 1, T>, T, Isa>();
  passes[1] = BestFftStep<FftPass<kind, 2, T>, T, Isa>();
  passes[2] = BestFftStep<FftPass<kind, 3, T>, T, Isa>();
  passes[3] = BestFftStep<FftPass<kind, 4, T>, T, Isa>();
  passes[4] = BestFftStep<FftPass<kind, 5, T>, T, Isa>();
  passes[5] = BestFftStep<FftPass<kind, 7, T>, T, Isa>();
  passes[6] = BestFftStep<FftPass<kind, 8, T>, T, Isa>();
  passes[7] = BestFftStep<FftPass<kind, 0, T>, T, Isa>();
}
template <class T, class Isa>
FftKernels<T> MakeFftKernels() {
  FftKernels<T> kernels;
  int bytes = simd::kVectorBytes<Isa>;
  if (simd::BestLevel() == simd::Level::kAvx512 && bytes < 64) bytes = 64;
  if (simd::BestLevel() == simd::Level::kAvx2 && bytes < 32) bytes = 32;
  kernels.width = TENON_DETAIL_LANES ? bytes / static_cast<int>(sizeof(T)) : 1;
  FillFftPasses<FftPassKind::kFirst, T, Isa>(kernels.first);
  FillFftPasses<FftPassKind::kMiddle, T, Isa>(kernels.middle);
  FillFftPasses<FftPassKind::kTwist, T, Isa>(kernels.twist);
  FillFftPasses<FftPassKind::kLast, T, Isa>(kernels.last);
  kernels.turn = BestFftStep<FftTurn<T>, T, Isa>();
  kernels.gather = BestFftStep<FftGather<T>, T, Isa>();
  kernels.scatter = BestFftStep<FftScatter<T>, T, Isa>();
  kernels.products = BestFftStep<FftProducts<T>, T, Isa>();
  kernels.real_sums = BestFftStep<FftRealSums<T>, T, Isa>();
  return kernels;
}
// thread-safe.
template <class T, class Isa>
const FftKernels<T>& FftKernelsHere() {
  static const FftKernels<T> kernels = MakeFftKernels<T, Isa>();
  return kernels;
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

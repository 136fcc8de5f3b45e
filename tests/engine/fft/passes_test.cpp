// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/fft/passes.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "engine/fft_support.hpp"

namespace fft_passes_test {
using namespace tenon;
using namespace tenon::detail;
using namespace tenon::testing;

namespace {

template <class T>
bool IsNear(T got, long double want, double factor = 16) {
  return std::abs(static_cast<long double>(got) - want) < factor * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) * 8;
}

// Sums of `radix` elements by every kind of pass, from and to the places of a pass with m and s.
template <class T>
bool PassIsRight(FftPassKind kind, Index radix, Index m, Index s) {
  const FftKernels<T>& kernels = FftKernelsHere<T, simd::Compiled>();
  const Index width = kernels.width, n = radix * m * s;
  const bool from_memory = kind == FftPassKind::kFirst, to_memory = kind == FftPassKind::kLast;
  const std::vector<T> x = FftNumbers<T>(2 * n * width), twiddles = FftNumbers<T>(2 * n * width, 2);
  std::vector<T> roots, y(static_cast<std::size_t>(2 * n * width + 1), T(77));
  for (Index k = 0; k < radix; ++k) {
    const long double angle =
        -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(radix);
    roots.push_back(static_cast<T>(std::cos(angle)));
    roots.push_back(static_cast<T>(std::sin(angle)));
  }
  FftStep<T> step;
  step.from = x.data();
  step.from_step = step.to_step = 2 * width;
  step.from_plane = step.to_plane = width;
  step.to = y.data();
  step.radix = radix;
  step.m = m;
  step.s = s;
  step.twiddles = twiddles.data();
  step.roots = roots.data();
  step.in_sign = from_memory ? T(-1) : T(1);
  step.re_scale = T(0.5);
  step.im_scale = T(-2);
  const FftStepFn<T>* const fns[] = {kernels.first, kernels.middle, kernels.twist, kernels.last};
  fns[static_cast<int>(kind)][FftRadixCode(radix)](&step);

  // Number `lane` of element i.
  const auto at = [&](const std::vector<T>& numbers, bool is_memory, Index i, Index lane) {
    const Index place = is_memory
                            ? 2 * (i * width + FftNumberOfLane<T>(static_cast<int>(width), static_cast<int>(lane)))
                            : 2 * i * width + lane;
    return LongComplex(numbers[static_cast<std::size_t>(place)],
                       numbers[static_cast<std::size_t>(place + (is_memory ? 1 : width))]);
  };
  const Dft dft(radix, false);
  for (Index p = 0; p < m; ++p)
    for (Index q = 0; q < s; ++q)
      for (Index lane = 0; lane < width; ++lane) {
        std::vector<LongComplex> line;
        for (Index k = 0; k < radix; ++k) {
          const LongComplex value = at(x, from_memory, q + s * (p + m * k), lane);
          line.push_back(from_memory ? std::conj(value) : value);
        }
        for (Index k = 0; k < radix; ++k) {
          LongComplex want = dft(line, k);
          const Index to = q + s * (radix * p + k), twiddle = 2 * ((radix - 1) * p + k - 1);
          if (kind == FftPassKind::kTwist) want *= at(twiddles, false, to, lane);
          const bool is_first = k == 0 || (kind == FftPassKind::kMiddle && p == 0 && radix <= 8);
          if ((kind == FftPassKind::kFirst || kind == FftPassKind::kMiddle) && !is_first)
            want *= LongComplex(twiddles[static_cast<std::size_t>(twiddle)],
                                twiddles[static_cast<std::size_t>(twiddle + 1)]);
          if (to_memory) want = LongComplex(want.real() * 0.5L, want.imag() * -2);
          const LongComplex got = at(y, to_memory, to, lane);
          if (!IsNear<T>(static_cast<T>(got.real()), want.real()) ||
              !IsNear<T>(static_cast<T>(got.imag()), want.imag()))
            return false;
        }
      }
  return y.back() == T(77);
}

}  // namespace

TEST_SUITE("fft passes") {
  TEST_CASE_TEMPLATE("every radix, against the sums' definition", T, float, double) {
    for (const Index radix : {1, 2, 3, 4, 5, 7, 8, 11, 13, 17, 31}) {
      CAPTURE(radix);
      for (const Index m : {1, 3}) {
        CHECK(PassIsRight<T>(FftPassKind::kFirst, radix, m, 1));
        CHECK(PassIsRight<T>(FftPassKind::kMiddle, radix, m, 1));
        CHECK(PassIsRight<T>(FftPassKind::kMiddle, radix, m, 2));
      }
      for (const Index s : {1, 5}) {
        CHECK(PassIsRight<T>(FftPassKind::kTwist, radix, 1, s));
        CHECK(PassIsRight<T>(FftPassKind::kLast, radix, 1, s));
      }
    }
  }
  TEST_CASE_TEMPLATE("lines into lanes and back, as many as there are", T, float, double) {
    const FftKernels<T>& kernels = FftKernelsHere<T, simd::Compiled>();
    const Index width = kernels.width;
    for (Index n = 1; n <= 2 * width + 1; ++n)
      for (Index lines = 1; lines <= width; ++lines) {
        CAPTURE(n);
        CAPTURE(lines);
        const Index step_of_lines = 2 * n + 3;
        const std::vector<T> x = FftNumbers<T>(lines * step_of_lines);
        std::vector<T> lanes(static_cast<std::size_t>(2 * n * width + 1), T(77)), y(x.size(), T(77));
        FftStep<T> step;
        step.from = x.data();
        step.from_step = step_of_lines;
        step.to = lanes.data();
        step.m = lines;
        step.s = n;
        step.in_sign = -1;
        kernels.gather(&step);
        bool right = lanes.back() == T(77);
        for (Index i = 0; i < 2 * n; ++i)
          for (Index line = 0; line < width; ++line) {
            const T want = line < lines ? x[static_cast<std::size_t>(line * step_of_lines + i)] : T(0);
            right = right && lanes[static_cast<std::size_t>(i * width + line)] == (i % 2 == 0 ? want : -want);
          }
        step.from = lanes.data();
        step.to = y.data();
        step.to_step = step_of_lines;
        step.re_scale = 2;
        step.im_scale = -2;
        kernels.scatter(&step);
        for (Index i = 0; i < lines * step_of_lines; ++i) {
          const auto place = static_cast<std::size_t>(i);
          right = right && y[place] == (i % step_of_lines < 2 * n ? 2 * x[place] : T(77));
        }
        CHECK(right);
      }
  }
  TEST_CASE_TEMPLATE("products, and sums of real numbers' transforms", T, float, double) {
    const FftKernels<T>& kernels = FftKernelsHere<T, simd::Compiled>();
    for (Index n = 1; n <= 70; ++n) {
      CAPTURE(n);
      const std::vector<T> x = FftNumbers<T>(2 * n + 2), w = FftNumbers<T>(2 * n + 2, 2);
      std::vector<T> y(static_cast<std::size_t>(2 * n + 1), T(77));
      FftStep<T> step;
      step.from = x.data();
      step.to = y.data();
      step.twiddles = w.data();
      step.m = n;
      step.in_sign = -1;
      step.re_scale = T(0.5);
      step.im_scale = 2;
      kernels.products(&step);
      bool right = y.back() == T(77);
      for (Index i = 0; i < n; ++i) {
        const LongComplex want = std::conj(LongComplexes(x.data(), n)[static_cast<std::size_t>(i)]) *
                                 LongComplexes(w.data(), n)[static_cast<std::size_t>(i)];
        right = right && IsNear<T>(y[static_cast<std::size_t>(2 * i)], want.real() / 2) &&
                IsNear<T>(y[static_cast<std::size_t>(2 * i + 1)], want.imag() * 2);
      }
      CHECK(right);

      y.assign(y.size(), T(77));
      kernels.real_sums(&step);
      right = y.back() == T(77) && y[0] == T(77);
      for (Index k = 1; k < n; ++k) {
        const Index low = k < n - k ? k : n - k;
        const LongComplex a = LongComplexes(x.data() + 2 * low, 1)[0],
                          b = std::conj(LongComplexes(x.data() + 2 * (n - low), 1)[0]);
        const LongComplex d = std::conj(LongComplexes(w.data() + 2 * low, 1)[0]) * (a - b);
        const LongComplex want = (k == low ? a + b + d : std::conj(a + b - d)) / 2.0L;
        right = right && IsNear<T>(y[static_cast<std::size_t>(2 * k)], want.real()) &&
                IsNear<T>(y[static_cast<std::size_t>(2 * k + 1)], want.imag());
      }
      CHECK(right);
    }
  }
}
}  // namespace fft_passes_test

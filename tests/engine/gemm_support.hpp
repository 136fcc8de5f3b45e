// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of matrix products in every form that this machine can run; wide vectors also where the processor has
// none, because the compiler takes them apart. And one product with all its transposes and thread counts.

#include <cmath>
#include <utility>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/gemv.hpp>
#include <tenon/engine/gemm/microkernel.hpp>

#include "support.hpp"

namespace tenon::testing {

template <class T>
std::vector<std::pair<const char*, const detail::GemmKernels*>> AllGemmKernels() {
  std::vector<std::pair<const char*, const detail::GemmKernels*>> all = {
      {"16 bytes, 16 registers", &detail::kGemmKernels<T, simd::isa::Scalar>},
      {"16 bytes, 32 registers", &detail::kGemmKernels<T, simd::isa::Neon64>},
      {"64 bytes, 32 registers", &detail::kGemmKernels<T, simd::isa::Avx512>}};
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() >= simd::Level::kAvx2)
    all.emplace_back("AVX2", &detail::kGemmKernels<T, simd::Targeted<simd::isa::Avx2>>);
  if (simd::BestLevel() >= simd::Level::kAvx512)
    all.emplace_back("AVX-512", &detail::kGemmKernels<T, simd::Targeted<simd::isa::Avx512>>);
#endif
  return all;
}
template <class T>
std::vector<std::pair<const char*, const detail::ThinKernels<T>*>> AllThinKernels() {
  std::vector<std::pair<const char*, const detail::ThinKernels<T>*>> all = {
      {"16 bytes", &detail::kThinKernels<T, simd::isa::Scalar>},
      {"64 bytes", &detail::kThinKernels<T, simd::isa::Avx512>}};
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() >= simd::Level::kAvx2)
    all.emplace_back("AVX2", &detail::kThinKernels<T, simd::Targeted<simd::isa::Avx2>>);
#endif
  return all;
}

// run(device, args): the four transposed cases by 1, 2 and 5 threads. Right within (k + 2) roundings of the terms'
// sizes, the same by any number of threads, and nothing written before or behind c.
template <class T, class Run>
bool ProductsAreRight(Index m, Index n, Index k, const Run& run) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  const std::vector<T> a = RandomVector<T>(m * k, 1), b = RandomVector<T>(k * n, 2);
  std::vector<double> want(at(m * n)), size(at(m * n));
  for (Index i = 0; i < m; ++i) {
    for (Index p = 0; p < k; ++p) {
      for (Index j = 0; j < n; ++j) {
        const double term = static_cast<double>(a[at(i * k + p)]) * static_cast<double>(b[at(p * n + j)]);
        want[at(i * n + j)] += term;
        size[at(i * n + j)] += std::abs(term);
      }
    }
  }
  std::vector<T> a_transposed(a.size()), b_transposed(b.size());
  for (Index i = 0; i < m * k; ++i) a_transposed[at(i % k * m + i / k)] = a[at(i)];
  for (Index i = 0; i < k * n; ++i) b_transposed[at(i % n * k + i / n)] = b[at(i)];
  static ThreadPool two(2, "two"), five(5, "five");
  for (const int transposed : {0, 1, 2, 3}) {
    const bool ta = (transposed & 1) != 0, tb = (transposed & 2) != 0;
    std::vector<T> first;
    for (ThreadPool* const pool : {static_cast<ThreadPool*>(nullptr), &two, &five}) {
      constexpr Index kGuard = 32;
      std::vector<T> c(at(m * n + 2 * kGuard), T(77));
      Cpu device{.pool = pool};
      const detail::GemmArgs<T> args{m,
                                     n,
                                     k,
                                     (ta ? a_transposed : a).data(),
                                     ta ? 1 : k,
                                     ta ? m : 1,
                                     (tb ? b_transposed : b).data(),
                                     tb ? 1 : n,
                                     tb ? k : 1,
                                     c.data() + kGuard,
                                     n};
      if (!run(device, args).ok()) return false;
      for (Index i = 0; i < kGuard; ++i) {
        if (c[at(i)] != T(77) || c[at(kGuard + m * n + i)] != T(77)) return false;
      }
      for (Index i = 0; i < m * n; ++i) {
        const double allowed = (static_cast<double>(k + 2) * size[at(i)] + std::abs(want[at(i)])) * RoundingUnit<T>();
        if (!(std::abs(static_cast<double>(c[at(kGuard + i)]) - want[at(i)]) <= allowed)) return false;
      }
      if (pool == nullptr)
        first = c;
      else if (first != c)
        return false;
    }
  }
  return true;
}

}  // namespace tenon::testing

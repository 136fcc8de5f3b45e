// SPDX-License-Identifier: Apache-2.0
// Times the linear algebra of one thread: "type size batch op milliseconds" lines, for bench/linalg/compare.py.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <tenon/ops/linalg/factor.hpp>
#include <tenon/ops/linalg/solve.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

namespace {

using namespace tenon;

// The least time of some runs.
template <class F>
double Milliseconds(const F& run) {
  double least = 1e99, total = 0;
  for (int i = 0; i < 1000 && (i < 2 || total < 0.2); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    least = std::min(least, took);
    total += took;
  }
  return least * 1e3;
}

template <class T>
void Time(const char* type, Index n, Index batch) {
  const Index size = n * n;
  std::vector<T> a(static_cast<std::size_t>(batch * size)), s(a.size()), out(a.size()), more(a.size()),
      values(a.size());
  std::srand(1);
  for (T& x : a) x = static_cast<T>(std::rand()) / static_cast<T>(RAND_MAX) - T(0.5);
  for (Index b = 0; b < batch; ++b)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        s[static_cast<std::size_t>(b * size + i * n + j)] = a[static_cast<std::size_t>(b * size + i * n + j)] +
                                                            a[static_cast<std::size_t>(b * size + j * n + i)] +
                                                            (i == j ? static_cast<T>(n) : T(0));
  Cpu cpu;
  const auto time = [&](const char* op, const auto& run) {
    const double ms = Milliseconds([&] {
      (void)ops::detail::ForEachMatrix(cpu, batch, n, n, [&](Cpu& device, Index i) {
        run(device, i * size);
        return true;
      });
    });
    std::printf("%s %ld %ld %s %.4f\n", type, static_cast<long>(n), static_cast<long>(batch), op, ms);
    std::fflush(stdout);
  };
  std::vector<Index> order(static_cast<std::size_t>(n));
  time("cholesky", [&](Cpu& d, Index at) { ops::detail::CholeskyOf(d, &s[0] + at, n, &out[0] + at); });
  time("lu", [&](Cpu& d, Index at) {
    Index swaps = 0;
    std::copy(&a[0] + at, &a[0] + at + size, &out[0] + at);
    (void)linalg::Blocked<T>(d).FactorLu(&out[0] + at, n, order.data(), &swaps);
  });
  time("inverse", [&](Cpu& d, Index at) { ops::detail::InverseOf(d, &a[0] + at, n, false, &out[0] + at); });
  time("solve", [&](Cpu& d, Index at) { ops::detail::SolveOne(d, &a[0] + at, &s[0] + at, n, n, false, &out[0] + at); });
  time("triangular", [&](Cpu& d, Index at) {
    std::copy(&a[0] + at, &a[0] + at + size, &out[0] + at);
    linalg::Blocked<T>(d).SolveTriangular(&s[0] + at, n, true, false, &out[0] + at, n);
  });
  time("qr", [&](Cpu& d, Index at) { ops::detail::QrOf(d, &a[0] + at, n, n, n, &out[0] + at, &more[0] + at); });
  time("eigh", [&](Cpu& d, Index at) { ops::detail::EigenOf(d, &s[0] + at, n, values.data(), &out[0] + at); });
  time("svd", [&](Cpu& d, Index at) {
    ops::detail::SvdOf(d, &a[0] + at, n, n, n, n, true, values.data(), &out[0] + at, &more[0] + at);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Index largest = argc > 1 ? std::atoi(argv[1]) : 1024;
  Time<float>("float32", 8, 1000);
  Time<double>("float64", 8, 1000);
  for (Index n = 64; n <= largest; n *= 2) {
    Time<float>("float32", n, 1);
    Time<double>("float64", n, 1);
  }
}

// SPDX-License-Identifier: Apache-2.0
// OpenBLAS. (Debian's package libopenblas-dev.)
#include <vector>

#if defined(TENON_BENCH_OPENBLAS)
#include <cblas.h>
#endif

#include <tenon/base/str.hpp>

#include "peers.hpp"

namespace tenon::bench {
namespace {

#if defined(TENON_BENCH_OPENBLAS)

void Multiply(const Product<float>& p, Index i, float* c) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const float *a = p.a + i * p.m * p.k, *b = p.b + i * p.k * p.n;
  const auto transposed = p.transpose_b ? CblasTrans : CblasNoTrans;
  const int b_row = p.transpose_b ? k : n;
  if (m == 1)  // the same product, b seen as stored
    cblas_sgemv(CblasRowMajor, p.transpose_b ? CblasNoTrans : CblasTrans, p.transpose_b ? n : k, b_row, 1, b, b_row, a,
                1, 0, c, 1);
  else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed, m, n, k, 1, a, k, b, b_row, 0, c + i * p.m * p.n, n);
}
void Multiply(const Product<double>& p, Index i, double* c) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const double *a = p.a + i * p.m * p.k, *b = p.b + i * p.k * p.n;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, p.transpose_b ? CblasTrans : CblasNoTrans, m, n, k, 1, a, k, b,
              p.transpose_b ? k : n, 0, c + i * p.m * p.n, n);
}

template <class T>
void Add(State& state, const Product<T>& p) {
  if (!state.options().peers) return;
  openblas_set_num_threads(state.options().threads);
  Note(StrCat(openblas_get_config(), ", its kernels for ", openblas_get_corename()));
  std::vector<T> answer(static_cast<std::size_t>(p.elements()));
  const auto multiply = [p](T* to) {
    for (Index i = 0; i < p.batch; ++i) Multiply(p, i, to);
  };
  multiply(answer.data());
  if (!Agree(state, "OpenBLAS", p.c, answer.data(), p.elements())) return;
  state.Peer("OpenBLAS", [=, answer = std::move(answer)]() mutable { multiply(answer.data()); });
}

#else

template <class T>
void Add(State& state, const Product<T>&) {
  state.Absent("OpenBLAS", "not found when this was built");
}

#endif

}  // namespace

void AddOpenBlas(State& state, const Product<float>& p) { Add(state, p); }
void AddOpenBlas(State& state, const Product<double>& p) { Add(state, p); }

}  // namespace tenon::bench

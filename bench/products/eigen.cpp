// SPDX-License-Identifier: Apache-2.0
// Eigen, always compiled with optimisation for AVX2 and FMA (on x86-64): its version 3.4 is slower with AVX-512.
#include <vector>

#include <Eigen/Core>

#include "peers.hpp"

namespace tenon::bench {
namespace {

template <class T>
void Add(State& state, const Product<T>& p) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<T> answer(static_cast<std::size_t>(p.elements()));
  const auto multiply = [p](T* to) {
    for (Index i = 0; i < p.batch; ++i) {
      const Eigen::Map<const Matrix> a(p.a + i * p.m * p.k, p.m, p.k);
      const T* const right = p.b + i * p.k * p.n;
      Eigen::Map<Matrix> c(to + i * p.m * p.n, p.m, p.n);
      if (p.transpose_b)
        c.noalias() = a * Eigen::Map<const Matrix>(right, p.n, p.k).transpose();
      else
        c.noalias() = a * Eigen::Map<const Matrix>(right, p.k, p.n);
    }
  };
  multiply(answer.data());
  if (!Agree(state, "Eigen", p.c, answer.data(), p.elements())) return;
  state.Peer("Eigen", [=, answer = std::move(answer)]() mutable {
    multiply(answer.data());
    Keep(answer);
  });
}

}  // namespace

void AddEigen(State& state, const Product<float>& p) {
  if (state.options().peers) Add(state, p);
}
void AddEigen(State& state, const Product<double>& p) {
  if (state.options().peers) Add(state, p);
}

}  // namespace tenon::bench

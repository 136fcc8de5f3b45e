// SPDX-License-Identifier: Apache-2.0
// Eigen, always compiled with optimisation for this processor: arrays, and the tensor module where there are more than
// two dimensions.
#include <array>
#include <utility>

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include "peers.hpp"

namespace tenon::bench {
namespace {

using Line = Eigen::Array<float, Eigen::Dynamic, 1>;
using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Runs `once` on an output of its own, if that gives our answer.
template <class Once>
void Add(State& state, const float* answer, Index n, Once once, double error = 1e-4) {
  if (!state.options().peers) return;
  Line out(n);
  once(out);
  if (!Agree(state, "Eigen", answer, out.data(), n, error)) return;
  state.Peer("Eigen", [once, out = std::move(out)]() mutable {
    once(out);
    Keep(out);
  });
}

Line& As(Line& out, const Map& m) {
  const Eigen::Map<const Line> a(m.a, m.n), b(m.b, m.b == nullptr ? 0 : m.n);
  switch (m.kind) {
    case MapKind::kAdd: return out = a + b;
    case MapKind::kMul: return out = a * b;
    case MapKind::kRelu: return out = a.cwiseMax(0.f);
    case MapKind::kExp: return out = a.exp();
    case MapKind::kTanh: return out = a.tanh();
    case MapKind::kGelu: return out = 0.5f * a * (1.f + (0.7978845608f * (a + 0.044715f * a * a * a)).tanh());
    case MapKind::kSigmoid: return out = 1.f / (1.f + (-a).exp());
  }
  return out;
}

}  // namespace

void AddEigen(State& state, const Map& m) {
  Add(state, m.answer, m.n, [m](Line& out) { As(out, m); });
}

void AddEigen(State& state, const BroadcastSum& s) {
  Add(state, s.answer, s.rows * s.columns, [s](Line& out) {
    const Eigen::Map<const Matrix> a(s.a, s.rows, s.columns);
    Eigen::Map<Matrix> c(out.data(), s.rows, s.columns);
    if (s.repeated == Repeated::kRow)
      c = a.rowwise() + Eigen::Map<const Line>(s.b, s.columns).transpose();
    else if (s.repeated == Repeated::kColumn)
      c = a.colwise() + Eigen::Map<const Line>(s.b, s.rows);
    else
      c = a + *s.b;
  });
}

void AddEigen(State& state, const AxisSum& s) {
  using Input = Eigen::TensorMap<Eigen::Tensor<const float, 3, Eigen::RowMajor>>;
  const Index outputs = (s.over_outer ? 1 : s.outer) * (s.over_middle ? 1 : s.middle) * (s.over_inner ? 1 : s.inner);
  Add(
      state, s.answer, outputs,
      [s](Line& out) {
        if (s.outer == 1) {
          const Eigen::Map<const Matrix> x(s.x, s.middle, s.inner);
          if (s.over_middle && s.over_inner)
            out(0) = x.sum();
          else if (s.over_inner)
            out = x.rowwise().sum();
          else
            out = x.colwise().sum().transpose();
          return;
        }
        const Input x(s.x, s.outer, s.middle, s.inner);
        if (s.over_middle) {
          Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>>(out.data(), s.outer, s.inner) =
              x.sum(std::array<Index, 1>{1});
        } else {
          Eigen::TensorMap<Eigen::Tensor<float, 1, Eigen::RowMajor>>(out.data(), s.middle) =
              x.sum(std::array<Index, 2>{0, 2});
        }
      },
      SumError<float>(s.outer * s.middle * s.inner / outputs));
}

void AddEigenTranspose(State& state, const Rows& r) {
  Add(state, r.answer, r.rows * r.columns, [r](Line& out) {
    Eigen::Map<Matrix>(out.data(), r.columns, r.rows) = Eigen::Map<const Matrix>(r.x, r.rows, r.columns).transpose();
  });
}

}  // namespace tenon::bench

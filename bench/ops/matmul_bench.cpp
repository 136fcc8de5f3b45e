// SPDX-License-Identifier: Apache-2.0
// MatMul: square matrices, and one row by a matrix. The number is the side of the matrices.
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm.hpp>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

Tensor Matrix(Index rows, Index columns) {
  Tensor matrix(DataType::kFloat, {rows, columns});
  float value = 0.25f;
  for (float& element : matrix.flat<float>()) element = value = value * 0.75f + (value < 0.5f ? 0.5f : -0.5f);
  return matrix;
}

// [m, k] by [k, n].
void SetWork(State& state, Index m, Index k, Index n) {
  state.SetFlops(2.0 * static_cast<double>(m * k * n));
  if (m == 1) state.SetBytes(4.0 * static_cast<double>(k * n));
}

// The op in a graph, both matrices fed.
void TimeOp(State& state, Index m, Index k, Index n) {
  SetWork(state, m, k, n);
  GraphBuilder b;
  const Output a = b.Placeholder("a", DataType::kFloat);
  const Output c = b.Placeholder("b", DataType::kFloat);
  b.Add("MatMul", "product", {a, c});
  TimeGraph(state, {.graph = Describe(b, {{"a:0", Matrix(m, k)}, {"b:0", Matrix(k, n)}}, {"product:0"})});
}

// The engine alone, beside Eigen's product of maps as a user would write it, compiled with the same flags.
void TimeEngine(State& state, Index m, Index k, Index n) {
  SetWork(state, m, k, n);
  using EigenMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Tensor a = Matrix(m, k), b = Matrix(k, n);
  Tensor product(DataType::kFloat, {m, n}), eigen_product(DataType::kFloat, {m, n});
  const Eigen::Map<const EigenMatrix> left(a.flat<float>().data, m, k), right(b.flat<float>().data, k, n);
  Eigen::Map<EigenMatrix> result(eigen_product.flat<float>().data, m, n);
  state.Peer("Eigen", [&] {
    result.noalias() = left * right;
    Keep(result);
  });
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  for (auto _ : state)
    state.Check(Gemm<float>(device, a.matrix<float>(), false, b.matrix<float>(), false, product.matrix<float>()));
}

}  // namespace

TENON_BENCH(matmul_f32, {64, 128, 256, 512, 1024}) { TimeOp(state, state.arg(), state.arg(), state.arg()); }
TENON_BENCH(matmul_f32_one_row, {128, 1024}) { TimeOp(state, 1, state.arg(), state.arg()); }
TENON_BENCH(gemm_f32, {64, 128, 256, 512, 1024}) { TimeEngine(state, state.arg(), state.arg(), state.arg()); }
TENON_BENCH(gemm_f32_one_row, {128, 1024}) { TimeEngine(state, 1, state.arg(), state.arg()); }

}  // namespace tenon::bench

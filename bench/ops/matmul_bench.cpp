// SPDX-License-Identifier: Apache-2.0
// MatMul: square matrices, one row by a matrix, and layers of networks. The number is the side of the matrices, or that
// of the batch. The engine is compared with Eigen and with the processor's own limit: tiles whose operands stay in the
// first cache.
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/linalg/eigen.hpp>
#include <tenon/engine/gemm/gemm.hpp>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

template <class T = float>
Tensor Matrix(Index rows, Index columns) {
  Tensor matrix(dtype_of_v<T>, {rows, columns});
  T value = T(0.25);
  for (T& element : matrix.flat<T>()) element = value = value * T(0.75) + (value < T(0.5) ? T(0.5) : T(-0.5));
  return matrix;
}

// As many multiplications and additions as a product has, in tiles whose operands stay in the first cache: the ceiling.
template <class T>
void Multiply(Index products) {
  const auto& kernels = detail::GemmKernelsOf<T>(1024);
  static const T zeros[1024] = {};
  static T c[1024];
  const Index columns = kernels.lanes * kernels.width, depth = 256;
  const detail::GemmTile tile{depth, zeros,
                              0,     0,
                              zeros, 0,
                              c,     columns,
                              false, reinterpret_cast<const char*>(zeros),
                              0,     columns - kernels.lanes};
  for (; products > 0; products -= depth * detail::kGemmRows * columns) kernels.tile[0][kernels.width - 1](tile);
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
template <class T = float>
void TimeEngine(State& state, Index m, Index k, Index n, bool transpose_b = false) {
  SetWork(state, m, k, n);
  const Tensor a = Matrix<T>(m, k), b = transpose_b ? Matrix<T>(n, k) : Matrix<T>(k, n);
  Tensor product(dtype_of_v<T>, {m, n}), eigen_product(dtype_of_v<T>, {m, n});
  const auto left = AsEigen(a.matrix<T>()), right = AsEigen(b.matrix<T>());
  auto result = AsEigen(eigen_product.matrix<T>());
  state.Peer("Eigen", [&] {
    if (transpose_b)
      result.noalias() = left * right.transpose();
    else
      result.noalias() = left * right;
    Keep(result);
  });
  if (state.options().threads == 1) state.Peer("tiles in the first cache", [&] { Multiply<T>(m * k * n); });
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  for (auto _ : state)
    state.Check(Gemm<T>(device, a.matrix<T>(), false, b.matrix<T>(), transpose_b, product.matrix<T>()));
}

}  // namespace

TENON_BENCH(matmul_f32, {64, 128, 256, 512, 1024}) { TimeOp(state, state.arg(), state.arg(), state.arg()); }
TENON_BENCH(matmul_f32_one_row, {128, 1024}) { TimeOp(state, 1, state.arg(), state.arg()); }
TENON_BENCH(gemm_f32, {8, 32, 64, 128, 256, 512, 1024}) { TimeEngine(state, state.arg(), state.arg(), state.arg()); }
TENON_BENCH(gemm_f32_transposed_b, {64, 1024}) { TimeEngine(state, state.arg(), state.arg(), state.arg(), true); }
TENON_BENCH(gemm_f64, {64, 256, 1024}) { TimeEngine<double>(state, state.arg(), state.arg(), state.arg()); }
TENON_BENCH(gemm_f32_one_row, {128, 1024}) { TimeEngine(state, 1, state.arg(), state.arg()); }
TENON_BENCH(gemm_f32_mlp_first, {1, 64}) { TimeEngine(state, state.arg(), 784, 128); }
TENON_BENCH(gemm_f32_mlp_last, {1, 64}) { TimeEngine(state, state.arg(), 128, 10); }
TENON_BENCH(gemm_f32_transformer, {1, 32, 128}) { TimeEngine(state, state.arg(), 3072, 768); }

}  // namespace tenon::bench

// SPDX-License-Identifier: Apache-2.0
// The engine of matrix products beside OpenBLAS, oneDNN and Eigen, and below the processor's peak. The number is the
// side of the matrices where there is only one. The goals are times: 1 / 0.88 is 88 % of the peak's speed.
#include <cstdint>
#include <string_view>
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/gemm/gemm.hpp>

#include "one_thread.hpp"
#include "peers.hpp"

namespace tenon::bench {
namespace {

template <class T>
Tensor Numbers(TensorShape shape, std::uint32_t seed) {
  Tensor numbers(dtype_of_v<T>, shape);
  for (T& x : numbers.flat<T>()) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<std::int32_t>(seed)) / static_cast<T>(2147483648.0);
  }
  return numbers;
}

enum class Kind { kSquare, kThin, kOneRow, kBatch };

void SetGoals(State& state, Kind kind) {
  switch (kind) {
    case Kind::kSquare:
      state.Goal(1 / 0.88, "peak");
      state.Goal(1 / 0.93, "oneDNN");
      state.Goal(1 / 0.93, "OpenBLAS");
      state.Goal(1, "Eigen");
      break;
    case Kind::kThin: state.Goal(1 / 0.85, "oneDNN"); break;
    case Kind::kOneRow: state.Goal(1 / 0.75, "reading"); break;
    case Kind::kBatch: state.Goal(1, "OpenBLAS"); break;
  }
}

template <class T>
void Time(State& state, Kind kind, Product<T> p) {
  const double flops = 2.0 * static_cast<double>(p.batch * p.m * p.n * p.k);
  state.SetFlops(flops);
  const Tensor a = Numbers<T>({p.batch * p.m, p.k}, 1);
  const Tensor b = Numbers<T>(p.transpose_b ? TensorShape{p.batch * p.n, p.k} : TensorShape{p.batch * p.k, p.n}, 2);
  Tensor c(dtype_of_v<T>, {p.batch * p.m, p.n});
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  const Index a_sizes[] = {p.m, p.k}, b_sizes[] = {p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n},
              c_sizes[] = {p.m, p.n};
  p.a = a.data<T>();
  p.b = b.data<T>();
  BatchMatMulPlan batch;
  batch.m = p.m;
  batch.k = p.k;
  batch.n = p.n;
  batch.transpose_y = p.transpose_b;
  if (!batch.Add(p.batch, p.batch)) return state.Fail(errors::Internal("no batch"));
  const auto multiply = [&](Cpu& on) {
    if (kind == Kind::kBatch) return state.Check(BatchMatMul(on, dtype_of_v<T>, batch, p.a, p.b, c.data<T>()));
    return state.Check(Gemm<T>(on, In<T, 2>(p.a, a_sizes), false, In<T, 2>(p.b, b_sizes), p.transpose_b,
                               Out<T, 2>(c.data<T>(), c_sizes)));
  };
  multiply(device);
  const std::vector<T> answer(c.data<T>(), c.data<T>() + p.elements());
  p.c = answer.data();
  AddOpenBlas(state, p);
  if constexpr (sizeof(T) == 4) AddOneDnn(state, p);
  if constexpr (sizeof(T) == 4) {
    if (kind == Kind::kThin) AddOneDnnPacked(state, p);
  }
  AddEigen(state, p);
  if (state.options().threads == 1) {
    if (kind == Kind::kOneRow)
      AddRead(state, p.b, static_cast<std::size_t>(p.k * p.n) * sizeof(T));
    else
      AddPeak(state, T(0), flops);
  }
  SetGoals(state, kind);
  Cpu one;
  AddOneThread(state, p.batch * p.m * p.n, [&] { multiply(one); });
  for (auto _ : state) multiply(device);
}

template <class T = float>
void TimeSquare(State& state, bool transpose_b = false) {
  const Index n = state.arg();
  Time<T>(state, Kind::kSquare, {.m = n, .n = n, .k = n, .transpose_b = transpose_b});
}

}  // namespace

TENON_BENCH(gemm_f32, {64, 128, 256, 512, 1024, 2048}) { TimeSquare(state); }
TENON_BENCH(gemm_f32_transposed_b, {64, 256, 1024}) { TimeSquare(state, true); }
TENON_BENCH(gemm_f64, {64, 128, 256, 512, 1024, 2048}) { TimeSquare<double>(state); }
// The number is m.
TENON_BENCH(gemm_f32_thin_768x3072, {8, 32, 128}) {
  Time<float>(state, Kind::kThin, {.m = state.arg(), .n = 3072, .k = 768});
}
TENON_BENCH(gemm_f32_thin_3072x768, {1, 2, 3, 8, 32, 128}) {
  Time<float>(state, Kind::kThin, {.m = state.arg(), .n = 768, .k = 3072});
}
TENON_BENCH(gemm_f32_thin_100x10, {32, 1000}) {
  Time<float>(state, Kind::kThin, {.m = state.arg(), .n = 10, .k = 100});
}
TENON_BENCH(gemv_f32, {128, 512, 1024, 2048, 8192}) {
  Time<float>(state, Kind::kOneRow, {.m = 1, .n = state.arg(), .k = state.arg()});
}
TENON_BENCH(gemv_f32_transposed_b, {128, 1024, 2048}) {
  Time<float>(state, Kind::kOneRow, {.m = 1, .n = state.arg(), .k = state.arg(), .transpose_b = true});
}
// 256 products that do not depend on each other.
TENON_BENCH(gemm_f32_batch, {4, 8, 10, 12, 16, 24, 32, 48, 64}) {
  const Index n = state.arg();
  Time<float>(state, Kind::kBatch, {.m = n, .n = n, .k = n, .batch = 256});
}

}  // namespace tenon::bench

// SPDX-License-Identifier: Apache-2.0
// Element by element: alone, fused, broadcast, with two threads; bench/ops has the casts. The number is that of the
// elements, or the side of the matrix. The goals are times: 1 / 0.9 is 90 % of the ceiling's speed.
#include <cmath>

#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/engine/elementwise/fused.hpp>
#include <tenon/engine/nn/gelu.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>

#include "support.hpp"

namespace tenon::bench {
namespace {

struct Add {
  template <class T>
  TENON_HD static T map(T x, T y) {
    return x + y;
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x + y;
  }
};
struct Mul {
  template <class T>
  TENON_HD static T map(T x, T y) {
    return x * y;
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x * y;
  }
};
struct Relu {
  template <class T>
  TENON_HD static T map(T x) {
    return x < T(0) ? T(0) : x;
  }
  template <class L>
  TENON_HD static L chained(const L& x) {
    return Select(x < L(0), L(0), x);
  }
};
struct Exp {
  static constexpr float cost_ns = 5;
  template <class T>
  TENON_HD static T map(T x) {
    return std::exp(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Exp(x);
  }
};
struct Tanh {
  static constexpr float cost_ns = 8;
  template <class T>
  TENON_HD static T map(T x) {
    return std::tanh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Tanh(x);
  }
};
struct Sigmoid {
  static constexpr float cost_ns = 5;
  template <class T>
  TENON_HD static T map(T x) {
    return T(1) / (T(1) + std::exp(-x));
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Sigmoid(x);
  }
};
constexpr Index kBeyondCaches = 16777216;

template <class Op>
void TimeBinary(State& state, MapKind kind) {
  const Index n = state.arg();
  Machine machine(state);
  const Tensor a = Numbers({n}), b = Numbers({n}, -1, 1, 2);
  Tensor c(DataType::kFloat, {n});
  const auto once = [&](Cpu& device) {
    state.Check(BinaryBroadcast(device, kBinaryLoops<Op, float>, nullptr, a.data<float>(), a.shape(), b.data<float>(),
                                b.shape(), c.data<float>(), c.shape()));
  };
  once(machine.cpu);
  AddEigen(state, Map{kind, a.data<float>(), b.data<float>(), n, c.data<float>()});
  AddXtensor(state, Map{kind, a.data<float>(), b.data<float>(), n, c.data<float>()});
  AddCopyingGoal(state, 12.0 * static_cast<double>(n), n < kBeyondCaches ? 0.9 : 0);
  state.Goal(n < kBeyondCaches ? 1 : 1 / 1.3, "Eigen");
  TimeOn(state, machine, n, once);
}

template <class Op>
void TimeUnary(State& state, MapKind kind, double range, double copying, double eigen) {
  const Index n = state.arg();
  Machine machine(state);
  const Tensor x = Numbers({n}, -range, range);
  Tensor y(DataType::kFloat, {n});
  const auto once = [&](Cpu& device) {
    state.Check(Unary(device, kUnaryLoop<Op, float>, nullptr, x.data<float>(), y.data<float>(), n));
  };
  once(machine.cpu);
  AddEigen(state, Map{kind, x.data<float>(), nullptr, n, y.data<float>()});
  AddXtensor(state, Map{kind, x.data<float>(), nullptr, n, y.data<float>()});
  AddCopyingGoal(state, 8.0 * static_cast<double>(n), copying);
  state.SetItems(static_cast<double>(n), "element");
  state.Goal(1 / eigen, "Eigen");
  TimeOn(state, machine, n, once);
}

void TimeBroadcast(State& state, Repeated repeated, const TensorShape& other) {
  const Index n = state.arg();
  Machine machine(state);
  const Tensor a = Numbers({n, n}), b = Numbers(other, -1, 1, 2);
  Tensor c(DataType::kFloat, {n, n});
  const auto once = [&](Cpu& device) {
    state.Check(BinaryBroadcast(device, kBinaryLoops<Add, float>, nullptr, a.data<float>(), a.shape(), b.data<float>(),
                                b.shape(), c.data<float>(), c.shape()));
  };
  once(machine.cpu);
  AddEigen(state, BroadcastSum{repeated, a.data<float>(), b.data<float>(), n, n, c.data<float>()});
  AddXtensor(state, BroadcastSum{repeated, a.data<float>(), b.data<float>(), n, n, c.data<float>()});
  AddCopyingGoal(state, 8.0 * static_cast<double>(n * n), 0.8);
  state.Goal(1 / 1.7, "Eigen");
  TimeOn(state, machine, n * n, once);
}

// Two threads and one, whatever the command line says.
void TimeTwoThreads(State& state) {
  const Index n = state.arg();
  ThreadPool pool(2, "bench");
  Cpu two{.pool = &pool}, one;
  const Tensor x = Numbers({n}, -4, 4);
  Tensor y(DataType::kFloat, {n});
  const auto once = [&](Cpu& device) {
    state.Check(Unary(device, kUnaryLoop<Tanh, float>, nullptr, x.data<float>(), y.data<float>(), n));
  };
  state.Peer("one thread", [&] { once(one); });
  state.Goal(n >= 65536 ? 1 / 1.6 : 1 / 0.95, "one thread");
  for (auto _ : state) once(two);
}

// relu(x * scale + bias) + x, with k of these steps: as one program, and one pass for each.
void TimeFused(State& state, int k) {
  const Index n = state.arg(), columns = 256, rows = n / columns;
  Machine machine(state);
  const Tensor x = Numbers({rows, columns}), bias = Numbers({columns}, -1, 1, 2);
  const Tensor scale = Tensor::Scalar<float>(1.5f);
  Tensor y(DataType::kFloat, {rows, columns}), between(DataType::kFloat, {rows, columns});
  using Repeat = FusedElementwise::Repeat;
  FusedElementwise program;
  const int values[] = {program.AddInput(Repeat::kNone, 4), program.AddInput(Repeat::kAll, 4),
                        program.AddInput(Repeat::kRows, 4)};
  int last = program.AddBinary(kBinaryLoops<Mul, float>, nullptr, values[0], values[1]);
  last = program.AddBinary(kBinaryLoops<Add, float>, nullptr, last, values[2]);
  if (k > 2) last = program.AddUnary(kUnaryLoop<Relu, float>, nullptr, last);
  if (k > 3) program.AddBinary(kBinaryLoops<Add, float>, nullptr, last, values[0]);
  state.Check(program.Finish(&GetLaneChains<float, Add, Mul, Relu, Exp, Tanh, Sigmoid>()));
  const void* const inputs[] = {x.data<float>(), scale.data<float>(), bias.data<float>()};
  const auto once = [&](Cpu& device) { state.Check(program.Run(device, inputs, y.data<float>(), rows, columns)); };

  const auto binary = [&](const BinaryLoops& loops, const Tensor& a, const Tensor& b, Tensor& to) {
    state.Check(BinaryBroadcast(machine.cpu, loops, nullptr, a.data<float>(), a.shape(), b.data<float>(), b.shape(),
                                to.data<float>(), to.shape()));
  };
  const auto passes = [&] {
    binary(kBinaryLoops<Mul, float>, x, scale, between);
    binary(kBinaryLoops<Add, float>, between, bias, between);
    if (k > 2)
      state.Check(
          Unary(machine.cpu, kUnaryLoop<Relu, float>, nullptr, between.data<float>(), between.data<float>(), n));
    if (k > 3) binary(kBinaryLoops<Add, float>, between, x, between);
  };
  once(machine.cpu);
  passes();
  if (!Agree(state, "pass by pass", y.data<float>(), between.data<float>(), n)) return;
  state.Peer("pass by pass", passes);
  AddCopyingGoal(state, 8.0 * static_cast<double>(n), 0);
  state.Goal(1 / 1.3, "pass by pass");
  TimeOn(state, machine, n, once);
}

}  // namespace

TENON_BENCH(add, {1024, 16384, 65536, 16777216}) { TimeBinary<Add>(state, MapKind::kAdd); }
TENON_BENCH(mul, {1024, 16384, 65536, 16777216}) { TimeBinary<Mul>(state, MapKind::kMul); }
TENON_BENCH(relu, {1024, 16384, 65536}) { TimeUnary<Relu>(state, MapKind::kRelu, 1, 0.9, 1); }
TENON_BENCH(relu_beyond_caches, {16777216}) { TimeUnary<Relu>(state, MapKind::kRelu, 1, 0, 1.3); }
TENON_BENCH(exp, {1024, 65536}) { TimeUnary<Exp>(state, MapKind::kExp, 8, 0, 0.95); }
TENON_BENCH(tanh, {1024, 65536}) { TimeUnary<Tanh>(state, MapKind::kTanh, 4, 0, 0.95); }
TENON_BENCH(gelu, {1024, 65536}) { TimeUnary<tenon::detail::TanhGelu>(state, MapKind::kGelu, 4, 0, 0.95); }
TENON_BENCH(sigmoid, {1024, 65536}) { TimeUnary<Sigmoid>(state, MapKind::kSigmoid, 8, 0, 0.95); }
TENON_BENCH(tanh_two_threads, {4096, 16384, 65536, 1048576}) { TimeTwoThreads(state); }

TENON_BENCH(fused_2_steps, {16384, 65536, 1048576}) { TimeFused(state, 2); }
TENON_BENCH(fused_3_steps, {16384, 65536, 1048576}) { TimeFused(state, 3); }
TENON_BENCH(fused_4_steps, {16384, 65536, 1048576}) { TimeFused(state, 4); }

TENON_BENCH(add_row, {40, 64, 96, 256, 1024}) { TimeBroadcast(state, Repeated::kRow, {state.arg()}); }
TENON_BENCH(add_column, {64, 256, 1024}) { TimeBroadcast(state, Repeated::kColumn, {state.arg(), 1}); }
TENON_BENCH(add_scalar, {64, 256, 1024}) { TimeBroadcast(state, Repeated::kScalar, {}); }

}  // namespace tenon::bench

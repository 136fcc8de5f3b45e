// SPDX-License-Identifier: Apache-2.0
// Attention in one pass beside the three that a graph has (products, softmax, products): 12 heads of 64, as in BERT.
// The number is that of the queries and keys.
#include <cmath>

#include <tenon/engine/nn/attention.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/nn/softmax.hpp>

#include "support.hpp"

namespace tenon::bench {
namespace {

// softmax(q k^T / 8) v with the matrices of scores; q is scaled first.
void AddThreePasses(State& state, Machine& machine, const AttentionShape& s, const Tensor& q, const Tensor& k,
                    const Tensor& v, const float* ours) {
  struct Pass {
    AttentionShape s;
    Tensor q, k, v, scores, y;
    Status Run(Cpu& device) const {
      BatchMatMulPlan scoring, weighing;
      scoring.m = weighing.m = s.queries;
      scoring.k = s.depth;
      scoring.n = weighing.k = s.keys;
      scoring.transpose_y = true;
      weighing.n = s.value_depth;
      scoring.Add(s.batch, s.batch);
      weighing.Add(s.batch, s.batch);
      float* const w = const_cast<float*>(scores.data<float>());
      TENON_RETURN_IF_ERROR(BatchMatMul(device, DataType::kFloat, scoring, q.raw_data(), k.raw_data(), w));
      TENON_RETURN_IF_ERROR(Softmax(device, w, w, s.batch * s.queries, s.keys));
      return BatchMatMul(device, DataType::kFloat, weighing, w, v.raw_data(), const_cast<float*>(y.data<float>()));
    }
  };
  Pass pass{s,
            Tensor(DataType::kFloat, q.shape()),
            k,
            v,
            Tensor(DataType::kFloat, {s.batch, s.queries, s.keys}),
            Tensor(DataType::kFloat, {s.batch, s.queries, s.value_depth})};
  const float scale = 1 / std::sqrt(static_cast<float>(s.depth));
  for (Index i = 0; i < q.NumElements(); ++i) pass.q.data<float>()[i] = q.data<float>()[i] * scale;
  state.Check(pass.Run(machine.cpu));
  if (!Agree(state, "three passes", ours, pass.y.data<float>(), pass.y.NumElements())) return;
  state.Peer("three passes", [&state, &device = machine.cpu, pass] { state.Check(pass.Run(device)); });
}

void TimeAttention(State& state, bool causal) {
  const AttentionShape s{12, state.arg(), state.arg(), 64, 64};
  Machine machine(state);
  const Tensor q = Numbers({s.batch, s.queries, s.depth}, -1, 1), k = Numbers({s.batch, s.keys, s.depth}, -1, 1),
               v = Numbers({s.batch, s.keys, s.value_depth}, -1, 1);
  Tensor y(DataType::kFloat, {s.batch, s.queries, s.value_depth});
  const auto once = [&](Cpu& device) {
    state.Check(ScaledDotProductAttention(device, s, q.data<float>(), k.data<float>(), v.data<float>(), y.data<float>(),
                                          {.causal = causal}));
  };
  once(machine.cpu);
  if (!causal) AddThreePasses(state, machine, s, q, k, v, y.data<float>());
  state.SetFlops(4.0 * static_cast<double>(s.batch * s.queries * s.keys * s.depth));
  TimeOn(state, machine, s.batch * s.queries * s.keys, once);
}

}  // namespace

TENON_BENCH(attention_12_heads, {128, 512, 2048}) { TimeAttention(state, false); }
TENON_BENCH(attention_12_heads_causal, {512, 2048}) { TimeAttention(state, true); }

}  // namespace tenon::bench

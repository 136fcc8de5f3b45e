// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of the steps of an LSTM over a batch, on the CPU, of float. One step after the other, from the last on,
// gives the gradients of its gates and of the state before it; products over all steps at once give the others.

#include <algorithm>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/nn/lstm_gru.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Steps: what LstmStep read and made, and the gradients of their states and outputs.
struct LstmRecord {
  Index steps;
  const float* x;                              // [steps, batch, inputs]
  const float *cs_prev, *h_prev;               // [batch, cells], before the first step
  const float *i, *cs, *f, *o, *ci, *co, *h;   // [steps, batch, cells]
  const float *cs_grad, *h_grad;               // [steps, batch, cells]
};
// Where gradients go: x [steps, batch, inputs], the states before the first step [batch, cells], the weights, the
// peepholes [cells] each (null without) and the biases.
struct LstmGradients {
  float *x, *cs_prev, *h_prev, *w;
  float* peepholes[3];
  float* b;
};

namespace detail {

inline Status GradientProduct(Cpu& device, const float* a, Index a_rows, Index a_columns, bool transpose_a,
                              const float* b, Index b_rows, Index b_columns, bool transpose_b, float* out) {
  const Index a_dims[] = {a_rows, a_columns}, b_dims[] = {b_rows, b_columns};
  const Index out_dims[] = {transpose_a ? a_columns : a_rows, transpose_b ? b_rows : b_columns};
  return Gemm<float>(device, In<float, 2>(a, a_dims), transpose_a, In<float, 2>(b, b_dims), transpose_b,
                     Out<float, 2>(out, out_dims));
}

// Rows [cells] of one image of the batch in one step. `dcs` and `dh` hold the gradients from the step after; dcs
// becomes that of the state before.
struct LstmRow {
  const float *i, *cs_prev, *f, *o, *ci, *co, *cs_grad, *h_grad, *dh;
  float* dcs;
  float *d_i, *d_new, *d_forget, *d_o;  // gradients before the activation
};

TENON_DETAIL_LOOPS_BEGIN

TENON_DETAIL_LOOP inline void LstmRowGradient(const LstmRow& row, Index n) {
  const float *const i = row.i, *const before = row.cs_prev, *const f = row.f, *const o = row.o, *const ci = row.ci,
                     *const co = row.co, *const cs_grad = row.cs_grad, *const h_grad = row.h_grad, *const dh = row.dh;
  float *const state = row.dcs, *const d_i = row.d_i, *const d_new = row.d_new, *const d_forget = row.d_forget,
               *const d_o = row.d_o;
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) {
    const float output = h_grad[c] + dh[c];
    d_o[c] = o[c] * (1 - o[c]) * output * co[c];
    const float dcs = (1 - co[c] * co[c]) * output * o[c] + cs_grad[c] + state[c];
    d_i[c] = i[c] * (1 - i[c]) * dcs * ci[c];
    d_forget[c] = f[c] * (1 - f[c]) * dcs * before[c];
    d_new[c] = (1 - ci[c] * ci[c]) * dcs * i[c];
    state[c] = dcs * f[c];
  }
}
TENON_DETAIL_LOOP inline void AddLstmRow(const float* x, float* sums, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index c = 0; c < n; ++c) sums[c] += x[c];
}

TENON_DETAIL_LOOPS_END

// LstmRowGradient with peepholes, whose gradients are added to `out`; `cs` are the states after the step.
inline void LstmPeepholeGradient(const LstmRow& row, const float* cs, const float* const (&peepholes)[3],
                                 float* const (&out)[3], Index n) {
  for (Index c = 0; c < n; ++c) {
    const float output = row.h_grad[c] + row.dh[c], i = row.i[c], f = row.f[c], o = row.o[c], ci = row.ci[c],
                co = row.co[c], before = row.cs_prev[c];
    const float d_o = o * (1 - o) * output * co;
    const float dcs = (1 - co * co) * output * o + row.cs_grad[c] + row.dcs[c] + d_o * peepholes[2][c];
    const float d_i = i * (1 - i) * dcs * ci, d_forget = f * (1 - f) * dcs * before;
    row.d_i[c] = d_i;
    row.d_forget[c] = d_forget;
    row.d_new[c] = (1 - ci * ci) * dcs * i;
    row.d_o[c] = d_o;
    row.dcs[c] = dcs * f + d_i * peepholes[0][c] + d_forget * peepholes[1][c];
    out[0][c] += d_i * before;
    out[1][c] += d_forget * before;
    out[2][c] += d_o * cs[c];
  }
}

// gates [batch, 4 * cells] of step t; out.cs_prev and out.h_prev hold the gradients from the step after.
inline void LstmGateGradients(const LstmCell& cell, const LstmRecord& record, Index t, float* gates,
                              const LstmGradients& out) {
  const Index n = cell.cells, step = t * cell.batch * n;
  for (Index r = 0; r < cell.batch; ++r) {
    const Index at = step + r * n;
    const float* const cs_prev = t == 0 ? record.cs_prev + r * n : record.cs + at - cell.batch * n;
    const auto gate = [&](int number) { return gates + (r * 4 + number) * n; };
    const LstmRow row{record.i + at,          cs_prev,
                      record.f + at,          record.o + at,
                      record.ci + at,         record.co + at,
                      record.cs_grad + at,    record.h_grad + at,
                      out.h_prev + r * n,     out.cs_prev + r * n,
                      gate(cell.input_gate),  gate(cell.new_gate),
                      gate(cell.forget_gate), gate(cell.output_gate)};
    if (cell.peepholes[0] == nullptr)
      LstmRowGradient(row, n);
    else
      LstmPeepholeGradient(row, record.cs + at, cell.peepholes, out.peepholes, n);
    AddLstmRow(gates + r * 4 * n, out.b, 4 * n);
  }
}

}  // namespace detail

// Overwrites all of `out`. The clip and the forget bias of the cell have no gradient. Steps, batch and cells are not 0.
inline Status LstmGradient(Cpu& device, const LstmCell& cell, const LstmRecord& record, const LstmGradients& out) {
  const Index n = cell.cells, batch = cell.batch, rows = record.steps * batch, state = batch * n;
  const std::size_t gate_bytes = detail::ScratchBytes<float>(rows * 4 * n),
                    before_bytes = detail::ScratchBytes<float>(rows * n);
  Scratch scratch(device, gate_bytes + before_bytes + detail::ScratchBytes<float>(4 * n * n));
  TENON_RETURN_IF_ERROR(scratch.status("LSTM"));
  float* const gates = scratch.As<float>();
  float* const before = scratch.As<float>(gate_bytes);  // outputs of the steps before
  float* const turned = scratch.As<float>(gate_bytes + before_bytes);
  const float* const w_h = cell.w + cell.inputs * 4 * n;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < 4 * n; ++j) turned[j * n + i] = w_h[i * 4 * n + j];

  std::fill_n(out.cs_prev, state, 0.0f);
  std::fill_n(out.h_prev, state, 0.0f);
  std::fill_n(out.b, 4 * n, 0.0f);
  for (int i = 0; cell.peepholes[0] != nullptr && i < 3; ++i) std::fill_n(out.peepholes[i], n, 0.0f);
  for (Index t = record.steps; t-- > 0;) {
    float* const of_step = gates + t * batch * 4 * n;
    detail::LstmGateGradients(cell, record, t, of_step, out);
    TENON_RETURN_IF_ERROR(
        detail::GradientProduct(device, of_step, batch, 4 * n, false, turned, 4 * n, n, false, out.h_prev));
  }
  if (cell.inputs > 0) {
    TENON_RETURN_IF_ERROR(
        detail::GradientProduct(device, gates, rows, 4 * n, false, cell.w, cell.inputs, 4 * n, true, out.x));
    TENON_RETURN_IF_ERROR(
        detail::GradientProduct(device, record.x, rows, cell.inputs, true, gates, rows, 4 * n, false, out.w));
  }
  std::copy_n(record.h_prev, state, before);
  std::copy_n(record.h, (record.steps - 1) * state, before + state);
  return detail::GradientProduct(device, before, rows, n, true, gates, rows, 4 * n, false, out.w + cell.inputs * 4 * n);
}

TENON_DETAIL_NAMESPACE_END

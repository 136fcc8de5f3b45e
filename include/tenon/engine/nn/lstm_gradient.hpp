// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of one step of an LSTM over a batch, on the CPU, of float.

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

TENON_DETAIL_NAMESPACE_BEGIN

// One step: what LstmStep read and made, and the gradients of its state and output.
struct LstmStepRecord {
  const float *x, *cs_prev, *h_prev;
  const float *i, *cs, *f, *o, *ci, *co;
  const float *cs_grad, *h_grad;      // [batch, cells]
  const float *next_cs, *next_h;      // gradients from the step after, added; null after the last one
};
// x and the states of the step before are written; to all others the step is added.
struct LstmGradients {
  float *x, *cs_prev, *h_prev, *w;
  float* peepholes[3];  // [cells] each
  float* b;
};

namespace detail {

inline Status GradientProduct(Cpu& device, const float* a, const Index* a_dims, bool transpose_a, const float* b,
                              const Index* b_dims, bool transpose_b, const Index* out_dims, float* out) {
  return Gemm<float>(device, In<float, 2>(a, a_dims), transpose_a, In<float, 2>(b, b_dims), transpose_b,
                     Out<float, 2>(out, out_dims));
}

}  // namespace detail

// The clip and the forget bias of the cell have no gradient.
inline Status LstmStepGradient(Cpu& device, const LstmCell& cell, const LstmStepRecord& step,
                               const LstmGradients& out) {
  const Index n = cell.cells, inner = cell.inputs + n, batch = cell.batch;
  const std::size_t gate_bytes = detail::ScratchBytes<float>(batch * 4 * n),
                    joined_bytes = detail::ScratchBytes<float>(batch * inner);
  Scratch scratch(device, gate_bytes + joined_bytes + detail::ScratchBytes<float>(inner * 4 * n));
  TENON_RETURN_IF_ERROR(scratch.status("LSTM"));
  float* const gates = scratch.As<float>();
  float* const joined = scratch.As<float>(gate_bytes);
  float* const weights = scratch.As<float>(gate_bytes + joined_bytes);
  for (Index r = 0; r < batch; ++r) {
    for (Index c = 0; c < n; ++c) {
      const Index at = r * n + c;
      const auto gate = [&](int number) -> float& { return gates[(r * 4 + number) * n + c]; };
      const float dh = step.h_grad[at] + (step.next_h == nullptr ? 0.0f : step.next_h[at]);
      const float i = step.i[at], f = step.f[at], o = step.o[at], ci = step.ci[at], co = step.co[at];
      const float d_o = o * (1 - o) * dh * co;
      float dcs = (1 - co * co) * dh * o + step.cs_grad[at] + (step.next_cs == nullptr ? 0.0f : step.next_cs[at]);
      if (cell.peepholes[2] != nullptr) dcs += d_o * cell.peepholes[2][c];
      const float before = step.cs_prev[at];
      const float di = i * (1 - i) * dcs * ci, df = f * (1 - f) * dcs * before, dci = (1 - ci * ci) * dcs * i;
      gate(cell.input_gate) = di;
      gate(cell.new_gate) = dci;
      gate(cell.forget_gate) = df;
      gate(cell.output_gate) = d_o;
      float cs_prev = dcs * f;
      if (cell.peepholes[0] != nullptr) {
        cs_prev += di * cell.peepholes[0][c] + df * cell.peepholes[1][c];
        out.peepholes[0][c] += di * before;
        out.peepholes[1][c] += df * before;
        out.peepholes[2][c] += d_o * step.cs[at];
      }
      out.cs_prev[at] = cs_prev;
    }
    for (Index k = 0; k < 4 * n; ++k) out.b[k] += gates[r * 4 * n + k];
  }
  // The gradient of [x, h_prev], then the gradient of w from the joined rows.
  const Index gate_dims[] = {batch, 4 * n}, w_dims[] = {inner, 4 * n}, joined_dims[] = {batch, inner};
  TENON_RETURN_IF_ERROR(
      detail::GradientProduct(device, gates, gate_dims, false, cell.w, w_dims, true, joined_dims, joined));
  for (Index r = 0; r < batch; ++r) {
    std::copy_n(joined + r * inner, cell.inputs, out.x + r * cell.inputs);
    std::copy_n(joined + r * inner + cell.inputs, n, out.h_prev + r * n);
  }
  detail::JoinRows(step.x, cell.inputs, step.h_prev, n, batch, joined);
  TENON_RETURN_IF_ERROR(
      detail::GradientProduct(device, joined, joined_dims, true, gates, gate_dims, false, w_dims, weights));
  for (Index k = 0; k < inner * 4 * n; ++k) out.w[k] += weights[k];
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// One step of an LSTM or a GRU over a batch, on the CPU, of float: a product of matrices for all gates, and the gates.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// w: [inputs + cells, 4 * cells], b: [4 * cells]: four gates side by side, numbered by their places.
struct LstmCell {
  Index batch = 0, inputs = 0, cells = 0;
  int input_gate = 0, new_gate = 1, forget_gate = 2, output_gate = 3;
  float forget_bias = 0, cell_clip = 0;  // clip: none unless above 0
  const float* w = nullptr;
  const float* b = nullptr;
  const float* peepholes[3] = {};  // [cells] each: of the input, forget and output gate; null without
};

// [batch, cells] each: input gate, state, forget gate, output gate, new values, tanh of the state, output.
struct LstmOutputs {
  float *i, *cs, *f, *o, *ci, *co, *h;
};

namespace detail {

inline float Logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// out[r] = a[r], b[r]: rows of a_columns and b_columns elements side by side.
inline void JoinRows(const float* a, Index a_columns, const float* b, Index b_columns, Index rows, float* out) {
  for (Index r = 0; r < rows; ++r, out += a_columns + b_columns) {
    std::copy_n(a + r * a_columns, a_columns, out);
    std::copy_n(b + r * b_columns, b_columns, out + a_columns);
  }
}
inline Status GateProduct(Cpu& device, const float* x, Index rows, Index inner, const float* w, Index columns,
                          float* out) {
  const Index x_dims[] = {rows, inner}, w_dims[] = {inner, columns}, out_dims[] = {rows, columns};
  return Gemm<float>(device, In<float, 2>(x, x_dims), false, In<float, 2>(w, w_dims), false,
                     Out<float, 2>(out, out_dims));
}

}  // namespace detail

// x: [batch, inputs], cs_prev, h_prev: [batch, cells], which may be outputs of the step before.
inline Status LstmStep(Cpu& device, const LstmCell& cell, const float* x, const float* cs_prev, const float* h_prev,
                       const LstmOutputs& out) {
  const Index n = cell.cells, inner = cell.inputs + n;
  const std::size_t joined_bytes = detail::ScratchBytes<float>(cell.batch * inner);
  Scratch scratch(device, joined_bytes + detail::ScratchBytes<float>(cell.batch * 4 * n));
  TENON_RETURN_IF_ERROR(scratch.status("LSTM"));
  float* const joined = scratch.As<float>();
  float* const gates = scratch.As<float>(joined_bytes);
  detail::JoinRows(x, cell.inputs, h_prev, n, cell.batch, joined);
  TENON_RETURN_IF_ERROR(detail::GateProduct(device, joined, cell.batch, inner, cell.w, 4 * n, gates));
  ParallelFor(device, cell.batch, 60.0 * static_cast<double>(n), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const auto gate = [&](int number, Index c) { return gates[(r * 4 + number) * n + c] + cell.b[number * n + c]; };
      const auto peep = [&](int which, float state, Index c) {
        return cell.peepholes[which] == nullptr ? 0.0f : state * cell.peepholes[which][c];
      };
      for (Index c = 0; c < n; ++c) {
        const Index at = r * n + c;
        const float before = cs_prev[at];
        out.i[at] = detail::Logistic(gate(cell.input_gate, c) + peep(0, before, c));
        out.ci[at] = std::tanh(gate(cell.new_gate, c));
        out.f[at] = detail::Logistic(gate(cell.forget_gate, c) + cell.forget_bias + peep(1, before, c));
        float state = out.ci[at] * out.i[at] + out.f[at] * before;
        if (cell.cell_clip > 0) state = std::min(std::max(state, -cell.cell_clip), cell.cell_clip);
        out.cs[at] = state;
        out.co[at] = std::tanh(state);
        out.o[at] = detail::Logistic(gate(cell.output_gate, c) + peep(2, state, c));
        out.h[at] = out.o[at] * out.co[at];
      }
    }
  });
  return OkStatus();
}

// w_ru: [inputs + cells, 2 * cells] and b_ru for the reset and update gate, w_c: [inputs + cells, cells] and b_c for
// the new values; x: [batch, inputs], h_prev and all outputs: [batch, cells].
struct GruCell {
  Index batch = 0, inputs = 0, cells = 0;
  const float *w_ru = nullptr, *w_c = nullptr, *b_ru = nullptr, *b_c = nullptr;
};

inline Status GruStep(Cpu& device, const GruCell& cell, const float* x, const float* h_prev, float* r, float* u,
                      float* c, float* h) {
  const Index n = cell.cells, inner = cell.inputs + n, all = cell.batch * n;
  const std::size_t joined_bytes = detail::ScratchBytes<float>(cell.batch * inner),
                    gate_bytes = detail::ScratchBytes<float>(2 * all);
  Scratch scratch(device, joined_bytes + gate_bytes + detail::ScratchBytes<float>(all));
  TENON_RETURN_IF_ERROR(scratch.status("GRU"));
  float* const joined = scratch.As<float>();
  float* const gates = scratch.As<float>(joined_bytes);
  float* const reset = scratch.As<float>(joined_bytes + gate_bytes);
  detail::JoinRows(x, cell.inputs, h_prev, n, cell.batch, joined);
  TENON_RETURN_IF_ERROR(detail::GateProduct(device, joined, cell.batch, inner, cell.w_ru, 2 * n, gates));
  for (Index at = 0; at < all; ++at) {
    const Index row = at / n, column = at % n;
    r[at] = detail::Logistic(gates[row * 2 * n + column] + cell.b_ru[column]);
    u[at] = detail::Logistic(gates[row * 2 * n + n + column] + cell.b_ru[n + column]);
    reset[at] = h_prev[at] * r[at];
  }
  detail::JoinRows(x, cell.inputs, reset, n, cell.batch, joined);
  TENON_RETURN_IF_ERROR(detail::GateProduct(device, joined, cell.batch, inner, cell.w_c, n, c));
  for (Index at = 0; at < all; ++at) {
    c[at] = std::tanh(c[at] + cell.b_c[at % n]);
    h[at] = u[at] * h_prev[at] + (1.0f - u[at]) * c[at];
  }
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

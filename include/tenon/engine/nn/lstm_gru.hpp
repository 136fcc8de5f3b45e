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
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/row_lanes.hpp>
#include <tenon/engine/simd/vector.hpp>
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

// Rows [cells] of one image: the gates' sums of products and biases, the peepholes (null without), the state before,
// and the outputs.
struct LstmRowOf {
  const float *input, *created, *forget, *output;
  const float *b_input, *b_created, *b_forget, *b_output;
  const float* peepholes[3];
  const float* before;
  float forget_bias, cell_clip;
  LstmOutputs out;
};
#if TENON_DETAIL_LANES
template <class L, class Access>
TENON_HD L AddPeephole(const Access& access, const float* peephole, Index c, const L& sum, const L& state) {
  return peephole == nullptr ? sum : sum + state * access.Load(peephole + c);
}
// The elements of one vector, from c on.
template <class L, class Access>
TENON_HD void LstmLanes(const LstmRowOf& row, Index c, const Access& at) {
  const L before = at.Load(row.before + c);
  const L i = Sigmoid(AddPeephole(at, row.peepholes[0], c, at.Load(row.input + c) + at.Load(row.b_input + c), before));
  const L created = Tanh(at.Load(row.created + c) + at.Load(row.b_created + c));
  const L forgets = at.Load(row.forget + c) + at.Load(row.b_forget + c) + L(row.forget_bias);
  const L f = Sigmoid(AddPeephole(at, row.peepholes[1], c, forgets, before));
  L state = created * i + f * before;
  if (row.cell_clip > 0) {
    const L high(row.cell_clip), low(-row.cell_clip);
    state = Select(state < low, low, state);
    state = Select(state > high, high, state);
  }
  const L activated = Tanh(state);
  const L o = Sigmoid(AddPeephole(at, row.peepholes[2], c, at.Load(row.output + c) + at.Load(row.b_output + c), state));
  at.Store(row.out.i + c, i);
  at.Store(row.out.cs + c, state);
  at.Store(row.out.f + c, f);
  at.Store(row.out.o + c, o);
  at.Store(row.out.ci + c, created);
  at.Store(row.out.co + c, activated);
  at.Store(row.out.h + c, o * activated);
}
// The end of a row goes through vectors, too: an element has the same bits wherever it stands.
struct LstmRowBody {
  template <int bytes>
  TENON_HD static void Run(const LstmRowOf* row, Index n) {
    using L = simd::Lanes<float, bytes>;
    Index c = 0;
    for (; c + L::size <= n; c += L::size) LstmLanes<L>(*row, c, simd::AllLanes<L>());
    if (c < n) LstmLanes<L>(*row, c, simd::FirstLanes<L>{static_cast<std::size_t>(n - c)});
  }
};
inline void RunLstmRow(const LstmRowOf& row, Index n) {
  simd::detail::ForLevels<LstmRowBody, simd::Compiled, const LstmRowOf*, Index>::Best()(&row, n);
}
#else
inline void RunLstmRow(const LstmRowOf& row, Index n) {
  const auto peep = [&](int which, float state, Index c) {
    return row.peepholes[which] == nullptr ? 0.0f : state * row.peepholes[which][c];
  };
  for (Index c = 0; c < n; ++c) {
    const float before = row.before[c];
    const float i = Logistic(row.input[c] + row.b_input[c] + peep(0, before, c));
    const float created = std::tanh(row.created[c] + row.b_created[c]);
    const float f = Logistic(row.forget[c] + row.b_forget[c] + row.forget_bias + peep(1, before, c));
    float state = created * i + f * before;
    if (row.cell_clip > 0) state = std::min(std::max(state, -row.cell_clip), row.cell_clip);
    const float o = Logistic(row.output[c] + row.b_output[c] + peep(2, state, c));
    row.out.i[c] = i;
    row.out.cs[c] = state;
    row.out.f[c] = f;
    row.out.o[c] = o;
    row.out.ci[c] = created;
    row.out.co[c] = std::tanh(state);
    row.out.h[c] = o * row.out.co[c];
  }
}
#endif

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
  ParallelFor(device, cell.batch, 5.0 * static_cast<double>(n), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const auto gate = [&](int number) { return gates + (r * 4 + number) * n; };
      const auto bias = [&](int number) { return cell.b + number * n; };
      const Index at = r * n;
      const detail::LstmRowOf row{
          gate(cell.input_gate),
          gate(cell.new_gate),
          gate(cell.forget_gate),
          gate(cell.output_gate),
          bias(cell.input_gate),
          bias(cell.new_gate),
          bias(cell.forget_gate),
          bias(cell.output_gate),
          {cell.peepholes[0], cell.peepholes[1], cell.peepholes[2]},
          cs_prev + at,
          cell.forget_bias,
          cell.cell_clip,
          {out.i + at, out.cs + at, out.f + at, out.o + at, out.ci + at, out.co + at, out.h + at}};
      detail::RunLstmRow(row, n);
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

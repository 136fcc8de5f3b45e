// SPDX-License-Identifier: Apache-2.0
#pragma once
// GRUBlockCellGrad and LSTMBlockCellGrad: gradients of one step of GRUBlockCell and LSTMBlockCell.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/nn/lstm_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/ops/nn/recurrent.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status LstmCellGradShape(InferenceContext* c) {
  ShapeHandle x, state;
  DimensionHandle gates;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &state));
  TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(state, 1), 4, &gates));
  c->set_output(0, c->Matrix(c->Dim(x, 0), c->Dim(state, 1)));
  c->set_output(1, c->Matrix(c->Dim(x, 0), gates));
  for (int i = 2; i < 5; ++i) c->set_output(i, c->Vector(c->Dim(state, 1)));
  return OkStatus();
}
inline Status GruCellGradShape(InferenceContext* c) {
  ShapeHandle x, state, weights;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &state));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &weights));
  const ShapeHandle h = c->Matrix(c->Dim(x, 0), c->Dim(state, 1));
  c->set_output(0, x);
  c->set_output(1, h);
  c->set_output(2, h);
  c->set_output(3, c->Matrix(c->Dim(x, 0), c->Dim(weights, 1)));
  return OkStatus();
}

// Inputs [first, last) have the shape `want`.
inline Status CheckCellStates(const OpKernelContext& context, std::string_view op, int first, int last,
                              const TensorShape& want) {
  for (int i = first; i < last; ++i)
    if (!(context.input(i).shape() == want))
      return errors::InvalidArgument(op, ": input ", i, " must have shape ", want, ", got ", context.input(i).shape());
  return OkStatus();
}

inline Status RunLstmCellGrad(OpKernelContext& context, Cpu& device, bool peephole) {
  constexpr std::string_view kName = "LSTMBlockCellGrad";
  LstmCell cell;
  Index steps = 0;
  TENON_RETURN_IF_ERROR(CheckLstm(context, kName, 0, peephole, &steps, &cell));
  const Index n = cell.cells, batch = cell.batch;
  const TensorShape state = context.input(1).shape();
  TENON_RETURN_IF_ERROR(CheckCellStates(context, kName, 8, 16, state));
  FloatInput in[16];
  FloatOutput outs[5];
  for (int i = 0; i < 16; ++i) TENON_RETURN_IF_ERROR(in[i].Read(context, device, context.input(i)));
  const Index gate_sizes[] = {batch, 4 * n};
  TensorShape gate_shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(gate_sizes, &gate_shape));
  TENON_RETURN_IF_ERROR(outs[0].Make(context, 0, state));
  TENON_RETURN_IF_ERROR(outs[1].Make(context, 1, gate_shape));
  for (int i = 2; i < 5; ++i) {
    TENON_RETURN_IF_ERROR(outs[i].Make(context, i, TensorShape({n})));
    std::fill_n(outs[i].As<float>(), n, 0.0f);
  }
  const float *const before = in[1].As<float>(), *const wci = in[4].As<float>(), *const wcf = in[5].As<float>(),
                     *const wco = in[6].As<float>();
  for (Index r = 0; r < batch && n > 0; ++r) {
    float* const gates = outs[1].As<float>() + r * 4 * n;
    for (Index k = 0; k < n; ++k) {
      const Index at = r * n + k;
      const float i = in[8].As<float>()[at], cs = in[9].As<float>()[at], f = in[10].As<float>()[at],
                  o = in[11].As<float>()[at], ci = in[12].As<float>()[at], co = in[13].As<float>()[at],
                  dh = in[15].As<float>()[at];
      const float d_o = o * (1 - o) * dh * co;
      float dcs = (1 - co * co) * dh * o + in[14].As<float>()[at];
      if (peephole) dcs += d_o * wco[k];
      const float di = i * (1 - i) * dcs * ci, df = f * (1 - f) * dcs * before[at];
      gates[k] = di;
      gates[n + k] = (1 - ci * ci) * dcs * i;
      gates[2 * n + k] = df;
      gates[3 * n + k] = d_o;
      float cs_prev = dcs * f;
      if (peephole) {
        cs_prev += di * wci[k] + df * wcf[k];
        outs[2].As<float>()[k] += di * before[at];
        outs[3].As<float>()[k] += df * before[at];
        outs[4].As<float>()[k] += d_o * cs;
      }
      outs[0].As<float>()[at] = cs_prev;
    }
  }
  for (FloatOutput& out : outs) out.Finish(device);
  return OkStatus();
}

inline Status CheckGruCellGrad(const OpKernelContext& context) {
  constexpr std::string_view kName = "GRUBlockCellGrad";
  constexpr std::string_view kNames[] = {"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"};
  for (int i = 0; i < 6; ++i) TENON_RETURN_IF_ERROR(CheckCellRank(kName, kNames[i], context.input(i), i < 4 ? 2 : 1));
  const Tensor &x = context.input(0), &h_prev = context.input(1), &w_ru = context.input(2), &w_c = context.input(3);
  const Index n = h_prev.dim_size(1), inner = SumOfCellSizes(x.dim_size(1), n), two = MultiplyWithoutOverflow(n, 2);
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "h_prev.dims(0)", h_prev.dim_size(0), "batch_size", x.dim_size(0)));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "w_ru.dim_size(0)", w_ru.dim_size(0), "input_size + cell_size", inner));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "w_ru.dim_size(1)", w_ru.dim_size(1), "cell_size * 2", two));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "w_c.dim_size(0)", w_c.dim_size(0), "input_size + cell_size", inner));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "w_c.dim_size(1)", w_c.dim_size(1), "cell_size", n));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "b_ru.dim_size(0)", context.input(4).dim_size(0), "cell_size * 2", two));
  TENON_RETURN_IF_ERROR(CheckCellSize(kName, "b_c.dim_size(0)", context.input(5).dim_size(0), "cell_size", n));
  return CheckCellStates(context, kName, 6, 10, h_prev.shape());
}

inline Status RunGruCellGrad(OpKernelContext& context, Cpu& device) {
  TENON_RETURN_IF_ERROR(CheckGruCellGrad(context));
  const Tensor &x = context.input(0), &h_prev = context.input(1);
  const Index batch = x.dim_size(0), inputs = x.dim_size(1), n = h_prev.dim_size(1), inner = inputs + n;
  const Index two_sizes[] = {batch, 2 * n};
  TensorShape two;
  TENON_RETURN_IF_ERROR(TensorShape::Build(two_sizes, &two));
  Tensor* outs[4] = {};
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &outs[0]));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, h_prev.shape(), &outs[1]));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, h_prev.shape(), &outs[2]));
  TENON_RETURN_IF_ERROR(context.allocate_output(3, two, &outs[3]));
  if (batch == 0 || inner == 0) return OkStatus();
  const std::size_t bytes = tenon::detail::ScratchBytes<float>(batch * inner);
  Scratch scratch(device, 2 * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("GRUBlockCellGrad"));
  float *const of_c = scratch.As<float>(), *const of_ru = scratch.As<float>(bytes);
  const float *const h = h_prev.data<float>(), *const r = context.input(6).data<float>(),
                     *const u = context.input(7).data<float>(), *const c = context.input(8).data<float>(),
                     *const dh = context.input(9).data<float>();
  float *const dx = outs[0]->data<float>(), *const dh_prev = outs[1]->data<float>(), *const dc = outs[2]->data<float>(),
               *const dru = outs[3]->data<float>();
  for (Index i = 0; i < batch * n; ++i) dc[i] = dh[i] * (1 - u[i]) * (1 - c[i] * c[i]);
  TENON_RETURN_IF_ERROR(tenon::detail::GradientProduct(device, dc, batch, n, false, context.input(3).data<float>(),
                                                       inner, n, true, of_c));
  for (Index row = 0; row < batch; ++row)
    for (Index k = 0; k < n; ++k) {
      const Index at = row * n + k;
      dru[row * 2 * n + k] = of_c[row * inner + inputs + k] * h[at] * r[at] * (1 - r[at]);
      dru[row * 2 * n + n + k] = dh[at] * (h[at] - c[at]) * u[at] * (1 - u[at]);
    }
  TENON_RETURN_IF_ERROR(tenon::detail::GradientProduct(device, dru, batch, 2 * n, false, context.input(2).data<float>(),
                                                       inner, 2 * n, true, of_ru));
  for (Index row = 0; row < batch; ++row) {
    const float *const a = of_c + row * inner, *const b = of_ru + row * inner;
    for (Index k = 0; k < inputs; ++k) dx[row * inputs + k] = a[k] + b[k];
    for (Index k = 0; k < n; ++k) {
      const Index at = row * n + k;
      dh_prev[at] = b[inputs + k] + a[inputs + k] * r[at] + dh[at] * u[at];
    }
  }
  return OkStatus();
}

}  // namespace detail

struct LSTMBlockCellGrad {
  static constexpr auto signature = Op("LSTMBlockCellGrad")
                                        .Input("x: T")
                                        .Input("cs_prev: T")
                                        .Input("h_prev: T")
                                        .Input("w: T")
                                        .Input("wci: T")
                                        .Input("wcf: T")
                                        .Input("wco: T")
                                        .Input("b: T")
                                        .Input("i: T")
                                        .Input("cs: T")
                                        .Input("f: T")
                                        .Input("o: T")
                                        .Input("ci: T")
                                        .Input("co: T")
                                        .Input("cs_grad: T")
                                        .Input("h_grad: T")
                                        .Output("cs_prev_grad: T")
                                        .Output("dicfo: T")
                                        .Output("wci_grad: T")
                                        .Output("wcf_grad: T")
                                        .Output("wco_grad: T")
                                        .Attr("use_peephole: bool")
                                        .Attr("T: {half, float}")
                                        .SetShapeFn(detail::LstmCellGradShape);
  struct Attrs {
    bool use_peephole;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunLstmCellGrad(context.op(), context.device(), this->use_peephole);
    }
  };
};

struct GRUBlockCellGrad {
  static constexpr auto signature = Op("GRUBlockCellGrad")
                                        .Attr("T: {float}")
                                        .Input("x: T")
                                        .Input("h_prev: T")
                                        .Input("w_ru: T")
                                        .Input("w_c: T")
                                        .Input("b_ru: T")
                                        .Input("b_c: T")
                                        .Input("r: T")
                                        .Input("u: T")
                                        .Input("c: T")
                                        .Input("d_h: T")
                                        .Output("d_x: T")
                                        .Output("d_h_prev: T")
                                        .Output("d_c_bar: T")
                                        .Output("d_r_bar_u_bar: T")
                                        .SetShapeFn(detail::GruCellGradShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&) const {
      return detail::RunGruCellGrad(context.op(), context.device());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// LSTMBlockCell, BlockLSTM, BlockLSTMV2 and GRUBlockCell: recurrent cells in one op.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/lstm_gru.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// [batch, cells] from x and a state; `outputs` of them.
inline Status CellShape(InferenceContext* c, int outputs) {
  ShapeHandle x, state;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &state));
  for (int i = 0; i < outputs; ++i) c->set_output(i, c->Matrix(c->Dim(x, 0), c->Dim(state, 1)));
  return OkStatus();
}
inline Status BlockLstmShape(InferenceContext* c) {
  ShapeHandle x, b;
  DimensionHandle cells;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &x));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(c->num_inputs() - 1), 1, &b));
  TENON_RETURN_IF_ERROR(c->Divide(c->Dim(b, 0), 4, true, &cells));
  for (int i = 0; i < 7; ++i) c->set_output(i, c->MakeShape({c->Dim(x, 0), c->Dim(x, 1), cells}));
  return OkStatus();
}

inline Status CheckCellRank(std::string_view op, std::string_view name, const Tensor& tensor, int rank) {
  if (tensor.dims() == rank) return OkStatus();
  return errors::InvalidArgument(op, ": ", name, " must be ", rank, "D but is rank ", tensor.dims());
}
// a + b, or -1 when it is not an int64: no size is -1.
constexpr Index SumOfCellSizes(Index a, Index b) { return a > std::numeric_limits<Index>::max() - b ? -1 : a + b; }
inline Status CheckCellSize(std::string_view op, std::string_view what, Index got, std::string_view want_what,
                            Index want) {
  if (got == want) return OkStatus();
  return errors::InvalidArgument(op, ": ", what, " != ", want_what, ": ", got, " vs. ", want);
}

// The inputs of an LSTM from number `first` on: x, cs_prev, h_prev, w, wci, wcf, wco, b. Fills in sizes.
inline Status CheckLstm(OpKernelContext& context, std::string_view op, int first, bool peephole, Index* steps,
                        LstmCell* cell) {
  const Tensor &x = context.input(first), &cs_prev = context.input(first + 1), &h_prev = context.input(first + 2),
               &w = context.input(first + 3), &b = context.input(first + 7);
  TENON_RETURN_IF_ERROR(CheckCellRank(op, "x", x, first + 2));
  TENON_RETURN_IF_ERROR(CheckCellRank(op, "cs_prev", cs_prev, 2));
  TENON_RETURN_IF_ERROR(CheckCellRank(op, "h_prev", h_prev, 2));
  TENON_RETURN_IF_ERROR(CheckCellRank(op, "w", w, 2));
  TENON_RETURN_IF_ERROR(CheckCellRank(op, "b", b, 1));
  *steps = first == 0 ? 1 : x.dim_size(0);
  cell->batch = x.dim_size(first);
  cell->inputs = x.dim_size(first + 1);
  cell->cells = cs_prev.dim_size(1);
  const Index n = cell->cells;
  TENON_RETURN_IF_ERROR(CheckCellSize(op, "cs_prev.dims(0)", cs_prev.dim_size(0), "batch_size", cell->batch));
  TENON_RETURN_IF_ERROR(CheckCellSize(op, "h_prev.dims(0)", h_prev.dim_size(0), "batch_size", cell->batch));
  TENON_RETURN_IF_ERROR(CheckCellSize(op, "h_prev.dims(1)", h_prev.dim_size(1), "cell_size", n));
  TENON_RETURN_IF_ERROR(
      CheckCellSize(op, "w.dim_size(0)", w.dim_size(0), "input_size + cell_size", SumOfCellSizes(cell->inputs, n)));
  TENON_RETURN_IF_ERROR(
      CheckCellSize(op, "w.dim_size(1)", w.dim_size(1), "cell_size * 4", MultiplyWithoutOverflow(n, 4)));
  TENON_RETURN_IF_ERROR(
      CheckCellSize(op, "b.dim_size(0)", b.dim_size(0), "cell_size * 4", MultiplyWithoutOverflow(n, 4)));
  constexpr std::string_view kPeepholes[] = {"wci", "wcf", "wco"};
  for (int i = 0; i < 3; ++i) {  // sequences check them even when unused
    const Tensor& weights = context.input(first + 4 + i);
    TENON_RETURN_IF_ERROR(CheckCellRank(op, kPeepholes[i], weights, 1));
    if (peephole || first == 1)
      TENON_RETURN_IF_ERROR(CheckCellSize(op, kPeepholes[i], weights.NumElements(), "cell_size", n));
  }
  return OkStatus();
}

struct LstmOptions {
  float forget_bias, cell_clip;
  bool peephole;
  bool forget_before_new;  // the gates are i, f, c, o instead of i, c, f, o
};

// `first` is 0 for one step, 1 for a sequence whose length is input 0.
inline Status RunLstm(OpKernelContext& context, Cpu& device, std::string_view op, int first, const LstmOptions& o) {
  LstmCell cell;
  Index steps = 0, length = 1;
  TENON_RETURN_IF_ERROR(CheckLstm(context, op, first, o.peephole, &steps, &cell));
  if (first == 1) {
    const Tensor& limit = context.input(0);
    if (limit.dims() != 0)
      return errors::InvalidArgument(op, ": seq_len_max must be a scalar, got shape ", limit.shape());
    length = *limit.data<std::int64_t>();
    if (length < 0 || length > steps)
      return errors::InvalidArgument(op, ": seq_len_max must be in [0, ", steps, "], got ", length);
  }
  cell.forget_bias = o.forget_bias;
  cell.cell_clip = o.cell_clip;
  if (o.forget_before_new) std::swap(cell.new_gate, cell.forget_gate);
  TensorShape shape;
  const Index sizes[] = {steps, cell.batch, cell.cells};
  TENON_RETURN_IF_ERROR(TensorShape::Build(first == 0 ? std::span<const Index>(sizes + 1, 2) : sizes, &shape));
  FloatOutput outs[7];
  FloatInput ins[8];
  for (int i = 0; i < 7; ++i) TENON_RETURN_IF_ERROR(outs[i].Make(context, i, shape));
  for (int i = 0; i < 8; ++i) TENON_RETURN_IF_ERROR(ins[i].Read(context, device, context.input(first + i)));
  cell.w = ins[3].As<float>();
  cell.b = ins[7].As<float>();
  for (int i = 0; o.peephole && i < 3; ++i) cell.peepholes[i] = ins[4 + i].As<float>();
  const Index step = cell.batch * cell.cells;
  const float *cs = ins[1].As<float>(), *h = ins[2].As<float>();
  for (Index t = 0; t < length && step > 0; ++t) {
    float* at[7];
    for (int i = 0; i < 7; ++i) at[i] = outs[i].As<float>() + t * step;
    TENON_RETURN_IF_ERROR(LstmStep(device, cell, ins[0].As<float>() + t * cell.batch * cell.inputs, cs, h,
                                   {at[0], at[1], at[2], at[3], at[4], at[5], at[6]}));
    cs = at[1];
    h = at[6];
  }
  for (FloatOutput& out : outs) {
    std::fill_n(out.As<float>() + length * step, (steps - length) * step, 0.0f);
    out.Finish(device);
  }
  return OkStatus();
}

}  // namespace detail

// x: [batch, inputs], cs_prev, h_prev: [batch, cells], w: [inputs + cells, 4 * cells]  ->  seven [batch, cells]
struct LSTMBlockCell {
  static constexpr auto signature =
      Op("LSTMBlockCell")
          .Input("x: T")
          .Input("cs_prev: T")
          .Input("h_prev: T")
          .Input("w: T")
          .Input("wci: T")
          .Input("wcf: T")
          .Input("wco: T")
          .Input("b: T")
          .Output("i: T")
          .Output("cs: T")
          .Output("f: T")
          .Output("o: T")
          .Output("ci: T")
          .Output("co: T")
          .Output("h: T")
          .Attr("forget_bias: float = 1.0")
          .Attr("cell_clip: float = 3.0")
          .Attr("use_peephole: bool = false")
          .Attr("T: {half, float}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::CellShape(c, 7); });
  struct Attrs {
    float forget_bias, cell_clip;
    bool use_peephole;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&) const {
      return detail::RunLstm(context.op(), context.device(), "LSTMBlockCell", 0,
                             {this->forget_bias, this->cell_clip, this->use_peephole, false});
    }
  };
};

// x: [steps, batch, inputs]  ->  seven [steps, batch, cells], zeros from step seq_len_max on
struct BlockLSTM {
  static constexpr auto signature = Op("BlockLSTM")
                                        .Input("seq_len_max: int64")
                                        .Input("x: T")
                                        .Input("cs_prev: T")
                                        .Input("h_prev: T")
                                        .Input("w: T")
                                        .Input("wci: T")
                                        .Input("wcf: T")
                                        .Input("wco: T")
                                        .Input("b: T")
                                        .Output("i: T")
                                        .Output("cs: T")
                                        .Output("f: T")
                                        .Output("o: T")
                                        .Output("ci: T")
                                        .Output("co: T")
                                        .Output("h: T")
                                        .Attr("forget_bias: float = 1.0")
                                        .Attr("cell_clip: float = 3.0")
                                        .Attr("use_peephole: bool = false")
                                        .Attr("T: {half, float}")
                                        .SetShapeFn(detail::BlockLstmShape);
  using Attrs = LSTMBlockCell::Attrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunLstm(context.op(), context.device(), "BlockLSTM", 1,
                             {this->forget_bias, this->cell_clip, this->use_peephole, false});
    }
  };
};

// The gates in another order, and no forget bias.
struct BlockLSTMV2 {
  static constexpr auto signature = Op("BlockLSTMV2")
                                        .Input("seq_len_max: int64")
                                        .Input("x: T")
                                        .Input("cs_prev: T")
                                        .Input("h_prev: T")
                                        .Input("w: T")
                                        .Input("wci: T")
                                        .Input("wcf: T")
                                        .Input("wco: T")
                                        .Input("b: T")
                                        .Output("i: T")
                                        .Output("cs: T")
                                        .Output("f: T")
                                        .Output("o: T")
                                        .Output("ci: T")
                                        .Output("co: T")
                                        .Output("h: T")
                                        .Attr("cell_clip: float = 0.0")
                                        .Attr("use_peephole: bool = false")
                                        .Attr("T: {half, float}")
                                        .SetShapeFn(detail::BlockLstmShape);
  struct Attrs {
    float cell_clip;
    bool use_peephole;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunLstm(context.op(), context.device(), "BlockLSTMV2", 1,
                             {0, this->cell_clip, this->use_peephole, true});
    }
  };
};

// x: [batch, inputs], h_prev: [batch, cells]  ->  four [batch, cells]
struct GRUBlockCell {
  static constexpr auto signature =
      Op("GRUBlockCell")
          .Attr("T: {float}")
          .Input("x: T")
          .Input("h_prev: T")
          .Input("w_ru: T")
          .Input("w_c: T")
          .Input("b_ru: T")
          .Input("b_c: T")
          .Output("r: T")
          .Output("u: T")
          .Output("c: T")
          .Output("h: T")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::CellShape(c, 4); });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), context.device());
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device) {
    constexpr std::string_view kName = "GRUBlockCell";
    constexpr std::string_view kNames[] = {"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"};
    for (int i = 0; i < 6; ++i)
      TENON_RETURN_IF_ERROR(detail::CheckCellRank(kName, kNames[i], context.input(i), i < 4 ? 2 : 1));
    const Tensor &x = context.input(0), &h_prev = context.input(1), &w_ru = context.input(2), &w_c = context.input(3),
                 &b_ru = context.input(4), &b_c = context.input(5);
    const GruCell cell{x.dim_size(0),     x.dim_size(1),      h_prev.dim_size(1), w_ru.data<float>(),
                       w_c.data<float>(), b_ru.data<float>(), b_c.data<float>()};
    const Index n = cell.cells, two = MultiplyWithoutOverflow(n, 2);
    const struct {
      std::string_view what;
      Index got;
      std::string_view want_what;
      Index want;
    } sizes[] = {
        {"h_prev.dims(0)", h_prev.dim_size(0), "batch_size", cell.batch},
        {"w_ru.dim_size(0)", w_ru.dim_size(0), "input_size + cell_size", detail::SumOfCellSizes(cell.inputs, n)},
        {"w_ru.dim_size(1)", w_ru.dim_size(1), "cell_size * 2", two},
        {"w_c.dim_size(0)", w_c.dim_size(0), "input_size + cell_size", detail::SumOfCellSizes(cell.inputs, n)},
        {"w_c.dim_size(1)", w_c.dim_size(1), "cell_size", n},
        {"b_ru.dim_size(0)", b_ru.dim_size(0), "cell_size * 2", two},
        {"b_c.dim_size(0)", b_c.dim_size(0), "cell_size", n}};
    for (const auto& size : sizes)
      TENON_RETURN_IF_ERROR(detail::CheckCellSize(kName, size.what, size.got, size.want_what, size.want));
    const TensorShape shape = h_prev.shape();
    Tensor* outs[4] = {};
    for (int i = 0; i < 4; ++i) TENON_RETURN_IF_ERROR(context.allocate_output(i, shape, &outs[i]));
    if (shape.num_elements() == 0) return OkStatus();
    return GruStep(device, cell, x.data<float>(), h_prev.data<float>(), outs[0]->data<float>(), outs[1]->data<float>(),
                   outs[2]->data<float>(), outs[3]->data<float>());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

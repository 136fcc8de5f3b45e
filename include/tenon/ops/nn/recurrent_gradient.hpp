// SPDX-License-Identifier: Apache-2.0
#pragma once
// BlockLSTMGrad and BlockLSTMGradV2: gradients of BlockLSTM and BlockLSTMV2.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/lstm_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/ops/nn/recurrent.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr int kLstmGradInputs = 18, kLstmGradOutputs = 8;

// Output i has the shape of input i + 1.
inline Status BlockLstmGradShape(InferenceContext* c) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < kLstmGradOutputs; ++i) {
    ShapeHandle shape;
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i + 1), kRanks[i], &shape));
    c->set_output(i, shape);
  }
  return OkStatus();
}

// The inputs behind those of the forward op: the sequences [steps, batch, cells] that it made, and their gradients.
inline Status CheckLstmRecords(OpKernelContext& context, std::string_view op, const TensorShape& want) {
  constexpr std::string_view kNames[] = {"i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"};
  for (int i = 9; i < kLstmGradInputs; ++i)
    if (!(context.input(i).shape() == want))
      return errors::InvalidArgument(op, ": ", kNames[i - 9], " must have shape ", want, ", got ",
                                     context.input(i).shape());
  return OkStatus();
}

inline Status RunLstmGrad(OpKernelContext& context, Cpu& device, std::string_view op, bool peephole,
                          bool forget_before_new) {
  LstmCell cell;
  Index steps = 0;
  TENON_RETURN_IF_ERROR(CheckLstm(context, op, 1, peephole, &steps, &cell));
  const Tensor& limit = context.input(0);
  if (limit.dims() != 0)
    return errors::InvalidArgument(op, ": seq_len_max must be a scalar, got shape ", limit.shape());
  const Index length = *limit.data<std::int64_t>();
  if (length < 0 || length > steps)
    return errors::InvalidArgument(op, ": seq_len_max must be in [0, ", steps, "], got ", length);
  const Index sizes[] = {steps, cell.batch, cell.cells};
  TensorShape sequence;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &sequence));
  TENON_RETURN_IF_ERROR(CheckLstmRecords(context, op, sequence));
  if (forget_before_new) std::swap(cell.new_gate, cell.forget_gate);
  FloatInput in[kLstmGradInputs];
  FloatOutput outs[kLstmGradOutputs];
  for (int i = 1; i < kLstmGradInputs; ++i) TENON_RETURN_IF_ERROR(in[i].Read(context, device, context.input(i)));
  for (int i = 0; i < kLstmGradOutputs; ++i) {
    TENON_RETURN_IF_ERROR(outs[i].Make(context, i, context.input(i + 1).shape()));
  }
  cell.w = in[4].As<float>();
  for (int i = 0; peephole && i < 3; ++i) cell.peepholes[i] = in[5 + i].As<float>();
  const Index worked = cell.batch * cell.cells > 0 ? length : 0;  // steps
  for (int i = 0; i < kLstmGradOutputs; ++i) {
    const bool written = worked > 0 && (i < 4 || i == 7 || peephole);
    const Index start = !written ? 0 : i == 0 ? worked * cell.batch * cell.inputs : outs[i].size();
    std::fill(outs[i].As<float>() + start, outs[i].As<float>() + outs[i].size(), 0.0f);
  }
  if (worked > 0) {
    const LstmRecord record{worked,
                            in[1].As<float>(),
                            in[2].As<float>(),
                            in[3].As<float>(),
                            in[9].As<float>(),
                            in[10].As<float>(),
                            in[11].As<float>(),
                            in[12].As<float>(),
                            in[13].As<float>(),
                            in[14].As<float>(),
                            in[15].As<float>(),
                            in[16].As<float>(),
                            in[17].As<float>()};
    TENON_RETURN_IF_ERROR(LstmGradient(device, cell, record,
                                       {outs[0].As<float>(),
                                        outs[1].As<float>(),
                                        outs[2].As<float>(),
                                        outs[3].As<float>(),
                                        {outs[4].As<float>(), outs[5].As<float>(), outs[6].As<float>()},
                                        outs[7].As<float>()}));
  }
  for (FloatOutput& out : outs) out.Finish(device);
  return OkStatus();
}

struct LstmGradAttrs {
  bool use_peephole;
};

constexpr auto LstmGradOp(std::string_view name) {
  return Op(name)
      .Input("seq_len_max: int64")
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
      .Input("h: T")
      .Input("cs_grad: T")
      .Input("h_grad: T")
      .Output("x_grad: T")
      .Output("cs_prev_grad: T")
      .Output("h_prev_grad: T")
      .Output("w_grad: T")
      .Output("wci_grad: T")
      .Output("wcf_grad: T")
      .Output("wco_grad: T")
      .Output("b_grad: T")
      .Attr("use_peephole: bool")
      .Attr("T: {half, float}")
      .SetShapeFn(BlockLstmGradShape);
}

// A kernel has no more than so many arguments: this one reads its inputs by number.
template <class Device, bool kForgetBeforeNew>
struct LstmGradKernel : LstmGradAttrs {
  Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
    return RunLstmGrad(context.op(), context.device(), kForgetBeforeNew ? "BlockLSTMGradV2" : "BlockLSTMGrad",
                       this->use_peephole, kForgetBeforeNew);
  }
};

}  // namespace detail

// The inputs and outputs of BlockLSTM, and gradients of its cs and h  ->  gradients of its inputs but the first
struct BlockLSTMGrad {
  static constexpr auto signature = detail::LstmGradOp("BlockLSTMGrad");
  using Attrs = detail::LstmGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::LstmGradKernel<Device, false>;
};

// The gradient of BlockLSTMV2, whose gates are in another order.
struct BlockLSTMGradV2 {
  static constexpr auto signature = detail::LstmGradOp("BlockLSTMGradV2");
  using Attrs = detail::LstmGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::LstmGradKernel<Device, true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

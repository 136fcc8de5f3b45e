// SPDX-License-Identifier: Apache-2.0
#pragma once
// FakeQuantWithMinMax ops: floats as they would be after quantisation within a range, and their gradients.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/math/fake_quant.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status FakeQuantVarsShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}
inline Status FakeQuantChannelShape(InferenceContext* c) {
  ShapeHandle input, min, max;
  DimensionHandle depth;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &min));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, -1), c->Dim(min, 0), &depth));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &max));
  TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(max, 0), &depth));
  c->set_output(0, input);
  return OkStatus();
}
inline Status FakeQuantVarsGradientShape(InferenceContext* c) {
  ShapeHandle inputs, min_max;
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &inputs));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &min_max));
  TENON_RETURN_IF_ERROR(c->Merge(min_max, c->input(3), &min_max));
  c->set_output(0, inputs);
  c->set_output(1, min_max);
  c->set_output(2, min_max);
  return OkStatus();
}
inline Status FakeQuantChannelGradientShape(InferenceContext* c) {
  ShapeHandle inputs, last, min_max;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &inputs));
  TENON_RETURN_IF_ERROR(c->Merge(inputs, c->input(1), &inputs));
  last = c->Vector(c->Dim(inputs, -1));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &min_max));
  TENON_RETURN_IF_ERROR(c->Merge(min_max, last, &min_max));
  TENON_RETURN_IF_ERROR(c->Merge(c->input(3), min_max, &min_max));
  c->set_output(0, inputs);
  c->set_output(1, min_max);
  c->set_output(2, min_max);
  return OkStatus();
}

TENON_DETAIL_COLD inline Status CheckFakeQuantBits(std::string_view op, std::int64_t bits) {
  if (bits >= 2 && bits <= 16) return OkStatus();
  return errors::InvalidArgument(op, ": num_bits must be between 2 and 16, inclusive, got ", bits);
}
// Min or max: a scalar (depth 0), or one number for each of the `depth` channels.
inline Status CheckFakeQuantLimit(std::string_view op, std::string_view name, const TensorShape& shape, bool channels,
                                  Index depth) {
  if (shape.dims() != (channels ? 1 : 0))
    return errors::InvalidArgument(op, ": `", name, "` must be rank ", channels ? 1 : 0, " but is rank ", shape.dims());
  if (channels && shape.num_elements() != depth)
    return errors::InvalidArgument(op, ": ", name, " has incorrect size, expected ", depth, " was ",
                                   shape.num_elements());
  return OkStatus();
}
// Channels lie in the last dimension; without channels all elements are one.
inline Status CheckFakeQuant(std::string_view op, const TensorShape& inputs, const TensorShape& min,
                             const TensorShape& max, bool channels) {
  if (channels && inputs.dims() < 1)
    return errors::InvalidArgument(op, ": inputs must be at least rank 1 but are rank 0");
  const Index depth = channels ? inputs.dim_size(inputs.dims() - 1) : 1;
  TENON_RETURN_IF_ERROR(CheckFakeQuantLimit(op, "min", min, channels, depth));
  return CheckFakeQuantLimit(op, "max", max, channels, depth);
}

// Gradients of every `step`-th element from `first` on; sums of those below and above the range.
inline void FakeQuantGradientRun(const FakeQuantRange& range, const float* g, const float* x, float* out, Index first,
                                 Index step, Index n, float* below, float* above) {
  float under = 0, over = 0;
  for (Index i = first; i < n; i += step) {
    const bool inside = range.is_zero || (x[i] >= range.low && x[i] <= range.high);
    out[i] = inside ? g[i] : 0;
    if (!range.is_zero && x[i] < range.low) under += g[i];
    if (!range.is_zero && x[i] > range.high) over += g[i];
  }
  *below = under;
  *above = over;
}
inline Status SameGradientShape(std::string_view op, const TensorShape& gradients, const TensorShape& inputs) {
  if (gradients == inputs) return OkStatus();
  return errors::InvalidArgument(op, ": gradient and input must be the same size, got ", gradients, " and ", inputs);
}

struct FakeQuantArgsAttrs {
  float min, max;
  std::int64_t num_bits;
  bool narrow_range;

  Status Check(std::string_view op) const {
    if (!(min < max)) return errors::InvalidArgument(op, ": min has to be smaller than max, was: ", min, " >= ", max);
    return CheckFakeQuantBits(op, num_bits);
  }
};
struct FakeQuantVarsAttrs {
  std::int64_t num_bits;
  bool narrow_range;
};

// The kernel of the ops whose limits are inputs.
template <class Op, class Device>
  requires(Device::type == "CPU")
struct FakeQuantVarsKernel : FakeQuantVarsAttrs {
  Status Init(OpKernelConstruction&) { return CheckFakeQuantBits(Op::signature.name, num_bits); }
  Status operator()(Device& device, In<float> inputs, In<float> min, In<float> max, Out<float> outputs) const {
    TENON_RETURN_IF_ERROR(CheckFakeQuant(Op::signature.name, inputs.shape(), min.shape(), max.shape(), Op::kChannels));
    if (!Op::kChannels) {
      FakeQuantRun(device, FakeQuantRange(min[0], max[0], num_bits, narrow_range, true), inputs.data, outputs.data,
                   inputs.size());
      return OkStatus();
    }
    for (Index c = 0; c < min.size(); ++c) {
      const FakeQuantRange range(min[c], max[c], num_bits, narrow_range, false);
      for (Index i = c; i < inputs.size(); i += min.size()) outputs[i] = range(inputs[i]);
    }
    return OkStatus();
  }
};
template <class Op, class Device>
  requires(Device::type == "CPU")
struct FakeQuantVarsGradientKernel : FakeQuantVarsAttrs {
  Status Init(OpKernelConstruction&) { return CheckFakeQuantBits(Op::signature.name, num_bits); }
  Status operator()(Device&, In<float> gradients, In<float> inputs, In<float> min, In<float> max,
                    Out<float> backprops_wrt_input, Out<float> backprop_wrt_min, Out<float> backprop_wrt_max) const {
    TENON_RETURN_IF_ERROR(SameGradientShape(Op::signature.name, gradients.shape(), inputs.shape()));
    TENON_RETURN_IF_ERROR(CheckFakeQuant(Op::signature.name, inputs.shape(), min.shape(), max.shape(), Op::kChannels));
    for (Index c = 0; c < min.size(); ++c)
      FakeQuantGradientRun(FakeQuantRange(min[c], max[c], num_bits, narrow_range, false), gradients.data, inputs.data,
                           backprops_wrt_input.data, c, min.size(), inputs.size(), &backprop_wrt_min.data[c],
                           &backprop_wrt_max.data[c]);
    return OkStatus();
  }
};

}  // namespace detail

// The range is in attrs.
struct FakeQuantWithMinMaxArgs {
  static constexpr auto signature = Op("FakeQuantWithMinMaxArgs")
                                        .Input("inputs: float")
                                        .Output("outputs: float")
                                        .Attr("min: float = -6")
                                        .Attr("max: float = 6")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::FakeQuantArgsAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return this->Check("FakeQuantWithMinMaxArgs"); }
    Status operator()(Device& device, In<float> inputs, Out<float> outputs) const {
      const FakeQuantRange range(this->min, this->max, this->num_bits, this->narrow_range, false);
      FakeQuantRun(device, range, inputs.data, outputs.data, inputs.size());
      return OkStatus();
    }
  };
};

struct FakeQuantWithMinMaxArgsGradient {
  static constexpr auto signature = Op("FakeQuantWithMinMaxArgsGradient")
                                        .Input("gradients: float")
                                        .Input("inputs: float")
                                        .Output("backprops: float")
                                        .Attr("min: float = -6")
                                        .Attr("max: float = 6")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::FakeQuantArgsAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return this->Check("FakeQuantWithMinMaxArgsGradient"); }
    Status operator()(Device&, In<float> gradients, In<float> inputs, Out<float> backprops) const {
      TENON_RETURN_IF_ERROR(
          detail::SameGradientShape("FakeQuantWithMinMaxArgsGradient", gradients.shape(), inputs.shape()));
      float below = 0, above = 0;
      const FakeQuantRange range(this->min, this->max, this->num_bits, this->narrow_range, false);
      detail::FakeQuantGradientRun(range, gradients.data, inputs.data, backprops.data, 0, 1, inputs.size(), &below,
                                   &above);
      return OkStatus();
    }
  };
};

// min, max: scalars.
struct FakeQuantWithMinMaxVars {
  static constexpr auto signature = Op("FakeQuantWithMinMaxVars")
                                        .Input("inputs: float")
                                        .Input("min: float")
                                        .Input("max: float")
                                        .Output("outputs: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(detail::FakeQuantVarsShape);

  using Attrs = detail::FakeQuantVarsAttrs;
  static constexpr bool kChannels = false;
  template <class Device>
  using kernel = detail::FakeQuantVarsKernel<FakeQuantWithMinMaxVars, Device>;
};

struct FakeQuantWithMinMaxVarsGradient {
  static constexpr auto signature = Op("FakeQuantWithMinMaxVarsGradient")
                                        .Input("gradients: float")
                                        .Input("inputs: float")
                                        .Input("min: float")
                                        .Input("max: float")
                                        .Output("backprops_wrt_input: float")
                                        .Output("backprop_wrt_min: float")
                                        .Output("backprop_wrt_max: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(detail::FakeQuantVarsGradientShape);

  using Attrs = detail::FakeQuantVarsAttrs;
  static constexpr bool kChannels = false;
  template <class Device>
  using kernel = detail::FakeQuantVarsGradientKernel<FakeQuantWithMinMaxVarsGradient, Device>;
};

// inputs: [..., d]  min, max: [d]
struct FakeQuantWithMinMaxVarsPerChannel {
  static constexpr auto signature = Op("FakeQuantWithMinMaxVarsPerChannel")
                                        .Input("inputs: float")
                                        .Input("min: float")
                                        .Input("max: float")
                                        .Output("outputs: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(detail::FakeQuantChannelShape);

  using Attrs = detail::FakeQuantVarsAttrs;
  static constexpr bool kChannels = true;
  template <class Device>
  using kernel = detail::FakeQuantVarsKernel<FakeQuantWithMinMaxVarsPerChannel, Device>;
};

struct FakeQuantWithMinMaxVarsPerChannelGradient {
  static constexpr auto signature = Op("FakeQuantWithMinMaxVarsPerChannelGradient")
                                        .Input("gradients: float")
                                        .Input("inputs: float")
                                        .Input("min: float")
                                        .Input("max: float")
                                        .Output("backprops_wrt_input: float")
                                        .Output("backprop_wrt_min: float")
                                        .Output("backprop_wrt_max: float")
                                        .Attr("num_bits: int = 8")
                                        .Attr("narrow_range: bool = false")
                                        .SetShapeFn(detail::FakeQuantChannelGradientShape);

  using Attrs = detail::FakeQuantVarsAttrs;
  static constexpr bool kChannels = true;
  template <class Device>
  using kernel = detail::FakeQuantVarsGradientKernel<FakeQuantWithMinMaxVarsPerChannelGradient, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

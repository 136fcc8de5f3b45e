// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedConv2DWithBiasAndRelu and its kin: convolutions of 8-bit numbers, then a bias, a sum, Relu and a new range.
// Zero is the integer 0. TensorFlow runs these ops with oneDNN only.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/fused_scale.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The bytes under the window of output pixel number `pixel`, 0 outside the image.
inline void CopyDilatedWindow(const Conv2DGeometry& g, const char* images, Index pixel, char* to) {
  const Index at_row = pixel / g.columns.output, row = at_row % g.rows.output, column = pixel % g.columns.output;
  const char* const image = images + at_row / g.rows.output * g.rows.input * g.columns.input * g.in_depth;
  const auto bytes = static_cast<std::size_t>(g.in_depth);
  for (Index i = 0; i < g.rows.size; ++i) {
    const Index y = row * g.rows.stride - g.rows.pad_before + i * g.rows.dilation;
    for (Index j = 0; j < g.columns.size; ++j, to += bytes) {
      const Index x = column * g.columns.stride - g.columns.pad_before + j * g.columns.dilation;
      if (y >= 0 && y < g.rows.input && x >= 0 && x < g.columns.input)
        std::memcpy(to, image + (y * g.columns.input + x) * g.in_depth, bytes);
      else
        std::memset(to, 0, bytes);
    }
  }
}

// Sums of one window: bytes [taps, in], filter [taps, in, out / in].
inline void MultiplyDepthwise(const char* window, bool is_signed, const std::int8_t* filter, Index taps, Index in,
                              Index multiplier, std::int32_t* sums) {
  const DataType type = is_signed ? DataType::kQint8 : DataType::kQuint8;
  std::fill_n(sums, in * multiplier, 0);
  for (Index t = 0; t < taps; ++t)
    for (Index d = 0; d < in; ++d)
      for (Index m = 0; m < multiplier; ++m)
        sums[d * multiplier + m] += LoadQuantized(window, type, t * in + d) * filter[(t * in + d) * multiplier + m];
}

// A convolution's kernel. Inputs: image, filter, the bias, the ranges of both and of the output, the summand and its
// range, as far as `steps` say.
class FusedConvKernel : public OpKernel {
 public:
  FusedConvKernel(OpKernelConstruction* c, FusedSteps steps) : OpKernel(c), steps_(steps) { c->SetStatus(Init(*c)); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context, context->device<Cpu>())); }

 private:
  Status Init(const OpKernelConstruction& c) {
    std::string_view padding;
    TENON_RETURN_IF_ERROR(steps_.ServeTypes(c));
    TENON_RETURN_IF_ERROR(c.GetAttr("strides", &strides_));
    TENON_RETURN_IF_ERROR(c.GetAttr("dilations", &dilations_));
    TENON_RETURN_IF_ERROR(c.GetAttr("padding", &padding));
    if (c.HasAttr("padding_list")) TENON_RETURN_IF_ERROR(c.GetAttr("padding_list", &paddings_));
    return ParsePadding(padding, &padding_);
  }
  Status Run(OpKernelContext& context, Cpu& device) {
    const Tensor &images = context.input(0), &filter = context.input(1);
    Conv2DGeometry g;
    Index multiplier = 0;
    TENON_RETURN_IF_ERROR(MakeGeometry(images.shape(), filter.shape(), &g, &multiplier));
    const Index depth = g.out_depth, pixels = g.batch * g.rows.output * g.columns.output;
    FusedScales scales(steps_);
    TENON_RETURN_IF_ERROR(scales.Read(context, depth));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, g.output_shape(), &out));
    if (steps_.sum) TENON_RETURN_IF_ERROR(scales.ReadSummand(context, out->shape()));
    const Index taps = g.rows.size * g.columns.size, window = taps * g.in_depth;
    constexpr Index kMostBytes = 4 << 20, kFewestPixels = 64;  // limits for a piece
    const Index piece = std::min(pixels, std::max(kFewestPixels, kMostBytes / std::max<Index>(window, 1)));
    const std::size_t window_bytes = tenon::detail::ScratchBytes<char>(piece * window);
    const Scratch scratch(device, window_bytes + tenon::detail::ScratchBytes<std::int32_t>(piece * depth));
    TENON_RETURN_IF_ERROR(scratch.status(type_string()));
    char* const windows = scratch.As<char>();
    auto* const sums = scratch.As<std::int32_t>(window_bytes);
    const bool is_signed = images.dtype() == DataType::kQint8;
    const auto* const weights = static_cast<const std::int8_t*>(filter.raw_data());
    for (Index first = 0; first < pixels && depth > 0; first += piece) {
      const Index count = std::min(piece, pixels - first);
      ParallelFor(device, count, 20 + 0.1 * static_cast<double>(window), [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          CopyDilatedWindow(g, static_cast<const char*>(images.raw_data()), first + i, windows + i * window);
          if (steps_.depthwise)
            MultiplyDepthwise(windows + i * window, is_signed, weights, taps, g.in_depth, multiplier, sums + i * depth);
        }
      });
      if (!steps_.depthwise)
        TENON_RETURN_IF_ERROR(GemmInt8(device, count, depth, window, {windows, is_signed, window, 1},
                                       {weights, true, depth, 1}, sums, depth));
      scales.Apply(device, sums, first, count, out);
    }
    return scales.WriteRange(context);
  }
  Status MakeGeometry(const TensorShape& images, const TensorShape& filter, Conv2DGeometry* g,
                      Index* multiplier) const {
    if (images.dims() != 4) return errors::InvalidArgument(type_string(), ": input must be 4-dimensional: ", images);
    if (filter.dims() != 4) return errors::InvalidArgument(type_string(), ": filter must be 4-dimensional: ", filter);
    if (filter.num_elements() == 0)
      return errors::InvalidArgument(type_string(), ": filter must not be empty: ", filter);
    if (images.dim_size(3) != filter.dim_size(2))
      return errors::InvalidArgument(type_string(), ": input and filter must have the same depth: ", images.dim_size(3),
                                     " vs ", filter.dim_size(2));
    TENON_RETURN_IF_ERROR(MakeConv2DGeometry(images, filter, strides_, dilations_,
                                             paddings_.empty() ? padding_ : Padding::kExplicit, paddings_, g));
    *multiplier = g->out_depth;
    if (steps_.depthwise) g->out_depth = MultiplyWithoutOverflow(g->in_depth, g->out_depth);
    if (g->out_depth < 0)
      return errors::InvalidArgument(type_string(), ": the output's depth overflows for filter ", filter);
    return TensorShape::Make({g->batch, g->rows.output, g->columns.output, g->out_depth}).status();
  }

  FusedSteps steps_;
  SlimVector<std::int64_t> strides_, dilations_, paddings_;
  Padding padding_ = Padding::kValid;
};

constexpr Status FusedConvShapes(InferenceContext* c, FusedSteps steps) {
  if (steps.depthwise) return shape_inference::DepthwiseConv2DNativeShape(c);  // outputs 1 and 2 stay unknown
  ShapeHandle unused, low, high;
  TENON_RETURN_IF_ERROR(shape_inference::Conv2DShape(c));
  const int next = steps.bias ? 3 : 2;
  if (steps.bias) TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  for (int i = 0; i < 2; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(next + i), 0, &unused));
  const int most = steps.requantizes && !steps.bias && !steps.relu ? 0 : 1;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(next + 2), most, &low));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(next + 3), most, &high));
  for (int i = 0; steps.requantizes && i < 2; ++i)
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(next + 4 + i), 0, &unused));
  c->set_output(1, steps.requantizes ? c->Scalar() : low);
  c->set_output(2, steps.requantizes ? c->Scalar() : high);
  return OkStatus();
}
template <FusedSteps steps, class Op>
constexpr auto FusedConvRanges(const Op& op) {
  const auto next =
      op.Input("min_input: float").Input("max_input: float").Input("min_filter: float").Input("max_filter: float");
  if constexpr (steps.requantizes && steps.sum)
    return next.Input("min_freezed_output: float")
        .Input("max_freezed_output: float")
        .Input("summand: Tsummand")
        .Input("min_summand: float")
        .Input("max_summand: float");
  else if constexpr (steps.requantizes)
    return next.Input("min_freezed_output: float").Input("max_freezed_output: float");
  else if constexpr (steps.sum)
    return next.Input("summand: float");
  else
    return next;
}
template <FusedSteps steps>
constexpr auto FusedConvInputs(const char* name) {
  const auto op = Op(name).Input("input: Tinput").Input("filter: Tfilter");
  if constexpr (steps.bias && steps.requantizes)
    return FusedConvRanges<steps>(op.Input("bias: Tbias"));
  else if constexpr (steps.bias)
    return FusedConvRanges<steps>(op.Input("bias: float"));
  else
    return FusedConvRanges<steps>(op);
}
template <FusedSteps steps>
constexpr auto FusedConvTypes(const char* name) {
  const auto op = FusedConvInputs<steps>(name)
                      .Output("output: out_type")
                      .Output("min_output: float")
                      .Output("max_output: float")
                      .Attr("Tinput: quantizedtype")
                      .Attr("Tfilter: quantizedtype");
  if constexpr (steps.requantizes && steps.sum)
    return op.Attr("Tbias: {float, qint32}").Attr("Tsummand: quantizedtype");
  else if constexpr (steps.requantizes && steps.bias)
    return op.Attr("Tbias: {float, qint32}");
  else
    return op;
}
template <FusedSteps steps>
constexpr auto FusedConvOp(const char* name) {
  const auto op = FusedConvTypes<steps>(name)
                      .Attr(!steps.requantizes ? "out_type: quantizedtype = DT_QINT32"
                            : steps.relu       ? "out_type: quantizedtype = DT_QUINT8"
                                               : "out_type: quantizedtype = DT_QINT8")
                      .Attr("strides: list(int)")
                      .Attr("padding: {'SAME', 'VALID'}")
                      .Attr("dilations: list(int) = [1, 1, 1, 1]")
                      .SetShapeFn([](InferenceContext* c) -> Status { return FusedConvShapes(c, steps); });
  if constexpr (steps.paddings)
    return op.Attr("padding_list: list(int) = []");
  else
    return op;
}

// Base of the ops below; each gives its name by its signature.
template <FusedSteps kSteps>
struct FusedConv {
  static constexpr FusedSteps steps = kSteps;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : FusedConvKernel {
    explicit kernel(OpKernelConstruction* c) : FusedConvKernel(c, steps) {}
  };
};

}  // namespace detail

// input: [n, h, w, in], filter: [fh, fw, in, out], or [fh, fw, in, out / in] of depthwise convolutions; bias: [out];
// min_filter, max_filter: [] or [out]; summand: the output's shape  ->  [n, oh, ow, out]
struct QuantizedConv2DPerChannel : detail::FusedConv<detail::FusedSteps{}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DPerChannel");
};
struct QuantizedConv2DAndRelu : detail::FusedConv<detail::FusedSteps{.relu = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DAndRelu");
};
struct QuantizedConv2DAndRequantize : detail::FusedConv<detail::FusedSteps{.requantizes = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DAndRequantize");
};
struct QuantizedConv2DAndReluAndRequantize
    : detail::FusedConv<detail::FusedSteps{.relu = true, .requantizes = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DAndReluAndRequantize");
};
struct QuantizedConv2DWithBias
    : detail::FusedConv<detail::FusedSteps{.bias = true, .paddings = true, .signed_input = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBias");
};
struct QuantizedConv2DWithBiasAndRelu
    : detail::FusedConv<detail::FusedSteps{.bias = true, .relu = true, .paddings = true, .signed_input = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasAndRelu");
};
struct QuantizedConv2DWithBiasAndRequantize
    : detail::FusedConv<detail::FusedSteps{.bias = true, .requantizes = true, .paddings = true, .signed_input = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasAndRequantize");
};
struct QuantizedConv2DWithBiasAndReluAndRequantize
    : detail::FusedConv<detail::FusedSteps{
          .bias = true, .relu = true, .requantizes = true, .paddings = true, .signed_input = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasAndReluAndRequantize");
};
struct QuantizedConv2DWithBiasSumAndRelu
    : detail::FusedConv<detail::FusedSteps{.bias = true, .relu = true, .sum = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasSumAndRelu");
};
struct QuantizedConv2DWithBiasSumAndReluAndRequantize
    : detail::FusedConv<detail::FusedSteps{
          .bias = true, .relu = true, .sum = true, .requantizes = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasSumAndReluAndRequantize");
};
struct QuantizedConv2DWithBiasSignedSumAndReluAndRequantize
    : detail::FusedConv<detail::FusedSteps{
          .bias = true, .relu = true, .sum = true, .requantizes = true, .paddings = true, .signed_sum = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedConv2DWithBiasSignedSumAndReluAndRequantize");
};
struct QuantizedDepthwiseConv2D : detail::FusedConv<detail::FusedSteps{.depthwise = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedDepthwiseConv2D");
};
struct QuantizedDepthwiseConv2DWithBias : detail::FusedConv<detail::FusedSteps{.bias = true, .depthwise = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedDepthwiseConv2DWithBias");
};
struct QuantizedDepthwiseConv2DWithBiasAndRelu
    : detail::FusedConv<detail::FusedSteps{.bias = true, .relu = true, .depthwise = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedDepthwiseConv2DWithBiasAndRelu");
};
struct QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize
    : detail::FusedConv<detail::FusedSteps{
          .bias = true, .relu = true, .requantizes = true, .depthwise = true, .paddings = true}> {
  static constexpr auto signature = detail::FusedConvOp<steps>("QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize");
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

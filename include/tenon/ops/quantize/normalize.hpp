// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedInstanceNorm, QuantizedBatchNormWithGlobalNormalization: images of bytes with mean 0 and variance 1.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/ranges.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct InstanceNormRule {
  bool given;
  QuantizedRange range;
  float epsilon, separation;
};

// Each channel of each image by itself. Means and variances are summed as doubles: TensorFlow sums floats in blocks, so
// a byte may differ by 1 where a number is half-way between two.
inline Status RunInstanceNorm(OpKernelContext& context, const InstanceNormRule& rule) {
  const Tensor& input = context.input(0);
  QuantizedRange from, to = rule.range;
  Tensor *out = nullptr, normed;
  TENON_RETURN_IF_ERROR(from.Read(context, 1, "x"));
  TENON_RETURN_IF_ERROR(from.RequireSome(context, "x"));
  if (rule.given && !(to.low < to.high))
    return errors::InvalidArgument("QuantizedInstanceNorm: given_y_min must be less than given_y_max: ", to.low,
                                   " >= ", to.high);
  if (input.dims() != 4)
    return errors::InvalidArgument("QuantizedInstanceNorm: x must have 4 dimensions, but has the shape ",
                                   input.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, input.shape(), &normed));
  const QuantizedKind kind = QuantizedKind::Of(DataType::kQuint8);
  const QuantizedToFloatScale number(kind, from.low, from.high);
  const auto* const x = static_cast<const std::uint8_t*>(input.raw_data());
  float* const y = normed.data<float>();
  const Index depth = input.dim_size(3), pixels = input.dim_size(1) * input.dim_size(2);
  const bool empty = input.NumElements() == 0;
  float least = HUGE_VALF, most = -HUGE_VALF;
  for (Index b = 0; b < (empty ? 0 : input.dim_size(0)); ++b) {
    for (Index c = 0; c < depth; ++c) {
      const Index start = b * pixels * depth + c, end = start + pixels * depth;
      double sum = 0, squares = 0;
      for (Index i = start; i < end; i += depth) sum += static_cast<double>(number(x[i]));
      const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (Index i = start; i < end; i += depth) {
        y[i] = number(x[i]) - mean;
        squares += static_cast<double>(y[i] * y[i]);
      }
      const auto variance = static_cast<float>(squares / static_cast<double>(pixels));
      const float factor = 1.0f / std::sqrt(variance + rule.epsilon);
      for (Index i = start; i < end; i += depth) {
        y[i] *= factor;
        least = std::min(least, y[i]);
        most = std::max(most, y[i]);
      }
    }
  }
  if (!rule.given) to = {least, std::max(most, least + rule.separation)};
  if (!empty) {
    const FloatToQuantizedScale byte(kind, to.low, to.high);
    for (Index i = 0; i < input.NumElements(); ++i)
      static_cast<std::uint8_t*>(out->raw_data())[i] = static_cast<std::uint8_t>(byte(y[i]));
  }
  return to.Write(context, 1);
}

// Inputs i to i + 2: bytes with the ends of their range.
struct RangedBytes {
  const Tensor* bytes = nullptr;
  QuantizedRange range;

  Status Read(const OpKernelContext& context, int i) {
    bytes = &context.input(i);
    for (int k = 1; k < 3; ++k) {
      const Tensor& end = context.input(i + k);
      if (end.NumElements() != 1)
        return errors::InvalidArgument(context.op_kernel().type_string(), ": input ", i + k,
                                       ", an end of a range, must have 1 element, but has the shape ", end.shape());
      (k == 1 ? range.low : range.high) = *end.data<float>();
    }
    return OkStatus();
  }
  float operator()(Index i) const {
    return QuantizedToFloat(QuantizedKind::Of(DataType::kQuint8),
                            static_cast<const std::uint8_t*>(bytes->raw_data())[i], range.low, range.high);
  }
};

// A number in steps of 2^-11. Those beyond 64 bits, and NaN, become the lowest, as on x86.
inline std::int32_t BatchNormSteps(float x) {
  if (!(std::fabs(x) < 4.5e15f)) return INT32_MIN;
  return static_cast<std::int32_t>(FloatToQuantized(QuantizedKind::Of(DataType::kQint32), x, -1048576.0f, 1048576.0f));
}

// In fixed point; sums and products wrap around.
inline Status RunQuantizedBatchNorm(OpKernelContext& context, float epsilon, bool scales) {
  constexpr const char* kOp = "QuantizedBatchNormWithGlobalNormalization";
  RangedBytes in, of_channels[4];  // mean, variance, beta, gamma
  Tensor *out = nullptr, constants;
  TENON_RETURN_IF_ERROR(in.Read(context, 0));
  for (int k = 0; k < 4; ++k) TENON_RETURN_IF_ERROR(of_channels[k].Read(context, 3 * k + 3));
  if (in.bytes->dims() != 4)
    return errors::InvalidArgument(kOp, ": input must be 4-dimensional, but has the shape ", in.bytes->shape());
  const Index depth = in.bytes->dim_size(3);
  for (int k = 0; k < 4; ++k) {
    const TensorShape& shape = of_channels[k].bytes->shape();
    if (shape.dims() != 1 || shape.dim_size(0) != depth)
      return errors::InvalidArgument(kOp, ": input ", 3 * k + 3,
                                     " must be 1-dimensional and as long as the last dimension of the input tensor: ",
                                     shape, " vs. ", in.bytes->shape());
  }
  if (depth < 2) return errors::InvalidArgument(kOp, ": Must have at least 2 channels, got ", depth);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, in.bytes->shape(), &out));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({2, depth}), &constants));
  auto* const factors = constants.data<std::int32_t>();
  auto* const offsets = factors + depth;
  for (Index c = 0; c < depth; ++c) {
    float factor = 1.0f / std::sqrt(of_channels[1](c) + epsilon);
    if (scales) factor *= of_channels[3](c);
    const float offset = -of_channels[0](c) * factor + of_channels[2](c);
    factors[c] = BatchNormSteps(factor);
    offsets[c] = BatchNormSteps(offset);
  }
  const std::int32_t one = BatchNormSteps(1.0f);
  for (Index i = 0; i < out->NumElements(); ++i) {
    const std::int32_t x = BatchNormSteps(in(i));
    static_cast<std::int32_t*>(out->raw_data())[i] =
        WrapAdd(WrapMultiply(x, factors[i % depth]) / one, offsets[i % depth]);
  }
  return QuantizedRange{-1048576.0f, 1048576.0f}.Write(context, 1);
}

struct QuantizedBatchNormAttrs {
  float variance_epsilon;
  bool scale_after_normalization;
};
struct QuantizedBatchNormRule : QuantizedBatchNormAttrs {
  Status Init(OpKernelConstruction& c) const {
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQuint8)));
    return ServeOnly(c, c.output_type(0), ToSet(DataType::kQint32));
  }
  Status Run(OpKernelContext& context, Cpu&) const {
    return RunQuantizedBatchNorm(context, variance_epsilon, scale_after_normalization);
  }
};

TENON_DETAIL_SETUP_CODE_BEGIN
inline Status QuantizedBatchNormShape(InferenceContext* c) {
  ShapeHandle input, shape, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  DimensionHandle depth = c->Dim(input, 3);
  for (int i = 3; i < 15; i += 3) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &shape));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(shape, 0), &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, 3, depth, &out));
  c->set_output(0, out);
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}
TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// x: [n, h, w, c]  ->  bytes, and their range: the given one, or the one used, at least min_separation long.
struct QuantizedInstanceNorm {
  static constexpr auto signature = Op("QuantizedInstanceNorm")
                                        .Input("x: T")
                                        .Input("x_min: float")
                                        .Input("x_max: float")
                                        .Output("y: T")
                                        .Output("y_min: float")
                                        .Output("y_max: float")
                                        .Attr("T: quantizedtype")
                                        .Attr("output_range_given: bool = false")
                                        .Attr("given_y_min: float = 0")
                                        .Attr("given_y_max: float = 0")
                                        .Attr("variance_epsilon: float = 1e-05")
                                        .Attr("min_separation: float = 0.001")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle shape;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &shape));
                                          c->set_output(0, c->input(0));
                                          return detail::ScalarRanges(c, 1, 2);
                                        });
  struct Attrs {
    bool output_range_given;
    float given_y_min, given_y_max, variance_epsilon, min_separation;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) const { return ServeOnly(c, c.input_type(0), ToSet(DataType::kQuint8)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&) const {
      return detail::RunInstanceNorm(context.op(), {this->output_range_given,
                                                    {this->given_y_min, this->given_y_max},
                                                    this->variance_epsilon,
                                                    this->min_separation});
    }
  };
};

// t: [n, h, w, c], m, v, beta and gamma: [c]; each with its range.
struct QuantizedBatchNormWithGlobalNormalization {
  static constexpr auto signature = Op("QuantizedBatchNormWithGlobalNormalization")
                                        .Input("t: Tinput")
                                        .Input("t_min: float")
                                        .Input("t_max: float")
                                        .Input("m: Tinput")
                                        .Input("m_min: float")
                                        .Input("m_max: float")
                                        .Input("v: Tinput")
                                        .Input("v_min: float")
                                        .Input("v_max: float")
                                        .Input("beta: Tinput")
                                        .Input("beta_min: float")
                                        .Input("beta_max: float")
                                        .Input("gamma: Tinput")
                                        .Input("gamma_min: float")
                                        .Input("gamma_max: float")
                                        .Output("result: out_type")
                                        .Output("result_min: float")
                                        .Output("result_max: float")
                                        .Attr("Tinput: quantizedtype")
                                        .Attr("out_type: quantizedtype")
                                        .Attr("variance_epsilon: float")
                                        .Attr("scale_after_normalization: bool")
                                        .SetShapeFn(detail::QuantizedBatchNormShape);
  using Attrs = detail::QuantizedBatchNormAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::QuantizedBatchNormRule, 15, 3>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

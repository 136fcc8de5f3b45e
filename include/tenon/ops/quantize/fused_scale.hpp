// SPDX-License-Identifier: Apache-2.0
#pragma once
// The last steps of fused quantized ops: bias, sum, Relu and a new range for sums of products, channel by channel.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Steps of an op after its product.
struct FusedSteps {
  bool bias = false, relu = false, sum = false, requantizes = false;
  bool depthwise = false, paddings = false;          // `paddings`: has the attr padding_list
  bool signed_input = false, signed_sum = false;     // an image of either sign; a summand of qint8

  DataType output() const { return !requantizes ? DataType::kQint32 : relu ? DataType::kQuint8 : DataType::kQint8; }
  Status ServeTypes(const OpKernelConstruction& c) const {
    constexpr DataTypeSet kSigned = ToSet(DataType::kQint8);
    TENON_RETURN_IF_ERROR(
        ServeOnly(c, c.input_type(0), signed_input ? ToSet(DataType::kQuint8) | kSigned : ToSet(DataType::kQuint8)));
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(1), kSigned));
    if (sum && requantizes)
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(9), signed_sum ? kSigned : ToSet(DataType::kQuint8)));
    return ServeOnly(c, c.output_type(0), ToSet(output()));
  }
};

// Turns a sum of products into an output: (sum * step + added) / out_step, rounded to even; `added` is a real number.
// The order of the roundings is oneDNN's.
struct FusedFinish {
  float step = 1, added = 0, inverse = 1;
  bool relu = false;
  DataType type = DataType::kQint32;

  float Real(std::int32_t sum, float more) const {
    const float x = static_cast<float>(sum) * step + added + more;
    return relu && x < 0 ? 0.0f : x;
  }
  void Store(std::int32_t sum, float more, void* out, Index i) const {
    const float x = Real(sum, more) * inverse;
    std::int32_t y = 0;
    if (type == DataType::kQuint8)
      y = Nearest(std::isnan(x) ? 255.0f : x, 0.0f, 255.0f);
    else if (type == DataType::kQint8)
      y = Nearest(x, -128.0f, 127.0f);
    else
      y = Nearest(x, -2147483648.0f, 2147483520.0f);
    StoreQuantized(y, out, type, i);
  }
  // NaN gives `least`.
  static std::int32_t Nearest(float x, float least, float most) {
    return static_cast<std::int32_t>(x > least ? std::min(std::nearbyint(x), most) : least);
  }
};

inline float Reach(const QuantizedRange& range) { return std::max(std::fabs(range.low), std::fabs(range.high)); }

// Element c of a bias of floats, or of qint32 in steps of `step`.
inline float BiasOf(const Tensor& bias, Index c, float step) {
  return bias.dtype() == DataType::kFloat
             ? bias.data<float>()[c]
             : static_cast<float>(LoadQuantized(bias.raw_data(), DataType::kQint32, c)) * step;
}
inline Status CheckFusedBias(const OpKernelContext& context, Index depth) {
  const Tensor& bias = context.input(2);
  if (bias.NumElements() == depth) return OkStatus();
  return errors::Aborted(context.op_kernel().type_string(), ": bias must have ", depth, " elements, got ",
                         bias.shape());
}
// Inputs i and i + 1, of one element each.
inline Status ReadEnds(const OpKernelContext& context, int i, std::string_view name, QuantizedRange* range) {
  for (int k = 0; k < 2; ++k) {
    const Tensor& end = context.input(i + k);
    if (end.NumElements() != 1)
      return errors::InvalidArgument(context.op_kernel().type_string(), ": ", k == 0 ? "min_" : "max_", name,
                                     " must be a scalar, got ", end.shape());
    (k == 0 ? range->low : range->high) = *end.data<float>();
  }
  return OkStatus();
}

// The last steps of a convolution, channel by channel.
class FusedScales {
 public:
  explicit FusedScales(const FusedSteps& steps) : steps_(steps) {}

  // The bias and the ranges of a node with `depth` channels.
  Status Read(const OpKernelContext& context, Index depth) {
    const std::string_view op = context.op_kernel().type_string();
    const int next = steps_.bias ? 3 : 2;
    TENON_RETURN_IF_ERROR(ReadEnds(context, next, "input", &in_));
    lows_ = &context.input(next + 2);
    highs_ = &context.input(next + 3);
    const Index n = lows_->NumElements();
    if (highs_->shape() != lows_->shape() || (n != 1 && n != depth))
      return errors::InvalidArgument(op, ": min_filter and max_filter must have 1 or ", depth, " elements, got ",
                                     lows_->shape(), " and ", highs_->shape());
    if (steps_.requantizes) TENON_RETURN_IF_ERROR(ReadEnds(context, next + 4, "freezed_output", &out_));
    if (steps_.bias) {
      TENON_RETURN_IF_ERROR(CheckFusedBias(context, depth));
      bias_ = &context.input(2);
    }
    depth_ = depth;
    is_signed_ = context.input(0).dtype() == DataType::kQint8;
    for (Index k = 0; k < n; ++k) widest_ = std::max(widest_, FilterStep(k));
    return OkStatus();
  }
  // The summand, an input of the output's shape, and its range.
  Status ReadSummand(const OpKernelContext& context, const TensorShape& shape) {
    const int at = steps_.requantizes ? 9 : 7;
    summand_ = &context.input(at);
    if (summand_->shape() != shape)
      return errors::InvalidArgument(context.op_kernel().type_string(), ": summand must have the shape ", shape,
                                     ", got ", summand_->shape());
    return steps_.requantizes ? ReadEnds(context, at + 1, "summand", &sum_) : OkStatus();
  }
  // Elements of `out` from sums [count, depth], from pixel number `first` on.
  void Apply(Cpu& device, const std::int32_t* sums, Index first, Index count, Tensor* out) const {
    ParallelFor(device, count, 4.0 * static_cast<double>(depth_), [&](Index begin, Index end) {
      for (Index c = 0; c < depth_; ++c) {
        const FusedFinish finish = FinishOf(c, out->dtype());
        for (Index i = begin; i < end; ++i) {
          const Index at = (first + i) * depth_ + c;
          finish.Store(sums[i * depth_ + c], SummandAt(at), out->raw_data(), at);
        }
      }
    });
  }
  // Outputs 1 and 2.
  Status WriteRange(OpKernelContext& context) const {
    if (steps_.requantizes) return out_.Write(context, 1);
    for (int k = 0; k < 2; ++k) {
      Tensor* end = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(1 + k, lows_->shape(), &end));
      for (Index i = 0; i < lows_->NumElements(); ++i) {
        const float step = (in_.high - in_.low) / (is_signed_ ? 254.0f : 255.0f) *
                           ((highs_->data<float>()[i] - lows_->data<float>()[i]) / 254.0f);
        end->data<float>()[i] = step * (k == 0 ? -2147483648.0f : 2147483647.0f);
      }
    }
    return OkStatus();
  }

 private:
  float FilterStep(Index k) const { return Reach({lows_->data<float>()[k], highs_->data<float>()[k]}) / 127.0f; }
  FusedFinish FinishOf(Index c, DataType type) const {
    const float in_step = Reach(in_) / (is_signed_ ? 127.0f : 255.0f);
    const float step = in_step * FilterStep(lows_->NumElements() == 1 ? 0 : c);
    const float out_step =
        steps_.requantizes ? Reach(out_) / (type == DataType::kQuint8 ? 255.0f : 127.0f) : in_step * widest_;
    return {step, bias_ == nullptr ? 0.0f : BiasOf(*bias_, c, step), 1.0f / out_step, steps_.relu, type};
  }
  float SummandAt(Index i) const {
    if (summand_ == nullptr) return 0;
    if (!steps_.requantizes) return summand_->data<float>()[i];
    const float step = Reach(sum_) / (steps_.signed_sum ? 127.0f : 255.0f);
    return static_cast<float>(LoadQuantized(summand_->raw_data(), summand_->dtype(), i)) * step;
  }

  FusedSteps steps_;
  QuantizedRange in_, out_, sum_;
  const Tensor *lows_ = nullptr, *highs_ = nullptr, *summand_ = nullptr, *bias_ = nullptr;
  Index depth_ = 0;
  float widest_ = 0;  // the largest step of a channel's filter
  bool is_signed_ = false;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the uniformly quantized ops: scales with zero points, products by fixed-point factors, kernels of many
// tensors. Integers pass through float where TensorFlow's type of 32 bits does.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

template <std::size_t>
using AnyInput = const Tensor&;
template <std::size_t>
using AnyOutput = Tensor&;

// A kernel that reads its tensors from the context: Rule::Run(context, device).
template <class Rule, class Inputs, class Outputs>
struct ManyTensorKernel;
template <class Rule, std::size_t... inputs, std::size_t... outputs>
struct ManyTensorKernel<Rule, std::index_sequence<inputs...>, std::index_sequence<outputs...>> : Rule {
  Status operator()(Context<Cpu>& context, AnyInput<inputs>..., AnyOutput<outputs>...) const {
    return this->Run(context.op(), context.device());
  }
};
template <class Rule, std::size_t inputs, std::size_t outputs>
using KernelOfMany = ManyTensorKernel<Rule, std::make_index_sequence<inputs>, std::make_index_sequence<outputs>>;

// Sums that wrap around.
inline std::int32_t WrapAdd(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// Cuts the fraction off. NaN and numbers beyond int32 give the smallest integer, as on x86.
inline std::int32_t CutToInt32(float x) {
  return x >= -2147483648.0f && x < 2147483648.0f ? static_cast<std::int32_t>(x) : INT32_MIN;
}
// The nearest integer; halves round up.
inline std::int32_t RoundToInt32(float x) {
  const float y = x + 0.5f;
  const std::int32_t cut = CutToInt32(y);
  return cut - (cut > INT32_MIN && static_cast<float>(cut) > y ? 1 : 0);
}
// An integer as TensorFlow reads it from a tensor of qint32.
inline std::int32_t ThroughFloat(std::int32_t x) { return CutToInt32(static_cast<float>(x)); }

// A positive factor as a 31-bit fraction and a power of two.
struct FixedFactor {
  std::int64_t fraction = 0;
  int shift = 0;

  static TENON_DETAIL_NOINLINE Status Of(double factor, FixedFactor* out) {
    if (!(factor > 0) || std::isinf(factor))
      return errors::InvalidArgument("double_multiplier must be a poisitive finite number. Given ", factor);
    out->fraction = static_cast<std::int64_t>(std::round(std::frexp(factor, &out->shift) * 2147483648.0));
    if (out->fraction == std::int64_t{1} << 31) {
      out->fraction /= 2;
      ++out->shift;
    }
    if (out->shift < -31) *out = {};
    if (out->shift > 30) *out = {INT32_MAX, 30};
    return OkStatus();
  }
  // The product, rounded, or the nearest int32.
  std::int32_t operator()(std::int32_t x) const {
    const int right = 31 - shift;
    const std::int64_t product = (x * fraction + (std::int64_t{1} << (right - 1))) >> right;
    return static_cast<std::int32_t>(std::min<std::int64_t>(std::max<std::int64_t>(product, INT32_MIN), INT32_MAX));
  }
};

// The integers that an output keeps. In this order the lower end wins where the ends are swapped.
struct KeptIntegers {
  std::int32_t lowest, highest;
  std::int32_t operator()(std::int32_t x) const { return std::max(std::min(x, highest), lowest); }
};

// The scale and the zero point of a tensor, or, with `axis`, of each index of one dimension.
struct UniformScale {
  const float* scales = nullptr;
  const std::int32_t* zeros = nullptr;
  Index axis = -1;

  bool per_axis() const { return axis >= 0; }
  float scale(Index channel) const { return scales[per_axis() ? channel : 0]; }
  std::int32_t zero(Index channel) const { return zeros[per_axis() ? channel : 0]; }

  // Reads inputs i and i + 1, of a tensor of `shape`.
  TENON_DETAIL_NOINLINE Status Read(const OpKernelContext& context, int i, const TensorShape& shape, Index on) {
    const Tensor &scale = context.input(i), &zero = context.input(i + 1);
    const std::string_view op = context.op_kernel().type_string();
    if (on < -1 || on >= shape.dims())
      return errors::InvalidArgument(op, ": quantization_axis must be -1 or in range [0, input.rank), but given ", on,
                                     " for shape ", shape);
    if (!(scale.shape() == zero.shape()))
      return errors::InvalidArgument(op, ": scales and zero_points shape must be same, but given scales shape ",
                                     scale.shape(), " and zero_points shape ", zero.shape());
    if (on == -1 && scale.dims() != 0)
      return errors::InvalidArgument(op,
                                     ": If quantization_axis is -1, scales and zero_points must be scalar tensors, "
                                     "but given scales shape ",
                                     scale.shape());
    if (on >= 0 && (scale.dims() != 1 || scale.dim_size(0) != shape.dim_size(static_cast<int>(on))))
      return errors::InvalidArgument(op,
                                     ": If quantization_axis is not -1, scales and zero_points must be a tensor of "
                                     "rank 1 and the size must be equal to the input.dim_size(quantization_axis), but "
                                     "given quantization_axis ",
                                     on, ", scales shape ", scale.shape(), " and input shape ", shape);
    scales = scale.data<float>();
    zeros = zero.data<std::int32_t>();
    axis = on;
    return OkStatus();
  }
  // `tensor`: the name of what inputs i and i + 1 belong to.
  TENON_DETAIL_NOINLINE Status RequirePositive(const OpKernelContext& context, int i, std::string_view tensor) const {
    const Index n = context.input(i).NumElements();
    for (Index c = 0; c < n; ++c)
      if (!(scales[c] > 0))
        return errors::InvalidArgument(context.op_kernel().type_string(), ": ", tensor,
                                       " scales elements must be all positive. Element ", c, " is ", scales[c]);
    return OkStatus();
  }
};

// Checks the shapes of scales, input i, and of zero points, input i + 1, for `channels` where they are per axis. As in
// TensorFlow, both ranks must be known.
inline Status CheckUniformScales(InferenceContext* c, int i, DimensionHandle channels) {
  ShapeHandle shapes[2];
  DimensionHandle unused;
  for (int k = 0; k < 2; ++k) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i + k), 1, &shapes[k]));
  if (!c->RankKnown(shapes[0]) || !c->RankKnown(shapes[1])) return OkStatus();
  if (c->Rank(shapes[0]) != c->Rank(shapes[1]))
    return errors::InvalidArgument("scales and zero_points must have same rank.");
  for (int k = 0; k < 2 && c->Rank(shapes[k]) == 1; ++k)
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(shapes[k], 0), channels, &unused));
  return OkStatus();
}

// The attrs of one tensor, of 32 bits as in TensorFlow.
struct UniformAttrs {
  std::int32_t axis = -1;
  KeptIntegers kept{};

  // `names`: of the axis, the lowest and the highest integer.
  TENON_DETAIL_NOINLINE Status Read(OpKernelConstruction& c, const std::string_view* names) {
    TENON_RETURN_IF_ERROR(c.GetAttr(names[0], &axis));
    TENON_RETURN_IF_ERROR(c.GetAttr(names[1], &kept.lowest));
    return c.GetAttr(names[2], &kept.highest);
  }
};
inline constexpr std::string_view kUniformAttrs[] = {"quantization_axis", "quantization_min_val",
                                                     "quantization_max_val"};
inline constexpr std::string_view kUniformAttrsOfBoth[] = {
    "input_quantization_axis",  "input_quantization_min_val",  "input_quantization_max_val",
    "output_quantization_axis", "output_quantization_min_val", "output_quantization_max_val"};
inline constexpr std::string_view kUniformAttrsOfThree[] = {
    "lhs_quantization_axis",    "lhs_quantization_min_val",    "lhs_quantization_max_val",
    "rhs_quantization_axis",    "rhs_quantization_min_val",    "rhs_quantization_max_val",
    "output_quantization_axis", "output_quantization_min_val", "output_quantization_max_val"};
inline constexpr std::string_view kUniformAttrsOfRhs[] = {"rhs_quantization_axis", "rhs_quantization_min_val",
                                                          "rhs_quantization_max_val"};

inline Status CheckQuantizationAxis(std::string_view name, std::int32_t axis) {
  if (axis >= -1) return OkStatus();
  return errors::InvalidArgument(name, " must be >= -1, given: ", axis);
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

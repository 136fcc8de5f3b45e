// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of UniformQuantizedDot, UniformQuantizedConvolution and their hybrid forms: operands of bytes with zero
// points, sums as numbers of another scale, numbers as bytes for one product.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// `name`: of an axis that may be -1 or `channel`.
inline Status CheckChannelAxis(std::string_view name, Index axis, Index channel) {
  if (axis == -1 || axis == channel) return OkStatus();
  return errors::InvalidArgument(name, "_quantization_axis Attr must be -1 (per-tensor) or ", channel,
                                 " (per-channel), but is ", axis);
}

// From sums of products to integers of the output's scale, for each channel.
struct UniformFinish {
  UniformScale to;
  KeptIntegers kept{};
  FixedFactor* factors = nullptr;  // one, or one for each channel
  bool per_channel = false;

  // Reads the factors of `lhs` by `rhs`; `out` has `channels` of them. The memory is a temporary tensor.
  TENON_DETAIL_NOINLINE Status Make(OpKernelContext& context, const UniformScale& lhs, const UniformScale& rhs,
                                    Index channels, Tensor* memory) {
    per_channel = rhs.per_axis();
    const Index n = per_channel ? channels : 1;
    const auto bytes = static_cast<Index>(sizeof(FixedFactor));
    if (MultiplyWithoutOverflow(n, bytes) < 0)
      return errors::ResourceExhausted(context.op_kernel().type_string(), ": too many channels: ", n);
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, TensorShape({n * bytes}), memory));
    factors = static_cast<FixedFactor*>(memory->raw_data());
    for (Index c = 0; c < n; ++c) {
      factors[c] = FixedFactor();
      const double product = static_cast<double>(lhs.scale(0)) * static_cast<double>(rhs.scale(c));
      TENON_RETURN_IF_ERROR(FixedFactor::Of(product / static_cast<double>(to.scale(c)), &factors[c]));
    }
    return OkStatus();
  }
  std::int32_t operator()(std::int32_t sum, Index channel) const {
    return kept(WrapAdd(factors[per_channel ? channel : 0](sum), to.zero(channel)));
  }
};

// Numbers as signed bytes whose range holds 0: x is near scale * (byte - zero).
struct ByteScale {
  float scale = 0, inverse = 0;  // both 0 where all numbers are 0
  std::int32_t zero = 0;

  // `outer` runs of n numbers, `step` apart.
  static TENON_DETAIL_NOINLINE ByteScale Of(const float* x, Index outer, Index step, Index n) {
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (Index o = 0; o < outer; ++o) {
      for (const float *at = x + o * step, *const end = at + n; at != end;
           ++at) {  // NaN counts only as the last number
        low = *at < low || std::isnan(*at) || std::isnan(low) ? *at : low;
        high = *at > high || std::isnan(*at) || std::isnan(high) ? *at : high;
      }
    }
    const auto least = static_cast<double>(low < 0 ? low : 0.0f), most = static_cast<double>(high > 0 ? high : 0.0f);
    if (!(least < most)) return {};
    const double step_size = (most - least) / 255.0;
    const double from_low = -128.0 - least / step_size, from_high = 127.0 - most / step_size;
    const double chosen =
        128.0 + std::fabs(least / step_size) < 127.0 + std::fabs(most / step_size) ? from_low : from_high;
    ByteScale result;
    result.scale = static_cast<float>(step_size);
    result.inverse = static_cast<float>(1.0 / step_size);
    result.zero = chosen <= -128.0     ? -128
                  : chosen >= 127.0    ? 127
                  : std::isnan(chosen) ? 0
                                       : static_cast<std::int32_t>(std::floor(chosen + 0.5));
    return result;
  }
  std::int8_t operator()(float x) const {
    return static_cast<std::int8_t>(std::max(std::min(WrapAdd(RoundToInt32(x * inverse), zero), 127), -128));
  }
};

// A product of signed bytes, less both zero points: `rows` of [rows, depth] by [depth, columns]. The right matrix has a
// zero point for each column where `rhs` is per axis, from column `first` on.
struct ByteProduct {
  const std::int8_t* lhs;
  std::int32_t lhs_zero;
  Int8Matrix rhs;
  const UniformScale* rhs_scale;
  Index first, rows, columns, depth;

  Status operator()(Cpu& device, std::int32_t* sums) const {
    const bool own_zeros = rhs_scale->per_axis();
    Int8Matrix right = rhs;
    right.zero = own_zeros ? 0 : rhs_scale->zero(0);
    TENON_RETURN_IF_ERROR(
        GemmInt8(device, rows, columns, depth, {lhs, true, depth, 1, lhs_zero}, right, sums, columns));
    for (Index r = 0; r < rows && own_zeros; ++r) {
      std::int32_t row_sum = 0;
      for (Index k = 0; k < depth; ++k) row_sum = WrapAdd(row_sum, WrapSubtract(lhs[r * depth + k], lhs_zero));
      for (Index c = 0; c < columns; ++c) {
        std::int32_t* const sum = sums + r * columns + c;
        *sum = WrapSubtract(*sum, WrapMultiply(row_sum, rhs_scale->zero(first + c)));
      }
    }
    return OkStatus();
  }
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniformQuantizedConvolution, UniformQuantizedConvolutionHybrid: windows over bytes with scales and zero points, as
// products of matrices.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/quantize/uniform.hpp>
#include <tenon/ops/quantize/uniform_conv_geometry.hpp>
#include <tenon/ops/quantize/uniform_product.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Elements from one index of a dimension to the next.
inline void StridesOf(std::span<const Index> sizes, SlimVector<Index>* strides) {
  strides->resize(sizes.size(), Index{1});
  for (std::size_t d = sizes.size(); d-- > 1;) (*strides)[d - 1] = (*strides)[d] * std::max<Index>(sizes[d], 1);
}

// A convolution for given shapes. The sums are exact and wrap around.
class UniformConvolver {
 public:
  // The output must have elements. `bytes`: those of lhs.
  UniformConvolver(const UniformConvGeometry& g, const TensorShape& lhs, const std::int8_t* bytes, const Tensor& rhs)
      : g_(g), lhs_(bytes), rhs_(static_cast<const std::int8_t*>(rhs.raw_data())) {
    SlimVector<Index> sizes[2];
    for (int d = 0; d < lhs.dims(); ++d) {
      sizes[0].push_back(lhs.dim_size(d));
      sizes[1].push_back(rhs.dim_size(d));
    }
    StridesOf({sizes[0].data(), sizes[0].size()}, &l_);
    StridesOf({sizes[1].data(), sizes[1].size()}, &r_);
    StridesOf({g.out_sizes.data(), g.out_sizes.size()}, &o_);
    for (const ConvSpatial& s : g.spatial) {
      positions_ *= s.out;
      window_ *= s.window;
    }
    depth_ = window_ * g.window_features;
  }

  // Calls store(element, sum, batch of lhs, output feature) for each output. `zeros`: the zero point of lhs for each of
  // its batches, or one for all.
  template <class Store>
  TENON_DETAIL_RARE Status Run(OpKernelContext& context, Cpu& device, const UniformScale& rhs_scale,
                               const std::int32_t* zeros, bool one_zero, const Store& store) const {
    const Index block = std::max<Index>(1, std::min(positions_, (Index{1} << 20) / std::max<Index>(depth_, 1)));
    const Index part = std::gcd(g_.out_features / g_.feature_groups, g_.out_features / g_.batch_groups);
    Tensor rows, window, totals;
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, TensorShape({block, depth_}), &rows));
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, TensorShape({part, depth_}), &window));
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({block, part}), &totals));
    auto* const bytes = static_cast<std::int8_t*>(rows.raw_data());
    auto* const window_bytes = static_cast<std::int8_t*>(window.raw_data());
    auto* const sums = totals.data<std::int32_t>();
    const Index out_batch = g_.batch / g_.batch_groups;
    for (Index first = 0; first < g_.out_features; first += part) {
      PackWindow(first, part, window_bytes);
      const Index feature_group = first / (g_.out_features / g_.feature_groups);
      const Index batch_group = first / (g_.out_features / g_.batch_groups);
      for (Index b = 0; b < out_batch; ++b) {
        const Index from = batch_group * out_batch + b;
        const std::int32_t zero = zeros[one_zero ? 0 : from];
        // Bytes cannot stand for a zero point beyond them: such products go element by element.
        const bool plain = zero >= -128 && zero <= 127;
        for (Index begin = 0; begin < positions_; begin += block) {
          const Index count = std::min(block, positions_ - begin);
          if (plain) {
            for (Index p = 0; p < count; ++p)
              Gather(from, feature_group, begin + p, static_cast<std::int8_t>(zero), bytes + p * depth_);
            const ByteProduct product{bytes, zero,  {window_bytes, true, 1, depth_}, &rhs_scale, first, count,
                                      part,  depth_};
            TENON_RETURN_IF_ERROR(product(device, sums));
          } else {
            for (Index p = 0; p < count; ++p)
              AddOne(from, feature_group, begin + p, zero, rhs_scale, first, part, window_bytes, sums + p * part);
          }
          for (Index p = 0; p < count; ++p)
            for (Index c = 0; c < part; ++c)
              store(OutPlace(b, begin + p, first + c), sums[p * part + c], from, first + c);
        }
      }
    }
    return OkStatus();
  }

 private:
  Index At(const SlimVector<Index>& strides, Index d) const { return strides[static_cast<std::size_t>(d)]; }

  // The window of output features [first, first + count), each `depth_` long: features, then spatial elements.
  void PackWindow(Index first, Index count, std::int8_t* to) const {
    for (Index c = 0; c < count; ++c)
      for (Index f = 0; f < g_.window_features; ++f)
        for (Index k = 0; k < window_; ++k) {
          Index at = (first + c) * At(r_, g_.rhs.first) + f * At(r_, g_.rhs.feature), rest = k;
          for (std::size_t i = g_.spatial.size(); i-- > 0; rest /= g_.spatial[i].window)
            at += rest % g_.spatial[i].window * At(r_, g_.rhs.spatial[i]);
          *to++ = rhs_[at];
        }
  }
  // The place in lhs, without its batch and feature, that window element k meets at an output position, or -1.
  Index Place(Index position, Index k) const {
    Index at = 0;
    for (std::size_t i = g_.spatial.size(); i-- > 0;) {
      const ConvSpatial& s = g_.spatial[i];
      const Index met = s.Meets(position % s.out, k % s.window);
      if (met < 0) return -1;
      at += met * At(l_, g_.lhs.spatial[i]);
      position /= s.out;
      k /= s.window;
    }
    return at;
  }
  void Gather(Index batch, Index group, Index position, std::int8_t zero, std::int8_t* to) const {
    const Index start = batch * At(l_, g_.lhs.first) + group * g_.window_features * At(l_, g_.lhs.feature);
    for (Index k = 0; k < window_; ++k) {
      const Index at = Place(position, k);
      for (Index f = 0; f < g_.window_features; ++f)
        to[f * window_ + k] = at < 0 ? zero : lhs_[start + at + f * At(l_, g_.lhs.feature)];
    }
  }
  void AddOne(Index batch, Index group, Index position, std::int32_t zero, const UniformScale& rhs_scale, Index first,
              Index count, const std::int8_t* w, std::int32_t* sums) const {
    const Index start = batch * At(l_, g_.lhs.first) + group * g_.window_features * At(l_, g_.lhs.feature);
    std::fill_n(sums, count, 0);
    for (Index k = 0; k < window_; ++k) {
      const Index at = Place(position, k);
      if (at < 0) continue;
      for (Index f = 0; f < g_.window_features; ++f) {
        const std::int32_t x = WrapSubtract(lhs_[start + at + f * At(l_, g_.lhs.feature)], zero);
        for (Index c = 0; c < count; ++c)
          sums[c] = WrapAdd(sums[c],
                            WrapMultiply(x, WrapSubtract(w[c * depth_ + f * window_ + k], rhs_scale.zero(first + c))));
      }
    }
  }
  Index OutPlace(Index batch, Index position, Index feature) const {
    Index at = batch * At(o_, g_.out.first) + feature * At(o_, g_.out.feature);
    for (std::size_t i = g_.spatial.size(); i-- > 0; position /= g_.spatial[i].out)
      at += position % g_.spatial[i].out * At(o_, g_.out.spatial[i]);
    return at;
  }

  const UniformConvGeometry& g_;
  const std::int8_t *lhs_, *rhs_;
  SlimVector<Index> l_, r_, o_;
  Index positions_ = 1, window_ = 1, depth_ = 0;
};

struct UniformConvRule : UniformConvAttrs {
  UniformAttrs lhs, rhs, out;

  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(lhs.Read(c, kUniformAttrsOfThree));
    TENON_RETURN_IF_ERROR(rhs.Read(c, kUniformAttrsOfThree + 3));
    TENON_RETURN_IF_ERROR(out.Read(c, kUniformAttrsOfThree + 6));
    if (lhs.axis == -1) return OkStatus();
    return errors::InvalidArgument("lhs_quantization_axis Attr must be -1 (per-tensor), but is ", lhs.axis);
  }
  TENON_DETAIL_RARE Status Run(OpKernelContext& context, Cpu& device) const {
    const Tensor &x = context.input(0), &w = context.input(1);
    UniformConvGeometry g;
    UniformScale from, right;
    UniformFinish finish;
    TensorShape shape;
    Tensor memory, *result = nullptr;
    TENON_RETURN_IF_ERROR(g.Make(*this, x.shape(), w.shape()));
    TENON_RETURN_IF_ERROR(CheckChannelAxis("rhs", rhs.axis, g.rhs.first));
    TENON_RETURN_IF_ERROR(CheckChannelAxis("output", out.axis, g.out.feature));
    TENON_RETURN_IF_ERROR(TensorShape::Build({g.out_sizes.data(), g.out_sizes.size()}, &shape));
    TENON_RETURN_IF_ERROR(from.Read(context, 2, x.shape(), -1));
    TENON_RETURN_IF_ERROR(right.Read(context, 4, w.shape(), rhs.axis));
    TENON_RETURN_IF_ERROR(finish.to.Read(context, 6, shape, out.axis));
    if (rhs.axis == -1 && out.axis != -1)
      return errors::InvalidArgument(
          "UniformQuantizedConvolution: If rhs is per-tensor quantized, output must be also per-tensor quantized, but "
          "its scales have shape ",
          context.input(6).shape());
    TENON_RETURN_IF_ERROR(from.RequirePositive(context, 2, "lhs"));
    TENON_RETURN_IF_ERROR(right.RequirePositive(context, 4, "rhs"));
    TENON_RETURN_IF_ERROR(finish.to.RequirePositive(context, 6, "output"));
    finish.kept = out.kept;
    TENON_RETURN_IF_ERROR(finish.Make(context, from, right, g.out_features, &memory));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &result));
    if (shape.num_elements() == 0) return OkStatus();
    auto* const to = static_cast<std::int32_t*>(result->raw_data());
    return UniformConvolver(g, x.shape(), static_cast<const std::int8_t*>(x.raw_data()), w)
        .Run(context, device, right, from.zeros, true,
             [&](Index place, std::int32_t sum, Index, Index channel) { to[place] = finish(sum, channel); });
  }
};

struct UniformConvHybridRule : UniformConvAttrs {
  UniformAttrs rhs;

  Status Init(OpKernelConstruction& c) { return rhs.Read(c, kUniformAttrsOfRhs); }
  TENON_DETAIL_RARE Status Run(OpKernelContext& context, Cpu& device) const {
    const Tensor &x = context.input(0), &w = context.input(1);
    UniformConvGeometry g;
    UniformScale right;
    TensorShape shape;
    Tensor bytes, of_batches, zeros, *result = nullptr;
    TENON_RETURN_IF_ERROR(g.Make(*this, x.shape(), w.shape()));
    TENON_RETURN_IF_ERROR(CheckChannelAxis("rhs", rhs.axis, g.rhs.first));
    TENON_RETURN_IF_ERROR(TensorShape::Build({g.out_sizes.data(), g.out_sizes.size()}, &shape));
    TENON_RETURN_IF_ERROR(right.Read(context, 2, w.shape(), rhs.axis));
    TENON_RETURN_IF_ERROR(right.RequirePositive(context, 2, "rhs"));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &result));
    if (shape.num_elements() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, x.shape(), &bytes));
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, TensorShape({g.batch}), &of_batches));
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({g.batch}), &zeros));
    // Each batch has a scale of its own: `outer` runs of `inner` numbers, `step` apart.
    Index outer = 1, inner = 1;
    for (int d = 0; d < x.dims(); ++d)
      if (d != g.lhs.first) (d < g.lhs.first ? outer : inner) *= x.dim_size(d);
    const Index step = inner * g.batch;
    float* const scales = of_batches.data<float>();
    for (Index b = 0; b < g.batch; ++b) {
      const float* const numbers = x.data<float>() + b * inner;
      auto* const quantized = static_cast<std::int8_t*>(bytes.raw_data()) + b * inner;
      const ByteScale scale = ByteScale::Of(numbers, outer, step, inner);
      scales[b] = scale.scale;
      zeros.data<std::int32_t>()[b] = scale.zero;
      for (Index o = 0; o < outer; ++o)
        for (Index i = o * step; i < o * step + inner; ++i) quantized[i] = scale(numbers[i]);
    }
    float* const to = result->data<float>();
    return UniformConvolver(g, x.shape(), static_cast<const std::int8_t*>(bytes.raw_data()), w)
        .Run(context, device, right, zeros.data<std::int32_t>(), false,
             [&](Index place, std::int32_t sum, Index batch, Index channel) {
               const float scale = scales[batch];
               to[place] = scale == 0 ? 0.0f : scale * static_cast<float>(sum) * right.scale(channel);
             });
  }
};

}  // namespace detail

// lhs and rhs: dimensions as dimension_numbers says, [n, in, ...] and [out, in, ...] without it. rhs and output may
// have a scale for each output feature.
struct UniformQuantizedConvolution {
  static constexpr auto signature =
      Op("UniformQuantizedConvolution")
          .Input("lhs: Tin")
          .Input("rhs: Tin")
          .Input("lhs_scales: float")
          .Input("lhs_zero_points: int32")
          .Input("rhs_scales: float")
          .Input("rhs_zero_points: int32")
          .Input("output_scales: float")
          .Input("output_zero_points: int32")
          .Output("output: Tout")
          .Attr("Tin: {qint8}")
          .Attr("Tout: {qint32}")
          .Attr("window_strides: list(int) = []")
          .Attr("padding: string")
          .Attr("explicit_padding: list(int) = []")
          .Attr("lhs_dilation: list(int) = []")
          .Attr("rhs_dilation: list(int) = []")
          .Attr("batch_group_count: int = 1")
          .Attr("feature_group_count: int = 1")
          .Attr("dimension_numbers: string = ''")
          .Attr("lhs_quantization_axis: int = -1")
          .Attr("lhs_quantization_min_val: int")
          .Attr("lhs_quantization_max_val: int")
          .Attr("rhs_quantization_axis: int = -1")
          .Attr("rhs_quantization_min_val: int")
          .Attr("rhs_quantization_max_val: int")
          .Attr("output_quantization_axis: int = -1")
          .Attr("output_quantization_min_val: int")
          .Attr("output_quantization_max_val: int")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::UniformConvShape(c, 4); });
  using Attrs = detail::UniformConvAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfThree;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::UniformConvRule, 8, 1>;
};

// Quantizes each batch of lhs, convolves, and gives numbers.
struct UniformQuantizedConvolutionHybrid {
  static constexpr auto signature =
      Op("UniformQuantizedConvolutionHybrid")
          .Input("lhs: Tlhs")
          .Input("rhs: Trhs")
          .Input("rhs_scales: float")
          .Input("rhs_zero_points: int32")
          .Output("output: Tout")
          .Attr("Tlhs: {float}")
          .Attr("Trhs: {qint8}")
          .Attr("Tout: {float}")
          .Attr("window_strides: list(int) = []")
          .Attr("padding: string")
          .Attr("explicit_padding: list(int) = []")
          .Attr("lhs_dilation: list(int) = []")
          .Attr("rhs_dilation: list(int) = []")
          .Attr("batch_group_count: int = 1")
          .Attr("feature_group_count: int = 1")
          .Attr("dimension_numbers: string = ''")
          .Attr("rhs_quantization_axis: int = -1")
          .Attr("rhs_quantization_min_val: int")
          .Attr("rhs_quantization_max_val: int")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::UniformConvShape(c, 2); });
  using Attrs = detail::UniformConvAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfRhs;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::UniformConvHybridRule, 4, 1>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// ExtractGlimpse, ExtractGlimpseV2: windows at places of their own in each image; noise where they leave it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/resize.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct GlimpseAttrs {
  bool centered, normalized, uniform_noise;
  std::string_view noise;
};
enum class GlimpseNoise : std::uint8_t { kUniform, kGaussian, kZero };

// Refuses uniform_noise with another kind of noise.
inline Status CheckGlimpseNoise(const GlimpseAttrs& a) {
  if (!a.uniform_noise || a.noise.empty() || a.noise == "uniform") return OkStatus();
  return errors::InvalidArgument("The uniform_noise should not be True when noise is not uniform, got noise ", a.noise);
}

inline Status GlimpseShape(InferenceContext* c) {
  ShapeHandle images, offsets;
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &offsets));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(images, 0), c->Dim(offsets, 0), &batch));
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(offsets, 1), 2, &unused));
  GlimpseAttrs attrs;
  TENON_RETURN_IF_ERROR(c->GetAttr("uniform_noise", &attrs.uniform_noise));
  TENON_RETURN_IF_ERROR(c->GetAttr("noise", &attrs.noise));
  TENON_RETURN_IF_ERROR(CheckGlimpseNoise(attrs));
  return SizedImageShape(c, 1, batch, c->Dim(images, 3));
}

inline Status ReadGlimpseNoise(const GlimpseAttrs& a, GlimpseNoise* noise) {
  TENON_RETURN_IF_ERROR(CheckGlimpseNoise(a));
  if (a.noise == "uniform" || (a.noise.empty() && a.uniform_noise))
    *noise = GlimpseNoise::kUniform;
  else if (a.noise == "gaussian" || a.noise.empty())
    *noise = GlimpseNoise::kGaussian;
  else if (a.noise == "zero")
    *noise = GlimpseNoise::kZero;
  else
    return errors::InvalidArgument("The noise could only be uniform, gaussian, or zero, got", a.noise);
  return OkStatus();
}

// One dimension of a window: elements [from, from + size) of the image are elements [to, to + size) of the window.
struct GlimpseSpan {
  Index from, to, size;
  bool partly;  // some elements of the window are outside, or it ends with the image
};
inline GlimpseSpan SpanOfGlimpse(float place, Index window, Index image) {
  constexpr float kFar = 1e9f;
  const Index offset = std::isnan(place) ? 0 : static_cast<Index>(std::clamp(place, -kFar, kFar));
  if (offset < 0) {
    const Index size = std::max<Index>(0, window + offset);
    return {0, window - size, std::min(size, image), true};
  }
  if (offset + window >= image) return {offset, 0, std::max<Index>(0, image - offset), true};
  return {offset, 0, window, false};
}

// The place of the window's first element, in pixels.
inline float GlimpsePlace(float offset, Index window, Index image, const GlimpseAttrs& a, bool first) {
  const auto size = static_cast<float>(image), half_window = static_cast<float>(window) / 2;
  if (a.normalized) offset *= size;
  if (!first) {
    if (!a.centered) return offset;
    return a.normalized ? offset / 2 + size / 2 - half_window : offset + size / 2;
  }
  if (a.centered) offset = offset / 2 + size / 2;
  return offset - half_window;
}

// Noise as the image's numbers are: between the least and the greatest, or normal with each channel's mean and
// deviation.
inline Status FillGlimpseNoise(Cpu& device, GlimpseNoise noise, const float* image, Index pixels, Index depth,
                               Philox* stream, float* out, Index n) {
  if (noise == GlimpseNoise::kZero || pixels * depth == 0) {
    std::fill_n(out, n, 0.0f);
    return OkStatus();
  }
  const bool uniform = noise == GlimpseNoise::kUniform;
  const RandomFill fill = RandomFillOf(uniform ? RandomKind::kUniform : RandomKind::kNormal, DataType::kFloat);
  TENON_RETURN_IF_ERROR(FillRandom(device, fill, *stream, out, n));
  stream->Skip(static_cast<std::uint64_t>(n));
  const Index groups = uniform ? 1 : depth;
  for (Index g = 0; g < groups; ++g) {
    float least = std::numeric_limits<float>::infinity(), most = -least, sum = 0, squares = 0;
    const Index count = pixels * depth / groups;
    for (Index i = g; i < pixels * depth; i += groups) {
      least = std::min(least, image[i]);
      most = std::max(most, image[i]);
      sum += image[i];
    }
    const float mean = sum / static_cast<float>(count);
    for (Index i = g; i < pixels * depth; i += groups) squares += (image[i] - mean) * (image[i] - mean);
    const float sigma = std::sqrt(squares / static_cast<float>(count));
    for (Index i = g; i < n; i += groups)
      out[i] = uniform ? least + out[i] * (most - least) : std::max(std::min(mean + out[i] * sigma, most), least);
  }
  return OkStatus();
}

inline Status RunGlimpse(OpKernelContext& context, Cpu& device, const GlimpseAttrs& a, GlimpseNoise noise, bool first,
                         const HostIndices& size) {
  const std::string_view op = context.op_kernel().type_string();
  const Tensor &images = context.input(0), &offsets = context.input(2);
  if (images.dims() != 4)
    return errors::InvalidArgument(op, ": input must be 4-dimensional (batch_size, height, width, depth)",
                                   images.shape());
  if (size.shape().dims() != 1 || size.size() != 2)
    return errors::InvalidArgument(op, ": input must be a vector of size 2 (height, width)", size.shape());
  TensorShape shape = images.shape();
  for (int d = 0; d < 2; ++d) {
    if (size[d] < 0) return errors::InvalidArgument(op, ": Expected a non-negative size, got ", size[d]);
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(1 + d, size[d]));
  }
  if (offsets.dims() != 2) return errors::InvalidArgument(op, ": input must be a matrix", offsets.shape());
  if (offsets.dim_size(0) != images.dim_size(0))
    return errors::InvalidArgument(op, ": first dimension should be batch", offsets.shape());
  if (offsets.dim_size(1) != 2)
    return errors::InvalidArgument(op, ": second dimension should be of size 2 (y,x)", offsets.shape());
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  const Index height = images.dim_size(1), width = images.dim_size(2), depth = images.dim_size(3);
  const Index window = size[0] * size[1] * depth;
  Philox stream{UnpredictableBits(), 0, 0};
  for (Index b = 0; b < images.dim_size(0); ++b) {
    const float* const image = images.data<float>() + b * height * width * depth;
    const float* const place = offsets.data<float>() + 2 * b;
    float* const to = out->data<float>() + b * window;
    const GlimpseSpan rows = SpanOfGlimpse(GlimpsePlace(place[0], size[0], height, a, first), size[0], height);
    const GlimpseSpan columns = SpanOfGlimpse(GlimpsePlace(place[1], size[1], width, a, first), size[1], width);
    if (rows.partly || columns.partly)
      TENON_RETURN_IF_ERROR(FillGlimpseNoise(device, noise, image, height * width, depth, &stream, to, window));
    if (columns.size <= 0) continue;
    for (Index r = 0; r < rows.size; ++r)
      std::copy_n(image + ((rows.from + r) * width + columns.from) * depth, columns.size * depth,
                  to + ((rows.to + r) * size[1] + columns.to) * depth);
  }
  return OkStatus();
}

constexpr auto GlimpseOp(const char* name) {
  return Op(name)
      .Input("input: float")
      .Input("size: int32")
      .Input("offsets: float")
      .Output("glimpse: float")
      .Attr("centered: bool = true")
      .Attr("normalized: bool = true")
      .Attr("uniform_noise: bool = true")
      .Attr("noise: string = 'uniform'")
      .SetShapeFn(GlimpseShape);
}

template <bool first>
struct GlimpseKernel : GlimpseAttrs {
  Status Init(OpKernelConstruction&) { return ReadGlimpseNoise(*this, &kind); }
  Status operator()(Context<Cpu>& context, const Tensor&, HostIndices size, const Tensor&, Tensor&) const {
    return RunGlimpse(context.op(), context.device(), *this, kind, first, size);
  }
  GlimpseNoise kind;
};

}  // namespace detail

// input: [n, h, w, c], size: [height, width], offsets: [n, 2] (y, x)  ->  [n, height, width, c]. Offsets are of the
// window's middle.
struct ExtractGlimpse {
  static constexpr auto signature = detail::GlimpseOp("ExtractGlimpse");
  using Attrs = detail::GlimpseAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::GlimpseKernel<true>;
};

// Offsets are of the window's middle where they are normalized and centered, else of its corner.
struct ExtractGlimpseV2 {
  static constexpr auto signature = detail::GlimpseOp("ExtractGlimpseV2");
  using Attrs = detail::GlimpseAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::GlimpseKernel<false>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

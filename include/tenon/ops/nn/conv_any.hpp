// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv: a filter that slides over images or volumes, with any number of batch dimensions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/nn/conv3d.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct ConvAttrs {
  std::span<const std::int64_t> strides;
  std::string_view padding;
  std::span<const std::int64_t> explicit_paddings;
  std::string_view data_format;
  std::span<const std::int64_t> dilations;
  std::int64_t batch_dims, groups;
};

// A convolution with one batch dimension: of planes where `spatial` is 2, of volumes where it is 3.
struct ConvPlan {
  int spatial = 0;
  Conv2DGeometry images;
  Conv3DGeometry volumes;
  TensorShape output;
};

TENON_DETAIL_NOINLINE inline Status MakeConvPlan(const ConvAttrs& a, const TensorShape& input,
                                                 const TensorShape& filter, ConvPlan* plan) {
  constexpr std::int64_t kOnes[] = {1, 1, 1, 1, 1};
  if (a.groups != 1)
    return errors::Unimplemented("Conv: Grouped/Depthwise Convolutions are not supported yet, got ", a.groups,
                                 " groups");
  const std::int64_t spatial = input.dims() - 1 - a.batch_dims;
  if (a.batch_dims < 0 || (spatial != 2 && spatial != 3))
    return errors::InvalidArgument("Conv: The input must have 2 or 3 spatial dimensions but got ", spatial);
  plan->spatial = static_cast<int>(spatial);
  const auto all = static_cast<std::size_t>(spatial) + 2;
  if (a.strides.size() != all)
    return errors::InvalidArgument("Conv: Sliding window strides field must specify ", all, " dimensions, got ",
                                   a.strides.size());
  for (std::size_t i = 1; i + 1 < all; ++i)
    if (a.strides[i] <= 0) return errors::InvalidArgument("Conv: Spatial strides should be larger than 0.");
  if (!a.dilations.empty() && a.dilations.size() != all)
    return errors::InvalidArgument("Conv: Dilation rates field must specify ", all, " dimensions, got ",
                                   a.dilations.size());
  const std::span<const std::int64_t> dilations = a.dilations.empty() ? std::span(kOnes).first(all) : a.dilations;
  if (filter.dims() != static_cast<int>(all))
    return errors::InvalidArgument("Conv: filter must be ", all, "-dimensional: ", filter);
  if (filter.num_elements() == 0)  // Conv2D takes filters without elements
    return errors::InvalidArgument(
        "Conv: filter must not have zero elements (i.e. all dimensions must be non-zero), got ", filter);
  for (const std::span<const std::int64_t> list : {a.strides, dilations})
    if (list.front() != 1 || list.back() != 1)
      return errors::InvalidArgument(
          "Conv: Current implementation does not support strides or dilation rates in the batch and depth dimensions.");
  const bool channels_last = a.data_format == "CHANNELS_LAST";
  const Index depth = input.dim_size(channels_last ? input.dims() - 1 : static_cast<int>(a.batch_dims));
  if (depth != filter.dim_size(filter.dims() - 2))
    return errors::InvalidArgument("Conv: Input depth must be equal to filter depth: ", depth, " vs ",
                                   filter.dim_size(filter.dims() - 2));
  if (!channels_last) return errors::Unimplemented("Conv: on CPU images have their channels last, got ", a.data_format);
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  Index batch = 1;
  const int batches = static_cast<int>(a.batch_dims);
  for (int d = 0; d < batches; ++d) batch = batch < 0 ? batch : MultiplyWithoutOverflow(batch, input.dim_size(d));
  TensorShape flat;
  TENON_RETURN_IF_ERROR(flat.AddDimWithStatus(batch));
  for (int d = batches; d < input.dims(); ++d) TENON_RETURN_IF_ERROR(flat.AddDimWithStatus(input.dim_size(d)));
  Index sizes[3] = {};
  if (spatial == 2) {
    TENON_RETURN_IF_ERROR(
        MakeConv2DGeometry(flat, filter, a.strides, dilations, padding, a.explicit_paddings, &plan->images));
    sizes[0] = plan->images.rows.output;
    sizes[1] = plan->images.columns.output;
  } else {
    if (padding == Padding::kExplicit)
      return errors::InvalidArgument("Conv: Explicit padding is not supported for volumes");
    TENON_RETURN_IF_ERROR(CheckValidPadding(padding, a.explicit_paddings, 5, TensorFormat::kNDHWC));
    TENON_RETURN_IF_ERROR(
        MakeConv3DGeometry("Conv", {a.strides, dilations, a.padding, "NDHWC"}, flat, filter, nullptr, &plan->volumes));
    sizes[0] = plan->volumes.planes.output;
    sizes[1] = plan->volumes.rows.output;
    sizes[2] = plan->volumes.columns.output;
  }
  for (int d = 0; d < batches; ++d) TENON_RETURN_IF_ERROR(plan->output.AddDimWithStatus(input.dim_size(d)));
  for (int d = 0; d < plan->spatial; ++d) TENON_RETURN_IF_ERROR(plan->output.AddDimWithStatus(sizes[d]));
  return plan->output.AddDimWithStatus(filter.dim_size(filter.dims() - 1));
}

// One pixel of a volume's convolution: out_depth sums, which wrap around.
inline void ConvolveIntegers(const Conv3DGeometry& g, const std::int32_t* image, const std::int32_t* filter,
                             Index pixel, std::int32_t* out) {
  const Window* const windows[] = {&g.planes, &g.rows, &g.columns};
  const Index at[] = {pixel / g.columns.output / g.rows.output, pixel / g.columns.output % g.rows.output,
                      pixel % g.columns.output};
  const Index taps = g.planes.size * g.rows.size * g.columns.size;
  std::fill_n(out, g.out_depth, 0);
  for (Index t = 0; t < taps; ++t) {
    const Index tap[] = {t / g.columns.size / g.rows.size, t / g.columns.size % g.rows.size, t % g.columns.size};
    Index from = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
      const Index x = at[i] * windows[i]->stride - windows[i]->pad_before + tap[i];
      inside = inside && x >= 0 && x < windows[i]->input;
      from = from * windows[i]->input + x;
    }
    for (Index d = 0; inside && d < g.in_depth; ++d) {
      const std::int32_t* const weights = filter + (t * g.in_depth + d) * g.out_depth;
      const auto value = static_cast<std::uint32_t>(image[from * g.in_depth + d]);
      for (Index o = 0; o < g.out_depth; ++o)
        out[o] = static_cast<std::int32_t>(static_cast<std::uint32_t>(out[o]) +
                                           value * static_cast<std::uint32_t>(weights[o]));
    }
  }
}
inline void ConvolveIntegerVolumes(Cpu& device, const Conv3DGeometry& g, const std::int32_t* images,
                                   const std::int32_t* filter, std::int32_t* out) {
  const Index pixels = g.planes.output * g.rows.output * g.columns.output;
  const Index image = g.planes.input * g.rows.input * g.columns.input * g.in_depth;
  const double cost = static_cast<double>(g.in_depth) * static_cast<double>(g.out_depth);
  ParallelFor(device, g.batch * pixels, 20 + cost, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      ConvolveIntegers(g, images + i / pixels * image, filter, i % pixels, out + i * g.out_depth);
  });
}

}  // namespace detail

// input: [batch_dims..., h, w, c], filter: [fh, fw, c, k]  ->  [batch_dims..., oh, ow, k]; volumes have a dimension
// more
struct Conv {
  static constexpr auto signature = Op("Conv")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double, int32}")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'")
                                        .Attr("dilations: list(int) = []")
                                        .Attr("batch_dims: int = 1")
                                        .Attr("groups: int = 1")
                                        .SetShapeFn(shape_inference::ConvShape);
  using Attrs = detail::ConvAttrs;

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& filter, Tensor&) const {
      detail::ConvPlan plan;
      TENON_RETURN_IF_ERROR(detail::MakeConvPlan(*this, input.shape(), filter.shape(), &plan));
      Tensor* out = nullptr;
      if (plan.spatial == 2 || std::is_integral_v<T>)
        TENON_RETURN_IF_ERROR(context.op().allocate_output(0, plan.output, &out));
      if (plan.spatial == 2)
        return tenon::Conv2D(context.device(), plan.images, input.data<T>(), filter.data<T>(), out->data<T>());
      if constexpr (std::is_integral_v<T>) {
        if (out->NumElements() > 0)
          detail::ConvolveIntegerVolumes(context.device(), plan.volumes, input.data<T>(), filter.data<T>(),
                                         out->data<T>());
        return OkStatus();
      } else {
        using C = detail::ConvComputeType<T>;
        return detail::RunConvolution<C>(context.op(), context.device(), plan.volumes, &tenon::Conv3D<C>, input, filter,
                                         plan.output);
      }
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// FusedPadConv2D, FusedResizeAndPadConv2D: images that are resized and mirrored at their edges, then convolved.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/image/resize.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Inputs: images, the size of resized images where `resizes`, paddings [4, 2], the filter.
inline Status FusedPadShape(InferenceContext* c, bool resizes) {
  ShapeHandle images, paddings, filter, unused;
  DimensionHandle depth;
  const int pads = resizes ? 2 : 1;
  SlimVector<std::int64_t> size, amounts, strides;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  DimensionHandle dims[] = {c->Dim(images, 0), c->Dim(images, 1), c->Dim(images, 2), c->Dim(images, 3)};
  if (resizes) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
    TENON_RETURN_IF_ERROR(c->ReadInput(1, &size, &known));
    if (known && size.size() < 2) return errors::InvalidArgument("size must have 2 elements, got ", size.size());
    for (std::size_t i = 0; i < 2; ++i) dims[1 + i] = known && size[i] >= 0 ? c->MakeDim(size[i]) : c->UnknownDim();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(pads), 2, &paddings));
  TENON_RETURN_IF_ERROR(c->Merge(paddings, c->Matrix(4, 2), &paddings));
  TENON_RETURN_IF_ERROR(c->ReadInput(pads, &amounts, &known));
  for (std::size_t i = 0; i < 4; ++i) {
    if (!known) {
      dims[i] = c->UnknownDim();
      continue;
    }
    const std::int64_t before = amounts[2 * i], after = amounts[2 * i + 1];
    if (before < 0 || after < 0) return errors::InvalidArgument("Paddings must be non-negative");
    TENON_RETURN_IF_ERROR(c->Add(dims[i], before, &dims[i]));
    TENON_RETURN_IF_ERROR(c->Add(dims[i], after, &dims[i]));
  }
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(pads + 1), 4, &filter));
  TENON_RETURN_IF_ERROR(c->GetAttr("strides", &strides));
  if (strides.size() != 4)
    return errors::InvalidArgument("Operation requires the stride attribute to contain 4 values, but got: ",
                                   strides.size());
  TENON_RETURN_IF_ERROR(c->Merge(dims[3], c->Dim(filter, 2), &depth));
  std::string_view text;
  Padding padding{};
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  TENON_RETURN_IF_ERROR(ParsePadding(text, &padding));
  for (std::size_t i = 0; i < 2; ++i)
    TENON_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(
        c, dims[1 + i], c->Dim(filter, static_cast<std::int64_t>(i)), strides[1 + i], padding, &dims[1 + i]));
  c->set_output(0, c->MakeShape({dims[0], dims[1], dims[2], c->Dim(filter, 3)}));
  return OkStatus();
}

struct FusedPadAttrs {
  std::string_view mode;
  std::span<const std::int64_t> strides;
  std::string_view padding;
};

// One dimension: resized, then mirrored; `offset` elements at an edge are not repeated.
struct MirroredAxis {
  ResizeAxis axis;
  Index before = 0, after = 0, offset = 0;

  Index size() const { return before + axis.output + after; }
  // The element of the resized image that padded element i repeats.
  Index Source(Index i) const {
    const Index at = i - before;
    if (at < 0) return -at - 1 + offset;
    return at < axis.output ? at : 2 * axis.output - 1 - offset - at;
  }
};

struct FusedPadPlan {
  MirroredAxis axes[2];
  Conv2DGeometry conv;
};

TENON_DETAIL_NOINLINE inline Status MakeFusedPadPlan(const OpKernelContext& context, const FusedPadAttrs& attrs,
                                                     bool resizes, bool align_corners, FusedPadPlan* plan) {
  const std::string_view op = context.op_kernel().type_string();
  const int at = resizes ? 2 : 1;
  const Tensor &images = context.input(0), &paddings = context.input(at), &filter = context.input(at + 1);
  if (images.NumElements() == 0) return errors::InvalidArgument(op, ": Input tensor can't be empty");
  if (images.dims() != 4) return errors::InvalidArgument(op, ": input must be 4-dimensional: ", images.shape());
  if (paddings.dims() != 2 || paddings.dim_size(0) != 4 || paddings.dim_size(1) != 2)
    return errors::InvalidArgument(op, ": paddings must be a matrix of 4 rows and 2 columns: ", paddings.shape());
  const auto* const amounts = paddings.data<std::int32_t>();
  for (int i = 0; i < 8; ++i)
    if (amounts[i] < 0) return errors::InvalidArgument(op, ": paddings must be non-negative, got ", amounts[i]);
  for (const int i : {0, 1, 6, 7})
    if (amounts[i] != 0)
      return errors::InvalidArgument(op, ": Fused mirror padding only support spatial padding, not ",
                                     i < 2 ? "batches" : "channels", ", got ", amounts[i]);
  TensorShape padded = images.shape();
  for (int i = 0; i < 2; ++i) {
    MirroredAxis& axis = plan->axes[i];
    Index size = images.dim_size(1 + i);
    if (resizes) {
      const Tensor& sizes = context.input(1);
      if (sizes.dims() != 1 || sizes.NumElements() != 2)
        return errors::InvalidArgument(op, ": size must be a vector of 2 elements, got ", sizes.shape());
      size = sizes.data<std::int32_t>()[i];
      if (size <= 0) return errors::InvalidArgument(op, ": output dimensions must be positive, got ", size);
    }
    axis = {ResizeAxis(images.dim_size(1 + i), size, align_corners), amounts[2 + 2 * i], amounts[3 + 2 * i],
            attrs.mode == "REFLECT" ? 1 : 0};
    if (axis.before > size - axis.offset || axis.after > size - axis.offset)
      return errors::InvalidArgument(op, ": paddings must be ", axis.offset == 1 ? "less than" : "no greater than",
                                     " the dimension size: ", axis.before, ", ", axis.after, " for ", size);
    TENON_RETURN_IF_ERROR(padded.SetDimWithStatus(1 + i, axis.size()));
  }
  if (filter.dims() != 4) return errors::InvalidArgument(op, ": filter must be 4-dimensional: ", filter.shape());
  if (images.dim_size(3) != filter.dim_size(2))
    return errors::InvalidArgument(op, ": input and filter must have the same depth: ", images.dim_size(3), " vs ",
                                   filter.dim_size(2));
  if (attrs.strides.size() == 4 && (attrs.strides[0] != 1 || attrs.strides[3] != 1))
    return errors::InvalidArgument(
        op, ": Current implementation does not yet support strides in the batch and depth dimensions.");
  const std::int64_t ones[] = {1, 1, 1, 1};
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(attrs.padding, &padding));
  return MakeConv2DGeometry(padded, filter.shape(), attrs.strides, ones, padding, {}, &plan->conv);
}

// One padded row, of image `n`.
template <class T>
void FillPaddedRow(const FusedPadPlan& plan, const T* image, Index y, T* to) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const MirroredAxis &rows = plan.axes[0], &columns = plan.axes[1];
  const Index depth = plan.conv.in_depth, width = columns.axis.input * depth;
  const auto v = tenon::detail::LinearPlaceOf(rows.axis, false, rows.Source(y));
  for (Index x = 0; x < columns.size(); ++x, to += depth) {
    const auto h = tenon::detail::LinearPlaceOf(columns.axis, false, columns.Source(x));
    const T *const top = image + v.lower * width, *const bottom = image + v.upper * width;
    const Index left = h.lower * depth, right = h.upper * depth;
    const auto across = static_cast<C>(h.lerp), down = static_cast<C>(v.lerp);
    for (Index d = 0; d < depth; ++d) {
      const C a = static_cast<C>(top[left + d]), b = static_cast<C>(bottom[left + d]);
      const C above = a + (static_cast<C>(top[right + d]) - a) * across;
      const C below = b + (static_cast<C>(bottom[right + d]) - b) * across;
      to[d] = static_cast<T>(above + (below - above) * down);
    }
  }
}

template <class T>
Status RunFusedPad(OpKernelContext& context, Cpu& device, const FusedPadPlan& plan, const Tensor& filter) {
  const Tensor& images = context.input(0);
  const Index rows = plan.axes[0].size(), row = plan.axes[1].size() * plan.conv.in_depth;
  const Index image = plan.axes[0].axis.input * plan.axes[1].axis.input * plan.conv.in_depth;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, plan.conv.output_shape(), &out));
  const Index bytes = MultiplyWithoutOverflow(plan.conv.batch * rows * row, Index{sizeof(T)});
  if (bytes < 0)
    return errors::ResourceExhausted(context.op_kernel().type_string(), ": OOM when padding ", plan.conv.batch,
                                     " images to ", rows, " rows of ", row, " elements");
  const Scratch scratch(device, static_cast<std::size_t>(bytes));
  TENON_RETURN_IF_ERROR(scratch.status(context.op_kernel().type_string()));
  T* const padded = scratch.As<T>();
  ParallelFor(device, plan.conv.batch * rows, 4.0 * static_cast<double>(row), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      FillPaddedRow(plan, images.data<T>() + i / rows * image, i % rows, padded + i * row);
  });
  return tenon::Conv2D(device, plan.conv, static_cast<const T*>(padded), filter.data<T>(), out->data<T>());
}

}  // namespace detail

// input: [n, h, w, c], paddings: [4, 2], filter: [fh, fw, c, k]  ->  [n, oh, ow, k]
struct FusedPadConv2D {
  static constexpr auto signature =
      Op("FusedPadConv2D")
          .Input("input: T")
          .Input("paddings: int32")
          .Input("filter: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
          .Attr("strides: list(int)")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::FusedPadShape(c, false); });
  using Attrs = detail::FusedPadAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor& filter, Tensor&) const {
      detail::FusedPadPlan plan;
      TENON_RETURN_IF_ERROR(detail::MakeFusedPadPlan(context.op(), *this, false, false, &plan));
      return detail::RunFusedPad<T>(context.op(), context.device(), plan, filter);
    }
  };
};

// As FusedPadConv2D, with images that are first resized to `size`, [rows, columns], by bilinear interpolation.
struct FusedResizeAndPadConv2D {
  static constexpr auto signature =
      Op("FusedResizeAndPadConv2D")
          .Input("input: T")
          .Input("size: int32")
          .Input("paddings: int32")
          .Input("filter: T")
          .Output("output: T")
          .Attr("T: {half, float, double}")
          .Attr("resize_align_corners: bool = false")
          .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
          .Attr("strides: list(int)")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::FusedPadShape(c, true); });
  struct Attrs {
    bool resize_align_corners;
    std::string_view mode;
    std::span<const std::int64_t> strides;
    std::string_view padding;
  };
  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& filter,
                      Tensor&) const {
      detail::FusedPadPlan plan;
      TENON_RETURN_IF_ERROR(detail::MakeFusedPadPlan(context.op(), {this->mode, this->strides, this->padding}, true,
                                                     this->resize_align_corners, &plan));
      return detail::RunFusedPad<T>(context.op(), context.device(), plan, filter);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

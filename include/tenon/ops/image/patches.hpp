// SPDX-License-Identifier: Apache-2.0
#pragma once
// ExtractImagePatches and ExtractVolumePatches: every position of a window as one long pixel.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/im2col.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kPatchTypes{kPodTypes.mask & ~ToSet(DataType::kBool).mask};

// `space` dimensions (2 or 3) between batch and depth; rates may be none.
inline Status PatchesShape(InferenceContext* c, int space) {
  const int rank = space + 2;
  ShapeHandle input;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  SlimVector<std::int64_t> sizes, strides, rates(static_cast<std::size_t>(rank), 1);
  const auto n = static_cast<std::size_t>(rank);
  TENON_RETURN_IF_ERROR(shape_inference::internal::GetListAttr(
      c, "ksizes", n, "the ksizes attribute must contain one value per dimension", &sizes));
  TENON_RETURN_IF_ERROR(shape_inference::internal::GetListAttr(
      c, "strides", n, "the strides attribute must contain one value per dimension", &strides));
  if (c->HasAttr("rates"))
    TENON_RETURN_IF_ERROR(shape_inference::internal::GetListAttr(
        c, "rates", n, "the rates attribute must contain one value per dimension", &rates));
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(ParsePadding(text, &padding));
  DimensionHandle depth = c->Dim(input, rank - 1);
  bool known = true;
  for (int i = 1; i <= space; ++i) {
    TENON_RETURN_IF_ERROR(c->Multiply(depth, c->MakeDim(sizes[static_cast<std::size_t>(i)]), &depth));
    known = known && c->ValueKnown(c->Dim(input, i));
  }
  SlimVector<DimensionHandle> dims;
  dims.push_back(c->Dim(input, 0));
  // TensorFlow gives an unknown output two spatial dimensions, even for volumes.
  for (int i = 1; i <= (known ? space : 2); ++i) {
    const auto at = static_cast<std::size_t>(i);
    dims.push_back(c->UnknownDim());
    if (!known) continue;
    std::int64_t out = 0, before = 0, after = 0;
    const auto size = static_cast<std::uint64_t>(sizes[at]), rate = static_cast<std::uint64_t>(rates[at]);
    const auto extent = static_cast<std::int64_t>(size + (size - 1) * (rate - 1));  // may wrap
    TENON_RETURN_IF_ERROR(
        GetWindowedOutputSize(c->Value(c->Dim(input, i)), extent, 1, strides[at], padding, &out, &before, &after));
    dims.back() = c->MakeDim(out);
  }
  dims.push_back(depth);
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

inline Status CheckPatchAttr(std::string_view op, std::string_view name, std::span<const std::int64_t> list,
                             std::size_t rank) {
  if (list.size() != rank)
    return errors::InvalidArgument(op, ": ", name, " attribute should have ", rank, " elements, got ", list.size());
  if (list.front() != 1 || list.back() != 1)
    return errors::Unimplemented(op, ": Only support ", name, " across space.");
  for (const std::int64_t v : list)
    if (v < 1) return errors::OutOfRange(op, ": ", name, " is out of range, must be positive, got ", v);
  return OkStatus();
}

inline Status RunPatches(OpKernelContext& context, Cpu& device, std::string_view op,
                         std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                         std::span<const std::int64_t> rates, std::string_view padding_text, int space) {
  const Tensor& input = context.input(0);
  const auto rank = static_cast<std::size_t>(space + 2);
  TENON_RETURN_IF_ERROR(CheckPatchAttr(op, "ksizes", sizes, rank));
  TENON_RETURN_IF_ERROR(CheckPatchAttr(op, "strides", strides, rank));
  TENON_RETURN_IF_ERROR(CheckPatchAttr(op, "rates", rates, rank));
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(padding_text, &padding));
  if (input.dims() != space + 2)
    return errors::InvalidArgument(op, ": input must be ", rank, "-dimensional, got shape ", input.shape());
  PatchGeometry g;
  g.batch = input.dim_size(0);
  g.depth = input.dim_size(space + 1);
  Index depth = g.depth, out_sizes[5] = {g.batch};
  Window* const windows[] = {&g.planes, &g.rows, &g.columns};
  for (int i = 0; i < space; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    constexpr Index kMost = Index{1} << 31;
    if (sizes[at] > kMost || rates[at] > kMost)
      return errors::InvalidArgument(op, ": ksize ", sizes[at], " or rate ", rates[at], " is too large, at most ",
                                     kMost, " would be right");
    Window& w = *windows[3 - space + i];
    w = {.input = input.dim_size(i + 1), .size = sizes[at], .stride = strides[at], .dilation = rates[at]};
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, &w));
    if (space == 3) CentreWindow(padding, &w);
    out_sizes[i + 1] = w.output;
    depth = MultiplyWithoutOverflow(depth, w.size);
    if (depth < 0)
      return errors::InvalidArgument(op, ": the depth of the patches overflows with ", w.size,
                                     " places along dimension ", i + 1);
  }
  out_sizes[space + 1] = depth;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build({out_sizes, rank}, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (shape.num_elements() > 0)
    ExtractPatches(device, g, static_cast<Index>(SizeOf(input.dtype())), input.raw_data(), out->raw_data());
  return OkStatus();
}

}  // namespace detail

// images: [n, h, w, c]  ->  [n, oh, ow, kh * kw * c]; zeros outside of the image
struct ExtractImagePatches {
  static constexpr auto signature =
      Op("ExtractImagePatches")
          .Input("images: T")
          .Output("patches: T")
          .Attr("ksizes: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("rates: list(int) >= 4")
          .Attr(
              "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::PatchesShape(c, 2); });
  struct Attrs {
    std::span<const std::int64_t> ksizes, strides, rates;
    std::string_view padding;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPatchTypes); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunPatches(context.op(), context.device(), "ExtractImagePatches", this->ksizes, this->strides,
                                this->rates, this->padding, 2);
    }
  };
};

// input: [n, d, h, w, c]  ->  [n, od, oh, ow, kd * kh * kw * c]
struct ExtractVolumePatches {
  static constexpr auto signature =
      Op("ExtractVolumePatches")
          .Input("input: T")
          .Output("patches: T")
          .Attr("ksizes: list(int) >= 5")
          .Attr("strides: list(int) >= 5")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::PatchesShape(c, 3); });
  struct Attrs {
    std::span<const std::int64_t> ksizes, strides;
    std::string_view padding;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      constexpr std::int64_t kOnes[] = {1, 1, 1, 1, 1};
      return detail::RunPatches(context.op(), context.device(), "ExtractVolumePatches", this->ksizes, this->strides,
                                kOnes, this->padding, 3);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

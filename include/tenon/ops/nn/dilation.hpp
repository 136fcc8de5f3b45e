// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dilation2D (the largest sum of window and filter) and its gradients.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/dilation.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct Dilation2DAttrs {
  std::span<const std::int64_t> strides, rates;
  std::string_view padding;
};

inline Status Dilation2DShape(InferenceContext* c) {
  ShapeHandle input, filter;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &filter));
  SlimVector<std::int64_t> strides, rates;
  TENON_RETURN_IF_ERROR(shape_inference::internal::GetListAttr(
      c, "strides", 4, "Dilation2D requires the stride attribute to contain 4 values", &strides));
  TENON_RETURN_IF_ERROR(shape_inference::internal::GetListAttr(
      c, "rates", 4, "Dilation2D requires the rates attribute to contain 4 values", &rates));
  DimensionHandle unused, sizes[2];
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(ParsePadding(text, &padding));
  bool known = true;
  for (int i = 0; i < 2; ++i) known = known && c->ValueKnown(c->Dim(input, i + 1)) && c->ValueKnown(c->Dim(filter, i));
  // As TensorFlow's: depths are compared where the image's and the filter's size are known, the filter's is the
  // output's.
  if (known) TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, 3), c->Dim(filter, 2), &unused));
  for (int i = 0; i < 2; ++i) {
    if (!known) {
      sizes[i] = c->UnknownDim();
      continue;
    }
    const auto at = static_cast<std::size_t>(i + 1);
    const auto size = static_cast<std::uint64_t>(c->Value(c->Dim(filter, i)));
    const auto extent = static_cast<std::int64_t>(size + (size - 1) * (static_cast<std::uint64_t>(rates[at]) - 1));
    std::int64_t out = 0, before = 0, after = 0;
    TENON_RETURN_IF_ERROR(
        GetWindowedOutputSize(c->Value(c->Dim(input, i + 1)), extent, 1, strides[at], padding, &out, &before, &after));
    sizes[i] = c->MakeDim(out);
  }
  c->set_output(0, c->MakeShape({c->Dim(input, 0), sizes[0], sizes[1], c->Dim(filter, 2)}));
  return OkStatus();
}

inline Status MakeDilationGeometry(std::string_view op, const Dilation2DAttrs& a, const TensorShape& input,
                                   const TensorShape& filter, DilationGeometry* geometry) {
  if (a.strides.size() != 4)
    return errors::InvalidArgument(op, ": Sliding window stride field must specify 4 dimensions");
  if (a.strides[0] != 1 || a.strides[3] != 1)
    return errors::Unimplemented(op, ": Stride is only supported across spatial dimensions.");
  if (a.rates.size() != 4)
    return errors::InvalidArgument(op, ": Input stride (atrous rate) field must specify 4 dimensions");
  if (a.rates[0] != 1 || a.rates[3] != 1)
    return errors::Unimplemented(op, ": Rate is only supported across spatial dimensions.");
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  if (input.dims() != 4) return errors::InvalidArgument(op, ": input must be 4-dimensional", input);
  if (filter.dims() != 3) return errors::InvalidArgument(op, ": filter must be 3-dimensional: ", filter);
  DilationGeometry g;
  g.batch = input.dim_size(0);
  g.depth = input.dim_size(3);
  if (filter.dim_size(2) != g.depth)
    return errors::InvalidArgument(op, ": input and filter must have the same depth: ", g.depth, " vs ",
                                   filter.dim_size(2));
  Window* const windows[] = {&g.rows, &g.columns};
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    constexpr Index kMost = Index{1} << 31;
    const Index size = filter.dim_size(i), rate = a.rates[at];
    if (rate > kMost || rate < -kMost || size > kMost)
      return errors::InvalidArgument(op, ": rate ", rate, " and filter size ", size, " are too large");
    // A rate below 1 is taken as it is: the window then covers this many elements.
    *windows[i] = {.input = input.dim_size(i + 1), .size = size + (size - 1) * (rate - 1), .stride = a.strides[at]};
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, windows[i]));
    windows[i]->size = size;
    windows[i]->dilation = rate;
  }
  *geometry = g;
  return OkStatus();
}

enum class DilationTask { kForward, kInput, kFilter };

template <class T, DilationTask kTask, class Device>
Status RunDilation(Device& device, const DilationGeometry& g, const void* input, const void* filter,
                   const void* gradient, void* out) {
  const T *x = static_cast<const T*>(input), *f = static_cast<const T*>(filter);
  if constexpr (kTask == DilationTask::kForward)
    return Dilate(device, g, x, f, static_cast<T*>(out));
  else
    return DilateGrad(device, g, kTask == DilationTask::kFilter, x, f, static_cast<const T*>(gradient),
                      static_cast<T*>(out));
}
template <class Device>
using DilationFunction = Status (*)(Device&, const DilationGeometry&, const void*, const void*, const void*, void*);
template <DilationTask kTask, class Device>
DilationFunction<Device> DilationOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return &RunDilation<half, kTask, Device>;
    case DataType::kBfloat16: return &RunDilation<bfloat16, kTask, Device>;
    case DataType::kDouble: return &RunDilation<double, kTask, Device>;
    case DataType::kInt8: return &RunDilation<std::int8_t, kTask, Device>;
    case DataType::kInt16: return &RunDilation<std::int16_t, kTask, Device>;
    case DataType::kInt32: return &RunDilation<std::int32_t, kTask, Device>;
    case DataType::kInt64: return &RunDilation<std::int64_t, kTask, Device>;
    case DataType::kUint8: return &RunDilation<std::uint8_t, kTask, Device>;
    case DataType::kUint16: return &RunDilation<std::uint16_t, kTask, Device>;
    case DataType::kUint32: return &RunDilation<std::uint32_t, kTask, Device>;
    case DataType::kUint64: return &RunDilation<std::uint64_t, kTask, Device>;
    default: return &RunDilation<float, kTask, Device>;
  }
}

template <DilationTask task, class Device>
Status RunDilationOp(OpKernelContext& context, Device& device, std::string_view op, const Dilation2DAttrs& attrs) {
  const Tensor &input = context.input(0), &filter = context.input(1);
  DilationGeometry g;
  TENON_RETURN_IF_ERROR(MakeDilationGeometry(op, attrs, input.shape(), filter.shape(), &g));
  const Index sizes[] = {g.batch, g.rows.output, g.columns.output, g.depth};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  const void* gradient = nullptr;
  if (task != DilationTask::kForward) {
    if (!(context.input(2).shape() == shape))
      return errors::InvalidArgument(op, ": out_backprop has incompatible size. Expected ", shape, ", got ",
                                     context.input(2).shape());
    gradient = context.input(2).raw_data();
    shape = task == DilationTask::kInput ? input.shape() : filter.shape();
  }
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  return DilationOf<task, Device>(input.dtype())(device, g, input.raw_data(), filter.raw_data(), gradient,
                                                 out->raw_data());
}

}  // namespace detail

// input: [n, h, w, c]  filter: [fh, fw, c]  ->  [n, oh, ow, c]
struct Dilation2D {
  static constexpr auto signature =
      Op("Dilation2D")
          .Input("input: T")
          .Input("filter: T")
          .Output("output: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("strides: list(int) >= 4")
          .Attr("rates: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn(detail::Dilation2DShape);
  using Attrs = detail::Dilation2DAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDilationOp<detail::DilationTask::kForward>(context.op(), context.device(), "Dilation2D", *this);
    }
  };
};

struct Dilation2DBackpropInput {
  static constexpr auto signature =
      Op("Dilation2DBackpropInput")
          .Input("input: T")
          .Input("filter: T")
          .Input("out_backprop: T")
          .Output("in_backprop: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("strides: list(int) >= 4")
          .Attr("rates: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn(shape_inference::UnchangedShape);
  using Attrs = detail::Dilation2DAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // each element goes to where the largest sum came from
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDilationOp<detail::DilationTask::kInput>(context.op(), context.device(),
                                                                 "Dilation2DBackpropInput", *this);
    }
  };
};

struct Dilation2DBackpropFilter {
  static constexpr auto signature =
      Op("Dilation2DBackpropFilter")
          .Input("input: T")
          .Input("filter: T")
          .Input("out_backprop: T")
          .Output("filter_backprop: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .Attr("strides: list(int) >= 4")
          .Attr("rates: list(int) >= 4")
          .Attr("padding: {'SAME', 'VALID'}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            c->set_output(0, c->input(1));
            return OkStatus();
          });
  using Attrs = detail::Dilation2DAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // each element goes to where the largest sum came from
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDilationOp<detail::DilationTask::kFilter>(context.op(), context.device(),
                                                                  "Dilation2DBackpropFilter", *this);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// FractionalMaxPoolGrad, FractionalAvgPoolGrad: gradients of pools whose windows have sizes of their own.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using FractionalTypes = TypeList<float, double, std::int32_t, std::int64_t>;

// Window i of one dimension: elements [Begin(i), End(i)) of `size`; with `overlapping` one more, which is also the
// first one of window i + 1. Empty where the sequence falls.
struct FractionalWindows {
  const std::int64_t* sequence = nullptr;
  Index count = 0, size = 0;
  bool overlapping = false;

  Index Begin(Index i) const { return sequence[i]; }
  Index End(Index i) const { return sequence[i + 1] < size ? sequence[i + 1] + (overlapping ? 1 : 0) : size; }

  // Reads the places of `windows` windows. InvalidArgument: the sequence is too short, a number in it is negative, or
  // one behind the first is 0.
  Status Read(std::string_view op, std::string_view name, const Tensor& values, Index windows, Index dimension,
              bool overlap) {
    if (values.NumElements() <= windows)
      return errors::InvalidArgument(op, ": ", name, " must have at least ", windows + 1, " elements, but got ",
                                     values.NumElements());
    sequence = values.data<std::int64_t>();
    count = windows;
    size = dimension;
    overlapping = overlap;
    for (Index i = 0; i <= count; ++i)
      if (sequence[i] < (i == 0 ? 0 : 1))
        return errors::InvalidArgument(
            op, ": ", name, " values must not be negative, and only the first may be 0, got ", sequence[i], " at ", i);
    return OkStatus();
  }
};

// images: [batch, rows.size, columns.size, image_depth], windows: [batch, rows.count, columns.count, depth].
struct FractionalGeometry {
  Index batch = 0, depth = 0, image_depth = 0;
  FractionalWindows rows, columns;

  Index image() const { return rows.size * columns.size * image_depth; }
  Index places() const { return rows.count * columns.count; }
  // Calls body(first element of a pixel in its image) for all pixels of the window at `place`.
  template <class Body>
  Index ForWindow(Index place, const Body& body) const {
    const Index r = place / columns.count, c = place % columns.count;
    Index pixels = 0;
    for (Index y = rows.Begin(r); y < rows.End(r); ++y)
      for (Index x = columns.Begin(c); x < columns.End(c); ++x, ++pixels) body((y * columns.size + x) * image_depth);
    return pixels;
  }
};

// back[window] goes to the first of the largest elements of the window. InvalidArgument: `output` is not the largest.
template <class T>
Status FractionalMaxGradient(const FractionalGeometry& g, const T* input, const T* output, const T* back, T* out) {
  for (Index i = 0; i < g.batch * g.places(); ++i) {
    const Index image = i / g.places() * g.image();
    for (Index d = 0; d < g.depth; ++d) {
      Index most = kNoPlace;
      g.ForWindow(i % g.places(), [&](Index pixel) {
        const Index at = image + pixel + d;
        if (most == kNoPlace || input[most] < input[at]) most = at;
      });
      const Index e = i * g.depth + d;
      if (most == kNoPlace || !(input[most] == output[e]))
        return errors::InvalidArgument("FractionalMaxPoolGrad: tensor_out_dup is not the same as tensor_out: element ",
                                       e, " of orig_output is not the largest of its window");
      out[most] = tenon::detail::PoolSum(out[most], back[e]);
    }
  }
  return OkStatus();
}
// back[window] is shared out evenly to the window.
template <class T>
void FractionalMeanGradient(const FractionalGeometry& g, const T* back, double* sums) {
  for (Index i = 0; i < g.batch * g.places(); ++i) {
    const Index image = i / g.places() * g.image(), pixels = g.ForWindow(i % g.places(), [](Index) {});
    g.ForWindow(i % g.places(), [&](Index pixel) {
      for (Index d = 0; d < g.depth; ++d)
        sums[image + pixel + d] += static_cast<double>(back[i * g.depth + d]) / static_cast<double>(pixels);
    });
  }
}

inline Status CheckFractionalRank(std::string_view op, std::string_view name, const Tensor& tensor) {
  if (tensor.dims() == 4) return OkStatus();
  return errors::InvalidArgument(op, ": ", name, " must be 4-dimensional, got shape ", tensor.shape());
}
// The windows that `back` has elements for, from inputs `first` and `first` + 1, over images of this shape.
inline Status ReadFractionalGeometry(OpKernelContext& context, std::string_view op, int first, const TensorShape& image,
                                     bool overlapping, const TensorShape& back, FractionalGeometry* g) {
  TENON_RETURN_IF_ERROR(
      g->rows.Read(op, "row_pooling_sequence", context.input(first), back.dim_size(1), image.dim_size(1), overlapping));
  TENON_RETURN_IF_ERROR(g->columns.Read(op, "col_pooling_sequence", context.input(first + 1), back.dim_size(2),
                                        image.dim_size(2), overlapping));
  g->batch = back.dim_size(0);
  g->depth = back.dim_size(3);
  g->image_depth = image.dim_size(3);
  if (g->batch <= image.dim_size(0) && g->depth <= g->image_depth) return OkStatus();
  return errors::InvalidArgument(op, ": out_backprop has more images or channels than the input, got ", back, " and ",
                                 image);
}

inline Status RunFractionalMaxPoolGrad(OpKernelContext& context, bool overlapping) {
  constexpr std::string_view kName = "FractionalMaxPoolGrad";
  const Tensor &input = context.input(0), &output = context.input(1), &back = context.input(2);
  TENON_RETURN_IF_ERROR(CheckFractionalRank(kName, "orig_input", input));
  TENON_RETURN_IF_ERROR(CheckFractionalRank(kName, "orig_output", output));
  TENON_RETURN_IF_ERROR(CheckFractionalRank(kName, "out_backprop", back));
  if (input.NumElements() == 0)
    return errors::InvalidArgument(kName, ": orig_input must not be empty, got ", input.shape());
  if (!(output.shape() == back.shape()))
    return errors::InvalidArgument(kName, ": orig_output and out_backprop must have the same shape, got ",
                                   output.shape(), " and ", back.shape());
  for (int i = 3; i < 5; ++i)
    if (context.input(i).dims() != 1)
      return errors::InvalidArgument(kName, ": ", i == 3 ? "row" : "col",
                                     "_pooling_sequence must be a vector, received ", context.input(i).shape());
  FractionalGeometry g;
  TENON_RETURN_IF_ERROR(ReadFractionalGeometry(context, kName, 3, input.shape(), overlapping, back.shape(), &g));
  if (g.batch != input.dim_size(0) || g.depth != g.image_depth || g.rows.count + 1 != context.input(3).NumElements() ||
      g.columns.count + 1 != context.input(4).NumElements())
    return errors::InvalidArgument(kName, ": tensor_out_dup is not the same as tensor_out: orig_output has shape ",
                                   output.shape());
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  Status status;
  TENON_RETURN_IF_ERROR(DispatchType<FractionalTypes>(input.dtype(), [&]<class T>() {
    std::fill_n(out->data<T>(), out->NumElements(), T(0));
    status = FractionalMaxGradient(g, input.data<T>(), output.data<T>(), back.data<T>(), out->data<T>());
  }));
  return status;
}
inline Status RunFractionalAvgPoolGrad(OpKernelContext& context, const HostIndices& sizes, bool overlapping) {
  constexpr std::string_view kName = "FractionalAvgPoolGrad";
  const Tensor& back = context.input(1);
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeFromValues(kName, "original input tensor shape", sizes, 4, &shape));
  TENON_RETURN_IF_ERROR(CheckFractionalRank(kName, "out_backprop", back));
  if (back.NumElements() == 0)
    return errors::InvalidArgument(kName, ": out_backprop must be positive for all dimension, got:", back.shape());
  constexpr std::string_view kSizes[] = {"Batch", "Rows", "Columns", "Depth"};
  for (int d = 0; d < 4; ++d)
    if (shape.dim_size(d) == 0)
      return errors::InvalidArgument(kName, ": ", kSizes[d], " dimension of input must not be 0, got ", shape);
  FractionalGeometry g;
  TENON_RETURN_IF_ERROR(ReadFractionalGeometry(context, kName, 2, shape, overlapping, back.shape(), &g));
  Tensor* out = nullptr;
  Tensor temp;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kDouble, shape, &temp));
  double* const sums = temp.data<double>();
  std::fill_n(sums, temp.NumElements(), 0.0);
  return DispatchType<FractionalTypes>(back.dtype(), [&]<class T>() {
    FractionalMeanGradient(g, back.data<T>(), sums);
    for (Index i = 0; i < out->NumElements(); ++i) out->data<T>()[i] = static_cast<T>(sums[i]);
  });
}

// Nothing follows from the length of a shape that is not known.
inline Status FractionalAvgPoolGradShape(InferenceContext* c) {
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(0, &sizes, &known));
  if (known) return ShapeFromInput(c, 0, 4);
  c->set_output(0, c->UnknownShapeOfRank(4));
  return OkStatus();
}

struct FractionalGradAttrs {
  bool overlapping;
};

}  // namespace detail

// orig_input: [n, h, w, c], orig_output and the sequences: outputs of FractionalMaxPool  ->  the shape of orig_input
struct FractionalMaxPoolGrad {
  static constexpr auto signature =
      Op("FractionalMaxPoolGrad")
          .Input("orig_input: T")
          .Input("orig_output: T")
          .Input("out_backprop: T")
          .Input("row_pooling_sequence: int64")
          .Input("col_pooling_sequence: int64")
          .Output("output: T")
          .Attr("overlapping: bool = false")
          .Attr("T: {float, double, int32, int64}")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 4); });
  using Attrs = detail::FractionalGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return detail::RunFractionalMaxPoolGrad(context.op(), this->overlapping);
    }
  };
};

// orig_input_tensor_shape: [n, h, w, c] as values
struct FractionalAvgPoolGrad {
  static constexpr auto signature = Op("FractionalAvgPoolGrad")
                                        .Input("orig_input_tensor_shape: int64")
                                        .Input("out_backprop: T")
                                        .Input("row_pooling_sequence: int64")
                                        .Input("col_pooling_sequence: int64")
                                        .Output("output: T")
                                        .Attr("overlapping: bool = false")
                                        .Attr("T: {float, double, int32, int64}")
                                        .SetShapeFn(detail::FractionalAvgPoolGradShape);
  using Attrs = detail::FractionalGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices sizes, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&) const {
      return detail::RunFractionalAvgPoolGrad(context.op(), sizes, this->overlapping);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

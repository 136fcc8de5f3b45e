// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions over some dimensions of a tensor.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct ReductionAttrs {
  bool keep_dims;
};

// The dimensions that `indices` names (each once, counted from the end when negative; any shape will do), and the
// output's shape.
inline Status ReadAxes(std::string_view op, const TensorShape& input, const HostIndices& indices, bool keep_dims,
                       AxisSet* axes, TensorShape* output) {
  const Index rank = input.dims();
  for (Index i = 0; i < indices.size(); ++i) {
    const Index axis = indices[i];
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument(op, ": Invalid reduction dimension ", axis, " for input with ", rank,
                                     " dimension(s); axes must be in [", -rank, ", ", rank, ")");
    const int d = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (axes->contains(d))
      return errors::InvalidArgument(op, ": Invalid reduction arguments: Axes contains duplicate dimension: ", d);
    axes->Add(d);
  }
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < input.dims(); ++d) {
    if (!axes->contains(d))
      sizes.push_back(input.dim_size(d));
    else if (keep_dims)
      sizes.push_back(1);
  }
  return TensorShape::Build({sizes.data(), sizes.size()}, output);
}

// Nothing is computed when only dimensions of size 1 go away: the output shares the input's buffer.
template <class Device, class Loops>
Status RunReduction(OpKernelContext& context, Device& device, const Loops& loops, bool keep_dims, const Tensor& input,
                    const HostIndices& indices, Tensor* output) {
  AxisSet axes;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadAxes(context.op_kernel().type_string(), input.shape(), indices, keep_dims, &axes, &shape));
  if (shape.num_elements() == input.NumElements()) {
    (void)output->CopyFrom(input, shape);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  return Reduce(device, loops, input.raw_data(), input.shape(), axes, output->raw_data());
}

// The kernel sizes its output itself: at run it takes indices of any rank, the shape function only lists and single
// ones.
template <class Reducer, class Device, class T>
struct Reduction : ReductionAttrs {
  Status operator()(Context<Device>& context, const Tensor& input, HostIndices reduction_indices,
                    Tensor& output) const {
    return RunReduction(context.op(), context.device(), ReduceLoopsFor<Reducer, T>(context.device()), this->keep_dims,
                        input, reduction_indices, &output);
  }
};

template <class T>
concept Reduces = !IsQuantized(dtype_of_v<T>);
// int32 tensors are sizes: they stay in host memory, as in TensorFlow.
template <class Device, class T>
concept ReducesOn = Reduces<T> && (Device::type == "CPU" || !std::is_same_v<T, std::int32_t>);

}  // namespace detail

struct Sum {
  static constexpr auto signature =
      Op("Sum")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::ReducesOn<Device, T>
  using kernel = detail::Reduction<SumReducer, Device, T>;
};

// The mean of integers is cut towards zero. Without elements it is 0 for integers, else NaN.
struct Mean {
  static constexpr auto signature =
      Op("Mean")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Reduces<T>
  using kernel = detail::Reduction<MeanReducer, Device, T>;
};

struct Prod {
  static constexpr auto signature =
      Op("Prod")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::ReducesOn<Device, T>
  using kernel = detail::Reduction<ProdReducer, Device, T>;
};

// NaN when there is one; of nothing: minus infinity, or the lowest integer.
struct Max {
  static constexpr auto signature =
      Op("Max")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::ReducesOn<Device, T>
  using kernel = detail::Reduction<MaxReducer, Device, T>;
};

// NaN when there is one; of nothing: infinity, or the highest integer.
struct Min {
  static constexpr auto signature =
      Op("Min")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::ReductionShape);

  using Attrs = detail::ReductionAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::ReducesOn<Device, T>
  using kernel = detail::Reduction<MinReducer, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

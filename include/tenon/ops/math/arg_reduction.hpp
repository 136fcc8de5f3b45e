// SPDX-License-Identifier: Apache-2.0
#pragma once
// ArgMax and ArgMin: where along an axis the largest or smallest element is.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/reduce/arg_reduce.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kArgTypes = kRealNumberTypes | ToSet(DataType::kBool);

inline Status ArgShape(InferenceContext* c) {
  ShapeHandle unused, before, after, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const ShapeHandle input = c->input(0);
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input);
  if (rank <= 1) return shape_inference::ScalarShape(c);
  std::int64_t axis = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(1, &axis, &known));
  if (!known) {
    c->set_output(0, c->UnknownShapeOfRank(rank - 1));
    return OkStatus();
  }
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Dimension (", axis, ") must be in the range [", -rank, ", ", rank, "), where ",
                                   rank, " is the number of dimensions in the input.");
  if (axis < 0) axis += rank;
  TENON_RETURN_IF_ERROR(c->Subshape(input, 0, axis, &before));
  TENON_RETURN_IF_ERROR(c->Subshape(input, axis + 1, &after));
  TENON_RETURN_IF_ERROR(c->Concatenate(before, after, &out));
  c->set_output(0, out);
  return OkStatus();
}

TENON_DETAIL_COLD_CODE_BEGIN
template <class Device>
Status RunArgReduction(OpKernelContext& context, Device& device, bool max, const Tensor& input,
                       const HostIndices& dimension, Tensor* output) {
  constexpr int kMostDims = 7;
  const std::string_view op = context.op_kernel().type_string();
  if (dimension.shape().dims() != 0)
    return errors::InvalidArgument(op, ": dim must be a scalar, but received tensor of shape: ", dimension.shape());
  const int rank = input.dims();
  const Index wanted = dimension[0];
  if (wanted < -rank || wanted >= rank)
    return errors::InvalidArgument(op, ": Expected dimension in the range [", -rank, ", ", rank, "), but got ", wanted);
  const int axis = static_cast<int>(wanted < 0 ? wanted + rank : wanted);
  const Index n = input.dim_size(axis);
  if (n == 0) return errors::InvalidArgument(op, ": Reduction axis ", axis, " is empty in shape ", input.shape());
  TensorShape shape = input.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(axis));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  if (rank > kMostDims)
    return errors::InvalidArgument(op, ": Argmax and Argmin only support up to ", kMostDims,
                                   " input dimensions, but got ", rank, ". Inputs shape: ", input.shape());
  const Index outer = ProductOfSizes(input.shape(), 0, axis), inner = ProductOfSizes(input.shape(), axis + 1, rank);
  return ArgReduce(device, max, input.dtype(), input.raw_data(), outer, n, inner, output->dtype(), output->raw_data());
}
TENON_DETAIL_COLD_CODE_END

template <class Op, class Device>
struct ArgKernel {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kArgTypes); }
  Status operator()(Context<Device>& context, const Tensor& input, HostIndices dimension, Tensor& output) const {
    return RunArgReduction(context.op(), context.device(), Op::kMax, input, dimension, &output);
  }
};

}  // namespace detail

// input: [a, n, b], dimension: 1  ->  [a, b]; the first of equal elements. NaN is passed over.
struct ArgMax {
  static constexpr auto signature =
      Op("ArgMax")
          .Input("input: T")
          .Input("dimension: Tidx")
          .Output("output: output_type")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16, bool}")
          .Attr("Tidx: {int16, int32, int64} = DT_INT32")
          .Attr("output_type: {int16, uint16, int32, int64} = DT_INT64")
          .SetShapeFn(detail::ArgShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool kMax = true;

  template <class Device>
  using kernel = detail::ArgKernel<ArgMax, Device>;
};

struct ArgMin {
  static constexpr auto signature =
      Op("ArgMin")
          .Input("input: T")
          .Input("dimension: Tidx")
          .Output("output: output_type")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, "
              "quint16, bool}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("output_type: {int32, int64} = DT_INT64")
          .SetShapeFn(detail::ArgShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool kMax = false;

  template <class Device>
  using kernel = detail::ArgKernel<ArgMin, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

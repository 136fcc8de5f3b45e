// SPDX-License-Identifier: Apache-2.0
#pragma once
// Concat, ConcatV2, ConcatOffset: tensors joined along an axis that they have.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kConcatTypes =
    kPodAndStringTypes | kQuantizedTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);

template <class Device>
Status RunConcat(OpKernelContext& context, Device& device, const HostIndices& axis, std::span<const Tensor> values,
                 Tensor* output) {
  if (axis.shape().dims() > 1 || axis.size() != 1)
    return errors::InvalidArgument("ConcatOp : the axis must be a scalar integer, but got shape ", axis.shape());
  const TensorShape& first = values[0].shape();
  const int rank = first.dims();
  if (rank == 0) return errors::InvalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (axis[0] < -rank || axis[0] >= rank)
    return errors::InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ", rank,
                                   "), but got ", axis[0]);
  const int at = static_cast<int>(axis[0] < 0 ? axis[0] + rank : axis[0]);
  const Index outer = ProductOfSizes(first, 0, at);
  Index joined = 0;
  InlinedVector<ConcatPart, 32> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorShape& shape = values[i].shape();
    if (shape.dims() != rank)
      return errors::InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ", first,
                                     " vs. shape[", i, "] = ", shape);
    for (int d = 0; d < rank; ++d)
      if (d != at && shape.dim_size(d) != first.dim_size(d))
        return errors::InvalidArgument("ConcatOp : Dimension ", d, " in both shapes must be equal: shape[0] = ", first,
                                       " vs. shape[", i, "] = ", shape);
    if (shape.dim_size(at) > std::numeric_limits<Index>::max() - joined)
      return errors::InvalidArgument("ConcatOp : the sizes along dimension ", at,
                                     " add up to more than int64 holds: ", joined, " and ", shape.dim_size(at),
                                     " of input ", i);
    joined += shape.dim_size(at);
    parts.push_back({values[i].raw_data(), ProductOfSizes(shape, at, rank)});
  }
  TensorShape shape = first;
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(at, joined));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  return tenon::Concat(device, MoverOf(output->dtype()), {parts.data(), parts.size()}, outer, output->raw_data());
}

}  // namespace detail

// values: [a, b1], [a, b2], concat_dim = 1  ->  [a, b1 + b2]
struct Concat {
  static constexpr auto signature = Op("Concat")
                                        .Input("concat_dim: int32")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::ConcatShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.output_type(0), detail::kConcatTypes); }
    Status operator()(Context<Device>& context, HostIndices concat_dim, std::span<const Tensor> values,
                      Tensor& output) const {
      return detail::RunConcat(context.op(), context.device(), concat_dim, values, &output);
    }
  };
};

// Concat with the axis as the last input.
struct ConcatV2 {
  static constexpr auto signature = Op("ConcatV2")
                                        .Input("values: N * T")
                                        .Input("axis: Tidx")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ConcatV2Shape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.output_type(0), detail::kConcatTypes); }
    Status operator()(Context<Device>& context, std::span<const Tensor> values, HostIndices axis,
                      Tensor& output) const {
      return detail::RunConcat(context.op(), context.device(), axis, values, &output);
    }
  };
};

// Where each of the tensors of these shapes begins when they are concatenated.
struct ConcatOffset {
  static constexpr auto signature = Op("ConcatOffset")
                                        .Input("concat_dim: int32")
                                        .Input("shape: N * shape_type")
                                        .Output("offset: N * shape_type")
                                        .Attr("N: int >= 2")
                                        .Attr("shape_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 1; i < c->num_inputs(); ++i) c->set_output(i - 1, c->input(i));
                                          return OkStatus();
                                        });

  template <class Device, class T>
    requires(Device::type == "CPU")  // shapes are in host memory
  struct kernel {
    Status operator()(Device&, HostIndices concat_dim, InList<T> shape, OutList<T> offset) const {
      if (concat_dim.shape().dims() != 0)
        return errors::InvalidArgument("ConcatOffset: Concat dim tensor should be a scalar integer, but got shape ",
                                       concat_dim.shape());
      for (int i = 0; i < shape.size(); ++i)
        if (shape[i].shape().dims() != 1 || shape[i].size() != shape[0].size())
          return errors::InvalidArgument("ConcatOffset: input ", i, " should contain ", shape[0].size(),
                                         " elements, but got shape ", shape[i].shape());
      const Index rank = shape[0].size(), axis = concat_dim[0] < 0 ? concat_dim[0] + rank : concat_dim[0];
      if (axis < 0 || axis >= rank)
        return errors::InvalidArgument("ConcatOffset: Concat dim is out of range: ", concat_dim[0], " vs. ", rank);
      std::uint64_t begin = 0;
      for (int i = 0; i < shape.size(); ++i) {
        for (Index d = 0; d < rank; ++d) {
          if (d != axis && shape[i][d] != shape[0][d])
            return errors::InvalidArgument("ConcatOffset: All dimensions except ", axis, " must match. Input ", i,
                                           " has ", shape[i][d], " in dimension ", d,
                                           " and doesn't match input 0 with ", shape[0][d]);
          offset[i][d] = d == axis ? static_cast<T>(begin) : T(0);
        }
        begin += static_cast<std::uint64_t>(shape[i][axis]);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

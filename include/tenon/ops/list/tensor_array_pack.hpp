// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorArrayGatherV3, ScatterV3, ConcatV3, SplitV3: many elements of a TensorArray at once, as one tensor.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/list/tensor_array.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kArrayConcatTypes =
    kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

inline Status ArrayGatherShape(InferenceContext* c) {
  ShapeHandle indices, unused, element, out;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  if (const ShapeAndType* held = HeldElements(c)) {
    element = held->shape;
  } else {
    PartialTensorShape declared;
    TENON_RETURN_IF_ERROR(c->GetAttr("element_shape", &declared));
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(declared, &element));
  }
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->Dim(indices, 0)), element, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status ArrayScatterShape(InferenceContext* c) {
  ShapeHandle indices, unused, element;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  if (c->RankKnown(c->input(2)) && c->Rank(c->input(2)) > 0) {
    DimensionHandle rows;
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(c->input(2), 0), &rows));
  }
  if (const ShapeAndType* held = HeldElements(c)) {
    TENON_RETURN_IF_ERROR(c->Subshape(c->input(2), 1, &element));
    TENON_RETURN_IF_ERROR(c->Merge(held->shape, element, &unused));
  }
  return shape_inference::ScalarShape(c);
}
inline Status ArraySplitShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  return shape_inference::ScalarShape(c);
}
inline Status ArrayConcatShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(CheckArrayHandle(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->UnknownShape());
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// The tensors one behind the other in a new output 0 of this shape, which they fill.
inline Status LayInARow(OpKernelContext& context, const SlimVector<Tensor>& values, const TensorShape& shape,
                        Tensor* output) {
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const ElementMover mover = MoverOf(output->dtype());
  Index at = 0;
  for (const Tensor& value : values) {
    CopyRun(mover, value.raw_data(), mover.At(output->raw_data(), at), value.NumElements());
    at += value.NumElements();
  }
  return OkStatus();
}

// Elements [first, first + rows) of dimension 0, in memory of their own: a slice would keep all of `value`.
inline Status CopyRows(const OpKernelContext& context, const Tensor& value, Index first, const TensorShape& shape,
                       Tensor* rows) {
  TENON_ASSIGN_OR_RETURN(*rows, Tensor::Make(value.dtype(), shape, context.environment().step_allocator));
  const ElementMover mover = MoverOf(value.dtype());
  const Index all = value.dim_size(0);
  const Index width = all == 0 ? 0 : value.NumElements() / all;
  CopyRun(mover, mover.At(value.raw_data(), first * width), rows->raw_data(), rows->NumElements());
  return OkStatus();
}

inline Status GatherArray(OpKernelContext& context, const PartialTensorShape& element_shape, const Tensor& indices,
                          Tensor* output) {
  Ref<TensorArray> array;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(CheckReadType(context, *array));
  TENON_RETURN_IF_ERROR(array->MergeElementShape(element_shape));
  if (indices.dims() != 1)
    return errors::InvalidArgument("Expected indices to be a vector, but received shape: ", indices.shape());
  const std::int32_t* at = indices.data<std::int32_t>();
  TensorShape shape;
  SlimVector<Tensor> values(static_cast<std::size_t>(indices.NumElements()));
  if (values.empty() && !element_shape.AsTensorShape(&shape))
    return errors::Unimplemented("TensorArray has size zero, but element shape ", element_shape,
                                 " is not fully defined. Currently only static shapes are supported when packing "
                                 "zero-size TensorArrays.");
  for (std::size_t i = 0; i < values.size(); ++i) {
    TENON_RETURN_IF_ERROR(array->Read(at[i], &values[i]));
    if (i == 0) shape = values[0].shape();
    if (!(values[i].shape() == shape))
      return errors::InvalidArgument("TensorArray has inconsistent shapes.  Index 0 has shape: ", shape, " but index ",
                                     i, " has shape: ", values[i].shape());
  }
  if (!element_shape.IsCompatibleWith(shape))
    return errors::InvalidArgument("TensorArray was passed element_shape ", element_shape,
                                   " which does not match the Tensor at index 0: ", shape);
  TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, indices.NumElements()));
  return LayInARow(context, values, shape, output);
}

inline Status ConcatArray(OpKernelContext& context, const PartialTensorShape& rest, Tensor* output, Tensor* lengths) {
  Ref<TensorArray> array;
  Index count = 0, rows = 0;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(CheckReadType(context, *array));
  TENON_RETURN_IF_ERROR(array->Size(&count));
  TensorShape shape;  // shape of an element, without its first dimension
  if (count == 0 && !rest.AsTensorShape(&shape))
    return errors::Unimplemented("TensorArray has size zero, but element_shape_except0 ", rest,
                                 " is not fully defined. Currently only static shapes are supported when "
                                 "concatenating zero-size TensorArrays.");
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({count}), &lengths));
  SlimVector<Tensor> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    TENON_RETURN_IF_ERROR(array->Read(static_cast<Index>(i), &values[i]));
    if (values[i].dims() == 0)
      return errors::InvalidArgument("Concat saw a scalar shape at index ", i,
                                     " but requires at least vectors.  Did you mean to call pack?");
    TensorShape own = values[i].shape();
    TENON_RETURN_IF_ERROR(own.RemoveDimWithStatus(0));
    if (i == 0) shape = own;
    if (!(own == shape))
      return errors::InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: ", shape, " but index ", i,
          " has (excepting dimension 0) shape: ", own);
    lengths->data<std::int64_t>()[i] = values[i].dim_size(0);
    if (values[i].dim_size(0) > std::numeric_limits<Index>::max() - rows)
      return errors::InvalidArgument("TensorArrayConcatV3: the elements have more than 2^63 rows");
    rows += values[i].dim_size(0);
  }
  if (!rest.IsCompatibleWith(shape))
    return errors::InvalidArgument("TensorArray was passed element_shape_except0 ", rest,
                                   " but index 0 has (excepting dimension 0) shape: ", shape, " which does not match.");
  TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, rows));
  return LayInARow(context, values, shape, output);
}

inline Status ScatterArray(const OpKernelContext& context, const Tensor& indices, const Tensor& value) {
  Ref<TensorArray> array;
  Index size = 0, greatest = -1;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(array->Size(&size));
  if (value.dims() < 1)
    return errors::InvalidArgument("Input value for unpack must be at least a vector but received shape: ",
                                   value.shape());
  if (indices.dims() != 1)
    return errors::InvalidArgument("Expected indices to be a vector, but received shape: ", indices.shape());
  if (indices.NumElements() != value.dim_size(0))
    return errors::InvalidArgument("Expected len(indices) == values.shape[0], but saw: ", indices.NumElements(),
                                   " vs. ", value.dim_size(0));
  TENON_RETURN_IF_ERROR(CheckWrittenType(*array, value.dtype()));
  const std::int32_t* at = indices.data<std::int32_t>();
  for (Index i = 0; i < indices.NumElements(); ++i) greatest = at[i] > greatest ? at[i] : greatest;
  if (greatest >= size && !array->is_dynamic())
    return errors::InvalidArgument("Max scatter index must be < array size (", greatest, " vs. ", size, ")");
  TensorShape shape = value.shape();
  TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(0));
  for (Index i = 0; i < indices.NumElements(); ++i) {
    Tensor element;
    TENON_RETURN_IF_ERROR(CopyRows(context, value, i, shape, &element));
    TENON_RETURN_IF_ERROR(array->Write(at[i], element));
  }
  return OkStatus();
}

inline Status SplitArray(const OpKernelContext& context, const Tensor& value, const Tensor& lengths) {
  Ref<TensorArray> array;
  Index size = 0, sum = 0;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(array->Size(&size));
  if (lengths.dims() != 1)
    return errors::InvalidArgument("Expected lengths to be a vector, received shape: ", lengths.shape());
  if (value.dims() < 1)
    return errors::InvalidArgument("Expected value to be at least a vector, but received shape: ", value.shape());
  TENON_RETURN_IF_ERROR(CheckWrittenType(*array, value.dtype()));
  const std::int64_t* rows = lengths.data<std::int64_t>();
  const Index count = lengths.NumElements(), all = value.dim_size(0);
  for (Index i = 0; i < count; ++i) {
    if (rows[i] < 0)
      return errors::InvalidArgument("Expected all lengths to be at least 0, but lengths[", i, "] = ", rows[i]);
    if (rows[i] > all - sum)
      return errors::InvalidArgument(
          "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is more than ", all,
          " and value's shape is: ", value.shape());
    sum += rows[i];
  }
  if (sum != all)
    return errors::InvalidArgument("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ",
                                   sum, " and value's shape is: ", value.shape());
  if (count != size && !array->is_dynamic())
    return errors::InvalidArgument("TensorArray's size is not equal to the size of lengths (", size, " vs. ", count,
                                   "), and the TensorArray is not marked as dynamically resizeable");
  Index first = 0;
  for (Index i = 0; i < count; ++i) {
    TensorShape shape = value.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows[i]));
    Tensor element;
    TENON_RETURN_IF_ERROR(CopyRows(context, value, first, shape, &element));
    TENON_RETURN_IF_ERROR(array->Write(i, element));
    first += rows[i];
  }
  return OkStatus();
}

// 0, 1, ..., size - 1.
inline Result<Tensor> EachIndex(Index size) {
  TENON_ASSIGN_OR_RETURN(Tensor indices, Tensor::Make(DataType::kInt32, TensorShape({size})));
  for (Index i = 0; i < size; ++i) indices.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return indices;
}
// All elements of an array, one behind the other; and back.
inline Status PackArray(OpKernelContext& context, const PartialTensorShape& element_shape) {
  Ref<TensorArray> array;
  Index size = 0;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(array->Size(&size));
  TENON_ASSIGN_OR_RETURN(const Tensor indices, EachIndex(size));
  return GatherArray(context, element_shape, indices, nullptr);
}
inline Status UnpackArray(const OpKernelContext& context, const Tensor& value) {
  Ref<TensorArray> array;
  Index size = 0;
  TENON_RETURN_IF_ERROR(GetArray(context, &array));
  TENON_RETURN_IF_ERROR(array->Size(&size));
  if (value.dims() < 1)
    return errors::InvalidArgument("Input value for unpack must be at least a vector but received shape: ",
                                   value.shape());
  const Index rows = value.dim_size(0);
  if (rows != size && !array->is_dynamic())
    return errors::InvalidArgument("Input value must have first dimension equal to the array size (", rows, " vs. ",
                                   size, ")");
  TENON_ASSIGN_OR_RETURN(const Tensor indices, EachIndex(rows));
  return ScatterArray(context, indices, value);
}

}  // namespace detail

// indices: [n]  ->  value: [n] + the elements' shape
struct TensorArrayGatherV3 {
  static constexpr auto signature = Op("TensorArrayGatherV3")
                                        .Input("handle: resource")
                                        .Input("indices: int32")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ArrayGatherShape);

  struct Attrs {
    PartialTensorShape element_shape;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(0), detail::kArrayConcatTypes | ToSet(DataType::kVariant));
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& indices, const Tensor&,
                      Tensor& value) const {
      return detail::GatherArray(context.op(), this->element_shape, indices, &value);
    }
  };
};

// element indices[i] = value[i]
struct TensorArrayScatterV3 {
  static constexpr auto signature = Op("TensorArrayScatterV3")
                                        .Input("handle: resource")
                                        .Input("indices: int32")
                                        .Input("value: T")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ArrayScatterShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& indices, const Tensor& value,
                      const Tensor& flow_in, Tensor& flow_out) const {
      flow_out = flow_in;
      return detail::ScatterArray(context.op(), indices, value);
    }
  };
};

// All elements along dimension 0, and how many rows each has.
struct TensorArrayConcatV3 {
  static constexpr auto signature = Op("TensorArrayConcatV3")
                                        .Input("handle: resource")
                                        .Input("flow_in: float")
                                        .Output("value: dtype")
                                        .Output("lengths: int64")
                                        .Attr("dtype: type")
                                        .Attr("element_shape_except0: shape = { unknown_rank: true }")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ArrayConcatShape);

  struct Attrs {
    PartialTensorShape element_shape_except0;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), detail::kArrayConcatTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor& value, Tensor& lengths) const {
      return detail::ConcatArray(context.op(), this->element_shape_except0, &value, &lengths);
    }
  };
};

// element i = the next lengths[i] rows of value
struct TensorArraySplitV3 {
  static constexpr auto signature = Op("TensorArraySplitV3")
                                        .Input("handle: resource")
                                        .Input("value: T")
                                        .Input("lengths: int64")
                                        .Input("flow_in: float")
                                        .Output("flow_out: float")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ArraySplitShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& value, const Tensor& lengths,
                      const Tensor& flow_in, Tensor& flow_out) const {
      flow_out = flow_in;
      return detail::SplitArray(context.op(), value, lengths);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorListConcat(V2) and TensorListSplit: lists whose elements are pieces of a tensor, of different lengths.

#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/list/tensor_list.hpp>
#include <tenon/ops/list/tensor_list_shapes.hpp>
#include <tenon/ops/list/tensor_list_stack.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Elements [n_i, ...], joined along their first dimension; output 1: the n_i.
struct ConcatElements {
  const TensorList& list;
  PartialTensorShape rest;  // shape of an element, without its first dimension
  Index first = -1;         // its first dimension, where all agree

  // Merges the shapes of the elements that are set.
  Status Merge() {
    bool differ = false;
    Index common = first;
    for (Index i = 0; i < list.size(); ++i) {
      const Tensor& element = list.at(i);
      if (!TensorList::IsSet(element)) continue;
      if (element.dims() < 1)
        return errors::InvalidArgument("Concat saw a scalar shape at index ", i, " but requires at least vectors.");
      if (first != -1 && first != element.dim_size(0))
        return errors::InvalidArgument(
            "First entry of element_shape input does not match the first dim of list element at index: ", i,
            " Expected: ", first, " Actual: ", element.dim_size(0));
      TensorShape row = element.shape();
      TENON_RETURN_IF_ERROR(row.RemoveDimWithStatus(0));
      const PartialTensorShape before = rest;
      TENON_RETURN_IF_ERROR(before.MergeWith(row, &rest));
      if (common == -1 && !differ) common = element.dim_size(0);
      if (common != element.dim_size(0)) differ = true;
    }
    if (first == -1 && !differ) first = common;
    return OkStatus();
  }
  Status Write(Context<Cpu>& context) {
    TensorShape shape;
    if (!rest.AsTensorShape(&shape))
      return errors::InvalidArgument(
          "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
          "defined: ",
          rest);
    Tensor* lengths = nullptr;
    TENON_RETURN_IF_ERROR(context.op().allocate_output(1, TensorShape({list.size()}), &lengths));
    const Index run = shape.num_elements();
    Index total = 0;
    ElementStack stack;
    for (Index i = 0; i < list.size(); ++i) {
      Index length = first;
      if (TensorList::IsSet(list.at(i)))
        length = list.at(i).dim_size(0);
      else
        TENON_RETURN_IF_ERROR(LengthOfUnset(context.op(), i, &length));
      const Index elements = MultiplyWithoutOverflow(length, run);
      if (length > std::numeric_limits<Index>::max() - total || elements < 0)
        return errors::InvalidArgument("TensorListConcat: the lengths add up to more than 2**63 - 1, at index ", i,
                                       " with length ", length);
      TENON_RETURN_IF_ERROR(stack.Add(context.op(), list.at(i), elements));
      lengths->data<std::int64_t>()[i] = length;
      total += length;
    }
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, total));
    return stack.Write(context, shape);
  }

 private:
  Status LengthOfUnset(OpKernelContext& context, Index i, Index* length) const {
    const Tensor* leading = context.num_inputs() > 2 ? &context.input(2) : nullptr;
    if ((leading == nullptr || i >= leading->NumElements()) && first != -1) return OkStatus();
    if (leading == nullptr)
      return errors::InvalidArgument(
          "Concating lists with uninitialized tensors is not supported in this version of TensorListConcat. Consider "
          "updating your GraphDef to run the newer version.");
    if (i >= leading->NumElements())
      return errors::InvalidArgument("List contains uninitialized tensor at index ", i, " but leading_dims has only ",
                                     leading->NumElements(), " elements.");
    *length = leading->data<std::int64_t>()[i];
    if (*length < 0)
      return errors::InvalidArgument("TensorListConcatV2: leading_dims[", i, "] = ", *length, " must be non-negative");
    return OkStatus();
  }
};

// `shape`: of the elements, as the op says.
inline Status ConcatList(Context<Cpu>& context, const TensorList& list, PartialTensorShape shape) {
  if (!shape.unknown_rank() && shape.dims() < 1)
    return errors::InvalidArgument("Concat requires elements to be at least vectors, found scalars instead.");
  ConcatElements work{list, shape, shape.unknown_rank() ? -1 : shape.dim_size(0)};
  if (!shape.unknown_rank()) TENON_RETURN_IF_ERROR(work.rest.RemoveDimWithStatus(0));
  if (list.tensors.empty() && !work.rest.IsFullyDefined())
    return errors::InvalidArgument(
        "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: ",
        work.rest);
  TENON_RETURN_IF_ERROR(work.Merge());
  return work.Write(context);
}

}  // namespace detail

struct TensorListConcat {
  static constexpr auto signature = Op("TensorListConcat")
                                        .Input("input_handle: variant")
                                        .Output("tensor: element_dtype")
                                        .Output("lengths: int64")
                                        .Attr("element_dtype: type")
                                        .Attr("element_shape: shape = { unknown_rank: true }")
                                        .SetShapeFn(detail::ConcatByAttrShape);

  struct Attrs {
    PartialTensorShape element_shape;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // the host computes lengths
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&) const {
      detail::ListInput in;
      TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
      PartialTensorShape shape = this->element_shape;
      if (!shape.unknown_rank() && shape.dims() > 0)
        TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, -1));  // the elements decide
      return detail::ConcatList(context, *in.list, shape);
    }
  };
};

struct TensorListConcatV2 {
  static constexpr auto signature = Op("TensorListConcatV2")
                                        .Input("input_handle: variant")
                                        .Input("element_shape: shape_type")
                                        .Input("leading_dims: int64")
                                        .Output("tensor: element_dtype")
                                        .Output("lengths: int64")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::ConcatByInputShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // the host computes lengths
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&) const {
      detail::ListInput in;
      PartialTensorShape shape;
      TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
      TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), *in.list, 1, &shape));
      return detail::ConcatList(context, *in.list, shape);
    }
  };
};

// tensor: [sum of lengths, ...]  ->  elements [lengths[i], ...]
struct TensorListSplit {
  static constexpr auto signature = Op("TensorListSplit")
                                        .Input("tensor: element_dtype")
                                        .Input("element_shape: shape_type")
                                        .Input("lengths: int64")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::ListSplitShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, HostIndices, Tensor&) const {
      return Run(context);
    }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    const Tensor &tensor = context.op().input(0), &lengths = context.op().input(2);
    TensorList list;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.op().input(1), &list.element_shape));
    if (!list.element_shape.unknown_rank() && list.element_shape.dims() < 1)
      return errors::InvalidArgument("TensorListSplit requires element_shape to be at least of rank 1, but saw: ",
                                     list.element_shape);
    TensorShape row;
    TENON_RETURN_IF_ERROR(detail::RowShape(tensor, &row));
    PartialTensorShape rest = list.element_shape;
    if (!rest.unknown_rank()) TENON_RETURN_IF_ERROR(rest.RemoveDimWithStatus(0));
    if (!rest.IsCompatibleWith(row))
      return errors::InvalidArgument("tensor shape ", tensor.shape(), " is not compatible with element_shape ",
                                     list.element_shape);
    if (lengths.dims() != 1)
      return errors::InvalidArgument("Expected lengths to be a vector, received shape: ", lengths.shape());
    list.element_dtype = tensor.dtype();
    TENON_RETURN_IF_ERROR(list.Resize(lengths.NumElements()));
    Index start = 0;
    for (Index i = 0; i < lengths.NumElements(); ++i) {
      const Index length = lengths.data<std::int64_t>()[i];
      if (length < 0) return errors::InvalidArgument("Invalid value in lengths: ", length, " at index ", i);
      if (length > tensor.dim_size(0) - start)
        return errors::InvalidArgument("Attempting to slice [", start, ", +", length, "] from tensor with length ",
                                       tensor.dim_size(0));
      TENON_RETURN_IF_ERROR(detail::TakeRows(context, tensor, start, start + length, false, &list.at(i)));
      start += length;
    }
    if (start != tensor.dim_size(0))
      return errors::InvalidArgument("Unused values in tensor. Length of tensor: ", tensor.dim_size(0),
                                     " Values used: ", start);
    return detail::SetListOutput(context.op(), std::move(list));
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

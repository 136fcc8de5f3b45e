// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorList ops between lists and whole tensors: TensorListStack, ...FromTensor, ...Gather, ...Scatter(V2,
// IntoExistingList). tensor_list_concat.hpp has those of elements of different lengths.

#include <algorithm>
#include <cstdint>
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

// The tensor's rows become elements indices[0], indices[1], ... of a list that is long enough.
template <class Device>
Status ScatterRows(Context<Device>& context, const Tensor& tensor, const Tensor& indices, TensorList* list) {
  for (Index i = 0; i < indices.NumElements(); ++i)
    TENON_RETURN_IF_ERROR(TakeRows(context, tensor, i, i + 1, true, &list->at(indices.data<std::int32_t>()[i])));
  return OkStatus();
}
inline Status CheckRowsFit(const Tensor& tensor, const PartialTensorShape& element_shape) {
  TensorShape row;
  TENON_RETURN_IF_ERROR(RowShape(tensor, &row));
  if (element_shape.IsCompatibleWith(row)) return OkStatus();
  return errors::InvalidArgument("Specified a list with shape ", element_shape, " from a tensor with shape ", row);
}

}  // namespace detail

// n elements of one shape  ->  [n, ...]
struct TensorListStack {
  static constexpr auto signature = Op("TensorListStack")
                                        .Input("input_handle: variant")
                                        .Input("element_shape: int32")
                                        .Output("tensor: element_dtype")
                                        .Attr("element_dtype: type")
                                        .Attr("num_elements: int = -1")
                                        .SetShapeFn(detail::StackShape);

  struct Attrs {
    std::int64_t num_elements;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, Tensor&) const {
      return Run(context, this->num_elements);
    }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context, std::int64_t wanted) {
    detail::ListInput in;
    PartialTensorShape partial;
    TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
    const TensorList& list = *in.list;
    if (wanted != -1 && list.size() != wanted)
      return errors::InvalidArgument("Operation expected a list with ", wanted, " elements but got a list with ",
                                     list.size(), " elements.");
    TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), list, 1, &partial));
    if (!partial.IsFullyDefined() && list.tensors.empty())
      return errors::InvalidArgument("Tried to stack elements of an empty list with non-fully-defined element_shape: ",
                                     partial);
    for (const Tensor& element : list.tensors) TENON_RETURN_IF_ERROR(detail::MergeElement(element, &partial));
    TensorShape shape;
    if (!partial.AsTensorShape(&shape))
      return errors::InvalidArgument(
          "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: ",
          partial);
    detail::ElementStack stack;
    for (const Tensor& element : list.tensors)
      TENON_RETURN_IF_ERROR(stack.Add(context.op(), element, shape.num_elements()));
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, list.size()));
    return stack.Write(context, shape);
  }
};

// [n, ...]  ->  n elements
struct TensorListFromTensor {
  static constexpr auto signature = Op("TensorListFromTensor")
                                        .Input("tensor: element_dtype")
                                        .Input("element_shape: shape_type")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::FromTensorShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, Tensor&) const { return Run(context); }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    const Tensor& tensor = context.op().input(0);
    TensorList list;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.op().input(1), &list.element_shape));
    TENON_RETURN_IF_ERROR(detail::CheckRowsFit(tensor, list.element_shape));
    list.element_dtype = tensor.dtype();
    constexpr Index kMostEmpty = Index{1} << 20;  // elements that no memory bounds
    if (tensor.NumElements() == 0 && tensor.dim_size(0) > kMostEmpty)
      return errors::ResourceExhausted("OOM when allocating a TensorList of ", tensor.dim_size(0),
                                       " elements without values; at most ", kMostEmpty, " are made at once");
    TENON_RETURN_IF_ERROR(list.Resize(tensor.dim_size(0)));
    for (Index i = 0; i < list.size(); ++i)
      TENON_RETURN_IF_ERROR(detail::TakeRows(context, tensor, i, i + 1, true, &list.at(i)));
    return detail::SetListOutput(context.op(), std::move(list));
  }
};

// indices: [n]  ->  [n, ...], the elements of those numbers
struct TensorListGather {
  static constexpr auto signature = Op("TensorListGather")
                                        .Input("input_handle: variant")
                                        .Input("indices: int32")
                                        .Input("element_shape: int32")
                                        .Output("values: element_dtype")
                                        .Attr("element_dtype: type")
                                        .SetShapeFn(detail::ListGatherShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, HostIndices, Tensor&) const {
      return Run(context);
    }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    detail::ListInput in;
    PartialTensorShape partial;
    TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
    const TensorList& list = *in.list;
    const Tensor& indices = context.op().input(1);
    TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), list, 2, &partial));
    if (!partial.IsFullyDefined() && indices.NumElements() == 0)
      return errors::InvalidArgument("Tried to gather 0-elements from a list with non-fully-defined shape: ", partial);
    for (Index i = 0; i < indices.NumElements(); ++i) {
      const Index at = indices.data<std::int32_t>()[i];
      if (at < 0 || at >= list.size())
        return errors::InvalidArgument("Index ", at, " out o range; list only has ", list.size(), " elements.");
      TENON_RETURN_IF_ERROR(detail::MergeElement(list.at(at), &partial));
    }
    TensorShape shape;
    if (!partial.AsTensorShape(&shape))
      return errors::InvalidArgument(
          "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: ", partial);
    detail::ElementStack stack;
    for (Index i = 0; i < indices.NumElements(); ++i)
      TENON_RETURN_IF_ERROR(stack.Add(context.op(), list.at(indices.data<std::int32_t>()[i]), shape.num_elements()));
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, indices.NumElements()));
    return stack.Write(context, shape);
  }
};

namespace detail {

// `length`: -1, as long as the largest index wants.
template <class Device>
Status ScatterToList(Context<Device>& context, Index length) {
  const Tensor &tensor = context.op().input(0), &indices = context.op().input(1);
  TensorList list;
  TENON_RETURN_IF_ERROR(ReadElementShape(context.op().input(2), &list.element_shape));
  if (length < -1) return errors::InvalidArgument("TensorListScatter expects num_elements >= -1, found: ", length);
  TENON_RETURN_IF_ERROR(CheckRowsFit(tensor, list.element_shape));
  if (indices.NumElements() != tensor.dim_size(0))
    return errors::InvalidArgument("Invalid number of rows in input tensor. Expected: ", indices.NumElements(),
                                   " Actual: ", tensor.dim_size(0));
  Index needed = std::max<Index>(length, 0);
  for (Index i = 0; i < indices.NumElements(); ++i) {
    const Index at = indices.data<std::int32_t>()[i];
    if (at < 0)
      return errors::InvalidArgument("Indices in TensorListScatter must all be non-negative., got indices[", i,
                                     "] = ", at);
    if (length != -1 && at >= length)
      return errors::InvalidArgument("TensorListScatter: Trying to scatter at index ", at, " in list with size ",
                                     length);
    needed = std::max(needed, at + 1);
  }
  list.element_dtype = tensor.dtype();
  TENON_RETURN_IF_ERROR(list.Resize(needed));
  TENON_RETURN_IF_ERROR(ScatterRows(context, tensor, indices, &list));
  return SetListOutput(context.op(), std::move(list));
}

}  // namespace detail

// tensor: [n, ...], indices: [n]  ->  a list; row i is its element indices[i], other elements are not set
struct TensorListScatter {
  static constexpr auto signature = Op("TensorListScatter")
                                        .Input("tensor: element_dtype")
                                        .Input("indices: int32")
                                        .Input("element_shape: shape_type")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::NewListShape<2>);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, HostIndices, Tensor&) const {
      return detail::ScatterToList(context, -1);
    }
  };
};

struct TensorListScatterV2 {
  static constexpr auto signature = Op("TensorListScatterV2")
                                        .Input("tensor: element_dtype")
                                        .Input("indices: int32")
                                        .Input("element_shape: shape_type")
                                        .Input("num_elements: int32")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::NewListShape<2>);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, HostIndices, HostIndices, Tensor&) const {
      Index length = 0;
      TENON_RETURN_IF_ERROR(detail::ReadScalar(context.op(), 3, "num_elements", &length));
      return detail::ScatterToList(context, length);
    }
  };
};

// The list grows where an index wants it.
struct TensorListScatterIntoExistingList {
  static constexpr auto signature = Op("TensorListScatterIntoExistingList")
                                        .Input("input_handle: variant")
                                        .Input("tensor: element_dtype")
                                        .Input("indices: int32")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .SetShapeFn(detail::ScatterIntoExistingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(1)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, HostIndices, Tensor&) const {
      return Run(context);
    }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    const Tensor &tensor = context.op().input(1), &indices = context.op().input(2);
    detail::ListInput in;
    TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, tensor.dtype()));
    TENON_RETURN_IF_ERROR(detail::CheckIsVector(tensor));
    if (indices.dims() != 1)
      return errors::InvalidArgument("Expected indices to be a vector, but received shape: ", indices.shape());
    if (indices.NumElements() != tensor.dim_size(0))
      return errors::InvalidArgument("Expected len(indices) == tensor.shape[0], but saw: ", indices.NumElements(),
                                     " vs. ", tensor.dim_size(0));
    Index needed = in.list->size();
    for (Index i = 0; i < indices.NumElements(); ++i) {
      const Index at = indices.data<std::int32_t>()[i];
      if (at < 0)
        return errors::InvalidArgument("TensorListScatterIntoExistingList: indices[", i, "] = ", at,
                                       " must be non-negative");
      needed = std::max(needed, at + 1);
    }
    TensorList* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::ForwardList(context.op(), *in.list, &out));
    if (needed > out->size()) TENON_RETURN_IF_ERROR(out->Resize(needed));
    return detail::ScatterRows(context, tensor, indices, out);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorList ops between lists and whole tensors: TensorListStack, ...FromTensor, ...Gather, ...Scatter(V2,
// IntoExistingList), ...Concat(V2), ...Split.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/engine/move.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/state/tensor_list.hpp>
#include <tenon/ops/state/tensor_list_shapes.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Lays elements one behind the other, in the order in which they are added; unset ones are zeros.
class ElementStack {
 public:
  void Add(const Tensor* element, Index run) {
    parts_.push_back({TensorList::IsSet(*element) ? element->raw_data() : nullptr, run});
    if (!TensorList::IsSet(*element)) longest_unset_ = std::max(longest_unset_, run);
  }
  // Output 0 := all of them as a tensor of this shape.
  Status Write(OpKernelContext& context, const TensorShape& shape) {
    Tensor* out = nullptr;
    Tensor zeros;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    if (longest_unset_ > 0)
      TENON_RETURN_IF_ERROR(ZeroTensor(context, out->dtype(), TensorShape({longest_unset_}), &zeros));
    for (ConcatPart& part : parts_)
      if (part.data == nullptr) part.data = zeros.raw_data();
    tenon::Concat(context.device<Cpu>(), MoverOf(out->dtype()), {parts_.data(), parts_.size()}, 1, out->raw_data());
    return OkStatus();
  }

 private:
  SlimVector<ConcatPart> parts_;
  Index longest_unset_ = 0;
};

// The tensor's rows become elements indices[0], indices[1], ... of a list that is long enough.
inline Status ScatterRows(OpKernelContext& context, const Tensor& tensor, const Tensor& indices, TensorList* list) {
  for (Index i = 0; i < indices.NumElements(); ++i)
    TENON_RETURN_IF_ERROR(TakeRows(context, tensor, i, i + 1, true, &list->at(indices.data<std::int32_t>()[i])));
  return OkStatus();
}
inline Status CheckIsVector(const Tensor& tensor) {
  if (tensor.dims() >= 1) return OkStatus();
  return errors::InvalidArgument("Tensor must be at least a vector, but saw shape: ", tensor.shape());
}
inline Status CheckRowsFit(const Tensor& tensor, const PartialTensorShape& element_shape) {
  TENON_RETURN_IF_ERROR(CheckIsVector(tensor));
  TensorShape row = tensor.shape();
  TENON_RETURN_IF_ERROR(row.RemoveDimWithStatus(0));
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
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op(), this->num_elements);
    }
  };

 private:
  static Status Run(OpKernelContext& context, std::int64_t wanted) {
    detail::ListInput in;
    PartialTensorShape partial;
    TENON_RETURN_IF_ERROR(in.Get(context, 0, context.expected_output_dtype(0)));
    const TensorList& list = *in.list;
    if (wanted != -1 && list.size() != wanted)
      return errors::InvalidArgument("Operation expected a list with ", wanted, " elements but got a list with ",
                                     list.size(), " elements.");
    TENON_RETURN_IF_ERROR(detail::MergedElementShape(context, list, 1, &partial));
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
    for (const Tensor& element : list.tensors) stack.Add(&element, shape.num_elements());
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    const Tensor& tensor = context.input(0);
    TensorList list;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.input(1), &list.element_shape));
    TENON_RETURN_IF_ERROR(detail::CheckRowsFit(tensor, list.element_shape));
    list.element_dtype = tensor.dtype();
    constexpr Index kMostEmpty = Index{1} << 20;  // elements that no memory bounds
    if (tensor.NumElements() == 0 && tensor.dim_size(0) > kMostEmpty)
      return errors::ResourceExhausted("OOM when allocating a TensorList of ", tensor.dim_size(0),
                                       " elements without values; at most ", kMostEmpty, " are made at once");
    TENON_RETURN_IF_ERROR(list.Resize(tensor.dim_size(0)));
    for (Index i = 0; i < list.size(); ++i)
      TENON_RETURN_IF_ERROR(detail::TakeRows(context, tensor, i, i + 1, true, &list.at(i)));
    return detail::SetListOutput(context, std::move(list));
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    detail::ListInput in;
    PartialTensorShape partial;
    TENON_RETURN_IF_ERROR(in.Get(context, 0, context.expected_output_dtype(0)));
    const TensorList& list = *in.list;
    const Tensor& indices = context.input(1);
    TENON_RETURN_IF_ERROR(detail::MergedElementShape(context, list, 2, &partial));
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
      stack.Add(&list.at(indices.data<std::int32_t>()[i]), shape.num_elements());
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, indices.NumElements()));
    return stack.Write(context, shape);
  }
};

namespace detail {

// `length`: -1, as long as the largest index wants.
inline Status ScatterToList(OpKernelContext& context, Index length) {
  const Tensor &tensor = context.input(0), &indices = context.input(1);
  TensorList list;
  TENON_RETURN_IF_ERROR(ReadElementShape(context.input(2), &list.element_shape));
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
  return SetListOutput(context, std::move(list));
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::ScatterToList(context.op(), -1);
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&) const {
      Index length = 0;
      TENON_RETURN_IF_ERROR(detail::ReadScalar(context.op(), 3, "num_elements", &length));
      return detail::ScatterToList(context.op(), length);
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.input_type(1)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    const Tensor &tensor = context.input(1), &indices = context.input(2);
    detail::ListInput in;
    TENON_RETURN_IF_ERROR(in.Get(context, 0, tensor.dtype()));
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
    TENON_RETURN_IF_ERROR(detail::ForwardList(context, *in.list, &out));
    if (needed > out->size()) TENON_RETURN_IF_ERROR(out->Resize(needed));
    return detail::ScatterRows(context, tensor, indices, out);
  }
};

namespace detail {

// Elements [n_i, ...], joined along their first dimension; output 1: the n_i. `inputs`: of the op.
struct ConcatElements {
  const TensorList& list;
  PartialTensorShape rest;  // of an element, without its first dimension
  Index first = -1;         // its first dimension, where all agree

  // Merges what the elements that are set say.
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
  Status Write(OpKernelContext& context) {
    TensorShape shape;
    if (!rest.AsTensorShape(&shape))
      return errors::InvalidArgument(
          "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
          "defined: ",
          rest);
    Tensor* lengths = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({list.size()}), &lengths));
    const Index run = shape.num_elements();
    Index total = 0;
    ElementStack stack;
    for (Index i = 0; i < list.size(); ++i) {
      Index length = first;
      if (TensorList::IsSet(list.at(i)))
        length = list.at(i).dim_size(0);
      else
        TENON_RETURN_IF_ERROR(LengthOfUnset(context, i, &length));
      const Index elements = MultiplyWithoutOverflow(length, run);
      if (length > std::numeric_limits<Index>::max() - total || elements < 0)
        return errors::InvalidArgument("TensorListConcat: the lengths add up to more than 2**63 - 1, at index ", i,
                                       " with length ", length);
      stack.Add(&list.at(i), elements);
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
inline Status ConcatList(OpKernelContext& context, const TensorList& list, PartialTensorShape shape) {
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
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&) const {
      detail::ListInput in;
      TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
      PartialTensorShape shape = this->element_shape;
      if (!shape.unknown_rank() && shape.dims() > 0)
        TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, -1));  // the elements decide
      return detail::ConcatList(context.op(), *in.list, shape);
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&) const {
      detail::ListInput in;
      PartialTensorShape shape;
      TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
      TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), *in.list, 1, &shape));
      return detail::ConcatList(context.op(), *in.list, shape);
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
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel(c, c.input_type(0)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    const Tensor &tensor = context.input(0), &lengths = context.input(2);
    TensorList list;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.input(1), &list.element_shape));
    if (!list.element_shape.unknown_rank() && list.element_shape.dims() < 1)
      return errors::InvalidArgument("TensorListSplit requires element_shape to be at least of rank 1, but saw: ",
                                     list.element_shape);
    TENON_RETURN_IF_ERROR(detail::CheckIsVector(tensor));
    TensorShape row = tensor.shape();
    TENON_RETURN_IF_ERROR(row.RemoveDimWithStatus(0));
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
      if (length < 0) return errors::InvalidArgument("Invalid value in lengths: ", length);
      if (length > tensor.dim_size(0) - start)
        return errors::InvalidArgument("Attempting to slice [", start, ", +", length, "] from tensor with length ",
                                       tensor.dim_size(0));
      TENON_RETURN_IF_ERROR(detail::TakeRows(context, tensor, start, start + length, false, &list.at(i)));
      start += length;
    }
    if (start != tensor.dim_size(0))
      return errors::InvalidArgument("Unused values in tensor. Length of tensor: ", tensor.dim_size(0),
                                     " Values used: ", start);
    return detail::SetListOutput(context, std::move(list));
  }
};

}  // namespace ops

TENON_NAMESPACE_END

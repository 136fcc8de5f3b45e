// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorList ops that make lists and work on single elements: EmptyTensorList, TensorListReserve, ...PushBack,
// ...PopBack, ...SetItem, ...GetItem, ...Length, ...ElementShape, ...Resize, ...PushBackBatch, ...ConcatLists.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/list/tensor_list.hpp>
#include <tenon/ops/list/tensor_list_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CheckPush(const TensorList& list, const TensorShape& shape) {
  if (!FitsElements(list.element_shape, shape)) [[unlikely]]
    return errors::InvalidArgument("Tried to append a tensor with incompatible shape to a list. Op element shape: ",
                                   shape, " list shape: ", list.element_shape);
  const Index most = list.max_num_elements;
  if (most >= 0 && list.size() >= most) [[unlikely]]
    return errors::InvalidArgument("Tried to push item into a full list list size: ", list.size(),
                                   " max_num_elements: ", most);
  return OkStatus();
}
TENON_DETAIL_COLD inline Status PopsFromEmpty() { return errors::InvalidArgument("Trying to pop from an empty list."); }

// ListStep::run.
inline Status PushInPlace(void* list, Tensor* item) {
  auto& to = *static_cast<TensorList*>(list);
  TENON_RETURN_IF_ERROR(CheckPush(to, item->shape()));
  to.tensors.push_back(std::move(*item));
  return OkStatus();
}
// Starts to load the first bytes of an item that is popped next: a long loop made it long ago.
inline void LoadIntoCache(const Tensor& item) {
  constexpr std::size_t kLine = 64, kMost = 4096;
  const auto* const bytes = static_cast<const unsigned char*>(item.raw_data());
  const std::size_t size = std::min(item.TotalBytes(), kMost);
  for (std::size_t line = 0; line < size; line += kLine) TENON_DETAIL_PREFETCH(bytes + line);
}
// All items are set.
inline Status PopInPlace(void* list, Tensor* item) {
  auto& from = *static_cast<TensorList*>(list);
  if (from.tensors.empty()) [[unlikely]]
    return PopsFromEmpty();
  *item = std::move(from.tensors.back());
  from.tensors.pop_back();
  if (!from.tensors.empty()) LoadIntoCache(from.tensors.back());
  return OkStatus();
}

}  // namespace detail

struct EmptyTensorList {
  static constexpr auto signature = Op("EmptyTensorList")
                                        .Input("element_shape: shape_type")
                                        .Input("max_num_elements: int32")
                                        .Output("handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::NewListShape<0>);

  struct Attrs {
    DataType element_dtype;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, detail::ListKernel {
    Status operator()(Context<Device>& context, HostIndices, HostIndices, Tensor&) const {
      return Run(context.op(), this->element_dtype);
    }
  };

 private:
  static Status Run(OpKernelContext& context, DataType element_dtype) {
    if (context.input(1).dims() != 0)
      return errors::InvalidArgument("EmptyTensorList: max_num_elements expected to be a scalar but got shape: ",
                                     context.input(1).shape());
    TensorList list;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.input(0), &list.element_shape));
    list.element_dtype = element_dtype;
    list.max_num_elements = context.input(1).data<std::int32_t>()[0];
    return detail::SetListOutput(context, std::move(list));
  }
};

// A list of num_elements elements, none of them set.
struct TensorListReserve {
  static constexpr auto signature = Op("TensorListReserve")
                                        .Input("element_shape: shape_type")
                                        .Input("num_elements: int32")
                                        .Output("handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::NewListShape<0>);

  struct Attrs {
    DataType element_dtype;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, detail::ListKernel {
    Status operator()(Context<Device>& context, HostIndices, HostIndices, Tensor&) const {
      return Run(context.op(), this->element_dtype);
    }
  };

 private:
  static Status Run(OpKernelContext& context, DataType element_dtype) {
    TensorList list;
    Index length = 0;
    TENON_RETURN_IF_ERROR(detail::ReadElementShape(context.input(0), &list.element_shape));
    TENON_RETURN_IF_ERROR(detail::ReadScalar(context, 1, "num_elements to reserve", &length));
    if (length < 0)
      return errors::InvalidArgument("The num_elements to reserve must be a non negative number, but got ", length);
    list.element_dtype = element_dtype;
    TENON_RETURN_IF_ERROR(list.Resize(length));
    return detail::SetListOutput(context, std::move(list));
  }
};

struct TensorListPushBack {
  static constexpr auto signature = Op("TensorListPushBack")
                                        .Input("input_handle: variant")
                                        .Input("tensor: element_dtype")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .SetShapeFn(detail::PushBackShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    static constexpr tenon::detail::ListStep list_step{true, &detail::ItemShape, &detail::FitsPush, &detail::OpenList,
                                                       &detail::PushInPlace};

    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(1), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    const Tensor& item = context.input(1);
    detail::ListInput in;
    TENON_RETURN_IF_ERROR(in.Get(context, 0, item.dtype()));
    TENON_RETURN_IF_ERROR(detail::CheckPush(*in.list, item.shape()));
    TensorList* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::ForwardList(context, *in.list, &out));
    out->tensors.push_back(item);
    return OkStatus();
  }
};

struct TensorListPopBack {
  static constexpr auto signature = Op("TensorListPopBack")
                                        .Input("input_handle: variant")
                                        .Input("element_shape: int32")
                                        .Output("output_handle: variant")
                                        .Output("tensor: element_dtype")
                                        .Attr("element_dtype: type")
                                        .SetShapeFn(detail::PopBackShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    static constexpr tenon::detail::ListStep list_step{false, &detail::ItemShape, &detail::FitsPop, &detail::OpenList,
                                                       &detail::PopInPlace};

    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.output_type(1)); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, Tensor&, Tensor&) const {
      return Run(context);
    }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    detail::ListInput in;
    TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(1)));
    if (in.list->tensors.empty()) return detail::PopsFromEmpty();
    Tensor item = in.list->tensors.back();
    if (!TensorList::IsSet(item)) {
      PartialTensorShape partial;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), *in.list, 1, &partial));
      if (!partial.AsTensorShape(&shape))
        return errors::InvalidArgument("Trying to read an uninitialized tensor but element_shape is not fully defined ",
                                       partial);
      TENON_RETURN_IF_ERROR(detail::ZeroTensor(context, in.list->element_dtype, shape, &item));
    }
    TensorList* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::ForwardList(context.op(), *in.list, &out));
    out->tensors.pop_back();
    TENON_RETURN_IF_ERROR(BringToKernel(context.op(), &item));
    context.op().set_output(1, std::move(item));
    return OkStatus();
  }
};

struct TensorListSetItem {
  static constexpr auto signature = Op("TensorListSetItem")
                                        .Input("input_handle: variant")
                                        .Input("index: int32")
                                        .Input("item: element_dtype")
                                        .Output("output_handle: variant")
                                        .Attr("element_dtype: type")
                                        .Attr("resize_if_index_out_of_bounds: bool = false")
                                        .SetShapeFn(detail::SetItemShape);

  struct Attrs {
    bool resize_if_index_out_of_bounds;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(2), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, const Tensor&, Tensor&) const {
      return Run(context.op(), this->resize_if_index_out_of_bounds);
    }
  };

 private:
  static Status Run(OpKernelContext& context, bool resize) {
    const Tensor& item = context.input(2);
    detail::ListInput in;
    Index index = 0;
    TENON_RETURN_IF_ERROR(in.Get(context, 0, item.dtype()));
    TENON_RETURN_IF_ERROR(detail::ReadScalar(context, 1, "index", &index));
    if (index < 0 || (index >= in.list->size() && !resize))
      return errors::InvalidArgument("Trying to modify element ", index, " in a list with ", in.list->size(),
                                     " elements.");
    if (!in.list->element_shape.IsCompatibleWith(item.shape()))
      return errors::InvalidArgument(
          "Tried to set a tensor with incompatible shape at a list index. Item element shape: ", item.shape(),
          " list shape: ", in.list->element_shape);
    TensorList* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::ForwardList(context, *in.list, &out));
    if (index >= out->size()) TENON_RETURN_IF_ERROR(out->Resize(index + 1));
    out->at(index) = item;
    return OkStatus();
  }
};

struct TensorListGetItem {
  static constexpr auto signature = Op("TensorListGetItem")
                                        .Input("input_handle: variant")
                                        .Input("index: int32")
                                        .Input("element_shape: Tshape")
                                        .Output("item: element_dtype")
                                        .Attr("element_dtype: type")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::GetItemShape);

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
    Index index = 0;
    TENON_RETURN_IF_ERROR(in.Get(context.op(), 0, context.op().expected_output_dtype(0)));
    TENON_RETURN_IF_ERROR(detail::ReadNumber(context.op(), 1, "index", &index));
    if (index < 0 || index >= in.list->size())
      return errors::InvalidArgument("Trying to access element ", index, " in a list with ", in.list->size(),
                                     " elements.");
    Tensor item = in.list->at(index);
    if (!TensorList::IsSet(item)) {
      PartialTensorShape partial;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::MergedElementShape(context.op(), *in.list, 2, &partial));
      if (!partial.IsFullyDefined())
        for (const Tensor& element : in.list->tensors) TENON_RETURN_IF_ERROR(detail::MergeElement(element, &partial));
      if (!partial.AsTensorShape(&shape))
        return errors::InvalidArgument(
            "Trying to read an uninitialized tensor but element_shape is not fully defined: ", partial,
            " and no list element is set.");
      TENON_RETURN_IF_ERROR(detail::ZeroTensor(context, in.list->element_dtype, shape, &item));
    }
    TENON_RETURN_IF_ERROR(BringToKernel(context.op(), &item));
    context.op().set_output(0, std::move(item));
    return OkStatus();
  }
};

struct TensorListLength {
  static constexpr auto signature = Op("TensorListLength")
                                        .Input("input_handle: variant")
                                        .Output("length: int32")
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
  struct kernel : detail::ListKernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> length) const {
      detail::ListInput in;
      TENON_RETURN_IF_ERROR(in.Get(context.op(), 0));
      length[0] = static_cast<std::int32_t>(in.list->size());
      return OkStatus();
    }
  };
};

// A vector with -1 for unknown sizes; the scalar -1 for an unknown rank.
struct TensorListElementShape {
  static constexpr auto signature = Op("TensorListElementShape")
                                        .Input("input_handle: variant")
                                        .Output("element_shape: shape_type")
                                        .Attr("shape_type: {int32, int64}")
                                        .SetShapeFn(detail::ListElementShapeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : detail::ListKernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const { return Run(context.op()); }
  };

 private:
  static Status Run(OpKernelContext& context) {
    detail::ListInput in;
    TENON_RETURN_IF_ERROR(in.Get(context, 0));
    const PartialTensorShape& shape = in.list->element_shape;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(
        context.allocate_output(0, shape.unknown_rank() ? TensorShape() : TensorShape({Index{shape.dims()}}), &out));
    for (int d = 0; d < static_cast<int>(out->NumElements()); ++d) {
      const Index size = shape.unknown_rank() ? -1 : shape.dim_size(d);
      if (out->dtype() == DataType::kInt32)
        out->data<std::int32_t>()[d] = static_cast<std::int32_t>(size);
      else
        out->data<std::int64_t>()[d] = size;
    }
    return OkStatus();
  }
};

// The first `size` elements; where there are fewer, unset ones follow.
struct TensorListResize {
  static constexpr auto signature = Op("TensorListResize")
                                        .Input("input_handle: variant")
                                        .Input("size: int32")
                                        .Output("output_handle: variant")
                                        .SetShapeFn(detail::ListResizeShape);

  template <class Device>
  struct kernel : detail::ListKernel {
    Status operator()(Context<Device>& context, const Tensor&, HostIndices, Tensor&) const { return Run(context.op()); }
  };

 private:
  static Status Run(OpKernelContext& context) {
    detail::ListInput in;
    Index size = 0;
    TensorList* out = nullptr;
    TENON_RETURN_IF_ERROR(in.Get(context, 0));
    TENON_RETURN_IF_ERROR(detail::ReadScalar(context, 1, "size", &size));
    if (size < 0) return errors::InvalidArgument("TensorListSlice expects size to be non-negative. Got: ", size);
    TENON_RETURN_IF_ERROR(detail::ForwardList(context, *in.list, &out));
    return out->Resize(size);
  }
};

// input_handles: [b] lists, tensor: [b, ...]  ->  [b] lists, to each of which a row was appended
struct TensorListPushBackBatch {
  static constexpr auto signature = Op("TensorListPushBackBatch")
                                        .Input("input_handles: variant")
                                        .Input("tensor: element_dtype")
                                        .Output("output_handles: variant")
                                        .Attr("element_dtype: type")
                                        .SetShapeFn(detail::PushBackBatchShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::InitListKernel<Device>(c, c.input_type(1)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const { return Run(context); }
  };

 private:
  template <class Device>
  static Status Run(Context<Device>& context) {
    const Tensor &handles = context.op().input(0), &rows = context.op().input(1);
    if (rows.dims() < 1)
      return errors::InvalidArgument("Expected tensor to be at least a vector, but saw shape: ", rows.shape());
    if (handles.dims() != 1)
      return errors::InvalidArgument("Expected input_handles to be a vector, but saw shape: ", handles.shape());
    if (rows.dim_size(0) != handles.NumElements())
      return errors::InvalidArgument("Expected tensor.shape[0] == input_handles.size, but saw ", rows.dim_size(0),
                                     " vs. ", handles.NumElements());
    TensorShape row = rows.shape();
    TENON_RETURN_IF_ERROR(row.RemoveDimWithStatus(0));
    SlimVector<TensorList> lists;  // the results; the inputs stay as they are
    for (Index b = 0; b < handles.NumElements(); ++b) {
      TensorList decoded;
      const TensorList* list = nullptr;
      TENON_RETURN_IF_ERROR(detail::ListOf(handles.data<Variant>()[b], &decoded, &list));
      if (!list->element_shape.IsCompatibleWith(row))
        return errors::InvalidArgument("Tried to append a tensor with incompatible shape to a list at index ", b,
                                       ". Op element shape: ", row, " list shape: ", list->element_shape);
      if (list->element_dtype != rows.dtype())
        return errors::InvalidArgument("Invalid data type at index ", b, "; op elements ", rows.dtype(),
                                       " but list elements ", list->element_dtype);
      lists.push_back(*list);
      TENON_RETURN_IF_ERROR(detail::TakeRows(context, rows, b, b + 1, true, &lists.back().tensors.emplace_back()));
    }
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::AllocateLists(context.op(), handles.shape(), &out));
    for (std::size_t b = 0; b < lists.size(); ++b) out->data<Variant>()[b] = Variant(std::move(lists[b]));
    return OkStatus();
  }
};

// The elements of list a and, behind them, those of list b; pair by pair for tensors of lists.
struct TensorListConcatLists {
  static constexpr auto signature = Op("TensorListConcatLists")
                                        .Input("input_a: variant")
                                        .Input("input_b: variant")
                                        .Attr("element_dtype: type")
                                        .Output("output: variant")
                                        .SetShapeFn(detail::ConcatListsShape);

  struct Attrs {
    DataType element_dtype;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, detail::ListKernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op(), this->element_dtype);
    }
  };

 private:
  static Status Run(OpKernelContext& context, DataType dtype) {
    const Tensor &a = context.input(0), &b = context.input(1);
    if (!(a.shape() == b.shape()))
      return errors::InvalidArgument("Incompatible input TensorList tensor shapes: ", a.shape(), " vs. ", b.shape());
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(detail::AllocateLists(context, a.shape(), &out));
    for (Index i = 0; i < a.NumElements(); ++i) {
      TensorList decoded_a, decoded_b;
      const TensorList *list_a = nullptr, *list_b = nullptr;
      TENON_RETURN_IF_ERROR(detail::ListOf(a.data<Variant>()[i], &decoded_a, &list_a));
      TENON_RETURN_IF_ERROR(detail::ListOf(b.data<Variant>()[i], &decoded_b, &list_b));
      for (const TensorList* list : {list_a, list_b})
        if (list->element_dtype != dtype)
          return errors::InvalidArgument(list == list_a ? "input_a[" : "input_b[", i,
                                         "].dtype != element_dtype.  Saw: ", list->element_dtype, " vs. ", dtype);
      if (!list_a->element_shape.IsIdenticalTo(list_b->element_shape))
        return errors::InvalidArgument("input_a and input_b TensorList element shapes are not identical at index ", i,
                                       ".  Saw ", list_a->element_shape, " vs. ", list_b->element_shape);
      TensorList both = *list_a;
      for (const Tensor& element : list_b->tensors) both.tensors.push_back(element);
      out->data<Variant>()[i] = Variant(std::move(both));
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

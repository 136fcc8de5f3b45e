// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorList: the value inside a variant that the TensorList ops work on. Also the shared code of their kernels, which
// reads a node's list, changes it in place when no other node has it, and gets the shape of its elements.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/bring_tensor.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/variant_elements.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Copying a list copies the handles of its tensors, which share their buffers. externally synchronised.
struct TensorList {
  SlimVector<Tensor> tensors;  // dtype kInvalid: an element that was never set
  PartialTensorShape element_shape;
  DataType element_dtype = DataType::kInvalid;
  std::int32_t max_num_elements = -1;  // -1: any number

  static bool IsSet(const Tensor& element) { return element.dtype() != DataType::kInvalid; }
  Index size() const { return static_cast<Index>(tensors.size()); }
  const Tensor& at(Index i) const { return tensors[static_cast<std::size_t>(i)]; }
  Tensor& at(Index i) { return tensors[static_cast<std::size_t>(i)]; }
  // New elements are not set. ResourceExhausted for lengths that no machine has memory for.
  Status Resize(Index length) {
    constexpr Index kMaxLength = Index{1} << 24;
    if (length > kMaxLength && length > size())
      return errors::ResourceExhausted("OOM when allocating a TensorList of ", length, " elements; at most ",
                                       kMaxLength, " can be reserved at once");
    tensors.resize(static_cast<std::size_t>(length), Tensor(DataType::kInvalid));
    return OkStatus();
  }

  // TensorFlow's serialised form. Metadata: how many elements are not set, their numbers, dtype, largest length (all as
  // varints), a TensorShapeProto.
  std::string_view TypeName() const { return "tensorflow::TensorList"; }
  std::string DebugString() const { return "TensorList"; }
  void Encode(VariantTensorData* data) const {
    std::string unset;
    std::uint64_t unset_count = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (IsSet(tensors[i])) {
        data->tensors.push_back(tensors[i]);
      } else {
        AppendVarint(i, &unset);
        ++unset_count;
      }
    }
    data->metadata.clear();
    AppendVarint(unset_count, &data->metadata);
    data->metadata += unset;
    AppendVarint(static_cast<std::uint64_t>(element_dtype), &data->metadata);
    AppendVarint(static_cast<std::uint64_t>(std::int64_t{max_num_elements}), &data->metadata);
    ShapeToProto(element_shape, &data->metadata);
  }
  bool Decode(VariantTensorData data) {
    std::string_view text = data.metadata;
    std::uint64_t unset_count = 0, dtype = 0, most = 0;
    if (!TakeVarint(&text, &unset_count) || unset_count > text.size()) return false;  // each takes a byte or more
    SlimVector<Tensor> decoded;
    std::size_t next = 0;  // index in data.tensors
    for (std::uint64_t k = 0; k < unset_count; ++k) {
      std::uint64_t at = 0;
      if (!TakeVarint(&text, &at) || at < decoded.size()) return false;
      for (; decoded.size() < at; ++next) {
        if (next == data.tensors.size()) return false;
        decoded.push_back(std::move(data.tensors[next]));
      }
      decoded.push_back(Tensor(DataType::kInvalid));
    }
    for (; next < data.tensors.size(); ++next) decoded.push_back(std::move(data.tensors[next]));
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (!TakeVarint(&text, &dtype) || dtype > kLargest || !TakeVarint(&text, &most)) return false;
    if (most > kLargest && most != static_cast<std::uint64_t>(std::int64_t{-1})) return false;
    Result<PartialTensorShape> shape = PartialShapeFromProto(std::as_bytes(std::span<const char>(text)));
    if (!shape.ok()) return false;
    for (const Tensor& tensor : decoded)
      if (IsSet(tensor) && tensor.dtype() != static_cast<DataType>(dtype)) return false;
    tensors = std::move(decoded);
    element_shape = *std::move(shape);
    element_dtype = static_cast<DataType>(dtype);
    max_num_elements = static_cast<std::int32_t>(static_cast<std::int64_t>(most));
    return true;
  }

 private:
  static void AppendVarint(std::uint64_t value, std::string* out) {
    for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7f) | 0x80));
    out->push_back(static_cast<char>(value));
  }
  static bool TakeVarint(std::string_view* text, std::uint64_t* value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && !text->empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(text->front());
      text->remove_prefix(1);
      *value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
};

namespace ops::detail {

// ---- AddN and ZerosLike of lists, through VariantRegistry

inline Status ZerosLikeList(OpKernelContext* context, const TensorList& x, TensorList* out) {
  out->element_dtype = x.element_dtype;
  out->element_shape = x.element_shape;
  for (const Tensor& element : x.tensors)
    TENON_RETURN_IF_ERROR(ZerosLikeElement(context, element, &out->tensors.emplace_back()));
  return OkStatus();
}

inline Status AddLists(OpKernelContext* context, const TensorList& a, const TensorList& b, TensorList* out) {
  if (a.element_dtype != b.element_dtype)
    return errors::InvalidArgument("Trying to add two lists of tensors of different dtypes. One is ", a.element_dtype,
                                   " and the other is ", b.element_dtype);
  if (!a.element_shape.IsCompatibleWith(b.element_shape))
    return errors::InvalidArgument("Trying to add two lists of tensors with incompatible element shapes. One is ",
                                   a.element_shape, " and the other is ", b.element_shape);
  if (a.size() != b.size())
    return errors::InvalidArgument("Trying to add two lists of tensors with different lengths. One is ", a.size(),
                                   " and the other is ", b.size());
  out->element_dtype = a.element_dtype;
  TENON_RETURN_IF_ERROR(a.element_shape.MergeWith(b.element_shape, &out->element_shape));
  for (Index i = 0; i < a.size(); ++i)
    TENON_RETURN_IF_ERROR(AddElements(context, a.at(i), b.at(i), &out->tensors.emplace_back()));
  return OkStatus();
}

inline Status CopyListTensors(const TensorList& from, TensorList* to, const VariantTensorCopy& copy) {
  *to = from;
  for (Index i = 0; i < from.size(); ++i)
    if (TensorList::IsSet(from.at(i))) TENON_RETURN_IF_ERROR(copy(from.at(i), &to->at(i)));
  return OkStatus();
}

// Registers lists, so that they are decoded, added, zeroed and copied wherever variants are. Kernels of lists call it
// when they are made; the second call does nothing.
inline Status RegisterTensorList() {
  static const Status status = [] {
    VariantRegistry& registry = VariantRegistry::Global();
    TENON_RETURN_IF_ERROR(registry.AddType<TensorList>());
    TENON_RETURN_IF_ERROR(registry.AddUnary<TensorList>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLikeList));
    TENON_RETURN_IF_ERROR(registry.AddBinary<TensorList>(VariantBinaryOp::kAdd, "CPU", &AddLists));
    for (const VariantCopyDirection direction :
         {VariantCopyDirection::kHostToDevice, VariantCopyDirection::kDeviceToHost,
          VariantCopyDirection::kDeviceToDevice})
      TENON_RETURN_IF_ERROR(registry.AddCopy<TensorList>(direction, &CopyListTensors));
    return OkStatus();
  }();
  return status;
}

// ---- shared code of the kernels

// Elements of a list that ops copy.
inline constexpr DataTypeSet kListTypes = kPodAndStringTypes | kQuantizedTypes | ToSet(DataType::kVariant);

// The base of the kernels whose attrs are types only.
struct ListKernel {
  Status Init(OpKernelConstruction&) { return RegisterTensorList(); }
};
// In the memory of a GPU elements are numbers other than int32, as in TensorFlow.
template <class Device>
Status InitListKernel(OpKernelConstruction& c, DataType element_dtype, DataTypeSet served = kListTypes) {
  TENON_RETURN_IF_ERROR(RegisterTensorList());
  return ServeVariable<Device>(c, element_dtype, served);
}

// The list of a variant; `decoded` holds one that was still serialised.
inline Status ListOf(const Variant& variant, TensorList* decoded, const TensorList** list) {
  *list = variant.get<TensorList>();
  if (*list != nullptr) return OkStatus();
  Variant copy;
  if (variant.is_serialized() && variant.TypeName() == decoded->TypeName()) {
    copy = variant;
    TENON_ASSIGN_OR_RETURN(TensorList* const made, GetVariantValue<TensorList>(&copy));
    *decoded = std::move(*made);
    *list = decoded;
    return OkStatus();
  }
  return errors::InvalidArgument("Input handle is not a list. Saw: '", variant.DebugString(), "'");
}

// Input i of the running kernel, a scalar.
struct ListInput {
  const TensorList* list = nullptr;
  TensorList decoded;

  Status Get(const OpKernelContext& context, int i) {
    const Tensor& handle = context.input(i);
    if (handle.dims() != 0)
      return errors::InvalidArgument(context.op_kernel().type_string(),
                                     ": Input list must be a scalar saw: ", handle.shape());
    return ListOf(handle.data<Variant>()[0], &decoded, &list);
  }
  // Gets input i and checks that its elements have the type that the op says.
  Status Get(const OpKernelContext& context, int i, DataType element_dtype) {
    TENON_RETURN_IF_ERROR(Get(context, i));
    if (list->element_dtype == element_dtype) return OkStatus();
    return errors::InvalidArgument(context.op_kernel().type_string(), ": Invalid data types; op elements ",
                                   element_dtype, " but list elements ", list->element_dtype);
  }
};

// Output 0 := lists of this shape, objects of the host.
inline Status AllocateLists(OpKernelContext& context, const TensorShape& shape, Tensor** out) {
  AllocatorAttributes attributes;
  attributes.set_on_host(true);
  return context.allocate_output(0, shape, out, attributes);
}
// Output 0 := a list that may be changed. Where this is the last use of input 0 it is the same list, which `input` then
// still names, otherwise a copy.
inline Status ForwardList(OpKernelContext& context, const TensorList& input, TensorList** out) {
  if (!context.TryForward(0, 0, context.input(0).shape())) {
    Tensor* made = nullptr;
    TENON_RETURN_IF_ERROR(AllocateLists(context, TensorShape(), &made));
  }
  Variant& variant = context.mutable_output(0)->data<Variant>()[0];
  if (!variant.is<TensorList>()) variant = Variant(input);
  *out = variant.get<TensorList>();
  return OkStatus();
}
// Output 0 := this list.
inline Status SetListOutput(OpKernelContext& context, TensorList&& list) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(AllocateLists(context, TensorShape(), &out));
  out->data<Variant>()[0] = Variant(std::move(list));
  return OkStatus();
}

// elements.IsCompatibleWith(shape), without a conversion.
inline bool FitsElements(const PartialTensorShape& elements, const TensorShape& shape) {
  if (elements.unknown_rank()) return true;
  if (elements.dims() != shape.dims()) return false;
  for (int d = 0; d < elements.dims(); ++d)
    if (elements.dim_size(d) >= 0 && elements.dim_size(d) != shape.dim_size(d)) return false;
  return true;
}
// Functions of ListStep (kernel/row.hpp). Serialised lists and tensors of lists do not fit, nor do popped items that
// are not set.
inline const TensorList* PlainList(const Tensor& variant) {
  const bool scalar = variant.dtype() == DataType::kVariant && variant.dims() == 0 && variant.raw_data() != nullptr;
  return scalar ? variant.data<Variant>()[0].get<TensorList>() : nullptr;
}
inline bool ItemShape(const Tensor& variant, TensorShape* shape) {
  const TensorList* const list = PlainList(variant);
  if (list == nullptr) return false;
  if (list->tensors.empty()) return list->element_shape.AsTensorShape(shape);
  *shape = list->tensors.back().shape();
  return TensorList::IsSet(list->tensors.back());
}
inline bool FitsPush(const Tensor& variant, DataType dtype, const TensorShape& shape) {
  const TensorList* const list = PlainList(variant);
  return list != nullptr && list->element_dtype == dtype && FitsElements(list->element_shape, shape);
}
inline bool FitsPop(const Tensor& variant, DataType dtype, const TensorShape& shape) {
  if (!FitsPush(variant, dtype, shape)) return false;
  const Allocator* known = nullptr;  // its memory is in host memory
  for (const Tensor& element : PlainList(variant)->tensors) {
    if (element.dtype() != dtype || !(element.shape() == shape)) return false;
    const Allocator* const allocator = element.buffer() == nullptr ? known : element.buffer()->allocator();
    if (allocator == known) continue;
    if (!element.HostAccessible()) return false;
    known = allocator;
  }
  return true;
}
inline void* OpenList(Tensor* variant) {
  if (!variant->RefCountIsOne()) {
    Tensor copy(DataType::kVariant, TensorShape());
    copy.data<Variant>()[0] = variant->data<Variant>()[0];
    *variant = std::move(copy);
  }
  return variant->data<Variant>()[0].get<TensorList>();
}

// The shape that a shape input says: a vector with -1 for unknown sizes, or the scalar -1 for an unknown rank.
inline Status ReadElementShape(const Tensor& t, PartialTensorShape* shape) {
  const bool wide = t.dtype() == DataType::kInt64;
  if (t.dims() == 0) {
    const std::int64_t value = wide ? t.data<std::int64_t>()[0] : t.data<std::int32_t>()[0];
    if (value != -1)
      return errors::InvalidArgument(
          "The only valid scalar shape tensor is the fully unknown shape specified as -1, got ", value);
    *shape = PartialTensorShape();
    return OkStatus();
  }
  if (t.dims() != 1)
    return errors::InvalidArgument("element_shape must be a vector or the scalar -1, got shape ", t.shape());
  return wide ? MakeShape(t.data<std::int64_t>(), t.NumElements(), shape)
              : MakeShape(t.data<std::int32_t>(), t.NumElements(), shape);
}
// The element shape that input i gives, merged with the list's element shape.
inline Status MergedElementShape(const OpKernelContext& context, const TensorList& list, int i,
                                 PartialTensorShape* shape) {
  PartialTensorShape wanted;
  TENON_RETURN_IF_ERROR(ReadElementShape(context.input(i), &wanted));
  return wanted.MergeWith(list.element_shape, shape);
}
// *shape merged with the shape of an element; unset ones have none.
inline Status MergeElement(const Tensor& element, PartialTensorShape* shape) {
  if (!TensorList::IsSet(element)) return OkStatus();
  const PartialTensorShape before = *shape;
  return before.MergeWith(element.shape(), shape);
}

// The one number of an int32 input.
inline Status ReadNumber(const OpKernelContext& context, int i, const char* name, Index* value) {
  const Tensor& t = context.input(i);
  if (t.NumElements() != 1)
    return errors::InvalidArgument("The ", name, " of ", context.op_kernel().type_string(),
                                   " must be a tensor size 1, but got ", t.shape());
  *value = t.data<std::int32_t>()[0];
  return OkStatus();
}
// The one number of an int32 input without dimensions. Refuses a matrix of one number.
inline Status ReadScalar(const OpKernelContext& context, int i, const char* name, Index* value) {
  const TensorShape& shape = context.input(i).shape();
  if (shape.dims() == 0) return ReadNumber(context, i, name, value);
  return errors::InvalidArgument("The ", name, " of ", context.op_kernel().type_string(),
                                 " must be a tensor size 1 without dimensions, but got ", shape);
}

// A new tensor of zeros (empty strings, empty variants).
template <class Device>
Status ZeroTensor(Context<Device>& context, DataType dtype, const TensorShape& shape, Tensor* out) {
  TENON_RETURN_IF_ERROR(context.op().allocate_temp(dtype, shape, out));
  return Zero(context.device(), MoverOf(dtype), out->raw_data(), out->NumElements());
}

// Rows [begin, end) of dimension 0 of a tensor, without that dimension when `drop`. They share its buffer if they are
// aligned there, otherwise they are copied.
template <class Device>
Status TakeRows(Context<Device>& context, const Tensor& tensor, Index begin, Index end, bool drop, Tensor* out) {
  TensorShape shape = tensor.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, end - begin));
  if (drop) TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(0));
  const Tensor rows = tensor.Slice(begin, end);
  if (rows.IsAligned()) {
    if (out->CopyFrom(rows, shape)) return OkStatus();
    return errors::Internal("TakeRows: ", rows.shape(), " cannot become ", shape);
  }
  TENON_RETURN_IF_ERROR(context.op().allocate_temp(tensor.dtype(), shape, out));
  return Copy(context.device(), MoverOf(tensor.dtype()), rows.raw_data(), out->raw_data(), out->NumElements());
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of tensors: copied into a batch and out of it; tensors joined and cut along dimension 0; TensorProtos of lists.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/tensor/batch_rows.hpp>
#include <tenon/wire/tensor_proto_util.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {
namespace batch_util {

// (*parent)[index] = element.
inline Status CopyElementToSlice(const Tensor& element, Tensor* parent, int64_t index) {
  return tenon::tensor::CopyElementToSlice(element, parent, index);
}
// *element = parent[index]; *element has its memory already.
inline Status CopySliceToElement(const Tensor& parent, Tensor* element, int64_t index) {
  return tenon::tensor::CopySliceToElement(parent, element, index);
}
inline Status MaybeMoveSliceToElement(Tensor* parent, Tensor* element, int64_t index) {
  return CopySliceToElement(*parent, element, index);
}
inline Status CopyContiguousSlices(const Tensor& src, int64_t src_offset, int64_t dst_offset, int64_t num_slices,
                                   Tensor* dst) {
  return tenon::tensor::CopyContiguousSlices(src, src_offset, dst_offset, num_slices, dst);
}
inline Status MaybeMoveContiguousSlices(Tensor& src, int64_t src_offset, int64_t dst_offset, int64_t num_slices,
                                        Tensor* dst) {
  return CopyContiguousSlices(src, src_offset, dst_offset, num_slices, dst);
}

// Calls call(T*) with a null pointer of the element type. Unimplemented: a type without such a function.
template <class Call>
Status WithElementType(DataType type, const char* where, const Call& call) {
  switch (type) {
#define TENON_COMPAT_CASE(TYPE, T) \
  case TYPE: return call(static_cast<T*>(nullptr));
    TENON_COMPAT_CASE(DT_FLOAT, float)
    TENON_COMPAT_CASE(DT_DOUBLE, double)
    TENON_COMPAT_CASE(DT_INT8, int8)
    TENON_COMPAT_CASE(DT_INT16, int16)
    TENON_COMPAT_CASE(DT_INT32, int32)
    TENON_COMPAT_CASE(DT_INT64, std::int64_t)
    TENON_COMPAT_CASE(DT_UINT8, uint8)
    TENON_COMPAT_CASE(DT_UINT16, uint16)
    TENON_COMPAT_CASE(DT_UINT32, uint32)
    TENON_COMPAT_CASE(DT_UINT64, std::uint64_t)
    TENON_COMPAT_CASE(DT_BOOL, bool)
    TENON_COMPAT_CASE(DT_STRING, tstring)
    TENON_COMPAT_CASE(DT_COMPLEX64, complex64)
    TENON_COMPAT_CASE(DT_COMPLEX128, complex128)
    TENON_COMPAT_CASE(DT_HALF, Eigen::half)
    TENON_COMPAT_CASE(DT_BFLOAT16, Eigen::bfloat16)
#undef TENON_COMPAT_CASE
    default: return errors::Unimplemented(where, ": data type not supported: ", DataTypeString(type));
  }
}
// Fills a tensor with the one element of `padding`.
inline Status SetElementZero(Tensor* element, const Tensor& padding) {
  if (padding.dtype() != element->dtype() || padding.NumElements() != 1)
    return errors::InvalidArgument("SetElementZero: the padding is one element of type ",
                                   DataTypeString(element->dtype()));
  return WithElementType(element->dtype(), "SetElementZero", [&](auto* example) {
    using T = std::remove_pointer_t<decltype(example)>;
    std::fill_n(element->base<T>(), element->NumElements(), *padding.base<const T>());
    return Status();
  });
}
inline Status ValidateElementToLargerSlice(const Tensor& element, Tensor* parent) {
  if (parent->dims() != element.dims() + 1)
    return errors::Internal("Mismatched ranks.  Element's rank is: ", element.dims(),
                            " but element is meant to be a slice in output Tensor having rank: ", parent->dims(),
                            " (should be: ", element.dims() + 1, ")");
  for (int d = 0; d < element.dims(); ++d)
    if (element.dim_size(d) > parent->dim_size(d + 1))
      return errors::Internal("HandleElementToLargerSlice Cannot copy slice: number of elements in dimension ", d,
                              " of the element is larger than in the parent");
  return Status();
}
// Copies an element into the front corner of parent[index], whose sizes may be larger.
inline Status CopyElementToLargerSlice(const Tensor& element, Tensor* parent, int64_t index) {
  TF_RETURN_IF_ERROR(ValidateElementToLargerSlice(element, parent));
  if (element.dtype() != parent->dtype() || index < 0 || index >= parent->dim_size(0))
    return errors::Internal("CopyElementToLargerSlice: another type, or no slice ", index);
  if (element.NumElements() == 0) return Status();
  return WithElementType(element.dtype(), "CopyElementToLargerSlice", [&](auto* example) {
    using T = std::remove_pointer_t<decltype(example)>;
    const int dims = element.dims();
    std::vector<int64_t> at(static_cast<std::size_t>(dims), 0);
    const T* from = element.base<const T>();
    for (int64_t i = 0; i < element.NumElements(); ++i, ++from) {
      int64_t to = index;
      for (int d = 0; d < dims; ++d) to = to * parent->dim_size(d + 1) + at[static_cast<std::size_t>(d)];
      parent->base<T>()[to] = *from;
      for (int d = dims - 1; d >= 0 && ++at[static_cast<std::size_t>(d)] == element.dim_size(d); --d)
        at[static_cast<std::size_t>(d)] = 0;
    }
    return Status();
  });
}

}  // namespace batch_util

namespace tensor {

// Joins tensors along dimension 0.
inline Status Concat(gtl::ArraySlice<Tensor> tensors, Tensor* result) {
  if (tensors.empty()) return errors::InvalidArgument("Cannot concatenate zero tensors");
  TensorShape shape = tensors[0].shape();
  if (shape.dims() == 0) return errors::InvalidArgument("Cannot concatenate a zero-dimensional tensor");
  int64_t rows = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() != tensors[0].dtype())
      return errors::InvalidArgument("Cannot concatenate tensors that have different data types. Got ",
                                     DataTypeString(tensors[0].dtype()), " and ", DataTypeString(tensor.dtype()), ".");
    if (tensor.dims() != shape.dims()) return errors::InvalidArgument("Cannot concatenate tensors of different ranks");
    rows += tensor.dim_size(0);
  }
  shape.set_dim(0, rows);
  *result = Tensor(tensors[0].dtype(), shape);
  int64_t at = 0;
  for (const Tensor& tensor : tensors) {
    TF_RETURN_IF_ERROR(batch_util::CopyContiguousSlices(tensor, 0, at, tensor.dim_size(0), result));
    at += tensor.dim_size(0);
  }
  return Status();
}
// Cuts a tensor along dimension 0.
inline Status Split(const Tensor& tensor, gtl::ArraySlice<int64_t> sizes, std::vector<Tensor>* result) {
  if (tensor.dims() == 0) return errors::InvalidArgument("Cannot split a zero-dimensional tensor");
  int64_t rows = 0;
  for (const int64_t size : sizes) rows += size;
  if (rows != tensor.dim_size(0))
    return errors::InvalidArgument("The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
  int64_t at = 0;
  for (const int64_t size : sizes) {
    TensorShape shape = tensor.shape();
    shape.set_dim(0, size);
    Tensor part(tensor.dtype(), shape);
    TF_RETURN_IF_ERROR(batch_util::CopyContiguousSlices(tensor, at, 0, size, &part));
    result->push_back(part);
    at += size;
  }
  return Status();
}

namespace internal {

// The field of a TensorProto that holds elements of type T: kParts numbers for each.
template <class T>
struct TensorProtoField : std::false_type {};
#define TENON_COMPAT_FIELD(T, name, parts)                                               \
  template <>                                                                            \
  struct TensorProtoField<T> : std::true_type {                                          \
    static constexpr int kParts = parts;                                                 \
    static const auto& Of(const TensorProto& proto) { return proto.name(); }             \
    static auto* Of(TensorProto* proto) { return proto->mutable_##name(); }              \
    using FieldType = std::decay_t<decltype(std::declval<const TensorProto>().name(0))>; \
  };
TENON_COMPAT_FIELD(float, float_val, 1)
TENON_COMPAT_FIELD(double, double_val, 1)
TENON_COMPAT_FIELD(int32, int_val, 1)
TENON_COMPAT_FIELD(int16, int_val, 1)
TENON_COMPAT_FIELD(uint16, int_val, 1)
TENON_COMPAT_FIELD(int8, int_val, 1)
TENON_COMPAT_FIELD(uint8, int_val, 1)
TENON_COMPAT_FIELD(uint32, uint32_val, 1)
TENON_COMPAT_FIELD(int64_t, int64_val, 1)
TENON_COMPAT_FIELD(uint64, uint64_val, 1)
TENON_COMPAT_FIELD(bool, bool_val, 1)
TENON_COMPAT_FIELD(std::string, string_val, 1)
TENON_COMPAT_FIELD(tstring, string_val, 1)
TENON_COMPAT_FIELD(Eigen::half, half_val, 1)
TENON_COMPAT_FIELD(bfloat16, half_val, 1)
TENON_COMPAT_FIELD(complex64, scomplex_val, 2)
TENON_COMPAT_FIELD(complex128, dcomplex_val, 2)
#undef TENON_COMPAT_FIELD

// Reads and writes the elements that stand in the field. externally synchronised.
template <class T>
struct TensorProtoHelper : TensorProtoField<T> {
  using Field = TensorProtoField<T>;
  using typename Field::FieldType;

  static DataType GetDataType() { return DataTypeToEnum<T>::value; }
  static std::size_t NumValues(const TensorProto& proto) {
    return static_cast<std::size_t>(Field::Of(proto).size() / Field::kParts);
  }
  static void AddValue(const T& value, TensorProto* proto) {
    if constexpr (Field::kParts == 2) {
      Field::Of(proto)->Add(value.real());
      Field::Of(proto)->Add(value.imag());
    } else if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, bfloat16>) {
      Field::Of(proto)->Add(Eigen::numext::bit_cast<uint16>(value));
    } else {
      Field::Of(proto)->Add(FieldType(value));
    }
  }
  template <class Iterator>
  static void AddValues(Iterator begin, Iterator end, TensorProto* proto) {
    for (; begin != end; ++begin) AddValue(*begin, proto);
  }
  static T GetValue(std::size_t i, const TensorProto& proto) {
    const int at = static_cast<int>(i) * Field::kParts;
    const auto& values = Field::Of(proto);
    if constexpr (Field::kParts == 2)
      return T(values.Get(at), values.Get(at + 1));
    else if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, bfloat16>)
      return Eigen::numext::bit_cast<T>(static_cast<uint16>(values.Get(at)));
    else
      return static_cast<T>(values.Get(at));
  }
};

}  // namespace internal

// Empty, with a line in the log, where the sizes are for another number of values.
template <class T>
TensorProto CreateTensorProto(const std::vector<T>& values, const std::vector<std::size_t>& sizes) {
  TensorProto proto;
  const TensorShape shape(sizes);
  if (static_cast<std::size_t>(shape.num_elements()) != values.size()) {
    LOG(ERROR) << "Shape and number of values (" << values.size() << ") are incompatible.";
    return proto;
  }
  proto.set_dtype(internal::TensorProtoHelper<T>::GetDataType());
  shape.AsProto(proto.mutable_tensor_shape());
  internal::TensorProtoHelper<T>::AddValues(values.begin(), values.end(), &proto);
  return proto;
}
template <class T>
TensorProto CreateTensorProtoSpan(gtl::ArraySlice<T> values, gtl::ArraySlice<std::size_t> sizes) {
  return CreateTensorProto(std::vector<T>(values.begin(), values.end()),
                           std::vector<std::size_t>(sizes.begin(), sizes.end()));
}
// Writes repeated last values once. False: nothing changed.
inline bool CompressTensorProtoInPlace(int64_t min_elements, float min_ratio, TensorProto* proto) {
  std::string bytes = proto->SerializeAsString();
  const auto done = tenon::CompressTensorProtoInPlace(&bytes, min_elements, min_ratio);
  if (!done.ok() || !*done) return false;
  return proto->ParseFromString(bytes);
}
inline bool CompressTensorProtoInPlace(TensorProto* proto) { return CompressTensorProtoInPlace(64, 2.0f, proto); }

}  // namespace tensor
}  // namespace tensorflow

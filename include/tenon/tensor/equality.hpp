// SPDX-License-Identifier: Apache-2.0
#pragma once
// Are two tensors in host memory the same, and if not, where do they differ first?

#include <cstddef>
#include <cstring>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant_element.hpp>
#include <tenon/tensor/copies.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace tensor {

// How two elements are compared.
enum class Equality {
  kValues,  // by ==: zeros are equal whatever their sign, NaN equals nothing
  kValuesOrNans,  // by ==, but NaN equals NaN
  kBits,  // by the bits in memory
};

}  // namespace tensor

namespace detail {

template <class Float>
bool SameFloats(const void* a, const void* b, bool nans_are_equal) {
  Float x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || (nans_are_equal && x != x && y != y);
}
// Two elements of a plain type; their memory may have any alignment.
inline bool SamePlainElements(DataType dtype, const char* a, const char* b, tensor::Equality equality) {
  const bool nans = equality == tensor::Equality::kValuesOrNans;
  switch (dtype) {
    case DataType::kFloat: return SameFloats<float>(a, b, nans);
    case DataType::kDouble: return SameFloats<double>(a, b, nans);
    case DataType::kComplex64: return SameFloats<float>(a, b, nans) && SameFloats<float>(a + 4, b + 4, nans);
    case DataType::kComplex128: return SameFloats<double>(a, b, nans) && SameFloats<double>(a + 8, b + 8, nans);
    case DataType::kHalf: return SameFloats<half>(a, b, nans);
    case DataType::kBfloat16: return SameFloats<bfloat16>(a, b, nans);
    case DataType::kFloat8E5M2: return SameFloats<float8_e5m2>(a, b, nans);
    case DataType::kFloat8E4M3FN: return SameFloats<float8_e4m3fn>(a, b, nans);
    case DataType::kFloat8E4M3FNUZ: return SameFloats<float8_e4m3fnuz>(a, b, nans);
    case DataType::kFloat8E4M3B11FNUZ: return SameFloats<float8_e4m3b11fnuz>(a, b, nans);
    case DataType::kFloat8E5M2FNUZ: return SameFloats<float8_e5m2fnuz>(a, b, nans);
    case DataType::kFloat4E2M1FN: return SameFloats<float4_e2m1fn>(a, b, nans);
    default: return std::memcmp(a, b, ElementBytes(dtype)) == 0;
  }
}

template <class T>
Index FirstOther(const T* a, const T* b, Index count) {
  Index i = 0;
  while (i < count && a[i] == b[i]) ++i;
  return i;
}
// The number of the first of `count` elements that differs, or `count`.
inline Index FirstDifference(DataType dtype, const void* a, const void* b, Index count, tensor::Equality equality) {
  if (dtype == DataType::kString)
    return FirstOther(static_cast<const tstring*>(a), static_cast<const tstring*>(b), count);
  if (dtype == DataType::kVariant)
    return FirstOther(static_cast<const Variant*>(a), static_cast<const Variant*>(b), count);
  if (dtype == DataType::kResource) {
    return FirstOther(static_cast<const ResourceHandle*>(a), static_cast<const ResourceHandle*>(b), count);
  }
  const std::size_t bytes = ElementBytes(dtype);
  const bool exact = equality == tensor::Equality::kBits || !(IsFloating(dtype) || IsComplex(dtype));
  if (exact && (count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * bytes) == 0)) return count;
  const char *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
  for (Index i = 0; i < count; ++i, x += bytes, y += bytes) {
    if (exact ? std::memcmp(x, y, bytes) != 0 : !SamePlainElements(dtype, x, y, equality)) return i;
  }
  return count;
}

// "[1,2]": where element number i is.
inline std::string Position(const TensorShape& shape, Index i) {
  std::string text = "]";
  for (int d = shape.dims() - 1; d >= 0; --d) {
    text = StrCat(d == 0 ? "" : ",", i % shape.dim_size(d), text);
    i /= shape.dim_size(d);
  }
  return "[" + text;
}
inline std::string ElementText(const Tensor& tensor, Index i) {
  return SummarizeArray(tensor.dtype(), ElementAt(tensor, i), TensorShape(), 1, true);
}

}  // namespace detail

namespace tensor {

// OK if both have the same dtype, shape and values; InvalidArgument with the first difference otherwise.
inline Status CheckEqual(const Tensor& a, const Tensor& b, Equality equality = Equality::kValues) {
  if (a.dtype() != b.dtype()) {
    return errors::InvalidArgument("CheckEqual: the types differ, ", DataTypeString(a.dtype()), " and ",
                                   DataTypeString(b.dtype()));
  }
  if (a.shape() != b.shape()) {
    return errors::InvalidArgument("CheckEqual: the shapes differ, ", a.shape(), " and ", b.shape());
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CheckEqual", a));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CheckEqual", b));
  const Index n = a.NumElements();
  const Index i = detail::FirstDifference(a.dtype(), a.raw_data(), b.raw_data(), n, equality);
  if (i == n) return OkStatus();
  return errors::InvalidArgument("CheckEqual: the ", Name(a.dtype()), " elements at ", detail::Position(a.shape(), i),
                                 " differ, ", detail::ElementText(a, i), " and ", detail::ElementText(b, i));
}

// False too where a value cannot be read: without memory, in device memory.
inline bool Equal(const Tensor& a, const Tensor& b, Equality equality = Equality::kValues) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!detail::CheckReadable("Equal", a).ok() || !detail::CheckReadable("Equal", b).ok()) return false;
  const Index n = a.NumElements();
  return detail::FirstDifference(a.dtype(), a.raw_data(), b.raw_data(), n, equality) == n;
}

}  // namespace tensor

TENON_DETAIL_NAMESPACE_END

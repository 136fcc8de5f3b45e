// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies of whole tensors in host memory, and tensors joined and split along dimension 0.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

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

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The elements can be read: there are some kind of them, memory for them, and the host sees it.
TENON_DETAIL_COLD inline Status CheckReadable(std::string_view where, const Tensor& tensor) {
  if (ElementBytes(tensor.dtype()) == 0 && tensor.NumElements() != 0) {
    return errors::Internal(where, ": Unexpected data type ", DataTypeString(tensor.dtype()));
  }
  if (!tensor.IsInitialized()) {
    return errors::FailedPrecondition(where, ": the tensor of type ", Name(tensor.dtype()), " and shape ",
                                      tensor.shape(), " is not initialised; its elements must have memory");
  }
  if (!tensor.HostAccessible()) {
    return errors::InvalidArgument(where, ": the tensor of type ", Name(tensor.dtype()), " and shape ", tensor.shape(),
                                   " is in device memory; copy it to the host before");
  }
  return OkStatus();
}

inline void* ElementAt(Tensor& tensor, Index i) {
  if (tensor.raw_data() == nullptr) return nullptr;
  return static_cast<char*>(tensor.raw_data()) + static_cast<std::size_t>(i) * ElementBytes(tensor.dtype());
}
inline const void* ElementAt(const Tensor& tensor, Index i) { return ElementAt(const_cast<Tensor&>(tensor), i); }

// Whether all dimensions but the first are equal.
inline bool SameRows(const TensorShape& a, const TensorShape& b) {
  if (a.dims() != b.dims()) return false;
  for (int d = 1; d < a.dims(); ++d) {
    if (a.dim_size(d) != b.dim_size(d)) return false;
  }
  return true;
}
// Uninitialised elements of the same type; no memory where there are none.
inline Result<Tensor> MakeLike(const Tensor& like, const TensorShape& shape) {
  if (shape.num_elements() == 0) return Tensor(like.dtype(), shape, nullptr);
  return Tensor::Make(like.dtype(), shape);
}

}  // namespace detail

// TensorFlow's namespace of the same name.
namespace tensor {

// Copies the values into memory of their own, whatever the alignment of `from`. FailedPrecondition: the elements have
// no memory; InvalidArgument: they are in device memory; ResourceExhausted: no memory for the copy.
inline Result<Tensor> DeepCopy(const Tensor& from) {
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", from));
  Result<Tensor> copy = detail::MakeLike(from, from.shape());
  if (copy.ok()) {
    detail::CopyElements(from.dtype(), from.raw_data(), copy->raw_data(), static_cast<std::size_t>(from.NumElements()));
  }
  return copy;
}

// Overwrites the values of *to, which has the same dtype and shape.
inline Status DeepCopy(const Tensor& from, Tensor* to) {
  if (from.dtype() != to->dtype() || from.shape() != to->shape()) {
    return errors::InvalidArgument("DeepCopy: both tensors must have the same type and shape, got ", Name(from.dtype()),
                                   " ", from.shape(), " and ", Name(to->dtype()), " ", to->shape());
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", from));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", *to));
  detail::CopyElements(from.dtype(), from.raw_data(), to->raw_data(), static_cast<std::size_t>(from.NumElements()));
  return OkStatus();
}

// One tensor with the rows (elements of dimension 0) of all, in order. Unlike TensorFlow's, it wants the other
// dimensions to agree.
//
//   Concat({{a, b}})        // a: [2, 3]  b: [4, 3]  ->  [6, 3]
inline Result<Tensor> Concat(Span<const Tensor> tensors) {
  if (tensors.empty()) return errors::InvalidArgument("Cannot concatenate zero tensors");
  const Tensor& first = tensors[0];
  Index rows = 0;
  for (const Tensor& part : tensors) {
    if (part.dims() == 0) return errors::InvalidArgument("Cannot concatenate a zero-dimensional tensor");
    if (part.dtype() != first.dtype()) {
      return errors::InvalidArgument("Cannot concatenate tensors that have different data types. Got ",
                                     DataTypeString(first.dtype()), " and ", DataTypeString(part.dtype()), ".");
    }
    if (!detail::SameRows(first.shape(), part.shape())) {
      return errors::InvalidArgument("Concat: all dimensions but the first must agree, got ", first.shape(), " and ",
                                     part.shape());
    }
    TENON_RETURN_IF_ERROR(detail::CheckReadable("Concat", part));
    const auto sum = static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(part.dim_size(0));
    rows = static_cast<Index>(sum);
    if (rows < 0) return errors::InvalidArgument("Concat: the tensors have more than 2**63 - 1 rows");
  }
  TensorShape shape = first.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
  Result<Tensor> made = detail::MakeLike(first, shape);
  if (!made.ok()) return made;
  Index done = 0;
  for (const Tensor& part : tensors) {
    detail::CopyElements(part.dtype(), part.raw_data(), detail::ElementAt(*made, done),
                         static_cast<std::size_t>(part.NumElements()));
    done += part.NumElements();
  }
  return made;
}

// The reverse: *parts gets one tensor for each size, with so many rows and memory of its own. (Tensor::Slice shares
// memory.) *parts is a std::vector<Tensor> or SlimVector<Tensor>, unchanged on failure.
template <class List>
  requires GrowableListOf<List, Tensor>
Status Split(const Tensor& whole, Span<const Index> sizes, List* parts) {
  if (whole.dims() == 0) return errors::InvalidArgument("Cannot split a zero-dimensional tensor");
  Index left = whole.dim_size(0);
  for (const Index size : sizes) {
    if (size < 0) return errors::InvalidArgument("Split: every size must be at least 0, got ", size);
    if (size > left) {
      left = -1;
      break;
    }
    left -= size;
  }
  if (left != 0) {
    return errors::InvalidArgument("The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("Split", whole));
  List made;
  made.reserve(sizes.size());
  Index done = 0;
  for (const Index size : sizes) {
    TensorShape shape = whole.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, size));
    Result<Tensor> part = detail::MakeLike(whole, shape);
    if (!part.ok()) return part.status();
    const Index count = part->NumElements();
    detail::CopyElements(whole.dtype(), detail::ElementAt(whole, done), part->raw_data(),
                         static_cast<std::size_t>(count));
    done += count;
    made.push_back(*std::move(part));
  }
  *parts = std::move(made);
  return OkStatus();
}

}  // namespace tensor

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole tensors in host memory: copies, concatenation and split along dimension 0, rows of batches, comparison, tensors
// over memory of a user (a header each), bitcasts, output to streams. Every dtype that a tensor holds. Each function
// reports a mistake with a Status.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/copies.hpp>
#include <tenon/tensor/equality.hpp>
#include <tenon/tensor/foreign_memory.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Bytes that the allocator set aside for the block in which the elements are, a slice's too (Tenon's 64 bytes before
// them included), if it tracks sizes; otherwise, and for wrapped memory, TotalBytes().
inline std::size_t AllocatedBytes(const Tensor& tensor) {
  if (tensor.buffer() != nullptr) {
    Buffer* const root = tensor.buffer()->root();
    Allocator* const allocator = root->allocator();
    if (allocator != nullptr && root->OwnsMemory() && allocator->TracksAllocationSizes()) {
      const std::size_t bytes = allocator->AllocatedSize(allocator->HoldsHeaders() ? root : root->data());
      if (bytes != 0) return bytes;
    }
  }
  return tensor.TotalBytes();
}

// std::cout << tensor: DebugString with up to 100 values. Any standard stream, without <ostream> here.
template <class Stream>
  requires requires(Stream& stream, std::string_view text) {
    typename Stream::traits_type;
    stream << text;
  }
Stream& operator<<(Stream& stream, const Tensor& tensor) {
  const std::string text = tensor.DebugString(100);
  stream << std::string_view(text);
  return stream;
}

namespace tensor {

// The shape that the op Bitcast gives, for the bytes seen as another plain type. A smaller type adds a dimension at
// the end; a larger one takes the last away, which must then have as many elements as fit.
//   float [2, 3] -> uint8 [2, 3, 4]      uint8 [2, 4] -> float [2]
inline Result<TensorShape> BitcastShape(const TensorShape& shape, DataType from, DataType to) {
  const Index from_bytes = SizeOf(from), to_bytes = SizeOf(to);
  if (from_bytes == 0) return errors::InvalidArgument("other tensor has zero-sized data type");
  if (to_bytes == 0) return errors::InvalidArgument("specified output type is zero-sized");
  TensorShape made = shape;
  if (from_bytes > to_bytes) {
    TENON_RETURN_IF_ERROR(made.AddDimWithStatus(from_bytes / to_bytes));
  } else if (from_bytes < to_bytes) {
    if (shape.dims() == 0 || shape.dim_size(shape.dims() - 1) != to_bytes / from_bytes) {
      return errors::InvalidArgument("Cannot bitcast from ", Name(from), " to ", Name(to), ": shape ", shape,
                                     "; the last dimension must be ", to_bytes / from_bytes);
    }
    TENON_RETURN_IF_ERROR(made.RemoveDimWithStatus(shape.dims() - 1));
  }
  return made;
}
// Shares the buffer; only bytes whose address does not suit the new type are copied. Tensor::BitcastFrom takes any
// shape.
inline Result<Tensor> Bitcast(const Tensor& from, DataType to) {
  TENON_ASSIGN_OR_RETURN(const TensorShape shape, BitcastShape(from.shape(), from.dtype(), to));
  Tensor source = from;
  if (!detail::IsAlignedFor(to, from.raw_data())) {
    TENON_ASSIGN_OR_RETURN(source, DeepCopy(from));
  }
  Tensor made;
  TENON_RETURN_IF_ERROR(made.BitcastFrom(source, to, shape));
  return made;
}

}  // namespace tensor

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole tensors in host memory: copies, concatenation and split along dimension 0, comparison, bitcasts, tensors over
// bytes of somebody else, text for streams. Every dtype that a tensor holds. All of it says what is wrong with a
// Status.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
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
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant_element.hpp>

TENON_NAMESPACE_BEGIN

// Bytes that the allocator set aside for the block in which the elements are, a slice's too (Tenon's 64 bytes before
// them included), if it tracks sizes; otherwise, and for memory of somebody else, TotalBytes().
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

namespace detail {

// The elements can be read: there are some kind of them, memory for them, and the host sees it.
TENON_COLD inline Status CheckReadable(std::string_view where, const Tensor& tensor) {
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

template <class T>
void CopyItems(const T* from, T* to, std::size_t count) {
  if (from < to) {  // they may overlap
    for (std::size_t i = count; i-- > 0;) to[i] = from[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}
// `count` elements; those at `to` exist already. As memmove, the two may overlap.
inline void CopyElements(DataType dtype, const void* from, void* to, std::size_t count) {
  if (count == 0 || from == to) return;
  if (dtype == DataType::kString) {
    return CopyItems(static_cast<const tstring*>(from), static_cast<tstring*>(to), count);
  }
  if (dtype == DataType::kResource) {
    return CopyItems(static_cast<const ResourceHandle*>(from), static_cast<ResourceHandle*>(to), count);
  }
  if (dtype == DataType::kVariant) {
    return CopyItems(static_cast<const Variant*>(from), static_cast<Variant*>(to), count);
  }
  std::memmove(to, from, count * ElementBytes(dtype));
}
inline void* ElementAt(Tensor& tensor, Index i) {
  if (tensor.raw_data() == nullptr) return nullptr;
  return static_cast<char*>(tensor.raw_data()) + static_cast<std::size_t>(i) * ElementBytes(tensor.dtype());
}
inline const void* ElementAt(const Tensor& tensor, Index i) { return ElementAt(const_cast<Tensor&>(tensor), i); }

// The same dimensions but for the first?
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

// ------------------------------------------------------------------------------------------------------------- copies

// The same values in memory of their own, whatever the alignment of `from`. FailedPrecondition without elements'
// memory, InvalidArgument in device memory, ResourceExhausted without new memory.
inline Result<Tensor> DeepCopy(const Tensor& from) {
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", from));
  Result<Tensor> copy = detail::MakeLike(from, from.shape());
  if (copy.ok()) {
    detail::CopyElements(from.dtype(), from.raw_data(), copy->raw_data(), static_cast<std::size_t>(from.NumElements()));
  }
  return copy;
}

// Writes the values over those of *to, which has the same dtype and shape.
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

// ---------------------------------------------------------------------------------------------------------- comparison

// How two elements are compared.
enum class Equality {
  kValues,  // by ==: zeros are equal whatever their sign, NaN equals nothing
  kValuesOrNans,  // the same, but NaN equals NaN
  kBits,  // what is in memory
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

// --------------------------------------------------------------------------------------------------------------
// bitcasts

// What the op Bitcast gives: the same bytes as another plain type. A smaller type adds a dimension at the end, a larger
// one takes it away, which must then have as many elements as fit.
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

namespace detail {

// A batch and one row of it fit together?
inline Status CheckRow(std::string_view where, const Tensor& element, const Tensor& batch, Index row) {
  if (element.dtype() != batch.dtype()) {
    return errors::InvalidArgument(where, ": both tensors must have the same type, got ", Name(element.dtype()),
                                   " and ", Name(batch.dtype()));
  }
  TensorShape shape = batch.shape();
  if (batch.dims() == 0) return errors::InvalidArgument(where, ": the batch must have a dimension, got shape []");
  shape.RemoveDim(0);
  if (element.NumElements() != shape.num_elements()) {
    return errors::Internal(where, " Cannot perform copy: number of elements does not match.  Shapes are: [element]: ",
                            element.shape(), ", [parent slice]: ", shape);
  }
  if (row < 0 || row >= batch.dim_size(0)) {
    return errors::InvalidArgument(where, ": the row must be in [0,", batch.dim_size(0), "), got ", row);
  }
  TENON_RETURN_IF_ERROR(CheckReadable(where, element));
  return CheckReadable(where, batch);
}

}  // namespace detail

namespace tensor {

// ------------------------------------------------------------------------------------------------------------- batches
// The rows of a batch, one at a time or several; no memory is allocated. TensorFlow's batch_util.

// (*batch)[row] = element, which has as many elements as a row.
inline Status CopyElementToSlice(const Tensor& element, Tensor* batch, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopyElementToSlice", element, *batch, row));
  const Index count = element.NumElements();
  detail::CopyElements(element.dtype(), element.raw_data(), detail::ElementAt(*batch, row * count),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// *element = batch[row]; *element has its memory already.
inline Status CopySliceToElement(const Tensor& batch, Tensor* element, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopySliceToElement", *element, batch, row));
  const Index count = element->NumElements();
  detail::CopyElements(batch.dtype(), detail::ElementAt(batch, row * count), element->raw_data(),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// Rows [to_row, to_row + rows) of *to = rows [from_row, from_row + rows) of from. The two may share memory.
inline Status CopyContiguousSlices(const Tensor& from, Index from_row, Index to_row, Index rows, Tensor* to) {
  if (from.dtype() != to->dtype()) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: src and dst have different dtypes. ",
                                      "Source dtype: ", Name(from.dtype()), " dstination dtype: ", Name(to->dtype()),
                                      ".");
  }
  if (from.dims() < 1 || to->dims() < 1) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: both tensors must have a dimension, ",
                                      "got shapes ", from.shape(), " and ", to->shape());
  }
  const Index row = from.dim_size(0) == 0 ? 0 : from.NumElements() / from.dim_size(0);
  const Index to_size = to->dim_size(0) == 0 ? 0 : to->NumElements() / to->dim_size(0);
  if (from_row < 0 || rows < 0 || rows > from.dim_size(0) - from_row || from_row > from.dim_size(0)) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows from row ",
                                      from_row, " on of a source of shape ", from.shape());
  }
  if (to_row < 0 || to_row > to->dim_size(0) || rows > to->dim_size(0) - to_row) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows to row ",
                                      to_row, " on of a destination of shape ", to->shape());
  }
  if (rows == 0) return OkStatus();
  if (row != to_size) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: the rows of ", from.shape(), " have ",
                                      row, " elements, those of ", to->shape(), " have ", to_size);
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", from));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", *to));
  detail::CopyElements(from.dtype(), detail::ElementAt(from, from_row * row), detail::ElementAt(*to, to_row * row),
                       static_cast<std::size_t>(rows * row));
  return OkStatus();
}

// ------------------------------------------------------------------------------------------- memory of somebody else

// As Tensor::From, for values of a user: InvalidArgument if their number is not that of the shape's elements.
template <class T>
  requires ElementType<T>
Result<Tensor> FromValues(Span<const T> values, const TensorShape& shape) {
  if (static_cast<std::uint64_t>(values.size()) != static_cast<std::uint64_t>(shape.num_elements())) {
    return errors::InvalidArgument("FromValues: shape ", shape, " has ", shape.num_elements(), " elements, got ",
                                   values.size(), " values");
  }
  if (values.empty()) return Tensor(dtype_of_v<T>, shape, nullptr);
  Result<Tensor> made = Tensor::Make(dtype_of_v<T>, shape);
  if (made.ok()) detail::CopyElements(made->dtype(), values.data(), made->raw_data(), values.size());
  return made;
}

}  // namespace tensor

namespace detail {

inline Status CheckForeignMemory(std::string_view where, DataType dtype, const TensorShape& shape, const void* data,
                                 std::size_t bytes, bool owned) {
  const std::size_t element = ElementBytes(dtype);
  if (element == 0 || (owned && SizeOf(dtype) == 0)) {
    return errors::InvalidArgument(where, ": a tensor cannot be a view of bytes as elements of type '",
                                   DataTypeString(dtype), "'");
  }
  const auto n = static_cast<std::uint64_t>(shape.num_elements());
  if (n > bytes / element) {
    return errors::InvalidArgument(where, ": shape ", shape, " of type ", Name(dtype), " needs ", n, " elements of ",
                                   element, " bytes, got ", bytes, " bytes");
  }
  if (n != 0 && data == nullptr) return errors::InvalidArgument(where, ": there is no memory, data is null");
  if (n != 0 && !IsAlignedFor(dtype, data)) {
    return errors::InvalidArgument(where, ": data must be aligned to ", ViewAlignment(dtype), " bytes for type ",
                                   Name(dtype), ", its address is ", reinterpret_cast<std::uintptr_t>(data) % 64,
                                   " more than a multiple of 64");
  }
  return OkStatus();
}

}  // namespace detail

namespace tensor {

// What becomes of memory whose address does not suit the element type.
enum class Misaligned { kRefuse, kCopy };

// A view of `bytes` bytes of the caller: Tensor::FromMemory with its checks. deleter(), or deleter(data), runs when
// nobody shares the memory any longer, at once where it was copied; on failure it is not called.
inline Result<Tensor> FromMemory(DataType dtype, const TensorShape& shape, void* data, std::size_t bytes,
                                 Misaligned misaligned = Misaligned::kRefuse) {
  const bool copies =
      misaligned == Misaligned::kCopy && SizeOf(dtype) != 0 && data != nullptr && !detail::IsAlignedFor(dtype, data);
  alignas(64) static char aligned = 0;
  const void* const address = copies ? &aligned : data;  // what is copied may stand anywhere
  TENON_RETURN_IF_ERROR(detail::CheckForeignMemory("FromMemory", dtype, shape, address, bytes, false));
  if (!copies) return Tensor::FromMemory(dtype, shape, data);
  Result<Tensor> made = detail::MakeLike(Tensor(dtype), shape);
  if (made.ok()) detail::CopyElements(dtype, data, made->raw_data(), static_cast<std::size_t>(shape.num_elements()));
  return made;
}
template <class Deleter>
  requires(std::is_invocable_v<Deleter&> || std::is_invocable_v<Deleter&, void*>)
Result<Tensor> FromMemory(DataType dtype, const TensorShape& shape, void* data, std::size_t bytes, Deleter deleter,
                          Misaligned misaligned = Misaligned::kRefuse) {
  Result<Tensor> made = FromMemory(dtype, shape, data, bytes, misaligned);
  if (!made.ok()) return made;
  if (made->buffer() == nullptr || made->raw_data() != data) {
    if constexpr (std::is_invocable_v<Deleter&>) {
      deleter();
    } else {
      deleter(data);
    }
    return made;
  }
  return Tensor::FromMemory(dtype, shape, data, std::move(deleter));
}

// The elements that start `offset` bytes into a buffer, such as that of a MappedFile, which the tensor keeps alive.
// Plain types only. Bytes whose address does not suit the type are copied.
//
//   TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open("weights.bin"));
//   TENON_ASSIGN_OR_RETURN(Tensor w, tensor::ViewOfBytes(file.buffer(), 64, DataType::kFloat, {512, 256}));
inline Result<Tensor> ViewOfBytes(Buffer* owner, std::size_t offset, DataType dtype, const TensorShape& shape) {
  if (owner == nullptr || offset > owner->size()) {
    return errors::OutOfRange("ViewOfBytes: offset ", offset, " is beyond the end of a buffer of ",
                              owner == nullptr ? 0 : owner->size(), " bytes");
  }
  char* const data = static_cast<char*>(owner->data()) + offset;
  const bool aligned = detail::IsAlignedFor(dtype, data);
  const void* const address = aligned ? static_cast<void*>(data) : owner->root();  // what is copied may stand anywhere
  TENON_RETURN_IF_ERROR(detail::CheckForeignMemory("ViewOfBytes", dtype, shape, address, owner->size() - offset, true));
  if (shape.num_elements() == 0) return Tensor(dtype, shape, nullptr);
  if (aligned) return Tensor::ViewOf(owner, dtype, shape, data);
  if (!owner->HostAccessible()) {
    return errors::InvalidArgument("ViewOfBytes: offset ", offset, " does not suit type ", Name(dtype),
                                   ", and device memory cannot be copied here");
  }
  Result<Tensor> made = Tensor::Make(dtype, shape);
  if (made.ok()) detail::CopyElements(dtype, data, made->raw_data(), static_cast<std::size_t>(shape.num_elements()));
  return made;
}

}  // namespace tensor

TENON_NAMESPACE_END

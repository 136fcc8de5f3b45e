// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors over values and memory of a user, which are checked first: a Status describes the mistake.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/copies.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace tensor {

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

// The treatment of memory whose address does not suit the element type.
enum class Misaligned { kRefuse, kCopy };

// A view of `bytes` bytes of the caller: Tensor::FromMemory with its checks. deleter(), or deleter(data), runs when
// no tensor shares the memory any longer, at once where it was copied; on failure it is not called.
inline Result<Tensor> FromMemory(DataType dtype, const TensorShape& shape, void* data, std::size_t bytes,
                                 Misaligned misaligned = Misaligned::kRefuse) {
  const bool copies =
      misaligned == Misaligned::kCopy && SizeOf(dtype) != 0 && data != nullptr && !detail::IsAlignedFor(dtype, data);
  alignas(64) static char aligned = 0;
  const void* const address = copies ? &aligned : data;  // bytes to copy may be anywhere
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
  const void* const address = aligned ? static_cast<void*>(data) : owner->root();  // bytes to copy may be anywhere
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

TENON_DETAIL_NAMESPACE_END

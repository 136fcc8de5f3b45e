// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements in a tensor's memory, by dtype: how many bytes they take, at which addresses they may be, room for them, and
// copies of them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <tenon/base/check.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/variant_element.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// Bytes of one element in a tensor's buffer, for every dtype that there is; 0 for reference types and unknown ones.
constexpr std::size_t ElementBytes(DataType dtype) {
  if (dtype == DataType::kString) return sizeof(tstring);
  if (dtype == DataType::kResource) return sizeof(ResourceHandle);
  if (dtype == DataType::kVariant) return sizeof(Variant);
  return static_cast<std::size_t>(SizeOf(dtype));
}

// SIZE_MAX where that is too little. For messages.
TENON_DETAIL_COLD inline std::size_t BytesWanted(DataType dtype, const TensorShape& shape) {
  const auto n = static_cast<std::size_t>(shape.num_elements());
  const std::size_t size = ElementBytes(dtype);
  return size != 0 && n > SIZE_MAX / size ? SIZE_MAX : n * size;
}

// The alignment that views need: of a number inside an element, so half of the size of a complex one.
constexpr std::size_t ViewAlignment(DataType dtype) {
  const std::size_t bytes = ElementBytes(dtype);
  return IsComplex(dtype) ? bytes / 2 : SizeOf(dtype) == 0 ? alignof(void*) : bytes;
}
inline bool IsAlignedFor(DataType dtype, const void* data) {
  const std::size_t alignment = ViewAlignment(dtype);  // 0, or a power of two
  return alignment == 0 || (reinterpret_cast<std::uintptr_t>(data) & (alignment - 1)) == 0;
}
// The end of a message on elements at an address that does not suit their type.
TENON_DETAIL_COLD inline std::string MisalignedText(const void* data, std::size_t alignment) {
  return StrCat("ptr = ", static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data)), " is not a multiple of ",
                alignment,
                "; unaligned_flat and unaligned_shaped see such elements, DeepCopy gives them aligned memory");
}

// Room for n > 0 elements (plain ones uninitialised, all others default-constructed), or null.
TENON_DETAIL_COLD inline Buffer* AllocateObjects(Allocator* allocator, DataType dtype, Index n) {
  const auto count = static_cast<std::size_t>(n);
  if (dtype == DataType::kString) return Buffer::AllocateObjects<tstring>(allocator, count);
  if (dtype == DataType::kResource) return Buffer::AllocateObjects<ResourceHandle>(allocator, count);
  if (dtype == DataType::kVariant) return Buffer::AllocateObjects<Variant>(allocator, count);
  return nullptr;
}
inline Buffer* AllocateElements(Allocator* allocator, DataType dtype, Index n) {
  const auto size = static_cast<std::size_t>(SizeOf(dtype));
  if (size == 0) [[unlikely]]
    return AllocateObjects(allocator, dtype, n);
  if ((static_cast<std::uint64_t>(n) >> 58) != 0) [[unlikely]]
    return nullptr;  // elements have at most 2^4 bytes
  return Buffer::Allocate(allocator, static_cast<std::size_t>(n) * size);
}

template <class T>
void CopyItems(const T* from, T* to, std::size_t count) {
  if (from < to) {  // they may overlap
    for (std::size_t i = count; i-- > 0;) to[i] = from[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}
// Copies `count` elements; the elements at `to` exist already. As with memmove, the two may overlap.
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

// Ends the program for elements (if there are any) at an address that does not suit them.
TENON_DETAIL_COLD inline void DieOnMisaligned(const void* data, std::size_t alignment, DataType dtype,
                                              const TensorShape& shape) {
  TENON_CHECK(shape.num_elements() == 0, "Tensor: ", MisalignedText(data, alignment), "; the tensor has type ",
              Name(dtype), " and shape ", shape);
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END

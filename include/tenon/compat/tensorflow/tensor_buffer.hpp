// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorBuffer: memory of a program's own class, for tensors.

#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/memory/allocator.hpp>
#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/proto/text.hpp>

namespace tensorflow {

// An allocation as logs show it.
class AllocationDescription : public protobuf::Message<AllocationDescription> {
 public:
  static constexpr const char* kName = "AllocationDescription";
  TENON_COMPAT_SCALAR(int64_t, requested_bytes)
  TENON_COMPAT_SCALAR(int64_t, allocated_bytes)
  TENON_COMPAT_STRING(allocator_name)
  TENON_COMPAT_SCALAR(int64_t, allocation_id)
  TENON_COMPAT_SCALAR(bool, has_single_reference)
  TENON_COMPAT_SCALAR(uint64_t, ptr)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "requested_bytes", m.requested_bytes_);
    call(2, "allocated_bytes", m.allocated_bytes_);
    call(3, "allocator_name", m.allocator_name_);
    call(4, "allocation_id", m.allocation_id_);
    call(5, "has_single_reference", m.has_single_reference_);
    call(6, "ptr", m.ptr_);
  }

 private:
  int64_t requested_bytes_{};
  int64_t allocated_bytes_{};
  std::string allocator_name_;
  int64_t allocation_id_{};
  bool has_single_reference_{};
  uint64_t ptr_{};
};

// Sources derive from it. The memory lives until the last reference is dropped.
class TensorBuffer : public core::RefCounted {
 public:
  explicit TensorBuffer(void* data) : data_(data) {}
  void* data() const { return data_; }
  template <class T>
  T* base() const {
    return static_cast<T*>(data_);
  }
  virtual std::size_t size() const = 0;
  virtual TensorBuffer* root_buffer() = 0;
  virtual void FillAllocationDescription(AllocationDescription* description) const = 0;
  virtual bool GetAllocatedBytes(std::size_t* bytes) const {
    AllocationDescription description;
    FillAllocationDescription(&description);
    *bytes = static_cast<std::size_t>(description.allocated_bytes());
    return description.allocated_bytes() > 0;
  }
  virtual bool OwnsMemory() const { return true; }
  virtual tenon::AllocatorMemoryType GetMemoryType() const { return tenon::AllocatorMemoryType::kUnknown; }

 private:
  void* const data_;
};

}  // namespace tensorflow

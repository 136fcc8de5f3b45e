// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorBuffer: memory of a program's own class, for tensors.

#include <cstddef>
#include <cstdint>

#include <tenon/memory/allocator.hpp>
#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/proto/tensor_description.hpp>

namespace tensorflow {

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

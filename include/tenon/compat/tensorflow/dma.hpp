// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory of tensors for code that copies or sends it: DMAHelper and TensorReference.

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/tensor_buffer.hpp>

namespace tensorflow {

// A buffer that keeps a tensor alive.
class TensorBufferView final : public TensorBuffer {
 public:
  explicit TensorBufferView(const tenon::Tensor& tensor)
      : TensorBuffer(const_cast<void*>(tensor.raw_data())), tensor_(tensor) {}
  std::size_t size() const override { return tensor_.TotalBytes(); }
  TensorBuffer* root_buffer() override { return this; }
  void FillAllocationDescription(AllocationDescription* description) const override {
    description->set_requested_bytes(static_cast<int64_t>(size()));
    description->set_allocated_bytes(static_cast<int64_t>(size()));
    description->set_allocator_name("cpu");
    description->set_ptr(reinterpret_cast<std::uintptr_t>(data()));
  }
  bool OwnsMemory() const override { return false; }

 private:
  const tenon::Tensor tensor_;
};

class DMAHelper {
 public:
  static bool CanUseDMA(const Tensor* tensor) { return tensor->CanUseDMA(); }
  static const void* base(const Tensor* tensor) { return tensor->data(); }
  static void* base(Tensor* tensor) { return tensor->data(); }
  // Stays until this thread has asked sixteen times more; a reference keeps it for longer.
  static TensorBuffer* buffer(const Tensor* tensor) {
    if (!tensor->IsInitialized() || tensor->data() == nullptr) return nullptr;
    if (TensorBuffer* const own = tensor->foreign_buffer(); own != nullptr) return own;
    constexpr std::size_t kMost = 16;
    thread_local std::deque<core::RefCountPtr<TensorBuffer>> kept;
    if (kept.size() == kMost) kept.pop_front();
    return kept.emplace_back(new TensorBufferView(*tensor)).get();
  }
  static void UnsafeSetShape(Tensor* tensor, const TensorShape& shape) { tensor->set_shape(shape); }
};

// Keeps the memory of a tensor alive until Unref.
class TensorReference {
 public:
  explicit TensorReference(const Tensor& tensor) : tensor_(tensor) {}
  void Unref() const { tensor_ = Tensor(); }
  void FillDescription(AllocationDescription* description) const {
    if (tensor_.IsInitialized()) DMAHelper::buffer(&tensor_)->FillAllocationDescription(description);
  }

 private:
  mutable Tensor tensor_;
};

}  // namespace tensorflow

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory of tensors for code that copies or sends it: DMAHelper, TensorReference and TensorKey.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include <tenon/compat/tensorflow/env.hpp>
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
  bool SharesBufferWith(const Tensor& other) const { return tensor_.SharesBufferWith(other); }
  void FillDescription(AllocationDescription* description) const {
    if (tensor_.IsInitialized()) DMAHelper::buffer(&tensor_)->FillAllocationDescription(description);
  }

 private:
  mutable Tensor tensor_;
};

// A tensor as a key of maps: equal by type, shape and elements. Elements are plain, or texts.
class TensorKey : public Tensor {
 public:
  using Tensor::Tensor;
  TensorKey(const Tensor& tensor) : Tensor(tensor) {}
  friend bool operator==(const TensorKey& a, const TensorKey& b) {
    if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
    if (a.dtype() == DT_STRING) {
      for (int64_t i = 0; i < a.NumElements(); ++i)
        if (a.base<const tstring>()[i] != b.base<const tstring>()[i]) return false;
      return true;
    }
    return DataTypeCanUseMemcpy(a.dtype()) && a.tensor_data() == b.tensor_data();
  }
  friend bool operator!=(const TensorKey& a, const TensorKey& b) { return !(a == b); }
  uint64_t Hash() const {
    if (dtype() != DT_STRING) return DataTypeCanUseMemcpy(dtype()) ? Hash64(tensor_data()) : 0;
    uint64_t hash = 0;
    for (int64_t i = 0; i < NumElements(); ++i)
      hash = Hash64Combine(hash, Hash64(StringPiece(base<const tstring>()[i])));
    return hash;
  }
  template <class H>
  friend H AbslHashValue(H state, const TensorKey& key) {
    return H::combine(std::move(state), key.Hash());
  }
};

// Notes on allocations for TensorFlow's logs, which Tenon does not write.
class LogMemory {
 public:
  enum SpecialStepIds {
    CONSTANT_FOLDING_STEP_ID = -1,
    OP_KERNEL_CONSTRUCTION_STEP_ID = -2,
    EXTERNAL_TENSOR_ALLOCATION_STEP_ID = -3,
    NETWORK_BUFFER_STEP_ID = -4,
    PROTO_BUFFER_STEP_ID = -5,
    UNKNOWN_STEP_ID = -6
  };
  static bool IsEnabled() { return false; }
  static void RecordStep(int64_t, const std::string&) {}
  static void RecordTensorAllocation(const std::string&, int64_t, const Tensor&) {}
  static void RecordTensorDeallocation(int64_t, const std::string&) {}
  static void RecordTensorOutput(const std::string&, int64_t, int, const Tensor&) {}
  static void RecordRawAllocation(const std::string&, int64_t, std::size_t, void*, Allocator*) {}
  static void RecordRawDeallocation(const std::string&, int64_t, void*, Allocator*, bool) {}
};

}  // namespace tensorflow

namespace std {
template <>
struct hash<tensorflow::TensorKey> {
  size_t operator()(const tensorflow::TensorKey& key) const { return static_cast<size_t>(key.Hash()); }
};
}  // namespace std

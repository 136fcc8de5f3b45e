// SPDX-License-Identifier: Apache-2.0
#pragma once
// Allocator with TensorFlow's interface, and a view of Tenon's allocators through it.

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/memory/allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>
#include <tenon/compat/tensorflow/base/pointer_table.hpp>

namespace tensorflow {

using tenon::AllocationAttributes;
using tenon::AllocatorAttributes;
using tenon::AllocatorMemoryType;
using tenon::AllocatorStats;

// Sources derive from it: they define Name, AllocateRaw with two arguments and DeallocateRaw with one.
class Allocator : public tenon::Allocator {
 public:
  static constexpr std::size_t kAllocatorAlignment = 64;
  virtual std::string Name() = 0;
  virtual void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) = 0;
  virtual void DeallocateRaw(void* ptr) = 0;

  std::string_view Name() const override { return "TensorFlow's allocator"; }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes, const AllocationAttributes&) override {
    return AllocateRaw(alignment < kAllocatorAlignment ? kAllocatorAlignment : alignment, num_bytes);
  }
  void DeallocateRaw(void* ptr, std::size_t, std::size_t) override {
    if (ptr != nullptr) DeallocateRaw(ptr);
  }
  virtual std::size_t AllocatedSize(const void* ptr) const override { return RequestedSize(ptr); }
  virtual std::optional<AllocatorStats> GetStats() { return std::nullopt; }
  std::optional<AllocatorStats> GetStats() const override { return const_cast<Allocator*>(this)->GetStats(); }
};
// Calls another allocator.
class AllocatorWrapper : public Allocator {
 public:
  explicit AllocatorWrapper(Allocator* wrapped) : wrapped_(wrapped) {}
  Allocator* wrapped() const { return wrapped_; }
  using Allocator::AllocateRaw;
  using Allocator::DeallocateRaw;
  using Allocator::Name;
  std::string Name() override { return wrapped_->Name(); }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
    return wrapped_->AllocateRaw(alignment, num_bytes);
  }
  void DeallocateRaw(void* ptr) override { wrapped_->DeallocateRaw(ptr); }

 private:
  Allocator* wrapped_;
};

// An allocator of Tenon. Blocks of AllocateRaw with two arguments have their size in front.
class AllocatorView final : public Allocator {
 public:
  // One for each allocator; never destroyed.
  static Allocator* Of(tenon::Allocator* base) {
    static auto* const all = new internal::PointerTable();
    if (base == nullptr) base = tenon::DefaultAllocator();
    return static_cast<AllocatorView*>(all->Get(base, &Make));
  }
  std::string Name() override { return std::string(base_->Name()); }
  std::string_view Name() const override { return static_cast<const tenon::Allocator*>(base_)->Name(); }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
    const std::size_t front = alignment < kAllocatorAlignment ? kAllocatorAlignment : alignment;
    if (num_bytes > static_cast<std::size_t>(-1) - front) return nullptr;
    char* const block = static_cast<char*>(base_->AllocateRaw(front, front + num_bytes));
    if (block == nullptr) return nullptr;
    const std::size_t sizes[] = {front, num_bytes};
    std::memcpy(block + front - sizeof sizes, sizes, sizeof sizes);
    return block + front;
  }
  void DeallocateRaw(void* ptr) override {
    if (ptr == nullptr) return;
    std::size_t sizes[2];
    std::memcpy(sizes, static_cast<char*>(ptr) - sizeof sizes, sizeof sizes);
    base_->DeallocateRaw(static_cast<char*>(ptr) - sizes[0], sizes[0], sizes[0] + sizes[1]);
  }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes, const AllocationAttributes& attributes) override {
    return base_->AllocateRaw(alignment, num_bytes, attributes);
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t num_bytes) override {
    base_->DeallocateRaw(ptr, alignment, num_bytes);
  }
  bool TracksAllocationSizes() const override { return base_->TracksAllocationSizes(); }
  std::size_t RequestedSize(const void* ptr) const override { return base_->RequestedSize(ptr); }
  std::optional<AllocatorStats> GetStats() override { return static_cast<const tenon::Allocator*>(base_)->GetStats(); }
  bool ClearStats() override { return base_->ClearStats(); }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }

 private:
  explicit AllocatorView(tenon::Allocator* base) : base_(base) {}
  static void* Make(void* base) { return new AllocatorView(static_cast<tenon::Allocator*>(base)); }
  tenon::Allocator* base_;
};
inline Allocator* cpu_allocator(int = 0) { return AllocatorView::Of(tenon::DefaultAllocator()); }
inline Allocator* cpu_allocator_base() { return cpu_allocator(); }
inline void EnableCPUAllocatorStats() {}
inline void DisableCPUAllocatorStats() {}
inline bool CPUAllocatorStatsEnabled() { return false; }
inline void EnableCPUAllocatorFullStats() {}
inline bool CPUAllocatorFullStatsEnabled() { return false; }

// Arrays of objects. Objects of classes are made and destroyed.
class TypedAllocator {
 public:
  template <class T>
  static T* Allocate(Allocator* allocator, std::size_t count, const AllocationAttributes&) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) return nullptr;
    T* const items = static_cast<T*>(allocator->AllocateRaw(Allocator::kAllocatorAlignment, count * sizeof(T)));
    if (items != nullptr) std::uninitialized_default_construct_n(items, count);
    return items;
  }
  template <class T>
  static void Deallocate(Allocator* allocator, T* items, std::size_t count) {
    if (items == nullptr) return;
    std::destroy_n(items, count);
    allocator->DeallocateRaw(items);
  }
};

}  // namespace tensorflow

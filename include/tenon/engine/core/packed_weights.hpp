// SPDX-License-Identifier: Apache-2.0
#pragma once
// PackedWeights: an operand that is the same in every run - the right matrix of a product, the filter of a convolution
// - in the order in which its engine reads it, packed by the first run that has a use for it.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/release_pages.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Limit in bytes for packed copies of weights, beside the weights themselves. thread-safe.
class PackingBudget {
 public:
  explicit PackingBudget(std::int64_t bytes) : left_(bytes) {}
  // Takes `bytes` of the budget. Returns false, and takes nothing, when less is left.
  bool Take(std::size_t bytes) {
    const auto wanted = static_cast<std::int64_t>(bytes);
    std::int64_t left = left_.load(std::memory_order_relaxed);
    while (left >= wanted)
      if (left_.compare_exchange_weak(left, left - wanted, std::memory_order_relaxed)) return true;
    return false;
  }
  void GiveBack(std::size_t bytes) { left_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }
  std::int64_t left() const { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> left_;
};

// Holds an operand as its engine would pack it: results have the same bits with it and without. thread-safe.
//
//   Gemm<float>(device, a, false, b, false, c, &weights);   // packs b at the first call if it was offered
class PackedWeights {
 public:
  enum class Layout : std::uint8_t { kProduct, kConvolution, kTiles, kBytes };
  // A product of more rows, or a convolution of more pixels, packs its operand in each run. That costs about as much as
  // eight rows; here it would cost memory.
  static constexpr Index kMostRows = 256;

  // From now on the operand may be `value`, which its owner does not change any more. It is kept as long as another
  // owner holds it, too: until then, other values are not taken, and not packed. The allocator and the budget, which
  // may be null, outlive this.
  void Offer(const Tensor& value, Allocator* allocator, PackingBudget* budget = nullptr) {
    if (value.NumElements() == 0) return;
    MutexLock lock(mutex_);
    if (source_.load(std::memory_order_relaxed) != nullptr && !value_.RefCountIsOne()) return;
    packed_.store(nullptr, std::memory_order_relaxed);
    Drop();
    value_ = value;
    allocator_ = allocator;
    budget_ = budget;
    source_.store(value.raw_data(), std::memory_order_release);
  }

  // The operand that lies at `data`, packed: by pack(char* to), in `bytes` bytes, if it has not been yet. Null when it
  // was not offered, is packed in another layout, or the budget or the memory is too small.
  template <class Pack>
  const char* Find(const void* data, Layout layout, std::size_t bytes, const Pack& pack) {
    if (source_.load(std::memory_order_acquire) != data) return nullptr;
    const char* packed = packed_.load(std::memory_order_acquire);
    if (packed == nullptr) [[unlikely]] {
      MutexLock lock(mutex_);
      packed = packed_.load(std::memory_order_relaxed);
      if (packed == nullptr) {
        if (source_.load(std::memory_order_relaxed) != data) return nullptr;
        char* const to = Allocate(bytes);
        if (to == nullptr) return nullptr;
        pack(to);
        Publish(layout);
        packed = to;
      }
    }
    return layout_ == layout ? packed : nullptr;
  }

  // Bytes of the packed copy.
  std::size_t bytes() const {
    MutexLock lock(mutex_);
    return packed_.load(std::memory_order_relaxed) == nullptr ? 0 : memory_.TotalBytes();
  }

 private:
  // Null, for good, when there is no room. A mapped file gives its pages back: its copy takes nothing of the budget.
  char* Allocate(std::size_t bytes) {
    const bool counts =
        budget_ != nullptr && (value_.buffer() == nullptr || !value_.buffer()->root()->is_mapped_file());
    if (counts && !budget_->Take(bytes)) {
      source_.store(nullptr, std::memory_order_relaxed);
      return nullptr;
    }
    taken_ = counts ? bytes : 0;
    memory_ = Tensor(allocator_, DataType::kUint8, {static_cast<Index>(bytes)});
    if (memory_.raw_data() == nullptr) {
      Drop();
      source_.store(nullptr, std::memory_order_relaxed);
    }
    return static_cast<char*>(memory_.raw_data());
  }
  void Drop() {
    memory_ = Tensor();
    if (taken_ > 0) budget_->GiveBack(taken_);
    taken_ = 0;
  }
  void Publish(Layout layout) {
    layout_ = layout;
    packed_.store(static_cast<const char*>(memory_.raw_data()), std::memory_order_release);
    ReleasePages(value_.buffer(), value_.raw_data(), value_.TotalBytes());
  }

  std::atomic<const void*> source_{nullptr};  // where value_ lies
  std::atomic<const char*> packed_{nullptr};  // memory_, once it is filled
  Layout layout_{};  // layout of packed_
  mutable Mutex mutex_;
  Allocator* allocator_ = nullptr;
  PackingBudget* budget_ = nullptr;
  std::size_t taken_ = 0;  // bytes taken from the budget
  Tensor value_, memory_;
};

TENON_DETAIL_NAMESPACE_END

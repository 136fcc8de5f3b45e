// SPDX-License-Identifier: Apache-2.0
#pragma once
// PackedWeights: an operand that is the same in every run - the right matrix of a product, the filter of a convolution
// - in the order in which its engine reads it, packed by the first run that has a use for it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/release_pages.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Limit in bytes for packed copies of weights, beside the weights themselves; and, three times as much, for copies that
// are larger than their weights. thread-safe.
class PackingBudget {
 public:
  explicit PackingBudget(std::int64_t bytes) : left_(bytes), left_for_larger_(bytes < kMost / 3 ? 3 * bytes : kMost) {}
  // Takes `bytes` of the budget. Returns false, and takes nothing, when less is left.
  bool Take(std::size_t bytes, bool larger = false) {
    std::atomic<std::int64_t>& budget = larger ? left_for_larger_ : left_;
    const auto wanted = static_cast<std::int64_t>(bytes);
    std::int64_t left = budget.load(std::memory_order_relaxed);
    while (left >= wanted)
      if (budget.compare_exchange_weak(left, left - wanted, std::memory_order_relaxed)) return true;
    return false;
  }
  void GiveBack(std::size_t bytes, bool larger = false) {
    (larger ? left_for_larger_ : left_).fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  std::int64_t left(bool larger = false) const {
    return (larger ? left_for_larger_ : left_).load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> left_, left_for_larger_;
};

// Holds an operand as its engine would pack it: results have the same bits with it and without. thread-safe.
//
//   Gemm<float>(device, a, false, b, false, c, &weights);   // packs b at the first call if it was offered
class PackedWeights {
 public:
  enum class Layout : std::uint8_t { kProduct, kConvolution, kTiles, kBytes, kWinograd };  // the last is larger
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
  // was not offered, is packed in another layout, or the budget or the memory is too small: for good, unless another
  // layout is smaller.
  template <class Pack>
  const char* Find(const void* data, Layout layout, std::size_t bytes, const Pack& pack) {
    if (source_.load(std::memory_order_acquire) != data) return nullptr;
    const char* packed = packed_.load(std::memory_order_acquire);
    if (packed == nullptr) [[unlikely]] {
      MutexLock lock(mutex_);
      packed = packed_.load(std::memory_order_relaxed);
      if (packed == nullptr) {
        if (source_.load(std::memory_order_relaxed) != data) return nullptr;
        char* const to = Allocate(bytes, layout == Layout::kWinograd);
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
  // Null when there is no room. A mapped file gives its pages back: a copy of their size takes nothing of the budget.
  // `larger`: than its weights.
  char* Allocate(std::size_t bytes, bool larger) {
    const bool counts =
        budget_ != nullptr && (larger || value_.buffer() == nullptr || !value_.buffer()->root()->is_mapped_file());
    if (counts && !budget_->Take(bytes, larger)) {
      if (!larger) source_.store(nullptr, std::memory_order_relaxed);
      return nullptr;
    }
    taken_ = counts ? bytes : 0;
    larger_ = larger;
    memory_ = Tensor(allocator_, DataType::kUint8, {static_cast<Index>(bytes)});
    if (memory_.raw_data() == nullptr) {
      Drop();
      if (!larger) source_.store(nullptr, std::memory_order_relaxed);
    }
    return static_cast<char*>(memory_.raw_data());
  }
  void Drop() {
    memory_ = Tensor();
    if (taken_ > 0) budget_->GiveBack(taken_, larger_);
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
  bool larger_ = false;  // taken from its part for larger copies
  Tensor value_, memory_;
};

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// MemoryRecord: memory that one node takes while it runs, excluding its outputs. For measurements.

#include <cstddef>
#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Bytes. A temporary tensor that becomes an output is no longer counted. one thread.
class MemoryRecord final : public MemoryListener {
 public:
  void AddTemp(std::int64_t bytes, const Tensor& tensor) override {
    temps_.push_back({tensor.raw_data(), bytes});
    temp_bytes_ += bytes;
  }
  void RemoveTemp(const Tensor& tensor) override {
    for (std::size_t i = 0; i < temps_.size(); ++i) {
      if (temps_[i].data != tensor.raw_data() || tensor.raw_data() == nullptr) continue;
      temp_bytes_ -= temps_[i].bytes;
      temps_[i] = temps_.back();
      temps_.pop_back();
      return;
    }
  }
  // `alloc_id`: from the allocator; negative when it gives none.
  void AddPersistent(std::int64_t bytes, std::int64_t alloc_id) {
    persistent_bytes_ += bytes;
    if (alloc_id >= 0) persistent_ids_.push_back(alloc_id);
  }
  void Clear() {
    temps_.clear();
    persistent_ids_.clear();
    temp_bytes_ = persistent_bytes_ = 0;
  }

  std::int64_t temp_bytes() const { return temp_bytes_; }
  std::int64_t persistent_bytes() const { return persistent_bytes_; }
  Span<const std::int64_t> persistent_ids() const { return {persistent_ids_.data(), persistent_ids_.size()}; }

 private:
  struct Temp {
    const void* data;
    std::int64_t bytes;
  };
  std::int64_t temp_bytes_ = 0, persistent_bytes_ = 0;
  SlimVector<Temp> temps_;
  SlimVector<std::int64_t> persistent_ids_;
};

TENON_DETAIL_NAMESPACE_END

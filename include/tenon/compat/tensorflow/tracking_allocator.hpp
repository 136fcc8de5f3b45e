// SPDX-License-Identifier: Apache-2.0
#pragma once
// TrackingAllocator, which counts the allocations of one op, and UniqueTensorReferences.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tenon/compat/tensorflow/allocator.hpp>
#include <tenon/compat/tensorflow/dma.hpp>

namespace tensorflow {

// Bytes that were taken, or given back (negative), and when.
struct AllocRecord {
  AllocRecord(int64_t bytes, int64_t micros) : alloc_bytes(bytes), alloc_micros(micros) {}
  AllocRecord() = default;
  int64_t alloc_bytes = 0;
  int64_t alloc_micros = 0;
};

// Deletes itself once GetRecordsAndUnRef was called and all blocks are freed. thread-safe.
class TrackingAllocator : public Allocator {
 public:
  // `track_ids`: notes sizes itself where `allocator` does not.
  TrackingAllocator(Allocator* allocator, bool track_ids)
      : allocator_(allocator), tracks_here_(track_ids && !allocator->TracksAllocationSizes()) {}
  using Allocator::DeallocateRaw;
  using Allocator::Name;
  std::string Name() override { return allocator_->Name(); }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
    return AllocateRaw(alignment, num_bytes, AllocationAttributes());
  }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes, const AllocationAttributes&) override {
    void* const ptr = allocator_->AllocateRaw(alignment, num_bytes);
    if (ptr == nullptr) return nullptr;
    Chunk chunk{num_bytes, num_bytes, 0};
    if (tracks_here_)
      chunk.allocated = std::max(num_bytes, allocator_->AllocatedSizeSlow(ptr));
    else if (allocator_->TracksAllocationSizes())
      chunk.allocated = allocator_->AllocatedSize(ptr);
    const mutex_lock lock(mu_);
    ++references_;
    total_bytes_ += chunk.allocated;
    if (TracksAllocationSizes()) {
      allocated_ += chunk.allocated;
      high_watermark_ = std::max(high_watermark_, allocated_);
    }
    if (tracks_here_) {
      chunk.id = ++last_id_;
      in_use_[ptr] = chunk;
    }
    Record(static_cast<int64_t>(chunk.allocated));
    return ptr;
  }
  void DeallocateRaw(void* ptr) override {
    if (ptr == nullptr) return;
    const std::size_t bytes = TracksAllocationSizes() ? AllocatedSize(ptr) : 0;
    Allocator* const allocator = allocator_;
    bool is_last = false;
    {
      const mutex_lock lock(mu_);
      if (TracksAllocationSizes()) {
        allocated_ -= bytes;
        Record(-static_cast<int64_t>(bytes));
      }
      in_use_.erase(ptr);
      is_last = --references_ == 0;
    }
    allocator->DeallocateRaw(ptr);
    if (is_last) delete this;
  }
  bool TracksAllocationSizes() const override { return tracks_here_ || allocator_->TracksAllocationSizes(); }
  std::size_t RequestedSize(const void* ptr) const override {
    return tracks_here_ ? Find(ptr).requested : allocator_->RequestedSize(ptr);
  }
  std::size_t AllocatedSize(const void* ptr) const override {
    return tracks_here_ ? Find(ptr).allocated : allocator_->AllocatedSize(ptr);
  }
  int64_t AllocationId(const void* ptr) const override {
    return tracks_here_ ? Find(ptr).id : allocator_->AllocationId(ptr);
  }
  using Allocator::GetStats;
  std::optional<AllocatorStats> GetStats() override { return allocator_->GetStats(); }
  bool ClearStats() override { return allocator_->ClearStats(); }

  // Bytes that were taken in all, the most at one time, those in use. The last two are 0 where sizes are not known.
  std::tuple<std::size_t, std::size_t, std::size_t> GetSizes() {
    const mutex_lock lock(mu_);
    return {total_bytes_, high_watermark_, allocated_};
  }
  // Only calls of DeallocateRaw may follow.
  gtl::InlinedVector<AllocRecord, 4> GetRecordsAndUnRef() {
    gtl::InlinedVector<AllocRecord, 4> records;
    bool is_last = false;
    {
      const mutex_lock lock(mu_);
      records.swap(records_);
      is_last = --references_ == 0;
    }
    if (is_last) delete this;
    return records;
  }
  gtl::InlinedVector<AllocRecord, 4> GetCurrentRecords() {
    const mutex_lock lock(mu_);
    return records_;
  }

 protected:
  ~TrackingAllocator() override = default;

 private:
  struct Chunk {
    std::size_t requested = 0, allocated = 0;
    int64_t id = 0;
  };
  Chunk Find(const void* ptr) const {
    const mutex_lock lock(mu_);
    const auto found = in_use_.find(ptr);
    return found == in_use_.end() ? Chunk() : found->second;
  }
  void Record(int64_t bytes) { records_.push_back(AllocRecord(bytes, static_cast<int64_t>(EnvTime::NowMicros()))); }

  Allocator* const allocator_;
  const bool tracks_here_;
  mutable mutex mu_;
  int references_ = 1;  // blocks in use, and one until the records are read
  std::size_t total_bytes_ = 0, high_watermark_ = 0, allocated_ = 0;
  int64_t last_id_ = 0;
  std::map<const void*, Chunk> in_use_;
  gtl::InlinedVector<AllocRecord, 4> records_;
};

using TensorReferenceVector = gtl::InlinedVector<TensorReference, 4>;

// References to tensors, one for each buffer. one thread.
class UniqueTensorReferences {
 public:
  UniqueTensorReferences() = default;
  UniqueTensorReferences(const UniqueTensorReferences&) = delete;
  UniqueTensorReferences& operator=(const UniqueTensorReferences&) = delete;
  void Add(const Tensor& tensor) {
    if (!tensor.IsInitialized() || tensor.NumElements() == 0) return;
    for (const TensorReference& known : references_)
      if (known.SharesBufferWith(tensor)) return;
    references_.push_back(TensorReference(tensor));
  }
  // The caller takes the references over.
  void FreezeAndReturnReferences(TensorReferenceVector* out) {
    for (const TensorReference& reference : references_) out->push_back(reference);
    references_.clear();
  }

 private:
  std::vector<TensorReference> references_;
};

}  // namespace tensorflow

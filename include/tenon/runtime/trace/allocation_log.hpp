// SPDX-License-Identifier: Apache-2.0
#pragma once
// AllocationLog: an allocator that passes everything on to another one and writes down when which thread asked for
// what. Files of traces (runtime/trace/trace_file.hpp) show it beside the nodes.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/forwarding_allocator.hpp>
#include <tenon/runtime/executor/thread_ids.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// One request to an AllocationLog.
struct AllocationRecord {
  // The outcome of the request.
  enum class Kind : std::uint8_t { kAllocated, kFreed, kRefused };
  Kind kind = Kind::kAllocated;
  std::int64_t at_ns = 0;  // SteadyNanoseconds()
  std::int64_t bytes = 0;  // as requested
  std::int64_t bytes_in_use = 0;  // in all live blocks of the log, after this record
  const void* block = nullptr;  // where; null: refused
  int thread = 0;  // as NodeTiming::thread
};

// thread-safe. Must outlive its blocks, and `base` must outlive it. As a session's allocator it sees what the caches of
// the session's steps do not have: in the steady state outputs only.
//
//   tenon::AllocationLog log(tenon::CpuAllocator());
//   tenon::TraceFile file("runs.json", &log);
//   auto session = tenon::Session::FromGraphFile("model.pb", {.allocator = &log, .trace_sink = &file});
class AllocationLog final : public ForwardingAllocator {
 public:
  // Keeps at most `most_records` until Take(); later ones are left out.
  explicit AllocationLog(Allocator* base, std::size_t most_records = 1 << 16)
      : ForwardingAllocator(base), most_records_(most_records) {}

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    void* const ptr = base()->AllocateRaw(alignment, bytes, attributes);
    Keep(ptr == nullptr ? AllocationRecord::Kind::kRefused : AllocationRecord::Kind::kAllocated, bytes, ptr);
    return ptr;
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    Keep(AllocationRecord::Kind::kFreed, bytes, ptr);  // before another thread can have the block
    base()->DeallocateRaw(ptr, alignment, bytes);
  }

  // The records since the last call, in order of time.
  std::vector<AllocationRecord> Take() {
    const MutexLock lock(mutex_);
    return std::exchange(records_, {});
  }
  // Records that found no room.
  std::int64_t num_left_out() const {
    const MutexLock lock(mutex_);
    return num_left_out_;
  }

 private:
  void Keep(AllocationRecord::Kind kind, std::size_t bytes, const void* block) {
    AllocationRecord record;
    record.kind = kind;
    record.bytes = static_cast<std::int64_t>(bytes);
    record.block = block;
    record.thread = detail::TracedThreads::NumberOfThis();
    const MutexLock lock(mutex_);
    if (kind == AllocationRecord::Kind::kAllocated) bytes_in_use_ += record.bytes;
    if (kind == AllocationRecord::Kind::kFreed) bytes_in_use_ -= record.bytes;
    record.bytes_in_use = bytes_in_use_;
    record.at_ns = SteadyNanoseconds();
    if (records_.size() < most_records_)
      records_.push_back(record);
    else
      ++num_left_out_;
  }

  const std::size_t most_records_;
  mutable Mutex mutex_;  // guards the members below
  std::vector<AllocationRecord> records_;
  std::int64_t bytes_in_use_ = 0, num_left_out_ = 0;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

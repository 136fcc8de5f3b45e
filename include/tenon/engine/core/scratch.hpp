// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scratch: memory that an engine needs during one call, from the device's allocator; and how many parts work is worth.

#include <atomic>
#include <cstddef>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Uninitialised, aligned to Allocator::kAlignment, given back at the end of its scope. one thread.
//
//   Scratch scratch(device, bytes);
//   TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
//   float* rows = scratch.As<float>();
class Scratch {
 public:
  // A step has one block for all of its kernels, as large as one of them needs.
  TENON_DETAIL_NOINLINE Scratch(const Cpu& device, std::size_t bytes)
      : allocator_(device.allocator != nullptr ? device.allocator : DefaultAllocator()), bytes_(bytes) {
    if (bytes > 0) Take(allocator_->KeepsScratch(bytes));
  }
  // Memory of another device, in the order of its work.
  Scratch(Allocator& allocator, std::size_t bytes) : allocator_(&allocator), bytes_(bytes) {
    if (bytes > 0) Take(false);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  TENON_DETAIL_NOINLINE ~Scratch() {
    if (data_ != nullptr) allocator_->DeallocateRaw(data_, alignment_, bytes_);
  }

  // ResourceExhausted when there was no memory; `who` is the engine's name.
  Status status(std::string_view who) const {
    if (data_ != nullptr || bytes_ == 0) [[likely]]
      return OkStatus();
    return NoMemory(who);
  }
  // The memory from byte `offset` on.
  template <class T>
  T* As(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset);
  }

 private:
  void Take(bool scratch) {
    alignment_ = scratch ? Allocator::kScratchAlignment : Allocator::kAlignment;
    data_ = allocator_->AllocateRaw(alignment_, bytes_, {.scratch = scratch});
  }
  TENON_DETAIL_COLD Status NoMemory(std::string_view who) const {
    return errors::ResourceExhausted(who, ": OOM when allocating ", bytes_, " bytes of scratch memory by ",
                                     detail::NoMemoryFrom(*allocator_, bytes_));
  }

  Allocator* allocator_;
  std::size_t bytes_, alignment_ = Allocator::kAlignment;
  void* data_ = nullptr;
};

namespace detail {

// Bytes of `count` elements of T, rounded up so that what follows is aligned too.
template <class T>
constexpr std::size_t ScratchBytes(Index count) {
  constexpr std::size_t kMask = Allocator::kAlignment - 1;
  return (static_cast<std::size_t>(count) * sizeof(T) + kMask) & ~kMask;
}

// Into how many equal parts to split work of `total_ns`: one for each thread at most.
inline Index WorthwhileParts(const Cpu& device, double total_ns) {
  const double least_ns = LeastPartNs(device, total_ns);
  if (least_ns == 0) return 1;
  const Index threads = device.pool->NumThreads();
  return total_ns / least_ns < static_cast<double>(threads) ? static_cast<Index>(total_ns / least_ns) : threads;
}

// body(part) for part in [0, parts), each on some thread.
template <class Body>
void RunParts(Cpu& device, Index parts, const Body& body) {
  if (parts == 1) return body(Index{0});
  const auto run = [&body](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  };
  ParallelFor(device, parts, 1e6, run);
}

// Where part number `part` of `parts` begins in [0, total), in steps of `step`.
constexpr Index PartBegin(Index total, Index parts, Index step, Index part) {
  const Index steps = (total + step - 1) / step;
  const Index begin = steps * part / parts * step;
  return begin < total ? begin : total;
}

// run(device, i, memory) -> Status for every i in [0, count), `ns` nanoseconds each, on some threads. `memory` is a
// thread's own, of so many bytes. ResourceExhausted: there is none, or some run failed; `who` is the engine's name.
template <class Run>
Status RunWithScratch(Cpu& device, Index count, double ns, std::size_t bytes, std::string_view who, const Run& run) {
  const Index most = WorthwhileParts(device, ns * static_cast<double>(count)), parts = most < count ? most : count;
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status(who));
  std::atomic<bool> failed{false};
  RunParts(device, parts, [&](Index part) {
    Cpu alone;  // the device's allocator may be for one thread
    char* const memory = scratch.As<char>(static_cast<std::size_t>(part) * bytes);
    for (Index i = PartBegin(count, parts, 1, part); i < PartBegin(count, parts, 1, part + 1); ++i)
      if (!run(parts == 1 ? device : alone, i, memory).ok()) failed.store(true, std::memory_order_relaxed);
  });
  if (failed.load()) return errors::ResourceExhausted(who, ": OOM when allocating scratch memory for a product");
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

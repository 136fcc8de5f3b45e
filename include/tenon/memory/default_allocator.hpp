// SPDX-License-Identifier: Apache-2.0
#pragma once
// DefaultAllocator(): the allocator of tensors and CPU devices when none is given. It is the choice of
// <tenon/memory/allocator_registry.hpp> in a binary that includes that, else CpuAllocator().

#include <atomic>

#include <tenon/base/config.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

using ChooseAllocator = Allocator* (*)();
inline Allocator* ChooseCpuAllocator() { return CpuAllocator(); }

// The function that makes the choice: the first that was stored here. The registry stores its own when it is first
// touched, and refuses registrations where it came too late.
inline constinit std::atomic<ChooseAllocator> choose_default_allocator{nullptr};
inline constinit std::atomic<Allocator*> default_allocator{nullptr};  // the choice; null: not made yet

// True if `choose` makes the choice, now or before.
inline bool BecomeChooser(ChooseAllocator choose) {
  ChooseAllocator chooser = nullptr;
  return choose_default_allocator.compare_exchange_strong(chooser, choose, std::memory_order_acq_rel) ||
         chooser == choose;
}
TENON_DETAIL_COLD inline Allocator* ChooseDefaultAllocator() {
  BecomeChooser(&ChooseCpuAllocator);
  Allocator* chosen = choose_default_allocator.load(std::memory_order_acquire)();
  if (chosen == nullptr) chosen = CpuAllocator();  // a factory that had none to give
  default_allocator.store(chosen, std::memory_order_release);
  return chosen;
}

}  // namespace detail

// The allocator of the registered factory with the highest priority. It is chosen at the first call and never changes;
// later calls are one load. thread-safe; lives as long as the process.
inline Allocator* DefaultAllocator() {
  Allocator* const chosen = detail::default_allocator.load(std::memory_order_acquire);
  if (chosen != nullptr) [[likely]]
    return chosen;
  return detail::ChooseDefaultAllocator();
}

TENON_DETAIL_NAMESPACE_END

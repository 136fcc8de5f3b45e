// SPDX-License-Identifier: Apache-2.0
// A block of memory taken and given back: the step's cache, the process's allocator, malloc. The number is the bytes.
#include <cstdlib>
#include <memory>

#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>

#include "harness.hpp"

namespace tenon::bench {
namespace {

std::size_t Bytes(const State& state) { return static_cast<std::size_t>(state.arg()); }

void TakeAndGive(Allocator* allocator, std::size_t bytes) {
  void* block = allocator->AllocateRaw(Allocator::kAlignment, bytes);
  Keep(block);
  allocator->DeallocateRaw(block, Allocator::kAlignment, bytes);
}

void AddMalloc(State& state) {
  state.Peer("malloc", [bytes = Bytes(state)] {
    void* block = std::malloc(bytes);
    Keep(block);
    std::free(block);
  });
}

}  // namespace

// By the thread that runs the step: no lock.
TENON_BENCH(caching_allocator_owner, {64, 4096, 1 << 20}) {
  const std::unique_ptr<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(CpuAllocator()));
  AddMalloc(state);
  cache->SetOwnerThread();
  for (auto _ : state) TakeAndGive(cache.get(), Bytes(state));
  cache->ClearOwnerThread();
}
// By any other thread: behind the spin lock.
TENON_BENCH(caching_allocator_shared, {64, 4096, 1 << 20}) {
  const std::unique_ptr<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(CpuAllocator()));
  AddMalloc(state);
  for (auto _ : state) TakeAndGive(cache.get(), Bytes(state));
}
TENON_BENCH(cpu_allocator, {64, 4096, 1 << 20}) {
  AddMalloc(state);
  for (auto _ : state) TakeAndGive(CpuAllocator(), Bytes(state));
}

}  // namespace tenon::bench

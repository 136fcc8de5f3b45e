// SPDX-License-Identifier: Apache-2.0
#include "heap_counter.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

long& runtime_test::HeapCalls() {
  thread_local long calls = 0;
  return calls;
}

runtime_test::NoMemory& runtime_test::HeapLimits() {
  static constinit NoMemory limits;
  return limits;
}

bool runtime_test::MayHaveMemory() {
  NoMemory& limits = HeapLimits();
  const long number = limits.requests.fetch_add(1, std::memory_order_relaxed) + 1;
  const long refused = limits.refused.load(std::memory_order_relaxed);
  return refused == 0 || number < refused || (number > refused && !limits.all_later.load(std::memory_order_relaxed));
}

#if RUNTIME_TEST_OWN_NEW
namespace {

long BytesOf([[maybe_unused]] void* block) {
#if defined(__GLIBC__)
  return static_cast<long>(malloc_usable_size(block));
#else
  return 0;
#endif
}
void* Take(std::size_t size, std::size_t alignment) {
  ++runtime_test::HeapCalls();
  runtime_test::NoMemory& limits = runtime_test::HeapLimits();
#if defined(__cpp_exceptions)
  if (limits.watches.load(std::memory_order_relaxed) && !runtime_test::MayHaveMemory()) throw std::bad_alloc();
#endif
  void* const made = alignment <= alignof(std::max_align_t)
                         ? std::malloc(size)
                         : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (made == nullptr) std::abort();
  limits.blocks.fetch_add(1, std::memory_order_relaxed);
  limits.bytes.fetch_add(BytesOf(made), std::memory_order_relaxed);
  return made;
}
void Give(void* p) {
  if (p == nullptr) return;
  runtime_test::NoMemory& limits = runtime_test::HeapLimits();
  limits.blocks.fetch_sub(1, std::memory_order_relaxed);
  limits.bytes.fetch_sub(BytesOf(p), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return Take(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { Give(p); }
void operator delete(void* p, std::size_t) noexcept { Give(p); }
void operator delete(void* p, std::align_val_t) noexcept { Give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { Give(p); }
#endif

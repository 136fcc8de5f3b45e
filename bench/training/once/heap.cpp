// SPDX-License-Identifier: Apache-2.0
// Counts calls of operator new, in a file of its own: g++ warns of free() where it sees both.
#include <cstddef>
#include <cstdlib>
#include <new>

thread_local long heap_calls = 0;

namespace {
void* Take(void* block) {
  ++heap_calls;
  if (block == nullptr) std::abort();
  return block;
}
}  // namespace

void* operator new(std::size_t n) { return Take(std::malloc(n)); }
void* operator new(std::size_t n, std::align_val_t a) {
  const auto alignment = static_cast<std::size_t>(a);
  return Take(std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

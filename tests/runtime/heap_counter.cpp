// SPDX-License-Identifier: Apache-2.0
#include "heap_counter.hpp"

#include <cstdlib>
#include <new>

long& runtime_test::HeapCalls() {
  thread_local long calls = 0;
  return calls;
}

#if RUNTIME_TEST_OWN_NEW
void* operator new(std::size_t size) {
  ++runtime_test::HeapCalls();
  if (void* p = std::malloc(size)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

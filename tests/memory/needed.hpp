// SPDX-License-Identifier: Apache-2.0
#pragma once
// Needed(memory): for tests that cannot go on without the memory that they asked for. Ends the process when it was
// refused, as an assertion does; the failure sweep takes that for an end in order.

#include <cstdio>
#include <cstdlib>

namespace tenon::testing {

template <class T>
T* Needed(T* memory) {
  if (memory != nullptr) return memory;
  std::fputs("a test ends: memory that it needs was refused\n", stderr);
  std::abort();
}

}  // namespace tenon::testing

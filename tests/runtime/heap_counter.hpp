// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the calls of operator new, and refuses one of them; heap_counter.cpp replaces it for the whole test program,
// but not under a sanitizer, which needs its own.

#include <atomic>

#include "sanitizers.hpp"

#define RUNTIME_TEST_OWN_NEW (!TENON_TEST_ASAN && !TENON_TEST_TSAN)

namespace runtime_test {

inline constexpr bool kCountsHeapCalls = RUNTIME_TEST_OWN_NEW;

// Calls on this thread; may be set to 0. Always 0 where they are not counted.
long& HeapCalls();

// Refuses requests for memory on all threads, those of operator new and those that ask MayHaveMemory.
struct NoMemory {
  std::atomic<bool> watches{false};  // whether requests count
  std::atomic<long> requests{0};
  std::atomic<long> refused{0};  // the number of the request, from 1; 0: none
  std::atomic<bool> all_later{false};  // refuses those after it, too
  // Made and not freed, always counted and never set back: a thread may free late what an earlier measurement made.
  std::atomic<long> blocks{0};
  std::atomic<long> bytes{0};  // of these, as the heap rounds them; with the GNU C library
};
NoMemory& HeapLimits();
// Counts a request. False: it is one to refuse.
bool MayHaveMemory();

}  // namespace runtime_test

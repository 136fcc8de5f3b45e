// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the calls of operator new; heap_counter.cpp replaces it for the whole test program, but not under a sanitizer,
// which needs its own.

#include "sanitizers.hpp"

#define RUNTIME_TEST_OWN_NEW (!TENON_TEST_ASAN && !TENON_TEST_TSAN)

namespace runtime_test {

inline constexpr bool kCountsHeapCalls = RUNTIME_TEST_OWN_NEW;

// Calls on this thread; may be set to 0. Always 0 where they are not counted.
long& HeapCalls();

}  // namespace runtime_test

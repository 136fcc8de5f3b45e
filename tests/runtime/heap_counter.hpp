// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the calls of operator new; heap_counter.cpp replaces it for the whole test program, but not under a sanitizer,
// which needs its own.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RUNTIME_TEST_OWN_NEW 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RUNTIME_TEST_OWN_NEW 0
#endif
#ifndef RUNTIME_TEST_OWN_NEW
#define RUNTIME_TEST_OWN_NEW 1
#endif

namespace runtime_test {

inline constexpr bool kCountsHeapCalls = RUNTIME_TEST_OWN_NEW;

// Calls on this thread; may be set to 0. Always 0 where they are not counted.
long& HeapCalls();

}  // namespace runtime_test

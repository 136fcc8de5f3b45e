// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the calls of operator new; heap_counter.cpp replaces it for the whole test program.

namespace runtime_test {
// Calls on this thread; may be set to 0.
long& HeapCalls();
}  // namespace runtime_test

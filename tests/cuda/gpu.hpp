// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tests run: those that need a GPU are declared with `* doctest::skip(WithoutGpu())` and are counted as skipped
// where there is none; the program says so once, 'no GPU: N tests skipped'. All others run everywhere.

// True if CUDA can use a GPU of this machine.
bool HasGpu();

// !HasGpu(), and counts the test that asks.
bool WithoutGpu();

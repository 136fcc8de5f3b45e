// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether tests can run AMX here. Says so once where they cannot.

#include <tenon/engine/simd/amx.hpp>

#include <doctest/doctest.h>

namespace tenon::testing {

inline bool HasAmxToTest() {
  static bool said = false;
  if (simd::HasAmx()) return true;
  if (!said) MESSAGE("skipped: this process may not use AMX (no such processor or system, or TENON_ISA)");
  said = true;
  return false;
}

}  // namespace tenon::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What came of one golden case, and the summary that every run of tenon_golden ends with.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace golden {

struct Outcome {
  enum Kind { kPassed, kFailed, kUnsupported } kind;
  std::string why;
};

inline Outcome Failed(std::string why) { return {Outcome::kFailed, static_cast<std::string&&>(why)}; }

struct Counts {
  int passed = 0, failed = 0, unsupported = 0;

  void Add(Outcome::Kind kind) {
    ++(kind == Outcome::kPassed ? passed : kind == Outcome::kFailed ? failed : unsupported);
  }
};

// The exit code.
inline int PrintSummary(const Counts& counts) {
  std::printf("\n%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.unsupported);
  return counts.failed == 0 ? 0 : 1;
}

inline std::span<const std::byte> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
// The program that every consumer project builds and runs.
#include "zero_out.hpp"

#include <cstdio>

#include <tenon/runtime.hpp>

TENON_REGISTER(ZeroOut, tenon::ops::Placeholder);

int main() {
  const tenon::Status status = RunZeroOut();
  std::printf("ZeroOut: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

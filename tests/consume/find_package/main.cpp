// SPDX-License-Identifier: Apache-2.0
// The consumer whose op is registered by tenon_add_kernels, for float alone.
#include "../zero_out.hpp"

#include <cstdio>

int main() {
  const tenon::Status status = RunZeroOut();
  std::printf("ZeroOut: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

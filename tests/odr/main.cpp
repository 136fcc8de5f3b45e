// SPDX-License-Identifier: Apache-2.0
// Three units that each include all of Tenon and register the same op: this one, other.cpp and a shared library.
#include <tenon/eager.hpp>
#include <tenon/ops.hpp>
#include <tenon/runtime.hpp>

#include <cstdio>

#include "units.hpp"
#include "zero_out.hpp"

TENON_REGISTER(ZeroOut, tenon::ops::Placeholder);

int main() {
  const tenon::Status here = RunZeroOut();
  const tenon::Status other = RunInOtherFile();
  const tenon::Status plugin = RunInPlugin();
  std::printf("here: %s\nother file: %s\nshared library: %s\n", here.ToString().c_str(), other.ToString().c_str(),
              plugin.ToString().c_str());
  return here.ok() && other.ok() && plugin.ok() ? 0 : 1;
}

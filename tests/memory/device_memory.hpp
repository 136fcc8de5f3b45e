// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceMemory: memory that the host may not touch, for the tests of what must not touch it.

#include <string_view>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/forwarding_allocator.hpp>

namespace tenon::testing {

class DeviceMemory final : public ForwardingAllocator {
 public:
  DeviceMemory() : ForwardingAllocator(CpuAllocator()) {}
  std::string_view Name() const override { return "device"; }
  bool HostAccessible() const override { return false; }
  bool HoldsHeaders() const override { return false; }
};

}  // namespace tenon::testing

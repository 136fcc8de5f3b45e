// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_attributes.hpp>

#include <set>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>

namespace device_attributes_test {
using namespace tenon;

TEST_SUITE("DeviceAttributes") {
  TEST_CASE("say what a device is") {
    const CpuDevice cpu("/job:localhost/replica:0/task:0/device:CPU:1", CpuAllocator(), nullptr);
    const DeviceAttributes attributes = MakeDeviceAttributes(cpu);
    CHECK(attributes.name == cpu.name());
    CHECK(attributes.device_type == "CPU");
    CHECK(attributes.memory_limit == 256 << 20);
    CHECK(attributes.incarnation != 0);
    CHECK(attributes.locality.numa_node == 0);
    CHECK(attributes.DebugString().find("device_type: \"CPU\" memory_limit: 268435456") != std::string::npos);
    CHECK(attributes.DebugString().find("physical") == std::string::npos);
  }
  TEST_CASE("the limit is the allocator's") {
    LimitedAllocator memory(CpuAllocator(), 4096, "small");
    CHECK(MakeDeviceAttributes(CpuDevice("/device:CPU:0", &memory, nullptr)).memory_limit == 4096);
  }
  TEST_CASE("every start is an incarnation of its own") {
    std::set<std::uint64_t> seen;
    const CpuDevice cpu("/device:CPU:0", CpuAllocator(), nullptr);
    for (int i = 0; i < 1000; ++i) seen.insert(MakeDeviceAttributes(cpu).incarnation);
    CHECK(seen.size() == 1000);
    CHECK(seen.count(0) == 0);
  }
}
}  // namespace device_attributes_test

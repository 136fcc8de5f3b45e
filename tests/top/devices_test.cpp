// SPDX-License-Identifier: Apache-2.0
#include <tenon/devices.hpp>

#include <doctest/doctest.h>

#include <tenon/memory/cpu_allocator.hpp>

using namespace tenon;

TEST_CASE("devices.hpp has devices, managers and simulated devices") {
  auto devices = MakeDevices({"CPU:1", "SIM:0"}, {CpuAllocator(), nullptr});
  REQUIRE(devices.ok());
  const auto manager = StaticDeviceMgr::Create(*std::move(devices)).value();
  CHECK(manager->LookupDevice("SIM:0").value()->type() == "SIM");
  CHECK(DeviceSet(manager->ListDevices()).PrioritizedTypes().size() == 2);
}

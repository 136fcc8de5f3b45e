// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_set.hpp>

#include <string>

#include <doctest/doctest.h>

#include "fake_device.hpp"

namespace device_set_test {
using namespace tenon;
using device_test::Fake;

namespace {

constinit DeviceFactory fast{.type = "FAST", .create = nullptr, .priority = 210};
constinit DeviceFactory slow{.type = "SLOW", .create = nullptr, .priority = 20};
const bool linked = detail::LinkDeviceFactory(&fast) && detail::LinkDeviceFactory(&slow);

struct Devices {
  SlimVector<Owned<Device>> owned;
  DeviceSet set;
  Devices() {
    REQUIRE(linked);
    for (const int id : {0, 1}) Add("CPU", id);
    for (const int id : {2, 10, 0}) Add("FAST", id);
    Add("SLOW", 0);
    Add("FAST", 1, "/job:a/replica:0/task:0");
  }
  void Add(const char* type, int id, std::string_view task = "/job:localhost/replica:0/task:0") {
    owned.push_back(Fake(type, id, nullptr, task));
    set.AddDevice(owned.back().get());
  }
  std::string Matching(std::string_view spec) const {
    DeviceName name;
    REQUIRE(DeviceName::Parse(spec, &name));
    std::string text;
    for (const Device* device : set.FindMatchingDevices(name)) StrAppend(&text, device->short_name(), " ");
    return text;
  }
};

}  // namespace

TEST_SUITE("DeviceSet") {
  TEST_CASE("has its devices in order and the first as the client's") {
    const Devices devices;
    CHECK(devices.set.devices().size() == 7);
    CHECK(devices.set.client_device() == devices.owned[0].get());
    CHECK(devices.set.FindDeviceByName("/job:a/replica:0/task:0/device:FAST:1") == devices.owned[6].get());
    CHECK(devices.set.FindDeviceByName("FAST:1") == nullptr);
    DeviceSet set(devices.set.devices());
    set.set_client_device(devices.owned[1].get());
    CHECK(set.client_device() == devices.owned[1].get());
  }
  TEST_CASE("matches by priority of the type, then local ones, then by name as text") {
    const Devices devices;
    CHECK(devices.Matching("") == "FAST:0 FAST:10 FAST:2 FAST:1 CPU:0 CPU:1 SLOW:0 ");
    CHECK(devices.Matching("/device:CPU:*") == "CPU:0 CPU:1 ");
    CHECK(devices.Matching("/device:FAST:2") == "FAST:2 ");
    CHECK(devices.Matching("/job:a") == "FAST:1 ");
    CHECK(devices.Matching("/device:CPU:7").empty());
    CHECK(devices.Matching("/device:GPU:0").empty());
  }
  TEST_CASE("lists its types by priority") {
    std::string text;
    for (const PrioritizedDeviceType& type : Devices().set.PrioritizedTypes())
      StrAppend(&text, type.type, "=", type.priority, " ");
    CHECK(text == "FAST=210 CPU=60 SLOW=20 ");
    CHECK(DeviceSet().PrioritizedTypes().empty());
    CHECK(DeviceSet().FindMatchingDevices(DeviceName()).empty());
  }
}
}  // namespace device_set_test

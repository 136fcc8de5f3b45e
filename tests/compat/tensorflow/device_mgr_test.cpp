// SPDX-License-Identifier: Apache-2.0
// Lists of devices, and the registered ops as messages.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/device_mgr.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/registered_ops.hpp>

namespace compat_device_mgr_test {
using namespace tensorflow;

std::unique_ptr<Device> Cpu(int i) {
  auto device = std::make_unique<Device>();
  device->set_name("/job:a/replica:0/task:0/device:CPU:" + std::to_string(i));
  return device;
}
REGISTER_OP("CompatRegisteredOpsTest").Input("a: float").Output("b: float");

TEST_SUITE("device_mgr") {
  TEST_CASE("devices are found by full and by local names") {
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < 2; ++i) devices.push_back(Cpu(i));
    Device* const second = devices[1].get();
    const StaticDeviceMgr all(std::move(devices));
    CHECK(all.NumDevices() == 2);
    CHECK(all.NumDeviceType("CPU") == 2);
    CHECK(all.NumDeviceType("GPU") == 0);
    CHECK(all.HostCPU() == all.ListDevices()[0]);
    for (const char* name : {"/job:a/replica:0/task:0/device:CPU:1", "/device:CPU:1", "CPU:1", "/cpu:1"}) {
      Device* found = nullptr;
      CAPTURE(name);
      REQUIRE(all.LookupDevice(name, &found).ok());
      CHECK(found == second);
    }
    Device* found = nullptr;
    for (const char* name : {"", "CPU", "CPU:2", "/job:b/replica:0/task:0/device:CPU:1", "PU:1"}) {
      CAPTURE(name);
      CHECK(errors::IsInvalidArgument(all.LookupDevice(name, &found)));
    }
    std::vector<DeviceAttributes> attributes;
    all.ListDeviceAttributes(&attributes);
    REQUIRE(attributes.size() == 2);
    CHECK(attributes[1].name() == second->name());
    CHECK(all.ContainsDevice(static_cast<int64_t>(attributes[1].incarnation())));
    CHECK_FALSE(all.ContainsDevice(-77));
    CHECK(all.DebugString().find("CPU:1") != std::string::npos);
    CHECK(all.DeviceMappingString().empty());
    CHECK(StaticDeviceMgr(Cpu(3)).NumDevices() == 1);
    CHECK(StaticDeviceMgr(std::vector<std::unique_ptr<Device>>()).HostCPU() == nullptr);
  }
  TEST_CASE("the registry of ops gives messages") {
    const OpDef* def = nullptr;
    REQUIRE(OpRegistry::Global()->LookUpOpDef("CompatRegisteredOpsTest", &def).ok());
    CHECK(def->input_arg(0).name() == "a");
    CHECK(errors::IsNotFound(OpRegistry::Global()->LookUpOpDef("CompatNoSuchOp", &def)));
    CHECK(OpRegistry::Global()->DebugString(false).find("CompatRegisteredOpsTest") != std::string::npos);
    OpRegistry own;
    own.Register([](OpRegistrationData* data) { return data->op_def.set_name("Own"), Status(); });
    CHECK(own.LookUp("Own") != nullptr);
    CHECK(own.LookUp("CompatRegisteredOpsTest") == nullptr);
  }
}
}  // namespace compat_device_mgr_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_mgr.hpp>

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "fake_device.hpp"

namespace device_mgr_test {
using namespace tenon;
using device_test::Fake;

namespace {

SlimVector<Owned<Device>> Some(int* alive = nullptr) {
  SlimVector<Owned<Device>> devices;
  devices.push_back(Fake("CPU", 0, alive));
  devices.push_back(Fake("CPU", 1, alive));
  devices.push_back(Fake("GPU", 0, alive));
  return devices;
}
SlimVector<Owned<Device>> One(Owned<Device> device) {
  SlimVector<Owned<Device>> devices;
  devices.push_back(std::move(device));
  return devices;
}

}  // namespace

TEST_SUITE("StaticDeviceMgr") {
  TEST_CASE("finds its devices by all their names") {
    const auto manager = *StaticDeviceMgr::Create(Some());
    Device* const cpu1 = manager->ListDevices()[1];
    for (const char* name : {"/job:localhost/replica:0/task:0/device:CPU:1", "/job:localhost/replica:0/task:0/cpu:1",
                             "/device:CPU:1", "CPU:1"})
      CHECK(manager->LookupDevice(name).value() == cpu1);
    CHECK(manager->HostCPU() == manager->ListDevices()[0]);
    CHECK(manager->NumDeviceType("CPU") == 2);
    CHECK(manager->NumDeviceType("GPU") == 1);
    CHECK(manager->NumDeviceType("TPU") == 0);
  }

  TEST_CASE("says which devices there are") {
    const auto manager = *StaticDeviceMgr::Create(Some());
    const Status status = manager->LookupDevice("GPU:1").status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() ==
          "GPU:1 unknown device. All devices: /job:localhost/replica:0/task:0/device:CPU:0, "
          "/job:localhost/replica:0/task:0/device:CPU:1, /job:localhost/replica:0/task:0/device:GPU:0");
    CHECK(manager->LookupDevice("cpu:0").status().code() == Code::kInvalidArgument);
    CHECK(manager->DebugString().find("device:GPU:0\n") != std::string::npos);
  }

  TEST_CASE("gives every device its attributes once") {
    const auto manager = *StaticDeviceMgr::Create(Some());
    const auto attributes = manager->ListDeviceAttributes();
    REQUIRE(attributes.size() == 3);
    CHECK(attributes[2].device_type == "GPU");
    CHECK(attributes[0].incarnation != attributes[1].incarnation);
    CHECK(manager->ContainsDevice(attributes[2].incarnation));
    CHECK(manager->IncarnationOf(manager->ListDevices()[2]) == attributes[2].incarnation);
    CHECK_FALSE(manager->ContainsDevice(1));
    CHECK(manager->IncarnationOf(nullptr) == 0);
    CHECK(manager->ListDeviceAttributes()[0].incarnation == attributes[0].incarnation);
  }

  TEST_CASE("takes no two devices of one name and none without a task") {
    SlimVector<Owned<Device>> twice = Some();
    twice.push_back(Fake("CPU", 1));
    CHECK(StaticDeviceMgr::Create(std::move(twice)).status().message() ==
          "Trying to add device /job:localhost/replica:0/task:0/device:CPU:1 to manager but its name conflicts with an "
          "existing device.");
    CHECK(StaticDeviceMgr::Create(One(Fake("CPU", 0, nullptr, ""))).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("of two tasks' devices with one local name the first counts") {
    SlimVector<Owned<Device>> devices = Some();
    devices.push_back(Fake("GPU", 0, nullptr, "/job:other/replica:0/task:7"));
    const auto manager = *StaticDeviceMgr::Create(std::move(devices));
    CHECK(manager->LookupDevice("GPU:0").value() == manager->ListDevices()[2]);
    CHECK(manager->LookupDevice("/job:other/replica:0/task:7/gpu:0").value() == manager->ListDevices()[3]);
  }

  TEST_CASE("clears containers of every device") {
    const auto manager = *StaticDeviceMgr::Create(Some());
    CHECK(manager->ClearContainers({}).ok());
    std::string calls;
    manager->set_clear_containers([&calls](Device* device, std::span<const std::string> names) {
      StrAppend(&calls, device->short_name(), "(", StrJoin(names, ","), ") ");
      return device->type() == "GPU" ? errors::Internal("no") : OkStatus();
    });
    CHECK(manager->ClearContainers({}).code() == Code::kInternal);
    CHECK(calls == "CPU:0(localhost) CPU:1(localhost) GPU:0(localhost) ");
    calls.clear();
    const std::string names[] = {"a", "b"};
    CHECK(manager->ClearContainers(names).code() == Code::kInternal);
    CHECK(calls == "CPU:0(a,b) CPU:1(a,b) GPU:0(a,b) ");
  }
}

TEST_SUITE("DynamicDeviceMgr") {
  TEST_CASE("devices come and go") {
    int alive = 0;
    {
      DynamicDeviceMgr manager;
      CHECK(manager.LookupDevice("CPU:0").status().message() == "CPU:0 unknown device. All devices: none");
      CHECK(manager.HostCPU() == nullptr);
      REQUIRE(manager.AddDevices(Some(&alive)).ok());
      CHECK(manager.AddDevices(One(Fake("GPU", 0, &alive))).code() == Code::kInvalidArgument);
      REQUIRE(manager.AddDevices(One(Fake("GPU", 1, &alive))).ok());
      CHECK(manager.ListDevices().size() == 4);
      CHECK(alive == 4);
      const std::string names[] = {"GPU:0", "/device:CPU:1"};
      REQUIRE(manager.RemoveDevicesByName(names).ok());
      CHECK(manager.ListDevices().size() == 2);
      CHECK(manager.LookupDevice("GPU:0").status().code() == Code::kInvalidArgument);
      CHECK(manager.LookupDevice("GPU:1").ok());
      CHECK(alive == 4);  // somebody may still be using them
      const std::uint64_t before = manager.ListDeviceAttributes()[1].incarnation;
      REQUIRE(manager.AddDevices(One(Fake("GPU", 0, &alive))).ok());
      CHECK(manager.IncarnationOf(*manager.LookupDevice("GPU:0")) != before);
    }
    CHECK(alive == 0);
  }

  TEST_CASE("nothing is removed when one device cannot be") {
    DynamicDeviceMgr manager;
    REQUIRE(manager.AddDevices(Some()).ok());
    Device* const host = manager.HostCPU();
    Device* const gpu = *manager.LookupDevice("GPU:0");
    const Owned<Device> stranger = Fake("GPU", 5);
    Device* const with_host[] = {gpu, host};
    CHECK(manager.RemoveDevices(with_host).message() ==
          "Can not remove HostCPU device /job:localhost/replica:0/task:0/device:CPU:0.");
    Device* const with_stranger[] = {gpu, stranger.get()};
    CHECK(manager.RemoveDevices(with_stranger).code() == Code::kInvalidArgument);
    CHECK(manager.ListDevices().size() == 3);
    Device* const twice[] = {gpu, gpu};
    CHECK(manager.RemoveDevices(twice).ok());
    CHECK(manager.ListDevices().size() == 2);
  }

  TEST_CASE("keeps a bounded number of removed devices") {
    int alive = 0;
    DynamicDeviceMgr manager;
    REQUIRE(manager.AddDevices(One(Fake("CPU", 0))).ok());
    for (int i = 0; i < 200; ++i) {
      REQUIRE(manager.AddDevices(One(Fake("GPU", i, &alive))).ok());
      Device* const device[] = {*manager.LookupDevice(StrCat("GPU:", i))};
      REQUIRE(manager.RemoveDevices(device).ok());
    }
    CHECK(alive == static_cast<int>(DynamicDeviceMgr::kKeptDevices));
  }

  TEST_CASE("what is kept, or shared by another manager, outlives its removal and the manager") {
    int alive = 0;
    Ref<RefCounted> kept;
    Owned<StaticDeviceMgr> shared;
    Device* gpu = nullptr;
    {
      DynamicDeviceMgr manager;
      REQUIRE(manager.AddDevices(Some(&alive)).ok());
      gpu = *manager.LookupDevice("GPU:0");
      kept = manager.Keep(gpu);
      CHECK(kept);
      shared = manager.Share();
      CHECK(shared->IncarnationOf(gpu) == manager.IncarnationOf(gpu));
      CHECK(shared->DebugString() == manager.DebugString());
      const std::string name[] = {"GPU:0"};
      REQUIRE(manager.RemoveDevicesByName(name).ok());
      CHECK_FALSE(manager.Keep(gpu));
      REQUIRE(manager.AddDevices(One(Fake("GPU", 7, &alive))).ok());
    }
    CHECK(alive == 3);
    CHECK(*shared->LookupDevice("GPU:0") == gpu);
    CHECK(shared->ListDevices().size() == 3);
    shared = nullptr;
    CHECK(alive == 1);
    CHECK(gpu->short_name() == "GPU:0");
    kept = {};
    CHECK(alive == 0);
  }

  TEST_CASE("shares its devices together with the new ones of another manager") {
    const auto manager = *StaticDeviceMgr::Create(Some());
    DynamicDeviceMgr other;
    REQUIRE(other.AddDevices(Some()).ok());
    CHECK(manager->ShareWith(other) == nullptr);
    REQUIRE(other.AddDevices(One(Fake("GPU", 1))).ok());
    const auto both = manager->ShareWith(other);
    REQUIRE(both != nullptr);
    CHECK(both->ListDevices().size() == 4);
    CHECK(both->LookupDevice("CPU:0").value() == manager->ListDevices()[0]);
    CHECK(both->LookupDevice("GPU:1").value() == other.ListDevices()[3]);
  }

  TEST_CASE("may be used by several threads") {
    DynamicDeviceMgr manager;
    REQUIRE(manager.AddDevices(One(Fake("CPU", 0))).ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&manager, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string name[] = {StrCat("GPU:", 100 * t + i)};
          (void)manager.AddDevices(One(Fake("GPU", 100 * t + i)));
          (void)manager.LookupDevice(name[0]).value()->short_name();
          (void)manager.ListDevices();
          (void)manager.RemoveDevicesByName(name);
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(manager.ListDevices().size() == 1);
  }
}
}  // namespace device_mgr_test

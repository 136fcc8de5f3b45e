// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_factory.hpp>

#include <string>

#include <doctest/doctest.h>

#include <tenon/device/thread_pool.hpp>
#include "fake_device.hpp"

namespace device_factory_test {
using namespace tenon;
using device_test::FakeDevice;

namespace {

template <char kType>
Result<Owned<Device>> Make(const std::string& name, int ordinal) {
  if (ordinal > 3) return errors::NotFound("there is no ", name);
  return Owned<Device>(new FakeDevice(std::string("FACTORY_") + kType, name));
}
constinit DeviceFactory low{.type = "FACTORY_A", .create = &Make<'A'>, .priority = 10};
constinit DeviceFactory high{.type = "FACTORY_A", .create = &Make<'A'>, .priority = 220};
constinit DeviceFactory plain{.type = "FACTORY_B", .create = &Make<'B'>};
constinit DeviceFactory twin{.type = "FACTORY_C", .create = &Make<'C'>};
constinit DeviceFactory other_twin{.type = "FACTORY_C", .create = &Make<'C'>};
const bool linked = detail::LinkDeviceFactory(&high) && detail::LinkDeviceFactory(&low) &&
                    detail::LinkDeviceFactory(&plain) && detail::LinkDeviceFactory(&twin) &&
                    detail::LinkDeviceFactory(&other_twin);

SlimVector<std::string> Names(const SlimVector<Owned<Device>>& devices) {
  SlimVector<std::string> names;
  for (const Owned<Device>& device : devices) names.push_back(device->short_name());
  return names;
}

}  // namespace

TEST_SUITE("device factories") {
  TEST_CASE("the highest priority of a type counts") {
    REQUIRE(linked);
    CHECK(*FindDeviceFactory("FACTORY_A") == &high);
    CHECK(DeviceTypePriority("FACTORY_A") == 220);
    CHECK(DeviceTypePriority("FACTORY_B") == 50);
    CHECK(DeviceTypePriority("CPU") == 60);
    CHECK(DeviceTypePriority("NOTHING") == -1);
    CHECK(FindDeviceFactory("FACTORY_C").status().code() == Code::kAlreadyExists);
    const Status missing = FindDeviceFactory("NOTHING").status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message().find("'CPU'") != std::string::npos);
    CHECK(missing.message().find("'FACTORY_B'") != std::string::npos);
  }

  TEST_CASE("types are listed by priority, equal ones by name, each once") {
    std::string order;
    for (const PrioritizedDeviceType& type : DeviceTypes())
      if (type.type == "CPU" || StartsWith(type.type, "FACTORY_")) StrAppend(&order, type.type, " ");
    CHECK(order == "FACTORY_A CPU FACTORY_B FACTORY_C ");
  }

  TEST_CASE("devices by name: CPUs first, CPU:0 always") {
    ThreadPool pool(1, "test");
    const CpuDeviceParts cpu{CpuAllocator(), &pool};
    const auto devices = MakeDevices({"FACTORY_B:1", "CPU:2", "/device:FACTORY_A:0", "/cpu:1"}, cpu);
    REQUIRE(devices.ok());
    CHECK(Names(*devices) == SlimVector<std::string>{"CPU:0", "CPU:2", "CPU:1", "FACTORY_B:1", "FACTORY_A:0"});
    CHECK((*devices)[1]->name() == "/job:localhost/replica:0/task:0/device:CPU:2");
    CHECK(static_cast<Cpu*>((*devices)[1]->kernel_device())->pool == &pool);
    CHECK(Names(*MakeDevices({}, cpu)) == SlimVector<std::string>{"CPU:0"});
    CHECK(Names(*MakeDevices({"CPU:0", "CPU:1"}, cpu)) == SlimVector<std::string>{"CPU:0", "CPU:1"});
    CHECK(Names(*MakeDevices({"/job:w/replica:0/task:3/cpu:1"}, cpu, "/job:w/replica:0/task:3")) ==
          SlimVector<std::string>{"CPU:0", "CPU:1"});
  }

  TEST_CASE("names that are none, or twice, or of another task, or refused by their factory") {
    const CpuDeviceParts cpu{CpuAllocator(), nullptr};
    const auto code = [&](const char* name) { return MakeDevices({"CPU:1", name}, cpu).status().code(); };
    CHECK(code("what is this") == Code::kInvalidArgument);
    CHECK(code("/device:CPU:1") == Code::kInvalidArgument);
    CHECK(code("/task:1/cpu:0") == Code::kInvalidArgument);
    CHECK(code("NOTHING:0") == Code::kNotFound);
    CHECK(code("FACTORY_B:9") == Code::kNotFound);
    CHECK(code("FACTORY_C:0") == Code::kAlreadyExists);
    CHECK(code("FACTORY_B:3") == Code::kOk);
  }
}
}  // namespace device_factory_test

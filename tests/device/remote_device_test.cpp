// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/remote_device.hpp>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/device/device_set.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace remote_device_test {
using namespace tenon;

TEST_CASE("a device that is only a name") {
  DeviceAttributes attributes;
  attributes.name = "/job:worker/replica:0/task:1/device:CPU:0";
  attributes.device_type = "CPU";
  attributes.incarnation = 7;
  RemoteDevice remote(attributes);
  CHECK(remote.name() == attributes.name);
  CHECK(remote.short_name() == "CPU:0");
  CHECK(remote.type() == "CPU");
  CHECK(remote.attributes().incarnation == 7);
  CHECK_FALSE(remote.uses_host_memory());
  Tensor to;
  CHECK(remote.CopyToDevice(Tensor::Scalar(1.0f), &to).code() == Code::kUnimplemented);
  CHECK(remote.CopyToHost(Tensor::Scalar(1.0f), CpuAllocator(), &to).code() == Code::kUnimplemented);
  CHECK(remote.Synchronize().ok());
}

TEST_CASE("a set of devices finds remote ones, after those of the client's task") {
  CpuDevice local("/job:worker/replica:0/task:5/device:CPU:0", CpuAllocator(), nullptr);
  DeviceAttributes attributes;
  attributes.name = "/job:worker/replica:0/task:1/device:CPU:0";
  attributes.device_type = "CPU";
  RemoteDevice remote(attributes);
  DeviceSet set;
  set.AddDevice(&local);
  set.AddDevice(&remote);
  CHECK(set.FindDeviceByName(attributes.name) == &remote);
  DeviceName cpus;
  REQUIRE(DeviceName::Parse("/device:CPU:*", &cpus));
  const SlimVector<Device*> found = set.FindMatchingDevices(cpus);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == &local);
  CHECK(found[1] == &remote);
}
}  // namespace remote_device_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/device_resources.hpp>

#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>

namespace device_resources_test {
using namespace tenon;

TEST_SUITE("DeviceResources") {
  TEST_CASE("every device has its own, always the same") {
    const CpuDevice one("/job:localhost/replica:0/task:0/device:CPU:0", nullptr, nullptr),
        other("/job:localhost/replica:0/task:0/device:CPU:1", nullptr, nullptr);
    DeviceResources resources;
    ResourceMgr* const of_one = resources.Of(&one);
    CHECK(of_one != nullptr);
    CHECK(resources.Of(&other) != of_one);
    std::vector<ResourceMgr*> found(4);
    std::vector<std::thread> threads;
    for (ResourceMgr*& place : found) threads.emplace_back([&] { place = resources.Of(&one); });
    for (std::thread& thread : threads) thread.join();
    for (const ResourceMgr* place : found) CHECK(place == of_one);
  }
}
}  // namespace device_resources_test

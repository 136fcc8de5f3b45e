// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/device_resources.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>

namespace device_resources_test {
using namespace tenon;

namespace {
struct Noted final : Resource {
  static constexpr std::string_view kTypeName = "Noted";
  explicit Noted(std::string* text) : log(text) {}
  ~Noted() override { *log += "resource "; }
  std::string DebugString() const override { return "noted"; }
  std::string* log;
};
}  // namespace

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

  TEST_CASE("keeps what it is asked to, and lets it go after the device's resources") {
    struct Keeper final : RefCounted {
      explicit Keeper(std::string* text) : log(text) {}
      ~Keeper() override { *log += "device "; }
      std::string* log;
    };
    std::string log;
    const CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:1", nullptr, nullptr);
    {
      DeviceResources resources;
      ResourceMgr* const of = resources.Of(&device);
      CHECK(resources.Of(&device, Ref<Keeper>::Adopt(new Keeper(&log))) == of);
      CHECK(resources.Of(&device, Ref<Keeper>::Adopt(new Keeper(&log))) == of);
      CHECK(log == "device ");
      REQUIRE(of->Create("localhost", "v", Ref<Noted>::Adopt(new Noted(&log))).ok());
    }
    CHECK(log == "device resource device ");
  }
}
}  // namespace device_resources_test

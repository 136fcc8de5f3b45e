// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/local_device.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/kernel/simulated_kernels.hpp>

namespace local_device_test {
using namespace tenon;

TEST_SUITE("Local devices") {
  TEST_CASE("short names") {
    for (const char* name : {"GPU", "GPU:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"})
      CHECK(detail::ShortDeviceName(name) == "GPU:0");
    CHECK(detail::ShortDeviceName("SIM:3") == "SIM:3");
  }
  TEST_CASE("the CPU is not made; others are, by their factory") {
    const Result<Owned<Device>> cpu = detail::MakeLocalDevice("CPU");
    REQUIRE(cpu.ok());
    CHECK(*cpu == nullptr);
    const Result<Owned<Device>> simulated = detail::MakeLocalDevice("/device:SIM:1");
    REQUIRE_MESSAGE(simulated.ok(), simulated.status().ToString());
    CHECK((*simulated)->name() == "/job:localhost/replica:0/task:0/device:SIM:1");
  }
  TEST_CASE("what is not a device") {
    const Status number = detail::MakeLocalDevice("SIM:x").status();
    CHECK(number.code() == Code::kInvalidArgument);
    CHECK(number.message() == "SessionOptions: cannot parse device 'SIM:x'; write for example \"GPU:0\" or \"CPU:0\"");
    const Status type = detail::MakeLocalDevice("TPU:0").status();
    CHECK(type.code() == Code::kInvalidArgument);
    CHECK(type.message().find("no device 'TPU:0'; available: 'CPU:0'") != std::string_view::npos);
  }
}
}  // namespace local_device_test

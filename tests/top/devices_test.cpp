// SPDX-License-Identifier: Apache-2.0
#include <tenon/devices.hpp>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/memory/cpu_allocator.hpp>

using namespace tenon;

TEST_CASE("devices.hpp has devices, managers and simulated devices") {
  auto devices = MakeDevices({"CPU:1", "SIM:0"}, {CpuAllocator(), nullptr});
  REQUIRE(devices.ok());
  const auto manager = StaticDeviceMgr::Create(*std::move(devices)).value();
  CHECK(manager->LookupDevice("SIM:0").value()->type() == "SIM");
  CHECK(DeviceSet(manager->ListDevices()).PrioritizedTypes().size() == 2);
}

TEST_CASE("devices.hpp lets a session have several, and registers what is between them") {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), y = b.Add("Neg", "y", {x});
  b.SetDevice(x, "/device:CPU:0");
  b.SetDevice(y, "/device:SIM:0");
  const auto session = Session::FromGraph(b, {.devices = {"CPU:0", "SIM:0"}});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const auto out = session->Run({{"x", Tensor::Scalar(2.0f)}}, {"y"});
  REQUIRE_MESSAGE(out.ok(), out.status().ToString());
  CHECK((*out)[0].scalar<float>()() == -2);
  CHECK(FindPlacementReport(*session)->rows.size() == 2);
  CHECK(Registry::Global().status().ok());  // although the test registers them too
}

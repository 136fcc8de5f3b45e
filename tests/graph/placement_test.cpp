// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/placement.hpp>

#include "graph/placing.hpp"

namespace placement_test {
using namespace tenon;

TEST_SUITE("PlacementDevices") {
  TEST_CASE("types by priority, then name; the first device says what is local") {
    PlacementDevices devices;
    REQUIRE(devices.Add("/job:a/replica:0/task:0/device:CPU:0", 60).ok());
    REQUIRE(devices.Add("/job:a/replica:0/task:1/device:GPU:0", 210).ok());
    REQUIRE(devices.Add("/job:a/replica:0/task:0/device:ABC:0", 60).ok());
    REQUIRE(devices.types().size() == 3);
    CHECK(devices.types()[0].name == "GPU");
    CHECK(devices.types()[1].name == "ABC");
    CHECK(devices.devices()[0].type == 2);
    CHECK(devices.TypeNumber("CPU") == 2);
    CHECK(devices.TypeNumber("TPU") == -1);
    CHECK(devices.IsLocal(devices.devices()[2]));
    CHECK_FALSE(devices.IsLocal(devices.devices()[1]));
    CHECK(devices.Find("/job:a/replica:0/task:0/device:CPU:0") == &devices.devices()[0]);
    CHECK(devices.Find("/job:a") == nullptr);
  }

  TEST_CASE("names are complete and given once") {
    PlacementDevices devices = placing::Devices({"CPU:0"});
    CHECK(errors::IsInvalidArgument(devices.Add("/device:CPU:0", 60)));
    CHECK(errors::IsInvalidArgument(devices.Add("cpu", 60)));
    CHECK(errors::IsAlreadyExists(devices.Add(placing::Full("CPU:0"), 60)));
  }
}

TEST_CASE("PlacementReport: a line for each node") {
  PlacementReport report;
  report.rows.push_back({"y", "MatMul", "", "/device:GPU:0", PlacementReason::kInput, 0, 2});
  report.notes.push_back("n");
  CHECK(report.ToString() == "y: (MatMul): /device:GPU:0  # with its input\nnote: n\n");
}
}  // namespace placement_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/requested_device.hpp>

#include <doctest/doctest.h>

namespace requested_device_test {
using namespace tenon;

TEST_SUITE("ParseRequestedDevice") {
  TEST_CASE("reads a device name or a part of one") {
    NodeDef node;
    DeviceName name;
    name.SetId(3);
    CHECK(ParseRequestedDevice(node, &name).ok());
    CHECK_FALSE(name.has_id);
    for (const char* device : {"/job:a/replica:0/task:1/device:GPU:2", "/device:CPU:*", "/gpu:0", "/job:worker"}) {
      node.device = device;
      CHECK(ParseRequestedDevice(node, &name).ok());
      CHECK(CheckRequestedDevice(node).ok());
    }
    CHECK(name.job == "worker");
  }

  TEST_CASE("says which node asks for something else") {
    NodeDef node;
    node.name = "y";
    node.op = "Neg";
    for (const char* device : {"/job:foo/bar:::", "CPU:0", "nonsense"}) {
      node.device = device;
      const Status status = CheckRequestedDevice(node);
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().find(StrCat("Malformed device specification '", device, "' in node: {{node y}}")) == 0);
    }
  }
}
}  // namespace requested_device_test

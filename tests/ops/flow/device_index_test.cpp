// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/device_index.hpp>

#include <string>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace flow_device_index_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ops of a place") {
  TEST_CASE("DeviceIndex") {
    const auto index = [](SlimVector<std::string> names) {
      return OutputsOf<ops::DeviceIndex>({{"device_names", names}}, {});
    };
    CHECK(index({"CPU", "GPU"}) == "0");
    CHECK(index({"GPU", "CPU"}) == "1");
    CHECK(index({"TPU"}) == "1");
    CHECK(index({}) == "0");
  }
  TEST_CASE("HostConst") {
    CHECK(OutputsOf<ops::HostConst>({{"value", Ints({1, 2})}, {"dtype", DataType::kInt32}}, {}) == "1 2");
    CHECK(ErrorOf<ops::HostConst>({{"value", Ints({1, 2})}, {"dtype", DataType::kFloat}}, {})
              .find("INVALID_ARGUMENT: Type mismatch") == 0);
  }
}
}  // namespace flow_device_index_test

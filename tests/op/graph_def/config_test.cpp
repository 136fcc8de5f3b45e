// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/config.hpp>

#include <doctest/doctest.h>

namespace config_test {
using namespace tenon;

TEST_CASE("settings compare by value, and unknown fields count") {
  ConfigProto config, other;
  CHECK(config == other);
  config.gpu_options.emplace();
  CHECK(config != other);
  other.gpu_options.emplace();
  CHECK(config == other);
  other.unknown_fields = "x";
  CHECK(config != other);
  ServerDef server;
  server.cluster.emplace().job.emplace_back().tasks.emplace_back(1, "host:1");
  CHECK(server != ServerDef());
  CHECK(RunOptionsProto() == RunOptionsProto());
}
}  // namespace config_test

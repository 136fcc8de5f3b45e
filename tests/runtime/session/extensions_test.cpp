// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include <string>

#include "runtime/graphs.hpp"

namespace session_parts_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("SessionOptions") {
  TEST_CASE("options that make no sense") {
    CHECK(Session::FromGraph(SmallGraph(), {.inter_op_threads = -1}).status().code() == Code::kInvalidArgument);
    const Status device = Session::FromGraph(SmallGraph(), {.devices = {"TPU:0"}}).status();
    CHECK(device.code() == Code::kInvalidArgument);
    CHECK(Contains(device.message(), "no device 'TPU:0'; available: 'CPU:0'"));
  }
}
}  // namespace session_parts_test

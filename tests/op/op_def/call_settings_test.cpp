// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/call_settings.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace call_settings_test {
using namespace tenon;

namespace {

Code Checked(std::string_view attr, std::string_view value) {
  NodeDef call;
  call.op = "PartitionedCall";
  call.attr.Insert(std::string(attr), AttrValue(std::string(value)));
  return CheckCallSettings(call).code();
}

}  // namespace

TEST_SUITE("op/call_settings") {
  TEST_CASE("a call without settings, or with empty ones, is fine") {
    CHECK(CheckCallSettings(NodeDef()).ok());
    for (const char* attr : {"config", "config_proto", "executor_type"}) CHECK(Checked(attr, "") == Code::kOk);
  }
  TEST_CASE("configs are messages") {
    for (const char* attr : {"config", "config_proto"}) {
      CHECK(Checked(attr, "8\x01") == Code::kOk);
      CHECK(Checked(attr, "8\x01\x82\x01\x02\x28\x01") == Code::kOk);
      CHECK(Checked(attr, "abc") == Code::kInvalidArgument);
      CHECK(Checked(attr, "\x08") == Code::kInvalidArgument);
      CHECK(Checked(attr, "\x12\x7f") == Code::kInvalidArgument);
    }
  }
  TEST_CASE("executors are those of TensorFlow") {
    CHECK(Checked("executor_type", "DEFAULT") == Code::kOk);
    CHECK(Checked("executor_type", "SINGLE_THREADED_EXECUTOR") == Code::kOk);
    CHECK(Checked("executor_type", "default") == Code::kNotFound);
  }
}
}  // namespace call_settings_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_deprecation.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/base/log.hpp>

namespace op_deprecation_test {
using namespace tenon;

namespace {

constexpr auto kOldSignature = Op("DeprecationTestOld").Deprecated(20, "Use New");
constexpr auto kNewSignature = Op("DeprecationTestNew");
constexpr OpView kOld = kOldSignature.view(), kNew = kNewSignature.view();

struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};

}  // namespace

TEST_SUITE("CheckOpDeprecation") {
  TEST_CASE("refuses a deprecated op from its version on") {
    const Status status = CheckOpDeprecation(kOld, 20);
    CHECK(status.code() == Code::kUnimplemented);
    CHECK(status.message() ==
          "Op DeprecationTestOld is not available in GraphDef version 20. It has been removed in version 20. Use New.");
    CHECK(CheckOpDeprecation(kOld, 21).code() == Code::kUnimplemented);
  }
  TEST_CASE("warns once of an op that will go") {
    Lines lines;
    CHECK(CheckOpDeprecation(kOld, 19).ok());
    CHECK(lines.text == "Op DeprecationTestOld is deprecated. It will cease to work in GraphDef version 20. Use New.");
    lines.text.clear();
    CHECK(CheckOpDeprecation(kOld, 19).ok());
    CHECK(lines.text.empty());
  }
  TEST_CASE("says nothing of others") {
    Lines lines;
    CHECK(CheckOpDeprecation(kNew, 9999).ok());
    CHECK(lines.text.empty());
  }
}
}  // namespace op_deprecation_test

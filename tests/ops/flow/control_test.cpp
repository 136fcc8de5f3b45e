// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/control.hpp>

#include <string>

#include <doctest/doctest.h>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace flow_control_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("ControlTrigger") {
  TEST_CASE("is something to run to, with and without control flow around it") {
    FlowGraph g;
    g.Feed("x").Node("t", "ControlTrigger", {"^x"}, {}, false).Node("y", "Neg", {"x", "^t"}).Merge("m", {"y"});
    for (const char* fetch : {"y", "m"}) {
      const auto out = g.Run({{"x", Tensor::Scalar(2.0f)}}, {fetch}, {"t"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<float>()() == -2);
    }
  }
}

TEST_SUITE("Abort") {
  TEST_CASE("ends the run, not the process") {
    FlowGraph g;
    g.Feed("x").Node("a", "Abort", {}, {{"error_msg", AttrValue(std::string("enough"))}}, false);
    g.Node("quiet", "Abort", {}, {{"exit_without_error", AttrValue(true)}}, false).Node("y", "Neg", {"x", "^a"});
    const Status status = g.Run({{"x", Tensor::Scalar(2.0f)}}, {"y"}).status();
    CHECK(status.code() == Code::kAborted);
    CHECK(Contains(status.message(), "Abort: enough"));
    CHECK(g.Run({}, {}, {"quiet"}).status().code() == Code::kAborted);
  }
}

TEST_SUITE("_Arg and _Retval") {
  TEST_CASE("have nothing to give or take in a session") {
    FlowGraph g;
    g.Feed("x").Node("arg", "_Arg", {}, {{"index", AttrValue(std::int64_t{0})}});
    g.Node("ret", "_Retval", {"x"}, {{"index", AttrValue(std::int64_t{1})}});
    const Status arg = g.Run({}, {"arg"}).status();
    CHECK(arg.code() == Code::kInvalidArgument);
    CHECK(Contains(arg.message(), "GetArg 0 is not within [0, 0)"));
    const Status ret = g.Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"ret"}).status();
    CHECK(ret.code() == Code::kInvalidArgument);
    CHECK(Contains(ret.message(), "SetRetval 1 is not within [0, 0)"));
  }
}
}  // namespace flow_control_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/context.hpp>

#include <doctest/doctest.h>

#include "run_op.hpp"

namespace context_test {
using namespace tenon;

TEST_SUITE("OpKernelContext") {
  TEST_CASE("the first status counts") {
    OpKernelContext context;
    context.SetStatus(OkStatus());
    context.SetStatus(Status(Code::kAborted, "first"));
    context.SetStatus(Status(Code::kInternal, "second"));
    CHECK(context.status().message() == "first");
    CHECK(context.TakeStatus().code() == Code::kAborted);
    CHECK(context.status().ok());
  }
}
}  // namespace context_test

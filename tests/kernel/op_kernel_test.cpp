// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/op_kernel.hpp>

#include <doctest/doctest.h>

#include "run_op.hpp"

namespace op_kernel_test {
using namespace tenon;

TEST_SUITE("OpKernel") {
  TEST_CASE("the raw form runs beside structs") {
    const auto out = kernel_test::RunOp("KtCount", {}, {MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<std::int64_t>()[0] == 6);
  }
  TEST_CASE("an output that a kernel leaves unset is an error of the node") {
    const auto out = kernel_test::RunOp("KtCount", {{"bad", true}}, {MakeTensor<float>({1}, {1})});
    CHECK(out.status().code() == Code::kInternal);
    CHECK(out.status().message().find("Missing 0-th output from {{node call}}") == 0);
  }
}
}  // namespace op_kernel_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/construction.hpp>

#include <doctest/doctest.h>

#include "run_op.hpp"

namespace construction_test {
using namespace tenon;

TEST_SUITE("OpKernelConstruction") {
  TEST_CASE("reads attrs and keeps the first error") {
    NodeDef node;
    node.op = "KtCount";
    node.attr.Set("bad", AttrValue(true));
    const OpView op{};
    OpKernelConstruction construction(&node, &op, "CPU", {}, {}, nullptr);
    bool bad = false;
    REQUIRE(construction.GetAttr("bad", &bad).ok());
    CHECK(bad);
    CHECK(construction.HasAttr("bad"));
    CHECK(!construction.HasAttr("good"));
    construction.SetStatus(Status(Code::kAborted, "first"));
    construction.SetStatus(Status(Code::kInternal, "second"));
    CHECK(construction.status().message() == "first");
  }
}
}  // namespace construction_test

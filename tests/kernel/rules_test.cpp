// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/rules.hpp>

#include <doctest/doctest.h>

namespace rules_test {
using namespace tenon;

// The laws themselves are tested by tests/compile_fail; here: that they accept what is right.
TEST_SUITE("Rules") {
  TEST_CASE("a law that holds compiles") {
    CHECK(sizeof(rule::SignatureIsComplete<int, true>) == 1);
    CHECK(sizeof(rule::AttrsMembersAreAttrs<int, FixedString<1>("n"), true>) == 1);
  }
}
}  // namespace rules_test

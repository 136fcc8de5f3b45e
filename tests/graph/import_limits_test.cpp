// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/import_limits.hpp>

#include <doctest/doctest.h>

namespace import_limits_test {
using namespace tenon;

TEST_SUITE("ImportLimits") {
  TEST_CASE("are generous by default") {
    const ImportLimits limits;
    CHECK(limits.max_nodes >= 10'000'000);
    CHECK(limits.max_functions >= 1'000'000);
    CHECK(limits.max_nesting >= 64);
  }
}

}  // namespace import_limits_test

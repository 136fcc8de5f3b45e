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
  TEST_CASE("a graph that was checked before has none") {
    constexpr ImportLimits none = ImportLimits::OfCheckedGraph();
    CHECK(none.max_nodes > std::int64_t{1} << 60);
    CHECK(none.max_functions > std::int64_t{1} << 60);
    CHECK(none.max_nesting > 1 << 30);
  }
}

}  // namespace import_limits_test

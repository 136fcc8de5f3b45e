// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/liveness.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "runtime/built_program.hpp"
#include "runtime/graphs.hpp"

namespace last_uses_test {
using namespace tenon;
using namespace runtime_test;
using namespace built_program;

TEST_SUITE("FindLastUses") {
  TEST_CASE("knows who reads a value last") {
    const auto b = Build(SmallGraph(), "x", "z");
    const Program& p = *b->program;
    REQUIRE(p.nodes.size() == 2);
    CHECK(p.last_use[static_cast<std::size_t>(p.nodes[0].first_input)] == 1);  // x: only y reads it
    CHECK(p.last_use[static_cast<std::size_t>(p.nodes[1].first_input)] == 0);  // z reads y twice
    CHECK(p.nodes[1].num_releases == 1);
  }
}
}  // namespace last_uses_test

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

  TEST_CASE("a node that reads a value twice keeps it, among many that it reads once") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    SlimVector<Output> all;
    for (int i = 0; i < 3; ++i) all.push_back(b.Add("Square", StrCat("i", i), {x}));
    all.push_back(all[1]);
    b.Add("Pack", "z", {all}, {{"N", AttrValue(std::int64_t{4})}});
    REQUIRE_MESSAGE(b.status().ok(), b.status().message());
    const auto built = Build(b, "x", "z");
    const Program& p = *built->program;
    const ProgramNode& pack = p.nodes.back();
    REQUIRE(pack.num_inputs == 4);
    const auto last = [&](int i) { return p.last_use[static_cast<std::size_t>(pack.first_input + i)] != 0; };
    CHECK(last(0));
    CHECK_FALSE(last(1));
    CHECK(last(2));
    CHECK_FALSE(last(3));
    CHECK(pack.num_releases == 3);
  }
}
}  // namespace last_uses_test

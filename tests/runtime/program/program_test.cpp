// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/program.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "runtime/built_program.hpp"
#include "runtime/graphs.hpp"

namespace program_test {
using namespace tenon;
using namespace runtime_test;
using namespace built_program;

TEST_SUITE("Program") {
  TEST_CASE("leaves NoOps out of the sequence") {
    GraphBuilder g = SmallGraph();
    const Output nothing = g.Add("NoOp", "nothing");
    g.AddControlInput({3, 0}, nothing);
    const auto b = Build(g, "x", "z");
    CHECK(b->program->nodes.size() == 3);
    CHECK(b->program->sequence.size() == 2);
  }
}
}  // namespace program_test

// SPDX-License-Identifier: Apache-2.0
// PartialProgram by itself; what sessions make of it is in partial_run_test.cpp.
#include <tenon/runtime/session/partial_program.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "runtime/flow_program.hpp"

namespace partial_program_test {
using namespace tenon;
using namespace runtime_test;

namespace {

struct NoEnds final : tenon::detail::PartialEnds {
  void AskFor(std::size_t, OpKernelContext*, AsyncOpKernel::DoneCallback) override {}
  void Deliver(std::size_t, const Tensor&) override {}
  void Settle(std::size_t) override {}
};

}  // namespace

TEST_SUITE("PartialProgram") {
  TEST_CASE("feeds become nodes that others wait for, fetches nodes that deliver") {
    FlowGraph g;
    g.Feed("x").Feed("y").Node("m", "AddV2", {"x", "x"}).Node("q", "Mul", {"m", "y"});
    const auto built = BuildFlow(g, {"x", "y"}, {"m", "q"});
    NoEnds ends;
    tenon::detail::PartialProgram partial(std::move(built->program), &ends);
    const char only_x[] = {1, 0}, only_y[] = {0, 1}, both[] = {1, 1};
    CHECK(partial.MissingFeed(0, only_x) == -1);
    CHECK(partial.MissingFeed(0, only_y) == 0);
    CHECK(partial.MissingFeed(1, only_x) == 1);
    CHECK(partial.MissingFeed(1, both) == -1);
    const auto program = partial.TakeProgram();
    CHECK(program->feeds.empty());
    CHECK(program->fetches.empty());
    CHECK(program->has_async);
    CHECK(program->nodes.size() ==
          8);  // two feeds, two nodes, and for each fetch one that delivers and one that settles
    CHECK(program->roots.size() == 2);
    CHECK(program->nodes[0].async != nullptr);
    CHECK(program->nodes[2].pending == 2);
    CHECK(program->nodes[3].pending == 2);
    int consumers = 0;
    for (const ProgramNode& node : program->nodes) consumers += node.num_consumers;
    CHECK(consumers == static_cast<int>(program->consumers.size()));
  }
  TEST_CASE("what a loop needs only in its body is needed") {
    FlowGraph g(DataType::kInt32);
    g.Feed("n").Count("", "n");
    const auto built = BuildFlow(g, {"n"}, {"exit"});
    NoEnds ends;
    tenon::detail::PartialProgram partial(std::move(built->program), &ends);
    const char nothing[] = {0};
    CHECK(partial.MissingFeed(0, nothing) == 0);
  }
}
}  // namespace partial_program_test

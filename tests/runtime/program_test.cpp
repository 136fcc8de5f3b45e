// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program.hpp>

#include <doctest/doctest.h>

#include <memory>

#include <tenon/memory/cpu_allocator.hpp>

#include <tenon/graph/import.hpp>

#include "graphs.hpp"

namespace program_test {
using namespace tenon;
using namespace runtime_test;

namespace {
// The program of a signature, with what it points to.
struct Built {
  Graph graph;
  CpuDevice device{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  tenon::Owned<tenon::detail::KernelCache> kernels;
  tenon::Owned<Program> program;
};
std::unique_ptr<Built> Build(const GraphBuilder& b, const char* feed, const char* fetch, bool folding = true) {
  auto built = std::make_unique<Built>();
  built->graph = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  built->kernels =
      tenon::MakeOwned<tenon::detail::KernelCache>(&built->graph, &Registry::Global(), &built->device, &built->device);
  tenon::detail::ProgramBuilder builder(built->graph, built->kernels.get(), &built->device, &built->device,
                                        {.constant_folding = folding});
  const InEdge in{built->graph.Find(feed)->id, 0}, out{built->graph.Find(fetch)->id, 0};
  built->program = *builder.Build({&in, 1}, {&out, 1}, {});
  return built;
}
}  // namespace

TEST_SUITE("Program") {
  TEST_CASE("holds only what the fetch needs") {
    const auto b = Build(SmallGraph(), "x", "y");
    CHECK(b->program->nodes.size() == 1);
    CHECK(b->program->nodes[0].node->name() == "y");
    CHECK(b->program->constants.size() == 1);
  }
  TEST_CASE("evaluates nodes whose inputs never change") {
    GraphBuilder g;
    const Output two = g.Const("two", Tensor::Scalar(2.0f));
    const Output four = g.Add("Mul", "four", {two, two});
    const Output x = g.Placeholder("x", DataType::kFloat);
    g.Add("AddV2", "y", {g.Add("AddV2", "eight", {four, four}), x});
    const auto folded = Build(g, "x", "y");
    REQUIRE(folded->program->nodes.size() == 1);
    CHECK(folded->program->constants[0].second.scalar<float>()[0] == 8);
    CHECK(Build(g, "x", "y", false)->program->nodes.size() == 3);
  }
  TEST_CASE("a constant that waits for something is not known before") {
    GraphBuilder g;
    const Output x = g.Placeholder("x", DataType::kFloat);
    const Output side = g.Add("Neg", "side", {x});
    const Output all = g.Add("NoOp", "all"), nothing = g.Add("NoOp", "nothing");
    g.AddControlInput(all, side);
    g.AddControlInput(g.Const("late", Tensor::Scalar(2.0f)), all);
    g.AddControlInput(g.Const("early", Tensor::Scalar(2.0f)), nothing);
    const auto late = Build(g, "x", "late"), early = Build(g, "x", "early");
    REQUIRE(late->program->nodes.size() >= 2);
    CHECK(late->program->nodes.front().node->name() == "side");
    CHECK(late->program->nodes.back().node->name() == "late");
    CHECK(late->program->constants.empty());
    CHECK(early->program->nodes.empty());
    CHECK(early->program->constants.size() == 1);
  }
  TEST_CASE("knows who reads a value last") {
    const auto b = Build(SmallGraph(), "x", "z");
    const Program& p = *b->program;
    REQUIRE(p.nodes.size() == 2);
    CHECK(p.last_use[static_cast<std::size_t>(p.nodes[0].first_input)] == 1);  // x: only y reads it
    CHECK(p.last_use[static_cast<std::size_t>(p.nodes[1].first_input)] == 0);  // z reads y twice
    CHECK(p.nodes[1].num_releases == 1);
  }
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

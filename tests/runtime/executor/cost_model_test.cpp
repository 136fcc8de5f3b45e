// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/cost_model.hpp>

#include <doctest/doctest.h>

#include <tenon/kernel/construction.hpp>
#include <tenon/op/signature/signature.hpp>

namespace node_costs_test {
using namespace tenon;
using detail::NodeCosts;

namespace {
constexpr auto kOp = Op("NcNothing");
constexpr OpView kView = kOp.view();
struct Marked final : OpKernel {
  Marked(OpKernelConstruction* c, bool is_expensive) : OpKernel(c), expensive(is_expensive) {}
  void Compute(OpKernelContext*) override {}
  bool IsExpensive() const override { return expensive; }
  const bool expensive;
};
}  // namespace

TEST_SUITE("NodeCosts") {
  TEST_CASE("a node is expensive until it was measured, and again when it gets slow") {
    NodeDef def;
    OpKernelConstruction construction(&def, &kView, "CPU", {}, {}, nullptr);
    const Marked marked(&construction, true), cheap(&construction, false);
    Program program;
    program.nodes.resize(3);
    program.nodes[0].kernel = &marked;
    program.nodes[1].kernel = &cheap;
    program.nodes[2].async = reinterpret_cast<AsyncOpKernel*>(&program);  // only compared with null
    std::int32_t room[3] = {};
    NodeCosts costs(program, room);
    costs.BeginRun();
    CHECK(costs.IsExpensive(0));
    CHECK(!costs.IsExpensive(1));
    CHECK(costs.IsExpensive(2));
    CHECK(costs.Wants(0));
    for (int run = 0; run < 32; ++run) {
      costs.BeginRun();
      CHECK(!costs.Wants(1));
      CHECK(!costs.Wants(2));
    }
    costs.Add(0, 50);  // the first run tells nothing
    CHECK(costs.IsExpensive(0));
    costs.Add(0, 50);
    CHECK(!costs.IsExpensive(0));
    int wanted = 0;
    for (int run = 0; run < 160; ++run) {
      costs.BeginRun();
      wanted += costs.Wants(0) ? 1 : 0;
    }
    CHECK(wanted == 10);
    costs.Add(0, 10 * NodeCosts::kExpensiveNs);
    CHECK(costs.IsExpensive(0));
    for (int run = 0; run < 20; ++run) costs.Add(0, 100);
    CHECK(!costs.IsExpensive(0));
    costs.Add(0, std::int64_t{1} << 50);
    CHECK(costs.IsExpensive(0));
  }
}
}  // namespace node_costs_test

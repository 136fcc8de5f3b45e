// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/plan_cache.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/forwarding_allocator.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "runtime/graphs.hpp"
#include "runtime/planned.hpp"

namespace plan_cache_test {
using namespace tenon;
using namespace runtime_test;

namespace {
// Counts how often it is asked for what it does not use.
class Counting final : public ForwardingAllocator {
 public:
  Counting() : ForwardingAllocator(CpuAllocator()) {}
  std::size_t ReleaseUnused() override {
    ++releases;
    return 0;
  }
  int releases = 0;
};
}  // namespace

TEST_SUITE("PlanCache") {
  TEST_CASE("the first plan of a signature gives back what runs without it left behind") {
    Counting allocator;
    SessionOptions options{.intra_op_threads = 1, .plan_after_runs = 2};
    options.allocator = &allocator;
    const Callable callable = MakeCallable(SmallGraph(), options, {.feeds = {"x"}, .fetches = {"z"}});
    MustRun(callable, {Ramp({5}, 1)});
    CHECK(allocator.releases == 0);
    for (const Index size : {5, 5, 7, 7, 7, 5}) MustRun(callable, {Ramp({size}, 1)});
    CHECK(allocator.releases == 1);
    CHECK(Report(callable).planned_nodes == 2);
  }
  TEST_CASE("begin after as many runs with the same shapes as asked for") {
    for (const int runs : {1, 2, 3}) {
      const Callable callable =
          MakeCallable(SmallGraph(), {.plan_after_runs = runs}, {.feeds = {"x"}, .fetches = {"z"}});
      PlanReport report;
      for (int i = 0; i < runs; ++i) {
        CHECK(!callable.GetPlanReport(&report));
        MustRun(callable, {Ramp({5}, 1)});
      }
      CHECK(callable.GetPlanReport(&report));
      CHECK(report.planned_nodes == 2);
      CHECK(report.other_nodes == 0);
    }
    const Callable never = MakeCallable(SmallGraph(), {.plan_after_runs = 0}, {.feeds = {"x"}, .fetches = {"z"}});
    for (int i = 0; i < 5; ++i) MustRun(never, {Ramp({5}, 1)});
    PlanReport report;
    CHECK(!never.GetPlanReport(&report));
    CHECK(!Callable().GetPlanReport(&report));
  }
  TEST_CASE("random graphs: the same with and without, with shapes that come and go") {
    std::mt19937 random(20261122);
    for (int round = 0; round < 60; ++round) {
      CAPTURE(round);
      GraphBuilder b;
      std::vector<Output> values{b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 4})),
                                 b.Placeholder("y", DataType::kFloat, PartialTensorShape({-1, 4}))};
      const Output shape = b.Const("shape", MakeTensor<std::int32_t>({2}, {-1, 4}));
      const Output flat = b.Const("flat", MakeTensor<std::int32_t>({1}, {-1}));
      const int nodes = 3 + static_cast<int>(random() % 40);
      for (int i = 0; i < nodes; ++i) {
        const auto pick = [&] { return values[random() % values.size()]; };
        const std::string name = StrCat("n", i);
        switch (random() % 6) {
          case 0: values.push_back(b.Add("AddV2", name, {pick(), pick()})); break;
          case 1: values.push_back(b.Add("Maximum", name, {pick(), pick()})); break;
          case 2: values.push_back(b.Add("Tanh", name, {pick()})); break;
          case 3: values.push_back(b.Add("Identity", name, {pick()})); break;
          case 4:
            values.push_back(b.Add("Reshape", name, {b.Add("Reshape", StrCat("r", i), {pick(), flat}), shape}));
            break;
          default: values.push_back(b.Add("Neg", name, {pick()})); break;
        }
      }
      CallableOptions signature{.feeds = {"x", "y"}};
      for (int i = 0; i < nodes; ++i)
        if (i == nodes - 1 || random() % 5 == 0) signature.fetches.push_back(StrCat("n", i));
      const Callable planned = MakeCallable(b, kPlanned, signature), plain = MakeCallable(b, kUnplanned, signature);
      for (int run = 0; run < 8; ++run) {
        const Index rows = 1 + static_cast<Index>(random() % 2);
        const float scale = static_cast<float>(random() % 100) / 50;
        const std::vector<Tensor> feeds{Ramp({rows, 4}, scale), Ramp({rows, 4}, 1 - scale)};
        const std::vector<Tensor> got = MustRun(planned, feeds), right = MustRun(plain, feeds);
        for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(Same(got[i], right[i]));
      }
    }
  }
  TEST_CASE("threads have plans of their own") {
    const Callable callable = MakeCallable(WideGraph(3, 10), kPlanned, {.feeds = {"x"}, .fetches = {"out"}});
    const Callable plain = MakeCallable(WideGraph(3, 10), kUnplanned, {.feeds = {"x"}, .fetches = {"out"}});
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const Tensor x = Ramp({100}, static_cast<float>(t + 1));
        Tensor right;
        if (!plain.Run({&x, 1}, {&right, 1}).ok()) ++wrong[static_cast<std::size_t>(t)];
        for (int i = 0; i < 200; ++i) {
          Tensor out;
          if (!callable.Run({&x, 1}, {&out, 1}).ok() || !Same(out, right)) ++wrong[static_cast<std::size_t>(t)];
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const int n : wrong) CHECK(n == 0);
  }
}
}  // namespace plan_cache_test

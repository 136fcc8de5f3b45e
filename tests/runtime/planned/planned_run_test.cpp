// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/planned_run.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "runtime/graphs.hpp"
#include "runtime/heap_counter.hpp"
#include "runtime/planned.hpp"

namespace planned_run_test {
using namespace tenon;
using namespace runtime_test;

namespace {
// x -> 3 products and a sum, through aliases; y is in the middle.
GraphBuilder Aliases() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 6}));
  const Output two = b.Const("two", Tensor::Scalar(2.0f));
  const Output wide = b.Const("wide", MakeTensor<std::int32_t>({2}, {-1, 3}));
  const Output a = b.Add("Mul", "a", {x, two});
  const Output c = b.Add("Reshape", "c", {a, wide});
  const Output d = b.Add("AddV2", "d", {c, two});
  const Output e = b.Add("Identity", "e", {d});
  const Output f = b.Add("Mul", "f", {e, d});
  b.Add("Reshape", "g", {f, b.Const("flat", MakeTensor<std::int32_t>({1}, {-1}))});
  return b;
}
}  // namespace

TEST_SUITE("Planned runs") {
  TEST_CASE("give what runs without a plan give, whatever is fed") {
    for (const CallableOptions& signature : {CallableOptions{{"x"}, {"g"}, {}},
                                             {{"x"}, {"a", "d", "g"}, {}},
                                             {{"x"}, {"c", "e"}, {}},
                                             {{"x", "d"}, {"g", "a"}, {}}}) {
      const Callable planned = MakeCallable(Aliases(), kPlanned, signature);
      const Callable plain = MakeCallable(Aliases(), kUnplanned, signature);
      std::vector<std::vector<Tensor>> kept, right;
      for (int i = 0; i < 12; ++i) {
        CAPTURE(i);
        const Index rows = i < 6 ? 2 : 2 + i % 3;
        std::vector<Tensor> feeds{Ramp({rows, 6}, static_cast<float>(i + 1))};
        if (signature.feeds.size() == 2) feeds.push_back(Ramp({2 * rows, 3}, 0.5f * static_cast<float>(i)));
        kept.push_back(MustRun(planned, feeds));
        right.push_back(MustRun(plain, feeds));
      }
      // Results belong to the caller: no later run wrote into them.
      for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::size_t k = 0; k < kept[i].size(); ++k) CHECK(Same(kept[i][k], right[i][k]));
      CHECK(Report(planned).planned_nodes > 0);
    }
  }
  TEST_CASE("ask nobody for memory but for what is fetched") {
    TrackingAllocator allocator(CpuAllocator());
    const Callable callable =
        MakeCallable(WideGraph(5, 20), {.intra_op_threads = 1, .allocator = &allocator, .plan_after_runs = 1},
                     {.feeds = {"x"}, .fetches = {"out"}});
    const Tensor x = Ramp({64}, 1);
    std::vector<Tensor> out(1);
    for (int i = 0; i < 3; ++i) REQUIRE(callable.Run({&x, 1}, out).ok());
    const auto before = allocator.GetStats()->num_allocs;
    HeapCalls() = 0;
    Status status;
    for (int i = 0; i < 10; ++i) status.Update(callable.Run({&x, 1}, out));
    const long calls = HeapCalls();
    CHECK(status.ok());
    CHECK(calls == 0);
    CHECK(allocator.GetStats()->num_allocs - before <= 10);
  }
  TEST_CASE("an error ends the run, names the node, and the next run is right") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kInt32, PartialTensorShape({-1}));
    const Output y = b.Placeholder("y", DataType::kInt32, PartialTensorShape({-1}));
    const Output q = b.Add("FloorDiv", "q", {b.Add("AddV2", "sum", {x, y}), y});
    b.Add("Neg", "z", {q});
    const Callable callable = MakeCallable(b, kPlanned, {.feeds = {"x", "y"}, .fetches = {"z"}});
    const Tensor eight = MakeTensor<std::int32_t>({2}, {8, 9}), two = MakeTensor<std::int32_t>({2}, {2, 3}),
                 zero = MakeTensor<std::int32_t>({2}, {2, 0});
    for (int i = 0; i < 8; ++i) {
      const bool bad = i % 4 == 2;
      std::vector<Tensor> out(1);
      const Status s = callable.Run(std::vector<Tensor>{eight, bad ? zero : two}, out);
      CHECK(s.ok() == !bad);
      if (bad) CHECK(s.code() == Code::kInvalidArgument);
      if (bad) CHECK(Contains(s.message(), "[node 'q', CPU:0]"));
      if (!bad) CHECK(out[0].flat<std::int32_t>()(0) == -5);
    }
  }
}
}  // namespace planned_run_test

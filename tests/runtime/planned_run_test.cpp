// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned_run.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "graphs.hpp"
#include "heap_counter.hpp"

namespace planned_run_test {
using namespace tenon;
using namespace runtime_test;

namespace {

const SessionOptions kPlanned{.intra_op_threads = 1, .plan_after_runs = 1};
const SessionOptions kUnplanned{.intra_op_threads = 1, .plan_after_runs = 0};

Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor t(DataType::kFloat, shape);
  for (Index i = 0; i < t.NumElements(); ++i) t.flat<float>()(i) = scale * static_cast<float>(i % 13) - 3.0f;
  return t;
}
bool Same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.tensor_data() == b.tensor_data();
}

Callable MakeCallable(const GraphBuilder& b, const SessionOptions& options, const CallableOptions& signature) {
  const auto session = Session::FromGraph(b, options);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  auto callable = session->MakeCallable(signature);
  REQUIRE_MESSAGE(callable.ok(), callable.status().message());
  return *std::move(callable);
}
std::vector<Tensor> MustRun(const Callable& callable, const std::vector<Tensor>& feeds) {
  std::vector<Tensor> out(callable.num_fetches());
  const Status s = callable.Run(feeds, out);
  REQUIRE_MESSAGE(s.ok(), s.message());
  return out;
}
PlanReport Report(const Callable& callable) {
  PlanReport report;
  REQUIRE(callable.GetPlanReport(&report));
  return report;
}

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
  TEST_CASE("a chain lives in one block: every node overwrites its input") {
    GraphBuilder b;
    Output y = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    const Output one = b.Const("one", Tensor::Scalar(1.0f));
    for (int i = 0; i < 50; ++i) y = b.Add("AddV2", i == 49 ? "y" : "", {y, one});
    const Callable callable = MakeCallable(b, kPlanned, {.feeds = {"x"}, .fetches = {"y"}});
    for (int i = 0; i < 3; ++i)
      CHECK(Same(MustRun(callable, {Tensor::Zeros<float>({1000})})[0], [] {
        Tensor t = Tensor::Zeros<float>({1000});
        for (Index k = 0; k < 1000; ++k) t.flat<float>()(k) = 50;
        return t;
      }()));
    const PlanReport report = Report(callable);
    CHECK(report.planned_nodes == 50);
    CHECK(report.value_bytes == 49 * 4000);
    CHECK(report.arena_bytes == 4032);
    CHECK(report.lower_bound_bytes == 4032);
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
  TEST_CASE("sizes that depend on values stay out of the plan, and what follows from them") {
    GraphBuilder b;
    const Output n = b.Placeholder("n", DataType::kInt32, TensorShape{});
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    const Output zero = b.Const("zero", Tensor::Scalar(std::int32_t{0})),
                 one = b.Const("one", Tensor::Scalar(std::int32_t{1}));
    const Output r = b.Add("Range", "r", {zero, n, one});
    const Output f = b.Add("Cast", "f", {r}, {{"DstT", DataType::kFloat}});
    const Output s = b.Add("Square", "s", {f});
    b.Add("Sum", "total", {s, b.Const("axis", MakeTensor<std::int32_t>({1}, {0}))});
    b.Add("Square", "side", {x});
    const CallableOptions signature{.feeds = {"n", "x"}, .fetches = {"total", "side", "s"}};
    const Callable planned = MakeCallable(b, kPlanned, signature), plain = MakeCallable(b, kUnplanned, signature);
    for (const std::int32_t length : {4, 4, 4, 7, 7, 3, 0, 9, 9, 9, 1, 2}) {
      CAPTURE(length);
      const std::vector<Tensor> feeds{Tensor::Scalar(length), Ramp({6}, 2)};
      const std::vector<Tensor> got = MustRun(planned, feeds), right = MustRun(plain, feeds);
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(Same(got[i], right[i]));
    }
    CHECK(Report(planned).planned_nodes >= 1);
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
  TEST_CASE("what a variable keeps is not in the arena") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({-1})}});
    const Output doubled = b.Add("AddV2", "doubled", {x, x});
    b.Add("AssignVariableOp", "assign", {v, doubled}, {{"dtype", DataType::kFloat}});
    b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
    b.Add("Square", "other", {x});
    const auto session = Session::FromGraph(b, kPlanned);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto write = session->MakeCallable({.feeds = {"x"}, .targets = {"assign"}});
    const auto other = session->MakeCallable({.feeds = {"x"}, .fetches = {"other"}});
    for (int i = 0; i < 4; ++i) {
      MustRun(*write, {Ramp({9}, static_cast<float>(i))});
      const auto first = session->Run({}, {"read"});
      REQUIRE(first.ok());
      MustRun(*other, {Ramp({9}, 7)});
      const auto again = session->Run({}, {"read"});
      CHECK(Same((*first)[0], (*again)[0]));
      const Tensor right = Ramp({9}, static_cast<float>(i));
      CHECK((*again)[0].flat<float>()(5) == 2 * right.flat<float>()(5));
    }
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
  TEST_CASE("the arena of a network is close to what lives at one time") {
    const auto session = Session::FromGraphFile(TENON_TEST_DATA "/models/cnn_digits/graph.pb", kPlanned);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto callable =
        session->MakeCallable({.feeds = {session->inputs()[0].name}, .fetches = {session->outputs().back().name}});
    REQUIRE(callable.ok());
    for (int i = 0; i < 3; ++i) MustRun(*callable, {Ramp({4, 28, 28, 1}, 0.1f)});
    const PlanReport report = Report(*callable);
    CHECK(report.planned_nodes > 0);
    CHECK(static_cast<double>(report.arena_bytes) <= 1.1 * static_cast<double>(report.lower_bound_bytes));
    CHECK(report.arena_bytes < report.value_bytes);
  }
}
}  // namespace planned_run_test

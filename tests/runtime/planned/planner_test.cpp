// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/planner.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "runtime/graphs.hpp"
#include "runtime/planned.hpp"

namespace run_planner_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("RunPlanner") {
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
  TEST_CASE("a node overwrites a tensor of a list, which it reads in two steps") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    Output y = b.Add("Neg", "", {x});
    for (int i = 0; i < 9; ++i)
      y = b.Add("_FusedElementwise", i == 8 ? "y" : StrCat("fused", i), {x, GraphBuilder::Input(SlimVector<Output>{y})},
                {{"T", DataType::kFloat},
                 {"N", std::int64_t{1}},
                 {"steps", SlimVector<std::string>{"AddV2", "Sub"}},
                 {"operands", SlimVector<std::int64_t>{0, 1, 1, 2}}});
    const CallableOptions signature{.feeds = {"x"}, .fetches = {"y"}};
    const Callable planned = MakeCallable(b, kPlanned, signature), plain = MakeCallable(b, kUnplanned, signature);
    for (int i = 0; i < 3; ++i) {
      const std::vector<Tensor> feeds{Ramp({1000}, static_cast<float>(i) + 1)};
      CHECK(Same(MustRun(planned, feeds)[0], MustRun(plain, feeds)[0]));
    }
    CHECK(Report(planned).planned_nodes == 10);
    CHECK(Report(planned).arena_bytes == 4032);
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
  TEST_CASE("a fused node has its result in the arena; so has its producer") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 3}));
    const Output w = b.Const("w", Ramp({3, 6}, 0.1f)), wide = b.Const("wide", Ramp({4, 6}, 0.2f));
    NodeDef producer;
    producer.op = "MatMul";
    for (const char* const name : {"transpose_a", "transpose_b"}) producer.attr.Set(name, false);
    producer.attr.Set("T", DataType::kFloat);
    const auto fused = [&](const char* name, SlimVector<Output> inputs, const char* step,
                           SlimVector<std::int64_t> read) {
      SlimVector<DataType> types(inputs.size(), DataType::kFloat);
      return b.Add("_FusedProducer", name, {GraphBuilder::Input(inputs)},
                   {{"Tin", types},
                    {"T", DataType::kFloat},
                    {"producer", SerializeNodeDef(producer)},
                    {"num_producer_inputs", std::int64_t{2}},
                    {"steps", SlimVector<std::string>{step}},
                    {"operands", read}});
    };
    const Output a = fused("a", {x, w}, "Relu", {0, -1});
    const Output larger = fused("larger", {x, w, wide}, "AddV2", {0, 1});
    b.Add("AddV2", "y", {a, larger});
    const CallableOptions signature{.feeds = {"x"}, .fetches = {"y"}};
    const Callable planned = MakeCallable(b, kPlanned, signature), plain = MakeCallable(b, kUnplanned, signature);
    for (int i = 0; i < 5; ++i) {
      const std::vector<Tensor> feeds{Ramp({1, 3}, static_cast<float>(i) - 2)};
      CHECK(Same(MustRun(planned, feeds)[0], MustRun(plain, feeds)[0]));
    }
    CHECK(Report(planned).planned_nodes == 3);
    CHECK(Report(planned).other_nodes == 0);
  }
  TEST_CASE("nodes that allocate their outputs find places in the arena") {
    GraphBuilder b;
    Output y = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 8, 8, 4}));
    const Output filter = b.Const("filter", Ramp({3, 3, 4, 4}, 0.01f)), bias = b.Const("bias", Ramp({4}, 0.5f));
    for (int i = 0; i < 6; ++i) {
      y = b.Add("Conv2D", "", {y, filter},
                {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", std::string_view("SAME")}});
      y = b.Add("BiasAdd", "", {y, bias});  // in place of the convolution's result
      y = b.Add("Relu", i == 5 ? "y" : "", {y});
    }
    TrackingAllocator memory(CpuAllocator());
    SessionOptions options = kPlanned;
    options.allocator = &memory;
    const CallableOptions signature{.feeds = {"x"}, .fetches = {"y"}};
    const Callable planned = MakeCallable(b, options, signature), plain = MakeCallable(b, kUnplanned, signature);
    for (const Index batch : {2, 2, 2, 3, 2, 3, 3, 1}) {
      CAPTURE(batch);
      const std::vector<Tensor> feeds{Ramp({batch, 8, 8, 4}, 0.1f)};
      CHECK(Same(MustRun(planned, feeds)[0], MustRun(plain, feeds)[0]));
    }
    const std::vector<Tensor> feeds{Ramp({2, 8, 8, 4}, 0.1f)};
    for (int i = 0; i < 3; ++i) MustRun(planned, feeds);
    const PlanReport report = Report(planned);
    const std::size_t one = 2 * 8 * 8 * 4 * sizeof(float);
    CHECK(report.other_nodes == 12);
    CHECK(report.arena_bytes <= 2 * (one + sizeof(Buffer)));  // a layer's input and its result
    memory.ClearStats();
    MustRun(planned, feeds);
    CHECK(memory.GetStats()->num_allocs == 1);  // the fetched tensor
  }
  TEST_CASE("values that may outlive their run get no place") {
    const auto conv = [](GraphBuilder& b, const Output& x, const char* name) {
      const Output filter = b.Const("", Ramp({3, 3, 2, 2}, 0.1f));
      return b.Add("Conv2D", name, {x, filter},
                   {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", std::string_view("SAME")}});
    };
    const PartialTensorShape shape({-1, 4, 4, 2});
    const auto compare = [&](GraphBuilder& b, const std::vector<std::string>& fetches,
                             const std::vector<std::string>& targets = {}) {
      CallableOptions signature{.feeds = {"x"}, .fetches = fetches, .targets = targets};
      const Callable planned = MakeCallable(b, kPlanned, signature), plain = MakeCallable(b, kUnplanned, signature);
      std::vector<std::vector<Tensor>> got, right;
      for (int i = 0; i < 5; ++i) {  // all results are kept to the end
        const std::vector<Tensor> feeds{Ramp({2, 4, 4, 2}, static_cast<float>(i) + 1)};
        got.push_back(MustRun(planned, feeds));
        right.push_back(MustRun(plain, feeds));
      }
      for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t k = 0; k < got[i].size(); ++k) CHECK(Same(got[i][k], right[i][k]));
    };
    SUBCASE("it is fetched") {
      GraphBuilder b;
      const Output y = conv(b, b.Placeholder("x", DataType::kFloat, shape), "y");
      b.Add("Neg", "z", {y});
      compare(b, {"y", "z"});
    }
    SUBCASE("a fetched value takes over its memory") {
      GraphBuilder b;
      b.Add("Relu", "y", {conv(b, b.Placeholder("x", DataType::kFloat, shape), "")});
      compare(b, {"y"});
    }
    SUBCASE("a fetched value shares its memory") {
      GraphBuilder b;
      const Output c = conv(b, b.Placeholder("x", DataType::kFloat, shape), "");
      const Output flat = b.Add("Reshape", "y", {c, b.Const("to", MakeTensor<std::int32_t>({1}, {-1}))});
      b.Add("Neg", "z", {flat});
      compare(b, {"y", "z"});
    }
    SUBCASE("a fetched value takes over memory that another one shares") {
      GraphBuilder b;
      const Output c = conv(b, b.Placeholder("x", DataType::kFloat, shape), "");
      b.Add("Relu", "y", {b.Add("Reshape", "", {c, b.Const("to", MakeTensor<std::int32_t>({1}, {-1}))})});
      compare(b, {"y"});
    }
    SUBCASE("another value that shares its memory is read later") {
      GraphBuilder b;
      const Output c = conv(b, b.Placeholder("x", DataType::kFloat, shape), "");
      const Output flat = b.Add("Reshape", "", {c, b.Const("to", MakeTensor<std::int32_t>({1}, {-1}))});
      const Output n = b.Add("Neg", "", {conv(b, conv(b, c, ""), "")});
      const Output sum = b.Add("Sum", "", {n, b.Const("axes", MakeTensor<std::int32_t>({4}, {0, 1, 2, 3}))});
      b.Add("AddV2", "y", {flat, sum});
      compare(b, {"y"});
    }
    SUBCASE("a variable keeps it") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, shape);
      const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", shape}});
      const Output c = conv(b, x, "");
      b.Add("AssignVariableOp", "assign", {v, c}, {{"dtype", DataType::kFloat}});
      b.Add("Neg", "z", {conv(b, c, "")});
      b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
      const auto session = Session::FromGraph(b, kPlanned);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto write = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}, .targets = {"assign"}});
      for (int i = 0; i < 4; ++i) {
        MustRun(*write, {Ramp({2, 4, 4, 2}, static_cast<float>(i) + 1)});
        const auto first = session->Run({}, {"read"});
        REQUIRE(first.ok());
        const Tensor before = (*first)[0].DeepCopy();
        MustRun(*write, {Ramp({2, 4, 4, 2}, 9)});
        CHECK(Same((*first)[0], before));
      }
    }
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
}  // namespace run_planner_test

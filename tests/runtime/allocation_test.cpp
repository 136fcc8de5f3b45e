// SPDX-License-Identifier: Apache-2.0
// The promise of the steady state: a run allocates nothing but its outputs.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "graphs.hpp"
#include "heap_counter.hpp"
#include "loops.hpp"

namespace allocation_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Arg;
using function_test::Call;
using function_test::MakeNode;

namespace {

// Ten runs ask the heap for nothing and the session's allocator for one output each. The allocator's own books are on
// the heap: only one of the two can be counted at a time.
void CheckSteadyState(const Callable& callable, const Tensor& input, const TrackingAllocator* allocator) {
  std::vector<Tensor> out(1);
  for (int i = 0; i < 4; ++i) REQUIRE(callable.Run({&input, 1}, out).ok());
  const std::int64_t before = allocator == nullptr ? 0 : allocator->GetStats()->num_allocs;
  HeapCalls() = 0;
  Status status;
  for (int i = 0; i < 10; ++i) status.Update(callable.Run({&input, 1}, out));
  const long calls = HeapCalls();
  CHECK(status.ok());
  if (allocator == nullptr)
    CHECK(calls == 0);
  else
    CHECK(allocator->GetStats()->num_allocs - before <= 10);
}

}  // namespace

TEST_SUITE("Steady state") {
  TEST_CASE("calls of the heap are counted") {
    HeapCalls() = 0;
    const std::string text(100, 'x');
    const bool counted = HeapCalls() > 0;
    CHECK(text.size() == 100);
    CHECK(counted == kCountsHeapCalls);
  }
  TEST_CASE("a run of a callable asks nobody for memory but for its outputs") {
    for (const char* model : {"mlp_digits", "cnn_digits"})
      for (const bool tracked : {false, true}) {
        TrackingAllocator allocator(CpuAllocator());
        const auto session =
            Session::FromGraphFile(std::string(TENON_TEST_DATA "/models/") + model + "/graph.pb",
                                   {.intra_op_threads = 1, .allocator = tracked ? &allocator : nullptr});
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        const auto callable =
            session->MakeCallable({.feeds = {session->inputs()[0].name}, .fetches = {session->outputs().back().name}});
        REQUIRE_MESSAGE(callable.ok(), callable.status().message());
        CheckSteadyState(*callable,
                         Tensor::Zeros<float>(model[0] == 'm' ? TensorShape({1, 784}) : TensorShape({1, 28, 28, 1})),
                         tracked ? &allocator : nullptr);
      }
  }
  TEST_CASE("kernels of many arguments, and kernels that need tables") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3, 3, 4}), n = b.Placeholder("n", DataType::kInt32, {40});
    const Output scale = b.Const("scale", Tensor::Zeros<float>({4})), none = b.Const("none", Tensor::Zeros<float>({0}));
    b.Add("FusedBatchNormV3", "norm", {x, scale, scale, none, none}, {{"is_training", true}});
    b.Add("Unique", "unique", {n});
    const auto session = Session::FromGraph(b, {.intra_op_threads = 1});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    CheckSteadyState(*session->MakeCallable({.feeds = {"x"}, .fetches = {"norm"}}), Tensor::Zeros<float>({2, 3, 3, 4}),
                     nullptr);
    CheckSteadyState(*session->MakeCallable({.feeds = {"n"}, .fetches = {"unique:1"}}), Tensor::Zeros<int>({40}),
                     nullptr);
  }
  TEST_CASE("chains and diamonds too") {
    for (const bool tracked : {false, true}) {
      TrackingAllocator allocator(CpuAllocator());
      const auto session = Session::FromGraph(WideGraph(5, 20), {.allocator = tracked ? &allocator : nullptr});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
      CheckSteadyState(*callable, Tensor::Zeros<float>({64}), tracked ? &allocator : nullptr);
    }
  }
  TEST_CASE("loops too, whatever the number of iterations") {
    TrackingAllocator allocator(CpuAllocator());
    for (const std::int64_t parallel : {1, 10}) {
      FlowGraph graph(DataType::kInt32);
      graph.Feed("n").Count("", "n", parallel);
      const auto session = graph.Load({.allocator = &allocator});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"exit"}});
      const Tensor few = Tensor::Scalar(20), many = Tensor::Scalar(500);
      std::vector<Tensor> out(1);
      for (int i = 0; i < 3; ++i) REQUIRE(callable->Run({&few, 1}, out).ok());
      const auto before = allocator.GetStats()->num_allocs;
      HeapCalls() = 0;
      Status status;
      for (int i = 0; i < 10; ++i) status.Update(callable->Run({&many, 1}, out));
      const long calls = HeapCalls();
      CHECK(status.ok());
      CHECK(calls == 0);
      CHECK(allocator.GetStats()->num_allocs - before <= 10);
      CHECK(out[0].scalar<int>()() == 500);
    }
  }
  TEST_CASE("chains and loops over two devices too, on all threads") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    Output sum = x;
    for (int i = 0; i < 12; ++i) {
      sum = b.Add("AddV2", i == 11 ? "out" : "", {sum, x});
      b.SetDevice(sum, i % 2 == 0 ? "/device:CPU:0" : "/device:CPU:1");
    }
    FlowGraph loop(DataType::kInt32);
    loop.Feed("n").Count("", "n", 10);
    GraphDef counts = loop.def;
    int number = 0;
    for (NodeDef& node : counts.node)
      if (node.op == "AddV2" || node.op == "Less") node.device = number++ % 2 == 0 ? "/device:CPU:1" : "/device:CPU:0";
    for (const bool loops : {false, true})
      for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential}) {
        const auto session = Session::FromGraphDef(loops ? counts : b.graph_def(),
                                                   {.devices = {"CPU:0", "CPU:1"}, .executor = executor});
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        const auto callable =
            session->MakeCallable({.feeds = {loops ? "n" : "x"}, .fetches = {loops ? "exit" : "out"}});
        REQUIRE_MESSAGE(callable.ok(), callable.status().message());
        const Tensor feed = loops ? Tensor::Scalar(50) : Tensor::Zeros<float>({16});
        std::vector<Tensor> out(1);
        Status status;
        for (int i = 0; i < 40; ++i) status.Update(callable->Run({&feed, 1}, out));
        NoMemory& heap = HeapLimits();
        heap.requests = 0;
        heap.watches = true;
        for (int i = 0; i < 20; ++i) status.Update(callable->Run({&feed, 1}, out));
        heap.watches = false;
        CHECK(status.ok());
        CHECK(heap.requests <= 2);  // a queue of the pool that grows
      }
  }
  TEST_CASE("loops and branches of functions too") {
    const AttrValue type(DataType::kInt32);
    AttrValue types, type_list;
    types.mutable_list()->type = {DataType::kInt32, DataType::kInt32};
    type_list.mutable_list()->type = {DataType::kInt32};
    const auto integers = [](std::string name, std::initializer_list<std::string> args, SlimVector<NodeDef> body,
                             FunctionDef::StringMap ret, DataType first = DataType::kInt32) {
      FunctionDef f;
      f.signature.name = std::move(name);
      for (const std::string& arg : args) f.signature.input_arg.push_back(Arg(arg, DataType::kInt32));
      for (const auto& [output, tensor] : ret)
        f.signature.output_arg.push_back(Arg(output, f.signature.output_arg.empty() ? first : DataType::kInt32));
      f.node_def = std::move(body);
      f.ret = std::move(ret);
      return f;
    };
    const NodeDef one =
        MakeNode("one", "Const", {}, {{"dtype", type}, {"value", AttrValue(Tensor::Scalar(std::int32_t{1}))}});
    const NodeDef zero =
        MakeNode("zero", "Const", {}, {{"dtype", type}, {"value", AttrValue(Tensor::Scalar(std::int32_t{0}))}});
    GraphDef graph;
    graph.versions.producer = 1500;
    graph.library.function = {
        integers("less", {"i", "n"}, {MakeNode("c", "Less", {"i", "n"}, {{"T", type}})}, {{"c", "c:z:0"}},
                 DataType::kBool),
        integers("step", {"i", "n"},
                 {one, MakeNode("next", "AddV2", {"i", "one:output:0"}, {{"T", type}}),
                  MakeNode("call", "same", {"next:z:0"})},
                 {{"i", "call:y:0"}, {"n", "n"}}),
        integers("same", {"x"},
                 {MakeNode("if", "StatelessIf", {"x", "x"},
                           {{"Tcond", type},
                            {"Tin", type_list},
                            {"Tout", type_list},
                            {"then_branch", Call("copy")},
                            {"else_branch", Call("copy")}})},
                 {{"y", "if:output:0"}}),
        integers("copy", {"x"}, {MakeNode("y", "Identity", {"x"}, {{"T", type}})}, {{"y", "y:output:0"}}),
        integers("sum", {"i", "total"}, {MakeNode("add", "AddV2", {"total", "i"}, {{"T", type}})},
                 {{"total", "add:z:0"}})};
    graph.node = {MakeNode("n", "Placeholder", {}, {{"dtype", type}}),
                  zero,
                  one,
                  MakeNode("while", "StatelessWhile", {"zero", "n"},
                           {{"T", types}, {"cond", Call("less")}, {"body", Call("step")}}),
                  MakeNode("for", "For", {"zero", "while", "one", "zero"}, {{"T", type_list}, {"body", Call("sum")}}),
                  MakeNode("y", "Identity", {"for"}, {{"T", type}})};
    TrackingAllocator allocator(CpuAllocator());
    for (const bool tracked : {false, true}) {
      const auto session = Session::FromGraphDef(graph, {.allocator = tracked ? &allocator : nullptr});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"y"}});
      REQUIRE_MESSAGE(callable.ok(), callable.status().message());
      std::vector<Tensor> out(1);
      const Tensor n = Tensor::Scalar(std::int32_t{100});
      REQUIRE(callable->Run({&n, 1}, out).ok());
      CHECK(out[0].scalar<std::int32_t>()() == 4950);
      CheckSteadyState(*callable, n, tracked ? &allocator : nullptr);
    }
  }
  TEST_CASE("runs with many shapes leave no more behind than about two of them need") {
    constexpr Index kLargest = 1 << 20;
    const auto held_after = [](Index first) {
      TrackingAllocator allocator(CpuAllocator());
      const auto session =
          Session::FromGraph(WideGraph(3, 4), {.inter_op_threads = 1, .intra_op_threads = 1, .allocator = &allocator});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
      std::vector<Tensor> out(1);
      Status status;
      for (Index n = first; n <= kLargest; n += n / 16 + 1) {
        const Tensor x = Tensor::Zeros<float>({n});
        status.Update(callable->Run({&x, 1}, out));
      }
      CHECK(status.ok());
      out.clear();
      return allocator.GetStats()->bytes_in_use;
    };
    const auto one = held_after(kLargest), many = held_after(1);
    CHECK(one > kLargest);
    CHECK(many <= 2 * one + (2 << 20));
  }
}
}  // namespace allocation_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/loop_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
#include <tenon/ops/string/tensor_text.hpp>
#include <tenon/register.hpp>
#include <tenon/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "graphs.hpp"
#include "heap_counter.hpp"
#include "while_graphs.hpp"

namespace loop_plan_test {
using namespace tenon;
using namespace runtime_test;

namespace {

TENON_REGISTER(Types<float>, ops::StringFormat);  // not all builds have the texts' ops

// While it lives, the plans of loops that are made are counted.
class CountsPlans {
 public:
  CountsPlans() : make_(detail::runtime_parts.loops.exchange(&Make)) {
    real_ = make_;
    made = failed = 0;
  }
  CountsPlans(const CountsPlans&) = delete;
  ~CountsPlans() { detail::runtime_parts.loops.store(make_); }

  static inline std::atomic<int> made{0}, failed{0};

 private:
  static Owned<detail::PlannedLoop> Make(const Step& cond, const Tensor& condition, Step* body,
                                         Span<const Tensor> variables) {
    Owned<detail::PlannedLoop> plan = real_(cond, condition, body, variables);
    ++(plan != nullptr ? made : failed);
    return plan;
  }
  static inline detail::MakePlannedLoop real_ = nullptr;
  detail::MakePlannedLoop make_;
};

struct Loop {
  Loop(const WhileGraph& graph, SessionOptions options) : session(Session::FromGraphDef(graph.Graph(), options)) {
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    fetches.push_back("loop:0");
    for (std::size_t v = 2; v < graph.types.size(); ++v) fetches.push_back(StrCat("loop:", v));
  }
  Result<std::vector<Tensor>> Try(std::int32_t n, const std::vector<Tensor>& x) const {
    std::vector<NamedTensor> feeds{{"n", Tensor::Scalar(n)}};
    for (std::size_t v = 0; v < x.size(); ++v) feeds.push_back({StrCat("x", v), x[v]});
    return session->Run(feeds, fetches);
  }
  std::vector<Tensor> Run(std::int32_t n, const std::vector<Tensor>& x) const {
    auto out = Try(n, x);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    return *std::move(out);
  }
  Result<Session> session;
  std::vector<std::string> fetches;
};

const SessionOptions kPlanned{.intra_op_threads = 1, .plan_after_runs = 1};
const SessionOptions kPlain{.intra_op_threads = 1, .plan_after_runs = 0};

bool Same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].dtype() != b[i].dtype() || !(a[i].shape() == b[i].shape()) || a[i].tensor_data() != b[i].tensor_data())
      return false;
  return a.size() == b.size();
}
std::vector<Tensor> Inputs(int count, float scale) {
  std::vector<Tensor> x;
  for (int v = 0; v < count; ++v) {
    const float s = scale + 0.25f * static_cast<float>(v);
    x.push_back(MakeTensor<float>({4}, {s, -s, 2 * s, 1}));
  }
  return x;
}

}  // namespace

TEST_SUITE("Planned loops") {
  TEST_CASE("begin when the shapes have stayed the same, and stay for the next run") {
    WhileGraph graph(1);
    graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
    const CountsPlans plans;
    const Loop loop(graph, {.intra_op_threads = 1, .plan_after_runs = 2});
    const Tensor x = MakeTensor<float>({2}, {1, 3});
    for (const std::int32_t n : {0, 1}) loop.Run(n, {x});
    CHECK(plans.made == 0);
    for (int run = 0; run < 3; ++run) {
      const std::vector<Tensor> out = loop.Run(10, {x});
      CHECK(out[0].scalar<std::int32_t>()() == 10);
      CHECK(out[1].flat<float>()(1) == 3072);
      CHECK(plans.made == 1);
    }
    CHECK(loop.Run(0, {x})[1].flat<float>()(1) == 3);
    CHECK(loop.Run(1, {x})[1].flat<float>()(1) == 6);
    // Another shape has another plan.
    CHECK(loop.Run(5, {MakeTensor<float>({3}, {1, 2, 3})})[1].flat<float>()(2) == 96);
    CHECK(plans.made == 2);
    CHECK(x.flat<float>()(1) == 3);
  }

  TEST_CASE("give what loops without a plan give: exchanged, copied, fixed and untouched variables") {
    for (const std::vector<std::string>& next : {std::vector<std::string>{"x1", "x0", "x2"},
                                                 {"x1", "x2", "x0"},
                                                 {"x0", "x0", "x0"},
                                                 {"sum:z:0", "sum:z:0", "x0"},
                                                 {"fixed:output:0", "sum:z:0", "fixed:output:0"},
                                                 {"x1", "sum:z:0", "same:output:0"}}) {
      WhileGraph graph(3);
      graph.body.node_def.push_back(ConstNode("fixed", MakeTensor<float>({4}, {1, 2, 3, 4})));
      graph.Add("sum", "AddV2", {"x0", "x2"}).Add("same", "Identity", {"sum:z:0"});
      for (int v = 0; v < 3; ++v) graph.Next(v, next[static_cast<std::size_t>(v)]);
      const CountsPlans plans;
      const Loop planned(graph, kPlanned), plain(graph, kPlain);
      for (const std::int32_t n : {5, 4, 1, 0, 7, 2})
        CHECK(Same(planned.Run(n, Inputs(3, 0.5f)), plain.Run(n, Inputs(3, 0.5f))));
      CHECK(plans.made + plans.failed == 1);
    }
  }

  TEST_CASE("random ones, native and lowered, on one thread and on three") {
    std::mt19937 random(20261124);
    const CountsPlans plans;
    for (int round = 0; round < 120; ++round) {
      CAPTURE(round);
      const int floats = 1 + static_cast<int>(random() % 4);
      const WhileGraph graph = RandomWhile(random, floats);
      SessionOptions lowered = kPlanned;
      lowered.lower_control_flow = LowerAllFunctionalOps;
      SessionOptions parallel = lowered;
      parallel.inter_op_threads = 3;
      parallel.executor = ExecutorKind::kDataflow;
      const Loop planned(graph, kPlanned), plain(graph, kPlain), frames(graph, lowered), threads(graph, parallel);
      for (int run = 0; run < 4; ++run) {
        const auto n = static_cast<std::int32_t>(random() % 6);
        const std::vector<Tensor> x = Inputs(floats, static_cast<float>(random() % 100) / 50);
        const std::vector<Tensor> right = plain.Run(n, x);
        REQUIRE(Same(planned.Run(n, x), right));
        REQUIRE(Same(frames.Run(n, x), right));
        REQUIRE(Same(threads.Run(n, x), right));
      }
    }
    CHECK(plans.made > 60);
  }

  TEST_CASE("results belong to the caller: no later run writes into them") {
    WhileGraph graph(1);
    graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
    const Loop loop(graph, kPlanned);
    std::vector<std::vector<Tensor>> kept;
    for (int run = 0; run < 4; ++run) kept.push_back(loop.Run(3, {Tensor::Scalar(static_cast<float>(run))}));
    for (std::size_t run = 0; run < kept.size(); ++run)
      CHECK(kept[run][1].scalar<float>()() == 8 * static_cast<float>(run));
  }

  TEST_CASE("a variable that grows is never planned") {
    WhileGraph graph(1);
    graph.body.node_def.push_back(ConstNode("axis", Tensor::Scalar(std::int32_t{0})));
    NodeDef concat = function_test::MakeNode(
        "both", "ConcatV2", {"x0", "x0", "axis:output:0"},
        {{"N", AttrValue(std::int64_t{2})}, {"T", AttrValue(DataType::kFloat)}, {"Tidx", AttrValue(DataType::kInt32)}});
    graph.body.node_def.push_back(concat);
    graph.Next(0, "both:output:0");
    const CountsPlans plans;
    const Loop loop(graph, kPlanned);
    CHECK(loop.Run(6, {MakeTensor<float>({1}, {2})})[1].NumElements() == 64);
    CHECK(plans.made == 0);
  }

  TEST_CASE("what a node without a plan makes is copied to its place, and a new shape ends the plan") {
    // x0 becomes x1 without the rows whose number is 4 or more: a size that depends on a value.
    WhileGraph graph(2);
    graph.body.node_def.push_back(ConstNode("four", Tensor::Scalar(std::int32_t{4})));
    graph.body.node_def.push_back(ConstNode("zero", MakeTensor<std::int32_t>({1}, {0})));
    graph.body.node_def.push_back(ConstNode("axis", Tensor::Scalar(std::int32_t{0})));
    graph.body.node_def.push_back(
        function_test::MakeNode("more", "Maximum", {"i", "four:output:0"}, {{"T", AttrValue(DataType::kInt32)}}));
    graph.body.node_def.push_back(
        function_test::MakeNode("size", "ExpandDims", {"more:z:0", "axis:output:0"},
                                {{"T", AttrValue(DataType::kInt32)}, {"Tdim", AttrValue(DataType::kInt32)}}));
    graph.body.node_def.push_back(
        function_test::MakeNode("part", "Slice", {"x1", "zero:output:0", "size:output:0"},
                                {{"T", AttrValue(DataType::kFloat)}, {"Index", AttrValue(DataType::kInt32)}}));
    graph.Next(0, "part:output:0");
    const CountsPlans plans;
    const Loop planned(graph, kPlanned), plain(graph, kPlain);
    const std::vector<Tensor> x{MakeTensor<float>({4}, {9, 9, 9, 9}), MakeTensor<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8})};
    for (const std::int32_t n : {3, 5, 8, 4}) CHECK(Same(planned.Run(n, x), plain.Run(n, x)));
    CHECK(plans.made >= 1);
  }

  TEST_CASE("variables that are lists of tensors go from iteration to iteration, and what lists keep is theirs") {
    // x0 is a list: x0[i] = x1 = x0[i] + x1 + x2; x2 = x1 as it was. Lists keep x1, and could keep i.
    WhileGraph graph(3);
    for (FunctionDef* f : {&graph.cond, &graph.body}) f->signature.input_arg[2].type = DataType::kVariant;
    graph.body.signature.output_arg[2].type = graph.types[2] = DataType::kVariant;
    const AttrValue of_floats(DataType::kFloat);
    graph.body.node_def.push_back(ConstNode("shape", MakeTensor<std::int32_t>({1}, {2})));
    graph.body.node_def.push_back(function_test::MakeNode("get", "TensorListGetItem", {"x0", "i", "shape:output:0"},
                                                          {{"element_dtype", of_floats}}));
    graph.Add("most", "AddV2", {"get:item:0", "x1"}).Add("sum", "AddV2", {"most:z:0", "x2"});
    graph.body.node_def.push_back(
        function_test::MakeNode("set", "TensorListSetItem", {"x0", "i", "sum:z:0"}, {{"element_dtype", of_floats}}));
    graph.Next(0, "set:output_handle:0").Next(1, "sum:z:0").Next(2, "x1");
    GraphDef with_lists = graph.Graph();
    with_lists.node.push_back(ConstNode("list_shape", MakeTensor<std::int32_t>({1}, {2})));
    with_lists.node.push_back(ConstNode("list_size", Tensor::Scalar(std::int32_t{9})));
    with_lists.node.push_back(
        function_test::MakeNode("list", "TensorListReserve", {"list_shape", "list_size"},
                                {{"element_dtype", of_floats}, {"shape_type", AttrValue(DataType::kInt32)}}));
    with_lists.node.push_back(
        function_test::MakeNode("stack", "TensorListStack", {"loop:2", "list_shape"}, {{"element_dtype", of_floats}}));
    const CountsPlans plans;
    const auto planned = Session::FromGraphDef(with_lists, kPlanned), plain = Session::FromGraphDef(with_lists, kPlain);
    REQUIRE_MESSAGE(planned.ok(), planned.status().message());
    const Tensor list = (*planned->Run({}, {"list"}))[0];
    std::vector<std::vector<Tensor>> kept, right;
    for (const std::int32_t n : {9, 4, 1, 0, 7, 9}) {
      for (const auto& [session, results] : {std::pair{&*planned, &kept}, {&*plain, &right}}) {
        auto out = session->Run({{"n", Tensor::Scalar(n)},
                                 {"x0", list},
                                 {"x1", MakeTensor<float>({2}, {1, static_cast<float>(n)})},
                                 {"x2", MakeTensor<float>({2}, {0.5f, 2})}},
                                {"stack", "loop:0", "loop:3", "loop:4"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        results->push_back(*std::move(out));
      }
    }
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(Same(kept[i], right[i]));
    CHECK(plans.made == 1);
    CHECK(plans.failed == 0);
  }

  TEST_CASE("texts go from iteration to iteration, also exchanged, until one has another shape") {
    WhileGraph graph(2);
    for (FunctionDef* f : {&graph.cond, &graph.body})
      for (const std::size_t v : {std::size_t{2}, std::size_t{3}}) f->signature.input_arg[v].type = DataType::kString;
    for (const std::size_t v : {std::size_t{2}, std::size_t{3}})
      graph.body.signature.output_arg[v].type = graph.types[v] = DataType::kString;
    const AttrValue types(SlimVector<DataType>{DataType::kString, DataType::kInt32});
    graph.body.node_def.push_back(
        function_test::MakeNode("both", "StringFormat", {"x1", "i"},
                                {{"T", types}, {"template", AttrValue("<%s %s>")}, {"placeholder", AttrValue("%s")}}));
    graph.Next(0, "both:output:0").Next(1, "x0");
    const CountsPlans plans;
    const Loop planned(graph, kPlanned), plain(graph, kPlain);
    const auto same_texts = [](const Tensor& a, const Tensor& b) {
      return a.shape() == b.shape() &&
             std::equal(a.flat<tstring>().begin(), a.flat<tstring>().end(), b.flat<tstring>().begin());
    };
    for (const std::int32_t n : {6, 3, 0, 1, 8})
      for (const std::vector<Tensor>& x :
           {std::vector<Tensor>{Tensor::Scalar(tstring("a")), Tensor::Scalar(tstring("b"))},
            {MakeTensor<tstring>({2}, {"a", "c"}), Tensor::Scalar(tstring("b"))}}) {
        const std::vector<Tensor> a = planned.Run(n, x), b = plain.Run(n, x);
        CHECK(same_texts(a[1], b[1]));
        CHECK(same_texts(a[2], b[2]));
      }
    CHECK(plans.made >= 1);
  }

  TEST_CASE("an error names its node, and the next run is right") {
    WhileGraph graph(1);
    graph.Add("left", "Sub", {"n", "i"}, {{"T", AttrValue(DataType::kInt32)}})
        .Add("minus", "Sub", {"left:z:0", "three:output:0"}, {{"T", AttrValue(DataType::kInt32)}})
        .Add("divided", "FloorDiv", {"n", "minus:z:0"}, {{"T", AttrValue(DataType::kInt32)}})
        .Add("number", "Cast", {"divided:z:0"},
             {{"SrcT", AttrValue(DataType::kInt32)}, {"DstT", AttrValue(DataType::kFloat)}})
        .Next(0, "number:y:0");
    graph.body.node_def.push_back(ConstNode("three", Tensor::Scalar(std::int32_t{3})));
    graph.body.node_def[graph.body.node_def.size() - 2].attr.erase("T");
    const Loop loop(graph, kPlanned);
    for (int run = 0; run < 3; ++run) {
      const auto bad = loop.Try(9, {Tensor::Scalar(1.0f)});
      CHECK(bad.status().code() == Code::kInvalidArgument);
      CHECK_MESSAGE(Contains(bad.status().message(), "[node 'divided', CPU:0]"), bad.status().message());
      CHECK(loop.Run(2, {Tensor::Scalar(1.0f)})[1].scalar<float>()() == -1);
    }
  }

  TEST_CASE("take no memory from the heap but for what they give") {
    WhileGraph graph(2);
    graph.Add("sum", "AddV2", {"x0", "x1"}).Next(0, "x1").Next(1, "sum:z:0");
    const Loop loop(graph, kPlanned);
    const auto callable = loop.session->MakeCallable({.feeds = {"n", "x0", "x1"}, .fetches = {"loop:2"}});
    REQUIRE(callable.ok());
    std::vector<Tensor> feeds{Tensor::Scalar(std::int32_t{20}), Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)}, out(1);
    for (int run = 0; run < 4; ++run) REQUIRE(callable->Run(feeds, out).ok());
    HeapCalls() = 0;
    Status status;
    for (int run = 0; run < 10; ++run) status.Update(callable->Run(feeds, out));
    const long calls = HeapCalls();
    CHECK(status.ok());
    CHECK(calls == 0);
    CHECK(out[0].scalar<float>()() == 10946);
  }

  TEST_CASE("a trace shows every node of every iteration, within the loop's time") {
    WhileGraph graph(1);
    graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
    const Loop loop(graph, kPlanned);
    const auto callable = loop.session->MakeCallable({.feeds = {"n", "x0"}, .fetches = {"loop:2"}});
    REQUIRE(callable.ok());
    const std::vector<Tensor> feeds{Tensor::Scalar(std::int32_t{6}), Tensor::Scalar(1.0f)};
    for (int run = 0; run < 3; ++run) {
      std::vector<Tensor> out(1);
      REQUIRE(callable->Run(feeds, out).ok());
      RunTrace trace;
      REQUIRE(callable->RunTraced(feeds, out, &trace).ok());
      CHECK(out[0].scalar<float>()() == 64);
      int sums = 0, conditions = 0;
      const NodeTiming* whole = nullptr;
      for (const NodeTiming& node : trace.nodes)
        if (node.name == "loop") whole = &node;
      REQUIRE(whole != nullptr);
      CHECK(whole->node != nullptr);
      for (const NodeTiming& node : trace.nodes) {
        if (node.node != nullptr) continue;
        sums += node.name == "sum" && node.op == "AddV2";
        conditions += node.name == "less";
        const bool within = node.start_ns >= whole->start_ns && node.end_ns <= whole->end_ns;
        CHECK(within);
      }
      CHECK(sums == 6);
      CHECK(conditions == 7);
    }
  }

  TEST_CASE("threads have plans of their own") {
    WhileGraph graph(1);
    graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
    const Loop loop(graph, kPlanned);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int run = 0; run < 100; ++run) {
          const auto out = loop.Try(5, {Tensor::Scalar(static_cast<float>(t))});
          if (!out.ok() || (*out)[1].scalar<float>()() != 32 * static_cast<float>(t))
            ++wrong[static_cast<std::size_t>(t)];
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const int n : wrong) CHECK(n == 0);
  }
}
}  // namespace loop_plan_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/planned_loop.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
#include <tenon/ops/string/tensor_text.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "base/without_extension.hpp"
#include "runtime/graphs.hpp"
#include "runtime/heap_counter.hpp"
#include "runtime/while_graphs.hpp"

namespace loop_plan_test {
using namespace tenon;
using namespace runtime_test;

namespace {

TENON_REGISTER(Types<float>, ops::StringFormat);  // not all builds have the texts' ops

// While it lives, the plans of loops that are made are counted.
class CountsPlans {
 public:
  CountsPlans() : counting_(&detail::extensions.loops, &Make) {
    real_ = counting_.value();
    made = failed = 0;
  }
  CountsPlans(const CountsPlans&) = delete;

  static inline std::atomic<int> made{0}, failed{0};

 private:
  static Owned<detail::PlannedLoop> Make(const Step* cond, const Tensor* condition, Step* body,
                                         Span<const Tensor> variables) {
    Owned<detail::PlannedLoop> plan = real_(cond, condition, body, variables);
    ++(plan != nullptr ? made : failed);
    return plan;
  }
  static inline detail::MakePlannedLoop real_ = nullptr;
  WithoutExtension<detail::MakePlannedLoop> counting_;
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

// y = For(start, limit, delta, x0, x1, ...) of body(i, x...), whose variables have the types given.
struct ForGraph {
  explicit ForGraph(SlimVector<DataType> of) : types(std::move(of)) {
    body.signature.name = "body";
    body.signature.input_arg = {function_test::Arg("i", DataType::kInt32)};
    for (std::size_t v = 0; v < types.size(); ++v) {
      body.signature.input_arg.push_back(function_test::Arg(StrCat("x", v), types[v]));
      body.signature.output_arg.push_back(function_test::Arg(StrCat("i", std::string(v, '_')), types[v]));
      body.ret.push_back({body.signature.output_arg.back().name, StrCat("x", v)});
    }
  }
  ForGraph& Add(std::string name, std::string op, std::initializer_list<std::string> inputs,
                function_test::Attrs attrs) {
    body.node_def.push_back(function_test::MakeNode(std::move(name), std::move(op), inputs, attrs));
    return *this;
  }
  ForGraph& Next(std::size_t v, const std::string& value) {
    body.ret[v].second = value;
    return *this;
  }
  GraphDef Graph() const {
    GraphDef graph;
    graph.versions.producer = 1500;
    NodeDef loop = function_test::MakeNode("y", "For", {"start", "limit", "delta"},
                                           {{"T", AttrValue(types)}, {"body", function_test::Call("body")}});
    for (const char* name : {"start", "limit", "delta"})
      graph.node.push_back(function_test::MakeNode(name, "Placeholder", {}, {{"dtype", AttrValue(DataType::kInt32)}}));
    for (std::size_t v = 0; v < types.size(); ++v) {
      graph.node.push_back(
          types[v] == DataType::kResource
              ? function_test::MakeNode(
                    StrCat("x", v), "VarHandleOp", {},
                    {{"dtype", AttrValue(DataType::kInt32)}, {"shape", AttrValue(PartialTensorShape(TensorShape()))}})
              : function_test::MakeNode(StrCat("x", v), "Placeholder", {}, {{"dtype", AttrValue(types[v])}}));
      loop.input.push_back(StrCat("x", v));
    }
    graph.node.push_back(std::move(loop));
    graph.library.function = {body};
    return graph;
  }
  FunctionDef body;
  SlimVector<DataType> types;
};
const AttrValue kFloats(DataType::kFloat), kInts(DataType::kInt32);

std::vector<NamedTensor> Range(std::int32_t start, std::int32_t limit, std::int32_t delta) {
  return {{"start", Tensor::Scalar(start)}, {"limit", Tensor::Scalar(limit)}, {"delta", Tensor::Scalar(delta)}};
}
struct Numbers {
  std::int32_t start, limit, delta;
};
const Numbers kNumbers[] = {{0, 6, 1}, {0, 6, 1}, {5, -4, -2}, {3, 3, 0}, {0, 1, 7}, {0, 20, 3}, {-3, 9, 1}};

// After the runs by which it is planned.
void CheckRunsWithoutHeap(const Callable& callable, const std::vector<Tensor>& feeds, std::vector<Tensor>* out) {
  for (int run = 0; run < 4; ++run) REQUIRE(callable.Run(feeds, *out).ok());
  HeapCalls() = 0;
  Status status;
  for (int run = 0; run < 10; ++run) status.Update(callable.Run(feeds, *out));
  const long calls = HeapCalls();
  CHECK(status.ok());
  CHECK(calls == 0);
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
    CheckRunsWithoutHeap(*callable, feeds, &out);
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
TEST_SUITE("Planned loops that count") {
  TEST_CASE("give what loops without a plan and lowered ones give") {
    // x0 += x1 * i; x1 and x2 change places; x3 becomes the number, x4 the number before.
    ForGraph graph({DataType::kFloat, DataType::kFloat, DataType::kFloat, DataType::kInt32, DataType::kInt32});
    graph.Add("number", "Cast", {"i"}, {{"SrcT", kInts}, {"DstT", kFloats}})
        .Add("part", "Mul", {"x1", "number:y:0"}, {{"T", kFloats}})
        .Add("sum", "AddV2", {"x0", "part:z:0"}, {{"T", kFloats}});
    graph.Next(0, "sum:z:0").Next(1, "x2").Next(2, "x1").Next(3, "i").Next(4, "x3");
    const CountsPlans plans;
    SessionOptions lowered = kPlain;
    lowered.lower_control_flow = LowerAllFunctionalOps;
    const auto planned = Session::FromGraphDef(graph.Graph(), kPlanned),
               plain = Session::FromGraphDef(graph.Graph(), kPlain),
               frames = Session::FromGraphDef(graph.Graph(), lowered);
    REQUIRE_MESSAGE(planned.ok(), planned.status().message());
    const std::vector<std::string> fetches{"y:0", "y:1", "y:2", "y:3", "y:4"};
    for (const Numbers& n : kNumbers) {
      CAPTURE(n.start);
      std::vector<NamedTensor> feeds = Range(n.start, n.limit, n.delta);
      const std::vector<Tensor> x = Inputs(3, 0.5f);
      for (std::size_t v = 0; v < 3; ++v) feeds.push_back({StrCat("x", v), x[v]});
      feeds.push_back({"x3", Tensor::Scalar(std::int32_t{-7})});
      feeds.push_back({"x4", Tensor::Scalar(std::int32_t{-8})});
      const auto a = planned->Run(feeds, fetches), b = plain->Run(feeds, fetches), c = frames->Run(feeds, fetches);
      REQUIRE_MESSAGE(a.ok(), a.status().message());
      REQUIRE_MESSAGE(b.ok(), b.status().message());
      REQUIRE_MESSAGE(c.ok(), c.status().message());
      CHECK(Same(*a, *b));
      CHECK(Same(*a, *c));
    }
    CHECK(plans.made == 1);
    CHECK(plans.failed == 0);
  }

  TEST_CASE("numbers that somebody keeps stay what they were") {
    // A variable keeps each number, a list all of them.
    ForGraph graph({DataType::kResource, DataType::kVariant, DataType::kFloat});
    const std::pair<std::string, AttrValue> of_ints{"dtype", kInts};
    graph.Add("before", "ReadVariableOp", {"x0"}, {of_ints})
        .Add("keep", "AssignVariableOp", {"x0", "i", "^before"}, {of_ints})
        .Add("push", "TensorListPushBack", {"x1", "i"}, {{"element_dtype", kInts}})
        .Add("number", "Cast", {"before:value:0"}, {{"SrcT", kInts}, {"DstT", kFloats}})
        .Add("sum", "AddV2", {"x2", "number:y:0"}, {{"T", kFloats}});
    graph.Next(1, "push:output_handle:0").Next(2, "sum:z:0");
    GraphDef def = graph.Graph();
    def.node.push_back(function_test::MakeNode("init", "AssignVariableOp", {"x0", "start"}, {of_ints}));
    def.node.push_back(function_test::MakeNode("kept", "ReadVariableOp", {"x0"}, {of_ints}));
    def.node.push_back(ConstNode("scalar", Tensor::Zeros<std::int32_t>({0})));
    def.node.push_back(ConstNode("none", Tensor::Scalar(std::int32_t{-1})));
    def.node.push_back(function_test::MakeNode("list", "EmptyTensorList", {"scalar", "none"},
                                               {{"element_dtype", kInts}, {"shape_type", kInts}}));
    def.node.push_back(
        function_test::MakeNode("all", "TensorListStack", {"y:1", "scalar"}, {{"element_dtype", kInts}}));
    for (const SessionOptions& options : {kPlanned, kPlain}) {
      const auto session = Session::FromGraphDef(def, options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const Tensor list = (*session->Run({}, {"list"}))[0];
      std::vector<std::pair<Tensor, std::vector<std::int32_t>>> stacks;
      for (const std::int32_t limit : {7, 9, 2, 12}) {
        std::vector<NamedTensor> feeds = Range(1, limit, 1);
        REQUIRE(session->Run(feeds, std::vector<std::string>(), std::vector<std::string>{"init"}).ok());
        feeds.push_back({"x1", list});
        feeds.push_back({"x2", Tensor::Scalar(0.0f)});
        const auto out = session->Run(feeds, std::vector<std::string>{"all", "y:2"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        std::vector<std::int32_t> numbers;
        float sum = 1;  // the first read is what "init" wrote
        for (std::int32_t i = 1; i < limit; ++i) {
          numbers.push_back(i);
          if (i + 1 < limit) sum += static_cast<float>(i);
        }
        stacks.emplace_back((*out)[0], numbers);
        CHECK((*out)[1].scalar<float>()() == sum);
        CHECK((*session->Run({}, {"kept"}))[0].scalar<std::int32_t>()() == limit - 1);
        for (const auto& [tensor, right] : stacks) {
          const auto flat = tensor.flat<std::int32_t>();
          CHECK(std::vector<std::int32_t>(flat.begin(), flat.end()) == right);
        }
      }
    }
  }

  TEST_CASE("a shape that changes ends the plan, an error names its node, a deadline ends an endless one") {
    ForGraph graph({DataType::kFloat, DataType::kInt32});
    graph.body.node_def.push_back(ConstNode("four", Tensor::Scalar(std::int32_t{4})));
    graph.body.node_def.push_back(ConstNode("zero", MakeTensor<std::int32_t>({1}, {0})));
    graph.body.node_def.push_back(ConstNode("axis", Tensor::Scalar(std::int32_t{0})));
    // The first Maximum(i, 4) elements of eight; 12 / (7 - i).
    graph.body.node_def.push_back(ConstNode("eight", MakeTensor<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8})));
    graph.body.node_def.push_back(ConstNode("seven", Tensor::Scalar(std::int32_t{7})));
    graph.body.node_def.push_back(ConstNode("twelve", Tensor::Scalar(std::int32_t{12})));
    graph.Add("more", "Maximum", {"i", "four:output:0"}, {{"T", kInts}})
        .Add("size", "ExpandDims", {"more:z:0", "axis:output:0"}, {{"T", kInts}, {"Tdim", kInts}})
        .Add("part", "Slice", {"eight:output:0", "zero:output:0", "size:output:0"}, {{"T", kFloats}, {"Index", kInts}})
        .Add("rest", "Sub", {"seven:output:0", "i"}, {{"T", kInts}})
        .Add("divided", "FloorDiv", {"twelve:output:0", "rest:z:0"}, {{"T", kInts}});
    graph.Next(0, "part:output:0").Next(1, "divided:z:0");
    const CountsPlans plans;
    const auto planned = Session::FromGraphDef(graph.Graph(), kPlanned),
               plain = Session::FromGraphDef(graph.Graph(), kPlain);
    REQUIRE_MESSAGE(planned.ok(), planned.status().message());
    const std::vector<std::string> fetches{"y:0", "y:1"};
    for (const std::int32_t limit : {3, 7, 5, 7, 4, 8, 6}) {
      std::vector<NamedTensor> feeds = Range(0, limit, 1);
      feeds.push_back({"x0", MakeTensor<float>({4}, {0, 0, 0, 0})});
      feeds.push_back({"x1", Tensor::Scalar(std::int32_t{1})});
      const auto a = planned->Run(feeds, fetches), b = plain->Run(feeds, fetches);
      CHECK(a.status() == b.status());
      if (limit == 8) {
        CHECK(a.status().code() == Code::kInvalidArgument);
        CHECK_MESSAGE(Contains(a.status().message(), "[node 'divided', CPU:0]"), a.status().message());
      } else {
        REQUIRE_MESSAGE(a.ok(), a.status().message());
        CHECK(Same(*a, *b));
      }
    }
    CHECK(plans.made >= 1);

    ForGraph endless({DataType::kInt32});
    endless.Add("sum", "Maximum", {"x0", "i"}, {{"T", kInts}}).Next(0, "sum:z:0");
    const auto session = Session::FromGraphDef(endless.Graph(), kPlanned);
    std::vector<NamedTensor> feeds =
        Range(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 1);
    feeds.push_back({"x0", Tensor::Scalar(std::int32_t{0})});
    const Status late =
        session->Run(feeds, std::vector<std::string>{"y"}, std::vector<std::string>(), {.timeout_in_ms = 30}).status();
    CHECK(late.code() == Code::kDeadlineExceeded);
    CHECK_MESSAGE(Contains(late.message(), "Loop execution was cancelled."), late.message());
  }

  TEST_CASE("take no memory from the heap but for what they give") {
    ForGraph graph({DataType::kFloat, DataType::kFloat});
    graph.Add("sum", "AddV2", {"x0", "x1"}, {{"T", kFloats}}).Next(0, "x1").Next(1, "sum:z:0");
    const auto session = Session::FromGraphDef(graph.Graph(), kPlanned);
    const auto callable = session->MakeCallable({.feeds = {"start", "limit", "delta", "x0", "x1"}, .fetches = {"y:0"}});
    REQUIRE(callable.ok());
    std::vector<Tensor> feeds, out(1);
    for (const std::int32_t n : {0, 20, 1}) feeds.push_back(Tensor::Scalar(n));
    for (int v = 0; v < 2; ++v) feeds.push_back(Tensor::Scalar(1.0f));
    CheckRunsWithoutHeap(*callable, feeds, &out);
    CHECK(out[0].scalar<float>()() == 10946);
  }

  TEST_CASE("within a planned While") {
    // while (n--) x0 = For(0, i, 1, x0) of x0 + j
    WhileGraph outer(1);
    FunctionDef inner =
        function_test::Floats("inner", {},
                              {function_test::MakeNode("number", "Cast", {"j"}, {{"SrcT", kInts}, {"DstT", kFloats}}),
                               function_test::MakeNode("sum", "AddV2", {"x", "number:y:0"}, {{"T", kFloats}})},
                              "sum:z:0");
    inner.signature.input_arg = {function_test::Arg("j", DataType::kInt32), function_test::Arg("x", DataType::kFloat)};
    outer.body.node_def.push_back(ConstNode("zero", Tensor::Scalar(std::int32_t{0})));
    outer.body.node_def.push_back(function_test::MakeNode(
        "for", "For", {"zero:output:0", "i", "one:output:0", "x0"},
        {{"T", AttrValue(SlimVector<DataType>{DataType::kFloat})}, {"body", function_test::Call("inner")}}));
    outer.Next(0, "for:output:0");
    GraphDef graph = outer.Graph();
    graph.library.function.push_back(inner);
    for (const SessionOptions& options : {kPlanned, kPlain}) {
      const auto session = Session::FromGraphDef(graph, options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (const std::int32_t n : {9, 3, 0, 12}) {
        float expected = 0.5f;
        for (std::int32_t i = 0; i < n; ++i)
          for (std::int32_t j = 0; j < i; ++j) expected += static_cast<float>(j);
        const auto out = session->Run({{"n", Tensor::Scalar(n)}, {"x0", Tensor::Scalar(0.5f)}}, {"loop:2"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[0].scalar<float>()() == expected);
      }
    }
  }
}
}  // namespace loop_plan_test

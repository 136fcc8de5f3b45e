// SPDX-License-Identifier: Apache-2.0
// Native If and While, one in another, whose bodies keep the loop's values in a variable, update it, read it and hand
// values on: with plans, without, and lowered they give the same.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "graphs.hpp"
#include "while_graphs.hpp"

namespace loops_with_variables_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::MakeNode;

namespace {

const AttrValue kFloatType(DataType::kFloat), kIntType(DataType::kInt32);
const std::pair<std::string, AttrValue> kOfFloats{"dtype", kFloatType};

// Variable `v` of the loop is a resource: what x<v> is fed with otherwise.
void MakeResource(WhileGraph* graph, std::size_t v) {
  for (FunctionDef* f : {&graph->cond, &graph->body}) f->signature.input_arg[v + 2].type = DataType::kResource;
  graph->body.signature.output_arg[v + 2].type = graph->types[v + 2] = DataType::kResource;
}
// The graph of a loop whose variable `x<v>` is a handle; "init" gives it the value fed as "start", "read" reads it.
GraphDef WithVariable(const WhileGraph& loop, std::size_t v) {
  GraphDef graph = loop.Graph();
  const std::string name = StrCat("x", v);
  for (NodeDef& node : graph.node)
    if (node.name == name)
      node = MakeNode(name, "VarHandleOp", {}, {kOfFloats, {"shape", AttrValue(PartialTensorShape({2}))}});
  graph.node.push_back(MakeNode("start", "Placeholder", {}, {kOfFloats}));
  graph.node.push_back(MakeNode("init", "AssignVariableOp", {name, "start"}, {kOfFloats}));
  graph.node.push_back(MakeNode("read", "ReadVariableOp", {name}, {kOfFloats}));
  return graph;
}

// Every iteration keeps x0, reads that back into x1 and x3, adds x1 to what is kept, and hands x1 on as x0:
// v = x0 + x1; x0, x1, x3 = x1, x0 + x3, v.
WhileGraph Keeping() {
  WhileGraph loop(4);
  MakeResource(&loop, 2);
  SlimVector<NodeDef>& body = loop.body.node_def;
  body.push_back(MakeNode("keep", "AssignVariableOp", {"x2", "x0"}, {kOfFloats}));
  body.push_back(MakeNode("kept", "ReadVariableOp", {"x2", "^keep"}, {kOfFloats}));
  body.push_back(MakeNode("more", "AssignAddVariableOp", {"x2", "x1", "^kept"}, {kOfFloats}));
  body.push_back(MakeNode("now", "ReadVariableOp", {"x2", "^more"}, {kOfFloats}));
  loop.Add("sum", "AddV2", {"kept:value:0", "x3"});
  loop.Next(0, "x1").Next(1, "sum:z:0").Next(3, "now:value:0");
  return loop;
}

// In odd turns a loop of three within the loop: v += x0; x0, x1 = x0 + x1, x0. In even ones x0 and x1 change places.
GraphDef Nested() {
  WhileGraph inner(3), outer(3);
  MakeResource(&inner, 2);
  MakeResource(&outer, 2);
  inner.cond.signature.name = "inner_cond";
  inner.body.signature.name = "inner_body";
  inner.body.node_def.push_back(MakeNode("add_to", "AssignAddVariableOp", {"x2", "x0"}, {kOfFloats}));
  inner.Add("sum", "AddV2", {"x0", "x1"}).Next(0, "sum:z:0").Next(1, "x0");

  FunctionDef yes, no;
  for (FunctionDef* branch : {&yes, &no})
    for (int v = 0; v < 3; ++v) {
      const DataType type = v == 2 ? DataType::kResource : DataType::kFloat;
      branch->signature.input_arg.push_back(function_test::Arg(StrCat("x", v), type));
      if (v < 2) branch->signature.output_arg.push_back(function_test::Arg(StrCat("y", v), type));
    }
  yes.signature.name = "yes";
  yes.node_def = {
      ConstNode("zero", Tensor::Scalar(std::int32_t{0})), ConstNode("three", Tensor::Scalar(std::int32_t{3})),
      MakeNode("inner", "While", {"zero:output:0", "three:output:0", "x0", "x1", "x2"},
               {{"T", AttrValue(inner.types)}, {"cond", Call("inner_cond")}, {"body", Call("inner_body")}})};
  yes.ret = {{"y0", "inner:output:2"}, {"y1", "inner:output:3"}};
  no.signature.name = "no";
  no.ret = {{"y0", "x1"}, {"y1", "x0"}};

  const SlimVector<DataType> given{DataType::kFloat, DataType::kFloat, DataType::kResource};
  outer.body.node_def.push_back(ConstNode("two", Tensor::Scalar(std::int32_t{2})));
  outer.body.node_def.push_back(ConstNode("none", Tensor::Scalar(std::int32_t{0})));
  outer.Add("rest", "FloorMod", {"i", "two:output:0"}, {{"T", kIntType}});
  outer.Add("odd", "NotEqual", {"rest:z:0", "none:output:0"}, {{"T", kIntType}});
  outer.body.node_def.push_back(MakeNode("if", "If", {"odd:z:0", "x0", "x1", "x2"},
                                         {{"Tcond", AttrValue(DataType::kBool)},
                                          {"Tin", AttrValue(given)},
                                          {"Tout", function_test::FloatTypes(2)},
                                          {"then_branch", Call("yes")},
                                          {"else_branch", Call("no")}}));
  outer.Next(0, "if:output:0").Next(1, "if:output:1");
  GraphDef graph = WithVariable(outer, 2);
  for (FunctionDef* f : {&inner.cond, &inner.body, &yes, &no}) graph.library.function.push_back(*f);
  return graph;
}

SlimVector<SessionOptions> Ways() {
  const SessionOptions plain{.intra_op_threads = 1, .plan_after_runs = 0};
  SessionOptions planned = plain, planned_later = plain, lowered = plain, parallel = plain;
  planned.plan_after_runs = 1;
  planned_later.plan_after_runs = 2;
  lowered.lower_control_flow = parallel.lower_control_flow = LowerAllFunctionalOps;
  parallel.inter_op_threads = 3;
  parallel.executor = ExecutorKind::kDataflow;
  return {plain, planned, planned_later, lowered, parallel};
}
Tensor Two(float a, float b) { return MakeTensor<float>({2}, {a, b}); }
std::vector<float> Values(const Tensor& t) { return {t.flat<float>().begin(), t.flat<float>().end()}; }

// The session's variable becomes `start`.
void Init(const Session& session, const Tensor& start) {
  const Status status = session.Run({{"start", start}}, {}, {"init"}).status();
  REQUIRE_MESSAGE(status.ok(), status.message());
}
std::vector<Tensor> MustRun(const Session& session, const std::vector<NamedTensor>& feeds,
                            const std::vector<std::string>& fetches) {
  auto out = session.Run(feeds, fetches);
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  return *std::move(out);
}

}  // namespace

TEST_SUITE("Loops with variables") {
  TEST_CASE("a variable keeps the loop's values, whatever becomes of them in later turns and runs") {
    for (const SessionOptions& options : Ways()) {
      const auto session = Session::FromGraphDef(WithVariable(Keeping(), 2), options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      std::vector<std::pair<Tensor, float>> kept;  // read after a run, with what it was then
      for (const std::int32_t n : {4, 6, 1, 0, 3, 9, 9}) {
        CAPTURE(n);
        const auto first = static_cast<float>(n + 1);
        const Tensor x0 = Two(first, 2), x1 = Two(3, 4), x3 = Two(0.5f, 0);
        Init(*session, Two(7, 7));
        float a = first, b = 3, d = 0.5f, v = 7;
        for (std::int32_t i = 0; i < n; ++i) {
          v = a + b;
          const float sum = a + d;
          d = v;
          a = b;
          b = sum;
        }
        const auto out = MustRun(*session, {{"n", Tensor::Scalar(n)}, {"x0", x0}, {"x1", x1}, {"x3", x3}},
                                 {"loop:2", "loop:3", "loop:5"});
        CHECK(Values(out[0])[0] == a);
        CHECK(Values(out[1])[0] == b);
        CHECK(Values(out[2])[0] == d);
        kept.emplace_back(MustRun(*session, {}, {"read"})[0], v);
        CHECK(Values(x0) == std::vector<float>{first, 2});  // what was fed is the caller's
        CHECK(Values(x1) == std::vector<float>{3, 4});
        for (const auto& [tensor, value] : kept) CHECK(Values(tensor)[0] == value);
      }
    }
  }

  TEST_CASE("a While in an If in a While updates a variable and hands values on") {
    for (const SessionOptions& options : Ways()) {
      const auto session = Session::FromGraphDef(Nested(), options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (const std::int32_t n : {5, 0, 1, 2, 7, 7}) {
        CAPTURE(n);
        Init(*session, Two(1, 1));
        float a = 1, b = 2, v = 1;
        for (std::int32_t i = 0; i < n; ++i) {
          if (i % 2 == 0) std::swap(a, b);
          for (int k = 0; i % 2 != 0 && k < 3; ++k) {
            v += a;
            b = std::exchange(a, a + b);
          }
        }
        const auto out =
            MustRun(*session, {{"n", Tensor::Scalar(n)}, {"x0", Two(1, 0)}, {"x1", Two(2, 0)}}, {"loop:2", "loop:3"});
        CHECK(Values(out[0])[0] == a);
        CHECK(Values(out[1])[0] == b);
        CHECK(Values(MustRun(*session, {}, {"read"})[0])[0] == v);
      }
    }
  }

  TEST_CASE("natively values are moved from turn to turn: one that nobody keeps is written in place") {
    // The body's sum overwrites the variable that it takes: one buffer serves all turns, and the result is in it.
    WhileGraph loop(1);
    loop.body.node_def.push_back(ConstNode("half", Tensor::Scalar(0.5f)));
    loop.Add("sum", "AddV2", {"x0", "half:output:0"}).Next(0, "sum:z:0");
    TrackingAllocator memory(CpuAllocator());
    const auto session =
        Session::FromGraphDef(loop.Graph(), {.intra_op_threads = 1, .allocator = &memory, .plan_after_runs = 0});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Tensor x = Tensor::Zeros<float>({1 << 20});
    const auto large_blocks = [&](std::int32_t n) {
      MustRun(*session, {{"n", Tensor::Scalar(n)}, {"x0", x}}, {"loop:2"});
      return memory.GetStats()->peak_bytes_in_use >> 22;
    };
    CHECK(large_blocks(1) == 1);
    CHECK(large_blocks(50) == 1);
  }
}
}  // namespace loops_with_variables_test

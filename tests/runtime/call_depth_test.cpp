// SPDX-License-Identifier: Apache-2.0
// Calls within calls in every engine, on small and large stacks: they run, or they are refused.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/lower_functional.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "base/sized_thread.hpp"
#include "graph/function_graphs.hpp"
#include "graphs.hpp"
#include "sanitizers.hpp"

namespace call_depth_test {
using namespace tenon;
using namespace function_test;
using runtime_test::Contains;
using sized_thread::OnStackOf;

namespace {

const AttrValue kFloatType(DataType::kFloat);
constexpr std::size_t kStacks[] = {std::size_t{128} << 10, std::size_t{512} << 10, std::size_t{8} << 20};

NodeDef Constant(std::string name, float x) {
  return MakeNode(std::move(name), "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(x))}});
}
GraphDef WithInput(SlimVector<FunctionDef> functions, SlimVector<NodeDef> nodes) {
  GraphDef graph;
  graph.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", kFloatType}}));
  graph.node.append(nodes.begin(), nodes.end());
  graph.library.function = std::move(functions);
  graph.versions.producer = 1000;
  return graph;
}
// sum_down(x) = x > 0 ? step(x) : zero(x), step(x) = x + sum_down(x - 1): 2 x + 2 calls within calls.
GraphDef Recursion() {
  const FunctionDef down =
      Floats("sum_down", {"x"},
             {Constant("zero", 0), MakeNode("sign", "Maximum", {"x", "zero:output:0"}, {{"T", kFloatType}}),
              MakeNode("if", "If", {"sign:z:0", "x"},
                       {{"Tcond", kFloatType},
                        {"Tin", FloatTypes(1)},
                        {"Tout", FloatTypes(1)},
                        {"then_branch", Call("step")},
                        {"else_branch", Call("zero")}})},
             "if:output:0");
  const FunctionDef step = Floats(
      "step", {"x"},
      {Constant("one", 1), MakeNode("less", "Sub", {"x", "one:output:0"}, {{"T", kFloatType}}),
       MakeNode("rest", "sum_down", {"less:z:0"}), MakeNode("sum", "AddV2", {"x", "rest:out:0"}, {{"T", kFloatType}})},
      "sum:z:0");
  const FunctionDef zero = Floats("zero", {"x"}, {Constant("zero", 0)}, "zero:output:0");
  return WithInput({down, step, zero}, {MakeNode("y", "sum_down", {"x"})});
}
// f0(x) = f1(x) + x, f1(x) = f2(x) + x...: so many calls within calls, each of another function.
GraphDef Chain(int length) {
  SlimVector<FunctionDef> functions;
  for (int i = 0; i + 1 < length; ++i)
    functions.push_back(Floats(
        StrCat("f", i), {"x"},
        {MakeNode("y", StrCat("f", i + 1), {"x"}), MakeNode("s", "AddV2", {"x", "y:out:0"}, {{"T", kFloatType}})},
        "s:z:0"));
  functions.push_back(Floats(StrCat("f", length - 1), {"x"}, {}, "x"));
  return WithInput(std::move(functions), {MakeNode("y", "f0", {"x"})});
}

enum class Engine { kSequential, kDataflow, kDevices };
constexpr Engine kEngines[] = {Engine::kSequential, Engine::kDataflow, Engine::kDevices};
const char* NameOf(Engine engine) {
  return engine == Engine::kSequential ? "sequential" : engine == Engine::kDataflow ? "dataflow" : "devices";
}
Result<float> RunOnce(const GraphDef& graph, float x, Engine engine) {
  SessionOptions options;
  if (engine == Engine::kDataflow) {
    options.executor = ExecutorKind::kDataflow;
    options.inter_op_threads = 2;
  }
  if (engine == Engine::kDevices) options.devices = {"CPU:0", "CPU:1"};
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, options));
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session.Run({{"x", Tensor::Scalar(x)}}, {"y"}));
  return out[0].scalar<float>()();
}

}  // namespace

TEST_SUITE("calls within calls") {
  TEST_CASE("a recursion up to the limit runs or is refused on any stack") {
    const GraphDef graph = Recursion();
    for (const std::size_t stack : kStacks) {
      for (const Engine engine : kEngines) {
        Result<float> shallow = errors::Internal(""), deep = shallow, deeper = shallow;
        OnStackOf(stack, [&] {
          shallow = RunOnce(graph, 1, engine);
          deep = RunOnce(graph, 499, engine);
          deeper = RunOnce(graph, 500, engine);
        });
        REQUIRE_MESSAGE(shallow.ok(), NameOf(engine), " ", stack, ": ", shallow.status().ToString());
        CHECK(*shallow == 1);
        if (deep.ok()) {
          CHECK(*deep == 124750);
        } else {
          CHECK(deep.status().code() == Code::kResourceExhausted);
          CHECK(Contains(deep.status().message(), "KiB of stack left; a recursion must end"));
        }
        if (stack >= std::size_t{8} << 20 && !TENON_TEST_ASAN) CHECK_MESSAGE(deep.ok(), deep.status().ToString());
        CHECK(deeper.status().code() == Code::kResourceExhausted);
        CHECK(Contains(deeper.status().message(), "a recursion must end"));
      }
    }
  }

  TEST_CASE("a chain of functions, each built within the calls of those before it") {
    for (const int length : {5, 70, 1000}) {
      const GraphDef graph = Chain(length);
      for (const std::size_t stack : kStacks) {
        for (const Engine engine : kEngines) {
          Result<float> result = errors::Internal("");
          OnStackOf(stack, [&] { result = RunOnce(graph, 1, engine); });
          const bool must_run = length == 5 || (stack >= std::size_t{8} << 20 && !TENON_TEST_ASAN);
          CHECK_MESSAGE((must_run ? result.ok() : result.ok() || errors::IsResourceExhausted(result.status())),
                        NameOf(engine), " ", length, " on ", stack, ": ", result.status().ToString());
          if (result.ok()) CHECK(*result == static_cast<float>(length));
        }
      }
    }
  }

  TEST_CASE("an error in many calls names the innermost nodes and the outermost") {
    // The innermost function divides whole numbers by zero.
    const auto fail_in = [](int length) {
      GraphDef graph = Chain(length);
      FunctionDef& last = graph.library.function.back();
      last.node_def = {MakeNode("message", "Const", {},
                                {{"dtype", AttrValue(DataType::kString)},
                                 {"value", AttrValue(Tensor::Scalar(tstring("it broke")))}}),
                       MakeNode("no", "Const", {},
                                {{"dtype", AttrValue(DataType::kBool)}, {"value", AttrValue(Tensor::Scalar(false))}}),
                       MakeNode("check", "Assert", {"no:output:0", "message:output:0"},
                                {{"T", AttrValue(SlimVector<DataType>{DataType::kString})}})};
      last.signature.is_stateful = true;
      const Status status = RunOnce(graph, 1, Engine::kSequential).status();
      CHECK(errors::IsInvalidArgument(status));
      return std::string(status.message());
    };
    const auto count = [](std::string_view text, std::string_view part) {
      int found = 0;
      for (std::size_t i = text.find(part); i != text.npos; i = text.find(part, i + 1)) ++found;
      return found;
    };
    const std::string few = fail_in(9), many = fail_in(200);
    CHECK_MESSAGE(count(few, " [node '") == 10, few);
    CHECK_FALSE(Contains(few, "..."));
    CHECK(Contains(many, "it broke"));
    CHECK(Contains(many, "[node 'check', CPU:0] [node 'y', CPU:0]"));
    CHECK_MESSAGE(count(many, " [node '") == 9, many);
    CHECK_MESSAGE(Contains(many, "CPU:0] [... 192 calls ...] [node 'y', CPU:0]"), many);
  }

  TEST_CASE("a recursion whose attrs grow with every call is refused") {
    // f(x){F} = f(x){F = g[h=$F]}
    FunctionDef grow = Floats("grow", {"x"}, {}, "next:output:0");
    OpDef::AttrDef attr;
    attr.name = "F";
    attr.type = "func";
    grow.signature.attr = {attr};
    grow.node_def = {MakeNode("next", "PartitionedCall", {"x"},
                              {{"Tin", FloatTypes(1)},
                               {"Tout", FloatTypes(1)},
                               {"f", Call("grow", {{"F", Call("g", {{"h", Placeholder("F")}})}})}})};
    const GraphDef graph = WithInput(
        {grow}, {MakeNode("y", "PartitionedCall", {"x"},
                          {{"Tin", FloatTypes(1)}, {"Tout", FloatTypes(1)}, {"f", Call("grow", {{"F", Call("g")}})}})});
    for (const bool lowered : {false, true}) {
      SessionOptions options;
      if (lowered) options.lower_control_flow = LowerAllFunctionalOps;
      Status status;
      OnStackOf(std::size_t{1} << 20, [&] {
        Result<Session> session = Session::FromGraphDef(graph, options);
        status = session.ok() ? session->Run({{"x", Tensor::Scalar(1.0f)}}, {"y"}).status() : session.status();
      });
      CHECK(errors::IsInvalidArgument(status));
      CHECK_MESSAGE(Contains(status.message(), "nested more than 32 deep"), status.ToString());
    }
  }
}
}  // namespace call_depth_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/endpoints.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/import.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "runtime/graphs.hpp"

namespace program_ends_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("The ends of a program") {
  TEST_CASE("the output of any node can be fed instead of being computed") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto out = session->Run({{"y", MakeTensor<float>({1}, {7})}}, {"z"});
    REQUIRE(out.ok());
    CHECK((*out)[0].flat<float>()(0) == 49);
    const auto constant = session->Run({{"x", MakeTensor<float>({1}, {1})}, {"one", Tensor::Scalar(10.0f)}}, {"y"});
    REQUIRE(constant.ok());
    CHECK((*constant)[0].flat<float>()(0) == 11);
  }
  TEST_CASE("what is fed in the place of a lowered node goes to its readers") {
    const auto float_list = function_test::FloatTypes(1);
    const AttrValue is_float(DataType::kFloat), none(Tensor::Scalar(0.0f));
    GraphDef graph;
    graph.versions.producer = 1500;
    graph.library.function = {
        function_test::Floats("more", {"x"},
                              {function_test::MakeNode("zero", "Const", {}, {{"dtype", is_float}, {"value", none}}),
                               function_test::MakeNode("l", "Less", {"x", "zero:output:0"}, {{"T", is_float}})},
                              "l:z:0", DataType::kBool),
        function_test::Floats("negative", {"x"}, {function_test::MakeNode("n", "Neg", {"x"}, {{"T", is_float}})},
                              "n:y:0"),
        function_test::Floats("same", {"x"}, {}, "x")};
    const std::pair<std::string, AttrValue> in{"Tin", float_list}, out{"Tout", float_list};
    graph.node = {
        function_test::MakeNode("x", "Placeholder", {}, {{"dtype", is_float}}),
        function_test::MakeNode("p", "Placeholder", {}, {{"dtype", AttrValue(DataType::kBool)}}),
        function_test::MakeNode("if", "If", {"p", "x"},
                                {{"Tcond", AttrValue(DataType::kBool)},
                                 in,
                                 out,
                                 {"then_branch", function_test::Call("negative")},
                                 {"else_branch", function_test::Call("same")}}),
        function_test::MakeNode(
            "loop", "While", {"x"},
            {{"T", float_list}, {"cond", function_test::Call("more")}, {"body", function_test::Call("negative")}}),
        function_test::MakeNode("call", "PartitionedCall", {"x"}, {in, out, {"f", function_test::Call("negative")}})};
    for (const char* name : {"if", "loop", "call"})
      graph.node.push_back(function_test::MakeNode(StrCat(name, "_twice"), "AddV2", {name, name}, {{"T", is_float}}));
    for (const GraphPass lower : {GraphPass(nullptr), GraphPass(&LowerForDevices), GraphPass(&LowerAllFunctionalOps)}) {
      const auto session = Session::FromGraphDef(graph, {.lower_control_flow = lower});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (const std::string name : {"if", "loop", "call"}) {
        const std::vector<NamedTensor> fed{{name, Tensor::Scalar(5.0f)}},
            all{{"x", Tensor::Scalar(-2.0f)}, {"p", Tensor::Scalar(true)}};
        const std::vector<std::string> fetches{name + "_twice", name + ":0"};
        for (int round = 0; round < 2; ++round) {
          const auto given = session->Run(fed, std::vector<std::string>{name + "_twice"});
          REQUIRE_MESSAGE(given.ok(), given.status().message());
          CHECK((*given)[0].scalar<float>()() == 10);
          const auto made = session->Run(all, fetches);
          REQUIRE_MESSAGE(made.ok(), made.status().message());
          CHECK((*made)[0].scalar<float>()() == 4);
          CHECK((*made)[1].scalar<float>()() == 2);
        }
      }
    }
  }
  TEST_CASE("runs a target without fetching") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto out = session->Run({{"x", MakeTensor<float>({1}, {1})}}, {}, {"y:0"});
    REQUIRE(out.ok());
    CHECK(out->empty());
  }
  TEST_CASE("are found with TensorFlow's errors where there is none of that name") {
    const Result<Graph> graph = ImportGraphDef(SmallGraph().graph_def(), Registry::Global().ops());
    REQUIRE(graph.ok());
    const auto find = [&](std::vector<std::string> feeds, std::vector<std::string> fetches,
                          std::vector<std::string> targets = {}) {
      detail::ProgramEnds ends;
      return detail::FindEnds(*graph, feeds, fetches, targets, &ends);
    };
    CHECK(find({"x"}, {"y:0"}, {"z"}).ok());
    CHECK(find({"x"}, {"x:0"}).ok());  // as they are written
    CHECK(find({"x"}, {"x"}).message() == "x is both fed and fetched.");
    CHECK(find({"x", "x"}, {"y"}).message() == "Endpoint \"x\" fed more than once.");
    CHECK(find({"x"}, {}).message() == "Must specify at least one target to fetch or execute.");
    CHECK(find({}, {"y:1"}).code() == Code::kOutOfRange);
    CHECK(find({}, {"yy"}).code() == Code::kInvalidArgument);
    CHECK(find({}, {}, {"yy"}).code() == Code::kNotFound);
    detail::ProgramEnds ends;
    CHECK(detail::FindEnds(*graph, std::vector<std::string>{"x"}, std::vector<std::string>{"z"}, {}, &ends).ok());
    CancellationManager cancellation;
    cancellation.StartCancel();
    const auto code = [&](std::vector<std::string> feeds) {
      return detail::FindEnds(*graph, feeds, std::vector<std::string>{"z"}, {}, &ends, &cancellation).code();
    };
    CHECK(code({"x"}) == Code::kCancelled);
    CHECK(code({}) == Code::kCancelled);
    CHECK(ends.feeds[0].node == graph->Find("x")->id);
    CHECK(ends.fetches[0].node == graph->Find("z")->id);
  }
}
}  // namespace program_ends_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program_ends.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/session.hpp>

#include "graphs.hpp"

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
    CHECK(ends.feeds[0].node == graph->Find("x")->id);
    CHECK(ends.fetches[0].node == graph->Find("z")->id);
  }
}
}  // namespace program_ends_test

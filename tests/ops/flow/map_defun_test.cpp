// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/map_defun.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops/support.hpp"

namespace flow_map_defun_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("MapDefun") {
  TEST_CASE("a function for each row") {
    const Result<GraphDef> graph = ParseTextGraphDef(R"(
        node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
        node { name: "y" op: "MapDefun" input: "x" input: "x"
          attr { key: "f" value { func { name: "f" } } }
          attr { key: "Targuments" value { list { type: DT_FLOAT } } }
          attr { key: "Tcaptured" value { list { type: DT_FLOAT } } }
          attr { key: "output_types" value { list { type: DT_FLOAT } } }
          attr { key: "output_shapes" value { list { shape { dim { size: -1 } } } } } }
        library { function {
          signature { name: "f" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "b" type: DT_FLOAT }
                      output_arg { name: "y" type: DT_FLOAT } }
          node_def { name: "s" op: "AddV2" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
          ret { key: "y" value: "s:z:0" } } })");
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
    const Result<Session> session = Session::FromGraphDef(*graph);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto run = [&](const Tensor& x) { return session->Run({{"x:0", x}}, {"y:0"}); };
    const Result<std::vector<Tensor>> got = run(Make<float>({2}, {1, 10}));
    REQUIRE_MESSAGE(got.ok(), got.status().message());
    CHECK((*got)[0].SummarizeValue(9) == "[2 11][11 20]");
    CHECK(run(Tensor::Scalar(1.0f)).status().code() == Code::kInvalidArgument);
    CHECK(run(Make<float>({0}, {0})).status().code() == Code::kInternal);
    CHECK(run(Make<float>({2, 2}, {1})).status().code() == Code::kInvalidArgument);
  }
}
}  // namespace flow_map_defun_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/check_kernels.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "runtime/graphs.hpp"

namespace check_kernels_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("CheckKernels") {
  TEST_CASE("a session with all kernels is made") {
    CHECK(Session::FromGraph(SmallGraph(), {.check_kernels = true}).ok());
  }
  TEST_CASE("all missing kernels are named when the session is made, also in functions") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kQint8);
    b.Add("Relu", "y", {x});
    b.Add("Relu", "z", {x});
    b.Add("Neg", "fine", {b.Placeholder("f", DataType::kFloat)});
    GraphDef graph = b.graph_def();
    graph.library.function = {function_test::Floats(
        "unused", {"x"},
        {function_test::MakeNode("c", "Cast", {"x"},
                                 {{"SrcT", AttrValue(DataType::kFloat)}, {"DstT", AttrValue(DataType::kQint8)}}),
         function_test::MakeNode("r", "Relu", {"c:y:0"}, {{"T", AttrValue(DataType::kQint8)}}),
         function_test::MakeNode("n", "Neg", {"x"}, {{"T", AttrValue(DataType::kFloat)}})},
        "n:y:0")};
    CHECK(Session::FromGraphDef(graph).ok());
    const Status s = Session::FromGraphDef(graph, {.check_kernels = true}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(Contains(s.message(), "no kernel for op 'Relu' on CPU with types {qint8}"), s.message());
    CHECK_MESSAGE(Contains(s.message(), "needed by node 'y' and 2 more"), s.message());
    CHECK_FALSE(Contains(s.message(), "'Neg'"));
    graph.node.clear();
    const Status in_function = Session::FromGraphDef(graph, {.check_kernels = true}).status();
    CHECK_MESSAGE(Contains(in_function.message(), "needed by node 'r' of function 'unused'"), in_function.message());
  }
}
}  // namespace check_kernels_test

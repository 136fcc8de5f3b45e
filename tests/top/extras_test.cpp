// SPDX-License-Identifier: Apache-2.0
#include <tenon/extras.hpp>

#include <string>
#include <vector>

#include <tenon/io/read_graph.hpp>
#include <tenon/runtime.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace extras_test {
using namespace tenon;

TEST_CASE("extras.hpp has a pool for other threads, parts and hashes of graphs, and functions without graphs") {
  ExecutorPool pool(2, [](PoolTask task) { task(); });
  CHECK(pool.NumThreads() == 2);
  auto def = ReadGraphFile(TENON_TEST_DATA "/models/mlp_digits/graph.pb");
  REQUIRE_MESSAGE(def.ok(), def.status().ToString());
  auto graph = ImportGraphDef(*std::move(def), Registry::Global().ops());
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  const std::string wanted[] = {graph->nodes().back().name()};
  auto part = ExtractSubgraph(*graph, wanted);
  REQUIRE_MESSAGE(part.ok(), part.status().ToString());
  const auto again = ImportGraphDef(*std::move(part), Registry::Global().ops());
  REQUIRE_MESSAGE(again.ok(), again.status().ToString());
  CHECK(again->num_nodes() <= graph->num_nodes());
  CHECK((GraphHash(*again) == GraphHash(*graph)) == (again->num_nodes() == graph->num_nodes()));
  FunctionLibraryDefinition library(Registry::Global().ops());
  REQUIRE(library.AddFunctionDef(function_test::Floats("same", {"x"}, {}, "x")).ok());
  FunctionLibraryRuntime functions(&library, {.intra_op_pool = &pool});
  FunctionLibraryRuntime::Handle same = 0;
  REQUIRE(functions.Instantiate("same", {}, {}, &same).ok());
  const Tensor x = Tensor::Scalar(2.0f);
  CHECK((*functions.Run(same, {&x, 1}))[0].scalar<float>()() == 2);
}
}  // namespace extras_test

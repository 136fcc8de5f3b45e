// SPDX-License-Identifier: Apache-2.0
// What ReadGraphFile reads and refuses is in tests/io/graph_file_test.cpp.
#include <tenon/io/read_graph.hpp>

#include <doctest/doctest.h>

#include <string>

#include <without.hpp>

namespace read_graph_test {
using namespace tenon;

TEST_CASE("ReadGraphFile alone reads a frozen model") {
  const Result<GraphDef> graph = ReadGraphFile(std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb");
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  CHECK(graph->node.size() > 5);
  CHECK(graph->library.empty());
}
TEST_CASE("ReadGraphFile knows a SavedModel by its name, without the header that recognizes files") {
  const Without no_advice(&detail::extensions.describe_file);
  const std::string folder = std::string(TENON_TEST_DATA) + "/saved_models/keras_lstm";
  const Status of_folder = ReadGraphFile(folder).status(), of_file = ReadGraphFile(folder + "/saved_model.pb").status();
  CHECK(of_folder.code() == Code::kFailedPrecondition);
  CHECK(of_folder.message().ends_with("; it is a folder, and SavedModel::Load reads the folder of a SavedModel"));
  CHECK_FALSE(of_file.ok());
  CHECK(of_file.message().ends_with("; it is a SavedModel's; SavedModel::Load reads the folder of a SavedModel"));
  CHECK(ReadGraphFile("/no/such/graph.pb").status().message() ==
        "MappedFile: '/no/such/graph.pb': No such file or directory");
}
}  // namespace read_graph_test

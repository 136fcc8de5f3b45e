// SPDX-License-Identifier: Apache-2.0
// What ReadGraphFile reads and refuses is in tests/io/graph_file_test.cpp.
#include <tenon/io/read_graph.hpp>

#include <doctest/doctest.h>

#include <string>

#include <temp_folder.hpp>
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
TEST_CASE("ReadGraphFile knows common mistakes by their first bytes") {
  const Without no_advice(&detail::extensions.describe_file);
  const struct {
    std::string bytes, said;
  } kFiles[] = {{"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
                 "a pointer of Git LFS; fetch the file with `git lfs pull`"},
                {"PK\x03\x04 and more", "; it is a zip or Keras file; export a model with model.export(folder)"},
                {"\x89HDF\r\n\x1a\n", "; it is a zip or Keras file; export a model with model.export(folder)"},
                {"<!DOCTYPE html>", "; it is a web page or XML; download the file again"},
                {"\xff\xff\xff\xff", "; include <tenon/io/recognize.hpp> to see what the file is"}};
  const TempFolder folder;
  const std::string path = folder.path() + "/file";
  for (const auto& [bytes, said] : kFiles) {
    REQUIRE(WriteFile(path, bytes).ok());
    const Status status = ReadGraphFile(path).status();
    CHECK_FALSE(status.ok());
    CHECK_MESSAGE(status.message().ends_with(said), status.message());
    CHECK_FALSE(status.message().find(path) == status.message().npos);
  }
}
}  // namespace read_graph_test

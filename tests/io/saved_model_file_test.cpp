// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/saved_model_file.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "temp_folder.hpp"
#include "without.hpp"

namespace saved_model_file_test {
using namespace tenon;

namespace {

// Two graphs: one node each, "a" with the tag serve, "b" with serve and gpu.
SavedModelDef TwoGraphs() {
  SavedModelDef def;
  def.saved_model_schema_version = 1;
  for (const std::string_view name : {"a", "b"}) {
    MetaGraphDef& meta_graph = def.meta_graphs.emplace_back();
    NodeDef& node = meta_graph.graph_def.node.emplace_back();
    node.name = std::string(name);
    node.op = "NoOp";
    meta_graph.meta_info_def.tags.push_back("serve");
  }
  def.meta_graphs[1].meta_info_def.tags.push_back("gpu");
  return def;
}
Result<MetaGraphDef> Take(const std::vector<std::string>& tags) { return TakeMetaGraph(TwoGraphs(), tags, "models/m"); }
bool Says(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }

}  // namespace

TEST_SUITE("SavedModel files") {
  TEST_CASE("the binary file is read, and the text where that is missing") {
    const Without no_advice(&detail::extensions.describe_file);
    const TempFolder folder;
    const Status missing = ReadSavedModelFile(folder.path()).status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(Says(missing, "Could not find SavedModel .pb or .pbtxt at supplied export directory path: " + folder.path()));
    CHECK(Says(missing, "neither saved_model.pb nor saved_model.pbtxt is in the folder"));
    REQUIRE(WriteFile(folder / "saved_model.pbtxt", SavedModelDefToText(TwoGraphs())).ok());
    Result<SavedModelDef> read = ReadSavedModelFile(folder.path());
    REQUIRE(read.ok());
    CHECK(read->meta_graphs.size() == 2);
    SavedModelDef one = TwoGraphs();
    one.meta_graphs.pop_back();
    REQUIRE(WriteFile(folder / "saved_model.pb", SerializeSavedModelDef(one)).ok());
    read = ReadSavedModelFile(folder.path() + "/");
    REQUIRE(read.ok());
    CHECK(read->meta_graphs.size() == 1);
  }
  TEST_CASE("no folder, and a file in its place") {
    const Without no_advice(&detail::extensions.describe_file);
    const TempFolder folder;
    CHECK(Says(ReadSavedModelFile(folder / "none").status(), "there is no such folder"));
    REQUIRE(WriteFile(folder / "file", "x").ok());
    const Status status = ReadSavedModelFile(folder / "file").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(Says(status, "it is a file"));
  }
  TEST_CASE("damaged files have TensorFlow's codes and name the file") {
    const TempFolder folder;
    const std::string path = folder / "saved_model.pb", bytes = SerializeSavedModelDef(TwoGraphs());
    REQUIRE(WriteFile(path, std::string_view(bytes).substr(0, bytes.size() - 5)).ok());
    Status status = ReadSavedModelFile(folder.path()).status();
    CHECK(status.code() == Code::kOutOfRange);
    CHECK(Says(status, path));
    CHECK(Says(status, "offset"));
    REQUIRE(WriteFile(path, "this is not a protocol buffer").ok());
    status = ReadSavedModelFile(folder.path()).status();
    CHECK(status.code() == Code::kDataLoss);
    CHECK(Says(status, "Can't parse '" + path + "' as binary proto"));
    REQUIRE(WriteFile(path, "").ok());
    CHECK(ReadSavedModelFile(folder.path())->meta_graphs.empty());
  }
  TEST_CASE("a text that ends too early, and one with a mistake in it") {
    const TempFolder folder;
    const std::string path = folder / "saved_model.pbtxt";
    REQUIRE(WriteFile(path, "saved_model_schema_version: 1\nmeta_graphs {\n  graph_def {\n  }\n\n").ok());
    Status status = ReadSavedModelFile(folder.path()).status();
    CHECK(status.code() == Code::kOutOfRange);
    CHECK(Says(status, path + ":"));
    REQUIRE(WriteFile(path, "saved_model_schema_version: 1\nno_such_field { }\nmeta_graphs { }\n").ok());
    status = ReadSavedModelFile(folder.path()).status();
    CHECK(status.code() == Code::kDataLoss);
    CHECK(Says(status, path + ":2:1"));
  }
  TEST_CASE("tags are a set") {
    CHECK(Take({"serve"})->graph_def.node[0].name == "a");
    CHECK(Take({"gpu", "serve"})->graph_def.node[0].name == "b");
    CHECK(Take({"serve", "gpu", "serve"})->graph_def.node[0].name == "b");
    for (const std::vector<std::string>& tags : {std::vector<std::string>{}, {"gpu"}, {"serve", "gpu", "tpu"}})
      CHECK(Take(tags).status().code() == Code::kNotFound);
    const Status status = Take({"tpu", "serve"}).status();
    CHECK(Says(status, "Could not find meta graph def matching supplied tags: { serve tpu }"));
    CHECK(Says(status, "'models/m' has { serve }, { gpu serve }"));
    CHECK(Says(TakeMetaGraph(SavedModelDef(), {}, "m").status(), "'m' has no graph"));
  }
}
}  // namespace saved_model_file_test

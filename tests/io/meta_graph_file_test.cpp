// SPDX-License-Identifier: Apache-2.0
// tenon_golden --checkpoints restores with TensorFlow's file.
#include <tenon/io/meta_graph_file.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <temp_folder.hpp>

namespace meta_graph_file_test {
using namespace tenon;

namespace {

const std::string kFile = TENON_TEST_DATA "/files/checkpoints/tf1_adam/model-1.meta";

MetaGraphDef Read(const std::string& path) {
  Result<MetaGraphDef> meta_graph = ReadMetaGraphFile(path);
  REQUIRE_MESSAGE(meta_graph.ok(), meta_graph.status().ToString());
  return *std::move(meta_graph);
}

}  // namespace

TEST_SUITE("MetaGraph files") {
  TEST_CASE("TensorFlow's file") {
    const MetaGraphDef meta_graph = Read(kFile);
    CHECK(meta_graph.saver_def.restore_op_name == "save/restore_all");
    CHECK(meta_graph.saver_def.version == SaverDef::Version::kV2);
    CHECK(meta_graph.graph_def.node.size() == 90);
    CHECK((*CollectionNames(meta_graph, "train_op"))[0] == "Adam");
    const Result<SlimVector<VariableDef>> variables = ReadCollection<VariableDef>(meta_graph, "variables");
    REQUIRE(variables.ok());
    REQUIRE(variables->size() == 6);
    CHECK((*variables)[0].variable_name == "w:0");
    CHECK((*variables)[0].trainable);
    CHECK((*ReadCollection<VariableDef>(meta_graph, "global_step"))[0].aggregation ==
          VariableAggregation::kOnlyFirstReplica);
  }

  TEST_CASE("written binary and as text, and read again") {
    const TempFolder folder;
    const MetaGraphDef meta_graph = Read(kFile);
    const std::string text = MetaGraphDefToText(meta_graph);
    for (const bool as_text : {false, true}) {
      CAPTURE(as_text);
      const std::string path = folder / "new/folder/m.meta";
      REQUIRE(WriteMetaGraphFile(path, meta_graph, as_text).ok());
      const Result<MappedFile> file = MappedFile::Open(path);
      REQUIRE(file.ok());
      CHECK((wire::AsText(file->bytes()).find("saver_def {") != std::string_view::npos) == as_text);
      CHECK(MetaGraphDefToText(Read(path)) == text);
      CHECK(MetaGraphDefToText(*ReadMetaGraphFile(path, FileAccess::kRead)) == text);
    }
  }

  TEST_CASE("import with a scope and without devices") {
    const TempFolder folder;
    MetaGraphDef meta_graph = Read(kFile);
    meta_graph.graph_def.node[0].device = "/device:GPU:0";
    REQUIRE(WriteMetaGraphFile(folder / "m.meta", meta_graph).ok());
    CHECK(ImportMetaGraph(folder / "m.meta")->graph_def.node[0].device == "/device:GPU:0");
    const Result<MetaGraphDef> imported =
        ImportMetaGraph(folder / "m.meta", {.clear_devices = true, .import_scope = "net"});
    REQUIRE_MESSAGE(imported.ok(), imported.status().ToString());
    CHECK(imported->graph_def.node[0].device == "");
    CHECK(imported->graph_def.node[0].name == "net/w/Initializer/initial_value");
    CHECK(imported->saver_def.filename_tensor_name == "net/save/Const:0");
    CHECK((*ReadCollection<VariableDef>(*imported, "variables"))[0].snapshot_name == "net/w/Read/ReadVariableOp:0");
    CHECK(ImportMetaGraph(folder / "m.meta", {.import_scope = "/"}).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("files that are missing or wrong") {
    const TempFolder folder;
    CHECK(ReadMetaGraphFile(folder / "none").status().code() == Code::kNotFound);
    REQUIRE(WriteFile(folder / "m", "\xff\xff").ok());
    const Status binary = ReadMetaGraphFile(folder / "m").status();
    CHECK(binary.code() == Code::kDataLoss);
    CHECK(binary.message().find(folder / "m") != std::string_view::npos);
    REQUIRE(WriteFile(folder / "m", "saver_def { name: 1 }").ok());
    const Status text = ReadMetaGraphFile(folder / "m").status();
    CHECK(text.code() == Code::kInvalidArgument);
    CHECK(text.message().find(StrCat(folder / "m", ":1:13: ")) == 0);
    REQUIRE(WriteFile(folder / "m", "\n saver_def { restore_op_name: 'r' }").ok());
    CHECK(Read(folder / "m").saver_def.restore_op_name == "r");
    REQUIRE(WriteFile(folder / "m", "").ok());
    CHECK(Read(folder / "m").graph_def.node.empty());
  }
}
}  // namespace meta_graph_file_test

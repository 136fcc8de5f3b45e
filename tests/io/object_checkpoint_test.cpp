// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/object_checkpoint.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/io/bundle_writer.hpp>

#include <temp_folder.hpp>

namespace object_checkpoint_test {
using namespace tenon;

namespace {

ObjectCheckpoint Open(const std::string& prefix) {
  Result<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open(prefix);
  REQUIRE_MESSAGE(checkpoint.ok(), checkpoint.status().ToString());
  return *std::move(checkpoint);
}
// Writes a graph and tensors of its keys, all 7.
void Save(const std::string& prefix, const TrackableObjectGraph& graph, std::initializer_list<std::string> keys) {
  const std::string bytes = SerializeTrackableObjectGraph(graph);
  BundleWriter writer(prefix);
  REQUIRE(writer.Open().ok());
  for (const std::string& key : keys) REQUIRE(writer.Add(key, Tensor::Scalar(7)).ok());
  REQUIRE(writer.Add("_CHECKPOINTABLE_OBJECT_GRAPH", Tensor::Scalar(std::string_view(bytes))).ok());
  REQUIRE(writer.Finish().ok());
}

}  // namespace

TEST_SUITE("ObjectCheckpoint") {
  TEST_CASE("names are escaped") {
    CHECK(EscapeObjectName("b/slash") == "b.Sslash");
    CHECK(EscapeObjectName(".x.") == "..x..");
    CHECK(EscapeObjectName("S/S") == "S.SS");
    for (const char* name : {"", "plain", "a/b", "a.b", "./..//", ".S", "S."})
      CHECK(*UnescapeObjectName(EscapeObjectName(name)) == name);
    for (const char* escaped : {"a/b", ".", "a.b", "...", ".ATTRIBUTES"})
      CHECK(UnescapeObjectName(escaped).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("TensorFlow's checkpoint, by every path that leads to a tensor") {
    ObjectCheckpoint checkpoint = Open(TENON_TEST_DATA "/files/checkpoints/object_based/ckpt-2");
    CHECK(checkpoint.graph().nodes.size() == 10);
    const char* const paths[] = {"again", "step", "save_counter", "net/layers/1", "net/table/a", "net/table/b.Sslash"};
    REQUIRE(checkpoint.tensors().size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
      const ObjectTensor& tensor = checkpoint.tensors()[i];
      CHECK(tensor.path == paths[i]);
      CHECK(tensor.attribute == "VARIABLE_VALUE");
      CHECK(tensor.key == StrCat(paths[i], "/.ATTRIBUTES/VARIABLE_VALUE"));
      CHECK(tensor.slot_name == "");
      const Result<Tensor> read = checkpoint.Read(paths[i]);
      REQUIRE(read.ok());
      CHECK(read->dtype() == tensor.dtype);
      CHECK(read->shape() == tensor.shape);
    }
    CHECK(checkpoint.tensors()[2].full_name == "save_counter");
    CHECK(checkpoint.Read("save_counter")->scalar<std::int64_t>()() == 2);
    CHECK(*checkpoint.Find("net/layers/0") == *checkpoint.Find("again"));
    CHECK((*checkpoint.Find("net/layers/0/.ATTRIBUTES/VARIABLE_VALUE"))->node == 1);
    CHECK(checkpoint.Find("net/table/b/slash").status().ToString() ==
          "NOT_FOUND: ObjectCheckpoint: no object 'net/table/b/slash': 'net/table/b' is not in the checkpoint");
    CHECK(checkpoint.Find("net").status().code() == Code::kNotFound);
    CHECK(checkpoint.Find("").status().code() == Code::kNotFound);
    CHECK(checkpoint.Find("step/.ATTRIBUTES/OTHER").status().code() == Code::kNotFound);
    CHECK(checkpoint.reader().Read("step/.ATTRIBUTES/VARIABLE_VALUE").ok());
  }

  TEST_CASE("slot variables, tables and objects with several tensors") {
    TrackableObjectGraph graph;
    graph.nodes.resize(5);
    graph.nodes[0].children = {{1, "w"}, {2, "opt"}, {3, "table"}, {0, "me"}, {1, "a.b"}};
    graph.nodes[1].attributes.push_back({"VARIABLE_VALUE", "w", "w_key"});
    graph.nodes[2].slot_variables.push_back({1, "m", 4});
    graph.nodes[2].children = {{0, "owner"}};
    graph.nodes[3].attributes.push_back({"table", "", "table_key"});
    graph.nodes[3].attributes.push_back({"gone", "", "gone_key"});
    graph.nodes[4].attributes.push_back({"VARIABLE_VALUE", "w/m", "slot_key"});
    const TempFolder folder;
    Save(folder / "m", graph, {"w_key", "table_key-keys", "table_key-values", "slot_key"});
    ObjectCheckpoint checkpoint = Open(folder / "m");
    REQUIRE(checkpoint.tensors().size() == 5);
    CHECK(checkpoint.tensors()[1].attribute == "table-keys");
    CHECK(checkpoint.tensors()[3].dtype == DataType::kInvalid);
    CHECK(checkpoint.tensors()[4].slot_name == "m");
    CHECK(checkpoint.tensors()[4].path == "w/.OPTIMIZER_SLOT/opt/m");
    for (const char* path : {"w", "me/me/w", "a.b", "a..b", "opt/owner/w", "table/.ATTRIBUTES/table-keys",
                             "w/.OPTIMIZER_SLOT/opt/m", "w/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE"}) {
      CAPTURE(path);
      const Result<Tensor> read = checkpoint.Read(path);
      REQUIRE_MESSAGE(read.ok(), read.status().ToString());
      CHECK(read->scalar<int>()() == 7);
    }
    CHECK(checkpoint.Find("table").status().code() == Code::kNotFound);
    CHECK(checkpoint.Read("table/.ATTRIBUTES/gone").status().code() == Code::kNotFound);
  }

  TEST_CASE("checkpoints by names, and graphs that are damaged") {
    const Status by_names = ObjectCheckpoint::Open(TENON_TEST_DATA "/files/checkpoints/single/model").status();
    CHECK(by_names.code() == Code::kNotFound);
    CHECK(by_names.message().find("read it with CheckpointReader") != std::string_view::npos);
    CHECK(ObjectCheckpoint::Open("/none/m").status().code() == Code::kNotFound);
    const TempFolder folder;
    for (const std::int32_t number : {-1, 2}) {
      TrackableObjectGraph graph;
      graph.nodes.resize(2);
      graph.nodes[0].children = {{1, "a"}, {number, "b"}};
      Save(folder / "m", graph, {});
      CHECK(ObjectCheckpoint::Open(folder / "m").status().code() == Code::kDataLoss);
      graph.nodes[0].children = {{1, "a"}};
      graph.nodes[1].slot_variables.push_back({0, "m", number});
      Save(folder / "m", graph, {});
      CHECK(ObjectCheckpoint::Open(folder / "m").status().code() == Code::kDataLoss);
    }
    Save(folder / "m", {}, {});
    CHECK(Open(folder / "m").Find("a").status().code() == Code::kNotFound);
    for (const Tensor& bad : {Tensor::Scalar(1), Tensor::Scalar(std::string_view("\xff"))}) {
      BundleWriter writer(folder / "m");
      REQUIRE(writer.Open().ok());
      REQUIRE(writer.Add("_CHECKPOINTABLE_OBJECT_GRAPH", bad).ok());
      REQUIRE(writer.Finish().ok());
      CHECK(ObjectCheckpoint::Open(folder / "m").status().code() == Code::kDataLoss);
    }
  }

  TEST_CASE("paths that would take all memory") {
    TrackableObjectGraph graph;
    const std::int32_t count = 20000;
    graph.nodes.resize(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) {
      auto& node = graph.nodes[static_cast<std::size_t>(i)];
      node.attributes.push_back({"VARIABLE_VALUE", "", "key"});
      if (i + 1 < count) node.children.push_back({i + 1, "abcdefgh"});
    }
    const TempFolder folder;
    Save(folder / "m", graph, {"key"});
    CHECK(ObjectCheckpoint::Open(folder / "m").status().code() == Code::kResourceExhausted);
  }
}
}  // namespace object_checkpoint_test

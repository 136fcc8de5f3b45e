// SPDX-License-Identifier: Apache-2.0
// golden/saved_models runs all recorded models; this has what they do not.
#include <tenon/runtime/saved_model/load.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/kernel/variable.hpp>

#include "models.hpp"

namespace saved_model_load_test {
using namespace saved_model_test;

namespace {

Status LoadChanged(std::string_view name, void (*change)(MetaGraphDef*)) {
  const TempFolder folder;
  ChangeModel(name, folder / "m", change);
  return SavedModel::Load(folder / "m").status();
}
Tensor Floats(const TensorShape& shape, float value) {
  Tensor tensor(DataType::kFloat, shape);
  for (Index i = 0; i < tensor.NumElements(); ++i) tensor.data<float>()[i] = value;
  return tensor;
}
FunctionDef* FindFunction(MetaGraphDef* meta_graph, std::string_view part) {
  for (FunctionDef& function : meta_graph->graph_def.library.function)
    if (function.signature.name.find(part) != std::string::npos) return &function;
  FAIL("no function");
  return nullptr;
}
void AddUnknownOp(FunctionDef* function) {
  NodeDef node;
  node.name = "strange";
  node.op = "NoSuchOp";
  function->node_def.push_back(std::move(node));
}

}  // namespace

TEST_SUITE("SavedModel::Load") {
  TEST_CASE("an empty model and an empty signature") {
    const SavedModel none;
    CHECK(none.signatures().empty());
    CHECK(none.functions().empty());
    CHECK(none.variables().empty());
    CHECK(none.meta_graph().graph_def.node.empty());
    CHECK(none.signature().status().code() == Code::kInvalidArgument);
    CHECK(none.function("f").status().code() == Code::kInvalidArgument);
    CHECK(none.variable("v").status().code() == Code::kInvalidArgument);
    CHECK(none.Run({}).status().code() == Code::kInvalidArgument);
    CHECK(none.Save("/tmp/none").code() == Code::kInvalidArgument);
    const ModelSignature signature;
    CHECK(signature.inputs().empty());
    CHECK(signature.name().empty());
    CHECK(signature.Run({}).status().code() == Code::kInvalidArgument);
    CHECK(signature({}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("the initialiser is not among the signatures; their names are suggested") {
    const SavedModel model = LoadRecorded("module_train");
    CHECK(std::vector<std::string>(model.signatures().begin(), model.signatures().end()) ==
          std::vector<std::string>{"get", "infer", "init", "put", "train"});
    const Status status = model.signature("infr").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(Says(status, "it has no signature 'infr'"));
    CHECK(Says(status, "infer"));
    CHECK(Says(model.signature().status(), "serving_default"));  // there are several, and none is the usual one
    CHECK(LoadRecorded("keras_text").signature()->name() == "serving_default");
  }
  TEST_CASE("copies share the state, loaded models do not") {
    const SavedModel model = LoadRecorded("module_counter"), copy = model, other = LoadRecorded("module_counter");
    const Tensor by = Tensor::Scalar(std::int64_t{3});
    const auto bump = [&](const SavedModel& of) {
      const auto outputs = of.Run({{"by", by}, {"note", tenon::detail::ScalarString("n")}}, "bump");
      REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
      for (const NamedTensor& output : *outputs)
        if (output.name == "after") return output.tensor.data<std::int64_t>()[0];
      return std::int64_t{-1};
    };
    const std::int64_t first = bump(model);
    CHECK(bump(copy) == first + 3);
    CHECK(bump(other) == first);
  }
  TEST_CASE("an op that is not registered stops loading where it is needed") {
    CHECK(LoadChanged("module_counter", [](MetaGraphDef* m) { AddUnknownOp(FindFunction(m, "traced_save")); }).ok());
    for (const char* name : {"traced_restore", "signature_wrapper_bump", "bump_"}) {
      static const char* part;
      part = name;
      const Status status = LoadChanged("module_counter", [](MetaGraphDef* m) { AddUnknownOp(FindFunction(m, part)); });
      CHECK(status.code() == Code::kNotFound);
      CHECK(Says(status, "Op type not registered 'NoSuchOp'"));
      CHECK(Says(status, "used by node 'strange'"));
    }
  }
  TEST_CASE("a call of a function that the library lacks stops loading") {
    const Status status = LoadChanged("module_counter", [](MetaGraphDef* m) {
      for (NodeDef& node : m->graph_def.node)
        if (node.op == "StatefulPartitionedCall") {
          node.attr.Find("f")->mutable_func()->name += "x";
          return;
        }
    });
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Says(status, "Failed to find function '"));
    CHECK(Says(status, "did you mean '"));
  }
  TEST_CASE("assets stay in their folder") {
    for (const char* name : {"../../secret.txt", "/etc/passwd", "a/../../b", ""}) {
      static const char* file;
      file = name;
      const Status status = LoadChanged("module_tables", [](MetaGraphDef* m) { m->asset_file_def[0].filename = file; });
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(Says(status, "is not in the folder 'assets'"));
    }
    CHECK(LoadChanged("module_tables", [](MetaGraphDef* m) { m->asset_file_def[0].filename = "none.txt"; }).code() ==
          Code::kNotFound);
    CHECK(LoadChanged("module_tables", [](MetaGraphDef* m) {
            m->asset_file_def[0].tensor_info.name = "no_such_tensor:0";
          }).code() == Code::kInvalidArgument);
  }
  TEST_CASE("an asset that is listed twice is fed once; two files for one tensor are refused") {
    CHECK(LoadChanged("module_tables", [](MetaGraphDef* m) {
            m->asset_file_def.push_back(m->asset_file_def[0]);
          }).message() == "");
    const Status two = LoadChanged("module_tables", [](MetaGraphDef* m) {
      m->asset_file_def.push_back(m->asset_file_def[0]);
      m->asset_file_def.back().filename = "other.txt";
    });
    CHECK(two.code() == Code::kInvalidArgument);
    CHECK(Says(two, "fed more than once"));
  }
  TEST_CASE("initialisers of older models") {
    const auto with_collections = [](MetaGraphDef* m) {
      m->signature_def.erase(m->signature_def.begin());  // __saved_model_init_op comes first
      m->collection_def.clear();
    };
    CHECK(LoadChanged("module_counter", [](MetaGraphDef* m) {
            m->signature_def[0].second.outputs[0].second.name = "no_such_node";
          }).code() == Code::kNotFound);
    const TempFolder folder;
    ChangeModel("module_tables", folder / "none", with_collections);
    const Result<SavedModel> model = SavedModel::Load(folder / "none");
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    Tensor words(DataType::kString, TensorShape({1}));
    const Status empty = model->Run({{"word", words}}, "ids").status();
    CHECK(empty.code() == Code::kFailedPrecondition);
    ChangeModel("module_tables", folder / "legacy", [&](MetaGraphDef* m) {
      const std::string node = m->signature_def[0].second.outputs[0].second.name;
      with_collections(m);
      CollectionDef::NodeList nodes;
      nodes.value.push_back(node);
      m->collection_def.push_back({"legacy_init_op", {}});
      m->collection_def[0].second.node_list = nodes;
    });
    const Result<SavedModel> legacy = SavedModel::Load(folder / "legacy");
    REQUIRE_MESSAGE(legacy.ok(), legacy.status().ToString());
    CHECK(legacy->Run({{"word", words}}, "ids").ok());
    ChangeModel("module_tables", folder / "two", [&](MetaGraphDef* m) {
      with_collections(m);
      CollectionDef::NodeList nodes;
      nodes.value.push_back("a");
      nodes.value.push_back("b");
      m->collection_def.push_back({"saved_model_main_op", {}});
      m->collection_def[0].second.node_list = nodes;
    });
    CHECK(SavedModel::Load(folder / "two").status().code() == Code::kFailedPrecondition);
  }
  TEST_CASE("checksums are checked") {
    const TempFolder folder;
    CopyFolder(Recorded("module_composites"), folder / "m");
    const std::string data = folder / "m/variables/variables.data-00000-of-00001";
    std::string bytes(wire::AsText(MappedFile::Open(data)->bytes()));
    bytes[bytes.size() / 2] ^= 1;
    REQUIRE(WriteFile(data, bytes).ok());
    const Status status = SavedModel::Load(folder / "m").status();
    CHECK(status.code() == Code::kDataLoss);
    CHECK(Says(status, "Checksum does not match"));
    REQUIRE(std::remove(data.c_str()) == 0);
    const Status gone = SavedModel::Load(folder / "m").status();
    CHECK(gone.code() == Code::kNotFound);
    CHECK(Says(gone, "variables.data-00000-of-00001"));
  }
  TEST_CASE("variables are views of the checkpoint until they are written to") {
    const SavedModel model = LoadRecorded("module_train");
    const Result<Tensor> before = model.variable("p.0");
    REQUIRE_MESSAGE(before.ok(), before.status().ToString());
    CHECK(before->buffer()->root()->is_mapped_file());
    const Tensor kept = before->DeepCopy();
    REQUIRE(model
                .Run({{"x", Floats(TensorShape({2, 4}), 1)},
                      {"y", Floats(TensorShape({2, 1}), 3)},
                      {"rate", Tensor::Scalar(0.1f)}},
                     "train")
                .ok());
    const Result<Tensor> after = model.variable("p.0");
    REQUIRE(after.ok());
    CHECK_FALSE(after->buffer()->root()->is_mapped_file());
    bool changed = false;
    for (Index i = 0; i < kept.NumElements(); ++i) {
      CHECK(before->data<float>()[i] == kept.data<float>()[i]);
      changed |= after->data<float>()[i] != kept.data<float>()[i];
    }
    CHECK(changed);
    const Result<SavedModel> copied =
        SavedModel::Load(Recorded("module_train"), {.session = {.map_graph_file = false}});
    REQUIRE(copied.ok());
    CHECK_FALSE(copied->variable("p.0")->buffer()->root()->is_mapped_file());
  }
  TEST_CASE("variables by reference, too") {
    const std::string folder = Recorded("v1_many_tags");
    const Result<SavedModel> model = SavedModel::Load(folder, {.tags = {"train"}});
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    std::string name;
    for (const NodeDef& node : model->meta_graph().graph_def.node)
      if (node.op == "VariableV2" && name.empty()) name = node.name + ":0";
    const auto value = model->session().Run({}, {name});
    REQUIRE(value.ok());
  }
}
}  // namespace saved_model_load_test

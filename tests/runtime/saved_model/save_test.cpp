// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/saved_model/save.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/io/bundle_reader.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/op/attr/attr_types.hpp>

#include <kill_sweep.hpp>

#include "models.hpp"

namespace saved_model_save_test {
using namespace saved_model_test;

namespace {

TensorInfo Named(std::string name) {
  TensorInfo info;
  info.name = std::move(name);
  return info;
}
// ids = table[word], y = x * w + r with a variable by handle and one by reference; an unused handle without a value.
Session Machine(const std::string& vocabulary) {
  GraphBuilder b;
  const Output w = b.Add("VarHandleOp", "layer/w", {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"shared_name", "w"}});
  b.Add("VarHandleOp", "unused", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}});
  const Output r = b.Add("VariableV2", "r", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
  b.Add("AssignVariableOp", "set_w", {w, b.Placeholder("new_w", DataType::kFloat, PartialTensorShape({2}))});
  b.Add("Assign", "set_r", {r, b.Placeholder("new_r", DataType::kFloat, PartialTensorShape({2}))});
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({2}));
  const Output product = b.Add("Mul", "xw", {x, b.Add("ReadVariableOp", "read", {w}, {{"dtype", DataType::kFloat}})});
  b.Add("AddV2", "y", {product, r});
  const Output path = b.Const("path", tenon::detail::ScalarString(vocabulary));
  const Output table =
      b.Add("HashTableV2", "table", {}, {{"key_dtype", DataType::kString}, {"value_dtype", DataType::kInt64}});
  b.Add("InitializeTableFromTextFileV2", "fill", {table, path},
        {{"key_index", std::int64_t{-2}}, {"value_index", std::int64_t{-1}}});
  b.Add("LookupTableFindV2", "ids",
        {table, b.Placeholder("word", DataType::kString, PartialTensorShape({-1})),
         b.Const("none", Tensor::Scalar(std::int64_t{-1}))});
  const Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *session;
}
SavedModelContent Content(const std::string& vocabulary) {
  SignatureDef call, look;
  call.inputs.push_back({"x", Named("x")});
  call.outputs.push_back({"y", Named("y")});
  look.inputs.push_back({"word", Named("word:0")});
  look.outputs.push_back({"id", Named("ids")});
  SavedModelContent content;
  content.signatures = {{"serving_default", call}, {"look", look}};
  content.init_op = "fill";
  content.assets = {{"path", vocabulary}};
  return content;
}
Tensor Pair(float a, float b) { return Tensor::From<float>({a, b}, TensorShape({2})); }

}  // namespace

TEST_SUITE("SavedModel::Save") {
  TEST_CASE("what a session saved is loaded with its variables, tables and signatures") {
    const TempFolder folder;
    const std::string vocabulary = folder / "words.txt";
    REQUIRE(WriteFile(vocabulary, "a\nb\n").ok());
    const Session session = Machine(vocabulary);
    REQUIRE(session.Run({{"new_w", Pair(2, 3)}, {"new_r", Pair(10, 20)}}, {}, {"set_w", "set_r"}).ok());
    const Status saved = SavedModel::Save(folder / "m/1", session, Content(vocabulary));
    REQUIRE_MESSAGE(saved.ok(), saved.ToString());
    REQUIRE(std::remove(vocabulary.c_str()) == 0);
    const Result<SavedModel> model = SavedModel::Load(folder / "m/1");
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    const ModelSignature call = *model->signature();
    CHECK(call.inputs()[0].tensor == "x:0");
    CHECK(call.inputs()[0].dtype == DataType::kFloat);
    CHECK(call.inputs()[0].shape.DebugString() == "[2]");
    const auto y = call.Run({{"x", Pair(1, 1)}});
    REQUIRE_MESSAGE(y.ok(), y.status().ToString());
    CHECK((*y)[0].tensor.data<float>()[0] == 12);
    CHECK((*y)[0].tensor.data<float>()[1] == 23);
    Tensor words(DataType::kString, TensorShape({2}));
    words.data<tstring>()[0].assign("b");
    const auto ids = model->Run({{"word", words}}, "look");
    REQUIRE_MESSAGE(ids.ok(), ids.status().ToString());
    CHECK((*ids)[0].tensor.data<std::int64_t>()[0] == 1);
    CHECK((*ids)[0].tensor.data<std::int64_t>()[1] == -1);

    SUBCASE("and saved again, with the values of then") {
      REQUIRE(model->session().Run({{"new_w", Pair(5, 5)}}, {}, {"set_w"}).ok());
      const Status again = model->Save(folder / "m/2");
      REQUIRE_MESSAGE(again.ok(), again.ToString());
      const Result<SavedModel> second = SavedModel::Load(folder / "m/2");
      REQUIRE_MESSAGE(second.ok(), second.status().ToString());
      CHECK((*second->Run({{"x", Pair(1, 1)}}))[0].tensor.data<float>()[0] == 15);
      CHECK(second->Run({{"word", words}}, "look").ok());
    }
  }
  TEST_CASE("a recorded model saved again answers as before") {
    const TempFolder folder;
    for (const std::string name : {"module_train", "module_tables", "keras_text"}) {
      const SavedModel model = LoadRecorded(name);
      const Status saved = model.Save(folder / name);
      REQUIRE_MESSAGE(saved.ok(), saved.ToString());
      const Result<SavedModel> again = SavedModel::Load(folder / name);
      REQUIRE_MESSAGE(again.ok(), again.status().ToString());
      CHECK(again->signatures().size() == model.signatures().size());
      for (const std::string& path : model.variables()) {
        const Result<Tensor> was = model.variable(path), is = again->variable(path);
        REQUIRE(was.ok());
        REQUIRE(is.ok());
        CHECK(was->shape() == is->shape());
      }
    }
  }
  TEST_CASE("an object of Keras is saved with the value that functions read, although it has another variable") {
    const TempFolder folder;
    ResourceMgr variables;
    const Result<SavedModel> model =
        SavedModel::Load(TENON_TEST_DATA "/keras_models/cnn_skip", {.session = {.resources = &variables}});
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    int changed = 0;
    for (const NodeDef& node : model->meta_graph().graph_def.node) {
      if (node.op != "StatefulPartitionedCall" ||
          node.attr.Find("f")->func().name.find("signature_wrapper") == std::string::npos)
        continue;
      for (const std::string& input : node.input) {
        Ref<Var> variable;
        if (!variables.Lookup("", input, &variable).ok() || variable->tensor.dtype() != DataType::kFloat) continue;
        variable->tensor = variable->tensor.DeepCopy();
        float* const values = variable->tensor.data<float>();
        for (Index i = 0; i < variable->tensor.NumElements(); ++i) values[i] = static_cast<float>(changed);
        ++changed;
      }
      break;
    }
    REQUIRE(changed > 4);
    const Status saved = model->Save(folder / "m");
    REQUIRE_MESSAGE(saved.ok(), saved.ToString());
    Result<BundleReader> bundle = BundleReader::Open(folder / "m/variables/variables");
    REQUIRE_MESSAGE(bundle.ok(), bundle.status().ToString());
    for (int i = 0; i < changed; ++i) {
      const std::string number = std::to_string(i), path = "variables." + number;
      const std::string key = "variables/" + number + "/.ATTRIBUTES/VARIABLE_VALUE";
      const Result<Tensor> now = model->variable(path), written = bundle->Read(key);
      REQUIRE_MESSAGE(now.ok(), now.status().ToString());
      REQUIRE_MESSAGE(written.ok(), written.status().ToString());
      CHECK_MESSAGE(SameTensor(*now, *written), path);
    }
  }
#if TENON_TEST_KILLS
  TEST_CASE("killed at every system call: no folder, or a whole one") {
    const TempFolder parent;
    const std::string vocabulary = parent / "words.txt";
    REQUIRE(WriteFile(vocabulary, "a\nb\n").ok());
    std::string folder;
    int round = 0, none = 0, whole = 0;
    const int kills = test::KillAtEverySystemCall(
        [&] { folder = StrCat(parent / "", ++round, "/m"); },
        [&]() -> Status {
          const Session session = Machine(vocabulary);
          TENON_RETURN_IF_ERROR(
              session.Run({{"new_w", Pair(2, 3)}, {"new_r", Pair(10, 20)}}, {}, {"set_w", "set_r"}).status());
          return SavedModel::Save(folder, session, Content(vocabulary));
        },
        [&] {
          if (!tenon::detail::FileExists(folder)) {
            ++none;
            CHECK(whole == 0);
            return;
          }
          ++whole;
          const Result<SavedModel> model = SavedModel::Load(folder, {.session = {.intra_op_threads = 1}});
          REQUIRE_MESSAGE(model.ok(), model.status().ToString());
          const auto y = model->Run({{"x", Pair(1, 1)}});
          REQUIRE_MESSAGE(y.ok(), y.status().ToString());
          CHECK((*y)[0].tensor.data<float>()[1] == 23);
        });
    if (kills == -1) {
      MESSAGE("the system does not let a process trace its child");
      return;
    }
    CHECK(kills > 10);
    CHECK(none > 5);
    CHECK(whole > 0);
  }
#endif
  TEST_CASE("mistakes leave nothing behind") {
    const TempFolder folder;
    const std::string vocabulary = folder / "words.txt", path = folder / "m";
    REQUIRE(WriteFile(vocabulary, "a\n").ok());
    const Session session = Machine(vocabulary);
    SavedModelContent content = Content(vocabulary);
    content.signatures[0].second.outputs[0].second.name = "z";
    Status status = SavedModel::Save(path, session, content);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Says(status, "signature 'serving_default': output 'y' is the tensor 'z', which is not in the graph"));
    content = Content(vocabulary);
    content.init_op = "fil";
    CHECK(Says(SavedModel::Save(path, session, content), "the initialiser 'fil' is not in the graph"));
    content = Content(vocabulary);
    content.signatures[1].first = "serving_default";
    CHECK(Says(SavedModel::Save(path, session, content), "is named twice"));
    content = Content(folder / "none.txt");
    CHECK(SavedModel::Save(path, session, content).code() == Code::kNotFound);
    CHECK(SavedModel::Save(path, Session(), Content(vocabulary)).code() == Code::kInvalidArgument);
    SlimVector<std::string> names;
    REQUIRE(tenon::detail::ListFolder(folder.path() + "/", &names) == 0);
    CHECK(names.size() == 1);
    REQUIRE(SavedModel::Save(path, session, Content(vocabulary)).ok());
    CHECK(SavedModel::Save(path, session, Content(vocabulary)).code() == Code::kAlreadyExists);
  }
  TEST_CASE("two assets of one name") {
    const TempFolder folder;
    for (const std::string name : {"a/list.txt", "b/list.txt"}) {
      REQUIRE(MakeFoldersOf(folder / name).ok());
      REQUIRE(WriteFile(folder / name, name).ok());
    }
    const Session session = Machine(folder / "a/list.txt");
    SavedModelContent content = Content(folder / "a/list.txt");
    content.assets.push_back({"word", folder / "b/list.txt"});
    content.assets.push_back({"none", folder / "a/list.txt"});
    REQUIRE(SavedModel::Save(folder / "m", session, content).ok());
    const Result<SavedModelDef> def = ReadSavedModelFile(folder / "m");
    REQUIRE(def.ok());
    const auto& assets = def->meta_graphs[0].asset_file_def;
    CHECK(assets[0].filename == "list.txt");
    CHECK(assets[1].filename == "list.txt_1");
    CHECK(assets[2].filename == "list.txt");
    CHECK(wire::AsText(MappedFile::Open(folder / "m/assets/list.txt_1")->bytes()) == "b/list.txt");
  }
}
}  // namespace saved_model_save_test

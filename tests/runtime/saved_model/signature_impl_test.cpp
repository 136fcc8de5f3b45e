// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/saved_model/signature_impl.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>

#include "models.hpp"

namespace saved_model_signature_test {
using namespace saved_model_test;

namespace {

const SignatureTensor* Find(Span<const SignatureTensor> tensors, std::string_view key) {
  for (const SignatureTensor& tensor : tensors)
    if (tensor.key == key) return &tensor;
  return nullptr;
}
TensorInfo Named(std::string name, DataType dtype = DataType::kFloat) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = dtype;
  return info;
}
Tensor Vector(std::initializer_list<float> values) {
  return Tensor::From<float>(values, TensorShape({static_cast<Index>(values.size())}));
}

// y = x + c, where c is 10 unless it is fed; a counter; saved as a model with the signatures of `change`.
template <class Change>
SavedModel Made(const TempFolder& folder, const Change& change) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output c = b.Add("PlaceholderWithDefault", "c", {b.Const("ten", Tensor::Scalar(10.f))},
                         {{"shape", PartialTensorShape(std::initializer_list<Index>{})}});
  b.Add("AddV2", "y", {x, c});
  const Output n = b.Add("VarHandleOp", "n", {},
                         {{"dtype", DataType::kInt64}, {"shape", PartialTensorShape()}, {"shared_name", "n"}});
  b.Add("AssignVariableOp", "zero", {n, b.Const("z", Tensor::Scalar(std::int64_t{0}))});
  b.Add("AssignAddVariableOp", "bump", {n, b.Placeholder("by", DataType::kInt64, PartialTensorShape())});
  b.Add("ReadVariableOp", "count", {n}, {{"dtype", DataType::kInt64}});
  const Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  REQUIRE(session->Run({}, {}, {"zero"}).ok());
  SavedModelContent content;
  SignatureDef add;
  add.inputs.push_back({"c", Named("c")});
  add.inputs.push_back({"x", Named("x:0")});
  add.outputs.push_back({"y", Named("y:0")});
  content.signatures.push_back({"add", add});
  const Status saved = SavedModel::Save(folder / "plain", *session, content);
  REQUIRE_MESSAGE(saved.ok(), saved.ToString());
  CopyFolder(folder / "plain", folder / "changed");
  Result<SavedModelDef> def = ReadSavedModelFile(folder / "plain");
  REQUIRE(def.ok());
  change(&def->meta_graphs[0]);
  REQUIRE(WriteFile(folder / "changed/saved_model.pb", SerializeSavedModelDef(*def)).ok());
  const Result<SavedModel> model = SavedModel::Load(folder / "changed");
  REQUIRE_MESSAGE(model.ok(), model.status().ToString());
  return *model;
}
void Nothing(MetaGraphDef*) {}

}  // namespace

TEST_SUITE("ModelSignature") {
  TEST_CASE("describes its inputs and outputs") {
    const Result<ModelSignature> signature = LoadRecorded("module_defaults").signature();
    REQUIRE(signature.ok());
    CHECK(signature->name() == "serving_default");
    CHECK(signature->method_name() == "tensorflow/serving/predict");
    const SignatureTensor* const x = Find(signature->inputs(), "x");
    REQUIRE(x != nullptr);
    CHECK(x->tensor == "serving_default_x:0");
    CHECK(x->dtype == DataType::kFloat);
    CHECK(x->shape.DebugString() == "[?,3]");
    CHECK_FALSE(x->has_default);
    CHECK(Find(signature->inputs(), "scale")->has_default);
    CHECK(Find(signature->outputs(), "y") != nullptr);
  }
  TEST_CASE("an input with a default may be left out") {
    const TempFolder folder;
    const SavedModel model = Made(folder, Nothing);
    CHECK((*model.Run({{"x", Vector({1, 2})}}))[0].tensor.data<float>()[1] == 12);
    CHECK((*model.Run({{"x", Vector({1})}, {"c", Tensor::Scalar(5.f)}}))[0].tensor.data<float>()[0] == 6);
    const TempFolder other;
    const SavedModel named = Made(
        other, [](MetaGraphDef* m) { m->signature_def[0].second.defaults.push_back({"c", Tensor::Scalar(100.f)}); });
    CHECK((*named.Run({{"x", Vector({1})}}))[0].tensor.data<float>()[0] == 101);
  }
  TEST_CASE("by position, and some outputs only") {
    const TempFolder folder;
    const ModelSignature add = *Made(folder, Nothing).signature("add");
    const auto outputs = add({Tensor::Scalar(1.f), Vector({2})});
    REQUIRE(outputs.ok());
    CHECK((*outputs)[0].data<float>()[0] == 3);
    CHECK(Says(add({Vector({2})}).status(), "1 inputs are given; it has 2"));
    const std::vector<NamedTensor> x{{"x", Vector({1})}};
    const std::vector<std::string> y{"y"}, wrong{"z"};
    CHECK(add.Run(x, y)->size() == 1);
    CHECK(Says(add.Run(x, wrong).status(), "it has no output 'z'"));
    CHECK(add.Run(x, y, RunOptions{.timeout_in_ms = 10000}).ok());
  }
  TEST_CASE("its callable takes all inputs and gives all outputs") {
    const TempFolder folder;
    const ModelSignature add = *Made(folder, Nothing).signature("add");
    const Callable callable = add.callable();
    CHECK(callable.num_feeds() == add.inputs().size());
    CHECK(callable.num_fetches() == add.outputs().size());
    const auto outputs = callable({Tensor::Scalar(1.f), Vector({2})});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    CHECK((*outputs)[0].data<float>()[0] == 3);
    CHECK(ModelSignature().callable()({}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("mistakes of the caller name the key and what there is") {
    const TempFolder folder;
    const SavedModel model = Made(folder, Nothing);
    Status status = model.Run({{"xs", Vector({1})}}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Says(status, "Signature 'add': it has no input 'xs'"));
    status = model.Run({{"x", Vector({1})}, {"x", Vector({1})}}).status();
    CHECK(Says(status, "input 'x' is given twice"));
    status = model.Run({{"c", Tensor::Scalar(1.f)}}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Says(status, "input 'x' is missing"));
    CHECK(Says(status, "You must feed a value for placeholder tensor 'x'"));
    status = model.Run({{"x", Tensor::Scalar(1.0)}}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Says(status, "Signature 'add': input 'x' is float [?], got double []: "));
    CHECK(Says(status, "to be float but double is provided"));
    CHECK(Says((*model.signature())({Tensor::Scalar(10.f), Tensor::Scalar(1.0)}).status(),
               "Signature 'add': input 'x' is float"));
  }
  TEST_CASE("a tensor that the graph lacks is found when it is used") {
    const TempFolder folder;
    const SavedModel model =
        Made(folder, [](MetaGraphDef* m) { m->signature_def[0].second.outputs.push_back({"z", Named("gone:0")}); });
    const Result<ModelSignature> add = model.signature("add");
    REQUIRE(add.ok());
    CHECK(add->outputs().size() == 2);
    const std::vector<NamedTensor> x{{"x", Vector({1})}};
    const std::vector<std::string> y{"y"};
    CHECK(add->Run(x, y).ok());
    CHECK_FALSE(add->Run(x).ok());
  }
  TEST_CASE("two keys for one tensor, and an output that is an input") {
    const TempFolder folder;
    const SavedModel model = Made(folder, [](MetaGraphDef* m) {
      SignatureDef& add = m->signature_def[0].second;
      add.inputs.push_back({"x2", Named("x:0")});
      add.outputs.push_back({"again", Named("y:0")});
      add.outputs.push_back({"same", Named("x:0")});
    });
    const std::vector<NamedTensor> x{{"x2", Vector({1})}};
    const std::vector<std::string> twice{"y", "again"}, fed{"same"};
    const auto outputs = model.signature()->Run(x, twice);
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    CHECK((*outputs)[1].tensor.data<float>()[0] == 11);
    CHECK(Says(model.signature()->Run(x, fed).status(), "is both fed and fetched"));
  }
  TEST_CASE("without outputs: the node that reads the inputs is run") {
    const TempFolder folder;
    const SavedModel model = Made(folder, [](MetaGraphDef* m) {
      SignatureDef bump, count;
      bump.inputs.push_back({"by", Named("by:0", DataType::kInt64)});
      count.outputs.push_back({"n", Named("count:0", DataType::kInt64)});
      m->signature_def.push_back({"bump", bump});
      m->signature_def.push_back({"count", count});
    });
    const auto bumped = model.Run({{"by", Tensor::Scalar(std::int64_t{4})}}, "bump");
    REQUIRE_MESSAGE(bumped.ok(), bumped.status().ToString());
    CHECK(bumped->empty());
    CHECK((*model.Run({}, "count"))[0].tensor.data<std::int64_t>()[0] == 4);
  }
  TEST_CASE("without outputs: the object graph names the call") {
    const TempFolder folder;
    ChangeModel("module_train", folder / "m", [](MetaGraphDef* m) {
      for (auto& [name, signature] : m->signature_def)
        if (name == "init") signature.outputs.clear();
    });
    const Result<SavedModel> model = SavedModel::Load(folder / "m");
    REQUIRE(model.ok());
    const Tensor before = model->variable("p.0")->DeepCopy();
    const Tensor seed = Tensor::From<std::int32_t>({1, 2}, TensorShape({2}));
    REQUIRE(model->Run({{"seed", seed}}, "init").ok());
    CHECK(model->variable("p.0")->data<float>()[0] != before.data<float>()[0]);
  }
  TEST_CASE("composite values are their parts") {
    const TempFolder folder;
    const SavedModel model = Made(folder, [](MetaGraphDef* m) {
      SignatureDef parts;
      TensorInfo sparse, ragged;
      sparse.dtype = DataType::kFloat;
      sparse.coo_sparse = TensorInfo::CooSparse{"x:0", "by:0", "c:0"};
      ragged.composite_tensor.emplace();
      ragged.composite_tensor->components.push_back(Named("y:0"));
      ragged.composite_tensor->components.push_back(Named("count:0", DataType::kInt64));
      parts.inputs.push_back({"s", sparse});
      parts.outputs.push_back({"r", ragged});
      m->signature_def.push_back({"parts", parts});
    });
    const ModelSignature parts = *model.signature("parts");
    REQUIRE(parts.inputs().size() == 3);
    CHECK(parts.inputs()[0].key == "s/indices");
    CHECK(parts.inputs()[1].key == "s/values");
    CHECK(parts.inputs()[1].tensor == "x:0");
    CHECK(parts.inputs()[2].key == "s/dense_shape");
    const auto outputs = parts.Run({{"s/values", Vector({1})}});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    CHECK((*outputs)[0].name == "r/0");
    CHECK((*outputs)[0].tensor.data<float>()[0] == 11);
    CHECK((*outputs)[1].name == "r/1");
  }
}
}  // namespace saved_model_signature_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/saved_model/functions.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/runtime/saved_model/model_impl.hpp>
#include <tenon/runtime/saved_model/object_paths.hpp>
#include <tenon/runtime/saved_model/variables.hpp>

#include "models.hpp"

namespace saved_model_functions_test {
using namespace saved_model_test;

namespace {
bool Has(const std::vector<std::string>& list, std::string_view item) {
  for (const std::string& known : list)
    if (known == item) return true;
  return false;
}
Tensor Ones(const TensorShape& shape) {
  Tensor tensor(DataType::kFloat, shape);
  for (Index i = 0; i < tensor.NumElements(); ++i) tensor.data<float>()[i] = 1;
  return tensor;
}
}  // namespace

TEST_SUITE("functions of SavedModels") {
  TEST_CASE("functions and variables by attribute path") {
    const SavedModel model = LoadRecorded("module_train");
    CHECK(Has(model.functions(), "train"));
    CHECK(Has(model.functions(), "signatures.infer"));
    CHECK_FALSE(Has(model.functions(), "infer.trace_0"));
    CHECK(model.variables() ==
          std::vector<std::string>{"m.0", "m.1", "m.2", "p.0", "p.1", "p.2", "step", "v.0", "v.1", "v.2"});
    CHECK(model.variable("p.0")->shape() == TensorShape({4, 6}));
    const Status status = model.variable("p0").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(Says(status, "it has no variable 'p0'"));
    CHECK(Says(status, "p.0"));
    CHECK(Says(model.variable("kernel").status(), "; there are 'm.0', 'm.1', 'm.2', 'p.0', "));
    CHECK(Says(model.function("something_else").status(), "; there are '"));
  }
  TEST_CASE("a function answers as the signature that calls it, and shares its variables") {
    const SavedModel model = LoadRecorded("module_train");
    const Result<ModelSignature> infer = model.function("infer");
    REQUIRE_MESSAGE(infer.ok(), infer.status().ToString());
    REQUIRE(infer->inputs().size() == 1);
    CHECK(infer->inputs()[0].key == "x");
    CHECK(infer->inputs()[0].shape.DebugString() == "[?,4]");
    CHECK(infer->outputs()[0].key == "output_0");
    const Tensor x = Ones(TensorShape({3, 4}));
    for (int times = 0; times < 2; ++times) {
      const auto by_function = infer->Run({{"x", x}}), by_signature = model.Run({{"x", x}}, "infer");
      REQUIRE_MESSAGE(by_function.ok(), by_function.status().ToString());
      REQUIRE(by_signature.ok());
      for (Index i = 0; i < 3; ++i)
        CHECK((*by_function)[0].tensor.data<float>()[i] == (*by_signature)[0].tensor.data<float>()[i]);
      const auto trained = (*model.function("train"))({x, Ones(TensorShape({3, 1})), Tensor::Scalar(0.1f)});
      REQUIRE_MESSAGE(trained.ok(), trained.status().ToString());
    }
    CHECK(model.variable("step")->data<std::int64_t>()[0] >= 2);
  }
  TEST_CASE("traces by number, and mistakes") {
    const SavedModel model = LoadRecorded("module_train");
    CHECK(model.function("infer#0").ok());
    CHECK(Says(model.function("infer#1").status(), "has 1 traces; there is no trace 1"));
    CHECK(model.function("infer#x").status().code() == Code::kInvalidArgument);
    const Status status = model.function("trian").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(Says(status, "train"));
  }
  TEST_CASE("variables that no signature reads come from the checkpoint's keys") {
    const SavedModel model = LoadRecorded("keras_separable");
    for (const std::string& path : model.variables()) {
      const Result<Tensor> value = model.variable(path);
      CHECK_MESSAGE(value.ok(), path, ": ", value.status().ToString());
    }
  }
  TEST_CASE("tables are captured") {
    const SavedModel model = LoadRecorded("module_tables");
    Tensor words(DataType::kString, TensorShape({2}));
    words.data<tstring>()[0].assign("a");
    const auto by_function = model.function("ids")->Run({{"word", words}}),
               by_signature = model.Run({{"word", words}}, "ids");
    REQUIRE_MESSAGE(by_function.ok(), by_function.status().ToString());
    REQUIRE(by_signature.ok());
    CHECK(by_function->size() == by_signature->size());
  }
  TEST_CASE("assets are captured") {
    const Result<ModelSignature> fill = LoadRecorded("module_tables").function("vocab._initialize");
    REQUIRE_MESSAGE(fill.ok(), fill.status().ToString());
    CHECK(fill->inputs().empty());
    CHECK(fill->Run({}).status().message() == "");
  }
  TEST_CASE("a damaged object graph") {
    const TempFolder folder;
    ChangeModel("module_train", folder / "m", [](MetaGraphDef* m) {
      Result<SavedObjectGraph> objects = ParseSavedObjectGraph(wire::AsBytes(m->object_graph_def));
      REQUIRE(objects.ok());
      objects->nodes[0].children[0].node_id = 10000;
      m->object_graph_def = SerializeSavedObjectGraph(*objects);
    });
    const Result<SavedModel> model = SavedModel::Load(folder / "m");
    REQUIRE(model.ok());
    CHECK(model->signature("infer").ok());
    CHECK(model->functions().empty());
    CHECK(Says(model->function("infer").status(), "with number 10000"));
  }
}
}  // namespace saved_model_functions_test

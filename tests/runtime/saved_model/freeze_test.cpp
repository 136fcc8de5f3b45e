// SPDX-License-Identifier: Apache-2.0
// golden/frozen_models compares frozen graphs of all recorded models with TensorFlow's answers.
#include <tenon/runtime/saved_model/freeze.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models.hpp"

namespace saved_model_freeze_test {
using namespace saved_model_test;

namespace {
int CountOp(const GraphDef& graph, std::string_view op) {
  int count = 0;
  for (const NodeDef& node : graph.node) count += node.op == op ? 1 : 0;
  return count;
}
bool HasOp(const GraphDef& graph, std::string_view op) { return CountOp(graph, op) > 0; }
}  // namespace

TEST_SUITE("Freeze") {
  TEST_CASE("variables are constants, calls are inlined") {
    const SavedModel model = LoadRecorded("module_train");
    const Result<FrozenGraph> frozen = Freeze(model, "infer");
    REQUIRE_MESSAGE(frozen.ok(), frozen.status().ToString());
    CHECK_FALSE(HasOp(frozen->graph, "VarHandleOp"));
    CHECK_FALSE(HasOp(frozen->graph, "StatefulPartitionedCall"));
    CHECK(frozen->graph.library.function.empty());
    CHECK(frozen->init_op.empty());
    const Result<Session> session = Session::FromGraphDef(frozen->graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    Tensor x(DataType::kFloat, TensorShape({1, 4}));
    for (int i = 0; i < 4; ++i) x.data<float>()[i] = static_cast<float>(i);
    const auto want = model.Run({{"x", x}}, "infer");
    const auto got = session->Run({{frozen->inputs[0].tensor, x}}, {frozen->outputs[0].tensor});
    REQUIRE(want.ok());
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    CHECK((*got)[0].data<float>()[0] == (*want)[0].tensor.data<float>()[0]);
  }
  TEST_CASE("an input that no output needs may be given") {
    const TempFolder folder;
    ChangeModel("module_train", folder / "m", [](MetaGraphDef* m) {
      NodeDef node;
      node.name = "spare";
      node.op = "Placeholder";
      node.attr.Set("dtype", AttrValue(DataType::kFloat));
      m->graph_def.node.push_back(node);
      for (auto& [name, signature] : m->signature_def) {
        if (name != "infer") continue;
        TensorInfo spare;
        spare.name = "spare:0";
        spare.dtype = DataType::kFloat;
        spare.tensor_shape = PartialTensorShape({-1});
        signature.inputs.push_back({"spare", spare});
      }
    });
    const Result<SavedModel> model = SavedModel::Load(folder / "m");
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    const Result<FrozenGraph> frozen = Freeze(*model, "infer");
    REQUIRE_MESSAGE(frozen.ok(), frozen.status().ToString());
    const Result<Session> session = Session::FromGraphDef(frozen->graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    Tensor x(DataType::kFloat, TensorShape({1, 4})), spare(DataType::kFloat, TensorShape({2}));
    for (int i = 0; i < 4; ++i) x.data<float>()[i] = 1.0f;
    spare.data<float>()[0] = spare.data<float>()[1] = 0.0f;
    std::vector<NamedTensor> feeds;
    for (const SignatureTensor& input : frozen->inputs)
      feeds.push_back({input.tensor, input.key == "spare" ? spare : x});
    REQUIRE(feeds.size() == 2);
    CHECK(session->Run({feeds[0], feeds[1]}, {frozen->outputs[0].tensor}).status().message() == "");
  }
  TEST_CASE("a signature that writes") {
    const SavedModel model = LoadRecorded("module_train");
    const Status status = Freeze(model, "train").status();
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(Says(status, "takes the variable"));
    CHECK(Freeze(model, "none").status().code() == Code::kNotFound);
  }
  TEST_CASE("tables with their contents, or with their assets") {
    const SavedModel model = LoadRecorded("module_tables");
    const Result<FrozenGraph> folded = Freeze(model, "ids"),
                              kept = Freeze(model, "ids", {.tables = FrozenTables::kKeep});
    REQUIRE_MESSAGE(folded.ok(), folded.status().ToString());
    REQUIRE_MESSAGE(kept.ok(), kept.status().ToString());
    CHECK_FALSE(folded->init_op.empty());
    CHECK(HasOp(folded->graph, "LookupTableImportV2"));
    CHECK_FALSE(HasOp(folded->graph, "InitializeTableFromTextFileV2"));
    CHECK(HasOp(kept->graph, "InitializeTableFromTextFileV2"));
    // A table that can change has no initialiser: its contents are folded either way.
    CHECK(CountOp(kept->graph, "LookupTableImportV2") + 1 == CountOp(folded->graph, "LookupTableImportV2"));
  }
}
}  // namespace saved_model_freeze_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/add_loss.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace add_loss_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
const Tensor kLabels = Floats({0, 1, 0, 1, 0, 0}, {2, 3}),
             kScores = Floats({0.1f, 0.7f, 0.2f, 0.3f, 0.3f, 0.4f}, {2, 3});
const Tensor kLogits = Floats({-1, 2, 0.5f, 0.25f, 0, -3}, {2, 3}), kWeights = Floats({2, 0.5f}, {2});
const Tensor kClasses = Tensor::From<std::int32_t>({1, 0}, {2});

// The value that AddLoss gives for fed labels and predictions.
template <class Loss>
std::vector<double> Value(const Loss& loss, const Tensor& labels, const Tensor& predictions, LossOptions options = {}) {
  GraphBuilder b;
  b.Placeholder("labels", labels.dtype(), PartialTensorShape(labels.shape()));
  b.Placeholder("predictions", predictions.dtype(), PartialTensorShape(predictions.shape()));
  b.Placeholder("weights", DataType::kFloat, PartialTensorShape({2}));
  GraphDef graph = b.graph_def();
  const auto name = AddLoss(&graph, "labels", "predictions", loss, options);
  REQUIRE_MESSAGE(name.ok(), name.status().ToString());
  const auto session = Session::FromGraphDef(graph, {.intra_op_threads = 1});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const std::vector<NamedTensor> feeds{{"labels", labels}, {"predictions", predictions}, {"weights", kWeights}};
  const std::vector<std::string> fetches{*name};
  const auto result = session->Run(feeds, fetches, {});
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return Numbers((*result)[0]);
}
}  // namespace

TEST_SUITE("AddLoss") {
  // Numbers of tools/training_numbers.py losses.
  TEST_CASE("reduces as Keras does") {
    const losses::MeanSquaredError loss;
    const auto value = [&](LossReduction reduction) {
      return Value(loss, kLabels, kLogits, {.reduction = reduction, .sample_weight = "weights"});
    };
    CheckNear(value(LossReduction::kSumOverBatchSize), {1.546875});
    CheckNear(value(LossReduction::kMeanWithSampleWeight), {1.23749995});
    CheckNear(value(LossReduction::kSum), {3.09375});
    CheckNear(value(LossReduction::kNone), {1.5, 1.59375});
  }
  TEST_CASE("has a gradient and refuses names that are not there") {
    GraphBuilder b;
    b.Placeholder("labels", DataType::kFloat, PartialTensorShape({2, 3}));
    b.Placeholder("predictions", DataType::kFloat, PartialTensorShape({2, 3}));
    GraphDef graph = b.graph_def();
    const auto name = AddLoss(&graph, "labels", "predictions", losses::BinaryCrossentropy{.from_logits = true});
    REQUIRE_MESSAGE(name.ok(), name.status().ToString());
    const std::vector<std::string> ys{*name}, xs{"predictions"};
    CHECK(AddGradients(&graph, ys, xs).ok());
    CHECK(AddLoss(&graph, "nowhere", "predictions", losses::Huber{}).status().code() == Code::kNotFound);
  }
}

}  // namespace add_loss_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/losses.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace losses_test {
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
std::vector<float> Float(const Tensor& t) { return {t.data<float>(), t.data<float>() + t.NumElements()}; }
}  // namespace

TEST_SUITE("losses") {
  // Numbers of tools/training_numbers.py losses.
  TEST_CASE("of numbers are those of Keras") {
    const auto both = [](const auto& loss, double scores, double logits) {
      CheckNear(Value(loss, kLabels, kScores), {scores});
      CheckNear(Value(loss, kLabels, kLogits), {logits});
    };
    both(losses::MeanSquaredError{}, 0.146666676, 1.96875);
    both(losses::Huber{}, 0.0733333379, 0.651041627);
    both(losses::LogCosh{}, 0.069794178, 0.592545092);
    both(losses::Hinge{}, 1, 0.541666627);
    both(losses::SquaredHinge{}, 1.14666677, 0.635416627);
    both(losses::CategoricalHinge{}, 0.800000012, 0.375);
    both(losses::CosineSimilarity{}, -0.733537555, -0.4779585);
    CheckNear(Value(losses::MeanAbsoluteError{}, kLabels, kScores), {0.333333343});
    CheckNear(Value(losses::Huber{.delta = 0.5}, kLabels, kLogits), {0.416666687});
    CheckNear(Value(losses::KLDivergence{}, kLabels, kScores), {0.780320942});
    CheckNear(Value(losses::Poisson{}, kLabels, kScores), {0.593441248});
  }
  TEST_CASE("of classes are those of Keras") {
    using namespace losses;
    const auto value = [](const auto& loss, const Tensor& t) { return Value(loss, kLabels, t); };
    CheckNear(value(BinaryCrossentropy{}, kScores), {0.459442079});
    CheckNear(value(BinaryCrossentropy{.from_logits = true}, kLogits), {0.455323428});
    CheckNear(value(BinaryCrossentropy{.label_smoothing = 0.2}, kScores), {0.540046751});
    CheckNear(value(BinaryCrossentropy{.from_logits = true, .label_smoothing = 0.2}, kLogits), {0.551156759});
    CheckNear(value(CategoricalCrossentropy{}, kScores), {0.780323863});
    CheckNear(value(CategoricalCrossentropy{.from_logits = true}, kLogits), {0.419407248});
    CheckNear(value(CategoricalCrossentropy{.label_smoothing = 0.3}, kScores), {0.925873458});
    CheckNear(value(CategoricalCrossentropy{.from_logits = true, .label_smoothing = 0.3}, kLogits), {0.819407284});
    CheckNear(Value(SparseCategoricalCrossentropy{}, kClasses, kScores), {0.780323863});
    CheckNear(
        Value(SparseCategoricalCrossentropy{.from_logits = true}, Tensor::From<std::int64_t>({1, 0}, {2, 1}), kLogits),
        {0.419407248});
    const SparseCategoricalCrossentropy ignoring{.from_logits = true, .ignore_class = 0};
    CheckNear(Value(ignoring, kClasses, kLogits), {0.241311327});
    CheckNear(Value(ignoring, kClasses, kLogits, {.reduction = LossReduction::kSum}), {0.241311327});
    CheckNear(Value(ignoring, kClasses, kLogits, {.sample_weight = "weights"}), {0.482622653});
    CheckNear(Value(CategoricalCrossentropy{.from_logits = true}, Floats(Float(kLabels), {1, 2, 3}),
                    Floats(Float(kLogits), {1, 2, 3}), {.reduction = LossReduction::kNone}),
              {0.241311327, 0.597503185});
  }
  TEST_CASE("ranks that differ by a size of 1 are made equal") {
    CheckNear(Value(losses::MeanSquaredError{}, Floats({1, 2}, {2}), Floats({0.5f, 0}, {2, 1})), {2.125});
    CheckNear(Value(losses::CosineSimilarity{}, Floats({0, 0}, {1, 2}), Floats({1, 2}, {1, 2})), {0});
  }
  TEST_CASE("predictions of Softmax and Sigmoid are taken as logits") {
    const auto of = [](const char* op, const auto& loss) {
      return Numbers(Evaluate({kLabels, kLogits}, [&](GraphEditor& e, const std::vector<Symbol>& x) {
        return loss.Each(e, x[0], e.Add(op, {x[1]})).values;
      }));
    };
    CheckNear(of("Softmax", losses::CategoricalCrossentropy{}), {0.241311327, 0.597503185});
    CheckNear(of("Sigmoid", losses::BinaryCrossentropy{}), {0.471422, 0.439224}, 1e-6);
  }
}

}  // namespace losses_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/metrics.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace metrics_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// The value that AddMetric gives; weights are 1, 2, 5.
template <class Metric>
std::vector<double> Value(const Metric& metric, const Tensor& labels, const Tensor& predictions,
                          bool weighted = false) {
  GraphBuilder b;
  b.Placeholder("labels", labels.dtype(), PartialTensorShape(labels.shape()));
  b.Placeholder("predictions", predictions.dtype(), PartialTensorShape(predictions.shape()));
  b.Const("weights", Floats({1, 2, 5}, {3}));
  GraphDef graph = b.graph_def();
  const auto name = AddMetric(&graph, "labels", "predictions", metric, {.sample_weight = weighted ? "weights" : ""});
  REQUIRE_MESSAGE(name.ok(), name.status().ToString());
  const auto session = Session::FromGraphDef(graph);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const std::vector<NamedTensor> feeds{{"labels", labels}, {"predictions", predictions}};
  const std::vector<std::string> fetches{*name};
  const auto result = session->Run(feeds, fetches, {});
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return Numbers((*result)[0]);
}
}  // namespace

TEST_SUITE("metrics") {
  // Numbers of tools/training_numbers.py metrics.
  TEST_CASE("are those of Keras") {
    const Tensor scores = Floats({0.1f, 0.7f, 0.2f, 0, 0.3f, 0.3f, 0.35f, 0.05f, 0.2f, 0.2f, 0.2f, 0.4f}, {3, 4});
    const Tensor hot = Floats({0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, {3, 4});
    const auto classes = [](const std::vector<std::int32_t>& c) {
      return Tensor::From<std::int32_t>(std::span<const std::int32_t>(c), {3});
    };
    using namespace metrics;
    CheckNear(Value(Accuracy{}, classes({1, 2, 3}), classes({1, 0, 3})), {0.666666687});
    CheckNear(Value(Accuracy{}, classes({1, 2, 3}), classes({1, 0, 3}), true), {0.75});
    const Tensor yes = Floats({1, 0, 1}, {3}), chance = Floats({0.6f, 0.5f, 0.4f}, {3});
    CheckNear(Value(BinaryAccuracy{}, yes, chance), {0.666666687});
    CheckNear(Value(BinaryAccuracy{.threshold = 0.3}, yes, chance), {0.666666687});
    CheckNear(Value(CategoricalAccuracy{}, hot, scores), {0.333333343});
    CheckNear(Value(SparseCategoricalAccuracy{}, classes({1, 0, 3}), scores), {0.666666687});
    CheckNear(Value(SparseCategoricalAccuracy{}, Tensor::From<std::int64_t>({1, 0, 3}, {3, 1}), scores, true), {0.75});
    CheckNear(Value(TopKCategoricalAccuracy{1}, hot, scores), {0.333333343});
    CheckNear(Value(TopKCategoricalAccuracy{2}, hot, scores), {1});
    CheckNear(Value(SparseTopKCategoricalAccuracy{1}, classes({1, 1, 3}), scores), {0.666666687});
    CheckNear(Value(SparseTopKCategoricalAccuracy{2}, classes({1, 1, 3}), scores), {1});
  }
  TEST_CASE("a running mean counts all runs since the reset") {
    GraphBuilder b;
    b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    b.Placeholder("n", DataType::kInt32, PartialTensorShape({}));
    GraphDef graph = b.graph_def();
    const auto names = AddRunningMean(&graph, "x");
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const std::vector<std::string> fetches{names->mean};
    const auto mean = [&](const std::vector<float>& x) {
      const std::vector<NamedTensor> feeds{{"x", Floats(x, {static_cast<Index>(x.size())})}};
      const auto result = session->Run(feeds, fetches, {});
      REQUIRE_MESSAGE(result.ok(), result.status().ToString());
      return (*result)[0].data<float>()[0];
    };
    for (int round = 0; round < 2; ++round) {
      REQUIRE(session->Run({}, {}, {names->reset}).ok());
      CHECK(mean({1, 2, 3}) == 2);
      CHECK(mean({6}) == 3);
      CHECK(mean({}) == 3);
    }
    CHECK(AddRunningMean(&graph, "n").status().code() == Code::kInvalidArgument);
  }
}

}  // namespace metrics_test
